use proptest::prelude::*;

use super::*;
use crate::format::strategies::{event, text};
use crate::model::{Arguments, Block, CallId, EventKind, Metadata, ToolCall, ToolName};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_event_reads_back_as_it_was(event in event()) {
        let bytes = encode(&event).unwrap();
        let form = Form::of_type(event.event_type());
        let decoded = decode(&bytes, form, None, Timestamp::from_seconds(0));
        let decoded = decoded.map_err(|flaws| TestCaseError::fail(format!("{flaws:?}\n{}", String::from_utf8_lossy(&bytes))))?;
        prop_assert_eq!(&decoded.event, &event);
        prop_assert!(decoded.has_timestamp);
        prop_assert_eq!(encode(&decoded.event).unwrap(), bytes.clone());
        if form == Form::Markdown {
            prop_assert_eq!(Form::sniff(&bytes), form);
            let mut longer = bytes.clone();
            if !longer.ends_with(b"\n") { longer.push(b'\n'); }
            let again = decode(&longer, form, None, Timestamp::from_seconds(0)).unwrap();
            prop_assert_eq!(again.event, event);
        }
    }

    #[test]
    fn garbage_is_refused_without_a_panic(bytes in any::<Vec<u8>>(), header in text()) {
        let epoch = Timestamp::from_seconds(0);
        let framed = [b"---\n", header.as_bytes(), b"\n---\n", &bytes].concat();
        for bytes in [&bytes, &framed] {
            for form in [Form::Markdown, Form::Toml] {
                if let Err(flaws) = decode(bytes, form, None, epoch) {
                    prop_assert!(!flaws.is_empty());
                }
            }
        }
    }
}

#[test]
fn the_examples_of_the_format_are_fixed_bytes() {
    let event = Event {
        timestamp: "2026-01-31T12:00:00Z".parse().unwrap(),
        metadata: [("usage".to_owned(), serde_json::json!({"input": 3}))].into_iter().collect(),
        extra: Metadata::new(),
        kind: EventKind::ToolCall(ToolCall {
            tool: ToolName::new("fs_create_file"),
            id: CallId::new("call_abc123"),
            arguments: Arguments::new("{\n  \"path\": \"src/main.rs\"\n}"),
            block: Block::default(),
        }),
    };
    let text = "---\ntype: tool-call\ntool: fs_create_file\nid: call_abc123\n\
        timestamp: 2026-01-31T12:00:00Z\nmetadata:\n  usage:\n    input: 3\n---\n\
        ```json\n{\n  \"path\": \"src/main.rs\"\n}\n```\n";
    assert_eq!(String::from_utf8(encode(&event).unwrap()).unwrap(), text);
}

#[test]
fn flaws_tell_file_line_and_all_at_once() {
    let flaws = |text: &str| {
        let form = Form::sniff(text.as_bytes());
        let flaws = decode(text.as_bytes(), form, None, Timestamp::from_seconds(0)).unwrap_err();
        flaws.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        flaws("---\ntype: tool-call\ntool: x\nid: 7\ntimestamp: soon\n---\n```json\n{\n```\n"),
        [
            "line 5, column 1: key `timestamp`: `soon` is not a time such as `2026-01-31T12:00:00Z` \
         or `2026-01-31T14:00:00+02:00`",
            "line 4, column 1: key `id`: invalid type: integer `7`, expected a string",
            "line 8, column 1: not valid JSON: EOF while parsing an object",
        ]
    );
    assert_eq!(flaws("---\ntype: note\n---\n").len(), 1);
    assert_eq!(
        flaws("---\ntype: message\n"),
        ["line 1, column 1: the frontmatter has no end: expected a second line of `---`"]
    );
    assert_eq!(
        flaws("from_turn = 0\n[event]\ntype = \"compaction\"\n"),
        ["line 1, column 1: key `to_turn` is missing"]
    );
    assert_eq!(flaws("a = 1\nb = = 2\n")[0].split(':').next(), Some("line 2, column 5"));
}

#[test]
fn deep_toml_is_refused_without_overflow() {
    let epoch = Timestamp::from_seconds(0);
    for text in [
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a = {}", "{a=".repeat(100_000)),
        format!("{}a = 1", "a.".repeat(100_000)),
        format!("[{}a]", "a.".repeat(100_000)),
    ] {
        assert!(decode(text.as_bytes(), Form::Toml, Some(EventType::ConfigDelta), epoch).is_err());
    }
}
