//! A conversation that plain git changes while it is in an editor.

use std::process::Command;

use crate::{
    edit_cycle::{assert_sound_and_undone, stream, talk},
    fake_editor::{FakeEditor, PLAN, masked},
    support::{Jp, Output, message},
};

fn edit(jp: &Jp, id: &str, editor: FakeEditor) -> Output {
    editor.edits(jp, &["c", "edit", "-i", "--yes", id])
}

/// Plain git, about to make the conversation what it became in another one of the same beginning.
fn becomes(jp: &Jp, id: &str, commit: &str) -> Command {
    let mut command = jp.command("git");
    command.arg("-C").arg(jp.store());
    command.args(["update-ref", &format!("refs/heads/{id}"), commit]);
    command
}

/// A commit on top of a conversation, which stays where it is.
fn aside(jp: &Jp, id: &str, change: impl FnOnce()) -> String {
    let tip = jp.tip(id);
    change();
    let commit = jp.tip(id);
    jp.force(id, &tip);
    commit
}

#[test]
fn events_that_were_appended_meanwhile_stay_at_the_end() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let more = message("More\n");
    let there = aside(&jp, &id, || assert_eq!(jp.append(&id, &[&more]).code, 0));
    let editor = FakeEditor::new(&jp)
        .strike("001-message.md")
        .strike("000-request.md")
        .run(&becomes(&jp, &id, &there));
    let output = edit(&jp, &id, editor);
    assert_eq!(
        (output.stdout.as_str(), output.code),
        ("removed  000-request.md\nremoved  001-message.md\n", 0),
        "{}",
        output.stderr
    );
    assert_eq!(
        stream(&jp, &id),
        [
            "002-request.md",
            "003-tool-call-read.md",
            "004-tool-result-read.md",
            "005-message.md",
            "006-message.md"
        ]
    );
    let tree = jp.git(&["rev-parse", &format!("{there}^{{tree}}")]);
    assert_sound_and_undone(&jp, &id, tree.trim_end());
}

#[test]
fn edits_of_different_events_are_merged() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let there = aside(&jp, &id, || jp.edit(&id, "005-message.md", message("Done there\n")));
    let editor = FakeEditor::new(&jp)
        .change("001-message.md", "Hi", "Hi here")
        .run(&becomes(&jp, &id, &there));
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "edited   001-message.md\n", "{}", output.stderr);
    assert!(jp.run(&["c", "cat", &id, "1"]).ok().ends_with("\nHi here\n"));
    assert!(jp.run(&["c", "cat", &id, "5"]).ok().ends_with("\nDone there\n"));
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn two_edits_of_one_event_are_told_with_both_versions_kept() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let there = aside(&jp, &id, || jp.edit(&id, "001-message.md", message("Hi there\n")));
    let editor = FakeEditor::new(&jp)
        .change("001-message.md", "Hi\n", "Hi here\n")
        .run(&becomes(&jp, &id, &there))
        .next_round()
        .expect(
            PLAN,
            "# ERROR: CONVERSATION: 001-message.md: it was edited in the conversation meanwhile; \
             both versions are in the file\n",
        )
        .expect(
            "001-message.md",
            "<<<<<<< this directory\nHi here\n=======\nHi there\n>>>>>>> the conversation\n",
        )
        .change(
            "001-message.md",
            "<<<<<<< this directory\nHi here\n=======\nHi there\n>>>>>>> the conversation\n",
            "Hi everywhere\n",
        );
    let output = edit(&jp, &id, editor);
    assert_eq!((output.stdout.as_str(), output.code), ("edited   001-message.md\n", 0));
    assert_eq!(
        masked(&output.stderr, &jp, &id),
        "1 error to fix, see the top of the plan\nHint: `jp conversation undo ID` takes it back\n"
    );
    assert!(jp.run(&["c", "cat", &id, "1"]).ok().ends_with("\nHi everywhere\n"));
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn an_event_that_was_edited_there_and_removed_here_is_asked_about() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let there = aside(&jp, &id, || jp.edit(&id, "005-message.md", message("Done there\n")));
    let editor = FakeEditor::new(&jp)
        .strike("005-message.md")
        .run(&becomes(&jp, &id, &there))
        .next_round()
        .expect(
            PLAN,
            "005-message.md: it was edited in the conversation meanwhile; its line is back",
        )
        .expect("005-message.md", "Done there\n")
        .strike("005-message.md");
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "removed  005-message.md\n", "{}", output.stderr);
    assert_eq!(stream(&jp, &id).len(), 5);
}

#[test]
fn a_conversation_that_went_away_meanwhile_leaves_the_edit_where_it_is() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let mut gone = jp.command("git");
    gone.arg("-C").arg(jp.store()).args(["update-ref", "-d", &format!("refs/heads/{id}")]);
    let editor = FakeEditor::new(&jp).strike("005-message.md").run(&gone);
    let output = edit(&jp, &id, editor);
    assert_ne!(output.code, 0);
    let said = masked(&output.stderr, &jp, &id);
    assert!(said.contains("kept; `jp conversation commit DIR` commits it"), "{said}");
    assert_eq!(crate::fake_editor::kept(&jp).len(), 1);
}
