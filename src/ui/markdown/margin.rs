//! What every line begins with: quote bars, list marks and the space below them.

use super::super::{
    style::{Face, Style},
    width::width,
};

/// Containers beyond these are not shown, so that no line begins with more than a screen can take.
const SHOWN: usize = 16;

/// The most that lines below a mark are indented by.
const INDENT: usize = 8;

/// The containers that a line stands in.
#[derive(Debug, Default)]
pub struct Margin {
    /// What the next line begins with, if a container has just begun.
    first: Option<String>,
    /// What every later line begins with.
    rest: String,
    /// Columns of `rest`.
    columns: usize,
    /// For each container, the length and the columns of `rest` without it.
    outer: Vec<(usize, usize)>,
    /// Columns that all containers may take together.
    limit: usize,
}

impl Margin {
    /// A margin that takes at most half of so many columns.
    pub fn within(columns: usize) -> Self {
        Self { limit: columns / 2, ..Self::default() }
    }

    /// Lets containers to come take at most half of so many columns.
    pub fn set_limit(&mut self, columns: usize) {
        self.limit = columns / 2;
    }

    /// Columns that a line begins with.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Enters a quotation.
    pub fn push_quote(&mut self, style: Style) {
        let mut bar = String::new();
        style.push(&mut bar, Face::FAINT, "│");
        bar.push(' ');
        self.push(&bar, &bar, 2);
    }

    /// Enters something with a mark at its first line and space below it. The mark is harmless.
    pub fn push_mark(&mut self, style: Style, face: Face, mark: &str) {
        let columns = width(mark) + 1;
        let mut first = String::new();
        style.push(&mut first, face, mark);
        first.push(' ');
        self.push(&first, &" ".repeat(columns.min(INDENT)), columns.min(INDENT));
    }

    fn push(&mut self, first: &str, rest: &str, columns: usize) {
        self.outer.push((self.rest.len(), self.columns));
        let next = self.first.get_or_insert_with(|| self.rest.clone());
        if self.outer.len() > SHOWN || self.columns + columns > self.limit {
            return;
        }
        next.push_str(first);
        self.rest.push_str(rest);
        self.columns += columns;
    }

    /// Leaves the last container.
    pub fn pop(&mut self) {
        if let Some((length, columns)) = self.outer.pop() {
            self.rest.truncate(length);
            self.columns = columns;
        }
    }

    /// Whether a container has begun that has no line yet.
    pub fn is_due(&self) -> bool {
        self.first.is_some()
    }

    /// Begins a line.
    pub fn begin(&mut self, out: &mut String) {
        match self.first.take() {
            Some(first) => out.push_str(&first),
            None => out.push_str(&self.rest),
        }
    }

    /// Begins a line that goes on where the one before it ended.
    pub fn go_on(&self, out: &mut String) {
        out.push_str(&self.rest);
    }

    /// A line with nothing on it.
    pub fn blank(&self, out: &mut String) {
        out.push_str(self.rest.trim_end_matches(' '));
    }
}
