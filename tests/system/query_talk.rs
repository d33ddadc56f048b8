//! What a query says beside its answer in a real terminal: the status, the log, titles, and
//! nothing where that is wanted.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{
    query::{begin, player, shell},
    support::Jp,
};

/// The log of the only workspace.
fn log(jp: &Jp) -> PathBuf {
    let all = jp.world().join("data/jp/workspace");
    let workspace = fs::read_dir(all).unwrap().next().unwrap().unwrap();
    workspace.path().join("log/query.log")
}

#[test]
fn the_log_tells_every_step_and_nothing_that_was_said() {
    let jp = player(
        r#"
[[answer]]
step = [
    { error = "busy", message = "slow down", retry_after = 1 },
    { reasoning = "A private thought." },
    { text = "A private answer." },
    { call = "greet", arguments = { private = "argument" } },
]
[[answer]]
text = "A private end."
"#,
    )
    .with_var("OPENAI_API_KEY", "sk-private-key");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new 'A private question'; echo status $?");
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    terminal.wait_for("status 0");
    let log = log(&jp);
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&log).unwrap();
    let id = jp.run(&["c", "ls", "--format", "json"]).json()[0]["id"].as_str().unwrap().to_owned();
    let steps: Vec<_> = text
        .lines()
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let (time, process) = (words.next().unwrap(), words.next().unwrap());
            assert!(time.contains('T') && process.parse::<u32>().is_ok(), "{line}");
            words.next().unwrap()
        })
        .collect();
    assert_eq!(
        steps,
        [
            "query to play/er",
            &format!("conversation {id}"),
            "stored 000 request",
            "asked the model",
            "trying again in 1 ms: Busy: slow down",
            "asked the model",
            "block complete: reasoning",
            "stored 001 reasoning",
            "block complete: message",
            "stored 002 message",
            "block complete: tool-call",
            "stored 003 tool-call",
            "stored 004 inquiry-request",
            "asks about greet: call-1-q0",
            "stored 005 inquiry-response",
            "stored 006 tool-start",
            "tool started: greet",
            "stored 007 tool-result",
            "tool ended: greet",
            "asked the model",
            "block complete: message",
            "stored 008 message",
            "ended: complete",
        ]
    );
    assert!(!text.contains("rivate") && !text.contains("argument"), "{text}");
}

#[test]
fn a_title_of_a_model_comes_beside_the_answer_and_is_never_waited_for() {
    let jp =
        player("[[answer]]\nstep = [{ text = \"Yes\" }, { delay = 1500 }, { text = \".\" }]\n");
    let config = jp.path("../config/jp/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let with_title = |script: &str| {
        let file = jp.write("title.toml", script);
        let title = "[title]\ngenerate = true\nmodel = \"namer/x\"\n";
        let provider = format!("[providers.namer]\napi = \"script\"\nfile = {file:?}\n");
        fs::write(&config, format!("{before}{title}{provider}")).unwrap();
    };
    let title = |jp: &Jp| jp.run(&["c", "ls", "--format", "json"]).json()[0]["title"].clone();
    let terminal = shell(&jp);
    with_title("[[answer]]\ntext = \"\\\"When to sow\\\"\"\n");
    assert!(terminal.run("jp q --new 'Carrots?'; echo status $?").contains("status 0"));
    assert_eq!(title(&jp), "When to sow");
    with_title("[[answer]]\nstep = [{ delay = 600000 }, { text = \"Late\" }]\n");
    let screen = terminal.run("clear; jp q --new 'Carrots?'; echo status $?");
    assert!(screen.contains("status 0"), "{screen}");
    assert_eq!(title(&jp), "Carrots?");
}

#[test]
fn the_status_says_what_is_waited_for_and_fits_a_narrow_terminal() {
    let jp = player(
        r#"
[[answer]]
step = [
    { error = "busy", message = "the model is overloaded", retry_after = 50000 },
    { text = "Never." },
]
"#,
    );
    let terminal = shell(&jp);
    terminal.tell(&["resize-window", "-x", "40", "-y", "20"]);
    begin(&terminal, "jp q --new Hi; echo status $?");
    let is_status = |line: &str| line.starts_with("0s · play/er · attempt 2 in 4");
    let screen = terminal.wait("the status", |screen| screen.lines().any(is_status));
    assert_eq!(screen.matches("play/er").count(), 1, "{screen}");
    terminal.press("C-c");
    terminal.wait_for("[a] abort");
    terminal.type_text("s");
    let screen = terminal.wait_for("status 0");
    assert!(!screen.contains("attempt 2"), "{screen}");
    let unwrapped = screen.replace('\n', "");
    assert!(unwrapped.contains("stopped: your question is kept, and has"), "{screen}");
    assert!(unwrapped.contains("` asks it again, `jp query --discard-turn --id="), "{screen}");
}

#[test]
fn a_quiet_query_shows_the_answer_and_nothing_else() {
    let jp = player(
        r#"
[[answer]]
step = [
    { text = "One." },
    { delay = 500 },
    { call = "greet", arguments = {} },
    { usage = { input = 1, output = 1 } },
]
[[answer]]
text = "Two."
"#,
    );
    let terminal = shell(&jp);
    terminal.run("clear");
    begin(&terminal, "jp q --quiet --new Hi; echo status $?");
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("echo status $?\nOne.\n"), "{screen}");
    assert!(screen.contains("\nTwo.\nstatus 0\n"), "{screen}");
    for talk in ["tokens", "continue with", "▸", "✓"] {
        assert!(!screen.contains(talk), "{talk}: {screen}");
    }
}

#[test]
fn json_in_a_terminal_is_one_harmless_line_for_each_event() {
    let jp = player("[[answer]]\ntext = \"# \\u001b[31mred\\n\\n*Yes*\"\n");
    let terminal = shell(&jp);
    terminal.tell(&["resize-window", "-x", "400", "-y", "20"]);
    let screen = terminal.run("clear; jp q --format json --new Hi; echo status $?");
    let lines: Vec<serde_json::Value> =
        screen.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |key: &str| lines.iter().map(|line| line[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("type"), ["request", "message", "end"], "{screen}");
    assert_eq!(of("content")[..2], ["Hi", "# \u{1b}[31mred\n\n*Yes*"], "{screen}");
    assert!(!terminal.coloured_screen().contains("\u{1b}[31m"), "{screen}");
}
