//! What the value of an argument can be.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    sync::Arc,
};

use clap::{ArgMatches, builder::ArgExt};
use clap_complete::{CompletionCandidate, PathCompleter, engine::ValueCompleter};

use crate::{
    cli::commands::{schemas, written},
    config::keys,
    env::Env,
    model::{ConversationId, EventType},
    store::{Located, Space},
    ui::{escape, shorten},
    workspace::{Row, Selector, Workspace},
};

/// What an argument is completed to; `#[arg(add = Candidates::Schemas)]` attaches it.
#[derive(Clone, Copy, Debug)]
pub enum Candidates {
    /// The conversations of these spaces.
    Conversations(&'static [Space]),
    /// Files and directories.
    Files,
    /// An active conversation, then files; only files with `--new`.
    ConversationThenFiles,
    /// A conversation, then one of its events.
    ConversationThenEvent,
    /// The labels of active conversations.
    Labels,
    /// Their keys.
    LabelKeys,
    /// The types of events.
    EventTypes,
    /// The names of schemas.
    Schemas,
    /// The keys of settings.
    Keys,
    /// The same, about to get a value.
    Overrides,
}

impl ArgExt for Candidates {}

/// The columns that a title may take beside an id.
const TITLE: usize = 60;

/// Looks for candidates in the world of a run.
pub struct Completer {
    pub candidates: Candidates,
    pub env: Env,
    /// What was typed before.
    pub typed: Arc<ArgMatches>,
}

impl ValueCompleter for Completer {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let mut found = match self.candidates {
            Candidates::Conversations(spaces) => self.conversations(spaces, current),
            Candidates::ConversationThenFiles if self.wants_conversation() => {
                self.conversations(&[Space::Heads], current)
            }
            Candidates::Files | Candidates::ConversationThenFiles => {
                let files = PathCompleter::file().stdio().current_dir(self.env.cwd());
                let mut found = files.complete(current);
                found.retain(|candidate| is_plain(candidate.get_value()));
                return found;
            }
            Candidates::ConversationThenEvent => match self.typed.try_get_one::<String>("args") {
                Ok(Some(id)) => self.events(id).unwrap_or_default(),
                _ => self.conversations(&Space::ALL, current),
            },
            Candidates::Labels => self.labels(written),
            Candidates::LabelKeys => self.labels(|key, _| key.to_owned()),
            Candidates::EventTypes => EventType::ALL.map(|kind| kind.name().into()).into(),
            Candidates::Schemas => schemas().into_iter().map(|schema| schema.name.into()).collect(),
            Candidates::Keys => keys().iter().map(|key| key.to_string().into()).collect(),
            Candidates::Overrides => keys().iter().map(|key| format!("{key}=").into()).collect(),
        };
        let begins = current.as_encoded_bytes();
        found.retain(|candidate| candidate.get_value().as_encoded_bytes().starts_with(begins));
        found
    }
}

impl Completer {
    /// The conversations of each space with their titles, last changed first. Somebody who begins
    /// with a digit leaves out what every id begins with; the words are for who begins one.
    fn conversations(&self, spaces: &[Space], current: &OsStr) -> Vec<CompletionCandidate> {
        let bare = current.as_encoded_bytes().first().is_some_and(u8::is_ascii_digit);
        let candidate = |row: Row| {
            let id = row.id.to_string();
            let value = if bare { id.trim_start_matches(ConversationId::PREFIX) } else { &id };
            CompletionCandidate::new(value).help(
                row.heading.title.map(|title| shorten(&escape(&title), TITLE).into_owned().into()),
            )
        };
        let mut found: Vec<_> =
            self.rows(spaces).unwrap_or_default().into_iter().map(candidate).collect();
        if !current.is_empty() && spaces.contains(&Space::Heads) {
            found.extend(Selector::WORDS.iter().map(|(word, selector)| {
                CompletionCandidate::new(*word).help(Some(meaning(*selector).into()))
            }));
        }
        found
    }

    /// The conversations; none if they cannot be read, which the command itself will say.
    fn rows(&self, spaces: &[Space]) -> Option<Vec<Row>> {
        let workspace = Workspace::open(&self.env).ok()??;
        let mut rows = Vec::new();
        for space in spaces {
            rows.extend(workspace.overview(*space).ok()?.rows);
        }
        Some(rows)
    }

    /// The labels that are in use.
    fn labels(&self, write: fn(&str, &str) -> String) -> Vec<CompletionCandidate> {
        let rows = self.rows(&[Space::Heads]).unwrap_or_default();
        let labels = rows.into_iter().flat_map(|row| row.heading.labels);
        let written: BTreeSet<_> = labels.map(|(key, value)| write(&key, &value)).collect();
        let plain = written.into_iter().filter(|label| is_plain(OsStr::new(label)));
        plain.map(CompletionCandidate::new).collect()
    }

    /// The numbers of the events of a conversation, with the names of their files.
    fn events(&self, id: &str) -> Option<Vec<CompletionCandidate>> {
        let workspace = Workspace::open(&self.env).ok()??;
        let handle = workspace.select(id).ok()?;
        let snapshot = workspace.snapshot(handle.id(), handle.commit()).ok()?;
        let candidate = |event: &Located| {
            let number = event.name.address().to_string();
            CompletionCandidate::new(number).help(Some(event.name.to_string().into()))
        };
        Some(snapshot.order.iter().map(candidate).collect())
    }

    fn wants_conversation(&self) -> bool {
        let new = self.typed.try_get_one::<bool>("new");
        let given = self.typed.try_get_many::<OsString>("args");
        !matches!(new, Ok(Some(true))) && !matches!(given, Ok(Some(_)))
    }
}

/// What a word stands for.
fn meaning(selector: Selector<'_>) -> &'static str {
    match selector {
        Selector::LastActivated => "the one last used in any terminal",
        Selector::LastCreated => "the newest one",
        Selector::Previous => "the one that this terminal had before",
        Selector::Id(_) => "",
    }
}

/// Whether a shell takes a word as it stands: some insert candidates without quotes, and a label or
/// the name of a file may come from anywhere.
fn is_plain(word: &OsStr) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=@%+,".contains(c);
    word.to_str().is_some_and(|word| word.chars().all(plain))
}
