//! A directory that is watched: what is saved is committed, what is wrong is told once, and what
//! comes into the conversation comes into the directory.

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, ChildStderr, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use crate::{
    checkout::{bodies, change, checked_out, read},
    support::{Jp, message},
};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// `jp conversation watch`, running.
struct Watch {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Watch {
    fn start(jp: &Jp) -> Self {
        let mut command = jp.jp(&["c", "watch", "co"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr: ChildStderr = child.stderr.take().unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut watch = Self { child, lines, said: Vec::new() };
        let first = watch.next_with("Watching ");
        assert!(first.ends_with("; Ctrl+C ends it"), "{first}");
        watch
    }

    /// Waits for the next line that has this in it.
    #[track_caller]
    fn next_with(&mut self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no `{part}` in {:?}", self.said));
            self.said.push(line.clone());
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Ends it as Ctrl+C does, and returns all that it said.
    fn end(mut self, jp: &Jp) -> Vec<String> {
        let pid = self.child.id().to_string();
        assert!(jp.command("kill").args(["-INT", &pid]).status().unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        self.said.extend(self.lines.iter());
        std::mem::take(&mut self.said)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// Waits until something holds.
#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_saved_is_committed_and_what_is_wrong_is_told_once() {
    let (jp, id) = checked_out();
    let mut watch = Watch::start(&jp);
    change(&jp, "co/000-request.md", "One", "Uno");
    watch.next_with("edited   000-request.md");
    watch.next_with(" committed ");
    assert_eq!(bodies(&jp, &id)[0], "Uno");
    // Broken, and broken in the same way once more: told once.
    let broken = "---\ntype: message\ntimestamp: soon\n---\nBroken\n";
    jp.write("co/001-message.md", broken);
    watch.next_with("error: co/001-message.md:3:");
    let tip = jp.tip(&id);
    jp.write("co/001-message.md", format!("{broken}and more\n"));
    jp.write("co/003-message.md", message("Zwei\n"));
    jp.write("co/001-message.md", message("Mended\n"));
    watch.next_with(" committed ");
    until("both edits are there", || bodies(&jp, &id)[1..] == ["Mended", "Two", "Zwei"]);
    assert_ne!(jp.tip(&id), tip);
    let said = watch.end(&jp);
    let errors = said.iter().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, 1, "{said:?}");
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn what_comes_into_the_conversation_comes_into_the_directory() {
    let (jp, id) = checked_out();
    let mut watch = Watch::start(&jp);
    jp.append(&id, &[&message("More\n")]).ok();
    watch.next_with("came in");
    assert_eq!(read(&jp, "co/004-message.md"), message("More\n"));
    assert!(read(&jp, "co/CONVERSATION").ends_with("\n004-message.md\n"));
    // A new file is committed when the plan lists it, and not before.
    jp.write("co/new.md", "---\ntype: message\nmodel: acme/large\n---\nMine\n");
    change(&jp, "co/CONVERSATION", "004-message.md\n", "004-message.md\nnew.md\n");
    watch.next_with("added    005-message.md (from new.md)");
    watch.next_with(" committed ");
    until("the name is given", || !jp.path("co/new.md").exists());
    // The same name once more is another event.
    until("the plan is settled", || read(&jp, "co/CONVERSATION").ends_with("005-message.md\n"));
    jp.write("co/new.md", "---\ntype: message\nmodel: acme/large\n---\nAgain\n");
    change(&jp, "co/CONVERSATION", "005-message.md\n", "005-message.md\nnew.md\n");
    watch.next_with("added    006-message.md (from new.md)");
    watch.next_with(" committed ");
    assert_eq!(bodies(&jp, &id)[4..], ["More", "Mine", "Again"]);
    watch.end(&jp);
}

#[test]
fn an_emptied_plan_removes_nothing_and_the_next_save_goes_on() {
    let (jp, id) = checked_out();
    let tip = jp.tip(&id);
    let mut watch = Watch::start(&jp);
    let plan = read(&jp, "co/CONVERSATION");
    jp.write("co/CONVERSATION", "");
    watch.next_with("error: the plan names no event");
    assert_eq!(jp.tip(&id), tip);
    jp.write("co/CONVERSATION", plan.replace("003-message.md\n", ""));
    watch.next_with("removed  003-message.md");
    watch.next_with(" committed ");
    watch.end(&jp);
}

#[test]
fn a_conflict_is_told_and_waits_until_it_is_resolved() {
    let (jp, id) = checked_out();
    assert_eq!(jp.run(&["c", "checkout", &id, "other"]).code, 0);
    change(&jp, "other/001-message.md", "First", "Theirs");
    change(&jp, "co/001-message.md", "First", "Mine");
    assert_eq!(jp.run(&["c", "commit", "other"]).code, 0);
    let mut watch = Watch::start(&jp);
    watch.next_with("error: conflict: 001-message.md: it was edited");
    jp.write("co/001-message.md", message("Both\n"));
    watch.next_with(" committed ");
    assert_eq!(bodies(&jp, &id)[1], "Both");
    watch.end(&jp);
}

#[test]
fn a_conversation_that_somebody_else_writes_is_waited_for() {
    let (jp, id) = checked_out();
    for fifo in ["opened", "closed"] {
        assert!(jp.command("mkfifo").arg(jp.path(fifo)).status().unwrap().success());
    }
    let (opened, closed) = (jp.path("opened"), jp.path("closed"));
    jp.write(
        "editor",
        format!("echo > '{}'; cat '{}'; exit 1", opened.display(), closed.display()),
    );
    let editing = jp.with_var("JP_EDITOR", format!("sh '{}'", jp.path("editor").display()));
    let mut command = editing.jp(&["c", "edit", &id]);
    let mut editor = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    fs::read(&opened).unwrap();
    let mut watch = Watch::start(&jp);
    change(&jp, "co/000-request.md", "One", "Uno");
    watch.next_with("waiting: ");
    // The other one ends and changes nothing: what was saved is committed all the same.
    fs::write(&closed, "").unwrap();
    editor.wait().unwrap();
    watch.next_with(" committed ");
    assert_eq!(bodies(&jp, &id)[0], "Uno");
    let said = watch.end(&jp);
    assert_eq!(said.iter().filter(|line| line.starts_with("waiting: ")).count(), 1, "{said:?}");
}
