//! Changing a request that the model has not answered, before it is sent.

use crate::{
    cli::{
        commands::{edit::faults, tell_notes},
        error::CommandError,
        output::Output,
    },
    edit::{ApplyError, Draft, Earnest, Sheet, apply},
    env::Env,
    format::encode,
    model::{Body, Event, EventKind, IncompleteTurn, Request},
    plan::{self, Layout, Wish},
    ui::lend_terminal,
    workspace::{Guard, LoadError, Workspace},
};

/// What became of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reworded {
    /// It says something else now, in the conversation.
    Changed,
    /// It says what it said.
    Unchanged,
}

/// Lets the user change the last request of a turn in an editor; nothing if they emptied it.
pub fn reword(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    guard: &mut Guard,
    under_way: &IncompleteTurn,
) -> Result<Option<Reworded>, CommandError> {
    let requests = under_way.turn.entries.iter().rev();
    let request = { requests }.find_map(|entry| match &entry.event.kind {
        EventKind::Request(request) => Some((entry, request)),
        _ => None,
    });
    let Some((entry, request)) = request else { return Ok(Some(Reworded::Unchanged)) };
    let (text, draft, edited) = rework(env, workspace, request)?;
    let Some(edited) = edited else {
        draft.discard().map_err(CommandError::failure)?;
        output.say("The query is empty: nothing was changed");
        return Ok(None);
    };
    if edited.trim_end() == text.trim_end() {
        draft.discard().map_err(CommandError::failure)?;
        return Ok(Some(Reworded::Unchanged));
    }
    let kept = format!("what you wrote is in `{}`", draft.path().display());
    let (id, address) = (guard.id(), entry.address);
    let content = Body::from(edited);
    let kind = EventKind::Request(Request { content, ..request.clone() });
    let event = Event { kind, ..entry.event.clone() };
    let bytes = encode(&event).map_err(CommandError::failure)?;
    let changed = plan::Draft { event, bytes };
    let wish = |layout: &Layout| {
        let at = layout.stream.iter().position(|listed| listed.name.address() == address);
        let mut wish = Wish::unchanged(layout);
        wish.edited.insert(at.ok_or(LoadError::NoEvent { id, address })?, changed.clone());
        Ok::<_, CommandError>(wish)
    };
    let applied = apply(workspace, guard, "edit", Earnest::Commit, wish);
    applied.map_err(|error| match error {
        ApplyError::Wish(error) => error.hint(&kept),
        ApplyError::Checkout(error) => CommandError::from(error).hint(&kept),
        ApplyError::Faults(found) => faults(&found, "").hint(&kept),
    })?;
    tell_notes(output, guard);
    draft.discard().map_err(CommandError::failure)?;
    Ok(Some(Reworded::Changed))
}

/// Lets the user change a request in an editor: what it says now, the draft, and what it is to say,
/// if anything.
pub fn rework<'a>(
    env: &Env,
    workspace: &Workspace,
    request: &'a Request,
) -> Result<(&'a str, Draft, Option<String>), CommandError> {
    let Some(text) = request.content.as_text() else {
        return Err(CommandError::failure("the request is not text: no editor could show it"));
    };
    let state = workspace.state_dir()?;
    let sheet = Sheet { text, answered: None };
    let mut draft = Draft::create(env, &state, &sheet).map_err(CommandError::failure)?;
    let edited = draft.edit(env, lend_terminal).map_err(CommandError::failure)?;
    Ok((text, draft, edited))
}
