//! Publishing commits: objects first, then the ref, and nothing halfway.

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
};

use gix::ObjectId;

use super::{Repository, event, name};
use crate::store::{
    pack::{self, heal},
    publish::{PublishError, publish},
    refs::{self, Expected, RefError},
};

#[test]
fn git_reads_what_was_published() {
    let store = Repository::new();
    let noise: String =
        (0..70_000u32).map(|n| format!("{:x}", n.wrapping_mul(2_654_435_761))).collect();
    for text in ["", "one", "two", &noise] {
        store.append(&name("c1"), text).unwrap();
    }
    assert_eq!(store.git(&["show", "c1:event.md"]), noise);
    assert_eq!(store.git(&["rev-list", "--count", "c1"]), "4\n");
    for entry in fs::read_dir(store.path.join("objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "idx") {
            store.git(&["verify-pack", "-v", path.to_str().unwrap()]);
        }
    }
    store.assert_clean();
}

#[test]
fn publish_fails_when_the_ref_moved_and_changes_nothing() {
    let store = Repository::new();
    let first = store.append(&name("c1"), "one").unwrap();
    let packs = pack::count(&store.path.join("objects")).unwrap();
    let (built, commit) = event(None, "other");
    let error =
        publish(&store.path, "k", built, &name("c1"), Expected::Absent, commit).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`refs/heads/c1` moved: expected no such ref, found {first}")
    );
    assert_eq!(refs::read(&store.path, &name("c1")).unwrap(), Some(first));
    assert_eq!(pack::count(&store.path.join("objects")).unwrap(), packs);
    store.assert_clean();
}

#[test]
fn an_error_before_the_ref_moves_leaves_the_old_state() {
    let store = Repository::new();
    let first = store.append(&name("c1"), "one").unwrap();
    let packs = store.path.join("objects/pack");
    fs::rename(&packs, store.path.join("aside")).unwrap();
    fs::write(&packs, "").unwrap();
    let error = store.append(&name("c1"), "two").unwrap_err().to_string();
    assert!(error.starts_with("cannot replace `"), "{error}");
    assert!(error.ends_with(".pack`: Not a directory"), "{error}");
    fs::remove_file(&packs).unwrap();
    fs::rename(store.path.join("aside"), &packs).unwrap();
    assert_eq!(refs::read(&store.path, &name("c1")).unwrap(), Some(first));
    assert!(!store.path.join("refs/heads/c1.lock").exists());
    store.assert_clean();
    store.append(&name("c1"), "two").unwrap();
}

#[test]
fn leftovers_in_the_stage_are_replaced() {
    let store = Repository::new();
    fs::create_dir(store.path.join("stage")).unwrap();
    for extension in ["pack", "idx"] {
        fs::write(store.path.join(format!("stage/refs-heads-c1.{extension}")), "half").unwrap();
    }
    store.append(&name("c1"), "one").unwrap();
    store.assert_clean();
}

#[test]
fn damaged_loose_objects_are_healed_by_the_pack_that_has_them() {
    let store = Repository::new();
    let objects = store.path.join("objects");
    let (built, commit) = event(None, "one");
    for (at, id) in built.objects.iter().enumerate() {
        let path = heal::loose_path(&objects, id);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, ["", "garbage", "\0\0\0\0"][at]).unwrap();
    }
    let sound = store.git(&["hash-object", "-w", "/dev/null"]);
    let damaged = built.objects.clone();
    let done = publish(&store.path, "k", built, &name("c1"), Expected::Absent, commit).unwrap();
    assert_eq!(done.healed, damaged);
    let sound = ObjectId::from_hex(sound.trim().as_bytes()).unwrap();
    assert!(heal::heal(&objects, &[sound]).healed.is_empty());
    assert!(heal::loose_path(&objects, &sound).exists());
    store.assert_clean();
}

#[test]
fn concurrent_writers_lose_nothing_against_pack_refs() {
    let store = Repository::new();
    let shared = name("shared");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (store, shared) = (&store, &shared);
                scope.spawn(move || {
                    let own = name(&format!("own{writer}"));
                    let mut appended = 0;
                    for n in 0..8 {
                        store.append(&own, &format!("own {writer} {n}")).unwrap();
                        let text = format!("shared {writer} {n}");
                        let (mut parent, key) = (None, format!("shared{writer}"));
                        loop {
                            let (built, commit) = event(parent, &text);
                            let expected = parent.map_or(Expected::Absent, Expected::Is);
                            match publish(&store.path, &key, built, shared, expected, commit) {
                                Ok(_) => break,
                                Err(PublishError::Ref(RefError::Moved { actual, .. })) => {
                                    parent = actual;
                                }
                                Err(error) => panic!("{error}"),
                            }
                        }
                        appended += 1;
                    }
                    appended
                })
            })
            .collect();
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                // It may meet a lock of ours and give up; only lost refs matter.
                let _ = Command::new("git")
                    .arg("-C")
                    .arg(&store.path)
                    .args(["pack-refs", "--all"])
                    .output();
                let _ = refs::pack_all(&store.path, |_| true);
                let _ = pack::merge(&store.path.join("objects"), &store.path.join("stage"));
            }
        });
        let total: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        done.store(true, Ordering::SeqCst);
        assert_eq!(total, 32);
    });
    assert_eq!(store.git(&["rev-list", "--count", "shared"]), "32\n");
    for writer in 0..4 {
        assert_eq!(store.git(&["rev-list", "--count", &format!("own{writer}")]), "8\n");
    }
    store.assert_clean();
}
