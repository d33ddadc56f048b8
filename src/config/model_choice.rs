//! Which model is meant: a provider and the name that it has there.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::texts::described;

/// A model, written as `provider/name`. The name may hold more slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelChoice {
    provider: String,
    name: String,
}

/// A text that names no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a model: one is written as `provider/name`", .0.escape_debug())]
pub struct InvalidModel(pub String);

impl ModelChoice {
    /// Where the model is.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// What it is called there.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The model that is built in.
impl Default for ModelChoice {
    fn default() -> Self {
        Self { provider: "guide".to_owned(), name: "jp".to_owned() }
    }
}

impl FromStr for ModelChoice {
    type Err = InvalidModel;

    fn from_str(text: &str) -> Result<Self, InvalidModel> {
        let odd = |c: char| c.is_whitespace() || c.is_control();
        match text.split_once('/') {
            Some((provider, name))
                if !provider.is_empty() && !name.is_empty() && !text.contains(odd) =>
            {
                Ok(Self { provider: provider.to_owned(), name: name.to_owned() })
            }
            _ => Err(InvalidModel(text.to_owned())),
        }
    }
}

impl TryFrom<String> for ModelChoice {
    type Error = InvalidModel;

    fn try_from(text: String) -> Result<Self, InvalidModel> {
        text.parse()
    }
}

impl From<ModelChoice> for String {
    fn from(choice: ModelChoice) -> Self {
        choice.to_string()
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

described!(ModelChoice, {
    "title": "a model, written as `provider/name`",
    "type": "string",
    "pattern": "^[^/\\s]+/\\S+$",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_slash_divides() {
        let choice: ModelChoice = "openrouter/meta/llama:free".parse().unwrap();
        assert_eq!((choice.provider(), choice.name()), ("openrouter", "meta/llama:free"));
        assert_eq!(choice.to_string(), "openrouter/meta/llama:free");
        for wrong in ["", "llama", "/llama", "ollama/", "a b/c", "a/b\n"] {
            assert!(wrong.parse::<ModelChoice>().is_err(), "{wrong}");
        }
    }
}
