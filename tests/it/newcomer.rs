//! The first steps of somebody who is new: nothing is configured, and the words lead on.

use std::fs;

use crate::support::Jp;

const REAL_MODEL: &str = "`jp config set assistant.model PROVIDER/MODEL`";

#[test]
fn without_a_conversation_the_ways_to_one_are_listed() {
    let run = Jp::new().with_var("JP_SESSION", "tab").run(&["q", "hello"]);
    let expected = "error: there is no conversation yet\n\
        Hint: `jp query --new \"…\"` begins a conversation\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str(), run.code), ("", expected, 1));
}

#[test]
fn how_to_get_a_real_model_is_told_once_in_a_conversation() {
    let jp = Jp::new().with_var("JP_SESSION", "tab");
    let first = jp.run(&["q", "--new", "How do I undo a change?"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(first.stdout.contains("jp conversation undo"), "{}", first.stdout);
    assert!(!first.stdout.contains(REAL_MODEL), "{}", first.stdout);
    assert_eq!(first.stderr.matches(REAL_MODEL).count(), 1, "{}", first.stderr);
    let second = jp.run(&["q", "And how do I redo it?"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert!(!second.stderr.contains(REAL_MODEL), "{}", second.stderr);
    assert!(second.stderr.contains("continue with `jp query --id=jp-c"), "{}", second.stderr);
}

#[test]
fn a_model_that_cannot_be_asked_is_told_before_anything_is_written() {
    let run = Jp::new().run(&["q", "--new", "-m", "anthropic/claude"]);
    let expected = "error: there is no key for `anthropic`: the variable `ANTHROPIC_API_KEY` is \
        not set\nHint: `jp models` lists what can be reached from here\n";
    assert_eq!((run.stderr.as_str(), run.code), (expected, 1));
}

#[test]
fn the_models_are_listed_with_the_way_to_more() {
    let run = Jp::new().run(&["models", "guide"]);
    assert_eq!((run.stdout.as_str(), run.code), ("guide (built in)\n  guide/jp\n", 0));
    let all = Jp::new().run(&["models"]);
    let keys = all.stderr.lines().find(|line| line.contains("a key in one of these variables"));
    let keys = keys.expect("the variables of keys are named");
    assert!(keys.contains("`ANTHROPIC_API_KEY`") && !keys.contains("OLLAMA"), "{keys}");
    assert!(all.stderr.contains("llamacpp, lmstudio, vllm, ollama"), "{}", all.stderr);
}

#[test]
fn the_page_about_models_names_every_provider_with_its_variables() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guides/models.md");
    let page = fs::read_to_string(page).unwrap();
    for preset in &jp::provider::PRESETS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", preset.name)));
        let row = row.unwrap_or_else(|| panic!("no row for {}", preset.name));
        for variable in preset.key_vars.iter().copied().chain(preset.base_var) {
            assert!(row.contains(&format!("`{variable}`")), "no {variable} in {row}");
        }
        assert!(!preset.local || row.contains(preset.base_url), "{row}");
    }
}
