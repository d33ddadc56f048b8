//! Who decides about a call, and what becomes of it.

use super::*;
use crate::tool::{Delivery, Policy, Rule};

/// One tool, `t`, on these terms, and whoever is there.
fn with(terms: Terms, audience: Audience) -> Setup {
    let mut listed = tool("t", Permission::Ask, false);
    listed.terms = terms;
    Setup { tools: Catalog::new([listed]).unwrap(), audience, ..setup() }
}

fn ask() -> Terms {
    Terms::default()
}

fn all(policy: Policy) -> Unattended {
    Unattended { all: Some(policy), ..Unattended::default() }
}

/// A turn in which the model has called `t` once, and what it wanted then.
fn called(setup: Setup) -> (Play, Vec<String>) {
    called_about(setup, Subject::default())
}

fn called_about(setup: Setup, subject: Subject) -> (Play, Vec<String>) {
    let mut play = Play::begun(setup);
    play.subject = subject;
    play.call("c", "t", r#"{"a":1}"#);
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects[0], "commit tool-call c t [tool-calls]");
    (play, effects[1..].to_vec())
}

fn question(exclusive: bool, default: Option<bool>) -> Question {
    let answer = AnswerType::Boolean { default };
    Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive }
}

fn select(choice: &str) -> Reply {
    Reply::Answer(Answer::Select(choice.to_owned()))
}

const STARTED: [&str; 3] = ["commit tool-start c #1", "show started c", "run t c {}"];

#[test]
fn without_anybody_a_call_is_decided_by_the_policy_for_it() {
    use Audience::{Detached, Nobody};
    use Policy::{Auto, Defaults, Deny, Queue};
    let refused = "refused";
    for (policy, exclusive, audience, expected) in [
        (Some(Auto), false, Nobody, "run"),
        (Some(Auto), false, Detached, "run"),
        (Some(Auto), true, Nobody, refused),
        (Some(Auto), true, Detached, refused),
        (Some(Defaults), false, Nobody, refused),
        (Some(Defaults), false, Detached, refused),
        (Some(Defaults), true, Nobody, refused),
        (Some(Defaults), true, Detached, refused),
        (Some(Deny), false, Nobody, refused),
        (Some(Deny), false, Detached, refused),
        (Some(Deny), true, Nobody, refused),
        (Some(Deny), true, Detached, refused),
        (Some(Queue), false, Nobody, "waits"),
        (Some(Queue), false, Detached, "waits"),
        (Some(Queue), true, Nobody, "waits"),
        (Some(Queue), true, Detached, "waits"),
        (None, false, Nobody, refused),
        (None, true, Nobody, refused),
        (None, false, Detached, "waits"),
        (None, true, Detached, "waits"),
    ] {
        let unattended = Unattended { run: policy, ..Unattended::default() };
        let terms = Terms { unattended, exclusive: Some(exclusive), ..ask() };
        let (_, effects) = called(with(terms, audience));
        assert_eq!(effects[0], "commit inquiry-request c-q0");
        let came = match effects[1].as_str() {
            r#"commit inquiry-response c-q0 Select("run")"# => {
                assert_eq!(effects[2..], STARTED);
                "run"
            }
            "show usage" => {
                assert_eq!(effects[2..], ["end waiting t"]);
                "waits"
            }
            "ask c-q0" => {
                assert_eq!((effects.len(), audience), (2, Detached));
                "waits"
            }
            response => {
                assert!(response.starts_with("commit inquiry-response c-q0 "), "{response}");
                assert!(effects[2].starts_with("commit tool-result c ~!The tool `t` was not run"));
                refused
            }
        };
        assert_eq!(came, expected, "{policy:?} {exclusive} {audience:?}");
    }
}

#[test]
fn without_anybody_a_question_is_decided_by_the_policy_for_it() {
    use Audience::{Detached, Nobody};
    use Policy::{Auto, Defaults, Deny, Queue};
    for (policy, exclusive, default, expected) in [
        (Auto, false, None, "consult c-q0"),
        (Auto, true, None, "fails"),
        (Defaults, false, Some(true), "runs"),
        (Defaults, true, Some(true), "runs"),
        (Defaults, false, None, "fails"),
        (Deny, false, Some(true), "fails"),
        (Deny, true, None, "fails"),
        (Queue, false, Some(true), "waits"),
        (Queue, true, None, "waits"),
    ] {
        for audience in [Nobody, Detached] {
            let terms = Terms { permission: Permission::Allow, unattended: all(policy), ..ask() };
            let (mut play, _) = called(with(terms, audience));
            let effects = play.ended("c", Outcome::NeedsInput(question(exclusive, default)));
            assert_eq!(effects[0], "commit inquiry-request c-q0");
            let came = match effects[1].as_str() {
                "consult c-q0" => "consult c-q0",
                "commit inquiry-response c-q0 Boolean(true)" => {
                    assert_eq!(effects[2], "commit tool-start c #2");
                    assert_eq!(effects[4], r#"run t c {"sure":true}"#);
                    "runs"
                }
                "commit inquiry-response c-q0 cancelled" => {
                    let failed = "commit tool-result c !It asks `Sure?`, and nobody can be asked.";
                    assert_eq!(effects[2], failed);
                    "fails"
                }
                "ask c-q0" => {
                    assert_eq!((effects.len(), audience), (2, Audience::Detached));
                    "waits"
                }
                _ => {
                    assert_eq!(effects[1..], ["show usage", "end waiting t"]);
                    "waits"
                }
            };
            assert_eq!(came, expected, "{policy:?} {exclusive} {default:?} {audience:?}");
        }
    }
}

#[test]
fn without_anybody_a_result_is_decided_by_the_policy_for_it() {
    use Policy::{Auto, Defaults, Deny, Queue};
    for (policy, exclusive, expected) in [
        (Auto, false, "delivered"),
        (Auto, true, "withheld"),
        (Defaults, false, "withheld"),
        (Defaults, true, "withheld"),
        (Deny, false, "withheld"),
        (Deny, true, "withheld"),
        (Queue, false, "waits"),
        (Queue, true, "waits"),
    ] {
        for audience in [Audience::Nobody, Audience::Detached] {
            for delivery in [Delivery::Ask, Delivery::Edit] {
                let terms = Terms {
                    permission: Permission::Allow,
                    delivery,
                    exclusive: Some(exclusive),
                    unattended: all(policy),
                    ..ask()
                };
                let (mut play, _) = called(with(terms, audience));
                let effects = play.ended("c", Outcome::Success("secret".into()));
                assert_eq!(effects[0], "commit inquiry-request c-q0");
                let came = match effects.last().unwrap().as_str() {
                    "end waiting t" => "waits",
                    "ask c-q0" | "ask c-q0 edit" if audience == Audience::Detached => "waits",
                    last => {
                        assert_eq!(last, "query");
                        assert_eq!(effects[2], "commit tool-result c secret");
                        match play.heard().as_str() {
                            "secret" => "delivered",
                            _ => "withheld",
                        }
                    }
                };
                assert_eq!(came, expected, "{policy:?} {exclusive} {audience:?} {delivery:?}");
            }
        }
    }
}

#[test]
fn a_config_can_say_who_may_answer_whatever_the_question_says() {
    for (asked, settled, expected) in
        [(true, Some(false), "consult c-q0"), (false, Some(true), "cancelled")]
    {
        let terms = Terms {
            permission: Permission::Allow,
            exclusive: settled,
            unattended: all(Policy::Auto),
            ..ask()
        };
        let (mut play, _) = called(with(terms, Audience::Nobody));
        let effects = play.ended("c", Outcome::NeedsInput(question(asked, None)));
        assert!(effects[1].ends_with(expected), "{effects:?}");
    }
}

#[test]
fn the_model_answers_what_it_may_and_else_the_call_fails() {
    for (said, expected) in [
        (Some(r#"{"answer": true}"#), "commit inquiry-response c-q0 Boolean(true)"),
        (Some("I would say yes"), "commit inquiry-response c-q0 cancelled"),
        (None, "commit inquiry-response c-q0 cancelled"),
    ] {
        let terms = Terms { permission: Permission::Allow, unattended: all(Policy::Auto), ..ask() };
        let (mut play, _) = called(with(terms, Audience::Nobody));
        play.ended("c", Outcome::NeedsInput(question(false, None)));
        let (inquiry, said) = (InquiryId::new("c-q0"), said.map(str::to_owned));
        let effects = play.step(Input::Consulted { inquiry, said });
        assert_eq!(effects[0], expected);
        let runs = effects.contains(&r#"run t c {"sure":true}"#.to_owned());
        assert_eq!(runs, expected.ends_with("(true)"));
    }
}

#[test]
fn a_rule_decides_before_the_permission() {
    let argv = Some(vec!["ls".to_owned()]);
    let rule = |permission| Rule { argv: argv.clone(), path: None, permission };
    let subject = || Subject { argv: argv.clone(), ..Subject::default() };
    let terms = |permission, of_rule| Terms { permission, rules: vec![rule(of_rule)], ..ask() };
    let (_, allowed) =
        called_about(with(terms(Permission::Deny, Permission::Allow), Audience::Nobody), subject());
    assert_eq!(allowed, STARTED);
    let (_, denied) =
        called_about(with(terms(Permission::Allow, Permission::Deny), Audience::Person), subject());
    assert!(denied[0].starts_with("commit tool-result c ~!The tool `t` was not run: the user's"));
    let (_, other) = called(with(terms(Permission::Deny, Permission::Allow), Audience::Person));
    assert!(other[0].starts_with("commit tool-result c ~!"), "another call: {other:?}");
}

#[test]
fn what_is_always_allowed_is_the_same_command_or_the_tool() {
    let command = |word: &str| Subject { argv: Some(vec![word.to_owned()]), ..Subject::default() };
    let (mut play, _) = called_about(with(ask(), Audience::Person), command("ls"));
    let effects = play.replied("c-q0", select(ALWAYS));
    assert_eq!(effects[1], r#"grant t Some(["ls"])"#);
    play.ended("c", Outcome::Success("".into()));
    play.call("d", "t", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects.last().unwrap(), "run t d {}", "the same command");
    play.ended("d", Outcome::Success("".into()));
    play.subject = command("rm");
    play.call("e", "t", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert!(effects.last().unwrap().starts_with("ask "), "another command: {effects:?}");
    play.replied("e-q1", select(REFUSE));
    play.subject = Subject { paths: vec!["vendor".to_owned()], ..command("ls") };
    play.call("f", "t", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert!(effects.last().unwrap().starts_with("ask "), "the same words elsewhere: {effects:?}");

    let grant = Grant { tool: ToolName::new("t"), argv: None, cwd: None };
    let granted = Setup { granted: [grant].into(), ..with(ask(), Audience::Nobody) };
    let (_, effects) = called(granted);
    assert_eq!(effects, STARTED, "what was allowed before counts without anybody");
}

#[test]
fn changed_arguments_are_checked_shown_again_and_run() {
    let (mut play, effects) = called(with(ask(), Audience::Person));
    assert_eq!(effects, ["commit inquiry-request c-q0", "ask c-q0"]);
    let bad = play.replied("c-q0", Reply::Edited(r#"{"bad":1}"#.into()));
    assert_eq!(bad, ["ask c-q0 edit: `bad` is not an argument."]);
    let garbage = play.replied("c-q0", Reply::Edited("{".into()));
    assert!(garbage[0].starts_with("ask c-q0 edit: The arguments are not JSON"), "{garbage:?}");
    let edited = play.replied("c-q0", Reply::Edited(r#"{"a":2}"#.into()));
    assert_eq!(edited, ["ask c-q0"]);
    let effects = play.raw(Input::Replied { inquiry: InquiryId::new("c-q0"), reply: select(RUN) });
    let run = effects.iter().find_map(|effect| match effect {
        Effect::Run { invocation, .. } => Some(invocation.arguments.clone()),
        _ => None,
    });
    assert_eq!(run, Some(json!({ "a": 2 })));
    let stored = effects.iter().find_map(|effect| match effect {
        Effect::Commit(Event { kind: EventKind::ToolStart(start), .. }) => Some(start.rest.clone()),
        _ => None,
    });
    let expected = "allowed_by = \"user\"\narguments = '{\"a\":2}'\n";
    assert_eq!(stored, Some(expected.parse().unwrap()));
    play.ended("c", Outcome::Success("ok".into()));
    assert_eq!(play.heard(), "The user changed the arguments to {\"a\":2}\n\nok");
}

#[test]
fn a_tool_that_is_to_be_edited_is_edited_once_before_it_is_asked_about() {
    let terms = Terms { permission: Permission::Edit, ..ask() };
    let (mut play, effects) = called(with(terms, Audience::Person));
    assert_eq!(effects, ["commit inquiry-request c-q0", "ask c-q0 edit"]);
    assert_eq!(play.replied("c-q0", Reply::Edited(r#"{"a":1}"#.into())), ["ask c-q0"]);
    let effects = play.replied("c-q0", select(RUN));
    assert_eq!(effects[1..], STARTED);
}

#[test]
fn changed_arguments_are_held_to_the_rules_too() {
    let path = Some("secret/**".to_owned().try_into().unwrap());
    let rules = vec![Rule { argv: None, path, permission: Permission::Deny }];
    let about = |path: &str| Subject { paths: vec![path.to_owned()], ..Subject::default() };
    let setup = with(Terms { rules, ..ask() }, Audience::Person);
    let (mut play, _) = called_about(setup, about("public/key"));
    play.subject = about("secret/key");
    let effects = play.replied("c-q0", Reply::Edited(r#"{"a":2}"#.into()));
    assert_eq!(effects[0], "commit inquiry-response c-q0 cancelled");
    assert!(effects[1].starts_with("commit tool-result c ~!The tool `t` was not run"));
}

#[test]
fn a_result_is_stored_before_it_is_asked_about_and_delivered_withheld_or_edited() {
    let terms = || Terms { permission: Permission::Allow, delivery: Delivery::Ask, ..ask() };
    for (reply, stored, heard) in [
        (Reply::Answer(Answer::Boolean(true)), "secret", "secret"),
        (
            Reply::Answer(Answer::Boolean(false)),
            "secret",
            "The tool was run, and the user keeps its result to themselves.",
        ),
        (
            Reply::Cancelled,
            "secret",
            "The tool was run, and the user keeps its result to themselves.",
        ),
        (Reply::Edited("public".into()), "public", "public"),
    ] {
        let (mut play, _) = called(with(terms(), Audience::Person));
        let effects = play.raw(Input::ToolEnded {
            call: CallId::new("c"),
            outcome: Outcome::Success("secret".into()),
        });
        let Effect::Commit(Event { kind: EventKind::InquiryRequest(inquiry), .. }) = &effects[0]
        else {
            panic!("{effects:?}");
        };
        assert_eq!(inquiry.text.to_text_lossy(), "secret");
        let effects = play.replied("c-q0", reply);
        assert_eq!(effects[1], format!("commit tool-result c {stored}"));
        assert_eq!(play.heard(), heard);
    }
    let skip = Terms { permission: Permission::Allow, delivery: Delivery::Skip, ..ask() };
    let (mut play, _) = called(with(skip, Audience::Person));
    let effects = play.ended("c", Outcome::Success("secret".into()));
    assert_eq!(effects[0], "commit tool-result c secret");
    assert_ne!(play.heard(), "secret");
}

#[test]
fn a_tool_that_runs_can_ask_and_is_told() {
    let terms = Terms { permission: Permission::Allow, ..ask() };
    let asked = |ticket| Input::ToolAsked {
        call: CallId::new("c"),
        ticket,
        question: question(false, None),
    };
    let (mut play, _) = called(with(terms.clone(), Audience::Person));
    let progress = Input::Progress { call: CallId::new("c"), text: "1/2".into() };
    assert_eq!(play.step(progress), ["show progress c 1/2"]);
    assert_eq!(play.step(asked(7)), ["commit inquiry-request c-q0", "ask c-q0"]);
    assert_eq!(play.step(asked(8)), ["commit inquiry-request c-q1", "ask c-q1"]);
    assert_eq!(
        play.replied("c-q0", Reply::Answer(Answer::Boolean(true))),
        ["commit inquiry-response c-q0 Boolean(true)", "answer #7 true"]
    );
    let effects = play.ended("c", Outcome::Success("ok".into()));
    let withdrawn =
        ["commit inquiry-response c-q1 cancelled", "withdraw c-q1", "answer #8 nothing"];
    assert_eq!(effects[..3], withdrawn);
    assert_eq!(effects[3], "commit tool-result c ok");

    let (mut play, _) = called(with(terms.clone(), Audience::Nobody));
    let effects = play.step(asked(9));
    assert_eq!(effects[1..], ["commit inquiry-response c-q0 cancelled", "answer #9 nothing"]);
    let effects = play.step(Input::Interrupt(Interrupt::Stop));
    assert_eq!(effects, ["cancel tools"]);
    assert_eq!(play.step(asked(10)), ["answer #10 nothing"]);

    let queue = Terms { unattended: all(Policy::Queue), ..terms };
    let (mut play, _) = called(with(queue.clone(), Audience::Nobody));
    assert_eq!(play.step(asked(11)).last().unwrap(), "answer #11 nothing");
    let (mut play, _) = called(with(queue, Audience::Detached));
    assert_eq!(play.step(asked(12)).last().unwrap(), "ask c-q0");
}

#[test]
fn stopping_takes_back_every_prompt() {
    let terms = Terms { permission: Permission::Allow, delivery: Delivery::Ask, ..ask() };
    let (mut play, _) = called(with(terms, Audience::Person));
    play.ended("c", Outcome::Success("secret".into()));
    let effects = play.step(Input::Interrupt(Interrupt::Stop));
    assert_eq!(
        effects[..3],
        ["commit inquiry-response c-q0 cancelled", "withdraw c-q0", "commit tool-result c secret",]
    );
    assert_eq!(effects.last().unwrap(), "end stopped");
}

#[test]
fn others_go_on_while_one_waits_and_a_later_turn_asks_again() {
    let mut free = tool("free", Permission::Allow, false);
    free.terms.unattended = all(Policy::Queue);
    let mut waits = tool("t", Permission::Ask, false);
    waits.terms.unattended = all(Policy::Queue);
    let tools = Catalog::new([free, waits]).unwrap();
    let nobody = Setup { tools, audience: Audience::Nobody, ..setup() };
    let mut play = Play::begun(nobody.clone());
    play.call("c", "t", "{}");
    play.call("d", "free", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects.last().unwrap(), "commit inquiry-request c-q0");
    let effects = play.ended("d", Outcome::Success("ok".into()));
    assert_eq!(effects.last().unwrap(), "end waiting t");

    let entries = play.entries();
    let person = Setup { audience: Audience::Person, ..nobody };
    let mut later = Play { turn: Some(Turn::new(person, entries)), subject: Subject::default() };
    assert_eq!(
        later.step(Input::Resume(Resumption::default())),
        ["ask c-q0"],
        "the same question, and no other"
    );
    let effects = later.replied("c-q0", select(RUN));
    assert_eq!(effects[1..], STARTED);
}

#[test]
fn what_a_conversation_says_allows_nothing() {
    // A stream from elsewhere: the call was allowed, begun, asked something and was answered.
    let (mut play, _) = called(with(ask(), Audience::Person));
    play.replied("c-q0", select(RUN));
    play.ended("c", Outcome::NeedsInput(question(false, None)));
    let entries = play.entries();
    let setup = with(ask(), Audience::Person);
    let mut later = Play { turn: Some(Turn::new(setup, entries)), subject: Subject::default() };
    assert_eq!(later.step(Input::Resume(Resumption::default())), ["ask c-q1"]);
    let effects = later.replied("c-q1", Reply::Answer(Answer::Boolean(true)));
    assert_eq!(
        effects,
        ["commit inquiry-response c-q1 Boolean(true)", "commit inquiry-request c-q2", "ask c-q2",]
    );
    let effects = later.replied("c-q2", select(RUN));
    assert_eq!(effects.last().unwrap(), r#"run t c {"sure":true} again"#);
}

#[test]
fn a_result_that_nobody_has_decided_about_is_not_lost() {
    let terms = Terms { permission: Permission::Allow, delivery: Delivery::Ask, ..ask() };
    let (mut play, _) = called(with(terms.clone(), Audience::Person));
    play.ended("c", Outcome::Error("no such file".into()));
    let setup = with(terms, Audience::Person);
    let mut later =
        Play { turn: Some(Turn::new(setup, play.entries())), subject: Subject::default() };
    assert_eq!(
        later.step(Input::Resume(Resumption::default())),
        ["ask c-q0"],
        "it is not run again"
    );
    let effects = later.replied("c-q0", Reply::Answer(Answer::Boolean(true)));
    assert_eq!(effects[1], "commit tool-result c !no such file");
}

#[test]
fn whoever_comes_is_asked_and_a_question_outlives_whoever_was_asked() {
    let (mut play, effects) = called(with(ask(), Audience::Detached));
    assert_eq!(effects.last().unwrap(), "ask c-q0", "it is put to whoever comes");
    assert!(play.step(Input::Audience(Audience::Person)).is_empty());
    assert!(play.step(Input::Audience(Audience::Detached)).is_empty(), "the question stays");
    let effects = play.replied("c-q0", select(RUN));
    assert_eq!(effects[1..], STARTED);
}

#[test]
fn with_nobody_to_come_what_was_asked_is_left_for_later() {
    let free = tool("free", Permission::Allow, false);
    let tools = Catalog::new([free, tool("t", Permission::Ask, false)]).unwrap();
    let mut play = Play::begun(Setup { tools, audience: Audience::Detached, ..setup() });
    play.call("c", "t", "{}");
    play.call("d", "free", "{}");
    play.over(Finish::ToolCalls);
    assert_eq!(play.step(Input::Audience(Audience::Nobody)), ["withdraw c-q0"]);
    let effects = play.ended("d", Outcome::Success("ok".into()));
    assert_eq!(effects.last().unwrap(), "end waiting t", "others come to their end before");
}

#[test]
fn who_is_there_when_a_question_comes_up_decides_and_not_who_was() {
    let terms = Terms { unattended: all(Policy::Auto), ..ask() };
    let mut play = Play::begun(with(terms, Audience::Person));
    play.step(Input::Audience(Audience::Detached));
    play.call("c", "t", "{}");
    let effects = play.over(Finish::ToolCalls);
    assert_eq!(effects.last().unwrap(), "run t c {}");
}

#[test]
fn what_waits_is_changed_whatever_is_going_on() {
    let request = Request { content: "And then?".into(), interrupts: false };
    let request = Event::new(Timestamp::from_seconds(0), EventKind::Request(request));
    let (mut play, _) = called(with(ask(), Audience::Person));
    let waiting = Waiting { number: 7, blob: "0a55".to_owned() };
    for (follow_up, effect) in [
        (FollowUp::Ask(request.clone()), "queue 3 request And then?"),
        (FollowUp::Drop(waiting.clone()), "unqueue 3 7"),
        (FollowUp::Change(waiting, request), "requeue 3 7 request And then?"),
    ] {
        assert_eq!(
            play.step(Input::FollowUp { from: 3, follow_up: Box::new(follow_up) }),
            [effect]
        );
    }
}
