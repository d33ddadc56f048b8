//! Queries that outlive their terminal: left with Ctrl+Z, attached from another one, and gone on
//! with when a terminal is closed.

use std::fs;

use crate::{
    query::{begin, player, shell, until},
    support::Jp,
    terminal::Terminal,
};

/// A code block that comes line by line, with text around it.
pub fn code(lines: usize, pause: u64) -> String {
    let lines: String = (0..lines).map(|line| format!("\"let x{line} = {line};\\n\", ")).collect();
    format!(
        "[[answer]]\npause = {pause}\n\
         step = [{{ text = [\"Before.\\n\\n```rust\\n\", {lines}\"```\\n\\nAfter.\"] }}]\n"
    )
}

/// A tool that asks whether it may run, called once.
pub const ASKS: &str = "[[answer]]\nstep = [{ call = \"greet\", arguments = {} }]\n\
                    [[answer]]\ntext = \"Done.\"\n";

pub fn newest(jp: &Jp) -> String {
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    listed[0]["id"].as_str().unwrap().to_owned()
}

pub fn status(jp: &Jp, id: &str) -> String {
    jp.show(id)["status"].as_str().unwrap().to_owned()
}

/// The lines of code that a terminal has shown, in order.
fn shown(terminal: &Terminal<'_>) -> Vec<String> {
    let history = terminal.history();
    let lines = history.lines().map(str::trim).filter(|line| line.starts_with("let x"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_query_is_left_with_ctrl_z_and_seen_whole_from_another_terminal() {
    let jp = player(&code(60, 50));
    let first = shell(&jp);
    begin(&first, "jp q --new begin; echo status $?");
    first.wait_for("let x5 = 5;");
    first.press("C-z");
    let screen = first.wait_for("status 0");
    let id = newest(&jp);
    assert!(screen.contains(&format!("Detached: {id}\n")), "{screen}");
    assert!(screen.contains(&format!("`jp conversation attach {id}` shows it again")), "{screen}");
    assert!(status(&jp, &id).starts_with("running (pid "));
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach {id}; echo status $?"));
    second.wait_for("status 0");
    // In the middle of a code block, the whole of it, each line once.
    let expected: Vec<_> = (0..60).map(|line| format!("let x{line} = {line};")).collect();
    assert_eq!(shown(&second), expected);
    assert!(second.history().contains("After."));
    // As it would have been without the interruption.
    begin(&first, "clear; jp q --new begin; echo status $?");
    first.wait("the end", |screen| screen.contains("status 0") && screen.contains("After."));
    let whole = |terminal: &Terminal<'_>| {
        let history = terminal.history();
        let from = history.rfind("Before.").unwrap();
        let to = history.rfind("After.").unwrap();
        history[from..to].to_owned()
    };
    assert_eq!(whole(&second), whole(&first));
}

#[test]
fn the_menu_of_an_interrupt_detaches_too() {
    let jp = player(&code(200, 50));
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    terminal.wait_for("let x3 = 3;");
    terminal.press("C-c");
    terminal.wait_for("[d] detach");
    terminal.type_text("d");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("Detached: jp-c"), "{screen}");
    let id = newest(&jp);
    assert!(status(&jp, &id).starts_with("running (pid "));
    // There, an interrupt asks whether to leave or to stop.
    for (key, is_left) in [("d", true), ("s", false)] {
        begin(&terminal, &format!("clear; jp c attach {id}; echo status $?"));
        // Not what the one before has shown.
        let is_new = |screen: &str| screen.contains("let x") && !screen.contains("status");
        terminal.wait("the answer", is_new);
        terminal.press("C-c");
        let screen = terminal.wait_for("[d] detach");
        assert!(screen.contains("[s] stop and keep what came"), "{screen}");
        terminal.type_text(key);
        let screen = terminal.wait_for("status 0");
        assert_eq!(screen.contains(&format!("Detached: {id}\n")), is_left, "{screen}");
        assert_eq!(status(&jp, &id).starts_with("running (pid "), is_left);
    }
    until("the end", || status(&jp, &id) == "idle");
}

#[test]
fn a_question_is_asked_wherever_somebody_is() {
    let jp = player(ASKS);
    let first = shell(&jp);
    begin(&first, "jp q --new begin; echo status $?");
    first.wait_for("[a] always");
    first.press("C-z");
    first.wait_for("status 0");
    let id = newest(&jp);
    assert_eq!(status(&jp, &id), "waiting-for-input (greet)");
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach {id}; echo status $?"));
    second.wait_for("[a] always");
    second.type_text("y");
    second.wait_for("status 0");
    assert!(second.history().contains("Done."), "{}", second.history());
    until("the end", || status(&jp, &id) == "idle");
}

/// A tool that runs until there is something in the file `hold`.
pub fn waiting_tool() -> Jp {
    let jp = player(
        "[[answer]]\nstep = [{ call = \"waits\", arguments = {} }]\n[[answer]]\ntext = \"Done.\"\n",
    );
    let config = jp.world().join("config/jp/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let tool = "\n[tools.waits]\ncommand = [\"sh\", \"-c\", \"echo $$ >>pid; cat hold\"]\n\
                permission = \"allow\"\nparameters = { type = \"object\" }\n";
    jp.write("../config/jp/config.toml", before + tool);
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    jp
}

pub fn wait_for_tool(jp: &Jp) {
    until("the tool", || fs::read_to_string(jp.path("pid")).is_ok_and(|pid| !pid.is_empty()));
}

#[test]
fn a_query_is_left_while_a_tool_runs_and_the_tool_runs_once() {
    let jp = waiting_tool();
    let first = shell(&jp);
    begin(&first, "jp q --new begin; echo status $?");
    wait_for_tool(&jp);
    first.press("C-z");
    first.wait_for("status 0");
    let id = newest(&jp);
    assert!(first.screen().contains(&format!("Detached: {id}\n")), "{}", first.screen());
    assert!(status(&jp, &id).starts_with("running (pid "));
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach {id}; echo status $?"));
    second.wait_for("waits {}");
    fs::write(jp.path("hold"), "said by the tool").unwrap();
    second.wait_for("status 0");
    assert!(second.history().contains("Done."), "{}", second.history());
    assert_eq!(fs::read_to_string(jp.path("pid")).unwrap().lines().count(), 1);
    assert!(jp.run(&["c", "export", "--format", "json", &id]).ok().contains("said by the tool"));
}

#[test]
fn whoever_was_asked_first_is_asked_again_when_the_other_one_leaves() {
    let jp = player(ASKS);
    let first = shell(&jp);
    begin(&first, "jp q --new begin; echo status $?");
    first.wait_for("[a] always");
    let id = newest(&jp);
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    for round in 1..=2 {
        begin(&second, &format!("clear; jp c attach {id}; echo status $?"));
        second.wait_for("[a] always");
        let times = |text: &str, screen: &str| screen.matches(text).count();
        first.wait("the takeover", |screen| times("is asked from now on", screen) == round);
        second.press("C-z");
        second.wait_for("status 0");
        first.wait("the question", |screen| times("[a] always", screen) == round + 1);
    }
    first.type_text("y");
    first.wait_for("status 0");
    assert!(first.history().contains("Done."), "{}", first.history());
}

#[test]
fn a_closed_terminal_leaves_the_query_running_in_each_phase() {
    // While the model answers.
    let jp = player(&code(40, 50));
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("let x3 = 3;");
    terminal.tell(&["kill-pane"]);
    let id = newest(&jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(jp.run(&["c", "print", "--raw", &id]).ok().contains("let x39 = 39;\n```\n\nAfter."));

    // While somebody is asked.
    let jp = player(ASKS);
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("[a] always");
    terminal.tell(&["kill-pane"]);
    let id = newest(&jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 3);
    assert_eq!(jp.run(&["c", "answer", &id, "run"]).code, 0);
    let waited = jp.run(&["c", "wait", &id]);
    assert_eq!(waited.code, 0, "{}{}", waited.stdout, waited.stderr);

    // While a tool runs.
    let jp = waiting_tool();
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    wait_for_tool(&jp);
    terminal.tell(&["kill-pane"]);
    let id = newest(&jp);
    fs::write(jp.path("hold"), "said by the tool").unwrap();
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(jp.run(&["c", "export", "--format", "json", &id]).ok().contains("said by the tool"));
}

/// Begins a query whose client, of which the number is in the file `client`, can be killed.
fn begin_client(terminal: &Terminal<'_>) {
    begin(terminal, "sh -c 'echo $$ >client; exec jp q --new begin'; echo status $?");
}

fn kill(jp: &Jp, signal: &str, file: &str) {
    let pid = fs::read_to_string(jp.path(file)).unwrap();
    assert!(jp.command("kill").args([signal, pid.trim()]).status().unwrap().success());
}

#[test]
fn a_client_that_is_killed_leaves_the_query_running_in_each_phase() {
    // While the model answers.
    let jp = player(&code(40, 50));
    let terminal = shell(&jp);
    begin_client(&terminal);
    terminal.wait_for("let x3 = 3;");
    kill(&jp, "-KILL", "client");
    terminal.wait_for("status 137");
    let id = newest(&jp);
    assert!(status(&jp, &id).starts_with("running (pid "));
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(jp.run(&["c", "print", "--raw", &id]).ok().contains("let x39 = 39;\n```\n\nAfter."));

    // While somebody is asked.
    let jp = player(ASKS);
    let terminal = shell(&jp);
    begin_client(&terminal);
    terminal.wait_for("[a] always");
    kill(&jp, "-KILL", "client");
    let id = newest(&jp);
    assert_eq!(jp.run(&["c", "wait", &id]).code, 3);
    assert_eq!(status(&jp, &id), "waiting-for-input (greet)");
    // Whoever comes next is asked the same.
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach {id}; echo status $?"));
    second.wait_for("[a] always");
    second.type_text("y");
    second.wait_for("status 0");
    assert!(second.history().contains("Done."), "{}", second.history());

    // While a tool runs.
    let jp = waiting_tool();
    let terminal = shell(&jp);
    begin_client(&terminal);
    wait_for_tool(&jp);
    terminal.wait_for("waits {}");
    kill(&jp, "-KILL", "client");
    terminal.wait_for("status 137");
    let id = newest(&jp);
    fs::write(jp.path("hold"), "said by the tool").unwrap();
    assert_eq!(jp.run(&["c", "wait", &id]).code, 0);
    assert!(jp.run(&["c", "export", "--format", "json", &id]).ok().contains("said by the tool"));
    assert_eq!(fs::read_to_string(jp.path("pid")).unwrap().lines().count(), 1);
}

#[test]
fn whoever_came_by_and_is_told_to_end_only_leaves() {
    let jp = waiting_tool();
    let first = shell(&jp);
    begin(&first, "jp q --new begin; echo status $?");
    wait_for_tool(&jp);
    let id = newest(&jp);
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("sh -c 'echo $$ >viewer; exec jp c attach {id}'; echo status $?"));
    second.wait_for("waits {}");
    kill(&jp, "-TERM", "viewer");
    let screen = second.wait_for("status 0");
    assert!(screen.contains(&format!("Detached: {id}\n")), "{screen}");
    assert!(status(&jp, &id).starts_with("running (pid "));
    fs::write(jp.path("hold"), "said by the tool").unwrap();
    first.wait_for("status 0");
    assert!(first.history().contains("Done."), "{}", first.history());
    assert!(jp.run(&["c", "export", "--format", "json", &id]).ok().contains("said by the tool"));
}

#[test]
fn who_only_watches_is_not_asked_and_leaves_with_an_interrupt() {
    let jp = player(ASKS);
    let first = shell(&jp);
    begin(&first, "jp q --new begin");
    first.wait_for("[a] always");
    let id = newest(&jp);
    let second = Terminal::named_shell("second", &jp, &["bash", "--norc", "--noprofile"]);
    begin(&second, &format!("jp c attach --read-only {id}; echo status $?"));
    second.wait_for("begin");
    second.press("C-c");
    let screen = second.wait_for("status 0");
    assert!(!screen.contains("[a] always"), "{screen}");
    // Who takes over is asked instead, and the other one is told.
    begin(&second, &format!("clear; jp c attach {id}; echo status $?"));
    second.wait_for("[a] always");
    first.wait_for("is asked from now on");
    second.type_text("y");
    second.wait_for("status 0");
    first.wait_for("Done.");
}
