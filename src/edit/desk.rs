//! A conversation in an editor: a checkout in the user's own state, for the length of an edit.
//!
//! Each has a directory of its own, of a name that nobody can foresee and for the user alone. It
//! stays until its edit is committed or not wanted; whatever ends before that leaves it, and the
//! next edit tells of it.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::{
    DraftError, Opened,
    checkout::{Checkout, CheckoutError, check_out, propose},
    editor, left,
};
use crate::{
    env::Env,
    fsutil::{self, AtPath, FsError},
    model::ConversationId,
    store::Space,
    workspace::{Handle, Workspace},
};

/// After how many seconds a directory that nobody changed is not needed any more.
const UNTOUCHED: u64 = 24 * 60 * 60;

/// What a directory is called while it is written out, and while it is removed.
const UNFINISHED: &str = "unfinished";

/// How many directories are looked at.
const LOOKED_AT: usize = 50;

/// A conversation in an editor.
#[must_use = "say whether the directory is needed any more"]
#[derive(Debug)]
pub struct Desk {
    root: PathBuf,
    checkout: Checkout,
    /// A sign of life, for as long as it is locked.
    _lock: Option<left::Lock>,
}

impl Desk {
    /// Lays a version of a conversation out.
    pub fn lay_out(
        env: &Env,
        workspace: &Workspace,
        version: &Handle,
    ) -> Result<Self, CheckoutError> {
        let random = env.random_name().map_err(CheckoutError::Random)?;
        let root = edits(&workspace.state_dir()?).join(random);
        fsutil::create_dir_private(&root)?;
        let lock = left::lock(&root);
        // It gets its name when it is complete: no editor has ever seen another one.
        let (aside, directory) = (root.join(UNFINISHED), root.join(name(version.id())));
        fsutil::create_dir_private(&aside)?;
        let laid_out = check_out(workspace, version, &aside).and_then(|_| {
            std::fs::rename(&aside, &directory).at("rename", &aside)?;
            Checkout::open(&directory)
        });
        match laid_out {
            Ok(checkout) => Ok(Self { root, checkout, _lock: lock }),
            Err(error) => {
                // Nobody has seen it yet.
                let _leftover = std::fs::remove_dir_all(&root);
                Err(error)
            }
        }
    }

    /// The checkout.
    pub fn checkout(&self) -> &Checkout {
        &self.checkout
    }

    /// The checkout, to be committed.
    pub fn checkout_mut(&mut self) -> &mut Checkout {
        &mut self.checkout
    }

    /// Lets the user edit, in an editor that is run by a function.
    pub fn edit(
        &self,
        env: &Env,
        mut run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<ExitStatus, DraftError> {
        let directory = self.checkout.directory();
        let plan = self.checkout.plan_path();
        let opened = Opened::Directory { directory, plan: &plan };
        // Whoever asked knows where it is.
        let (_editor, status) = editor::open(env, opened, None, &mut run)?;
        Ok(status)
    }

    /// Leaves it where it is, and says where.
    pub fn keep(self) -> PathBuf {
        self.checkout.directory().to_owned()
    }

    /// Removes all of it: what it says is stored, or not wanted.
    pub fn clear(self) -> Result<(), CheckoutError> {
        clear(&self.root, self.checkout.directory())
    }
}

fn clear(root: &Path, directory: &Path) -> Result<(), CheckoutError> {
    // What is removed in part must not look like an edit.
    let aside = root.join(UNFINISHED);
    if directory != aside {
        std::fs::rename(directory, &aside).at("rename", directory)?;
    }
    std::fs::remove_dir_all(root)
        .map_err(|error| FsError::new("remove", root.to_owned(), error).into())
}

fn name(id: ConversationId) -> String {
    format!("jp-edit-{id}")
}

fn edits(state: &Path) -> PathBuf {
    state.join("edits")
}

/// An edit that was never committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abandoned {
    /// Where it is.
    pub directory: PathBuf,
    /// The conversation, if that can be told.
    pub id: Option<ConversationId>,
}

/// The edits of a workspace that were cut off before they were committed. What was committed, or
/// was not changed for a day, is removed; until then an editor may still be open that did not wait.
pub fn abandoned(env: &Env, workspace: &Workspace) -> Result<Vec<Abandoned>, CheckoutError> {
    let Ok(entries) = std::fs::read_dir(edits(&workspace.state_dir()?)) else {
        return Ok(Vec::new());
    };
    let mut abandoned = Vec::new();
    for entry in entries.take(LOOKED_AT).flatten() {
        let root = entry.path();
        // Whoever edits there holds the lock.
        let Some(_lock) = left::lock(&root) else { continue };
        let inner = std::fs::read_dir(&root).into_iter().flatten().flatten();
        let Some(directory) = inner.map(|entry| entry.path()).find(|path| path.is_dir()) else {
            // It was cut off before there was anything to see.
            let _stays_until_next_time = std::fs::remove_dir(&root);
            continue;
        };
        let checkout = Checkout::open(&directory).ok();
        let id = checkout.as_ref().map(Checkout::id);
        let need = match &checkout {
            // It was cut off while it was written out.
            _ if directory.ends_with(UNFINISHED) => Need::None,
            Some(checkout) => need(env, workspace, checkout),
            // Its record is lost.
            None => Need::Edited,
        };
        match need {
            Need::Edited => abandoned.push(Abandoned { directory, id }),
            Need::Untouched => {}
            Need::None => drop(clear(&root, &directory)),
        }
    }
    abandoned.sort_by(|one, other| one.directory.cmp(&other.directory));
    Ok(abandoned)
}

/// What a directory is still needed for.
enum Need {
    /// Something in it is not in its conversation yet.
    Edited,
    /// Nobody has changed it so far.
    Untouched,
    /// Nothing.
    None,
}

fn need(env: &Env, workspace: &Workspace, checkout: &Checkout) -> Need {
    let Ok(look) = checkout.look() else { return Need::Edited };
    let untouched = if is_old(checkout.directory()) { Need::None } else { Need::Untouched };
    if look.is_untouched() {
        return untouched;
    }
    let Ok(Some(tip)) = workspace.store().tip(Space::Heads, checkout.id()) else {
        return Need::Edited;
    };
    let Ok(handle) = workspace.select(&checkout.id().to_string()) else { return Need::Edited };
    match propose(env, workspace, &handle.at(tip), checkout, &look) {
        Ok(Ok(None)) if look.stray.is_empty() && look.leftovers.is_empty() => untouched,
        _ => Need::Edited,
    }
}

fn is_old(directory: &Path) -> bool {
    let modified = std::fs::metadata(directory).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age.as_secs() > UNTOUCHED)
}

/// Runs something that may take long, and warns once when it does.
pub fn warn_if_long<T>(after: Duration, warn: impl FnOnce() + Send, run: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            if is_done.recv_timeout(after) == Err(mpsc::RecvTimeoutError::Timeout) {
                warn();
            }
        });
        let result = run();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_long_session_warns_once_and_a_short_one_does_not() {
        let warned = AtomicUsize::new(0);
        let warn = || {
            warned.fetch_add(1, Ordering::SeqCst);
        };
        warn_if_long(Duration::from_secs(3600), warn, || ());
        assert_eq!(warned.load(Ordering::SeqCst), 0);
        warn_if_long(Duration::ZERO, warn, || {
            while warned.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
        });
        assert_eq!(warned.load(Ordering::SeqCst), 1);
    }
}
