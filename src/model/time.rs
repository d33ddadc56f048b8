//! Moments with the offset that they were written with.

use std::{fmt, str::FromStr};

use jiff::{
    fmt::temporal::{Pieces, PiecesOffset},
    tz::Offset,
};

/// A moment as RFC 3339 writes it: an instant and the offset from UTC of its author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timestamp {
    instant: jiff::Timestamp,
    offset: Option<Offset>,
}

impl Timestamp {
    /// A moment in UTC.
    pub fn utc(instant: jiff::Timestamp) -> Self {
        Self { instant, offset: None }
    }

    /// A moment in UTC, from seconds since 1970; out-of-range seconds are clamped.
    pub fn from_seconds(seconds: i64) -> Self {
        let limits = (jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
        let instant = jiff::Timestamp::from_second(seconds.clamp(limits.0, limits.1))
            .unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self::utc(instant)
    }

    /// The instant.
    pub fn instant(self) -> jiff::Timestamp {
        self.instant
    }

    /// Seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.instant.as_second()
    }

    /// Seconds east of UTC.
    pub fn offset_seconds(self) -> i32 {
        self.offset.map_or(0, Offset::seconds)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(offset) = self.offset else {
            return write!(f, "{}Z", Offset::UTC.to_datetime(self.instant));
        };
        let seconds = offset.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.abs() / 60;
        let local = offset.to_datetime(self.instant);
        write!(f, "{local}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// A text that is not an RFC 3339 timestamp with an offset.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a time such as `2026-01-31T12:00:00Z` or `2026-01-31T14:00:00+02:00`")]
pub struct InvalidTimestamp(pub String);

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| InvalidTimestamp(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let pieces = Pieces::parse(text).ok()?;
    if pieces.time_zone_annotation().is_some() {
        return None;
    }
    let moment = pieces.date().to_datetime(pieces.time()?);
    let offset = match pieces.offset()? {
        PiecesOffset::Zulu => None,
        PiecesOffset::Numeric(numeric) => Some(numeric.offset()),
        _ => return None,
    };
    if offset.is_some_and(|offset| offset.seconds() % 60 != 0) {
        return None;
    }
    let instant = offset.unwrap_or(Offset::UTC).to_timestamp(moment).ok()?;
    Some(Timestamp { instant, offset })
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_and_fraction_survive() {
        for text in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T14:00:00+02:00",
            "2026-01-31T14:00:00+00:00",
            "2026-01-31T07:30:00.000000001-04:30",
            "0001-01-01T00:00:00Z",
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_time_needs_an_offset() {
        for text in ["2026-01-31", "2026-01-31T12:00:00", "now", "", "2026-01-31T12:00:00[UTC]"] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
