//! Server-sent events, as a pure parser that takes bytes in any split.
//!
//! It follows the specification but for the end of the stream: an event whose final empty line is
//! missing is reported too, because servers forget it.

use super::frames::{Endless, Event, Frames, LONGEST_EVENT};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The state between two splits.
#[derive(Debug, Default)]
pub(super) struct Sse {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed after it ends no further line.
    after_return: bool,
    /// The first line, which may open with a byte order mark, is over.
    begun: bool,
    name: String,
    data: Option<String>,
}

impl Frames for Sse {
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Endless> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) && rest.first() == Some(&b'\n') {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.extend(rest)?;
                break;
            };
            self.extend(&rest[..end])?;
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            events.extend(self.end_line());
        }
        Ok(events)
    }

    fn end(&mut self) -> Option<Event> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.dispatch()
    }
}

impl Sse {
    fn extend(&mut self, bytes: &[u8]) -> Result<(), Endless> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > LONGEST_EVENT {
            return Err(Endless);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = match colon {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"event" => self.name = value.into_owned(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.data = Some(value.into_owned()),
            },
            // Comments have an empty field; ids and times to reconnect are of no use here.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::frames::events_in_every_split;

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_the_same_in_every_split() {
        let text = "\u{feff}: hello\r\nevent: a\r\ndata: one\r\ndata:two\r\n\r\n\
                    data: {\"x\":\"ü\"}\n\n\n:\n\nid: 7\nretry: 3\ndata\n\n\
                    event: b\rdata:  three\r\rdata: last";
        let expected = [
            event("a", "one\ntwo"),
            event("", "{\"x\":\"ü\"}"),
            event("", ""),
            event("b", " three"),
            event("", "last"),
        ];
        assert_eq!(events_in_every_split::<Sse>(text.as_bytes()), expected);
    }

    #[test]
    fn an_event_without_data_is_none() {
        let events = events_in_every_split::<Sse>(b"event: ping\n\nevent: x\ndata: y\n\n");
        assert_eq!(events, [event("x", "y")]);
    }

    #[test]
    fn an_event_without_end_is_refused_in_one_line_and_in_many() {
        let mebibyte = vec![b'x'; 1 << 20];
        let mut sse = Sse::default();
        sse.feed(b"data: ").unwrap();
        assert!((0..17).any(|_| sse.feed(&mebibyte) == Err(Endless)));

        let mut line = b"data:".to_vec();
        line.extend(&mebibyte);
        line.push(b'\n');
        let mut sse = Sse::default();
        assert!((0..17).any(|_| sse.feed(&line) == Err(Endless)));
    }
}
