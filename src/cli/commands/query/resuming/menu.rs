//! The question what becomes of a turn that is not complete.

use super::telling::under_way_lines;
use crate::{
    cli::{commands::INTERRUPTED, error::CommandError},
    env::Env,
    model::{ConversationId, IncompleteTurn, Pending},
    turn::Survey,
    ui::{Asked, Key, Prompter, Wake},
};

/// What somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// To go on with it.
    Resume,
    /// To answer the question that it waits for, and go on.
    Answer,
    /// To choose which calls are made, and go on.
    Select,
    /// To change the request, and go on.
    Reword,
    /// To discard it.
    Discard,
    /// To leave it as it is.
    Quit,
}

/// What can be chosen about one turn.
pub struct Menu<'a> {
    prompter: Prompter<'a>,
    wake: Wake,
    head: String,
    choices: Vec<Choice>,
    has_text: bool,
    is_shown: bool,
}

impl Choice {
    fn key(self) -> char {
        match self {
            Self::Resume => 'r',
            Self::Answer => 'a',
            Self::Select => 's',
            Self::Reword => 'e',
            Self::Discard => 'd',
            Self::Quit => 'q',
        }
    }

    /// What it does, in the list.
    fn words(self, has_text: bool) -> &'static str {
        match self {
            Self::Resume if has_text => "Resume the turn, and ask your question after it",
            Self::Resume => "Resume the turn",
            Self::Answer => "Answer the question, and resume",
            Self::Select => "Choose which tools run, and resume",
            Self::Reword => "Edit the pending query, and resume",
            Self::Discard if has_text => "Discard the turn, and ask your question now",
            Self::Discard => "Discard the turn, and start afresh",
            Self::Quit => "Exit, and leave it as it is",
        }
    }

    /// What it does, at length.
    fn help(self) -> &'static str {
        match self {
            Self::Resume => {
                "what is missing is done: tools that have not run, questions that are open, then \
                 the model is asked; results that are there are used, and nothing runs twice unasked"
            }
            Self::Answer => "you are asked here, and what waits for the answer goes on with it",
            Self::Select => "the others get an error that says so as their result",
            Self::Reword => "the request opens in your editor, and what you save is sent",
            Self::Discard => {
                "its events are taken out in one commit, which `jp conversation undo` brings back"
            }
            Self::Quit => "`jp resume` and `jp query --discard-turn` do the same without asking",
        }
    }
}

impl<'a> Menu<'a> {
    /// Opens the terminal to ask about a turn.
    pub fn open(
        env: &'a Env,
        id: Option<ConversationId>,
        under_way: &IncompleteTurn,
        survey: &Survey,
        has_text: bool,
    ) -> Result<Self, CommandError> {
        let id = id.map_or_else(String::new, |id| format!(" {id}"));
        let mut head = format!("Conversation{id} has an incomplete turn.\n\n");
        for line in under_way_lines(under_way) {
            head.push_str(&line);
            head.push('\n');
        }
        Ok(Self {
            prompter: Prompter::open(env)?,
            wake: Wake::new()?,
            head,
            choices: choices(under_way, survey),
            has_text,
            is_shown: false,
        })
    }

    /// Asks; an error if somebody presses Ctrl+C, or is gone.
    pub fn ask(&mut self) -> Result<Choice, CommandError> {
        if !std::mem::replace(&mut self.is_shown, true) {
            self.prompter.say(&self.head);
            self.prompter.say("");
            for choice in &self.choices {
                let line = format!("  ({}) {}", choice.key(), choice.words(self.has_text));
                self.prompter.say(&line);
            }
            self.prompter.say("  (?) Help");
        }
        let keys: Vec<_> = self.choices.iter().map(|choice| choice.key()).chain(['?']).collect();
        let keys: Vec<_> = keys.into_iter().map(|key| Key { key, says: "" }).collect();
        loop {
            match self.prompter.choose("What now?", &keys, None, &self.wake) {
                Asked::Answered('?') => {
                    for choice in &self.choices {
                        self.prompter.say(&format!("  {}  {}", choice.key(), choice.help()));
                    }
                }
                Asked::Answered(key) => {
                    let chosen = self.choices.iter().find(|choice| choice.key() == key);
                    return Ok(*chosen.unwrap_or(&Choice::Quit));
                }
                Asked::Cancelled | Asked::Gone | Asked::Woken(_) => {
                    return Err(CommandError::silent(INTERRUPTED));
                }
            }
        }
    }
}

/// What can be done about a turn, in the order of the list.
fn choices(under_way: &IncompleteTurn, survey: &Survey) -> Vec<Choice> {
    let mut choices = vec![Choice::Resume];
    if survey.question().is_some() {
        choices.push(Choice::Answer);
    }
    if survey.calls.iter().filter(|call| call.can_be_decided()).count() > 0 {
        choices.push(Choice::Select);
    }
    if under_way.pending() == Pending::Response {
        choices.push(Choice::Reword);
    }
    choices.extend([Choice::Discard, Choice::Quit]);
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Address, AnswerType, Arguments, Block, CallId, Entry, Event, EventKind, InquiryId,
        InquiryKind, InquiryRequest, Request, Stream, Timestamp, ToolCall, ToolName,
    };

    fn of(kinds: Vec<EventKind>) -> Vec<Choice> {
        let entries = (0..).zip(kinds).map(|(number, kind)| Entry {
            address: Address::new(number).unwrap(),
            event: Event::new(Timestamp::from_seconds(0), kind),
        });
        let under_way = Stream::new(entries).incomplete.unwrap();
        choices(&under_way, &Survey::of(&under_way.turn.entries))
    }

    fn request() -> EventKind {
        EventKind::Request(Request { content: "Go".into(), interrupts: false })
    }

    fn call() -> EventKind {
        EventKind::ToolCall(ToolCall {
            tool: ToolName::new("t"),
            id: CallId::new("c"),
            arguments: Arguments::new("{}"),
            block: Block::default(),
        })
    }

    #[test]
    fn a_pending_request_can_be_edited() {
        use Choice::{Discard, Quit, Resume, Reword};
        assert_eq!(of(vec![request()]), [Resume, Reword, Discard, Quit]);
    }

    #[test]
    fn pending_tools_can_be_chosen_from() {
        use Choice::{Discard, Quit, Resume, Select};
        assert_eq!(of(vec![request(), call()]), [Resume, Select, Discard, Quit]);
    }

    #[test]
    fn a_pending_question_can_be_answered() {
        use Choice::{Answer, Discard, Quit, Resume, Select};
        let question = EventKind::InquiryRequest(InquiryRequest {
            id: InquiryId::new("q"),
            kind: InquiryKind::RunTool,
            tool: Some(ToolName::new("t")),
            call: Some(CallId::new("c")),
            answer: AnswerType::Boolean { default: None },
            exclusive: false,
            text: "Sure?".into(),
        });
        let choices = of(vec![request(), call(), question]);
        assert_eq!(choices, [Resume, Answer, Select, Discard, Quit]);
    }
}
