//! The workspace and the conversation that a command works on.

use jiff::Zoned;

use super::locking;
use crate::{
    cli::{
        args::{AtArg, Target},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::{Moment, Scope, dropped, resolve, short},
    model::{Address, counted},
    store::Space,
    workspace::{Guard, Handle, Overview, SelectError, Session, SessionConversation, Workspace},
};

/// Opens the workspace for a command that names a conversation in it.
pub fn workspace_with(env: &Env, id: &str) -> Result<Workspace, CommandError> {
    let unknown = || SelectError::Unknown { given: id.to_owned(), candidates: Vec::new() };
    Workspace::open(env)?.ok_or_else(|| unknown().into())
}

/// Opens the conversation that a command reads, as it was when asked.
pub fn to_read(
    env: &Env,
    output: &mut Output,
    target: &Target,
) -> Result<(Workspace, Handle), CommandError> {
    to_read_at(env, output, target.id.as_deref(), &target.at)
}

/// Opens a conversation by its id, or the one last changed, as it was when asked.
pub fn to_read_at(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
    at: &AtArg,
) -> Result<(Workspace, Handle), CommandError> {
    let (workspace, handle) = match id {
        Some(id) => {
            let workspace = workspace_with(env, id)?;
            let handle = workspace.select(id)?;
            (workspace, handle)
        }
        None => {
            let workspace = Workspace::open(env)?;
            let last = match &workspace {
                Some(workspace) => workspace.last_changed()?,
                None => None,
            };
            workspace.zip(last).ok_or_else(none_yet)?
        }
    };
    warn_of_dropped(output, &workspace, &handle, Next::Reads);
    let handle = version(env, &workspace, handle, at)?;
    Ok((workspace, handle))
}

/// The conversation, if one is named, and the event that `[ID] ADDRESS` stands for.
pub fn event_named<'a>(
    env: &Env,
    args: &'a [String],
) -> Result<(Option<&'a str>, Address), CommandError> {
    let (id, address) = match args {
        [address] => (None, address.as_str()),
        [id, address, ..] => (Some(id.as_str()), address.as_str()),
        [] => return Err(CommandError::usage("the number of the event is missing")),
    };
    Ok((id, self::address(env, address)?))
}

/// Opens a conversation to change it. Without an id it must be the only one: a guess could hit
/// what another terminal is at.
pub fn to_change(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
    next: Next,
) -> Result<(Workspace, Guard), CommandError> {
    let (workspace, handle) = choose_to_change(env, output, id)?;
    warn_of_dropped(output, &workspace, &handle, next);
    let guard = locking::lock(env, output, &workspace, handle)?;
    Ok((workspace, guard))
}

/// Finds a conversation to change: the one that is named, else that of this terminal, else the only
/// one there is. Another one is never chosen in the place of one that was put away.
pub fn active_to_change(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
) -> Result<(Workspace, Handle), CommandError> {
    if let (None, Some(session), Some(workspace)) = (id, Session::of(env), Workspace::open(env)?)
        && let Some(handle) = recalled(output, &workspace, &session)?
    {
        return Ok((workspace, handle));
    }
    choose_to_change(env, output, id)
}

/// The conversation of a terminal, if it has one.
pub fn recalled(
    output: &mut Output,
    workspace: &Workspace,
    session: &Session,
) -> Result<Option<Handle>, CommandError> {
    let recalled = workspace.session_conversation(session).map_err(CommandError::failure)?;
    if let Some(note) = recalled.note {
        output.warn(note);
    }
    match recalled.conversation {
        SessionConversation::Active(handle) => Ok(Some(handle)),
        SessionConversation::Nothing => Ok(None),
        SessionConversation::PutAway(handle) => {
            let id = handle.id();
            let message = format!("the conversation of this terminal, {id}, was put away");
            let back = format!("`jp conversation unarchive {id}` brings it back");
            Err(CommandError::failure(message).hint(back))
        }
        SessionConversation::Gone(id) => {
            let message = format!("the conversation of this terminal, {id}, is gone");
            Err(CommandError::failure(message))
        }
    }
}

/// Finds a conversation to change, wherever it is kept.
pub fn choose_to_change(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
) -> Result<(Workspace, Handle), CommandError> {
    if let Some(id) = id {
        let workspace = workspace_with(env, id)?;
        let handle = workspace.select(id)?;
        return Ok((workspace, handle));
    }
    let workspace = Workspace::open(env)?.ok_or_else(none_yet)?;
    let Overview { rows, problems } = workspace.overview(Space::Heads)?;
    output.warn_all(problems);
    match &rows[..] {
        [] => Err(none_yet()),
        [row] => {
            let handle = row.handle();
            Ok((workspace, handle))
        }
        rows => {
            let candidates = rows.iter().take(CANDIDATES).map(|row| match &row.heading.title {
                Some(title) => format!("{} ({title})", row.id),
                None => row.id.to_string(),
            });
            let candidates = candidates.collect::<Vec<_>>().join(", ");
            let more = if rows.len() > CANDIDATES { ", …" } else { "" };
            let message = format!("there are {} conversations: say which one", rows.len());
            Err(CommandError::usage(message).hint(format!("last changed: {candidates}{more}")))
        }
    }
}

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

/// The version of a conversation that was asked for.
pub fn version(
    env: &Env,
    workspace: &Workspace,
    handle: Handle,
    at: &AtArg,
) -> Result<Handle, CommandError> {
    let Some(at) = &at.at else { return Ok(handle) };
    let moment = Moment::parse(at, Scope::Version, &now(env)).map_err(CommandError::usage)?;
    Ok(resolve(workspace, &handle, &moment)?)
}

/// The event that was asked for. What `append` and `show` print can be given back: the number, or
/// the name of the file.
pub fn address(env: &Env, text: &str) -> Result<Address, CommandError> {
    match Moment::parse(text, Scope::Event, &now(env)) {
        Ok(Moment::Event(address)) => Ok(address),
        Ok(_) => Err(CommandError::usage(format!("`{text}` is not an address"))),
        Err(error) => Err(CommandError::usage(error)),
    }
}

/// The time here.
pub fn now(env: &Env) -> Zoned {
    env.now().instant().to_zoned(env.time_zone())
}

/// Opens the workspace for a command that needs its store.
pub fn existing_workspace(env: &Env) -> Result<Workspace, CommandError> {
    Workspace::open(env)?.ok_or_else(|| {
        CommandError::failure("there is no store here yet")
            .hint("`jp init` makes one, and so does the first conversation")
    })
}

fn none_yet() -> CommandError {
    CommandError::failure("there is no conversation yet")
        .hint("`jp conversation append --new FILE` starts one")
}

/// What a command does after it has warned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It leaves the conversation as it is.
    Reads,
    /// It makes another operation, which undo would take back first.
    Writes,
    /// It takes back the last operation.
    TakesBack,
}

/// Tells of events that something else than jp took out since jp last wrote.
pub fn warn_of_dropped(output: &mut Output, workspace: &Workspace, handle: &Handle, next: Next) {
    let Ok(Some(dropped)) = dropped(workspace, handle) else {
        // Whoever reads on is told what cannot be read.
        return;
    };
    let id = handle.id();
    let (first, last) = (dropped.events.first(), dropped.events.last());
    let which = match (first, last) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(only), _) => only.to_string(),
        _ => String::new(),
    };
    let events = counted(dropped.events.len() as u64, "event");
    let them = if dropped.events.len() == 1 { "it" } else { "them" };
    output.warn(format_args!("{id}: {} took {events} out by hand ({which})", dropped.author));
    let short = short(dropped.before);
    output.hint(match (dropped.commits, next) {
        (1, Next::TakesBack) => return,
        (1, Next::Reads) => format!("`jp conversation undo {id}` brings {them} back"),
        _ => format!("`jp conversation restore {id} --at {short}` brings {them} back"),
    });
}

/// Tells what happened beside what was asked for.
pub fn tell_notes(output: &mut Output, guard: &mut Guard) {
    output.warn_all(guard.take_notes());
}
