//! What a provider reports while it answers.

use crate::model::{CallId, Finish, Native, ToolName, Usage};

/// What a provider reports while it answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// The next part of a text that is still coming.
    Text(String),
    /// The next part of a thought that is still coming.
    Reasoning(String),
    /// The name of a tool, or the next part of its arguments, while the call is still coming.
    Call(String),
    /// A block is complete. It holds all of the parts before it.
    Block(Block),
    /// What it has cost so far; the last one counts.
    Usage(Usage),
    /// The answer is complete. Nothing comes after it but usage.
    Finish(Finish),
}

/// A complete block of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it holds.
    pub content: Content,
    /// What the provider wants back together with the unchanged content.
    pub signature: Option<String>,
    /// The block as the provider wrote it, where the content does not tell all of it.
    pub native: Option<Native>,
}

impl Block {
    /// A block with nothing beside its content.
    pub fn new(content: Content) -> Self {
        Self { content, signature: None, native: None }
    }
}

/// What a block holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// What the model said.
    Text(String),
    /// What the model thought; empty if the provider hides it.
    Reasoning(String),
    /// The data that the model answered with, as it wrote it.
    Data(String),
    /// A tool that the model wants to be run.
    Call {
        /// The id that the result will name, made up if the provider gave none.
        id: CallId,
        /// The tool.
        tool: ToolName,
        /// What it is called with, as the model wrote it.
        arguments: String,
    },
}
