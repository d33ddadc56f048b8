//! Answering a question without the process that asked it: which are open, what counts as an answer
//! to one, and what is kept of it.

use super::{
    ALWAYS, REFUSE, RUN, Reply,
    prompt::{is_live, respond},
    record::Record,
};
use crate::model::{
    Answer, AnswerType, Choice, Entry, Event, EventKind, InquiryId, InquiryKind, InquiryRequest,
    Metadata, Ruling, Timestamp, ToolCall, Verdict,
};

/// A question that is open, and that anybody can answer.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The question.
    pub inquiry: InquiryRequest,
    /// The call that it is about, with the arguments that it would be made with.
    pub call: ToolCall,
}

/// Why a text is no answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// It means nothing here.
    #[error("`{given}` is no answer to question `{inquiry}`: {wanted}")]
    Invalid {
        /// The question.
        inquiry: InquiryId,
        /// The text.
        given: String,
        /// What would be one.
        wanted: String,
    },
    /// It is the beginning of several answers.
    #[error("`{given}` is the beginning of several answers to question `{inquiry}`: {wanted}")]
    Ambiguous {
        /// The question.
        inquiry: InquiryId,
        /// The text.
        given: String,
        /// These.
        wanted: String,
    },
    /// A secret is given to whoever asks for it, and to nobody else.
    #[error("question `{0}` asks for a secret, which is never stored: it is asked at the terminal")]
    Secret(InquiryId),
    /// Whether a tool may run is not asked like this.
    #[error("question `{0}` is not as jp asks whether a tool may run, so no answer to it counts")]
    Foreign(InquiryId),
    /// A reason belongs to a refusal.
    #[error("only `refuse` takes a reason")]
    NeedlessReason,
}

/// The questions about calls of a turn that are open, in the order in which they came up. One whose
/// tool waited for the answer while it ran is not among them: nobody would take the answer.
pub fn unanswered(entries: &[Entry]) -> Vec<Unanswered> {
    let record = Record::new(entries.iter().cloned());
    let pending = record.pending_calls();
    let open = record.progress().open_questions().iter();
    let asked = open.filter_map(|open| {
        let (inquiry, metadata) = entries.iter().rev().find_map(|entry| asks(entry, &open.id))?;
        let mut calls = pending.iter().map(|standing| &standing.made);
        let call = calls.find(|made| inquiry.call.as_ref() == Some(&made.id))?.clone();
        (!is_live(metadata)).then(|| Unanswered { inquiry: inquiry.clone(), call })
    });
    asked.collect()
}

fn asks<'a>(entry: &'a Entry, id: &InquiryId) -> Option<(&'a InquiryRequest, &'a Metadata)> {
    match &entry.event.kind {
        EventKind::InquiryRequest(inquiry) if inquiry.id == *id => {
            Some((inquiry, &entry.event.metadata))
        }
        _ => None,
    }
}

impl Unanswered {
    /// Reads a text as a reply, with the reason for a refusal.
    pub fn read(&self, given: &str, reason: Option<&str>) -> Result<Reply, Misread> {
        let inquiry = &self.inquiry;
        let reply = match (&inquiry.answer, inquiry.kind) {
            (AnswerType::Secret, _) => return Err(Misread::Secret(inquiry.id.clone())),
            (AnswerType::Select { options, .. }, InquiryKind::RunTool) => {
                self.permission(options, given, reason)?
            }
            (_, InquiryKind::RunTool) => return Err(Misread::Foreign(inquiry.id.clone())),
            (AnswerType::Boolean { .. }, _) => Reply::Answer(Answer::Boolean(self.boolean(given)?)),
            (AnswerType::Select { options, .. }, _) => {
                Reply::Answer(Answer::Select(self.choice(options, given)?))
            }
            (AnswerType::Text { .. }, _) => Reply::Answer(Answer::Text(given.into())),
        };
        match (&reply, reason) {
            (Reply::Refused(_), _) | (_, None) => Ok(reply),
            (_, Some(_)) => Err(Misread::NeedlessReason),
        }
    }

    /// What would be an answer, in words.
    pub fn wanted(&self) -> String {
        match (&self.inquiry.answer, self.inquiry.kind) {
            (AnswerType::Secret, _) => "a secret, at the terminal".to_owned(),
            (AnswerType::Select { .. }, InquiryKind::RunTool) => {
                format!("`{RUN}`, `{ALWAYS}` or `{REFUSE}`")
            }
            (AnswerType::Boolean { .. }, _) => "`yes` or `no`".to_owned(),
            (AnswerType::Select { options, .. }, _) => {
                format!("one of {}", listed(options.iter()))
            }
            (AnswerType::Text { .. }, _) => "any text".to_owned(),
        }
    }

    /// The event that stores a reply.
    pub fn response(&self, reply: &Reply, now: Timestamp) -> Event {
        respond(&self.inquiry.id, reply, now)
    }

    /// What is kept with the user of a reply that decides whether a tool may run.
    pub fn verdict(&self, reply: &Reply) -> Option<Verdict> {
        if self.inquiry.kind != InquiryKind::RunTool {
            return None;
        }
        let ruling = match reply {
            Reply::Answer(Answer::Select(choice)) => match choice.as_str() {
                RUN => Ruling::Run,
                ALWAYS => Ruling::Always,
                REFUSE => Ruling::Refuse(None),
                _ => return None,
            },
            Reply::Refused(reason) => Ruling::Refuse(Some(reason.clone())),
            Reply::Answer(_) | Reply::Secret(_) | Reply::Edited(_) | Reply::Cancelled => {
                return None;
            }
        };
        Some(Verdict::new(&self.inquiry.id, &self.call, ruling))
    }

    /// Nothing but the whole word allows a tool to run.
    fn permission(
        &self,
        options: &[Choice],
        given: &str,
        reason: Option<&str>,
    ) -> Result<Reply, Misread> {
        let words = [RUN, ALWAYS, REFUSE];
        if !words.iter().all(|word| options.iter().any(|option| option.value == *word)) {
            return Err(Misread::Foreign(self.inquiry.id.clone()));
        }
        match (given, reason) {
            (REFUSE, Some(reason)) => Ok(Reply::Refused(reason.to_owned())),
            (given, _) if words.contains(&given) => {
                Ok(Reply::Answer(Answer::Select(given.to_owned())))
            }
            _ => Err(self.invalid(given)),
        }
    }

    fn boolean(&self, given: &str) -> Result<bool, Misread> {
        match given.to_ascii_lowercase().as_str() {
            "yes" | "y" | "true" => Ok(true),
            "no" | "n" | "false" => Ok(false),
            _ => Err(self.invalid(given)),
        }
    }

    fn choice(&self, options: &[Choice], given: &str) -> Result<String, Misread> {
        if let Some(exact) = options.iter().find(|option| option.value == given) {
            return Ok(exact.value.clone());
        }
        let begins = |option: &&Choice| !given.is_empty() && option.value.starts_with(given);
        let begun: Vec<_> = options.iter().filter(begins).collect();
        match begun[..] {
            [only] => Ok(only.value.clone()),
            [] => Err(self.invalid(given)),
            _ => Err(Misread::Ambiguous {
                inquiry: self.inquiry.id.clone(),
                given: given.to_owned(),
                wanted: listed(begun.into_iter()),
            }),
        }
    }

    fn invalid(&self, given: &str) -> Misread {
        let (inquiry, wanted) = (self.inquiry.id.clone(), self.wanted());
        Misread::Invalid { inquiry, given: given.to_owned(), wanted }
    }
}

fn listed<'a>(options: impl Iterator<Item = &'a Choice>) -> String {
    options.map(|option| format!("`{}`", option.value)).collect::<Vec<_>>().join(", ")
}
