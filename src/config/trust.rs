//! What each setting could do in the hands of somebody else: one table over all of them.
//!
//! A workspace can be cloned and a conversation can be imported from anywhere. What they may set is
//! decided here and nowhere else. A setting that is harmless is named by itself, so that a new one
//! beside it has to be thought about; the others may be named by the table that they are in.

use std::path::Path;

use super::{
    ConfigErrors, Effective, Key, Scope,
    layers::{Content, Layer, Source},
    read::read,
};

/// What a setting could do in the hands of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Risk {
    /// It says how jp answers, and no more: anybody may set it.
    Harmless,
    /// It could run a program, send texts elsewhere, or widen or hide what a model may do: a
    /// workspace sets it when the user trusts the workspace, a conversation never.
    NeedsTrust,
    /// It says where the user's own things are: the user's own file alone sets it.
    UserOnly,
}

/// All settings.
const RISKS: &[(&[&str], Risk)] = &[
    (&["store"], Risk::UserOnly),
    // One of the providers that jp knows or the user has set up: addresses and keys stay theirs.
    (&["assistant", "model"], Risk::Harmless),
    (&["assistant", "system_prompt"], Risk::Harmless),
    (&["assistant", "max_tokens"], Risk::Harmless),
    (&["assistant", "context_window"], Risk::Harmless),
    (&["assistant", "temperature"], Risk::Harmless),
    (&["assistant", "reasoning"], Risk::Harmless),
    (&["assistant", "tools"], Risk::Harmless),
    (&["assistant", "max_rounds"], Risk::Harmless),
    (&["compaction", "model"], Risk::Harmless),
    (&["providers"], Risk::NeedsTrust),
    // Also what narrows: a tool that is denied or hidden may be the one that the user relies on.
    (&["tools"], Risk::NeedsTrust),
    (&["mcp"], Risk::NeedsTrust),
    (&["unattended"], Risk::NeedsTrust),
    (&["detached", "patience"], Risk::Harmless),
    (&["detached", "notify"], Risk::UserOnly),
    (&["title", "generate"], Risk::Harmless),
    (&["title", "model"], Risk::Harmless),
    (&["ui", "reasoning"], Risk::Harmless),
    (&["ui", "usage"], Risk::Harmless),
    (&["ui", "terminal_title"], Risk::Harmless),
];

/// The tables of which a conversation may set what is harmless.
const OF_A_CONVERSATION: [&str; 2] = ["assistant", "ui"];

/// What a setting could do; `None` for a table whose settings are told apart. What nobody has
/// classified needs trust.
pub(super) fn risk(key: &Key) -> Option<Risk> {
    let names: Vec<_> = key.names().iter().map(String::as_str).collect();
    let around = RISKS.iter().find(|(listed, _)| names.starts_with(listed));
    let is_within = || RISKS.iter().any(|(listed, _)| listed.starts_with(&names));
    match around {
        Some((_, risk)) => Some(*risk),
        None if is_within() => None,
        None => Some(Risk::NeedsTrust),
    }
}

impl Source {
    /// Whether a layer may set what stands at this key.
    pub(super) fn may_set(&self, key: &Key, risk: Risk) -> bool {
        match self {
            Self::File { scope: Scope::User, .. } => true,
            Self::File { trusted, .. } => match risk {
                Risk::Harmless => true,
                Risk::NeedsTrust => *trusted,
                Risk::UserOnly => false,
            },
            Self::Variable(_) | Self::Argument(_) => risk != Risk::UserOnly,
            Self::Conversation(_) => {
                let table = key.names().first().map(String::as_str);
                risk == Risk::Harmless
                    && table.is_some_and(|table| OF_A_CONVERSATION.contains(&table))
            }
        }
    }
}

/// Everything in a file of a workspace that needs trust, in the order of the keys.
pub fn needing_trust(
    scope: Scope,
    path: &Path,
    text: &str,
) -> Result<Vec<Effective>, ConfigErrors> {
    let source = Source::File { scope, path: path.to_owned(), trusted: true };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let reading = read(&Layer { source, content: Content::Text(text.to_owned()) });
    if !reading.errors.is_empty() {
        return Err(ConfigErrors(reading.errors));
    }
    let values = reading.values.into_iter();
    let mut found: Vec<_> = values
        .filter(|(key, ..)| risk(key) == Some(Risk::NeedsTrust))
        .map(|(key, value, origin)| Effective { key, value, origin })
        .collect();
    found.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{schema::SHAPE, shape::Shape};

    /// Every setting that the types know; a name that the user gives is `*`.
    fn settings(shape: &Shape, key: &Key, found: &mut Vec<Key>) {
        match shape {
            Shape::Table(children) => {
                children.iter().for_each(|(name, shape)| settings(shape, &key.child(name), found));
            }
            Shape::Named(shape) => settings(shape, &key.child("*"), found),
            Shape::Value(_) => found.push(key.clone()),
        }
    }

    #[test]
    fn every_setting_is_classified_and_nothing_else_is() {
        let mut all = Vec::new();
        settings(&SHAPE, &Key::default(), &mut all);
        let listed = |(names, _): &(&[&str], Risk)| Key::new(names.iter().copied());
        let entries: Vec<_> = RISKS.iter().map(listed).collect();
        let unclassified: Vec<_> = all
            .iter()
            .filter(|key| entries.iter().filter(|entry| entry.is_around(key)).count() != 1)
            .map(ToString::to_string)
            .collect();
        assert_eq!(unclassified, Vec::<String>::new(), "give each of these a line in `RISKS`");
        let unknown: Vec<_> = entries
            .iter()
            .filter(|entry| !all.iter().any(|key| entry.is_around(key)))
            .map(ToString::to_string)
            .collect();
        assert_eq!(unknown, Vec::<String>::new(), "there is no such setting");
    }

    #[test]
    fn what_is_harmless_is_named_by_itself() {
        for (names, risk) in RISKS {
            let key = Key::new(names.iter().copied());
            let is_value = matches!(SHAPE.at(&key), Some(Shape::Value(_)));
            assert!(is_value || *risk != Risk::Harmless, "{key} is a table");
        }
    }

    #[test]
    fn what_nobody_has_classified_needs_trust() {
        let key = |text: &str| text.parse::<Key>().unwrap();
        assert_eq!(risk(&key("assistant.hooks")), Some(Risk::NeedsTrust));
        assert_eq!(risk(&key("hooks")), Some(Risk::NeedsTrust));
        assert_eq!(risk(&key("assistant")), None);
        assert_eq!(risk(&key("tools.x.permission")), Some(Risk::NeedsTrust));
        assert_eq!(risk(&key("store.path")), Some(Risk::UserOnly));
    }

    #[test]
    fn what_needs_trust_is_listed_however_it_is_written() {
        let listed = |text: &str| {
            let found = needing_trust(Scope::Workspace, Path::new("c"), text).unwrap();
            found.iter().map(|found| format!("{} = {}", found.key, found.value)).collect::<Vec<_>>()
        };
        for text in [
            "[tools.x]\ncommand = [\"x\"]\n",
            "tools.x.command = [\"x\"]\n",
            "\"tools\".'x'.\"command\" = [\"x\"]\n",
            "tools = { x = { command = [\"x\"] } }\n",
            "\u{feff}[tools.x]\r\ncommand = [\"x\"]\r\n",
            "\"to\\u006fls\".x.command = [\"x\"]\n[assistant]\nmodel = \"a/b\"\n",
        ] {
            assert_eq!(listed(text), ["tools.x.command = [\"x\"]"], "{text}");
        }
        assert_eq!(listed("[store]\npath = \"/x\"\n[ui]\nusage = true\n"), Vec::<String>::new());
        assert!(needing_trust(Scope::Local, Path::new("c"), "tools.x.comand = 3\n").is_err());
    }
}
