//! The title of a real terminal during a query, and that nothing else ever gets it.

use std::fs;

use crate::{
    query::{begin, player, shell, until},
    support::{Jp, Output},
    terminal::Terminal,
};

/// The id of the conversation that was begun last.
fn newest(jp: &Jp) -> String {
    let all = jp.run(&["c", "ls", "--format", "json"]).json();
    all[0]["id"].as_str().unwrap().to_owned()
}

/// Waits until the terminal has a title.
fn wait_for_title(terminal: &Terminal<'_>, title: &str) {
    until(&format!("the title `{title}`"), || terminal.ask("#{pane_title}") == title);
}

/// A user whose model answers as a script says, and whose conversations another one names.
fn named(script: &str, names: &str) -> Jp {
    let jp = player(script);
    let config = jp.path("../config/jp/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let file = jp.write("title.toml", names);
    let title = "[title]\ngenerate = true\nmodel = \"namer/x\"\n";
    let provider = format!("[providers.namer]\napi = \"script\"\nfile = {file:?}\n");
    fs::write(&config, format!("{before}{title}{provider}")).unwrap();
    jp
}

/// An answer that does not end before somebody has looked at the title.
const LONG: &str = "[[answer]]\nstep = [{ text = \"One.\\n\\n\" }, { delay = 600000 }]\n";

fn stop(terminal: &Terminal<'_>) {
    terminal.press("C-c");
    terminal.wait_for("[a] abort");
    terminal.type_text("s");
    terminal.wait_for("status 0");
}

#[test]
fn the_title_names_the_conversation_from_the_start_and_stays() {
    let jp = player(&format!("[[answer]]\ntext = \"Yes.\"\n{LONG}"));
    let terminal = shell(&jp);
    terminal.tell(&["select-pane", "-T", "before"]);
    let screen = terminal.run("jp q --new 'When to sow carrots?'; echo status $?");
    assert!(screen.contains("status 0"), "{screen}");
    let id = newest(&jp);
    assert_eq!(terminal.ask("#{pane_title}"), format!("{id}: When to sow carrots?"));

    assert_eq!(jp.run(&["c", "title", &id, "Carrots"]).code, 0);
    terminal.run("clear");
    begin(&terminal, "jp q 'And where?'; echo status $?");
    terminal.wait_for("One.");
    wait_for_title(&terminal, &format!("{id}: Carrots"));
    stop(&terminal);
    assert_eq!(terminal.ask("#{pane_title}"), format!("{id}: Carrots"));
}

#[test]
fn it_is_there_while_the_question_is_written() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    let terminal = shell(&jp);
    terminal.run("jp q --new 'Carrots'");
    let id = newest(&jp);
    terminal.tell(&["select-pane", "-T", "before"]);
    begin(&terminal, "JP_EDITOR='cat - ' jp q; echo status $?");
    wait_for_title(&terminal, &format!("{id}: Carrots"));
    terminal.press("C-d");
    terminal.wait_for("status 1");
}

#[test]
fn a_title_that_a_model_makes_is_shown_when_it_comes_and_not_at_the_end() {
    let jp = named(LONG, "[[answer]]\ntext = \"When to sow\"\n");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new 'Carrots?'; echo status $?");
    terminal.wait_for("One.");
    terminal.wait("the title", |_| terminal.ask("#{pane_title}").ends_with(": When to sow"));
    stop(&terminal);
    assert_eq!(terminal.ask("#{pane_title}"), format!("{}: When to sow", newest(&jp)));
}

#[test]
fn a_hostile_title_does_nothing_but_stand_there() {
    let jp = player(&format!("[[answer]]\ntext = \"Yes.\"\n{LONG}"));
    let terminal = shell(&jp);
    terminal.run("jp q --new Carrots");
    let id = newest(&jp);
    let meta = jp.git(&["show", &format!("{id}:.conversation/meta.toml")]);
    let hostile = r"a\u0007b\u001B[2J\u001B]52;c;cHc=\u0007\u009B31m\u009C\nc\u202Ed\u001B\\e";
    assert!(meta.contains("title = \"Carrots\""), "{meta}");
    jp.edit(&id, ".conversation/meta.toml", meta.replace("Carrots", hostile));
    terminal.run("clear; echo still here");
    terminal.tell(&["set-option", "-g", "set-clipboard", "on"]);
    begin(&terminal, "jp q 'And where?'; echo status $?");
    wait_for_title(&terminal, &format!("{id}: ab[2J]52;c;cHc=31m cd\\e"));
    let screen = terminal.wait_for("One.");
    assert!(screen.contains("still here\n"), "{screen}");
    stop(&terminal);
    let buffers = Output::of(terminal.tmux(&["list-buffers"]).stdin(std::process::Stdio::null()));
    assert_eq!(buffers.stdout, "");

    let long = meta.replace("Carrots", &"x".repeat(10_000));
    jp.edit(&id, ".conversation/meta.toml", long);
    terminal.run("clear; jp q --no-edit; echo status $?");
    let title = terminal.ask("#{pane_title}");
    assert!(title.starts_with(&format!("{id}: xxx")) && title.ends_with("x…"), "{title}");
    assert_eq!(title.chars().count(), 120);
}

#[test]
fn who_wants_no_title_has_none() {
    let jp = player(&"[[answer]]\ntext = \"Yes.\"\n".repeat(9));
    let terminal = shell(&jp);
    terminal.tell(&["select-pane", "-T", "before"]);
    for command in [
        "jp q --new -c ui.terminal_title=false Carrots",
        "jp q --new --quiet Carrots",
        "TERM=dumb jp q --new Carrots",
        "TERM= jp q --new Carrots",
        "TERM=linux jp q --new Carrots",
        "jp q --new Carrots 2>talk",
        "jp q --new Carrots 2>&1 | cat >all",
    ] {
        let screen = terminal.run(&format!("clear; {command}; echo status $?"));
        assert!(screen.contains("status 0"), "{screen}");
        assert_eq!(terminal.ask("#{pane_title}"), "before", "{command}");
    }
    for piped in ["talk", "all"] {
        let text = fs::read(jp.path(piped)).unwrap();
        assert!(!text.is_empty() && !text.contains(&b'\x1b'), "{text:?}");
    }
}

#[test]
fn the_answer_in_a_pipe_has_no_part_of_it() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    let terminal = shell(&jp);
    let screen = terminal.run("jp q --new Carrots >answer; echo status $?");
    assert!(screen.contains("status 0"), "{screen}");
    assert_eq!(fs::read_to_string(jp.path("answer")).unwrap(), "Yes.\n");
    assert_eq!(terminal.ask("#{pane_title}"), format!("{}: Carrots", newest(&jp)));
}
