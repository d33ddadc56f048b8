//! An answer while it comes in.
//!
//! A complete block is held back until the next piece shows whether it was the last one, because
//! the last one carries the reason why the answer ended. It is never held for longer than a moment.

use super::{Notice, Schema, outbox::Outbox};
use crate::{
    model::{
        AnswerId, Arguments, Block, Event, EventKind, Finish, Json, Message, Metadata, ModelName,
        Reasoning, Signature, Structured, Timestamp, ToolCall, Usage, mark_superseded,
    },
    provider::{self, Content, Piece},
};

/// An answer while it comes in.
#[derive(Debug)]
pub struct Answering {
    id: AnswerId,
    model: ModelName,
    /// A complete block that is not stored yet.
    held: Option<Event>,
    /// What has come of a text that is not complete.
    text: String,
    /// What has come of a thought that is not complete.
    reasoning: String,
    blocks: usize,
    calls: usize,
    /// The last data that came.
    data: Option<Json>,
    finish: Option<Finish>,
    usage: Usage,
}

/// How an answer ended.
#[derive(Debug)]
pub struct Concluded {
    /// Why it ended.
    pub finish: Finish,
    /// What it has cost.
    pub usage: Usage,
    /// Why it is not the data that was asked for.
    pub not_the_data: Option<String>,
}

impl Answering {
    /// An answer of which nothing has come yet.
    pub fn new(id: AnswerId, model: ModelName) -> Self {
        Self {
            id,
            model,
            held: None,
            text: String::new(),
            reasoning: String::new(),
            blocks: 0,
            calls: 0,
            data: None,
            finish: None,
            usage: Usage::default(),
        }
    }

    /// Whether a complete call has come.
    fn has_calls(&self) -> bool {
        self.calls > 0
    }

    /// What it has cost so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Takes a piece.
    pub fn hear(&mut self, piece: Piece, now: Timestamp, outbox: &mut Outbox) {
        match piece {
            Piece::Text(part) => {
                self.release(outbox);
                self.text.push_str(&part);
                outbox.show(Notice::Text(part));
            }
            Piece::Reasoning(part) => {
                self.release(outbox);
                self.reasoning.push_str(&part);
                outbox.show(Notice::Reasoning(part));
            }
            Piece::Call(_) => {
                self.release(outbox);
                outbox.show(Notice::CallComing);
            }
            Piece::Block(block) => {
                self.release(outbox);
                let event = self.event(block, now, outbox);
                outbox.show(Notice::BlockEnded(event.event_type()));
                self.held = Some(event);
                self.blocks += 1;
            }
            Piece::Usage(usage) => self.usage = usage,
            Piece::Finish(finish) => self.finish = Some(finish),
        }
    }

    /// Stores the block that is held back.
    pub fn release(&mut self, outbox: &mut Outbox) {
        if let Some(event) = self.held.take() {
            outbox.commit(event);
        }
    }

    /// Ends an answer that came to its end.
    pub fn conclude(
        mut self,
        schema: Option<&Schema>,
        now: Timestamp,
        outbox: &mut Outbox,
    ) -> Concluded {
        self.keep_parts(now, outbox);
        let finish = self.finish.take().unwrap_or(Finish::Stop);
        self.seal(&finish, now, outbox);
        let not_the_data = schema.and_then(|schema| self.check(schema).err());
        Concluded { finish, usage: self.usage, not_the_data }
    }

    /// Ends an answer that the user cut off, and keeps what came.
    pub fn cut(&mut self, now: Timestamp, outbox: &mut Outbox) {
        self.keep_parts(now, outbox);
        if self.blocks > 0 {
            self.seal(&Finish::Cancelled, now, outbox);
        }
    }

    /// Ends an answer that broke off, and says whether anything of it had come. That stays in the
    /// conversation until the model is asked again, but no model is told of it.
    pub fn break_off(&mut self, now: Timestamp, outbox: &mut Outbox) -> bool {
        self.release(outbox);
        let (reasoning, text) = self.take_parts();
        let discards = self.blocks > 0 || !reasoning.is_empty() || !text.is_empty();
        for mut event in self.parts(reasoning, text, now) {
            mark_superseded(&mut event.metadata);
            outbox.commit(event);
        }
        discards
    }

    /// Makes blocks of what is not complete.
    fn keep_parts(&mut self, now: Timestamp, outbox: &mut Outbox) {
        let (reasoning, text) = self.take_parts();
        for event in self.parts(reasoning, text, now) {
            self.release(outbox);
            outbox.show(Notice::BlockEnded(event.event_type()));
            self.held = Some(event);
            self.blocks += 1;
        }
    }

    fn take_parts(&mut self) -> (String, String) {
        (std::mem::take(&mut self.reasoning), std::mem::take(&mut self.text))
    }

    fn parts(&self, reasoning: String, text: String, now: Timestamp) -> Vec<Event> {
        let mut events = Vec::new();
        if !reasoning.is_empty() {
            let (content, block) = (reasoning.into(), self.block());
            events.push(Event::new(now, EventKind::Reasoning(Reasoning { content, block })));
        }
        if !text.is_empty() {
            let (content, block) = (text.into(), self.block());
            events.push(Event::new(now, EventKind::Message(Message { content, block })));
        }
        events
    }

    /// Puts down on the last block why the answer ended.
    fn seal(&mut self, finish: &Finish, now: Timestamp, outbox: &mut Outbox) {
        if self.blocks == 0 {
            let message = Message { content: "".into(), block: self.block() };
            self.held = Some(Event::new(now, EventKind::Message(message)));
        }
        let Some(mut event) = self.held.take() else {
            let (answer, usage) = (self.id.clone(), self.usage);
            outbox.seal(answer, finish.clone(), usage);
            return;
        };
        if let Some(block) = event.block_mut() {
            block.finish = Some(finish.clone());
        }
        self.usage.store(&mut event.metadata);
        outbox.commit(event);
    }

    fn check(&self, schema: &Schema) -> Result<(), String> {
        if self.has_calls() {
            return Ok(());
        }
        let data = self.data.as_ref().ok_or("the answer is not JSON")?;
        let value = serde_json::from_str(data.as_str()).map_err(|error| error.to_string())?;
        (schema.check)(&value)
    }

    fn block(&self) -> Block {
        let (model, answer) = (Some(self.model.clone()), Some(self.id.clone()));
        Block { model, answer, finish: None, signature: None }
    }

    fn event(&mut self, complete: provider::Block, now: Timestamp, outbox: &Outbox) -> Event {
        let provider::Block { content, signature, native } = complete;
        let mut block = self.block();
        let mut metadata = Metadata::new();
        let sign = |content: &[u8]| {
            if let Some(native) = &native {
                native.store(&mut metadata, content);
            }
            block.signature = signature.map(|value| Signature::over(content, value));
        };
        let kind = match content {
            Content::Text(text) => {
                self.text.clear();
                sign(text.as_bytes());
                EventKind::Message(Message { content: text.into(), block })
            }
            Content::Reasoning(text) => {
                self.reasoning.clear();
                sign(text.as_bytes());
                EventKind::Reasoning(Reasoning { content: text.into(), block })
            }
            Content::Data(text) => {
                self.text.clear();
                sign(text.as_bytes());
                match Json::new(text) {
                    Ok(data) => {
                        self.data = Some(data.clone());
                        EventKind::Structured(Structured { data, block })
                    }
                    Err(invalid) => {
                        EventKind::Message(Message { content: invalid.text.into(), block })
                    }
                }
            }
            Content::Call { id, tool, arguments } => {
                self.calls += 1;
                sign(arguments.as_bytes());
                let id = outbox.record.free_call(id);
                let arguments = Arguments::new(arguments);
                EventKind::ToolCall(ToolCall { tool, id, arguments, block })
            }
        };
        Event { metadata, ..Event::new(now, kind) }
    }
}
