//! What is wrong with a list, and where.

use std::fmt;

use super::limits;

/// Something in a list that is wrong, or cannot be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place, such as `[3].content[1].type`; empty for the list as a whole.
    pub place: String,
    /// What is the matter with it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gap = if self.place.is_empty() { "" } else { ": " };
        write!(f, "{}{gap}{}", self.place, self.message)
    }
}

/// A key of an object at a place.
pub(super) fn at_key(place: &str, key: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !key.is_empty() && key.chars().all(is_word) {
        true => format!("{place}.{key}"),
        false => format!("{place}[{}]", serde_json::Value::from(key)),
    }
}

/// An element of a list at a place.
pub(super) fn at_index(place: &str, index: usize) -> String {
    format!("{place}[{index}]")
}

/// What was found so far, up to a number that people can read.
#[derive(Debug, Default)]
pub(super) struct Problems {
    found: Vec<Problem>,
    /// How many were found.
    count: usize,
}

impl Problems {
    /// Adds one.
    pub(super) fn push(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.count += 1;
        if self.found.len() < limits::PROBLEMS {
            self.found.push(Problem { place: place.into(), message: message.into() });
        }
    }

    /// How many were found.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// What was found, and at the end how many more there are.
    pub(super) fn into_vec(mut self) -> Vec<Problem> {
        let more = self.count - self.found.len();
        if more > 0 {
            let message = format!("{more} more of this kind");
            self.found.push(Problem { place: String::new(), message });
        }
        self.found
    }
}

/// What is found while a list is read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What is wrong: the list is refused.
    pub problems: Problems,
    /// What cannot be kept.
    pub warnings: Problems,
}
