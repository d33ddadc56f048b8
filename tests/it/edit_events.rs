//! Events that an edit writes anew or changes: names, ids, times, marks, signatures.

use std::fs;

use crate::{
    edit_cycle::{assert_sound_and_undone, stream, talk},
    fake_editor::{FakeEditor, PLAN, masked},
    support::{Jp, Output, TIME, message, request},
};

fn edit(jp: &Jp, id: &str, editor: FakeEditor) -> Output {
    editor.edits(jp, &["c", "edit", "-i", "--yes", id])
}

fn cat(jp: &Jp, id: &str, address: &str) -> String {
    jp.run(&["c", "cat", id, address]).ok()
}

#[test]
fn a_new_event_gets_an_address_a_time_and_a_call_gets_an_id() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp)
        .write("clarify.md", "---\ntype: message\n---\nIn other words\n")
        .write("look.md", "---\ntype: tool-call\ntool: grep\n---\n```json\n{\"for\": \"x\"}\n```\n")
        .put(&["clarify.md"], "# Turn 1")
        .put(&["look.md"], "005-message.md");
    let output = edit(&jp, &id, editor);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(
        stream(&jp, &id),
        [
            "000-request.md",
            "001-message.md",
            "006-message.md",
            "002-request.md",
            "003-tool-call-read.md",
            "004-tool-result-read.md",
            "007-tool-call-grep.md",
            "008-tool-result-grep.md",
            "005-message.md"
        ]
    );
    let added = cat(&jp, &id, "6");
    let timestamp = added.lines().find(|line| line.starts_with("timestamp: ")).unwrap();
    assert_eq!(added, format!("---\ntype: message\n{timestamp}\n---\nIn other words\n"));
    let called = cat(&jp, &id, "7");
    let call = called.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    assert!(call.starts_with("call_") && call.len() == 21, "{called}");
    assert!(called.contains("tool: grep\n") && called.contains("timestamp: "), "{called}");
    let stand_in = cat(&jp, &id, "8");
    assert!(stand_in.contains(&format!("id: {call}\n")), "{stand_in}");
    assert_eq!(
        output.stdout,
        format!(
            "added    006-message.md (from clarify.md)\nadded    007-tool-call-grep.md (from look.md)\n\
             added    008-tool-result-grep.md: an error in place of the result that call `{call}` \
             has not\n"
        )
    );
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_name_with_the_next_number_stays() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let mine = |name: &str| {
        let event = "---\ntype: message\n---\nMine\n";
        FakeEditor::new(&jp).write(name, event).list(&[name])
    };
    assert_eq!(edit(&jp, &id, mine("006-mine.md")).stdout, "added    006-mine.md\n");
    // A number of the past is not given again, whatever a file is called, and none is skipped.
    let editor = FakeEditor::new(&jp).strike("006-mine.md");
    assert_eq!(edit(&jp, &id, editor).stdout, "removed  006-mine.md\n");
    let again = edit(&jp, &id, mine("006-mine.md")).stdout;
    assert_eq!(again, "added    007-message.md (from 006-mine.md)\n");
    let ahead = edit(&jp, &id, mine("99999999-mine.md")).stdout;
    assert_eq!(ahead, "added    008-message.md (from 99999999-mine.md)\n");
}

#[test]
fn a_template_is_a_file_to_start_from() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let template = |name: &str| jp.run(&["c", "template", name]).ok();
    let result = template("tool-result");
    let call = result.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    let mut editor = FakeEditor::new(&jp);
    let mut listed = Vec::new();
    for (name, file) in [
        ("config-delta", "set.toml"),
        ("attachment", "attach.md"),
        ("request", "ask.md"),
        ("reasoning", "think.md"),
        ("tool-call", "call.md"),
        ("tool-result", "result.md"),
        ("message", "say.md"),
        ("structured", "data.md"),
    ] {
        let mut text = template(name);
        if name == "tool-call" && !text.contains(&format!("id: {call}\n")) {
            text = text.replacen("---\n", &format!("---\nid: {call}\n"), 1);
        }
        editor = editor.write(file, text);
        listed.push(file);
    }
    let output = edit(&jp, &id, editor.list(&listed));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), listed.len(), "{}", output.stdout);
    assert_eq!(stream(&jp, &id).len(), 6 + listed.len());
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn an_edited_event_keeps_its_address_and_is_marked_and_history_keeps_the_original() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let (tree, tip) = (jp.tree(&id), jp.tip(&id));
    let output =
        edit(&jp, &id, FakeEditor::new(&jp).change("001-message.md", "Hi\n", "Good day\n"));
    assert_eq!(output.stdout, "edited   001-message.md\n");
    let edited = cat(&jp, &id, "1");
    let mark = edited.lines().find_map(|line| line.strip_prefix("  edited: ")).unwrap();
    assert_eq!(
        edited,
        format!(
            "---\ntype: message\ntimestamp: {TIME}\nmodel: acme/large\nmetadata:\n  \
             edited: {mark}\n---\nGood day\n"
        )
    );
    let original = jp.git(&["show", &format!("{tip}:001-message.md")]);
    assert_eq!(original, message("Hi\n"));
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_signature_goes_with_what_it_stood_for_and_stays_otherwise() {
    let jp = Jp::in_workspace();
    let valid = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/events/valid/canonical/");
    let reasoning = fs::read_to_string(format!("{valid}reasoning.md")).unwrap();
    let id =
        jp.start(&[&request("Go\n"), &reasoning, &message("Done\n"), &request("On\n"), &reasoning]);
    assert!(cat(&jp, &id, "1").contains("signature:"));
    let editor = FakeEditor::new(&jp)
        .change("001-reasoning.md", "I should use anyhow.", "I should use thiserror.")
        // A change beside the content leaves it valid.
        .change("004-reasoning.md", "answer: msg_01\n", "answer: msg_02\n");
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "edited   001-reasoning.md\nedited   004-reasoning.md\n");
    assert!(!cat(&jp, &id, "1").contains("signature"), "{}", cat(&jp, &id, "1"));
    assert!(cat(&jp, &id, "4").contains("signature:"), "{}", cat(&jp, &id, "4"));
}

#[test]
fn a_newline_that_an_editor_adds_is_an_edit_of_the_text_and_nothing_else_is() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    // Keys in another order say the same.
    let editor = FakeEditor::new(&jp).change(
        "001-message.md",
        &format!("timestamp: {TIME}\nmodel: acme/large\n"),
        &format!("model: acme/large\ntimestamp: {TIME}\n"),
    );
    let output = edit(&jp, &id, editor);
    assert!(masked(&output.stderr, &jp, &id).starts_with("ID: nothing changes\n"));
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn an_event_may_become_one_of_another_type() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp).change("001-message.md", "type: message", "type: reasoning");
    let output = edit(&jp, &id, editor);
    assert_eq!((output.stdout.as_str(), output.code), ("edited   001-message.md\n", 0));
    assert_eq!(jp.show(&id)["stream"][1]["type"], "reasoning");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_renamed_file_is_the_same_event() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let file = jp.git(&["show", &format!("{id}:001-message.md")]);
    let editor = FakeEditor::new(&jp)
        .write("001-greeting.md", &file)
        .delete("001-message.md")
        .change(PLAN, "001-message.md", "001-greeting.md");
    let output = edit(&jp, &id, editor);
    assert_eq!(
        output.stdout, "renamed  001-message.md is now 001-greeting.md\n",
        "{}",
        output.stderr
    );
    assert_eq!(stream(&jp, &id)[1], "001-greeting.md");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn the_plan_decides_and_a_file_that_is_still_there_does_not() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let editor = FakeEditor::new(&jp)
        .change("005-message.md", "Done", "Gone")
        .strike("005-message.md")
        .delete("004-tool-result-read.md")
        .next_round()
        .expect(PLAN, "`004-tool-result-read.md`: there is no such file\n")
        .strike("004-tool-result-read.md")
        .strike("003-tool-call-read.md");
    let output = edit(&jp, &id, editor);
    assert_eq!(
        output.stdout,
        "removed  003-tool-call-read.md\nremoved  004-tool-result-read.md\n\
         removed  005-message.md\n"
    );
}
