//! A conversation as every service accepts it: the user first and last, each answer directly
//! followed by the results of its calls, no call without a result, nothing empty.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use super::Query;
use crate::{
    model::{Arguments, Attachment, CallId, Finish, ToolName},
    projection::{Message, Part, PartKind, Role},
};

const CONTINUE: &str = "Your answer was cut off. Continue it exactly where it stopped.";
const NOT_RUN: &str = "It is not known whether this tool was run, and it has no result.";
const BEGINNING: &str = "(The beginning of this conversation is not shown.)";

/// A conversation as every service accepts it.
#[derive(Debug, PartialEq)]
pub(super) struct Exchange<'a> {
    /// What the model is told before anything else.
    pub system: String,
    /// What was said, the user first and last.
    pub turns: Vec<Turn<'a>>,
}

/// What one side said.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    /// The user: texts, of which none is empty.
    User(Vec<Cow<'a, str>>),
    /// A model, and what came of its calls.
    Answer {
        /// What it said, at least one part.
        parts: Vec<Said<'a>>,
        /// The results of its calls, in the order of the calls.
        results: Vec<Outcome<'a>>,
    },
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said<'a> {
    pub part: &'a Part,
    /// It was said by the model that is asked now, which may have its own form of it back.
    pub own: bool,
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome<'a> {
    pub id: &'a CallId,
    pub tool: &'a ToolName,
    pub is_error: bool,
    pub text: Cow<'a, str>,
}

impl<'a> Exchange<'a> {
    /// Puts the messages of a query in order. Of its own thoughts a model gets back those that
    /// `keeps` says; those of other models are left out.
    pub fn new(query: &'a Query, keeps: impl Fn(&Part) -> bool) -> Self {
        let mut exchange = Self { system: String::new(), turns: Vec::new() };
        let mut used = HashSet::new();
        for (index, message) in query.messages.iter().enumerate() {
            match &message.role {
                Role::System { content } => exchange.add_system(content),
                Role::User { content, attachments } => {
                    let mut texts: Vec<_> = attachments.iter().map(attached).collect();
                    texts.push(content.to_text_lossy());
                    exchange.add_user(texts);
                }
                Role::Assistant { model, parts, finish, .. } => {
                    let own = model.as_ref().is_some_and(|model| model.as_str() == query.model);
                    let said = kept(parts, own, finish.as_ref(), &keeps);
                    let results = results(&said, &query.messages[index + 1..], index, &mut used);
                    exchange.add_answer(said, results);
                }
                Role::Tool { tool, content, .. } if !used.contains(&index) => {
                    let tool = tool.as_ref().map_or("a tool", ToolName::as_str);
                    let text = format!("Result of `{tool}`:\n{}", content.to_text_lossy());
                    exchange.add_user(vec![text.into()]);
                }
                Role::Tool { .. } => {}
            }
        }
        exchange.close_ends();
        exchange
    }

    /// The index of the last turn of the user: what comes after it belongs to the question at hand.
    pub fn last_question(&self) -> usize {
        self.turns.iter().rposition(|turn| matches!(turn, Turn::User(_))).unwrap_or(0)
    }

    /// Every call in it, with the tool.
    pub fn called_tools(&self) -> impl Iterator<Item = &'a ToolName> {
        let answers = self.turns.iter().filter_map(|turn| match turn {
            Turn::Answer { parts, .. } => Some(parts),
            Turn::User(_) => None,
        });
        answers.flatten().filter_map(|said| match &said.part.kind {
            PartKind::Call { tool, .. } => Some(tool),
            _ => None,
        })
    }

    fn add_system(&mut self, content: &str) {
        if !self.system.is_empty() {
            self.system.push_str("\n\n");
        }
        self.system.push_str(content);
    }

    fn add_user(&mut self, mut texts: Vec<Cow<'a, str>>) {
        texts.retain(|text| !text.trim().is_empty());
        match self.turns.last_mut() {
            _ if texts.is_empty() => {}
            Some(Turn::User(last)) => last.extend(texts),
            _ => self.turns.push(Turn::User(texts)),
        }
    }

    fn add_answer(&mut self, said: Vec<Said<'a>>, outcomes: Vec<Outcome<'a>>) {
        match self.turns.last_mut() {
            _ if said.is_empty() => {}
            Some(Turn::Answer { parts, results }) if results.is_empty() => {
                parts.extend(said);
                results.extend(outcomes);
            }
            _ => self.turns.push(Turn::Answer { parts: said, results: outcomes }),
        }
    }

    fn close_ends(&mut self) {
        if matches!(self.turns.first(), Some(Turn::Answer { .. })) {
            self.turns.insert(0, Turn::User(vec![BEGINNING.into()]));
        }
        if matches!(self.turns.last(), Some(Turn::Answer { results, .. }) if results.is_empty()) {
            self.turns.push(Turn::User(vec![CONTINUE.into()]));
        }
    }
}

impl Outcome<'_> {
    /// The result for services that cannot mark it as an error.
    pub fn marked(&self) -> String {
        if self.is_error { format!("Error: {}", self.text) } else { self.text.to_string() }
    }
}

/// The parts that go back: nothing empty, and no thought that nothing was said after.
fn kept<'a>(
    parts: &'a [Part],
    own: bool,
    finish: Option<&Finish>,
    keeps: impl Fn(&Part) -> bool,
) -> Vec<Said<'a>> {
    let goes = |part: &&Part| match &part.kind {
        PartKind::Text(text) => !text.to_text_lossy().trim().is_empty(),
        PartKind::Reasoning(_) => own && keeps(part),
        PartKind::Data(_) | PartKind::Call { .. } => true,
    };
    let mut said: Vec<_> = parts.iter().filter(goes).map(|part| Said { part, own }).collect();
    // A service that paused wants all of it back; any other refuses thoughts at the end.
    let paused = matches!(finish, Some(Finish::Other(word)) if word == "pause_turn");
    while !paused
        && said.last().is_some_and(|said| matches!(said.part.kind, PartKind::Reasoning(_)))
    {
        said.pop();
    }
    said
}

/// The results of the calls of an answer, wherever they stand after it.
fn results<'a>(
    said: &[Said<'a>],
    after: &'a [Message],
    index: usize,
    used: &mut HashSet<usize>,
) -> Vec<Outcome<'a>> {
    let calls = said.iter().filter_map(|said| match &said.part.kind {
        PartKind::Call { id, tool, .. } => Some((id, tool)),
        _ => None,
    });
    calls
        .map(|(id, tool)| {
            // The same id in a later answer is another call.
            let nearby = after.iter().enumerate().take_while(|(_, later)| !calls_by(later, id));
            let found = nearby.into_iter().find_map(|(offset, message)| {
                let at = index + 1 + offset;
                match &message.role {
                    Role::Tool { id: of, is_error, content, .. }
                        if of == id && !used.contains(&at) =>
                    {
                        Some((at, *is_error, content.to_text_lossy()))
                    }
                    _ => None,
                }
            });
            let Some((at, is_error, text)) = found else {
                return Outcome { id, tool, is_error: true, text: NOT_RUN.into() };
            };
            used.insert(at);
            Outcome { id, tool, is_error, text }
        })
        .collect()
}

fn calls_by(message: &Message, id: &CallId) -> bool {
    let Role::Assistant { parts, .. } = &message.role else {
        return false;
    };
    parts.iter().any(|part| matches!(&part.kind, PartKind::Call { id: other, .. } if other == id))
}

/// An attachment as a text that says where it came from.
fn attached(attachment: &Attachment) -> Cow<'static, str> {
    let quoted = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;");
    let source = quoted(&attachment.source);
    let kind = attachment.media_type.as_ref();
    let kind = kind.map(|kind| format!(" type=\"{}\"", quoted(kind))).unwrap_or_default();
    let content = match attachment.content.as_text() {
        Some(text) => text.to_owned(),
        None => format!("({} bytes that are no text)", attachment.content.as_bytes().len()),
    };
    let end = if content.ends_with('\n') { "" } else { "\n" };
    format!("<attachment source=\"{source}\"{kind}>\n{content}{end}</attachment>").into()
}

/// The arguments of a call as an object, which every service accepts: to the letter if they are
/// one, and else put into one.
pub(super) fn arguments_object(arguments: &Arguments) -> Box<RawValue> {
    let text = arguments.as_str();
    // Reading the text alone would let through what services refuse, such as half a character.
    if let Ok(Value::Object(_)) = serde_json::from_str(text)
        && let Ok(object) = serde_json::from_str(text)
    {
        return object;
    }
    let object =
        if text.trim().is_empty() { json!({}) } else { json!({ "invalid_arguments": text }) };
    to_raw_value(&object).expect("a value can be written")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::tests::{answer, call, query, result, text, thought, user};

    fn told(query: &Query) -> Vec<String> {
        let exchange = Exchange::new(query, |part| part.signature.is_some());
        let turns = exchange.turns.iter().map(|turn| match turn {
            Turn::User(texts) => format!("user: {}", texts.join(" | ")),
            Turn::Answer { parts, results } => {
                let parts = parts.iter().map(|said| match &said.part.kind {
                    PartKind::Text(text) => text.to_text_lossy().into_owned(),
                    PartKind::Reasoning(thought) => format!("({})", thought.to_text_lossy()),
                    PartKind::Data(data) => data.as_str().to_owned(),
                    PartKind::Call { id, .. } => format!("call {id}"),
                });
                let parts: Vec<_> = parts.collect();
                let results: Vec<_> =
                    results.iter().map(|result| format!("{}={}", result.id, result.text)).collect();
                format!("model: {} -> {}", parts.join(" | "), results.join(" | "))
            }
        });
        turns.collect()
    }

    #[test]
    fn results_stand_behind_their_calls_and_none_is_missing() {
        let query = query(vec![
            user("Go"),
            answer("m/n", vec![call("a", "t", "{}"), call("b", "t", "{}"), call("c", "t", "{}")]),
            result("c", "3"),
            user("Wait"),
            result("a", "1"),
            answer("m/n", vec![call("b", "t", "{}")]),
            result("b", "later"),
        ]);
        let missing = format!("model: call a | call b | call c -> a=1 | b={NOT_RUN} | c=3");
        let expected = ["user: Go", &missing, "user: Wait", "model: call b -> b=later"];
        assert_eq!(told(&query), expected);
    }

    #[test]
    fn the_user_is_first_and_last_and_speaks_once_in_a_row() {
        let query = query(vec![
            answer("m/n", vec![text("One")]),
            answer("m/n", vec![text(" "), text("two")]),
            user("A"),
            user(""),
            result("lost", "found"),
            answer("m/n", vec![text("")]),
            answer("m/n", vec![text("Thr")]),
        ]);
        let expected = [
            format!("user: {BEGINNING}"),
            "model: One | two -> ".to_owned(),
            "user: A | Result of `a tool`:\nfound".to_owned(),
            "model: Thr -> ".to_owned(),
            format!("user: {CONTINUE}"),
        ];
        assert_eq!(told(&query), expected);
    }

    #[test]
    fn thoughts_go_back_to_their_model_when_something_was_said_after_them() {
        let parts =
            vec![thought("signed", "s"), thought("plain", ""), text("Hi"), thought("last", "s")];
        let query = query(vec![
            user("A"),
            answer("test/model", parts.clone()),
            user("B"),
            answer("other/model", parts),
            user("C"),
            answer("test/model", vec![thought("only", "s")]),
        ]);
        let expected =
            ["user: A", "model: (signed) | Hi -> ", "user: B", "model: Hi -> ", "user: C"];
        assert_eq!(told(&query), expected);
    }

    #[test]
    fn attachments_come_first_and_say_where_they_are_from() {
        let attachment = |source: &str, kind: Option<&str>, content: &[u8]| Attachment {
            source: source.to_owned(),
            media_type: kind.map(str::to_owned),
            content: content.to_vec().into(),
        };
        let attachments = vec![
            attachment("a \"b\".txt", Some("text/plain"), b"hello\n"),
            attachment("x.png", None, b"\xff\xfe"),
        ];
        let role = Role::User { content: "What is this?".into(), attachments };
        let expected = "user: <attachment source=\"a &quot;b&quot;.txt\" type=\"text/plain\">\nhello\n\
                        </attachment> | <attachment source=\"x.png\">\n(2 bytes that are no text)\n\
                        </attachment> | What is this?";
        assert_eq!(told(&query(vec![role])), [expected]);
    }
}
