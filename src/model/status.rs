//! The words that tell what a conversation is waiting for.

use std::{fmt, str::FromStr};

use super::ToolName;

/// What a conversation is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing: the next request can come.
    Idle,
    /// Somebody has to answer a question, perhaps of a tool.
    WaitingForInput(Option<ToolName>),
    /// The last turn stopped before it was complete.
    Interrupted(Pending),
}

/// What is missing from an incomplete turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// The model has not answered the request, or not to its end.
    Response,
    /// Calls have no result.
    Tools,
    /// The model has not seen the results.
    FollowUp,
}

impl Pending {
    /// What is missing, in a word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Tools => "tools",
            Self::FollowUp => "follow-up",
        }
    }
}

const WAITING: &str = "waiting-for-input";

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("idle"),
            Self::WaitingForInput(None) => f.write_str(WAITING),
            Self::WaitingForInput(Some(tool)) => write!(f, "{WAITING} ({tool})"),
            Self::Interrupted(pending) => write!(f, "interrupted ({pending})"),
        }
    }
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Response => "pending LLM response",
            Self::Tools => "pending tool execution",
            Self::FollowUp => "pending follow-up",
        })
    }
}

/// A text that is not a status.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a status")]
pub struct UnknownStatus(String);

impl FromStr for Status {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(rest) = text.strip_prefix(WAITING) {
            let tool = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
            return match (tool, rest) {
                (None, "") => Ok(Self::WaitingForInput(None)),
                (Some(tool), _) => Ok(Self::WaitingForInput(Some(ToolName::new(tool)))),
                (None, _) => Err(UnknownStatus(text.to_owned())),
            };
        }
        let all = [
            Self::Idle,
            Self::Interrupted(Pending::Response),
            Self::Interrupted(Pending::Tools),
            Self::Interrupted(Pending::FollowUp),
        ];
        let found = all.into_iter().find(|status| status.to_string() == text);
        found.ok_or_else(|| UnknownStatus(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back_from_its_words() {
        for status in [
            Status::Idle,
            Status::WaitingForInput(None),
            Status::WaitingForInput(Some(ToolName::new("fs/write (all)"))),
            Status::Interrupted(Pending::Response),
            Status::Interrupted(Pending::Tools),
            Status::Interrupted(Pending::FollowUp),
        ] {
            assert_eq!(status.to_string().parse::<Status>().unwrap(), status);
        }
        assert!("busy".parse::<Status>().is_err());
    }
}
