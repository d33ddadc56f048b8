//! Messages as lines of JSON: no line is longer than a megabyte, and a message that is comes in parts.

use std::io::{self, BufRead, Read};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The longest line, with its end.
pub const LONGEST_LINE: usize = 1 << 20;

/// How much of a long message goes into one line: escaping at most doubles it.
const PART: usize = 400 << 10;

/// A part of a message that is too long for one line.
#[derive(Serialize, Deserialize)]
struct Part {
    /// The next piece of its text.
    part: String,
    /// Whether it is the last one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    last: bool,
}

/// Why nothing can be read any more.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FrameError {
    #[error("the other end is gone")]
    Closed,
    #[error("a line is longer than {LONGEST_LINE} bytes")]
    LineTooLong,
    #[error("a message is longer than {0} bytes")]
    MessageTooLong(usize),
    #[error("this is no message: {0}")]
    Garbage(serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A message as the lines that are sent.
pub fn lines<M: Serialize>(message: &M) -> Vec<u8> {
    let text = serde_json::to_string(message).expect("a message is JSON");
    if text.len() < LONGEST_LINE {
        let mut line = text.into_bytes();
        line.push(b'\n');
        return line;
    }
    let mut lines = Vec::with_capacity(text.len() * 2);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (part, after) = rest.split_at(floor(rest, PART));
        rest = after;
        let part = Part { part: part.to_owned(), last: rest.is_empty() };
        serde_json::to_writer(&mut lines, &part).expect("a text is JSON");
        lines.push(b'\n');
    }
    lines
}

/// The last place in a text where a character begins, up to a length.
pub fn floor(text: &str, most: usize) -> usize {
    let most = most.min(text.len());
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Reads messages, each up to a size.
pub struct Reader<R> {
    lines: R,
    largest: usize,
}

impl<R: BufRead> Reader<R> {
    /// Reads messages that are no longer than this.
    pub fn new(lines: R, largest: usize) -> Self {
        Self { lines, largest }
    }

    /// The next message.
    pub fn read<M: DeserializeOwned>(&mut self) -> Result<M, FrameError> {
        let mut whole = String::new();
        loop {
            let line = self.line()?;
            if !line.starts_with(br#"{"part":"#) {
                return serde_json::from_slice(&line).map_err(FrameError::Garbage);
            }
            let part: Part = serde_json::from_slice(&line).map_err(FrameError::Garbage)?;
            whole.push_str(&part.part);
            if whole.len() > self.largest {
                return Err(FrameError::MessageTooLong(self.largest));
            }
            if part.last {
                return serde_json::from_str(&whole).map_err(FrameError::Garbage);
            }
        }
    }

    fn line(&mut self) -> Result<Vec<u8>, FrameError> {
        let mut line = Vec::new();
        let mut limited = (&mut self.lines).take(LONGEST_LINE as u64);
        limited.read_until(b'\n', &mut line)?;
        match line.last() {
            Some(b'\n') => Ok(line),
            _ if line.len() == LONGEST_LINE => Err(FrameError::LineTooLong),
            // What was not sent to its end was not sent.
            _ => Err(FrameError::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, FrameError> {
        Reader::new(bytes, 4 << 20).read()
    }

    #[test]
    fn a_short_message_is_a_line_and_a_long_one_comes_in_parts() {
        assert_eq!(lines(&"hello\n"), b"\"hello\\n\"\n");
        for text in ["\"\\".repeat(900_000), "ä€𝄞".repeat(300_000), "x".repeat(LONGEST_LINE - 3)]
        {
            let sent = lines(&text);
            assert!(sent.split(|byte| *byte == b'\n').all(|line| line.len() < LONGEST_LINE));
            assert_eq!(read(&sent).unwrap(), text);
        }
    }

    #[test]
    fn what_is_too_long_or_no_message_is_refused() {
        assert!(matches!(read(&vec![b'x'; 3 << 20]), Err(FrameError::LineTooLong)));
        let long = lines(&"x".repeat(5 << 20));
        assert!(matches!(read(&long), Err(FrameError::MessageTooLong(_))));
        assert!(matches!(read(b"garbage\n"), Err(FrameError::Garbage(_))));
        assert!(matches!(read(b""), Err(FrameError::Closed)));
        assert!(matches!(read(b"\"cut off"), Err(FrameError::Closed)));
        let cut = lines(&"x".repeat(2 << 20));
        assert!(matches!(read(&cut[..cut.len() - 9]), Err(FrameError::Closed)));
    }
}
