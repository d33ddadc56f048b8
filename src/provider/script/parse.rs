//! Reading a script.

use toml::de::DeTable;

use super::{
    ScriptError,
    answer::{Answer, Script, Step},
    expect::Expect,
    fields::Fields,
    problem::Problems,
    step::{Pace, read_step, text_step},
};

/// Reads the text of a script, and tells everything that is wrong with it.
pub(super) fn parse(text: &str) -> Result<Script, ScriptError> {
    let mut problems = Problems::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        for error in errors {
            problems.add(error.span().unwrap_or_default(), error.message());
        }
        return problems.or(Script { answers: Vec::new() });
    }
    let mut fields = Fields::new(table.get_ref(), 0..0);
    let to = &mut problems;
    let pace = Pace::read(&mut fields, Pace::default(), to);
    let list = fields.list("answer", to);
    if !fields.has("answer") {
        to.add(0..0, "there is no `[[answer]]`");
    }
    let mut answers = Vec::new();
    for value in list {
        if let Some(fields) = Fields::of(value, "an answer", to) {
            answers.push(read_answer(fields, pace, to));
        }
    }
    fields.end("a script", to);
    problems.or(Script { answers })
}

fn read_answer(mut fields: Fields, pace: Pace, to: &mut Problems) -> Answer {
    let when = fields.strings("when", to);
    let expect = Expect {
        sent: fields.strings("expect", to),
        system: fields.strings("expect_system", to),
        tools: fields.strings("expect_tools", to),
    };
    let pace = Pace::read(&mut fields, pace, to);
    let mut attempts = vec![Vec::new()];
    let mut finished = false;
    for value in fields.list("step", to) {
        let Some(step) = read_step(value, pace, to) else { continue };
        let may_follow_a_finish = matches!(step, Step::Usage(_) | Step::Delay(_));
        if finished && !may_follow_a_finish {
            to.add(value.span(), "only `usage` and `delay` may follow a `finish`");
        }
        finished |= matches!(step, Step::Finish(_));
        add(&mut attempts, step);
    }
    if fields.has("text") && fields.has("step") {
        to.add(fields.span_of("text"), "an answer has either `text` or `step`");
    }
    if let Some(step) = text_step(&mut fields, pace, to) {
        add(&mut attempts, step);
    }
    if attempts.len() > 1 && attempts.last().is_some_and(Vec::is_empty) {
        attempts.pop();
    }
    let line = to.line(fields.span());
    fields.end("an answer", to);
    Answer { line, when, expect, attempts }
}

/// Adds a step; one that fails is the last of its attempt.
fn add(attempts: &mut Vec<Vec<Step>>, step: Step) {
    let fails = step.fails();
    if let Some(last) = attempts.last_mut() {
        last.push(step);
    }
    if fails {
        attempts.push(Vec::new());
    }
}
