//! Which conversation a command needs before it can begin. Nothing else is loaded, and a command
//! that needs none does not ask.

use super::Query;

/// The conversation that a command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need<'a> {
    /// One that does not exist yet.
    New,
    /// The one that is named.
    Explicit(&'a str),
    /// One that somebody picks from a list.
    Picked,
    /// That of the terminal.
    Session,
}

impl<'a> Need<'a> {
    /// The conversation that is named, else that of the terminal.
    pub fn of(id: Option<&'a str>) -> Self {
        id.map_or(Self::Session, Self::Explicit)
    }
}

impl Query {
    /// The conversation that it goes on with, or forks.
    pub fn need(&self) -> Need<'_> {
        match &self.id {
            _ if self.new => Need::New,
            Some(Some(id)) if !id.is_empty() => Need::Explicit(id),
            Some(_) => Need::Picked,
            None => Need::Session,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::args::{Cli, Command};

    /// What `jp query` with these arguments needs, in words.
    fn need(args: &[&str]) -> String {
        let line = ["jp", "query"].iter().chain(args);
        let Command::Query(query) = Cli::try_parse_from(line).unwrap().command else {
            unreachable!("it is a query");
        };
        format!("{:?}", query.need())
    }

    #[test]
    fn a_query_without_flags_needs_the_conversation_of_its_terminal() {
        assert_eq!(need(&["Hello"]), "Session");
        assert_eq!(need(&["--fork", "Hello"]), "Session");
        assert_eq!(need(&["--fork=3", "Hello"]), "Session");
        assert_eq!(need(&["--no-persist", "Hello"]), "Session");
    }

    #[test]
    fn a_new_query_needs_a_conversation_that_does_not_exist_yet() {
        assert_eq!(need(&["--new", "Hello"]), "New");
        assert_eq!(need(&["--new", "--no-persist", "Hello"]), "New");
    }

    #[test]
    fn a_query_with_an_id_needs_that_conversation() {
        assert_eq!(need(&["--id=jp-c1", "Hello"]), "Explicit(\"jp-c1\")");
        assert_eq!(need(&["--id=last", "--fork", "Hello"]), "Explicit(\"last\")");
        assert_eq!(need(&["--no-persist", "--id=prev", "Hello"]), "Explicit(\"prev\")");
    }

    #[test]
    fn a_bare_id_is_the_picker_and_takes_no_word_of_the_question() {
        assert_eq!(need(&["--id", "Hello"]), "Picked");
        assert_eq!(need(&["--id=", "Hello"]), "Picked");
        assert_eq!(need(&["--fork", "--id", "--", "Hello"]), "Picked");
    }
}
