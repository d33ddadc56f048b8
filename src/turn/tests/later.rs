//! What counts of what an earlier process has left, and what happens when things end in between.

use std::sync::mpsc::channel;

use super::*;
use crate::{
    model::{InquiryKind, InquiryRequest, InquiryResponse, ToolStart},
    tool::{Delivery, Policy, Rule},
    turn::errands,
};

fn with(terms: Terms) -> Setup {
    let mut listed = tool("t", Permission::Ask, false);
    listed.terms = terms;
    Setup { tools: Catalog::new([listed]).unwrap(), ..setup() }
}

fn delivery() -> Terms {
    let (permission, delivery) = (Permission::Allow, Delivery::Ask);
    Terms { permission, delivery, ..Terms::default() }
}

/// A turn in which the model has called `t` once.
fn called(setup: Setup) -> Play {
    let mut play = Play::begun(setup);
    play.call("c", "t", "{}");
    play.over(Finish::ToolCalls);
    play
}

/// What a later process wants, and the process.
fn resumed(setup: Setup, entries: Vec<Entry>) -> (Play, Vec<String>) {
    let turn = Some(Turn::new(setup, entries));
    let mut play = Play { turn, subject: Subject::default() };
    let effects = play.step(Input::Resume(Resumption::default()));
    (play, effects)
}

fn run() -> Reply {
    Reply::Answer(Answer::Select(RUN.to_owned()))
}

fn yes() -> Reply {
    Reply::Answer(Answer::Boolean(true))
}

#[test]
fn a_result_counts_whatever_has_become_of_its_tool() {
    let mut play = called(with(delivery()));
    play.ended("c", Outcome::Success("secret".into()));
    let gone = || Setup { tools: Catalog::default(), ..setup() };
    let forgetful = || Setup { persists: false, ..with(delivery()) };
    for later in [gone(), forgetful()] {
        let (mut play, effects) = resumed(later, play.entries());
        assert_eq!(effects, ["ask c-q0"]);
        let effects = play.replied("c-q0", yes());
        assert_eq!(effects[1], "commit tool-result c secret");
    }
    // The process ended between the answer and the result.
    let request = play.entries();
    let mut decided = play;
    decided.replied("c-q0", yes());
    let answer = decided.entries().into_iter().nth(request.len());
    let entries: Vec<_> = request.into_iter().chain(answer).collect();
    for later in [gone(), forgetful(), with(delivery())] {
        let (_, effects) = resumed(later, entries.clone());
        assert_eq!(effects[0], "commit tool-result c secret");
    }
}

#[test]
fn a_prompt_of_a_tool_that_is_gone_is_closed() {
    let play = called(with(Terms::default()));
    let gone = Setup { tools: Catalog::default(), ..setup() };
    let (_, effects) = resumed(gone, play.entries());
    assert_eq!(effects[0], "commit inquiry-response c-q0 cancelled");
    assert!(effects[1].starts_with("commit tool-result c ~!There is no tool"), "{effects:?}");
}

#[test]
fn what_is_allowed_meanwhile_is_not_asked_about_again() {
    let play = called(with(Terms::default()));
    let allowed = Terms { permission: Permission::Allow, ..Terms::default() };
    let settled = Setup { audience: Audience::Nobody, ..with(allowed) };
    let grant = Grant { tool: ToolName::new("t"), argv: None, cwd: None };
    let granted = Setup { granted: [grant].into(), ..with(Terms::default()) };
    for later in [settled, granted] {
        let (_, effects) = resumed(later, play.entries());
        assert_eq!(effects[0], r#"commit inquiry-response c-q0 Select("run")"#);
        assert_eq!(effects.last().unwrap(), "run t c {}");
    }
}

#[test]
fn changed_arguments_are_shown_once_more_even_if_the_rules_allow_them() {
    let path = Some("public/**".to_owned().try_into().unwrap());
    let rules = vec![Rule { argv: None, path, permission: Permission::Allow }];
    let mut play = called(with(Terms { rules, ..Terms::default() }));
    play.subject = Subject { paths: vec!["public/x".to_owned()], ..Subject::default() };
    let effects = play.replied("c-q0", Reply::Edited(r#"{"a":2}"#.into()));
    assert_eq!(effects, ["ask c-q0"]);
}

#[test]
fn a_second_answer_does_not_let_a_tool_run_twice() {
    let mut play = called(with(Terms { delivery: Delivery::Ask, ..Terms::default() }));
    play.replied("c-q0", run());
    play.ended("c", Outcome::Success("secret".into()));
    // Somebody has edited the conversation: the permission is given twice, or asked for again.
    let events = |kinds: Vec<EventKind>| {
        let mut entries = play.entries();
        for kind in kinds {
            let address = Address::new(entries.last().unwrap().address.number() + 1).unwrap();
            entries.push(Entry { address, event: Event::new(at(2), kind) });
        }
        entries
    };
    let outcome = Dealt::Answered(Answer::Select(RUN.to_owned()));
    let response = InquiryResponse { id: InquiryId::new("c-q0"), outcome };
    let request = InquiryRequest {
        id: InquiryId::new("c-q9"),
        kind: InquiryKind::RunTool,
        tool: None,
        call: Some(CallId::new("c")),
        answer: AnswerType::Boolean { default: None },
        exclusive: false,
        text: "".into(),
    };
    let setup = with(Terms { delivery: Delivery::Ask, ..Terms::default() });
    for more in
        [vec![EventKind::InquiryResponse(response)], vec![EventKind::InquiryRequest(request)]]
    {
        let (_, effects) = resumed(setup.clone(), events(more));
        assert_eq!(effects, ["ask c-q1"], "the result is there");
    }
    let start = ToolStart { id: CallId::new("c"), attempt: 2, rest: toml::Table::new() };
    let (_, effects) = resumed(setup, events(vec![EventKind::ToolStart(start)]));
    assert_eq!(effects, ["show usage", "end unsure c"], "another start");
}

#[test]
fn a_call_that_cannot_be_looked_at_does_not_slip_past_a_rule() {
    let path = Some("secret/**".to_owned().try_into().unwrap());
    let rules = vec![Rule { argv: None, path, permission: Permission::Deny }];
    let denied = Terms { permission: Permission::Allow, rules, ..Terms::default() };
    for terms in [denied, Terms::default()] {
        let mut play = Play::begun(with(terms));
        play.call("c", "t", "{}");
        play.hear(Piece::Finish(Finish::ToolCalls));
        let effects = play.raw(Input::Over(Ok(())));
        assert!(matches!(effects.last(), Some(Effect::Inspect { .. })), "{effects:?}");
        let (call, subject, preview) = (CallId::new("c"), None, None);
        let effects = play.step(Input::Inspected { call, subject, preview });
        let why = "jp failed to find out what the call is about. This is a defect in jp.";
        assert_eq!(effects[0], format!("commit tool-result c ~!The tool `t` was not run: {why}"));
    }
}

/// A tool that fails when it is looked at.
struct Defect(ToolSpec);

impl Tool for Defect {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn is_idempotent(&self) -> bool {
        false
    }

    fn check(&self, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn subject(&self, _: &Value) -> Subject {
        panic!("on purpose")
    }

    fn run(&self, _: &Invocation, _: &Host<'_>) -> Outcome {
        Outcome::Success("".into())
    }
}

#[test]
fn a_tool_that_fails_when_it_is_looked_at_has_no_subject() {
    let (name, parameters) = (ToolName::new("t"), json!({}));
    let defect = Defect(ToolSpec { name, description: String::new(), parameters });
    let (sender, receiver) = channel();
    errands::inspect(Arc::new(defect), CallId::new("c"), json!({}), sender).unwrap();
    let letter = receiver.recv().unwrap();
    let Input::Inspected { call, subject: None, preview: None } = letter.input else {
        panic!("{letter:?}");
    };
    assert_eq!(call, CallId::new("c"));
}

#[test]
fn a_call_that_is_stopped_while_it_is_looked_at_does_not_begin() {
    let mut play = Play::begun(with(Terms::default()));
    play.call("c", "t", "{}");
    play.hear(Piece::Finish(Finish::ToolCalls));
    play.raw(Input::Over(Ok(())));
    let effects = play.step(Input::Interrupt(Interrupt::Reply("No".into())));
    assert_eq!(
        effects,
        [
            "commit tool-result c ~!The user stopped the turn before this was done.",
            "show ended c",
            "commit request ! No",
            "show waiting",
            "query",
        ]
    );
    let (call, subject) = (CallId::new("c"), Some(Subject::default()));
    assert_eq!(play.step(Input::Inspected { call, subject, preview: None }), [""; 0]);
}

#[test]
fn what_waits_for_somebody_goes_on_waiting_unless_the_model_is_asked_again() {
    let scene = || {
        let unattended = Unattended { all: Some(Policy::Queue), ..Unattended::default() };
        let waits = tool("t", Permission::Ask, false);
        let tools = Catalog::new([waits, tool("free", Permission::Allow, false)]).unwrap();
        let mut play =
            Play::begun(Setup { tools, unattended, audience: Audience::Nobody, ..setup() });
        play.call("c", "t", "{}");
        play.call("d", "free", "{}");
        play.over(Finish::ToolCalls);
        play
    };
    let mut play = scene();
    assert_eq!(play.step(Input::Interrupt(Interrupt::Stop)), ["cancel tools"]);
    let effects = play.ended("d", Outcome::Error("stopped".into()));
    assert_eq!(
        effects,
        ["commit tool-result d !stopped", "show ended d", "show usage", "end stopped"]
    );
    let mut play = scene();
    let effects = play.step(Input::Interrupt(Interrupt::Reply("No".into())));
    assert_eq!(
        effects,
        [
            "commit inquiry-response c-q0 cancelled",
            "withdraw c-q0",
            "commit tool-result c ~!The user stopped the turn before this was done.",
            "show ended c",
            "cancel tools",
        ]
    );
}

#[test]
fn a_tool_that_asks_when_nobody_listens_is_told_so() {
    let mut play = Play::begun(setup());
    play.step(trouble(Trouble::Server));
    let answer = AnswerType::Boolean { default: None };
    let question = Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive: false };
    let asked = Input::ToolAsked { call: CallId::new("c"), ticket: 3, question };
    assert_eq!(play.step(asked), ["answer #3 nothing"]);
}
