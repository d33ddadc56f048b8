//! The version of the format, and what a reader may do with another one.

use std::{fmt, str::FromStr};

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormatVersion {
    /// Changes when old readers would misread.
    pub major: u32,
    /// Changes when old readers would lose something by writing.
    pub minor: u32,
}

/// What this version of jp may do with a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatibility {
    /// Everything.
    ReadWrite,
    /// Read only: it was written by a newer minor version.
    ReadOnly,
    /// Nothing: it was written by a newer major version.
    Refused,
}

impl FormatVersion {
    /// The version that this program writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0 };

    /// What this program may do with a conversation of that version.
    pub fn compatibility(self) -> Compatibility {
        if self.major != Self::CURRENT.major {
            Compatibility::Refused
        } else if self.minor > Self::CURRENT.minor {
            Compatibility::ReadOnly
        } else {
            Compatibility::ReadWrite
        }
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A text that is not a version.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a format version such as `1.0`")]
pub struct InvalidVersion(String);

impl FromStr for FormatVersion {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| {
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse().ok()).flatten()
        };
        let parts = text.split_once('.');
        let version = parts
            .and_then(|(major, minor)| Some(Self { major: number(major)?, minor: number(minor)? }));
        version.ok_or_else(|| InvalidVersion(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_minor_is_read_only_and_a_newer_major_is_refused() {
        let compatibility = |text: &str| text.parse::<FormatVersion>().unwrap().compatibility();
        assert_eq!(compatibility("1.0"), Compatibility::ReadWrite);
        assert_eq!(compatibility("1.1"), Compatibility::ReadOnly);
        assert_eq!(compatibility("2.0"), Compatibility::Refused);
        assert_eq!(compatibility("0.9"), Compatibility::Refused);
        for text in ["", "1", "1.", ".1", "1.0.0", "+1.0", "1.x"] {
            assert!(text.parse::<FormatVersion>().is_err(), "{text}");
        }
    }
}
