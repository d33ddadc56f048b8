//! Requests that wait for their turn: beside the stream, in the order of their numbers.

use super::{Change, Draft, TreePath};
use crate::{
    format::{FileName, limits},
    model::{Address, EventKind, EventType},
};

/// How many requests may wait in a conversation.
pub const QUEUED: usize = 100;

/// Why the queue of a conversation stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// Only what can begin a turn waits for one.
    #[error("a `{0}` cannot be queued, only a request")]
    NotARequest(EventType),
    /// There is nothing to ask.
    #[error("an empty request cannot be queued")]
    Empty,
    /// It belongs to the turn under way.
    #[error("a request that interrupts a turn cannot be queued")]
    Interrupts,
    /// Nobody could read it any more.
    #[error("a request cannot be larger than {} bytes", limits::EVENT_FILE)]
    TooLarge,
    /// Enough wait already.
    #[error("{QUEUED} requests are queued already")]
    Full,
    /// There are no numbers left.
    #[error("the queue has used up its {} numbers", Address::MAX)]
    NoNumber,
    /// Nothing of this name waits.
    #[error("`{0}` is not queued")]
    Absent(FileName),
    /// What waits says something else than what is to be asked.
    #[error("`{0}` was changed meanwhile")]
    Changed(FileName),
}

/// Lets a request wait behind those that wait already.
pub fn enqueue<'a>(
    queued: impl IntoIterator<Item = &'a FileName>,
    draft: &Draft,
) -> Result<(FileName, Change), QueueError> {
    check(draft)?;
    let (mut count, mut last) = (0, None);
    for name in queued {
        (count, last) = (count + 1, last.max(Some(name.address())));
    }
    if count >= QUEUED {
        return Err(QueueError::Full);
    }
    let number = last.map_or(Some(Address::FIRST), Address::next).ok_or(QueueError::NoNumber)?;
    let name = FileName::new(number, &draft.event, None);
    let change = Change::Put(TreePath::queued(&name), draft.bytes.clone());
    Ok((name, change))
}

/// Lets another request wait in the place of one that does.
pub fn requeue(name: &FileName, draft: &Draft) -> Result<Change, QueueError> {
    check(draft)?;
    Ok(Change::Put(TreePath::queued(name), draft.bytes.clone()))
}

/// Lets a request wait no longer.
pub fn unqueue(name: &FileName) -> Change {
    Change::Remove(TreePath::queued(name))
}

fn check(draft: &Draft) -> Result<(), QueueError> {
    match &draft.event.kind {
        EventKind::Request(request) if request.interrupts => Err(QueueError::Interrupts),
        EventKind::Request(request) if request.content.as_bytes().trim_ascii().is_empty() => {
            Err(QueueError::Empty)
        }
        EventKind::Request(_) if draft.bytes.len() as u64 > limits::EVENT_FILE => {
            Err(QueueError::TooLarge)
        }
        EventKind::Request(_) => Ok(()),
        _ => Err(QueueError::NotARequest(draft.event.event_type())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Event, Request, Timestamp};

    fn draft(interrupts: bool) -> Draft {
        let request = Request { content: "Next".into(), interrupts };
        let event = Event::new(Timestamp::from_seconds(0), EventKind::Request(request));
        Draft { event, bytes: b"Next".to_vec() }
    }

    fn names(numbers: impl IntoIterator<Item = u32>) -> Vec<FileName> {
        let name = |number| FileName::new(Address::new(number).unwrap(), &draft(false).event, None);
        numbers.into_iter().map(name).collect()
    }

    fn number(queued: &[FileName]) -> Result<String, QueueError> {
        let (name, change) = enqueue(queued, &draft(false))?;
        assert_eq!(change, Change::Put(TreePath::queued(&name), b"Next".to_vec()));
        Ok(name.to_string())
    }

    #[test]
    fn a_request_waits_behind_all_that_wait() {
        assert_eq!(number(&[]).unwrap(), "000-request.md");
        assert_eq!(number(&names([0])).unwrap(), "001-request.md");
        assert_eq!(number(&names([7, 3])).unwrap(), "008-request.md");
    }

    #[test]
    fn a_queue_takes_a_hundred_and_no_number_twice() {
        assert_eq!(number(&names(1..100)).unwrap(), "100-request.md");
        assert_eq!(number(&names(0..100)), Err(QueueError::Full));
        assert_eq!(number(&names([Address::MAX])), Err(QueueError::NoNumber));
    }

    #[test]
    fn only_what_can_begin_a_turn_waits_for_one() {
        let config = EventKind::ConfigDelta(toml::Table::new());
        let event = Event::new(Timestamp::from_seconds(0), config);
        let delta = Draft { event, bytes: Vec::new() };
        let refused = QueueError::NotARequest(EventType::ConfigDelta);
        assert_eq!(enqueue([], &delta), Err(refused.clone()));
        assert_eq!(requeue(&names([0])[0], &delta), Err(refused));
        assert_eq!(enqueue([], &draft(true)), Err(QueueError::Interrupts));
    }
}
