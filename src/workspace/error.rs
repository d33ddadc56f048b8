//! What can go wrong with a workspace, in the words of its user.

use std::{path::PathBuf, time::Duration};

use jiff::SignedDuration;

use crate::{
    config::{ConfigErrors, Scope},
    format::{EncodeError, FormatVersion},
    fsutil::FsError,
    model::{Address, ConversationId},
    plan::{AppendError, Fault, QueueError},
    store::{
        Holder, LockError, MoveError, ObjectError, Problem, PublishError, ReadError, RefError,
        Space, StoreError, WriteError,
    },
};

/// Why a workspace cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum WorkspaceError {
    #[error("there is no home directory: neither `HOME` nor `XDG_DATA_HOME` is set")]
    NoHome,
    #[error("{}", no_config(*.0))]
    NoConfig(Scope),
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("`{}` leads out of the workspace, to `{}`", store.display(), target.display())]
    StoreLink { store: PathBuf, target: PathBuf },
    #[error("conversation {id} is served by process {pid} already")]
    Served { id: ConversationId, pid: u32 },
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn no_config(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "there is no home directory: neither `HOME` nor `XDG_CONFIG_HOME` is set",
        Scope::Workspace | Scope::Local => "there is no workspace here",
    }
}

/// Why a text does not select a conversation.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SelectError {
    #[error("there is no conversation `{}`", given.escape_debug())]
    Unknown { given: String, candidates: Vec<ConversationId> },
    #[error("`{}` begins {total} ids", given.escape_debug())]
    Ambiguous { given: String, candidates: Vec<ConversationId>, total: usize },
    #[error("there is no conversation yet")]
    NoneYet,
    #[error("there is no terminal here that could have had a conversation before")]
    NoSession,
    #[error("this terminal had no other conversation before")]
    NoPrevious,
    #[error("what this terminal had before is not known: {0}")]
    Unread(String),
    #[error("the conversation that this terminal had before, {0}, is gone")]
    Gone(ConversationId),
    #[error(transparent)]
    Ref(#[from] RefError),
}

/// Why a conversation cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum LoadError {
    #[error("conversation {id} cannot be read: {source}")]
    Read { id: ConversationId, source: ReadError },
    #[error("conversation {id} is refused: {}", first(problems))]
    Foreign { id: ConversationId, problems: Vec<Problem> },
    #[error("conversation {id} has no event {address}")]
    NoEvent { id: ConversationId, address: Address },
    #[error("conversation {0} has no commit any more")]
    Gone(ConversationId),
    #[error(transparent)]
    Ref(#[from] RefError),
}

fn first(problems: &[Problem]) -> String {
    let mut foreign = problems.iter().filter(|problem| problem.is_foreign());
    let more = match foreign.clone().count() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    foreign.next().map_or_else(String::new, |problem| format!("{problem}{more}"))
}

impl LoadError {
    /// An object of a conversation cannot be read.
    pub fn object(id: ConversationId, source: ObjectError) -> Self {
        Self::Read { id, source: ReadError::Object(source) }
    }
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum WriteFailure {
    #[error("event {index} cannot be appended to {id}: {source}")]
    Refused { id: ConversationId, index: usize, source: AppendError },
    #[error("the queue of {id} stays as it is: {source}")]
    Queue { id: ConversationId, source: QueueError },
    #[error("an event cannot be written down: {0}")]
    Encode(EncodeError),
    #[error("conversation {id} is written in format {version}: this jp can read it, not write it")]
    ReadOnly { id: ConversationId, version: FormatVersion },
    #[error("conversation {id} is damaged: {}", first_flaw(problems))]
    Damaged { id: ConversationId, problems: Vec<Problem> },
    #[error("conversation {id} cannot be changed: {}", faults_in_words(faults))]
    Faults { id: ConversationId, faults: Vec<Fault> },
    #[error("conversation {id} was changed by something else again and again")]
    Contended { id: ConversationId },
    #[error("conversation {id} is {}", space.whereabouts())]
    PutAway { id: ConversationId, space: Space },
    #[error("conversation {id} {} ({})", locked(*waited), who(holder.as_deref()))]
    Locked { id: ConversationId, holder: Option<Box<Holder>>, waited: Duration },
    #[error(transparent)]
    Lock(LockError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("nothing was saved to {id}: {source}")]
    Write { id: ConversationId, source: WriteError },
    #[error("whether it was saved to {id} is unknown: {source}")]
    Unconfirmed { id: ConversationId, source: PublishError },
    #[error(transparent)]
    Ref(#[from] RefError),
    #[error(transparent)]
    Move(#[from] MoveError),
    #[error("cannot get random bytes: {0}")]
    Random(std::io::Error),
}

fn locked(waited: Duration) -> String {
    match SignedDuration::try_from(waited).unwrap_or(SignedDuration::MAX) {
        SignedDuration::ZERO => "is locked".to_owned(),
        waited => format!("is still locked after {waited:#}"),
    }
}

fn who(holder: Option<&Holder>) -> String {
    let since = holder.map(|holder| format!(", since {}", holder.acquired_at));
    format!("{}{}", Holder::in_words(holder), since.unwrap_or_default())
}

impl WriteFailure {
    pub(super) fn write(id: ConversationId, source: WriteError) -> Self {
        match source {
            WriteError::Publish(source @ PublishError::Unconfirmed { .. }) => {
                Self::Unconfirmed { id, source }
            }
            source => Self::Write { id, source },
        }
    }
}

fn faults_in_words(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn first_flaw(problems: &[Problem]) -> String {
    let damage = problems.iter().find(|problem| !problem.is_harmless());
    damage.map_or_else(String::new, ToString::to_string)
}
