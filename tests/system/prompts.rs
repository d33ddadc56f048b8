//! Prompts in a real terminal: arguments that are changed in an editor, what is allowed for good,
//! and results that somebody keeps to themselves.

use crate::{
    query::{begin, player, shell},
    support::Jp,
};

/// A tool that keeps what it was given, and tells a secret.
const RECORDER: &str = r#"
[tools.record]
command = ["sh", "-c", "cat >>given; echo the secret is 42"]
parameters = { type = "object", required = ["to"], properties = { to = { type = "string" } } }
"#;

/// A model that calls the tool once and says what it has heard of it.
pub const ONE_CALL: &str = r#"
[[answer]]
step = [{ call = "record", arguments = { to = "one" } }]
[[answer]]
text = "Done."
"#;

pub fn recorder(script: &str, settings: &str) -> Jp {
    let jp = player(script);
    let config = jp.world().join("config/jp/config.toml");
    let before = std::fs::read_to_string(&config).unwrap();
    jp.write("../config/jp/config.toml", before + RECORDER + settings);
    jp
}

/// An editor that puts a text into the place of another.
fn editor(jp: Jp, from: &str, to: &str) -> Jp {
    jp.with_var("JP_EDITOR", format!("sed -i 's/{from}/{to}/'"))
}

pub fn given(jp: &Jp) -> String {
    std::fs::read_to_string(jp.path("given")).unwrap_or_default()
}

/// What was written in an editor at a question, and is kept.
pub fn reworks(jp: &Jp) -> Vec<String> {
    let workspaces = std::fs::read_dir(jp.world().join("data/jp/workspace")).unwrap();
    let reworks = workspaces.map(|workspace| workspace.unwrap().path().join("reworks"));
    let kept = reworks.filter_map(|directory| std::fs::read_dir(directory).ok()).flatten();
    let kept = kept.map(|kept| kept.unwrap().path().join("arguments.json"));
    kept.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn changed_arguments_are_shown_again_and_are_what_runs() {
    let jp = editor(recorder(ONE_CALL, ""), "one", "two");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("\"to\": \"one\"");
    terminal.wait_for("[s] show");
    terminal.type_text("e");
    terminal.wait_for("\"to\": \"two\"");
    terminal.wait("the second question", |screen| screen.matches("[s] show").count() == 2);
    assert_eq!(given(&jp), "", "nothing runs before somebody says so");
    terminal.type_text("y");
    terminal.wait_for("Done.");
    let given = given(&jp);
    assert!(given.contains("\"to\": \"two\"") || given.contains("\"to\":\"two\""), "{given}");
    let stored = jp.messages("last", &[]).to_string();
    assert!(stored.contains("The user changed the arguments to"), "{stored}");
    assert_eq!(reworks(&jp), [""; 0], "what is stored is nowhere else");
}

#[test]
fn arguments_that_became_wrong_do_not_run() {
    let jp = editor(recorder(ONE_CALL, ""), "\"to\"", "\"too\"");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("[s] show");
    terminal.type_text("e");
    terminal.wait_for("Edit it again?");
    let screen = terminal.wait_for("`to` is missing");
    assert!(screen.contains("\"too\": \"one\""), "what was written is there: {screen}");
    terminal.type_text("y");
    terminal.press("Enter");
    terminal.wait_for("Done.");
    assert_eq!(given(&jp), "");
}

#[test]
fn what_is_allowed_for_good_is_not_asked_about_in_the_next_query() {
    let again = "[[answer]]\nstep = [{ call = \"record\", arguments = { to = \"one\" } }]\n\
                 [[answer]]\ntext = \"Again.\"\n";
    let jp = recorder(&format!("{ONE_CALL}{again}"), "");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    terminal.wait_for("[a] always in this conversation");
    terminal.type_text("a");
    terminal.wait_for("Done.");
    begin(&terminal, "clear; jp q more");
    let screen = terminal.wait_for("Again.");
    assert!(!screen.contains("[a] always"), "{screen}");
    assert_eq!(given(&jp).lines().count(), 2);
    // A fork begins without it.
    let fork = jp.run(&["c", "fork", "--format", "json"]).json();
    let fork = fork["id"].as_str().unwrap().to_owned();
    let refused = jp.run(&["q", "--non-interactive", &format!("--id={fork}"), "and now"]);
    assert_eq!(given(&jp).lines().count(), 2, "{}", refused.stderr);
}

#[test]
fn a_result_is_kept_from_the_model_unless_somebody_says_otherwise() {
    let jp = recorder(ONE_CALL, "permission = \"allow\"\ndeliver = \"ask\"\n");
    let terminal = shell(&jp);
    begin(&terminal, "jp q --new begin");
    let screen = terminal.wait_for("Hand it to the model?");
    assert!(screen.contains("record has come to\n  the secret is 42"), "{screen}");
    terminal.press("Enter");
    terminal.wait_for("Done.");
    let sent = jp.messages("last", &[]).to_string();
    assert!(!sent.contains("secret is 42"), "{sent}");
    assert!(sent.contains("keeps its result to themselves"), "{sent}");
    let stored = jp.run(&["c", "export", "--format", "json"]).ok();
    assert!(stored.contains("secret is 42"), "{stored}");
}
