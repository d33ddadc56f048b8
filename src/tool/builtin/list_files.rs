//! `fs_list_files`: which files there are.

use std::{ops::ControlFlow, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    contents::count,
    deed::Deed,
    filter::Filter,
    path::Inside,
    problem::Problem,
    root::Root,
    said::Promise,
    subject,
    walk::{Kind, Missed, Walk},
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// The most entries that are listed.
const LISTED: usize = 1_000;

/// The most entries that are looked at.
const SEEN: usize = 200_000;

/// Lists files.
pub(super) struct ListFiles {
    pub(super) root: Arc<Root>,
    pub(super) limit: usize,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    path: String,
    glob: Option<String>,
    depth: Option<usize>,
    #[serde(default)]
    include_ignored: bool,
}

impl Deed for ListFiles {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_list_files";
    const DESCRIPTION: &'static str = "Lists the files beneath a directory of the workspace, one \
        path from the root of the workspace on each line; a directory ends in `/`, and a symbolic \
        link is followed by ` -> ` and its target. With `glob` only the files that match are \
        listed. What git ignores is left out. If there are too many entries, deeper ones are left \
        out and a last line in brackets says so.";
    const IS_IDEMPOTENT: bool = true;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The directory, from the root of the workspace, which it is if \
                        this is missing.",
                },
                "glob": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Which files, as in `*.rs`, `src/**/*.{ts,tsx}`: a pattern \
                        without `/` is about names, another about paths from the directory.",
                },
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many levels to go down; 1 is only the directory itself.",
                },
                "include_ignored": {
                    "type": "boolean",
                    "description": "Whether to list what git ignores as well.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        arguments.glob.as_deref().map(Filter::new).transpose()?;
        self.root.check_read(&self.root.parse(&arguments.path)?)
    }

    fn subject(&self, arguments: &Arguments) -> Subject {
        subject::walking(&self.root, &arguments.path)
    }

    fn act(
        &self,
        arguments: &Arguments,
        promise: &Promise,
        cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let start = promise.walked(&self.root, &arguments.path)?;
        let filter = arguments.glob.as_deref().map(Filter::new).transpose()?;
        let walk = Walk {
            root: &self.root,
            depth: arguments.depth.unwrap_or(usize::MAX),
            ignored: arguments.include_ignored,
            cancel,
        };
        let mut listed = Listed::default();
        let missed = walk.go(&start, &mut |entry| {
            listed.seen += 1;
            if listed.seen > SEEN {
                return ControlFlow::Break(());
            }
            let is_wanted = filter.as_ref().is_none_or(|filter| {
                entry.kind != Kind::Directory && filter.fits(&entry.path, &start)
            });
            if is_wanted {
                listed.lines.push((entry.level, line(&entry.path, &entry.kind)));
            }
            ControlFlow::Continue(())
        })?;
        Ok(Outcome::success(listed.text(&start, &missed, self.limit)))
    }
}

#[derive(Default)]
struct Listed {
    lines: Vec<(usize, String)>,
    seen: usize,
}

impl Listed {
    /// As many levels as fit, and what is missing.
    fn text(self, start: &Inside, missed: &Missed, limit: usize) -> String {
        let deepest = self.lines.iter().map(|(level, _)| *level).max().unwrap_or(0);
        let fits = |level: &usize| {
            let shown = self.lines.iter().filter(|(at, _)| at <= level);
            let (lines, bytes) =
                shown.fold((0, 0), |(lines, bytes), (_, line)| (lines + 1, bytes + line.len() + 1));
            lines <= LISTED && bytes <= limit
        };
        let level = (1..=deepest).rev().find(fits).unwrap_or(1);
        let mut shown: Vec<_> = self.lines.iter().filter(|(at, _)| *at <= level).collect();
        let mut room = limit;
        let fitting = shown.iter().take(LISTED).take_while(|(_, line)| {
            let enough = room > line.len();
            room = room.saturating_sub(line.len() + 1);
            enough
        });
        let fitting = fitting.count();
        shown.truncate(fitting);
        let mut text: String = shown.iter().map(|(_, line)| format!("{line}\n")).collect();
        let mut notes = Vec::new();
        let left_out = self.lines.len() - shown.len();
        if left_out > 0 {
            let word = count(left_out, "entry is", "entries are");
            notes.push(match shown.iter().any(|(at, _)| *at == level) && level < deepest {
                true => format!("{word} left out, all that are more than {level} levels down"),
                false => format!("{word} left out"),
            });
        }
        if self.seen > SEEN {
            notes.push(format!("only the first {SEEN} entries were looked at"));
        }
        if self.lines.is_empty() {
            notes.push(format!("nothing to list in `{start}`"));
        }
        if missed.ignored > 0 {
            let word =
                count(missed.ignored, "entry that git ignores is", "entries that git ignores are");
            notes.push(format!("{word} not listed"));
        }
        for directory in &missed.directories {
            notes.push(format!("`{directory}` could not be read"));
        }
        if !notes.is_empty() {
            text.push_str(&format!("[{}]\n", notes.join("; ")));
        }
        text
    }
}

/// An entry on one line, whatever its name is.
fn line(path: &Inside, kind: &Kind) -> String {
    let name = super::contents::one_line(path.as_path().as_os_str());
    match kind {
        Kind::File => name,
        Kind::Directory => format!("{name}/"),
        Kind::Link(target) => format!("{name} -> {}", super::contents::one_line(target)),
        Kind::Other => format!("{name} (neither a file nor a directory)"),
    }
}
