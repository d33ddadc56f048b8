//! Conversations as a query makes them, with everything in between that a list does not hold.

use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::Value;

use super::{Kept, conversation, stream};
use crate::{
    model::{
        Answer, AnswerId, AnswerType, Arguments, Attachment, Block, Body, CallId, Compaction,
        Event, EventKind, Finish, InquiryId, InquiryKind, InquiryRequest, InquiryResponse, Json,
        Message, Meta, Metadata, ModelName, Native, Outcome, Reasoning, Request, Signature,
        Structured, Timestamp, ToolCall, ToolName, ToolResult, ToolStart, Usage, mark_superseded,
        mark_withheld,
    },
    projection::system::with_system_prompt,
};

/// Any conversation.
pub fn kept() -> impl Strategy<Value = Kept> {
    let parts = (vec(turn(), 0..4), any::<usize>(), option::of(text()), option::of(time()));
    parts.prop_map(|(turns, length, prompt, created)| {
        let mut writer = Writer::default();
        for turn in turns {
            writer.turn(turn);
        }
        // A turn may have stopped anywhere.
        let all = writer.events.len();
        writer.events.truncate(length % (all + 1));
        let config = prompt.map(|prompt| with_system_prompt(&prompt)).unwrap_or_default();
        let meta = Meta { created, ..Meta::default() };
        Kept { id: conversation(1), meta, config, stream: stream(writer.events) }
    })
}

/// What a turn is made of.
#[derive(Clone, Debug)]
struct Turn {
    prelude: Vec<Event>,
    request: Event,
    steps: Vec<Step>,
    last: Said,
}

#[derive(Clone, Debug)]
enum Step {
    Said(Said),
    Interrupted(Vec<Event>, Box<Event>),
}

/// An answer, and the results of its calls.
#[derive(Clone, Debug)]
struct Said {
    has_id: bool,
    model: Option<String>,
    finish: Option<Finish>,
    blocks: Vec<Event>,
    /// What broke off before it.
    superseded: Vec<Event>,
    results: Vec<Event>,
    asks: bool,
}

/// Writes events with ids that fit each other.
#[derive(Default)]
struct Writer {
    events: Vec<Event>,
    turns: u64,
    answers: u64,
    calls: u64,
}

impl Writer {
    fn turn(&mut self, turn: Turn) {
        self.events.extend(turn.prelude);
        self.events.push(turn.request);
        for step in turn.steps {
            match step {
                Step::Said(said) => self.said(said),
                Step::Interrupted(beside, mut request) => {
                    if let EventKind::Request(request) = &mut request.kind {
                        request.interrupts = true;
                    }
                    self.events.extend(beside);
                    self.events.push(*request);
                }
            }
        }
        self.said(turn.last);
        (self.turns, self.answers) = (self.turns + 1, 0);
    }

    fn said(&mut self, said: Said) {
        let answer = said.has_id.then(|| AnswerId::new(format!("{}-{}", self.turns, self.answers)));
        self.answers += 1;
        for mut event in said.superseded {
            if let Some(block) = event.block_mut() {
                block.answer.clone_from(&answer);
            }
            mark_superseded(&mut event.metadata);
            self.events.push(event);
        }
        let (last, mut calls) = (said.blocks.len() - 1, Vec::new());
        for (index, mut event) in said.blocks.into_iter().enumerate() {
            if let Some(block) = event.block_mut() {
                block.model = said.model.clone().map(ModelName::new);
                block.answer.clone_from(&answer);
                block.finish = said.finish.clone().filter(|_| index == last);
            }
            if let EventKind::ToolCall(call) = &mut event.kind {
                call.id = CallId::new(format!("{}{}", call.id, self.calls));
                self.calls += 1;
                calls.push(call.id.clone());
            }
            self.events.push(event);
        }
        self.results(calls, said.results, said.asks);
    }

    fn results(&mut self, calls: Vec<CallId>, results: Vec<Event>, asks: bool) {
        let results = results.into_iter().cycle();
        for (id, mut event) in calls.into_iter().rev().zip(results) {
            let at = event.timestamp;
            if asks {
                for kind in [question(&id), answer(&id), start(&id)] {
                    self.events.push(Event::new(at, kind));
                }
            }
            if let EventKind::ToolResult(result) = &mut event.kind {
                result.id = id;
            }
            self.events.push(event);
        }
    }
}

fn question(id: &CallId) -> EventKind {
    EventKind::InquiryRequest(InquiryRequest {
        id: InquiryId::new(id.as_str()),
        kind: InquiryKind::RunTool,
        tool: None,
        call: Some(id.clone()),
        answer: AnswerType::Boolean { default: None },
        exclusive: false,
        text: "May I?".into(),
    })
}

fn answer(id: &CallId) -> EventKind {
    let outcome = Outcome::Answered(Answer::Boolean(true));
    EventKind::InquiryResponse(InquiryResponse { id: InquiryId::new(id.as_str()), outcome })
}

fn start(id: &CallId) -> EventKind {
    let mut rest = toml::Table::new();
    rest.insert("arguments".to_owned(), "{}".into());
    EventKind::ToolStart(ToolStart { id: id.clone(), attempt: 1, rest })
}

fn turn() -> impl Strategy<Value = Turn> {
    let prelude = vec(prop_oneof![attachment(), change(), compaction()], 0..3);
    let step = prop_oneof![
        said().prop_map(Step::Said),
        (vec(attachment(), 0..2), request())
            .prop_map(|(beside, request)| Step::Interrupted(beside, Box::new(request))),
    ];
    (prelude, request(), vec(step, 0..3), said()).prop_map(|(prelude, request, steps, last)| Turn {
        prelude,
        request,
        steps,
        last,
    })
}

fn said() -> impl Strategy<Value = Said> {
    let finish = prop_oneof![
        Just(Finish::Stop),
        Just(Finish::ToolCalls),
        Just(Finish::Cancelled),
        Just(Finish::Other("pause_turn".to_owned())),
    ];
    let model = option::of(select(vec!["acme/large".to_owned(), "acme/small".to_owned()]));
    let parts = (
        any::<bool>(),
        model,
        option::of(finish),
        vec(block(), 1..4),
        vec(text_block(), 0..2),
        vec(result(), 1..3),
        any::<bool>(),
    );
    parts.prop_map(|(has_id, model, finish, blocks, superseded, results, asks)| Said {
        has_id,
        model,
        finish,
        blocks,
        superseded,
        results,
        asks,
    })
}

fn text_block() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![
        body().prop_map(|content| {
            EventKind::Message(Message { content, block: Block::default() })
        }),
        body().prop_map(|content| {
            EventKind::Reasoning(Reasoning { content, block: Block::default() })
        }),
    ];
    event(kind)
}

fn block() -> impl Strategy<Value = Event> {
    let block = Block::default;
    let arguments = prop_oneof![
        json().prop_map(Arguments::Json),
        text().prop_map(Arguments::Text),
        text().prop_map(Arguments::new),
    ];
    let kind = prop_oneof![
        body().prop_map(move |content| { EventKind::Message(Message { content, block: block() }) }),
        body().prop_map(move |content| {
            EventKind::Reasoning(Reasoning { content, block: block() })
        }),
        json().prop_map(move |data| { EventKind::Structured(Structured { data, block: block() }) }),
        (text(), text(), arguments).prop_map(move |(id, tool, arguments)| {
            let (id, tool) = (CallId::new(id), ToolName::new(tool));
            EventKind::ToolCall(ToolCall { tool, id, arguments, block: block() })
        }),
    ];
    let signed =
        (option::of((text(), any::<bool>())), option::of((text(), value(), any::<bool>())));
    let usage = option::of((option::of(any::<u64>()), option::of(0..9_u64)));
    (event(kind), signed, usage).prop_map(|(mut event, (signature, native), usage)| {
        let content = event.kind.signed_content().unwrap_or_default().to_vec();
        // Somebody may have changed what was signed.
        let covered = |holds: bool| if holds { content.clone() } else { b"other".to_vec() };
        if let Some((api, block, holds)) = native {
            Native { api, block }.store(&mut event.metadata, &covered(holds));
        }
        if let (Some((value, holds)), Some(block)) = (signature, event.block_mut()) {
            block.signature = Some(Signature::over(&covered(holds), value));
        }
        if let Some((input, output)) = usage {
            Usage { input, output, ..Usage::default() }.store(&mut event.metadata);
        }
        event
    })
}

fn result() -> impl Strategy<Value = Event> {
    let kind = (option::of(text()), any::<bool>(), body()).prop_map(|(tool, is_error, content)| {
        let (id, tool) = (CallId::new(""), tool.map(ToolName::new));
        EventKind::ToolResult(ToolResult { id, tool, is_error, content })
    });
    (event(kind), any::<bool>()).prop_map(|(mut event, withheld)| {
        if withheld {
            mark_withheld(&mut event.metadata);
        }
        event
    })
}

fn request() -> impl Strategy<Value = Event> {
    event(body().prop_map(|content| EventKind::Request(Request { content, interrupts: false })))
}

fn attachment() -> impl Strategy<Value = Event> {
    let parts = (text(), option::of(text()), body());
    event(parts.prop_map(|(source, media_type, content)| {
        EventKind::Attachment(Attachment { source, media_type, content })
    }))
}

fn change() -> impl Strategy<Value = Event> {
    let other: toml::Table = "[assistant]\nmodel = \"acme/large\"\n".parse().unwrap();
    let change = prop_oneof![text().prop_map(|prompt| with_system_prompt(&prompt)), Just(other)];
    event(change.prop_map(EventKind::ConfigDelta))
}

fn compaction() -> impl Strategy<Value = Event> {
    let compaction = Compaction { from_turn: 0, to_turn: 0, rules: toml::Table::new() };
    event(Just(EventKind::Compaction(compaction)))
}

fn event(kind: impl Strategy<Value = EventKind>) -> impl Strategy<Value = Event> {
    (time(), metadata(), kind)
        .prop_map(|(at, metadata, kind)| Event { metadata, ..Event::new(at, kind) })
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let pairs = prop_oneof![3 => Just(Vec::new()), 1 => vec((text(), value()), 1..3)];
    pairs.prop_map(|pairs| pairs.into_iter().collect())
}

fn time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        (0_i64..4).prop_map(Timestamp::from_seconds),
        Just("2026-01-31T12:00:00.123456789+05:30".parse().unwrap()),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![3 => text().prop_map(Body::from), 1 => any::<Vec<u8>>().prop_map(Body::from)]
}

fn json() -> impl Strategy<Value = Json> {
    let odd = Json::new("{ \"z\":1.50,\n\"a\" : 123456789012345678901234567890 }").unwrap();
    prop_oneof![value().prop_map(|value| Json::new(value.to_string()).unwrap()), Just(odd)]
}

pub fn text() -> impl Strategy<Value = String> {
    let odd =
        ["", " ", "\n", "\0", "\u{1b}[31m", "\u{2028}", "true", "{}", "\"", "---", "\u{feff}"];
    prop_oneof![any::<String>(), "[a-z]{1,6}", select(odd.map(str::to_owned).to_vec())]
}

pub fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A turn with one of each that a list does not hold.
pub fn of_everything() -> Vec<Event> {
    let at = Timestamp::from_seconds(0);
    let event = |kind| Event::new(at, kind);
    let id = CallId::new("c1");
    let block = Block::default;
    let said =
        |text: &str| event(EventKind::Message(Message { content: text.into(), block: block() }));
    let (tool, arguments) = (ToolName::new("read"), Arguments::new("{}"));
    let call = ToolCall { tool, id: id.clone(), arguments, block: block() };
    let result =
        ToolResult { id: id.clone(), tool: None, is_error: false, content: "secret".into() };
    let mut withheld = event(EventKind::ToolResult(result));
    mark_withheld(&mut withheld.metadata);
    let mut superseded = said("Half");
    mark_superseded(&mut superseded.metadata);
    let mut request =
        event(EventKind::Request(Request { content: "Go".into(), interrupts: false }));
    request.extra.insert("color".to_owned(), "red".into());
    let compaction = Compaction { from_turn: 0, to_turn: 0, rules: toml::Table::new() };
    let other: toml::Table = "[ui]\nusage = true\n".parse().unwrap();
    let source = "a.txt".to_owned();
    let attachment = Attachment { source, media_type: None, content: "x".into() };
    vec![
        event(EventKind::ConfigDelta(with_system_prompt("Be kind"))),
        event(EventKind::ConfigDelta(other)),
        request,
        superseded,
        event(EventKind::ToolCall(call)),
        event(question(&id)),
        event(answer(&id)),
        event(start(&id)),
        withheld,
        said("Done"),
        event(EventKind::Compaction(compaction)),
        event(EventKind::Attachment(attachment)),
    ]
}
