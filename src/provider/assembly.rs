//! The blocks of an answer while they are still coming, for every wire format.
//!
//! Services send blocks one after the other, interleaved, or without saying where one ends. What
//! comes out of here is always the same: the parts of a block, then the whole block, then the next.

use std::collections::VecDeque;

use serde_json::Value;

use super::{Block, Content, Piece, Query, names::CallIds, names::ToolNames, schema};
use crate::model::Native;

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
    /// The data is wrapped in an object.
    wrapped: bool,
    calls: usize,
    last_key: u64,
}

impl Assembly {
    /// Nothing has come yet in answer to a query.
    pub fn new(api: &'static str, query: &Query, wrapped: bool) -> Self {
        Self {
            api,
            drafts: VecDeque::new(),
            ids: CallIds::of(query),
            names: ToolNames::of(query),
            wrapped,
            calls: 0,
            last_key: 0,
        }
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

    /// How many calls have been reported.
    pub fn calls(&self) -> usize {
        self.calls
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
        pieces
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
