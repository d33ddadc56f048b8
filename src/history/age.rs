//! How long ago something was, as people write it.

use jiff::{Span, Timestamp, Zoned};

/// A text that is not an age.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not an age: expected a time span such as `30d`, `2 weeks` or `12h`", .0.escape_debug())]
pub struct InvalidAge(pub String);

/// The time that lies so far back.
pub fn parse_age(text: &str, now: &Zoned) -> Result<Timestamp, InvalidAge> {
    let trimmed = text.trim();
    let span = if trimmed == "0" { Some(Span::new()) } else { trimmed.parse::<Span>().ok() };
    let ago = span.filter(|span| !span.is_negative()).and_then(|span| now.checked_sub(span).ok());
    ago.map(|ago| ago.timestamp()).ok_or_else(|| InvalidAge(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    fn now() -> Zoned {
        "2026-11-16T12:00:00Z".parse::<Timestamp>().unwrap().to_zoned(TimeZone::UTC)
    }

    #[test]
    fn an_age_counts_back_from_now() {
        let age = |text: &str| parse_age(text, &now()).ok();
        assert_eq!(age("30d"), Some("2026-10-17T12:00:00Z".parse().unwrap()));
        assert_eq!(age("2 weeks"), Some("2026-11-02T12:00:00Z".parse().unwrap()));
        assert_eq!(age("0"), Some(now().timestamp()));
        for text in ["", "30", "-1d", "1d ago", "soon", "99999999999y"] {
            assert_eq!(age(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in any::<String>()) {
            let _any = parse_age(&text, &now());
        }
    }
}
