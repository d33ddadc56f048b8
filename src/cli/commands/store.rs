//! `jp store`

use serde_json::json;

use super::{
    DONE, Outcome,
    empty_trash::{self, Consent},
    existing_workspace,
};
use crate::{
    cli::{args::Store, error::CommandError, output::Output},
    env::Env,
    model::counted,
    ui::escape,
    workspace::Location,
};

pub fn run(env: &Env, output: &mut Output, command: Store) -> Outcome {
    if matches!(command, Store::Path) {
        let path = Location::find(env)?.store.display().to_string();
        let shown = if output.is_terminal() { escape(&path).into_owned() } else { path };
        output.line(shown)?;
        return Ok(DONE);
    }
    let workspace = existing_workspace(env)?;
    match command {
        Store::Path => {}
        Store::Stats { format } => {
            let stats = workspace.store().stats()?;
            let value = serde_json::to_value(&stats).expect("stats are numbers");
            if format.is_json() {
                output.json(&value)?;
            } else if let Some(map) = value.as_object() {
                for (key, value) in map {
                    output.line(format_args!(
                        "{:<18}{value}",
                        format!("{}:", key.replace('_', " "))
                    ))?;
                }
            }
        }
        Store::Pack { format } => {
            let report = workspace.pack()?;
            if format.is_json() {
                output.json(&json!({
                    "packs_before": report.packs_before,
                    "packs_after": report.packs_after,
                    "packed_refs": report.packed_refs,
                    "compressed_by_git": report.by_git,
                }))?;
            } else {
                output.line(format_args!(
                    "{} before, {} after",
                    counted(report.packs_before as u64, "pack"),
                    report.packs_after
                ))?;
            }
            if let Some(problem) = &report.problem {
                output.warn(format_args!("not compressed any further: {problem}"));
            }
            output.warn_all(&report.damaged);
        }
        Store::EmptyTrash { older_than, yes, dry_run, format } => {
            let consent = match (dry_run, yes) {
                (true, _) => Consent::ShowOnly,
                (false, true) => Consent::Given,
                (false, false) => Consent::Ask,
            };
            return empty_trash::run(env, output, &workspace, &older_than, consent, &format);
        }
        Store::Fsck { format } => {
            let refs = workspace.store().damaged_refs()?;
            let mut problems: Vec<_> = refs.iter().map(ToString::to_string).collect();
            problems.extend(workspace.store().fsck(env)?);
            if format.is_json() {
                output.json(&json!({"problems": problems}))?;
            } else {
                for problem in &problems {
                    output.line(escape(problem))?;
                }
            }
            if !problems.is_empty() {
                return Err(CommandError::silent(1));
            }
        }
    }
    Ok(DONE)
}
