//! Lines of JSON, as a pure parser that takes bytes in any split.

use super::frames::{Endless, Event, Frames, LONGEST_EVENT};

/// The line that is still coming.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
}

impl Frames for Lines {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Endless> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > LONGEST_EVENT {
                return Err(Endless);
            }
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                events.extend(self.end());
            }
        }
        Ok(events)
    }

    fn end(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let data = text.trim().trim_start_matches('\u{feff}');
        (!data.is_empty()).then(|| Event { name: String::new(), data: data.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::frames::events_in_every_split;

    #[test]
    fn lines_are_the_same_in_every_split() {
        let bytes = "{\"a\":\"ü\"}\r\n\n{\"b\":2}\n{\"c\":3}".as_bytes();
        let found = events_in_every_split::<Lines>(bytes);
        let data: Vec<_> = found.iter().map(|event| event.data.as_str()).collect();
        assert_eq!(data, ["{\"a\":\"ü\"}", "{\"b\":2}", "{\"c\":3}"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mebibyte = vec![b'x'; 1 << 20];
        let mut lines = Lines::default();
        assert!((0..17).any(|_| lines.feed(&mebibyte) == Err(Endless)));
    }
}
