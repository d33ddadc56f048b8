//! Whoever is asked at a terminal that goes away, that is left, or that an editor has meanwhile.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::{
    detach::{ASKS, code, newest, status},
    prompts::{ONE_CALL, given, recorder, reworks},
    query::{begin, player, process, shell, until},
    support::Jp,
    terminal::Terminal,
};

/// A tool that runs until there is something in the file `hold`, and then one that asks whether it
/// may run.
fn asks_late() -> Jp {
    let jp = recorder(
        "[[answer]]\nstep = [{ call = \"waits\", arguments = {} }]\n\
         [[answer]]\nstep = [{ call = \"record\", arguments = { to = \"one\" } }]\n\
         [[answer]]\ntext = \"Done.\"\n",
        "\n[tools.waits]\ncommand = [\"sh\", \"-c\", \"echo $$ >pid; cat hold\"]\n\
         permission = \"allow\"\nparameters = { type = \"object\" }\n",
    );
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    jp
}

/// Begins a query in the background of a shell, which tells nobody when it ends.
fn begin_behind(terminal: &Terminal<'_>) {
    begin(terminal, "jp q --new begin & echo $! >client; disown");
}

/// Ends the shell, and with it the terminal of whatever it has begun.
fn end_shell(terminal: &Terminal<'_>) {
    terminal.type_text("exit");
    terminal.press("Enter");
    until("the end of the shell", || terminal.ask("#{pane_dead}") == "1");
}

#[test]
fn a_question_stays_open_when_the_terminal_went_without_a_word() {
    let jp = asks_late();
    let terminal = shell(&jp);
    begin_behind(&terminal);
    process(&jp.path("pid"));
    let client = process(&jp.path("client"));
    end_shell(&terminal);
    assert!(client.exists(), "nobody has told it");
    stays_open(&jp);
}

#[test]
fn a_question_stays_open_when_the_terminal_is_not_for_us_any_more() {
    let jp = asks_late();
    let terminal = shell(&jp);
    // Nobody is left who could bring it to the foreground.
    begin(&terminal, "(jp q --new begin & echo $! >client)");
    process(&jp.path("pid"));
    stays_open(&jp);
}

/// Lets the question come, and answers it from elsewhere when the client has left.
fn stays_open(jp: &Jp) {
    let client = process(&jp.path("client"));
    fs::write(jp.path("hold"), "go on").unwrap();
    until("the client to leave", || !client.exists());
    let id = newest(jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 3);
    assert_eq!(status(jp, &id), "waiting-for-input (record)");
    assert_eq!(jp.run(&["c", "answer", &id, "run"]).code, 0);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(given(jp).contains("one"));
}

#[test]
fn an_answer_goes_on_when_the_terminal_that_shows_it_went_without_a_word() {
    let jp = player(&code(60, 50));
    let terminal = shell(&jp);
    begin_behind(&terminal);
    terminal.wait_for("let x3 = 3;");
    let client = process(&jp.path("client"));
    end_shell(&terminal);
    until("the client to leave", || !client.exists());
    let id = newest(&jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(jp.run(&["c", "print", "--raw", &id]).ok().contains("let x59 = 59;\n```\n\nAfter."));
}

#[test]
fn a_key_behind_ctrl_z_answers_nothing() {
    let jp = player(ASKS);
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    terminal.wait_for("[a] always");
    terminal.tell(&["send-keys", "C-z", "y", "y"]);
    let screen = terminal.wait_for("status 0");
    assert!(!screen.contains("greet: hello"), "{screen}");
    let id = newest(&jp);
    assert_eq!(status(&jp, &id), "waiting-for-input (greet)");

    // Nor in the menu.
    let jp = player(&code(200, 50));
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    terminal.wait_for("let x3 = 3;");
    terminal.press("C-c");
    terminal.wait_for("[d] detach");
    terminal.tell(&["send-keys", "C-z", "s"]);
    let id = newest(&jp);
    terminal.wait_for(&format!("Detached: {id}\n"));
    terminal.wait_for("status 0");
    assert!(status(&jp, &id).starts_with("running (pid "));
}

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

#[test]
fn a_terminal_that_is_closed_over_an_editor_leaves_what_was_written() {
    let jp = writer();
    let terminal = shell(&jp);
    open_editor(&terminal);
    let client = process(&jp.path("client"));
    terminal.tell(&["kill-pane"]);
    until("the client to leave", || !client.exists());
    let id = newest(&jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 3);
    let kept = reworks(&jp);
    assert!(kept.len() == 1 && kept[0].contains("two"), "{kept:?}");
}

#[test]
fn what_was_written_is_kept_when_somebody_else_is_asked_meanwhile() {
    let jp = writer();
    let first = shell(&jp);
    open_editor(&first);
    let id = newest(&jp);
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach {id}; echo status $?"));
    second.wait_for("[a] always");
    // Nothing is written over an editor.
    assert!(!first.screen().contains("is asked from now on"), "{}", first.screen());
    first.press("Enter");
    first.wait_for("is asked from now on");
    first.wait_for("what you wrote is in `");
    let history = first.history();
    let (_, path) = history.split_once("what you wrote is in `").unwrap();
    let (path, _) = path.split_once('`').unwrap();
    assert!(fs::read_to_string(path).unwrap().contains("two"), "{path}");
    assert_eq!(status(&jp, &id), "waiting-for-input (record)");
    second.type_text("y");
    second.wait_for("status 0");
    assert!(given(&jp).contains("one"), "{}", given(&jp));
}
