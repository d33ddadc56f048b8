//! Taking what did not come to its end out of a conversation: an answer that is asked for anew, or
//! a turn that nobody wants to go on with. The history keeps it.

use super::{Guard, Revision, Workspace, WriteFailure, scribe::Operation};
use crate::{
    model::{Address, AnswerId, Entry, Progress, counted, open_blocks},
    plan::{self, Heading, Summary},
    store::{Content, Links, Origin, Problem},
};

/// What was taken out of a conversation.
#[derive(Debug, Default)]
pub struct Retracted {
    /// Where it stood.
    pub addresses: Vec<Address>,
    /// How far the conversation has come without it; `None` if nothing was taken out.
    pub progress: Option<Progress>,
    /// What else had to follow, one line each.
    pub remarks: Vec<String>,
}

impl Workspace {
    /// Takes the blocks of an answer of the last turn out of the stream, as a part of an operation.
    pub fn retract_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        answer: &AnswerId,
    ) -> Result<Retracted, WriteFailure> {
        let subject = |blocks: u64| {
            let blocks = counted(blocks, "block");
            format!("take {blocks} of an answer out that did not end")
        };
        let going = |turn: &[Entry]| {
            open_blocks(turn, answer).map(|entry| entry.address).collect::<Vec<_>>()
        };
        self.take_out(guard, operation, Origin::Model, going, subject)
    }

    /// Takes the last turn out of the stream, if it is not complete.
    pub fn discard_turn(&self, guard: &mut Guard) -> Result<Retracted, WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        let subject = |events: u64| {
            format!("discard a turn that is not complete: {}", counted(events, "event"))
        };
        let going = |turn: &[Entry]| turn.iter().map(|entry| entry.address).collect();
        let retracted = self.take_out(guard, &mut operation, Origin::User, going, subject)?;
        // What was answered in it does not count any more, also if it is brought back.
        let _asked_again = self.keep_verdicts(guard.id(), &[]);
        Ok(retracted)
    }

    /// Takes events of the turn under way out of the stream.
    fn take_out(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        origin: Origin,
        going: impl Fn(&[Entry]) -> Vec<Address>,
        subject: impl Fn(u64) -> String,
    ) -> Result<Retracted, WriteFailure> {
        self.keep_trying(guard, |guard| {
            let id = guard.id();
            let conversation = self.load(guard)?;
            if !conversation.snapshot.is_writable() {
                let version = conversation.snapshot.version;
                return Err(WriteFailure::ReadOnly { id, version });
            }
            let stream = conversation.stream();
            let turn = stream.incomplete.as_ref().map(|incomplete| &incomplete.turn.entries[..]);
            let addresses = going(turn.unwrap_or_default());
            if addresses.is_empty() {
                return Ok(Retracted::default());
            }
            if !conversation.problems.iter().all(Problem::is_harmless) {
                let problems = conversation.problems;
                return Err(WriteFailure::Damaged { id, problems });
            }
            let heading = Heading::from(&conversation.snapshot.meta);
            let layout = conversation.into_layout();
            let plan = plan::retract(&layout, &addresses)
                .map_err(|faults| WriteFailure::Faults { id, faults })?;
            let revision = Revision {
                subject: subject(addresses.len() as u64),
                body: plan.remarks.clone(),
                origin,
                content: Content::Changed(plan.changes),
                summary: Some(Summary::new(heading, &plan.outline)),
                links: Links::default(),
            };
            self.revise_in(guard, revision, operation)?;
            let (progress, remarks) = (Some(plan.outline.progress), plan.remarks);
            Ok(Retracted { addresses, progress, remarks })
        })
    }
}
