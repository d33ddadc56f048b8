//! Text from elsewhere that comes in pieces, made harmless for a terminal.
//!
//! What comes out is what [`escape_lines`](super::escape_lines) gives for the whole: no sequence
//! gets through because it was split, and no character is torn.

use super::{
    escape::{JOINER, TAB, push_char},
    width::char_width,
};

/// Makes pieces of a text harmless, in their order.
#[derive(Debug, Default)]
pub struct Escaper {
    /// The beginning of a character.
    torn: Vec<u8>,
    /// A character whose fate depends on the next one.
    held: Option<char>,
    before: Option<char>,
    column: usize,
}

impl Escaper {
    /// Takes a piece of the text, and adds what is harmless of it.
    pub fn push(&mut self, bytes: &[u8], out: &mut String) {
        let mut joined = std::mem::take(&mut self.torn);
        let mut rest = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return text.chars().for_each(|c| self.take(c, out)),
                Err(error) => {
                    let (good, bad) = rest.split_at(error.valid_up_to());
                    // The part that was found to be good is looked at once more, and is good.
                    let good = String::from_utf8_lossy(good);
                    good.chars().for_each(|c| self.take(c, out));
                    let Some(length) = error.error_len() else {
                        self.torn = bad.to_vec();
                        return;
                    };
                    self.take(char::REPLACEMENT_CHARACTER, out);
                    rest = &bad[length..];
                }
            }
        }
    }

    /// Ends the text, and adds what was held back.
    pub fn finish(&mut self, out: &mut String) {
        if !std::mem::take(&mut self.torn).is_empty() {
            self.take(char::REPLACEMENT_CHARACTER, out);
        }
        if let Some(held) = self.held.take() {
            self.put(held, None, out);
        }
        *self = Self::default();
    }

    fn take(&mut self, c: char, out: &mut String) {
        match self.held.take() {
            // The first half of a line break.
            Some('\r') if c == '\n' => {}
            Some(held) => self.put(held, Some(c), out),
            None => {}
        }
        if c == '\r' || c == JOINER {
            self.held = Some(c);
        } else {
            self.put(c, None, out);
        }
    }

    fn put(&mut self, c: char, after: Option<char>, out: &mut String) {
        match c {
            '\n' => {
                out.push(c);
                self.column = 0;
            }
            '\t' => {
                let spaces = TAB - self.column % TAB;
                out.extend(std::iter::repeat_n(' ', spaces));
                self.column += spaces;
            }
            _ => {
                push_char(out, self.before, c, after);
                self.column += char_width(c);
            }
        }
        self.before = Some(c);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::escape_lines, *};

    /// What steers, renames, links, writes the clipboard of, or deceives the reader of a terminal.
    const EVIL: [&[u8]; 24] = [
        b"\x1b[31mred\x1b[0m",
        b"\x1b[2J\x1b[H",
        b"\x1b[?1049h\x1b[6n",
        b"\x1b]0;title\x07",
        b"\x1b]2;title\x1b\\",
        b"\x1b]8;;http://evil\x1b\\words\x1b]8;;\x1b\\",
        b"\x1b]52;c;ZXZpbA==\x07",
        b"\x1bPq#0;2;0;0;0\x1b\\",
        b"\x1b_application\x1b\\\x1b^private\x1b\\\x1bXstring\x1b\\",
        b"\x1bc\x1b7\x1b8\x1b(0\x1bM",
        "\u{9b}31m\u{9d}0;t\u{9c}\u{90}q\u{9c}\u{85}\u{84}".as_bytes(),
        b"\x9b31m\x9d0;t\x9c",
        "a\u{202e}b\u{2066}c\u{2069}d\u{200f}e\u{61c}".as_bytes(),
        "zero\u{200b}width\u{feff}\u{2060}\u{ad}".as_bytes(),
        b"bell\x07 back\x08\x08space\x7f",
        b"over\rwritten\r\r\nline\r\nnext\r",
        b"\x0e shift \x0f\x0b\x0c\x00",
        "👨\u{200d}💻 a\u{200d}b 👨\u{200d}\r\n👨\u{200d}".as_bytes(),
        "tab\tstop\t漢\t\u{1b}\tx\n\ty".as_bytes(),
        b"torn \xf0\x9f\x91 \xe6\xbc\xff\xc3",
        "\u{e0041}\u{e007f}\u{fff9}\u{1d173}\u{3164}".as_bytes(),
        b"\xc2\x1b[31m\xe2\x80\x1b]0;x\x07",
        b"\xc0\x9b31m\xed\xa0\x80",
        "plain ü 漢字 e\u{301}".as_bytes(),
    ];

    fn pushed(pieces: &[&[u8]]) -> String {
        let mut escaper = Escaper::default();
        let mut out = String::new();
        for piece in pieces {
            escaper.push(piece, &mut out);
            let is_control = |c: char| c.is_control() && c != '\n';
            assert!(!out.contains(is_control), "{pieces:?}: {out:?}");
        }
        escaper.finish(&mut out);
        out
    }

    fn whole(bytes: &[u8]) -> String {
        escape_lines(&String::from_utf8_lossy(bytes)).into_owned()
    }

    #[test]
    fn nothing_gets_through_in_any_split() {
        for text in EVIL {
            let expected = whole(text);
            let single: Vec<_> = text.chunks(1).collect();
            assert_eq!(pushed(&single), expected);
            for first in 0..=text.len() {
                for second in first..=text.len() {
                    let pieces = [&text[..first], &text[first..second], &text[second..]];
                    assert_eq!(pushed(&pieces), expected, "{first} {second}");
                }
            }
        }
    }

    #[test]
    fn what_was_held_back_does_not_reach_into_the_next_text() {
        let mut escaper = Escaper::default();
        let mut out = String::new();
        escaper.push(b"a\r", &mut out);
        escaper.finish(&mut out);
        escaper.push(b"\n\tb", &mut out);
        assert_eq!(out, "a\\r\n    b");
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_are_as_harmless_as_the_whole(
            pieces in prop::collection::vec(
                prop::collection::vec(prop::sample::select(EVIL.concat()), 0..6), 0..20),
        ) {
            let slices: Vec<_> = pieces.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(pushed(&slices), whole(&pieces.concat()));
        }
    }
}
