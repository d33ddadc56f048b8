//! `jp conversation status`

use serde_json::{Value, json};

use super::{
    DONE, Next, Outcome,
    commit::{Found, Put, find, refused},
    edit::{Told, tell_lines, to_json},
    warn_of_dropped,
};
use crate::{
    cli::{args::Status, output::Output},
    edit::checkout::{Checkout, Proposal, Refusal, propose},
    env::Env,
    history::short,
    model::counted,
    plan::{Fault, Tally},
    workspace::{Handle, Workspace},
};

/// The exit code if something is wrong.
const WRONG: u8 = 1;

pub fn run(env: &Env, output: &mut Output, args: &Status) -> Outcome {
    let Found { directory, workspace, handle } = find(env, &args.directory)?;
    warn_of_dropped(output, &workspace, &handle, Next::Reads);
    let (checkout, look) = Checkout::open_and_look(&directory)?;
    let proposed = propose(env, &workspace, &handle, &checkout, &look)?;
    let behind = behind(&workspace, &checkout, &handle);
    let nothing = (Tally::default(), Vec::new());
    let (tally, remarks) = match &proposed {
        Ok(Some(Proposal { tally, remarks, .. })) => (tally.clone(), remarks.clone()),
        Ok(None) | Err(_) => nothing,
    };
    let told = Told { tally: &tally, remarks: &remarks, stray: &look.stray };
    if args.format.is_json() {
        let mut value = to_json(&told);
        value["id"] = json!(checkout.id());
        value["base"] = json!(checkout.commit().to_string());
        value["tip"] = json!(handle.commit().to_string());
        value["came_in"] = json!(behind);
        value["problems"] = problems(proposed.as_ref().err());
        output.json(&value)?;
        return Ok(if proposed.is_err() { WRONG } else { DONE });
    }
    let is_current = checkout.commit() == handle.commit();
    let base = short(checkout.commit());
    output.line(match (is_current, behind) {
        (true, _) => format!("{} at {base}", checkout.id()),
        (false, Some(count)) if count > 0 => {
            format!("{} at {base}, since then {} came in", checkout.id(), counted(count, "event"))
        }
        (false, _) => format!("{} at {base}, which has changed since", checkout.id()),
    })?;
    match proposed {
        Err(refusal) => return Err(refused(&args.directory, refusal, Put::No)),
        Ok(None) => output.line("nothing to commit")?,
        Ok(Some(_)) => {}
    }
    tell_lines(output, &told)?;
    Ok(DONE)
}

/// How many events came in since a checkout was made, if nothing but that happened.
fn behind(workspace: &Workspace, checkout: &Checkout, tip: &Handle) -> Option<u64> {
    let events = |handle: &Handle| workspace.summary(handle).ok().flatten().map(|own| own.events);
    let (was, now) = (events(&tip.at(checkout.commit()))?, events(tip)?);
    now.checked_sub(was)
}

fn problems(refusal: Option<&Refusal>) -> Value {
    let fault = |fault: &Fault| {
        json!({
            "file": fault.file,
            "line": fault.flaw.line,
            "column": fault.flaw.column,
            "message": fault.words(),
        })
    };
    let plain = |text: String| json!({"file": null, "line": null, "column": null, "message": text});
    match refusal {
        None => json!([]),
        Some(Refusal::Faults(faults)) => faults.iter().map(fault).collect(),
        Some(Refusal::Conflicts(conflicts)) if conflicts.is_about_rules() => {
            conflicts.faults.iter().map(fault).collect()
        }
        Some(Refusal::Conflicts(conflicts)) => conflicts.in_words().map(plain).collect(),
    }
}
