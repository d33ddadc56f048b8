//! What the user has said to the question whether a tool may run, as the user's own state has it.

use sha2::{Digest, Sha256};

use super::{CallId, InquiryId, ToolCall, ToolName};

/// An answer of the user to the question whether a tool may run. It is kept with the user, because
/// the same answer in a conversation can come from anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The question.
    pub inquiry: InquiryId,
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: ToolName,
    /// `sha256:` and the hash of everything that was decided about, to the letter.
    pub covers: String,
    /// What was said.
    pub ruling: Ruling,
    /// How often the call is known to have been started since.
    pub starts: u32,
}

/// Whether a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// This once.
    Run,
    /// Whenever it is called in the conversation.
    Always,
    /// Not at all, perhaps for a reason.
    Refuse(Option<String>),
}

impl Ruling {
    /// The word that stands for it in a conversation.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Always => "always",
            Self::Refuse(_) => "refuse",
        }
    }
}

impl Verdict {
    /// What was said to a question about a call, with the arguments that it would be made with.
    pub fn new(inquiry: &InquiryId, call: &ToolCall, ruling: Ruling) -> Self {
        Self {
            inquiry: inquiry.clone(),
            call: call.id.clone(),
            tool: call.tool.clone(),
            covers: covers(inquiry, call),
            ruling,
            starts: 0,
        }
    }

    /// Whether it is about exactly this.
    pub fn is_about(&self, inquiry: &InquiryId, call: &ToolCall) -> bool {
        self.covers == covers(inquiry, call)
    }
}

fn covers(inquiry: &InquiryId, call: &ToolCall) -> String {
    let mut hash = Sha256::new();
    let arguments = call.arguments.as_str();
    for part in [inquiry.as_str(), call.id.as_str(), call.tool.as_str(), arguments] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Arguments, Block};

    fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
        let (tool, id) = (ToolName::new(tool), CallId::new(id));
        ToolCall { tool, id, arguments: Arguments::new(arguments), block: Block::default() }
    }

    #[test]
    fn a_verdict_is_about_one_question_one_call_and_its_arguments_to_the_letter() {
        let made = call("c", "t", r#"{"a":1}"#);
        let (asked, other) = (InquiryId::new("q"), InquiryId::new("q2"));
        let verdict = Verdict::new(&asked, &made, Ruling::Run);
        assert!(verdict.is_about(&asked, &made));
        assert!(!verdict.is_about(&other, &made));
        for changed in [
            call("c2", "t", r#"{"a":1}"#),
            call("c", "t2", r#"{"a":1}"#),
            call("c", "t", r#"{"a":2}"#),
            call("c", "t", r#"{"a": 1}"#),
            call("ct", "", r#"{"a":1}"#),
        ] {
            assert!(!verdict.is_about(&asked, &changed), "{changed:?}");
        }
    }
}
