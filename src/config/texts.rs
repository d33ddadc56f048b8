//! Texts and numbers that have a form of their own.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// An address on the web.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BaseUrl(String);

/// The name of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariableName(String);

/// A number from 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Temperature(f64);

/// A text that has another form. What is accepted says the schema.
#[derive(Debug, thiserror::Error)]
#[error("this has another form")]
pub struct Malformed;

impl BaseUrl {
    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        self.0.trim_end_matches('/')
    }
}

impl VariableName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Temperature {
    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let fits = rest.is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with('/') && !rest.contains(is_odd)
        });
        if fits { Ok(Self(text)) } else { Err(Malformed) }
    }
}

impl TryFrom<String> for VariableName {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let fits = text.chars().all(word) && text.starts_with(|c: char| !c.is_ascii_digit());
        if fits { Ok(Self(text)) } else { Err(Malformed) }
    }
}

impl TryFrom<f64> for Temperature {
    type Error = Malformed;

    fn try_from(number: f64) -> Result<Self, Malformed> {
        if (0.0..=2.0).contains(&number) { Ok(Self(number)) } else { Err(Malformed) }
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.0
    }
}

impl From<VariableName> for String {
    fn from(name: VariableName) -> Self {
        name.0
    }
}

impl From<Temperature> for f64 {
    fn from(temperature: Temperature) -> Self {
        temperature.0
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Writes the schema of a type; the title says what is accepted, in messages too.
macro_rules! described {
    ($name:ident, $($schema:tt)+) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($($schema)+)
            }
        }
    };
}
pub(super) use described;

described!(BaseUrl, {
    "title": "an address that begins with `http://` or `https://`",
    "type": "string",
    "pattern": "^https?://[^/\\s][^\\s]*$",
});
described!(VariableName, {
    "title": "the name of an environment variable",
    "type": "string",
    "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
});
described!(Temperature, { "type": "number", "minimum": 0, "maximum": 2 });

fn is_odd(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_on_the_web_are_addresses() {
        let url = |text: &str| BaseUrl::try_from(text.to_owned()).map(|url| url.to_string());
        assert_eq!(url("http://localhost:11434/").unwrap(), "http://localhost:11434");
        assert_eq!(url("https://api.example.com/v1").unwrap(), "https://api.example.com/v1");
        for wrong in ["", "localhost:11434", "file:///etc/passwd", "http://", "http:// x"] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_the_name_of_a_variable() {
        let name = |text: &str| VariableName::try_from(text.to_owned());
        assert_eq!(name("OPENAI_API_KEY").unwrap().as_str(), "OPENAI_API_KEY");
        for wrong in ["", "1X", "sk-ant-x", "A B", "A=b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_temperature_is_a_number_from_0_to_2() {
        for right in [0.0, 0.7, 2.0] {
            assert_eq!(Temperature::try_from(right).unwrap().get(), right);
        }
        for wrong in [-0.1, 2.1, f64::NAN, f64::INFINITY] {
            assert!(Temperature::try_from(wrong).is_err(), "{wrong}");
        }
    }
}
