//! The negative controls: if these are not caught, the other tests prove nothing.

use super::{
    appends::three_appends,
    cuts::Cuts,
    recording::{FILE_SYSTEMS, FileSystem, Recording, Step},
    turns::{self, five_tools},
};
use crate::{crash, tools_crash::Whole};

fn is_sync(_: &Recording, step: &Step) -> bool {
    matches!(step, Step::Sync { .. } | Step::SyncAll)
}

fn is_sync_of_directory(recording: &Recording, step: &Step) -> bool {
    matches!(step, Step::Sync { node, .. } if recording.nodes[*node].is_directory)
}

fn is_sync_of_file(recording: &Recording, step: &Step) -> bool {
    is_sync(recording, step) && !is_sync_of_directory(recording, step)
}

/// Asserts that the checks of appends find something like this.
#[track_caller]
fn assert_caught(recording: &Recording, file_system: FileSystem, id: &str, expected: &str) {
    let cuts = Cuts { recording, file_system, sample: 200 };
    assert_eq!(cuts.catch(expected, |jp, told| crash::check(jp, Some(id), told)), Ok(()));
}

#[test]
fn appends_without_syncs_are_caught() {
    for file_system in FILE_SYSTEMS {
        let (recording, id) = three_appends(file_system);
        for is_gone in [is_sync, is_sync_of_directory] {
            assert_caught(&recording.without(is_gone), file_system, &id, "acknowledged");
        }
        assert_caught(&recording.without(is_sync_of_file), file_system, &id, "git fsck");
    }
}

#[test]
fn a_turn_without_syncs_is_caught() {
    let whole = Whole::run();
    for file_system in FILE_SYSTEMS {
        let (recording, id) = five_tools(file_system);
        for is_gone in [is_sync, is_sync_of_directory] {
            let recording = recording.without(is_gone);
            let cuts = Cuts { recording: &recording, file_system, sample: 200 };
            let caught =
                cuts.catch("told and lost", |jp, told| turns::check(jp, &id, told, &whole));
            assert_eq!(caught, Ok(()));
        }
    }
}

/// Where names are not kept in order, the order of ext4 and XFS is not enough.
#[test]
fn the_order_for_one_journal_is_caught_where_there_is_none() {
    let (recording, id) = three_appends(FileSystem::OneJournal);
    assert_caught(&recording, FileSystem::AnyOrder, &id, "lost");
}
