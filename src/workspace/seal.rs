//! Putting down on a block, which is stored already, why its answer ended.

use super::{
    Appended, Guard, LoadError, Workspace, WriteFailure,
    append::Outcome,
    scribe::{Operation, Scribe},
};
use crate::{
    format::{FileName, Line, RunName, decode, encode, limits},
    model::{Address, AnswerId, Event, Finish, Timestamp, Usage},
    plan::{Change, Summary, TreePath},
    store::{Content, Writing, Written},
};

impl Workspace {
    /// Puts down on a block why its answer ended and what it has cost, as a part of the operation
    /// that stored it. What somebody did to the block meanwhile stays; a block that is gone stays
    /// away.
    pub fn seal_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        block: (&Appended, &AnswerId),
        finish: &Finish,
        usage: &Usage,
    ) -> Result<(), WriteFailure> {
        let (Appended { address, file, .. }, answer) = block;
        let id = guard.id();
        let object = |source| WriteFailure::Load(LoadError::object(id, source));
        self.write_in(guard, operation, |guard, mut state, operation| {
            let outline = &mut state.outline;
            let is_top = outline.manifest.lines().contains(&Line::Event(file.clone()));
            let number = |run: &&RunName| run.as_str().parse::<Address>().ok();
            let before = outline.runs.iter().filter(|run| number(run) <= Some(*address));
            let run = before.max_by_key(number).filter(|_| !is_top);
            let path = TreePath::event_in(run, file);
            let is_listed = is_top || run.is_some();
            let objects = self.store.objects();
            let present = state.tip.tree.file(&path, objects).map_err(object)?;
            let present = present.filter(|_| is_listed);
            let present = present.map(|blob| objects.blob(&blob, limits::EVENT_FILE)).transpose();
            let present = present.map_err(object)?.unwrap_or_default();
            let Some(event) = ended(&present, file, answer, finish, usage, self.env.now()) else {
                return Ok(Outcome { events: Vec::new(), state, notes: Vec::new() });
            };
            let bytes = encode(&event).map_err(WriteFailure::Encode)?;
            let others = outline.bytes.saturating_sub(present.len() as u64);
            outline.bytes = others.saturating_add(bytes.len() as u64);
            outline.progress.close_answer(answer);
            let summary = Summary::new(state.heading.clone(), &state.outline);
            let content = Content::Changed(vec![Change::Put(path, bytes)]);
            let subject = format!("finish {file}");
            let mut scribe = Scribe::new(self, operation);
            let commit = scribe.by_writer_of(&event, subject, summary, content);
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

/// The block as its file says it now, with its end; `None` if it is not an open block of the answer.
fn ended(
    present: &[u8],
    file: &FileName,
    answer: &AnswerId,
    finish: &Finish,
    usage: &Usage,
    now: Timestamp,
) -> Option<Event> {
    let decoded = decode(present, file.form(), file.hinted_type(), now).ok()?;
    let mut event = decoded.event;
    let block = event.block_mut()?;
    if block.answer.as_ref() != Some(answer) || block.finish.is_some() {
        return None;
    }
    block.finish = Some(finish.clone());
    usage.store(&mut event.metadata);
    Some(event)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::{
        env::Env,
        format::FileName,
        model::{Block, EventKind, Message, Meta, ModelName, Request},
        plan::{Briefing, Draft},
        store::{Links, Origin},
        workspace::Revision,
    };

    fn draft(kind: EventKind, now: Timestamp) -> Draft {
        let event = Event::new(now, kind);
        Draft { bytes: encode(&event).unwrap(), event }
    }

    /// A workspace with a conversation whose answer has not ended, and the block of it.
    fn begun(root: &std::path::Path) -> (Workspace, Guard, Operation, Appended) {
        let home = [(OsString::from("HOME"), root.join("home").into_os_string())];
        let env = Env::fixed(home, root.to_owned(), Timestamp::from_seconds(1_700_000_000));
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        let request = Request { content: "Hi".into(), interrupts: false };
        let block = Block {
            model: Some(ModelName::new("a/b")),
            answer: Some(AnswerId::new("0-0")),
            ..Block::default()
        };
        let message = Message { content: "Hello there.".into(), block };
        let drafts = [
            draft(EventKind::Request(request), env.now()),
            draft(EventKind::Message(message), env.now()),
        ];
        let created = workspace
            .create_for(&Meta::default(), &toml::Table::new(), &Briefing::default(), &drafts)
            .unwrap();
        let (guard, operation, mut events) = created;
        (workspace, guard, operation, events.pop().unwrap())
    }

    fn seal(workspace: &Workspace, guard: &mut Guard, operation: &mut Operation, at: &Appended) {
        let usage = Usage { output: Some(7), ..Usage::default() };
        let block = (at, &AnswerId::new("0-0"));
        workspace.seal_in(guard, operation, block, &Finish::Stop, &usage).unwrap();
    }

    /// What the file of the block says.
    fn present(workspace: &Workspace, guard: &Guard, file: &FileName) -> Option<String> {
        let mut state = workspace.state(guard.id()).unwrap();
        let objects = workspace.store.objects();
        let blob = state.tip.tree.file(&TreePath::event(file), objects).unwrap()?;
        Some(String::from_utf8(objects.blob(&blob, limits::EVENT_FILE).unwrap()).unwrap())
    }

    fn change(workspace: &Workspace, guard: &mut Guard, changes: Vec<Change>) {
        let revision = Revision {
            subject: "by hand".to_owned(),
            body: Vec::new(),
            origin: Origin::Edit,
            content: Content::Changed(changes),
            summary: None,
            links: Links::default(),
        };
        workspace.revise(guard, revision).unwrap();
    }

    #[test]
    fn the_end_of_an_answer_is_written_by_the_model_and_counted() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, mut guard, mut operation, block) = begun(&root);
        seal(&workspace, &mut guard, &mut operation, &block);
        let text = present(&workspace, &guard, &block.file).unwrap();
        assert!(text.contains("\nfinish: stop\n") && text.ends_with("\nHello there.\n"), "{text}");
        let mut raw = Vec::new();
        workspace.store.objects().commit(&guard.commit(), &mut raw).unwrap();
        let raw = String::from_utf8(raw).unwrap();
        assert!(raw.contains("\nauthor a/b <"), "{raw}");
        let commit = workspace.store.commit(guard.commit()).unwrap();
        let summary = commit.summary.unwrap();
        let counted = workspace.examine_at(guard.id(), guard.commit()).unwrap().outline().unwrap();
        assert_eq!((summary.bytes, summary.progress), (counted.bytes, counted.progress));
        assert_eq!(workspace.load(&guard).unwrap().problems, []);
    }

    #[test]
    fn a_long_operation_that_made_a_conversation_names_the_commit_before_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, mut guard, mut operation, block) = begun(&root);
        let message = Message { content: "More".into(), block: Block::default() };
        let draft = draft(EventKind::Message(message), Timestamp::from_seconds(1_700_000_000));
        let mut bases = 0;
        for _ in 0..40 {
            let drafts = [draft.clone()];
            let stored = workspace.append_in(&mut guard, &mut operation, &drafts).unwrap();
            let mut raw = Vec::new();
            workspace.store.objects().commit(&stored[0].commit, &mut raw).unwrap();
            bases += usize::from(String::from_utf8(raw).unwrap().contains("\nJp-Base: "));
        }
        assert_eq!((bases, block.address.number()), (1, 1));
    }

    #[test]
    fn a_block_that_was_edited_before_its_answer_ended_keeps_the_edit() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, mut guard, mut operation, block) = begun(&root);
        let text = present(&workspace, &guard, &block.file).unwrap();
        let edited = text.replace("there", "by hand").into_bytes();
        let path = TreePath::event(&block.file);
        change(&workspace, &mut guard, vec![Change::Put(path, edited)]);
        seal(&workspace, &mut guard, &mut operation, &block);
        let text = present(&workspace, &guard, &block.file).unwrap();
        assert!(
            text.contains("\nfinish: stop\n") && text.ends_with("\nHello by hand.\n"),
            "{text}"
        );
    }

    #[test]
    fn a_block_that_was_removed_before_its_answer_ended_stays_away() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, mut guard, mut operation, block) = begun(&root);
        let changes = vec![
            Change::Remove(TreePath::event(&block.file)),
            Change::Put(TreePath::manifest(), b"# Turn 0\n000-request.md\n".to_vec()),
        ];
        change(&workspace, &mut guard, changes);
        let before = guard.commit();
        seal(&workspace, &mut guard, &mut operation, &block);
        assert_eq!(present(&workspace, &guard, &block.file), None);
        assert_eq!(guard.commit(), before);
    }
}
