//! Text from elsewhere, made harmless for a terminal.

use std::{borrow::Cow, fmt::Write};

use super::width::char_width;

/// Columns from one tab stop to the next, as in markdown.
pub(super) const TAB: usize = 4;

/// What makes one picture of two.
pub(super) const JOINER: char = '\u{200d}';

/// Replaces everything that could steer a terminal or reorder its text by visible escapes.
pub fn escape(text: &str) -> Cow<'_, str> {
    let Some(first) = find_unsafe(text, 0) else {
        return Cow::Borrowed(text);
    };
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(&text[..first]);
    let mut before = text[..first].chars().next_back();
    let mut rest = text[first..].chars();
    while let Some(c) = rest.next() {
        push_char(&mut safe, before, c, rest.clone().next());
        before = Some(c);
    }
    Cow::Owned(safe)
}

/// The same for a JSON text, which keeps its meaning.
pub fn escape_json(text: &str) -> Cow<'_, str> {
    let does_harm = |c: char| c != '\n' && is_unsafe(c);
    if !text.contains(does_harm) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if !does_harm(c) {
            safe.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(safe, "\\u{unit:04x}").expect("a String takes any text");
        }
    }
    Cow::Owned(safe)
}

/// The same for a text of several lines: line breaks stay, and tabs become spaces.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    let mut from = 0;
    while let Some(at) = find_unsafe(text, from) {
        if text.as_bytes()[at] != b'\n' {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let mut safe = String::with_capacity(text.len() + text.len() / 8 + 16);
            safe.push_str(&text[..line]);
            push_lines(&mut safe, &text[line..]);
            return Cow::Owned(safe);
        }
        from = at + 1;
    }
    Cow::Borrowed(text)
}

/// A text from anywhere that does not look like several lines of ours.
pub fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn push_lines(safe: &mut String, text: &str) {
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => (line, ""),
        };
        push_line(safe, line);
        safe.push_str(end);
    }
}

/// Adds a line, with spaces for tabs and visible escapes for whatever else does harm.
pub(super) fn push_line(safe: &mut String, line: &str) {
    let Some(first) = find_unsafe(line, 0) else {
        return safe.push_str(line);
    };
    let mut column: usize = 0;
    let mut before = None;
    let mut rest = line.chars();
    if !line.as_bytes()[first..].contains(&b'\t') {
        // Columns count for tabs only.
        safe.push_str(&line[..first]);
        before = line[..first].chars().next_back();
        rest = line[first..].chars();
    }
    while let Some(c) = rest.next() {
        if c == '\t' {
            let spaces = TAB - column % TAB;
            safe.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            push_char(safe, before, c, rest.clone().next());
            column += char_width(c);
        }
        before = Some(c);
    }
}

/// Adds a character that stands between these, or visible escapes if it does harm.
pub(super) fn push_char(safe: &mut String, before: Option<char>, c: char, after: Option<char>) {
    match c {
        '\n' => safe.push_str("\\n"),
        '\t' => safe.push_str("\\t"),
        '\r' => safe.push_str("\\r"),
        JOINER if joins_pictures(before, after) => safe.push(c),
        c if is_unsafe(c) => {
            write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("a String takes any text");
        }
        c => safe.push(c),
    }
}

/// Where the first character is, from a byte on, that may be unsafe.
fn find_unsafe(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|byte| SUSPECT[usize::from(*byte)])?;
        if text[at..].chars().next().is_some_and(is_unsafe) {
            return Some(at);
        }
        at += 1;
    }
}

/// The bytes that an unsafe character can begin with.
const SUSPECT: [bool; 256] = {
    let mut suspect = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        suspect[byte] = matches!(
            byte,
            0..0x20 | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf0 | 0xf3
        );
        byte += 1;
    }
    suspect
};

/// Control characters, those that change the direction of text, and those that cannot be seen.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner stands between two pictures and makes them one.
fn joins_pictures(before: Option<char>, after: Option<char>) -> bool {
    let is_picture = |c: char| matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    before.is_some_and(|c| is_picture(c) || c == '\u{fe0f}') && after.is_some_and(is_picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_gets_through() {
        assert_eq!(escape("plain ü 漢"), "plain ü 漢");
        assert_eq!(
            escape("\u{1b}]2;x\u{7}\u{9b}31m\u{202e}\n"),
            "\\u{1b}]2;x\\u{7}\\u{9b}31m\\u{202e}\\n"
        );
        let all: String = ('\0'..=char::MAX).collect();
        assert!(!escape(&all).contains(char::is_control));
        assert!(!escape_lines(&all).contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn every_unsafe_character_is_found_by_its_first_byte() {
        let mut buffer = [0; 4];
        for c in ('\0'..=char::MAX).filter(|c| is_unsafe(*c)) {
            assert!(SUSPECT[usize::from(c.encode_utf8(&mut buffer).as_bytes()[0])], "{c:?}");
        }
    }

    #[test]
    fn lines_stay_lines_and_tabs_become_spaces() {
        assert_eq!(escape_lines("one\ntwo\n"), "one\ntwo\n");
        assert_eq!(escape_lines("one\n\ta\tbcd\te\n"), "one\n    a   bcd e\n");
        assert_eq!(escape_lines("漢\tb"), "漢  b");
        assert_eq!(escape_lines("one\r\ntwo\rthree\r"), "one\ntwo\\rthree\\r");
        assert_eq!(escape_lines("\u{1b}[31m\n\u{85}"), "\\u{1b}[31m\n\\u{85}");
    }

    #[test]
    fn a_joiner_shows_unless_it_joins_pictures() {
        assert_eq!(escape("👨\u{200d}💻"), "👨\u{200d}💻");
        assert_eq!(escape("a\u{200d}b"), "a\\u{200d}b");
    }
}
