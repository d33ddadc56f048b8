//! What the user sees of a query while it goes on.

use std::{
    collections::BTreeSet,
    io,
    time::{Duration, Instant},
};

use super::{
    asker::{Asker, Bell},
    caption::Caption,
    driving::Stage,
    echo::{Echo, Ended, Fresh},
    ending::Words,
    lines,
    scene::Scene,
};
use crate::{
    cli::{args::Query, output::Output},
    config::Visibility,
    env::Env,
    model::{CallId, EventKind, EventType, InquiryId, ToolCall},
    turn::{Ask, Closed, FrontEnd, Inbox, Notice, Post},
    ui::{
        AnswerFormat, Channels, Chrome, Face, Retry, Status, Written, complain, escape,
        on_one_line, shorten,
    },
};

/// How the user wants to see it.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// Each event is a line of JSON.
    pub json: bool,
    /// Thoughts are shown.
    pub reasoning: bool,
    /// Data is wanted instead of a text.
    pub data: bool,
}

impl Manner {
    /// As the arguments and the settings say.
    pub fn of(args: &Query, scene: &Scene) -> Self {
        Self {
            json: args.manner.format.is_json(),
            reasoning: scene.resolved.settings.ui.reasoning == Visibility::Show,
            data: scene.model.setup.schema.is_some(),
        }
    }
}

/// The streams of this process.
pub fn channels<'a>(env: &'a Env, output: &Output, words: Words) -> io::Result<Channels<'a>> {
    let format = match !words.json && output.is_for_a_screen() {
        true => AnswerFormat::Screen,
        false => AnswerFormat::Verbatim,
    };
    let chrome = if words.quiet { Chrome::Quiet } else { Chrome::Full };
    Channels::of_process(env, format, output.style(), chrome)
}

/// Shows a query at the terminal, or wherever the output goes.
pub struct Front<'a> {
    channels: Channels<'a>,
    asker: Option<Asker>,
    caption: Option<Caption>,
    manner: Manner,
    status: Status,
    started: Instant,
    running: Vec<Running>,
    /// The calls that were said to run.
    started_calls: BTreeSet<CallId>,
    /// What came while the terminal was for questions.
    held: Vec<Notice>,
    /// What was to be said while an editor had it.
    unsaid: Vec<String>,
    echo: Echo,
    /// Data that is not printed yet.
    data: Vec<String>,
    /// The last line of a thought, as far as it has come.
    thought: String,
    attempt: u32,
    retry_at: Option<Instant>,
    is_open: bool,
    /// Why the answer could not be written.
    failure: Option<io::Error>,
    unsent: Option<String>,
}

/// How far the answer was read.
#[derive(Debug)]
pub enum Reading {
    /// To its end.
    Done,
    /// The other end was closed.
    Closed,
    /// It cannot be written.
    Failed(io::Error),
    /// Nobody has read it in time.
    Late {
        /// Whether what is said beside it is read.
        is_heard: bool,
    },
}

/// A tool that runs.
struct Running {
    id: CallId,
    tool: String,
    /// How far it is, as it says itself.
    progress: String,
}

impl Running {
    fn shown(&self) -> String {
        match self.progress.as_str() {
            "" => self.tool.clone(),
            progress => format!("{} ({})", self.tool, shorten(progress, PROGRESS)),
        }
    }
}

/// How many columns of what a tool says about itself are shown.
const PROGRESS: usize = 40;

impl<'a> Front<'a> {
    /// Nothing has been shown yet.
    pub fn new(
        channels: Channels<'a>,
        asker: Option<Asker>,
        model: String,
        manner: Manner,
    ) -> Self {
        Self {
            channels,
            asker,
            caption: None,
            manner,
            status: Status { model, ..Status::default() },
            started: Instant::now(),
            running: Vec::new(),
            started_calls: BTreeSet::new(),
            held: Vec::new(),
            unsaid: Vec::new(),
            echo: Echo::default(),
            data: Vec::new(),
            thought: String::new(),
            attempt: 1,
            retry_at: None,
            is_open: true,
            failure: None,
            unsent: None,
        }
    }

    /// The same, which keeps the title of the terminal up to date.
    pub fn with_caption(self, caption: Option<Caption>) -> Self {
        Self { caption, ..self }
    }

    /// Shows what is new about the conversation in the title of the terminal.
    pub fn entitle(&mut self) {
        if let Some(text) = self.caption.as_mut().and_then(Caption::fresh) {
            self.channels.set_title(&text);
        }
    }

    /// A way to have something asked, if somebody can be.
    pub fn asker(&self) -> Option<Bell> {
        self.asker.as_ref().map(Asker::bell)
    }

    /// Shows what is left.
    pub fn end(&mut self) {
        self.unsent = self.asker.as_ref().and_then(Asker::close);
        self.release();
        self.end_thought();
        let ended = self.channels.end_answer(Instant::now());
        self.note(ended);
        self.channels.clear_status();
    }

    /// What was typed too late to be sent.
    pub fn take_unsent(&mut self) -> Option<String> {
        self.unsent.take()
    }

    /// These calls run since before, and others have said so.
    pub fn have_started(&mut self, calls: impl IntoIterator<Item = CallId>) {
        self.started_calls.extend(calls);
    }

    /// Says something beside the answer, as soon as no editor has the screen.
    pub fn say(&mut self, text: &str) {
        match self.asker.as_ref().is_some_and(Asker::is_lent) {
            true => self.unsaid.push(text.to_owned()),
            false => self.channels.say(Face::NOTICE, text),
        }
    }

    /// Waits until everything is read, for so long at most.
    pub fn wait(mut self, patience: Option<Duration>) -> Reading {
        let settled = self.channels.wait(patience);
        let checked = self.channels.check();
        self.note(checked);
        match self.failure {
            Some(error) => Reading::Failed(error),
            None if !settled.answer => Reading::Late { is_heard: settled.talk },
            None if !self.is_open => Reading::Closed,
            None => Reading::Done,
        }
    }

    /// Notes whether somebody still reads.
    fn note(&mut self, written: io::Result<Written>) {
        match written {
            Ok(Written::Open) => {}
            Ok(Written::Closed) => self.is_open = false,
            Err(error) => {
                self.is_open = false;
                self.failure.get_or_insert(error);
            }
        }
    }

    fn is_held(&self) -> bool {
        self.asker.as_ref().is_some_and(Asker::is_busy)
    }

    fn release(&mut self) {
        for text in std::mem::take(&mut self.unsaid) {
            self.channels.say(Face::NOTICE, &text);
        }
        for path in self.asker.as_ref().map(Asker::take_untaken).unwrap_or_default() {
            self.channels.clear_status();
            self.channels.settle_terminal();
            // Also for whoever wants to hear nothing: it would be lost to them.
            complain(format_args!("what you wrote is in `{}`", escape(&path.to_string_lossy())));
        }
        for notice in std::mem::take(&mut self.held) {
            self.put(&notice);
        }
    }

    fn put(&mut self, notice: &Notice) {
        let written = match self.manner.json {
            true => self.put_line(notice),
            false => self.put_text(notice),
        };
        self.note(written);
        match notice {
            Notice::Waiting => {
                self.started = Instant::now();
                (self.status.retry, self.retry_at) = (None, None);
            }
            Notice::ToolStarted(call) => {
                let (id, tool) = (call.id.clone(), call.tool.to_string());
                self.running.push(Running { id, tool, progress: String::new() });
            }
            Notice::Progress { id, text } => {
                for running in self.running.iter_mut().filter(|running| running.id == *id) {
                    running.progress.clone_from(text);
                }
            }
            Notice::ToolEnded { id, .. } => self.running.retain(|running| running.id != *id),
            Notice::BlockEnded(_) => self.attempt = 1,
            Notice::Retrying { error, delay, .. } => {
                self.attempt += 1;
                self.retry_at = Some(Instant::now() + *delay);
                let (attempt, wait) = (self.attempt, *delay);
                self.status.retry = Some(Retry { attempt, wait, reason: error.to_string() });
            }
            _ => {}
        }
    }

    fn put_line(&mut self, notice: &Notice) -> io::Result<Written> {
        match lines::line(notice) {
            Some(line) => self.channels.event(&line, Instant::now()),
            None => Ok(Written::Open),
        }
    }

    fn put_text(&mut self, notice: &Notice) -> io::Result<Written> {
        let now = Instant::now();
        if !matches!(notice, Notice::Reasoning(_)) {
            self.end_thought();
        }
        match notice {
            Notice::Text(text) if !self.manner.data => {
                return match self.echo.hear(text) {
                    Fresh::More(text) => self.channels.answer(&text, now),
                    Fresh::Anew(text) => self.begin_anew(&text, now),
                };
            }
            Notice::BlockEnded(EventType::Message) if !self.manner.data => {
                match self.echo.end() {
                    Ended::Before => return Ok(Written::Open),
                    Ended::Anew(text) => drop(self.begin_anew(&text, now)?),
                    Ended::Shown => {}
                }
                return self.channels.end_answer(now);
            }
            Notice::Saved { event, .. } => match &event.kind {
                // Until the answer has ended it may come anew.
                EventKind::Structured(structured) if structured.block.finish.is_some() => {
                    return self.channels.data(structured.data.as_str(), now);
                }
                EventKind::Structured(structured) => {
                    self.data.push(structured.data.as_str().to_owned());
                }
                EventKind::Request(_) | EventKind::ToolResult(_) => self.echo.forget(),
                _ => {}
            },
            Notice::Retracted(_) => self.data.clear(),
            Notice::Sealed => {
                for data in std::mem::take(&mut self.data) {
                    let _open = self.channels.data(&data, now)?;
                }
            }
            Notice::Reasoning(text) if self.manner.reasoning => self.think(text),
            Notice::ToolStarted(call) => self.say_started(call),
            Notice::ToolEnded { tool, is_error, content, .. } => {
                let first = content.lines().find(|line| !line.trim().is_empty());
                let first = first.unwrap_or_default();
                if *is_error {
                    // Why it failed may take more than a line, and what to do about it with it.
                    let text = on_one_line(&format!("✗ {tool}: {first}"));
                    self.channels.say(Face::BAD, &shorten(&text, LONGEST));
                } else {
                    self.channels.say_line(Face::FAINT, &format!("✓ {tool}: {first}"));
                }
            }
            Notice::Retrying { error, delay, .. } => {
                self.echo.break_off();
                let seconds = delay.as_secs_f64().ceil();
                let text = format!("{error}: trying again in {seconds}s");
                self.channels.say(Face::NOTICE, &on_one_line(&text));
            }
            _ => {}
        }
        Ok(Written::Open)
    }

    /// Says once that a tool runs: one that has asked something runs again with the answer.
    fn say_started(&mut self, call: &ToolCall) {
        if self.started_calls.insert(call.id.clone()) {
            // What was edited has lines; a string in JSON has none.
            let lines: Vec<_> = call.arguments.as_str().lines().map(str::trim).collect();
            let text = format!("▸ {} {}", call.tool, lines.join(" "));
            self.channels.say_line(Face::FAINT, &text);
        }
    }

    /// Shows another text in place of one that broke off.
    fn begin_anew(&mut self, text: &str, now: Instant) -> io::Result<Written> {
        let _open = self.channels.end_answer(now)?;
        self.channels.say(Face::NOTICE, "the answer broke off, and begins anew");
        self.channels.answer(text, now)
    }

    /// Shows the complete lines of a thought, beside the answer.
    fn think(&mut self, text: &str) {
        self.thought.push_str(text);
        while let Some(end) = self.thought.find('\n') {
            let line: String = self.thought.drain(..=end).collect();
            self.channels.say(Face::FAINT, line.trim_end());
        }
    }

    fn end_thought(&mut self) {
        let rest = std::mem::take(&mut self.thought);
        if !rest.trim().is_empty() {
            self.channels.say(Face::FAINT, &rest);
        }
    }
}

/// How many columns of an error are shown.
const LONGEST: usize = 300;

impl Stage for Front<'_> {
    fn over(&mut self, _inbox: &Inbox) {
        self.end();
    }

    fn has_news(&mut self) {
        self.entitle();
    }
}

impl FrontEnd for Front<'_> {
    fn show(&mut self, notice: &Notice) -> Result<(), Closed> {
        self.entitle();
        if let (Some(asker), Notice::Saved { event, .. }) = (&self.asker, notice)
            && let EventKind::InquiryResponse(response) = &event.kind
        {
            asker.stored(&response.id);
        }
        if self.is_held() {
            self.held.push(notice.clone());
            return Ok(());
        }
        self.release();
        self.put(notice);
        if self.is_open { Ok(()) } else { Err(Closed) }
    }

    fn ask(&mut self, ask: &Ask, post: &Post) {
        if !self.is_held() {
            self.release();
        }
        self.channels.clear_status();
        self.channels.settle_terminal();
        match &self.asker {
            Some(asker) => asker.ask(ask, post),
            None => post.reply(ask.inquiry.id.clone(), crate::turn::Reply::Cancelled),
        }
    }

    fn withdraw(&mut self, inquiry: &InquiryId) {
        if let Some(asker) = &self.asker {
            asker.withdraw(inquiry);
        }
    }

    fn tick(&mut self) -> Result<(), Closed> {
        let checked = self.channels.check();
        self.note(checked);
        if !self.is_open {
            return Err(Closed);
        }
        self.entitle();
        if self.is_held() {
            // A question stands where the status was.
            self.channels.forget_status();
            return Ok(());
        }
        self.release();
        let now = Instant::now();
        self.status.elapsed = now.saturating_duration_since(self.started);
        self.status.tools = self.running.iter().map(Running::shown).collect();
        let wait = self.retry_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        if let Some(retry) = &mut self.status.retry {
            retry.wait = wait;
        }
        self.channels.show_status(&self.status, now);
        Ok(())
    }
}
