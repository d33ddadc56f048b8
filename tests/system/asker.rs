//! Whoever is asked at a terminal that an editor has meanwhile.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::{
    detach::{newest, status},
    prompts::{ONE_CALL, given, recorder, reworks},
    query::{begin, process, shell},
    support::Jp,
    terminal::Terminal,
};

/// A user whose editor changes what a tool is called with, and waits for a line.
fn writer() -> Jp {
    let jp = recorder(ONE_CALL, "");
    let script = "#!/bin/sh\nsed -i 's/one/two/' \"$1\"\necho the editor is open\nread line\n";
    let editor = jp.write("editor", script);
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    jp.with_var("JP_EDITOR", editor)
}

/// Begins a query, and opens the editor at its question.
fn open_editor(terminal: &Terminal<'_>) {
    begin(terminal, "sh -c 'echo $$ >client; exec jp q --new begin'");
    terminal.wait_for("[s] show");
    terminal.type_text("e");
    terminal.wait_for("the editor is open");
}

#[test]
fn ctrl_z_in_the_editor_stops_the_editor_and_nothing_is_left() {
    let jp = writer();
    let terminal = shell(&jp);
    open_editor(&terminal);
    terminal.press("C-z");
    terminal.wait_for("Stopped");
    let client = fs::read_to_string(process(&jp.path("client")).join("status")).unwrap();
    assert!(client.contains("State:\tT"), "{client}");
    let screen = terminal.run("echo vis''ible");
    assert!(screen.contains("\nvisible\n"), "{screen}");
    assert!(!screen.contains("Detached"), "{screen}");
    let id = newest(&jp);
    assert_eq!(status(&jp, &id), "waiting-for-input (record)");
    begin(&terminal, "clear; fg");
    // What the shell says last before it gives the terminal away.
    let is_given = |screen: &str| screen.contains("exec jp q") && !screen.contains("Stopped");
    terminal.wait("the editor", is_given);
    terminal.press("Enter");
    terminal.wait_for("\"to\": \"two\"");
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    terminal.wait_for("Done.");
    assert!(given(&jp).contains("two"), "{}", given(&jp));
    assert_eq!(reworks(&jp), [""; 0]);
}

#[test]
fn ctrl_z_in_vim_leaves_a_terminal_that_is_fit_to_be_used() {
    let jp = recorder(ONE_CALL, "").with_var("JP_EDITOR", "vim -u NONE -i NONE");
    let terminal = shell(&jp);
    // Wide enough for vim to name the file on one line.
    terminal.tell(&["resize-window", "-x", "200", "-y", "40"]);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("[s] show");
    terminal.type_text("e");
    terminal.wait_for("arguments.json");
    terminal.type_text(":%s/one/two/");
    terminal.press("Enter");
    terminal.wait_for("\"two\"");
    terminal.press("C-z");
    terminal.wait_for("Stopped");
    let modes = terminal.run("stty -a");
    assert!(modes.contains(" icanon") && modes.contains(" echo "), "{modes}");
    assert!(!modes.contains("Detached"), "{modes}");
    begin(&terminal, "clear; fg");
    terminal.wait_for("\"two\"");
    terminal.type_text(":wq");
    terminal.press("Enter");
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    terminal.wait_for("Done.");
    assert!(given(&jp).contains("two"), "{}", given(&jp));
}

#[test]
fn an_interrupt_in_the_editor_is_for_the_editor_alone() {
    let jp = writer();
    let terminal = shell(&jp);
    open_editor(&terminal);
    terminal.press("C-c");
    terminal.wait("the question again", |screen| {
        screen.contains("the draft is kept in") && screen.matches("[s] show").count() == 2
    });
    terminal.type_text("y");
    terminal.wait_for("Done.");
    assert!(!terminal.history().contains("Interrupted:"), "{}", terminal.history());
    assert!(given(&jp).contains("one"), "{}", given(&jp));
}
