//! What a stream has to keep, whoever edits it: each rule, where it is told, and what stands in.

use crate::{
    edit_cycle::{assert_sound_and_undone, stream, talk},
    fake_editor::{FakeEditor, PLAN},
    support::{Jp, answer, call, message, question, request, result, start},
};

/// Lets an editor break a rule; the next round finds the error and gives up.
#[track_caller]
fn refused(events: &[&str], breaks: impl FnOnce(FakeEditor) -> FakeEditor, errors: &[&str]) {
    let jp = Jp::in_workspace();
    let id = jp.start(events);
    let tip = jp.tip(&id);
    let mut above = String::new();
    for error in errors {
        above += &format!("# ERROR: {error}\n");
    }
    above += "#\n# Fix the errors above and save, or clear this file to abort.\n\n# The events";
    let editor = breaks(FakeEditor::new(&jp)).next_round().expect(PLAN, above).clear();
    let output = editor.edits(&jp, &["c", "edit", "-i", "--yes", &id]);
    assert_eq!((output.code, jp.tip(&id)), (1, tip), "{}", output.stderr);
}

/// Lets an editor do something that is allowed, and returns the names of the events.
#[track_caller]
fn allowed(
    events: &[&str],
    edits: impl FnOnce(FakeEditor) -> FakeEditor,
    stdout: &str,
) -> (Jp, String) {
    let jp = Jp::in_workspace();
    let id = jp.start(events);
    let tree = jp.tree(&id);
    let editor = edits(FakeEditor::new(&jp));
    let output = editor.edits(&jp, &["c", "edit", "-i", "--yes", &id]);
    assert_eq!((output.stdout.as_str(), output.code), (stdout, 0), "{}", output.stderr);
    assert_sound_and_undone(&jp, &id, &tree);
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    (jp, id)
}

fn turn() -> [String; 4] {
    [request("Read\n"), call("c1"), result("c1", "text\n"), message("Done\n")]
}

#[test]
fn a_result_follows_its_call() {
    let [request, call, result, message] = &turn();
    refused(
        &[request, call, result, message],
        |editor| editor.put(&["002-tool-result-read.md"], "001-tool-call-read.md"),
        &["CONVERSATION:12:1: 002-tool-result-read.md: tool-result `c1` appears before its \
           tool-call (001-tool-call-read.md, line 13)"],
    );
}

#[test]
fn a_result_stands_in_the_turn_of_its_call() {
    let [first, call, result, message] = &turn();
    refused(
        &[first, call, result, message, &request("More\n"), message],
        |editor| editor.strike("002-tool-result-read.md").list(&["002-tool-result-read.md"]),
        &["CONVERSATION:18:1: 002-tool-result-read.md: tool-result `c1` stands in another \
           turn than its tool-call (001-tool-call-read.md, line 12)"],
    );
}

#[test]
fn a_result_without_a_call_is_an_orphan() {
    let [request, call, result, message] = &turn();
    refused(
        &[request, call, result, message],
        |editor| editor.strike("001-tool-call-read.md"),
        &["CONVERSATION:12:1: 002-tool-result-read.md: orphaned tool-result `c1` has no matching \
           tool-call"],
    );
}

#[test]
fn so_is_an_answer_without_its_question() {
    let events = [
        request("Read\n"),
        call("c1"),
        question("q1", "c1"),
        answer("q1"),
        start("c1"),
        result("c1", "text\n"),
        message("Done\n"),
    ];
    let events = events.each_ref().map(String::as_str);
    refused(
        &events,
        |editor| editor.strike("002-inquiry-request.md"),
        &["CONVERSATION:13:1: 003-inquiry-response.md: orphaned inquiry-response `q1` has no \
           matching inquiry-request"],
    );
    refused(
        &events,
        |editor| editor.put(&["003-inquiry-response.md"], "002-inquiry-request.md"),
        &["CONVERSATION:13:1: 003-inquiry-response.md: inquiry-response `q1` appears before its \
           inquiry-request (002-inquiry-request.md, line 14)"],
    );
    // All that is about a call is told.
    refused(
        &events,
        |editor| editor.strike("001-tool-call-read.md"),
        &[
            "CONVERSATION:14:1: 002-inquiry-request.md: question `q1` is about call `c1`, which is \
             not waiting for a result",
            "CONVERSATION:16:1: 004-tool-start.toml: orphaned tool-start `c1` has no matching \
             tool-call",
            "CONVERSATION:17:1: 005-tool-result-read.md: orphaned tool-result `c1` has no matching \
             tool-call",
        ],
    );
}

#[test]
fn a_request_does_not_follow_straight_after_a_request() {
    let events = [request("One\n"), message("1\n"), request("Two\n"), message("2\n")];
    let events = events.each_ref().map(String::as_str);
    refused(
        &events,
        |editor| editor.strike("001-message.md"),
        &["CONVERSATION:14:1: 002-request.md: a request follows straight after a request: an \
           answer has to stand between them, or `interrupts: true` in its frontmatter"],
    );
    allowed(
        &events,
        |editor| {
            editor.strike("001-message.md").change(
                "002-request.md",
                "type: request\n",
                "type: request\ninterrupts: true\n",
            )
        },
        "removed  001-message.md\nedited   002-request.md\n",
    );
}

#[test]
fn a_call_without_a_result_gets_an_error_in_its_place() {
    let [first, call, result, message] = &turn();
    let (jp, id) = allowed(
        &[first, call, result, message, &request("More\n"), message],
        |editor| editor.strike("002-tool-result-read.md"),
        "removed  002-tool-result-read.md\n\
         added    006-tool-result-read.md: an error in place of the result that call `c1` has not\n",
    );
    assert_eq!(
        stream(&jp, &id),
        [
            "000-request.md",
            "001-tool-call-read.md",
            "006-tool-result-read.md",
            "003-message.md",
            "004-request.md",
            "005-message.md"
        ]
    );
    let stand_in = jp.run(&["c", "cat", &id, "6"]).ok();
    assert!(stand_in.contains("is_error: true\n"), "{stand_in}");
    assert!(stand_in.ends_with("---\nThe result of this tool call was taken out.\n"), "{stand_in}");
}

#[test]
fn a_conversation_has_at_least_one_request() {
    refused(
        &[&request("One\n"), &message("1\n")],
        |editor| editor.strike("000-request.md"),
        &["CONVERSATION: no request is left: a conversation has at least one"],
    );
}

#[test]
fn turns_change_places_with_all_that_belongs_to_them() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let second =
        ["002-request.md", "003-tool-call-read.md", "004-tool-result-read.md", "005-message.md"];
    let editor = FakeEditor::new(&jp).put(&second, "000-request.md");
    let output = editor.edits(&jp, &["c", "edit", "-i", "--yes", &id]);
    assert_eq!(output.stdout, "moved    000-request.md\nmoved    001-message.md\n");
    let plan = jp.git(&["show", &format!("{id}:{PLAN}")]);
    assert!(
        plan.ends_with(
            "\n# Turn 0\n002-request.md\n003-tool-call-read.md\n004-tool-result-read.md\n\
             005-message.md\n\n# Turn 1\n000-request.md\n001-message.md\n"
        ),
        "{plan}"
    );
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn an_event_moves_into_another_turn() {
    allowed(
        &[&request("One\n"), &message("1\n"), &message("1b\n"), &request("Two\n"), &message("2\n")],
        |editor| editor.strike("002-message.md").list(&["002-message.md"]),
        "moved    002-message.md\n",
    );
}

#[test]
fn remarks_stay_where_they_were_put() {
    let (jp, id) = allowed(
        &[&request("One\n"), &message("1\n"), &request("Two\n"), &message("2\n")],
        |editor| {
            editor
                .change(PLAN, "001-message.md\n", "# good\n001-message.md\n")
                .change(PLAN, "# Turn 1", "# Turn 1: the second")
                .list(&["# the end"])
        },
        "",
    );
    let plan = jp.git(&["show", &format!("{id}:{PLAN}")]);
    assert!(
        plan.ends_with(
            "\n# Turn 0\n000-request.md\n# good\n001-message.md\n\n# Turn 1: the second\n\
             002-request.md\n003-message.md\n# the end\n"
        ),
        "{plan}"
    );
}
