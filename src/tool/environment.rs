//! Which variables a tool sees: an allow list, because nobody knows where else a key stands.
//!
//! A list of what to leave out would have to know every name under which somebody keeps a secret.
//! What a tool needs beyond the list is named in its declaration, by the user.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use crate::env::Env;

/// What every tool sees: where things are, who the user is, and how to write for people.
const ALWAYS: [&str; 34] = [
    "COLORTERM",
    "COLUMNS",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "LOGNAME",
    "NIX_SSL_CERT_FILE",
    "NO_COLOR",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TERMINFO",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// What a name that holds a secret looks like, somewhere in it.
const SECRET_WORDS: [&str; 12] = [
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "COOKIE",
    "SESSION_KEY",
];

/// How a name that holds a secret ends.
const SECRET_ENDS: [&str; 4] = ["_KEY", "_PASS", "_PAT", "_AUTH"];

/// How a family of names begins that is about access.
const SECRET_BEGINNINGS: [&str; 1] = ["AWS_"];

/// The shortest value of a key that is looked for in other variables: a short one may be a word.
const SHORTEST_KEY: usize = 8;

/// The variables of a tool: those that all tools see, and those that its declaration names.
///
/// A named one may end in `*`, which takes whatever begins so and does not look like a secret. The
/// variables that `keys` names, from which providers take their keys, are never among them, nor is
/// any other that holds the same key.
pub fn variables(env: &Env, named: &[String], keys: &[String]) -> BTreeMap<OsString, OsString> {
    let is_key = |name: &OsStr, value: &OsStr| {
        keys.iter().any(|key| OsStr::new(key) == name) || holds_key(env, keys, value)
    };
    let seen = env.vars().filter(|(name, value)| may_see(name, named) && !is_key(name, value));
    seen.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Whether a value holds a key of a provider, which stand in the variables that `keys` names.
pub(super) fn holds_key(env: &Env, keys: &[String], value: &OsStr) -> bool {
    keys.iter().filter_map(|key| env.var(key)).any(|secret| holds(value, secret))
}

/// Whether a declaration can name a variable so.
pub(super) fn is_variable(named: &str) -> bool {
    let name = named.strip_suffix('*').unwrap_or(named);
    !named.is_empty() && !name.contains(['=', '*', '\0'])
}

fn may_see(name: &OsStr, named: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    let names_it = |named: &String| match named.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning) && !looks_secret(name),
        None => name == named,
    };
    ALWAYS.contains(&name) || named.iter().any(names_it)
}

/// Whether a variable of this name is likely to hold a secret.
fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || SECRET_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

fn holds(value: &OsStr, secret: &OsStr) -> bool {
    let (value, secret) = (value.as_encoded_bytes(), secret.as_encoded_bytes());
    secret.len() >= SHORTEST_KEY && value.windows(secret.len()).any(|part| part == secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(vars: &[(&str, &str)], named: &[&str], keys: &[&str]) -> Vec<String> {
        let vars = vars.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let env = Env::fixed(vars, "/".into(), now);
        let owned =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let seen = variables(&env, &owned(named), &owned(keys));
        seen.into_keys().map(|name| name.into_string().unwrap()).collect()
    }

    const VARS: [(&str, &str); 11] = [
        ("PATH", "/bin"),
        ("HOME", "/home/u"),
        ("LC_ALL", "C"),
        ("LC_API_TOKEN", "smuggled through ssh"),
        ("OPENAI_API_KEY", "sk-0123456789"),
        ("MY_COPY", "Bearer sk-0123456789"),
        ("TERM", "sk-0123456789"),
        ("CARGO_HOME", "/c"),
        ("CARGO_REGISTRY_TOKEN", "t"),
        ("GITHUB_TOKEN", "g"),
        ("JP_MODEL", "m"),
    ];

    #[test]
    fn a_tool_sees_the_usual_variables_and_no_copy_of_a_key() {
        assert_eq!(seen(&VARS, &[], &["OPENAI_API_KEY"]), ["HOME", "LC_ALL", "PATH"]);
    }

    #[test]
    fn what_a_declaration_names_is_seen_unless_it_is_a_provider_key() {
        let named = ["GITHUB_TOKEN", "CARGO_*", "OPENAI_API_KEY", "MY_COPY", "ABSENT"];
        let expected = ["CARGO_HOME", "GITHUB_TOKEN", "HOME", "LC_ALL", "PATH"];
        assert_eq!(seen(&VARS, &named, &["OPENAI_API_KEY"]), expected);
    }

    #[test]
    fn a_star_takes_everything_that_does_not_look_secret() {
        let expected = ["CARGO_HOME", "HOME", "JP_MODEL", "LC_ALL", "PATH"];
        assert_eq!(seen(&VARS, &["*"], &["OPENAI_API_KEY"]), expected);
        let secret = [
            "ANTHROPIC_API_KEY",
            "my_token",
            "NPM_TOKEN_RO",
            "X_SECRET_X",
            "PGPASSWORD",
            "DB_PASS",
            "AWS_PROFILE",
            "AWS_SECRET_ACCESS_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GH_PAT",
            "SSH_KEY",
            "BASIC_AUTH",
        ];
        for name in secret {
            assert!(looks_secret(name), "{name}");
            assert!(seen(&[(name, "x")], &["*"], &[]).is_empty(), "{name}");
            assert_eq!(seen(&[(name, "x")], &[name], &[]), [name]);
        }
        for name in ["EDITOR", "KEYBOARD", "MONKEY", "PASSAGE", "AUTHOR", "COMPASS", "PATH"] {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn only_names_and_beginnings_of_names_can_be_named() {
        assert!(["A", "A_*", "*"].iter().all(|name| is_variable(name)));
        assert!(["", "A=b", "A*B", "**", "A\0"].iter().all(|name| !is_variable(name)));
    }
}
