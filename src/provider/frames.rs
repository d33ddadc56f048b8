//! What a stream of bytes is cut into before anybody looks at what it says.

/// The most bytes of one event: an endless line must not eat the memory.
pub(super) const LONGEST_EVENT: usize = 16 << 20;

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name, where the stream has names.
    pub name: String,
    /// What it says.
    pub data: String,
}

/// An event without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Endless;

/// Cuts bytes into events, however they were split on their way.
pub(super) trait Frames {
    /// The events that end in these bytes.
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Endless>;

    /// What is left when the stream ends without the mark that ends an event.
    fn end(&mut self) -> Option<Event>;
}

/// The events of a stream that comes whole, in chunks of every size, and split at every place,
/// which must all be the same.
#[cfg(test)]
pub(super) fn events_in_every_split<F: Frames + Default>(bytes: &[u8]) -> Vec<Event> {
    let events = |chunks: &mut dyn Iterator<Item = &[u8]>| {
        let mut frames = F::default();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(frames.feed(chunk).expect("the events have an end"));
        }
        events.extend(frames.end());
        events
    };
    let whole = events(&mut std::iter::once(bytes));
    for at in 1..bytes.len() {
        assert_eq!(events(&mut bytes.chunks(at)), whole, "chunks of {at}");
        assert_eq!(events(&mut [&bytes[..at], &bytes[at..]].into_iter()), whole, "split at {at}");
    }
    whole
}
