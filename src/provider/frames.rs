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
