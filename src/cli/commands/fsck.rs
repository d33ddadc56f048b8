//! `jp conversation fsck`

use serde_json::{Value, json};

use super::{DONE, Outcome, locking, tell_notes, workspace_with};
use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    env::Env,
    model::ConversationId,
    store::Problem,
    ui::escape,
    workspace::{Checkup, Finding, Workspace},
};

pub fn run(
    env: &Env,
    output: &mut Output,
    ids: &[String],
    repair: bool,
    format: &FormatArg,
) -> Outcome {
    let workspace = match ids.first() {
        Some(id) => Some(workspace_with(env, id)?),
        None => Workspace::open(env)?,
    };
    let Some(workspace) = workspace else {
        if format.is_json() {
            output.json(&json!([]))?;
        }
        return Ok(DONE);
    };
    let chosen: Vec<String> = match ids {
        [] => workspace.ids()?.iter().map(|(id, _)| id.to_string()).collect(),
        ids => ids.to_vec(),
    };
    let mut reports = Vec::new();
    let mut bad = 0;
    if ids.is_empty() {
        for problem in workspace.store().damaged_refs()? {
            bad += 1;
            output.warn(problem);
        }
    }
    for id in &chosen {
        let handle = workspace.select(id)?;
        let id = handle.id();
        let checkup = if repair {
            locking::lock(env, output, &workspace, handle).and_then(|mut guard| {
                let mended = workspace.mend(&mut guard);
                tell_notes(output, &mut guard);
                mended.map_err(CommandError::from)
            })
        } else {
            workspace.check(&handle).map_err(CommandError::from)
        };
        match checkup {
            Ok(checkup) => {
                let wrong = if repair { &checkup.left } else { &checkup.found };
                bad += usize::from(!wrong.is_empty());
                if let Some(commit) = checkup.commit {
                    output.done(format_args!("{id}: repaired in commit {commit}"));
                }
                if format.is_json() {
                    reports.push(json_report(id, &checkup, repair));
                } else {
                    print(output, id, &checkup, repair)?;
                }
            }
            Err(error) if chosen.len() == 1 || error.is_by_signal() => return Err(error),
            Err(error) => {
                bad += 1;
                error.report(output);
            }
        }
    }
    if format.is_json() {
        output.json(&Value::Array(reports))?;
    }
    if bad == 0 { Ok(DONE) } else { Err(CommandError::silent(1)) }
}

fn print(
    output: &mut Output,
    id: ConversationId,
    checkup: &Checkup,
    repair: bool,
) -> std::io::Result<()> {
    for finding in &checkup.found {
        output.line(format_args!("{id}: {}", escape(&finding.to_string())))?;
    }
    for action in &checkup.actions {
        output.line(format_args!("{id}: repaired: {}", escape(action)))?;
    }
    if let Some(commit) = checkup.commit {
        output.line(format_args!("{id}: repaired in commit {commit}"))?;
    }
    for finding in &checkup.left {
        output.line(format_args!("{id}: left as it is: {}", escape(&finding.to_string())))?;
    }
    if !checkup.found.is_empty() && !repair {
        output.hint(format_args!("`jp conversation fsck --repair {id}` mends what can be mended"));
    }
    Ok(())
}

fn json_report(id: ConversationId, checkup: &Checkup, repair: bool) -> Value {
    let all = |findings: &[Finding]| -> Value { findings.iter().map(json_finding).collect() };
    json!({
        "id": id,
        "problems": all(&checkup.found),
        "actions": checkup.actions,
        "commit": checkup.commit.map(|commit| commit.to_string()),
        "left": all(if repair { &checkup.left } else { &checkup.found }),
    })
}

fn json_finding(finding: &Finding) -> Value {
    match finding {
        Finding::File(problem) => json_problem(problem),
        Finding::Summary { .. } | Finding::History(_) | Finding::Twice(_) => json!({
            "file": null,
            "line": null,
            "column": null,
            "message": finding.to_string(),
            "refused": false,
        }),
    }
}

pub fn json_problem(problem: &Problem) -> Value {
    json!({
        "file": problem.path.to_string(),
        "line": problem.flaw.line,
        "column": problem.flaw.column,
        "message": problem.flaw.message,
        "refused": problem.is_foreign(),
    })
}
