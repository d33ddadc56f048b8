//! Who changes the queue of a conversation: the process that is at it, else whoever has the lock.

use crate::{
    cli::{
        commands::{Next, find_to_change, locking, reaching::change_queue, warn_of_dropped},
        error::CommandError,
        output::Output,
    },
    env::Env,
    format::encode,
    model::{Body, ConversationId, Event, EventKind, Request},
    plan,
    serve::{EventText, FromClient},
    store::ObjectId,
    workspace::{Guard, Handle, Queued, QueuedFile, Workspace},
};

/// A conversation whose queue is to be changed.
pub struct Desk {
    pub workspace: Workspace,
    /// The conversation as it was read.
    pub handle: Handle,
    /// The lock, unless a process is at the conversation.
    pub guard: Option<Guard>,
}

/// That a change is on disk.
#[derive(Clone, Copy)]
pub struct Stored {
    /// A commit that has it.
    pub commit: ObjectId,
}

impl Desk {
    /// Finds the conversation, and takes its lock unless a process is at it.
    pub fn open(env: &Env, output: &mut Output, id: Option<&str>) -> Result<Self, CommandError> {
        let (workspace, handle) = find_to_change(env, output, id)?;
        warn_of_dropped(output, &workspace, &handle, Next::Writes);
        let mut desk = Self { workspace, handle, guard: None };
        if desk.workspace.process_of(desk.id()).is_none() {
            desk.lock(env, output)?;
        }
        Ok(desk)
    }

    /// The conversation.
    pub fn id(&self) -> ConversationId {
        self.handle.id()
    }

    /// The version that is to be changed.
    pub fn handle(&self) -> &Handle {
        self.guard.as_deref().unwrap_or(&self.handle)
    }

    /// Takes a follow-up out.
    pub fn drop_one(
        &mut self,
        env: &Env,
        output: &mut Output,
        file: &QueuedFile,
    ) -> Result<Stored, CommandError> {
        let (number, blob) = (file.name.address().number(), file.blob.to_string());
        self.store(env, output, &FromClient::Unqueue { number, blob }, |workspace, guard| {
            Ok(workspace.unqueue(guard, file)?)
        })
    }

    /// Puts another text in the place of a follow-up; everything else about it stays.
    pub fn change(
        &mut self,
        env: &Env,
        output: &mut Output,
        queued: &Queued,
        content: Body,
    ) -> Result<Stored, CommandError> {
        let kind = EventKind::Request(Request { content, interrupts: false });
        let event = Event { kind, ..queued.event.clone() };
        let draft = plan::Draft { bytes: encode(&event)?, event };
        let (number, blob) = (queued.name.address().number(), queued.blob.to_string());
        let request = EventText::of(&draft.event);
        let message = FromClient::Requeue { number, blob, request };
        self.store(env, output, &message, |workspace, guard| {
            Ok(workspace.requeue(guard, &queued.file(), &draft)?)
        })
    }

    /// Lets the process that is at the conversation change it; if none is any more, changes it with
    /// the lock.
    fn store(
        &mut self,
        env: &Env,
        output: &mut Output,
        message: &FromClient,
        write: impl Fn(&Workspace, &mut Guard) -> Result<(), CommandError>,
    ) -> Result<Stored, CommandError> {
        let id = self.id();
        if self.guard.is_none() {
            // What was dropped or changed in vain is told by whoever is asked again.
            if change_queue(&self.workspace, id, message, || Ok(None))?.is_some() {
                let commit = self.workspace.select(&id.to_string())?.commit();
                return Ok(Stored { commit });
            }
        }
        let (workspace, guard) = self.lock(env, output)?;
        write(workspace, guard)?;
        Ok(Stored { commit: guard.commit() })
    }

    fn lock(
        &mut self,
        env: &Env,
        output: &mut Output,
    ) -> Result<(&Workspace, &mut Guard), CommandError> {
        let guard = match self.guard.take() {
            Some(guard) => guard,
            None => locking::lock(env, output, &self.workspace, self.handle.clone())?,
        };
        Ok((&self.workspace, self.guard.insert(guard)))
    }
}
