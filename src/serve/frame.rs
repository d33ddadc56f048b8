//! Messages as lines of JSON: no line is longer than a megabyte, and a message that is comes in parts.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read},
    os::unix::net::UnixStream,
    time::Instant,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::counter::Counter;

/// The longest line, with its end.
const LONGEST_LINE: usize = 1 << 20;

/// What is shorter is read by whoever asks for it.
const SHORT: usize = 64 << 10;

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
    #[error("a line is longer than {0} bytes")]
    LineTooLong(usize),
    #[error("a message is longer than {0} bytes")]
    MessageTooLong(usize),
    #[error("a long message did not come within {0:?}")]
    TooSlow(std::time::Duration),
    #[error("the first message is `hello`")]
    NoHello,
    #[error("this server speaks version {0} of the protocol")]
    OtherVersion(u32),
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

/// Where messages come from, in a time that can have an end.
pub trait Source: BufRead {
    /// From now on, nothing comes after this moment.
    fn set_deadline(&mut self, _until: Option<Instant>) {}
}

impl Source for BufReader<UnixStream> {}

/// Reads messages, each up to a size.
pub struct Reader<R> {
    source: R,
    longest_line: usize,
    largest: usize,
}

/// A line that has come, or its beginning if it is longer than what everybody may read.
enum Come {
    Line(Vec<u8>),
    Beginning(Vec<u8>),
}

impl<R: Source> Reader<R> {
    /// Reads messages that are no longer than this.
    pub fn new(source: R, largest: usize) -> Self {
        let longest_line = LONGEST_LINE.min(largest);
        Self { source, longest_line, largest }
    }

    /// The same, for messages as long as this.
    pub fn up_to(self, largest: usize) -> Self {
        Self { longest_line: LONGEST_LINE.min(largest), largest, ..self }
    }

    /// The next message.
    pub fn read<M: DeserializeOwned>(&mut self) -> Result<M, FrameError> {
        self.read_rest(Vec::new())
    }

    /// Where the messages come from.
    pub fn source(&mut self) -> &mut R {
        &mut self.source
    }

    /// The rest of a message of which this has come.
    pub(super) fn read_rest<M: DeserializeOwned>(
        &mut self,
        beginning: Vec<u8>,
    ) -> Result<M, FrameError> {
        let mut line = beginning;
        let mut parts = Parts::default();
        loop {
            if line.last() != Some(&b'\n') {
                line = match self.come(line, self.longest_line)? {
                    Come::Line(line) => line,
                    Come::Beginning(_) => return Err(FrameError::LineTooLong(self.longest_line)),
                };
            }
            if !is_part(&line) {
                return serde_json::from_slice(&line).map_err(FrameError::Garbage);
            }
            let part: Part = serde_json::from_slice(&line).map_err(FrameError::Garbage)?;
            parts.push(part.part);
            if parts.length > self.largest {
                return Err(FrameError::MessageTooLong(self.largest));
            }
            if part.last {
                return serde_json::from_reader(parts).map_err(FrameError::Garbage);
            }
            line.clear();
        }
    }

    /// The next line, or its beginning.
    fn come(&mut self, mut line: Vec<u8>, most: usize) -> Result<Come, FrameError> {
        loop {
            let come = match self.source.fill_buf() {
                Ok(come) => &come[..come.len().min(most.saturating_sub(line.len()))],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            // What was not sent to its end was not sent.
            if come.is_empty() {
                return Err(FrameError::Closed);
            }
            let end = memchr::memchr(b'\n', come).map(|at| at + 1);
            let taken = &come[..end.unwrap_or(come.len())];
            line.extend_from_slice(taken);
            let count = taken.len();
            self.source.consume(count);
            match end {
                Some(_) => return Ok(Come::Line(line)),
                None if line.len() == most => return Ok(Come::Beginning(line)),
                None => {}
            }
        }
    }
}

impl<R: Source + Send + 'static> Reader<R> {
    /// The next message, which is read there if it is long.
    pub fn read_at<M>(mut self, counter: &Counter) -> (Self, Result<M, FrameError>)
    where
        M: DeserializeOwned + Send + 'static,
    {
        match self.come(Vec::new(), SHORT) {
            Ok(Come::Line(line)) if !is_part(&line) => {
                (self, serde_json::from_slice(&line).map_err(FrameError::Garbage))
            }
            Ok(Come::Line(come) | Come::Beginning(come)) => counter.read(self, come),
            Err(error) => (self, Err(error)),
        }
    }
}

fn is_part(line: &[u8]) -> bool {
    line.starts_with(br#"{"part":"#)
}

/// The parts of a message, one after the other: put together they would take twice as much.
#[derive(Default)]
struct Parts {
    parts: VecDeque<String>,
    length: usize,
    at: usize,
}

impl Parts {
    fn push(&mut self, part: String) {
        self.length += part.len();
        // Many short parts would take far more than what they say.
        match self.parts.back_mut() {
            Some(last) if last.len() + part.len() <= PART => last.push_str(&part),
            _ => self.parts.push_back(part),
        }
    }
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(part) = self.parts.front() {
            let rest = &part.as_bytes()[self.at..];
            if rest.is_empty() {
                self.parts.pop_front();
                self.at = 0;
                continue;
            }
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.at += count;
            return Ok(count);
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    impl Source for Cursor<Vec<u8>> {}

    fn read(bytes: &[u8]) -> Result<String, FrameError> {
        Reader::new(Cursor::new(bytes.to_vec()), 4 << 20).read()
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
        assert!(matches!(read(&vec![b'x'; 3 << 20]), Err(FrameError::LineTooLong(_))));
        let long = lines(&"x".repeat(5 << 20));
        assert!(matches!(read(&long), Err(FrameError::MessageTooLong(_))));
        assert!(matches!(read(b"garbage\n"), Err(FrameError::Garbage(_))));
        assert!(matches!(read(b""), Err(FrameError::Closed)));
        assert!(matches!(read(b"\"cut off"), Err(FrameError::Closed)));
        let cut = lines(&"x".repeat(2 << 20));
        assert!(matches!(read(&cut[..cut.len() - 9]), Err(FrameError::Closed)));
    }
}
