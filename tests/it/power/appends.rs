//! Appends whose power goes: to a conversation, to a store that is being made, and while packs are
//! merged.

use super::{
    cuts::{Cuts, few_or},
    image::Image,
    recording::{FILE_SYSTEMS, FileSystem, Recording, nobody},
};
use crate::{
    crash,
    support::{Jp, message, request},
};

/// Three events, each told when it is on disk.
pub fn three_appends(file_system: FileSystem) -> (Recording, String) {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    for name in ["a.md", "b.md", "c.md"] {
        jp.write(name, message(name));
    }
    let append = format!("'{}' c append {id}", env!("CARGO_BIN_EXE_jp"));
    let script = format!("{append} a.md && {append} b.md && {append} c.md");
    (Recording::of(&jp, file_system, &["sh", "-c", &script], nobody), id)
}

#[test]
fn a_conversation_survives_that_the_power_goes_during_appends() {
    for file_system in FILE_SYSTEMS {
        let (recording, id) = three_appends(file_system);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(12, usize::MAX) };
        let failures = cuts.check(|jp, told| crash::check(jp, Some(&id), told));
        assert_eq!(failures, Vec::<String>::new());
    }
}

#[test]
fn conversations_survive_that_the_power_goes_while_two_are_written_at_once() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        // Whoever is first, the same is expected of both.
        for name in ["a.md", "b.md"] {
            jp.write(name, request("Both\n"));
        }
        let append = format!("'{}' c append", env!("CARGO_BIN_EXE_jp"));
        let script = format!("{append} {id} a.md & {append} --new b.md & wait");
        let recording = Recording::of(&jp, file_system, &["sh", "-c", &script], nobody);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(4, usize::MAX) };
        let failures = cuts.check(|jp, told| crash::check(jp, Some(&id), told));
        assert_eq!(failures, Vec::<String>::new());
    }
}

#[test]
fn a_store_survives_that_the_power_goes_during_its_first_conversation() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::new().with_var("JP_SESSION", "one");
        jp.write("a.md", request("Question\n"));
        let recording = Recording::of_jp(&jp, file_system, &["c", "append", "--new", "a.md"]);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(5, usize::MAX) };
        let failures = cuts.check(|jp, told| crash::check(jp, None, told));
        assert_eq!(failures, Vec::<String>::new());
    }
}

#[test]
fn a_workspace_survives_that_the_power_goes_while_it_is_made() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::new().with_var("JP_SESSION", "one");
        jp.write("a.md", request("Question\n"));
        let program = env!("CARGO_BIN_EXE_jp");
        let script = format!("'{program}' init >init && '{program}' c append --new a.md");
        let recording = Recording::of(&jp, file_system, &["sh", "-c", &script], nobody);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(5, usize::MAX) };
        let failures = cuts.check(|jp, told| crash::check(jp, None, told));
        assert_eq!(failures, Vec::<String>::new());
    }
}

#[test]
fn a_conversation_survives_that_the_power_goes_while_packs_are_merged() {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let other = jp.start(&[&request("Other\n")]);
    for _ in 0..37 {
        jp.append(&other, &[&message("Other\n")]).ok();
    }
    jp.write("a.md", message("a.md"));
    for file_system in FILE_SYSTEMS {
        let copy = Jp::new().with_var("JP_SESSION", "one");
        Image::read(&jp.world()).write(&copy.world());
        let recording = Recording::of_jp(&copy, file_system, &["c", "append", &id, "a.md"]);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(5, usize::MAX) };
        let failures = cuts.check(|jp, told| crash::check(jp, Some(&id), told));
        assert_eq!(failures, Vec::<String>::new());
    }
}
