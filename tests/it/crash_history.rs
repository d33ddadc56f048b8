//! What a killed undo, redo, restore, fork, archive or rm leaves behind: the old state or the new
//! one, never something in between, and the next command works.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{
    crash::{kill_and_check, sound},
    support::{Jp, Output, contents, message, request},
};

/// A store that was made once and is copied for each run.
pub struct Prepared {
    jp: Jp,
    id: String,
}

impl Prepared {
    /// Two turns, and what is done to them before the crash.
    pub fn new(then: &[&[&str]]) -> Self {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("One\n"), &message("First\n")]);
        jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
        let prepared = Self { jp, id };
        for args in then {
            let output = run(&prepared.jp, &prepared.named(args));
            assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        }
        prepared
    }

    /// A command that changes them; `ID` stands for the conversation.
    pub fn deed(&self, command: &[&str]) -> Deed {
        let command = self.named(command);
        let (store, id, old) = (self.jp.store(), self.id.clone(), state(&self.jp, &self.id));
        let mut deed = Deed { store, id, command, old, new: Vec::new() };
        let jp = deed.scene();
        let output = run(&jp, &deed.command);
        assert_eq!(output.code, 0, "{}", output.stderr);
        deed.new = state(&jp, &deed.id);
        assert_ne!(deed.old, deed.new);
        deed
    }

    fn named(&self, args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| if *arg == "ID" { &self.id } else { *arg }.to_owned()).collect()
    }
}

/// A command, and the states before and after it.
pub struct Deed {
    store: PathBuf,
    pub id: String,
    pub command: Vec<String>,
    old: Vec<String>,
    new: Vec<String>,
}

impl Deed {
    /// A world of its own in which it has not been done.
    pub fn scene(&self) -> Jp {
        let jp = Jp::in_workspace();
        fs::remove_dir_all(jp.path(".jp/store")).unwrap();
        let copied = jp.command("cp").arg("-R").arg(&self.store).arg(jp.path(".jp/store")).status();
        assert!(copied.unwrap().success());
        jp
    }

    /// Checks that the state is that of before or that of after, the latter if it was told, and that
    /// the same command and then an append do what they should.
    pub fn check(&self, jp: &Jp, killed: &Output) -> Result<(), String> {
        let Self { id, command, old, new, .. } = self;
        sound(jp, &jp.store())?;
        let found = state(jp, id);
        if found != *old && found != *new {
            return Err(format!("{found:?} is neither {old:?} nor {new:?}"));
        }
        if !killed.stdout.is_empty() && found != *new {
            return Err(format!("it said `{}`, but is {found:?}", killed.stdout));
        }
        if found == *old {
            let again = run(jp, command);
            if again.code != 0 || state(jp, id) != *new {
                return Err(format!("the same command fails: {again:?}, {:?}", state(jp, id)));
            }
        }
        let other = jp.start(&[&request("Other\n")]);
        let appended = jp.append(&other, &[&message("Answer\n")]);
        if appended.code != 0 {
            return Err(format!("an append fails: {appended:?}"));
        }
        sound(jp, &jp.store())
    }
}

fn run(jp: &Jp, args: &[String]) -> Output {
    jp.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Where a conversation is and what it holds, in all three spaces.
fn state(jp: &Jp, id: &str) -> Vec<String> {
    let spaces = [("active", &[][..]), ("archived", &["--archived"]), ("trash", &["--trash"])];
    let mut found = Vec::new();
    for (space, flags) in spaces {
        let mut args = vec!["c", "ls", "--format", "json"];
        args.extend(flags);
        for row in jp.run(&args).json().as_array().unwrap() {
            let (own, title) = (row["id"].as_str().unwrap(), &row["title"]);
            let which = if own == id { "it" } else { "another" };
            found.push(format!("{which} {space} {title} {} {}", row["events"], row["status"]));
        }
    }
    found
}

/// Kills `jp` at a sample of its calls: it is done or not, and nothing is left behind.
fn old_or_new(then: &[&[&str]], command: &[&str]) {
    let prepared = Prepared::new(then);
    let deed = prepared.deed(command);
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| {
        if killed.code != 137 {
            return Err(format!("it was not killed: {killed:?}"));
        }
        deed.check(jp, killed)?;
        let files = contents(&jp.store());
        let is_left = |path: &&PathBuf| {
            // One without the mark of jp may be git's, and is given more time.
            let is_ours = path.metadata().unwrap().permissions().mode() & 0o100 != 0;
            let path = path.strip_prefix(jp.store()).unwrap();
            let is_lock = is_ours && path.extension().is_some_and(|extension| extension == "lock");
            let is_staged = path.to_string_lossy().starts_with(&format!("stage/{}", id.unwrap()));
            is_staged || path.starts_with("refs") && is_lock
        };
        match files.keys().find(is_left) {
            Some(path) => Err(format!("left behind: {}", path.display())),
            None => Ok(()),
        }
    };
    let scene = || (deed.scene(), Some(deed.id.clone()));
    let failures = kill_and_check(scene, |_| deed.command.clone(), check);
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn a_killed_undo_is_done_or_not() {
    old_or_new(&[], &["c", "undo", "ID"]);
}

#[test]
fn a_killed_redo_is_done_or_not() {
    old_or_new(&[&["c", "undo", "ID"]], &["c", "redo", "ID"]);
}

#[test]
fn a_killed_restore_is_done_or_not() {
    old_or_new(&[&["c", "title", "ID", "Other"]], &["c", "restore", "ID", "--at", "turn 0"]);
}

#[test]
fn a_killed_fork_is_there_or_not() {
    old_or_new(&[], &["c", "fork", "ID", "--last", "1"]);
}

#[test]
fn a_killed_archive_is_done_or_not() {
    old_or_new(&[], &["c", "archive", "ID"]);
}

#[test]
fn a_killed_rm_is_done_or_not() {
    old_or_new(&[&["c", "archive", "ID"]], &["c", "rm", "ID"]);
}

#[test]
fn a_killed_return_from_the_trash_is_done_or_not() {
    old_or_new(&[&["c", "rm", "ID"]], &["c", "restore", "ID"]);
}
