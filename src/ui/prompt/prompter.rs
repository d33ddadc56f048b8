//! Asks one question at a time.

use std::io;

use super::{
    super::{
        escape::{escape, escape_lines},
        signals::suspend,
        style::{Face, Style},
        terminal::Size,
        width::shorten,
    },
    draft::{Draft, Step},
    keys::{Keys, Pressed},
    tty::{Heard, Listening, Tty},
    wake::Wake,
};
use crate::env::Env;

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    /// With an answer.
    Answered(T),
    /// Nobody wants to answer.
    Cancelled,
    /// Nobody is there: the terminal is gone, or not for us any more.
    Gone,
    /// Another thread has called it off; this was typed by then.
    Woken(String),
}

impl<T> Asked<T> {
    /// The same, with something made of the answer.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Asked<U> {
        match self {
            Self::Answered(answer) => Asked::Answered(make(answer)),
            Self::Cancelled => Asked::Cancelled,
            Self::Gone => Asked::Gone,
            Self::Woken(typed) => Asked::Woken(typed),
        }
    }
}

/// A key to press, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The key, in lower case.
    pub key: char,
    /// What it does; empty if the key says it.
    pub says: &'a str,
}

/// Who asks, at the terminal of this process.
pub struct Prompter<'a> {
    pub(super) tty: Tty,
    pub(super) env: &'a Env,
    pub(super) style: Style,
}

impl<'a> Prompter<'a> {
    /// Opens the terminal; an error if there is none.
    pub fn open(env: &'a Env) -> io::Result<Self> {
        let dumb = env.var("TERM").is_none_or(|term| term == "dumb");
        let style = Style::choose(None, true, env);
        Ok(Self { tty: Tty::open(dumb)?, env, style })
    }

    /// Writes lines of a text that may come from anywhere.
    pub fn say(&mut self, text: &str) {
        self.tty.write(&format!("{}\n", escape_lines(text.trim_end_matches('\n'))));
    }

    /// Whether this process may ask here, and no other program of the shell has the terminal.
    pub fn is_in_foreground(&self) -> bool {
        self.tty.is_in_foreground()
    }

    /// Writes what may come from anywhere to a line that the next note replaces.
    pub fn note(&mut self, text: &str) {
        let columns = Size::of(self.tty.file(), self.env).columns;
        self.tty.begin_line();
        // A full line would leave some terminals undecided about where the cursor is.
        let text = shorten(&escape(text), columns.saturating_sub(1)).into_owned();
        let mut line = String::new();
        self.style.push(&mut line, Face::FAINT, &text);
        self.tty.write(&line);
    }

    /// Takes away what was noted.
    pub fn clear_note(&mut self) {
        self.tty.begin_line();
    }

    /// Asks for one of some keys; `Enter` stands for the default.
    pub fn choose(
        &mut self,
        text: &str,
        keys: &[Key<'_>],
        default: Option<char>,
        wake: &Wake,
    ) -> Asked<char> {
        let mut label = escape_lines(text).into_owned();
        for Key { key, says } in keys {
            label.push_str("  ");
            let is_default = default == Some(*key);
            let shown = if is_default { key.to_ascii_uppercase() } else { *key };
            self.style.push(&mut label, Face::STRONG, &format!("[{shown}]"));
            if !says.is_empty() {
                label.push(' ');
                label.push_str(&escape(says));
            }
        }
        label.push(' ');
        let decide = |pressed: &Pressed| {
            let key = match pressed {
                Pressed::Char(c) => c.to_lowercase().next().unwrap_or(*c),
                Pressed::Enter => default?,
                Pressed::Cancel => return Some(Asked::Cancelled),
                // A text that was pasted does not decide anything.
                _ => return None,
            };
            keys.iter().any(|one| one.key == key).then_some(Asked::Answered(key))
        };
        let asked = self.listen(&label, wake, |_, pressed| pressed.iter().find_map(decide));
        let shown =
            if let Asked::Answered(key) = asked { String::from(key) } else { String::new() };
        self.tty.write(&format!("{shown}\n"));
        asked
    }

    /// Asks for a text.
    pub fn text(&mut self, label: &str, wake: &Wake) -> Asked<String> {
        let env = self.env;
        let label = escape(label);
        let mut draft = Draft::default();
        let asked = self.listen(&label, wake, |tty, pressed| {
            let ended = press(&mut draft, pressed);
            // Also when it ended: a text and its end may come at once.
            let columns = Size::of(tty.file(), env).columns;
            tty.write(&draft.redraw(&shorten(&label, columns / 2), columns));
            ended
        });
        self.tty.write("\n");
        match asked {
            Asked::Woken(_) => Asked::Woken(draft.into_text()),
            _ => asked.map(|()| draft.into_text()),
        }
    }

    /// Asks for a text that is not shown, and not kept if nobody waits for it any more.
    pub fn hidden(&mut self, label: &str, wake: &Wake) -> Asked<String> {
        let mut draft = Draft::default();
        let asked = self.listen(&escape(label), wake, |_, pressed| press(&mut draft, pressed));
        self.tty.write("\n");
        asked.map(|()| draft.into_text())
    }

    /// Hands over keys as they come, several if they came at once, until a function has enough.
    fn listen<T>(
        &mut self,
        label: &str,
        wake: &Wake,
        mut take: impl FnMut(&Tty, &[Pressed]) -> Option<Asked<T>>,
    ) -> Asked<T> {
        let Ok(listening) = self.tty.listen() else { return Asked::Gone };
        // The press of Ctrl+C that led here may have left its mark on the line, and there may be
        // a status.
        self.tty.begin_line();
        self.tty.write(label);
        let mut keys = Keys::default();
        loop {
            let heard = match keys.is_after_escape() {
                true => listening.hear_more(wake),
                false => listening.hear(wake),
            };
            let mut pressed: Vec<_> = match heard {
                Heard::Bytes(bytes) => {
                    bytes.into_iter().filter_map(|byte| keys.take(byte)).collect()
                }
                // The key by itself must not take the next one with it.
                Heard::Nothing => keys.settle().into_iter().collect(),
                Heard::Woken => return Asked::Woken(String::new()),
                Heard::Gone => return Asked::Gone,
            };
            if let Some(at) = pressed.iter().position(|pressed| *pressed == Pressed::Suspend) {
                let asked = take(&self.tty, &pressed[..at]);
                let leaves = suspend();
                if let Some(asked) = asked {
                    return asked;
                }
                if leaves {
                    return wait_to_leave(&listening, wake);
                }
                pressed.drain(..=at);
            }
            if let Some(asked) = take(&self.tty, &pressed) {
                return asked;
            }
        }
    }
}

/// Waits until whoever leaves is called off: what they type behind Ctrl+Z is no answer, and nothing
/// for the shell either.
fn wait_to_leave<T>(listening: &Listening<'_>, wake: &Wake) -> Asked<T> {
    loop {
        match listening.hear(wake) {
            Heard::Bytes(_) | Heard::Nothing => {}
            Heard::Woken => {
                listening.forget_keys();
                return Asked::Woken(String::new());
            }
            Heard::Gone => return Asked::Gone,
        }
    }
}

/// Takes keys into a draft, up to one that ends it.
fn press(draft: &mut Draft, pressed: &[Pressed]) -> Option<Asked<()>> {
    pressed.iter().find_map(|pressed| match draft.press(*pressed) {
        Step::More => None,
        Step::Done => Some(Asked::Answered(())),
        Step::Cancelled => Some(Asked::Cancelled),
    })
}
