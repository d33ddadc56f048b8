//! A line whose parts stand out, of texts from anywhere.

use std::fmt;

use super::{Face, Style, escape, shorten, width};

/// A line whose parts stand out, of texts from anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacedLine(Vec<(Face, String)>);

impl FacedLine {
    /// A line of these pieces.
    pub fn new(pieces: impl IntoIterator<Item = (Face, String)>) -> Self {
        Self(pieces.into_iter().collect())
    }

    /// The pieces, as they came.
    pub fn pieces(&self) -> impl Iterator<Item = (Face, &str)> {
        self.0.iter().map(|(face, text)| (*face, text.as_str()))
    }

    /// Adds the line to a text, harmless and cut after so many columns, without a line break.
    pub fn push_to(&self, out: &mut String, style: Style, columns: usize) {
        push_pieces(out, self.pieces(), style, columns);
    }
}

/// The line without colours, harmless and as long as it is.
impl fmt::Display for FacedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(_, text)| f.write_str(&escape(text)))
    }
}

/// Adds pieces to a text, harmless and cut after so many columns.
pub(super) fn push_pieces<'a>(
    out: &mut String,
    pieces: impl IntoIterator<Item = (Face, &'a str)>,
    style: Style,
    columns: usize,
) {
    let mut left = columns;
    for (face, text) in pieces {
        let text = escape(text);
        let text = shorten(&text, left);
        left -= width(&text).min(left);
        if !text.is_empty() {
            style.push(out, face, &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_harmless_in_colour_and_without() {
        let line = FacedLine::new([
            (Face::GOOD, "✓ ".to_owned()),
            (Face::STRONG, "read\u{1b}[2J".to_owned()),
            (Face::PLAIN, " — completed\n".to_owned()),
        ]);
        assert_eq!(line.to_string(), "✓ read\\u{1b}[2J — completed\\n");
        let mut out = String::new();
        line.push_to(&mut out, Style::COLOUR, usize::MAX);
        assert_eq!(out, "\u{1b}[32m✓ \u{1b}[0m\u{1b}[1mread\\u{1b}[2J\u{1b}[0m — completed\\n");
    }

    #[test]
    fn a_line_ends_with_its_columns() {
        let line = FacedLine::new([
            (Face::PLAIN, "✓ ".to_owned()),
            (Face::PLAIN, "read".to_owned()),
            (Face::PLAIN, " — completed".to_owned()),
        ]);
        for (columns, cut) in [(0, ""), (1, "…"), (4, "✓ r…"), (6, "✓ read"), (9, "✓ read —…")]
        {
            let mut out = String::new();
            line.push_to(&mut out, Style::PLAIN, columns);
            assert_eq!(out, cut, "{columns}");
        }
    }
}
