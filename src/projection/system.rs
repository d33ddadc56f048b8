//! The system prompt that is in force at the end of a stream.

use toml::{Table, Value};

use crate::model::{Entry, EventKind, Stream};

const TABLE: &str = "assistant";
const KEY: &str = "system_prompt";

/// The text at `assistant.system_prompt`, in the configuration that the conversation began with
/// and as its changes left it. A blank text is none.
pub fn system_prompt(config: Option<&Table>, stream: &Stream) -> Option<String> {
    in_force(config, stream).map(|(prompt, _)| prompt.to_owned())
}

/// The same, with the change that set it; none if the conversation began with it.
pub(super) fn in_force<'a>(
    config: Option<&'a Table>,
    stream: &'a Stream,
) -> Option<(&'a str, Option<&'a Entry>)> {
    let changes = stream.entries().filter_map(|entry| match &entry.event.kind {
        EventKind::ConfigDelta(change) => Some((change, Some(entry))),
        _ => None,
    });
    let mut prompt = None;
    for (layer, entry) in config.map(|config| (config, None)).into_iter().chain(changes) {
        match layer.get(TABLE) {
            None => {}
            Some(Value::Table(assistant)) => match assistant.get(KEY) {
                None => {}
                Some(Value::String(text)) => prompt = Some((text.as_str(), entry)),
                Some(_) => prompt = None,
            },
            // The table is gone, and the key with it.
            Some(_) => prompt = None,
        }
    }
    prompt.filter(|(text, _)| !text.trim().is_empty())
}

/// The configuration that sets a system prompt and nothing else.
pub fn with_system_prompt(prompt: &str) -> Table {
    let mut assistant = Table::new();
    assistant.insert(KEY.to_owned(), prompt.into());
    let mut config = Table::new();
    config.insert(TABLE.to_owned(), assistant.into());
    config
}
