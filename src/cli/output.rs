//! Where words go: what was asked for to standard output, talk to standard error.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Write},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::args::Color;
use crate::{
    env::Env,
    ui::{self, Style, escape},
};

/// Who hears what is said.
type Hearer = Box<dyn Fn(&str)>;

/// The two streams of a command.
pub struct Output {
    stdout: BufWriter<io::Stdout>,
    stderr: io::Stderr,
    style: Style,
    pager: bool,
    /// Who hears what is said beside what was asked for, if that is not standard error.
    hearer: Option<Hearer>,
    /// What is held back until it is known whether it fits on the screen.
    held: Option<Vec<u8>>,
    /// What was done and has to be told, even if it cannot be printed.
    done: Vec<String>,
}

impl Output {
    /// The streams of this process.
    pub fn of_process() -> Self {
        let stdout = BufWriter::new(io::stdout());
        let (stderr, style) = (io::stderr(), Style::PLAIN);
        Self { stdout, stderr, style, pager: true, hearer: None, held: None, done: Vec::new() }
    }

    /// Uses colours when the user wants them.
    pub fn choose_style(&mut self, color: Color, env: &Env) {
        let wanted = match color {
            Color::Auto => None,
            Color::Always => Some(true),
            Color::Never => Some(false),
        };
        self.style = Style::choose(wanted, self.is_terminal(), env);
    }

    /// Uses no pager, however long it gets.
    pub fn use_no_pager(&mut self) {
        self.pager = false;
    }

    /// How what was asked for may look.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Whether what was asked for is laid out for a screen: on a terminal, or if colours are
    /// wanted elsewhere.
    pub fn is_for_a_screen(&self) -> bool {
        self.is_terminal() || self.style.is_colour()
    }

    /// Writes a line of what was asked for.
    pub fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.sink(), "{text}")
    }

    /// Writes text of what was asked for.
    pub fn text(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.sink(), "{text}")
    }

    /// Writes bytes of what was asked for, as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sink().write_all(bytes)
    }

    /// Shows what a function writes, through a pager if it is too long for the terminal.
    pub fn paged<T, E: From<io::Error>>(
        &mut self,
        env: &Env,
        write: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.pager || !self.is_terminal() {
            return write(self);
        }
        self.held = Some(Vec::new());
        let written = write(self);
        let held = self.held.take().unwrap_or_default();
        ui::page(env, &mut self.stdout, &held)?;
        written
    }

    /// Where what was asked for is written to.
    pub fn sink(&mut self) -> &mut dyn Write {
        match &mut self.held {
            Some(held) => held,
            None => &mut self.stdout,
        }
    }

    /// Writes a value as JSON.
    pub fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        writeln!(self.stdout, "{}", ui::escape_json(&text))
    }

    /// Remembers what was done, in a few words, in case that it cannot be printed.
    pub fn done(&mut self, text: impl fmt::Display) {
        self.done.push(text.to_string());
    }

    /// Says what was done, since it could not be printed.
    pub fn say_what_was_done(&mut self) {
        for text in std::mem::take(&mut self.done) {
            self.say(format_args!("Done all the same: {}", escape(&text)));
        }
    }

    /// Says something beside what was asked for. That nobody listens is not an error.
    pub fn say(&mut self, text: impl fmt::Display) {
        // In the order of the telling; if nobody reads, the next write to it says so.
        let _unread = self.stdout.flush();
        if let Some(hear) = &self.hearer {
            return hear(&text.to_string());
        }
        let _unheard = writeln!(self.stderr, "{text}");
    }

    /// Lets somebody else hear what is said from now on.
    pub fn divert(&mut self, hear: impl Fn(&str) + 'static) {
        self.hearer = Some(Box::new(hear));
    }

    /// Warns about something; the text may hold anything.
    pub fn warn(&mut self, text: impl fmt::Display) {
        let text = text.to_string();
        self.say(format_args!("warning: {}", escape(&text)));
    }

    /// Warns about each of several things.
    pub fn warn_all(&mut self, texts: impl IntoIterator<Item: fmt::Display>) {
        for text in texts {
            self.warn(text);
        }
    }

    /// Says what the user can do next; the text may hold anything.
    pub fn hint(&mut self, text: impl fmt::Display) {
        let text = text.to_string();
        self.say(format_args!("Hint: {}", escape(&text)));
    }

    /// Says which command takes back what was just done.
    pub fn hint_at_inverse(&mut self, command: &str) {
        self.hint(format_args!("`{command}` takes it back"));
    }

    /// Whether somebody reads standard output on a terminal.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether nobody can read standard output any more.
    pub fn is_unread() -> bool {
        let stdout = io::stdout();
        // That is told without being asked for.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let told = poll(&mut watched, Some(&Timespec::default()));
        told.is_ok() && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
    }

    /// Hands over what was written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}
