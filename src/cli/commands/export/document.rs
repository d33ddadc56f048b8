//! A conversation as one markdown document.
//!
//! What was said stands as it was written. Whatever is not markdown, or would reach beyond its
//! place, is fenced, with a fence longer than any in it.

use std::fmt::Write;

use pulldown_cmark::{Event as Piece, Parser, Tag};

use crate::{
    cli::commands::written,
    model::{
        Answer, AnswerType, Arguments, Attachment, Block, Body, Compaction, Entry, EventKind,
        InquiryRequest, InquiryResponse, Outcome, ToolCall, ToolResult,
    },
    ui::backticks,
    workspace::Conversation,
};

/// The document.
pub fn document(conversation: &Conversation, status: &str) -> String {
    let meta = &conversation.snapshot.meta;
    let stream = conversation.stream();
    let mut page = Page::default();
    let id = conversation.id.to_string();
    page.heading(1, meta.title.as_deref().unwrap_or(&id));
    page.item("Id", &id);
    if let Some(created) = meta.created {
        page.item("Created", &created.to_string());
    }
    page.item("Status", status);
    for (key, value) in &meta.labels {
        page.item("Label", &written(key, value));
    }
    if let Some(forked) = &meta.forked {
        page.item("Forked", &format!("from {} at {}", forked.from, forked.commit));
    }
    for turn in &stream.turns {
        page.heading(2, &format!("Turn {}", turn.number));
        page.entries(&turn.entries);
    }
    if let Some(incomplete) = &stream.incomplete {
        let (number, pending) = (incomplete.turn.number, incomplete.pending());
        page.heading(2, &format!("Turn {number}, incomplete: {pending}"));
        page.entries(&incomplete.turn.entries);
    }
    if !stream.waiting.is_empty() {
        page.heading(2, "Waiting for the next request");
        page.entries(&stream.waiting);
    }
    page.0
}

/// A page that is being written.
#[derive(Default)]
struct Page(String);

impl Page {
    fn entries(&mut self, entries: &[Entry]) {
        for entry in entries {
            let title = heading(&entry.event.kind);
            self.heading(3, &format!("{title}, {}", entry.event.timestamp));
            self.content(&entry.event.kind);
        }
    }

    fn content(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Request(request) => self.body(&request.content),
            EventKind::Message(message) => self.body(&message.content),
            EventKind::Reasoning(reasoning) => self.body(&reasoning.content),
            EventKind::Structured(structured) => self.fenced("json", structured.data.as_str()),
            EventKind::ToolCall(ToolCall { arguments, .. }) => match arguments {
                Arguments::Json(json) => self.fenced("json", json.as_str()),
                Arguments::Text(text) => self.fenced("text", text),
            },
            EventKind::ToolStart(_) => {}
            EventKind::ToolResult(ToolResult { content, .. }) => self.data(content),
            EventKind::InquiryRequest(inquiry) => {
                self.body(&inquiry.text);
                self.options(inquiry);
            }
            EventKind::InquiryResponse(InquiryResponse { outcome, .. }) => match outcome {
                Outcome::Answered(Answer::Boolean(yes)) => self.fenced("", &yes.to_string()),
                Outcome::Answered(Answer::Select(value)) => self.fenced("", value),
                Outcome::Answered(Answer::Text(text)) => self.data(text),
                Outcome::Cancelled | Outcome::Redacted => {}
            },
            EventKind::Attachment(Attachment { content, .. }) => self.data(content),
            EventKind::ConfigDelta(change) => self.table(change),
            EventKind::Compaction(Compaction { rules, .. }) => self.table(rules),
        }
    }

    fn options(&mut self, inquiry: &InquiryRequest) {
        let AnswerType::Select { options, .. } = &inquiry.answer else { return };
        self.gap();
        for option in options {
            let description = option.description.as_deref().unwrap_or_default();
            let described = if description.is_empty() { "" } else { ": " };
            self.line(&format!("- {}{described}{}", code(&option.value), one_line(description)));
        }
    }

    /// Adds markdown as it is, if it keeps to its place.
    fn body(&mut self, body: &Body) {
        let text = body.to_text_lossy();
        if !keeps_to_itself(&text) {
            return self.fenced("markdown", &text);
        }
        if !text.trim().is_empty() {
            self.gap();
            self.line(text.trim_end_matches(['\n', '\r']));
        }
    }

    /// Adds what may be anything.
    fn data(&mut self, body: &Body) {
        match body.as_text() {
            Some("") => {}
            Some(text) => self.fenced("", text.strip_suffix('\n').unwrap_or(text)),
            None => {
                self.gap();
                self.line(&format!("*{} bytes that are not text*", body.as_bytes().len()));
            }
        }
    }

    fn table(&mut self, table: &toml::Table) {
        let text = table.to_string();
        if !text.is_empty() {
            self.fenced("toml", text.trim_end());
        }
    }

    fn fenced(&mut self, language: &str, text: &str) {
        let fence = backticks(text, 3);
        self.gap();
        self.line(&format!("{fence}{language}\n{text}\n{fence}"));
    }

    fn heading(&mut self, level: usize, text: &str) {
        self.gap();
        self.line(&format!("{} {}", "#".repeat(level), one_line(text)));
        if level == 1 {
            self.gap();
        }
    }

    fn item(&mut self, key: &str, value: &str) {
        self.line(&format!("- {key}: {}", one_line(value)));
    }

    fn gap(&mut self) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
    }

    fn line(&mut self, text: &str) {
        writeln!(self.0, "{text}").expect("a String takes any text");
    }
}

/// Who did what.
fn heading(kind: &EventKind) -> String {
    match kind {
        EventKind::Request(request) if request.interrupts => "User, interrupting".to_owned(),
        EventKind::Request(_) => "User".to_owned(),
        EventKind::Message(message) => model(&message.block),
        EventKind::Reasoning(reasoning) => format!("{}, thinking", model(&reasoning.block)),
        EventKind::Structured(structured) => format!("{}, as data", model(&structured.block)),
        EventKind::ToolCall(call) => {
            format!(
                "{} calls {} {}",
                model(&call.block),
                code(call.tool.as_str()),
                code(call.id.as_str())
            )
        }
        EventKind::ToolStart(start) => {
            format!("Start {} of {}", start.attempt, code(start.id.as_str()))
        }
        EventKind::ToolResult(result) => {
            let what = if result.is_error { "Error" } else { "Result" };
            let tool = result.tool.as_ref().map(|tool| format!("{} ", code(tool.as_str())));
            format!("{what} of {}{}", tool.unwrap_or_default(), code(result.id.as_str()))
        }
        EventKind::InquiryRequest(inquiry) => {
            let tool = inquiry.tool.as_ref().map(|tool| format!(" of {}", code(tool.as_str())));
            format!("Question {}{}", code(inquiry.id.as_str()), tool.unwrap_or_default())
        }
        EventKind::InquiryResponse(response) => {
            let id = code(response.id.as_str());
            match response.outcome {
                Outcome::Answered(_) => format!("Answer to {id}"),
                Outcome::Cancelled => format!("No answer to {id}"),
                Outcome::Redacted => format!("Secret answer to {id}"),
            }
        }
        EventKind::Attachment(attachment) => {
            let media_type = attachment.media_type.as_ref().map(|word| format!(" ({word})"));
            format!("Attachment {}{}", code(&attachment.source), media_type.unwrap_or_default())
        }
        EventKind::ConfigDelta(_) => "Configuration".to_owned(),
        EventKind::Compaction(compaction) => {
            format!("Compaction of {}", compaction.turns())
        }
    }
}

fn model(block: &Block) -> String {
    block.model.as_ref().map_or_else(|| "Model".to_owned(), |model| one_line(model.as_str()))
}

/// A text as a code span.
fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = backticks(&text, 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// A text without line breaks and other control characters.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
}

/// Whether what comes after a markdown text is not taken for a part of it, as after a fence or a
/// comment without an end.
fn keeps_to_itself(markdown: &str) -> bool {
    let after = markdown.len() + 2;
    let mut depth = 0_usize;
    let mut last = None;
    for (piece, range) in Parser::new(&format!("{markdown}\n\n# End\n")).into_offset_iter() {
        match piece {
            Piece::Start(tag) => {
                if depth == 0 {
                    last = Some((matches!(tag, Tag::Heading { .. }), range.start));
                }
                depth += 1;
            }
            Piece::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    last == Some((true, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_would_swallow_what_follows_is_noticed() {
        for text in
            ["", "plain", "- list\n\n  more", "```\nclosed\n```", "> quote", "<b>", "a\n---"]
        {
            assert!(keeps_to_itself(text), "{text}");
        }
        for text in ["```\nopen", "~~~~ rust\nlet", "<!-- open", "<script>\nopen", "1. x\n\n<!--"] {
            assert!(!keeps_to_itself(text), "{text}");
        }
    }

    #[test]
    fn a_code_span_holds_any_text() {
        assert_eq!(code("read"), "`read`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a``"), "``` `a`` ```");
        assert_eq!(code("a\nb"), "`a b`");
    }
}
