//! `jp conversation watch`

use std::{os::unix::fs::MetadataExt, time::Duration};

use super::{
    BY_SIGNAL, Next, Outcome,
    commit::{Found, Made, Put, find, make, refused, tell_news, tell_refreshed},
    edit::{Told, tell},
    warn_of_dropped,
};
use crate::{
    cli::{args::Watch, error::CommandError, output::Output},
    edit::checkout::{Checkout, Refusal},
    env::Env,
    format::META_DIR,
    store::{ObjectId, Space},
    ui::{Signals, minute},
    workspace::{Workspace, WriteFailure},
};

/// How often the directory is looked at.
const EVERY: Duration = Duration::from_millis(250);

pub fn run(env: &Env, output: &mut Output, args: &Watch) -> Outcome {
    let Found { directory, workspace, .. } = find(env, &args.directory)?;
    let mut checkout = Checkout::open(&directory)?;
    let (send, signals) = std::sync::mpsc::channel();
    let _listening = Signals::listen(move |signal| {
        let _ended = send.send(signal);
    })?;
    output.say(format_args!("Watching {}; Ctrl+C ends it", checkout.directory().display()));
    let mut watched = Watched::default();
    loop {
        if let Ok(signal) = signals.recv_timeout(EVERY) {
            return Ok(BY_SIGNAL + signal.number());
        }
        let seen = Seen::of(&workspace, &checkout)?;
        if watched.is_due(&seen) {
            let told = watched.told.take();
            let synced = sync(env, output, &workspace, &mut checkout, args, told.clone());
            let synced = synced.unwrap_or_else(|error| Synced {
                is_done: false,
                ..Synced::wrong(output, told, error.messages().to_vec())
            });
            // Not what there is by now: somebody may have gone on meanwhile.
            watched.done = synced.asks.or_else(|| synced.is_done.then_some(seen));
            watched.told = synced.told;
        }
    }
}

/// What can be seen of a directory and its conversation without reading anything.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    /// The files: their names, numbers and sizes, and when they were changed.
    files: Vec<(std::ffi::OsString, [u64; 2], [i64; 4])>,
    tip: Option<ObjectId>,
}

impl Seen {
    fn of(workspace: &Workspace, checkout: &Checkout) -> Result<Self, CommandError> {
        let mut files = Vec::new();
        let directory = checkout.directory();
        let meta = directory.join(META_DIR);
        for path in [directory, meta.as_path()] {
            let entries = std::fs::read_dir(path);
            let entries = entries
                .map_err(|error| crate::fsutil::FsError::new("read", path.to_owned(), error))?;
            for entry in entries.flatten() {
                let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file);
                if let Some(metadata) = metadata {
                    let times = [
                        metadata.mtime(),
                        metadata.mtime_nsec(),
                        metadata.ctime(),
                        metadata.ctime_nsec(),
                    ];
                    files.push((entry.file_name(), [metadata.ino(), metadata.len()], times));
                }
            }
        }
        files.sort();
        let tip = workspace.store().tip(Space::Heads, checkout.id())?;
        Ok(Self { files, tip })
    }
}

/// What was seen last, and what was done about it.
#[derive(Default)]
struct Watched {
    last: Option<Seen>,
    done: Option<Seen>,
    told: Option<Vec<String>>,
}

impl Watched {
    /// Whether something has changed, and then nothing for a moment: editors write in steps.
    fn is_due(&mut self, seen: &Seen) -> bool {
        let is_steady = self.last.as_ref() == Some(seen);
        let is_new = self.done.as_ref() != Some(seen);
        self.last = Some(seen.clone());
        is_steady && is_new
    }
}

/// What came of what was seen.
struct Synced {
    /// Whether there is nothing left to try before something changes.
    is_done: bool,
    /// What both sides of a conflict look like in the directory, for somebody to decide first.
    asks: Option<Seen>,
    /// What is wrong, in words that were told.
    told: Option<Vec<String>>,
}

impl Synced {
    /// Tells what is wrong, unless that was told already.
    fn wrong(output: &mut Output, told: Option<Vec<String>>, words: Vec<String>) -> Self {
        if told.as_ref() != Some(&words) {
            for line in &words {
                output.say(format_args!("error: {}", crate::ui::escape(line)));
            }
        }
        Self { is_done: true, asks: None, told: Some(words) }
    }
}

/// Commits what was saved, and brings in what came; tells what is wrong, once.
fn sync(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    checkout: &mut Checkout,
    args: &Watch,
    told: Option<Vec<String>>,
) -> Result<Synced, CommandError> {
    let handle = workspace.select(&checkout.id().to_string())?;
    let mut guard = match workspace.lock(handle) {
        Ok(guard) => guard,
        Err(error @ WriteFailure::Locked { .. }) => {
            let words = vec![format!("waiting: {error}")];
            if told.as_ref() != Some(&words) {
                output.say(crate::ui::escape(&words[0]));
            }
            return Ok(Synced { is_done: false, asks: None, told: Some(words) });
        }
        Err(error) => return Err(error.into()),
    };
    // Whoever had the lock before may have committed it.
    *checkout = Checkout::open(checkout.directory())?;
    if checkout.commit() != guard.commit() {
        warn_of_dropped(output, workspace, &guard, Next::Writes);
    }
    let look = checkout.look()?;
    let Made { commit, tally, remarks, refreshed } =
        match make(env, workspace, &mut guard, checkout, &look)? {
            Ok(made) => made,
            Err((refusal, refreshed)) => {
                let asks = match refusal {
                    Refusal::Conflicts(_) => Some(Seen::of(workspace, checkout)?),
                    Refusal::Faults(_) => None,
                };
                tell_refreshed(output, &refreshed);
                let error = refused(&args.directory, refusal, Put::Yes);
                let wrong = Synced::wrong(output, told, error.messages().to_vec());
                return Ok(Synced { asks, ..wrong });
            }
        };
    tell_refreshed(output, &refreshed);
    if let Some(commit) = commit {
        tell(output, &Told { tally: &tally, remarks: &remarks, stray: &look.stray });
        let now = minute(env.now(), &env.time_zone());
        output.say(format_args!("{now} committed {}", crate::history::short(commit)));
    } else {
        tell_news(output, &refreshed);
    }
    Ok(Synced { is_done: true, asks: None, told: None })
}
