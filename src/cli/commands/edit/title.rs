//! `jp conversation edit --title`

use serde_json::json;

use super::super::{
    DONE, Outcome,
    report::{Told, report},
    title,
};
use crate::{
    cli::{args::EditHow, error::CommandError, output::Output},
    edit::Rework,
    env::Env,
    ui::{escape, lend_terminal},
    workspace::{Guard, Workspace},
};

/// Changes the title, in the editor if no text is given.
pub fn run(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    mut guard: Guard,
    text: &str,
    how: &EditHow,
) -> Outcome {
    let text = match text {
        "" => written(env, workspace, &guard)?,
        text => text.to_owned(),
    };
    let title = title::check(Some(&text))?;
    let id = guard.id();
    let shown = title.as_deref().unwrap_or_default();
    if how.change.dry_run {
        if how.change.format.is_json() {
            let told = json!({"id": id, "title": title, "commit": null, "inverse": null});
            output.json(&told)?;
        } else {
            output.say(format_args!("{id} would have the title {}", escape(shown)));
        }
        return Ok(DONE);
    }
    let subject = format!("title {shown}");
    let set = workspace.revise_meta(&mut guard, &subject, |meta| meta.title.clone_from(&title))?;
    let told = match &set {
        None => Told::Already(format!("{id}: the title is that already")),
        Some(_) => Told::Changed(format!("{id}: {}", escape(shown))),
    };
    report(output, &mut guard, set, told, json!({"title": title}), &how.change.format)?;
    Ok(DONE)
}

/// The title as somebody writes it in the editor.
fn written(env: &Env, workspace: &Workspace, guard: &Guard) -> Result<String, CommandError> {
    let present = workspace.meta(guard)?.title.unwrap_or_default();
    let state = workspace.state_dir()?;
    let rework = Rework::create(env, &state, "title.txt", &present);
    let rework = rework.map_err(CommandError::failure)?;
    let text = rework.edit(env, lend_terminal).map_err(CommandError::failure)?;
    let text = text.trim();
    if let (Err(error), false) = (title::check(Some(text)), text.is_empty()) {
        return Err(error.hint(format!("what you wrote is in `{}`", rework.path().display())));
    }
    rework.discard().map_err(CommandError::failure)?;
    Ok(text.to_owned())
}
