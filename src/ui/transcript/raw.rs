//! The bare texts of a conversation.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use super::{super::escape_lines, Detail, Transcript};
use crate::model::EventKind;

impl Transcript<'_> {
    /// Prints the texts as they are stored, with blank lines between them.
    pub fn write_raw(&self, sink: &mut dyn Write) -> io::Result<()> {
        self.write_texts(sink, |text| Cow::Borrowed(text))
    }

    /// Prints the texts as they are stored, except for what could steer a terminal.
    pub fn write_raw_harmless(&self, sink: &mut dyn Write) -> io::Result<()> {
        self.write_texts(sink, |text| {
            let text = String::from_utf8_lossy(text);
            Cow::Owned(escape_lines(&text).into_owned().into_bytes())
        })
    }

    fn write_texts(
        &self,
        sink: &mut dyn Write,
        form: impl for<'t> Fn(&'t [u8]) -> Cow<'t, [u8]>,
    ) -> io::Result<()> {
        let incomplete = self.stream.incomplete.iter().map(|incomplete| &incomplete.turn);
        let turns = self.stream.turns.iter().chain(incomplete);
        let chosen = turns.filter(|turn| self.turns.contains(&turn.number));
        let texts = chosen
            .flat_map(|turn| &turn.entries)
            .filter_map(|entry| text(&entry.event.kind, self.detail));
        for (index, text) in texts.enumerate() {
            if index > 0 {
                sink.write_all(b"\n")?;
            }
            sink.write_all(&form(text))?;
            sink.write_all(b"\n")?;
        }
        Ok(())
    }
}

fn text(kind: &EventKind, detail: Detail) -> Option<&[u8]> {
    match kind {
        EventKind::Request(request) => Some(request.content.as_bytes()),
        EventKind::Message(message) => Some(message.content.as_bytes()),
        EventKind::Structured(structured) => Some(structured.data.as_str().as_bytes()),
        EventKind::Reasoning(reasoning) => detail.reasoning.then(|| reasoning.content.as_bytes()),
        EventKind::ToolCall(call) => detail.tools.then(|| call.arguments.as_str().as_bytes()),
        EventKind::ToolResult(result) => detail.tools.then(|| result.content.as_bytes()),
        EventKind::ToolStart(_)
        | EventKind::InquiryRequest(_)
        | EventKind::InquiryResponse(_)
        | EventKind::Attachment(_)
        | EventKind::ConfigDelta(_)
        | EventKind::Compaction(_) => None,
    }
}
