//! A conversation, event by event.

use std::io::{self, Write};

use super::{
    super::{Face, backticks, minute},
    Detail, Gap, Transcript,
    calls::{CallFate, Fate, Fates, QuestionFate, delivery, under_way},
    fold::{self, State},
    marker,
    page::Page,
};
use crate::model::{
    Block, Body, Entry, EventKind, InquiryKind, Request, Structured, Timestamp, ToolCall,
    ToolResult, Turn, edited_at, is_superseded,
};

impl Transcript<'_> {
    /// Prints the conversation.
    pub fn write(&self, sink: &mut dyn Write) -> io::Result<()> {
        let page = Page::new(sink, self.look);
        let mut teller = Teller {
            transcript: self,
            page,
            speaker: None,
            asked: false,
            position: 0,
            hole: 0,
            gap: 0,
        };
        teller.page.heading(&[(Face::STRONG, self.title)]);
        let stream = self.stream;
        for turn in &stream.turns {
            teller.turn(turn, &Fates::of(turn), None)?;
        }
        if let Some(incomplete) = &stream.incomplete {
            let turn = &incomplete.turn;
            let fates = Fates::of(turn);
            teller.turn(turn, &fates, Some(under_way(&turn.entries)))?;
            if self.turns.contains(&turn.number) {
                marker::print(&mut teller.page, incomplete, &fates);
            }
        }
        teller.waiting();
        teller.page.finish()
    }
}

/// Somebody who tells a conversation.
struct Teller<'a, 'p> {
    transcript: &'a Transcript<'a>,
    page: Page<'p>,
    speaker: Option<Speaker<'a>>,
    /// Whether the speaker has made a request.
    asked: bool,
    /// How many events were told or passed over.
    position: usize,
    /// How many holes were.
    hole: usize,
    /// How many gaps were.
    gap: usize,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker<'a> {
    User,
    Model(Option<&'a str>),
    Tool(Option<&'a str>),
}

/// Where an event stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    turn: u64,
    time: Timestamp,
    fate: Fate<'a>,
    /// Whether the turn is still waiting for what this event has to do with.
    under_way: bool,
}

impl<'a> Teller<'a, '_> {
    /// Tells a turn; if it is not over, what comes from an event on is under way.
    fn turn(
        &mut self,
        turn: &'a Turn,
        fates: &Fates<'a>,
        under_way: Option<usize>,
    ) -> io::Result<()> {
        self.speaker = None;
        if !self.transcript.turns.contains(&turn.number) {
            self.position += turn.entries.len();
            self.pass_holes();
            self.gap += self.gaps_of(turn.number, usize::MAX).count();
            return Ok(());
        }
        for (index, entry) in turn.entries.iter().enumerate() {
            self.tell_holes();
            let fate = fates.at(index);
            let under_way = under_way.is_some_and(|first| index >= first || is_waiting(fate));
            let time = entry.event.timestamp;
            let place = Place { turn: turn.number, time, fate, under_way };
            if self.gaps_of(turn.number, self.position).next().is_some() {
                // It is the model that says less.
                match entry.event.block() {
                    Some(block) => self.head(model(block), place),
                    None => self.aside(Speaker::User, place),
                }
                self.tell_gaps(turn.number, self.position);
            }
            self.entry(entry, place);
            self.broken_off(entry);
            self.edited(entry);
            self.position += 1;
            self.page.hand_over()?;
        }
        self.tell_gaps(turn.number, usize::MAX);
        Ok(())
    }

    /// The gaps of a turn up to a position that were not told.
    fn gaps_of(&self, turn: u64, position: usize) -> impl Iterator<Item = &'a Gap> + use<'a> {
        let left = self.transcript.gaps.get(self.gap..).unwrap_or_default();
        left.iter().take_while(move |gap| gap.turn == turn && gap.before <= position)
    }

    fn tell_gaps(&mut self, turn: u64, position: usize) {
        for gap in self.gaps_of(turn, position) {
            self.gap += 1;
            self.page.line(&[(Face::FAINT, &format!("[left out: {}]", gap.words))]);
        }
    }

    /// Tells what waits for the next request, which will be in a turn of its own.
    fn waiting(&mut self) {
        let stream = self.transcript.stream;
        if !self.transcript.turns.contains(&stream.begun()) {
            return;
        }
        if !stream.waiting.is_empty() {
            self.page.heading(&[(Face::FAINT, "━━ for the next request")]);
        }
        for entry in &stream.waiting {
            self.tell_holes();
            self.beside(entry);
            self.position += 1;
        }
        self.tell_holes();
    }

    /// Tells of the files that cannot be read and stand before the next event.
    fn tell_holes(&mut self) {
        let holes = self.transcript.holes;
        while let Some(hole) = holes.get(self.hole).filter(|hole| hole.before <= self.position) {
            self.hole += 1;
            self.page.line(&[(Face::BAD, &format!("⚠ {} cannot be read", hole.file))]);
        }
    }

    /// Passes over those that stand before the last event.
    fn pass_holes(&mut self) {
        let left = &self.transcript.holes[self.hole..];
        self.hole += left.iter().take_while(|hole| hole.before < self.position).count();
    }

    fn entry(&mut self, entry: &'a Entry, place: Place<'a>) {
        match &entry.event.kind {
            EventKind::Request(request) => self.request(request, place),
            EventKind::Message(message) => {
                self.head(model(&message.block), place);
                self.body(&message.content);
                self.finish(&message.block);
            }
            EventKind::Reasoning(reasoning) => {
                self.head(model(&reasoning.block), place);
                self.reasoning(&reasoning.content);
                self.finish(&reasoning.block);
            }
            EventKind::Structured(structured) => {
                self.head(model(&structured.block), place);
                self.structured(structured);
                self.finish(&structured.block);
            }
            EventKind::ToolCall(call) => self.call(call, place),
            EventKind::ToolStart(start) => {
                if self.detail().tools {
                    self.aside(Speaker::User, place);
                    let words = format!("[{} started, attempt {}]", start.id, start.attempt);
                    self.page.line(&[(Face::FAINT, &words)]);
                    if let Some(arguments) = start.changed_arguments() {
                        self.page.line(&[(Face::NOTICE, "[the user changed the arguments]")]);
                        self.page.indented(arguments);
                    }
                }
            }
            EventKind::ToolResult(result) => {
                self.result(result, delivery(&entry.event.metadata), place);
            }
            EventKind::InquiryRequest(inquiry) => {
                let Fate::Question(fate) = place.fate else { return };
                if place.under_way && is_waiting(place.fate) {
                    return;
                }
                // What came of it stands with the call.
                let is_told = inquiry.kind != InquiryKind::ToolQuestion
                    && matches!(fate, QuestionFate::Ended(_));
                if is_told && !self.detail().tools {
                    return;
                }
                self.aside(Speaker::Tool(inquiry.tool.as_ref().map(|tool| tool.as_str())), place);
                let words = fold::question(inquiry, fate);
                self.page.line(&[(Face::NOTICE, "? "), (Face::PLAIN, &words)]);
            }
            EventKind::InquiryResponse(response) => {
                if !matches!(place.fate, Fate::Told) {
                    self.aside(Speaker::User, place);
                    let words =
                        format!("[answer without a question: {}]", fold::answer(&response.outcome));
                    self.page.line(&[(Face::FAINT, &words)]);
                }
            }
            EventKind::Attachment(_) | EventKind::ConfigDelta(_) | EventKind::Compaction(_) => {
                self.aside(Speaker::User, place);
                self.beside(entry);
            }
        }
    }

    fn request(&mut self, request: &'a Request, place: Place<'a>) {
        if request.interrupts || self.asked {
            self.speaker = None;
        }
        self.head(Speaker::User, place);
        self.asked = true;
        if request.interrupts {
            self.page.line(&[(Face::FAINT, "[interrupts the turn]")]);
        }
        self.body(&request.content);
    }

    /// A text of the conversation, as markdown.
    fn body(&mut self, content: &Body) {
        let text = content.to_text_lossy();
        if text.trim().is_empty() {
            return self.page.line(&[(Face::FAINT, "[empty]")]);
        }
        self.page.markdown(&text);
    }

    fn reasoning(&mut self, content: &Body) {
        if !self.detail().reasoning {
            return self.page.line(&[(Face::FAINT, &fold::reasoning(content))]);
        }
        self.page.line(&[(Face::FAINT, "[reasoning]")]);
        self.page.quotation(&content.to_text_lossy());
    }

    fn structured(&mut self, structured: &Structured) {
        let json = structured.data.as_str();
        let fence = backticks(json, 3);
        self.page.markdown(&format!("{fence}json\n{json}\n{fence}"));
    }

    fn finish(&mut self, block: &Block) {
        if let Some(words) = block.finish.as_ref().and_then(fold::finish) {
            self.page.line(&[(Face::NOTICE, "⚠ "), (Face::PLAIN, &words)]);
        }
    }

    fn call(&mut self, call: &'a ToolCall, place: Place<'a>) {
        let Fate::Call(fate) = place.fate else { return };
        self.head(model(&call.block), place);
        if self.detail().tools {
            self.page.heading(&[
                (Face::TOOL, "→ "),
                (Face::TOOL, call.tool.as_str()),
                (Face::FAINT, &format!(" {}", call.id)),
            ]);
            self.page.indented(call.arguments.as_str());
        } else if !place.under_way {
            self.folded_call(call, fate);
        }
        self.finish(&call.block);
    }

    fn folded_call(&mut self, call: &ToolCall, fate: CallFate<'_>) {
        let state = State::of(fate, "no result");
        let outcome = match fate.result {
            Some(result) if result.is_error => format!(" — {}", fold::first_line(&result.content)),
            Some(_) => String::new(),
            None => format!(" — {}", state.words),
        };
        let delivery = fate.delivery.map_or_else(String::new, |words| format!(" — {words}"));
        self.page.line(&[
            (state.face, state.mark),
            (Face::STRONG, &format!(" {} ", call.tool)),
            (Face::FAINT, &fold::arguments(call, fate.changed)),
            (Face::PLAIN, &outcome),
            (Face::NOTICE, &delivery),
        ]);
    }

    fn result(&mut self, result: &'a ToolResult, delivery: Option<&str>, place: Place<'a>) {
        let named = match place.fate {
            Fate::ResultOf(call) => result.tool.as_ref().or(Some(&call.tool)),
            _ => result.tool.as_ref(),
        };
        let tool = named.map(|tool| tool.as_str());
        if self.detail().tools {
            self.speaker = None;
            self.head(Speaker::Tool(tool), place);
            let (face, mark) = match result.is_error {
                true => (Face::BAD, "✗ "),
                false => (Face::GOOD, "✓ "),
            };
            let delivery = delivery.map_or_else(String::new, |words| format!(" · {words}"));
            self.page.heading(&[
                (face, mark),
                (Face::FAINT, result.id.as_str()),
                (Face::NOTICE, &delivery),
            ]);
            let text = result.content.to_text_lossy();
            match text.trim().is_empty() {
                true => self.page.line(&[(Face::FAINT, "[empty]")]),
                false => self.page.verbatim(&text),
            }
        } else if !matches!(place.fate, Fate::ResultOf(_)) {
            self.aside(Speaker::Tool(tool), place);
            let state = State::of(CallFate { result: Some(result), ..CallFate::default() }, "");
            self.page.line(&[
                (state.face, state.mark),
                (Face::STRONG, &format!(" {} ", tool.unwrap_or(result.id.as_str()))),
                (Face::FAINT, "[result without a call]"),
            ]);
        }
    }

    /// Tells that words broke off and count for nothing.
    fn broken_off(&mut self, entry: &Entry) {
        if is_superseded(&entry.event.metadata) {
            self.page.line(&[(Face::FAINT, "[broken off, and not shown to models]")]);
        }
    }

    /// Tells that somebody has put other words into a mouth.
    fn edited(&mut self, entry: &Entry) {
        let is_told = matches!(
            entry.event.kind,
            EventKind::Request(_) | EventKind::Message(_) | EventKind::Structured(_)
        );
        if let Some(at) = edited_at(&entry.event.metadata).filter(|_| is_told) {
            let words = format!("[edited {}]", minute(at, &self.transcript.zone));
            self.page.line(&[(Face::FAINT, &words)]);
        }
    }

    /// What stands beside a request.
    fn beside(&mut self, entry: &Entry) {
        let words = match &entry.event.kind {
            EventKind::Attachment(attachment) => fold::attachment(attachment),
            EventKind::ConfigDelta(table) => fold::configuration(table),
            EventKind::Compaction(compaction) => fold::compaction(compaction),
            _ => return,
        };
        self.page.line(&[(Face::FAINT, &words)]);
    }

    /// Names who speaks, unless it is who spoke before.
    fn head(&mut self, speaker: Speaker<'a>, place: Place<'a>) {
        let is_same = match (self.speaker, speaker) {
            (Some(Speaker::Model(_)), Speaker::Model(None)) => true,
            (before, speaker) => before == Some(speaker),
        };
        if is_same {
            return;
        }
        self.speaker = Some(speaker);
        self.asked = false;
        let (face, name) = match speaker {
            Speaker::User => (Face::USER, "user".to_owned()),
            Speaker::Model(None) => (Face::MODEL, "assistant".to_owned()),
            Speaker::Model(Some(model)) => (Face::MODEL, format!("assistant ({model})")),
            Speaker::Tool(None) => (Face::TOOL, "tool".to_owned()),
            Speaker::Tool(Some(tool)) => (Face::TOOL, format!("tool ({tool})")),
        };
        let time = minute(place.time, &self.transcript.zone);
        self.page.heading(&[
            (Face::FAINT, "━━ "),
            (face, &name),
            (Face::FAINT, &format!(" · turn {}", place.turn)),
            (Face::FAINT, &format!(" · {time}")),
        ]);
    }

    /// Names who speaks, if nobody has spoken yet in this turn.
    fn aside(&mut self, speaker: Speaker<'a>, place: Place<'a>) {
        if self.speaker.is_none() {
            self.head(speaker, place);
        }
    }

    fn detail(&self) -> Detail {
        self.transcript.detail
    }
}

fn model(block: &Block) -> Speaker<'_> {
    Speaker::Model(block.model.as_ref().map(|model| model.as_str()))
}

/// Whether nothing has become of an event yet.
fn is_waiting(fate: Fate<'_>) -> bool {
    match fate {
        Fate::Call(fate) => fate.result.is_none(),
        Fate::Question(fate) => {
            matches!(fate, QuestionFate::HoldsCall | QuestionFate::HoldsTurn)
        }
        Fate::ResultOf(_) | Fate::Told | Fate::None => false,
    }
}
