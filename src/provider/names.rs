//! Names and ids as the services accept them, and back.
//!
//! A tool may have any name and a call any id, but most services take letters, digits, `_` and `-`
//! only. What fits goes over the wire as it is.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::Query;
use crate::{
    model::{CallId, ToolName},
    projection::{PartKind, Role},
};

const LONGEST_NAME: usize = 64;

/// The names of the tools of a query, as they go over the wire.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolNames {
    wire: BTreeMap<ToolName, String>,
    tools: HashMap<String, ToolName>,
}

impl ToolNames {
    /// The names of the tools of a query.
    pub fn of(query: &Query) -> Self {
        let mut names = Self::default();
        let (fitting, other): (Vec<_>, Vec<_>) =
            query.tools.iter().partition(|tool| fits(tool.name.as_str(), LONGEST_NAME));
        for tool in fitting.into_iter().chain(other) {
            let wanted = plain(tool.name.as_str());
            let mut wire = wanted.clone();
            for number in 2_u32.. {
                if !names.tools.contains_key(&wire) {
                    break;
                }
                let end = format!("_{number}");
                let kept = wanted.len().min(LONGEST_NAME - end.len());
                wire = format!("{}{end}", &wanted[..kept]);
            }
            names.tools.insert(wire.clone(), tool.name.clone());
            names.wire.insert(tool.name.clone(), wire);
        }
        names
    }

    /// The name of a tool as it goes over the wire.
    pub fn wire(&self, tool: &ToolName) -> String {
        self.wire.get(tool).cloned().unwrap_or_else(|| plain(tool.as_str()))
    }

    /// The tool that a model means by a name.
    pub fn tool(&self, wire: &str) -> ToolName {
        self.tools.get(wire).cloned().unwrap_or_else(|| ToolName::new(wire))
    }

    /// A name that no tool has.
    pub fn free(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.tools.contains_key(&name) {
            name.push('_');
        }
        name
    }
}

/// Which ids of calls a service accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdRule {
    /// Up to 64 letters, digits, `_` and `-`.
    Plain,
    /// Nine letters and digits.
    Nine,
}

impl IdRule {
    /// An id as it goes over the wire: the same one for the same call, whoever made it up.
    pub fn wire(self, id: &CallId) -> String {
        let text = id.as_str();
        match self {
            Self::Plain if fits(text, 64) => text.to_owned(),
            Self::Plain => fingerprint(text, 24),
            Self::Nine
                if text.len() == 9 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
            {
                text.to_owned()
            }
            Self::Nine => fingerprint(text, 9),
        }
    }
}

/// Gives each call of an answer an id that no other call of the conversation has.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    used: HashSet<String>,
    made: usize,
}

impl CallIds {
    /// Knows the ids that the conversation has so far.
    pub fn of(query: &Query) -> Self {
        let mut used = HashSet::new();
        for message in &query.messages {
            match &message.role {
                Role::Assistant { parts, .. } => {
                    used.extend(parts.iter().filter_map(|part| match &part.kind {
                        PartKind::Call { id, .. } => Some(id.as_str().to_owned()),
                        _ => None,
                    }));
                }
                Role::Tool { id, .. } => {
                    used.insert(id.as_str().to_owned());
                }
                Role::System { .. } | Role::User { .. } => {}
            }
        }
        Self { made: used.len(), used }
    }

    /// The id that a provider gave, or a new one if it gave none or gave it before.
    pub fn take(&mut self, given: &str) -> CallId {
        let mut id = given.to_owned();
        while id.is_empty() || self.used.contains(&id) {
            self.made += 1;
            // Nine letters and digits are accepted everywhere.
            id = format!("call{:05}", self.made);
        }
        self.used.insert(id.clone());
        CallId::new(id)
    }
}

fn fits(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.chars().all(is_plain)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn plain(name: &str) -> String {
    let kept = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    let kept: String = kept.take(LONGEST_NAME).collect();
    if kept.is_empty() { "_".to_owned() } else { kept }
}

fn fingerprint(text: &str, length: usize) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(length).map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Sampling, ToolSpec};

    fn query(names: &[&str]) -> Query {
        let tool = |name: &&str| ToolSpec {
            name: ToolName::new(*name),
            description: String::new(),
            parameters: serde_json::Value::Null,
        };
        Query {
            model: "p/m".to_owned(),
            messages: Vec::new(),
            tools: names.iter().map(tool).collect(),
            schema: None,
            sampling: Sampling::default(),
            takes: crate::projection::Takes::default(),
        }
    }

    #[test]
    fn tools_with_odd_names_are_told_apart_and_found_again() {
        let long = "x".repeat(80);
        let names = ToolNames::of(&query(&["a/b", "a.b", "a_b", "ü", &long, &format!("{long}y")]));
        let wire = |name: &str| names.wire(&ToolName::new(name));
        assert_eq!(
            (wire("a_b"), wire("a/b"), wire("a.b")),
            ("a_b".into(), "a_b_2".into(), "a_b_3".into())
        );
        assert_eq!(
            (wire("ü"), wire("old/one"), wire(&long).len()),
            ("_".into(), "old_one".into(), 64)
        );
        for name in ["a/b", "a.b", "a_b", "ü", &long] {
            assert_eq!(names.tool(&wire(name)).as_str(), name);
        }
        assert_eq!(names.tool("who").as_str(), "who");
        assert_eq!((names.free("a_b"), names.free("z")), ("a_b_".into(), "z".into()));
    }

    #[test]
    fn an_id_is_made_up_when_there_is_none_or_it_was_given_before() {
        let mut ids = CallIds::default();
        let taken: Vec<_> = ["x", "", "x", "call00003", ""].map(|id| ids.take(id)).to_vec();
        let taken: Vec<_> = taken.iter().map(CallId::as_str).collect();
        assert_eq!(taken, ["x", "call00001", "call00002", "call00003", "call00004"]);
    }

    #[test]
    fn ids_of_other_services_are_made_to_fit() {
        let id = CallId::new("toolu_01A");
        assert_eq!(IdRule::Plain.wire(&id), "toolu_01A");
        let nine = IdRule::Nine.wire(&id);
        assert_eq!(
            (nine.len(), IdRule::Nine.wire(&CallId::new("call00001"))),
            (9, "call00001".into())
        );
        assert_eq!(IdRule::Plain.wire(&CallId::new("a.b:c")).len(), 24);
    }
}
