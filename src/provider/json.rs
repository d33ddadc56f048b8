//! JSON to the letter: numbers keep their digits, spaces and keys their order.
//!
//! What a model wrote as JSON goes back as it was. A value in memory cannot do that, so requests
//! are put together with texts in them, and texts are cut out of what came.

use std::{collections::HashMap, fmt};

use serde::{Serialize, Serializer};
use serde_json::{Value, value::RawValue};

/// A part of a request that is being put together.
#[derive(Clone, Debug)]
pub(super) enum Json {
    /// A value that is no list and no object.
    Scalar(Value),
    /// JSON that somebody else wrote, to the letter.
    Text(Box<RawValue>),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Sets a field of an object; anything else becomes one.
    pub fn set(&mut self, key: &str, value: impl Into<Json>) {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(fields) = self else {
            return;
        };
        match fields.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value.into(),
            None => fields.push((key.to_owned(), value.into())),
        }
    }

    /// The same, without what a value cannot hold.
    #[cfg(test)]
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.to_string()).expect("it is JSON")
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        match value.into() {
            Value::Array(values) => Self::List(values.into_iter().map(Self::from).collect()),
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(key, value)| (key, Self::from(value)));
                Self::Object(fields.collect())
            }
            scalar => Self::Scalar(scalar),
        }
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<T: IntoIterator<Item = Json>>(parts: T) -> Self {
        Self::List(parts.into_iter().collect())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(value) => value.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::List(parts) => serializer.collect_seq(parts),
            Self::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_no_writer_fails| fmt::Error)?)
    }
}

/// JSON that came, and the text that it came as.
pub(super) struct Document<'a> {
    pub value: Value,
    text: &'a str,
}

impl<'a> Document<'a> {
    /// Reads a text.
    pub fn read(text: &'a str) -> serde_json::Result<Self> {
        Ok(Self { value: serde_json::from_str(text)?, text })
    }

    /// The text of a value inside, by the keys and numbers that lead to it.
    pub fn text_at(&self, path: &[&str]) -> Option<&'a str> {
        text_at(self.text, path)
    }
}

/// The text of a value inside of another, by the keys and numbers that lead to it.
pub(super) fn text_at<'a>(json: &'a str, path: &[&str]) -> Option<&'a str> {
    let Some((step, rest)) = path.split_first() else {
        return Some(json);
    };
    let inner = if json.trim_start().starts_with('[') {
        let list: Vec<&RawValue> = serde_json::from_str(json).ok()?;
        *list.get(step.parse::<usize>().ok()?)?
    } else {
        let mut fields: HashMap<String, &RawValue> = serde_json::from_str(json).ok()?;
        fields.remove(*step)?
    };
    text_at(inner.get(), rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_inside_stays_as_it_is() {
        let text = "{\"b\":  12345678901234567890123.50, \"a\" : [1.0,\t1e2]}";
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let mut object = Json::from(json!({ "x": [1, { "y": null }], "input": 1 }));
        object.set("input", Json::Text(raw));
        object.set("z", [Json::from("last")].into_iter().collect::<Json>());
        let expected = format!("{{\"x\":[1,{{\"y\":null}}],\"input\":{text},\"z\":[\"last\"]}}");
        assert_eq!(object.to_string(), expected);
    }

    #[test]
    fn a_text_is_found_by_the_way_to_it() {
        let json = "{\"a\": [0, {\"\\u0062\": { \"c\":  1.50 } }], \"a b\": 1}";
        assert_eq!(text_at(json, &["a", "1", "b"]), Some("{ \"c\":  1.50 }"));
        assert_eq!(text_at(json, &["a b"]), Some("1"));
        for path in [&["a", "2"][..], &["a", "x"], &["a", "0", "b"], &["b"]] {
            assert_eq!(text_at(json, path), None, "{path:?}");
        }
    }
}
