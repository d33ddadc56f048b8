//! A conversation in real editors: a directory for vim, the plan for nano, a window that has to be
//! waited for, and what is left when somebody says no or the terminal goes away.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    query::{begin, process, shell, until},
    support::{Jp, message, request},
    terminal::Terminal,
    user,
};

const QUESTION: &str = "Commit this?  [Y] commit  [e] edit again  [n] leave it";

/// A user with an editor and a conversation of two turns.
fn gardener(editor: &str) -> (Jp, String) {
    let jp = user().with_var("EDITOR", editor);
    let events = [
        request("When do I sow carrots?\n"),
        message("From March on.\n"),
        request("And radishes?\n"),
        message("The same.\n"),
    ];
    let id = jp.start(&events.each_ref().map(String::as_str));
    (jp, id)
}

/// Begins an edit.
fn edit(terminal: &Terminal<'_>) {
    begin(terminal, "clear; jp c edit -i; echo status $?");
}

/// Opens an event from the directory that vim shows, and changes it.
fn change_in_vim(terminal: &Terminal<'_>) {
    terminal.wait_for("Netrw Directory Listing");
    terminal.wait_for("001-message.md");
    terminal.type_text("/001");
    terminal.press("Enter");
    terminal.press("Enter");
    terminal.wait_for("From March on.");
    terminal.type_text(":%s/March/April/");
    terminal.press("Enter");
    terminal.wait_for("From April on.");
}

/// What the screen has said so far, whatever it was broken into.
fn said(terminal: &Terminal<'_>) -> String {
    terminal.history()
}

/// The directory that is named after some words.
fn named_after(history: &str, words: &str) -> PathBuf {
    let (_, rest) = history.rsplit_once(words).unwrap_or_else(|| panic!("{words}: {history}"));
    rest.split('`').next().unwrap().into()
}

/// The directories of edits that are not over.
fn edits(jp: &Jp) -> Vec<PathBuf> {
    let inside = |directory: &Path| {
        let entries = fs::read_dir(directory).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    let workspaces = inside(&jp.world().join("data/jp/workspace"));
    workspaces.iter().flat_map(|workspace| inside(&workspace.join("edits"))).collect()
}

fn answer(jp: &Jp, id: &str) -> String {
    jp.run(&["c", "cat", id, "1"]).ok()
}

#[test]
fn what_is_changed_in_vim_is_shown_edited_again_and_committed() {
    let (jp, id) = gardener("vim");
    let terminal = shell(&jp);
    edit(&terminal);
    change_in_vim(&terminal);
    terminal.type_text(":wqa");
    terminal.press("Enter");
    let screen = terminal.wait_for(QUESTION);
    assert!(screen.starts_with(&format!("edited   001-message.md\n{QUESTION}\n")), "{screen}");
    assert!(answer(&jp, &id).contains("From March on."), "nothing is committed unasked");

    terminal.type_text("e");
    terminal.wait_for("Netrw Directory Listing");
    terminal.type_text(":qa");
    terminal.press("Enter");
    terminal.wait("the second question", |screen| screen.matches(QUESTION).count() == 2);
    terminal.type_text("y");
    let screen = terminal.wait_for("status 0");
    let commit = &jp.tip(&id)[..10];
    let end = format!(
        "{id}: committed {commit}\nHint: `jp conversation undo {id}` takes it back\nstatus 0\n"
    );
    assert!(screen.contains(&end), "{screen}");
    // The list is there for each question and not once more.
    assert_eq!(screen.matches("edited   001-message.md").count(), 2, "{screen}");
    assert!(answer(&jp, &id).contains("From April on."));
    assert_eq!(edits(&jp), [] as [PathBuf; 0]);
    jp.run(&["c", "fsck", &id]).ok();
}

#[test]
fn an_edit_that_is_declined_stays_and_can_be_committed_later() {
    let (jp, id) = gardener("vim");
    let terminal = shell(&jp);
    for (key, others) in [("n", 0), ("C-c", 1)] {
        edit(&terminal);
        change_in_vim(&terminal);
        terminal.type_text(":wqa");
        terminal.press("Enter");
        terminal.wait_for(QUESTION);
        terminal.press(key);
        terminal.wait_for("status 1");
        let history = said(&terminal);
        assert!(history.contains("\nerror: nothing was committed\n"), "{history}");
        let kept = named_after(&history, "what you edited is kept; `jp conversation commit ");
        assert!(fs::read_to_string(kept.join("001-message.md")).unwrap().contains("April"));
        // Those before are told of first.
        let earlier = format!("Hint: an earlier edit of {id} is kept; `jp conversation commit ");
        assert_eq!(history.matches(&earlier).count(), others, "{history}");
    }
    assert_eq!(edits(&jp).len(), 2);
    assert!(answer(&jp, &id).contains("From March on."));
    let kept = named_after(&said(&terminal), "what you edited is kept; `jp conversation commit ");
    let done = jp.run(&["c", "commit", kept.to_str().unwrap()]);
    assert_eq!((done.stdout.as_str(), done.code), ("edited   001-message.md\n", 0));
    assert!(answer(&jp, &id).contains("From April on."));
    // Both said the same, so that neither is worth a word now.
    edit(&terminal);
    terminal.wait_for("Netrw Directory Listing");
    terminal.type_text(":qa");
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    assert!(!screen.contains("an earlier edit"), "{screen}");
}

#[test]
fn nano_gets_the_plan_and_what_is_wrong_with_it() {
    let (jp, id) = gardener("nano");
    let terminal = shell(&jp);
    let delete = |name: &str| {
        terminal.press("C-w");
        terminal.wait_for("Search");
        terminal.type_text(name);
        terminal.press("Enter");
        terminal.press("C-k");
        terminal.wait("a line less", |screen| !screen.lines().any(|line| line == name));
        terminal.press("C-o");
        terminal.wait_for("File Name to Write");
        terminal.press("Enter");
        terminal.wait_for("Wrote ");
        terminal.press("C-x");
    };
    edit(&terminal);
    let screen = terminal.wait_for("[ Read ");
    assert!(screen.contains("# NOTE: this is the plan; your editor opens files only."), "{screen}");
    assert!(screen.contains("# Turn 0\n000-request.md\n001-message.md\n"), "{screen}");
    delete("001-message.md");

    let screen = terminal.wait_for("# ERROR: CONVERSATION:16:1: 002-request.md: a request follows");
    assert!(screen.contains("# Fix the errors above and save, or clear this file"), "{screen}");
    let line = screen.lines().skip(1).position(|line| line == "002-request.md");
    assert_eq!(line, Some(15), "the place is the one in the file: {screen}");
    delete("000-request.md");

    let screen = terminal.wait_for(QUESTION);
    let end = "1 error to fix, see the top of the plan\nremoved  000-request.md\n";
    assert!(screen.starts_with(end), "{screen}");
    terminal.press("Enter");
    terminal.wait_for("status 0");
    let names = jp.git(&["ls-tree", "--name-only", &id]);
    assert_eq!(names, ".conversation\n002-request.md\n003-message.md\nCONVERSATION\n");
    let plan = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert!(!plan.contains("NOTE") && !plan.contains("ERROR"), "{plan}");
    assert_eq!(edits(&jp), [] as [PathBuf; 0]);
}

/// A program with a window: it comes back at once unless it is told to wait. Its user changes a
/// file as soon as a line comes through a pipe.
fn install_code(jp: &Jp) -> PathBuf {
    let (pipe, seen) = (jp.world().join("save"), jp.world().join("seen"));
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let script = format!(
        "#!/bin/sh\n\
         edit() {{ read line <'{pipe}'; sed -i s/March/April/ \"$1/001-message.md\"; }}\n\
         echo \"$@\" >'{seen}'\n\
         case $1 in --wait) edit \"$2\" ;; *) edit \"$1\" & ;; esac\n",
        pipe = pipe.display(),
        seen = seen.display(),
    );
    let program = jp.write("../bin/code", script);
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    pipe
}

#[test]
fn an_editor_with_a_window_is_told_to_wait_and_waited_for() {
    let (jp, id) = gardener("code");
    let pipe = install_code(&jp);
    let path = format!("PATH={}:$PATH", jp.world().join("bin").display());
    let terminal = shell(&jp);
    terminal.run(&path);
    edit(&terminal);
    let seen = jp.world().join("seen");
    until("the editor", || fs::read_to_string(&seen).is_ok_and(|seen| !seen.is_empty()));
    assert!(fs::read_to_string(&seen).unwrap().starts_with("--wait /"));
    // As long as the window is open, the conversation is held.
    let impatient = jp.with_var("JP_LOCK_DURATION", "0");
    assert_eq!(impatient.run(&["c", "title", &id, "Carrots"]).code, 75);
    terminal.wait("nothing but the editor", |screen| screen.trim().is_empty());
    fs::write(&pipe, "save\n").unwrap();
    let screen = terminal.wait_for(QUESTION);
    assert!(screen.starts_with("edited   001-message.md\n"), "{screen}");
    terminal.type_text("y");
    terminal.wait_for("status 0");
    assert!(answer(&jp, &id).contains("From April on."));

    // In a way in which jp does not know it, it is back before anybody could do anything, and what
    // is saved in its window later is not lost.
    jp.run(&["c", "undo", &id]);
    begin(&terminal, "clear; EDITOR='env code' jp c edit -i; echo status $?");
    terminal.wait_for("nothing changes");
    let screen = terminal.wait_for("status 0");
    assert!(
        screen.starts_with(&format!("{id}: nothing changes\nHint: the editor was")),
        "{screen}"
    );
    let directory = named_after(&said(&terminal), "save there, and `jp conversation commit ");
    fs::write(&pipe, "save\n").unwrap();
    let file = directory.join("001-message.md");
    until("what is saved", || fs::read_to_string(&file).is_ok_and(|text| text.contains("April")));
    let done = jp.run(&["c", "commit", directory.to_str().unwrap()]);
    assert_eq!((done.stdout.as_str(), done.code), ("edited   001-message.md\n", 0));
    assert!(answer(&jp, &id).contains("From April on."));
}

#[test]
fn a_terminal_that_goes_away_leaves_the_directory_and_no_lock() {
    let (jp, id) = gardener("vim");
    {
        let terminal = shell(&jp);
        begin(&terminal, "exec sh -c 'echo $$ >edit; exec jp c edit -i'");
        let edit = process(&jp.path("edit"));
        change_in_vim(&terminal);
        terminal.type_text(":w");
        terminal.press("Enter");
        terminal.wait_for("written");
        terminal.tell(&["kill-pane"]);
        until("the end of the edit", || !edit.exists());
    }
    let left = edits(&jp);
    assert_eq!(left.len(), 1);
    // The lock is free, and the conversation goes on.
    jp.append(&id, &[&request("And beetroot?\n")]).ok();

    let terminal = shell(&jp);
    edit(&terminal);
    terminal.wait_for("Netrw Directory Listing");
    terminal.type_text(":qa");
    terminal.press("Enter");
    terminal.wait_for("nothing changes");
    let earlier = format!("Hint: an earlier edit of {id} is kept; `jp conversation commit ");
    let directory = named_after(&said(&terminal), &earlier);
    assert_eq!(directory.parent(), Some(left[0].as_path()));
    let done = jp.run(&["c", "commit", directory.to_str().unwrap()]);
    assert_eq!((done.stdout.as_str(), done.code), ("edited   001-message.md\n", 0));
    assert!(answer(&jp, &id).contains("From April on."));
    assert!(jp.run(&["c", "cat", &id, "4"]).ok().contains("And beetroot?"));
}

#[test]
fn a_new_file_that_the_plan_does_not_name_is_not_thrown_away() {
    let (jp, id) = gardener("vim");
    let terminal = shell(&jp);
    edit(&terminal);
    terminal.wait_for("Netrw Directory Listing");
    terminal.type_text(":e new.md");
    terminal.press("Enter");
    terminal.type_text(":call setline(1, 'Precious.') | wqa");
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    let begin = format!(
        "{id}: nothing changes\nwarning: not listed in the plan, and so no events: `new.md`\n"
    );
    assert!(screen.starts_with(&begin), "{screen}");
    let plan = named_after(&said(&terminal), "Hint: name it in the plan, `");
    let kept = fs::read_to_string(plan.with_file_name("new.md")).unwrap();
    assert_eq!(kept, "Precious.\n");
}
