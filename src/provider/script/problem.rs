//! What is wrong with a script, by line.

use std::ops::Range;

/// A script that cannot be played, with everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(problems))]
pub struct ScriptError {
    /// Everything that is wrong, in the order of the lines.
    pub problems: Vec<ScriptProblem>,
}

/// One thing that is wrong with a script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptProblem {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// The problems found so far in a text.
pub(super) struct Problems<'t> {
    text: &'t str,
    found: Vec<ScriptProblem>,
}

impl<'t> Problems<'t> {
    /// Nothing is wrong yet.
    pub fn new(text: &'t str) -> Self {
        Self { text, found: Vec::new() }
    }

    /// Adds a problem at a place of the text.
    pub fn add(&mut self, span: Range<usize>, message: impl Into<String>) {
        let (line, column) = self.place(span.start);
        self.found.push(ScriptProblem { line, column, message: message.into() });
    }

    /// The line of a place, from 1.
    pub fn line(&self, span: Range<usize>) -> usize {
        self.place(span.start).0
    }

    /// What was read, if nothing is wrong with it.
    pub fn or<T>(mut self, value: T) -> Result<T, ScriptError> {
        if self.found.is_empty() {
            return Ok(value);
        }
        self.found.sort();
        self.found.dedup();
        Err(ScriptError { problems: self.found })
    }

    fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
        (1 + before.matches('\n').count(), 1 + column)
    }
}

fn listed(problems: &[ScriptProblem]) -> String {
    let lines = problems.iter().map(|ScriptProblem { line, column, message }| {
        format!("line {line}, column {column}: {message}")
    });
    lines.collect::<Vec<_>>().join("\n")
}
