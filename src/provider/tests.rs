//! What the tests of all wire formats share.

use serde_json::Value;

use super::{
    Block, Content, Effort, Piece, ProviderError, Query, Sampling, ToolSpec, Trouble,
    decoder::Decoder, frames::Frames, stream::hear_stream,
};
use crate::{
    model::{Arguments, CallId, Finish, ModelName, Native, ToolName, Usage},
    projection::{Message, Part, PartKind, Role},
};

/// Arguments that no value in memory holds as they are.
pub(super) const EXACT: &str =
    "{\"z\":  12345678901234567890123.50, \"a\" : [1.0,  1e2, \"\\u00fc\"]}";

/// A query of `test/model` that may read and list files.
pub(super) fn query(roles: Vec<Role>) -> Query {
    let tool = |name: &str| ToolSpec {
        name: ToolName::new(name),
        description: format!("{name} it"),
        parameters: serde_json::json!({ "type": "object", "properties": {} }),
    };
    let message = |role| Message { turn: Some(0), incomplete: false, addresses: Vec::new(), role };
    Query {
        model: "test/model".to_owned(),
        messages: roles.into_iter().map(message).collect(),
        tools: vec![tool("fs_read"), tool("fs_list")],
        schema: None,
        sampling: Sampling::default(),
    }
}

/// A query with one tool that says how it should be answered, and how a tool is sent by services
/// that call it a function.
pub(super) fn sampled_query(reasoning: Effort, roles: Vec<Role>) -> (Query, Value) {
    let mut query = query(roles);
    query.tools.truncate(1);
    query.sampling =
        Sampling { max_tokens: Some(9), temperature: Some(0.5), reasoning: Some(reasoning) };
    let tool = serde_json::json!({
        "type": "function",
        "function": {
            "name": "fs_read", "description": "fs_read it",
            "parameters": { "type": "object", "properties": {} },
        },
    });
    (query, tool)
}

pub(super) fn system(content: &str) -> Role {
    Role::System { content: content.to_owned() }
}

pub(super) fn user(content: &str) -> Role {
    Role::User { content: content.into(), attachments: Vec::new() }
}

/// An answer of a model that ended.
pub(super) fn answer(model: &str, parts: Vec<Part>) -> Role {
    let model = Some(ModelName::new(model));
    Role::Assistant { model, answer: None, parts, finish: Some(Finish::Stop) }
}

pub(super) fn result(id: &str, content: &str) -> Role {
    Role::Tool { id: CallId::new(id), tool: None, is_error: false, content: content.into() }
}

/// A result that tells of a failure.
pub(super) fn failed(id: &str, content: &str) -> Role {
    Role::Tool { id: CallId::new(id), tool: None, is_error: true, content: content.into() }
}

pub(super) fn text(content: &str) -> Part {
    part(PartKind::Text(content.into()))
}

pub(super) fn thought(content: &str, signature: &str) -> Part {
    let signature = Some(signature.to_owned()).filter(|signature| !signature.is_empty());
    Part { signature, ..part(PartKind::Reasoning(content.into())) }
}

pub(super) fn call(id: &str, tool: &str, arguments: &str) -> Part {
    let (id, tool) = (CallId::new(id), ToolName::new(tool));
    part(PartKind::Call { id, tool, arguments: Arguments::new(arguments) })
}

pub(super) fn native(part: Part, api: &str, block: Value) -> Part {
    Part { native: Some(Native { api: api.to_owned(), block }), ..part }
}

fn part(kind: PartKind) -> Part {
    Part { kind, signature: None, native: None }
}

pub(super) fn called(id: &str, tool: &str, arguments: &str) -> Content {
    let (id, tool) = (CallId::new(id), ToolName::new(tool));
    Content::Call { id, tool, arguments: arguments.to_owned() }
}

/// All that was heard.
#[derive(Debug, PartialEq)]
pub(super) struct Heard {
    pub pieces: Vec<Piece>,
    pub end: Result<(), ProviderError>,
}

impl Heard {
    pub fn blocks(&self) -> Vec<Block> {
        let blocks = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block.clone()),
            _ => None,
        });
        blocks.collect()
    }

    pub fn contents(&self) -> Vec<Content> {
        self.blocks().into_iter().map(|block| block.content).collect()
    }

    pub fn finish(&self) -> Option<Finish> {
        self.pieces.iter().find_map(|piece| match piece {
            Piece::Finish(finish) => Some(finish.clone()),
            _ => None,
        })
    }

    pub fn usage(&self) -> Option<Usage> {
        self.pieces.iter().rev().find_map(|piece| match piece {
            Piece::Usage(usage) => Some(*usage),
            _ => None,
        })
    }

    pub fn trouble(&self) -> Option<Trouble> {
        self.end.as_ref().err().map(|error| error.trouble)
    }
}

/// Hears a stream whole, byte by byte, and split at many places, which must all be the same.
pub(super) fn hear<F: Frames + Default>(bytes: &[u8], decoder: impl Fn() -> Decoder) -> Heard {
    let heard = hear_chunks::<F>(&[bytes], decoder());
    check_parts(&heard);
    let single: Vec<_> = bytes.chunks(1).collect();
    assert_eq!(hear_chunks::<F>(&single, decoder()), heard, "byte by byte");
    // Byte by byte, every place is a split already; these leave something before and after it.
    for at in (1..bytes.len()).step_by(1 + bytes.len() / 300) {
        let chunks = [&bytes[..at], &bytes[at..]];
        assert_eq!(hear_chunks::<F>(&chunks, decoder()), heard, "split at {at}");
    }
    heard
}

/// Hears a stream whole, whatever its parts are.
pub(super) fn hear_unchecked<F: Frames + Default>(bytes: &[u8], decoder: Decoder) -> Heard {
    hear_chunks::<F>(&[bytes], decoder)
}

fn hear_chunks<F: Frames + Default>(chunks: &[&[u8]], mut decoder: Decoder) -> Heard {
    let mut chunks = chunks.iter().filter(|chunk| !chunk.is_empty());
    let mut rest: &[u8] = &[];
    let mut pieces = Vec::new();
    let mut read = |buffer: &mut [u8]| {
        if rest.is_empty() {
            rest = chunks.next().copied().unwrap_or_default();
        }
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        Ok(count)
    };
    let mut frames = F::default();
    let end = hear_stream(&mut read, &mut frames, &mut decoder, &mut |piece| pieces.push(piece));
    Heard { pieces, end }
}

/// Changes every value of every event to something else, one at a time: whatever comes of it, the
/// decoder must not panic.
pub(super) fn distort(events: &[Value], decoder: impl Fn() -> Decoder) {
    let others = [
        Value::Null,
        true.into(),
        u64::MAX.into(),
        (-1).into(),
        "x".into(),
        serde_json::json!([]),
        serde_json::json!(["x", { "x": 1 }]),
        serde_json::json!({ "x": 1 }),
    ];
    for (index, event) in events.iter().enumerate() {
        let mut pointers = Vec::new();
        gather_pointers(event, String::new(), &mut pointers);
        for (pointer, other) in pointers.iter().flat_map(|p| others.iter().map(move |o| (p, o))) {
            let mut changed = events.to_vec();
            *changed[index].pointer_mut(pointer).unwrap() = other.clone();
            let lines: String = changed.iter().map(|event| format!("{event}\n")).collect();
            hear_chunks::<super::ndjson::Lines>(&[lines.as_bytes()], decoder());
        }
    }
}

fn gather_pointers(value: &Value, at: String, pointers: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                gather_pointers(inner, format!("{at}/{key}"), pointers);
            }
        }
        Value::Array(values) => {
            for (index, inner) in values.iter().enumerate() {
                gather_pointers(inner, format!("{at}/{index}"), pointers);
            }
        }
        _ => {}
    }
    pointers.push(at);
}

/// The data of a fixture.
pub(super) fn events(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Every block holds the parts before it, and nothing but usage comes after the finish.
fn check_parts(heard: &Heard) {
    let mut parts = String::new();
    let mut finished = false;
    for piece in &heard.pieces {
        assert!(!finished || matches!(piece, Piece::Usage(_)), "{piece:?} after the finish");
        match piece {
            Piece::Text(part) | Piece::Reasoning(part) | Piece::Call(part) => parts.push_str(part),
            Piece::Block(block) => {
                let whole = match &block.content {
                    Content::Text(text) | Content::Reasoning(text) => text.clone(),
                    Content::Data(_) => String::new(),
                    Content::Call { tool, arguments, .. } => format!("{tool}{arguments}"),
                };
                let parts = std::mem::take(&mut parts);
                assert!(
                    parts == whole || format!("{parts}{{}}") == whole,
                    "{parts} is not {whole}"
                );
            }
            Piece::Usage(_) => {}
            Piece::Finish(_) => finished = true,
        }
    }
}
