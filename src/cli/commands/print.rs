//! `jp conversation print`

use std::{num::NonZeroU64, ops::Range};

use super::{DONE, Outcome, to_read};
use crate::{
    cli::{args::Print, error::CommandError, output::Output},
    env::Env,
    model::{ConversationId, Entry, Stream},
    plan::Listed,
    projection::{Compacted, Omission, compact},
    ui::{Detail, Gap, Hole, Look, Size, Transcript},
};

pub fn run(env: &Env, output: &mut Output, args: &Print) -> Outcome {
    let (workspace, handle) = to_read(env, output, &args.target)?;
    let conversation = workspace.load(&handle)?;
    let title = match &conversation.snapshot.meta.title {
        Some(title) => format!("{title} ({})", conversation.id),
        None => conversation.id.to_string(),
    };
    let mut fixes = Vec::new();
    let (stream, holes, gaps) = match args.compacted {
        false => {
            let (stream, holes) = told_apart(conversation.listed);
            (stream, holes, Vec::new())
        }
        true => {
            let (stream, mends) = conversation.sanitized();
            fixes = mends;
            let Compacted { stream, omissions } = compact(stream);
            (stream, Vec::new(), omissions.iter().map(gap).collect())
        }
    };
    let transcript = Transcript {
        title: &title,
        stream: &stream,
        holes: &holes,
        gaps: &gaps,
        turns: chosen(args, conversation.id, &stream)?,
        look: look(env, output),
        detail: Detail { tools: args.tools, reasoning: args.reasoning },
        zone: env.time_zone(),
    };
    let is_terminal = output.is_terminal();
    output.paged(env, |output| match (args.raw, is_terminal) {
        (false, _) => transcript.write(output.sink()),
        (true, true) => transcript.write_raw_harmless(output.sink()),
        (true, false) => transcript.write_raw(output.sink()),
    })?;
    output.warn_all(&conversation.problems);
    output.warn_all(fixes);
    Ok(DONE)
}

/// What a model does not see.
fn gap(omission: &Omission) -> Gap {
    let Omission { turn, before, .. } = *omission;
    let words = match omission.turns {
        0 => omission.to_string(),
        _ => format!("{omission}; this summary is shown instead"),
    };
    Gap { turn, before, words }
}

/// The events that can be read, and the files between them that cannot.
pub fn told_apart(listed: Vec<Listed>) -> (Stream, Vec<Hole>) {
    let mut entries = Vec::with_capacity(listed.len());
    let mut holes = Vec::new();
    for Listed { name, event, .. } in listed {
        match event {
            Some(event) => entries.push(Entry { address: name.address(), event }),
            None => holes.push(Hole { before: entries.len(), file: name.to_string() }),
        }
    }
    (Stream::new(entries), holes)
}

/// The turns that the user wants.
fn chosen(args: &Print, id: ConversationId, stream: &Stream) -> Result<Range<u64>, CommandError> {
    let count = stream.begun();
    match args.turn {
        None => Ok(count.saturating_sub(args.last.map_or(count, NonZeroU64::get))..count + 1),
        Some(turn) if turn < count => Ok(turn..turn + 1),
        Some(turn) => Err(CommandError::failure(match count {
            0 => format!("there is no turn {turn}: {id} has no turns yet"),
            1 => format!("there is no turn {turn}: {id} has one turn, turn 0"),
            count => {
                let last = count - 1;
                format!("there is no turn {turn}: {id} has {count} turns, 0 to {last}")
            }
        })),
    }
}

pub fn look(env: &Env, output: &Output) -> Look {
    if !output.is_for_a_screen() {
        return Look::Source;
    }
    Look::Screen { style: output.style(), columns: Size::of_stdout(env).columns }
}
