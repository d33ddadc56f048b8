//! A query in a real terminal, with a model that is played from a script: what streams, what is
//! asked, what an interrupt does, and what is left when the terminal goes away.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{support::Jp, terminal::Terminal, user};

/// Two tools of the user: one that says hello and one that can only be killed.
const TOOLS: &str = r#"
[tools.greet]
command = ["sh", "-c", "echo hello"]
parameters = { type = "object" }

[tools.stubborn]
command = ["sh", "-c", "trap '' TERM INT HUP; echo $$ >pid; while :; do sleep 0.1; done"]
permission = "allow"
parameters = { type = "object" }
"#;

/// An answer with a paragraph that goes on and on until somebody interrupts it.
fn endless() -> String {
    let waiting = "\"wait \", ".repeat(300);
    format!(
        "[[answer]]\nwhen = \"begin\"\npause = 200\n\
         step = [{{ text = [\"# Carrots\\n\\nIn *rows*.\\n\\nThen \", {waiting}] }}]\n\
         [[answer]]\ntext = \"Briefly: yes.\"\n"
    )
}

/// A user whose model is played from a script.
pub fn player(script: &str) -> Jp {
    let jp = user();
    let script = jp.write("script.toml", script);
    let config = format!(
        "[assistant]\nmodel = \"play/er\"\n[providers.play]\napi = \"script\"\nfile = {script:?}\n"
    );
    jp.write("../config/jp/config.toml", config + TOOLS);
    jp
}

pub fn shell(jp: &Jp) -> Terminal<'_> {
    Terminal::shell(jp, &["bash", "--norc", "--noprofile"])
}

/// Begins a command without waiting for its end.
pub fn begin(terminal: &Terminal<'_>, command: &str) {
    terminal.type_text(command);
    terminal.wait_for(command);
    terminal.press("Enter");
}

/// Everything that the last conversation holds.
fn stored(jp: &Jp) -> String {
    jp.run(&["conversation", "export", "--format", "json"]).ok()
}

/// Waits for something that no terminal shows.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "waited for {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The process whose number a file holds, once it is there.
pub fn process(file: &Path) -> PathBuf {
    let number = || fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    until("a process", || !number().is_empty());
    Path::new("/proc").join(number())
}

#[test]
fn an_answer_streams_by_blocks_and_the_turn_ends_with_its_cost_and_the_way_on() {
    let jp = player(
        r##"
[[answer]]
step = [
    { reasoning = "A thought." },
    { text = ["# Carr", "ots\n\nIn *ro", "ws*.\n\n", "Th"] },
    { delay = 2000 },
    { text = "e end." },
    { usage = { input = 12, output = 3 } },
]
"##,
    );
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    let screen = terminal.wait_for("s · play/er");
    assert!(screen.contains("A thought.\n"), "{screen}");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("# Carrots\n\nIn rows.\n\n"), "{screen}");
    assert!(screen.contains("tokens: 12 in, 3 out\njp-c"), "{screen}");
    assert!(screen.contains("· continue with `jp query --id=jp-c"), "{screen}");
    assert!(!screen.contains("s · play/er"), "the status remains: {screen}");
    assert_eq!(screen.matches("In rows.").count(), 1, "{screen}");
}

#[test]
fn a_tool_runs_when_it_may_and_the_model_hears_why_not() {
    let jp = player(
        r#"
[[answer]]
step = [
    { call = "greet", arguments = { to = "one" } },
    { call = "greet", arguments = { to = "two" } },
]
[[answer]]
expect = ["hello", "not you again"]
step = [
    { call = "greet", arguments = { to = "three" } },
    { call = "greet", arguments = { to = "four" } },
]
[[answer]]
text = "Done."
"#,
    );
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("\"to\": \"one\"");
    terminal.wait_for("[a] always");
    terminal.type_text("y");
    terminal.wait("the second question", |screen| screen.matches("[a] always").count() == 2);
    terminal.type_text("r");
    terminal.wait_for("Reason:");
    terminal.type_text("not you again");
    terminal.press("Enter");
    terminal.wait_for("\"to\": \"three\"");
    terminal.wait("the third question", |screen| screen.matches("[a] always").count() == 3);
    terminal.type_text("a");
    let screen = terminal.wait_for("Done.");
    // The fourth call is not asked about.
    assert_eq!(screen.matches("[a] always").count(), 3, "{screen}");
    assert_eq!(screen.matches("✓ greet: hello").count(), 3, "{screen}");
    assert!(screen.contains("✗ greet: The tool `greet` was not run: the user said no"), "{screen}");
}

#[test]
fn the_menu_lets_an_answer_go_on_replies_stops_and_aborts() {
    let jp = player(&endless());
    let terminal = shell(&jp);
    let menu = |number| {
        terminal.wait("a second to pass", |screen| {
            let status = screen.lines().rfind(|line| line.ends_with("s · play/er"));
            screen.contains("In rows.") && status.is_some_and(|line| !line.starts_with("0s"))
        });
        terminal.press("C-c");
        terminal.wait("the menu", |screen| screen.matches("[a] abort").count() == number);
    };
    begin(&terminal, "jp q --new begin; echo status $?");
    menu(1);
    terminal.type_text("c");
    menu(2);
    terminal.type_text("r");
    terminal.wait_for("Reply:");
    terminal.type_text("shorter");
    terminal.press("Enter");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("Then wait"), "{screen}");
    assert!(screen.contains("wait\n\nBriefly: yes.\n"), "{screen}");
    assert!(stored(&jp).contains("Then wait "));

    terminal.run("clear");
    begin(&terminal, "jp q --new begin; echo status $?");
    menu(1);
    terminal.type_text("s");
    let screen = terminal.wait_for("status 0");
    assert!(screen.contains("wait\nstopped: what came is kept\n"), "{screen}");
    assert!(stored(&jp).contains("Then wait "));

    terminal.run("clear");
    begin(&terminal, "jp q --new begin; echo status $?");
    menu(1);
    terminal.type_text("a");
    terminal.wait_for("status 130");
    let stored = stored(&jp);
    assert!(stored.contains("begin") && !stored.contains("Then"), "{stored}");
    // The terminal is as it was before.
    assert!(terminal.run("echo vis''ible").contains("\nvisible\n"));
}

#[test]
fn ctrl_c_at_a_question_opens_the_menu_and_not_the_next_question() {
    let jp = player(
        r#"
[[answer]]
step = [{ call = "greet", arguments = {} }, { call = "greet", arguments = {} }]
"#,
    );
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    terminal.wait_for("[a] always");
    terminal.press("C-c");
    terminal.wait_for("[a] abort");
    terminal.type_text("c");
    terminal.wait("the question again", |screen| screen.matches("[a] always").count() == 2);
    terminal.press("C-c");
    terminal.wait("the menu again", |screen| screen.matches("[a] abort").count() == 2);
    terminal.press("C-c");
    let screen = terminal.wait_for("status 0");
    assert_eq!(screen.matches("[a] always").count(), 2, "{screen}");
    assert!(screen.contains("stopped: what came is kept\n"), "{screen}");
}

#[test]
fn the_third_ctrl_c_ends_at_once_and_leaves_no_tool_behind() {
    let jp = player("[[answer]]\nstep = [{ call = \"stubborn\", arguments = {} }]\n");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin; echo status $?");
    terminal.wait_for("running stubborn");
    let tool = process(&jp.path("pid"));
    terminal.press("C-c");
    terminal.wait_for("[a] abort");
    terminal.press("C-c");
    terminal.wait("the menu to be gone", |screen| {
        screen.lines().rfind(|line| !line.is_empty()).is_some_and(|line| line.contains("running"))
    });
    terminal.press("C-c");
    terminal.wait("the end", |screen| screen.lines().any(|line| line == "status 130"));
    until("the end of the tool", || !tool.exists());
}

#[test]
fn a_terminal_that_goes_away_ends_a_query_in_its_process_and_what_came_is_kept() {
    let jp = player(
        "[[answer]]\nstep = [{ text = \"Let me see.\" }, { call = \"stubborn\", arguments = {} }]\n",
    );
    let terminal = shell(&jp);
    begin(&terminal, "exec sh -c 'echo $$ >query; exec jp q --no-server --new begin'");
    let query = process(&jp.path("query"));
    let tool = process(&jp.path("pid"));
    terminal.tell(&["kill-pane"]);
    until("the end of the query", || !query.exists());
    until("the end of the tool", || !tool.exists());
    let stored = stored(&jp);
    assert!(stored.contains("Let me see."), "{stored}");
    assert!(stored.contains("was stopped"), "{stored}");

    let jp = player(&endless());
    let terminal = shell(&jp);
    begin(&terminal, "exec sh -c 'echo $$ >query; exec jp q --no-server --new begin'");
    let query = process(&jp.path("query"));
    terminal.wait_for("In rows.");
    terminal.tell(&["kill-pane"]);
    until("the end of the query", || !query.exists());
    assert!(self::stored(&jp).contains("Then "));
}

#[test]
fn a_draft_is_asked_and_kept_when_that_fails() {
    let jp = player("[[answer]]\nexpect = \"from the editor\"\ntext = \"Read it.\"\n");
    let editor = jp.write(
        "editor",
        "#!/bin/sh\ncase $1 in\n\
         write) printf 'A text\\nfrom the editor\\n' >\"$2\" ;;\n\
         fail) printf 'A precious text\\n' >\"$2\"; exit 3 ;;\n\
         esac\n",
    );
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let terminal = shell(&jp);
    let screen = terminal.run("JP_EDITOR='./editor write' jp q --new; echo status $?");
    assert!(screen.contains("\nRead it.\n"), "{screen}");
    let screen = terminal.run("clear; JP_EDITOR='./editor empty' jp q; echo status $?");
    assert!(screen.contains("error: nothing was asked: the draft is empty\n"), "{screen}");
    assert!(screen.contains("\nstatus 1\n"), "{screen}");
    // Nobody writes a text only to hear that there is nobody to read it.
    let screen = terminal.run("clear; JP_EDITOR='./editor fail' jp q --new -m no/ne");
    assert!(screen.contains("error: there is no provider `no`"), "{screen}");
    let screen = terminal.run("clear; JP_EDITOR='./editor fail' jp q; echo status $?");
    assert!(screen.contains("failed (exit status: 3); the draft is kept in `"), "{screen}");
    let unwrapped = screen.replace('\n', "");
    let path = unwrapped.split("the draft is kept in `").nth(1).unwrap().split('`').next().unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "A precious text\n");
}

/// Text that renames the window, clears the screen, paints it red, copies, links, overwrites, and
/// turns text around.
const HOSTILE: &str = "\u{1b}]2;pwned\u{7}\u{1b}[2J\u{1b}[H\u{1b}[31m\u{9b}31m\u{1b}]52;c;cHc=\u{7}\
                       \u{1b}]8;;http://x\u{1b}\\\u{90}q\u{9c}\u{8}\u{202e}end";

#[test]
fn nothing_that_a_model_or_a_tool_says_steers_the_terminal() {
    let quoted: String = HOSTILE.chars().map(|c| format!("\\U{:08X}", u32::from(c))).collect();
    let script = r#"
[[answer]]
chunk = 1
step = [
    { error = "busy", message = "HOSTILE", retry_after = 1 },
    { reasoning = "HOSTILE" },
    { text = "`HOSTILE` HOSTILE" },
    { call = "greetHOSTILE", arguments = {} },
    { call = "greet", arguments = { "HOSTILE" = "HOSTILE" } },
    { call = "ask", arguments = {} },
]
[[answer]]
step = [{ error = "refused", message = "HOSTILE" }]
"#;
    let jp = player(&script.replace("HOSTILE", &quoted));
    // Whoever sets the title now is not jp.
    let jp = jp.with_var("JP_UI_TERMINAL_TITLE", "false");
    let question = serde_json::json!({ "jp": { "type": "needs_input", "question": {
        "id": "a", "type": "select", "text": HOSTILE,
        "options": [{ "value": HOSTILE, "description": HOSTILE }],
    } } });
    jp.write("question", question.to_string());
    jp.write("hostile", HOSTILE);
    let tool = r#"[tools.ask]
command = ["sh", "-c", "if grep -q pwned; then cat hostile; exit 1; else cat question; fi"]
permission = "allow"
parameters = { type = "object" }
"#;
    let config = jp.path("../config/jp/config.toml");
    fs::write(&config, fs::read_to_string(&config).unwrap() + tool).unwrap();

    let terminal = shell(&jp);
    terminal.tell(&["resize-window", "-x", "200", "-y", "60"]);
    terminal.tell(&["select-pane", "-T", "before"]);
    let all = jp.world().join("all");
    terminal.tell(&["pipe-pane", "-o", &format!("cat >{}", all.display())]);
    begin(&terminal, "jp q --new \"$(cat hostile)\"; echo status $?");
    terminal.wait_for("[a] always");
    terminal.type_text("n");
    terminal.wait_for("ask asks: ");
    terminal.wait_for("Choose");
    terminal.type_text("1");
    let screen = terminal.wait("the end", |screen| screen.contains("\nstatus 1\n"));
    assert!(screen.contains("error: \\u{1b}]2;pwned"), "{screen}");
    assert_eq!(terminal.ask("#{pane_title}"), "before");
    terminal.tell(&["pipe-pane"]);

    let all = fs::read_to_string(all).unwrap();
    let bad = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\u{1b}') || c == '\u{202e}';
    assert_eq!(all.find(bad), None, "{all:?}");
    for sequence in all.split('\u{1b}').skip(1) {
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
        let is_ours = match sequence.as_bytes().get(end) {
            Some(b'm') => sequence[..end].bytes().all(|b| matches!(b, b'[' | b';' | b'0'..=b'9')),
            Some(b'K') => &sequence[..end] == "[",
            Some(b'h' | b'l') => &sequence[..end] == "[?2004",
            _ => false,
        };
        assert!(is_ours, "{sequence:?}");
    }
    // What is stored is what was said.
    let exported: serde_json::Value = serde_json::from_str(&stored(&jp)).unwrap();
    let texts = ["message", "reasoning", "request", "tool-call", "inquiry-request", "tool-result"];
    let mut missing: BTreeSet<_> = texts.into();
    let escaped = serde_json::Value::from(HOSTILE).to_string();
    for event in exported["turns"][0]["events"].as_array().unwrap() {
        if event.to_string().contains(escaped.trim_matches('"')) {
            missing.remove(event["type"].as_str().unwrap());
        }
    }
    assert_eq!(missing, BTreeSet::new(), "{exported:#}");
}
