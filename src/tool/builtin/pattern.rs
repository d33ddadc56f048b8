//! A pattern of git as a regular expression over bytes, which takes no more than linear time.

use std::fmt::Write;

/// The expression for a pattern; none if nothing can match it.
pub(super) fn regex(pattern: &[u8]) -> Option<String> {
    let mut regex = String::from("^(?:");
    let mut rest = pattern;
    let mut at_name = true;
    while let Some((&byte, after)) = rest.split_first() {
        let begins_name = std::mem::replace(&mut at_name, byte == b'/');
        rest = after;
        match byte {
            b'*' => {
                let stars = 1 + after.iter().take_while(|byte| **byte == b'*').count();
                rest = &after[stars - 1..];
                match rest {
                    // Any number of directories, also none.
                    [b'/', inner @ ..] if stars == 2 && begins_name => {
                        regex.push_str("(?:.*/)?");
                        (rest, at_name) = (inner, true);
                    }
                    [] if stars == 2 && begins_name => regex.push_str(".*"),
                    _ => regex.push_str("[^/]*"),
                }
            }
            b'?' => regex.push_str("[^/]"),
            b'[' => rest = class(after, &mut regex)?,
            b'\\' => {
                let (&byte, after) = after.split_first()?;
                literal(byte, &mut regex);
                (rest, at_name) = (after, byte == b'/');
            }
            byte => literal(byte, &mut regex),
        }
    }
    regex.push_str(")$");
    Some(regex)
}

fn literal(byte: u8, regex: &mut String) {
    match byte.is_ascii_alphanumeric() {
        true => regex.push(char::from(byte)),
        false => write!(regex, "\\x{byte:02x}").expect("a string takes everything"),
    }
}

/// A class of characters, from behind its bracket on; returns what follows it.
fn class<'a>(pattern: &'a [u8], regex: &mut String) -> Option<&'a [u8]> {
    let (negated, mut rest) = match pattern {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, pattern),
    };
    let mut members = String::new();
    let mut is_first = true;
    loop {
        let (byte, after) = match rest {
            [b']', after @ ..] if !is_first => {
                rest = after;
                break;
            }
            [b'[', b':', named @ ..] if named.windows(2).any(|two| two == b":]") => {
                let end = named.windows(2).position(|two| two == b":]")?;
                members.push_str(named_class(&named[..end])?);
                (rest, is_first) = (&named[end + 2..], false);
                continue;
            }
            [b'\\', byte, after @ ..] => (*byte, after),
            [byte, after @ ..] => (*byte, after),
            [] => return None,
        };
        is_first = false;
        let (last, after) = match after {
            [b'-', b']', ..] => (byte, after),
            [b'-', b'\\', last, after @ ..] => (*last, after),
            [b'-', last, after @ ..] => (*last, after),
            _ => (byte, after),
        };
        if byte <= last {
            write!(members, "\\x{byte:02x}-\\x{last:02x}").expect("a string takes everything");
        }
        rest = after;
    }
    match (negated, members.is_empty()) {
        (false, true) => return None,
        (true, true) => regex.push_str("[^/]"),
        (false, false) => write!(regex, "[{members}&&[^/]]").expect("a string takes everything"),
        (true, false) => write!(regex, "[^{members}/]").expect("a string takes everything"),
    }
    Some(rest)
}

/// What a class with a name has in it.
fn named_class(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"alnum" => "0-9A-Za-z",
        b"alpha" => "A-Za-z",
        b"blank" => "\\t\\x20",
        b"cntrl" => "\\x00-\\x1f\\x7f",
        b"digit" => "0-9",
        b"graph" => "!-~",
        b"lower" => "a-z",
        b"print" => "\\x20-~",
        b"punct" => "!-/:-@\\[-`{-~",
        b"space" => "\\t\\n\\x0b\\x0c\\r\\x20",
        b"upper" => "A-Z",
        b"xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use regex::bytes::RegexBuilder;

    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let Some(source) = regex(pattern.as_bytes()) else { return false };
        let regex = RegexBuilder::new(&source).unicode(false).dot_matches_new_line(true).build();
        regex.unwrap().is_match(text.as_bytes())
    }

    #[test]
    fn patterns_match_what_git_lets_them_match() {
        for (pattern, yes, no) in [
            ("*.rs", &["a.rs", ".rs"][..], &["a.rsx", "a/b.rs"][..]),
            ("a?c", &["abc", "a\nc"], &["ac", "a/c"]),
            ("**/a", &["a", "x/a", "x/y/a"], &["xa", "a/x"]),
            ("a/**", &["a/b", "a/b/c"], &["a", "b/a/c"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
            ("a**b", &["ab", "axb"], &["a/b"]),
            ("a/***/b", &["a/x/b"], &["a/b", "a/x/y/b"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a]x", &["bx"], &["ax", "/x"]),
            ("[^a]x", &["bx"], &["ax"]),
            ("[]a]", &["]", "a"], &["b"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[[:digit:]_]", &["1", "_"], &["a"]),
            ("[\\]]", &["]"], &["\\"]),
            ("[b-a]", &[], &["a", "b"]),
            ("a[/]b", &[], &["a/b"]),
            ("[a", &[], &["[a", "a"]),
            ("\\*", &["*"], &["a"]),
            ("a.b", &["a.b"], &["axb"]),
            ("(a|b)", &["(a|b)"], &["a"]),
        ] {
            for text in yes {
                assert!(matches(pattern, text), "{pattern} {text:?}");
            }
            for text in no {
                assert!(!matches(pattern, text), "{pattern} {text:?}");
            }
        }
    }
}
