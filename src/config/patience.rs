//! How long to wait for somebody else.

use std::{fmt, time::Duration};

use super::{texts::Malformed, timeout};

/// How long somebody waits for another to be done; nothing at all is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Patience(Duration);

impl Patience {
    /// The time.
    pub fn duration(self) -> Duration {
        self.0
    }
}

/// What is waited for without being told otherwise.
impl Default for Patience {
    fn default() -> Self {
        Self(Duration::from_secs(30))
    }
}

impl std::str::FromStr for Patience {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        match text.trim() {
            // The one number that needs no unit.
            "0" => Ok(Self(Duration::ZERO)),
            text => timeout::parse(text).map(Self).ok_or(Malformed),
        }
    }
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&timeout::written(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_is_a_time_with_its_unit_or_none_at_all() {
        for (text, millis) in [
            ("10s", 10_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("500ms", 500),
            ("1m 30s", 90_000),
            ("0", 0),
            (" 0 ", 0),
            ("0s", 0),
        ] {
            let patience: Patience = text.parse().unwrap();
            assert_eq!(patience.duration(), Duration::from_millis(millis), "{text}");
            assert_eq!(patience.to_string().parse::<Patience>().unwrap(), patience);
        }
        for wrong in ["", "10", "-1s", "soon", "PT5S", "5s ago", "1e3s", "∞"] {
            assert!(wrong.parse::<Patience>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn half_a_minute_is_waited_without_being_told() {
        assert_eq!(Patience::default().to_string(), "30s");
    }
}
