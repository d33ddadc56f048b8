//! Whether a tool may run: asked with everything that it would be called with.

use super::{
    super::{
        escape::{escape, escape_lines},
        pager::page_at,
        style::Face,
        terminal::Size,
        width::{shorten, width},
    },
    arguments,
    prompter::{Asked, Key, Prompter},
    wake::Wake,
};
use crate::model::ToolCall;

/// Whether a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// This once.
    Run,
    /// This tool may run as often as it is called in this query.
    RunAlways,
    /// Not at all; the model is told why, if somebody said so.
    Refuse(Option<String>),
}

/// Lines of the screen that the arguments leave free.
const SPARE: usize = 8;

impl Prompter<'_> {
    /// Asks whether a call may be made.
    pub fn permit(&mut self, call: &ToolCall, wake: &Wake) -> Asked<Permission> {
        let text = arguments::lines(&call.arguments);
        let text = escape_lines(&text);
        let size = Size::of(self.tty.file(), self.env);
        let (shown, hidden) = fit(&text, size.rows.saturating_sub(SPARE).max(4), size.columns);
        let mut out = String::new();
        self.style.push(&mut out, Face::TOOL, &escape(call.tool.as_str()));
        out.push_str(" wants to run with\n");
        out.push_str(&shown);
        self.tty.write(&out);
        if hidden {
            self.say("… press v to see everything");
        }
        let mut keys = vec![
            Key { key: 'y', says: "yes" },
            Key { key: 'n', says: "no" },
            Key { key: 'r', says: "no, with a reason" },
            Key { key: 'a', says: "always in this query" },
        ];
        if hidden {
            keys.push(Key { key: 'v', says: "view" });
        }
        loop {
            match self.choose("Run it?", &keys, None, wake) {
                Asked::Answered('y') => return Asked::Answered(Permission::Run),
                Asked::Answered('a') => return Asked::Answered(Permission::RunAlways),
                Asked::Answered('v') => {
                    if page_at(self.env, self.tty.file(), &format!("{text}\n")).is_err() {
                        return Asked::Cancelled;
                    }
                }
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
}

/// As much of a harmless text as fits into so many rows, indented, and whether something is
/// missing.
fn fit(text: &str, rows: usize, columns: usize) -> (String, bool) {
    let columns = columns.max(4);
    let mut out = String::new();
    let mut left = rows;
    for line in text.lines() {
        if left == 0 {
            return (out, true);
        }
        let needed = (width(line) + 2).div_ceil(columns).max(1);
        let most = left.saturating_mul(columns).saturating_sub(2);
        out.push_str("  ");
        out.push_str(&shorten(line, most));
        out.push('\n');
        if needed > left {
            return (out, true);
        }
        left -= needed;
    }
    (out, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_shown_whole_and_else_the_beginning() {
        for (text, rows, expected) in [
            ("a\nb", 2, ("  a\n  b\n", false)),
            ("a\nb\nc", 2, ("  a\n  b\n", true)),
            ("12345678", 1, ("  12345678\n", false)),
            ("123456789", 1, ("  1234567…\n", true)),
            ("123456789", 2, ("  123456789\n", false)),
            ("", 2, ("", false)),
        ] {
            let (shown, hidden) = fit(text, rows, 10);
            assert_eq!((shown.as_str(), hidden), expected, "{text:?} {rows}");
        }
    }
}
