//! The id of a conversation.

use std::{fmt, str::FromStr};

use super::Timestamp;

/// The id of a conversation: when it began, in tenths of a second since 1970, as `jp-c17528832001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConversationId(u64);

impl ConversationId {
    /// What every id begins with.
    pub const PREFIX: &str = "jp-c";

    /// The id of a conversation that begins now.
    pub fn at(now: Timestamp) -> Self {
        let tenths = now.instant().as_millisecond() / 100;
        Self(u64::try_from(tenths).unwrap_or(0))
    }

    /// The id after this one, for when this one is taken.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// When a conversation with this id began.
    pub fn begun(self) -> Timestamp {
        Timestamp::from_seconds(i64::try_from(self.0 / 10).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for ConversationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.0)
    }
}

/// A text that is not the id of a conversation.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a conversation id: expected `jp-c` and digits")]
pub struct InvalidConversationId(pub String);

impl FromStr for ConversationId {
    type Err = InvalidConversationId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text
            .strip_prefix(Self::PREFIX)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .filter(|digits| *digits == "0" || !digits.starts_with('0'))
            .and_then(|digits| digits.parse().ok());
        number.map(Self).ok_or_else(|| InvalidConversationId(text.to_owned()))
    }
}

impl serde::Serialize for ConversationId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_time_in_tenths_of_a_second() {
        let now: Timestamp = "2025-07-19T00:00:00.150Z".parse().unwrap();
        let id = ConversationId::at(now);
        assert_eq!(id.to_string(), "jp-c17528832001");
        assert_eq!(id.begun().to_string(), "2025-07-19T00:00:00Z");
        assert_eq!("jp-c17528832001".parse::<ConversationId>().unwrap(), id);
    }

    #[test]
    fn each_id_has_one_spelling() {
        for text in ["jp-c", "jp-c01", "jp-c+1", "c1", "jp-c1x", "JP-C1", "jp-c1/2"] {
            assert!(text.parse::<ConversationId>().is_err(), "{text}");
        }
    }
}
