//! What a script holds.

use std::time::Duration;

use super::{ScriptError, expect::Expect, parse::parse};
use crate::{
    model::{CallId, Finish, Native, ToolName, Usage},
    provider::ProviderError,
};

/// The answers of a model that is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub(super) answers: Vec<Answer>,
}

impl Script {
    /// Reads the text of a script, and tells everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        parse(text)
    }
}

/// One answer, with the attempts that fail before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// Where it begins in the script, from 1.
    pub line: usize,
    /// What the last request holds; empty for an answer that is played by its position.
    pub when: Vec<String>,
    /// What must have been sent.
    pub expect: Expect,
    /// The steps of each attempt; all but the last one fail.
    pub attempts: Vec<Vec<Step>>,
}

/// What happens next in an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// A block is streamed.
    Block(Spoken),
    /// The cost is told.
    Usage(Usage),
    /// Nothing happens for a while.
    Delay(Duration),
    /// The answer is over.
    Finish(Finish),
    /// The attempt fails.
    Fail(ProviderError),
}

impl Step {
    /// Whether the attempt is over with it.
    pub fn fails(&self) -> bool {
        match self {
            Self::Block(spoken) => spoken.breaks_after.is_some(),
            Self::Fail(_) => true,
            Self::Usage(_) | Self::Delay(_) | Self::Finish(_) => false,
        }
    }
}

/// A block, and how it is streamed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spoken {
    /// What kind of block it is.
    pub kind: Kind,
    /// Its content, in the parts that it comes in.
    pub parts: Vec<String>,
    /// How long each part lets wait for itself.
    pub pause: Duration,
    /// After how many bytes the connection breaks.
    pub breaks_after: Option<usize>,
    /// What the provider wants back.
    pub signature: Option<String>,
    /// The block as the provider wrote it.
    pub native: Option<Native>,
}

/// What kind of block it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// A thought.
    Reasoning,
    /// Data.
    Data,
    /// A call; its content is what the tool is called with.
    Call {
        /// The tool.
        tool: ToolName,
        /// The id, if the script gives one.
        id: Option<CallId>,
    },
}
