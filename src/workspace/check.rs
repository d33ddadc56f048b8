//! Looking for everything that is wrong with a conversation, and mending it.

use super::{
    Conversation, Finding, Guard, Handle, LoadError, Operation, Revision, Workspace, WriteFailure,
};
use crate::{
    format::{
        BriefingFile, CONFIG_FILE, FileName, Flaw, MANIFEST_FILE, META_FILE, decode_meta, limits,
    },
    model::Meta,
    plan::{Repair, Repairs, TreePath, repair},
    store::{
        CASE_TWIN, Commit, Content, EXECUTABLE, Links, Listing, MoveError, ODD_MODE, ObjectError,
        ObjectId, Origin, Problem, ProblemKind, ReadError, TWICE,
    },
};

/// What was found, and what was done about it.
#[derive(Debug)]
pub struct Checkup {
    /// What was wrong.
    pub found: Vec<Finding>,
    /// What a repair did, one line each.
    pub actions: Vec<String>,
    /// The last commit of the repair.
    pub commit: Option<ObjectId>,
    /// What is still wrong after a repair.
    pub left: Vec<Finding>,
}

impl Checkup {
    fn of(found: Vec<Finding>) -> Self {
        Self { found, actions: Vec::new(), commit: None, left: Vec::new() }
    }
}

/// How many commits are looked through for what was lost.
const HISTORY: usize = 1000;

impl Workspace {
    /// Finds everything that is wrong with a conversation.
    pub fn check(&self, handle: &Handle) -> Result<Checkup, LoadError> {
        Ok(Checkup::of(self.findings(handle)?))
    }

    /// Mends a conversation: one commit for what has no place in it, so that the events can be
    /// read, and one for the events.
    pub fn mend(&self, guard: &mut Guard) -> Result<Checkup, WriteFailure> {
        let id = guard.id();
        let mut operation = self.begin_operation(guard)?;
        let mut checkup = match self.check(guard) {
            Err(LoadError::Read { source, .. }) if !matches!(source, ReadError::Version(_)) => {
                self.go_back(guard, &source.to_string(), &mut operation)?
            }
            checkup => checkup?,
        };
        for _ in 0..2 {
            let conversation = self.examine(guard)?;
            if !conversation.snapshot.is_writable() {
                let version = conversation.snapshot.version;
                return Err(WriteFailure::ReadOnly { id, version });
            }
            let commit = conversation.snapshot.commit.clone();
            let meta = match (conversation.snapshot.meta_broken, conversation.snapshot.meta_lost) {
                (false, _) => None,
                (true, false) => Some(conversation.snapshot.meta.clone()),
                (true, true) => Some(self.earlier_meta(&commit)),
            };
            let repairs = repair(input(conversation, meta));
            if repairs.actions.is_empty() {
                break;
            }
            let Repairs { changes, actions } = repairs;
            let content = Content::Changed(changes);
            checkup.commit = Some(self.commit_repair(guard, content, &actions, &mut operation)?);
            checkup.actions.extend(actions);
        }
        self.mend_commits(guard, &mut checkup, &mut operation)?;
        checkup.left = self.findings(guard)?;
        Ok(checkup)
    }

    /// Mends what is not in the tree: a summary that does not fit, and what a move that was cut short
    /// left in another place.
    fn mend_commits(
        &self,
        guard: &mut Guard,
        checkup: &mut Checkup,
        operation: &mut Operation,
    ) -> Result<(), WriteFailure> {
        for finding in self.findings(guard)? {
            match finding {
                Finding::Summary { commit, .. } => {
                    let actions = vec![format!("the summary in commit {commit} counts no more")];
                    let content = Content::Changed(Vec::new());
                    checkup.commit = Some(self.commit_repair(guard, content, &actions, operation)?);
                    checkup.actions.extend(actions);
                }
                Finding::Twice(space) => {
                    let (id, commit) = (guard.id(), guard.commit());
                    match self.store.clear_others(guard.lock(), id, guard.space(), commit) {
                        Ok(()) => checkup
                            .actions
                            .push(format!("it is not {} any more", space.whereabouts())),
                        // It may be another conversation of the same id: it is told, and stays.
                        Err(MoveError::Taken { .. } | MoveError::Object(_)) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Finding::File(_) | Finding::History(_) => {}
            }
        }
        Ok(())
    }

    /// The last title, labels and so on that history has.
    fn earlier_meta(&self, commit: &Commit) -> Meta {
        let objects = self.store.objects();
        let mut commit = commit.clone();
        for _ in 0..HISTORY {
            let Some(Ok(parent)) = commit.parents.first().map(|id| self.store.commit(*id)) else {
                break;
            };
            let found = Listing::top(objects, &parent.tree).ok().and_then(|top| top.meta);
            let bytes = found.and_then(|id| objects.blob(&id, limits::MANIFEST_FILE).ok());
            if let Some(Ok((_, meta))) = bytes.map(|bytes| decode_meta(&bytes)) {
                return meta;
            }
            commit = parent;
        }
        Meta::default()
    }

    /// Brings back the last version that can be read, when the present one cannot.
    fn go_back(
        &self,
        guard: &mut Guard,
        why: &str,
        operation: &mut Operation,
    ) -> Result<Checkup, WriteFailure> {
        let id = guard.id();
        let tip = guard.commit();
        let unreadable = |source| WriteFailure::Load(LoadError::object(id, source));
        let mut commit = self.store.commit(tip).map_err(unreadable)?;
        loop {
            let Some(parent) = commit.parents.first() else {
                let problem = ObjectError::Damaged { id: tip, message: why.to_owned() };
                return Err(unreadable(problem));
            };
            commit = self.store.commit(*parent).map_err(unreadable)?;
            if self.examine_at(id, commit.id).is_ok() {
                break;
            }
        }
        let action = format!("the version of commit {} is brought back: {why}", commit.id);
        let actions = vec![action];
        let written =
            self.commit_repair(guard, Content::Tree(commit.tree, Vec::new()), &actions, operation)?;
        let path = TreePath::manifest();
        let problem = Problem { path, flaw: Flaw::new(why), kind: ProblemKind::Damage };
        let found = vec![Finding::File(problem)];
        Ok(Checkup { actions, commit: Some(written), ..Checkup::of(found) })
    }

    /// Commits a repair of the version of the guard: changes of its tree, or of another one.
    fn commit_repair(
        &self,
        guard: &mut Guard,
        content: Content,
        actions: &[String],
        operation: &mut Operation,
    ) -> Result<ObjectId, WriteFailure> {
        let revision = Revision {
            subject: format!("repair {}", guard.id()),
            body: actions.to_vec(),
            origin: Origin::Edit,
            content,
            summary: None,
            links: Links::default(),
        };
        self.revise_in(guard, revision, operation)
    }
}

fn input(conversation: Conversation, meta: Option<Meta>) -> Repair {
    let snapshot = conversation.snapshot;
    let mut foreign = snapshot.strange_runs.clone();
    let (mut twice, mut odd_modes) = (Vec::new(), Vec::new());
    for (run, listing) in &snapshot.listings {
        let manifest = snapshot.manifests.get(run).and_then(Option::as_ref);
        let is_listed = |name: &str| {
            manifest.is_some_and(|manifest| manifest.events().any(|own| own.as_str() == name))
        };
        for intruder in &listing.foreign {
            let path = &intruder.path;
            let twin = listing.files.keys().find(|name| {
                name.as_str().to_lowercase() == path.name().to_lowercase()
                    && intruder.why == CASE_TWIN
            });
            match twin {
                _ if intruder.why == TWICE => twice.push(path.clone()),
                _ if [EXECUTABLE, ODD_MODE].contains(&intruder.why) && is_of_format(path) => {
                    odd_modes.push(path.clone());
                }
                // Of two twins, the one that is in the stream stays.
                Some(twin) if is_listed(path.name()) && !is_listed(twin.as_str()) => {
                    foreign.push(TreePath::event_in(run.as_ref(), twin));
                }
                _ => foreign.push(path.clone()),
            }
        }
    }
    Repair {
        foreign,
        twice,
        odd_modes,
        flawed: snapshot.flawed,
        files: snapshot
            .listings
            .iter()
            .map(|(run, listing)| (run.clone(), listing.files.keys().cloned().collect()))
            .collect(),
        manifests: snapshot.manifests,
        listed: conversation.listed,
        meta,
    }
}

/// Whether a name has a place in a conversation.
fn is_of_format(path: &TreePath) -> bool {
    let fixed = [MANIFEST_FILE, META_FILE, CONFIG_FILE].contains(&path.name());
    let fixed = fixed || BriefingFile::find(path.name()).is_some();
    fixed || path.name().parse::<FileName>().is_ok()
}
