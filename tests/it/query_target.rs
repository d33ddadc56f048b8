//! Which conversation a query goes to, and that it never goes to another one.

use std::{fs, process::Stdio};

use crate::{
    loopback::{Loopback, Step},
    query::{THREE_TOOLS, answer, ask, client, files, listed, only, player},
    support::{Jp, Output, contents, message, request},
};

const TWO_TEXTS: &str = "[[answer]]\ntext = \"One.\"\n\n[[answer]]\ntext = \"Two.\"\n";

const WAYS: &str = "Hint: `jp query --new \"…\"` begins a conversation
Hint: `jp query --id=ID \"…\"` continues one, and `--id=last` the one last used; `jp conversation ls` lists them
Hint: scripts that set `JP_SESSION` to the same text share a conversation
";

#[test]
fn a_session_goes_on_with_its_own_conversation_and_with_no_other() {
    let one = player(TWO_TEXTS);
    let two = one.with_var("JP_SESSION", "two");
    assert_eq!(answer(ask(&one, &["--new", "Of one"])), "One.\n");
    let first = only(&one);
    let none = format!("error: this terminal has no conversation yet\n{WAYS}");
    ask(&two, &["Hello"]).fails(1, &none);
    assert_eq!(answer(ask(&two, &["--new", "Of two"])), "One.\n");
    assert_eq!(answer(ask(&one, &["More of one"])), "Two.\n");
    assert_eq!(one.show(&first)["events"], 4);
    let other = listed(&one).into_iter().find(|c| c["id"] != first.as_str()).unwrap();
    assert_eq!(other["events"], 2);
    // To name a conversation is to go on with it.
    let other = other["id"].as_str().unwrap();
    assert_eq!(answer(ask(&one, &[&format!("--id={other}"), "From one"])), "Two.\n");
    let refused = ask(&one, &["Once more"]);
    assert_eq!(refused.code, 1, "the script is over: {}", refused.stderr);
    assert_eq!(files(&one, other).len(), 5);
    assert_eq!(files(&one, &first).len(), 4);
}

#[test]
fn a_conversation_that_was_put_away_is_not_gone_on_with() {
    let jp = player(TWO_TEXTS);
    answer(ask(&jp, &["--new", "Hello"]));
    let id = only(&jp);
    assert_eq!(jp.run(&["c", "archive", &id]).code, 0);
    let back = format!("Hint: `jp conversation unarchive {id}` brings it back\n");
    let away = format!("error: the conversation of this terminal, {id}, was put away\n");
    let other = "Hint: `jp query --new \"…\"` begins another one\n\
                 Hint: `jp conversation use ID` turns this terminal to one that is there\n";
    ask(&jp, &["Hello?"]).fails(1, &format!("{away}{back}{other}"));
    assert_eq!(jp.run(&["c", "unarchive", &id]).code, 0);
    assert_eq!(answer(ask(&jp, &["Hello?"])), "Two.\n");
}

#[test]
fn an_unknown_conversation_is_named() {
    let jp = player(TWO_TEXTS);
    let output = ask(&jp, &["--id=jp-c17000000000", "Hello"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("jp-c17000000000"), "{}", output.stderr);
}

#[test]
fn a_conversation_that_another_query_writes_is_locked() {
    let server = Loopback::start([vec![Step::Hang]]);
    let jp = client(&server);
    let mut first = jp.jp(&["q", "--no-server", "--non-interactive", "--new", "When?"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    server.wait_for_request();
    let id = only(&jp);
    let second = ask(&jp.with_var("JP_LOCK_DURATION", "0"), &[&format!("--id={id}"), "Me too"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!((second.code, second.stdout.as_str()), (75, ""), "{}", second.stderr);
    let locked = format!(
        "error: conversation {id} is locked (held by pid {}, session one, since 20",
        first.id()
    );
    assert!(second.stderr.starts_with(&locked), "{}", second.stderr);
    assert_eq!(files(&jp, &id), ["000-request.md"]);
}

#[test]
fn a_query_that_is_not_kept_writes_nothing_and_runs_only_what_may_run_twice() {
    let jp = player(&THREE_TOOLS.replace("expect = [\"fine\", \"sorry\"]", "expect = \"again\""));
    let id = jp.start(&[&request("Hello\n"), &message("Hi.\n")]);
    let config = jp.world().join("config/jp/config.toml");
    let idempotent = fs::read_to_string(&config).unwrap().replace(
        "command = [\"echo sorry >&2; exit 3\"]",
        "command = [\"echo again\"]\nidempotent = true",
    );
    fs::write(&config, idempotent).unwrap();
    // Where outputs go that are too long for a model.
    fs::create_dir_all(jp.world().join("data/jp/outputs")).unwrap();
    let before = contents(&jp.world());
    let named = format!("--id={id}");
    for args in [&["--no-persist", "Do it"][..], &["--no-persist", &named, "Do it"]] {
        let output = ask(&jp, args);
        assert_eq!(output.stdout, "Let me look.\n\nTwo of them failed.\n", "{}", output.stderr);
        assert!(!output.stderr.contains("jp query --id"), "{}", output.stderr);
        let after = contents(&jp.world());
        assert!(after.keys().eq(before.keys()), "{:?}", difference(&before, &after));
        assert!(after == before);
    }
}

fn difference<V>(
    before: &std::collections::BTreeMap<std::path::PathBuf, V>,
    after: &std::collections::BTreeMap<std::path::PathBuf, V>,
) -> Vec<std::path::PathBuf> {
    after.keys().filter(|path| !before.contains_key(*path)).cloned().collect()
}

#[test]
fn a_query_that_is_not_kept_needs_no_workspace_and_makes_none() {
    let jp = Jp::new();
    let before = contents(&jp.world());
    let output = ask(&jp, &["--no-persist", "How do I undo?"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stdout.is_empty());
    let after = contents(&jp.world());
    assert_eq!(difference(&before, &after), Vec::<std::path::PathBuf>::new());
    assert!(after == before);
}

#[test]
fn a_first_query_makes_a_workspace_where_there_is_none() {
    let jp = Jp::new().with_var("JP_SESSION", "one");
    let output = ask(&jp, &["--new", "--title", "Undo", "--label", "topic=git", "How do I undo?"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let listed = listed(&jp);
    assert_eq!(
        (&listed[0]["title"], &listed[0]["labels"]["topic"]),
        (&"Undo".into(), &"git".into())
    );
    let refused: Output = ask(&jp, &["--title", "Other", "More"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
    jp.assert_sound();
}
