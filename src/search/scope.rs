//! Which events are looked at: whose, of which tool, and from which time.

use jiff::Timestamp;

use super::facts::Facts;
use crate::model::EventType;

/// Who said something, or what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user: requests, and answers to questions.
    User,
    /// A model: messages, thoughts and data.
    Assistant,
    /// Tools: calls, starts, results, and questions about them.
    Tool,
    /// What was put beside a request.
    Attachment,
    /// What steers a conversation: configuration and compactions.
    System,
}

impl Role {
    /// The role of events of a type.
    pub fn of(event_type: EventType) -> Self {
        match event_type {
            EventType::Request | EventType::InquiryResponse => Self::User,
            EventType::Message | EventType::Reasoning | EventType::Structured => Self::Assistant,
            EventType::ToolCall
            | EventType::ToolStart
            | EventType::ToolResult
            | EventType::InquiryRequest => Self::Tool,
            EventType::Attachment => Self::Attachment,
            EventType::ConfigDelta | EventType::Compaction => Self::System,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Attachment => "attachment",
            Self::System => "system",
        }
    }
}

/// Which events are looked at.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Whose; of everybody if there is none.
    pub roles: Vec<Role>,
    /// Of which tools; of none and all if there is none.
    pub tools: Vec<String>,
    /// Not before this.
    pub since: Option<Timestamp>,
    /// Not after this.
    pub until: Option<Timestamp>,
}

impl Scope {
    /// Whether nothing was said about events.
    pub(super) fn is_everything(&self) -> bool {
        let Self { roles, tools, since, until } = self;
        roles.is_empty() && tools.is_empty() && since.is_none() && until.is_none()
    }

    /// Whether an event of this time is looked at; `tool` finds the tool that it belongs to.
    pub(super) fn admits<'a>(
        &self,
        facts: &Facts,
        time: Timestamp,
        tool: impl FnOnce() -> Option<&'a str>,
    ) -> bool {
        let role = || facts.event_type.map(Role::of);
        (self.roles.is_empty() || role().is_some_and(|role| self.roles.contains(&role)))
            && self.since.is_none_or(|since| since <= time)
            && self.until.is_none_or(|until| time <= until)
            && (self.tools.is_empty()
                || tool().is_some_and(|tool| self.tools.iter().any(|wanted| wanted == tool)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(event_type: EventType) -> Facts {
        Facts { event_type: Some(event_type), ..Facts::default() }
    }

    #[test]
    fn everything_is_in_scope_unless_somebody_says_otherwise() {
        let (at, none) = (Timestamp::UNIX_EPOCH, || None);
        for event_type in EventType::ALL {
            assert!(Scope::default().admits(&facts(event_type), at, none));
        }
        assert!(Scope::default().admits(&Facts::default(), at, none));
    }

    #[test]
    fn all_that_was_asked_for_has_to_hold() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let scope = Scope {
            roles: vec![Role::Tool, Role::User],
            tools: vec!["read".to_owned()],
            since: Some(at(10)),
            until: Some(at(20)),
        };
        let call = facts(EventType::ToolCall);
        for (facts, time, tool, expected) in [
            (&call, 10, Some("read"), true),
            (&call, 20, Some("read"), true),
            (&call, 9, Some("read"), false),
            (&call, 21, Some("read"), false),
            (&call, 15, Some("write"), false),
            (&call, 15, None, false),
            (&facts(EventType::Message), 15, Some("read"), false),
            (&Facts::default(), 15, Some("read"), false),
        ] {
            assert_eq!(
                scope.admits(facts, at(time), || tool),
                expected,
                "{facts:?} {time} {tool:?}"
            );
        }
    }
}
