//! The workspace and the conversation that a command works on.

use jiff::Zoned;

use super::{locking, picking};
use crate::{
    cli::{
        args::{AtArg, Need, Target},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::{Moment, Scope, dropped, resolve, short},
    model::{Address, ConversationId, counted},
    store::Space,
    ui::Prompter,
    workspace::{
        Guard, Handle, Overview, Row, SelectError, Selector, Session, SessionConversation,
        Workspace,
    },
};

/// Opens the workspace for a command that names a conversation in it.
pub fn workspace_with(env: &Env, id: &str) -> Result<Workspace, CommandError> {
    let none = || match Selector::of(id) {
        Selector::Id(_) => SelectError::Unknown { given: id.to_owned(), candidates: Vec::new() },
        _ => SelectError::NoneYet,
    };
    Workspace::open(env)?.ok_or_else(|| none().into())
}

/// Opens the conversation that a command reads, as it was when asked.
pub fn to_read(
    env: &Env,
    output: &mut Output,
    target: &Target,
) -> Result<(Workspace, Handle), CommandError> {
    to_read_at(env, output, target.id.as_deref(), &target.at)
}

/// Opens a conversation by its id, or that of this terminal, or the one last changed, as it was when
/// asked. Reading harms nobody, so that nobody is asked which one is meant.
pub fn to_read_at(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
    at: &AtArg,
) -> Result<(Workspace, Handle), CommandError> {
    let (workspace, handle) = match id {
        Some(id) => selected(env, id)?,
        None => {
            let workspace = Workspace::open(env)?.ok_or_else(none_yet)?;
            let own = match Session::of(env) {
                Some(session) => recalled_to_read(output, &workspace, &session)?,
                None => None,
            };
            let handle = match own {
                Some(handle) => handle,
                None => workspace.last_changed()?.ok_or_else(none_yet)?,
            };
            (workspace, handle)
        }
    };
    warn_of_dropped(output, &workspace, &handle, Next::Reads);
    let handle = version(env, &workspace, handle, at)?;
    Ok((workspace, handle))
}

fn selected(env: &Env, id: &str) -> Result<(Workspace, Handle), CommandError> {
    let workspace = workspace_with(env, id)?;
    let handle = workspace.select(id)?;
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

/// Opens a conversation to change it.
pub fn to_change(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
    next: Next,
) -> Result<(Workspace, Guard), CommandError> {
    let (workspace, handle) = find_to_change(env, output, id)?;
    warn_of_dropped(output, &workspace, &handle, next);
    let guard = locking::lock(env, output, &workspace, handle)?;
    Ok((workspace, guard))
}

/// Finds a conversation to change, wherever it is kept: the one that is named, else that of this
/// terminal, else the only one there is, else the one that somebody picks. None is ever guessed: it
/// could be what another terminal is at.
pub fn find_to_change(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
) -> Result<(Workspace, Handle), CommandError> {
    let need = Need::of(id);
    find(env, output, need, Otherwise::TheOnlyOne, true)
}

/// What stands in for the conversation of a terminal that has none, before anybody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// The only one there is.
    TheOnlyOne,
    /// Nothing.
    Nothing,
}

/// The session of a command that cannot do without one.
pub fn session(env: &Env) -> Result<Session, CommandError> {
    Session::of(env).ok_or_else(|| CommandError::failure(NO_SESSION).hint(SHARE_A_SESSION))
}

/// Whether there is somebody at the terminal, and no other program of the shell has it: who asks
/// in the background is stopped.
pub fn can_ask(env: &Env) -> bool {
    Prompter::open(env).is_ok_and(|prompter| prompter.is_in_foreground())
}

/// Finds the conversation that a command needs. Somebody is asked only if that is needed, wanted and
/// possible.
pub fn find(
    env: &Env,
    output: &mut Output,
    need: Need<'_>,
    otherwise: Otherwise,
    may_ask: bool,
) -> Result<(Workspace, Handle), CommandError> {
    if let Need::Explicit(id) = need {
        return selected(env, id);
    }
    let workspace = Workspace::open(env)?.ok_or_else(none_yet)?;
    let session = Session::of(env);
    let may_ask = may_ask && can_ask(env);
    let mut may_stand_in = need == Need::Session && otherwise == Otherwise::TheOnlyOne;
    if let (Need::Session, Some(session)) = (need, &session) {
        match recalled(output, &workspace, session) {
            Ok(Some(handle)) => return Ok((workspace, handle)),
            Ok(None) => {}
            // Another one is not chosen in its place, but it can be picked.
            Err(error) if may_ask => {
                output.warn(error.message());
                may_stand_in = false;
            }
            Err(error) => return Err(error),
        }
    }
    let Overview { rows, problems } = workspace.overview(Space::Heads)?;
    output.warn_all(problems);
    match &rows[..] {
        [] => return Err(none_yet()),
        [row] if may_stand_in => {
            let handle = row.handle();
            return Ok((workspace, handle));
        }
        _ if may_ask => {}
        rows if otherwise == Otherwise::TheOnlyOne => return Err(several(rows)),
        _ => return Err(no_target(need, session.as_ref())),
    }
    let handle = picking::pick(env, output, &workspace, session.as_ref(), rows)?;
    Ok((workspace, handle))
}

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

/// There are several, and nobody can be asked which one is meant.
fn several(rows: &[Row]) -> CommandError {
    let candidates = rows.iter().take(CANDIDATES).map(|row| match &row.heading.title {
        Some(title) => format!("{} ({title})", row.id),
        None => row.id.to_string(),
    });
    let candidates = candidates.collect::<Vec<_>>().join(", ");
    let more = if rows.len() > CANDIDATES { ", …" } else { "" };
    let message = match rows.len() {
        1 => "say which conversation".to_owned(),
        count => format!("there are {count} conversations: say which one"),
    };
    CommandError::failure(message)
        .hint(format!("last changed: {candidates}{more}"))
        .hint("`last` stands for the one last used, `previous` for the one before in this terminal")
}

/// A query does not know where to go, and nobody can be asked.
fn no_target(need: Need<'_>, session: Option<&Session>) -> CommandError {
    let error = CommandError::failure(match session {
        _ if need == Need::Picked => "there is nobody here who could pick a conversation",
        None => NO_SESSION,
        Some(_) => "this terminal has no conversation yet",
    });
    let error = error.hint("`jp query --new \"…\"` begins a conversation").hint(
        "`jp query --id=ID \"…\"` continues one, and `--id=last` the one last used; \
             `jp conversation ls` lists them",
    );
    error.hint(SHARE_A_SESSION)
}

const NO_SESSION: &str = "there is no terminal here that a conversation could belong to";
const SHARE_A_SESSION: &str = "scripts that set `JP_SESSION` to the same text share a conversation";

/// The conversation of a terminal to read it, wherever it is kept, if the terminal has one.
fn recalled_to_read(
    output: &mut Output,
    workspace: &Workspace,
    session: &Session,
) -> Result<Option<Handle>, CommandError> {
    let recalled = workspace.session_conversation(session).map_err(CommandError::failure)?;
    if let Some(note) = recalled.note {
        output.warn(note);
    }
    match recalled.conversation {
        SessionConversation::Active(handle) | SessionConversation::PutAway(handle) => {
            Ok(Some(handle))
        }
        SessionConversation::Nothing => Ok(None),
        SessionConversation::Gone(id) => Err(gone(id)),
    }
}

/// The conversation of a terminal, if it has one. Another one is never chosen in the place of one
/// that was put away.
pub fn recalled(
    output: &mut Output,
    workspace: &Workspace,
    session: &Session,
) -> Result<Option<Handle>, CommandError> {
    let Some(handle) = recalled_to_read(output, workspace, session)? else { return Ok(None) };
    let id = handle.id();
    let back = match handle.space() {
        Space::Heads => return Ok(Some(handle)),
        Space::Archive => format!("`jp conversation unarchive {id}` brings it back"),
        Space::Trash => format!("`jp conversation restore {id}` brings it back"),
    };
    let message = format!("the conversation of this terminal, {id}, was put away");
    Err(other_ways(CommandError::failure(message).hint(back)))
}

fn gone(id: ConversationId) -> CommandError {
    other_ways(CommandError::failure(format!("the conversation of this terminal, {id}, is gone")))
}

fn other_ways(error: CommandError) -> CommandError {
    error
        .hint("`jp query --new \"…\"` begins another one")
        .hint("`jp conversation use ID` turns this terminal to one that is there")
}

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
    SelectError::NoneYet.into()
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
