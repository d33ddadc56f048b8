//! The end of a conversation, for who wants to know what was said last and does not want to wait
//! for all of it.

use super::{Handle, LoadError, Workspace, load::decode_one};
use crate::{
    format::{Flaw, limits},
    model::{ConversationId, Event, EventKind, EventType},
    store::{Ends, Located, ObjectId, Objects, Problem, ProblemKind},
};

/// How many events are looked at in search of the first request.
const OPENING: usize = 32;

/// A conversation that is read from its last event on.
///
/// Files whose names say that they hold results and attachments are passed over: they are large,
/// and nobody said them.
pub struct Tail<'a> {
    objects: &'a Objects,
    ends: Ends<'a>,
}

impl Workspace {
    /// Begins to read a conversation from its end.
    pub fn tail(&self, handle: &Handle) -> Result<Tail<'_>, LoadError> {
        let ends = self.ends(handle.id(), handle.commit())?;
        Ok(Tail { objects: self.store.objects(), ends })
    }

    /// Reads the top directory of a conversation. One with things in it that have no place is
    /// refused.
    pub(super) fn ends(&self, id: ConversationId, commit: ObjectId) -> Result<Ends<'_>, LoadError> {
        let commit = self.store.commit(commit).map_err(|source| LoadError::object(id, source))?;
        let ends = Ends::read(self.store.objects(), commit);
        let ends = ends.map_err(|source| LoadError::Read { id, source })?;
        match ends.is_foreign() {
            true => Err(LoadError::Foreign { id, problems: ends.problems }),
            false => Ok(ends),
        }
    }
}

impl Tail<'_> {
    /// The first request, wherever the reading is.
    pub fn opening(&self) -> Option<Event> {
        let first = self.ends.from_the_first().take(OPENING).filter_map(Result::ok);
        let mut events = first
            .filter(|located| !is_aside(located))
            .filter_map(|located| read_one(self.objects, &self.ends, &located).ok()?);
        events.find(|event| matches!(event.kind, EventKind::Request(_)))
    }
}

/// The events, the last one first, and what is wrong with those that cannot be read.
impl Iterator for Tail<'_> {
    type Item = Result<Event, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let located = match self.ends.previous()? {
                Ok(located) => located,
                Err(problem) => return Some(Err(problem)),
            };
            if is_aside(&located) {
                continue;
            }
            if let Some(read) = read_one(self.objects, &self.ends, &located).transpose() {
                return Some(read);
            }
        }
    }
}

fn is_aside(located: &Located) -> bool {
    let hint = located.name.hinted_type();
    matches!(hint, Some(EventType::ToolResult | EventType::Attachment | EventType::ToolStart))
}

/// An event of a conversation; `None` for a file that is missing.
pub(super) fn read_one(
    objects: &Objects,
    ends: &Ends<'_>,
    located: &Located,
) -> Result<Option<Event>, Problem> {
    let committed = ends.commit.committed;
    let read = decode_one(objects, located, limits::EVENT_FILE, committed, &mut 0);
    read.map_err(|flaws| problem_in(located, flaws))
}

/// What is wrong with an event file, in the first of its flaws.
pub(super) fn problem_in(located: &Located, flaws: Vec<Flaw>) -> Problem {
    let flaw = flaws.into_iter().next().unwrap_or_else(|| Flaw::new("it does not read"));
    Problem { path: located.path(), flaw, kind: ProblemKind::Damage }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::{
        env::Env,
        format::{Form, RunName},
        model::{Address, Meta, Timestamp},
        plan::{Change, TreePath},
        store::{Content, Links, Origin},
        workspace::{Guard, Revision, prepare},
    };

    const NOW: i64 = 1_800_000_000;

    /// A workspace with a conversation of 300 events, most of them in sealed runs.
    fn sealed(root: &std::path::Path) -> (Workspace, Guard) {
        let home = [(OsString::from("HOME"), root.join("home").into_os_string())];
        let env = Env::fixed(home, root.to_owned(), Timestamp::from_seconds(NOW));
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        let text = |number: usize| match number % 3 {
            0 => format!("---\ntype: request\n---\n{number}\n"),
            1 => format!("---\ntype: attachment\nsource: a\n---\n{number}\n"),
            _ => format!("---\ntype: message\n---\n{number}\n"),
        };
        let drafts = (0..300).map(|number| {
            prepare(text(number).into_bytes(), Form::Markdown, None, env.now()).unwrap()
        });
        let drafts: Vec<_> = drafts.collect();
        let (guard, _) = workspace.create(&Meta::default(), &drafts).unwrap();
        (workspace, guard)
    }

    fn said(event: &Event) -> String {
        let body = match &event.kind {
            EventKind::Request(request) => &request.content,
            EventKind::Message(message) => &message.content,
            other => panic!("{other:?}"),
        };
        body.to_text_lossy().trim_end().to_owned()
    }

    fn change(workspace: &Workspace, guard: &mut Guard, change: Change) {
        let revision = Revision {
            subject: "by hand".to_owned(),
            body: Vec::new(),
            origin: Origin::Edit,
            content: Content::Changed(vec![change]),
            summary: None,
            links: Links::default(),
        };
        workspace.revise(guard, revision).unwrap();
    }

    /// What is said from the end on, and what is wrong on the way.
    fn told(workspace: &Workspace, guard: &Guard) -> (Vec<String>, Vec<String>) {
        let (mut texts, mut problems) = (Vec::new(), Vec::new());
        for event in workspace.tail(guard).unwrap() {
            match event {
                Ok(event) => texts.push(said(&event)),
                Err(problem) => problems.push(problem.to_string()),
            }
        }
        (texts, problems)
    }

    fn spoken(numbers: impl Iterator<Item = usize>) -> Vec<String> {
        numbers.filter(|number| number % 3 != 1).map(|number| number.to_string()).collect()
    }

    #[test]
    fn a_tail_goes_through_sealed_runs_to_the_beginning() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, guard) = sealed(&root);
        assert_eq!(told(&workspace, &guard), (spoken((0..300).rev()), Vec::new()));
        let mut tail = workspace.tail(&guard).unwrap();
        assert_eq!(tail.next().map(|event| said(&event.unwrap())), Some("299".to_owned()));
        assert_eq!(tail.opening().map(|event| said(&event)), Some("0".to_owned()));
    }

    #[test]
    fn a_tail_passes_what_is_broken_and_tells_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, mut guard) = sealed(&root);
        let run = RunName::new(Address::new(100).unwrap());
        change(&workspace, &mut guard, Change::Remove(TreePath::run_manifest(&run)));
        let missing = "100/CONVERSATION: the file is missing".to_owned();
        assert_eq!(told(&workspace, &guard), (spoken((0..300).rev()), vec![missing]));
        // What has no place lets nothing of its run be used.
        let foreign = TreePath::found(Some("100".to_owned()), "notes.txt".to_owned());
        change(&workspace, &mut guard, Change::Put(foreign, b"x".to_vec()));
        let left = spoken((200..300).rev().chain((0..100).rev()));
        let foreign = "100/notes.txt: a file of this name has no place".to_owned();
        assert_eq!(told(&workspace, &guard), (left, vec![foreign]));
        let at_top = TreePath::found(None, "notes.txt".to_owned());
        change(&workspace, &mut guard, Change::Put(at_top, b"x".to_vec()));
        let Err(refused) = workspace.tail(&guard) else { panic!("it is not refused") };
        let expected = "is refused: notes.txt: a file of this name has no place";
        assert!(refused.to_string().ends_with(expected), "{refused}");
    }
}
