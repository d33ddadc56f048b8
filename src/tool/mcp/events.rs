//! Server-sent events as the protocol uses them: with ids, by which a stream is taken up again.

use std::io::{self, BufRead, BufReader, Read};

use sse_stream::Sse;

/// Reads events one after the other.
pub(super) struct Events<R> {
    reader: BufReader<R>,
    longest: usize,
}

impl<R: Read> Events<R> {
    /// The events in a stream, of which none may have more bytes than that.
    pub(super) fn new(reader: R, longest: usize) -> Self {
        Self { reader: BufReader::new(reader), longest }
    }

    /// The next event; none at the end. What the end cuts off is none.
    pub(super) fn next(&mut self) -> io::Result<Option<Sse>> {
        let mut event = Sse::default();
        let mut size = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let room = self.longest.saturating_sub(size) + 1;
            size += self.reader.by_ref().take(room as u64).read_until(b'\n', &mut line)?;
            if size > self.longest {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "an event is too long"));
            }
            let Some(whole) = line.strip_suffix(b"\n") else { return Ok(None) };
            let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
            if !whole.is_empty() {
                add(&mut event, whole);
                continue;
            }
            if event.data.is_some() || event.id.is_some() || event.retry.is_some() {
                return Ok(Some(event));
            }
            (event, size) = (Sse::default(), 0);
        }
    }
}

fn add(event: &mut Sse, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    let (field, value) = line.split_once(':').unwrap_or((&line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match field.trim_start_matches('\u{feff}') {
        "event" => event.event = Some(value.to_owned()),
        "data" => match &mut event.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => event.data = Some(value.to_owned()),
        },
        "id" if !value.contains('\0') => event.id = Some(value.to_owned()),
        "retry" => event.retry = value.parse().ok(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, longest: usize) -> io::Result<Vec<(Option<String>, Option<String>)>> {
        let mut events = Events::new(text.as_bytes(), longest);
        let mut found = Vec::new();
        while let Some(event) = events.next()? {
            found.push((event.id, event.data));
        }
        Ok(found)
    }

    #[test]
    fn events_come_with_their_ids_and_without_what_the_end_cut_off() {
        let text = ": hello\r\n\r\nid: 1\r\ndata: a\r\ndata:b\r\n\r\nevent: x\n\n\
                    id: 2\nretry: 5\ndata\n\ndata: cut off";
        let some = |text: &str| Some(text.to_owned());
        let expected = vec![(some("1"), some("a\nb")), (some("2"), some(""))];
        assert_eq!(read(text, 100).unwrap(), expected);
    }

    #[test]
    fn an_event_without_end_is_refused_in_one_line_and_in_many() {
        assert!(read(&format!("data: {}", "x".repeat(200)), 100).is_err());
        assert!(read(&"data: x\n".repeat(20), 100).is_err());
        let many = "data: x\n\n".repeat(100);
        assert_eq!(read(&many, 100).unwrap().len(), 100);
    }
}
