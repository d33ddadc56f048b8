//! What tests of several formats make up.

use proptest::prelude::*;
use serde_json::Value;

use crate::model::{
    Answer, AnswerId, AnswerType, Arguments, Attachment, Block, Body, CallId, Choice, Compaction,
    Event, EventKind, Finish, InquiryId, InquiryKind, InquiryRequest, InquiryResponse, Json,
    Message, Metadata, ModelName, Outcome, Reasoning, Request, Signature, Structured, Timestamp,
    ToolCall, ToolName, ToolResult, ToolStart,
};

/// Any value of JSON that holds no others, with these texts.
pub fn scalar(text: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Value::from),
        text.prop_map(Value::from),
    ]
}

/// Texts that have hurt writers of files before.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\n]{0,40}",
        prop::sample::select(vec![
            "",
            "\n",
            "\r\n",
            "\r",
            "a",
            "a\n",
            "a\n\n",
            "---",
            "---\n",
            "\n---\n",
            "```",
            "````\n```\n",
            "~~~",
            "\u{feff}",
            "\u{2028}",
            "\u{85}",
            "\0",
            "\u{1b}[31m",
            "true",
            "- a: b",
            "# x",
            "[event]",
            "\"",
            "'",
            "\\",
            "\u{202e}",
        ])
        .prop_map(str::to_owned),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![4 => text().prop_map(Body::from), 1 => any::<Vec<u8>>().prop_map(Body::from)]
}

fn value() -> impl Strategy<Value = Value> {
    scalar(text()).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn map() -> impl Strategy<Value = Metadata> {
    prop::collection::vec((text(), value()), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

/// Unknown keys that both YAML and TOML can hold.
fn extra() -> impl Strategy<Value = Metadata> {
    prop::collection::vec(("x-[a-z ]{0,8}", "[ -~]{0,8}"), 0..3)
        .prop_map(|pairs| pairs.into_iter().map(|(key, text)| (key, Value::from(text))).collect())
}

fn table() -> impl Strategy<Value = toml::Table> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(toml::Value::from),
        any::<i64>().prop_map(toml::Value::from),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(toml::Value::from),
        text().prop_map(toml::Value::from),
        Just("1979-05-27T07:32:00Z".parse::<toml::value::Datetime>().unwrap())
            .prop_map(toml::Value::Datetime),
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(toml::Value::Array),
            prop::collection::vec((text(), inner), 0..3)
                .prop_map(|pairs| toml::Value::Table(pairs.into_iter().collect())),
        ]
    });
    let key = text().prop_filter("reserved", |key| {
        !["event", "id", "attempt", "from_turn", "to_turn"].contains(&key.as_str())
    });
    prop::collection::vec((key, value), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn json() -> impl Strategy<Value = Json> {
    prop_oneof![
        value().prop_map(|value| value.to_string()),
        value().prop_map(|value| serde_json::to_string_pretty(&value).unwrap()),
        Just("{ \"z\":1,\n\"a\" : 123456789012345678901234567890.5e-400 }\n".to_owned()),
        Just("\"```\\n````\"".to_owned()),
        Just("[".repeat(500) + &"]".repeat(500)),
    ]
    .prop_map(|text| Json::new(text).unwrap())
}

fn arguments() -> impl Strategy<Value = Arguments> {
    prop_oneof![json().prop_map(Arguments::Json), text().prop_map(Arguments::Text)]
}

fn block() -> impl Strategy<Value = Block> {
    let finish = prop_oneof![
        Just(Finish::Stop),
        Just(Finish::Length),
        Just(Finish::ToolCalls),
        Just(Finish::ContentFilter),
        Just(Finish::Cancelled),
        "[a-z_]{1,9}x".prop_map(Finish::Other),
    ];
    let parts = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(finish),
        prop::option::of((text(), text())),
    );
    parts.prop_map(|(model, answer, finish, signature)| Block {
        model: model.map(ModelName::new),
        answer: answer.map(AnswerId::new),
        finish,
        signature: signature.map(|(value, covers)| Signature { value, covers }),
    })
}

fn answer_type() -> impl Strategy<Value = AnswerType> {
    let choices = prop::collection::vec((text(), prop::option::of(text())), 1..4);
    prop_oneof![
        prop::option::of(any::<bool>()).prop_map(|default| AnswerType::Boolean { default }),
        prop::option::of(text()).prop_map(|default| AnswerType::Text { default }),
        Just(AnswerType::Secret),
        (choices, any::<bool>()).prop_map(|(choices, with_default)| {
            let default = with_default.then(|| choices[0].0.clone());
            let choice = |(value, description)| Choice { value, description };
            AnswerType::Select { options: choices.into_iter().map(choice).collect(), default }
        }),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Cancelled),
        Just(Outcome::Redacted),
        any::<bool>().prop_map(|flag| Outcome::Answered(Answer::Boolean(flag))),
        text().prop_map(|value| Outcome::Answered(Answer::Select(value))),
        body().prop_map(|body| Outcome::Answered(Answer::Text(body))),
    ]
}

fn kind() -> impl Strategy<Value = EventKind> {
    let inquiry_kind = prop::sample::select(vec![
        InquiryKind::RunTool,
        InquiryKind::DeliverResult,
        InquiryKind::ToolQuestion,
    ]);
    prop_oneof![
        (body(), any::<bool>())
            .prop_map(|(content, interrupts)| EventKind::Request(Request { content, interrupts })),
        (body(), block())
            .prop_map(|(content, block)| EventKind::Message(Message { content, block })),
        (body(), block())
            .prop_map(|(content, block)| EventKind::Reasoning(Reasoning { content, block })),
        (json(), block())
            .prop_map(|(data, block)| EventKind::Structured(Structured { data, block })),
        (text(), text(), arguments(), block()).prop_map(|(tool, id, arguments, block)| {
            let (tool, id) = (ToolName::new(tool), CallId::new(id));
            EventKind::ToolCall(ToolCall { tool, id, arguments, block })
        }),
        (text(), 1..u32::MAX, table()).prop_map(|(id, attempt, rest)| {
            EventKind::ToolStart(ToolStart { id: CallId::new(id), attempt, rest })
        }),
        (text(), prop::option::of(text()), any::<bool>(), body()).prop_map(
            |(id, tool, is_error, content)| {
                let (id, tool) = (CallId::new(id), tool.map(ToolName::new));
                EventKind::ToolResult(ToolResult { id, tool, is_error, content })
            }
        ),
        (
            text(),
            inquiry_kind,
            text(),
            prop::option::of(text()),
            answer_type(),
            any::<bool>(),
            body()
        )
            .prop_map(|(id, kind, tool, call, answer, exclusive, text)| {
                EventKind::InquiryRequest(InquiryRequest {
                    id: InquiryId::new(id),
                    kind,
                    tool: Some(ToolName::new(tool)),
                    call: call.map(CallId::new),
                    answer,
                    exclusive,
                    text,
                })
            }),
        (text(), outcome()).prop_map(|(id, outcome)| {
            EventKind::InquiryResponse(InquiryResponse { id: InquiryId::new(id), outcome })
        }),
        (text(), prop::option::of(text()), body()).prop_map(|(source, media_type, content)| {
            EventKind::Attachment(Attachment { source, media_type, content })
        }),
        table().prop_map(EventKind::ConfigDelta),
        (0..9_u64, 0..9_u64, table()).prop_map(|(from_turn, turns, rules)| {
            EventKind::Compaction(Compaction { from_turn, to_turn: from_turn + turns, rules })
        }),
    ]
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        (0_i64..4_000_000_000).prop_map(Timestamp::from_seconds),
        Just("2026-01-31T12:00:00.123456789+05:30".parse().unwrap()),
    ]
}

/// Any event.
pub fn event() -> impl Strategy<Value = Event> {
    (timestamp(), map(), extra(), kind()).prop_map(|(timestamp, metadata, extra, kind)| Event {
        timestamp,
        metadata,
        extra,
        kind,
    })
}
