//! Putting down on a block, which is stored already, why its answer ended.

use super::{
    Appended, Guard, Workspace, WriteFailure,
    append::Outcome,
    scribe::{Operation, Scribe},
};
use crate::{
    format::{Line, RunName, encode},
    model::{Address, Event, Finish, Usage},
    plan::{Change, Summary, TreePath},
    store::{Content, Origin, Writing, Written},
};

impl Workspace {
    /// Puts down on a block why its answer ended and what it has cost, as a part of the operation
    /// that stored it.
    pub fn seal_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        block: (&Appended, &Event),
        finish: &Finish,
        usage: &Usage,
    ) -> Result<(), WriteFailure> {
        let (Appended { address, file, .. }, event) = block;
        let mut event = event.clone();
        usage.store(&mut event.metadata);
        let Some(part) = event.block_mut() else { return Ok(()) };
        part.finish = Some(finish.clone());
        let answer = part.answer.clone();
        let id = guard.id();
        let bytes = encode(&event).map_err(WriteFailure::Encode)?;
        self.write_in(guard, operation, |guard, mut state, operation| {
            let outline = &mut state.outline;
            let is_top = outline.manifest.lines().contains(&Line::Event(file.clone()));
            let number = |run: &&RunName| run.as_str().parse::<Address>().ok();
            let before = outline.runs.iter().filter(|run| number(run) <= Some(*address));
            let run = before.max_by_key(number).filter(|_| !is_top);
            let change = Change::Put(TreePath::event_in(run, file), bytes.clone());
            if let Some(answer) = &answer {
                outline.progress.close_answer(answer);
            }
            let mut scribe = Scribe::new(self, operation);
            let summary = Summary::new(state.heading.clone(), &state.outline);
            let content = Content::Changed(vec![change]);
            let subject = format!("finish {file}");
            let commit = scribe.commit(subject, Origin::Model, Some(summary), content);
            let lock = guard.lock();
            let writing = Writing { lock, id, tip: &mut state.tip, commits: &[commit] };
            let written = self.store.write(writing);
            let Written { notes, .. } =
                written.map_err(|source| WriteFailure::write(id, source))?;
            Ok(Outcome { events: Vec::new(), state, notes })
        })?;
        Ok(())
    }
}
