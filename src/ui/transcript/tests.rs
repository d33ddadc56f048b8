mod unfinished;

use jiff::tz::{TimeZone, offset};

use super::{super::Style, Detail, Hole, Look, Transcript};
use crate::model::{
    Address, Answer, AnswerType, Arguments, Attachment, Block, Body, CallId, Compaction, Entry,
    Event, EventKind, Finish, InquiryId, InquiryKind, InquiryRequest, InquiryResponse, Json,
    Message, ModelName, Outcome, Reasoning, Request, Stream, Structured, Timestamp, ToolCall,
    ToolName, ToolResult, ToolStart, mark_delivered_edited, mark_withheld,
};

const PLAIN_SCREEN: Look = Look::Screen { style: Style::PLAIN, columns: 60 };

fn block(finish: Option<Finish>) -> Block {
    Block { model: Some(ModelName::new("acme/large")), finish, ..Block::default() }
}

fn request(text: &str) -> EventKind {
    EventKind::Request(Request { content: text.into(), interrupts: false })
}

fn message(text: &str) -> EventKind {
    message_that_ended(text, Finish::Stop)
}

fn message_that_ended(text: &str, finish: Finish) -> EventKind {
    EventKind::Message(Message { content: text.into(), block: block(Some(finish)) })
}

fn call(id: &str, tool: &str, arguments: &str) -> EventKind {
    let arguments = Arguments::new(arguments);
    EventKind::ToolCall(ToolCall {
        tool: ToolName::new(tool),
        id: CallId::new(id),
        arguments,
        block: block(None),
    })
}

fn start(id: &str) -> EventKind {
    let rest = toml::Table::new();
    EventKind::ToolStart(ToolStart { id: CallId::new(id), attempt: 1, rest })
}

fn result(id: &str, is_error: bool, text: &str) -> EventKind {
    let (id, content) = (CallId::new(id), Body::from(text));
    EventKind::ToolResult(ToolResult { id, tool: None, is_error, content })
}

fn question(id: &str, call: Option<&str>, text: &str) -> EventKind {
    EventKind::InquiryRequest(InquiryRequest {
        id: InquiryId::new(id),
        kind: InquiryKind::ToolQuestion,
        tool: call.map(|_| ToolName::new("write")),
        call: call.map(CallId::new),
        answer: AnswerType::Text { default: None },
        exclusive: false,
        text: text.into(),
    })
}

fn answer(id: &str, outcome: Outcome) -> EventKind {
    EventKind::InquiryResponse(InquiryResponse { id: InquiryId::new(id), outcome })
}

/// Events that happen a minute after each other.
fn stream(kinds: Vec<EventKind>) -> Stream {
    let entry = |(index, kind): (usize, EventKind)| {
        let time = Timestamp::from_seconds(1_770_000_000 + 60 * index as i64);
        Entry { address: Address::FIRST, event: Event::new(time, kind) }
    };
    Stream::new(kinds.into_iter().enumerate().map(entry))
}

fn transcript(stream: &Stream) -> Transcript<'_> {
    Transcript {
        title: "Title",
        stream,
        holes: &[],
        gaps: &[],
        turns: 0..100,
        look: Look::Source,
        detail: Detail::default(),
        zone: TimeZone::fixed(offset(1)),
    }
}

fn printed(transcript: &Transcript<'_>) -> String {
    let mut out = Vec::new();
    transcript.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_turn_tells_who_spoke_and_what_became_of_calls() {
    let stream = stream(vec![
        EventKind::ConfigDelta("[assistant]\nmodel = 'x'\n".parse().unwrap()),
        EventKind::Attachment(Attachment {
            source: "a.txt".into(),
            media_type: Some("text/plain".into()),
            content: "x".into(),
        }),
        request("# Do\n\n*it*\n"),
        EventKind::Reasoning(Reasoning { content: "I\nthink".into(), block: block(None) }),
        call("1", "read", "{\n  \"path\": \"a\"\n}"),
        call("2", "write", "{}"),
        call("3", "run", "not json"),
        call("4", "stop", "{}"),
        start("3"),
        result("1", false, "content"),
        question("q", Some("2"), "May I?"),
        answer("q", Outcome::Answered(Answer::Boolean(true))),
        result("2", true, "\nno space\nleft"),
        message_that_ended("Well", Finish::Length),
        request("More"),
        EventKind::Structured(Structured {
            data: Json::new("{\"a\":\"```\"}").unwrap(),
            block: block(Some(Finish::Stop)),
        }),
        EventKind::Compaction(Compaction {
            from_turn: 0,
            to_turn: 1,
            rules: "[reasoning]\npolicy = 'strip'\n".parse().unwrap(),
        }),
    ]);
    let expected = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

[configuration: assistant.model]
[attachment: a.txt, text/plain, 1 byte]

# Do

*it*

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:43

[reasoning, 2 lines]
✓ read { \"path\": \"a\" }
✗ write {} — no space
? run not json — may have run; its result is not known
… stop {} — no result
? write: \"May I?\" → yes

Well

⚠ length: the limit of tokens was reached

━━ user · turn 1 · 2026-02-02 03:54

More

━━ assistant (acme/large) · turn 1 · 2026-02-02 03:55

````json
{\"a\":\"```\"}
````

━━ for the next request

[compaction of turns 0 to 1: reasoning.policy]
";
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn tools_and_reasoning_are_printed_in_full_on_demand() {
    let stream = stream(vec![
        request("Do"),
        EventKind::Reasoning(Reasoning { content: "I *do*\n\nthink".into(), block: block(None) }),
        call("1", "read", "{\n\t\"path\": \"a\"\n}"),
        start("1"),
        result("1", true, "# no\tmarkdown\n"),
        message("Done"),
    ]);
    let mut transcript = transcript(&stream);
    transcript.detail = Detail { tools: true, reasoning: true };
    let expected = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

Do

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:41

[reasoning]

BAR I *do*
BAR
BAR think

→ read 1

    {
        \"path\": \"a\"
    }

[1 started, attempt 1]

━━ tool (read) · turn 0 · 2026-02-02 03:44

✗ 1

# no    markdown

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:45

Done
";
    assert_eq!(printed(&transcript), expected.replace("BAR", ">"));
    transcript.look = PLAIN_SCREEN;
    assert_eq!(printed(&transcript), expected.replace("BAR", "│"));
}

#[test]
fn what_the_user_decided_about_a_call_shows_with_it() {
    let decision = |id: &str, kind| {
        let EventKind::InquiryRequest(inquiry) = question(id, Some("1"), "May it?") else {
            unreachable!("a question is one")
        };
        EventKind::InquiryRequest(InquiryRequest { kind, ..inquiry })
    };
    let chosen =
        |id: &str, value: &str| answer(id, Outcome::Answered(Answer::Select(value.to_owned())));
    let mut rest = toml::Table::new();
    rest.insert("arguments".to_owned(), "{\n  \"a\": 2\n}".into());
    let mut stream = stream(vec![
        request("Do"),
        call("1", "write", "{\"a\": 1}"),
        decision("q0", InquiryKind::RunTool),
        chosen("q0", "run"),
        EventKind::ToolStart(ToolStart { id: CallId::new("1"), attempt: 1, rest }),
        decision("q1", InquiryKind::DeliverResult),
        chosen("q1", "withhold"),
        result("1", false, "a secret"),
        message("Done"),
    ]);
    mark_withheld(&mut stream.turns[0].entries[7].event.metadata);
    let mut told = transcript(&stream);
    let short = printed(&told);
    let expected = "\n✓ write { \"a\": 2 } (changed by the user) — kept from the model\n\nDone\n";
    assert!(short.ends_with(expected), "{short}");
    told.detail.tools = true;
    let long = printed(&told);
    let expected = "\
→ write 1

    {\"a\": 1}

? write: \"May it?\" → run
[1 started, attempt 1]
[the user changed the arguments]

    {
      \"a\": 2
    }

? write: \"May it?\" → withhold

━━ tool (write) · turn 0 · 2026-02-02 03:47

✓ 1 · kept from the model

a secret
";
    assert!(long.contains(expected), "{long}");
    mark_delivered_edited(&mut stream.turns[0].entries[7].event.metadata);
    assert!(printed(&transcript(&stream)).contains("— changed for the model\n"));
}

#[test]
fn what_has_no_place_in_a_turn_is_shown_all_the_same() {
    let interruption = EventKind::Request(Request { content: "Stop".into(), interrupts: true });
    let stream = stream(vec![
        request("One"),
        request("Two"),
        result("9", false, "lost"),
        answer("9", Outcome::Cancelled),
        message(" \n"),
        call("1", "run", "{}"),
        interruption,
        result("1", false, ""),
        question("q", Some("1"), "Late?"),
        message_that_ended("Done", Finish::Other("odd".into())),
    ]);
    let expected = "\
Title

━━ user · turn 0 · 2026-02-02 03:40

One

━━ user · turn 0 · 2026-02-02 03:41

Two

✓ 9 [result without a call]
[answer without a question: cancelled]

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:44

[empty]
✓ run {}

━━ user · turn 0 · 2026-02-02 03:46

[interrupts the turn]

Stop

? write: \"Late?\" → no answer

━━ assistant (acme/large) · turn 0 · 2026-02-02 03:49

Done

⚠ the answer ended: odd
";
    assert_eq!(printed(&transcript(&stream)), expected);
}

#[test]
fn only_chosen_turns_are_printed_with_the_holes_in_them() {
    let stream = stream(vec![
        request("A"),
        message("a"),
        request("B"),
        message("b"),
        request("C"),
        message("c"),
    ]);
    let hole = |before, file: &str| Hole { before, file: file.to_owned() };
    let holes = [hole(1, "x"), hole(2, "y"), hole(3, "z"), hole(6, "end")];
    let mut transcript = transcript(&stream);
    transcript.holes = &holes;
    transcript.turns = 1..2;
    let expected = "\
Title

⚠ y cannot be read

━━ user · turn 1 · 2026-02-02 03:42

B

⚠ z cannot be read

━━ assistant (acme/large) · turn 1 · 2026-02-02 03:43

b
";
    assert_eq!(printed(&transcript), expected);
    transcript.turns = 2..4;
    let expected = "\
Title

━━ user · turn 2 · 2026-02-02 03:44

C

━━ assistant (acme/large) · turn 2 · 2026-02-02 03:45

c

⚠ end cannot be read
";
    assert_eq!(printed(&transcript), expected);
}

#[test]
fn raw_texts_are_the_bytes_that_are_stored() {
    let stream = stream(vec![
        EventKind::Request(Request { content: vec![0xff, 0x1b, b'\n'].into(), interrupts: false }),
        EventKind::Reasoning(Reasoning { content: "think".into(), block: block(None) }),
        call("1", "run", "{\t}"),
        result("1", false, "out"),
        message("b"),
    ]);
    let mut transcript = transcript(&stream);
    let raw = |transcript: &Transcript<'_>| {
        let mut out = Vec::new();
        transcript.write_raw(&mut out).unwrap();
        out
    };
    assert_eq!(raw(&transcript), b"\xff\x1b\n\n\nb\n");
    let mut out = Vec::new();
    transcript.write_raw_harmless(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "\u{fffd}\\u{1b}\n\n\nb\n");
    transcript.detail = Detail { tools: true, reasoning: true };
    assert_eq!(raw(&transcript), b"\xff\x1b\n\n\nthink\n\n{\t}\n\nout\n\nb\n");
}

#[test]
fn a_line_ends_where_the_screen_does() {
    let long = "x".repeat(100);
    let stream =
        stream(vec![request("Do"), call("1", &long, "{}"), result("1", false, ""), message("b")]);
    let mut transcript = transcript(&stream);
    transcript.title = &long;
    transcript.look = PLAIN_SCREEN;
    let text = printed(&transcript);
    let lines: Vec<_> = text.lines().filter(|line| line.contains("xx")).collect();
    assert_eq!(lines, [format!("{}…", "x".repeat(59)), format!("✓ {}…", "x".repeat(57))]);
}

#[test]
fn words_that_somebody_changed_are_told() {
    let mut stream = stream(vec![request("Do"), message("Done")]);
    let entries = &mut stream.turns[0].entries;
    crate::model::mark_edited(&mut entries[1].event.metadata, Timestamp::from_seconds(0));
    let printed = printed(&transcript(&stream));
    assert!(printed.ends_with("\n\nDone\n\n[edited 1970-01-01 01:00]\n"), "{printed}");
}
