//! Settling what becomes of a last turn that is not complete, before anything else is set up.

use super::{
    super::{follow_up::is_queued, target::Target},
    answering::answer,
    choosing::choose_calls,
    course::{Course, course},
    decisions::{self, Choices},
    menu::{Choice, Menu},
    rewording::{Reworded, reword},
    telling::{incomplete, nothing_to_resume},
    typed::Typed,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    model::IncompleteTurn,
    turn::Survey,
    workspace::{Conversation, WriteFailure},
};

/// What a query does now.
#[derive(Debug)]
pub enum Settled {
    /// It asks.
    Ask,
    /// It asks, if there is something to ask.
    AskOrNothing,
    /// It asks what is queued.
    FollowUp,
    /// It goes on with the last turn.
    Resume(Box<Choices>),
    /// It is over.
    Over,
}

/// Who there is to be asked, and about which conversation.
pub struct Settling<'a> {
    /// The world.
    pub env: &'a Env,
    /// What the query is asked to do.
    pub args: &'a Query,
    /// The conversation.
    pub target: &'a mut Target,
}

/// Settles what becomes of a last turn that is not complete. The conversation is loaded again if
/// that changed it.
pub fn settle(
    env: &Env,
    output: &mut Output,
    args: &Query,
    interactive: bool,
    target: &mut Target,
    conversation: &mut Option<Conversation>,
) -> Result<Settled, CommandError> {
    let under_way = conversation.as_ref().and_then(|conversation| conversation.stream().incomplete);
    let course = course(args, under_way.is_some(), interactive);
    let Some(under_way) = under_way else {
        return Ok(match course {
            Course::Nothing if is_queued(target, conversation.as_ref()) => Settled::FollowUp,
            Course::Nothing => {
                nothing_to_resume(output, target.id());
                Settled::Over
            }
            Course::AskOrNothing => Settled::AskOrNothing,
            _ => Settled::Ask,
        });
    };
    let problems = conversation.as_ref().map(|conversation| &conversation.problems[..]);
    let damage = problems.unwrap_or_default().iter().find(|problem| !problem.is_harmless());
    if let (Some(_), Some(id), false) = (damage, target.id(), course == Course::Refuse) {
        // Nothing could be stored, so the model is not asked.
        let problems = problems.unwrap_or_default().to_vec();
        return Err(WriteFailure::Damaged { id, problems }.into());
    }
    let mut settling = Settling { env, args, target };
    match course {
        Course::Resume => settling.resume(&under_way),
        Course::Prompt => settling.prompt(output, &under_way, conversation),
        Course::Discard => {
            settling.discard(output, conversation)?;
            // Who asks nothing needs no model.
            let may_write = interactive && !args.no_edit;
            Ok(match may_write || has_question(args) {
                true => Settled::AskOrNothing,
                false => Settled::Over,
            })
        }
        Course::Ask | Course::AskOrNothing | Course::Nothing | Course::Refuse => {
            Err(incomplete(settling.target.id(), &under_way))
        }
    }
}

/// Whether there is something to ask: words, or something that is piped in.
pub fn has_question(args: &Query) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let stdin = std::fs::metadata("/dev/stdin");
    let is_piped = stdin.is_ok_and(|stdin| {
        stdin.file_type().is_fifo() || (stdin.file_type().is_file() && stdin.len() > 0)
    });
    !args.text.is_empty() || is_piped
}

impl Settling<'_> {
    /// It goes on, with what the command line says about calls.
    fn resume(&self, under_way: &IncompleteTurn) -> Result<Settled, CommandError> {
        let survey = Survey::of(&under_way.turn.entries);
        let decisions = decisions::read(self.env, &self.args.decisions, &survey)?;
        Ok(Settled::Resume(Box::new(Choices { decisions, ..Choices::default() })))
    }

    /// Lets somebody choose, until something is settled.
    fn prompt(
        &mut self,
        output: &mut Output,
        under_way: &IncompleteTurn,
        conversation: &mut Option<Conversation>,
    ) -> Result<Settled, CommandError> {
        let survey = Survey::of(&under_way.turn.entries);
        let has_text = has_question(self.args);
        let resume = |choices: Choices| {
            Ok(Settled::Resume(Box::new(Choices { asks_next: has_text, ..choices })))
        };
        let mut menu = Menu::open(self.env, self.target.id(), under_way, &survey, has_text)?;
        loop {
            match menu.ask()? {
                Choice::Resume => return resume(Choices::default()),
                Choice::Quit => return Ok(Settled::Over),
                Choice::Discard => {
                    self.discard(output, conversation)?;
                    return Ok(Settled::Ask);
                }
                Choice::Answer => {
                    let (state, mut typed) = (self.target.state_dir(self.env)?, Typed::default());
                    if let Some(replies) = answer(self.env, &state, &survey, &mut typed)? {
                        return resume(Choices { replies, typed, ..Choices::default() });
                    }
                }
                Choice::Select => {
                    if let Some(decisions) = choose_calls(self.env, &survey)? {
                        return resume(Choices { decisions, ..Choices::default() });
                    }
                }
                Choice::Reword => {
                    let target = &mut *self.target;
                    let reworded = target.change(|workspace, guard| {
                        reword(self.env, output, workspace, guard, under_way)
                    })?;
                    if let Some(Reworded::Unchanged | Reworded::Changed) = reworded {
                        *conversation = self.target.load(output)?;
                        return resume(Choices::default());
                    }
                }
            }
        }
    }

    fn discard(
        &mut self,
        output: &mut Output,
        conversation: &mut Option<Conversation>,
    ) -> Result<(), CommandError> {
        self.target.discard_turn(output)?;
        *conversation = self.target.load(output)?;
        Ok(())
    }
}
