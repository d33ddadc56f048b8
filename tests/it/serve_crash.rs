//! What a query leaves of which one process is killed anywhere, and the other is not: the server, or
//! whoever it shows itself to.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{
    crash::kill_one_and_check,
    support::{Jp, Output, Victim},
    tools_crash::{TOOLS, Whole, check_what_is_left, check_what_was_saved, go, scene_with},
};

/// How many calls of a process are tried, before and after each.
const SAMPLE: usize = 8;

/// The query with tools, in a process of its own, with more words.
fn served(id: Option<&str>, more: &[&str]) -> Vec<String> {
    let mut words = go(id);
    words.retain(|word| word != "--no-server");
    words.splice(1..1, more.iter().map(|word| (*word).to_owned()));
    words
}

#[test]
fn a_server_that_is_killed_anywhere_leaves_a_turn_that_goes_on_as_if_it_had_not_been() {
    let whole = Whole::run();
    let lost = AtomicUsize::new(0);
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| {
        // Before the server has met its client, its end is that of the query.
        match (killed.code, killed.stderr.contains("the process of this query is gone")) {
            (137, false) | (1, true) => lost.fetch_add(1, Ordering::Relaxed),
            // The order of threads differs from run to run: a late point may come after the end.
            (0, _) => 0,
            _ => return Err(format!("it ended otherwise: {killed:?}")),
        };
        nobody_is_registered(jp)?;
        check_what_is_left(jp, id.unwrap(), killed, &whole)
    };
    let program = |id: Option<&str>| served(id, &[]);
    let scene = || scene_with(TOOLS);
    let failures = kill_one_and_check(Victim::Server, SAMPLE, scene, program, check);
    assert_eq!(failures, Vec::<String>::new());
    assert!(lost.into_inner() > SAMPLE, "hardly anybody was killed");
}

#[test]
fn a_command_that_is_killed_anywhere_has_its_query_saved_and_ended() {
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| {
        // The order of threads differs from run to run: a late point may come after the end.
        if !matches!(killed.code, 0 | 137) {
            return Err(format!("it ended otherwise: {killed:?}"));
        }
        nobody_is_registered(jp)?;
        check_what_was_saved(jp, id.unwrap(), killed)
    };
    let program = |id: Option<&str>| served(id, &[]);
    let scene = || scene_with(TOOLS);
    let failures = kill_one_and_check(Victim::Client, SAMPLE, scene, program, check);
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn a_query_in_the_background_was_not_begun_or_is_complete_wherever_its_command_is_killed() {
    let (begun, not_begun) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| {
        if killed.code != 137 {
            return Err(format!("it was not killed: {killed:?}"));
        }
        nobody_is_registered(jp)?;
        let shown = jp.show(id.unwrap());
        let (turns, status) = (shown["turns"].as_u64(), shown["status"].as_str());
        match (turns, status) {
            (Some(1), Some("idle")) if killed.stdout.is_empty() => {
                not_begun.fetch_add(1, Ordering::Relaxed);
            }
            (Some(2), Some("idle")) => {
                begun.fetch_add(1, Ordering::Relaxed);
            }
            _ => return Err(format!("{shown}, and it said `{}`", killed.stdout)),
        }
        Ok(())
    };
    let program = |id: Option<&str>| served(id, &["--detach"]);
    let scene = || scene_with(TOOLS);
    let failures = kill_one_and_check(Victim::Client, SAMPLE, scene, program, check);
    assert_eq!(failures, Vec::<String>::new());
    assert!(begun.into_inner() > 0 && not_begun.into_inner() > 0, "all points are on one side");
}

/// Whether whoever looks finds nobody, and clears away what the dead have left.
fn nobody_is_registered(jp: &Jp) -> Result<(), String> {
    let listed = jp.run(&["c", "ls", "--format", "json"]);
    if listed.code != 0 || listed.stdout.contains("running") {
        return Err(format!("somebody seems to be at it: {listed:?}"));
    }
    for workspace in fs::read_dir(jp.world().join("data/jp/workspace")).unwrap() {
        let Ok(processes) = fs::read_dir(workspace.unwrap().path().join("processes")) else {
            continue;
        };
        let left: Vec<_> = processes.map(|entry| entry.unwrap().path()).collect();
        if left.iter().any(|path| path.extension().is_some_and(|extension| extension == "json")) {
            return Err(format!("an entry is left: {left:?}"));
        }
    }
    Ok(())
}
