use super::*;
use crate::model::{
    Address, AnswerId, Arguments, Attachment, Block, CallId, Compaction, Entry, Event, EventKind,
    Finish, InquiryId, InquiryResponse, Json, Message as Said, ModelName, Outcome, Reasoning,
    Request, Signature, Stream, Structured, Timestamp, ToolCall, ToolName, ToolResult, ToolStart,
};

pub(super) fn request(text: &str) -> EventKind {
    EventKind::Request(Request { content: text.into(), interrupts: false })
}

fn interruption(text: &str) -> EventKind {
    EventKind::Request(Request { content: text.into(), interrupts: true })
}

pub(super) fn block(answer: &str) -> Block {
    Block { answer: Some(AnswerId::new(answer)), ..Block::default() }
}

pub(super) fn last_block(answer: &str) -> Block {
    Block { finish: Some(Finish::Stop), ..block(answer) }
}

pub(super) fn says(text: &str, block: Block) -> EventKind {
    EventKind::Message(Said { content: text.into(), block })
}

pub(super) fn thinks(text: &str, block: Block) -> EventKind {
    EventKind::Reasoning(Reasoning { content: text.into(), block })
}

pub(super) fn calls(id: &str, block: Block) -> EventKind {
    EventKind::ToolCall(ToolCall {
        tool: ToolName::new("read"),
        id: CallId::new(id),
        arguments: Arguments::new("{}"),
        block,
    })
}

pub(super) fn result(id: &str) -> EventKind {
    EventKind::ToolResult(ToolResult {
        id: CallId::new(id),
        tool: None,
        is_error: false,
        content: "ok".into(),
    })
}

fn attachment(source: &str) -> EventKind {
    let attachment =
        Attachment { source: source.to_owned(), media_type: None, content: "…".into() };
    EventKind::Attachment(attachment)
}

pub(super) fn change(text: &str) -> EventKind {
    EventKind::ConfigDelta(text.parse().unwrap())
}

pub(super) fn stream(events: impl IntoIterator<Item = EventKind>) -> Stream {
    let entry = |(number, kind)| Entry {
        address: Address::new(number).unwrap(),
        event: Event::new(Timestamp::from_seconds(0), kind),
    };
    Stream::new((0..).zip(events).map(entry))
}

/// One line for each message: whose it is, the events that it was made of, and what is said.
fn told(events: impl IntoIterator<Item = EventKind>) -> Vec<String> {
    messages(&stream(events), None).iter().map(tell).collect()
}

pub(super) fn tell(message: &Message) -> String {
    let text = |body: &crate::model::Body| body.to_text_lossy().into_owned();
    let addresses: Vec<_> = message.addresses.iter().map(|at| at.number().to_string()).collect();
    let turn = message.turn.map_or_else(String::new, |turn| turn.to_string());
    let mark = if message.incomplete { "?" } else { "" };
    let said = match &message.role {
        Role::System { content } => format!("system {content}"),
        Role::User { content, attachments } => {
            let sources = attachments.iter().map(|one| format!(" +{}", one.source));
            format!("user {}{}", text(content), sources.collect::<String>())
        }
        Role::Assistant { parts, finish, .. } => {
            let part = |part: &Part| match &part.kind {
                PartKind::Text(body) => text(body),
                PartKind::Reasoning(body) => format!("({})", text(body)),
                PartKind::Data(json) => json.as_str().to_owned(),
                PartKind::Call { id, tool, .. } => format!("{tool}:{id}"),
            };
            let parts: Vec<_> = parts.iter().map(part).collect();
            let finish = finish.as_ref().map_or_else(String::new, |finish| format!(" [{finish}]"));
            format!("assistant {}{finish}", parts.join(" | "))
        }
        Role::Tool { id, tool, is_error, content } => {
            let tool = tool.as_ref().map_or("-", |tool| tool.as_str());
            let sign = if *is_error { "!" } else { "" };
            format!("tool {tool}:{id} {sign}{}", text(content))
        }
    };
    format!("{turn}{mark} {} {said}", addresses.join(","))
}

#[test]
fn blocks_of_one_answer_are_one_message_in_their_order() {
    let events = [
        request("Do it"),
        thinks("Hm", block("a")),
        says("I will look", block("a")),
        calls("c1", block("a")),
        calls("c2", Block { finish: Some(Finish::ToolCalls), ..block("a") }),
        result("c1"),
        result("c2"),
        says("Done", last_block("b")),
    ];
    assert_eq!(
        told(events),
        [
            "0 0 user Do it",
            "0 1,2,3,4 assistant (Hm) | I will look | read:c1 | read:c2 [tool-calls]",
            "0 5 tool read:c1 ok",
            "0 6 tool read:c2 ok",
            "0 7 assistant Done [stop]",
        ]
    );
}

#[test]
fn an_answer_stays_one_message_when_a_result_comes_in_between() {
    let events = [
        request("Do it"),
        calls("c1", block("a")),
        EventKind::ToolStart(ToolStart {
            id: CallId::new("c1"),
            attempt: 1,
            rest: toml::Table::new(),
        }),
        result("c1"),
        calls("c2", last_block("a")),
        result("c2"),
        says("Done", last_block("b")),
    ];
    assert_eq!(
        told(events),
        [
            "0 0 user Do it",
            "0 1,4 assistant read:c1 | read:c2 [stop]",
            "0 3 tool read:c1 ok",
            "0 5 tool read:c2 ok",
            "0 6 assistant Done [stop]",
        ]
    );
}

#[test]
fn answers_without_an_id_are_told_apart_by_what_comes_between_and_by_their_model() {
    let of = |model: &str| Block { model: Some(ModelName::new(model)), ..Block::default() };
    let events = [
        request("Do it"),
        says("One", of("x")),
        calls("c1", of("x")),
        result("c1"),
        says("Two", of("x")),
        says("Three", of("y")),
    ];
    assert_eq!(
        told(events),
        [
            "0 0 user Do it",
            "0 1,2 assistant One | read:c1",
            "0 3 tool read:c1 ok",
            "0 4 assistant Two",
            "0 5 assistant Three",
        ]
    );
}

#[test]
fn an_answer_that_was_begun_anew_is_a_message_of_its_own() {
    let events = [request("Do it"), says("Half", block("a")), says("Whole", last_block("b"))];
    assert_eq!(
        told(events),
        ["0 0 user Do it", "0 1 assistant Half", "0 2 assistant Whole [stop]"]
    );
}

#[test]
fn an_interruption_is_a_user_message_and_ends_the_answer_before_it() {
    let events = [
        request("Do it"),
        says("I", block("a")),
        interruption("Wait"),
        says("see", last_block("a")),
    ];
    assert_eq!(
        told(events),
        ["0 0 user Do it", "0 1 assistant I", "0 2 user Wait", "0 3 assistant see [stop]"]
    );
}

#[test]
fn attachments_go_with_the_request_after_them_and_wait_for_it() {
    let events = [
        attachment("a.txt"),
        attachment("b.txt"),
        request("Read"),
        says("Read", last_block("a")),
        attachment("c.txt"),
    ];
    assert_eq!(told(events), ["0 0,1,2 user Read +a.txt +b.txt", "0 3 assistant Read [stop]"]);
}

#[test]
fn questions_configuration_and_compactions_are_not_shown() {
    let compaction = Compaction { from_turn: 0, to_turn: 0, rules: toml::Table::new() };
    let answer = InquiryResponse { id: InquiryId::new("q"), outcome: Outcome::Cancelled };
    let events = [
        change("a = 1\n"),
        request("Do it"),
        EventKind::InquiryResponse(answer),
        says("Done", last_block("a")),
        EventKind::Compaction(compaction),
        request("Again"),
        says("Done", last_block("b")),
    ];
    assert_eq!(
        told(events),
        [
            "0 1 user Do it",
            "0 3 assistant Done [stop]",
            "1 5 user Again",
            "1 6 assistant Done [stop]",
        ]
    );
}

#[test]
fn a_turn_under_way_is_shown_as_it_is_and_marked() {
    let events = [
        request("One"),
        says("Done", last_block("b")),
        request("Two"),
        calls("c2", last_block("c")),
    ];
    assert_eq!(
        told(events),
        [
            "0 0 user One",
            "0 1 assistant Done [stop]",
            "1? 2 user Two",
            "1? 3 assistant read:c2 [stop]",
        ]
    );
}

#[test]
fn a_signature_goes_with_unchanged_content_only() {
    let signed = |content: &str, over: &str| {
        let signature = Some(Signature::over(over.as_bytes(), "c2ln"));
        thinks(content, Block { signature, ..block("a") })
    };
    let data = EventKind::Structured(Structured {
        data: Json::new("{ }").unwrap(),
        block: Block { signature: Some(Signature::over(b"{ }", "ZGF0YQ")), ..last_block("a") },
    });
    let stream = stream([request("Do it"), signed("One", "One"), signed("Two", "Too"), data]);
    let found = messages(&stream, None);
    let Role::Assistant { parts, .. } = &found[1].role else { panic!("{found:?}") };
    let signatures: Vec<_> = parts.iter().map(|part| part.signature.as_deref()).collect();
    assert_eq!(signatures, [Some("c2ln"), None, Some("ZGF0YQ")]);
}

#[test]
fn the_system_prompt_is_the_one_in_force_at_the_end() {
    let prompt = |config: Option<&str>, changes: &[&str]| {
        let config: Option<toml::Table> = config.map(|text| text.parse().unwrap());
        let events = changes.iter().map(|text| change(text));
        system_prompt(config.as_ref(), &stream(events))
    };
    let base = "[assistant]\nsystem_prompt = \"Be brief\"\n";
    let other = "[assistant]\nsystem_prompt = \"Be kind\"\n";
    assert_eq!(prompt(None, &[]), None);
    assert_eq!(prompt(Some(base), &[]).as_deref(), Some("Be brief"));
    assert_eq!(prompt(Some(base), &["x = 1\n", other]).as_deref(), Some("Be kind"));
    let unrelated = "[assistant]\nmodel = \"m\"\n";
    assert_eq!(prompt(Some(base), &[unrelated]).as_deref(), Some("Be brief"));
    assert_eq!(prompt(Some(base), &["[assistant]\nsystem_prompt = \"\"\n"]), None);
    assert_eq!(prompt(Some(base), &["assistant = false\n"]), None);
    assert_eq!(prompt(None, &[other]).as_deref(), Some("Be kind"));
}

#[test]
fn the_system_prompt_comes_first() {
    let config = "[assistant]\nsystem_prompt = \"Be brief\"\n".parse().unwrap();
    let found = messages(&stream([request("Hi")]), Some(&config));
    let told: Vec<_> = found.iter().map(tell).collect();
    assert_eq!(told, ["  system Be brief", "0? 0 user Hi"]);
}
