//! A conversation as every service accepts it: the user first, each answer directly
//! followed by the results of its calls, no call without a result, nothing empty.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use super::Query;
use crate::{
    model::{Arguments, Attachment, CallId, Finish, Media, ToolName},
    projection::{Message, Part, PartKind, Role, Takes, shown},
};

const NOT_RUN: &str = "It is not known whether this tool was run, and it has no result.";
const BEGINNING: &str = "(The beginning of this conversation is not shown.)";

/// A conversation as every service accepts it.
#[derive(Debug, PartialEq)]
pub(super) struct Exchange<'a> {
    /// What the model is told before anything else.
    pub system: String,
    /// What was said, the user first.
    pub turns: Vec<Turn<'a>>,
}

/// What one side said.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    /// The user: portions, of which none is empty.
    User(Vec<Portion<'a>>),
    /// A model, and what came of its calls.
    Answer {
        /// What it said, at least one part.
        parts: Vec<Said<'a>>,
        /// The results of its calls, in the order of the calls.
        results: Vec<Outcome<'a>>,
    },
}

/// A part of what the user said or put beside it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Portion<'a> {
    Text(Cow<'a, str>),
    /// An image.
    Image {
        media_type: &'static str,
        bytes: &'a [u8],
    },
    /// A PDF document.
    Pdf {
        source: &'a str,
        bytes: &'a [u8],
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
                    let beside = attachments.iter().flat_map(|one| attached(one, query.takes));
                    let mut portions: Vec<_> = beside.collect();
                    portions.push(Portion::Text(content.to_text_lossy()));
                    exchange.add_user(portions);
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
                    exchange.add_user(vec![Portion::Text(text.into())]);
                }
                Role::Tool { .. } => {}
            }
        }
        exchange.open();
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

    fn add_user(&mut self, mut portions: Vec<Portion<'a>>) {
        portions
            .retain(|portion| !matches!(portion, Portion::Text(text) if text.trim().is_empty()));
        match self.turns.last_mut() {
            _ if portions.is_empty() => {}
            Some(Turn::User(last)) => last.extend(portions),
            _ => self.turns.push(Turn::User(portions)),
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

    fn open(&mut self) {
        if matches!(self.turns.first(), Some(Turn::Answer { .. })) {
            self.turns.insert(0, Turn::User(vec![Portion::Text(BEGINNING.into())]));
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

/// An attachment: what is said of it, and what it is if that is no text.
fn attached(attachment: &Attachment, takes: Takes) -> impl Iterator<Item = Portion<'_>> {
    let shown = shown(attachment, takes);
    let content = shown.content.and_then(|(media, bytes)| match media {
        Media::Image(media_type) => Some(Portion::Image { media_type, bytes }),
        Media::Pdf => Some(Portion::Pdf { source: &attachment.source, bytes }),
        Media::Text => None,
    });
    [Portion::Text(shown.text.into())].into_iter().chain(content)
}

/// Bytes as services take them.
pub(super) fn base64(bytes: &[u8]) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    STANDARD.encode(bytes)
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
            Turn::User(portions) => {
                let portions = portions.iter().map(|portion| match portion {
                    Portion::Text(text) => text.to_string(),
                    Portion::Image { media_type, bytes } => format!("[{media_type} {bytes:?}]"),
                    Portion::Pdf { source, bytes } => format!("[pdf {source} {bytes:?}]"),
                });
                format!("user: {}", portions.collect::<Vec<_>>().join(" | "))
            }
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
    fn the_user_is_first_and_speaks_once_in_a_row() {
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
            attachment("x.gif", None, b"GIF89a\0"),
            attachment("x.pdf", None, b"%PDF-"),
        ];
        let role = Role::User { content: "What is this?".into(), attachments };
        let text = "<attachment-5891b5b5 source=\"a &quot;b&quot;.txt\" type=\"text/plain\">\nhello\n\
                    </attachment-5891b5b5>";
        let mut query = query(vec![role]);
        query.takes = Takes { images: true, pdf: false };
        let [told] = &told(&query)[..] else { panic!("one turn") };
        let portions: Vec<_> = told.split(" | ").collect();
        let [first, image, bytes, document, asked] = portions[..] else { panic!("{portions:?}") };
        assert_eq!(first, format!("user: {text}"));
        assert!(image.ends_with(" source=\"x.gif\" type=\"image/gif\" />"), "{image}");
        assert_eq!(bytes, "[image/gif [71, 73, 70, 56, 57, 97, 0]]");
        assert!(document.contains("no PDF is taken"), "{document}");
        assert_eq!(asked, "What is this?");
    }
}
