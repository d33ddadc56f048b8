//! Who wrote each line of an event, with git blame as the referee.

use serde_json::json;

use crate::support::{Jp, TIME, message, request};

/// The commit of each line, as jp tells it.
fn blamed(jp: &Jp, id: &str, address: &str) -> Vec<String> {
    let blame = jp.run(&["c", "blame", id, address, "--format", "json"]).json();
    let commit = |line: &serde_json::Value| line["commit"].as_str().unwrap().to_owned();
    blame["lines"].as_array().unwrap().iter().map(commit).collect()
}

/// The commit of each line, as git tells it.
fn blamed_by_git(jp: &Jp, id: &str, path: &str) -> Vec<String> {
    let porcelain = jp.git(&["blame", "--line-porcelain", "-C", "-C", "-C", id, "--", path]);
    let is_commit = |word: &str| word.len() == 40 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let commit = |line: &str| {
        let word = line.split(' ').next().unwrap_or_default();
        is_commit(word).then(|| word.to_owned())
    };
    porcelain.lines().filter_map(commit).collect()
}

#[test]
fn lines_are_told_with_who_wrote_them_and_when() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("One\nTwo\n")]);
    let first = jp.tip(&id);
    let dated = jp.with_var("GIT_AUTHOR_DATE", "2026-03-01T10:00:00Z");
    dated.edit(&id, "001-message.md", message("One\n\u{1b}[31mTwo\nThree\n"));
    let (old, new) = (&first[..10], &jp.tip(&id)[..10]);
    let expected = format!(
        "COMMIT      AUTHOR      ORIGIN  WHEN              LINE  TEXT\n\
         {old}  acme/large  model   2026-01-31 11:00  1     ---\n\
         {old}  acme/large  model   2026-01-31 11:00  2     type: message\n\
         {old}  acme/large  model   2026-01-31 11:00  3     timestamp: {TIME}\n\
         {old}  acme/large  model   2026-01-31 11:00  4     model: acme/large\n\
         {old}  acme/large  model   2026-01-31 11:00  5     ---\n\
         {old}  acme/large  model   2026-01-31 11:00  6     One\n\
         {new}  Ann         hand    2026-03-01 10:00  7     \\u{{1b}}[31mTwo\n\
         {new}  Ann         hand    2026-03-01 10:00  8     Three\n"
    );
    for args in [&["c", "blame", "1"][..], &["c", "blame", &id, "001-message.md"]] {
        assert_eq!(jp.run(args).ok(), expected, "{args:?}");
    }
    let before = jp.run(&["c", "blame", "1", "--at", "~1"]).ok();
    assert!(before.ends_with("  7     Two\n"), "{before}");
}

#[test]
fn git_tells_the_same_of_every_edit() {
    let jp = Jp::in_workspace();
    let body = |lines: &[&str]| message(&lines.join("\n"));
    let id = jp.start(&[&request("Question\n"), &body(&["a", "b", "c", "d", "e", ""])]);
    for lines in [
        &["a", "b", "x", "d", "e", ""][..],
        &["b", "x", "d", "e", "a", ""],
        &["b", "", "x", "", "d", "y", "e", "a", ""],
        &["b", "", "x", "", "d", "y", "e", "a"],
        &["new", "b", "", "x", "z", "e", "a", "a", ""],
    ] {
        jp.edit(&id, "001-message.md", body(lines));
        jp.append(&id, &[&message("meanwhile\n")]).ok();
        assert_eq!(blamed(&jp, &id, "1"), blamed_by_git(&jp, &id, "001-message.md"), "{lines:?}");
    }
}

#[test]
fn an_event_is_followed_into_a_sealed_run() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\nthat is long\n")]);
    let first = jp.tip(&id);
    jp.edit(&id, "000-request.md", request("Question\nthat is longer\n"));
    let second = jp.tip(&id);
    let text = message("again\n");
    jp.append(&id, &[text.as_str(); 121]).ok();
    assert_eq!(
        blamed(&jp, &id, "0"),
        [&[&first; 5][..], &[&second]].concat().into_iter().cloned().collect::<Vec<_>>()
    );
    jp.edit(&id, "000/000-request.md", request("A question\nthat is longer\n"));
    let third = jp.tip(&id);
    let expected = [&first, &first, &first, &first, &third, &second].map(String::clone);
    assert_eq!(blamed(&jp, &id, "0"), expected);
    assert_eq!(blamed_by_git(&jp, &id, "000/000-request.md"), expected);
}

#[test]
fn what_comes_back_belongs_to_whoever_wrote_it_first() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.append(&id, &[&message("Answer\n")]).ok();
    let first = jp.tip(&id);
    let original = vec![first.clone(); 6];
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    assert_eq!(blamed(&jp, &id, "1"), original);
    jp.edit(&id, "001-message.md", message("Another answer\n"));
    assert_ne!(blamed(&jp, &id, "1"), original);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(blamed(&jp, &id, "1"), original);
    jp.edit(&id, "001-message.md", message("Answer\nand more\n"));
    let expected = [&vec![first; 6][..], &[jp.tip(&id)]].concat();
    assert_eq!(blamed(&jp, &id, "1"), expected);
}

#[test]
fn another_event_that_had_the_number_before_has_no_part_in_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.append(&id, &[&message("Answer\n")]).ok();
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    jp.append(&id, &[&message("Answer\n").replace(TIME, "2026-02-01T12:00:00Z")]).ok();
    assert_eq!(blamed(&jp, &id, "1"), vec![jp.tip(&id); 6]);
}

#[test]
fn programs_get_the_commits_in_parts() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question")]);
    let commit = jp.tip(&id);
    let blame = jp.run(&["c", "blame", "0", "--format", "json"]).json();
    let line = |text: &str| json!({"commit": commit, "text": text});
    let expected = json!({
        "id": id, "commit": commit, "address": 0, "file": "000-request.md",
        "commits": [{
            "commit": commit,
            "tree": jp.git(&["rev-parse", &format!("{id}^{{tree}}")]).trim_end(),
            "subject": "append 000-request.md",
            "author": "Ann",
            "authored_at": "2026-01-31T11:00:00Z",
            "committed_at": blame["commits"][0]["committed_at"],
            "operation": blame["commits"][0]["operation"],
            "origin": "user",
            "turn": 0,
        }],
        "lines": [
            line("---"), line("type: request"), line(&format!("timestamp: {TIME}")), line("---"),
            line("Question"),
        ],
        "complete": true,
    });
    assert_eq!(blame, expected);
}

#[test]
fn a_history_that_ends_too_soon_is_told() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let commit = jp.git(&["cat-file", "commit", &id]);
    let parent = jp.git(&["rev-parse", &format!("{id}^")]);
    let lost = "0123456789".repeat(4);
    let torn = commit.replace(parent.trim_end(), &lost);
    let torn = jp.git_with_input(&["hash-object", "-t", "commit", "-w", "--stdin"], torn);
    jp.force(&id, &torn);
    let blame = jp.run(&["c", "blame", &id, "0"]);
    let warning = format!(
        "warning: lines may be older than is known: conversation {id} cannot be read: object {lost} is missing\n"
    );
    assert_eq!((blame.code, blame.stderr), (0, warning));
    assert_eq!(blame.stdout.lines().filter(|line| line.starts_with(&torn[..10])).count(), 5);
}

#[test]
fn an_event_that_is_not_there_is_an_error() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.run(&["c", "blame", &id, "7"]).fails(
        1,
        &format!(
            "error: conversation {id} has no event 007\n\
             Hint: `jp conversation show {id}` lists its events\n"
        ),
    );
    assert_eq!(jp.run(&["c", "blame", "x"]).code, 2);
    assert_eq!(jp.run(&["c", "blame"]).code, 2);
}
