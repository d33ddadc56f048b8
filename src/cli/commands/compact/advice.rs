//! What to do about a context window that is full, with the numbers.

use super::{
    outlook::{Outlook, rules},
    reach::{Reach, reach},
};
use crate::{
    cli::args::{ToolsArg, Wish},
    env::Env,
    model::{ConversationId, Entry, Stream, Usage},
};

/// The percentage of a context window from which on a warning is due.
const FULL: u64 = 80;

/// What has to be saved at least, in percent, for a way to be worth a try.
const ENOUGH: u64 = 20;

/// A command that makes a conversation smaller for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    command: String,
    /// The tokens now, estimated.
    before: u64,
    /// The tokens then, estimated, without the summary if one is to be written.
    after: u64,
    summary: bool,
}

impl Advice {
    /// The gentlest command that saves enough, or else the one that saves most.
    pub fn about(env: &Env, id: ConversationId, stream: &Stream) -> Option<Self> {
        let none = Wish::default();
        let omit = Wish { reasoning: true, tools: Some(ToolsArg::Omit), ..none.clone() };
        let whole = |wish: &Wish| Wish { keep_last: Some(0), ..wish.clone() };
        let summarize = Wish { summarize: true, ..none.clone() };
        let ways = [
            ("", none.clone()),
            (" --keep-last 0", whole(&none)),
            (" --reasoning --tools=omit", omit.clone()),
            (" --reasoning --tools=omit --keep-last 0", whole(&omit)),
            (" --summarize", summarize.clone()),
            (" --summarize --keep-last 0", whole(&summarize)),
        ];
        let advice = |(options, wish): &(&str, Wish)| {
            let Ok(Reach::Turns(turns)) = reach(env, wish, false, stream) else { return None };
            let outlook = Outlook::of(stream, turns, rules(wish, false))?;
            let (before, after) = (outlook.before.tokens, outlook.after.tokens);
            let command = format!("jp conversation compact {id}{options}");
            (after < before).then_some(Self { command, before, after, summary: wish.summarize })
        };
        let found: Vec<_> = ways.iter().filter_map(advice).collect();
        let good = found.iter().find(|advice| advice.percent() >= ENOUGH);
        good.or(found.iter().max_by_key(|advice| advice.before - advice.after)).cloned()
    }

    fn percent(&self) -> u64 {
        (self.before - self.after) * 100 / self.before.max(1)
    }

    /// The advice, in words.
    pub fn words(&self) -> String {
        let Self { command, before, after, summary } = self;
        let and = if *summary { ", and lets a model write a summary" } else { "" };
        let saved = before - after;
        format!("`{command}` leaves out about {saved} of {before} tokens (estimated){and}")
    }
}

/// What the last answer took of the context window.
pub fn last_usage(entries: &[&Entry]) -> Option<Usage> {
    entries.iter().rev().find_map(|entry| Usage::find(&entry.event.metadata))
}

/// Tells that a context window is nearly full; what was read and written is in it next time.
pub fn fullness(usage: &Usage, window: u64) -> Option<String> {
    let used = usage.input?.saturating_add(usage.output.unwrap_or(0));
    let percent = used.saturating_mul(100) / window.max(1);
    (percent >= FULL)
        .then(|| format!("the context window is {percent} % full: {used} of {window} tokens"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_full_from_four_fifths_on() {
        let usage = |input, output| Usage { input, output, ..Usage::default() };
        let told = |input, output| fullness(&usage(input, output), 1000);
        assert_eq!(told(Some(700), Some(99)), None);
        assert_eq!(
            told(Some(700), Some(150)).as_deref(),
            Some("the context window is 85 % full: 850 of 1000 tokens")
        );
        assert_eq!(told(None, Some(900)), None);
        assert!(fullness(&usage(Some(u64::MAX), Some(1)), 0).is_some());
    }
}
