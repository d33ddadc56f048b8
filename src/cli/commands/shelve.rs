//! What archive, unarchive, rm and restore have in common: conversations move, and how to move them
//! back is told.

use serde_json::json;

use super::{DONE, Outcome, workspace_with};
use crate::{
    cli::{
        args::{FormatArg, Several},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::ConversationId,
    store::Space,
    workspace::Handle,
};

/// Moves conversations to a space: all that are named, or none if one is unknown.
pub fn shelve(env: &Env, output: &mut Output, args: &Several, to: Space) -> Outcome {
    let Some(first) = args.ids.first() else {
        return Err(CommandError::usage("no conversation was named"));
    };
    let workspace = workspace_with(env, first)?;
    let mut handles: Vec<Handle> = Vec::new();
    for id in &args.ids {
        let handle = workspace.select(id)?;
        if handles.iter().all(|known| known.id() != handle.id()) {
            handles.push(handle);
        }
    }
    if let Some(trashed) = handles.iter().find(|handle| handle.space() == Space::Trash)
        && to != Space::Trash
    {
        let id = trashed.id();
        return Err(CommandError::failure(format!("conversation {id} is in the trash"))
            .hint(format!("`jp conversation restore {id}` brings it back")));
    }
    for handle in handles {
        let (id, from) = (handle.id(), handle.space());
        workspace.shelve(&handle, to)?;
        if from == to {
            output.say(format_args!("{id} is {} already", to.whereabouts()));
            continue;
        }
        report(output, id, from, to, &args.format)?;
    }
    Ok(DONE)
}

/// Tells where a conversation went, and how to bring it back.
pub fn report(
    output: &mut Output,
    id: ConversationId,
    from: Space,
    to: Space,
    format: &FormatArg,
) -> std::io::Result<()> {
    let inverse = match (from, to) {
        (_, Space::Trash) => format!("jp conversation restore {id}"),
        (_, Space::Archive) => format!("jp conversation unarchive {id}"),
        (Space::Trash, Space::Heads) => format!("jp conversation rm {id}"),
        (_, Space::Heads) => format!("jp conversation archive {id}"),
    };
    if format.is_json() {
        return output.json(&json!({"id": id, "space": to.name(), "inverse": inverse}));
    }
    output.line(format_args!("{id} is {} now", to.whereabouts()))?;
    output.hint_at_inverse(&inverse);
    Ok(())
}
