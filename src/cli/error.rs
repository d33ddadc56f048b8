//! Errors as a user meets them: what failed, what to do next, and the exit code.

use std::io;

use super::output::Output;
use crate::{
    config::{ConfigErrors, Origin, Scope},
    edit::checkout::CheckoutError,
    format::EncodeError,
    fsutil::FsError,
    history::{AtError, BlameError, ForkError},
    model::ConversationId,
    serve::{
        Failure,
        place::{PlaceError, VARIABLE as RUNTIME_DIR},
    },
    store::{
        GitError, MaintenanceError, MoveError, PublishError, RefError, Space, StatsError,
        WriteError,
    },
    ui::escape,
    workspace::{ExportError, LoadError, SelectError, Selector, WorkspaceError, WriteFailure},
};

/// What an exit code tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It did not work.
    Failure,
    /// It was called wrongly.
    Usage,
    /// Somebody else is at it: try again.
    TryAgain,
    /// What was asked for could not be printed.
    Unprinted,
    /// Nobody reads the output any more.
    BrokenPipe,
    /// A signal broke it off.
    Signal(u8),
    /// Everything has been said already.
    Silent(u8),
}

/// An error on its way to the user.
#[derive(Debug)]
pub struct CommandError {
    kind: Kind,
    messages: Vec<String>,
    hints: Vec<String>,
}

impl CommandError {
    /// It did not work.
    pub fn failure(message: impl ToString) -> Self {
        Self { kind: Kind::Failure, messages: vec![message.to_string()], hints: Vec::new() }
    }

    /// It did not work, for several reasons.
    pub fn failures(messages: Vec<String>) -> Self {
        Self { kind: Kind::Failure, messages, hints: Vec::new() }
    }

    /// It was called wrongly.
    pub fn usage(message: impl ToString) -> Self {
        Self { kind: Kind::Usage, messages: vec![message.to_string()], hints: Vec::new() }
    }

    /// Everything has been said already.
    pub fn silent(code: u8) -> Self {
        Self { kind: Kind::Silent(code), messages: Vec::new(), hints: Vec::new() }
    }

    /// What somebody else has to say, with its exit code.
    pub fn of_failure(failure: &Failure, code: u8) -> Self {
        let Failure { messages, hints } = failure.clone();
        Self { kind: Kind::Silent(code), messages, hints }
    }

    /// The words, for somebody else to say.
    pub fn to_failure(&self) -> Failure {
        Failure { messages: self.messages.clone(), hints: self.hints.clone() }
    }

    /// What clap has to say: help and versions are no errors.
    pub fn from_clap(error: &clap::Error, output: &mut Output) -> Self {
        if !error.use_stderr() {
            return match output.text(error).and_then(|()| output.flush()) {
                Ok(()) => Self::silent(0),
                Err(error) => Self::from(error),
            };
        }
        // The line breaks are those of clap.
        let text = error.to_string();
        let lines: Vec<_> = text.trim_end().lines().map(escape).collect();
        output.say(lines.join("\n"));
        Self::silent(2)
    }

    /// What went wrong.
    pub fn message(&self) -> String {
        self.messages.join("; ")
    }

    /// What went wrong, one by one.
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Adds what the user can do next.
    pub fn hint(mut self, hint: impl ToString) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// The same, with what it means.
    pub fn about(mut self, what: &str) -> Self {
        self.messages.iter_mut().for_each(|message| *message = format!("{what}: {message}"));
        self
    }

    /// The same, as a mistake of the call.
    pub fn by_usage(mut self) -> Self {
        self.kind = Kind::Usage;
        self
    }

    /// The same, with the exit code of a signal.
    pub fn by_signal(mut self, code: u8) -> Self {
        self.kind = Kind::Signal(code);
        self
    }

    fn hint_if(self, hint: Option<impl ToString>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    fn try_again(mut self) -> Self {
        self.kind = Kind::TryAgain;
        self
    }

    /// Whether a signal, or Ctrl+C at a question, broke it off: nothing else is tried then.
    pub fn is_by_signal(&self) -> bool {
        matches!(self.kind, Kind::Signal(_))
    }

    /// Whether somebody else was in the way.
    pub fn is_try_again(&self) -> bool {
        self.kind == Kind::TryAgain
    }

    /// Tells the user. A message is one line: what it quotes must not look like another one.
    pub fn report(&self, output: &mut Output) {
        // What was printed before comes before the error.
        let _unread = output.flush();
        for message in &self.messages {
            output.say(format_args!("error: {}", escape(message)));
        }
        if self.kind == Kind::Unprinted {
            output.say_what_was_done();
        }
        for hint in &self.hints {
            output.hint(hint);
        }
    }

    /// Tells the user, of something without which it goes on.
    pub fn warn(&self, output: &mut Output) {
        output.warn_all(&self.messages);
        self.hints.iter().for_each(|hint| output.hint(hint));
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Failure | Kind::Unprinted => 1,
            Kind::Usage => 2,
            Kind::TryAgain => 75,
            Kind::BrokenPipe => 0,
            Kind::Signal(code) | Kind::Silent(code) => code,
        }
    }
}

fn list_events(id: ConversationId) -> String {
    format!("`jp conversation show {id}` lists its events")
}

fn list_problems(id: ConversationId) -> String {
    format!("`jp conversation fsck {id}` lists all problems, and with `--repair` mends them")
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        let (kind, messages) = match error.kind() {
            io::ErrorKind::BrokenPipe if Output::is_unread() => (Kind::BrokenPipe, Vec::new()),
            // Sockets and pipes to other processes break, too, and that has to be told.
            io::ErrorKind::BrokenPipe => {
                (Kind::Failure, vec!["a connection to another process is gone".to_owned()])
            }
            _ => (Kind::Unprinted, vec![format!("cannot write the output: {error}")]),
        };
        Self { kind, messages, hints: Vec::new() }
    }
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Config(errors) => Self::from(errors),
            error @ WorkspaceError::NoConfig(Scope::Workspace | Scope::Local) => {
                Self::failure(error).hint("`jp init` makes this directory a workspace")
            }
            error @ WorkspaceError::StoreLink { .. } => Self::failure(error).hint(
                "`jp config set store.path PATH` keeps conversations elsewhere, if you want that",
            ),
            error => Self::failure(error),
        }
    }
}

impl From<PlaceError> for CommandError {
    fn from(error: PlaceError) -> Self {
        let remedy = match &error {
            PlaceError::NotAbsolute(_) | PlaceError::TooLong(_) => Some(format!(
                "set `{RUNTIME_DIR}` to a short absolute path of a directory of yours"
            )),
            PlaceError::Open { path, .. } => Some(format!("run `chmod 700 {}`", path.display())),
            PlaceError::NotADirectory(path) | PlaceError::NotOwn { path, .. } => Some(format!(
                "remove `{}`, or set `{RUNTIME_DIR}` to a directory of yours with mode 700",
                path.display()
            )),
            PlaceError::InTheWay(path) => Some(format!("remove `{}`", path.display())),
            PlaceError::Taken(_) | PlaceError::Busy(_) | PlaceError::Fs(_) => None,
        };
        Self::failure(error).hint_if(remedy)
    }
}

impl From<ConfigErrors> for CommandError {
    fn from(ConfigErrors(problems): ConfigErrors) -> Self {
        const MOST: usize = 20;
        let mut messages: Vec<_> = problems.iter().take(MOST).map(ToString::to_string).collect();
        if problems.len() > MOST {
            messages.push(format!("{} more of this kind", problems.len() - MOST));
        }
        let typed = |origin: &Origin| matches!(origin, Origin::Argument(_));
        let usage = problems.iter().all(|problem| typed(&problem.origin));
        let kind = if usage { Kind::Usage } else { Kind::Failure };
        Self { kind, messages, hints: Vec::new() }
    }
}

impl From<FsError> for CommandError {
    fn from(error: FsError) -> Self {
        Self::failure(error)
    }
}

impl From<RefError> for CommandError {
    fn from(error: RefError) -> Self {
        let busy = matches!(error, RefError::Busy { .. });
        let failure = Self::failure(error);
        if busy { failure.try_again() } else { failure }
    }
}

impl From<StatsError> for CommandError {
    fn from(error: StatsError) -> Self {
        Self::failure(error)
    }
}

impl From<EncodeError> for CommandError {
    fn from(error: EncodeError) -> Self {
        Self::failure(error)
    }
}

impl From<MaintenanceError> for CommandError {
    fn from(error: MaintenanceError) -> Self {
        match error {
            MaintenanceError::Git(error) => Self::from(error),
            error => Self::failure(error),
        }
    }
}

impl From<GitError> for CommandError {
    fn from(error: GitError) -> Self {
        let hint = match &error {
            GitError::Untrusted(_) => Some(
                "look at `config` in the directory that `jp store path` prints; remove these keys, or run git there yourself",
            ),
            GitError::NoGit => Some("install git; everything else works without it"),
            _ => None,
        };
        // What git says may have several lines.
        let messages = error.to_string().lines().map(str::to_owned).collect();
        Self::failures(messages).hint_if(hint)
    }
}

impl From<SelectError> for CommandError {
    fn from(error: SelectError) -> Self {
        let list = |ids: &[ConversationId]| {
            ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let hint = match &error {
            SelectError::Unknown { candidates, .. } if candidates.is_empty() => {
                Some("`jp conversation append --new FILE` starts one".to_owned())
            }
            SelectError::Unknown { given, .. } if Selector::resembles_a_word(given) => {
                let words: Vec<_> = Selector::WORDS.iter().map(|(word, _)| *word).collect();
                Some(format!("the words are {}", words.join(", ")))
            }
            SelectError::Unknown { candidates, .. } => {
                Some(format!("perhaps {}; `jp conversation ls` lists all", list(candidates)))
            }
            SelectError::Ambiguous { candidates, total, .. } => {
                let more = if *total > candidates.len() { ", …" } else { "" };
                Some(format!("one of {}{more}", list(candidates)))
            }
            SelectError::NoneYet => Some("`jp query --new \"…\"` begins a conversation".to_owned()),
            SelectError::NoSession => {
                Some("scripts that set `JP_SESSION` to the same text are a terminal".to_owned())
            }
            SelectError::NoPrevious | SelectError::Unread(_) | SelectError::Gone(_) => {
                Some("`jp conversation ls` lists all".to_owned())
            }
            SelectError::Ref(_) => None,
        };
        Self::failure(error).hint_if(hint)
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> Self {
        let hint = match &error {
            LoadError::Foreign { id, .. } => Some(list_problems(*id)),
            LoadError::NoEvent { id, .. } => Some(list_events(*id)),
            LoadError::Read { .. } | LoadError::Gone(_) | LoadError::Ref(_) => None,
        };
        Self::failure(error).hint_if(hint)
    }
}

impl From<MoveError> for CommandError {
    fn from(error: MoveError) -> Self {
        Self::failure(error)
    }
}

impl From<AtError> for CommandError {
    fn from(error: AtError) -> Self {
        let id = match error {
            AtError::Load(error) => return Self::from(error),
            AtError::NoCommit { id, .. }
            | AtError::Ambiguous { id, .. }
            | AtError::NoTurn { id, .. }
            | AtError::TooFarBack { id, .. }
            | AtError::TooEarly { id, .. }
            | AtError::Event { id, .. } => id,
        };
        Self::failure(error).hint(format!("`jp conversation log {id}` lists its versions"))
    }
}

impl From<ForkError> for CommandError {
    fn from(error: ForkError) -> Self {
        match error {
            ForkError::Load(error) => Self::from(error),
            ForkError::Write(error) => Self::from(error),
            error @ (ForkError::Nothing { id } | ForkError::NoTurn { id, .. }) => {
                Self::failure(error).hint(list_events(id))
            }
            error @ ForkError::Damaged { id, .. } => Self::failure(error).hint(list_problems(id)),
            error @ ForkError::Refused { id, .. } => Self::failure(error).hint(list_problems(id)),
        }
    }
}

impl From<BlameError> for CommandError {
    fn from(error: BlameError) -> Self {
        match error {
            BlameError::Load(error) => Self::from(error),
            error @ BlameError::TooLong { .. } => Self::failure(error),
        }
    }
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Load(error) => Self::from(error),
            ExportError::Fs(error) => Self::from(error),
            error @ (ExportError::NotADirectory(_)
            | ExportError::NotEmpty(_)
            | ExportError::Current(_)) => {
                Self::failure(error).hint("name a directory that does not exist yet")
            }
            error @ ExportError::InStore(_) => {
                Self::failure(error).hint("name a directory outside of it")
            }
        }
    }
}

impl From<CheckoutError> for CommandError {
    fn from(error: CheckoutError) -> Self {
        match error {
            CheckoutError::Workspace(error) => Self::from(error),
            CheckoutError::Load(error) => Self::from(error),
            CheckoutError::Write(error) => Self::from(error),
            CheckoutError::Export(error) => Self::from(error),
            CheckoutError::Fs(error) => Self::from(error),
            error @ CheckoutError::NotACheckout(_) => {
                Self::failure(error).hint("`jp conversation checkout ID DIR` makes one")
            }
            error @ CheckoutError::GitWorkTree(_) => Self::failure(error).hint(
                "`git commit` commits it, and `jp conversation fsck ID` says whether it is in order",
            ),
            error @ CheckoutError::Record(_) => Self::failure(error).hint(
                "make another one with `jp conversation checkout`, and copy what you changed there",
            ),
            error @ CheckoutError::NoWorkspace(_) => {
                Self::failure(error).hint("run it in the workspace, or in a clone that has it")
            }
            error @ CheckoutError::Damaged { id, .. } => {
                Self::failure(error).hint(list_problems(id))
            }
            error @ CheckoutError::Random(_) => Self::failure(error),
        }
    }
}

impl From<WriteFailure> for CommandError {
    fn from(error: WriteFailure) -> Self {
        match error {
            WriteFailure::Load(error) => Self::from(error),
            WriteFailure::Ref(error) => Self::from(error),
            error @ WriteFailure::Damaged { id, .. } => {
                Self::failure(error).hint(list_problems(id))
            }
            error @ WriteFailure::PutAway { id, space } => {
                let hint = match space {
                    Space::Heads => None,
                    Space::Archive => {
                        Some(format!("`jp conversation unarchive {id}` brings it back"))
                    }
                    Space::Trash => Some(format!("`jp conversation restore {id}` brings it back")),
                };
                Self::failure(error).hint_if(hint)
            }
            WriteFailure::Locked { ref holder, .. } => {
                let process = holder
                    .as_ref()
                    .map(|holder| format!("`ps -p {}` shows the process that has it", holder.pid));
                Self::failure(error)
                    .hint_if(process)
                    .hint("`JP_LOCK_DURATION=5m jp …` waits longer for it [default: 30s]")
                    .try_again()
            }
            error @ WriteFailure::Unconfirmed { id, .. } => Self::failure(error)
                .hint(format!("`jp conversation show {id}` tells what is there")),
            error @ WriteFailure::Write {
                source: WriteError::Publish(PublishError::Ref(RefError::Busy { .. })),
                ..
            } => Self::failure(error).hint("try again when the other process is done").try_again(),
            error @ WriteFailure::Contended { .. } => {
                Self::failure(error).hint("try again").try_again()
            }
            error => Self::failure(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_breaks_is_an_error_as_long_as_the_output_is_read() {
        let error = CommandError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((error.exit_code(), error.messages().len()), (1, 1));
    }
}
