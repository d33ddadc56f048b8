//! `fs_search`: where something stands in files.

use std::{io::Read, ops::ControlFlow, sync::Arc};

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    contents::{SAMPLE, binary_kind, count, lines},
    deed::Deed,
    filter::Filter,
    matches::Matches,
    path::Inside,
    problem::Problem,
    root::{Root, open_file_in},
    said::Promise,
    subject,
    walk::{Kind, Walk},
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// The largest file that is searched.
const LARGEST: u64 = 16 << 20;

/// The most lines around a match.
const MOST_CONTEXT: u64 = 20;

/// Searches files.
pub(super) struct Search {
    pub(super) root: Arc<Root>,
    pub(super) limit: usize,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    pattern: String,
    #[serde(default)]
    literal: bool,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    path: String,
    glob: Option<String>,
    #[serde(default)]
    context: usize,
}

impl Deed for Search {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_search";
    const DESCRIPTION: &'static str = "Searches the text files beneath a directory of the \
        workspace, or one file, for a regular expression or a literal text, line by line. Returns \
        lines as `PATH:LINE:TEXT`, and lines around a match as `PATH-LINE-TEXT`. What git ignores, \
        binary files, and what symbolic links lead to are not searched. If there are too many \
        matches, a last line in brackets says how many are not shown.";
    const IS_IDEMPOTENT: bool = true;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["pattern"],
            "additionalProperties": false,
            "properties": {
                "pattern": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What to look for within a line: a regular expression in the \
                        syntax of Rust's `regex` (no look-around, no back references).",
                },
                "literal": {
                    "type": "boolean",
                    "description": "Whether the pattern is a text as it stands.",
                },
                "ignore_case": {
                    "type": "boolean",
                    "description": "Whether upper and lower case are the same.",
                },
                "path": {
                    "type": "string",
                    "description": "The directory or file, from the root of the workspace, which \
                        it is if this is missing.",
                },
                "glob": {
                    "type": "string",
                    "minLength": 1,
                    "description": "Which files, as in `*.rs`, `src/**/*.{ts,tsx}`: a pattern \
                        without `/` is about names, another about paths from the directory.",
                },
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": MOST_CONTEXT,
                    "description": "How many lines to show before and after each match.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        arguments.regex()?;
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
        let mut hunt = Hunt {
            regex: arguments.regex()?,
            matches: Matches::new(arguments.context, self.limit),
            skipped: Skipped::default(),
        };
        match self.root.open_file(&start) {
            Ok((file, _)) => {
                hunt.search(file, &start);
                return Ok(Outcome::success(hunt.text(0)));
            }
            Err(Problem::Directory(_)) => {}
            Err(problem) => return Err(problem),
        }
        let walk = Walk { root: &self.root, depth: usize::MAX, ignored: false, cancel };
        let missed = walk.go(&start, &mut |entry| {
            let fits = || filter.as_ref().is_none_or(|filter| filter.fits(&entry.path, &start));
            if entry.kind == Kind::File && fits() {
                match open_file_in(entry.above, entry.name, &entry.path) {
                    Ok((file, _)) => hunt.search(file, &entry.path),
                    // It is gone, or something else by now.
                    Err(Problem::Missing(_) | Problem::NoFile { .. } | Problem::Directory(_)) => {}
                    Err(_) => hunt.skipped.unreadable += 1,
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(Outcome::success(hunt.text(missed.directories.len())))
    }
}

impl Arguments {
    fn regex(&self) -> Result<Regex, Problem> {
        let source = match self.literal {
            true => regex::escape(&self.pattern),
            false => self.pattern.clone(),
        };
        let built = RegexBuilder::new(&source).case_insensitive(self.ignore_case).build();
        built.map_err(|error| {
            Problem::Own(format!(
                "`{}` is not a regular expression, and `literal` was not set: {error}",
                self.pattern
            ))
        })
    }
}

struct Hunt {
    regex: Regex,
    matches: Matches,
    skipped: Skipped,
}

#[derive(Default)]
struct Skipped {
    large: usize,
    unreadable: usize,
}

impl Hunt {
    fn search(&mut self, file: std::fs::File, path: &Inside) {
        let mut bytes = Vec::new();
        if file.take(LARGEST + 1).read_to_end(&mut bytes).is_err() {
            self.skipped.unreadable += 1;
            return;
        }
        if binary_kind(&bytes[..bytes.len().min(SAMPLE)]).is_some() {
            return;
        }
        if bytes.len() as u64 > LARGEST {
            self.skipped.large += 1;
            return;
        }
        // Most files have no match at all, and are asked once; a match over several lines may hide
        // one within a line, which is then found line by line.
        if !self.regex.is_match(&bytes) && !has_anchor(self.regex.as_str()) {
            return;
        }
        let lines: Vec<_> = lines(&bytes).map(without_end).collect();
        let found = lines.iter().enumerate().filter(|(_, line)| self.regex.is_match(line));
        let found: Vec<_> = found.map(|(index, _)| index).collect();
        self.matches.add(path, &lines, &found);
    }

    fn text(self, unread: usize) -> String {
        let mut notes = Vec::new();
        if self.skipped.large > 0 {
            let word = count(self.skipped.large, "file is", "files are");
            notes.push(format!("{word} larger than {LARGEST} bytes and not searched"));
        }
        if self.skipped.unreadable + unread > 0 {
            let word = count(self.skipped.unreadable + unread, "entry", "entries");
            notes.push(format!("{word} could not be read"));
        }
        self.matches.text(notes)
    }
}

/// Whether an expression may match a line and not the file that it stands in.
fn has_anchor(source: &str) -> bool {
    source.contains(['^', '$', '\\'])
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
