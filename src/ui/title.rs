//! The title of the terminal: which conversation is at work in this tab.
//!
//! It goes where the status line goes, to standard error if that is a terminal, and to nothing else.
//! It stays when the command ends, as the tab is still about that conversation; shells that have a
//! title of their own set it again with their next prompt.

use std::io::{self, IsTerminal, Write};

use super::{escape::is_unsafe, width::shorten};
use crate::env::Env;

/// The columns that a title may have: tabs show less, and some terminals cut in the middle of what
/// they do not take.
const LONGEST: usize = 120;

/// How much of a text is looked at.
const MOST: usize = 1_000;

/// Sets the title of the terminal that standard error goes to, if it has one; the text may come from
/// anywhere. That nobody sees it is not an error.
pub fn show_title(env: &Env, text: &str) {
    if has_title(env) {
        let mut stderr = io::stderr();
        let _unseen = stderr.write_all(sequence(text).as_bytes()).and_then(|()| stderr.flush());
    }
}

/// Whether standard error is a terminal with a title. The console of Linux has none, and would print
/// the text.
pub(super) fn has_title(env: &Env) -> bool {
    let has_none = |term: &std::ffi::OsStr| term == "dumb" || term == "linux";
    io::stderr().is_terminal() && !env.var("TERM").is_none_or(has_none)
}

/// What makes a text the title of a terminal. Whatever could end the sequence before its end, begin
/// another one or turn the text around is left out, and line breaks and tabs are spaces.
pub(super) fn sequence(text: &str) -> String {
    let visible = text.chars().take(MOST).filter_map(|c| match c {
        '\n' | '\r' | '\t' => Some(' '),
        c if is_unsafe(c) => None,
        c => Some(c),
    });
    let words = visible.collect::<String>();
    let words: Vec<_> = words.split_whitespace().collect();
    format!("\u{1b}]2;{}\u{7}", shorten(&words.join(" "), LONGEST))
}

#[cfg(test)]
mod tests {
    use super::super::width::width;
    use super::*;

    /// The title that a sequence sets; it must be nothing but that.
    fn title(text: &str) -> String {
        let sequence = sequence(text);
        let title = sequence.strip_prefix("\u{1b}]2;").and_then(|rest| rest.strip_suffix('\u{7}'));
        let title = title.expect("it begins and ends as it should").to_owned();
        assert!(!title.contains(is_unsafe), "{title:?}");
        assert!(width(&title) <= LONGEST, "{title:?}");
        title
    }

    #[test]
    fn a_title_is_one_line_of_visible_text() {
        assert_eq!(title("jp-c17: Über Möhren 漢字 🥕"), "jp-c17: Über Möhren 漢字 🥕");
        assert_eq!(title(" two\r\nlines\tand\n\n"), "two lines and");
        assert_eq!(title(""), "");
    }

    #[test]
    fn nothing_in_a_text_ends_the_sequence_or_begins_another() {
        for (text, shown) in [
            ("a\u{7}b", "ab"),
            ("a\u{1b}\\b", "a\\b"),
            ("a\u{9c}b", "ab"),
            ("a\u{1b}]52;c;cHc=\u{7}b", "a]52;c;cHc=b"),
            ("a\u{1b}[2J\u{9b}31mb", "a[2J31mb"),
            ("a\u{90}q\u{98}\u{9d}0;b", "aq0;b"),
            ("a\0\u{8}\u{18}\u{1a}\u{7f}b", "ab"),
            ("a\u{202e}b\u{2066}c\u{200f}d\u{61c}e\u{feff}", "abcde"),
            ("a\u{2028}b\u{2029}c\u{85}d", "abcd"),
            ("a\u{e0041}b", "ab"),
        ] {
            assert_eq!(title(text), shown, "{text:?}");
        }
        let all: String = ('\0'..=char::MAX).collect();
        for text in all.chars().collect::<Vec<_>>().chunks(MOST / 2) {
            title(&text.iter().collect::<String>());
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        let long = title(&"x".repeat(10_000));
        assert_eq!(long, format!("{}…", "x".repeat(LONGEST - 1)));
        assert_eq!(width(&title(&"漢".repeat(10_000))), LONGEST - 1);
        assert_eq!(title(&"\u{1b}".repeat(10_000)), "");
    }
}
