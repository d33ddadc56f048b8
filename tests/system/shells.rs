//! Real shells complete the commands and conversations of jp.

use crate::{
    support::{Jp, Output, request},
    terminal::Terminal,
    user,
};

/// A user with two conversations; the first has the title of an attacker.
fn with_conversations() -> (Jp, String, String) {
    let jp = user();
    let hostile = jp.start(&[&request("One\n")]);
    let title = r#"\u001b[31m: $(touch pwned) `touch pwned` '\"; %F{red}%(#"#;
    let meta = format!("format = \"1.0\"\ntitle = \"{title}\"\n");
    let later = jp.with_var("GIT_COMMITTER_DATE", "2040-01-01T00:00:00Z");
    later.edit(&hostile, ".conversation/meta.toml", meta);
    let plain = jp.start(&[&request("Two\n")]);
    (jp, hostile, plain)
}

fn assert_unharmed(jp: &Jp) {
    assert!(!jp.path("pwned").exists());
}

/// What bash would offer for these words, the last of which is being typed.
fn bash(jp: &Jp, words: &[&str]) -> Vec<String> {
    let script = r#"
        set -eu
        source <(jp completions bash)
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
        complete -p jp | grep -q -- '-F _clap_complete_jp'
        _clap_complete_jp jp "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut command = jp.command("bash");
    command.args(["--norc", "--noprofile", "-c", script, "bash", "jp"]).args(words);
    Output::of(&mut command).ok().lines().map(str::to_owned).collect()
}

/// What fish would offer for this line.
fn fish(jp: &Jp, line: &str) -> Vec<String> {
    let script = "jp completions fish | source; complete -C $argv[1]";
    let mut command = jp.command("fish");
    command.args(["--no-config", "-c", script, line]);
    Output::of(&mut command).ok().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_conversations() {
    let (jp, hostile, plain) = with_conversations();
    assert_eq!(bash(&jp, &["c", "show", ""]), [hostile.as_str(), &plain]);
    assert_eq!(bash(&jp, &["c", "show", &plain]), [plain.as_str()]);
    assert_eq!(bash(&jp, &["c", "sh"]), ["show"]);
    assert_eq!(bash(&jp, &["c", "cat", &plain, ""]), ["000"]);
    assert_unharmed(&jp);
}

#[test]
fn bash_inserts_the_only_conversation_at_the_first_tab() {
    let jp = user();
    let id = jp.start(&[&request("One\n")]);
    let terminal = Terminal::shell(&jp, &["bash", "--norc", "--noprofile"]);
    terminal.run("source <(jp completions bash)");
    terminal.type_text("jp c sh");
    terminal.press("Tab");
    terminal.wait_for("> jp c show");
    terminal.press("Tab");
    terminal.wait_for(&format!("> jp c show {id}"));
}

#[test]
fn fish_completes_commands_and_conversations_with_their_titles() {
    let (jp, hostile, plain) = with_conversations();
    let title = r#"\u{1b}[31m: $(touch pwned) `touch pwned` '"; %F{red}%(#"#;
    let conversations = [format!("{hostile}\t{title}"), format!("{plain}\tTwo")];
    assert_eq!(fish(&jp, "jp c show "), conversations);
    let show = "show\tShow a conversation: what it is waiting for, and its events";
    assert_eq!(fish(&jp, "jp c sh"), [show]);
    assert_eq!(fish(&jp, &format!("jp c cat {plain} ")), ["000\t000-request.md"]);
    assert_unharmed(&jp);
}

#[test]
fn zsh_completes_commands_and_conversations_with_their_titles() {
    let (jp, hostile, plain) = with_conversations();
    let terminal = Terminal::shell(&jp, &["zsh", "-f"]);
    terminal.run("autoload -U compinit && compinit -u -D && source <(jp completions zsh)");
    terminal.type_text("jp c sh");
    terminal.press("Tab");
    terminal.wait_for("> jp c show");
    // The first tab inserts what all ids begin with, the next one lists them.
    terminal.press("Tab");
    terminal.wait_for("> jp c show jp-c");
    terminal.press("Tab");
    let screen = terminal.wait_for(&plain);
    let title = r#"\u{1b}[31m: $(touch pwned) `touch pwned` '"; %F{red}%(#"#;
    assert!(screen.contains(&format!("{hostile}  -- {title}\n")), "{screen}");
    assert!(screen.contains(&format!("{plain}  -- Two\n")), "{screen}");
    assert!(!terminal.coloured_screen().contains("\u{1b}[31m"), "{screen}");
    terminal.press("Tab");
    terminal.wait_for(&format!("> jp c show {hostile}"));
    assert_unharmed(&jp);
}
