//! `meta.toml`: what is known about a conversation beside its events.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::{Flaw, FormatVersion, header::missing_key};
use crate::model::{ConversationId, Forked, Meta, Timestamp};

/// The content of `meta.toml`; other keys are kept.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct MetaTable {
    /// The version of the format, as `major.minor`.
    #[schemars(regex(pattern = "^[0-9]+\\.[0-9]+$"))]
    pub format: String,
    /// What people call the conversation.
    pub title: Option<String>,
    /// When it began: RFC 3339 with an offset.
    #[schemars(extend("format" = "date-time"))]
    pub created: Option<String>,
    /// Marks by which people find it again.
    #[serde(default)]
    pub labels: std::collections::BTreeMap<String, String>,
    /// Where it was forked from.
    pub forked: Option<ForkedTable>,
}

/// Where a conversation was forked from.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct ForkedTable {
    /// The id of the conversation.
    #[schemars(regex(pattern = "^jp-c[0-9]+$"))]
    pub from: String,
    /// The commit of it.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub commit: String,
}

/// Reads `meta.toml`. The version is read first, and nothing else if it is not this program's
/// major version.
pub fn decode_meta(bytes: &[u8]) -> Result<(FormatVersion, Meta), Vec<Flaw>> {
    match read(bytes)? {
        (version, meta, flaws) if flaws.is_empty() => Ok((version, meta)),
        (_, _, flaws) => Err(flaws),
    }
}

/// What can be read of a `meta.toml` with flaws.
pub fn salvage_meta(bytes: &[u8]) -> Option<Meta> {
    read(bytes).ok().map(|(_, meta, _)| meta)
}

/// Reads `meta.toml` as far as it goes.
fn read(bytes: &[u8]) -> Result<(FormatVersion, Meta, Vec<Flaw>), Vec<Flaw>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![Flaw::new("the file is not UTF-8")]);
    };
    let mut table = Table::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        vec![Flaw::at_offset(text, offset, format!("invalid TOML: {}", error.message()))]
    })?;
    let line = |key: &str| {
        let line = text.lines().position(|line| line.trim_start().starts_with(key));
        line.map_or(1, |index| index + 1)
    };
    let version = match table.remove("format") {
        Some(toml::Value::String(text)) => FormatVersion::from_str(&text)
            .map_err(|error| vec![Flaw::at_line(line("format"), error.to_string())])?,
        Some(_) => {
            return Err(vec![Flaw::at_line(line("format"), "key `format`: expected a text")]);
        }
        None => return Err(vec![Flaw::at_line(1, "key `format` is missing")]),
    };
    if version.major != FormatVersion::CURRENT.major {
        return Ok((version, Meta::default(), Vec::new()));
    }
    let mut flaws = Vec::new();
    let mut flaw = |key: &str, message: String| flaws.push(Flaw::at_line(line(key), message));
    let mut meta = Meta::default();
    match table.remove("title") {
        None => {}
        Some(toml::Value::String(title)) => meta.title = Some(title),
        Some(_) => flaw("title", "key `title`: expected a text".to_owned()),
    }
    match table.remove("created").map(|value| match value {
        toml::Value::Datetime(time) => time.to_string(),
        toml::Value::String(text) => text,
        other => other.to_string(),
    }) {
        None => {}
        Some(text) => match Timestamp::from_str(&text) {
            Ok(created) => meta.created = Some(created),
            Err(error) => flaw("created", format!("key `created`: {error}")),
        },
    }
    match table.remove("labels") {
        None => {}
        Some(toml::Value::Table(labels)) => {
            for (key, value) in labels {
                match value {
                    toml::Value::String(value) => drop(meta.labels.insert(key, value)),
                    _ => flaw("[labels", format!("label `{key}`: expected a text")),
                }
            }
        }
        Some(_) => flaw("labels", "key `labels`: expected a table".to_owned()),
    }
    match table.remove("forked") {
        None => {}
        Some(value) => match value.try_into::<ForkedTable>() {
            Ok(forked) => match ConversationId::from_str(&forked.from) {
                Ok(from) => meta.forked = Some(Forked { from, commit: forked.commit }),
                Err(error) => flaw("[forked", format!("key `forked.from`: {error}")),
            },
            Err(error) => match missing_key(error.message()) {
                Some(key) => flaw("[forked", format!("key `forked.{key}` is missing")),
                None => flaw("[forked", format!("key `forked`: {}", error.message())),
            },
        },
    }
    meta.extra = table;
    Ok((version, meta, flaws))
}

/// Writes `meta.toml` in the version of this program.
pub fn encode_meta(meta: &Meta) -> Vec<u8> {
    let mut table = Table::new();
    table.insert("format".to_owned(), FormatVersion::CURRENT.to_string().into());
    if let Some(title) = &meta.title {
        table.insert("title".to_owned(), title.as_str().into());
    }
    if let Some(created) = meta.created {
        table.insert("created".to_owned(), created.to_string().into());
    }
    table.extend(meta.extra.clone());
    if !meta.labels.is_empty() {
        let labels = meta.labels.iter().map(|(key, value)| (key.clone(), value.as_str().into()));
        table.insert("labels".to_owned(), toml::Value::Table(labels.collect()));
    }
    if let Some(forked) = &meta.forked {
        let mut origin = Table::new();
        origin.insert("from".to_owned(), forked.from.to_string().into());
        origin.insert("commit".to_owned(), forked.commit.as_str().into());
        table.insert("forked".to_owned(), origin.into());
    }
    toml::to_string(&table).expect("a table of texts and TOML values is TOML").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_reads_back_and_unknown_keys_stay() {
        let text = "format = \"1.0\"\ntitle = \"A \\\"title\\\"\\n\"\ncreated = \"2026-01-31T12:00:00+01:00\"\n\
            color = \"red\"\n\n[labels]\nteam = \"core\"\n\n[forked]\nfrom = \"jp-c1\"\ncommit = \"abc\"\n";
        let (version, meta) = decode_meta(text.as_bytes()).unwrap();
        assert_eq!(version, FormatVersion::CURRENT);
        assert_eq!(meta.extra["color"].as_str(), Some("red"));
        let (_, again) = decode_meta(&encode_meta(&meta)).unwrap();
        assert_eq!(again, meta);
    }

    #[test]
    fn the_version_is_read_before_anything_else() {
        let (version, meta) = decode_meta(b"format = \"2.0\"\ntitle = 7\n").unwrap();
        assert_eq!((version.major, meta), (2, Meta::default()));
        assert!(decode_meta(b"title = \"x\"\n").is_err());
        assert!(decode_meta(b"format = 1.0\n").is_err());
    }

    #[test]
    fn all_flaws_come_with_their_lines() {
        let flaws = decode_meta(b"format = \"1.0\"\ntitle = 7\ncreated = \"soon\"\n").unwrap_err();
        assert_eq!(flaws.iter().map(|flaw| flaw.line).collect::<Vec<_>>(), [Some(2), Some(3)]);
    }
}
