//! The arguments of `jp conversation compact`, and the same in a word for `jp query --compact`.

use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{ConfigArgs, FormatArg};
use crate::{cli::complete::Candidates, store::Space};

/// What `jp conversation compact` is asked to do.
#[derive(Debug, Args)]
pub struct Compact {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the only one there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub wish: Wish,
    /// Take compactions back: of these turns and parts, or all of them
    #[arg(long)]
    pub reset: bool,
    /// Only tell what a model would see less of
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}

impl Compact {
    /// What is asked of a conversation in a word.
    pub fn of(id: String, wish: Wish, format: FormatArg) -> Self {
        let config = ConfigArgs::default();
        Self { id: Some(id), wish, reset: false, dry_run: false, config, format }
    }
}

/// Which turns are compacted, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Wish {
    /// Leave the last N turns as they are [default: 1, or 0 with `--to` or `--reset`]
    #[arg(long, value_name = "N")]
    pub keep_last: Option<u64>,
    /// Leave the first N turns as they are [default: 0]
    #[arg(long, value_name = "N")]
    pub keep_first: Option<u64>,
    /// The first turn: its number from 0, an event file, or a time [default: 0]
    #[arg(long, value_name = "TURN")]
    pub from: Option<String>,
    /// The last turn: its number from 0, an event file, or a time [default: the last one]
    #[arg(long, value_name = "TURN")]
    pub to: Option<String>,
    /// Leave out what models thought [default, with `--tools`, if nothing else is asked for]
    #[arg(long)]
    pub reasoning: bool,
    /// Leave out what tools returned, or the calls as a whole [default: strip]
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "strip"
    )]
    pub tools: Option<ToolsArg>,
    /// Let a model sum the turns up, and show it the summary in their place
    #[arg(long)]
    pub summarize: bool,
}

/// What is left out of calls of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToolsArg {
    /// Results, and long arguments; the calls stay
    Strip,
    /// Calls and results, and the thoughts that led to them
    Omit,
}

const EXPECTED: &str = "expected `reasoning`, `tools`, `tools=omit`, `summarize`, `keep-last=N`, \
                        `keep-first=N`, `from=TURN` or `to=TURN`";

impl FromStr for Wish {
    type Err = String;

    /// Reads words with commas between them, such as `reasoning,tools=omit,keep-last=3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut wish = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (word, None),
            };
            let number = || {
                let number = value.and_then(|value| value.parse().ok());
                number.ok_or_else(|| format!("`{word}` needs a number, as in `{name}=3`"))
            };
            let turn = || match value {
                Some(turn) if !turn.is_empty() => Ok(turn.to_owned()),
                _ => Err(format!("`{word}` needs a turn, as in `{name}=3`")),
            };
            match (name, value) {
                ("reasoning", None) => wish.reasoning = true,
                ("tools", None | Some("strip")) => wish.tools = Some(ToolsArg::Strip),
                ("tools", Some("omit")) => wish.tools = Some(ToolsArg::Omit),
                ("summarize", None) => wish.summarize = true,
                ("keep-last", _) => wish.keep_last = Some(number()?),
                ("keep-first", _) => wish.keep_first = Some(number()?),
                ("from", _) => wish.from = Some(turn()?),
                ("to", _) => wish.to = Some(turn()?),
                _ => return Err(format!("`{word}` is no part of a compaction: {EXPECTED}")),
            }
        }
        Ok(wish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_words_with_commas_between_them() {
        assert_eq!("".parse(), Ok(Wish::default()));
        let wish = "reasoning, tools=omit,keep-last=3,keep-first=1,from=turn 2,to=7,summarize";
        let expected = Wish {
            keep_last: Some(3),
            keep_first: Some(1),
            from: Some("turn 2".to_owned()),
            to: Some("7".to_owned()),
            reasoning: true,
            tools: Some(ToolsArg::Omit),
            summarize: true,
        };
        assert_eq!(wish.parse(), Ok(expected));
        assert_eq!("tools".parse(), "tools=strip".parse::<Wish>());
    }

    #[test]
    fn what_is_wrong_with_a_wish_is_named() {
        let error = |text: &str| text.parse::<Wish>().unwrap_err();
        assert_eq!(error("keep-last"), "`keep-last` needs a number, as in `keep-last=3`");
        assert_eq!(error("to="), "`to=` needs a turn, as in `to=3`");
        for text in ["tool", "tools=all", "reasoning=yes", "summarize=1", "keep-last=-1"] {
            assert!(error(text).starts_with(&format!("`{text}` ")), "{text}");
        }
    }
}
