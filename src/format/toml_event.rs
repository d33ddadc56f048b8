//! Event files of TOML: the content at the top, everything else in the reserved table `[event]`.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use toml::Table;

use super::{Decoded, EncodeError, Flaw};
use crate::model::{
    CallId, Compaction, Event, EventKind, EventType, Metadata, Timestamp, ToolStart,
};

/// The table for what is not content.
const EVENT: &str = "event";

/// The metadata that TOML cannot hold, as JSON texts, within [`EVENT`].
const METADATA_JSON: &str = "metadata-json";

/// What every TOML event has beside its content, in the table `[event]`.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct EventTable {
    /// The type of the event; without it the name of the file tells.
    #[serde(rename = "type")]
    pub event_type: Option<String>,
    /// When it happened: RFC 3339 with an offset.
    #[schemars(extend("format" = "date-time"))]
    pub timestamp: Option<String>,
    /// Whatever a provider or tool wants to find again.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Metadata that TOML cannot hold, as JSON texts.
    #[serde(default, rename = "metadata-json")]
    pub metadata_json: Map<String, Value>,
}

/// The content of a compaction; every other key is a rule.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct CompactionTable {
    /// The first turn that it covers.
    pub from_turn: u64,
    /// The last turn that it covers.
    pub to_turn: u64,
}

/// The content of a tool-start.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct ToolStartTable {
    /// The id of the call.
    pub id: String,
    /// How many times the tool has been started for this call, from 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
}

/// Reads a TOML event file.
pub fn decode(
    bytes: &[u8],
    hint: Option<EventType>,
    fallback: Timestamp,
) -> Result<Decoded, Vec<Flaw>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![Flaw::new("the file is not UTF-8")]);
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut content = Table::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        vec![Flaw::at_offset(text, offset, format!("invalid TOML: {}", error.message()))]
    })?;
    let mut file = File { text, flaws: Vec::new() };
    match file.event(&mut content, hint, fallback) {
        Some(decoded) if file.flaws.is_empty() => Ok(decoded),
        _ => Err(file.flaws),
    }
}

/// Checks a base configuration: it is TOML, whatever its keys mean.
pub fn check_config(bytes: &[u8]) -> Result<(), Vec<Flaw>> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(vec![Flaw::new("the file is not UTF-8")]);
    };
    Table::from_str(text).map(drop).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        vec![Flaw::at_offset(text, offset, format!("invalid TOML: {}", error.message()))]
    })
}

struct File<'a> {
    text: &'a str,
    flaws: Vec<Flaw>,
}

impl File<'_> {
    fn event(
        &mut self,
        content: &mut Table,
        hint: Option<EventType>,
        fallback: Timestamp,
    ) -> Option<Decoded> {
        let mut table = match content.remove(EVENT) {
            None => Table::new(),
            Some(toml::Value::Table(table)) => table,
            Some(_) => return self.flaw(EVENT, "the key `event` is reserved for a table"),
        };
        let named = self.take_text(&mut table, "type")?;
        let has_type = named.is_some();
        let event_type = match named {
            Some(name) => match EventType::from_str(&name) {
                Ok(event_type) => event_type,
                Err(error) => return self.flaw("type", error.to_string()),
            },
            None => match hint {
                Some(event_type) => event_type,
                None => return self.flaw(EVENT, "the table `[event]` has no `type`"),
            },
        };
        let timestamp = match self.take_time(&mut table)? {
            Some(text) => match Timestamp::from_str(&text) {
                Ok(timestamp) => Some(timestamp),
                Err(error) => return self.flaw("timestamp", error.to_string()),
            },
            None => None,
        };
        let metadata = self.metadata(&mut table)?;
        let kind = self.kind(event_type, content)?;
        let extra = table.into_iter().map(|(key, value)| (key, from_toml(value))).collect();
        let has_timestamp = timestamp.is_some();
        let timestamp = timestamp.unwrap_or(fallback);
        let event = Event { timestamp, metadata, extra, kind };
        Some(Decoded { event, has_timestamp, has_type })
    }

    fn kind(&mut self, event_type: EventType, content: &mut Table) -> Option<EventKind> {
        match event_type {
            EventType::ConfigDelta => Some(EventKind::ConfigDelta(std::mem::take(content))),
            EventType::Compaction => {
                let from_turn = self.take_number(content, "from_turn");
                let to_turn = self.take_number(content, "to_turn");
                let (from_turn, to_turn) = (from_turn?, to_turn?);
                if from_turn > to_turn {
                    return self.flaw("to_turn", "`to_turn` is before `from_turn`");
                }
                let rules = std::mem::take(content);
                Some(EventKind::Compaction(Compaction { from_turn, to_turn, rules }))
            }
            EventType::ToolStart => {
                let id = match self.take_text(content, "id")? {
                    Some(id) => CallId::new(id),
                    None => return self.flaw("id", "key `id` is missing"),
                };
                let attempt = match u32::try_from(self.take_number(content, "attempt")?) {
                    Ok(attempt) if attempt > 0 => attempt,
                    _ => return self.flaw("attempt", "key `attempt`: expected 1 or more"),
                };
                let rest = std::mem::take(content);
                Some(EventKind::ToolStart(ToolStart { id, attempt, rest }))
            }
            _ => {
                let message = format!("a {event_type} is written as markdown, in a file `….md`");
                self.flaw("type", message)
            }
        }
    }

    fn metadata(&mut self, table: &mut Table) -> Option<Metadata> {
        let mut metadata = Metadata::new();
        match table.remove("metadata") {
            None => {}
            Some(toml::Value::Table(own)) => {
                metadata.extend(own.into_iter().map(|(key, value)| (key, from_toml(value))));
            }
            Some(_) => return self.flaw("metadata", "key `metadata`: expected a table"),
        }
        match table.remove(METADATA_JSON) {
            None => {}
            Some(toml::Value::Table(own)) => {
                for (key, value) in own {
                    let parsed = value.as_str().map(serde_json::from_str);
                    let Some(Ok(value)) = parsed else {
                        let message = format!("key `{METADATA_JSON}.{key}`: expected a JSON text");
                        return self.flaw(&key, message);
                    };
                    metadata.insert(key, value);
                }
            }
            Some(_) => return self.flaw(METADATA_JSON, "key `metadata-json`: expected a table"),
        }
        Some(metadata)
    }

    fn take_time(&mut self, table: &mut Table) -> Option<Option<String>> {
        if let Some(toml::Value::Datetime(time)) = table.get("timestamp") {
            let text = time.to_string();
            table.remove("timestamp");
            return Some(Some(text));
        }
        self.take_text(table, "timestamp")
    }

    fn take_text(&mut self, table: &mut Table, key: &str) -> Option<Option<String>> {
        match table.remove(key) {
            None => Some(None),
            Some(toml::Value::String(text)) => Some(Some(text)),
            Some(_) => self.flaw(key, format!("key `{key}`: expected a text")),
        }
    }

    fn take_number(&mut self, table: &mut Table, key: &str) -> Option<u64> {
        match table.remove(key) {
            None => self.flaw(key, format!("key `{key}` is missing")),
            Some(toml::Value::Integer(number)) if number >= 0 => Some(number.unsigned_abs()),
            Some(_) => self.flaw(key, format!("key `{key}`: expected a number from 0")),
        }
    }

    fn flaw<T>(&mut self, key: &str, message: impl Into<String>) -> Option<T> {
        let is_key = |line: &str| {
            let line = line.trim_start().trim_start_matches(['[', '"']);
            line.strip_prefix(key).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let line = self.text.lines().position(is_key).map_or(1, |index| index + 1);
        self.flaws.push(Flaw::at_line(line, message));
        None
    }
}

/// Writes a TOML event file.
pub fn encode(event: &Event) -> Result<Vec<u8>, EncodeError> {
    let mut content = match &event.kind {
        EventKind::ConfigDelta(delta) => delta.clone(),
        EventKind::Compaction(compaction) => {
            let mut table = Table::new();
            table.insert("from_turn".to_owned(), number(compaction.from_turn)?);
            table.insert("to_turn".to_owned(), number(compaction.to_turn)?);
            table.extend(compaction.rules.clone());
            table
        }
        EventKind::ToolStart(start) => {
            let mut table = Table::new();
            table.insert("id".to_owned(), toml::Value::from(start.id.as_str()));
            table.insert("attempt".to_owned(), toml::Value::from(i64::from(start.attempt)));
            table.extend(start.rest.clone());
            table
        }
        _ => unreachable!("these are written as markdown"),
    };
    if content.contains_key(EVENT) {
        return Err(EncodeError::ReservedKey);
    }
    content.insert(EVENT.to_owned(), toml::Value::Table(event_table(event)?));
    let text =
        toml::to_string(&content).map_err(|error| EncodeError::NotToml(error.to_string()))?;
    Ok(text.into_bytes())
}

fn event_table(event: &Event) -> Result<Table, EncodeError> {
    let mut table = Table::new();
    table.insert("type".to_owned(), toml::Value::from(event.event_type().name()));
    table.insert("timestamp".to_owned(), toml::Value::from(event.timestamp.to_string()));
    for (key, value) in &event.extra {
        let value = to_toml(value).ok_or_else(|| EncodeError::NotToml(key.clone()))?;
        table.insert(key.clone(), value);
    }
    let mut native = Table::new();
    let mut json = Table::new();
    for (key, value) in &event.metadata {
        match to_toml(value) {
            Some(value) => native.insert(key.clone(), value),
            None => json.insert(key.clone(), toml::Value::from(value.to_string())),
        };
    }
    for (key, part) in [("metadata", native), (METADATA_JSON, json)] {
        if !part.is_empty() {
            table.insert(key.to_owned(), toml::Value::Table(part));
        }
    }
    Ok(table)
}

fn number(number: u64) -> Result<toml::Value, EncodeError> {
    let small = i64::try_from(number).map_err(|_error| EncodeError::NotToml(number.to_string()))?;
    Ok(toml::Value::Integer(small))
}

/// The same value in TOML, if TOML can hold it.
fn to_toml(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => toml::Value::Boolean(*flag),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Number(number) if number.is_f64() => toml::Value::Float(number.as_f64()?),
        Value::Number(number) => toml::Value::Integer(number.as_i64()?),
        Value::Array(items) => {
            toml::Value::Array(items.iter().map(to_toml).collect::<Option<_>>()?)
        }
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| Some((key.clone(), to_toml(value)?)));
            toml::Value::Table(pairs.collect::<Option<_>>()?)
        }
    })
}

fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(float) => match Number::from_f64(float) {
            Some(number) => Value::Number(number),
            None => Value::String(float.to_string()),
        },
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(from_toml).collect()),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
        }
    }
}
