//! The fields of a JSON object, taken out one by one; what is left at the end is not known.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{
    limits,
    problem::{Notes, at_key},
};
use crate::model::{Body, Metadata, Timestamp, take_own_marks};

/// What is said of a field that is not there.
pub(super) const MISSING: &str = "it is missing";

/// The fields of an object at a place.
pub(super) struct Fields<'n> {
    /// The place.
    pub place: String,
    fields: Map<String, Value>,
    /// What is found.
    pub notes: &'n mut Notes,
}

impl<'n> Fields<'n> {
    /// Takes an object apart, if it is one.
    pub fn of(value: Value, place: String, notes: &'n mut Notes) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self { place, fields, notes }),
            other => {
                let message = format!("expected an object, not {}", kind(&other));
                notes.problems.push(place, message);
                None
            }
        }
    }

    /// Says what is wrong with a field.
    pub fn problem(&mut self, key: &str, message: impl Into<String>) {
        self.notes.problems.push(at_key(&self.place, key), message);
    }

    /// Says that a field is not kept, and why.
    pub fn warning(&mut self, key: &str, message: impl Into<String>) {
        self.notes.warnings.push(at_key(&self.place, key), message);
    }

    /// Whether there is such a field, and it is not null.
    pub fn has(&self, key: &str) -> bool {
        self.peek(key).is_some()
    }

    /// The value of a field, which stays where it is; null counts as none.
    pub fn peek(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// The value of a field; null counts as none.
    pub fn value(&mut self, key: &str) -> Option<Value> {
        self.fields.shift_remove(key).filter(|value| !value.is_null())
    }

    /// Leaves fields aside that follow from others.
    pub fn ignore(&mut self, keys: &[&str]) {
        for key in keys {
            self.fields.shift_remove(*key);
        }
    }

    /// A text.
    pub fn text(&mut self, key: &str) -> Option<String> {
        match self.value(key)? {
            Value::String(text) => Some(text),
            other => self.wrong(key, "a text", &other),
        }
    }

    /// A text that must be there.
    pub fn required_text(&mut self, key: &str) -> Option<String> {
        if !self.has(key) {
            self.problem(key, MISSING);
        }
        self.text(key)
    }

    /// Any value, also null, that must be there.
    pub fn anything(&mut self, key: &str) -> Option<Value> {
        let value = self.fields.shift_remove(key);
        match &value {
            None => self.problem(key, MISSING),
            Some(value) => self.check_depth(key, value),
        }
        value
    }

    fn check_depth(&mut self, key: &str, value: &Value) {
        if depth(value) > limits::NESTING {
            let message = format!("it is nested more than {} levels deep", limits::NESTING);
            self.problem(key, message);
        }
    }

    /// A flag; false if it is not there.
    pub fn flag(&mut self, key: &str) -> bool {
        self.optional_flag(key).unwrap_or_default()
    }

    /// A flag.
    pub fn optional_flag(&mut self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Value::Bool(flag) => Some(flag),
            other => self.wrong(key, "true or false", &other),
        }
    }

    /// A number of something.
    pub fn count(&mut self, key: &str) -> Option<u64> {
        let value = self.value(key)?;
        value.as_u64().or_else(|| self.wrong(key, "a number from 0", &value))
    }

    /// A list.
    pub fn list(&mut self, key: &str) -> Vec<Value> {
        match self.value(key) {
            None => Vec::new(),
            Some(Value::Array(list)) => list,
            Some(other) => self.wrong(key, "a list", &other).unwrap_or_default(),
        }
    }

    /// A time.
    pub fn time(&mut self, key: &str) -> Option<Timestamp> {
        let text = self.text(key)?;
        match text.parse() {
            Ok(time) => Some(time),
            Err(error) => {
                self.problem(key, format!("{error}"));
                None
            }
        }
    }

    /// A text, or bytes as base64 if the key `encoding` says so; it must be there.
    pub fn body(&mut self, key: &str) -> Option<Body> {
        let encoding = self.text("encoding");
        let text = self.required_text(key)?;
        match encoding.as_deref() {
            None => Some(text.into()),
            Some("base64") => match STANDARD.decode(&text) {
                Ok(bytes) => Some(bytes.into()),
                Err(error) => {
                    self.problem(key, format!("it is not valid base64: {error}"));
                    None
                }
            },
            Some(other) => {
                self.problem("encoding", format!("expected `base64`, not `{other}`"));
                None
            }
        }
    }

    /// Whatever else belongs to an event, without what has a meaning for jp of its own.
    pub fn metadata(&mut self) -> Metadata {
        let value = self.value("metadata").unwrap_or_else(|| Metadata::new().into());
        self.check_depth("metadata", &value);
        let mut metadata = match value {
            Value::Object(metadata) => metadata,
            other => self.wrong("metadata", "an object", &other).unwrap_or_default(),
        };
        let place = at_key(&self.place, "metadata");
        for key in take_own_marks(&mut metadata) {
            self.notes.warnings.push(at_key(&place, key), "it is not kept: it is a mark of jp");
        }
        metadata
    }

    /// Warns about every field that says something and was not asked for.
    pub fn end(self) {
        for (key, _) in self.fields.iter().filter(|(_, value)| !value.is_null()) {
            let place = at_key(&self.place, key);
            self.notes.warnings.push(place, "it is not kept: the key is not known");
        }
    }

    fn wrong<T>(&mut self, key: &str, expected: &str, found: &Value) -> Option<T> {
        self.problem(key, format!("expected {expected}, not {}", kind(found)));
        None
    }
}

/// How deep lists and objects are nested in a value.
fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(list) => list.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => return 0,
    };
    inside.unwrap_or(0) + 1
}

/// What a value is, in words.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
