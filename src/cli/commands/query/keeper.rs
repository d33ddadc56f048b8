//! Where the events of a query go: a conversation, one that is about to begin, or nowhere.

use std::path::Path;

use toml::Table;

use super::{caption::Teller, queueing};
use crate::{
    format::{FileName, encode},
    fsutil::{self, FsError},
    model::{
        Address, AnswerId, ConversationId, Entry, Event, EventKind, Finish, Grant, Meta, Progress,
        Usage, Verdict,
    },
    plan::{Briefing, Draft},
    turn::{Filed, FollowUp, Sink},
    workspace::{Appended, Guard, Operation, Queued, Retracted, Session, Workspace, WriteFailure},
};

/// Stores the events of one turn as one operation.
pub struct Keeper<'a> {
    session: Option<&'a Session>,
    place: Place<'a>,
    notes: Vec<String>,
    /// How far the conversation has come.
    progress: Progress,
    /// The last block that was stored, and its answer.
    last: Option<(Appended, Option<AnswerId>)>,
    /// Who wants to know when something is on disk.
    teller: Option<Teller>,
    /// Whether something is.
    has_begun: bool,
    /// What the model is told beside the conversation, until it is stored.
    briefing: Option<Briefing>,
    /// The follow-up that is asked, until it is stored.
    queued: Option<Queued>,
    /// What the user has answered before, until it is done with.
    verdicts: Vec<Verdict>,
}

enum Place<'a> {
    /// A conversation that begins with the first event.
    New { workspace: &'a Workspace, meta: Meta, config: Table },
    /// A conversation that nobody else writes meanwhile.
    Open { workspace: &'a Workspace, guard: Box<Guard>, operation: Operation },
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
        let (operation, guard) = (workspace.begin_operation(&guard)?, Box::new(guard));
        let verdicts = workspace.verdicts(guard.id());
        let keeper = Self::at(session, Place::Open { workspace, guard, operation });
        let mut keeper = Self { verdicts, ..keeper };
        keeper.activate();
        Ok(keeper)
    }

    /// Keeps nothing.
    pub fn of_nothing() -> Self {
        Self::at(None, Place::Nowhere)
    }

    fn at(session: Option<&'a Session>, place: Place<'a>) -> Self {
        let (notes, progress) = (Vec::new(), Progress::default());
        Self {
            session,
            place,
            notes,
            progress,
            last: None,
            teller: None,
            has_begun: false,
            briefing: None,
            queued: None,
            verdicts: Vec::new(),
        }
    }

    /// The same, after what was said before.
    pub fn after<'e>(mut self, entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        for entry in entries {
            self.progress.push(&entry.event);
        }
        self
    }

    /// The same, which tells somebody when what was asked is on disk.
    pub fn telling(self, teller: Teller) -> Self {
        Self { teller: Some(teller), ..self }
    }

    /// The same, for a turn of which something is on disk already.
    pub fn having_begun(mut self, has_begun: bool) -> Self {
        self.has_begun = has_begun;
        if has_begun {
            self.tell_begun();
        }
        self
    }

    /// The same, which stores what the model is told beside the conversation with the first event.
    pub fn briefed(self, briefing: Briefing) -> Self {
        Self { briefing: Some(briefing), ..self }
    }

    /// The same, which takes a follow-up out of the queue when its request is stored.
    pub fn taking(self, queued: Option<&Queued>) -> Self {
        Self { queued: queued.cloned(), ..self }
    }

    /// How far the conversation has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// From now on the terminal is about this conversation.
    fn activate(&mut self) {
        let Place::Open { workspace, guard, .. } = &self.place else { return };
        match workspace.turn_to(self.session, guard.id()) {
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

    /// The right to write the conversation, for what comes next.
    pub fn release(self) -> Option<Box<Guard>> {
        match self.place {
            Place::Open { guard, .. } => Some(guard),
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
        let stored = self.store_briefed(drafts)?;
        self.briefing = None;
        self.queued = None;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.tell_begun();
        }
        Ok(stored)
    }

    /// Tells whoever wants to know that what was asked is on disk.
    fn tell_begun(&self) {
        if let (Some(teller), Some(id)) = (&self.teller, self.id()) {
            teller.begun(id);
        }
    }

    fn store_briefed(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>, WriteFailure> {
        match &mut self.place {
            Place::New { workspace, meta, config } => {
                let workspace = *workspace;
                let briefing = self.briefing.clone().unwrap_or_default();
                let created = workspace.create_for(meta, config, &briefing, drafts)?;
                let (guard, operation, events) = created;
                let guard = Box::new(guard);
                self.place = Place::Open { workspace, guard, operation };
                self.activate();
                Ok(events)
            }
            Place::Open { workspace, guard, operation } => match (&self.queued, &self.briefing) {
                (Some(Queued { name, .. }), Some(briefing)) => {
                    workspace.take_queued_briefed_in(guard, operation, name, briefing, drafts)
                }
                (Some(Queued { name, .. }), None) => {
                    workspace.take_queued_in(guard, operation, name, drafts)
                }
                (None, Some(briefing)) => {
                    workspace.append_briefed_in(guard, operation, briefing, drafts)
                }
                (None, None) => workspace.append_in(guard, operation, drafts),
            },
            Place::Nowhere => Ok(Vec::new()),
        }
    }

    /// Stores events one by one, and keeps beside the stream what somebody has taken the place of.
    fn store_each(&mut self, drafts: &[Draft]) -> Result<Vec<Appended>, WriteFailure> {
        let mut stored = Vec::new();
        for draft in drafts {
            stored.extend(match self.store(std::slice::from_ref(draft)) {
                Err(WriteFailure::Refused { .. }) if is_outcome(&draft.event) => {
                    self.set_aside(draft)?
                }
                appended => appended?,
            });
        }
        Ok(stored)
    }

    fn set_aside(&mut self, draft: &Draft) -> Result<Vec<Appended>, WriteFailure> {
        let Place::Open { workspace, guard, operation } = &mut self.place else {
            return Ok(Vec::new());
        };
        let stored = workspace.set_aside_in(guard, operation, draft)?;
        let what = match &draft.event.kind {
            EventKind::ToolResult(_) => "a call was taken out of the conversation; its result",
            _ => "a question was taken out of the conversation; its answer",
        };
        let id = guard.id();
        self.notes.extend(stored.iter().map(|Appended { file, .. }| {
            format!("{what} is kept beside it: `jp git show {id}:{file}` prints it")
        }));
        Ok(stored)
    }

    /// Puts down that calls about which the user has answered before were started, and forgets the
    /// answer once a call has its result or the turn is complete.
    fn note_verdicts(&mut self, events: &[Event]) {
        let Place::Open { workspace, guard, .. } = &self.place else { return };
        let mut verdicts = self.verdicts.clone();
        for event in events {
            match &event.kind {
                EventKind::ToolStart(start) => {
                    let own = verdicts.iter_mut().filter(|verdict| verdict.call == start.id);
                    own.for_each(|verdict| verdict.starts = verdict.starts.max(start.attempt));
                }
                EventKind::ToolResult(result) => {
                    verdicts.retain(|verdict| verdict.call != result.id);
                }
                _ => {}
            }
        }
        if !self.progress.is_incomplete() {
            verdicts.clear();
        }
        if verdicts != self.verdicts {
            if let Err(error) = workspace.keep_verdicts(guard.id(), &verdicts) {
                self.notes.push(format!("what you answered is not forgotten: {error}"));
            }
            self.verdicts = verdicts;
        }
    }

    /// Keeps what could not be stored in files, and notes where.
    fn rescue(&mut self, drafts: &[Draft]) {
        let (Place::New { workspace, .. } | Place::Open { workspace, .. }) = &self.place else {
            return;
        };
        let name = self.id().map_or_else(|| "new".to_owned(), |id| id.to_string());
        let kept = workspace.state_dir().map_err(|error| error.to_string()).and_then(|state| {
            let directory = state.join("unsaved").join(name);
            rescue_to(&directory, drafts).map_err(|error| error.to_string())?;
            Ok(directory)
        });
        self.notes.push(match kept {
            Ok(directory) => {
                format!("what could not be stored is kept in `{}`", directory.display())
            }
            Err(error) => format!("what could not be stored is lost: {error}"),
        });
    }
}

/// The file of an event that is written down for the first time.
fn fresh(event: &Event) -> Result<Draft, WriteFailure> {
    let bytes = encode(event).map_err(WriteFailure::Encode)?;
    Ok(Draft { event: event.clone(), bytes })
}

/// Whether it tells how something ended that cannot be done again.
fn is_outcome(event: &Event) -> bool {
    matches!(event.kind, EventKind::ToolResult(_) | EventKind::InquiryResponse(_))
}

/// Writes events to a directory, each under the first number that is free.
fn rescue_to(directory: &Path, drafts: &[Draft]) -> Result<(), FsError> {
    fsutil::create_dir_private(directory)?;
    let taken = std::fs::read_dir(directory).map_or(0, Iterator::count);
    let free = (0..=Address::MAX).skip(taken).filter_map(Address::new);
    for (address, draft) in free.zip(drafts) {
        let name = FileName::new(address, &draft.event, None);
        fsutil::write_private(&directory.join(name.to_string()), &draft.bytes)?;
    }
    Ok(())
}

impl Sink for Keeper<'_> {
    type Error = WriteFailure;

    fn append(&mut self, events: &[Event]) -> Result<Vec<Option<Address>>, WriteFailure> {
        if matches!(self.place, Place::Nowhere) {
            return Ok(vec![None; events.len()]);
        }
        let queued = self.queued.as_ref();
        let draft = |event: &Event| match queued.filter(|queued| queued.event == *event) {
            Some(queued) => Ok(Draft { event: event.clone(), bytes: queued.bytes.clone() }),
            None => fresh(event),
        };
        let drafts = events.iter().map(draft).collect::<Result<Vec<_>, _>>()?;
        let stored = match self.store(&drafts) {
            Err(WriteFailure::Refused { .. }) if events.iter().any(is_outcome) => {
                self.store_each(&drafts)
            }
            stored => stored,
        };
        if stored.is_err() {
            self.rescue(&drafts);
        }
        let stored = stored?;
        for event in events {
            self.progress.push(event);
        }
        self.note_verdicts(events);
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
        self.progress.close_answer(answer);
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

    fn retract(&mut self, answer: &AnswerId) -> Result<Vec<Address>, WriteFailure> {
        let Place::Open { workspace, guard, operation } = &mut self.place else {
            return Ok(Vec::new());
        };
        let Retracted { addresses, progress, .. } =
            workspace.retract_in(guard, operation, answer)?;
        self.progress = progress.unwrap_or_else(|| std::mem::take(&mut self.progress));
        Ok(addresses)
    }

    fn queue(&mut self, follow_up: &FollowUp) -> Result<Filed, String> {
        let Place::Open { workspace, guard, operation } = &mut self.place else {
            return Err("nothing is kept of this query".to_owned());
        };
        queueing::queue(workspace, guard, operation, follow_up)
    }

    fn grant(&mut self, grant: &Grant) -> Result<(), WriteFailure> {
        let Place::Open { workspace, guard, .. } = &self.place else { return Ok(()) };
        // Whoever allows something for good and is asked again has lost nothing.
        if let Err(error) = workspace.grant(guard.id(), grant) {
            self.notes.push(format!("it will be asked about again: {error}"));
        }
        Ok(())
    }
}
