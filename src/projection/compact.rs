//! Compactions laid over a stream: a model gets less of earlier turns than is stored.
//!
//! What comes out is a stream again, with the numbers of its turns, so that everything that reads a
//! stream can read it. For each part of a turn the last compaction with a rule for it counts, and a
//! summary stands over all other rules. A call and its result stay or go together. The turn under
//! way is left alone: providers want back what they said in it, thoughts included.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use super::{
    Omission,
    short::{short_arguments, short_result},
};
use crate::model::{
    Address, AnswerId, Compaction, Entry, Event, EventKind, Finish, InquiryId, Native,
    ReasoningRule, Request, Rules, Stream, SummaryRule, Timestamp, ToolRule, Turn, is_superseded,
    turns_in_words,
};

/// A stream as a model sees it, and what it does not see.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// The stream.
    pub stream: Stream,
    /// What was left out of it, in order.
    pub omissions: Vec<Omission>,
}

/// Lays the compactions of a stream over it.
pub fn compact(stream: Stream) -> Compacted {
    let overlays: Vec<_> = overlays(&stream).collect();
    lay(stream, overlays)
}

/// The turns of a range alone, as somebody needs them who sums them up: earlier summaries only as
/// far as they tell of nothing else.
pub fn compact_within(mut stream: Stream, range: &RangeInclusive<u64>) -> Stream {
    let is_inside = |overlay: &Overlay| {
        range.contains(&overlay.compaction.from_turn) && range.contains(&overlay.compaction.to_turn)
    };
    let mut overlays: Vec<_> = overlays(&stream).collect();
    for overlay in overlays.iter_mut().filter(|overlay| !is_inside(overlay)) {
        overlay.rules.summary = None;
    }
    stream.turns.retain(|turn| range.contains(&turn.number));
    (stream.incomplete, stream.waiting) = (None, Vec::new());
    lay(stream, overlays).stream
}

/// A compaction at its place.
struct Overlay {
    address: Address,
    timestamp: Timestamp,
    compaction: Compaction,
    rules: Rules,
}

fn overlays(stream: &Stream) -> impl Iterator<Item = Overlay> {
    stream.entries().filter_map(|entry| match &entry.event.kind {
        EventKind::Compaction(compaction) => Some(Overlay {
            address: entry.address,
            timestamp: entry.event.timestamp,
            compaction: compaction.clone(),
            rules: compaction.known_rules(),
        }),
        _ => None,
    })
}

fn lay(mut stream: Stream, overlays: Vec<Overlay>) -> Compacted {
    let mut layer = Layer::new(overlays);
    if !layer.overlays.is_empty() {
        let turns = std::mem::take(&mut stream.turns);
        layer.note_summaries(&turns);
        stream.turns = turns.into_iter().map(|turn| layer.turn(turn)).collect();
    }
    Compacted { stream, omissions: layer.omissions }
}

/// What is in force for a turn.
#[derive(Clone, Copy)]
struct Force {
    reasoning: ReasoningRule,
    tools: ToolRule,
    /// The overlay whose summary stands for it.
    summary: Option<usize>,
}

struct Layer {
    overlays: Vec<Overlay>,
    /// The turns that each summary stands for: the first, the last, how many.
    summaries: BTreeMap<usize, (u64, u64, u64)>,
    /// The events so far.
    position: usize,
    omissions: Vec<Omission>,
}

impl Layer {
    fn new(overlays: Vec<Overlay>) -> Self {
        Self { overlays, summaries: BTreeMap::new(), position: 0, omissions: Vec::new() }
    }

    fn force(&self, turn: u64) -> Force {
        let covering =
            || self.overlays.iter().enumerate().rev().filter(|(_, o)| o.compaction.covers(turn));
        let summary = covering().find_map(|(at, o)| Some((at, o.rules.summary.as_ref()?)));
        Force {
            reasoning: covering()
                .find_map(|(_, o)| o.rules.reasoning)
                .unwrap_or(ReasoningRule::Keep),
            tools: covering().find_map(|(_, o)| o.rules.tools).unwrap_or(ToolRule::Keep),
            summary: match summary {
                Some((at, SummaryRule::Text { .. })) => Some(at),
                Some((_, SummaryRule::Keep)) | None => None,
            },
        }
    }

    fn note_summaries(&mut self, turns: &[Turn]) {
        for turn in turns {
            if let Some(at) = self.force(turn.number).summary {
                let number = turn.number;
                let seen = self.summaries.entry(at).or_insert((number, number, 0));
                *seen = (seen.0, number, seen.2 + 1);
            }
        }
    }

    fn turn(&mut self, turn: Turn) -> Turn {
        let force = self.force(turn.number);
        let number = turn.number;
        let entries = match force.summary {
            Some(at) => self.sum_up(at, turn),
            None => self.strip(turn, force),
        };
        self.position += entries.len();
        Turn { number, entries }
    }

    /// A summary in place of a turn; in the first that it stands for, the summary itself. What
    /// changed beside the dialogue stays in force.
    fn sum_up(&mut self, at: usize, turn: Turn) -> Vec<Entry> {
        let mut entries: Vec<Entry> = { turn.entries }
            .into_iter()
            .filter(|entry| {
                matches!(entry.event.kind, EventKind::ConfigDelta(_) | EventKind::Compaction(_))
            })
            .collect();
        let (overlay, seen) = (&self.overlays[at], self.summaries.get(&at));
        if let (Some(SummaryRule::Text { text, .. }), Some((first, last, count))) =
            (&overlay.rules.summary, seen)
            && *first == turn.number
        {
            let before = self.position + entries.len();
            self.omissions.push(Omission { turns: *count, ..Omission::at(*first, before) });
            let covers = turns_in_words(*first, *last);
            let content = format!("<summary of=\"{covers}\">\n{}\n</summary>", text.trim_end());
            let request = Request { content: content.into(), interrupts: false };
            let event = Event::new(overlay.timestamp, EventKind::Request(request));
            entries.push(Entry { address: overlay.address, event });
        }
        entries
    }

    fn strip(&mut self, turn: Turn, force: Force) -> Vec<Entry> {
        if (force.reasoning, force.tools) == (ReasoningRule::Keep, ToolRule::Keep) {
            return turn.entries;
        }
        let calling = callers(&turn.entries);
        let mut questions: BTreeSet<InquiryId> = BTreeSet::new();
        let mut kept: Vec<Entry> = Vec::with_capacity(turn.entries.len());
        for mut entry in turn.entries {
            if is_superseded(&entry.event.metadata) {
                kept.push(entry);
                continue;
            }
            let mut omission = Omission::at(turn.number, self.position + kept.len());
            let omits = force.tools == ToolRule::Omit;
            let goes = match &mut entry.event.kind {
                EventKind::Reasoning(reasoning) => {
                    let content = reasoning.content.as_bytes();
                    let goes = is_thought(&entry.event.metadata, content)
                        && (force.reasoning == ReasoningRule::Strip
                            || omits && calling.contains(&reasoning.block.answer));
                    omission.thoughts = u64::from(goes);
                    goes
                }
                EventKind::ToolCall(call) if force.tools == ToolRule::Strip => {
                    if let Some(short) = short_arguments(&call.arguments) {
                        call.arguments = short;
                        omission.arguments = 1;
                    }
                    false
                }
                EventKind::ToolResult(result) if force.tools == ToolRule::Strip => {
                    if let Some(short) = short_result(&result.content) {
                        result.content = short;
                        omission.results = 1;
                    }
                    false
                }
                EventKind::ToolCall(_) => {
                    omission.calls = u64::from(omits);
                    omits
                }
                EventKind::ToolResult(_) | EventKind::ToolStart(_) => omits,
                EventKind::InquiryRequest(inquiry) => {
                    let goes = omits && (inquiry.call.is_some() || inquiry.tool.is_some());
                    if goes {
                        questions.insert(inquiry.id.clone());
                    }
                    goes
                }
                EventKind::InquiryResponse(response) => questions.contains(&response.id),
                EventKind::Request(_)
                | EventKind::Message(_)
                | EventKind::Structured(_)
                | EventKind::Attachment(_)
                | EventKind::ConfigDelta(_)
                | EventKind::Compaction(_) => false,
            };
            self.note(omission);
            if goes {
                hand_down_finish(&entry, &mut kept);
            } else {
                kept.push(entry);
            }
        }
        kept
    }

    /// Puts down what was left out, together with what was left out at the same place.
    fn note(&mut self, omission: Omission) {
        if omission.is_nothing() {
            return;
        }
        match self.omissions.last_mut() {
            Some(last) if last.is_at(&omission) => last.add(&omission),
            _ => self.omissions.push(omission),
        }
    }
}

/// The answers that call tools.
fn callers(entries: &[Entry]) -> BTreeSet<Option<AnswerId>> {
    let calls = entries.iter().filter_map(|entry| match &entry.event.kind {
        EventKind::ToolCall(call) => Some(call.block.answer.clone()),
        _ => None,
    });
    calls.collect()
}

/// Whether a hidden block is a thought: what a provider wrote and jp does not know is kept like
/// one, and may have to do with what stays.
fn is_thought(metadata: &crate::model::Metadata, content: &[u8]) -> bool {
    let native = Native::find(metadata, content);
    let kind = native.as_ref().and_then(|native| native.block.get("type")?.as_str());
    kind.is_none_or(|kind| kind.contains("thinking") || kind.contains("reasoning"))
}

/// Lets the block before one that goes tell how the answer ended, unless it ended with calls.
fn hand_down_finish(gone: &Entry, kept: &mut [Entry]) {
    let Some(block) = gone.event.block().filter(|block| block.answer.is_some()) else { return };
    if matches!(block.finish, None | Some(Finish::ToolCalls)) {
        return;
    }
    let blocks = kept.iter_mut().rev().filter_map(|entry| entry.event.block_mut());
    if let Some(before) = { blocks }.find(|other| other.answer == block.answer) {
        before.finish.clone_from(&block.finish);
    }
}

#[cfg(test)]
mod tests;
