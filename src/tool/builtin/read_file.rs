//! `fs_read_file`: what is in a file.

use std::{
    io::{BufRead, BufReader, Read, Seek, SeekFrom},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    contents::{SAMPLE, binary_kind},
    deed::Deed,
    problem::Problem,
    root::Root,
    said::Promise,
    subject,
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// Above this size the lines of a file are not counted to its end.
const COUNTED: u64 = 64 << 20;

/// Reads files.
pub(super) struct ReadFile {
    pub(super) root: Arc<Root>,
    pub(super) limit: usize,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    #[serde(default = "first")]
    first_line: u64,
    lines: Option<u64>,
}

fn first() -> u64 {
    1
}

impl Deed for ReadFile {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_read_file";
    const DESCRIPTION: &'static str = "Reads a file of the workspace and returns its text, exactly \
        as it is. Of a long file only a part is returned, and a last line in brackets says which \
        and how to get the next. A binary file is described, not returned. Files that git ignores \
        can be read if they are named.";
    const IS_IDEMPOTENT: bool = true;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["path"],
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, from the root of the workspace.",
                },
                "first_line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "The first line to return; the first of a file is 1.",
                },
                "lines": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many lines to return; all that fit if it is missing.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        self.root.check_read(&self.root.parse(&arguments.path)?)
    }

    fn subject(&self, arguments: &Arguments) -> Subject {
        subject::reading(&self.root, &arguments.path)
    }

    fn act(
        &self,
        arguments: &Arguments,
        promise: &Promise,
        cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let path = self.root.resolve(&self.root.parse(&arguments.path)?)?;
        promise.check_path(&path)?;
        self.root.check_read(&path)?;
        let (mut file, found) = self.root.open_file(&path)?;
        let size = u64::try_from(found.st_size).unwrap_or_default();
        let failed = |error| Problem::system("read", &path, error);
        let mut sample = Vec::new();
        file.by_ref().take(SAMPLE as u64).read_to_end(&mut sample).map_err(failed)?;
        if let Some(kind) = binary_kind(&sample) {
            return Ok(Outcome::success(format!(
                "[`{path}` is a binary file of {size} bytes, {kind}; it is not shown]"
            )));
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        let mut part = Part::new(arguments, self.limit);
        let mut file = BufReader::with_capacity(64 << 10, file);
        loop {
            if cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let read = file.fill_buf().map_err(failed)?;
            if read.is_empty() || (part.is_done() && size > COUNTED) {
                break;
            }
            let length = read.len();
            part.take(read);
            file.consume(length);
        }
        part.end(&path.to_string(), size)
    }
}

/// The lines that are wanted of a file that is being read.
struct Part {
    first: u64,
    last: u64,
    limit: usize,
    /// The line of the next byte.
    line: u64,
    /// Whether the last byte that was read ended a line.
    at_start: bool,
    kept: Vec<u8>,
    /// The line in which there was no more room.
    full: Option<u64>,
    read: u64,
}

impl Part {
    fn new(arguments: &Arguments, limit: usize) -> Self {
        let first = arguments.first_line;
        let last = arguments.lines.map_or(u64::MAX, |lines| first.saturating_add(lines - 1));
        Self { first, last, limit, line: 1, at_start: true, kept: Vec::new(), full: None, read: 0 }
    }

    fn is_done(&self) -> bool {
        self.full.is_some() || self.line > self.last
    }

    fn take(&mut self, read: &[u8]) {
        self.read += read.len() as u64;
        for line in read.split_inclusive(|byte| *byte == b'\n') {
            self.at_start = line.ends_with(b"\n");
            if (self.first..=self.last).contains(&self.line) && self.full.is_none() {
                let room = self.limit - self.kept.len();
                self.kept.extend_from_slice(&line[..line.len().min(room)]);
                if line.len() > room {
                    self.full = Some(self.line);
                }
            }
            self.line += u64::from(self.at_start);
        }
    }

    /// What was wanted, and what is missing.
    fn end(mut self, path: &str, size: u64) -> Result<Outcome, Problem> {
        let is_whole = self.read >= size;
        let total = if self.at_start { self.line - 1 } else { self.line };
        if self.first > total.max(1) && is_whole {
            return Err(Problem::Own(format!("`{path}` has only {total} lines")));
        }
        let of_all = match is_whole {
            true => format!("{total} lines and {size} bytes"),
            false => format!("{size} bytes, too many to count its lines"),
        };
        let note = match self.full {
            Some(line) => {
                // Whole lines, unless not even one fits.
                let end = self.kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                match end {
                    0 => {
                        let cut = whole_characters(&self.kept);
                        self.kept.truncate(cut);
                        Some(format!(
                            "only the first {cut} bytes of line {line} are shown; \
                             the next line is `first_line` {}",
                            line + 1
                        ))
                    }
                    end => {
                        self.kept.truncate(end);
                        Some(format!(
                            "lines {} to {} are shown; go on with `first_line` {line}",
                            self.first,
                            line - 1
                        ))
                    }
                }
            }
            None if self.first > 1 || !is_whole || self.last < total => {
                Some(format!("lines {} to {} are shown", self.first, self.last.min(total)))
            }
            None => None,
        };
        let is_text = std::str::from_utf8(&self.kept).is_ok();
        let mut notes: Vec<_> =
            note.map(|note| format!("{note}; `{path}` has {of_all}")).into_iter().collect();
        if !is_text {
            notes.push("some bytes are not UTF-8 and are shown as replacement characters".into());
        }
        if !notes.is_empty() {
            if !self.kept.ends_with(b"\n") {
                self.kept.push(b'\n');
            }
            self.kept.extend_from_slice(format!("[{}]\n", notes.join("; ")).as_bytes());
        }
        Ok(Outcome::success(self.kept))
    }
}

/// How many bytes there are without half a character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}
