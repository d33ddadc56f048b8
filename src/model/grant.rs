//! What the user has allowed for a whole conversation.

use super::ToolName;

/// A tool that may run unasked in a conversation, because the user said so there. It is kept with
/// the user and never with the conversation, which can come from anywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The tool.
    pub tool: ToolName,
    /// The exact words of the program that it may run; `None` if it may be called with anything.
    pub argv: Option<Vec<String>>,
    /// The directory in which it may run them; `None` if that is the root of the workspace.
    pub cwd: Option<String>,
}
