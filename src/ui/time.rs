//! Times as people read them.

use jiff::tz::TimeZone;

use crate::model::Timestamp;

/// The day and the minute, where the reader is.
pub fn minute(time: Timestamp, zone: &TimeZone) -> String {
    time.instant().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}
