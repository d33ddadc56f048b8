//! The names of files in the directory of a conversation.

use std::{fmt, str::FromStr};

use super::{Form, limits};
use crate::model::{Address, Event, EventKind, EventType};

/// The manifest, in the directory of a conversation and of each sealed run.
pub const MANIFEST_FILE: &str = "CONVERSATION";

/// The directory for what is not an event.
pub const META_DIR: &str = ".conversation";

/// Title, labels and format version, in [`META_DIR`].
pub const META_FILE: &str = "meta.toml";

/// The configuration that the conversation began with, in [`META_DIR`].
pub const CONFIG_FILE: &str = "config.toml";

/// Requests that wait for a running turn to end, in [`META_DIR`].
pub const QUEUE_DIR: &str = "queue";

const MAX_SUFFIX: usize = 80;

/// The name of an event file: `NNN-suffix.md` or `NNN-suffix.toml`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName {
    text: String,
    address: Address,
}

/// A name that cannot be that of an event file or of a sealed run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InvalidName {
    #[error("`{}` leaves the directory", .0.escape_debug())]
    Leaves(String),
    #[error("`{}` is not the name of an event file such as `003-message.md`", .0.escape_debug())]
    NotAnEvent(String),
    #[error("`{}` is not the name of a sealed run such as `100/`", .0.escape_debug())]
    NotARun(String),
}

impl FileName {
    /// The name of an event at an address. The tool is a hint for results, which may not name it.
    pub fn new(address: Address, event: &Event, tool: Option<&str>) -> Self {
        let event_type = event.event_type();
        let tool = match &event.kind {
            EventKind::ToolCall(call) => Some(call.tool.as_str()),
            EventKind::ToolResult(result) => {
                result.tool.as_ref().map(|tool| tool.as_str()).or(tool)
            }
            _ => None,
        };
        let extension = Form::of_type(event_type).extension();
        let suffix = match tool.map(sanitised) {
            Some(tool) if !tool.is_empty() => format!("{event_type}-{tool}"),
            _ => event_type.name().to_owned(),
        };
        Self { text: format!("{address}-{suffix}.{extension}"), address }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number that it begins with.
    pub fn address(&self) -> Address {
        self.address
    }

    /// How the file is written.
    pub fn form(&self) -> Form {
        if self.text.ends_with(".toml") { Form::Toml } else { Form::Markdown }
    }

    /// The type that the name hints at.
    pub fn hinted_type(&self) -> Option<EventType> {
        let (_, suffix) = self.text.split_once('-')?;
        let stem = suffix.rsplit_once('.').map_or(suffix, |(stem, _)| stem);
        let longest_first = |event_type: &&EventType| event_type.name().len();
        let matches = EventType::ALL.iter().filter(|event_type| {
            let rest = stem.strip_prefix(event_type.name());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        matches.max_by_key(longest_first).copied()
    }
}

/// Keeps what is safe in a file name on every system, and replaces the rest.
fn sanitised(tool: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    tool.chars().take(MAX_SUFFIX).map(safe).collect()
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for FileName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if leaves(text) {
            return Err(InvalidName::Leaves(text.to_owned()));
        }
        let parsed = || {
            let (number, suffix) = text.split_once('-')?;
            let stem = suffix.strip_suffix(".md").or_else(|| suffix.strip_suffix(".toml"))?;
            let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            let fits = number.len() >= 3
                && !stem.is_empty()
                && stem.bytes().all(safe)
                && text.len() <= limits::FILE_NAME;
            let address = fits.then(|| number.parse::<Address>().ok()).flatten()?;
            (address.to_string() == number).then_some(address)
        };
        match parsed() {
            Some(address) => Ok(Self { text: text.to_owned(), address }),
            None => Err(InvalidName::NotAnEvent(text.to_owned())),
        }
    }
}

/// The name of a directory that holds a sealed run of events: the number of one of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunName(String);

impl RunName {
    /// The name of a run that holds the event at this address.
    pub fn new(address: Address) -> Self {
        Self(address.to_string())
    }

    /// The name, without a final slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RunName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if leaves(text) {
            return Err(InvalidName::Leaves(text.to_owned()));
        }
        match text.parse::<Address>() {
            Ok(address) if address.to_string() == text => Ok(Self(text.to_owned())),
            _ => Err(InvalidName::NotARun(text.to_owned())),
        }
    }
}

fn leaves(text: &str) -> bool {
    let absolute = text.starts_with(['/', '\\']) || text.get(1..2) == Some(":");
    absolute || text.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_events_are_taken_and_others_refused() {
        for text in ["000-request.md", "12345-tool-call-fs.read_file.md", "004-config-delta.toml"] {
            assert_eq!(text.parse::<FileName>().unwrap().as_str(), text);
        }
        for text in [
            "",
            "00-request.md",
            "0000-request.md",
            "000request.md",
            "000-.md",
            "000-a.txt",
            "000-a b.md",
            "000-é.md",
            "a/000-request.md",
            "000-request.md ",
            "CONVERSATION",
            "000-a\u{1b}[31m.md",
            "0001-request.md",
        ] {
            let error = text.parse::<FileName>().unwrap_err();
            assert_eq!(error, InvalidName::NotAnEvent(text.to_owned()));
        }
        for text in ["../000-request.md", "/000-request.md", "C:000.md", "..\\000-a.md", "a/../b"] {
            let error = text.parse::<FileName>().unwrap_err();
            assert_eq!(error, InvalidName::Leaves(text.to_owned()));
        }
        let long = format!("000-{}.md", "a".repeat(300));
        assert!(long.parse::<FileName>().is_err());
    }

    #[test]
    fn runs_are_named_by_a_number() {
        for text in ["000", "100", "12345"] {
            assert_eq!(text.parse::<RunName>().unwrap().as_str(), text);
        }
        for text in ["", "00", "0100", "run", "..", "1/2", "100/"] {
            assert!(text.parse::<RunName>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_hints_at_its_type() {
        let hint = |text: &str| text.parse::<FileName>().unwrap().hinted_type();
        assert_eq!(hint("004-config-delta.toml"), Some(EventType::ConfigDelta));
        assert_eq!(hint("004-tool-start.toml"), Some(EventType::ToolStart));
        assert_eq!(hint("004-tool-call-message.md"), Some(EventType::ToolCall));
        assert_eq!(hint("004-something.toml"), None);
    }
}
