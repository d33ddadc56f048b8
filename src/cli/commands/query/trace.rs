//! The log of what queries did, for bug reports: steps and errors, never what was said.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use super::scene::Scene;
use crate::{
    cli::args::Query,
    env::Env,
    fsutil,
    turn::{Filed, Notice},
    ui::{escape, on_one_line},
};

/// A log that is larger begins anew; the one before is kept.
const LARGEST: u64 = 1 << 20;

/// How the first line of a query begins, and that which names its conversation.
pub const BEGINS: &str = "query to ";
pub const ABOUT: &str = "conversation ";

/// The log of a workspace, of one user.
pub struct Trace {
    file: File,
    env: Env,
}

impl Trace {
    /// Opens the log in the state of a user for a workspace. That there is none stops nothing.
    pub fn open(env: &Env, state: &Path) -> Option<Self> {
        let directory = state.join("log");
        fsutil::create_dir_private(&directory).ok()?;
        let path = directory.join("query.log");
        if std::fs::metadata(&path).is_ok_and(|file| file.len() > LARGEST) {
            // If that fails, the log grows a little more.
            let _kept = std::fs::rename(&path, before(&path));
        }
        let file = fsutil::append_private(&path).ok()?;
        Some(Self { file, env: env.clone() })
    }

    /// The log of a query, where there is one.
    pub fn of(env: &Env, args: &Query, scene: &Scene) -> Option<Self> {
        let workspace = scene.target.workspace().filter(|_| !args.no_persist)?;
        let mut trace = Self::open(env, &workspace.state_dir().ok()?)?;
        trace.note(&format!("{BEGINS}{}", scene.model.setup.model));
        Some(trace)
    }

    /// Writes a line.
    pub fn note(&mut self, text: &str) {
        let (time, process) = (self.env.now(), std::process::id());
        // Names may come from a model, and somebody will look at this in a terminal.
        let line = format!("{time} {process} {}\n", escape(&on_one_line(text)));
        // A full disk is told by what has to be stored.
        let _lost = self.file.write_all(line.as_bytes());
    }

    /// Writes which conversation it is about.
    pub fn about(&mut self, id: &str) {
        self.note(&format!("{ABOUT}{id}"));
    }

    /// Writes what happened, if it is a step.
    pub fn notice(&mut self, notice: &Notice) {
        match notice {
            Notice::Waiting => self.note("asked the model"),
            Notice::BlockEnded(event_type) => self.note(&format!("block complete: {event_type}")),
            Notice::ToolStarted(call) => self.note(&format!("tool started: {}", call.tool)),
            Notice::ToolEnded { tool, is_error, .. } => {
                let how = if *is_error { "failed" } else { "ended" };
                self.note(&format!("tool {how}: {tool}"));
            }
            Notice::Retrying { error, delay, .. } => {
                let delay = delay.as_millis();
                self.note(&format!("trying again in {delay} ms: {:?}: {error}", error.trouble));
            }
            Notice::Saved { address: Some(address), event } => {
                self.note(&format!("stored {address} {}", event.event_type()));
            }
            Notice::Retracted(addresses) => {
                let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
                self.note(&format!("taken out: {}", addresses.join(" ")));
            }
            Notice::Queued { filed: Ok(filed), .. } => self.note(&match filed {
                Filed::Queued(number) => format!("queued {number}"),
                Filed::Dropped(number) => format!("unqueued {number}"),
                Filed::Changed(number) => format!("queued {number} anew"),
            }),
            Notice::Queued { .. }
            | Notice::Saved { .. }
            | Notice::Text(_)
            | Notice::Reasoning(_)
            | Notice::CallComing
            | Notice::Progress { .. }
            | Notice::Sealed
            | Notice::Usage(_) => {}
        }
    }
}

/// The logs in the state of a user for a workspace, the older one first.
pub fn logs(state: &Path) -> [PathBuf; 2] {
    let path = state.join("log/query.log");
    [before(&path), path]
}

fn before(path: &Path) -> PathBuf {
    path.with_extension("log.1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn a_line_is_one_line_and_harmless() {
        let state = tempfile::tempdir().unwrap();
        let env = Env::fixed([], "/".into(), Timestamp::from_seconds(0));
        let mut trace = Trace::open(&env, state.path()).unwrap();
        trace.note("tool started: \u{1b}[2Jevil\nname");
        let text = std::fs::read_to_string(state.path().join("log/query.log")).unwrap();
        assert!(text.ends_with(" tool started: \\u{1b}[2Jevil name\n"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }
}
