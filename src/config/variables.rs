//! Settings in environment variables: `JP_ASSISTANT_MODEL` is `assistant.model`.

use super::{Key, keys};
use crate::model::nearest;

const PREFIX: &str = "JP_";

/// Variables of jp that are no settings.
const RESERVED: [&str; 7] = [
    "JP_COMPLETE",
    "JP_CONFIG",
    "JP_CRASH_ALL",
    "JP_EDITOR",
    "JP_LOCK_DURATION",
    "JP_PAGER",
    "JP_SESSION",
];

/// What a variable is to jp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The value of this key.
    Setting(Key),
    /// Nothing, but its name is near to this one.
    Near(String),
    /// Nothing.
    Nothing,
}

/// The variable that sets a key with a fixed name.
pub fn variable(key: &Key) -> String {
    format!("{PREFIX}{}", key.names().join("_").to_ascii_uppercase())
}

/// What a variable of this name means.
pub fn meaning(name: &str) -> Meaning {
    if !name.starts_with(PREFIX) || RESERVED.contains(&name) {
        return Meaning::Nothing;
    }
    let known: Vec<_> = keys().into_iter().map(|key| (variable(&key), key)).collect();
    if let Some((_, key)) = known.iter().find(|(variable, _)| variable == name) {
        return Meaning::Setting(key.clone());
    }
    // The prefix is common to all of them: it says nothing about how near two names are.
    let rest = &name[PREFIX.len()..];
    let near = nearest(rest, known.iter().map(|(variable, _)| &variable[PREFIX.len()..]));
    near.map_or(Meaning::Nothing, |near| Meaning::Near(format!("{PREFIX}{near}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_a_setting_or_near_to_one_or_none_of_ours() {
        let key = Key::new(["assistant", "system_prompt"]);
        assert_eq!(meaning("JP_ASSISTANT_SYSTEM_PROMPT"), Meaning::Setting(key));
        let near = Meaning::Near("JP_ASSISTANT_MODEL".to_owned());
        assert_eq!(meaning("JP_ASSISTENT_MODEL"), near);
        for other in ["JP_SESSION", "JP_PAGER", "JP_MORGAN", "JP_", "PATH", "JPEG"] {
            assert_eq!(meaning(other), Meaning::Nothing, "{other}");
        }
    }

    #[test]
    fn no_reserved_variable_sets_a_key_and_no_two_keys_share_one() {
        let mut variables: Vec<_> = keys().iter().map(variable).collect();
        assert!(variables.iter().all(|variable| !RESERVED.contains(&variable.as_str())));
        let count = variables.len();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), count);
    }
}
