//! `jp conversation diff`

use super::{DONE, Outcome, to_read_at, version};
use crate::{
    cli::{
        args::{AtArg, Diff},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::{self, Content, Effort, LineCount, TextDiff, operations},
    workspace::{Handle, LoadError, Workspace},
};

mod json;
mod print;

pub fn run(env: &Env, output: &mut Output, args: &Diff) -> Outcome {
    let (workspace, from, to) = versions(env, output, args)?;
    let diff = history::diff(&workspace, &from, &to)?;
    let only_before = diff.from.problems.iter().filter(|one| !diff.to.problems.contains(one));
    let before = only_before.map(|problem| (&diff.from, problem));
    for (version, problem) in before.chain(diff.to.problems.iter().map(|one| (&diff.to, one))) {
        output.warn(format_args!("{}: {problem}", print::name(version)));
    }
    let mut texts = Texts { workspace: &workspace, diff: &diff, effort: Effort::default() };
    if args.format.is_json() {
        output.json(&json::diff(&mut texts, args.stat))?;
    } else if diff.is_empty() {
        let (from, to) = (print::name(&diff.from), print::name(&diff.to));
        output.say(format_args!("Nothing changed from {from} to {to}"));
    } else if args.stat {
        output.paged(env, |output| print::stat(output, &mut texts))?;
    } else {
        output.paged(env, |output| print::changes(output, &mut texts))?;
    }
    Ok(DONE)
}

/// The contents of what changed, read as they are asked for.
struct Texts<'a> {
    workspace: &'a Workspace,
    diff: &'a history::Diff,
    effort: Effort,
}

type Contents = (Option<Content>, Option<Content>);

impl Texts<'_> {
    fn text(&mut self, contents: &Contents) -> Result<TextDiff, LoadError> {
        self.diff.text(self.workspace, contents, &mut self.effort)
    }

    fn count(&mut self, contents: &Contents) -> Result<LineCount, LoadError> {
        self.diff.count(self.workspace, contents, &mut self.effort)
    }
}

/// The versions to compare, as they were asked for.
fn versions(
    env: &Env,
    output: &mut Output,
    args: &Diff,
) -> Result<(Workspace, Handle, Handle), CommandError> {
    let Given { id, at } = args.from.as_deref().map(Given::parse).unwrap_or_default();
    if let (Some(_), Some(at)) = (at, &args.at) {
        let message = format!("`--at {at}` says again which version: give it once");
        let hint = "`jp conversation diff ID@WHEN` or `jp conversation diff ID --at WHEN`";
        return Err(CommandError::usage(message).hint(hint));
    }
    let at = AtArg { at: at.or(args.at.as_deref()).map(str::to_owned) };
    let (workspace, present) = to_read_at(env, output, id, &AtArg { at: None })?;
    let from = version(env, &workspace, present.clone(), &at)?;
    if let Some(given) = &args.to {
        let Given { id, at } = Given::parse(given);
        let other = match id {
            Some(id) => workspace.select(id)?,
            None => present,
        };
        let to = version(env, &workspace, other, &AtArg { at: at.map(str::to_owned) })?;
        return Ok((workspace, from, to));
    }
    if at.at.is_some() {
        return Ok((workspace, from, present));
    }
    let before = before_last(&workspace, &present)?;
    Ok((workspace, before, present))
}

/// A version as the user writes it: `ID`, `ID@WHEN` or `@WHEN`.
#[derive(Default)]
struct Given<'a> {
    id: Option<&'a str>,
    at: Option<&'a str>,
}

impl<'a> Given<'a> {
    fn parse(text: &'a str) -> Self {
        match text.split_once('@') {
            Some(("", at)) => Self { id: None, at: Some(at) },
            Some((id, at)) => Self { id: Some(id), at: Some(at) },
            None => Self { id: Some(text), at: None },
        }
    }
}

/// The version before the last operation. Of one that made the conversation it is its first commit,
/// which has no events yet.
fn before_last(workspace: &Workspace, handle: &Handle) -> Result<Handle, CommandError> {
    let commit = match operations(workspace, handle).next() {
        Some(operation) => {
            let operation = operation?;
            operation.before().unwrap_or(operation.first().id)
        }
        None => handle.commit(),
    };
    Ok(handle.at(commit))
}
