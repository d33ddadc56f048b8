//! Where the events of a query go: a conversation, one that is about to begin, or nowhere.

use toml::Table;

use crate::{
    format::encode,
    model::{Address, AnswerId, ConversationId, Event, Finish, Meta, Usage},
    plan::Draft,
    turn::Sink,
    workspace::{Appended, Guard, Operation, Session, Workspace, WriteFailure},
};

/// Stores the events of one turn as one operation.
pub struct Keeper<'a> {
    session: Option<&'a Session>,
    place: Place<'a>,
    notes: Vec<String>,
    /// The last block that was stored, and its answer.
    last: Option<(Appended, Option<AnswerId>)>,
}

enum Place<'a> {
    /// A conversation that begins with the first event.
    New { workspace: &'a Workspace, meta: Meta, config: Table },
    /// A conversation that nobody else writes meanwhile.
    Open { workspace: &'a Workspace, guard: Guard, operation: Operation },
    /// Nothing is kept.
    Nowhere,
}

impl<'a> Keeper<'a> {
    /// Keeps events in a conversation that begins with the first of them.
    pub fn of_new(
        workspace: &'a Workspace,
        session: Option<&'a Session>,
        meta: Meta,
        config: Table,
    ) -> Self {
        Self::at(session, Place::New { workspace, meta, config })
    }

    /// Keeps events at the end of a conversation.
    pub fn of(
        workspace: &'a Workspace,
        session: Option<&'a Session>,
        guard: Guard,
    ) -> Result<Self, WriteFailure> {
        let operation = workspace.begin_operation(&guard)?;
        let mut keeper = Self::at(session, Place::Open { workspace, guard, operation });
        keeper.activate();
        Ok(keeper)
    }

    /// Keeps nothing.
    pub fn of_nothing() -> Self {
        Self::at(None, Place::Nowhere)
    }

    fn at(session: Option<&'a Session>, place: Place<'a>) -> Self {
        Self { session, place, notes: Vec::new(), last: None }
    }

    /// From now on the terminal is about this conversation.
    fn activate(&mut self) {
        let (Some(session), Place::Open { workspace, guard, .. }) = (self.session, &self.place)
        else {
            return;
        };
        match workspace.activate(session, guard.id()) {
            Ok(note) => self.notes.extend(note),
            Err(error) => self.notes.push(error.to_string()),
        }
    }

    /// The conversation, once there is one.
    pub fn id(&self) -> Option<ConversationId> {
        match &self.place {
            Place::Open { guard, .. } => Some(guard.id()),
            Place::New { .. } | Place::Nowhere => None,
        }
    }

    /// What the user should hear about.
    pub fn take_notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.notes);
        if let Place::Open { guard, .. } = &mut self.place {
            notes.extend(guard.take_notes());
        }
        notes
    }

    /// Clears away what sessions that are over have left.
    pub fn tidy(&self) {
        if let (Some(_), Place::Open { workspace, .. }) = (self.session, &self.place) {
            workspace.clear_stale_sessions();
        }
    }

    /// Gives the conversation a better title, as a part of the turn.
    pub fn name(&mut self, title: &str) {
        let Place::Open { workspace, guard, operation } = &mut self.place else { return };
        let subject = format!("title {title}");
        let change = |meta: &mut Meta| meta.title = Some(title.to_owned());
        let named = workspace.revise_meta_in(guard, operation, &subject, change);
        if let Err(error) = named {
            self.notes.push(format!("the conversation keeps its title: {error}"));
        }
    }

    fn store(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>, WriteFailure> {
        match &mut self.place {
            Place::New { workspace, meta, config } => {
                let workspace = *workspace;
                let (guard, operation, events) = workspace.create_for(meta, config, drafts)?;
                self.place = Place::Open { workspace, guard, operation };
                self.activate();
                Ok(events)
            }
            Place::Open { workspace, guard, operation } => {
                workspace.append_in(guard, operation, drafts)
            }
            Place::Nowhere => Ok(Vec::new()),
        }
    }
}

impl Sink for Keeper<'_> {
    type Error = WriteFailure;

    fn append(&mut self, events: &[Event]) -> Result<Vec<Option<Address>>, WriteFailure> {
        if matches!(self.place, Place::Nowhere) {
            return Ok(vec![None; events.len()]);
        }
        let draft = |event: &Event| match encode(event) {
            Ok(bytes) => Ok(Draft { event: event.clone(), bytes }),
            Err(error) => Err(WriteFailure::Encode(error)),
        };
        let drafts = events.iter().map(draft).collect::<Result<Vec<_>, _>>()?;
        let stored = self.store(&drafts)?;
        for (event, appended) in events.iter().zip(&stored) {
            if let Some(block) = event.block() {
                self.last = Some((appended.clone(), block.answer.clone()));
            }
        }
        Ok(stored.into_iter().map(|event| Some(event.address)).collect())
    }

    fn seal(
        &mut self,
        answer: &AnswerId,
        finish: &Finish,
        usage: &Usage,
    ) -> Result<(), WriteFailure> {
        let (Place::Open { workspace, guard, operation }, Some((appended, of))) =
            (&mut self.place, &self.last)
        else {
            return Ok(());
        };
        if of.as_ref() != Some(answer) {
            return Ok(());
        }
        workspace.seal_in(guard, operation, (appended, answer), finish, usage)
    }
}
