//! Where the words of a query go: the answer to standard output and nothing else, talk and the
//! status line to standard error.
//!
//! On one terminal they do not get into each other's way: the status line is gone before anything
//! else is written, and stands only below complete lines. Whoever does not read holds up nobody:
//! both streams are written by threads of their own.

use std::{
    fs::File,
    io::{self, IsTerminal, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use super::{
    escape::{escape, escape_json, escape_lines, on_one_line},
    spool::Spool,
    status::{Status, StatusLine},
    stream::StreamRenderer,
    style::{Face, Style},
    terminal::Size,
    title,
    width::shorten,
};
use crate::env::Env;

/// How long the answer must have paused before the status line comes back: whatever shows the
/// answer, if it goes through a pipe to the same terminal, has shown it by then.
const PAUSE: Duration = Duration::from_millis(200);

/// How long a question waits for what comes before it on the terminal.
const BEFORE_A_QUESTION: Duration = Duration::from_secs(1);

/// The columns that the echo of Ctrl+C takes: without room for it, the status would break.
const ECHO: usize = 3;

/// The columns that a line has at least: less says nothing.
const LEAST: usize = 20;

/// Whether somebody still reads the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an answer that nobody reads is to be stopped"]
pub enum Written {
    /// It was written.
    Open,
    /// The other end is closed, and nothing will be written any more.
    Closed,
}

/// What was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The answer.
    pub answer: bool,
    /// What was said beside it.
    pub talk: bool,
}

/// How the answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFormat {
    /// Laid out for a screen.
    Screen,
    /// As it comes, byte for byte.
    Verbatim,
}

/// What may be written beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chrome {
    /// Talk, and on a terminal the status line.
    Full,
    /// Nothing.
    Quiet,
}

/// The two streams of a query.
pub struct Channels<'a> {
    stdout: Box<dyn Write + Send + 'a>,
    stderr: Box<dyn Write + Send + 'a>,
    /// The queues in front of both, where there are any.
    spools: Option<Spools>,
    env: &'a Env,
    chrome: Chrome,
    /// How talk looks.
    style: Style,
    answer: Answer,
    is_closed: bool,
    status: Option<StatusLine>,
    /// Whether the terminal has a title that may be set.
    has_title: bool,
    /// Whether the answer, as far as it was written, ends with its line.
    at_line_start: bool,
    /// When the answer was written last.
    written: Option<Instant>,
}

/// The queues of the answer and of talk: one and the same if they go to the same place.
struct Spools {
    answer: Spool,
    talk: Spool,
}

enum Answer {
    Screen(Box<StreamRenderer>),
    /// Whether a text was written before this one, and whether this one has begun.
    Verbatim {
        after_another: bool,
        begun: bool,
    },
}

impl<'a> Channels<'a> {
    /// The streams of this process. The answer has this style if it is laid out.
    pub fn of_process(
        env: &'a Env,
        format: AnswerFormat,
        style: Style,
        chrome: Chrome,
    ) -> io::Result<Self> {
        let is_terminal = io::stderr().is_terminal();
        let (stdout, stderr, spools) = spooled()?;
        let mut channels = Self::new(env, stdout, stderr, format, style, chrome);
        channels.spools = Some(spools);
        channels.style = Style::choose(None, is_terminal, env);
        channels.has_title = title::has_title(env) && chrome == Chrome::Full;
        let is_dumb = env.var("TERM").is_none_or(|term| term == "dumb");
        if is_terminal && !is_dumb && chrome == Chrome::Full {
            // Alone among the terminals, xterm cuts what no longer fits.
            let reflows = env.var("XTERM_VERSION").is_none();
            channels.status = Some(StatusLine::new(channels.style, reflows));
        }
        Ok(channels)
    }

    fn new(
        env: &'a Env,
        stdout: Box<dyn Write + Send + 'a>,
        stderr: Box<dyn Write + Send + 'a>,
        format: AnswerFormat,
        style: Style,
        chrome: Chrome,
    ) -> Self {
        let answer = match format {
            AnswerFormat::Screen => {
                let columns = Size::of_stdout(env).columns;
                Answer::Screen(Box::new(StreamRenderer::new(style, columns)))
            }
            AnswerFormat::Verbatim => Answer::Verbatim { after_another: false, begun: false },
        };
        Self {
            stdout,
            stderr,
            spools: None,
            env,
            chrome,
            style: Style::PLAIN,
            answer,
            is_closed: false,
            status: None,
            has_title: false,
            at_line_start: true,
            written: None,
        }
    }

    /// Writes a piece of the answer, as much of it as is known for good.
    pub fn answer(&mut self, text: &str, now: Instant) -> io::Result<Written> {
        if text.is_empty() || self.is_closed {
            return self.end_write(Ok(()));
        }
        let mut out = Vec::new();
        match &mut self.answer {
            Answer::Screen(renderer) => {
                renderer.set_width(Size::of_stdout(self.env).columns);
                renderer.push(text, &mut out)?;
            }
            Answer::Verbatim { after_another, begun } => {
                if *after_another && !*begun {
                    out.push(b'\n');
                }
                *begun = true;
                out.extend_from_slice(text.as_bytes());
            }
        }
        self.write(&out, now)
    }

    /// Ends a text of the answer; the next one stands below a blank line.
    pub fn end_answer(&mut self, now: Instant) -> io::Result<Written> {
        let mut out = Vec::new();
        match &mut self.answer {
            Answer::Screen(renderer) => renderer.finish(&mut out)?,
            Answer::Verbatim { after_another, begun } => {
                *after_another |= std::mem::take(begun);
                if !self.at_line_start {
                    out.push(b'\n');
                }
            }
        }
        self.write(&out, now)
    }

    /// Writes data in place of an answer, with the same meaning wherever it goes.
    pub fn data(&mut self, json: &str, now: Instant) -> io::Result<Written> {
        let text = format!("{}\n", escape_json(json.trim_end()));
        self.write(text.as_bytes(), now)
    }

    /// Writes an event as one line of JSON, in place of an answer.
    pub fn event(&mut self, event: &serde_json::Value, now: Instant) -> io::Result<Written> {
        let text = format!("{}\n", escape_json(&event.to_string()));
        self.write(text.as_bytes(), now)
    }

    /// Says something beside the answer, in lines of their own; the text may come from anywhere.
    /// That nobody listens is not an error.
    pub fn say(&mut self, face: Face, text: &str) {
        self.clear_status();
        if self.chrome == Chrome::Quiet {
            return;
        }
        let mut out = String::new();
        for line in escape_lines(text).lines() {
            self.style.push(&mut out, face, line);
            out.push('\n');
        }
        let _unheard = self.stderr.write_all(out.as_bytes()).and_then(|()| self.stderr.flush());
    }

    /// Says something on one line, as much of it as there is room for.
    pub fn say_line(&mut self, face: Face, text: &str) {
        let line = escape(&on_one_line(text)).into_owned();
        // A full line would leave some terminals undecided about where the cursor is.
        let room = self.columns().saturating_sub(1).max(LEAST);
        self.say(face, &shorten(&line, room));
    }

    /// Shows what is being waited for, if there is a terminal and room for it.
    pub fn show_status(&mut self, status: &Status, now: Instant) {
        let pauses = self.written.is_none_or(|at| now.saturating_duration_since(at) >= PAUSE);
        let columns = self.columns().saturating_sub(ECHO);
        let is_read = self.spools.as_ref().is_none_or(|spools| spools.talk.is_idle());
        let Some(line) = &mut self.status else { return };
        if self.at_line_start && pauses && is_read {
            let _unseen = line.draw(status, columns, now, &mut self.stderr);
        }
    }

    /// Sets the title of the terminal, if it has one; the text may come from anywhere.
    pub fn set_title(&mut self, text: &str) {
        if self.has_title {
            let sequence = title::sequence(text);
            let written = self.stderr.write_all(sequence.as_bytes());
            let _unseen = written.and_then(|()| self.stderr.flush());
        }
    }

    /// Takes the status line from the terminal, before somebody else writes to it.
    pub fn clear_status(&mut self) {
        let columns = self.columns();
        if let Some(line) = &mut self.status {
            let _unseen = line.erase(columns, &mut self.stderr);
        }
    }

    /// Somebody else has taken the line of the status from the terminal.
    pub fn forget_status(&mut self) {
        if let Some(line) = &mut self.status {
            line.forget();
        }
    }

    /// Whether somebody still reads the answer, as far as that is known by now.
    pub fn check(&mut self) -> io::Result<Written> {
        let flushed = self.stdout.flush();
        self.end_write(flushed)
    }

    /// Lets the terminal show what was said so far, before somebody is asked something there.
    pub fn settle_terminal(&self) {
        let Some(spools) = &self.spools else { return };
        if io::stderr().is_terminal() {
            spools.talk.settle(Some(BEFORE_A_QUESTION));
        }
        if io::stdout().is_terminal() {
            spools.answer.settle(Some(BEFORE_A_QUESTION));
        }
    }

    /// Waits until everything is read, for so long at most, and says what is.
    pub fn wait(&self, patience: Option<Duration>) -> Settled {
        let Some(spools) = &self.spools else { return Settled { answer: true, talk: true } };
        let answer = spools.answer.settle(patience);
        Settled { answer, talk: spools.talk.settle(patience) }
    }

    fn columns(&self) -> usize {
        Size::of(io::stderr(), self.env).columns
    }

    fn write(&mut self, bytes: &[u8], now: Instant) -> io::Result<Written> {
        if self.is_closed || bytes.is_empty() {
            return self.end_write(Ok(()));
        }
        self.clear_status();
        self.at_line_start = bytes.ends_with(b"\n");
        self.written = Some(now);
        let written = self.stdout.write_all(bytes).and_then(|()| self.stdout.flush());
        self.end_write(written)
    }

    fn end_write(&mut self, written: io::Result<()>) -> io::Result<Written> {
        let gone = rustix::io::Errno::IO.raw_os_error();
        match written {
            Ok(()) if !self.is_closed => Ok(Written::Open),
            Ok(()) => Ok(Written::Closed),
            // The terminal of a process that outlives it fails in the second way.
            Err(error)
                if error.kind() == io::ErrorKind::BrokenPipe
                    || error.raw_os_error() == Some(gone) =>
            {
                self.is_closed = true;
                Ok(Written::Closed)
            }
            Err(error) => Err(error),
        }
    }
}

type Stream = Box<dyn Write + Send>;

/// The streams of this process behind queues: one if they go to the same place, so that what is
/// said stays in order.
fn spooled() -> io::Result<(Stream, Stream, Spools)> {
    let (stdout, stderr) = (io::stdout(), io::stderr());
    // Whoever holds the streams of the library while nobody reads would hold up the end.
    let file = |stream: &dyn AsFd| -> io::Result<Stream> {
        Ok(Box::new(File::from(stream.as_fd().try_clone_to_owned()?)))
    };
    let place = |stream: &dyn AsFd| {
        rustix::fs::fstat(stream.as_fd()).ok().map(|file| (file.st_dev, file.st_ino))
    };
    let (answer, talk) = (file(&stdout)?, file(&stderr)?);
    if place(&stdout) == place(&stderr) {
        let (spool, [answer, talk]) = Spool::start([answer, talk])?;
        let spools = Spools { answer: spool.clone(), talk: spool };
        return Ok((Box::new(answer), Box::new(talk), spools));
    }
    let (answer_spool, [answer]) = Spool::start([answer])?;
    let (talk_spool, [talk]) = Spool::start([talk])?;
    let spools = Spools { answer: answer_spool, talk: talk_spool };
    Ok((Box::new(answer), Box::new(talk), spools))
}

impl Drop for Channels<'_> {
    fn drop(&mut self) {
        self.clear_status();
        self.settle_terminal();
    }
}

#[cfg(test)]
mod tests;
