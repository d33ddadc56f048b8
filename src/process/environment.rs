//! Which variables a child sees: an allow list, because nobody knows where else a key stands.
//!
//! A list of what to leave out would have to know every name under which somebody keeps a secret.
//! What a tool needs beyond the list is named in its declaration, by the user; what an editor, a
//! pager and git need is known here. No child ever sees the key of a provider.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use crate::env::Env;

/// What every child sees: where things are, who the user is, and how to write for people.
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

/// What programs at a terminal need to know of it, and of the desktop around it.
const TERMINAL: [&str; 37] = [
    "ALACRITTY_*",
    "COLORFGBG",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    "DISPLAY",
    "EDITOR",
    "GHOSTTY_*",
    "GPG_TTY",
    "HOSTNAME",
    "INPUTRC",
    "ITERM_*",
    "KITTY_*",
    "KONSOLE_*",
    "LC_*",
    "LD_LIBRARY_PATH",
    "LOCALE_ARCHIVE",
    "LS_COLORS",
    "PAGER",
    "PWD",
    "SSH_AUTH_SOCK",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "STY",
    "TERM_*",
    "TERMCAP",
    "TERMINFO_DIRS",
    "TMUX",
    "TMUX_*",
    "VISUAL",
    "VTE_VERSION",
    "WAYLAND_DISPLAY",
    "WEZTERM_*",
    "WINDOWID",
    "WT_*",
    "XAUTHORITY",
    "XDG_*",
];

/// What editors are told by their users.
const EDITOR: [&str; 21] = [
    "ALTERNATE_EDITOR",
    "EMACS*",
    "EXINIT",
    "GDK_*",
    "GTK_*",
    "GVIMINIT",
    "HELIX_*",
    "KAKOUNE_*",
    "MICRO_*",
    "MYVIMRC",
    "NANORC",
    "NVIM*",
    "QT_*",
    "SNAP*",
    "VIM",
    "VIMINIT",
    "VIMRUNTIME",
    "VSCODE_IPC_HOOK_CLI",
    "WSLENV",
    "WSL_*",
    "XMODIFIERS",
];

/// What pagers are told by their users.
const PAGER: [&str; 7] = ["BAT_*", "DELTA_*", "LESS*", "LV", "MOAR", "MORE", "MOST_*"];

/// What git needs to reach a remote, to sign, and to know its user. What could lead it to another
/// repository or configuration is not here.
const GIT: [&str; 29] = [
    "ALL_PROXY",
    "EMAIL",
    "GIT_ASKPASS",
    "GIT_AUTHOR_*",
    "GIT_COMMITTER_*",
    "GIT_EDITOR",
    "GIT_PAGER",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_TERMINAL_PROMPT",
    "GNUPGHOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SSH_ASKPASS_REQUIRE",
    "VSCODE_GIT_ASKPASS_EXTRA_ARGS",
    "VSCODE_GIT_ASKPASS_MAIN",
    "VSCODE_GIT_ASKPASS_NODE",
    "VSCODE_GIT_IPC_HANDLE",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
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

/// A program that jp runs for the user, on the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// Something to write with.
    Editor,
    /// Something to read with.
    Pager,
    /// Git, on the store.
    Git,
}

impl Child {
    /// The variables that it sees. None of them holds what stands in a variable that looks like a
    /// secret, or in one from which a provider takes its key.
    pub fn variables(self, env: &Env) -> BTreeMap<OsString, OsString> {
        let own: &[&[&str]] = match self {
            Self::Editor => &[&TERMINAL, &EDITOR],
            Self::Pager => &[&TERMINAL, &PAGER],
            // It runs editors and pagers itself.
            Self::Git => &[&TERMINAL, &EDITOR, &PAGER, &GIT],
        };
        let named: Vec<_> = own.concat().into_iter().map(str::to_owned).collect();
        // A path is not a key, and may well be a part of another one.
        let may_be_key = |(name, value): &(&OsStr, &OsStr)| {
            name.to_str().is_none_or(looks_secret) && !value.as_encoded_bytes().starts_with(b"/")
        };
        let secret = env.vars().filter(may_be_key).filter_map(|(name, _)| name.to_str());
        let keys: Vec<_> = secret.map(str::to_owned).chain(env.key_variables()).collect();
        variables(env, &named, &keys)
    }
}

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
pub fn holds_key(env: &Env, keys: &[String], value: &OsStr) -> bool {
    keys.iter().filter_map(|key| env.var(key)).any(|secret| holds(value, secret))
}

/// Whether a declaration can name a variable so.
pub fn is_variable(named: &str) -> bool {
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
    fn no_child_sees_a_key_under_any_name() {
        let key = "sk-0123456789";
        let mut vars = vec![
            ("ANTHROPIC_API_KEY", key),
            ("ODD_ONE", "odd-9876543210"),
            ("GIT_SSH_COMMAND", "ssh -i sk-0123456789"),
            ("LESS", key),
            ("VIMINIT", "let g:key = 'odd-9876543210'"),
            ("NVIM_API_TOKEN", "x"),
            ("LC_API_TOKEN", "y"),
            ("PASSWORD_STORE", "/home/u"),
        ];
        let harmless = [
            ("DISPLAY", ":0"),
            ("HOME", "/home/u"),
            ("PATH", "/bin"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("TERM", "xterm"),
        ];
        vars.extend(harmless);
        let env = Env::of_variables(&vars).with_key_variables(["ODD_ONE".to_owned()]);
        for child in [Child::Editor, Child::Pager, Child::Git] {
            let expected = harmless.map(|(name, value)| (name.into(), value.into()));
            assert_eq!(child.variables(&env), BTreeMap::from(expected), "{child:?}");
        }
    }

    #[test]
    fn each_child_sees_what_it_is_told_by_and_no_more() {
        let vars = ["LESSOPEN", "VIMINIT", "GIT_SSH", "GIT_DIR", "GIT_CONFIG_COUNT", "CARGO_HOME"];
        let env = Env::of_variables(&vars.map(|name| (name, "x")));
        let seen = |child: Child| {
            let names = child.variables(&env).into_keys();
            names.map(|name| name.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(seen(Child::Editor), ["VIMINIT"]);
        assert_eq!(seen(Child::Pager), ["LESSOPEN"]);
        assert_eq!(seen(Child::Git), ["GIT_SSH", "LESSOPEN", "VIMINIT"]);
    }

    #[test]
    fn only_names_and_beginnings_of_names_can_be_named() {
        assert!(["A", "A_*", "*"].iter().all(|name| is_variable(name)));
        assert!(["", "A=b", "A*B", "**", "A\0"].iter().all(|name| !is_variable(name)));
    }
}
