//! The arguments about a turn that was interrupted: those of `jp resume`, and those of `jp query`.

use std::{ffi::OsString, num::NonZeroU64};

use clap::{Args, ValueEnum};

use super::{MannerArgs, Query};
use crate::{cli::complete::Candidates, store::Space};

/// With what a turn goes on, when the model would be told something else than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum With {
    /// What was recorded when the turn began
    Recorded,
    /// What the settings, the workspace and the tools say today
    Today,
}

/// What becomes of calls that have no result.
#[derive(Clone, Debug, Default, Args)]
pub struct Decisions {
    /// Make this call again, although it may have been made before; an id or the name of its tool,
    /// can be given again
    #[arg(long, value_name = "CALL")]
    pub again: Vec<String>,
    /// Take this call for made, with this text or the text of a file as its result; can be given
    /// again
    #[arg(long, value_name = "CALL=TEXT|@FILE")]
    pub done: Vec<String>,
    /// Do not make this call, and let the model know; can be given again
    #[arg(long, value_name = "CALL")]
    pub skip: Vec<String>,
}

impl Decisions {
    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.again.is_empty() && self.done.is_empty() && self.skip.is_empty()
    }
}

/// What `jp resume` is asked to do.
#[derive(Debug, Default, Args)]
pub struct Resume {
    /// The conversation: an id or the beginning of one, `last`, `last-created` or `previous`
    /// [default: the one of this terminal]
    #[arg(value_name = "ID", add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    /// Go on in a fork of the conversation, of all of it or of its last N turns
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub fork: Option<Option<NonZeroU64>>,
    /// Go on with this if the model would be told something else than before [default: ask]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub with: Option<With>,
    #[command(flatten)]
    pub decisions: Decisions,
    /// Ask this model, now and later in this conversation [default: the one of the turn]
    #[arg(long, short, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub manner: MannerArgs,
}

impl Resume {
    /// The words of a command line that asks for the same, as far as programs do.
    pub fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["resume".into()];
        words.extend(self.id.iter().map(OsString::from));
        if self.manner.non_interactive {
            words.push("--non-interactive".into());
        }
        if self.manner.quiet {
            words.push("--quiet".into());
        }
        if self.manner.format.is_json() {
            words.push("--format=json".into());
        }
        words
    }
}

impl From<Resume> for Query {
    /// The query that does nothing but go on.
    fn from(resume: Resume) -> Self {
        Self {
            id: resume.id.map(Some),
            fork: resume.fork,
            continue_turn: Some(resume.with),
            decisions: resume.decisions,
            model: resume.model,
            no_edit: true,
            manner: resume.manner,
            ..Self::default()
        }
    }
}
