//! What is wrong with a file, and where.

use std::fmt;

/// One thing that is wrong with a file, with its place as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Flaw {
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column in that line, from 1.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Flaw {
    /// A flaw of the file as a whole.
    pub fn new(message: impl Into<String>) -> Self {
        Self { line: None, column: None, message: message.into() }
    }

    /// A flaw at the start of a line.
    pub fn at_line(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), column: Some(1), message: message.into() }
    }

    /// A flaw at a byte of a text.
    pub fn at_offset(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
        Self { line: Some(line), column: Some(column), message: message.into() }
    }

    /// The same flaw, in a text that stands some lines further down.
    pub fn moved_down(mut self, lines: usize) -> Self {
        self.line = self.line.map(|line| line + lines);
        self
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.message)
    }
}
