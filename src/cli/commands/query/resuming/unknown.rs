//! Deciding about calls that may have been made already.

use std::{collections::BTreeMap, path::Path};

use super::{decisions::result_of, telling::on_one_line};
use crate::{
    cli::error::CommandError,
    edit::Rework,
    env::Env,
    model::{Body, CallId},
    tool::Catalog,
    turn::{Decision, Survey, Surveyed},
    ui::{Asked, Key, Prompter, Wake, argument_lines, lend_terminal},
};

/// The exit code of what the user interrupted.
const INTERRUPTED: u8 = 130;

const KEYS: [Key<'static>; 5] = [
    Key { key: 'r', says: "run it again" },
    Key { key: 'd', says: "done: type its result" },
    Key { key: 'f', says: "done: its result is in a file" },
    Key { key: 's', says: "skip it" },
    Key { key: 'q', says: "exit" },
];

/// Lets somebody at the terminal decide about each call that nobody has decided about yet.
pub fn decide_unknown(
    env: &Env,
    state: &Path,
    survey: &Survey,
    tools: &Catalog,
    decisions: &mut BTreeMap<CallId, Decision>,
) -> Result<(), CommandError> {
    let open: Vec<_> =
        survey.unknown(tools).filter(|call| !decisions.contains_key(&call.made.id)).collect();
    if open.is_empty() {
        return Ok(());
    }
    let (prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    let mut asking = Asking { env, state, prompter, wake, written: Vec::new() };
    let mut decided: BTreeMap<CallId, Decision> = BTreeMap::new();
    for call in open {
        match asking.decide(call) {
            Ok(decision) => drop(decided.insert(call.made.id.clone(), decision)),
            Err(error) => return Err(asking.kept(error)),
        }
    }
    decisions.extend(decided);
    for rework in asking.written {
        // It is on its way to the conversation; a copy that stays is in nobody's way.
        let _left = rework.discard();
    }
    Ok(())
}

struct Asking<'a> {
    env: &'a Env,
    state: &'a Path,
    prompter: Prompter<'a>,
    wake: Wake,
    /// What was written in an editor, until everything is decided.
    written: Vec<Rework>,
}

impl Asking<'_> {
    fn decide(&mut self, call: &Surveyed) -> Result<Decision, CommandError> {
        let tool = &call.made.tool;
        let line = format!("? {tool} may have run already; its result is not known.");
        self.prompter.say(&on_one_line(&line));
        self.prompter.say(&argument_lines(&call.made.arguments));
        loop {
            match self.prompter.choose("What now?", &KEYS, None, &self.wake) {
                Asked::Answered('r') => return Ok(Decision::Again),
                Asked::Answered('s') => return Ok(Decision::Skip),
                Asked::Answered('d') => {
                    if let Some(result) = self.typed()? {
                        return Ok(Decision::Done(result));
                    }
                }
                Asked::Answered('f') => {
                    if let Some(result) = self.of_file()? {
                        return Ok(Decision::Done(result));
                    }
                }
                Asked::Answered(_) => return Err(CommandError::silent(0)),
                Asked::Cancelled | Asked::Woken(_) => {
                    return Err(CommandError::silent(INTERRUPTED));
                }
            }
        }
    }

    /// A result that is typed: in a line, or in an editor.
    fn typed(&mut self) -> Result<Option<Body>, CommandError> {
        self.prompter.say("Enter alone opens your editor.");
        match self.prompter.text("Result: ", &self.wake) {
            Asked::Answered(text) if text.is_empty() => {}
            Asked::Answered(text) => return Ok(Some(text.into())),
            Asked::Cancelled | Asked::Woken(_) => return Ok(None),
        }
        let rework = Rework::create(self.env, self.state, "result.txt", "");
        let rework = rework.map_err(CommandError::failure)?;
        let text = rework.edit(self.env, lend_terminal).map_err(CommandError::failure)?;
        let text = text.trim_end_matches('\n').to_owned();
        if text.trim().is_empty() {
            let _left = rework.discard();
            self.prompter.say("Nothing was written.");
            return Ok(None);
        }
        self.written.push(rework);
        Ok(Some(text.into()))
    }

    /// The error, with the places where what was written is kept.
    fn kept(&mut self, error: CommandError) -> CommandError {
        for rework in &self.written {
            let path = rework.path().display();
            self.prompter.say(&format!("What you wrote is in `{path}`"));
        }
        error
    }

    fn of_file(&mut self) -> Result<Option<Body>, CommandError> {
        loop {
            let path = match self.prompter.text("File: ", &self.wake) {
                Asked::Answered(path) if !path.trim().is_empty() => path,
                _ => return Ok(None),
            };
            let path = path.trim();
            match result_of(self.env, &format!("@{}", path.strip_prefix('@').unwrap_or(path))) {
                Ok(result) => return Ok(Some(result)),
                Err(error) => self.prompter.say(&error.message()),
            }
        }
    }
}
