//! Forks: a new conversation that goes on from a version of another one, cut as asked.

use std::ops::Range;

use super::Moment;
use crate::{
    format::encode_meta,
    model::{ConversationId, Entry, Forked, Meta, Stream, Timestamp},
    plan::{self, Change, Edit, Heading, Summary, TreePath},
    store::Problem,
    workspace::{Conversation, Guard, Handle, LoadError, Workspace, WriteFailure},
};

/// What a fork keeps of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Everything.
    #[default]
    All,
    /// The last turns.
    Last(u64),
    /// The first turns.
    First(u64),
    /// What lies between two places, both included; a turn is kept from its beginning.
    Between(Option<Moment>, Option<Moment>),
}

/// A fork that was made.
#[derive(Debug)]
pub struct Fork {
    /// The id of the new conversation.
    pub id: ConversationId,
    /// The new conversation, at its first commit of its own.
    pub guard: Guard,
    /// How many events it has; `None` if that cannot be read.
    pub events: Option<u64>,
    /// What else had to change, one line each.
    pub remarks: Vec<String>,
}

/// Why a conversation was not forked.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ForkError {
    #[error("nothing of conversation {id} would be kept")]
    Nothing { id: ConversationId },
    #[error("conversation {id} has no turn {turn}: {}", super::at::turns(*begun))]
    NoTurn { id: ConversationId, turn: u64, begun: u64 },
    #[error("conversation {id} has to be mended before it can be cut: {problem}")]
    Damaged { id: ConversationId, problem: Box<Problem> },
    #[error("conversation {id} cannot be cut: {why}")]
    Refused { id: ConversationId, why: String },
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Write(#[from] WriteFailure),
}

/// Makes a fork of a version. If everything is kept, that takes the same time at any length.
pub fn fork(
    workspace: &Workspace,
    source: &Handle,
    keep: &Keep,
    title: Option<String>,
    now: Timestamp,
) -> Result<Fork, ForkError> {
    let id = source.id();
    let old = workspace.meta(source)?;
    let forked = Some(Forked { from: id, commit: source.commit().to_string() });
    let title = title.or_else(|| old.title.clone());
    let meta = Meta { title, forked, created: Some(now), ..old };
    let (mut changes, remarks, summary) = match keep {
        Keep::All => (Vec::new(), Vec::new(), workspace.summary(source)?),
        keep => {
            let plan = plan_cut(workspace, source, keep)?;
            let summary = Summary::new(Heading::from(&meta), &plan.outline);
            (plan.changes, plan.remarks, Some(summary))
        }
    };
    let summary = summary.map(|summary| Summary { heading: Heading::from(&meta), ..summary });
    changes.push(Change::Put(TreePath::meta(), encode_meta(&meta)));
    // What waits is asked once, in the conversation that it was sent to.
    changes.push(Change::Remove(TreePath::queue()));
    let guard = workspace.branch(source, &changes, summary.as_ref(), &remarks)?;
    let events = summary.map(|summary| summary.events);
    Ok(Fork { id: guard.id(), guard, events, remarks })
}

fn plan_cut(workspace: &Workspace, source: &Handle, keep: &Keep) -> Result<Edit, ForkError> {
    let id = source.id();
    let conversation = workspace.load(source)?;
    let damage = conversation.problems.iter().find(|problem| !problem.is_harmless());
    if let Some(problem) = damage {
        return Err(ForkError::Damaged { id, problem: Box::new(problem.clone()) });
    }
    let kept = kept(&conversation, keep)?;
    let Some(last) = kept.end.checked_sub(1).filter(|last| *last >= kept.start) else {
        return Err(ForkError::Nothing { id });
    };
    plan::cut(&conversation.into_layout(), &(kept.start..=last)).map_err(|faults| {
        let why = faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        ForkError::Refused { id, why }
    })
}

/// The positions in the stream that are kept. The first one begins a turn.
fn kept(conversation: &Conversation, keep: &Keep) -> Result<Range<usize>, ForkError> {
    let id = conversation.id;
    let stream = conversation.stream();
    let turns = turns(&stream);
    let end = turns.last().map_or(0, |turn| turn.end);
    let begun = stream.begun();
    Ok(match keep {
        Keep::All => 0..end,
        Keep::Last(last) => {
            // What waits for a request goes along, and is not counted.
            let gone = begun.saturating_sub(*last);
            let start = start_of(&turns, gone).filter(|_| *last > 0);
            start.unwrap_or(end)..end
        }
        Keep::First(first) => 0..start_of(&turns, *first).unwrap_or(end),
        Keep::Between(from, until) => {
            let entries: Vec<&Entry> = stream.entries().collect();
            let start = match from {
                None => 0,
                Some(Moment::Turn(turn)) => {
                    start_of(&turns, *turn).ok_or(ForkError::NoTurn { id, turn: *turn, begun })?
                }
                Some(moment) => {
                    let position = first_from(id, &entries, moment)?;
                    // A turn without its request would be no turn.
                    let turn = turns.iter().find(|turn| turn.contains(&position));
                    turn.map_or(position, |turn| turn.start)
                }
            };
            let end = match until {
                None => end,
                Some(Moment::Turn(turn)) if start_of(&turns, *turn).is_none() => {
                    return Err(ForkError::NoTurn { id, turn: *turn, begun });
                }
                Some(Moment::Turn(turn)) => start_of(&turns, turn.saturating_add(1)).unwrap_or(end),
                Some(moment) => end_at(id, &entries, moment)?,
            };
            start..end
        }
    })
}

/// The positions of each turn in the stream; what waits for a request is a turn to come.
fn turns(stream: &Stream) -> Vec<Range<usize>> {
    let complete = stream.turns.iter().map(|turn| turn.entries.len());
    let under_way = stream.incomplete.iter().map(|incomplete| incomplete.turn.entries.len());
    let waiting = Some(stream.waiting.len()).filter(|count| *count > 0);
    let mut start = 0;
    let ranges = complete.chain(under_way).chain(waiting).map(|length| {
        let range = start..start + length;
        start = range.end;
        range
    });
    ranges.collect()
}

fn start_of(turns: &[Range<usize>], number: u64) -> Option<usize> {
    turns.get(usize::try_from(number).ok()?).map(|turn| turn.start)
}

/// The first event that is kept.
fn first_from(id: ConversationId, entries: &[&Entry], moment: &Moment) -> Result<usize, ForkError> {
    let found = match moment {
        Moment::Event(address) => {
            let found = entries.iter().position(|entry| entry.address == *address);
            return Ok(found.ok_or(LoadError::NoEvent { id, address: *address })?);
        }
        Moment::Time(time) => {
            entries.iter().position(|entry| entry.event.timestamp.instant() >= *time)
        }
        Moment::Turn(_) | Moment::Commit(_) | Moment::Operations(_) => None,
    };
    Ok(found.unwrap_or(entries.len()))
}

/// The position after the last event that is kept.
fn end_at(id: ConversationId, entries: &[&Entry], moment: &Moment) -> Result<usize, ForkError> {
    let found = match moment {
        Moment::Event(address) => {
            let found = entries.iter().position(|entry| entry.address == *address);
            Some(found.ok_or(LoadError::NoEvent { id, address: *address })?)
        }
        Moment::Time(time) => {
            entries.iter().rposition(|entry| entry.event.timestamp.instant() <= *time)
        }
        Moment::Turn(_) | Moment::Commit(_) | Moment::Operations(_) => None,
    };
    Ok(found.map_or(0, |last| last + 1))
}
