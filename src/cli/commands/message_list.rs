//! A list of messages that is named on the command line.

use std::{
    ffi::OsStr,
    io::{self, Read},
    path::Path,
};

use serde_json::{Value, json};
use toml::Table;

use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    format::{Form, decode, encode, encode_meta, limits},
    fsutil::AtPath,
    model::{Event, EventKind, Meta, Progress, Timestamp, title_from},
    plan::Draft,
    projection::list::{
        Made, Problem, SystemMessage, Unrolled, limits as list_limits, read_events,
    },
    ui::escape,
};

/// How many warnings are told; a program gets more of them.
const MOST: usize = 20;

/// The bytes of a list, and what it is called.
pub struct MessageList {
    name: String,
    bytes: Vec<u8>,
}

/// A list as events that can be stored.
pub struct Messages {
    name: String,
    system: Option<SystemMessage>,
    /// The messages that the drafts belong to, by their number in the list.
    messages: Vec<usize>,
    /// The events, each with its file.
    pub drafts: Vec<Draft>,
    warnings: Vec<Problem>,
}

impl MessageList {
    /// Reads a file, or standard input for `-`.
    pub fn read(env: &Env, file: &OsStr) -> Result<Self, CommandError> {
        let name = escape(&file.display().to_string()).into_owned();
        let (mut bytes, shown, most) = (Vec::new(), Path::new(file), list_limits::BYTES + 1);
        if file == "-" {
            io::stdin().lock().take(most).read_to_end(&mut bytes).at("read", shown)?;
        } else {
            let opened = std::fs::File::open(env.cwd().join(file)).at("read", shown)?;
            opened.take(most).read_to_end(&mut bytes).at("read", shown)?;
        }
        Ok(Self { name, bytes })
    }

    /// Makes events of it that follow on what was said before, or tells everything that is wrong.
    pub fn unroll(self, before: &Progress, now: Timestamp) -> Result<Messages, CommandError> {
        let Self { name, bytes } = self;
        let Unrolled { system, events, warnings } =
            read_events(&bytes, before, now).map_err(|problems| refused(&name, &problems))?;
        let mut messages =
            Messages { name, system, messages: Vec::new(), drafts: Vec::new(), warnings };
        messages.add_all(events)?;
        Ok(messages)
    }
}

impl Messages {
    /// Begins a conversation: what is known about it, and the configuration that it begins with.
    pub fn begin(
        &self,
        title: Option<String>,
        now: Timestamp,
    ) -> Result<(Meta, Table), CommandError> {
        let title = title.or_else(|| first_title(&self.drafts));
        let mut meta = Meta { title, created: Some(now), ..Meta::default() };
        let Some(system) = &self.system else { return Ok((meta, Table::new())) };
        let config = system.begin(&mut meta);
        let largest = config.to_string().len().max(encode_meta(&meta).len());
        if largest as u64 > limits::MANIFEST_FILE {
            let message = format!("it takes more than {} bytes", limits::MANIFEST_FILE);
            let place = format!("[{}]", system.message);
            return Err(refused(&self.name, &[Problem { place, message }]));
        }
        Ok((meta, config))
    }

    /// Goes on with a conversation that has begun: the system message changes its configuration.
    pub fn go_on(&mut self, now: Timestamp) -> Result<(), CommandError> {
        let Some(system) = self.system.take() else { return Ok(()) };
        let (drafts, messages) =
            (std::mem::take(&mut self.drafts), std::mem::take(&mut self.messages));
        self.add_all([system.into_change(now)])?;
        self.drafts.extend(drafts);
        self.messages.extend(messages);
        Ok(())
    }

    /// Says that an event cannot stand where it should, by its number.
    pub fn refused(&self, index: usize, reason: impl ToString) -> CommandError {
        let place = self.messages.get(index).map(|message| format!("[{message}]"));
        let (place, message) = (place.unwrap_or_default(), reason.to_string());
        refused(&self.name, &[Problem { place, message }])
    }

    /// Tells what is in the list and was not kept.
    pub fn warn(&self, output: &mut Output) {
        for warning in self.warnings.iter().take(MOST) {
            output.warn(format_args!("{}: {warning}", self.name));
        }
        let left = self.warnings.len().saturating_sub(MOST);
        if left > 0 {
            output.warn(format_args!("{}: {left} more of this kind", self.name));
        }
    }

    /// The same for a program.
    pub fn warnings(&self) -> Value {
        let warning =
            |problem: &Problem| json!({"place": problem.place, "message": problem.message});
        self.warnings.iter().map(warning).collect()
    }

    fn add_all(&mut self, events: impl IntoIterator<Item = Made>) -> Result<(), CommandError> {
        let mut problems = Vec::new();
        for Made { message, event } in events {
            match draft(event) {
                Ok(draft) => {
                    self.drafts.push(draft);
                    self.messages.push(message);
                }
                Err(words) => {
                    problems.push(Problem { place: format!("[{message}]"), message: words });
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(refused(&self.name, &problems)) }
    }
}

/// The title that a conversation gets of its first request.
pub fn first_title(drafts: &[Draft]) -> Option<String> {
    drafts.iter().find_map(|draft| match &draft.event.kind {
        EventKind::Request(request) => title_from(&request.content.to_text_lossy()),
        _ => None,
    })
}

/// The file of an event, if it can be read again as it is: a list can nest deeper, and be larger,
/// than a file.
fn draft(event: Event) -> Result<Draft, String> {
    let bytes = encode(&event).map_err(|error| error.to_string())?;
    let form = Form::of_type(event.event_type());
    match decode(&bytes, form, None, event.timestamp) {
        Ok(decoded) if decoded.event == event => Ok(Draft { event, bytes }),
        Ok(_) => Err("it cannot be stored as it is".to_owned()),
        Err(flaws) => {
            let words: Vec<_> = flaws.iter().map(|flaw| flaw.message.as_str()).collect();
            Err(format!("it cannot be stored: {}", words.join("; ")))
        }
    }
}

fn refused(name: &str, problems: &[Problem]) -> CommandError {
    let told = problems.iter().map(|problem| format!("{name}: {problem}"));
    CommandError::failures(told.collect()).hint("nothing was stored")
}
