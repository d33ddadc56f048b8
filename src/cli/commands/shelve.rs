//! What archive, unarchive, rm and restore have in common: conversations move, and how to move them
//! back is told.

use serde_json::{Value, json};

use super::{DONE, Outcome, locking, workspace_with};
use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    env::Env,
    model::ConversationId,
    store::Space,
    workspace::{Handle, Workspace},
};

/// Moves conversations to a space: all that are named, or none if one is unknown.
pub fn shelve(
    env: &Env,
    output: &mut Output,
    ids: &[String],
    to: Space,
    format: &FormatArg,
) -> Outcome {
    let Some(first) = ids.first() else {
        return Err(CommandError::usage("no conversation was named"));
    };
    let workspace = workspace_with(env, first)?;
    let mut handles: Vec<Handle> = Vec::new();
    for id in ids {
        let handle = workspace.select(id)?;
        if handles.iter().all(|known| known.id() != handle.id()) {
            handles.push(handle);
        }
    }
    for handle in &handles {
        check_place(handle, to)?;
    }
    let (mut moves, mut failure) = (Vec::new(), None);
    for handle in handles {
        let moved = match move_to(env, output, &workspace, &handle, to) {
            Ok(moved) => moved,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        moved.remember(output);
        if format.is_json() {
            moves.push(moved.to_json());
        } else {
            moved.tell(output)?;
        }
    }
    // What was done before something failed is told too.
    if format.is_json() && !(moves.is_empty() && failure.is_some()) {
        output.json(&Value::Array(moves))?;
    }
    failure.map_or(Ok(DONE), Err)
}

fn move_to(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    to: Space,
) -> Result<Moved, CommandError> {
    let hold = locking::hold(env, output, workspace, handle)?;
    // Whoever had the lock before may have moved it.
    check_place(&hold, to)?;
    let moved = Moved { id: hold.id(), from: hold.space(), to };
    workspace.shelve(hold, to)?;
    Ok(moved)
}

/// What is in the trash leaves it by `restore` alone.
fn check_place(handle: &Handle, to: Space) -> Result<(), CommandError> {
    if handle.space() != Space::Trash || to == Space::Trash {
        return Ok(());
    }
    let id = handle.id();
    Err(CommandError::failure(format!("conversation {id} is in the trash"))
        .hint(format!("`jp conversation restore {id}` brings it back")))
}

/// A conversation that went from one space to another, or was there already.
pub struct Moved {
    pub id: ConversationId,
    pub from: Space,
    pub to: Space,
}

impl Moved {
    /// Has it told even if it cannot be printed.
    pub fn remember(&self, output: &mut Output) {
        if self.inverse().is_some() {
            output.done(self.now());
        }
    }

    /// Tells people where it is now, and how to take that back.
    pub fn tell(&self, output: &mut Output) -> std::io::Result<()> {
        let Some(inverse) = self.inverse() else {
            output.say(format_args!("{} is {} already", self.id, self.to.whereabouts()));
            return Ok(());
        };
        output.line(self.now())?;
        output.hint_at_inverse(&inverse);
        Ok(())
    }

    /// Tells programs the same.
    pub fn to_json(&self) -> Value {
        json!({"id": self.id, "space": self.to.name(), "inverse": self.inverse()})
    }

    fn now(&self) -> String {
        format!("{} is {} now", self.id, self.to.whereabouts())
    }

    /// The command that takes it back, unless there is nothing to take back.
    fn inverse(&self) -> Option<String> {
        let verb = match (self.from, self.to) {
            (from, to) if from == to => return None,
            (_, Space::Trash) => "restore",
            (Space::Trash, _) => "rm",
            (_, Space::Archive) => "unarchive",
            (_, Space::Heads) => "archive",
        };
        Some(format!("jp conversation {verb} {}", self.id))
    }
}
