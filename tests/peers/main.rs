//! jp against servers that other people wrote, its files in front of them, and programs around it. `.ci/peers` installs them and runs this.

#![expect(clippy::disallowed_methods, reason = "tests make files and children of their own")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod aimock;
mod editors;
mod language_server;
mod llamacpp;
mod mcp;
mod peer;
mod python;
#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other test binary uses the rest")]
mod support;

use std::fs;

use serde_json::Value;
use support::{Jp, Output};

/// A key that must not be seen anywhere.
const KEY: &str = "sk-secret-0123456789";

/// The wire formats, and the variables by which their servers are found.
const APIS: [(&str, &str, &str); 3] = [
    ("anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    ("openai", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    ("ollama", "OLLAMA_HOST", "OLLAMA_API_KEY"),
];

/// A user whose model is behind a server on this machine.
fn user(api: &str, url: &str, settings: &str) -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let file = jp.world().join("config/jp/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("assistant.model = \"{api}/claude-sonnet-4-5\"\n{settings}")).unwrap();
    let (_, base, key) = APIS.into_iter().find(|(name, ..)| *name == api).unwrap();
    jp.with_var(base, url).with_var(key, KEY)
}

/// Asks in a new conversation, without a terminal.
fn ask(jp: &Jp, args: &[&str]) -> Output {
    jp.run(&[&["q", "--non-interactive"][..], args].concat())
}

/// The events of the only conversation.
fn events(jp: &Jp) -> Vec<Value> {
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    jp.assert_sound();
    let export = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let turns = export["turns"].as_array().unwrap();
    turns.iter().flat_map(|turn| turn["events"].as_array().unwrap().clone()).collect()
}

/// What kinds of events they are.
fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}
