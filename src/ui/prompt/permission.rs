//! Whether a tool may run, and whether a model gets its result: asked with everything that it is
//! about.

use super::{
    super::{
        escape::{escape, escape_lines},
        pager::page_at,
        style::Face,
        terminal::Size,
        width::width,
    },
    arguments,
    prompter::{Asked, Key, Prompter},
    wake::Wake,
};
use crate::model::ToolCall;

/// A call that somebody decides about.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// The call, with the arguments that it would be made with.
    pub call: &'a ToolCall,
    /// What it would change, as a diff.
    pub preview: Option<&'a str>,
    /// Whether only the same command could be allowed for the whole conversation, and not the tool.
    pub is_command: bool,
    /// Why it cannot be made like this.
    pub problem: Option<&'a str>,
}

/// Whether a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// This once.
    Run,
    /// As often as it is called in this conversation.
    RunAlways,
    /// Perhaps with other arguments.
    Edit,
    /// Not at all; the model is told why, if somebody said so.
    Refuse(Option<String>),
}

/// Whether a model gets a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// As it is.
    Deliver,
    /// After it was edited.
    Edit,
    /// Not at all.
    Withhold,
}

/// More rows than this are shown only on demand, and nobody can agree before that.
const MOST_ROWS: usize = 300;

impl Prompter<'_> {
    /// Asks whether a call may be made. Nothing but a key that says so means yes.
    pub fn permit(&mut self, proposal: &Proposal<'_>, wake: &Wake) -> Asked<Permission> {
        let Proposal { call, preview, is_command, problem } = *proposal;
        let mut title = String::new();
        self.style.push(&mut title, Face::TOOL, &escape(call.tool.as_str()));
        title.push_str(" wants to run with\n");
        let mut text = indent(&escape_lines(&arguments::lines(&call.arguments)));
        if let Some(preview) = preview {
            text.push_str("and would change\n");
            text.push_str(&indent(&escape_lines(preview)));
        }
        let mut is_seen = self.present(&title, &text);
        if let Some(problem) = problem {
            self.say(problem);
        }
        let always = match is_command {
            true => "always this command here",
            false => "always in this conversation",
        };
        loop {
            let mut keys = Vec::new();
            if is_seen && problem.is_none() {
                keys.push(Key { key: 'y', says: "yes" });
            }
            keys.push(Key { key: 'n', says: "no" });
            keys.push(Key { key: 'r', says: "reason" });
            if is_seen && problem.is_none() {
                keys.push(Key { key: 'a', says: always });
            }
            keys.push(Key { key: 'e', says: "edit" });
            keys.push(Key { key: 's', says: "show" });
            let question = if problem.is_some() { "Edit it again?" } else { "Run it?" };
            match self.choose(question, &keys, Some('n'), wake) {
                Asked::Answered('y') => return Asked::Answered(Permission::Run),
                Asked::Answered('a') => return Asked::Answered(Permission::RunAlways),
                Asked::Answered('e') => return Asked::Answered(Permission::Edit),
                Asked::Answered('s') => match self.show(&text) {
                    Ok(()) => is_seen = true,
                    Err(_gone) => return Asked::Gone,
                },
                Asked::Answered('r') => match self.text("Reason: ", wake) {
                    Asked::Answered(reason) if reason.trim().is_empty() => {}
                    // Without a reason it is as if the key had not been pressed.
                    Asked::Cancelled => {}
                    asked => return asked.map(|reason| Permission::Refuse(Some(reason))),
                },
                Asked::Answered(_) => return Asked::Answered(Permission::Refuse(None)),
                asked => return asked.map(|_| Permission::Refuse(None)),
            }
        }
    }

    /// Asks whether a model gets a result.
    pub fn hand_over(&mut self, call: &ToolCall, result: &str, wake: &Wake) -> Asked<Handover> {
        let mut title = String::new();
        self.style.push(&mut title, Face::TOOL, &escape(call.tool.as_str()));
        title.push_str(" has come to\n");
        let text = indent(&escape_lines(result));
        let mut is_seen = self.present(&title, &text);
        loop {
            let mut keys = Vec::new();
            if is_seen {
                keys.push(Key { key: 'y', says: "yes" });
            }
            keys.push(Key { key: 'n', says: "no" });
            keys.push(Key { key: 'e', says: "edit" });
            keys.push(Key { key: 's', says: "show" });
            match self.choose("Hand it to the model?", &keys, Some('n'), wake) {
                Asked::Answered('y') => return Asked::Answered(Handover::Deliver),
                Asked::Answered('e') => return Asked::Answered(Handover::Edit),
                Asked::Answered('s') => match self.show(&text) {
                    Ok(()) => is_seen = true,
                    Err(_gone) => return Asked::Gone,
                },
                asked => return asked.map(|_| Handover::Withhold),
            }
        }
    }

    /// Writes a harmless text under its title, whole, or nothing but how long it is. Says whether
    /// it is there.
    fn present(&mut self, title: &str, text: &str) -> bool {
        let columns = Size::of(self.tty.file(), self.env).columns;
        let rows = rows(text, columns);
        let is_short = rows <= MOST_ROWS;
        self.tty.write(title);
        match is_short {
            true => self.tty.write(text),
            false => self.say(&format!("  {rows} lines: press s to see all of them first")),
        }
        is_short
    }

    fn show(&self, text: &str) -> std::io::Result<()> {
        page_at(self.env, self.tty.file(), text)
    }
}

/// The rows that a harmless text takes.
fn rows(text: &str, columns: usize) -> usize {
    let columns = columns.max(4);
    text.lines().map(|line| width(line).div_ceil(columns).max(1)).sum()
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_as_a_terminal_breaks_lines() {
        for (text, expected) in [("a\nb", 2), ("", 0), ("1234567890", 1), ("12345678901", 2)] {
            assert_eq!(rows(text, 10), expected, "{text:?}");
        }
        assert_eq!(indent("a\n\nb"), "  a\n  \n  b\n");
    }
}
