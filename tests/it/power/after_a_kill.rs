//! A process is killed, another one goes on from what it left, and then the power goes: what the
//! first had not synced may be lost, even though the second saw it.

use super::{
    cuts::{Cuts, few_or},
    recording::{FILE_SYSTEMS, FileSystem, Recording, Step},
};
use crate::{
    crash,
    crash_history::Prepared,
    support::{Jp, Output, message, request},
};

/// Kills jp when it has just made one of these names, or after any step if everything is to be
/// tried, lets it run again, and looks at what is left of that. A star stands for any ending.
fn kill_and_cut(
    file_system: FileSystem,
    recording: &Recording,
    args: &[&str],
    names: &[&str],
    check: impl Fn(&Jp, &Output) -> Result<(), String> + Sync,
) {
    let told = recording.steps.iter().position(|step| matches!(step, Step::Print(_)));
    let all = 1..=told.expect("it says when it is done");
    let named: Vec<_> = names.iter().map(|name| made(recording, name)).collect();
    let kills = few_or(named.len(), usize::MAX);
    let kills = if kills == usize::MAX { all.collect() } else { named };
    for after in kills {
        let recording = recording.killed(file_system, after, args);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(3, 40) };
        let failures = cuts.check(&check);
        assert_eq!(failures, Vec::<String>::new(), "killed after {}", recording.tell(after));
    }
}

/// After how many steps a name has been made for the first time.
fn made(recording: &Recording, wanted: &str) -> usize {
    let is_wanted = |name: &str| match wanted.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == wanted,
    };
    let makes = |step: &Step| match step {
        Step::Names(changes) => {
            let mut names = changes.iter().flat_map(|change| &change.names);
            names.any(|(name, node)| node.is_some() && is_wanted(name))
        }
        _ => false,
    };
    let position = recording.steps.iter().position(makes);
    position.unwrap_or_else(|| panic!("`{wanted}` is not made")) + 1
}

#[test]
fn an_append_after_one_that_was_killed_survives_that_the_power_goes() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        jp.write("a.md", message("a.md"));
        let args = ["c", "append", &id, "a.md"];
        let recording = Recording::of_jp(&jp, file_system, &args);
        let check = |jp: &Jp, told: &Output| crash::check(jp, Some(&id), told);
        kill_and_cut(file_system, &recording, &args, &["pack-*", &id], check);
    }
}

#[test]
fn a_store_that_was_used_after_its_maker_was_killed_survives_that_the_power_goes() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::new().with_var("JP_SESSION", "one");
        jp.write("a.md", request("Question\n"));
        let args = ["c", "append", "--new", "a.md"];
        let recording = Recording::of_jp(&jp, file_system, &args);
        let check = |jp: &Jp, told: &Output| crash::check(jp, None, told);
        kill_and_cut(file_system, &recording, &args, &["personal", "store"], check);
    }
}

#[test]
fn what_a_terminal_is_about_after_a_process_was_killed_survives_that_the_power_goes() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        let _later = jp.start(&[&request("Later\n"), &message("Answer\n")]);
        // The user has no state until there is a session.
        let jp = jp.with_var("JP_SESSION", "one");
        let args = ["c", "use", &id];
        let recording = Recording::of_jp(&jp, file_system, &args);
        let check = |jp: &Jp, told: &Output| {
            let about = jp.run(&["c", "show", "--brief"]).stdout;
            match told.stdout.is_empty() || about.contains(&id) {
                true => Ok(()),
                false => Err(format!("it is about something else: {about}")),
            }
        };
        kill_and_cut(file_system, &recording, &args, &["workspace", "sessions"], check);
    }
}

#[test]
fn an_archive_after_one_that_was_killed_survives_that_the_power_goes() {
    let prepared = Prepared::new(&[]);
    let deed = prepared.deed(&["c", "archive", "ID"]);
    let args: Vec<_> = deed.command.iter().map(String::as_str).collect();
    for file_system in FILE_SYSTEMS {
        let recording = Recording::of_jp(&deed.scene(), file_system, &args);
        let check = |jp: &Jp, told: &Output| deed.check(jp, told);
        kill_and_cut(file_system, &recording, &args, &["archive", &deed.id], check);
    }
}

#[test]
fn packing_after_one_that_was_killed_survives_that_the_power_goes() {
    for file_system in FILE_SYSTEMS {
        let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        let args = ["store", "pack"];
        let recording = Recording::of_jp(&jp, file_system, &args);
        let check = |jp: &Jp, told: &Output| {
            let (stdout, bytes, stderr) = Default::default();
            // It tells of no events.
            crash::check(jp, Some(&id), &Output { stdout, bytes, stderr, code: told.code })
        };
        kill_and_cut(file_system, &recording, &args, &["packed-refs"], check);
    }
}
