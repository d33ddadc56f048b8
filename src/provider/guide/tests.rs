use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{instance::instance, *};
use crate::{
    cancel::Cancel,
    model::{Arguments, CallId, Finish, ModelName, ToolName},
    projection::{Message, Part, PartKind, Role, Takes},
    provider::{Block, Content, Piece, Provider, Query, Sampling, ToolSpec, Trouble},
};

pub(super) fn message(role: Role) -> Message {
    Message { turn: Some(0), incomplete: true, addresses: Vec::new(), role }
}

pub(super) fn asked(text: &str) -> Query {
    let user = message(Role::User { content: text.into(), attachments: Vec::new() });
    Query {
        model: "guide/jp".to_owned(),
        messages: vec![user],
        tools: Vec::new(),
        schema: None,
        sampling: Sampling::default(),
        takes: Takes::default(),
    }
}

/// The text that answers a question.
pub(super) fn answer(question: &str) -> String {
    match reply(&asked(question)).as_slice() {
        [Block { content: Content::Text(text), .. }] => text.clone(),
        other => panic!("{question}: {other:?}"),
    }
}

/// The title and the text of the quote in an answer.
pub(super) fn quote_of(answer: &str) -> &str {
    let quote = answer.split_once("\n## ").map_or("", |(_, quote)| quote);
    quote.split_once("\nFrom `").map_or("", |(quote, _)| quote)
}

fn with_tools(text: &str, names: &[&str]) -> Query {
    let mut query = asked(text);
    query.tools = names
        .iter()
        .map(|name| ToolSpec {
            name: ToolName::new(*name),
            description: String::new(),
            parameters: json!({ "type": "object" }),
        })
        .collect();
    query
}

fn called(query: &mut Query, tool: &str, is_error: bool, result: &str) {
    let (id, tool) = (CallId::new("call-1"), ToolName::new(tool));
    let kind =
        PartKind::Call { id: id.clone(), tool: tool.clone(), arguments: Arguments::new("{}") };
    query.messages.push(message(Role::Assistant {
        model: Some(ModelName::new("guide/jp")),
        answer: None,
        parts: vec![Part { kind, signature: None, native: None }],
        finish: Some(Finish::ToolCalls),
    }));
    let content = result.into();
    query.messages.push(message(Role::Tool { id, tool: Some(tool), is_error, content }));
}

fn contents(query: &Query) -> Vec<Content> {
    reply(query).into_iter().map(|block| block.content).collect()
}

fn call(id: &str, tool: &str, arguments: &str) -> Content {
    let (id, tool) = (CallId::new(id), ToolName::new(tool));
    Content::Call { id, tool, arguments: arguments.to_owned() }
}

#[test]
fn an_answer_quotes_a_section_and_names_commands_and_other_sections() {
    let expected = "\
*Built-in guide, not a language model: this is what the documentation says.*

## jp conversation redo

Do again what undo took back.

Works until something new happens.

```text
jp conversation redo [OPTIONS] [ID]
```
";
    let answer = answer("how do I redo?");
    assert!(answer.starts_with(expected), "{answer}");
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines.contains(&"From `docs/reference.md`."), "{answer}");
    let command = "- `jp conversation redo [OPTIONS] [ID]`: Do again what undo took back";
    assert!(lines.contains(&command), "{answer}");
    assert!(lines.contains(&"- Take back (`docs/guides/history.md`)"), "{answer}");
    assert!(!answer.contains("--no-pager"), "{answer}");
}

#[test]
fn the_lines_of_a_request_are_followed() {
    let query = with_tools(
        "Please:\nthink about it\nsay Now I look.\ncall read {\"path\": \"a\"}\ncall read nonsense",
        &["read", "write"],
    );
    let expected = [
        Content::Reasoning("about it".to_owned()),
        Content::Text("Now I look.".to_owned()),
        call("call-1", "read", "{\"path\": \"a\"}"),
        call("call-2", "read", "nonsense"),
    ];
    assert_eq!(contents(&query), expected);
}

#[test]
fn a_tool_that_is_not_there_is_answered_with_those_that_are() {
    let said = |query: &Query| match contents(query).as_slice() {
        [Content::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    let text = said(&with_tools("call raed {}", &["read", "write"]));
    let expected = "*Built-in guide, not a language model.*\n\n\
        There is no tool `raed`: there are `read`, `write`.";
    assert_eq!(text, expected);
    assert!(said(&asked("call read {}")).contains("there are no tools in this conversation"));
}

#[test]
fn thoughts_alone_come_with_a_text() {
    let blocks = contents(&asked("think hard\nhow do I redo?"));
    assert_eq!(blocks[0], Content::Reasoning("hard".to_owned()));
    assert!(matches!(&blocks[1], Content::Text(text) if text.contains("jp conversation redo")));
    let blocks = contents(&asked("think hard"));
    assert!(matches!(&blocks[1], Content::Text(text) if text.starts_with("*Built-in guide")));
}

#[test]
fn results_of_tools_are_shown_in_short() {
    let mut query = with_tools("call read {}", &["read"]);
    let long: String = (1..=12).map(|line| format!("line {line} ```\n")).collect();
    called(&mut query, "read", false, &long);
    let id = CallId::new("call-2");
    query.messages.push(message(Role::Tool { id, tool: None, is_error: true, content: "".into() }));
    let expected = "*Built-in guide, not a language model: this is what the tools said.*\n\n\
        `read` (call-1) succeeded:\n\n````text\nline 1 ```\nline 2 ```\nline 3 ```\nline 4 ```\n\
        line 5 ```\nline 6 ```\nline 7 ```\nline 8 ```\nline 9 ```\nline 10 ```\n````\n\
        … and 24 bytes more.\n\n`a tool` (call-2) failed and said nothing.";
    assert_eq!(contents(&query), [Content::Text(expected.to_owned())]);
    query
        .messages
        .push(message(Role::User { content: "call read {}".into(), attachments: Vec::new() }));
    assert_eq!(contents(&query), [call("call-2", "read", "{}")]);
}

#[test]
fn data_is_given_after_the_calls() {
    let mut query = with_tools("call read {}", &["read"]);
    query.schema = Some(json!({ "type": "object", "required": ["n"] }));
    assert_eq!(contents(&query), [call("call-1", "read", "{}")]);
    called(&mut query, "read", false, "x");
    let blocks = contents(&query);
    assert!(
        matches!(&blocks[0], Content::Reasoning(text) if text.contains("not a language model"))
    );
    let data = Content::Data(r#"{"n":"not a language model"}"#.to_owned());
    assert_eq!(blocks[1..], [data]);
}

#[test]
fn the_data_fits_the_schema() {
    let schemas = [
        json!(true),
        json!({ "type": "string", "minLength": 30, "maxLength": 40 }),
        json!({ "type": "string", "maxLength": 3 }),
        json!({ "type": "string", "format": "date-time" }),
        json!({ "type": ["integer", "null"], "minimum": 3, "multipleOf": 5 }),
        json!({ "type": "integer", "exclusiveMaximum": -2 }),
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 0.5 }),
        json!({ "enum": ["red", "green"] }),
        json!({ "const": { "a": 1 } }),
        json!({ "type": "array", "minItems": 3, "uniqueItems": true, "items": { "type": "integer" } }),
        json!({ "type": "array", "minItems": 2, "uniqueItems": true, "items": { "enum": ["a", "b"] } }),
        json!({ "type": "array", "prefixItems": [{ "const": 1 }, { "type": "string" }], "minItems": 2 }),
        json!({ "type": "array", "contains": { "const": 7 } }),
        json!({ "type": "object", "minProperties": 2, "additionalProperties": { "type": "boolean" } }),
        json!({
            "$defs": {
                "plant": {
                    "type": "object",
                    "required": ["name", "sown"],
                    "properties": {
                        "name": { "type": "string" },
                        "sown": { "type": "boolean" },
                        "next": { "$ref": "#/$defs/plant" }
                    },
                    "additionalProperties": false
                }
            },
            "allOf": [{ "required": ["plants"] }],
            "properties": {
                "plants": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/plant" } },
                "note": { "anyOf": [{ "type": "null" }, { "type": "string" }] }
            },
            "required": ["note"],
            "additionalProperties": false
        }),
    ];
    for schema in schemas {
        let data = instance(&schema);
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        assert!(validator.is_valid(&data), "{data} does not fit {schema}");
    }
}

#[test]
fn a_schema_without_end_gives_data_of_bounded_size() {
    let schema = json!({
        "type": "object",
        "required": ["a", "b"],
        "properties": { "a": { "$ref": "#" }, "b": { "$ref": "#" } }
    });
    assert!(instance(&schema).to_string().len() < 100_000);
    let itself = json!({ "$ref": "#" });
    assert_eq!(instance(&itself), Value::String("not a language model".to_owned()));
}

#[test]
fn the_provider_streams_what_the_guide_says() {
    let query = with_tools("say a\ncall read {}", &["read"]);
    let hear = |query: &Query, cancel: &Cancel| {
        let mut pieces = Vec::new();
        let result = GuideProvider.answer(query, cancel, &mut |piece| pieces.push(piece));
        (pieces, result)
    };
    let (pieces, result) = hear(&query, &Cancel::new());
    let block = |content| Piece::Block(Block::new(content));
    let expected = [
        Piece::Text("a".to_owned()),
        block(Content::Text("a".to_owned())),
        Piece::Call("read".to_owned()),
        Piece::Call("{}".to_owned()),
        block(call("call-1", "read", "{}")),
        Piece::Finish(Finish::ToolCalls),
    ];
    assert_eq!((pieces.as_slice(), result), (&expected[..], Ok(())));

    let (pieces, _) = hear(&asked("how do I undo?"), &Cancel::new());
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let texts: Vec<&str> = texts.collect();
    assert!(texts.len() > 3);
    assert_eq!(texts.concat(), answer("how do I undo?"));
    assert_eq!(pieces.last(), Some(&Piece::Finish(Finish::Stop)));

    let cancel = Cancel::new();
    cancel.cancel();
    let (pieces, result) = hear(&query, &cancel);
    assert_eq!((pieces.len(), result.unwrap_err().trouble), (0, Trouble::Cancelled));
    let mut other = query.clone();
    other.model = "guide/other".to_owned();
    assert_eq!(hear(&other, &Cancel::new()).1.unwrap_err().trouble, Trouble::Model);
}

#[test]
fn an_answer_comes_at_once() {
    let mut times = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        let index = index::Index::new(pages::PAGES.iter().flat_map(section::sections).collect());
        let question = question::Question::new("how do I undo the last change?");
        assert!(!index.search(&question).is_empty());
        times.push(began.elapsed());
    }
    // It takes a tenth of this on an idle machine; the rest is for a busy one.
    let quickest = times.iter().min().unwrap();
    assert!(*quickest < Duration::from_secs(1), "{times:?}");
}

proptest! {
    #[test]
    fn any_request_gets_the_same_answer_of_bounded_size(
        text in "(call |say |think |undo |how |delete |\\{|\\}|\"|`|\n|conversation |.){0,60}"
    ) {
        let query = with_tools(&text, &["how"]);
        let blocks = reply(&query);
        prop_assert!(!blocks.is_empty());
        let size: usize = blocks.iter().map(|block| match &block.content {
            Content::Text(text) | Content::Reasoning(text) | Content::Data(text) => text.len(),
            Content::Call { arguments, .. } => arguments.len(),
        }).sum();
        prop_assert!(size < 200 * text.len() + 12_000, "{}", size);
        prop_assert_eq!(blocks, reply(&query));
    }

    #[test]
    fn any_result_is_shown(text in "(`|~|\n|.){0,200}") {
        let mut query = with_tools("call read {}", &["read"]);
        called(&mut query, "read", false, &text);
        prop_assert_eq!(reply(&query).len(), 1);
    }
}
