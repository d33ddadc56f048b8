//! Commands over the history of a conversation whose power goes: they are done or not.

use super::{
    cuts::{Cuts, few_or},
    recording::{FILE_SYSTEMS, Recording},
};
use crate::crash_history::Prepared;

fn old_or_new(then: &[&[&str]], command: &[&str]) {
    let prepared = Prepared::new(then);
    let deed = prepared.deed(command);
    for file_system in FILE_SYSTEMS {
        let jp = deed.scene();
        let command: Vec<_> = deed.command.iter().map(String::as_str).collect();
        let recording = Recording::of_jp(&jp, file_system, &command);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(3, usize::MAX) };
        let failures = cuts.check(|jp, told| deed.check(jp, told));
        assert_eq!(failures, Vec::<String>::new());
    }
}

#[test]
fn an_undo_whose_power_goes_is_done_or_not() {
    old_or_new(&[], &["c", "undo", "ID"]);
}

#[test]
fn a_fork_whose_power_goes_is_there_or_not() {
    old_or_new(&[], &["c", "fork", "ID", "--last", "1"]);
}

#[test]
fn an_archive_whose_power_goes_is_done_or_not() {
    old_or_new(&[], &["c", "archive", "ID"]);
}

#[test]
fn an_rm_whose_power_goes_is_done_or_not() {
    old_or_new(&[&["c", "archive", "ID"], &["store", "pack"]], &["c", "rm", "ID"]);
}
