//! Text that is laid out already, wrapped once more to fit into a column of a table.

use std::ops::Range;

use super::super::{style::RESET, width::char_width};

/// A line of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where its text is.
    pub text: Range<usize>,
    /// The columns that it takes.
    pub columns: usize,
    /// The sequence in force at its beginning, if there is one.
    pub face: Range<usize>,
}

/// Splits a text into lines of at most so many columns, at spaces where there are some.
///
/// The only control sequences in it are our own, of which the last one says everything.
pub fn wrap(text: &str, columns: usize, lines: &mut Vec<Line>) {
    let mut line = Line { text: 0..0, columns: 0, face: 0..0 };
    let mut face = 0..0;
    // A space at which the line can be broken: where, the columns before it, the face after it.
    let mut chance: Option<(usize, usize, Range<usize>)> = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if c == '\u{1b}' {
            let end = text[at..].find('m').map_or(text.len(), |end| at + end + 1);
            face = if text[at..end] == *RESET { 0..0 } else { at..end };
            at = end;
            continue;
        }
        if c == '\n' {
            line.text.end = at;
            lines.push(line);
            line = Line { text: next..next, columns: 0, face: face.clone() };
            chance = None;
            at = next;
            continue;
        }
        let width = char_width(c);
        if line.columns + width > columns && line.columns > 0 {
            let (end, begin, taken, with) = match chance.take() {
                _ if c == ' ' => (at, next, line.columns, face.clone()),
                Some((space, before, with)) => (space, space + 1, before, with),
                None => (at, at, line.columns, face.clone()),
            };
            let rest = (line.columns - taken).saturating_sub(begin - end);
            line.text.end = end;
            line.columns = taken;
            lines.push(line);
            line = Line { text: begin..begin, columns: rest, face: with };
            if begin == next {
                at = next;
                continue;
            }
        }
        if c == ' ' {
            chance = Some((at, line.columns, face.clone()));
        }
        line.columns += width;
        at = next;
    }
    line.text.end = text.len();
    lines.push(line);
}

/// The lines of a plain text, of at most so many columns each.
pub fn wrap_lines(text: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    wrap(text, columns, &mut lines);
    lines.into_iter().map(|line| &text[line.text]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, columns: usize) -> Vec<(&str, usize, &str)> {
        let mut lines = Vec::new();
        wrap(text, columns, &mut lines);
        let line = |line: Line| (&text[line.text], line.columns, &text[line.face]);
        lines.into_iter().map(line).collect()
    }

    #[test]
    fn lines_are_broken_at_spaces_and_else_where_they_are_full() {
        assert_eq!(wrapped("", 5), [("", 0, "")]);
        assert_eq!(wrapped("one two", 7), [("one two", 7, "")]);
        assert_eq!(wrapped("one two", 5), [("one", 3, ""), ("two", 3, "")]);
        assert_eq!(wrapped("one two", 3), [("one", 3, ""), ("two", 3, "")]);
        assert_eq!(wrapped("a bcdefg", 4), [("a", 1, ""), ("bcde", 4, ""), ("fg", 2, "")]);
        assert_eq!(wrapped("漢字漢", 5), [("漢字", 4, ""), ("漢", 2, "")]);
        assert_eq!(wrapped("a\nb", 5), [("a", 1, ""), ("b", 1, "")]);
    }

    #[test]
    fn a_line_knows_the_face_that_it_begins_with() {
        let text = "\u{1b}[1mone two\u{1b}[0m three";
        let expected =
            [("\u{1b}[1mone", 3, ""), ("two\u{1b}[0m", 3, "\u{1b}[1m"), ("three", 5, "")];
        assert_eq!(wrapped(text, 5), expected);
    }
}
