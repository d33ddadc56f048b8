//! The one line that says what is being waited for, at the bottom of a terminal.

use std::{
    io::{self, Write},
    time::{Duration, Instant},
};

use super::{
    escape::escape,
    style::{Face, Style},
    width::{shorten, width},
};

/// The least time between two drawings.
const EVERY: Duration = Duration::from_millis(100);

/// What is being waited for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The model that answers.
    pub model: String,
    /// How long it has been waited for.
    pub elapsed: Duration,
    /// The tools that are running.
    pub tools: Vec<String>,
    /// The next attempt after one that failed.
    pub retry: Option<Retry>,
}

/// Another attempt that is going to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Which one it is, from 2.
    pub attempt: u32,
    /// How long until it is made.
    pub wait: Duration,
    /// Why the one before failed.
    pub reason: String,
}

/// What the line says, in at most so many columns; the parts may come from anywhere.
pub fn line(status: &Status, columns: usize) -> String {
    let mut parts = vec![duration(status.elapsed), escape(&status.model).into_owned()];
    if !status.tools.is_empty() {
        let names: Vec<_> = status.tools.iter().map(|name| escape(name)).collect();
        parts.push(format!("running {}", names.join(", ")));
    }
    if let Some(Retry { attempt, wait, reason }) = &status.retry {
        let (wait, reason) = (duration(*wait), escape(reason));
        parts.push(format!("attempt {attempt} in {wait}: {reason}"));
    }
    parts.retain(|part| !part.is_empty());
    shorten(&parts.join(" · "), columns).into_owned()
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h {minutes:02}m"),
    }
}

/// The line as it stands on a terminal, below everything else.
#[derive(Debug)]
pub struct StatusLine {
    style: Style,
    /// Whether the terminal moves what no longer fits to the next line when it gets narrower.
    reflows: bool,
    /// What is on the screen.
    drawn: Option<String>,
    last: Option<Instant>,
}

impl StatusLine {
    /// A line that has not been drawn.
    pub fn new(style: Style, reflows: bool) -> Self {
        Self { style, reflows, drawn: None, last: None }
    }

    /// Draws the line, unless it was drawn a moment ago. The cursor must be where a line begins,
    /// or behind what was drawn last.
    pub fn draw(
        &mut self,
        status: &Status,
        columns: usize,
        now: Instant,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < EVERY) {
            return Ok(());
        }
        // A full line would leave some terminals undecided about where the cursor is.
        let text = line(status, columns.saturating_sub(1));
        if self.drawn.as_ref() == Some(&text) {
            return Ok(());
        }
        self.last = Some(now);
        let mut bytes = self.erasure(columns);
        self.style.push(&mut bytes, Face::FAINT, &text);
        self.drawn = Some(text);
        out.write_all(bytes.as_bytes())?;
        out.flush()
    }

    /// Takes the line from the screen; the cursor is where a line begins.
    pub fn erase(&mut self, columns: usize, out: &mut dyn Write) -> io::Result<()> {
        let bytes = self.erasure(columns);
        self.drawn = None;
        if bytes.is_empty() {
            return Ok(());
        }
        out.write_all(bytes.as_bytes())?;
        out.flush()
    }

    /// The line is not on the screen any more.
    pub fn forget(&mut self) {
        self.drawn = None;
    }

    /// What removes the line from a screen that may have become narrower.
    fn erasure(&self, columns: usize) -> String {
        let Some(drawn) = &self.drawn else { return String::new() };
        let above = width(drawn).saturating_sub(1) / columns.max(1);
        if self.reflows && above > 0 {
            return format!("\r\u{1b}[{above}A\u{1b}[J");
        }
        "\r\u{1b}[K".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(seconds: u64) -> Status {
        Status {
            model: "lab/model".to_owned(),
            elapsed: Duration::from_secs(seconds),
            ..Status::default()
        }
    }

    #[test]
    fn the_line_says_how_long_for_whom_and_what_runs() {
        assert_eq!(line(&waiting(7), 80), "7s · lab/model");
        assert_eq!(line(&waiting(125), 80), "2m 05s · lab/model");
        assert_eq!(line(&waiting(3720), 80), "1h 02m · lab/model");
        let tools = vec!["cargo_test".to_owned(), "grep".to_owned()];
        let retry =
            Retry { attempt: 2, wait: Duration::from_secs(4), reason: "overloaded".to_owned() };
        let status = Status { tools, retry: Some(retry), ..waiting(7) };
        let text = "7s · lab/model · running cargo_test, grep · attempt 2 in 4s: overloaded";
        assert_eq!(line(&status, 80), text);
        assert_eq!(line(&status, 20), "7s · lab/model · ru…");
    }

    #[test]
    fn the_line_is_harmless_and_fits() {
        let evil = "\u{1b}[2J\r\n漢字\u{202e}".repeat(3);
        let retry = Retry { attempt: 2, wait: Duration::ZERO, reason: evil.clone() };
        let tools = vec![evil.clone()];
        let status = Status { model: evil, elapsed: Duration::ZERO, tools, retry: Some(retry) };
        for columns in 0..100 {
            let line = line(&status, columns);
            assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
            assert!(width(&line) <= columns, "{line:?}");
        }
    }

    #[test]
    fn it_is_drawn_seldom_and_only_when_it_changes() {
        let mut out = Vec::new();
        let mut status_line = StatusLine::new(Style::COLOUR, true);
        let start = Instant::now();
        for milliseconds in 0..1000 {
            let now = start + Duration::from_millis(milliseconds);
            status_line.draw(&waiting(milliseconds), 80, now, &mut out).unwrap();
        }
        let drawn = String::from_utf8(out).unwrap();
        assert_eq!(drawn.matches("lab/model").count(), 10);
        assert!(
            drawn.starts_with("\u{1b}[2m0s · lab/model\u{1b}[0m\r\u{1b}[K\u{1b}[2m"),
            "{drawn}"
        );

        let mut out = Vec::new();
        let later = start + Duration::from_secs(5);
        status_line.draw(&waiting(900), 80, later, &mut out).unwrap();
        assert_eq!(out, b"", "it says so already");
        status_line.erase(80, &mut out).unwrap();
        status_line.erase(80, &mut out).unwrap();
        assert_eq!(out, b"\r\x1b[K", "it is erased once");
    }

    #[test]
    fn a_screen_that_became_narrower_is_cleared_too() {
        for (reflows, erased) in [(true, "\r\u{1b}[2A\u{1b}[J"), (false, "\r\u{1b}[K")] {
            let mut status_line = StatusLine::new(Style::PLAIN, reflows);
            status_line.draw(&waiting(7), 80, Instant::now(), &mut Vec::new()).unwrap();
            let mut out = Vec::new();
            status_line.erase(6, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), erased);
        }
    }
}
