//! What was decided about a turn before it goes on.

use std::collections::BTreeMap;

use super::typed::Typed;
use crate::{
    cli::{args::Decisions, error::CommandError},
    env::Env,
    format::limits,
    fsutil::AtPath,
    model::{Body, CallId, InquiryId},
    turn::{Decision, Reply, Survey, Surveyed},
};

/// What was decided about a turn before it goes on.
#[derive(Debug, Default)]
pub struct Choices {
    /// What becomes of calls that have no result.
    pub decisions: BTreeMap<CallId, Decision>,
    /// What was answered to open questions.
    pub replies: BTreeMap<InquiryId, Reply>,
    /// What somebody typed for that, until it is stored.
    pub typed: Typed,
    /// Whether there is a question to be asked when the turn is complete.
    pub asks_next: bool,
}

/// Reads what the command line says about calls.
pub fn read(
    env: &Env,
    given: &Decisions,
    survey: &Survey,
) -> Result<BTreeMap<CallId, Decision>, CommandError> {
    if survey.is_asked_anew && !given.is_empty() {
        let message = "the answer had not ended and is asked for anew: its calls do not count";
        return Err(CommandError::usage(message).hint("leave out what becomes of calls"));
    }
    let mut decisions = BTreeMap::new();
    let mut decide = |name: &str, decision: Decision| {
        let call = find(name, survey)?;
        if !call.can_be_decided() {
            let message = format!("call `{}` has ended: its result is used", call.made.id);
            return Err(CommandError::usage(message));
        }
        match decisions.insert(call.made.id.clone(), decision) {
            None => Ok(()),
            Some(_) => {
                let message = format!("it is said twice what becomes of call `{}`", call.made.id);
                Err(CommandError::usage(message))
            }
        }
    };
    for name in &given.again {
        decide(name, Decision::Again)?;
    }
    for name in &given.skip {
        decide(name, Decision::Skip)?;
    }
    for done in &given.done {
        let (name, result) = done.split_once('=').ok_or_else(|| {
            CommandError::usage(format!("`{done}` does not say what the result is"))
                .hint("`--done CALL=TEXT`, or `--done CALL=@FILE`")
        })?;
        decide(name, Decision::Done(result_of(env, result)?))?;
    }
    Ok(decisions)
}

/// A result that somebody gives: a text, or that of a file.
pub fn result_of(env: &Env, given: &str) -> Result<Body, CommandError> {
    let Some(file) = given.strip_prefix('@') else { return Ok(given.into()) };
    if file.starts_with('@') {
        return Ok(file.into());
    }
    let path = env.cwd().join(file);
    let found = std::fs::metadata(&path).at("read", &path).map_err(CommandError::failure)?;
    if !found.is_file() || found.len() > limits::EVENT_FILE {
        let limit = limits::EVENT_FILE >> 20;
        let message = format!("`{}` is not a file of at most {limit} MiB", path.display());
        return Err(CommandError::failure(message));
    }
    Ok(std::fs::read(&path).at("read", &path).map_err(CommandError::failure)?.into())
}

/// The call of this id, or the only one of this tool.
fn find<'a>(name: &str, survey: &'a Survey) -> Result<&'a Surveyed, CommandError> {
    if let Some(call) = survey.calls.iter().find(|call| call.made.id.as_str() == name) {
        return Ok(call);
    }
    let mut of_tool = survey.calls.iter().filter(|call| call.made.tool.as_str() == name);
    match (of_tool.next(), of_tool.next()) {
        (Some(call), None) => return Ok(call),
        (Some(_), Some(_)) => {
            let message = format!("several calls of `{name}` have no result");
            return Err(CommandError::usage(message).hint(candidates(survey)));
        }
        (None, _) => {}
    }
    let message = format!("no call without a result is known as `{name}`");
    Err(CommandError::usage(message).hint(candidates(survey)))
}

fn candidates(survey: &Survey) -> String {
    let calls: Vec<_> = survey
        .calls
        .iter()
        .map(|call| format!("`{}` (`{}`)", call.made.id, call.made.tool))
        .collect();
    match calls.is_empty() {
        true => "every call has a result".to_owned(),
        false => format!("calls without a result: {}", calls.join(", ")),
    }
}
