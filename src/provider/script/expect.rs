//! What a script wants to have been sent.

use crate::{
    projection::{Message, Role},
    provider::{ProviderError, Query, Trouble},
};

/// The longest text that is shown of what came instead.
const EXCERPT: usize = 2000;

/// What must have been sent before an answer is played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expect {
    /// Parts of what came since the last answer: the request, attachments, results of tools.
    pub sent: Vec<String>,
    /// Parts of the system prompt.
    pub system: Vec<String>,
    /// Tools that may be called.
    pub tools: Vec<String>,
}

impl Expect {
    /// Checks a query before answer `number`, which begins at `line`, is played.
    pub fn check(&self, query: &Query, number: usize, line: usize) -> Result<(), ProviderError> {
        let sent = since_the_last_answer(&query.messages);
        let system = system_prompt(&query.messages);
        let tools: Vec<&str> = query.tools.iter().map(|tool| tool.name.as_str()).collect();
        let mut wrong = Vec::new();
        for part in self.sent.iter().filter(|part| !sent.contains(part.as_str())) {
            wrong.push(format!("`{part}`, but was sent:\n{}", excerpt(&sent)));
        }
        for part in self.system.iter().filter(|part| !system.contains(part.as_str())) {
            wrong.push(format!("the system prompt `{part}`, but it is:\n{}", excerpt(&system)));
        }
        for tool in self.tools.iter().filter(|tool| !tools.contains(&tool.as_str())) {
            wrong.push(format!("the tool `{tool}`, but there are: {}", tools.join(", ")));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let message =
            format!("answer {number} of the script (line {line}) expects {}", wrong.join("\nand "));
        Err(ProviderError::new(Trouble::Refused, message))
    }
}

/// What came since the last answer that was finished, one text for each thing.
fn since_the_last_answer(messages: &[Message]) -> String {
    let is_answer = |message: &Message| {
        matches!(message.role, Role::Assistant { finish: Some(_), .. } | Role::System { .. })
    };
    let start = messages.iter().rposition(is_answer).map_or(0, |last| last + 1);
    let mut texts = Vec::new();
    for message in &messages[start..] {
        match &message.role {
            Role::User { content, attachments } => {
                texts.extend(
                    attachments.iter().map(|attachment| attachment.content.to_text_lossy()),
                );
                texts.push(content.to_text_lossy());
            }
            Role::Tool { content, .. } => texts.push(content.to_text_lossy()),
            Role::System { .. } | Role::Assistant { .. } => {}
        }
    }
    texts.join("\n")
}

fn system_prompt(messages: &[Message]) -> String {
    let prompts = messages.iter().filter_map(|message| match &message.role {
        Role::System { content } => Some(content.as_str()),
        Role::User { .. } | Role::Assistant { .. } | Role::Tool { .. } => None,
    });
    prompts.collect::<Vec<_>>().join("\n")
}

fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT).collect()
}
