//! What changed between two versions: events, words, and what stands beside the stream.

use std::fs;

use serde_json::json;

use crate::support::{Jp, Output, TIME, message, request};

/// What a person reads, without the lines that name the versions.
#[track_caller]
fn shown(output: Output) -> String {
    let text = output.ok();
    let mut lines = text.splitn(3, '\n');
    assert!(lines.next().is_some_and(|line| line.starts_with("from jp-c")), "{text}");
    assert!(lines.next().is_some_and(|line| line.starts_with("to   jp-c")), "{text}");
    lines.next().unwrap_or_default().to_owned()
}

fn short(commit: &str) -> &str {
    &commit[..10]
}

/// Replaces a piece of the manifest by git alone.
fn edit_manifest(jp: &Jp, id: &str, old: &str, new: &str) {
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert!(manifest.contains(old), "{manifest}");
    jp.edit(id, "CONVERSATION", manifest.replace(old, new));
}

#[test]
fn an_edit_is_shown_word_by_word_with_the_lines_around_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("The quick brown fox\njumps.\n")]);
    let before = jp.tip(&id);
    jp.edit(&id, "001-message.md", message("The slow brown fox\njumps.\nTwice.\n"));
    let after = jp.tip(&id);
    let expected = format!(
        "from {id}@{}\nto   {id}@{}\n\nedited 001-message.md\n@@ -3,5 +3,6 @@\n\
         timestamp: {TIME}\nmodel: acme/large\n---\nThe [-quick-]{{+slow+}} brown fox\njumps.\n\
         {{+Twice.+}}\n",
        short(&before),
        short(&after),
    );
    for args in [
        &["c", "diff"][..],
        &["c", "diff", &id],
        &["c", "diff", "@~1"],
        &["c", "diff", "--at", "~1"],
        &["c", "diff", &id, "--at", short(&before)],
        &["c", "diff", &format!("{id}@{before}"), &id],
        &["c", "diff", &format!("{id}@~1"), "@~0"],
    ] {
        assert_eq!(jp.run(args).ok(), expected, "{args:?}");
    }
    let back = shown(jp.run(&["c", "diff", "@~0", "@~1"]));
    assert!(back.contains("The [-slow-]{+quick+} brown fox\njumps.\n[-Twice.-]\n"), "{back}");
}

#[test]
fn events_are_added_removed_moved_and_edited() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[
        &request("Zero\n"),
        &message("One\n"),
        &request("Two\n"),
        &message("Three\n"),
        &request("Four\n"),
        &message("Five\n"),
    ]);
    let before = jp.tip(&id);
    jp.edit(&id, "003-message.md", message("Three or more\n"));
    jp.edit(&id, "009-message.md", message("Nine\n"));
    let (old, new) = ("001-message.md\n", "003-message.md\n");
    edit_manifest(&jp, &id, old, &format!("{new}{old}"));
    edit_manifest(&jp, &id, &format!("002-request.md\n{new}"), "002-request.md\n");
    edit_manifest(&jp, &id, "004-request.md\n", "");
    edit_manifest(&jp, &id, "005-message.md\n", "009-message.md\n005-message.md\n");
    let diff = jp.run(&["c", "diff", &format!("{id}@{before}")]);
    let dropped = format!("warning: {id}: Ann took 1 event out by hand (004)");
    assert!(diff.stderr.starts_with(&dropped), "{}", diff.stderr);
    let (_, changes) = diff.stdout.split_once("\n\n").unwrap();
    let lines = |marks: [&str; 2], body: &str| {
        let line = |text: String| format!("{}{text}{}\n", marks[0], marks[1]);
        let head = ["---".to_owned(), format!("type: {body}"), format!("timestamp: {TIME}")];
        head.map(line).concat()
    };
    let (gone, new) = (lines(["[-", "-]"], "request"), lines(["{+", "+}"], "message"));
    let expected = format!(
        "moved, edited 003-message.md, now after 000-request.md\n@@ -3,4 +3,4 @@\n\
         timestamp: {TIME}\nmodel: acme/large\n---\nThree{{+ or more+}}\n\n\
         removed 004-request.md\n@@ -1,5 +0,0 @@\n{gone}[-----]\n[-Four-]\n\n\
         added 009-message.md\n@@ -0,0 +1,6 @@\n{new}{{+model: acme/large+}}\n{{+---+}}\n{{+Nine+}}\n"
    );
    assert_eq!(changes, expected);
    let stat = jp.run(&["c", "diff", &format!("{id}@{before}"), "--stat"]).stdout;
    let expected = "CHANGE         FILE            LINES\n\
                    moved, edited  003-message.md  +1 -1\n\
                    removed        004-request.md  +0 -5\n\
                    added          009-message.md  +6 -0\n\
                    events: 1 added, 1 removed, 1 edited, 0 moved; lines: +7 -6\n";
    assert_eq!(stat, expected);
}

#[test]
fn moving_into_a_sealed_run_is_no_change() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = message("again\n");
    jp.append(&id, &[text.as_str(); 119]).ok();
    jp.append(&id, &[&text]).ok();
    assert!(jp.git(&["ls-tree", "--name-only", &id]).starts_with(".conversation\n000\n"));
    let stat = jp.run(&["c", "diff", "--stat"]).ok();
    let expected = "CHANGE  FILE            LINES\nadded   120-message.md  +6 -0\n\
                    events: 1 added, 0 removed, 0 edited, 0 moved; lines: +6 -0\n";
    assert_eq!(stat, expected);
}

#[test]
fn a_number_that_was_given_again_is_another_event() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.append(&id, &[&message("One\n")]).ok();
    let before = jp.tip(&id);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    let later = message("Other\n").replace(TIME, "2026-02-01T12:00:00Z");
    jp.append(&id, &[&later]).ok();
    let diff = jp.run(&["c", "diff", &format!("{id}@{before}"), "--format", "json"]).json();
    let changes: Vec<_> = diff["events"].as_array().unwrap().iter().collect();
    assert_eq!((&changes[0]["change"], &changes[0]["address"]), (&json!("removed"), &json!(1)));
    assert_eq!((&changes[1]["change"], &changes[1]["address"]), (&json!("added"), &json!(1)));
    assert_eq!(changes.len(), 2);
}

#[test]
fn a_fork_is_compared_with_what_it_came_from() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let said = jp.run(&["c", "fork", &id, "--format", "json"]).stdout;
    let fork: serde_json::Value = serde_json::from_str(&said).unwrap();
    let fork = fork["id"].as_str().unwrap();
    jp.append(&id, &[&request("Here\n")]).ok();
    jp.append(fork, &[&request("There\n")]).ok();
    let diff = shown(jp.run(&["c", "diff", &id, fork]));
    assert!(diff.contains(&format!("\nforked: {{+{id} at ")), "{diff}");
    assert!(diff.ends_with("---\n[-Here-]\n{+There+}\n"), "{diff}");
}

#[test]
fn title_labels_and_files_beside_the_stream_are_shown() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    jp.edit(&id, ".conversation/queue/000-request.md", request("Later\n"));
    jp.edit(&id, "007-draft.md", "a draft\n");
    jp.edit(&id, ".conversation/config.toml", "small = true\n");
    let before = jp.tip(&id);
    let meta = jp.git(&["show", &format!("{id}:.conversation/meta.toml")]);
    let meta = meta.replace("title = \"Question\"", "title = \"A \\u001B[31mred title\"");
    jp.edit(
        &id,
        ".conversation/meta.toml",
        format!("color = 1\n{meta}[labels]\nteam = \"core\"\n"),
    );
    jp.edit(&id, ".conversation/config.toml", "model = \"large\"\n");
    jp.remove(&id, ".conversation/queue/000-request.md");
    jp.edit(&id, "007-draft.md", "another draft\n");
    edit_manifest(&jp, &id, "001-message.md\n", "# mine\n001-message.md\n");
    let expected = format!(
        "\ntitle: [-Question-]{{+A \\u{{1b}}[31mred title+}}\nlabels.team: {{+core+}}\n\
         color: {{+1+}}\n\n\
         edited 007-draft.md\n@@ -1,1 +1,1 @@\n[-a-]{{+another+}} draft\n\n\
         edited CONVERSATION\n@@ -2,3 +2,4 @@\n\
         # - Delete  lines to remove events.\n# - Reorder lines to reorder events.\n\
         # - Edit    event contents in the corresponding files.\n{{+# mine+}}\n\n\
         edited .conversation/config.toml\n@@ -1,1 +1,1 @@\n[-small = true-]\n{{+model = \"large\"+}}\n\n\
         removed .conversation/queue/000-request.md\n@@ -1,5 +0,0 @@\n[-----]\n[-type: request-]\n\
         [-timestamp: {TIME}-]\n[-----]\n[-Later-]\n",
    );
    assert_eq!(shown(jp.run(&["c", "diff", &format!("{id}@{before}")])), expected);
}

#[test]
fn programs_get_everything_in_parts() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer one")]);
    let before = jp.tip(&id);
    jp.edit(&id, "001-message.md", message("Answer two"));
    let hunk = json!({
        "from": {"start": 2, "lines": 4},
        "to": {"start": 2, "lines": 4},
        "segments": [
            {"mark": "same", "text": format!("timestamp: {TIME}\nmodel: acme/large\n---\nAnswer ")},
            {"mark": "removed", "text": "one"},
            {"mark": "added", "text": "two"},
        ],
    });
    let place = json!({"file": "001-message.md", "position": 1});
    let mut expected = json!({
        "from": {"id": id, "commit": before, "problems": []},
        "to": {"id": id, "commit": jp.tip(&id), "problems": []},
        "fields": [],
        "files": [],
        "events": [{
            "change": "edited", "moved": false, "address": 1, "from": place, "to": place,
            "lines_added": 1, "lines_removed": 1, "binary": false,
            "detail": "words", "hunks": [hunk],
        }],
    });
    assert_eq!(jp.run(&["c", "diff", "--format", "json"]).json(), expected);
    let event = expected["events"][0].as_object_mut().unwrap();
    event.remove("hunks");
    event.remove("detail");
    assert_eq!(jp.run(&["c", "diff", "--stat", "--format", "json"]).json(), expected);
}

#[test]
fn that_nothing_changed_is_said_and_no_error() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let tip = jp.tip(&id);
    let output = jp.run(&["c", "diff", &id, &format!("{id}@{tip}")]);
    let version = format!("{id}@{}", short(&tip));
    let said = format!("Nothing changed from {version} to {version}\n");
    assert_eq!((output.stdout.as_str(), output.stderr, output.code), ("", said, 0));
    let value = jp.run(&["c", "diff", &id, &id, "--format", "json"]).json();
    assert_eq!(
        (&value["fields"], &value["files"], &value["events"]),
        (&json!([]), &json!([]), &json!([]))
    );
}

#[test]
fn only_files_that_differ_are_read() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = request("Unread\n");
    jp.edit(&id, "000-request.md", &text);
    jp.append(&id, &[&message("Answer\n")]).ok();
    let blob = jp.git_with_input(&["hash-object", "--stdin"], &text);
    let object = jp.store().join("objects").join(&blob[..2]).join(&blob[2..]);
    fs::remove_file(object).unwrap();
    let stat = jp.run(&["c", "diff", "--stat"]).ok();
    assert!(stat.contains("\nadded   001-message.md  +6 -0\n"), "{stat}");
    let from = format!("{id}@~2");
    let lost = jp.run(&["c", "diff", &from, "--stat"]);
    assert_eq!(lost.code, 0);
    assert!(lost.stdout.contains("\nedited  000-request.md  ?\n"), "{}", lost.stdout);
    let warning = format!(
        "warning: 000-request.md: conversation {id} cannot be read: object {blob} is missing\n"
    );
    assert_eq!(lost.stderr, warning);
}

#[test]
fn a_file_that_is_missing_or_renamed_or_binary_is_told() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n"), &request("More\n")]);
    let before = jp.tip(&id);
    jp.edit(&id, "000-request.md", b"\0\x01");
    jp.remove(&id, "001-message.md");
    jp.edit(&id, "002-question.md", request("More\n"));
    edit_manifest(&jp, &id, "002-request.md", "002-question.md");
    let diff = jp.run(&["c", "diff", &format!("{id}@{before}")]);
    let changes = diff.stdout.split_once("\n\n").unwrap().1;
    assert!(
        changes.starts_with(
            "edited 000-request.md\n(binary)\n\nedited 001-message.md, its file is missing\n@@ "
        ),
        "{changes}"
    );
    assert!(changes.ends_with("\n\nedited 002-question.md, was 002-request.md\n"), "{changes}");
    let missing = "CONVERSATION:8:1: `001-message.md`: there is no such file\n";
    assert!(diff.stderr.ends_with(missing), "{}", diff.stderr);
}

#[test]
fn hostile_texts_are_harmless_and_take_no_time() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("\u{1b}[2J one\n")]);
    jp.edit(&id, "001-message.md", message("\u{1b}[2J two \u{202e}\n"));
    let diff = shown(jp.run(&["c", "diff"]));
    assert!(diff.ends_with("---\n\\u{1b}[2J [-one-]{+two \\u{202e}+}\n"), "{diff}");
    let random = |seed: u64| {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 60).to_string()
        };
        (0..500_000).map(|_| next() + "\n").collect::<String>()
    };
    jp.edit(&id, "000-request.md", request(&random(1)));
    jp.edit(&id, "000-request.md", request(&random(2)));
    let diff = shown(jp.run(&["c", "diff"]));
    assert!(diff.starts_with("\nedited 000-request.md\n(too much to compare line by line)\n@@ "));
}

#[test]
fn a_version_that_is_not_there_is_an_error() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let version = format!("{id}@~1");
    jp.run(&["c", "diff", &version, "--at", "~1"]).fails(
        2,
        "error: `--at ~1` says again which version: give it once\n\
         Hint: `jp conversation diff ID@WHEN` or `jp conversation diff ID --at WHEN`\n",
    );
    assert_eq!(jp.run(&["c", "diff", &id, &id, "--at", "~1"]).code, 2);
    assert_eq!(jp.run(&["c", "diff", &version]).code, 1);
    assert_eq!(jp.run(&["c", "diff", &format!("{id}@soon")]).code, 2);
    assert_eq!(jp.run(&["c", "diff", &id, "jp-c9"]).code, 1);
    assert_eq!(Jp::in_workspace().run(&["c", "diff"]).code, 1);
}

#[test]
fn a_tree_with_things_that_have_no_place_is_refused() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.edit(&id, "evil.sh", "rm -rf\n");
    let diff = jp.run(&["c", "diff"]);
    assert_eq!((diff.code, diff.stdout.as_str()), (1, ""));
    assert!(diff.stderr.starts_with(&format!("error: conversation {id} is refused: evil.sh")));
}
