//! How many columns of a terminal a text takes.

use std::{borrow::Cow, ops::Range};

/// Columns that a text takes: one for most characters, two for wide ones.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char_width).sum()
}

/// A text cut to at most so many columns, with `…` at its end if something is missing.
pub fn shorten(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns {
        return Cow::Borrowed(text);
    }
    let mut taken = 0;
    let mut kept = 0;
    for (at, c) in text.char_indices() {
        if taken < columns {
            kept = at;
        }
        taken += char_width(c);
        if taken > columns {
            let mark = if columns == 0 { "" } else { "…" };
            return Cow::Owned(format!("{}{mark}", text[..kept].trim_end()));
        }
    }
    Cow::Borrowed(text)
}

/// The part of a text around a byte that fits into so many columns, with one to spare for `…` at
/// each of its ends: two thirds of it come after.
pub fn around(text: &str, focus: usize, columns: usize) -> Range<usize> {
    if width(text) <= columns {
        return 0..text.len();
    }
    let room = columns.saturating_sub(2);
    let take = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut left = room;
        let fits = |c: &char| {
            let fits = char_width(*c) <= left;
            left = left.saturating_sub(char_width(*c));
            fits
        };
        chars.take_while(fits).map(char::len_utf8).sum::<usize>()
    };
    let before = focus - take(&mut text[..focus].chars().rev(), room / 3);
    let end = before + take(&mut text[before..].chars(), room);
    let shown = width(&text[before..end]);
    // At the end of a text there is more room before.
    let start = before - take(&mut text[..before].chars().rev(), room - shown.min(room));
    start..end
}

/// Columns that a character takes.
pub(super) fn char_width(c: char) -> usize {
    match c {
        '\0'..='\u{2ff}' => 1,
        _ if is_combining(c) => 0,
        _ if is_wide(c) => 2,
        _ => 1,
    }
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{941}'..='\u{948}'
        | '\u{94d}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

fn is_wide(c: char) -> bool {
    if c < '\u{1100}' {
        return false;
    }
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{231a}' | '\u{231b}' | '\u{2329}' | '\u{232a}'
        | '\u{23e9}'..='\u{23ec}' | '\u{23f0}' | '\u{23f3}' | '\u{25fd}' | '\u{25fe}'
        | '\u{2614}' | '\u{2615}' | '\u{2648}'..='\u{2653}' | '\u{267f}' | '\u{2693}'
        | '\u{26a1}' | '\u{26aa}' | '\u{26ab}' | '\u{26bd}' | '\u{26be}' | '\u{26c4}'
        | '\u{26c5}' | '\u{26ce}' | '\u{26d4}' | '\u{26ea}' | '\u{26f2}' | '\u{26f3}'
        | '\u{26f5}' | '\u{26fa}' | '\u{26fd}' | '\u{2705}' | '\u{270a}' | '\u{270b}'
        | '\u{2728}' | '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}'
        | '\u{2795}'..='\u{2797}' | '\u{27b0}' | '\u{27bf}' | '\u{2b1b}' | '\u{2b1c}'
        | '\u{2b50}' | '\u{2b55}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}' | '\u{16fe0}'..='\u{18cff}' | '\u{1aff0}'..='\u{1b2ff}'
        | '\u{1f004}' | '\u{1f0cf}' | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}'
        | '\u{1f200}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}' | '\u{1f7e0}'..='\u{1f7f0}'
        | '\u{1f90c}'..='\u{1f9ff}' | '\u{1fa70}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_combining_characters_are_counted_as_they_are_shown() {
        for (text, columns) in [("", 0), ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("✅ ü", 4)]
        {
            assert_eq!(width(text), columns, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_shown_around_what_matters() {
        let text = "0123456789abcdef";
        for (focus, columns, shown) in [
            (0, 16, "0123456789abcdef"),
            (0, 8, "012345"),
            (8, 8, "6789ab"),
            (15, 8, "abcdef"),
            (8, 2, ""),
            (8, 0, ""),
        ] {
            assert_eq!(&text[around(text, focus, columns)], shown, "{focus} {columns}");
        }
        assert_eq!(&"漢字漢字漢字"[around("漢字漢字漢字", 6, 8)], "字漢字");
    }

    #[test]
    fn a_text_is_shortened_to_the_columns_that_there_are() {
        for (text, columns, short) in [
            ("abcdef", 6, "abcdef"),
            ("abcdef", 5, "abcd…"),
            ("ab cdef", 4, "ab…"),
            ("漢字漢", 6, "漢字漢"),
            ("漢字漢", 5, "漢字…"),
            ("漢字漢", 4, "漢…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(shorten(text, columns), short, "{text} {columns}");
            assert!(width(&shorten(text, columns)) <= columns);
        }
    }
}
