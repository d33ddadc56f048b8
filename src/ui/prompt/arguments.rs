//! The arguments of a call, for somebody who decides whether it may be made: every character of
//! them, only the white space between them is ours.

use crate::model::Arguments;

/// The arguments in lines, to be escaped.
pub fn lines(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Json(json) => indented(json.as_str()),
        Arguments::Text(text) => text.clone(),
    }
}

/// A valid JSON text, indented; its words, numbers and strings stay as they are written.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth: usize = 0;
    let mut rest = json.trim_start();
    let mut after = None;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string_length(rest),
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([',', '}', ']', ' ', '\t', '\n', '\r']).unwrap_or(rest.len()),
        };
        let closes = matches!(c, '}' | ']');
        if closes {
            depth = depth.saturating_sub(1);
        }
        let opened = matches!(after, Some('{' | '['));
        if (opened && !closes) || (closes && !opened) || after == Some(',') {
            out.push('\n');
            // So deep that nobody could read it, the depth is not shown.
            out.extend(std::iter::repeat_n("  ", depth.min(20)));
        }
        out.push_str(&rest[..length]);
        match c {
            '{' | '[' => depth += 1,
            ':' => out.push(' '),
            _ => {}
        }
        after = Some(c);
        rest = rest[length..].trim_start();
    }
    out
}

/// The length of the string that a text begins with, with its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        lines(&Arguments::new(text))
    }

    #[test]
    fn arguments_are_indented_and_otherwise_as_they_are_written() {
        assert_eq!(
            shown(r#"{ "b":1.50,"a" : [true,{"x\" }":"\u0041\n"}, [] ],"a":{},"n":-1e400}"#),
            "{\n  \"b\": 1.50,\n  \"a\": [\n    true,\n    {\n      \"x\\\" }\": \"\\u0041\\n\"\n    },\n    \
             []\n  ],\n  \"a\": {},\n  \"n\": -1e400\n}"
        );
        assert_eq!(shown("{}"), "{}");
        assert_eq!(shown(" 1 "), "1");
        assert_eq!(shown("rm -rf {"), "rm -rf {");
    }

    #[test]
    fn what_nests_deeply_takes_no_more_room_than_it_must() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(shown(&deep).len() < deep.len() * 45);
    }

    proptest! {
        #[test]
        fn nothing_of_the_arguments_is_lost(
            keys in prop::collection::vec("[ -~\u{80}-\u{ff}]{0,6}", 0..6),
            values in prop::collection::vec(prop::num::f64::NORMAL, 6),
        ) {
            let pairs = keys.into_iter().zip(values);
            let value: serde_json::Value = pairs.map(|(key, value)| (key, value.into())).collect::<serde_json::Map<_, _>>().into();
            let text = value.to_string();
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&shown(&text)).unwrap(), value);
        }
    }
}
