//! Which turns a compaction covers.

use std::ops::RangeInclusive;

use crate::{
    cli::{args::Wish, commands::now, error::CommandError},
    env::Env,
    history::{Moment, Scope},
    model::{Entry, Stream, Turn, counted},
};

/// The turns that a compaction covers, or why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// These.
    Turns(RangeInclusive<u64>),
    /// None, for this reason.
    Nothing(String),
}

/// Finds the turns. Only a reset may cover the turn under way.
pub fn reach(
    env: &Env,
    wish: &Wish,
    is_reset: bool,
    stream: &Stream,
) -> Result<Reach, CommandError> {
    let from = wish.from.as_deref().map(|text| bound(env, text, stream, Side::From)).transpose()?;
    let to = wish.to.as_deref().map(|text| bound(env, text, stream, Side::To)).transpose()?;
    let begun = stream.begun();
    let under_way = stream.incomplete.as_ref().map(|incomplete| incomplete.turn.number);
    if let (Some(Some(to)), Some(under_way)) = (to, under_way)
        && to == under_way
        && !is_reset
    {
        let message = format!("turn {to} is not complete: it has to stay as it is until it is");
        return Err(CommandError::usage(message).hint("`--to` may name an earlier turn"));
    }
    let ends = if is_reset { begun } else { stream.turns.len() as u64 };
    let Some(last) = ends.checked_sub(1) else {
        return Ok(Reach::Nothing("no turn is complete yet".to_owned()));
    };
    let (Some(from), Some(to)) = (from.unwrap_or(Some(0)), to.unwrap_or(Some(last))) else {
        return Ok(Reach::Nothing("there is no turn of that time".to_owned()));
    };
    if from > to {
        return Err(CommandError::usage(format!("turn {from} comes after turn {to}")));
    }
    let kept_by_itself = u64::from(wish.to.is_none() && !is_reset);
    let keep_last = wish.keep_last.unwrap_or(kept_by_itself);
    let first = from.max(wish.keep_first.unwrap_or(0));
    let turns = begun.saturating_sub(keep_last).checked_sub(1).map(|end| first..=to.min(end));
    match turns.filter(|turns| !turns.is_empty()) {
        Some(turns) => Ok(Reach::Turns(turns)),
        None => Ok(Reach::Nothing(spared(begun, keep_last, wish.keep_first.unwrap_or(0)))),
    }
}

/// Why nothing is left.
fn spared(begun: u64, keep_last: u64, keep_first: u64) -> String {
    let mut kept = Vec::new();
    if keep_first > 0 {
        kept.push(format!("the first {keep_first}"));
    }
    if keep_last > 0 {
        kept.push(format!("the last {keep_last}"));
    }
    let kept = if kept.is_empty() { "some".to_owned() } else { kept.join(" and ") };
    let verb = if begun == 1 { "is" } else { "are" };
    format!("there {verb} {}, and {kept} stay as they are", counted(begun, "turn"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    To,
}

/// A turn by its number or by what is in it; `None` if there was nothing at that time.
fn bound(env: &Env, text: &str, stream: &Stream, side: Side) -> Result<Option<u64>, CommandError> {
    let trimmed = text.trim();
    let is_number = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit());
    let moment = match trimmed.parse() {
        // A bare number is a turn here, since turns are what is compacted.
        Ok(number) if is_number => Moment::Turn(number),
        _ => Moment::parse(text, Scope::Place, &now(env)).map_err(CommandError::usage)?,
    };
    let all = || {
        let under_way = stream.incomplete.iter().map(|incomplete| &incomplete.turn);
        stream.turns.iter().chain(under_way)
    };
    let begun = stream.begun();
    match moment {
        Moment::Turn(turn) if turn < begun => Ok(Some(turn)),
        Moment::Turn(turn) => {
            let turns = match begun {
                0 => "there are no turns yet".to_owned(),
                1 => "there is one, turn 0".to_owned(),
                count => format!("there are {count}, 0 to {}", count - 1),
            };
            Err(CommandError::usage(format!("there is no turn {turn}: {turns}")))
        }
        Moment::Event(address) => {
            let holds = |turn: &&Turn| turn.entries.iter().any(|entry| entry.address == address);
            let found = all().find(holds).map(|turn| turn.number);
            let none = || CommandError::usage(format!("no turn holds event {address}"));
            found.ok_or_else(none).map(Some)
        }
        Moment::Time(time) => {
            let fits = |entry: &Entry| match side {
                Side::From => entry.event.timestamp.instant() >= time,
                Side::To => entry.event.timestamp.instant() <= time,
            };
            let mut fitting =
                all().filter(|turn| turn.entries.iter().any(fits)).map(|turn| turn.number);
            Ok(match side {
                Side::From => fitting.next(),
                Side::To => fitting.next_back(),
            })
        }
        Moment::Commit(_) | Moment::Operations(_) => {
            Err(CommandError::usage(format!("`{text}` is not a turn")))
        }
    }
}
