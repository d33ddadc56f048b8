//! Turns that go on after they were interrupted.

use super::*;
use crate::model::ToolStart;

fn resumed(setup: Setup, events: Vec<Event>) -> Play {
    let entries = (0..)
        .zip(events)
        .map(|(number, event)| Entry { address: Address::new(number).unwrap(), event });
    Play { turn: Some(Turn::new(setup, entries)), subject: Subject::default() }
}

/// The events of a turn with one call, as far as `count` of them.
fn called(tool: &str, count: usize) -> Vec<Event> {
    let mut turn = Turn::new(setup(), []);
    let mut events = Vec::new();
    let call =
        Content::Call { id: CallId::new("c1"), tool: ToolName::new(tool), arguments: "{}".into() };
    let inputs = [
        Input::Begin(vec![request("Do it")]),
        Input::Piece(Piece::Block(Block::new(call))),
        Input::Over(Ok(())),
        Input::ToolEnded { call: CallId::new("c1"), outcome: Outcome::Success("ok".into()) },
    ];
    for input in inputs {
        let effects;
        (turn, effects) = turn.step(input, at(1));
        events.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Commit(event) => Some(event),
            _ => None,
        }));
    }
    events.truncate(count);
    events
}

#[test]
fn a_turn_goes_on_with_what_is_missing() {
    let resume = |tool: &str, count: usize| {
        resumed(setup(), called(tool, count)).step(Input::Resume(Resumption::default()))
    };
    assert_eq!(resume("free", 1), ["show waiting", "query"]);
    assert_eq!(resume("free", 2), ["commit tool-start c1 #1", "show started c1", "run free c1 {}"]);
    assert_eq!(
        resume("free", 3),
        ["commit tool-start c1 #2", "show started c1", "run free c1 {} again"]
    );
    assert_eq!(resume("free", 4), ["show waiting", "query"]);
}

#[test]
fn what_changed_before_a_turn_goes_on_is_stored_first() {
    let change = || {
        let delta = "assistant.model = 'a/b'".parse().unwrap();
        Input::Resume(Resumption::after([Event::new(at(2), EventKind::ConfigDelta(delta))]))
    };
    let resume = |count: usize| resumed(setup(), called("free", count)).step(change());
    assert_eq!(resume(1), ["commit config-delta ", "show waiting", "query"]);
    assert_eq!(resume(2)[..2], ["commit config-delta ", "commit tool-start c1 #1"]);
}

#[test]
fn a_tool_that_may_have_run_is_not_run_again() {
    let mut events = called("ask", 2);
    let start =
        crate::model::ToolStart { id: CallId::new("c1"), attempt: 1, rest: toml::Table::new() };
    events.push(Event::new(at(1), EventKind::ToolStart(start)));
    let mut play = resumed(setup(), events);
    assert_eq!(play.step(Input::Resume(Resumption::default())), ["show usage", "end unsure c1"]);
}

fn start(call: &str) -> Event {
    let start = ToolStart { id: CallId::new(call), attempt: 1, rest: toml::Table::new() };
    Event::new(at(1), EventKind::ToolStart(start))
}

/// A call of `ask`, which is not idempotent, that was started and has no result.
fn unknown() -> Play {
    let mut events = called("ask", 2);
    events.push(start("c1"));
    resumed(setup(), events)
}

fn decided(decision: Decision) -> Input {
    let decisions = [(CallId::new("c1"), decision)].into();
    Input::Resume(Resumption { decisions, ..Resumption::default() })
}

#[test]
fn a_call_of_unknown_outcome_is_made_again_if_somebody_says_so() {
    let effects = unknown().step(decided(Decision::Again));
    assert_eq!(effects, ["commit inquiry-request c1-q0", "ask c1-q0"], "it still needs permission");
}

#[test]
fn a_call_of_unknown_outcome_is_done_with_what_the_user_says() {
    let mut play = unknown();
    let effects = play.step(decided(Decision::Done("It is there.".into())));
    assert_eq!(
        effects,
        ["commit tool-result c1 It is there.", "show ended c1", "show waiting", "query"]
    );
    assert_eq!(play.heard(), "It is there.");
}

#[test]
fn a_call_of_unknown_outcome_can_be_left_out_with_an_error() {
    let mut play = unknown();
    assert_eq!(play.step(decided(Decision::Skip)).last().unwrap(), "query");
    assert_eq!(play.heard(), super::super::call::LEFT_UNKNOWN);
}

#[test]
fn a_call_that_was_never_made_can_be_left_out() {
    let mut play = resumed(setup(), called("free", 2));
    let effects = play.step(decided(Decision::Skip));
    assert_eq!(effects.last().unwrap(), "query", "it is not run: {effects:?}");
    assert_eq!(play.heard(), super::super::call::SKIPPED);
}

#[test]
fn an_answer_that_had_not_ended_is_asked_for_anew_with_the_same_words() {
    let mut uninterrupted = Play::begun(setup());
    let asked = uninterrupted.turn.as_ref().unwrap().query();
    uninterrupted.text("Let me see.");
    uninterrupted.call("c1", "free", "{}");
    uninterrupted.step(Input::Quiet);
    let entries = uninterrupted.entries();
    assert_eq!(entries.len(), 3);
    let mut later = Play { turn: Some(Turn::new(setup(), entries)), subject: Subject::default() };
    let effects = later.step(Input::Resume(Resumption::default()));
    assert_eq!(effects, ["retract 0-0", "show waiting", "query"]);
    assert_eq!(later.turn.as_ref().unwrap().query(), asked);
}

#[test]
fn a_turn_that_is_complete_is_not_gone_on_with() {
    let mut play = Play::begun(setup());
    play.text("Done.");
    play.over(Finish::Stop);
    let mut later =
        Play { turn: Some(Turn::new(setup(), play.entries())), subject: Subject::default() };
    let effects = later.step(Input::Resume(Resumption::default()));
    assert_eq!(effects, ["show usage", "end complete stop"]);
}

#[test]
fn a_question_that_was_answered_before_is_not_asked() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    play.over(Finish::ToolCalls);
    let answer = AnswerType::Boolean { default: None };
    let question = Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive: false };
    play.ended("c1", Outcome::NeedsInput(question));
    let later =
        || Play { turn: Some(Turn::new(setup(), play.entries())), subject: Subject::default() };
    assert_eq!(later().step(Input::Resume(Resumption::default())), ["ask c1-q0"]);
    let replies = [(InquiryId::new("c1-q0"), Reply::Answer(Answer::Boolean(true)))].into();
    let effects = later().step(Input::Resume(Resumption { replies, ..Resumption::default() }));
    assert_eq!(
        effects,
        [
            "commit inquiry-response c1-q0 Boolean(true)",
            "commit tool-start c1 #2",
            "show started c1",
            "run free c1 {\"sure\":true} again",
        ]
    );
}

#[test]
fn what_nobody_has_decided_is_left_for_later_when_whoever_could_is_gone() {
    let mut play = Play::begun(setup());
    play.call("c1", "ask", "{}");
    play.call("c2", "free", "{}");
    play.over(Finish::ToolCalls);
    let effects = play.step(Input::Interrupt(Interrupt::HangUp));
    assert_eq!(effects, ["withdraw c1-q0", "cancel tools"]);
    let answer = AnswerType::Boolean { default: None };
    let question = Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive: false };
    let effects = play.ended("c2", Outcome::NeedsInput(question));
    assert_eq!(effects, ["commit inquiry-request c2-q1", "show usage", "end stopped"]);
    let mut later =
        Play { turn: Some(Turn::new(setup(), play.entries())), subject: Subject::default() };
    let effects = later.step(Input::Resume(Resumption::default()));
    assert_eq!(effects, ["ask c2-q1", "ask c1-q0"], "both are asked again");
}

#[test]
fn a_call_of_unknown_outcome_stays_one_while_its_permission_is_asked_for() {
    let mut play = unknown();
    play.step(decided(Decision::Again));
    let entries = play.entries();
    let survey = Survey::of(&entries);
    let states: Vec<_> = survey.calls.iter().map(|call| &call.state).collect();
    assert!(matches!(states[..], [CallState::Unknown]), "{states:?}");
    assert!(survey.question().is_none() && survey.calls[0].can_be_decided());
    let mut later = Play { turn: Some(Turn::new(setup(), entries)), subject: Subject::default() };
    assert_eq!(later.step(Input::Resume(Resumption::default())), ["show usage", "end unsure c1"]);
}

#[test]
fn what_was_answered_is_kept_though_the_tool_that_asked_is_gone() {
    let mut play = Play::begun(setup());
    play.call("c1", "free", "{}");
    play.over(Finish::ToolCalls);
    let answer = AnswerType::Text { default: None };
    let question = Question { id: "who".into(), text: "Who?".into(), answer, exclusive: false };
    play.ended("c1", Outcome::NeedsInput(question));
    let without = Setup { tools: Catalog::new([]).unwrap(), ..setup() };
    let turn = Some(Turn::new(without, play.entries()));
    let mut later = Play { turn, subject: Subject::default() };
    let replies = [(InquiryId::new("c1-q0"), Reply::Answer(Answer::Text("Ann".into())))].into();
    let effects = later.step(Input::Resume(Resumption { replies, ..Resumption::default() }));
    assert!(effects[0].starts_with("commit inquiry-response c1-q0 Text("), "{effects:?}");
    assert_eq!(effects.last().unwrap(), "query");
}
