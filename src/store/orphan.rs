//! Lock files that killed processes left behind, removed a few at a time.
//!
//! Whoever gets the lock of such a file knows that nobody has it, and removes the file while nobody
//! else can. Somebody who had opened it by then gets a lock on a file without a name, sees that, and
//! begins anew.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    time::SystemTime,
};

use fs4::FileExt;

use super::{Handful, Share, Space, Store, lock::names, refs};
use crate::model::ConversationId;

impl Store {
    /// Removes some of the lock files that nobody holds, and says how many. What somebody holds, what
    /// is no lock of a conversation and what the system refuses stays.
    pub fn clear_orphaned_locks(&self, share: Share, random: usize) -> usize {
        let locks = Handful::of(&self.path().join("locks"), share, random);
        locks.filter(|path| self.remove_orphan(path).unwrap_or(false)).count()
    }

    /// Removes a lock file if it is that of a conversation and nobody holds it.
    fn remove_orphan(&self, path: &Path) -> io::Result<bool> {
        let id = path.file_stem().and_then(|stem| stem.to_str()?.parse::<ConversationId>().ok());
        let Some(id) = id.filter(|id| self.lock_path(*id) == path) else { return Ok(false) };
        let file = open(path)?;
        if !file.metadata()?.is_file() || FileExt::try_lock(&file).is_err() {
            return Ok(false);
        }
        // Another one may have removed it while we opened it, and the name may be a new lock.
        let removed = match names(path, &file) {
            Ok(true) if self.free_refs(id, file.metadata()?.modified()?) => {
                fs::remove_file(path).map(|()| true)
            }
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        // Closing is not enough while another thread starts a child, which has a copy until then.
        let _closing_does_it_too = FileExt::unlock(&file);
        removed
    }

    /// Frees the refs of a conversation that whoever left its lock had locked; `false` if one cannot
    /// be freed now. Then the file stays, by which the next who writes knows of it.
    fn free_refs(&self, id: ConversationId, left: SystemTime) -> bool {
        Space::ALL.iter().all(|space| {
            let name = Self::ref_name(*space, id);
            let lock = self.path().join(format!("{name}.lock"));
            let is_free = || lock.symlink_metadata().is_err();
            is_free() || (refs::clear_lock(self.path(), &name, left).is_ok() && is_free())
        })
    }
}

/// Opens a lock file that is there.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    // A link leads elsewhere, and a pipe would wait for its other end.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use std::{
        path::PathBuf,
        sync::atomic::{AtomicBool, AtomicUsize, Ordering},
        time::{Duration, Instant},
    };

    use tempfile::TempDir;

    use super::*;
    use crate::store::{Holder, Lock, WorkspaceId};

    const ALL: Share = Share { names: 10_000, files: 10_000, time: Duration::from_secs(3600) };

    fn store() -> (TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let id = WorkspaceId::from_random([7; 16]);
        let store = Store::init(&directory.path().join("store"), &id).unwrap();
        (directory, store)
    }

    fn id(number: usize) -> ConversationId {
        format!("jp-c{number}").parse().unwrap()
    }

    fn holder() -> Holder {
        Holder { pid: 1, session: None, acquired_at: "now".to_owned(), doing: None }
    }

    fn left(store: &Store) -> Vec<String> {
        let entries = fs::read_dir(store.path().join("locks")).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn a_lock_file_goes_when_nobody_holds_it_and_stays_when_somebody_does() {
        let (_directory, store) = store();
        let held = store.lock(id(1), &holder()).unwrap();
        fs::write(store.lock_path(id(2)), "{\"pid\":1}").unwrap();
        fs::write(store.lock_path(id(3)), "").unwrap();
        assert_eq!(store.clear_orphaned_locks(ALL, 0), 2);
        assert_eq!(left(&store), ["jp-c1.lock"]);
        assert!(store.lock(id(1), &holder()).is_err());
        drop(held);
        assert_eq!(store.clear_orphaned_locks(ALL, 0), 0);
    }

    #[test]
    fn what_is_no_lock_of_a_conversation_stays() {
        let (_directory, store) = store();
        let locks = store.path().join("locks");
        let kept = ["README", "jp-c1", "jp-c1.lock.bak", "jp-c01.lock", "merge.lock", "x.lock"];
        for name in kept {
            fs::write(locks.join(name), "").unwrap();
        }
        fs::create_dir(locks.join("jp-c2.lock")).unwrap();
        std::os::unix::fs::symlink("README", locks.join("jp-c3.lock")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            locks.join("jp-c4.lock"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        assert_eq!(store.clear_orphaned_locks(ALL, 0), 0);
        assert_eq!(left(&store).len(), kept.len() + 3);
    }

    #[test]
    fn a_ref_that_was_left_locked_is_freed_with_it_unless_it_may_be_gits() {
        use std::os::unix::fs::PermissionsExt;
        let (_directory, store) = store();
        let ref_lock = store.path().join("refs/heads/jp-c1.lock");
        for (mode, is_ours) in [(0o644, false), (0o744, true)] {
            fs::write(store.lock_path(id(1)), "").unwrap();
            fs::write(&ref_lock, "").unwrap();
            fs::set_permissions(&ref_lock, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(store.clear_orphaned_locks(ALL, 0), usize::from(is_ours));
            assert_eq!((store.lock_path(id(1)).exists(), ref_lock.exists()), (!is_ours, !is_ours));
        }
        // One that somebody has open is respected.
        fs::write(store.lock_path(id(1)), "").unwrap();
        let held = File::create(&ref_lock).unwrap();
        held.set_permissions(fs::Permissions::from_mode(0o744)).unwrap();
        assert_eq!(store.clear_orphaned_locks(ALL, 0), 0);
        drop(held);
        assert_eq!(store.clear_orphaned_locks(ALL, 0), 1);
    }

    #[test]
    fn a_few_go_each_time_and_in_the_end_all() {
        let (_directory, store) = store();
        for number in 0..100 {
            fs::write(store.lock_path(id(number)), "").unwrap();
        }
        let share = Share { files: 32, ..ALL };
        let cleared: Vec<_> = (0..4).map(|n| store.clear_orphaned_locks(share, n * 17)).collect();
        assert_eq!(cleared, [32, 32, 32, 4]);
        // There is time for one of them in any case.
        fs::write(store.lock_path(id(1)), "").unwrap();
        assert_eq!(store.clear_orphaned_locks(Share { time: Duration::ZERO, ..ALL }, 0), 1);
    }

    #[test]
    fn two_that_clear_at_once_remove_each_file_once() {
        let (_directory, store) = store();
        for number in 0..500 {
            fs::write(store.lock_path(id(number)), "").unwrap();
        }
        let path = store.path().to_owned();
        let clear = |path: &PathBuf| Store::open(path).unwrap().clear_orphaned_locks(ALL, 0);
        let cleared = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| clear(&path))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        // One may find a lock taken by another that is about to remove it.
        assert_eq!((cleared, left(&store).len()), (500, 0));
    }

    #[test]
    fn never_two_holders_and_no_lock_lost_while_others_clear() {
        let (_directory, store) = store();
        let path = store.path().to_owned();
        let (inside, entered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (cleared, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        // On a busy machine those who clear may not even have begun after so many rounds.
        let latest = Instant::now() + Duration::from_secs(60);
        let is_enough = || {
            entered.load(Ordering::SeqCst) >= 300
                && (cleared.load(Ordering::SeqCst) > 0 || Instant::now() > latest)
        };
        std::thread::scope(|scope| {
            let clear = || {
                let store = Store::open(&path).unwrap();
                while !is_over.load(Ordering::SeqCst) {
                    cleared.fetch_add(store.clear_orphaned_locks(ALL, 0), Ordering::SeqCst);
                }
            };
            let clearing: Vec<_> = (0..2).map(|_| scope.spawn(clear)).collect();
            let lock = || {
                let lock_path = path.join("locks/jp-c1.lock");
                while !is_enough() {
                    // What a killed process leaves.
                    let _left = OpenOptions::new().create(true).append(true).open(&lock_path);
                    let Ok(lock) = Lock::try_acquire(&lock_path, &holder()) else { continue };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    entered.fetch_add(1, Ordering::SeqCst);
                    std::thread::yield_now();
                    assert!(Lock::try_once(&lock_path, &holder()).is_err(), "the lock was lost");
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(lock);
                }
            };
            let locking: Vec<_> = (0..3).map(|_| scope.spawn(lock)).collect();
            let ended: Vec<_> = locking.into_iter().map(|thread| thread.join()).collect();
            is_over.store(true, Ordering::SeqCst);
            ended.into_iter().for_each(|ended| ended.unwrap());
            clearing.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert!(cleared.into_inner() > 0, "nothing was cleared meanwhile");
    }
}
