//! Where words go: what was asked for to standard output, talk to standard error.

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Write},
};

use crate::ui::escape;

/// The two streams of a command.
pub struct Output {
    stdout: BufWriter<io::Stdout>,
    stderr: io::Stderr,
}

impl Output {
    /// The streams of this process.
    pub fn of_process() -> Self {
        Self { stdout: BufWriter::new(io::stdout()), stderr: io::stderr() }
    }

    /// Writes a line of what was asked for.
    pub fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stdout, "{text}")
    }

    /// Writes text of what was asked for.
    pub fn text(&mut self, text: impl fmt::Display) -> io::Result<()> {
        write!(self.stdout, "{text}")
    }

    /// Writes bytes of what was asked for, as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdout.write_all(bytes)
    }

    /// Writes a value as JSON.
    pub fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut self.stdout, value)?;
        self.stdout.write_all(b"\n")
    }

    /// Says something beside what was asked for. That nobody listens is not an error.
    pub fn say(&mut self, text: impl fmt::Display) {
        // In the order of the telling; if nobody reads, the next write to it says so.
        let _unread = self.stdout.flush();
        let _unheard = writeln!(self.stderr, "{text}");
    }

    /// Warns about something; the text may hold anything.
    pub fn warn(&mut self, text: impl fmt::Display) {
        let text = text.to_string();
        self.say(format_args!("warning: {}", escape(&text)));
    }

    /// Whether somebody reads standard output on a terminal.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Hands over what was written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}
