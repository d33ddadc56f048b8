//! Deciding about calls that may have been made already.

use std::{collections::BTreeMap, path::Path};

use super::{
    decisions::result_of,
    typed::{Typed, tell_earlier},
};
use crate::{
    cli::{commands::INTERRUPTED, error::CommandError},
    edit::Rework,
    env::Env,
    model::{Body, CallId},
    tool::Catalog,
    turn::{Decision, Survey, Surveyed},
    ui::{Asked, Key, Prompter, Wake, argument_lines, lend_terminal, on_one_line},
};

/// What a result is called that somebody types.
const RESULT: &str = "result.txt";

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
    typed: &mut Typed,
) -> Result<(), CommandError> {
    let open: Vec<_> =
        survey.unknown(tools).filter(|call| !decisions.contains_key(&call.made.id)).collect();
    if open.is_empty() {
        return Ok(());
    }
    let (mut prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    tell_earlier(&mut prompter, state);
    let mut asking = Asking { env, state, prompter, wake, typed };
    for call in open {
        decisions.insert(call.made.id.clone(), asking.decide(call)?);
    }
    Ok(())
}

struct Asking<'a> {
    env: &'a Env,
    state: &'a Path,
    prompter: Prompter<'a>,
    wake: Wake,
    typed: &'a mut Typed,
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
                Asked::Cancelled | Asked::Gone | Asked::Woken(_) => {
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
            Asked::Answered(text) => {
                self.typed.keep(self.env, self.state, RESULT, &text);
                return Ok(Some(text.into()));
            }
            Asked::Cancelled | Asked::Gone | Asked::Woken(_) => return Ok(None),
        }
        let rework = Rework::create(self.env, self.state, RESULT, "");
        let rework = rework.map_err(CommandError::failure)?;
        let text = rework.edit(self.env, lend_terminal).map_err(CommandError::failure)?;
        let text = text.trim_end_matches('\n').to_owned();
        if text.trim().is_empty() {
            let _left = rework.discard();
            self.prompter.say("Nothing was written.");
            return Ok(None);
        }
        self.typed.keep_written(rework);
        Ok(Some(text.into()))
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
