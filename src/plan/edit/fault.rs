//! Why an edit is refused, and where.

use std::fmt;

use crate::format::{Flaw, MANIFEST_FILE};

/// Something that is wrong with an edit, with its place in a file that people can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, by its name in the directory of the edit.
    pub file: String,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// What else has to be looked at.
    pub see: Option<See>,
}

/// An event that has to do with a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct See {
    /// What people call it.
    pub name: String,
    /// Its line in the plan, from 1.
    pub line: Option<usize>,
}

impl Fault {
    /// A fault of a file.
    pub fn new(file: impl Into<String>, flaw: Flaw) -> Self {
        Self { file: file.into(), flaw, see: None }
    }

    /// A fault of a line of the plan, or of the plan as a whole.
    pub fn of_plan(number: Option<usize>, message: impl Into<String>) -> Self {
        let column = number.map(|_| 1);
        Self::new(MANIFEST_FILE, Flaw { line: number, column, message: message.into() })
    }

    /// The same fault, read again in a plan whose lines have moved.
    #[must_use]
    pub fn shifted(mut self, shift: impl Fn(usize) -> usize) -> Self {
        if self.is_of_plan() {
            self.flaw.line = self.flaw.line.map(&shift);
        }
        if let Some(see) = &mut self.see {
            see.line = see.line.map(shift);
        }
        self
    }

    /// What is wrong, without the place.
    pub fn words(&self) -> String {
        let message = &self.flaw.message;
        match &self.see {
            Some(See { name, line: Some(line) }) => format!("{message} ({name}, line {line})"),
            Some(See { name, line: None }) => format!("{message} ({name})"),
            None => message.clone(),
        }
    }

    /// Whether its line is one of the plan.
    pub fn is_of_plan(&self) -> bool {
        self.file == MANIFEST_FILE
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.flaw.line, self.flaw.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        write!(f, ": {}", self.words())
    }
}
