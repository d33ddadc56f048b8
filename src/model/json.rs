//! JSON kept as the text that it came as.

use std::{collections::BTreeSet, fmt};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A valid JSON text, verbatim: key order, number digits and white space are those of its author.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Json(String);

/// A text that is not JSON.
#[derive(Debug, thiserror::Error)]
#[error("not valid JSON: {message}")]
pub struct InvalidJson {
    /// The text as it was given.
    pub text: String,
    /// What the parser says.
    pub message: String,
    /// The line within the text, from 1.
    pub line: usize,
    /// The column within that line, from 1.
    pub column: usize,
}

impl Json {
    /// Checks a text and keeps it as it is.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidJson> {
        let text = text.into();
        match serde_json::from_str::<IgnoredAny>(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => Err(InvalidJson {
                message: without_place(&error.to_string()),
                line: error.line(),
                column: error.column(),
                text,
            }),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same on one line: only the white space between its parts is gone.
    pub fn on_one_line(&self) -> Self {
        let mut line = String::with_capacity(self.0.len());
        let (mut in_string, mut is_escaped) = (false, false);
        for c in self.0.chars() {
            match c {
                _ if in_string => {
                    in_string = c != '"' || is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                }
                ' ' | '\t' | '\n' | '\r' => continue,
                _ => in_string = c == '"',
            }
            line.push(c);
        }
        Self(line)
    }

    /// A key that an object in it has twice: readers do not agree on which one counts.
    pub fn repeated_key(&self) -> Option<String> {
        let keys: Keys = serde_json::from_str(&self.0).ok()?;
        keys.repeated
    }
}

/// The keys of JSON, as far as one is there twice.
struct Keys {
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let (mut seen, mut repeated) = (BTreeSet::new(), None);
        while let Some(key) = map.next_key::<String>()? {
            let inner: Keys = map.next_value()?;
            repeated = repeated.or(inner.repeated);
            if seen.contains(&key) {
                repeated = repeated.or(Some(key));
            } else {
                seen.insert(key);
            }
        }
        Ok(Keys { repeated })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Keys, A::Error> {
        let mut repeated = None;
        while let Some(inner) = items.next_element::<Keys>()? {
            repeated = repeated.or(inner.repeated);
        }
        Ok(Keys { repeated })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys { repeated: None })
    }
}

/// What the parser says without the place, which is told apart.
fn without_place(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(message, _)| message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_kept_to_the_letter() {
        let text = "{ \"b\":1.50,\"a\" : 123456789012345678901234567890 }";
        assert_eq!(Json::new(text).unwrap().as_str(), text);
    }

    #[test]
    fn one_line_has_every_part_as_it_was() {
        let text = "{ \"a b\" :\n [1.50,\t\"x\\\" \\\\\", \"{ }\" ] }\r\n";
        let line = Json::new(text).unwrap().on_one_line();
        assert_eq!(line.as_str(), "{\"a b\":[1.50,\"x\\\" \\\\\",\"{ }\"]}");
    }

    #[test]
    fn a_key_that_is_there_twice_is_found_wherever_it_is() {
        let repeated = |text: &str| Json::new(text).unwrap().repeated_key();
        assert_eq!(repeated(r#"{"a":1,"b":{"a":2},"c":[{"a":1},{"a":null}]}"#), None);
        assert_eq!(repeated(r#"{"a":1,"\u0061":2}"#), Some("a".to_owned()));
        assert_eq!(repeated(r#"[true,1.5,-1,{"x":{"y":1,"y":2}}]"#), Some("y".to_owned()));
    }

    #[test]
    fn what_is_not_json_is_returned_with_its_place() {
        let error = Json::new("{\n  \"a\": trx\n}").unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (2, "{\n  \"a\": trx\n}"));
    }
}
