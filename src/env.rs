//! The world as a value: variables, the current directory, the clock and randomness.
//!
//! Everything that reads them gets them from here, so that tests can fix them.

mod process;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    path::PathBuf,
    time::SystemTime,
};

use jiff::tz::TimeZone;

pub use process::{Life, Process};

use crate::model::Timestamp;

/// The world that a run of jp sees.
#[derive(Clone, Debug)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
    clock: Clock,
    leader: Option<Process>,
    keys: BTreeSet<String>,
}

/// Where the time comes from.
#[derive(Clone, Copy, Debug)]
enum Clock {
    System,
    Fixed(Timestamp),
}

impl Env {
    /// The world of this process.
    #[expect(clippy::disallowed_methods, reason = "this is where the directory comes from")]
    pub fn of_process() -> std::io::Result<Self> {
        let cwd = std::env::current_dir()?;
        let vars = std::env::vars_os().collect();
        let keys = BTreeSet::new();
        Ok(Self { vars, cwd, clock: Clock::System, leader: None, keys })
    }

    /// A world with these variables, standing in this directory, at this time.
    pub fn fixed(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        cwd: PathBuf,
        now: Timestamp,
    ) -> Self {
        let (vars, keys) = (vars.into_iter().collect(), BTreeSet::new());
        Self { vars, cwd, clock: Clock::Fixed(now), leader: None, keys }
    }

    /// The same world in a terminal whose session has this leader.
    pub fn led_by(self, leader: Process) -> Self {
        Self { leader: Some(leader), ..self }
    }

    /// The same world, in which these variables hold keys of providers as well: no child gets them.
    pub fn with_key_variables(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.keys.extend(names);
        self
    }

    /// The variables that are known to hold keys of providers.
    pub fn key_variables(&self) -> impl Iterator<Item = String> {
        self.keys.iter().cloned()
    }

    /// A world with these variables and nothing else.
    #[cfg(test)]
    pub fn of_variables(vars: &[(&str, &str)]) -> Self {
        let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
        Self::fixed(vars, PathBuf::from("/"), Timestamp::from_seconds(0))
    }

    /// A variable, unless it is empty.
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        let value = self.vars.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value.as_os_str())
    }

    /// A variable as a path, if it is an absolute one.
    pub fn absolute_path(&self, name: &str) -> Option<PathBuf> {
        self.var(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// All variables.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The current directory.
    pub fn cwd(&self) -> &std::path::Path {
        &self.cwd
    }

    /// The user's home.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute_path("HOME")
    }

    /// Where the user's data lives: `$XDG_DATA_HOME/jp` or `~/.local/share/jp`.
    pub fn data_dir(&self) -> Option<PathBuf> {
        let base = self.absolute_path("XDG_DATA_HOME");
        Some(base.or_else(|| Some(self.home()?.join(".local/share")))?.join("jp"))
    }

    /// Where the user's configuration lives: `$XDG_CONFIG_HOME` or `~/.config`.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.absolute_path("XDG_CONFIG_HOME").or_else(|| Some(self.home()?.join(".config")))
    }

    /// The time, in UTC, to the millisecond.
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    pub fn now(&self) -> Timestamp {
        match self.clock {
            Clock::Fixed(now) => now,
            Clock::System => {
                let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let millis = since_epoch.map_or(0, |duration| duration.as_millis());
                let millis = i64::try_from(millis).unwrap_or(i64::MAX);
                let instant = jiff::Timestamp::from_millisecond(millis);
                Timestamp::utc(instant.unwrap_or(jiff::Timestamp::MAX))
            }
        }
    }

    /// The leader of the session of this terminal; `None` without a terminal.
    pub fn leader(&self) -> Option<Process> {
        match (self.clock, &self.leader) {
            (_, Some(leader)) => Some(leader.clone()),
            (Clock::System, None) => Process::leading(),
            (Clock::Fixed(_), None) => None,
        }
    }

    /// The time zone of the user: `TZ`, else that of the system, else UTC.
    pub fn time_zone(&self) -> TimeZone {
        match (self.clock, self.var("TZ").and_then(OsStr::to_str)) {
            (_, Some(name)) => {
                let name = name.trim_start_matches(':');
                let found = TimeZone::get(name).or_else(|_unknown| TimeZone::posix(name));
                found.unwrap_or(TimeZone::UTC)
            }
            (Clock::System, None) => TimeZone::try_system().unwrap_or(TimeZone::UTC),
            (Clock::Fixed(_), None) => TimeZone::UTC,
        }
    }

    /// A name that nobody can foresee: 16 hexadecimal digits.
    pub fn random_name(&self) -> std::io::Result<String> {
        let random: [u8; 8] = self.random()?;
        Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Random bytes from the system.
    pub fn random<const N: usize>(&self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        let mut filled = 0;
        while filled < N {
            let flags = rustix::rand::GetRandomFlags::empty();
            filled += rustix::rand::getrandom(&mut bytes[filled..], flags)?;
        }
        Ok(bytes)
    }
}
