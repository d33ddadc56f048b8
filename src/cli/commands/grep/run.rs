//! A search, from its arguments to its exit code.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    super::{DONE, Outcome, existing_workspace, now, version},
    json, print,
};
use crate::{
    cli::{args::Grep, error::CommandError, output::Output},
    env::Env,
    history::{Moment, Scope as Times},
    search::{Case, Pattern, Reach, Scope, SearchProblem, search},
    store::Space,
    workspace::{Handle, Workspace},
};

/// The exit code of a search that found nothing.
const NOTHING: u8 = 1;

pub fn run(env: &Env, output: &mut Output, args: &Grep) -> Outcome {
    let pattern = pattern(args)?;
    let scope = Scope {
        roles: args.role.iter().map(|role| (*role).into()).collect(),
        tools: args.tool.clone(),
        since: time(env, args.since.as_deref())?,
        until: time(env, args.until.as_deref())?,
    };
    if args.at.at.is_some() && args.ids.len() != 1 {
        return Err(CommandError::usage("`--at` is about one conversation: say which one")
            .hint("`jp conversation ls` lists them"));
    }
    let (workspace, handles) = match args.ids.is_empty() {
        true => (Workspace::open(env)?, None),
        false => {
            let workspace = existing_workspace(env)?;
            let handles = named(env, &workspace, args)?;
            (Some(workspace), Some(handles))
        }
    };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if let Some(workspace) = &workspace {
        let is_all = handles.is_none();
        let handles = match handles {
            Some(handles) => handles,
            None => all(output, workspace, args.archived)?,
        };
        let details = args.format.is_json() && !args.only_ids && !args.count;
        let reach = Reach { pattern: &pattern, scope: &scope, past: args.history, details };
        (found, problems) = search(workspace, &handles, &reach);
        if is_all {
            // As `ls` lists them; what belongs to one conversation stays together.
            found.sort_by_key(|version| Reverse((version.updated.instant(), version.id)));
        }
    }
    match (args.format.is_json(), args.only_ids, args.count) {
        (true, true, _) => output.json(&json::ids(&found))?,
        (true, _, true) => output.json(&json::counts(&found))?,
        (true, ..) => output.json(&json::lines(&found, &pattern))?,
        (false, only_ids, count) => output.paged(env, |output| match (only_ids, count) {
            (true, _) => print::ids(output, &found),
            (_, true) => print::counts(output, &found),
            _ => print::lines(env, output, &found, &pattern),
        })?,
    }
    warn(output, &problems);
    Ok(if found.is_empty() { NOTHING } else { DONE })
}

fn pattern(args: &Grep) -> Result<Pattern, CommandError> {
    let case = match (args.ignore_case, args.case_sensitive) {
        (true, _) => Case::Ignore,
        (_, true) => Case::Sensitive,
        _ => Case::Smart,
    };
    if args.fixed_strings {
        return Pattern::fixed(&args.pattern, case).map_err(CommandError::usage);
    }
    Pattern::regex(&args.pattern, case).map_err(|error| {
        CommandError::usage(error).hint("`--fixed-strings` takes the pattern as it stands")
    })
}

fn time(env: &Env, text: Option<&str>) -> Result<Option<jiff::Timestamp>, CommandError> {
    let Some(text) = text else { return Ok(None) };
    match Moment::parse(text, Times::Time, &now(env)) {
        Ok(Moment::Time(time)) => Ok(Some(time)),
        Ok(_) => Err(CommandError::usage(format!("`{text}` is not a time"))),
        Err(error) => Err(CommandError::usage(error)),
    }
}

/// The conversations that were named, each once, in that order.
fn named(env: &Env, workspace: &Workspace, args: &Grep) -> Result<Vec<Handle>, CommandError> {
    let mut handles = Vec::new();
    let mut seen = HashSet::new();
    for id in &args.ids {
        // That nothing was found has an exit code of its own.
        let handle = workspace.select(id).map_err(|error| CommandError::from(error).by_usage())?;
        if seen.insert(handle.id()) {
            handles.push(version(env, workspace, handle, &args.at)?);
        }
    }
    Ok(handles)
}

/// All active conversations, and those in the archive if they are wanted.
fn all(
    output: &mut Output,
    workspace: &Workspace,
    archived: bool,
) -> Result<Vec<Handle>, CommandError> {
    let mut all = Vec::new();
    let spaces: &[Space] = if archived { &[Space::Heads, Space::Archive] } else { &[Space::Heads] };
    for space in spaces {
        let (handles, problems) = workspace.handles(*space)?;
        output.warn_all(problems);
        all.extend(handles);
    }
    Ok(all)
}

fn warn(output: &mut Output, problems: &[SearchProblem]) {
    for problem in problems {
        output.warn(problem);
        if let SearchProblem::Damaged { id, .. } | SearchProblem::File { id, .. } = problem {
            output.hint(format_args!("`jp conversation fsck {id}` tells more"));
        }
    }
}
