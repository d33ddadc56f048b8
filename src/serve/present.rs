//! What is not stored yet, for those who come later.

use crate::{
    model::{CallId, ToolCall},
    turn::Notice,
};

/// How many bytes are kept.
pub const LARGEST: usize = 1 << 20;

/// What has happened and is not stored yet: parts of blocks, tools that run, and what is waited for.
#[derive(Debug, Default)]
pub struct Present {
    /// Parts of blocks, in order.
    parts: Vec<Notice>,
    bytes: usize,
    /// The beginning of the first block was too long to be kept.
    is_truncated: bool,
    running: Vec<Running>,
    /// That the model was asked, or will be, as long as nothing came.
    expected: Option<Notice>,
}

#[derive(Debug)]
struct Running {
    call: ToolCall,
    progress: Option<String>,
}

impl Present {
    /// Takes what happened.
    pub fn take(&mut self, notice: &Notice) {
        match notice {
            Notice::Text(text) | Notice::Reasoning(text) => {
                self.expected = None;
                self.add(notice, text.len());
            }
            Notice::CallComing | Notice::BlockEnded(_) => {
                self.expected = None;
                self.add(notice, 0);
            }
            Notice::Saved { event, .. } if event.block().is_some() => self.stored(),
            Notice::Waiting | Notice::Retrying { .. } => {
                self.forget_parts();
                self.expected = Some(notice.clone());
            }
            Notice::Retracted(_) | Notice::Usage(_) => self.forget_parts(),
            Notice::ToolStarted(call) => {
                self.running.retain(|running| running.call.id != call.id);
                self.running.push(Running { call: call.clone(), progress: None });
            }
            Notice::Progress { id, text } => {
                let running = self.running.iter_mut().find(|running| running.call.id == *id);
                if let Some(running) = running {
                    running.progress = Some(text.clone());
                }
            }
            Notice::ToolEnded { id, .. } => self.running.retain(|running| running.call.id != *id),
            Notice::Saved { .. } | Notice::Sealed | Notice::Queued { .. } => {}
        }
    }

    /// Whether the beginning is missing.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The calls that run.
    pub fn running(&self) -> impl Iterator<Item = &CallId> {
        self.running.iter().map(|running| &running.call.id)
    }

    /// What somebody who comes now has to hear before anything else.
    pub fn told(&self) -> impl Iterator<Item = Notice> {
        let running = self.running.iter().flat_map(|running| {
            let id = running.call.id.clone();
            let progress = running.progress.clone().map(|text| Notice::Progress { id, text });
            std::iter::once(Notice::ToolStarted(running.call.clone())).chain(progress)
        });
        running.chain(self.expected.clone()).chain(self.parts.iter().cloned())
    }

    fn add(&mut self, notice: &Notice, size: usize) {
        if self.bytes + size > LARGEST {
            // Of what nobody has seen, the end is worth more than the beginning.
            self.parts.retain(|part| matches!(part, Notice::BlockEnded(_)));
            (self.bytes, self.is_truncated) = (0, true);
        }
        self.bytes += size;
        // Many small parts are one: whoever comes needs the text, and not how it came.
        match (self.parts.last_mut(), notice) {
            (Some(Notice::Text(before)), Notice::Text(text))
            | (Some(Notice::Reasoning(before)), Notice::Reasoning(text)) => before.push_str(text),
            _ => self.parts.push(notice.clone()),
        }
    }

    /// The first block is stored.
    fn stored(&mut self) {
        let end = self.parts.iter().position(|part| matches!(part, Notice::BlockEnded(_)));
        let parts = match end {
            Some(end) => self.parts.split_off(end + 1),
            None => Vec::new(),
        };
        (self.parts, self.is_truncated) = (parts, false);
        let size = |part: &Notice| match part {
            Notice::Text(text) | Notice::Reasoning(text) => text.len(),
            _ => 0,
        };
        self.bytes = self.parts.iter().map(size).sum();
    }

    fn forget_parts(&mut self) {
        self.parts.clear();
        (self.bytes, self.is_truncated, self.expected) = (0, false, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Block, Event, EventKind, EventType, Message, Timestamp};

    fn text(text: &str) -> Notice {
        Notice::Text(text.to_owned())
    }

    fn ended() -> Notice {
        Notice::BlockEnded(EventType::Message)
    }

    fn saved(content: &str) -> Notice {
        let block = Block { model: None, answer: None, finish: None, signature: None };
        let message = Message { content: content.into(), block };
        let event = Event::new(Timestamp::from_seconds(0), EventKind::Message(message));
        Notice::Saved { address: None, event }
    }

    fn after(notices: &[Notice]) -> (Vec<Notice>, bool) {
        let mut present = Present::default();
        notices.iter().for_each(|notice| present.take(notice));
        (present.told().collect(), present.is_truncated())
    }

    #[test]
    fn what_is_stored_is_not_told_and_all_else_is_told_once() {
        let told = after(&[Notice::Waiting, text("a"), text("b")]);
        assert_eq!(told, (vec![text("ab")], false));
        // The next block comes while the one before is being stored.
        let told = after(&[text("a"), ended(), text("b"), saved("a"), text("c")]);
        assert_eq!(told, (vec![text("bc")], false));
        let told = after(&[text("a"), ended(), text("b"), ended(), saved("a"), saved("b")]);
        assert_eq!(told, (vec![], false));
        assert_eq!(after(&[text("a"), Notice::Waiting]), (vec![Notice::Waiting], false));
    }

    #[test]
    fn what_is_too_long_is_cut_and_said_to_be_until_it_is_stored() {
        let long = text(&"x".repeat(LARGEST - 1));
        let (told, is_truncated) = after(&[long.clone(), text("yy"), text("z")]);
        assert_eq!((told, is_truncated), (vec![text("yyz")], true));
        let told = after(&[long, text("yy"), ended(), saved("x"), text("z")]);
        assert_eq!(told, (vec![text("z")], false));
    }
}
