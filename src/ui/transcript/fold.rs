//! Events in a line each.

use super::{
    super::{Face, shorten},
    calls::{CallFate, QuestionFate},
};
use crate::model::{
    Answer, Attachment, Body, Compaction, Finish, InquiryRequest, Outcome, ToolCall, counted,
};

/// The columns that arguments, questions and answers may take.
const SHORT: usize = 60;

/// What became of a call: a mark, how it looks, and words.
pub struct State {
    pub mark: &'static str,
    pub face: Face,
    pub words: String,
}

impl State {
    /// Tells of a call; `missing` are the words for one that was never started.
    pub fn of(fate: CallFate<'_>, missing: &str) -> Self {
        let (mark, face, words) = match fate {
            CallFate { result: Some(result), .. } if result.is_error => {
                ("✗", Face::BAD, format!("failed: {}", first_line(&result.content)))
            }
            CallFate { result: Some(_), .. } => ("✓", Face::GOOD, "completed".to_owned()),
            CallFate { question: Some(question), .. } => return waiting(question),
            CallFate { started: true, .. } => {
                ("?", Face::NOTICE, "may have run; its result is not known".to_owned())
            }
            CallFate { .. } => ("…", Face::NOTICE, missing.to_owned()),
        };
        Self { mark, face, words }
    }
}

/// Tells of what waits for the answer to a question.
pub fn waiting(question: &Body) -> State {
    let words = format!("waiting for input: \"{}\"", first_line(question));
    State { mark: "⏸", face: Face::NOTICE, words }
}

/// The arguments of a call, in a few words.
pub fn arguments(call: &ToolCall, changed: Option<&str>) -> String {
    match changed {
        Some(changed) => format!("{} (changed by the user)", squeezed(changed)),
        None => squeezed(call.arguments.as_str()),
    }
}

/// The first line of a text that says something.
pub fn first_line(body: &Body) -> String {
    let text = body.to_text_lossy();
    squeezed(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

/// A text in one line, without needless space, and cut if it is long.
fn squeezed(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > 4 * SHORT {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(4 * SHORT));
    }
    shorten(&line, SHORT).into_owned()
}

/// Something that was put beside a request.
pub fn attachment(attachment: &Attachment) -> String {
    let kind = attachment.media_type.as_ref().map_or_else(String::new, |kind| format!(", {kind}"));
    let size = counted(attachment.content.as_bytes().len() as u64, "byte");
    format!("[attachment: {}{kind}, {size}]", attachment.source)
}

/// What a model thought, without saying it.
pub fn reasoning(content: &Body) -> String {
    format!("[reasoning, {}]", counted(content.to_text_lossy().lines().count() as u64, "line"))
}

/// A change of the configuration.
pub fn configuration(table: &toml::Table) -> String {
    match keys(table) {
        keys if keys.is_empty() => "[configuration]".to_owned(),
        keys => format!("[configuration: {keys}]"),
    }
}

/// A change of what a model sees of earlier turns.
pub fn compaction(compaction: &Compaction) -> String {
    let rules = match keys(&compaction.rules) {
        keys if keys.is_empty() => keys,
        keys => format!(": {keys}"),
    };
    format!("[compaction of {}{rules}]", compaction.turns())
}

/// A question and how it ended.
pub fn question(inquiry: &InquiryRequest, fate: QuestionFate<'_>) -> String {
    let tool = inquiry.tool.as_ref().map_or_else(String::new, |tool| format!("{tool}: "));
    let answer = match fate {
        QuestionFate::Ended(outcome) => answer(outcome),
        QuestionFate::Dropped => "no answer".to_owned(),
        QuestionFate::HoldsCall | QuestionFate::HoldsTurn => "waits for an answer".to_owned(),
    };
    format!("{tool}\"{}\" → {answer}", first_line(&inquiry.text))
}

/// How a question ended.
pub fn answer(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Cancelled => "cancelled".to_owned(),
        Outcome::Redacted => "a secret".to_owned(),
        Outcome::Answered(Answer::Boolean(true)) => "yes".to_owned(),
        Outcome::Answered(Answer::Boolean(false)) => "no".to_owned(),
        Outcome::Answered(Answer::Select(value)) => squeezed(value),
        Outcome::Answered(Answer::Text(text)) => first_line(text),
    }
}

/// Why an answer ended, unless it had simply come to its end.
pub fn finish(finish: &Finish) -> Option<String> {
    Some(match finish {
        Finish::Stop | Finish::ToolCalls => return None,
        Finish::Length => "length: the limit of tokens was reached".to_owned(),
        Finish::ContentFilter => "content-filter: the provider held the content back".to_owned(),
        Finish::Cancelled => "cancelled: the user stopped the answer".to_owned(),
        Finish::Other(word) => format!("the answer ended: {}", squeezed(word)),
    })
}

/// The keys of a table, and of the tables in it.
fn keys(table: &toml::Table) -> String {
    let mut names = Vec::new();
    for (key, value) in table {
        match value.as_table() {
            Some(inner) if !inner.is_empty() => {
                names.extend(inner.keys().map(|inner| format!("{key}.{inner}")));
            }
            _ => names.push(key.clone()),
        }
    }
    shorten(&names.join(", "), SHORT).into_owned()
}
