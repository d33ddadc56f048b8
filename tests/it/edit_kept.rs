//! An editor cycle while something else happens: plain git moves the conversation, files are broken
//! already, or somebody writes what no plan lists.

use std::fs;

use crate::{
    checkout::{bodies, two_turns},
    support::{Jp, Output, message, request},
};

/// Runs `jp conversation edit` with a script as the editor, which works in the directory.
fn edit(jp: &Jp, id: &str, script: &str) -> Output {
    let editor = jp.write("editor", script);
    let editing = jp.with_var("JP_EDITOR", format!("sh '{}'", editor.display()));
    editing.run(&["c", "edit", "-i", "--yes", id])
}

/// The directory that was said to be kept, by the command that commits it.
#[track_caller]
fn kept(said: &Output) -> String {
    let before = "`jp conversation commit ";
    let after = said.stderr.split(before).nth(1).unwrap_or_else(|| panic!("{}", said.stderr));
    after.split('`').next().unwrap().to_owned()
}

/// A commit by git on top of a conversation, and the command that brings it about.
fn by_git(jp: &Jp, id: &str, path: &str, content: &str) -> String {
    let tip = jp.tip(id);
    jp.edit(id, path, content);
    let new = jp.tip(id);
    jp.force(id, &tip);
    format!("git -C '{}' update-ref refs/heads/{id} {new}\n", jp.store().display())
}

#[test]
fn what_plain_git_changed_while_the_editor_was_open_is_merged() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let move_ref = by_git(&jp, &id, "001-message.md", &message("By git\n"));
    jp.write("mine", request("Uno\n"));
    let mine = jp.path("mine");
    let script = format!("{move_ref}cat '{}' >000-request.md\n", mine.display());
    let done = edit(&jp, &id, &script);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (0, "edited   000-request.md\n"),
        "{}",
        done.stderr
    );
    assert_eq!(bodies(&jp, &id), ["Uno", "By git", "Two", "Second"]);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    jp.assert_sound();
}

#[test]
fn what_both_changed_is_shown_in_the_editor_once_more() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let move_ref = by_git(&jp, &id, "001-message.md", &message("By git\n"));
    jp.write("mine", message("Mine\n"));
    jp.write("both", message("Both\n"));
    let (mine, both) = (jp.path("mine"), jp.path("both"));
    let seen = jp.path("seen");
    let script = format!(
        "if grep -q '^<<<<<<<' 001-message.md; then cat 001-message.md CONVERSATION >'{}'; cat '{}' \
         >001-message.md; else {move_ref}cat '{}' >001-message.md; fi\n",
        seen.display(),
        both.display(),
        mine.display()
    );
    let done = edit(&jp, &id, &script);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (0, "edited   001-message.md\n"),
        "{}",
        done.stderr
    );
    assert_eq!(bodies(&jp, &id), ["One", "Both", "Two", "Second"]);
    let seen = fs::read_to_string(seen).unwrap();
    for part in ["\nMine\n=======\n", "\nBy git\n>>>>>>> the conversation\n", "# ERROR: "] {
        assert!(seen.contains(part), "{seen}");
    }
}

#[test]
fn a_conflict_that_nobody_resolves_is_kept_with_both_versions() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let move_ref = by_git(&jp, &id, "001-message.md", &message("By git\n"));
    jp.write("mine", message("Mine\n"));
    let mine = jp.path("mine");
    let script = format!(
        "grep -q '^<<<<<<<' 001-message.md && exit 1; {move_ref}cat '{}' >001-message.md\n",
        mine.display()
    );
    let left = edit(&jp, &id, &script);
    assert_eq!((left.code, left.stdout.as_str()), (1, ""));
    let directory = kept(&left);
    let torn = fs::read_to_string(format!("{directory}/001-message.md")).unwrap();
    assert!(torn.contains("\nMine\n") && torn.contains("\nBy git\n"), "{torn}");
    assert_eq!(bodies(&jp, &id)[1], "By git");
    // As it is, it is refused; resolved, it is committed from there.
    assert_eq!(jp.run(&["c", "commit", &directory]).code, 1);
    fs::write(format!("{directory}/001-message.md"), message("Both\n")).unwrap();
    let done = jp.run(&["c", "commit", &directory]);
    assert_eq!(
        (done.code, done.stdout.as_str()),
        (0, "edited   001-message.md\n"),
        "{}",
        done.stderr
    );
    assert_eq!(bodies(&jp, &id)[1], "Both");
    // The next edit has nothing to say of it any more.
    let next = edit(&jp, &id, "exit 1\n");
    assert!(!next.stderr.contains("an earlier edit"), "{}", next.stderr);
}

#[test]
fn a_damaged_event_is_mended_in_the_editor() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    jp.edit(&id, "001-message.md", "---\ntype: message\ntimestamp: soon\n---\nBroken\n");
    jp.write("mended", message("Mended\n"));
    let (mended, seen) = (jp.path("mended"), jp.path("seen"));
    let script = format!(
        "cat CONVERSATION >'{}'; cat '{}' >001-message.md\n",
        seen.display(),
        mended.display()
    );
    let done = edit(&jp, &id, &script);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.contains("# ERROR: 001-message.md:3:"), "{seen}");
    assert_eq!(bodies(&jp, &id), ["One", "Mended", "Two", "Second"]);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn a_new_file_that_no_plan_lists_is_kept_and_said_to_be() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let written = edit(&jp, &id, "echo 'typed for an hour' >mine.md\n");
    assert_eq!(written.code, 0, "{}", written.stderr);
    assert!(written.stderr.contains("not listed in the plan, and so no events: `mine.md`"));
    let kept = kept(&written);
    assert_eq!(fs::read_to_string(format!("{kept}/mine.md")).unwrap(), "typed for an hour\n");
    // However old it is, the next edits keep it and say where it is.
    for path in [kept.clone(), format!("{kept}/mine.md")] {
        let touched = jp.command("touch").args(["-d", "2020-01-01", &path]).status();
        assert!(touched.unwrap().success());
    }
    for _ in 0..2 {
        let next = edit(&jp, &id, "exit 1\n");
        assert!(
            next.stderr.contains(&format!("`jp conversation commit {kept}`")),
            "{}",
            next.stderr
        );
    }
    assert_eq!(fs::read_to_string(format!("{kept}/mine.md")).unwrap(), "typed for an hour\n");
}

#[test]
fn a_directory_that_nobody_touched_for_a_day_goes() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    // An editor that is back at once may still be open.
    let kept = kept(&edit(&jp, &id, "exit 0\n"));
    let next = edit(&jp, &id, "exit 1\n");
    // There is nothing in it to be told of.
    assert!(!next.stderr.contains("an earlier edit"), "{}", next.stderr);
    assert!(std::path::Path::new(&kept).exists());
    assert!(jp.command("touch").args(["-d", "2020-01-01", &kept]).status().unwrap().success());
    let next = edit(&jp, &id, "exit 1\n");
    assert!(!next.stderr.contains(&kept), "{}", next.stderr);
    assert!(!std::path::Path::new(&kept).exists());
}
