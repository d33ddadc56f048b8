//! Packs that are built and merged.

use std::{fs, path::PathBuf};

use gix::{ObjectId, objs::Kind};

use super::{Repository, event, merge, name, store_refs};
use crate::store::{
    Objects,
    pack::{PackBuilder, build::hash_object},
};

#[test]
fn an_object_that_is_added_twice_is_stored_once() {
    let mut builder = PackBuilder::new();
    assert!(builder.is_empty());
    let first = builder.add(Kind::Blob, b"x").unwrap();
    assert_eq!(builder.add(Kind::Blob, b"x").unwrap(), first);
    assert_eq!(builder.ids().collect::<Vec<_>>(), [first]);
    assert_eq!(first, hash_object(Kind::Blob, b"x").unwrap());
}

#[test]
fn merge_keeps_every_object_also_for_a_reader_that_is_open() {
    let store = Repository::new();
    let slots = gix::odb::store::init::Slots::Given(512);
    let open = || gix::open::Options::isolated().object_store_slots(slots).open(&store.path);
    for n in 0..20 {
        store.append(&name("c1"), &format!("one {n}")).unwrap();
    }
    let reader = open().unwrap().to_thread_local();
    let tip = store_refs::read(&store.path, &name("c1")).unwrap().unwrap();
    reader.find_object(tip).unwrap();
    for n in 0..20 {
        store.append(&name("c2"), &format!("two {n}")).unwrap();
    }
    let before = all_objects(&store);
    let report = merge(&store.path);
    assert_eq!((report.packs_before, report.packs_after), (40, 1));
    assert_eq!(report.objects, before.len());
    assert_eq!(all_objects(&store), before);
    for line in &before {
        let id = ObjectId::from_hex(&line.as_bytes()[..40]).unwrap();
        reader.find_object(id).unwrap();
    }
    store.assert_clean();
    assert_eq!(merge(&store.path).objects, 0);
}

#[test]
fn merge_leaves_marked_damaged_and_deltified_packs_alone() {
    let store = Repository::new();
    let text = "a line that repeats and repeats\n".repeat(200);
    for n in 0..2 {
        store.append(&name("c1"), &format!("{text}{n}")).unwrap();
    }
    store.git(&["repack", "-adfq"]);
    assert!(store.git(&["count-objects", "-v"]).contains("packs: 1\n"));
    for n in 0..12 {
        store.append(&name("c1"), &format!("later {n}")).unwrap();
    }
    let packs = store.path.join("objects/pack");
    let small: Vec<PathBuf> = fs::read_dir(&packs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "pack"))
        .filter(|path| !path.with_extension("rev").exists())
        .collect();
    assert_eq!(small.len(), 12);
    fs::write(small[0].with_extension("keep"), "").unwrap();
    let mut bytes = fs::read(&small[1]).unwrap();
    bytes[20] ^= 0xff;
    fs::remove_file(&small[1]).unwrap();
    fs::write(&small[1], &bytes).unwrap();
    let report = merge(&store.path);
    assert_eq!((report.packs_before, report.packs_after), (13, 4));
    assert_eq!(report.damaged.len(), 1);
    assert_eq!(report.damaged[0].path, small[1].with_extension(""));
    assert!(small[0].exists() && small[1].exists());
    assert_eq!(fs::read(&small[1]).unwrap(), bytes);
    let deltified: Vec<PathBuf> = fs::read_dir(&packs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "rev"))
        .collect();
    assert_eq!(deltified.len(), 1);
    let index = deltified[0].with_extension("idx");
    assert!(store.git(&["verify-pack", "-v", index.to_str().unwrap()]).contains("chain length"));
}

#[test]
fn merge_leaves_packs_of_a_multi_pack_index_alone() {
    let store = Repository::new();
    for n in 0..9 {
        store.append(&name("c1"), &format!("one {n}")).unwrap();
    }
    store.git(&["multi-pack-index", "write"]);
    assert_eq!(merge(&store.path).packs_after, 9);
    for n in 0..9 {
        store.append(&name("c1"), &format!("two {n}")).unwrap();
    }
    assert_eq!(merge(&store.path).packs_after, 10);
    store.git(&["multi-pack-index", "verify"]);
    store.assert_clean();
}

fn all_objects(store: &Repository) -> Vec<String> {
    let text = store.git(&["cat-file", "--batch-all-objects", "--batch-check"]);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_reader_finds_new_objects_however_many_packs_have_come_and_gone() {
    let store = Repository::new();
    let packs = store.path.join("objects/pack");
    let objects = Objects::open(&store.path.join("objects")).unwrap();
    let nowhere = ObjectId::from_hex(&[b'0'; 40]).unwrap();
    for n in 0..1_100 {
        let (built, commit) = event(None, &n.to_string());
        let [pack, index] = ["pack", "idx"]
            .map(|extension| packs.join(format!("pack-{}.{extension}", built.checksum)));
        fs::write(&pack, &built.pack).unwrap();
        fs::write(&index, &built.index).unwrap();
        // Looking for what is not there makes it look at every pack.
        assert!(!objects.contains(&nowhere));
        if n % 3 == 0 {
            let read = objects.commit(&commit, &mut Vec::new());
            read.unwrap_or_else(|error| panic!("pack number {n}: {error}"));
        }
        if n % 40 == 39 {
            merge(&store.path);
        }
    }
}
