//! How long to wait.

use std::{borrow::Cow, fmt, time::Duration};

use jiff::SignedDuration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::texts::{Malformed, described};

/// How long something may take: more than nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timeout(Duration);

impl Timeout {
    /// The time.
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl TryFrom<String> for Timeout {
    type Error = Malformed;

    fn try_from(text: String) -> Result<Self, Malformed> {
        parse(&text).filter(|time| !time.is_zero()).map(Self).ok_or(Malformed)
    }
}

impl From<Timeout> for String {
    fn from(timeout: Timeout) -> Self {
        timeout.to_string()
    }
}

impl fmt::Display for Timeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(self.0))
    }
}

/// Reads a time with its unit, such as `1m 30s`.
pub fn parse(text: &str) -> Option<Duration> {
    // ISO 8601, which jiff reads too, is nothing that people write.
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    let parsed: Option<SignedDuration> = text.parse().ok().filter(|_| begins);
    parsed.and_then(|signed| Duration::try_from(signed).ok())
}

/// Writes a time with its unit.
pub fn written(time: Duration) -> String {
    let signed = SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
    format!("{signed:#}")
}

described!(Timeout, {
    "title": "a duration such as `90s`, `5m` or `1h 30m`",
    "type": "string",
    "pattern": "^[0-9]",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_its_unit() {
        let read = |text: &str| Timeout::try_from(text.to_owned());
        for (text, millis) in [
            ("90s", 90_000),
            ("500ms", 500),
            ("5m", 300_000),
            ("1h 30m", 5_400_000),
            ("1m30s", 90_000),
        ] {
            let timeout = read(text).unwrap();
            assert_eq!(timeout.duration(), Duration::from_millis(millis), "{text}");
            assert_eq!(read(&timeout.to_string()).unwrap(), timeout);
        }
        for wrong in ["", "90", "0s", "-5s", "soon", "PT5S", "5 parsecs", "5s ago"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
