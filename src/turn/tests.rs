//! Scripts in, effects out.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::*;
use crate::{
    model::{
        Address, Answer, AnswerId, AnswerType, CallId, Entry, Event, EventKind, Finish, Grant,
        InquiryId, ModelName, Outcome as Dealt, Request, Timestamp, ToolName, Usage, is_superseded,
    },
    projection::{Role, Takes},
    provider::{Block, Content, Piece, ProviderError, Sampling, ToolSpec, Trouble},
    tool::{
        Audience, Catalog, Host, Invocation, Listed, Outcome, Permission, Question, Source,
        Subject, Terms, Tool, Unattended,
    },
};

struct Fake {
    spec: ToolSpec,
    idempotent: bool,
}

impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        match arguments.get("bad") {
            None => Ok(()),
            Some(_) => Err("`bad` is not an argument.".to_owned()),
        }
    }

    fn run(&self, _: &Invocation, _: &Host<'_>) -> Outcome {
        Outcome::Success("the machine runs nothing".into())
    }
}

fn tool(name: &str, permission: Permission, idempotent: bool) -> Listed {
    let (name, parameters) = (ToolName::new(name), json!({}));
    let spec = ToolSpec { name, description: String::new(), parameters };
    let terms = Terms { permission, ..Terms::default() };
    Listed { tool: Arc::new(Fake { spec, idempotent }), terms, source: Source::Command }
}

fn setup() -> Setup {
    Setup {
        model: ModelName::new("test/m"),
        system_prompt: Some("Be brief".to_owned()),
        sampling: Sampling::default(),
        takes: Takes::default(),
        tools: Catalog::new([
            tool("free", Permission::Allow, true),
            tool("ask", Permission::Ask, false),
            tool("never", Permission::Deny, false),
        ])
        .unwrap(),
        told_tools: None,
        schema: None,
        audience: Audience::Person,
        unattended: Unattended::default(),
        granted: BTreeSet::new(),
        persists: true,
        retries: 1,
        rounds: None,
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds)
}

fn request(text: &str) -> Event {
    let request = Request { content: text.into(), interrupts: false };
    Event::new(at(0), EventKind::Request(request))
}

/// A turn under test, and what it wanted so far.
struct Play {
    turn: Option<Turn>,
    /// What each call is about.
    subject: Subject,
}

impl Play {
    fn new(setup: Setup) -> Self {
        Self { turn: Some(Turn::new(setup, [])), subject: Subject::default() }
    }

    fn begun(setup: Setup) -> Self {
        let mut play = Self::new(setup);
        let effects = play.step(Input::Begin(vec![request("Do it")]));
        assert_eq!(effects, ["commit request Do it", "show waiting", "query"]);
        play
    }

    /// Takes a step, and those in which the calls are found to be about what this play says.
    fn step(&mut self, input: Input) -> Vec<String> {
        let mut told = Vec::new();
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let turn = self.turn.take().unwrap();
            let (turn, effects) = turn.step(input, at(1));
            self.turn = Some(turn);
            let mut looks = Vec::new();
            for effect in &effects {
                match effect {
                    Effect::Inspect { call, .. } => looks.push(Input::Inspected {
                        call: call.clone(),
                        subject: Some(self.subject.clone()),
                        preview: None,
                    }),
                    effect => told.push(tell(effect)),
                }
            }
            looks.reverse();
            inputs.extend(looks);
        }
        told
    }

    /// Takes one step, and hands over what it wants.
    fn raw(&mut self, input: Input) -> Vec<Effect> {
        let (turn, effects) = self.turn.take().unwrap().step(input, at(1));
        self.turn = Some(turn);
        effects
    }

    /// What was stored.
    fn entries(&self) -> Vec<Entry> {
        self.turn.as_ref().unwrap().entries().to_vec()
    }

    /// What the model hears of the last result.
    fn heard(&self) -> String {
        let query = self.turn.as_ref().unwrap().query();
        match query.messages.into_iter().next_back().unwrap().role {
            Role::Tool { content, .. } => content.to_text_lossy().into_owned(),
            other => panic!("{other:?}"),
        }
    }

    fn hear(&mut self, piece: Piece) -> Vec<String> {
        self.step(Input::Piece(piece))
    }

    fn text(&mut self, text: &str) -> Vec<String> {
        self.hear(Piece::Block(Block::new(Content::Text(text.to_owned()))))
    }

    fn call(&mut self, id: &str, tool: &str, arguments: &str) -> Vec<String> {
        let (id, tool) = (CallId::new(id), ToolName::new(tool));
        let content = Content::Call { id, tool, arguments: arguments.to_owned() };
        self.hear(Piece::Block(Block::new(content)))
    }

    fn over(&mut self, finish: Finish) -> Vec<String> {
        assert_eq!(self.hear(Piece::Finish(finish)), [""; 0]);
        self.step(Input::Over(Ok(())))
    }

    fn ended(&mut self, call: &str, outcome: Outcome) -> Vec<String> {
        self.step(Input::ToolEnded { call: CallId::new(call), outcome })
    }

    fn replied(&mut self, inquiry: &str, reply: Reply) -> Vec<String> {
        self.step(Input::Replied { inquiry: InquiryId::new(inquiry), reply })
    }

    /// What the model would be sent, one word for each message.
    fn messages(&self) -> Vec<String> {
        let query = self.turn.as_ref().unwrap().query();
        let tell = |role: Role| match role {
            Role::System { content } => format!("system {content}"),
            Role::User { content, .. } => format!("user {}", content.to_text_lossy()),
            Role::Assistant { parts, .. } => format!("assistant {}", parts.len()),
            Role::Tool { id, .. } => format!("tool {id}"),
        };
        query.messages.into_iter().map(|message| tell(message.role)).collect()
    }
}

fn tell(effect: &Effect) -> String {
    match effect {
        Effect::Commit(event) => format!("commit {}", tell_event(event)),
        Effect::Seal { answer, finish, .. } => format!("seal {answer} {finish}"),
        Effect::Retract(answer) => format!("retract {answer}"),
        Effect::Query => "query".to_owned(),
        Effect::CancelQuery => "cancel query".to_owned(),
        Effect::Run { tool, invocation: Invocation { id, answers, is_resume, .. } } => {
            let answers = Value::Object(answers.clone());
            let resume = if *is_resume { " again" } else { "" };
            format!("run {tool} {id} {answers}{resume}")
        }
        Effect::CancelTools => "cancel tools".to_owned(),
        Effect::Ask(ask) => {
            let edit = if ask.edit { " edit" } else { "" };
            let problem = ask.problem.as_ref().map_or_else(String::new, |it| format!(": {it}"));
            format!("ask {}{edit}{problem}", ask.inquiry.id)
        }
        Effect::Inspect { call, arguments, .. } => format!("inspect {call} {arguments}"),
        Effect::Consult { inquiry, .. } => format!("consult {inquiry}"),
        Effect::Answer { ticket, answer: Some(answer) } => format!("answer #{ticket} {answer}"),
        Effect::Answer { ticket, answer: None } => format!("answer #{ticket} nothing"),
        Effect::Queue { from, follow_up } => match follow_up {
            FollowUp::Ask(request) => format!("queue {from} {}", tell_event(request)),
            FollowUp::Drop(waiting) => format!("unqueue {from} {}", waiting.number),
            FollowUp::Change(waiting, request) => {
                format!("requeue {from} {} {}", waiting.number, tell_event(request))
            }
        },
        Effect::Grant(Grant { tool, argv, .. }) => format!("grant {tool} {argv:?}"),
        Effect::Withdraw(inquiry) => format!("withdraw {inquiry}"),
        Effect::Rest(rest) => format!("rest {}", rest.as_secs()),
        Effect::Show(notice) => format!("show {}", tell_notice(notice)),
        Effect::End(ending) => format!("end {}", tell_ending(ending)),
    }
}

fn tell_event(event: &Event) -> String {
    let finish = event.block().and_then(|block| block.finish.clone());
    let finish = finish.map_or_else(String::new, |finish| format!(" [{finish}]"));
    let mark = if is_superseded(&event.metadata) { " superseded" } else { "" };
    let usage = if Usage::find(&event.metadata).is_some() { " +usage" } else { "" };
    let text = match &event.kind {
        EventKind::Request(it) if it.interrupts => format!("! {}", it.content.to_text_lossy()),
        EventKind::Request(it) => it.content.to_text_lossy().into_owned(),
        EventKind::Message(it) => it.content.to_text_lossy().into_owned(),
        EventKind::Reasoning(it) => it.content.to_text_lossy().into_owned(),
        EventKind::Structured(it) => it.data.as_str().to_owned(),
        EventKind::ToolCall(it) => format!("{} {}", it.id, it.tool),
        EventKind::ToolStart(it) => format!("{} #{}", it.id, it.attempt),
        EventKind::ToolResult(it) => {
            let sign = if it.is_error { "!" } else { "" };
            let made_up = if event.metadata.contains_key("synthetic") { "~" } else { "" };
            format!("{} {made_up}{sign}{}", it.id, it.content.to_text_lossy())
        }
        EventKind::InquiryRequest(it) => it.id.to_string(),
        EventKind::InquiryResponse(it) => match &it.outcome {
            Dealt::Answered(answer) => format!("{} {answer:?}", it.id),
            Dealt::Cancelled => format!("{} cancelled", it.id),
            Dealt::Redacted => format!("{} redacted", it.id),
        },
        _ => String::new(),
    };
    format!("{} {text}{finish}{mark}{usage}", event.event_type())
}

fn tell_notice(notice: &Notice) -> String {
    match notice {
        Notice::Waiting => "waiting".to_owned(),
        Notice::Text(text) => format!("text {text}"),
        Notice::Reasoning(text) => format!("reasoning {text}"),
        Notice::CallComing => "call coming".to_owned(),
        Notice::BlockEnded(event_type) => format!("{event_type} ended"),
        Notice::ToolStarted(call) => format!("started {}", call.id),
        Notice::Progress { id, text } => format!("progress {id} {text}"),
        Notice::ToolEnded { id, .. } => format!("ended {id}"),
        Notice::Retrying { discards, .. } => {
            format!("retrying{}", if *discards { ", discards" } else { "" })
        }
        Notice::Retracted(_) => "retracted".to_owned(),
        Notice::Saved { .. } => "saved".to_owned(),
        Notice::Queued { .. } => "queued".to_owned(),
        Notice::Usage(_) => "usage".to_owned(),
        Notice::Sealed => "sealed".to_owned(),
    }
}

fn tell_ending(ending: &Ending) -> String {
    match ending {
        Ending::Complete(finish) => format!("complete {finish}"),
        Ending::Stopped => "stopped".to_owned(),
        Ending::Aborted => "aborted".to_owned(),
        Ending::Failed(error) => format!("failed {error}"),
        Ending::NotTheData(problem) => format!("not the data: {problem}"),
        Ending::Waiting(tool) => format!("waiting {tool}"),
        Ending::Unsure(unknown) => {
            let calls: Vec<_> = unknown.iter().map(|one| one.call.to_string()).collect();
            format!("unsure {}", calls.join(" "))
        }
        Ending::TooManyRounds(rounds) => format!("too many rounds: {rounds}"),
    }
}

fn trouble(trouble: Trouble) -> Input {
    Input::Over(Err(ProviderError::new(trouble, "trouble")))
}

#[test]
fn a_question_is_stored_before_the_model_is_asked_and_the_answer_when_it_has_ended() {
    let mut play = Play::begun(setup());
    assert_eq!(play.messages(), ["system Be brief", "user Do it"]);
    assert_eq!(play.hear(Piece::Text("Do".into())), ["show text Do"]);
    assert_eq!(play.text("Done"), ["show message ended"]);
    assert_eq!(play.hear(Piece::Usage(Usage { input: Some(1), ..Usage::default() })), [""; 0]);
    assert_eq!(
        play.over(Finish::Stop),
        ["commit message Done [stop] +usage", "show usage", "end complete stop"]
    );
}

#[test]
fn each_block_is_stored_when_the_next_one_begins() {
    let mut play = Play::begun(setup());
    let thought = Block::new(Content::Reasoning("Hm".into()));
    assert_eq!(play.hear(Piece::Block(thought)), ["show reasoning ended"]);
    assert_eq!(play.hear(Piece::Text("D".into())), ["commit reasoning Hm", "show text D"]);
    assert_eq!(play.text("Done"), ["show message ended"]);
    assert_eq!(play.over(Finish::Length)[0], "commit message Done [length]");
}

#[test]
fn a_block_is_stored_after_a_moment_and_sealed_when_the_answer_ends() {
    let mut play = Play::begun(setup());
    play.text("Done");
    assert_eq!(play.step(Input::Quiet), ["commit message Done"]);
    assert_eq!(play.step(Input::Quiet), [""; 0]);
    assert_eq!(play.over(Finish::Stop), ["seal 0-0 stop", "show usage", "end complete stop"]);
}

#[test]
fn an_answer_with_nothing_in_it_still_ends_the_turn() {
    let mut play = Play::begun(setup());
    assert_eq!(
        play.over(Finish::Stop),
        ["commit message  [stop]", "show usage", "end complete stop"]
    );
}

#[test]
fn tools_run_side_by_side_and_each_result_is_stored_as_it_comes() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    assert_eq!(play.call("c2", "free", "{}")[0], "commit tool-call c1 free");
    assert_eq!(
        play.over(Finish::ToolCalls),
        [
            "commit tool-call c2 free [tool-calls]",
            "commit tool-start c1 #1",
            "show started c1",
            "run free c1 {}",
            "commit tool-start c2 #1",
            "show started c2",
            "run free c2 {}",
        ]
    );
    assert_eq!(
        play.ended("c2", Outcome::Error("no".into())),
        ["commit tool-result c2 !no", "show ended c2"]
    );
    assert_eq!(
        play.ended("c1", Outcome::Success("yes".into())),
        ["commit tool-result c1 yes", "show ended c1", "show waiting", "query"]
    );
    assert_eq!(
        play.messages(),
        ["system Be brief", "user Do it", "assistant 2", "tool c1", "tool c2"]
    );
    play.text("Done");
    assert_eq!(play.over(Finish::Stop)[0], "commit message Done [stop]");
}

#[test]
fn what_cannot_or_may_not_run_gets_a_result_that_says_why() {
    let refused = |setup: Setup, tool: &str, arguments: &str| {
        let mut play = Play::begun(setup);
        play.call("c1", tool, arguments);
        let effects = play.over(Finish::ToolCalls);
        let result = effects.len() - 4;
        assert_eq!(effects[result + 1..], ["show ended c1", "show waiting", "query"]);
        effects[result].strip_prefix("commit tool-result c1 ~!").unwrap().to_owned()
    };
    assert_eq!(
        refused(setup(), "none", "{}"),
        "There is no tool named `none`; the tools are: `ask`, `free`, `never`."
    );
    assert_eq!(refused(setup(), "free", r#"{"bad":1}"#), "`bad` is not an argument.");
    let twice = refused(setup(), "free", r#"{"a":1,"a":2}"#);
    assert_eq!(twice, "The arguments have the key `a` twice.");
    assert!(refused(setup(), "free", "{").starts_with("The arguments are not JSON"));
    assert!(refused(setup(), "never", "{}").contains("the user's configuration denies it"));
    let alone = Setup { audience: Audience::Nobody, ..setup() };
    assert!(refused(alone, "ask", "{}").contains("there is no terminal to ask on"));
    let forgetful = Setup { persists: false, ..setup() };
    assert!(refused(forgetful, "ask", "{}").contains("not kept"));
}

#[test]
fn a_call_without_any_arguments_is_one_with_none() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "");
    assert!(play.over(Finish::ToolCalls).contains(&"run free c1 {}".to_owned()));
}

#[test]
fn a_second_call_of_the_same_id_gets_another_one() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    play.step(Input::Quiet);
    play.call("c1", "free", "{}");
    assert_eq!(play.over(Finish::ToolCalls)[0], "commit tool-call c1-2 free [tool-calls]");
}

#[test]
fn permission_is_asked_for_and_both_are_stored() {
    let mut play = Play::begun(setup());
    play.call("c1", "ask", "{}");
    play.call("c2", "ask", "{}");
    play.call("c3", "ask", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects[1..3], ["commit inquiry-request c1-q0", "ask c1-q0"]);
    assert_eq!(
        play.replied("c1-q0", Reply::Answer(Answer::Select("refuse".into()))),
        [
            r#"commit inquiry-response c1-q0 Select("refuse")"#,
            "commit tool-result c1 ~!The tool `ask` was not run: the user said no.",
            "show ended c1",
        ]
    );
    assert_eq!(
        play.replied("c2-q1", Reply::Answer(Answer::Select("always".into()))),
        [
            r#"commit inquiry-response c2-q1 Select("always")"#,
            "grant ask None",
            "commit tool-start c2 #1",
            "show started c2",
            "run ask c2 {}",
            r#"commit inquiry-response c3-q2 Select("always")"#,
            "withdraw c3-q2",
            "commit tool-start c3 #1",
            "show started c3",
            "run ask c3 {}",
        ]
    );
    play.ended("c2", Outcome::Success("ok".into()));
    play.ended("c3", Outcome::Success("ok".into()));
    play.call("c4", "ask", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects.last().unwrap(), "run ask c4 {}", "it was allowed for good");
}

#[test]
fn a_tool_that_asks_is_run_again_with_the_answer() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    play.over(Finish::ToolCalls);
    let question = |id: &str, answer: AnswerType| {
        let (id, text) = (id.to_owned(), "Sure?".to_owned());
        Outcome::NeedsInput(Question { id, text, answer, exclusive: false })
    };
    let asked = play.ended("c1", question("sure", AnswerType::Boolean { default: None }));
    assert_eq!(asked, ["commit inquiry-request c1-q0", "ask c1-q0"]);
    assert_eq!(
        play.replied("c1-q0", Reply::Answer(Answer::Boolean(true))),
        [
            "commit inquiry-response c1-q0 Boolean(true)",
            "commit tool-start c1 #2",
            "show started c1",
            r#"run free c1 {"sure":true}"#,
        ]
    );
    play.ended("c1", question("word", AnswerType::Secret));
    assert_eq!(
        play.replied("c1-q1", Reply::Secret("hush".into())),
        [
            "commit inquiry-response c1-q1 redacted",
            "commit tool-start c1 #3",
            "show started c1",
            r#"run free c1 {"sure":true,"word":"hush"}"#,
        ]
    );
    play.ended("c1", question("more", AnswerType::Text { default: None }));
    let effects = play.replied("c1-q2", Reply::Cancelled);
    assert_eq!(effects[0], "commit inquiry-response c1-q2 cancelled");
    assert_eq!(
        effects[1],
        "commit tool-result c1 !The user did not answer the question of the tool."
    );
    assert!(effects.contains(&"query".to_owned()));
}

#[test]
fn a_tool_that_asks_when_nobody_is_there_fails() {
    let mut play = Play::begun(Setup { audience: Audience::Nobody, ..setup() });
    play.call("c1", "free", "{}");
    play.over(Finish::ToolCalls);
    let answer = AnswerType::Boolean { default: None };
    let question = Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive: false };
    assert_eq!(
        play.ended("c1", Outcome::NeedsInput(question))[..3],
        [
            "commit inquiry-request c1-q0",
            "commit inquiry-response c1-q0 cancelled",
            "commit tool-result c1 !It asks `Sure?`, and nobody can be asked.",
        ]
    );
}

#[test]
fn a_stopped_answer_keeps_what_came() {
    let mut play = Play::begun(setup());
    play.hear(Piece::Reasoning("Hm".into()));
    play.hear(Piece::Block(Block::new(Content::Reasoning("Hm".into()))));
    play.hear(Piece::Text("Half".into()));
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Stop)),
        [
            "cancel query",
            "show message ended",
            "commit message Half [cancelled]",
            "show usage",
            "end stopped",
        ]
    );
    assert_eq!(play.text("late"), [""; 0]);
}

#[test]
fn an_aborted_answer_keeps_only_what_was_complete() {
    let mut play = Play::begun(setup());
    play.hear(Piece::Block(Block::new(Content::Reasoning("Hm".into()))));
    play.hear(Piece::Text("Half".into()));
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Abort)),
        ["cancel query", "show usage", "end aborted"]
    );
}

#[test]
fn stopping_before_anything_came_leaves_the_request_alone() {
    let mut play = Play::begun(setup());
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Stop)),
        ["cancel query", "show usage", "end stopped"]
    );
}

#[test]
fn a_reply_interrupts_the_answer_and_the_model_hears_it() {
    let mut play = Play::begun(setup());
    play.hear(Piece::Text("Half".into()));
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Reply("Wait".into()))),
        [
            "cancel query",
            "show message ended",
            "commit message Half [cancelled]",
            "commit request ! Wait",
            "show waiting",
            "query",
        ]
    );
    assert_eq!(play.messages(), ["system Be brief", "user Do it", "assistant 1", "user Wait"]);
}

#[test]
fn stopping_while_calls_come_in_gives_each_a_result() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Stop)),
        [
            "cancel query",
            "commit tool-call c1 free [cancelled]",
            "commit tool-result c1 ~!The user stopped the turn before this was done.",
            "show ended c1",
            "show usage",
            "end stopped",
        ]
    );
}

#[test]
fn stopping_tools_waits_for_those_that_run() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    play.call("c2", "ask", "{}");
    play.over(Finish::ToolCalls);
    assert_eq!(
        play.step(Input::Interrupt(Interrupt::Reply("Not so".into()))),
        [
            "commit inquiry-response c2-q0 cancelled",
            "withdraw c2-q0",
            "commit tool-result c2 ~!The user stopped the turn before this was done.",
            "show ended c2",
            "cancel tools",
        ]
    );
    assert_eq!(
        play.ended("c1", Outcome::Error("cancelled".into())),
        [
            "commit tool-result c1 !cancelled",
            "show ended c1",
            "commit request ! Not so",
            "show waiting",
            "query",
        ]
    );
}

#[test]
fn a_broken_answer_is_begun_anew_and_nothing_of_it_is_sent() {
    let mut play = Play::begun(setup());
    play.hear(Piece::Text("Ha".into()));
    assert_eq!(
        play.step(trouble(Trouble::Broken)),
        ["commit message Ha superseded", "show retrying, discards", "rest 1"]
    );
    assert_eq!(play.step(Input::Rested), ["retract 0-0", "show waiting", "query"]);
    assert_eq!(play.messages(), ["system Be brief", "user Do it"]);
    play.text("Whole");
    assert_eq!(play.over(Finish::Stop)[0], "commit message Whole [stop]");
}

#[test]
fn a_retry_asks_as_if_the_model_had_not_begun_to_answer() {
    let mut play = Play::begun(setup());
    let asked = play.turn.as_ref().unwrap().query();
    play.text("One");
    play.call("c1", "free", "{}");
    assert_eq!(
        play.step(trouble(Trouble::Broken)),
        ["commit tool-call c1 free", "show retrying, discards", "rest 1"]
    );
    assert_eq!(play.step(Input::Rested), ["retract 0-0", "show waiting", "query"]);
    assert_eq!(play.turn.as_ref().unwrap().query(), asked);
    play.call("c1", "free", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects[0], "commit tool-call c1 free [tool-calls]", "the id is free again");
    assert_eq!(play.entries()[1].event.block().unwrap().answer, Some(AnswerId::new("0-0")));
}

#[test]
fn tries_end_and_the_count_begins_anew_with_each_answer() {
    let mut play = Play::begun(setup());
    assert_eq!(play.step(trouble(Trouble::Server)), ["show retrying", "rest 1"]);
    play.step(Input::Rested);
    play.call("c1", "free", "{}");
    play.over(Finish::ToolCalls);
    play.ended("c1", Outcome::Success("ok".into()));
    assert_eq!(play.step(trouble(Trouble::Server)), ["show retrying", "rest 1"]);
    play.step(Input::Rested);
    play.text("Part");
    assert_eq!(
        play.step(trouble(Trouble::Broken)),
        ["commit message Part", "show usage", "end failed trouble"],
        "a block is not an answer"
    );
}

#[test]
fn what_cannot_pass_is_not_tried_again() {
    let mut play = Play::begun(setup());
    assert_eq!(play.step(trouble(Trouble::Key)), ["show usage", "end failed trouble"]);
}

#[test]
fn a_rest_can_be_interrupted() {
    let mut play = Play::begun(setup());
    play.step(trouble(Trouble::Busy));
    assert_eq!(play.step(Input::Interrupt(Interrupt::Stop)), ["show usage", "end stopped"]);
}

#[test]
fn data_is_checked_against_what_was_asked_for() {
    let check = |value: &Value| match value.get("name") {
        Some(_) => Ok(()),
        None => Err("`name` is missing".to_owned()),
    };
    let schema = Some(Schema { value: json!({}), check: Arc::new(check) });
    let answered = |content: Content| {
        let mut play = Play::begun(Setup { schema: schema.clone(), ..setup() });
        play.hear(Piece::Block(Block::new(content)));
        let effects = play.over(Finish::Stop);
        [effects[0].clone(), effects.last().unwrap().clone()]
    };
    assert_eq!(
        answered(Content::Data(r#"{ "name": 1 }"#.into())),
        [r#"commit structured { "name": 1 } [stop]"#, "end complete stop"]
    );
    assert_eq!(
        answered(Content::Data("{}".into())),
        ["commit structured {} [stop]", "end not the data: `name` is missing"]
    );
    assert_eq!(
        answered(Content::Text("No".into())),
        ["commit message No [stop]", "end not the data: the answer is not JSON"]
    );
}

#[test]
fn a_model_that_calls_for_tools_without_end_is_stopped_after_the_results() {
    let mut play = Play::begun(Setup { rounds: Some(2), ..setup() });
    let round = |play: &mut Play, id: &str| {
        play.call(id, "free", "{}");
        play.over(Finish::ToolCalls);
        let outcome = Outcome::Success("ok".into());
        play.step(Input::ToolEnded { call: CallId::new(id), outcome })
    };
    assert_eq!(round(&mut play, "c1").last().unwrap(), "query");
    let effects = round(&mut play, "c2");
    assert_eq!(effects[0], "commit tool-result c2 ok");
    assert_eq!(effects.last().unwrap(), "end too many rounds: 2");
}

#[test]
fn the_rest_that_a_server_wants_is_kept() {
    let mut play = Play::begun(setup());
    let mut error = ProviderError::new(Trouble::Busy, "429");
    error.retry_after = Some(Duration::from_secs(7));
    assert_eq!(play.step(Input::Over(Err(error)))[1], "rest 7");
}

#[test]
fn the_model_hears_why_a_call_was_refused() {
    let mut play = Play::begun(setup());
    play.call("c1", "ask", "{}");
    play.over(Finish::ToolCalls);
    let effects = play.replied("c1-q0", Reply::Refused("It is mine.".into()));
    assert_eq!(
        effects[..2],
        [
            r#"commit inquiry-response c1-q0 Select("refuse")"#,
            "commit tool-result c1 ~!The tool `ask` was not run: the user said no. The reason: \
             It is mine.",
        ]
    );
}

mod answers;
mod later;
mod prompts;
mod resume;
