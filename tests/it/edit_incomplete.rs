//! A turn under way may be edited and stays resumable.

use crate::{
    edit_cycle::{assert_sound_and_undone, stream},
    fake_editor::{FakeEditor, masked},
    support::{Jp, Output, answer, call, message, question, request, result, start},
};

fn edit(jp: &Jp, id: &str, editor: FakeEditor) -> Output {
    editor.edits(jp, &["c", "edit", "-i", "--yes", id])
}

fn waiting(jp: &Jp) -> String {
    jp.start(&[
        &request("Hello\n"),
        &message("Hi\n"),
        &request("Read\n"),
        &call("c1"),
        &question("q1", "c1"),
    ])
}

#[test]
fn a_call_that_waits_gets_no_error_while_something_else_is_edited() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let tree = jp.tree(&id);
    let status = jp.show(&id)["status"].clone();
    let editor = FakeEditor::new(&jp).change("000-request.md", "Hello", "Good day").change(
        "002-request.md",
        "Read",
        "Read it",
    );
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "edited   000-request.md\nedited   002-request.md\n");
    assert_eq!(jp.show(&id)["status"], status);
    assert_eq!(status, "waiting-for-input (read)");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_pending_question_is_answered_by_a_new_file() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp).write("yes.md", answer("q1")).list(&["yes.md"]);
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "added    005-inquiry-response.md (from yes.md)\n");
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn an_answer_of_another_form_is_refused() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let no = answer("q1").replace("boolean", "text").replace("true", "maybe");
    let editor = FakeEditor::new(&jp)
        .write("yes.md", no)
        .list(&["yes.md"])
        .next_round()
        .expect(
            "CONVERSATION",
            "yes.md: the answer to question `q1` is not of the form that it asks for",
        )
        .clear();
    assert_eq!(edit(&jp, &id, editor).code, 1);
}

#[test]
fn the_result_of_a_pending_call_is_written_or_replaced() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let editor = FakeEditor::new(&jp).write("r.md", result("c1", "text\n")).list(&["r.md"]);
    let output = edit(&jp, &id, editor);
    assert_eq!(output.stdout, "added    005-tool-result-read.md (from r.md)\n");
    assert_eq!(jp.show(&id)["status"], "interrupted (pending follow-up)");
    let editor = FakeEditor::new(&jp).change("005-tool-result-read.md", "text", "better");
    assert_eq!(edit(&jp, &id, editor).stdout, "edited   005-tool-result-read.md\n");
    assert_eq!(jp.show(&id)["status"], "interrupted (pending follow-up)");
    // Without its result the call is pending again.
    let editor = FakeEditor::new(&jp).strike("005-tool-result-read.md");
    assert_eq!(edit(&jp, &id, editor).stdout, "removed  005-tool-result-read.md\n");
    assert_eq!(jp.show(&id)["status"], "waiting-for-input (read)");
}

#[test]
fn a_pending_call_is_dropped_with_all_that_is_about_it() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let tree = jp.tree(&id);
    let output = jp.run(&["c", "drop", &id, "3"]);
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str(), output.code),
        (
            "",
            "error: 004-inquiry-request.md: question `q1` is about call `c1`, which is not waiting \
             for a result\n\
             Hint: nothing was changed; what belongs together has to go or move together\n",
            1
        )
    );
    let output = jp.run(&["c", "drop", &id, "3..4"]);
    assert_eq!(output.stdout, "removed  003-tool-call-read.md\nremoved  004-inquiry-request.md\n");
    assert_eq!(jp.show(&id)["status"], "interrupted (pending LLM response)");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_call_that_was_started_stays_known_as_started() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Read\n"), &call("c1"), &start("c1")]);
    let tip = jp.tip(&id);
    let editor = FakeEditor::new(&jp).change("000-request.md", "Read", "Read it");
    assert_eq!(edit(&jp, &id, editor).code, 0);
    assert_eq!(stream(&jp, &id).len(), 3);
    assert_ne!(jp.tip(&id), tip);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
}

#[test]
fn a_request_after_a_pending_call_lets_an_error_stand_in() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Read\n"), &call("c1")]);
    let editor = FakeEditor::new(&jp).write("more.md", request("More\n")).list(&["more.md"]);
    let output = edit(&jp, &id, editor);
    assert_eq!(
        (output.stdout.as_str(), masked(&output.stderr, &jp, &id).as_str()),
        (
            "added    003-request.md (from more.md)\n\
             added    002-tool-result-read.md: an error in place of the result that call `c1` has not\n",
            "warning: call `c1` has no result: an error stands in for it\n\
             Hint: `jp conversation undo ID` takes it back\n"
        )
    );
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}
