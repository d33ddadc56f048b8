//! Answers that were given between two processes: which texts are answers, and what counts of them
//! when the turn goes on.

use super::*;
use crate::{
    model::{
        AnswerType, Choice, InquiryKind, InquiryRequest, Ruling, ToolCall, ToolStart, Verdict,
    },
    turn::{Misread, Unanswered, unanswered},
};

/// A turn in which somebody has to say whether `ask` may be called, once or twice.
fn waiting(calls: &[&str]) -> Play {
    let mut play = Play::begun(setup());
    for call in calls {
        play.call(call, "ask", r#"{"a":1}"#);
    }
    play.over(Finish::ToolCalls);
    play
}

/// What stands after somebody has said this to the question of a call, and what the user keeps.
fn answered(play: &Play, word: &str, reason: Option<&str>) -> (Vec<Entry>, Verdict) {
    let mut entries = play.entries();
    let open = unanswered(&entries);
    let reply = open[0].read(word, reason).unwrap();
    let response = open[0].response(&reply, at(2));
    let address = Address::new(entries.last().unwrap().address.number() + 1).unwrap();
    entries.push(Entry { address, event: response });
    (entries, open[0].verdict(&reply).unwrap())
}

fn resumed(entries: Vec<Entry>, verdicts: Vec<Verdict>) -> Vec<String> {
    let turn = Some(Turn::new(setup(), entries));
    let mut play = Play { turn, subject: Subject::default() };
    play.step(Input::Resume(Resumption { verdicts, ..Resumption::default() }))
}

#[test]
fn an_answer_that_the_user_has_kept_counts_as_the_user_s() {
    let play = waiting(&["c"]);
    let (entries, run) = answered(&play, "run", None);
    let mut turn = Play { turn: Some(Turn::new(setup(), entries)), subject: Subject::default() };
    let verdicts = vec![run];
    let effects = turn.step(Input::Resume(Resumption { verdicts, ..Resumption::default() }));
    assert_eq!(effects, ["commit tool-start c #1", "show started c", "run ask c {}"]);
    let last = turn.entries().pop().unwrap().event.kind;
    let EventKind::ToolStart(start) = last else { panic!("{last:?}") };
    assert_eq!(start.rest["allowed_by"].as_str(), Some("user"));
    let (entries, refuse) = answered(&play, "refuse", Some("not today"));
    let effects = resumed(entries, vec![refuse]);
    assert!(effects[0].starts_with("commit tool-result c ~!"), "{effects:?}");
    assert!(effects[0].contains("not today"), "{effects:?}");
}

#[test]
fn always_is_granted_for_the_calls_after_it_too() {
    let (mut entries, always) = answered(&waiting(&["c", "d"]), "always", None);
    // The other one was never asked about.
    entries.retain(|entry| match &entry.event.kind {
        EventKind::InquiryRequest(inquiry) => inquiry.id.as_str() == "c-q0",
        _ => true,
    });
    let effects = resumed(entries, vec![always]);
    let expected = [
        "grant ask None",
        "commit tool-start c #1",
        "show started c",
        "run ask c {}",
        "commit tool-start d #1",
        "show started d",
        "run ask d {}",
    ];
    assert_eq!(effects, expected);
}

#[test]
fn without_exactly_this_record_an_answer_is_asked_for_again() {
    let (entries, run) = answered(&waiting(&["c"]), "run", None);
    let again = ["commit inquiry-request c-q1", "ask c-q1"];
    let (_, refuse) = answered(&waiting(&["c"]), "refuse", None);
    let started = Verdict { starts: 1, ..run.clone() };
    let call = ToolCall {
        tool: ToolName::new("ask"),
        id: CallId::new("c"),
        arguments: crate::model::Arguments::new(r#"{"a":2}"#),
        block: crate::model::Block::default(),
    };
    let other = Verdict::new(&InquiryId::new("c-q0"), &call, Ruling::Run);
    for verdicts in [vec![], vec![refuse], vec![started], vec![other]] {
        assert_eq!(resumed(entries.clone(), verdicts.clone()), again, "{verdicts:?}");
    }
    // Nor does a record count that the conversation says nothing of.
    let open = waiting(&["c"]).entries();
    assert_eq!(resumed(open, vec![run]), ["ask c-q0"]);
}

#[test]
fn an_answer_does_not_count_twice_for_a_tool_that_may_have_run() {
    let (mut entries, run) = answered(&waiting(&["c"]), "run", None);
    let start = ToolStart { id: CallId::new("c"), attempt: 1, rest: toml::Table::new() };
    let address = Address::new(entries.last().unwrap().address.number() + 1).unwrap();
    let event = Event::new(at(3), EventKind::ToolStart(start));
    entries.push(Entry { address, event });
    assert_eq!(resumed(entries.clone(), vec![run.clone()]), ["show usage", "end unsure c"]);
    let turn = Some(Turn::new(setup(), entries));
    let mut play = Play { turn, subject: Subject::default() };
    let decisions = [(CallId::new("c"), Decision::Again)].into();
    let resumption = Resumption { decisions, verdicts: vec![run], ..Resumption::default() };
    let effects = play.step(Input::Resume(resumption));
    assert_eq!(effects.last().unwrap(), "ask c-q1");
}

fn question(kind: InquiryKind, answer: AnswerType) -> Unanswered {
    let entries = waiting(&["c"]).entries();
    let Unanswered { inquiry, call } = unanswered(&entries).remove(0);
    Unanswered { inquiry: InquiryRequest { kind, answer, ..inquiry }, call }
}

fn select(values: &[&str]) -> AnswerType {
    let choice = |value: &&str| Choice { value: (*value).to_owned(), description: None };
    AnswerType::Select { options: values.iter().map(choice).collect(), default: None }
}

#[test]
fn each_kind_of_question_has_its_answers() {
    use InquiryKind::{DeliverResult, RunTool, ToolQuestion};
    let boolean = || AnswerType::Boolean { default: None };
    let text = || AnswerType::Text { default: None };
    let yes = |yes| Some(Answer::Boolean(yes));
    let one = |value: &str| Some(Answer::Select(value.to_owned()));
    let run = || select(&["run", "always", "refuse"]);
    for (kind, answer, given, expected) in [
        (ToolQuestion, boolean(), "yes", yes(true)),
        (ToolQuestion, boolean(), "Y", yes(true)),
        (DeliverResult, boolean(), "true", yes(true)),
        (DeliverResult, boolean(), "no", yes(false)),
        (ToolQuestion, boolean(), "n", yes(false)),
        (ToolQuestion, boolean(), "false", yes(false)),
        (ToolQuestion, boolean(), "maybe", None),
        (ToolQuestion, boolean(), "", None),
        (ToolQuestion, select(&["main", "maint", "dev"]), "main", one("main")),
        (ToolQuestion, select(&["main", "maint", "dev"]), "d", one("dev")),
        (ToolQuestion, select(&["main", "maint", "dev"]), "ma", None),
        (ToolQuestion, select(&["main"]), "", None),
        (ToolQuestion, select(&["main"]), "mains", None),
        (ToolQuestion, text(), " as it is ", Some(Answer::Text(" as it is ".into()))),
        (ToolQuestion, AnswerType::Secret, "hush", None),
        (RunTool, run(), "run", one("run")),
        (RunTool, run(), "always", one("always")),
        (RunTool, run(), "refuse", one("refuse")),
        // Nothing but the word.
        (RunTool, run(), "ru", None),
        (RunTool, run(), "yes", None),
        (RunTool, run(), "", None),
        // And only as jp asks it.
        (RunTool, boolean(), "yes", None),
        (RunTool, select(&["run"]), "run", None),
    ] {
        let what = format!("{kind:?} {answer:?} {given:?}");
        let reply = question(kind, answer).read(given, None);
        assert_eq!(reply.ok(), expected.map(Reply::Answer), "{what}");
    }
}

#[test]
fn what_is_no_answer_is_told_with_what_would_be_one() {
    use InquiryKind::{RunTool, ToolQuestion};
    let said = |kind, answer, given: &str| {
        question(kind, answer).read(given, None).unwrap_err().to_string()
    };
    let run = || select(&["run", "always", "refuse"]);
    assert_eq!(
        said(RunTool, run(), "yes"),
        "`yes` is no answer to question `c-q0`: `run`, `always` or `refuse`"
    );
    assert_eq!(
        said(ToolQuestion, AnswerType::Boolean { default: None }, "x"),
        "`x` is no answer to question `c-q0`: `yes` or `no`"
    );
    assert_eq!(
        said(ToolQuestion, select(&["main", "maint", "dev"]), "ma"),
        "`ma` is the beginning of several answers to question `c-q0`: `main`, `maint`"
    );
    let reason = Some("because");
    assert_eq!(question(RunTool, run()).read("run", reason), Err(Misread::NeedlessReason));
    assert_eq!(
        question(RunTool, run()).read("refuse", reason),
        Ok(Reply::Refused("because".to_owned()))
    );
}

#[test]
fn a_secret_is_not_taken_and_nothing_but_a_permission_is_kept() {
    let secret = question(InquiryKind::ToolQuestion, AnswerType::Secret);
    assert_eq!(secret.read("hush", None), Err(Misread::Secret(InquiryId::new("c-q0"))));
    let text = question(InquiryKind::ToolQuestion, select(&["run", "always", "refuse"]));
    let reply = text.read("run", None).unwrap();
    assert_eq!(text.verdict(&reply), None);
}

#[test]
fn the_words_of_a_record_are_those_of_the_question() {
    let rulings = [(Ruling::Run, RUN), (Ruling::Always, ALWAYS), (Ruling::Refuse(None), REFUSE)];
    for (ruling, word) in rulings {
        assert_eq!(ruling.word(), word);
    }
}
