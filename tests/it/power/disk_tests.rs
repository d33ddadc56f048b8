//! The disk itself, with logs that are written by hand.

use super::{
    disk::{Bytes, Disk, Names, Survivor},
    image::Thing,
    recording::{FileSystem, Recording},
};

const KEPT: Survivor = Survivor::EVERYTHING;
const LOST: Survivor = Survivor::NOTHING;

/// What is left at the end of a log, as `NAME=BYTES` and `NAME/`, if this survives. At first there
/// are `old`, which is file 1, and an empty directory, which is 2.
fn left(file_system: FileSystem, log: &str, survivor: Survivor) -> String {
    let log = format!("mkdir 0 2 755 in\nsync\n{log}");
    let recording = Recording::parse(&[(1, "old", "old")], &log);
    let disk = Disk::cut(&recording, file_system, recording.steps.len());
    let named = |(path, thing): (std::path::PathBuf, Thing)| match thing {
        Thing::Directory(_) => format!("{}/", path.display()),
        Thing::File(_, bytes) => format!("{}={}", path.display(), String::from_utf8_lossy(&bytes)),
    };
    let all: Vec<_> = disk.image(survivor).0.into_iter().map(named).collect();
    all[1..].join(" ")
}

/// Everything that can be left.
fn any(file_system: FileSystem, log: &str) -> Vec<String> {
    let survivors = (0..50).flat_map(Survivor::all);
    let mut all: Vec<_> = survivors.map(|survivor| left(file_system, log, survivor)).collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn a_file_needs_a_sync_for_its_bytes_and_one_for_its_name() {
    let make = "create 0 3 644 new\nwrite 3 0 6e6577\n";
    for file_system in [FileSystem::OneJournal, FileSystem::AnyOrder] {
        let left = |more: &str, survivor| left(file_system, &format!("{make}{more}"), survivor);
        assert_eq!(left("", KEPT), "in/ new=new old=old");
        assert_eq!(left("", LOST), "in/ old=old");
        assert_eq!(left("fsync 3\n", LOST), "in/ old=old");
        assert_eq!(left("fsync 0\n", LOST), "in/ new= old=old");
        assert_eq!(left("fdatasync 3\nfsync 0\n", LOST), "in/ new=new old=old");
        assert_eq!(left("sync\n", LOST), "in/ new=new old=old");
        let zeros = Survivor { bytes: Bytes::Zeros, ..KEPT };
        assert_eq!(left("", zeros), "in/ new=\0\0\0 old=old");
        // What comes after a sync is not covered by it.
        assert_eq!(left("sync\nwrite 3 3 6572\ntruncate 1 1\n", LOST), "in/ new=new old=old");
    }
}

#[test]
fn bytes_that_are_not_synced_can_be_torn_and_the_others_never() {
    let old = "61".repeat(600);
    let log = format!("write 1 0 {old}\nfsync 1\nwrite 1 600 {}\n", "62".repeat(600));
    let all = any(FileSystem::OneJournal, &log);
    let text = |it: &String| it.split_once("old=").unwrap().1.to_owned();
    assert!(all.iter().all(|it| text(it).starts_with(&"a".repeat(600))));
    let is_torn = |it: &String| text(it).trim_end_matches('b').len() == 600;
    assert!(all.iter().any(|it| is_torn(it) && (601..1200).contains(&text(it).len())));
    assert!(all.iter().any(|it| text(it).len() == 1200 && text(it).contains("\0b")), "{all:?}");
}

#[test]
fn one_journal_keeps_no_name_without_those_before_it() {
    let log = "create 2 3 644 a\nrename 0 0 old/b\ncreate 2 4 644 c\n";
    let all = ["in/ in/a= b=old", "in/ in/a= in/c= b=old", "in/ in/a= old=old", "in/ old=old"];
    let sorted = |mut all: Vec<String>| {
        for it in &mut all {
            let mut words: Vec<_> = it.split(' ').collect();
            words.sort_unstable();
            *it = words.join(" ");
        }
        all.sort();
        all
    };
    let expected = sorted(all.map(str::to_owned).to_vec());
    assert_eq!(sorted(any(FileSystem::OneJournal, log)), expected);
    // A sync of one directory keeps what came before it in others.
    let synced = left(FileSystem::OneJournal, &format!("{log}fsync 0\n"), LOST);
    assert_eq!(synced, "b=old in/ in/a=");
    let any_order = any(FileSystem::AnyOrder, log);
    assert!(any_order.contains(&"b=old in/".to_owned()), "{any_order:?}");
    let synced = left(FileSystem::AnyOrder, &format!("{log}fsync 0\n"), LOST);
    assert_eq!(synced, "b=old in/");
}

#[test]
fn a_file_that_moves_has_one_name_or_both_and_never_none() {
    let all = any(FileSystem::AnyOrder, "rename 0 2 old/new\n");
    assert_eq!(all, ["in/ in/new=old", "in/ in/new=old old=old", "in/ old=old"]);
    assert_eq!(any(FileSystem::OneJournal, "rename 0 2 old/new\n"), [&all[0][..], &all[2]]);
    // Within a directory both happen at once, and so do two that change places.
    let within = "create 0 3 644 new\nwrite 3 0 6e6577\nfsync 3\nfsync 0\n";
    let all = any(FileSystem::AnyOrder, &format!("{within}rename 0 0 new/old\n"));
    assert_eq!(all, ["in/ new=new old=old", "in/ old=new"]);
    let all = any(FileSystem::AnyOrder, &format!("{within}exchange 0 0 new/old\n"));
    assert_eq!(all, ["in/ new=new old=old", "in/ new=old old=new"]);
}

#[test]
fn what_is_in_a_directory_goes_with_its_name() {
    let log = "mkdir 2 5 755 deep\ncreate 5 6 644 new\nfsync 5\n";
    assert_eq!(left(FileSystem::AnyOrder, log, LOST), "in/ old=old");
    assert_eq!(left(FileSystem::OneJournal, log, LOST), "in/ in/deep/ in/deep/new= old=old");
}

#[test]
fn a_number_that_comes_again_is_another_file() {
    let log = "unlink 0 old\nfsync 0\ncreate 0 1 644 new\nfsync 0\nwrite 1 0 6e6577\n";
    assert_eq!(left(FileSystem::AnyOrder, log, LOST), "in/ new=");
    assert_eq!(left(FileSystem::AnyOrder, log, KEPT), "in/ new=new");
}

#[test]
fn what_belongs_to_others_is_there_at_once_and_keeps_nothing_else() {
    let log = "create 0 3 644 own\ncreate 0 4 644 theirs\nwrite 4 0 6e6577\n";
    for file_system in [FileSystem::OneJournal, FileSystem::AnyOrder] {
        assert_eq!(left(file_system, log, LOST), "in/ old=old theirs=new");
    }
}

#[test]
fn the_last_name_alone_can_be_left_where_there_is_no_order() {
    let last = Survivor { names: Names::Last, bytes: Bytes::Kept };
    let log = "create 2 3 644 a\ncreate 0 4 644 b\n";
    assert_eq!(left(FileSystem::AnyOrder, log, last), "b= in/ old=old");
    assert_eq!(left(FileSystem::OneJournal, log, last), "in/ old=old");
}
