//! Who holds locks now, without taking one for longer than it takes to look.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    path::Path,
};

use fs4::{FileExt, TryLockError};

use super::{Holder, Store, lock::read_holder};
use crate::model::ConversationId;

impl Store {
    /// Who holds the lock of a conversation, as the file says; `None` if nobody does, or if it does
    /// not say.
    pub fn holder(&self, id: ConversationId) -> Option<Holder> {
        holder(&self.lock_path(id))
    }

    /// Who holds the locks of conversations, as their files say.
    pub fn holders(&self) -> BTreeMap<ConversationId, Holder> {
        let entries = fs::read_dir(self.path().join("locks")).into_iter().flatten().flatten();
        let held = |path: &Path| {
            let id = path.file_stem()?.to_str()?.parse().ok()?;
            Some((id, holder(path).filter(|_| self.lock_path(id) == path)?))
        };
        entries.filter_map(|entry| held(&entry.path())).collect()
    }
}

fn holder(path: &Path) -> Option<Holder> {
    let file = open(path)?;
    match FileExt::try_lock_shared(&file) {
        Err(TryLockError::WouldBlock) => read_holder(file),
        Ok(()) => {
            // Closing is not enough while another thread starts a child, which has a copy until then.
            let _closing_does_it_too = FileExt::unlock(&file);
            None
        }
        Err(TryLockError::Error(_)) => None,
    }
}

fn open(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A link leads elsewhere, and a pipe would wait for its other end.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    let file = options.open(path).ok()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::WorkspaceId;

    #[test]
    fn only_locks_that_are_held_have_a_holder() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = WorkspaceId::from_random([7; 16]);
        let store = Store::init(&directory.path().join("store"), &workspace).unwrap();
        let id = |number: u32| -> ConversationId { format!("jp-c{number}").parse().unwrap() };
        assert!(store.holders().is_empty());
        let acquired_at = "2026-11-03T10:00:00Z".to_owned();
        let one = Holder { pid: 7, session: None, acquired_at, doing: Some("query".to_owned()) };
        let lock = store.lock(id(1), &one).unwrap();
        // A file that a killed process left.
        let left = serde_json::to_vec(&one).unwrap();
        fs::write(store.lock_path(id(2)), left).unwrap();
        assert_eq!(store.holders(), BTreeMap::from([(id(1), one.clone())]));
        assert_eq!((store.holder(id(1)), store.holder(id(2))), (Some(one), None));
        assert_eq!(store.holder(id(3)), None);
        assert!(!store.lock_path(id(3)).exists(), "to look leaves nothing");
        drop(lock);
        assert!(store.holders().is_empty());
    }
}
