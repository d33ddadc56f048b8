//! An answer that is being typed, on one line of the terminal.

use super::{
    super::{
        escape::escape,
        width::{char_width, width},
    },
    keys::Pressed,
};

/// A text as far as it is typed.
#[derive(Debug, Default)]
pub struct Draft {
    text: String,
    /// The columns that were drawn last.
    drawn: usize,
}

/// What a key has done to a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It goes on.
    More,
    /// It is complete.
    Done,
    /// It is not wanted any more.
    Cancelled,
}

impl Draft {
    /// Takes a key.
    pub fn press(&mut self, pressed: Pressed) -> Step {
        match pressed {
            Pressed::Char(c) | Pressed::Pasted(c) => self.text.push(c),
            Pressed::NewLine => self.text.push('\n'),
            Pressed::Backspace => {
                // An accent goes with its letter.
                while self.text.pop().is_some_and(|c| char_width(c) == 0) {}
            }
            Pressed::EraseWord => {
                let kept = self.text.trim_end();
                let end = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                let end = kept[end..].chars().next().map_or(0, |_| end);
                self.text.truncate(end);
            }
            Pressed::EraseAll => self.text.clear(),
            Pressed::Enter => return Step::Done,
            Pressed::Cancel => return Step::Cancelled,
            Pressed::Move(_) | Pressed::Escape | Pressed::Suspend => {}
        }
        Step::More
    }

    /// What has been typed so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The end of it that fits into so many columns, harmless.
    pub fn shown(&self, columns: usize) -> String {
        tail(&self.text, columns)
    }

    /// What was typed.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Draws the end of the text, as much as fits behind its label, over what was drawn before.
    /// Only characters that the dumbest of terminals knows move the cursor.
    pub fn redraw(&mut self, label: &str, columns: usize) -> String {
        let room = columns.saturating_sub(width(label) + 1).max(1);
        let shown = tail(&self.text, room);
        let taken = width(&shown);
        let rest = self.drawn.saturating_sub(taken).min(room.saturating_sub(taken));
        self.drawn = taken;
        format!("\r{label}{shown}{}{}", " ".repeat(rest), "\u{8}".repeat(rest))
    }
}

/// The end of a text that fits into so many columns, harmless.
fn tail(text: &str, columns: usize) -> String {
    // A character takes a byte at least, and most take a column.
    let mut start = text.len();
    let mut taken = 0;
    let mut cut = None;
    for (at, c) in text.char_indices().rev() {
        taken += if c == '\n' { 1 } else { width(&escape(c.encode_utf8(&mut [0; 4]))) };
        if taken < columns {
            cut = Some(at);
        }
        if taken > columns {
            let kept = &text[cut.unwrap_or(text.len())..];
            return format!("…{}", one_line(kept));
        }
        start = at;
    }
    one_line(&text[start..])
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("↵")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Pressed]) -> String {
        let mut draft = Draft::default();
        for key in keys {
            assert_eq!(draft.press(*key), Step::More);
        }
        draft.into_text()
    }

    fn chars(text: &str) -> Vec<Pressed> {
        text.chars().map(Pressed::Char).collect()
    }

    #[test]
    fn what_was_typed_can_be_taken_back() {
        use Pressed::*;
        let with = |text: &str, key| typed(&[chars(text), vec![key]].concat());
        assert_eq!(with("abc", Backspace), "ab");
        assert_eq!(with("ae\u{301}", Backspace), "a");
        assert_eq!(with("", Backspace), "");
        assert_eq!(with("one two  ", EraseWord), "one ");
        assert_eq!(with("one", EraseWord), "");
        assert_eq!(with("  ", EraseWord), "");
        assert_eq!(with("one two", EraseAll), "");
        assert_eq!(typed(&[Char('a'), NewLine, Pasted('\n'), Char('b')]), "a\n\nb");
    }

    #[test]
    fn the_end_of_a_long_text_shows() {
        for (text, columns, expected) in [
            ("abc", 5, "abc"),
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "…cdefg"),
            ("漢字漢字", 5, "…漢字"),
            ("a\nb", 5, "a↵b"),
            ("\u{1b}[2J", 80, "\\u{1b}[2J"),
            ("abc\u{1b}", 6, "…"),
        ] {
            assert_eq!(tail(text, columns), expected, "{text:?}");
            assert!(width(&tail(text, columns)) <= columns);
        }
    }

    #[test]
    fn what_was_longer_before_is_covered() {
        let mut draft = Draft::default();
        chars("abc").into_iter().for_each(|key| _ = draft.press(key));
        assert_eq!(draft.redraw("> ", 80), "\r> abc");
        draft.press(Pressed::EraseAll);
        assert_eq!(draft.redraw("> ", 80), "\r>    \u{8}\u{8}\u{8}");
    }
}
