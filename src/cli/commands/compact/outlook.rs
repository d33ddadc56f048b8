//! What a compaction changes for a model, in numbers, before it is made.

use std::ops::RangeInclusive;

use super::{
    reach::{Reach, reach},
    summary::summarize,
};
use crate::{
    cli::{
        args::{ToolsArg, Wish},
        error::CommandError,
        output::Output,
    },
    config::Settings,
    env::Env,
    model::{
        Address, Compaction, Entry, Event, EventKind, ReasoningRule, Rules, Stream, SummaryRule,
        Timestamp, ToolRule, turns_in_words,
    },
    projection::{Compacted, Omission, Weight, compact, messages},
};

/// A compaction that may be stored, and what it changes.
pub struct Outlook {
    /// The turns that it covers.
    pub turns: RangeInclusive<u64>,
    /// What it says about them.
    pub rules: Rules,
    /// What a model sees without it.
    pub before: Weight,
    /// What a model sees with it.
    pub after: Weight,
    /// What it leaves out that was seen before.
    pub omission: Omission,
}

/// What became of the wish to compact.
pub enum Made {
    /// It has to be stored.
    Compaction(Box<Event>, Outlook),
    /// There is nothing to do, for this reason.
    Nothing(String),
}

/// The rules that a wish comes to. A summary that is still to be written is a few dots.
pub fn rules(wish: &Wish, is_reset: bool) -> Rules {
    let is_plain = !wish.reasoning && wish.tools.is_none() && !wish.summarize;
    if is_reset {
        let all = Rules::keep_all();
        return match is_plain {
            true => all,
            false => Rules {
                reasoning: all.reasoning.filter(|_| wish.reasoning),
                tools: all.tools.filter(|_| wish.tools.is_some()),
                summary: all.summary.filter(|_| wish.summarize),
            },
        };
    }
    let tools = match wish.tools {
        Some(ToolsArg::Omit) => Some(ToolRule::Omit),
        Some(ToolsArg::Strip) => Some(ToolRule::Strip),
        None => is_plain.then_some(ToolRule::Strip),
    };
    let pending = || SummaryRule::Text { text: "…".to_owned(), model: None };
    Rules {
        reasoning: (wish.reasoning || is_plain).then_some(ReasoningRule::Strip),
        tools,
        summary: wish.summarize.then(pending),
    }
}

impl Outlook {
    /// Looks at what rules change; `None` if they change nothing.
    pub fn of(stream: &Stream, turns: RangeInclusive<u64>, rules: Rules) -> Option<Self> {
        let without = compact(stream.clone());
        let mut with = stream.clone();
        let compaction = Compaction::new(*turns.start(), *turns.end(), &rules);
        let event = Event::new(Timestamp::from_seconds(0), EventKind::Compaction(compaction));
        with.waiting.push(Entry { address: Address::FIRST, event });
        let with = compact(with);
        if with.stream.turns == without.stream.turns {
            return None;
        }
        let weigh = |seen: &Compacted| Weight::of(&messages(&seen.stream, None));
        let total = |seen: &Compacted| Omission::total(&seen.omissions);
        Some(Self {
            turns,
            before: weigh(&without),
            after: weigh(&with),
            omission: total(&with).beyond(&total(&without)),
            rules,
        })
    }

    /// The turns, in words.
    pub fn turns_in_words(&self) -> String {
        turns_in_words(*self.turns.start(), *self.turns.end())
    }

    /// What becomes of which part, in words.
    pub fn how(&self) -> String {
        let words = [
            self.rules.reasoning.map(|rule| match rule {
                ReasoningRule::Keep => "with reasoning",
                ReasoningRule::Strip => "without reasoning",
            }),
            self.rules.tools.map(|rule| match rule {
                ToolRule::Keep => "with tools",
                ToolRule::Strip => "without the results of tools",
                ToolRule::Omit => "without tools",
            }),
            self.rules.summary.as_ref().map(|rule| match rule {
                SummaryRule::Keep => "without a summary",
                SummaryRule::Text { .. } => "as a summary",
            }),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The event that makes it so.
    pub fn event(&self, env: &Env) -> Event {
        let compaction = Compaction::new(*self.turns.start(), *self.turns.end(), &self.rules);
        Event::new(env.now(), EventKind::Compaction(compaction))
    }
}

/// Decides about a wish; a summary is not written yet.
pub fn look(
    env: &Env,
    wish: &Wish,
    is_reset: bool,
    stream: &Stream,
) -> Result<Result<Outlook, String>, CommandError> {
    let turns = match reach(env, wish, is_reset, stream)? {
        Reach::Turns(turns) => turns,
        Reach::Nothing(why) => return Ok(Err(why)),
    };
    let words = turns_in_words(*turns.start(), *turns.end());
    let outlook = Outlook::of(stream, turns, rules(wish, is_reset));
    Ok(outlook.ok_or_else(|| match is_reset {
        true => format!("nothing of {words} is compacted"),
        false => format!("{words} hold nothing that would be left out"),
    }))
}

/// Makes the compaction that is wished for, with the summary if there is to be one.
pub fn make(
    env: &Env,
    output: &mut Output,
    settings: &Settings,
    wish: &Wish,
    is_reset: bool,
    stream: &Stream,
) -> Result<Made, CommandError> {
    let mut outlook = match look(env, wish, is_reset, stream)? {
        Ok(outlook) => outlook,
        Err(why) => return Ok(Made::Nothing(why)),
    };
    if wish.summarize && !is_reset {
        let summary = summarize(env, output, settings, stream, &outlook.turns)?;
        let rules = Rules { summary: Some(summary), ..outlook.rules };
        match Outlook::of(stream, outlook.turns, rules) {
            Some(with_summary) => outlook = with_summary,
            None => return Ok(Made::Nothing("the summary changes nothing".to_owned())),
        }
    }
    Ok(Made::Compaction(Box::new(outlook.event(env)), outlook))
}
