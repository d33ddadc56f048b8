//! What tells one terminal from another.

use std::{
    ffi::{OsStr, OsString},
    fmt,
};

use crate::env::{Env, Process};

/// The variable that names a session.
const NAMED: &str = "JP_SESSION";

/// Variables of terminals that differ from tab to tab or from pane to pane, each with the one that
/// tells two runs of the terminal apart if its own value does not. Those that differ only from
/// window to window are left out: two tabs would share a session.
const PANES: [(&str, Option<&str>); 4] = [
    ("TMUX_PANE", Some("TMUX")),
    ("WEZTERM_PANE", Some("WEZTERM_UNIX_SOCKET")),
    ("TERM_SESSION_ID", None),
    ("ITERM_SESSION_ID", None),
];

/// A terminal tab, a pane, or whatever somebody named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    source: Source,
    value: OsString,
    beside: OsString,
}

/// What a session is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The process that leads the session of the terminal.
    Leader(Process),
    /// A variable, by its name.
    Variable(String),
}

impl Session {
    /// The session of a world: the one it names in `JP_SESSION`; else that of its terminal; else
    /// the pane that a terminal put into a variable.
    pub fn of(env: &Env) -> Option<Self> {
        if let Some(value) = env.var(NAMED) {
            return Some(Self::by_variable(NAMED, value, OsStr::new("")));
        }
        if let Some(leader) = env.leader() {
            let value = leader.pid.to_string().into();
            return Some(Self { source: Source::Leader(leader), value, beside: OsString::new() });
        }
        PANES.iter().find_map(|(name, beside)| {
            let beside = beside.and_then(|beside| env.var(beside)).unwrap_or_default();
            Some(Self::by_variable(name, env.var(name)?, beside))
        })
    }

    fn by_variable(name: &str, value: &OsStr, beside: &OsStr) -> Self {
        let source = Source::Variable(name.to_owned());
        Self { source, value: value.to_owned(), beside: beside.to_owned() }
    }

    /// What it is known by.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The number of the leader, or the value of the variable.
    pub(super) fn value(&self) -> &OsStr {
        &self.value
    }

    /// What else tells it from another one with the same value.
    pub(super) fn beside(&self) -> &OsStr {
        &self.beside
    }
}

/// For people: the value alone.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value.to_string_lossy().escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
        Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
    }

    fn leader() -> Process {
        Process { pid: 12057, started: 7, realm: "here".to_owned() }
    }

    fn known_by(env: &Env) -> Option<(String, String)> {
        let session = Session::of(env)?;
        let name = match session.source() {
            Source::Leader(_) => "leader".to_owned(),
            Source::Variable(name) => name.clone(),
        };
        Some((name, session.to_string()))
    }

    #[test]
    fn a_named_session_comes_first_then_the_terminal_then_its_variables() {
        let all = [
            ("JP_SESSION", "mine"),
            ("TMUX_PANE", "%3"),
            ("WEZTERM_PANE", "4"),
            ("TERM_SESSION_ID", "a"),
            ("ITERM_SESSION_ID", "b"),
        ];
        let found = |env: &Env| {
            let (name, value) = known_by(env).unwrap();
            format!("{name}={value}")
        };
        assert_eq!(found(&env(&all).led_by(leader())), "JP_SESSION=mine");
        assert_eq!(found(&env(&all[1..]).led_by(leader())), "leader=12057");
        assert_eq!(found(&env(&all[1..])), "TMUX_PANE=%3");
        assert_eq!(found(&env(&all[2..])), "WEZTERM_PANE=4");
        assert_eq!(found(&env(&all[3..])), "TERM_SESSION_ID=a");
        assert_eq!(found(&env(&all[4..])), "ITERM_SESSION_ID=b");
    }

    #[test]
    fn without_a_terminal_and_a_name_there_is_no_session() {
        let windows = [("WT_SESSION", "x"), ("KITTY_WINDOW_ID", "1"), ("ALACRITTY_WINDOW_ID", "2")];
        assert_eq!(known_by(&env(&[])), None);
        assert_eq!(known_by(&env(&windows)), None);
        assert_eq!(known_by(&env(&[("JP_SESSION", "")])), None);
    }

    #[test]
    fn a_pane_of_another_tmux_server_is_another_session() {
        let pane = |server: &str| Session::of(&env(&[("TMUX_PANE", "%0"), ("TMUX", server)]));
        assert_eq!(pane("/tmp/a,17,0"), pane("/tmp/a,17,0"));
        assert_ne!(pane("/tmp/a,17,0"), pane("/tmp/a,18,0"));
    }

    #[test]
    fn a_process_that_got_the_number_of_a_leader_leads_another_session() {
        let led = |leader| Session::of(&env(&[]).led_by(leader));
        assert_eq!(led(leader()), led(leader()));
        assert_ne!(led(leader()), led(Process { started: 8, ..leader() }));
        assert_ne!(led(leader()), led(Process { realm: "there".to_owned(), ..leader() }));
    }
}
