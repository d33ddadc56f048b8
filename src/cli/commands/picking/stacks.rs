//! Looks into the conversations of a list, each from its end.

use crate::{
    env::Env,
    model::{Event, EventKind},
    store::Problem,
    ui::{Content, Glance, Reader},
    workspace::{Row, Tail, Workspace},
};

/// How many events are looked at in search of something that was said.
const SEARCHED: usize = 200;

/// Bytes from which on no further turn is shown.
const ENOUGH: usize = 2 << 10;

/// Bytes after which a turn is cut off.
const MOST: usize = 16 << 10;

/// Bytes of one text that is looked at.
const TEXT: usize = 64 << 10;

/// Events of a conversation that can be searched: others may be waiting to be read.
const SEARCHABLE: usize = 2000;

/// The conversations of a list, in a workspace that nobody else uses.
pub struct Stacks {
    workspace: Workspace,
    rows: Vec<Row>,
}

impl Stacks {
    /// Opens the workspace.
    pub fn open(env: &Env, rows: Vec<Row>) -> Result<Self, String> {
        let workspace = Workspace::open(env).map_err(|error| error.to_string())?;
        let workspace = workspace.ok_or_else(|| "the store is gone".to_owned())?;
        Ok(Self { workspace, rows })
    }

    fn row(&self, item: usize) -> Result<&Row, String> {
        self.rows.get(item).ok_or_else(|| "it is not listed".to_owned())
    }

    fn tail(&self, item: usize) -> Result<Tail<'_>, String> {
        let handle = self.row(item)?.handle();
        self.workspace.tail(&handle).map_err(|error| error.to_string())
    }

    /// What a conversation began with, if nothing else says what it is about.
    fn opening(&self, item: usize, tail: &Tail<'_>) -> Result<Option<String>, String> {
        Ok(match self.row(item)?.heading.title {
            Some(_) => None,
            None => tail.opening().and_then(|event| said(&event)),
        })
    }
}

impl Reader for Stacks {
    fn glance(&mut self, item: usize) -> Result<Glance, String> {
        let tail = self.tail(item)?;
        let opening = self.opening(item, &tail)?;
        let (last, _) = read(tail.take(SEARCHED), 1)?;
        Ok(Glance { opening, last })
    }

    fn preview(&mut self, item: usize) -> Result<String, String> {
        let mut parts = Vec::new();
        let mut bytes = 0;
        for event in self.tail(item)?.take(SEARCHED) {
            let part = match &event {
                Ok(event) => part(event),
                Err(problem) => Some(format!("[cannot be read: {problem}]")),
            };
            let begins_turn = event.is_ok_and(
                |event| matches!(event.kind, EventKind::Request(request) if !request.interrupts),
            );
            if let Some(part) = part {
                bytes += part.len();
                parts.push(part);
            }
            if bytes >= MOST || (begins_turn && bytes >= ENOUGH) {
                break;
            }
        }
        parts.reverse();
        Ok(parts.join("\n\n"))
    }

    fn content(&mut self, item: usize, most: usize) -> Result<Content, String> {
        let tail = self.tail(item)?;
        let opening = self.opening(item, &tail)?;
        let (last, text) = read(tail.take(SEARCHABLE), most)?;
        Ok(Content { glance: Glance { opening, last }, text })
    }
}

/// Reads events, the last one first, until so much was said: what was said last, and all of it. What
/// cannot be read before anything else counts as last.
fn read(
    events: impl Iterator<Item = Result<Event, Problem>>,
    most: usize,
) -> Result<(String, String), String> {
    let (mut last, mut content) = (String::new(), String::new());
    let mut problem = None;
    for event in events {
        match event {
            Ok(event) => {
                let Some(text) = said(&event) else { continue };
                if content.is_empty() {
                    last.clone_from(&text);
                }
                content.push_str(&text);
                content.push('\n');
            }
            Err(error) if content.is_empty() => problem = Some(error.to_string()),
            // What else was said can still be found, and the preview tells of it.
            Err(_) => {}
        }
        if content.len() >= most {
            break;
        }
    }
    match problem {
        Some(problem) if content.is_empty() => Err(problem),
        Some(problem) => Ok((format!("[cannot be read: {problem}] {last}"), content)),
        None => Ok((last, content)),
    }
}

/// What somebody said, if they did.
fn said(event: &Event) -> Option<String> {
    let bytes = match &event.kind {
        EventKind::Request(request) => request.content.as_bytes(),
        EventKind::Message(message) => message.content.as_bytes(),
        EventKind::Structured(structured) => structured.data.as_str().as_bytes(),
        _ => return None,
    };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(TEXT)]);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What stands in a preview of an event.
fn part(event: &Event) -> Option<String> {
    if let EventKind::ToolCall(call) = &event.kind {
        return Some(format!("[calls {}]", call.tool));
    }
    let text = said(event)?;
    Some(match &event.kind {
        EventKind::Request(_) => format!("You: {text}"),
        _ => match event.block().and_then(|block| block.model.as_ref()) {
            Some(model) => format!("{}: {text}", model.as_str()),
            None => format!("Model: {text}"),
        },
    })
}
