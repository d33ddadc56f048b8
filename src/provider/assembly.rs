//! The blocks of an answer while they are still coming, for every wire format.
//!
//! Services send blocks one after the other, interleaved, or without saying where one ends. What
//! comes out of here is always the same: the parts of a block, then the whole block, then the next.

use std::collections::VecDeque;

use serde_json::Value;

use super::{Block, Content, Piece, Query, names::CallIds, names::ToolNames, schema};
use crate::model::{Finish, Native, Usage};

/// What kind of block is coming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
    /// Data that was asked for: it is reported only as a whole.
    Data,
    Call,
}

/// A block that is still coming.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// How the stream names it.
    pub key: u64,
    pub kind: Kind,
    /// The text, the thought, or the arguments so far.
    pub content: String,
    /// The id of a call, if there is one.
    pub id: String,
    /// The name of a called tool, as it came over the wire.
    pub name: String,
    pub signature: String,
    /// The block as the service wrote it, where the content does not tell all of it.
    pub native: Option<Value>,
    told: usize,
    named: bool,
    complete: bool,
}

/// The blocks that are still coming, in the order in which they began.
pub(super) struct Assembly {
    api: &'static str,
    drafts: VecDeque<Draft>,
    ids: CallIds,
    names: ToolNames,
    asks_data: bool,
    /// The data is wrapped in an object.
    wrapped: bool,
    calls: usize,
    usage: Option<Usage>,
    finish: Option<Finish>,
    over: bool,
    finish_told: bool,
    last_key: u64,
}

impl Assembly {
    /// Nothing has come yet in answer to a query.
    pub fn new(api: &'static str, query: &Query) -> Self {
        Self {
            api,
            drafts: VecDeque::new(),
            ids: CallIds::of(query),
            names: ToolNames::of(query),
            asks_data: query.schema.is_some(),
            wrapped: false,
            calls: 0,
            usage: None,
            finish: None,
            over: false,
            finish_told: false,
            last_key: 0,
        }
    }

    /// The same, of a service that is asked for objects only: other data is wrapped in one.
    pub fn of_objects(api: &'static str, query: &Query) -> Self {
        let wrapped = query.schema.as_ref().is_some_and(|schema| schema::as_object(schema).1);
        Self { wrapped, ..Self::new(api, query) }
    }

    /// What the model says: a text, or the data that was asked for.
    pub fn speech(&self) -> Kind {
        if self.asks_data { Kind::Data } else { Kind::Text }
    }

    /// Begins a block.
    pub fn begin(&mut self, key: u64, kind: Kind) -> &mut Draft {
        self.last_key = self.last_key.max(key);
        self.drafts.push_back(Draft {
            key,
            kind,
            content: String::new(),
            id: String::new(),
            name: String::new(),
            signature: String::new(),
            native: None,
            told: 0,
            named: false,
            complete: false,
        });
        self.drafts.back_mut().expect("it was just put there")
    }

    /// Begins a block that the stream gives no name.
    pub fn begin_next(&mut self, kind: Kind) -> &mut Draft {
        self.begin(self.last_key + 1, kind)
    }

    /// The last block of a kind that is still coming, or a new one.
    pub fn last_of(&mut self, kind: Kind) -> &mut Draft {
        let is_it = |draft: &Draft| draft.kind == kind && !draft.complete;
        match self.drafts.iter().rposition(is_it) {
            Some(at) => &mut self.drafts[at],
            None => self.begin_next(kind),
        }
    }

    /// The block that is coming under this name.
    pub fn find(&mut self, key: u64) -> Option<&mut Draft> {
        self.drafts.iter_mut().find(|draft| draft.key == key && !draft.complete)
    }

    /// The blocks that are still coming.
    pub fn open(&mut self) -> impl DoubleEndedIterator<Item = &mut Draft> {
        self.drafts.iter_mut().filter(|draft| !draft.complete)
    }

    /// What is said before a call is not the data that was asked for.
    pub fn demote_data(&mut self) {
        for draft in self.open().filter(|draft| draft.kind == Kind::Data) {
            draft.kind = Kind::Text;
        }
    }

    /// Ends a block.
    pub fn close(&mut self, key: u64) {
        if let Some(draft) = self.find(key) {
            draft.complete = true;
        }
    }

    /// Ends all blocks.
    pub fn close_all(&mut self) {
        self.drafts.iter_mut().for_each(|draft| draft.complete = true);
    }

    /// The service says why it stops.
    pub fn stop_for(&mut self, reason: Finish) {
        self.finish = Some(reason);
    }

    /// The service says what it has cost so far.
    pub fn count(&mut self, usage: Usage) {
        self.usage = Some(usage);
    }

    /// The mark at the end of the stream has come.
    pub fn stop(&mut self) {
        self.close_all();
        self.over = true;
    }

    /// Whether the mark at the end of the stream has come.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The last pieces when the stream ends, or nothing if the answer is not complete: a reason to
    /// stop is as good as the mark after it.
    pub fn end(&mut self) -> Option<Vec<Piece>> {
        if self.finish.is_some() {
            self.stop();
        }
        self.over.then(|| self.settle())
    }

    /// What can be reported by now.
    pub fn settle(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some(draft) = self.drafts.front_mut() {
            draft.tell(&mut pieces);
            if !draft.complete {
                break;
            }
            let draft = self.drafts.pop_front().expect("it was just looked at");
            pieces.extend(self.block(draft).map(Piece::Block));
        }
        pieces.extend(self.usage.take().map(Piece::Usage));
        if self.over && !std::mem::replace(&mut self.finish_told, true) {
            pieces.push(Piece::Finish(self.reason()));
        }
        pieces
    }

    /// Why the answer ended: services disagree about whether calls or data are a reason.
    fn reason(&mut self) -> Finish {
        match self.finish.take() {
            Some(Finish::Stop | Finish::ToolCalls) | None if self.calls > 0 => Finish::ToolCalls,
            Some(Finish::ToolCalls) | None => Finish::Stop,
            Some(finish) => finish,
        }
    }

    /// The complete block, unless there is nothing in it.
    fn block(&mut self, draft: Draft) -> Option<Block> {
        let Draft { kind, content, id, name, signature, mut native, .. } = draft;
        let says_nothing = content.is_empty() && signature.is_empty() && native.is_none();
        let content = match kind {
            Kind::Text | Kind::Reasoning if says_nothing => return None,
            Kind::Text => Content::Text(content),
            Kind::Reasoning => Content::Reasoning(content),
            Kind::Data => Content::Data(schema::unwrap(&content, self.wrapped)),
            Kind::Call => {
                self.calls += 1;
                let id = self.ids.take(&id);
                if let Some(given) = native.as_mut().and_then(|block| block.get_mut("id")) {
                    *given = id.as_str().into();
                }
                let arguments = if content.trim().is_empty() { "{}".to_owned() } else { content };
                Content::Call { id, tool: self.names.tool(&name), arguments }
            }
        };
        let signature = Some(signature).filter(|signature| !signature.is_empty());
        let native = native.map(|block| Native { api: self.api.to_owned(), block });
        Some(Block { content, signature, native })
    }
}

impl Draft {
    /// Reports what came since the last time.
    fn tell(&mut self, pieces: &mut Vec<Piece>) {
        if self.kind == Kind::Call && !self.named && !self.name.is_empty() {
            self.named = true;
            pieces.push(Piece::Call(self.name.clone()));
        }
        // White space in place of arguments is replaced by the empty object after it was told.
        let Some(part) = self.content.get(self.told..).filter(|part| !part.is_empty()) else {
            return;
        };
        let part = part.to_owned();
        pieces.push(match self.kind {
            Kind::Text => Piece::Text(part),
            Kind::Reasoning => Piece::Reasoning(part),
            Kind::Call => Piece::Call(part),
            Kind::Data => return,
        });
        self.told = self.content.len();
    }
}
