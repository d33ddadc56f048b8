//! Refs, beside a git that reads and packs them too.

use std::{
    fs,
    io::Read,
    process::{Command, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::Duration,
};

use gix::ObjectId;

use super::{Repository, name};
use crate::store::refs::{self, Expected, RefError};

#[test]
fn list_says_what_git_says_for_loose_packed_and_mixed_refs() {
    let store = Repository::new();
    for n in 0..12 {
        store.append(&name(&format!("c{n}")), "one").unwrap();
    }
    let commit = store.append(&name("c3"), "two").unwrap().to_string();
    store.git(&["-c", "user.name=a", "-c", "user.email=a", "tag", "-am", "v", "v1", "c1"]);
    store.git(&["update-ref", "refs/archive/a/b", &commit]);
    assert_eq!(store.listed(), store.listed_by_git());
    store.git(&["pack-refs", "--all"]);
    assert_eq!(store.listed(), store.listed_by_git());
    store.append(&name("c4"), "three").unwrap();
    refs::delete(
        &store.path,
        &name("c3"),
        Expected::Is(ObjectId::from_hex(commit.as_bytes()).unwrap()),
    )
    .unwrap();
    assert_eq!(store.listed(), store.listed_by_git());
    assert_eq!(store.git(&["rev-parse", "v1^{commit}"]), store.git(&["rev-parse", "c1"]));
    assert_eq!(refs::read(&store.path, &name("c3")).unwrap(), None);
}

#[test]
fn pack_all_writes_what_git_would_write() {
    let store = Repository::new();
    for n in 0..20 {
        store.append(&name(&format!("c{n}")), "one").unwrap();
    }
    store.git(&["-c", "user.name=a", "-c", "user.email=a", "tag", "-am", "v", "v1", "c1"]);
    let before = store.listed_by_git();
    let done = refs::pack_all(&store.path, |name| name.as_str() != "refs/heads/c7").unwrap();
    assert_eq!((done.packed, done.pruned), (20, 19));
    assert_eq!(store.listed_by_git(), before);
    assert!(store.path.join("refs/heads/c7").exists() && store.path.join("refs/tags/v1").exists());
    let ours = fs::read_to_string(store.path.join("packed-refs")).unwrap();
    store.git(&["tag", "-d", "v1"]);
    store.git(&["pack-refs", "--all"]);
    assert_eq!(ours, fs::read_to_string(store.path.join("packed-refs")).unwrap());
    store.append(&name("c7"), "two").unwrap();
    refs::pack_all(&store.path, |_| true).unwrap();
    assert_eq!(store.listed(), store.listed_by_git());
}

#[test]
fn damaged_and_symbolic_refs_are_reported_beside_the_others() {
    let store = Repository::new();
    let id = store.append(&name("c1"), "one").unwrap();
    store.append(&name("c2"), "two").unwrap();
    store.git(&["pack-refs", "--all"]);
    fs::write(store.path.join("refs/heads/c1"), "").unwrap();
    store.git(&["symbolic-ref", "refs/heads/s", "refs/heads/c2"]);
    let listed = refs::list(&store.path, "refs/heads/").unwrap();
    assert_eq!(listed.refs.len(), 1);
    let mut problems: Vec<_> = listed.problems.iter().map(ToString::to_string).collect();
    problems.sort();
    let path = store.path.join("refs/heads/c1");
    assert_eq!(
        problems,
        [
            format!("`{}` does not hold an object id (`packed-refs` has {id})", path.display()),
            "`refs/heads/s` is a symbolic ref to `refs/heads/c2`".to_owned(),
        ]
    );
    let error = refs::read(&store.path, &name("c1")).unwrap_err();
    assert!(matches!(error, RefError::Damaged { packed, .. } if packed == Some(id)));
}

#[test]
fn a_lock_of_another_living_process_is_waited_for() {
    let store = Repository::new();
    let first = store.append(&name("c1"), "one").unwrap();
    let lock = store.path.join("refs/heads/c1.lock");
    // It holds the lock until its standard input ends.
    let script = format!("exec 9>'{0}'; echo; cat; rm '{0}'", lock.display());
    let mut holder = Command::new("sh")
        .args(["-c", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    holder.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    let (sender, updated) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let done = refs::update(&store.path, &name("c1"), Expected::Is(first), first);
            sender.send(done).unwrap();
        });
        // Longer than the lock of a dead process would be left alone.
        let early = updated.recv_timeout(Duration::from_millis(800));
        assert!(early.is_err(), "{early:?}");
        drop(holder.stdin.take());
        updated.recv().unwrap().unwrap();
    });
    holder.wait().unwrap();
}

#[test]
fn delete_and_create_against_pack_all_never_resurrect_or_lose() {
    let store = Repository::new();
    let target = store.append(&name("other"), "one").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                refs::pack_all(&store.path, |_| true).unwrap();
            }
        });
        let flicker = name("flicker");
        for _ in 0..12 {
            refs::update(&store.path, &flicker, Expected::Absent, target).unwrap();
            assert_eq!(refs::read(&store.path, &flicker).unwrap(), Some(target));
            refs::delete(&store.path, &flicker, Expected::Is(target)).unwrap();
            assert_eq!(refs::read(&store.path, &flicker).unwrap(), None);
        }
        done.store(true, Ordering::SeqCst);
    });
}
