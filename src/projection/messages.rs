//! Making messages of events.

use std::collections::{BTreeMap, HashMap};

use toml::Table;

use super::{Message, Part, PartKind, Role, system_prompt};
use crate::model::{
    Address, AnswerId, Attachment, Block, CallId, Entry, EventKind, Native, Stream, ToolName,
    ToolResult, Turn, is_superseded, is_withheld, message_id,
};

/// The messages of a stream: the system prompt if there is one, and what the user, models and
/// tools said, in order.
///
/// Blocks of one answer are one message. Attachments go with the request after them; those that
/// still wait for one are left out. Questions, starts of tools, configuration and blocks that were
/// superseded are not shown to a model, and results that the user withholds are replaced.
/// Compactions are for [`compact`](super::compact).
pub fn messages(stream: &Stream, config: Option<&Table>) -> Vec<Message> {
    let mut conversation = Conversation::default();
    if let Some(content) = system_prompt(config, stream) {
        let role = Role::System { content };
        conversation.messages.push(Message {
            turn: None,
            incomplete: false,
            addresses: Vec::new(),
            role,
        });
    }
    for turn in &stream.turns {
        conversation.add_turn(turn, false);
    }
    if let Some(incomplete) = &stream.incomplete {
        conversation.add_turn(&incomplete.turn, true);
    }
    conversation.messages
}

/// The messages so far, and what has to be known to add the next.
#[derive(Default)]
struct Conversation {
    messages: Vec<Message>,
    turn: u64,
    incomplete: bool,
    /// Attachments that wait for their request.
    waiting: Vec<(Address, Attachment)>,
    /// The messages of answers that further blocks may belong to, by the id of the answer.
    answers: BTreeMap<AnswerId, usize>,
    /// The tools of the calls of this turn, and the order in which they were called.
    tools: HashMap<CallId, (usize, ToolName)>,
    /// The arguments of calls of this turn that somebody changed before they were made.
    changed: HashMap<CallId, String>,
}

/// What a model hears of a result that the user keeps from it.
const WITHHELD: &str = "The tool was run, and the user keeps its result to themselves.";

impl Conversation {
    fn add_turn(&mut self, turn: &Turn, incomplete: bool) {
        (self.turn, self.incomplete) = (turn.number, incomplete);
        self.answers.clear();
        self.tools.clear();
        self.changed.clear();
        for entry in &turn.entries {
            self.add(entry);
        }
    }

    fn add(&mut self, entry: &Entry) {
        let at = entry.address;
        if is_superseded(&entry.event.metadata) {
            return;
        }
        match &entry.event.kind {
            EventKind::Request(request) => {
                let waiting = std::mem::take(&mut self.waiting);
                let (mut addresses, attachments): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
                addresses.push(at);
                // What a model says after this is no part of what it said before.
                self.answers.clear();
                self.push(addresses, Role::User { content: request.content.clone(), attachments });
            }
            EventKind::Attachment(attachment) => self.waiting.push((at, attachment.clone())),
            EventKind::Message(message) => {
                let kind = PartKind::Text(message.content.clone());
                self.add_part(entry, kind, &message.block);
            }
            EventKind::Reasoning(reasoning) => {
                let kind = PartKind::Reasoning(reasoning.content.clone());
                self.add_part(entry, kind, &reasoning.block);
            }
            EventKind::Structured(structured) => {
                let kind = PartKind::Data(structured.data.clone());
                self.add_part(entry, kind, &structured.block);
            }
            EventKind::ToolCall(call) => {
                let (id, tool, arguments) =
                    (call.id.clone(), call.tool.clone(), call.arguments.clone());
                let order = self.tools.len();
                self.tools.insert(id.clone(), (order, tool.clone()));
                let kind = PartKind::Call { id, tool, arguments };
                self.add_part(entry, kind, &call.block);
            }
            EventKind::ToolStart(start) => {
                if let Some(arguments) = start.changed_arguments() {
                    self.changed.insert(start.id.clone(), arguments.to_owned());
                }
            }
            EventKind::ToolResult(result) => {
                self.add_result(at, result, is_withheld(&entry.event.metadata));
            }
            EventKind::InquiryRequest(_)
            | EventKind::InquiryResponse(_)
            | EventKind::ConfigDelta(_)
            | EventKind::Compaction(_) => {}
        }
    }

    fn add_result(&mut self, at: Address, result: &ToolResult, is_withheld: bool) {
        let called = self.tools.get(&result.id);
        let tool = result.tool.clone().or_else(|| called.map(|(_, tool)| tool.clone()));
        let (id, is_error) = (result.id.clone(), result.is_error);
        let content = match is_withheld {
            true => WITHHELD.into(),
            false => result.content.clone(),
        };
        // A model that does not know what was run would take the result for another.
        let content = match self.changed.remove(&result.id) {
            Some(arguments) => {
                let note = format!("The user changed the arguments to {arguments}\n\n");
                [note.as_bytes(), content.as_bytes()].concat().into()
            }
            None => content,
        };
        self.push(vec![at], Role::Tool { id, tool, is_error, content });
        self.put_in_order();
    }

    /// Puts the result that came last before those of later calls: tools end in any order.
    fn put_in_order(&mut self) {
        let order = |message: &Message| match &message.role {
            Role::Tool { id, .. } => self.tools.get(id).map(|(order, _)| *order),
            _ => None,
        };
        let Some(last) = self.messages.len().checked_sub(1) else { return };
        let own = order(&self.messages[last]);
        let mut at = last;
        while at > 0 && own.is_some() && order(&self.messages[at - 1]) > own {
            at -= 1;
        }
        self.messages[at..].rotate_right(1);
    }

    /// Adds a block of an answer to the message of that answer, or begins it.
    fn add_part(&mut self, entry: &Entry, kind: PartKind, block: &Block) {
        let content = entry.event.kind.signed_content().unwrap_or_default();
        let holds = block.signature.as_ref().filter(|signature| signature.holds(content));
        let signature = holds.map(|signature| signature.value.clone());
        let native = Native::find(&entry.event.metadata, content);
        let part = Part { kind, signature, native };
        let at = entry.address;
        // Another program has said that a message begins with this block.
        let begins = block.answer.is_none() && message_id(&entry.event.metadata).is_some();
        let index = self.message_of(block).filter(|_| !begins);
        if let Some(message) = index.and_then(|index| self.messages.get_mut(index))
            && let Role::Assistant { parts, finish, .. } = &mut message.role
        {
            message.addresses.push(at);
            parts.push(part);
            finish.clone_from(&block.finish);
            return;
        }
        if let Some(answer) = &block.answer {
            self.answers.insert(answer.clone(), self.messages.len());
        }
        let role = Role::Assistant {
            model: block.model.clone(),
            answer: block.answer.clone(),
            parts: vec![part],
            finish: block.finish.clone(),
        };
        self.push(vec![at], role);
    }

    /// The message that a block continues, as long as its answer has not ended: that of the same
    /// answer, even if a result came in meanwhile; without an id, the last one if it has none
    /// either and is of the same model.
    fn message_of(&self, block: &Block) -> Option<usize> {
        let index = match &block.answer {
            Some(answer) => *self.answers.get(answer)?,
            None => self.messages.len().checked_sub(1)?,
        };
        let message = self.messages.get(index).filter(|message| message.turn == Some(self.turn))?;
        let Role::Assistant { model, answer, finish: None, .. } = &message.role else {
            return None;
        };
        (*answer == block.answer && *model == block.model).then_some(index)
    }

    fn push(&mut self, addresses: Vec<Address>, role: Role) {
        let (turn, incomplete) = (Some(self.turn), self.incomplete);
        self.messages.push(Message { turn, incomplete, addresses, role });
    }
}
