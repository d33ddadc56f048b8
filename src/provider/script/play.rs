//! Playing a script, as fast as it says.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    time::Duration,
};

use super::{
    Script,
    answer::{Kind, Spoken, Step},
    choice::choose,
    step::BROKEN,
};
use crate::{
    cancel::Cancel,
    model::Finish,
    projection::Takes,
    provider::{
        Block, Content, Piece, Provider, ProviderError, Query, Trouble,
        calls::{calls_so_far, numbered_call},
    },
};

/// A model that is played from a script.
pub struct ScriptProvider {
    name: String,
    script: Script,
    /// How many attempts of each answer have failed since it was last played to its end.
    failed: Mutex<BTreeMap<usize, usize>>,
}

impl ScriptProvider {
    /// Plays this script as the model of this name.
    pub fn new(name: impl Into<String>, script: Script) -> Self {
        Self { name: name.into(), script, failed: Mutex::default() }
    }
}

impl Provider for ScriptProvider {
    fn answer(
        &self,
        query: &Query,
        cancel: &Cancel,
        hear: &mut dyn FnMut(Piece),
    ) -> Result<(), ProviderError> {
        let (index, answer) = choose(&self.script, query)?;
        answer.expect.check(query, index + 1, answer.line)?;
        let failed = {
            let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get(&index).copied().unwrap_or(0)
        };
        let attempt = answer.attempts.get(failed).or_else(|| answer.attempts.last());
        let steps = attempt.map_or(&[][..], Vec::as_slice);
        let result = play(steps, calls_so_far(query), &Rest::new(cancel), hear);
        let mut counts = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        match &result {
            Ok(()) => _ = counts.remove(&index),
            Err(error) if error.trouble == Trouble::Cancelled => {}
            Err(_) => _ = counts.insert(index, failed + 1),
        }
        result
    }

    fn takes(&self, _model: &str, _cancel: &Cancel) -> Takes {
        Takes { images: true, pdf: true }
    }

    fn models(&self, _cancel: &Cancel) -> Result<Vec<String>, ProviderError> {
        Ok(vec![self.name.clone()])
    }
}

fn play(
    steps: &[Step],
    mut calls: usize,
    rest: &Rest,
    hear: &mut dyn FnMut(Piece),
) -> Result<(), ProviderError> {
    rest.wait(Duration::ZERO)?;
    let (calls_before, mut finished) = (calls, false);
    for step in steps {
        match step {
            Step::Block(spoken) => {
                calls += usize::from(matches!(spoken.kind, Kind::Call { .. }));
                speak(spoken, calls, rest, hear)?;
            }
            Step::Usage(usage) => hear(Piece::Usage(*usage)),
            Step::Delay(time) => rest.wait(*time)?,
            Step::Finish(finish) => {
                hear(Piece::Finish(finish.clone()));
                finished = true;
            }
            Step::Fail(error) => return Err(error.clone()),
        }
    }
    if !finished {
        let finish = if calls > calls_before { Finish::ToolCalls } else { Finish::Stop };
        hear(Piece::Finish(finish));
    }
    Ok(())
}

/// Streams a block; `number` is that of the call, if it is one.
fn speak(
    spoken: &Spoken,
    number: usize,
    rest: &Rest,
    hear: &mut dyn FnMut(Piece),
) -> Result<(), ProviderError> {
    if let Kind::Call { tool, .. } = &spoken.kind {
        hear(Piece::Call(tool.as_str().to_owned()));
    }
    let mut left = spoken.breaks_after.unwrap_or(usize::MAX);
    for part in &spoken.parts {
        rest.wait(spoken.pause)?;
        let part = beginning(part, left);
        left = left.saturating_sub(part.len());
        let piece = match spoken.kind {
            Kind::Text => Piece::Text,
            Kind::Reasoning => Piece::Reasoning,
            Kind::Call { .. } => Piece::Call,
            Kind::Data => continue,
        };
        if !part.is_empty() {
            hear(piece(part.to_owned()));
        }
    }
    if spoken.breaks_after.is_some() {
        return Err(ProviderError::new(Trouble::Broken, format!("{BROKEN}, says the script")));
    }
    let text = spoken.parts.concat();
    let content = match &spoken.kind {
        Kind::Text => Content::Text(text),
        Kind::Reasoning => Content::Reasoning(text),
        Kind::Data => Content::Data(text),
        Kind::Call { tool, id } => {
            let id = id.clone().unwrap_or_else(|| numbered_call(number));
            Content::Call { id, tool: tool.clone(), arguments: text }
        }
    };
    let (signature, native) = (spoken.signature.clone(), spoken.native.clone());
    hear(Piece::Block(Block { content, signature, native }));
    Ok(())
}

/// The beginning of a text, of at most so many bytes and whole characters.
fn beginning(text: &str, bytes: usize) -> &str {
    let starts = text.char_indices().map(|(start, c)| start + c.len_utf8());
    let end = starts.take_while(|end| *end <= bytes).last().unwrap_or(0);
    &text[..end]
}

/// Waits that end at once when the query is cancelled.
struct Rest<'c> {
    cancel: &'c Cancel,
    woken: Receiver<()>,
}

impl<'c> Rest<'c> {
    fn new(cancel: &'c Cancel) -> Self {
        let (wake, woken) = channel();
        // Nobody waits any more once the answer is over.
        cancel.on_cancel(move || _ = wake.send(()));
        Self { cancel, woken }
    }

    fn wait(&self, time: Duration) -> Result<(), ProviderError> {
        if !time.is_zero() && !self.cancel.is_cancelled() {
            // Woken or not: what counts is whether it was cancelled.
            _ = self.woken.recv_timeout(time);
        }
        if self.cancel.is_cancelled() {
            return Err(ProviderError::new(Trouble::Cancelled, "the answer was cancelled"));
        }
        Ok(())
    }
}
