//! Reads what is asked, from wherever it comes.

use std::{
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use super::{
    follow_up,
    request::{Part, join, parts},
    resuming::{Settled, nothing_to_resume},
    scene::Scene,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    edit::{Draft, Sheet, left_behind},
    env::Env,
    format::limits,
    fsutil::AtPath,
    model::{EventKind, title_from},
    ui::lend_terminal,
    workspace::{Conversation, Queued},
};

/// What is asked, and where it is kept until it is safe.
pub struct Asked {
    text: Option<Vec<u8>>,
    draft: Option<Draft>,
    queued: Option<Queued>,
}

impl Asked {
    fn nothing() -> Self {
        Self { text: None, draft: None, queued: None }
    }

    fn of(text: Vec<u8>) -> Self {
        Self { text: Some(text), ..Self::nothing() }
    }

    fn of_queue(queued: Queued) -> Self {
        let text = queued.event.request().map(|request| request.content.as_bytes().to_vec());
        Self { text, queued: Some(queued), draft: None }
    }

    /// The follow-up that it is, if it has waited.
    pub fn queued(&self) -> Option<&Queued> {
        self.queued.as_ref()
    }

    /// What is asked; `None` if the last turn is to be completed.
    pub fn text(&self) -> Option<&[u8]> {
        self.text.as_deref()
    }

    /// A title for a conversation that begins with this.
    pub fn title(&self) -> Option<String> {
        title_from(&String::from_utf8_lossy(self.text()?))
    }

    /// The error, with the place where what was typed is kept.
    pub fn kept(&self, error: CommandError) -> CommandError {
        match &self.draft {
            Some(draft) => error.hint(format!("what you wrote is in `{}`", draft.path().display())),
            None => error,
        }
    }

    /// It is in a conversation now, or was answered and is not to be kept.
    pub fn sent(&mut self) {
        if let Some(draft) = self.draft.take() {
            // A draft that cannot be removed is in nobody's way.
            let _left = draft.discard();
        }
    }
}

/// Reads what is asked; `None` if there is nothing, and need not be.
pub fn read(
    env: &Env,
    output: &mut Output,
    args: &Query,
    scene: &Scene,
) -> Result<Option<Asked>, CommandError> {
    if matches!(scene.settled, Settled::Resume(_)) {
        // What is piped in stays where it is: it may be asked afterwards.
        return Ok(Some(Asked::nothing()));
    }
    if matches!(scene.settled, Settled::FollowUp) {
        return Ok(follow_up::next(output, args, scene).map(Asked::of_queue));
    }
    // What stands beside the question is not in it as well.
    let is_beside = args.attach.iter().any(|argument| argument == "-");
    let has_stdin = !is_beside && !io::stdin().is_terminal();
    let text = gather(env, &args.text, has_stdin)?;
    if !text.is_empty() {
        return Ok(Some(Asked::of(text)));
    }
    let may_be_nothing = matches!(scene.settled, Settled::AskOrNothing);
    if may_be_nothing && (args.no_edit || !scene.interactive) {
        if args.continue_turn.is_some() {
            nothing_to_resume(output, scene.target.id());
        }
        return Ok(None);
    }
    if args.no_edit {
        return Ok(Some(Asked::nothing()));
    }
    if !scene.interactive {
        return Err(CommandError::usage("there is nothing to ask")
            .hint("give a text: `jp query \"How do I …?\"`, or pipe one in"));
    }
    write(env, output, scene).map(Some)
}

/// The text that arguments stand for: words, standard input and files.
pub fn gather(env: &Env, arguments: &[String], has_stdin: bool) -> Result<Vec<u8>, CommandError> {
    let mut texts = Vec::new();
    for part in parts(arguments, has_stdin) {
        texts.push(match part {
            Part::Words(words) => words.into_bytes(),
            Part::Stdin => read_stdin()?,
            Part::File(path) => read_file(env, &path)?,
        });
    }
    Ok(join(texts))
}

/// Lets the user write in an editor.
fn write(env: &Env, output: &mut Output, scene: &Scene) -> Result<Asked, CommandError> {
    let state = scene.state_dir(env)?;
    for path in left_behind(&state).iter().take(3) {
        output.hint(format_args!("an earlier draft is kept in `{}`", path.display()));
    }
    let answered = scene.conversation.as_ref().and_then(last_answer);
    let sheet = Sheet { text: "", answered: answered.as_deref() };
    let mut draft = Draft::create(env, &state, &sheet).map_err(CommandError::failure)?;
    match draft.edit(env, lend_terminal).map_err(CommandError::failure)? {
        Some(text) => Ok(Asked { draft: Some(draft), ..Asked::of(text.into_bytes()) }),
        None => {
            draft.discard().map_err(CommandError::failure)?;
            Err(CommandError::failure("nothing was asked: the draft is empty").hint(
                "an editor that does not wait has to be told to: `JP_EDITOR=\"EDITOR --wait\"`",
            ))
        }
    }
}

/// What the model said last.
fn last_answer(conversation: &Conversation) -> Option<String> {
    conversation.listed.iter().rev().find_map(|listed| match &listed.event.as_ref()?.kind {
        EventKind::Message(message) => Some(message.content.to_text_lossy().into_owned()),
        _ => None,
    })
}

fn read_stdin() -> Result<Vec<u8>, CommandError> {
    let mut text = Vec::new();
    let read = io::stdin().lock().take(limits::EVENT_FILE + 1).read_to_end(&mut text);
    read.map_err(|error| CommandError::failure(format!("cannot read standard input: {error}")))?;
    check_size(text, "standard input")
}

fn read_file(env: &Env, path: &Path) -> Result<Vec<u8>, CommandError> {
    let path: PathBuf = env.cwd().join(path);
    let mut text = Vec::new();
    let opened = std::fs::File::open(&path).at("open", &path);
    let read = opened.and_then(|file| {
        file.take(limits::EVENT_FILE + 1).read_to_end(&mut text).at("read", &path)
    });
    read.map_err(|error| {
        let error = CommandError::failure(error);
        error.hint("a text that begins with `@` is written with two: `@@`")
    })?;
    check_size(text, &path.display().to_string())
}

fn check_size(text: Vec<u8>, source: &str) -> Result<Vec<u8>, CommandError> {
    if text.len() as u64 > limits::EVENT_FILE {
        let limit = limits::EVENT_FILE >> 20;
        return Err(CommandError::failure(format!("{source} is larger than {limit} MiB")));
    }
    Ok(text)
}
