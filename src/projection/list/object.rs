//! A JSON object that is being filled.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use crate::model::{Arguments, Body};

/// An object that is being filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(pub Map<String, Value>);

impl Object {
    /// Sets a key.
    pub fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Sets a key to a text, or to the base64 of what is not text, and then says so.
    pub fn put_body(&mut self, key: &str, body: &Body) {
        match body.as_text() {
            Some(text) => self.put(key, text),
            None => {
                self.put(key, STANDARD.encode(body.as_bytes()));
                self.put("encoding", "base64");
            }
        }
    }

    /// Sets the arguments of a call, to the letter.
    pub fn put_arguments(&mut self, arguments: &Arguments) {
        self.put("arguments", arguments.as_str());
        self.put("arguments_valid", matches!(arguments, Arguments::Json(_)));
    }
}
