use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::{
    cancel::Cancel,
    model::{AnswerId, CallId, Finish, ModelName, Native, ToolName, Usage},
    projection::{Message, Part, PartKind, Role, Takes},
    provider::{
        Block, Content, Piece, Provider, ProviderError, Query, Sampling, ToolSpec, Trouble,
    },
};

const MODEL: &str = "script/test";

fn provider(text: &str) -> ScriptProvider {
    ScriptProvider::new("test", Script::parse(text).unwrap())
}

fn message(role: Role) -> Message {
    Message { turn: Some(0), incomplete: true, addresses: Vec::new(), role }
}

fn user(text: &str) -> Message {
    message(Role::User { content: text.into(), attachments: Vec::new() })
}

fn answer(model: &str, finish: Option<Finish>) -> Message {
    let part = Part { kind: PartKind::Text("x".into()), signature: None, native: None };
    let (model, answer) = (Some(ModelName::new(model)), Some(AnswerId::new("a")));
    message(Role::Assistant { model, answer, parts: vec![part], finish })
}

fn result(text: &str) -> Message {
    let (id, tool) = (CallId::new("call-1"), Some(ToolName::new("t")));
    message(Role::Tool { id, tool, is_error: false, content: text.into() })
}

fn query(messages: Vec<Message>) -> Query {
    let sampling = Sampling::default();
    let takes = Takes::default();
    Query { model: MODEL.to_owned(), messages, tools: Vec::new(), schema: None, sampling, takes }
}

fn ask(provider: &ScriptProvider, query: &Query) -> (Vec<Piece>, Result<(), ProviderError>) {
    let mut pieces = Vec::new();
    let result = provider.answer(query, &Cancel::new(), &mut |piece| pieces.push(piece));
    (pieces, result)
}

/// What is said to a conversation, or the error.
fn said(provider: &ScriptProvider, messages: Vec<Message>) -> String {
    let (pieces, result) = ask(provider, &query(messages));
    let text = pieces.iter().filter_map(|piece| match piece {
        Piece::Block(Block { content: Content::Text(text), .. }) => Some(text.as_str()),
        _ => None,
    });
    let text: String = text.collect();
    match result {
        Ok(()) => text,
        Err(error) => format!("{text}!{:?}", error.trouble),
    }
}

fn text(text: &str) -> Piece {
    Piece::Block(Block::new(Content::Text(text.to_owned())))
}

#[test]
fn every_kind_of_step_is_played_in_its_order() {
    let provider = provider(
        r#"
        chunk = 4
        [[answer]]
        step = [
            { reasoning = "thinking", signature = "s", native = { api = "x", block = { a = 1 } } },
            { text = ["Grüß", " dich"] },
            { call = "read", arguments = { path = "a" }, chunk = 9 },
            { call = "read", arguments = "not json", id = "mine" },
            { data = { n = [1, 2.5, true] } },
            { delay = 1 },
            { finish = "length" },
            { usage = { input = 3, output = 4 } },
        ]
        "#,
    );
    let (pieces, result) = ask(&provider, &query(vec![user("hi")]));
    assert_eq!(result, Ok(()));
    let native = Native { api: "x".to_owned(), block: json!({ "a": 1 }) };
    let reasoning = Block {
        content: Content::Reasoning("thinking".to_owned()),
        signature: Some("s".to_owned()),
        native: Some(native),
    };
    let call = |id: &str, arguments: &str| {
        let (id, tool) = (CallId::new(id), ToolName::new("read"));
        Piece::Block(Block::new(Content::Call { id, tool, arguments: arguments.to_owned() }))
    };
    let part = |text: &str| Piece::Call(text.to_owned());
    let data = Content::Data(r#"{"n":[1,2.5,true]}"#.to_owned());
    let expected = [
        Piece::Reasoning("thin".to_owned()),
        Piece::Reasoning("king".to_owned()),
        Piece::Block(reasoning),
        Piece::Text("Grüß".to_owned()),
        Piece::Text(" dich".to_owned()),
        text("Grüß dich"),
        part("read"),
        part(r#"{"path":""#),
        part(r#"a"}"#),
        call("call-1", r#"{"path":"a"}"#),
        part("read"),
        part("not "),
        part("json"),
        call("mine", "not json"),
        Piece::Block(Block::new(data)),
        Piece::Finish(Finish::Length),
        Piece::Usage(Usage { input: Some(3), output: Some(4), ..Usage::default() }),
    ];
    assert_eq!(pieces, expected);
}

#[test]
fn a_finish_that_the_script_leaves_out_follows_from_the_steps() {
    let provider = provider(
        "[[answer]]\ntext = 'hi'\n[[answer]]\nstep = [{ call = 'x' }, { text = 'y' }]\n[[answer]]",
    );
    let mut messages = vec![user("q")];
    for finish in [Finish::Stop, Finish::ToolCalls, Finish::Stop] {
        let (pieces, _) = ask(&provider, &query(messages.clone()));
        assert_eq!(pieces.last(), Some(&Piece::Finish(finish)));
        messages.push(answer(MODEL, Some(Finish::Stop)));
    }
}

#[test]
fn the_answer_follows_from_the_finished_ones_of_the_same_model() {
    let one = provider("[[answer]]\ntext = 'one'\n[[answer]]\ntext = 'two'");
    let done = || answer(MODEL, Some(Finish::Stop));
    assert_eq!(said(&one, vec![user("q")]), "one");
    assert_eq!(said(&one, vec![user("q"), answer(MODEL, None)]), "one");
    assert_eq!(said(&one, vec![user("q"), answer("other/x", Some(Finish::Stop))]), "one");
    assert_eq!(said(&one, vec![user("q"), done(), result("r")]), "two");
    let (pieces, result) = ask(&one, &query(vec![user("q"), done(), user("q"), done()]));
    let error = ProviderError::new(Trouble::Refused, "the script has no answer number 3");
    assert_eq!((pieces, result), (Vec::new(), Err(error)));
}

#[test]
fn an_answer_to_a_request_is_found_by_its_words() {
    let provider = provider(
        "[[answer]]\ntext = 'first'\n\
         [[answer]]\nwhen = 'carrots'\ntext = 'sow'\n\
         [[answer]]\nwhen = ['car', 'rots']\ntext = 'water'\n\
         [[answer]]\ntext = 'second'\n",
    );
    let done = || answer(MODEL, Some(Finish::Stop));
    let carrots = || user("about carrots");
    assert_eq!(said(&provider, vec![carrots()]), "sow");
    assert_eq!(said(&provider, vec![carrots(), done(), result("r")]), "water");
    assert_eq!(said(&provider, vec![carrots(), done(), user("q")]), "first");
    assert_eq!(said(&provider, vec![user("q"), done(), carrots()]), "sow");
    assert_eq!(said(&provider, vec![user("q"), done(), carrots(), done(), user("q")]), "second");
    let (_, result) = ask(&provider, &query(vec![carrots(), done(), done()]));
    let message = "the script has no answer number 3 to `about carrots`";
    assert_eq!(result, Err(ProviderError::new(Trouble::Refused, message)));
}

#[test]
fn what_fails_is_played_first_and_again_after_a_success() {
    let text = r#"
        [[answer]]
        step = [
            { error = "busy", message = "slow down", retry_after = 1500 },
            { text = "kept" },
            { text = "häl", disconnect = 2 },
            { garbage = "<html>" },
            { text = "at last" },
        ]
    "#;
    let provider = provider(text);
    let ask_once = || ask(&provider, &query(vec![user("q")]));
    for _ in 0..2 {
        let busy = ProviderError {
            trouble: Trouble::Busy,
            message: "slow down".to_owned(),
            retry_after: Some(Duration::from_millis(1500)),
        };
        assert_eq!(ask_once(), (Vec::new(), Err(busy)));
        let broken = ProviderError::new(Trouble::Broken, "the connection broke, says the script");
        let part = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(ask_once(), (vec![part("kept"), self::text("kept"), part("h")], Err(broken)));
        let garbled = ask_once().1.unwrap_err();
        assert_eq!(garbled.trouble, Trouble::Garbled);
        assert_eq!(garbled.message, "the script sends garbage: `<html>`");
        assert_eq!(ask_once().1, Ok(()));
    }
}

#[test]
fn an_answer_that_only_fails_fails_always() {
    let provider = provider("[[answer]]\nstep = [{ error = 'too-long' }]");
    for _ in 0..3 {
        assert_eq!(said(&provider, vec![user("q")]), "!TooLong");
    }
}

#[test]
fn calls_get_numbers_that_the_conversation_does_not_have() {
    let provider = provider("[[answer]]\n[[answer]]\nstep = [{ call = 'a' }, { call = 'b' }]");
    let call = Part {
        kind: PartKind::Call {
            id: CallId::new("call-1"),
            tool: ToolName::new("t"),
            arguments: crate::model::Arguments::new("{}"),
        },
        signature: None,
        native: None,
    };
    let earlier = Role::Assistant {
        model: Some(ModelName::new(MODEL)),
        answer: None,
        parts: vec![call],
        finish: Some(Finish::ToolCalls),
    };
    let (pieces, _) = ask(&provider, &query(vec![user("q"), message(earlier), result("r")]));
    let ids = pieces.iter().filter_map(|piece| match piece {
        Piece::Block(Block { content: Content::Call { id, .. }, .. }) => Some(id.as_str()),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["call-2", "call-3"]);
}

#[test]
fn what_was_not_sent_is_refused_with_what_came() {
    let script = "[[answer]]\n[[answer]]\n\
        expect = ['42', 'hello']\nexpect_system = 'be kind'\nexpect_tools = ['read', 'write']\n";
    let provider = provider(script);
    let system = message(Role::System { content: "be short".to_owned() });
    let messages =
        vec![system, user("hello"), answer(MODEL, Some(Finish::ToolCalls)), result("it is 42")];
    let mut wrong = query(messages);
    let tool = |name: &str| ToolSpec {
        name: ToolName::new(name),
        description: String::new(),
        parameters: json!({}),
    };
    wrong.tools = vec![tool("read")];
    let error = ask(&provider, &wrong).1.unwrap_err();
    assert_eq!(error.trouble, Trouble::Refused);
    let expected = "answer 2 of the script (line 2) expects `hello`, but was sent:\nit is 42\n\
        and the system prompt `be kind`, but it is:\nbe short\n\
        and the tool `write`, but there are: read";
    assert_eq!(error.message, expected);
}

#[test]
fn a_delay_ends_when_the_query_is_cancelled() {
    let provider = provider("[[answer]]\nstep = [{ text = 'a' }, { delay = 600000 }]");
    let cancel = Cancel::new();
    let began = Instant::now();
    let mut heard = Vec::new();
    let result = std::thread::scope(|scope| {
        let (said, hear) = std::sync::mpsc::channel();
        let other = cancel.clone();
        scope.spawn(move || {
            hear.recv().unwrap();
            hear.recv().unwrap();
            other.cancel();
        });
        provider.answer(&query(vec![user("q")]), &cancel, &mut |piece| {
            heard.push(piece);
            said.send(()).unwrap();
        })
    });
    assert_eq!(result.unwrap_err().trouble, Trouble::Cancelled);
    assert_eq!(heard, [Piece::Text("a".to_owned()), text("a")]);
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn what_is_cancelled_before_it_begins_says_nothing() {
    let provider = provider("[[answer]]\ntext = 'a'");
    let cancel = Cancel::new();
    cancel.cancel();
    let result = provider.answer(&query(vec![user("q")]), &cancel, &mut |_| panic!("heard"));
    assert_eq!(result.unwrap_err().trouble, Trouble::Cancelled);
    assert_eq!(provider.models(&cancel), Ok(vec!["test".to_owned()]));
}

#[test]
fn everything_wrong_is_told_with_its_line() {
    let script = r#"
chunk = 0
colour = "red"
[[answer]]
when = 7
text = "a"
step = [
    { text = "a", data = 1 },
    { call = "x", signatur = "y" },
    { error = "bad" },
    { finish = "stop" },
    { text = "too late" },
    { usage = { input = -1 } },
    { native = { api = "x" }, text = "a" },
    "text",
]
"#;
    let error = Script::parse(script).unwrap_err();
    let expected = "\
line 2, column 9: `chunk` must be at least 1
line 3, column 1: `colour` is not a key of a script: expected chunk, pause, answer
line 5, column 8: `when` must be a text or a list of texts
line 6, column 8: an answer has either `text` or `step`
line 8, column 5: a step has exactly one of text, reasoning, call, data, usage, delay, finish, error, garbage
line 9, column 19: `signatur` is not a key of a step with `call`: expected chunk, pause, call, id, arguments, disconnect, signature, native
line 10, column 15: `bad` is no trouble: expected one of unreachable, busy, server, broken, silent, garbled, key, model, too-long, tools, refused
line 12, column 5: only `usage` and `delay` may follow a `finish`
line 13, column 25: `input` must be a whole number, not negative
line 14, column 5: only `usage` and `delay` may follow a `finish`
line 14, column 16: `native` needs `api` and `block`
line 15, column 5: a step must be a table";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn all_mistakes_of_the_syntax_are_told() {
    let error = Script::parse("a = \n[[answer]]\nb = ?\n").unwrap_err();
    let lines: Vec<usize> = error.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 3]);
    assert_eq!(
        Script::parse("").unwrap_err().to_string(),
        "line 1, column 1: there is no `[[answer]]`"
    );
}

#[test]
fn the_scripts_of_the_documentation_are_read() {
    let page = include_str!("../../../docs/scripts.md");
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        let script = block.split("```").next().unwrap();
        Script::parse(script).unwrap_or_else(|error| panic!("{error}\nin\n{script}"));
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in r#"(\[\[answer\]\]|step|text|=|\[|\]|\{|\}|"|'|[ \n,a-z0-9.é-])*"#) {
        let _script = Script::parse(&text);
    }
}
