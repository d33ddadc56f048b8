//! An edit that is killed anywhere, or whose calls fail: it is committed, or it is still in its
//! directory, the next run says where, and it is made exactly once.
//!
//! A sample of the points is tried; `JP_CRASH_ALL=1` tries all of them.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    checkout::{bodies, two_turns},
    crash::{interrupt_and_check, sound},
    support::{Interruption, Jp, Output, request},
};

const JP: &str = env!("CARGO_BIN_EXE_jp");

/// How many calls are tried, in two ways each.
const SAMPLE: usize = 9;

/// The numbers of `ENOSPC` and `EIO`.
const NO_SPACE: i32 = 28;
const BROKEN: i32 = 5;

fn kill(call: usize) -> [Interruption; 2] {
    [Interruption::Before(call), Interruption::After(call)]
}

fn full(call: usize) -> [Interruption; 2] {
    [Interruption::Fail(call, NO_SPACE), Interruption::Fail(call, BROKEN)]
}

/// Before the edit.
const OLD: [&str; 4] = ["One", "First", "Two", "Second"];

/// After it: one event was edited, one is new, and one went.
const NEW: [&str; 4] = ["Uno", "First", "Mine", "Two"];

const PLAN: &str = "# Turn 0\n000-request.md\n001-message.md\nnew.md\n\n# Turn 1\n002-request.md\n";
const MINE: &str = "---\ntype: message\nmodel: acme/large\n---\nMine\n";

/// A store with a conversation and a directory of it, made once and copied for each run.
struct Prepared {
    jp: Jp,
    id: String,
}

impl Prepared {
    fn new() -> Self {
        let jp = Jp::in_workspace();
        let id = two_turns(&jp);
        assert_eq!(jp.run(&["c", "checkout", &id, "co"]).code, 0);
        Self { jp, id }
    }

    /// The paths and the id, which may be shared between threads.
    fn parts(&self) -> (PathBuf, PathBuf, String) {
        (self.jp.store(), self.jp.path("co"), self.id.clone())
    }
}

/// A world of its own with the same store and an edited directory.
fn copy(store: &Path, co: &Path) -> Jp {
    let jp = Jp::in_workspace();
    fs::remove_dir_all(jp.path(".jp/store")).unwrap();
    for (from, to) in [(store, jp.path(".jp/store")), (co, jp.path("co"))] {
        assert!(jp.command("cp").arg("-R").arg(from).arg(to).status().unwrap().success());
    }
    jp
}

/// Makes the edit in a directory.
fn make_edit(directory: &Path) {
    fs::write(directory.join("000-request.md"), request("Uno\n")).unwrap();
    fs::write(directory.join("new.md"), MINE).unwrap();
    fs::write(directory.join("CONVERSATION"), PLAN).unwrap();
}

/// Whether all is sound, and the edit is made as a whole or not at all.
fn is_made(jp: &Jp, id: &str) -> Result<bool, String> {
    sound(jp, &jp.store())?;
    let fsck = jp.run(&["c", "fsck", id]);
    if fsck.code != 0 {
        return Err(format!("fsck: {fsck:?}"));
    }
    let found = bodies(jp, id);
    match (found == OLD, found == NEW) {
        (true, _) => Ok(false),
        (_, true) => Ok(true),
        _ => Err(format!("neither old nor new: {found:?}")),
    }
}

/// Commits a directory, which has the edit made afterwards, and made once.
fn commit_finishes(jp: &Jp, id: &str, directory: &str) -> Result<(), String> {
    for _ in 0..2 {
        let again = jp.run(&["c", "commit", directory]);
        if again.code != 0 {
            return Err(format!("lost: {again:?}"));
        }
    }
    if !is_made(jp, id)? {
        return Err("lost: the edit is not there after a commit".to_owned());
    }
    let subjects = jp.git(&["log", "--format=%s", id]);
    let edits = subjects.lines().filter(|subject| subject.starts_with("edit: ")).count();
    if edits != 1 {
        return Err(format!("it was made {edits} times: {subjects}"));
    }
    let status = jp.run(&["c", "status", directory]);
    if !status.stdout.ends_with("\nnothing to commit\n") || !status.stderr.is_empty() {
        return Err(format!("something is left: {status:?}"));
    }
    let is_aside = |entry: fs::DirEntry| entry.file_name().to_string_lossy().contains(".yours");
    let mut entries = fs::read_dir(jp.path(directory)).unwrap().flatten();
    if entries.any(is_aside) {
        return Err("a file of jp was put aside as one of somebody".to_owned());
    }
    Ok(())
}

/// Checks what an interrupted commit of `co` left.
fn check_commit(jp: &Jp, id: &str, said: &str) -> Result<(), String> {
    let made = is_made(jp, id)?;
    if !said.is_empty() && !made {
        return Err(format!("it said `{said}`, but is not made"));
    }
    commit_finishes(jp, id, "co")
}

fn killed(output: &Output) -> Result<(), String> {
    match output.code {
        137 => Ok(()),
        _ => Err(format!("it was not killed: {output:?}")),
    }
}

fn commit_co(_id: Option<&str>) -> Vec<String> {
    ["c", "commit", "co"].map(str::to_owned).to_vec()
}

#[test]
fn a_commit_of_a_directory_that_is_killed_anywhere_is_made_once() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || {
        let jp = copy(&store, &co);
        make_edit(&jp.path("co"));
        (jp, Some(id.clone()))
    };
    let failures = interrupt_and_check(SAMPLE, scene, commit_co, kill, |jp, id, output| {
        killed(output)?;
        check_commit(jp, id.unwrap(), &output.stdout)
    });
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn a_commit_of_a_directory_whose_calls_fail_keeps_what_was_typed() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || {
        let jp = copy(&store, &co);
        make_edit(&jp.path("co"));
        (jp, Some(id.clone()))
    };
    let failures = interrupt_and_check(SAMPLE, scene, commit_co, full, |jp, id, output| {
        if output.code != 0 && !output.stderr.starts_with("error: ") {
            return Err(format!("it does not say why: {output:?}"));
        }
        check_commit(jp, id.unwrap(), &output.stdout)
    });
    assert_eq!(failures, Vec::<String>::new());
}

/// A user whose editor makes the edit.
fn with_editor(store: &Path, co: &Path) -> Jp {
    let jp = copy(store, co);
    jp.write("edited/a", request("Uno\n"));
    jp.write("edited/b", MINE);
    jp.write("edited/c", PLAN);
    let from = jp.path("edited");
    let from = from.display();
    let script = format!(
        "cat '{from}/a' >000-request.md && cat '{from}/b' >new.md && cat '{from}/c' >CONVERSATION"
    );
    let editor = jp.write("editor", script);
    jp.with_var("JP_EDITOR", format!("sh '{}'", editor.display()))
}

fn edit(id: Option<&str>) -> Vec<String> {
    ["c", "edit", "--yes", id.unwrap()].map(str::to_owned).to_vec()
}

/// The directories of edits in the state of the user that have something in them that was typed.
fn typed(jp: &Jp) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let workspaces = fs::read_dir(jp.world().join("data/jp/workspace")).into_iter().flatten();
    for workspace in workspaces.flatten() {
        let roots = fs::read_dir(workspace.path().join("edits")).into_iter().flatten();
        for root in roots.flatten() {
            let inner = fs::read_dir(root.path()).into_iter().flatten().flatten();
            found.extend(inner.map(|entry| entry.path()).filter(|path| is_typed(path)));
        }
    }
    found
}

fn is_typed(directory: &Path) -> bool {
    let edited = fs::read_to_string(directory.join("000-request.md"));
    edited.is_ok_and(|text| text.contains("Uno")) || directory.join("new.md").exists()
}

/// Whether the editor came to its end: the plan is what it writes last.
fn is_whole(directory: &Path) -> bool {
    let plan = fs::read_to_string(directory.join("CONVERSATION")).unwrap_or_default();
    plan.ends_with("\n002-request.md\n")
}

/// Checks what an interrupted editor cycle left: what was typed is committed, or in a directory that
/// was named by `said` or by the next edit.
fn check_edit(jp: &Jp, id: &str, said: &str) -> Result<(), String> {
    let made = is_made(jp, id)?;
    let typed_in = typed(jp);
    let idle = jp.with_var("JP_EDITOR", "false");
    let next = idle.run(&["c", "edit", id]);
    if next.code != 1 || !next.stderr.contains("the editor failed") {
        return Err(format!("the next edit: {next:?}"));
    }
    for directory in typed_in {
        let shown = directory.display().to_string();
        let hint = format!(
            "Hint: an earlier edit of {id} is kept; `jp conversation commit {shown}` commits it\n"
        );
        match (made, directory.exists()) {
            (true, false) => continue,
            (false, false) => return Err(format!("lost: {shown} was removed")),
            (true, true) => {}
            (false, true) if next.stderr.contains(&hint) => {}
            (false, true) => return Err(format!("nobody says where it is: {next:?}, {said}")),
        }
        if !is_whole(&directory) {
            // The editor itself was cut off.
            make_edit(&directory);
        }
        commit_finishes(jp, id, &shown)?;
    }
    Ok(())
}

#[test]
fn an_editor_cycle_that_is_killed_anywhere_is_made_once_or_found_again() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || (with_editor(&store, &co), Some(id.clone()));
    let failures = interrupt_and_check(SAMPLE, scene, edit, kill, |jp, id, output| {
        killed(output)?;
        if !output.stdout.is_empty() && !is_made(jp, id.unwrap())? {
            return Err(format!("it said `{}`, but is not made", output.stdout));
        }
        check_edit(jp, id.unwrap(), "")
    });
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn an_editor_cycle_whose_calls_fail_says_where_the_text_is() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || (with_editor(&store, &co), Some(id.clone()));
    let failures = interrupt_and_check(SAMPLE, scene, edit, full, |jp, id, output| {
        let id = id.unwrap();
        let is_told = typed(jp).iter().all(|directory| {
            let commit = format!("`jp conversation commit {}`", directory.display());
            output.stderr.contains(&commit)
        });
        if !is_made(jp, id)? && !is_told {
            return Err(format!("it does not say where the text is: {output:?}"));
        }
        check_edit(jp, id, &output.stderr)
    });
    assert_eq!(failures, Vec::<String>::new());
}

/// The negative controls: if these are not caught, the other tests prove nothing.
#[test]
fn a_program_that_takes_the_text_away_while_it_works_is_caught() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || {
        let jp = copy(&store, &co);
        make_edit(&jp.path("co"));
        (jp, Some(id.clone()))
    };
    let failures = interrupt_and_check(
        SAMPLE,
        scene,
        |id| {
            let script = format!(
                "mv co/new.md hidden; '{JP}' c title {} Title >/dev/null 2>&1; mv hidden co/new.md; \
                 '{JP}' c commit co",
                id.unwrap()
            );
            ["sh", "-c", &script].map(str::to_owned).to_vec()
        },
        kill,
        |jp, id, output| check_commit(jp, id.unwrap(), &output.stdout),
    );
    assert!(failures.iter().any(|failure| failure.contains("lost: ")), "{failures:?}");
}

#[test]
fn a_program_that_makes_an_edit_twice_is_caught() {
    let prepared = Prepared::new();
    let (store, co, id) = prepared.parts();
    let scene = || {
        let jp = copy(&store, &co);
        make_edit(&jp.path("co"));
        (jp, Some(id.clone()))
    };
    let failures = interrupt_and_check(
        SAMPLE,
        scene,
        |id| {
            let id = id.unwrap();
            let script = format!("'{JP}' c append {id} co/new.md >/dev/null; '{JP}' c commit co");
            ["sh", "-c", &script].map(str::to_owned).to_vec()
        },
        kill,
        |jp, id, output| check_commit(jp, id.unwrap(), &output.stdout),
    );
    assert!(failures.iter().any(|failure| failure.contains("neither old nor new")), "{failures:?}");
}
