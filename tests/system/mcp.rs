//! The tools of an MCP server at a real terminal: may they be called, what do they ask, how far are
//! they.

#[path = "../helpers/mcp_server.rs"]
mod played;

use std::fs;

use crate::{
    query::{begin, shell},
    support::{Jp, Output},
    user,
};

/// A user with the built-in guide and a server that is played by this test binary.
fn served(manner: &str, settings: &str) -> Jp {
    let jp = user().with_var(played::MANNER, manner);
    let jp = jp.with_var(played::LOG, jp.path("log"));
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let argv = [program.as_str(), "--exact", "--nocapture", "mcp::played::plays_the_server"];
    let variables = [played::MANNER, played::LOG];
    let declared = format!("[mcp.srv]\ncommand = {argv:?}\nenvironment = {variables:?}\n");
    jp.write("../config/jp/config.toml", declared + settings);
    jp
}

fn heard(jp: &Jp) -> usize {
    let log = fs::read_to_string(jp.path("log")).unwrap_or_default();
    log.lines().filter(|line| line.starts_with("tools/call")).count()
}

#[test]
fn a_tool_of_a_server_is_called_after_a_yes_with_what_was_shown() {
    let jp = served("legacy", "");
    let terminal = shell(&jp);
    begin(&terminal, r#"jp q --new 'call srv__echo {"a": "\u001b[2J", "b": 2}'; echo status $?"#);
    let screen = terminal.wait_for("[a] always");
    let shown = "srv__echo wants to run with\n  {\n    \"a\": \"\\u001b[2J\",\n    \"b\": 2\n  }\n";
    assert!(screen.contains(shown), "{screen}");
    assert_eq!(heard(&jp), 0);
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("✗ srv__echo: The tool `srv__echo` was not run"), "{screen}");
    assert_eq!(heard(&jp), 0);

    terminal.run("clear");
    begin(&terminal, r#"jp tools run srv__echo '{"a": 1}'; echo status $?"#);
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("\n{\"a\":1}\n"), "{screen}");
    assert_eq!(heard(&jp), 1);
}

#[test]
fn what_a_server_asks_is_answered_at_the_terminal() {
    for manner in ["legacy", "modern"] {
        let jp = served(manner, "permission = \"allow\"\n");
        let terminal = shell(&jp);
        begin(&terminal, "jp q --new 'call srv__ask {}'; echo status $?");
        let screen = terminal.wait_for("[y] yes");
        assert!(screen.contains("The server `srv` asks: Sure?\n\n`sure`"), "{manner}: {screen}");
        terminal.type_text("y");
        let screen = terminal.wait_for("status 0");
        let expected = r#"{"action":"accept","content":{"sure":true}}"#;
        assert!(screen.contains(expected), "{manner}: {screen}");
        jp.assert_sound();

        terminal.run("clear");
        begin(&terminal, "jp q --new 'call srv__ask {}'; echo status $?");
        terminal.wait_for("[y] yes");
        terminal.press("C-c");
        terminal.wait_for("[a] abort");
        terminal.type_text("a");
        terminal.wait_for("status 130");
    }
}

#[test]
fn how_far_a_server_is_stands_in_the_status_line_until_it_is_done() {
    let jp = served("legacy", "permission = \"allow\"\n");
    let pipe = jp.path("pipe");
    Output::of(jp.command("mkfifo").arg(&pipe)).ok();
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new 'call srv__steps {\"until\": \"pipe\"}'; echo status $?");
    terminal.wait("the progress", |screen| {
        let status = screen.lines().rfind(|line| !line.is_empty()).unwrap_or_default();
        status.contains("running srv__steps (") && status.contains("going")
    });
    fs::write(&pipe, "").unwrap();
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("✓ srv__steps: arrived"), "{screen}");
    assert!(!screen.contains("running"), "{screen}");
}
