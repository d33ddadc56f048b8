//! What a turn begins with: the request, what changed before it, and how a new conversation is
//! headed.

use super::{
    super::{label, title},
    reading::Asked,
    resuming::Settled,
    scene::Scene,
};
use crate::{
    cli::{args::Query, error::CommandError},
    env::Env,
    model::{Attachment, Event, EventKind, Meta, Progress, Request, Timestamp},
    turn::{Input, Resumption},
};

/// What a turn begins with.
pub struct Beginning {
    /// The head of a conversation that begins with it.
    pub meta: Meta,
    /// The first input of the turn.
    pub first: Input,
}

impl Beginning {
    /// What a turn begins with that was asked for like this.
    pub fn of(
        env: &Env,
        heading: Meta,
        asked: &Asked,
        beside: Vec<Attachment>,
        scene: &mut Scene,
    ) -> Result<Self, CommandError> {
        let title = heading.title.clone().or_else(|| asked.title());
        let first = first_input(env, asked, beside, scene)?;
        Ok(Self { meta: Meta { title, ..heading }, first })
    }
}

impl Beginning {
    /// Puts a compaction before the request, or before what is missing.
    pub fn compact(&mut self, compaction: Option<Event>) {
        let Some(compaction) = compaction else { return };
        match &mut self.first {
            Input::Begin(events) => events.insert(events.len().saturating_sub(1), compaction),
            Input::Resume(resumption) => resumption.changes.push(compaction),
            _ => {}
        }
    }
}

/// Title and labels of a new conversation.
pub fn heading(args: &Query) -> Result<Meta, CommandError> {
    let is_new = args.new || args.no_persist;
    if !is_new && (args.title.is_some() || !args.label.is_empty()) {
        return Err(CommandError::usage("only a new conversation is given a title or labels")
            .hint("add `--new`, or use `jp conversation title` and `jp conversation label`"));
    }
    let labels = args.label.iter().map(|text| label::parse(text)).collect::<Result<_, _>>()?;
    Ok(Meta { title: title::check(args.title.as_deref())?, labels, ..Meta::default() })
}

/// Whether a question can be asked now.
pub fn admits_request(progress: &Progress) -> bool {
    progress.admit(&request(b"", Timestamp::from_seconds(0))).is_ok()
}

fn request(text: &[u8], now: Timestamp) -> Event {
    let request = Request { content: text.to_vec().into(), interrupts: false };
    Event::new(now, EventKind::Request(request))
}

/// A request, or what is missing; before it what changed since the last turn, and what is put
/// beside it.
fn first_input(
    env: &Env,
    asked: &Asked,
    beside: Vec<Attachment>,
    scene: &mut Scene,
) -> Result<Input, CommandError> {
    let mut progress = Progress::default();
    for entry in &scene.entries {
        progress.push(&entry.event);
    }
    let now = env.now();
    let delta = scene.resolved.delta().filter(|_| scene.conversation.is_some());
    let delta = delta.map(|table| Event::new(now, EventKind::ConfigDelta(table)));
    if let Settled::Resume(choices) = &mut scene.settled {
        let (decisions, replies) =
            (std::mem::take(&mut choices.decisions), std::mem::take(&mut choices.replies));
        let changes = delta.into_iter().collect();
        let verdicts = scene.verdicts();
        return Ok(Input::Resume(Resumption { changes, decisions, replies, verdicts }));
    }
    let Some(text) = asked.text() else {
        if !beside.is_empty() {
            return Err(CommandError::usage(
                "an attachment goes with a request, and there is none",
            )
            .hint("give a text, or leave out `--no-edit` to write it in an editor"));
        }
        let message = match scene.entries.is_empty() {
            true => "a new conversation has no turn to go on with: there is nothing to ask",
            false => "the last turn is complete: there is nothing to ask",
        };
        return Err(CommandError::usage(message)
            .hint("give a text, or leave out `--no-edit` to write it in an editor"));
    };
    let request = match asked.queued() {
        Some(queued) => queued.event.clone(),
        None => request(text, now),
    };
    if let Err(refusal) = progress.admit(&request) {
        return Err(asked.kept(CommandError::failure(refusal)));
    }
    let beside = beside.into_iter().map(|one| Event::new(now, EventKind::Attachment(one)));
    Ok(Input::Begin(delta.into_iter().chain(beside).chain([request]).collect()))
}
