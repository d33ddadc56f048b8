//! A turn that is not complete: the mark under it, and the lines that tell what it waits for.

use super::{
    super::{Detail, Transcript, Unfinished},
    PLAIN_SCREEN, answer, call, message, printed, question, request, result, start, stream,
    transcript,
};
use crate::{
    model::{
        Answer, EventKind, InquiryKind, InquiryRequest, Outcome, Reasoning, Request, Stream,
        ToolName, ToolStart, mark_superseded,
    },
    ui::{Look, Style},
};

/// What the user asked for, and what the model said before it called for tools.
const BEFORE: &str = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

Do it

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:41

✓ look {}

I'll modify those files for you.

";

fn before() -> Vec<EventKind> {
    vec![
        request("Do it"),
        call("0", "look", "{}"),
        result("0", false, "seen"),
        message("I'll modify those files for you."),
    ]
}

/// Events after those.
fn after(kinds: Vec<EventKind>) -> Stream {
    stream([before(), kinds].concat())
}

fn lines(stream: &Stream) -> Vec<String> {
    let unfinished = Unfinished::of(stream.incomplete.as_ref().unwrap());
    unfinished.lines.iter().map(ToString::to_string).collect()
}

#[test]
fn a_turn_that_waits_for_input_ends_with_a_mark_and_a_line_for_each_tool() {
    let stream = after(vec![
        call("1", "cargo_check", "{}"),
        call("2", "fs_read_file", "{}"),
        call("3", "fs_modify_file", "{}"),
        result("1", false, "ok"),
        result("2", false, "text"),
        question("q", Some("3"), "Overwrite existing file?"),
    ]);
    let expected = format!(
        "{BEFORE}\
⏳ Incomplete turn (waiting for input)
  ✓ cargo_check — completed
  ✓ fs_read_file — completed
  ⏸ fs_modify_file — waiting for input: \"Overwrite existing file?\"
"
    );
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn a_turn_with_pending_tools_says_which_failed_are_pending_or_may_have_run() {
    let stream = after(vec![
        call("1", "cargo_check", "{}"),
        call("2", "fs_read_file", "{\"path\":\"a\"}"),
        call("3", "deploy", "{}"),
        call("4", "rest", "{\"a\": [1]}"),
        result("1", false, "ok"),
        result("2", true, "gone"),
        start("3"),
    ]);
    let expected = format!(
        "{BEFORE}\
⏳ Incomplete turn (pending tool execution)
  ✓ cargo_check — completed
  ✗ fs_read_file — failed: gone  {{\"path\":\"a\"}}
  ? deploy — may have run; its result is not known
  … rest — pending  {{\"a\": [1]}}
"
    );
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn a_turn_with_a_pending_follow_up_says_what_the_model_has_not_seen() {
    let stream = after(vec![call("1", "cargo_check", "{}"), result("1", false, "ok")]);
    let expected =
        format!("{BEFORE}⏳ Incomplete turn (pending follow-up)\n  ✓ cargo_check — completed\n");
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn a_turn_without_an_answer_has_a_mark_and_no_lines() {
    let stream = stream(vec![request("Do it")]);
    let expected = "Title\n\n━━ user · turn 0 · 2026-02-02 03:40\n\nDo it\n\n\
                    ⏳ Incomplete turn (pending LLM response)\n";
    assert_eq!(printed(&transcript(&stream)), expected);
    assert_eq!(lines(&stream), [""; 0]);
}

#[test]
fn every_open_question_has_a_line_beside_its_call() {
    let stream = after(vec![
        call("1", "write", "{\"path\":\"a\"}"),
        call("2", "write", "{\"path\":\"b\"}"),
        question("q1", Some("1"), "Overwrite?"),
        question("r1", None, "Go on?"),
        question("q2", Some("2"), "Which one?"),
        question("q3", Some("1"), "\n\nAnd the backup?\nIt is old."),
        question("q4", Some("1"), "Sure?"),
        answer("q4", Outcome::Answered(Answer::Boolean(true))),
    ]);
    let expected = [
        "⏸ write — waiting for input: \"Overwrite?\"  {\"path\":\"a\"}",
        "⏸ write — waiting for input: \"And the backup?\"",
        "⏸ write — waiting for input: \"Which one?\"  {\"path\":\"b\"}",
        "⏸ question — waiting for input: \"Go on?\"",
    ];
    assert_eq!(lines(&stream), expected);
    let printed = printed(&transcript(&stream));
    let mark = format!("⏳ Incomplete turn (waiting for input)\n  {}\n", expected.join("\n  "));
    assert!(printed.ends_with(&mark), "{printed}");
}

#[test]
fn a_call_that_was_started_and_asks_waits_for_input() {
    let delivery = match question("q", Some("1"), "Deliver it?") {
        EventKind::InquiryRequest(inquiry) => EventKind::InquiryRequest(InquiryRequest {
            kind: InquiryKind::DeliverResult,
            tool: Some(ToolName::new("run")),
            ..inquiry
        }),
        other => other,
    };
    let mut rest = toml::Table::new();
    rest.insert("arguments".to_owned(), "{\"a\":2}".into());
    let EventKind::ToolStart(started) = start("1") else { unreachable!("a start is one") };
    let stream = after(vec![
        call("1", "run", "{\"a\":1}"),
        EventKind::ToolStart(ToolStart { rest, ..started }),
        delivery,
    ]);
    let expected = "⏸ run — waiting for input: \"Deliver it?\"  {\"a\":2} (changed by the user)";
    assert_eq!(lines(&stream), [expected]);
}

#[test]
fn a_call_that_waits_is_told_once_even_if_words_follow_it() {
    let stream = stream(vec![request("Do"), call("1", "run", "{}"), message("Running")]);
    let expected = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

Do

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:41

Running

⏳ Incomplete turn (pending tool execution)
  … run — pending
";
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn words_that_broke_off_are_told_and_change_nothing_of_what_is_missing() {
    let mut kinds = vec![
        request("Do"),
        call("1", "run", "{}"),
        result("1", false, "ok"),
        EventKind::Reasoning(Reasoning { content: "Well".into(), block: super::block(None) }),
        message("It went"),
    ];
    let broken = |kinds: &[EventKind], at: &[usize]| {
        let mut stream = stream(kinds.to_vec());
        let turn = match &mut stream.incomplete {
            Some(incomplete) => &mut incomplete.turn,
            None => &mut stream.turns[0],
        };
        let mut entries = std::mem::take(&mut turn.entries);
        for index in at {
            mark_superseded(&mut entries[*index].event.metadata);
        }
        Stream::new(entries)
    };
    let expected = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

Do

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:41

[reasoning, 1 line]
[broken off, and not shown to models]

It went

[broken off, and not shown to models]

⏳ Incomplete turn (pending follow-up)
  ✓ run — completed
";
    assert_eq!(printed(&transcript(&broken(&kinds, &[3, 4]))), expected);
    kinds.push(message("It went well."));
    let whole = printed(&transcript(&broken(&kinds, &[3, 4])));
    let end = "\n✓ run {}\n[reasoning, 1 line]\n[broken off, and not shown to models]\n\nIt went\n\n\
               [broken off, and not shown to models]\n\nIt went well.\n";
    assert!(whole.ends_with(end), "{whole}");
}

#[test]
fn an_answer_that_ended_in_the_middle_is_printed_above_the_mark() {
    let mut block = super::block(None);
    block.answer = Some(crate::model::AnswerId::new("0-0"));
    let half = EventKind::Message(crate::model::Message { content: "It wen".into(), block });
    let interruption = EventKind::Request(Request { content: "Stop".into(), interrupts: true });
    let unanswered = stream(vec![request("Do"), half.clone()]);
    let printed_half = printed(&transcript(&unanswered));
    let end = "\n\nIt wen\n\n⏳ Incomplete turn (pending LLM response)\n";
    assert!(printed_half.ends_with(end), "{printed_half}");
    let interrupted = stream(vec![request("Do"), half, interruption]);
    let printed = printed(&transcript(&interrupted));
    let end = "\n[interrupts the turn]\n\nStop\n\n⏳ Incomplete turn (pending LLM response)\n";
    assert!(printed.ends_with(end), "{printed}");
}

#[test]
fn the_mark_stands_under_its_turn_only_and_keeps_to_the_screen() {
    let long = "x".repeat(100);
    let stream = stream(vec![
        request("A"),
        message("a"),
        request("B"),
        call("1", "run\u{1b}[2J\n", "{}"),
        call("2", &long, "{}"),
        question("q", Some("2"), "Sure\u{202e}?"),
    ]);
    let harmless = "run\\u{1b}[2J\\n";
    let mut transcript = transcript(&stream);
    transcript.look = PLAIN_SCREEN;
    transcript.turns = 0..1;
    assert!(!printed(&transcript).contains("Incomplete"));
    transcript.turns = 1..2;
    let narrow = printed(&transcript);
    let mark = format!(
        "\n⏳ Incomplete turn (waiting for input)\n  … {harmless} — pending\n  ⏸ {}…\n",
        "x".repeat(55)
    );
    assert!(narrow.ends_with(&mark), "{narrow}");
    transcript.look = Look::Screen { style: Style::PLAIN, columns: 12 };
    let end = "\n⏳ Incomple…\n  … run\\u{1…\n  ⏸ xxxxxxx…\n";
    assert!(printed(&transcript).ends_with(end), "{}", printed(&transcript));
    transcript.look = Look::Screen { style: Style::COLOUR, columns: 60 };
    let mark = format!(
        "\u{1b}[33m⏳ Incomplete turn (waiting for input)\u{1b}[0m\n  \
         \u{1b}[33m… \u{1b}[0m\u{1b}[1m{harmless}\u{1b}[0m — pending\n"
    );
    assert!(printed(&transcript).contains(&mark), "{}", printed(&transcript));
}

#[test]
fn calls_in_full_and_bare_texts_go_with_the_mark_and_without() {
    let stream = after(vec![call("1", "run", "{\"a\":1}"), start("1")]);
    let mut told: Transcript<'_> = transcript(&stream);
    told.detail = Detail { tools: true, reasoning: true };
    let end = "\n→ run 1\n\n    {\"a\":1}\n\n[1 started, attempt 1]\n\n\
               ⏳ Incomplete turn (pending tool execution)\n  \
               ? run — may have run; its result is not known  {\"a\":1}\n";
    assert!(printed(&told).ends_with(end), "{}", printed(&told));
    let mut raw = Vec::new();
    transcript(&stream).write_raw(&mut raw).unwrap();
    let raw = String::from_utf8(raw).unwrap();
    assert_eq!(raw, "Do it\n\nI'll modify those files for you.\n");
}
