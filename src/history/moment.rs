//! Moments in the life of a conversation, as people write them: the one place that reads them.

use jiff::{Span, Timestamp, Zoned, civil};

use crate::model::Address;

/// A moment in the life of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A commit whose id begins so.
    Commit(String),
    /// The end of a turn.
    Turn(u64),
    /// A time.
    Time(Timestamp),
    /// So many operations ago.
    Operations(u64),
    /// An event.
    Event(Address),
}

/// What a moment is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A version of the conversation: a commit, a turn, a time, operations ago.
    Version,
    /// A place in the stream: an address, a turn, a time.
    Place,
    /// An event: an address, or the name of its file.
    Event,
    /// A time.
    Time,
}

impl Scope {
    /// What is accepted, for errors and help.
    pub fn accepts(self) -> &'static str {
        match self {
            Self::Version => {
                "a commit such as `1f2e3d4c`, `turn 4`, `~2` (operations ago), `2h ago` or `2026-11-01 14:03`"
            }
            Self::Event => "a number such as `007`, or the name of its file",
            Self::Place => "an address such as `007`, `turn 4`, `2h ago` or `2026-11-01 14:03`",
            Self::Time => "`2h ago`, `14:03`, `2026-11-01` or `2026-11-01 14:03`",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Version => "a version",
            Self::Place => "a place in a conversation",
            Self::Event => "an address",
            Self::Time => "a time",
        }
    }
}

/// A text that is not a moment.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not {}: expected {}", given.escape_debug(), scope.name(), scope.accepts())]
pub struct InvalidMoment {
    /// The text.
    pub given: String,
    /// What was asked for.
    pub scope: Scope,
}

/// How many digits a commit may be named by.
const COMMIT_DIGITS: std::ops::RangeInclusive<usize> = 4..=40;

impl Moment {
    /// Reads a moment; times without an offset are those of the zone of `now`.
    pub fn parse(text: &str, scope: Scope, now: &Zoned) -> Result<Self, InvalidMoment> {
        let trimmed = text.trim();
        let moment = match scope {
            Scope::Version => {
                operations(trimmed).or_else(|| turn(trimmed)).or_else(|| commit(trimmed))
            }
            Scope::Place => address(trimmed).or_else(|| turn(trimmed)),
            Scope::Event => address(trimmed),
            Scope::Time => None,
        };
        let moment = match scope {
            Scope::Event => moment,
            Scope::Version | Scope::Place | Scope::Time => {
                moment.or_else(|| time(trimmed, now).map(Self::Time))
            }
        };
        moment.ok_or_else(|| InvalidMoment { given: text.to_owned(), scope })
    }
}

fn operations(text: &str) -> Option<Moment> {
    number(text.strip_prefix('~')?).map(Moment::Operations)
}

fn turn(text: &str) -> Option<Moment> {
    let rest = text.strip_prefix("turn")?;
    let rest = rest.strip_prefix([' ', ':', '=']).unwrap_or(rest);
    number(rest.trim_start()).map(Moment::Turn)
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn commit(text: &str) -> Option<Moment> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && COMMIT_DIGITS.contains(&text.len()))
        .then(|| Moment::Commit(text.to_ascii_lowercase()))
}

/// The number of an event, or the name of its file.
fn address(text: &str) -> Option<Moment> {
    let number = match text.split_once('-') {
        Some((number, name)) if name.ends_with(".md") || name.ends_with(".toml") => number,
        Some(_) => return None,
        None => text,
    };
    number.parse().ok().map(Moment::Event)
}

fn time(text: &str, now: &Zoned) -> Option<Timestamp> {
    if text.ends_with("ago") {
        let span: Span = text.parse().ok()?;
        return now.checked_add(span).ok().map(|time| time.timestamp());
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let zone = now.time_zone().clone();
    let local = if let Ok(moment) = text.parse::<civil::DateTime>() {
        moment
    } else {
        text.parse::<civil::Time>().ok().map(|time| now.date().to_datetime(time))?
    };
    local.to_zoned(zone).ok().map(|time| time.timestamp())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    fn now() -> Zoned {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        "2026-11-16T12:00:00Z".parse::<Timestamp>().unwrap().to_zoned(zone)
    }

    fn version(text: &str) -> Option<Moment> {
        Moment::parse(text, Scope::Version, &now()).ok()
    }

    fn at(text: &str) -> Option<Moment> {
        Some(Moment::Time(text.parse().unwrap()))
    }

    #[test]
    fn a_version_is_written_in_many_ways() {
        assert_eq!(version("~2"), Some(Moment::Operations(2)));
        for text in ["turn 4", "turn:4", "turn=4", "turn4", " turn  4 "] {
            assert_eq!(version(text), Some(Moment::Turn(4)), "{text}");
        }
        assert_eq!(version("1F2e"), Some(Moment::Commit("1f2e".to_owned())));
        assert_eq!(version("2h ago"), at("2026-11-16T10:00:00Z"));
        assert_eq!(version("1 day 2 hours ago"), at("2026-11-15T10:00:00Z"));
        assert_eq!(version("2026-11-01 14:03"), at("2026-11-01T12:03:00Z"));
        assert_eq!(version("2026-11-01T14:03:05Z"), at("2026-11-01T14:03:05Z"));
        assert_eq!(version("2026-11-01"), at("2026-10-31T22:00:00Z"));
        assert_eq!(version("09:30"), at("2026-11-16T07:30:00Z"));
    }

    #[test]
    fn a_place_may_be_an_address() {
        let place = |text: &str| Moment::parse(text, Scope::Place, &now()).ok();
        let seven = Some(Moment::Event(Address::new(7).unwrap()));
        assert_eq!(place("7"), seven);
        assert_eq!(place("007-tool-call-read.md"), seven);
        assert_eq!(place("turn 0"), Some(Moment::Turn(0)));
        assert_eq!(place("2026-11-01 14:03"), at("2026-11-01T12:03:00Z"));
        assert_eq!(place("~1"), None);
    }

    #[test]
    fn a_time_is_nothing_else() {
        let time = |text: &str| Moment::parse(text, Scope::Time, &now()).ok();
        assert_eq!(time("2h ago"), at("2026-11-16T10:00:00Z"));
        assert_eq!(time("2026-11-01"), at("2026-10-31T22:00:00Z"));
        for text in ["7", "turn 4", "~1", "1f2e"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn an_error_shows_what_is_accepted() {
        let error = Moment::parse("soon", Scope::Version, &now()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`soon` is not a version: expected a commit such as `1f2e3d4c`, `turn 4`, `~2` \
             (operations ago), `2h ago` or `2026-11-01 14:03`"
        );
        for text in ["", "~", "~x", "turn", "turn -1", "abc", "xyz1", "2026-13-01", "ago", "-2h"] {
            assert_eq!(version(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in any::<String>()) {
            for scope in [Scope::Version, Scope::Place, Scope::Time] {
                let _any = Moment::parse(&text, scope, &now());
            }
        }
    }
}
