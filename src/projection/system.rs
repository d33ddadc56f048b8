//! The system prompt that is in force at the end of a stream.

use toml::{Table, Value};

use crate::model::{EventKind, Stream};

const TABLE: &str = "assistant";
const KEY: &str = "system_prompt";

/// The text at `assistant.system_prompt`, in the configuration that the conversation began with
/// and as its changes left it. A blank text is none.
pub fn system_prompt(config: Option<&Table>, stream: &Stream) -> Option<String> {
    let changes = stream.entries().filter_map(|entry| match &entry.event.kind {
        EventKind::ConfigDelta(change) => Some(change),
        _ => None,
    });
    let mut prompt = None;
    for layer in config.into_iter().chain(changes) {
        match layer.get(TABLE) {
            None => {}
            Some(Value::Table(assistant)) => match assistant.get(KEY) {
                None => {}
                Some(Value::String(text)) => prompt = Some(text.as_str()),
                Some(_) => prompt = None,
            },
            // The table is gone, and the key with it.
            Some(_) => prompt = None,
        }
    }
    prompt.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}
