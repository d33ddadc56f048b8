//! A turn with five tools whose power goes: every result that was told is there, and no tool does
//! something twice.

use std::fs;

use serde_json::Value;

use super::{
    cuts::{Cuts, few_or},
    recording::{FILE_SYSTEMS, FileSystem, Recording},
};
use crate::{
    support::{Jp, Output},
    tools_crash::{self, TOOLS, Whole, go, scene_with},
};

/// The whole turn. What the commands among its tools write is theirs, and counts as done at once.
pub fn five_tools(file_system: FileSystem) -> (Recording, String) {
    let (jp, id) = scene_with(TOOLS);
    let mut program = vec![env!("CARGO_BIN_EXE_jp").to_owned()];
    program.extend(go(id.as_deref()));
    let program: Vec<_> = program.iter().map(String::as_str).collect();
    let is_theirs = |name: &str| name.starts_with("did-");
    (Recording::of(&jp, file_system, &program, is_theirs), id.unwrap())
}

/// Checks what is left of it.
pub fn check(jp: &Jp, id: &str, told: &Output, whole: &Whole) -> Result<(), String> {
    has_changed_what_it_told(jp, told)?;
    tools_crash::check(jp, id, told, whole)
}

#[test]
fn a_turn_with_five_tools_survives_that_the_power_goes() {
    let whole = Whole::run();
    for file_system in FILE_SYSTEMS {
        let (recording, id) = five_tools(file_system);
        let cuts = Cuts { recording: &recording, file_system, sample: few_or(10, usize::MAX) };
        let failures = cuts.check(|jp, told| check(jp, &id, told, &whole));
        assert_eq!(failures, Vec::<String>::new());
    }
}

/// Whether the tool that is built in has done what it said.
fn has_changed_what_it_told(jp: &Jp, told: &Output) -> Result<(), String> {
    let lines = told.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<_> = lines.collect();
    let call = events.iter().find(|event| event["tool"] == "fs_modify_file");
    let result = |event: &&Value| {
        event["type"] == "tool-result" && call.is_some_and(|call| event["id"] == call["id"])
    };
    let list = fs::read_to_string(jp.path("made/list")).unwrap();
    if events.iter().any(|event| result(&event)) && list != "begin\nchanged\nend\n" {
        return Err(format!("told, but the file is {list:?}"));
    }
    Ok(())
}
