//! The names of settings: `assistant.model`, `tools."odd name".command`.

use std::{fmt, str::FromStr};

/// A dotted key.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Vec<String>);

/// A text that is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not a key: one is written as `assistant.model`", .0.escape_debug())]
pub struct InvalidKey(pub String);

/// A text that is not a key with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InvalidOverride {
    #[error("there is no `=` in it: write `KEY=VALUE`")]
    NoValue,
    #[error(transparent)]
    Key(#[from] InvalidKey),
}

/// A key with a value, as somebody typed it: `assistant.model=ollama/llama3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The key.
    pub key: Key,
    /// The value, which is TOML or a text.
    pub value: String,
}

impl Key {
    /// The key of these names.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().map(str::to_owned).collect())
    }

    /// The key of something in this table.
    pub fn child(&self, name: &str) -> Self {
        let mut names = self.0.clone();
        names.push(name.to_owned());
        Self(names)
    }

    /// The names between the dots.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether this is the key, or that of a table around it.
    pub fn is_around(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let invalid = || InvalidKey(text.to_owned());
        let names = toml_edit::Key::parse(text).map_err(|_error| invalid())?;
        Ok(Self(names.iter().map(|name| name.get().to_owned()).collect()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(&written(name))?;
        }
        Ok(())
    }
}

/// A name as it stands between the dots of a key.
pub(super) fn written(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

impl FromStr for Override {
    type Err = InvalidOverride;

    fn from_str(text: &str) -> Result<Self, InvalidOverride> {
        let (key, value) = text.split_once('=').ok_or(InvalidOverride::NoValue)?;
        Ok(Self { key: key.trim().parse()?, value: value.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_as_it_is_written() {
        for text in ["assistant.model", "tools.\"a b\".shell", "a.\"\".b", "tools.\"x.y\""] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
        assert_eq!("a . 'b.c'".parse::<Key>().unwrap(), Key::new(["a", "b.c"]));
        for wrong in ["", ".", "a.", "a b", "a..b", "ä"] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_override_is_divided_at_the_first_equals_sign() {
        let given: Override = "assistant.system_prompt=a=b".parse().unwrap();
        let expected =
            Override { key: Key::new(["assistant", "system_prompt"]), value: "a=b".to_owned() };
        assert_eq!(given, expected);
        assert!("assistant.model".parse::<Override>().is_err());
        assert!("=x".parse::<Override>().is_err());
    }
}
