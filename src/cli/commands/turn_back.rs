//! What undo, redo and restore tell.

use serde_json::{Value, json};

use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    history::Turned,
    model::ConversationId,
    ui::escape,
    workspace::{Handle, Workspace},
};

/// Tells what was done, and how to take it back.
pub fn report(
    output: &mut Output,
    id: ConversationId,
    done: &str,
    turned: &Turned,
    back: &str,
    format: &FormatArg,
) -> Result<(), CommandError> {
    let told = format!("{id}: {done}: {}", escape(&turned.what));
    output.done(&told);
    if format.is_json() {
        output.json(&json!({
            "id": id,
            "operation": turned.what,
            "source": turned.source.to_string(),
            "before": turned.before.to_string(),
            "commit": turned.commit.to_string(),
            "inverse": back,
        }))?;
        return Ok(());
    }
    output.line(told)?;
    output.hint_at_inverse(back);
    Ok(())
}

/// Whoever goes back is asked again what was answered meanwhile, or before.
pub fn ask_anew(workspace: &Workspace, id: ConversationId) {
    // What is left allows nothing but what the conversation says, too.
    let _left = workspace.keep_verdicts(id, &[]);
}

/// What programs are told when everything was so already.
pub fn unchanged(id: ConversationId, version: &Handle) -> Value {
    json!({
        "id": id,
        "operation": null,
        "source": version.commit().to_string(),
        "before": null,
        "commit": null,
        "inverse": null,
    })
}
