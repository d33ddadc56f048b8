//! `jp trust` at a real terminal: everything is shown, the question is asked there, and the default
//! is no.

use std::fs;

use crate::{support::Jp, terminal::Terminal, user};

const SHELL: [&str; 3] = ["bash", "--norc", "--noprofile"];

fn listed(jp: &Jp) -> usize {
    jp.run(&["trust", "--list", "--format", "json"]).json().as_array().unwrap().len()
}

#[test]
fn a_workspace_is_trusted_only_after_a_yes_and_a_change_asks_again() {
    let jp = user();
    let tool = "[tools.touch]\ncommand = [\"touch\", \"ran\"]\npermission = \"allow\"\n";
    jp.write(".jp/config.toml", tool);
    let terminal = Terminal::shell(&jp, &SHELL);
    let ask = "clear; jp q --new 'call touch {}'; echo status $?";
    let screen = terminal.run(ask);
    assert!(screen.contains("this workspace is not trusted"), "it goes on: {screen}");
    assert!(!jp.path("ran").exists());
    for (answer, told, trusted) in [
        ("n", "Nothing was trusted", 0),
        ("", "Nothing was trusted", 0),
        ("yess", "Nothing was trusted", 0),
        ("y", "is trusted as it is now", 1),
    ] {
        terminal.run("clear");
        terminal.type_text("jp trust </dev/null | cat; echo done");
        terminal.press("Enter");
        let screen = terminal.wait_for("[y/N]");
        assert!(screen.contains("+ tools.touch.command = [\"touch\",\"ran\"]"), "{screen}");
        terminal.type_text(answer);
        terminal.press("Enter");
        terminal.wait_for(told);
        assert_eq!(listed(&jp), trusted, "{answer}");
    }
    terminal.run(ask);
    assert!(jp.path("ran").exists());
    fs::remove_file(jp.path("ran")).unwrap();
    jp.write(".jp/config.toml", format!("{tool}# more\n"));
    let screen = terminal.run(ask);
    assert!(screen.contains("has changed since you trusted it"), "{screen}");
    assert!(!jp.path("ran").exists());
}
