//! From the bytes that a terminal sends to keys.

/// A key, as far as it means something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// A character.
    Char(char),
    /// A character of a text that is pasted.
    Pasted(char),
    /// The end of a text.
    Enter,
    /// The end of a line in a text.
    NewLine,
    /// Take back the last character.
    Backspace,
    /// Take back the last word.
    EraseWord,
    /// Take back everything.
    EraseAll,
    /// Ctrl+C or Ctrl+D.
    Cancel,
    /// Ctrl+Z.
    Suspend,
    /// To another place in a list.
    Move(Motion),
    /// The escape key by itself.
    Escape,
}

/// Where to go in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// To the one before.
    Up,
    /// To the next one.
    Down,
    /// As far back as the screen shows.
    PageUp,
    /// As far on as the screen shows.
    PageDown,
    /// To the first one.
    First,
    /// To the last one.
    Last,
}

/// Bytes that are being read.
#[derive(Debug, Default)]
pub struct Keys {
    state: State,
    pasting: bool,
    /// The beginning of a character, or the numbers of a sequence.
    begun: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Plain,
    /// After an escape.
    Escape,
    /// Within a control sequence.
    Sequence,
    /// Before the one character of a function key.
    Function,
}

/// No sequence that a key sends is longer.
const LONGEST: usize = 32;

impl Keys {
    /// Takes a byte, and tells which key it completes.
    pub fn take(&mut self, byte: u8) -> Option<Pressed> {
        match self.state {
            State::Plain => self.plain(byte),
            State::Escape => {
                self.state = State::Plain;
                match byte {
                    b'[' => self.state = State::Sequence,
                    b'O' => self.state = State::Function,
                    0x1b => self.state = State::Escape,
                    b'\n' | b'\r' => return Some(Pressed::NewLine),
                    0x03 | 0x04 => return self.plain(byte),
                    _ => {}
                }
                None
            }
            State::Function => {
                self.state = State::Plain;
                motion(b"", byte).map(Pressed::Move)
            }
            State::Sequence => self.sequence(byte),
        }
    }

    /// Whether an escape came last: the key by itself, or the beginning of another one.
    pub fn is_after_escape(&self) -> bool {
        self.state == State::Escape && !self.pasting
    }

    /// Nothing has followed an escape: it was the key by itself.
    pub fn settle(&mut self) -> Option<Pressed> {
        let is_key = self.is_after_escape();
        is_key.then(|| {
            self.state = State::Plain;
            Pressed::Escape
        })
    }

    fn sequence(&mut self, byte: u8) -> Option<Pressed> {
        let mut pressed = None;
        match byte {
            0x40..=0x7e => match (self.begun.as_slice(), byte) {
                (b"200", b'~') => self.pasting = true,
                (b"201", b'~') => self.pasting = false,
                _ if self.pasting => {}
                (numbers, last) => pressed = motion(numbers, last).map(Pressed::Move),
            },
            0x20..=0x3f if self.begun.len() < LONGEST => {
                self.begun.push(byte);
                return None;
            }
            _ => {}
        }
        self.begun.clear();
        self.state = State::Plain;
        pressed
    }

    fn plain(&mut self, byte: u8) -> Option<Pressed> {
        if byte >= 0x80 || !self.begun.is_empty() {
            return self.character(byte);
        }
        let pressed = match byte {
            0x1b => {
                self.state = State::Escape;
                return None;
            }
            b'\n' | b'\r' if self.pasting => Pressed::Pasted('\n'),
            b'\t' | 0x20..=0x7e if self.pasting => Pressed::Pasted(char::from(byte)),
            _ if self.pasting => return None,
            b'\n' | b'\r' => Pressed::Enter,
            0x03 | 0x04 => Pressed::Cancel,
            0x08 | 0x7f => Pressed::Backspace,
            0x0e => Pressed::Move(Motion::Down),
            0x10 => Pressed::Move(Motion::Up),
            0x15 => Pressed::EraseAll,
            0x17 => Pressed::EraseWord,
            0x1a => Pressed::Suspend,
            b'\t' | 0x20..=0x7e => Pressed::Char(char::from(byte)),
            _ => return None,
        };
        Some(pressed)
    }

    /// A character of several bytes.
    fn character(&mut self, byte: u8) -> Option<Pressed> {
        self.begun.push(byte);
        let c = match std::str::from_utf8(&self.begun) {
            Ok(text) => text.chars().next()?,
            Err(error) if error.error_len().is_none() => return None,
            Err(_) => char::REPLACEMENT_CHARACTER,
        };
        self.begun.clear();
        Some(if self.pasting { Pressed::Pasted(c) } else { Pressed::Char(c) })
    }
}

/// The way that a key goes, by the numbers and the last character of its sequence.
fn motion(numbers: &[u8], last: u8) -> Option<Motion> {
    Some(match (numbers, last) {
        (b"", b'A') => Motion::Up,
        (b"", b'B') => Motion::Down,
        (b"", b'H') | (b"1" | b"7", b'~') => Motion::First,
        (b"", b'F') | (b"4" | b"8", b'~') => Motion::Last,
        (b"5", b'~') => Motion::PageUp,
        (b"6", b'~') => Motion::PageDown,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(bytes: &[u8]) -> Vec<Pressed> {
        let mut keys = Keys::default();
        bytes.iter().filter_map(|byte| keys.take(*byte)).collect()
    }

    #[test]
    fn keys_are_told_apart() {
        use Pressed::*;
        assert_eq!(
            pressed("aü漢\r\x7f\x08\x15\x17".as_bytes()),
            [Char('a'), Char('ü'), Char('漢'), Enter, Backspace, Backspace, EraseAll, EraseWord]
        );
        assert_eq!(pressed(b"\x03\x04\x1a"), [Cancel, Cancel, Suspend]);
        assert_eq!(pressed(b"\x1b\r\x1b\n"), [NewLine, NewLine]);
        assert_eq!(pressed(b"\xffa"), [Char(char::REPLACEMENT_CHARACTER), Char('a')]);
    }

    #[test]
    fn keys_that_mean_nothing_here_are_passed_over() {
        use Pressed::*;
        assert_eq!(
            pressed(b"\x1b[Ca\x1b[1;5Cb\x1bOPc\x1bxd\x1b\x1b[3~e\x00\x1f"),
            "abcde".chars().map(Char).collect::<Vec<_>>()
        );
        let endless = [b"\x1b[".as_slice(), &[b'1'; 100], b"y"].concat();
        assert_eq!(pressed(&endless).last(), Some(&Char('y')));
    }

    #[test]
    fn the_keys_that_move_are_known_in_all_their_forms() {
        use Motion::*;
        let moves = |bytes: &[u8]| {
            let motion = |pressed| match pressed {
                Pressed::Move(motion) => motion,
                other => panic!("{other:?}"),
            };
            pressed(bytes).into_iter().map(motion).collect::<Vec<_>>()
        };
        assert_eq!(moves(b"\x1b[A\x1b[B\x1bOA\x1bOB\x10\x0e"), [Up, Down, Up, Down, Up, Down]);
        assert_eq!(moves(b"\x1b[5~\x1b[6~"), [PageUp, PageDown]);
        assert_eq!(moves(b"\x1b[H\x1bOH\x1b[1~\x1b[7~"), [First; 4]);
        assert_eq!(moves(b"\x1b[F\x1bOF\x1b[4~\x1b[8~"), [Last; 4]);
        assert_eq!(pressed(b"\x1b[200~\x1b[A\x10\x1b[201~"), []);
    }

    #[test]
    fn an_escape_is_a_key_if_nothing_follows() {
        let mut keys = Keys::default();
        assert_eq!(keys.take(0x1b), None);
        assert!(keys.is_after_escape());
        assert_eq!(keys.settle(), Some(Pressed::Escape));
        assert_eq!(keys.settle(), None);
        assert_eq!(keys.take(b'['), Some(Pressed::Char('[')));
    }

    #[test]
    fn what_is_pasted_is_text_and_nothing_else() {
        use Pressed::*;
        assert_eq!(
            pressed(b"\x1b[200~y\r\x03\x04\x7fz\x1b[201~\r"),
            [Pasted('y'), Pasted('\n'), Pasted('z'), Enter]
        );
    }
}
