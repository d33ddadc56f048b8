//! Locks that are waited for: who else wants to write, when that is told, and what can be done.
//!
//! Whoever only reads takes no lock, and a fork takes none of what it is made from.

mod at_terminal;
mod unattended;

use std::time::Duration;

use self::{
    at_terminal::{AtTerminal, Choice},
    unattended::Unattended,
};
use super::{BY_SIGNAL, can_ask};
use crate::{
    cli::{error::CommandError, output::Output},
    config::Patience,
    env::Env,
    model::ConversationId,
    store::Holder,
    workspace::{Guard, Handle, Hold, Meanwhile, Waited, Workspace, WriteFailure},
};

/// The variable that says how long a lock is waited for.
const VARIABLE: &str = "JP_LOCK_DURATION";

/// What a query goes on with.
#[derive(Debug)]
pub enum Locked {
    /// The conversation that was meant.
    Guard(Box<Guard>),
    /// A new one, because somebody would not wait.
    New,
    /// A fork of this one, because somebody would not wait.
    Fork(Handle),
}

/// Locks a conversation to change it, and waits if somebody else is at it.
pub fn lock(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: Handle,
) -> Result<Guard, CommandError> {
    // What was put away is refused at once, whoever has it.
    handle.check_active()?;
    Ok(workspace.guard(hold(env, output, workspace, &handle)?)?)
}

/// Locks a conversation wherever it is kept, and waits if somebody else is at it.
pub fn hold(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
) -> Result<Hold, CommandError> {
    let served = |error| past_server(error, workspace, handle.id());
    match wait(env, output, workspace, handle, true, Offer::Waiting).map_err(served)? {
        Ended::Held(hold) => Ok(hold),
        Ended::Chosen(choice) => Err(served(declined(handle.id(), choice))),
    }
}

/// Locks a conversation for a query, and waits if somebody else is at it; whoever can be asked may
/// go on elsewhere instead.
pub fn lock_or_else(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: Handle,
    interactive: bool,
) -> Result<Locked, CommandError> {
    handle.check_active()?;
    let ended = wait(env, output, workspace, &handle, interactive, Offer::Elsewhere);
    let elsewhere = |error| elsewhere(error, workspace, handle.id());
    match ended.map_err(elsewhere)? {
        Ended::Held(hold) => Ok(Locked::Guard(Box::new(workspace.guard(hold)?))),
        Ended::Chosen(Choice::New) => Ok(Locked::New),
        Ended::Chosen(Choice::Fork) => Ok(Locked::Fork(handle)),
        Ended::Chosen(choice) => Err(elsewhere(declined(handle.id(), choice))),
    }
}

/// What somebody who would have to wait is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offer {
    /// Nothing else.
    Waiting,
    /// To go on in another conversation.
    Elsewhere,
}

/// How it ended.
enum Ended {
    Held(Hold),
    Chosen(Choice),
}

fn wait(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    interactive: bool,
    offer: Offer,
) -> Result<Ended, CommandError> {
    let (id, patience) = (handle.id(), patience(env)?.duration());
    match workspace.hold(handle) {
        Ok(hold) => return Ok(Ended::Held(hold)),
        Err(WriteFailure::Locked { .. }) if !patience.is_zero() => {}
        Err(error) => return Err(error.into()),
    }
    if !interactive || !can_ask(env) {
        let mut unattended = Unattended::new(id);
        let waited = workspace.hold_within(handle, patience, |waiting| {
            unattended.meanwhile(output, &waiting);
            Meanwhile::LookAgain
        })?;
        return Ok(match waited {
            Waited::Held(hold) => Ended::Held(hold),
            Waited::Stopped(choice) => Ended::Chosen(choice),
        });
    }
    let mut terminal = AtTerminal::new(env, id, patience, offer);
    // A person is asked when the patience is over, and not sent away.
    let waited =
        workspace.hold_within(handle, Duration::MAX, |waiting| terminal.meanwhile(&waiting))?;
    Ok(match waited {
        Waited::Stopped(choice) => Ended::Chosen(choice),
        // An answer that was given in the same moment counts.
        Waited::Held(hold) => match terminal.close() {
            Some(choice) => Ended::Chosen(choice),
            None => Ended::Held(hold),
        },
    })
}

/// How long a lock is waited for.
fn patience(env: &Env) -> Result<Patience, CommandError> {
    let Some(value) = env.var(VARIABLE) else { return Ok(Patience::default()) };
    let value = value.to_string_lossy();
    value.parse().map_err(|_malformed| {
        let value = value.escape_debug();
        CommandError::usage(format!("`{VARIABLE}` is `{value}`, which is not a time to wait"))
            .hint("write it as `10s`, `2m`, `1h`, `500ms` or `1m 30s`; `0` does not wait at all")
    })
}

/// Why nothing was done, if somebody did not want to wait.
fn declined(id: ConversationId, choice: Choice) -> CommandError {
    match choice {
        Choice::Interrupted(signal) => {
            let message = format!("waiting for the lock on conversation {id} was interrupted");
            CommandError::failure(message).by_signal(BY_SIGNAL + signal)
        }
        Choice::Cancelled { holder, waited } => WriteFailure::Locked { id, holder, waited }.into(),
        // Nobody is offered these who cannot have them.
        Choice::New | Choice::Fork => {
            WriteFailure::Locked { id, holder: None, waited: Duration::ZERO }.into()
        }
    }
}

/// What can be done about a process that serves a conversation.
fn past_server(error: CommandError, workspace: &Workspace, id: ConversationId) -> CommandError {
    if !error.is_try_again() || workspace.process_of(id).is_none() {
        return error;
    }
    error.hint(follow(id)).hint(end(id))
}

fn follow(id: ConversationId) -> String {
    format!("`jp conversation attach {id}` follows what it does, and answers its questions")
}

fn end(id: ConversationId) -> String {
    format!("`jp conversation kill {id}` ends it")
}

/// The ways past a conversation that is locked, for a query.
fn elsewhere(error: CommandError, workspace: &Workspace, id: ConversationId) -> CommandError {
    if !error.is_try_again() {
        return error;
    }
    let fork = format!("`jp query --fork --id={id} \"…\"` goes on in a fork of this one");
    let new = "`jp query --new \"…\"` begins a new one";
    if workspace.process_of(id).is_some() {
        return error.hint(follow(id)).hint(fork).hint(new).hint(end(id));
    }
    error
        .hint("`jp query --id \"…\"` lets you choose another conversation")
        .hint("`jp query --id=ID \"…\"` continues the one that you name")
        .hint("`jp query --id=last \"…\"` continues the one that was used last")
        .hint(new)
        .hint(fork)
}

/// Who holds a lock, in a few words that are fit for a line.
fn who(holder: Option<&Holder>) -> String {
    const MOST: usize = 60;
    let words = Holder::in_words(holder);
    crate::ui::shorten(&crate::ui::escape(&words), MOST).into_owned()
}
