//! The plan machinery from the command line: one event, the title, drop, move, insert, pick, and
//! forks that are edited.

use std::fs;

use serde_json::json;

use crate::{
    edit_cycle::{HEADER, assert_sound_and_undone, stream, talk},
    fake_editor::{FakeEditor, PLAN, masked},
    support::{Jp, Output, call, contents, message, request, result},
};

fn cat(jp: &Jp, id: &str, address: &str) -> String {
    jp.run(&["c", "cat", id, address]).ok()
}

/// Asserts what a command that edits said.
#[track_caller]
fn edits(jp: &Jp, id: &str, args: &[&str], stdout: &str) {
    let tree = jp.tree(id);
    let output = jp.run(args);
    assert_eq!(
        (output.stdout.as_str(), masked(&output.stderr, jp, id).as_str(), output.code),
        (stdout, "Hint: `jp conversation undo ID` takes it back\n", 0)
    );
    assert_sound_and_undone(jp, id, &tree);
    assert_eq!(jp.run(&["c", "redo", id]).code, 0);
}

#[test]
fn one_event_is_edited_in_its_file() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp).expect_whole("001-message.md", message("Hi\n")).change(
        "001-message.md",
        "Hi\n",
        "Good day\n",
    );
    let output = editor.edits(&jp, &["c", "edit", &id, "1"]);
    assert_eq!(
        (output.stdout.as_str(), masked(&output.stderr, &jp, &id).as_str(), output.code),
        ("edited   001-message.md\n", "Hint: `jp conversation undo ID` takes it back\n", 0)
    );
    let edited = cat(&jp, &id, "1");
    assert!(edited.contains("  edited: ") && edited.ends_with("---\nGood day\n"), "{edited}");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn one_event_that_was_not_changed_makes_no_commit() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let output = FakeEditor::new(&jp).edits(&jp, &["c", "edit", &id, "001-message.md"]);
    output.fails(0, &format!("{id}: nothing changes\n"));
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn errors_of_one_event_stand_in_its_file_until_they_are_mended() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let editor = FakeEditor::new(&jp)
        .change("004-tool-result-read.md", "id: c1", "id: c2")
        .next_round()
        .expect(
            "004-tool-result-read.md",
            "---\n# ERROR: CONVERSATION: 004-tool-result-read.md: orphaned tool-result `c2` has no \
             matching tool-call\ntype: tool-result\n",
        )
        .change("004-tool-result-read.md", "type: tool-result", "type: tool-rezult")
        .next_round()
        .expect("004-tool-result-read.md", "---\n# ERROR: 004-tool-result-read.md:3:1: ")
        .expect_no("004-tool-result-read.md", "orphaned")
        .change("004-tool-result-read.md", "type: tool-rezult", "type: tool-result")
        .change("004-tool-result-read.md", "id: c2", "id: c1")
        .change("004-tool-result-read.md", "text\n", "other\n");
    let output = editor.edits(&jp, &["c", "edit", &id, "4"]);
    assert_eq!((output.stdout.as_str(), output.code), ("edited   004-tool-result-read.md\n", 0));
    assert!(!cat(&jp, &id, "4").contains("ERROR"), "{}", cat(&jp, &id, "4"));
}

#[test]
fn one_event_stays_as_it_is_if_the_editor_fails_or_errors_stay() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let before = contents(&jp.store());
    let editor = FakeEditor::new(&jp).change("001-message.md", "Hi", "Ho").fail(2);
    let output = editor.edits(&jp, &["c", "edit", &id, "1"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("/001-message.md`"), "{}", output.stderr);
    let editor = FakeEditor::new(&jp).write("001-message.md", "nonsense").next_round();
    let output = editor.edits(&jp, &["c", "edit", &id, "1"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("\nHint: what you wrote is in `"), "{}", output.stderr);
    assert_eq!(contents(&jp.store()), before);
}

#[test]
fn a_dry_run_of_one_event_keeps_what_was_written() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let editor = FakeEditor::new(&jp).change("001-message.md", "Hi", "Ho");
    let output = editor.edits(&jp, &["c", "edit", &id, "1", "--dry-run"]);
    assert_eq!((output.stdout.as_str(), output.code), ("edited   001-message.md\n", 0));
    let path = output.stderr.split('`').nth(1).unwrap();
    assert!(fs::read_to_string(path).unwrap().ends_with("\nHo\n"));
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn an_event_that_is_not_there_cannot_be_edited() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let output = jp.with_var("JP_EDITOR", "false").run(&["c", "edit", &id, "17"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    let output = jp.run(&["c", "edit", "--interactive", &id, "1"]);
    output.fails(
        2,
        "error: an ADDRESS is for editing one event, and nothing else\n\
         Hint: `jp conversation edit ID ADDRESS` edits it\n",
    );
}

#[test]
fn the_title_is_edited_as_an_argument_or_in_the_editor() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    edits(
        &jp,
        &id,
        &["c", "edit", "--title=First things", &id],
        "ID: First things\n".replace("ID", &id).as_str(),
    );
    let editor = FakeEditor::new(&jp).expect("title.txt", "First things").change(
        "title.txt",
        "First",
        "Last",
    );
    let output = editor.edits(&jp, &["c", "edit", "--title", &id]);
    assert_eq!(output.stdout, format!("{id}: Last things\n"));
    assert_eq!(jp.show(&id)["title"], "Last things");
    let output = jp.run(&["c", "edit", "--title=Other", "--dry-run", &id]);
    output.fails(0, &format!("{id} would have the title Other\n"));
    assert_eq!(jp.show(&id)["title"], "Last things");
}

#[test]
fn a_title_of_two_lines_is_refused_and_kept() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let editor = FakeEditor::new(&jp).write("title.txt", "One\nTwo\n");
    let output = editor.edits(&jp, &["c", "edit", "--title", &id]);
    assert!(output.stderr.starts_with("error: a title is one line of text\n"), "{}", output.stderr);
    let path = output.stderr.split('`').nth(1).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), "One\nTwo\n");
    fs::remove_file(path).unwrap();
    let output =
        FakeEditor::new(&jp).write("title.txt", "\n").edits(&jp, &["c", "edit", "--title", &id]);
    output.fails(
        2,
        "error: the title is empty\n\
         Hint: `jp conversation title ID --clear` takes a title away\n",
    );
}

#[test]
fn events_and_turns_are_dropped() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "003..004"],
        "removed  003-tool-call-read.md\nremoved  004-tool-result-read.md\n",
    );
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "--turns", "0"],
        "removed  000-request.md\nremoved  001-message.md\n",
    );
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!("{HEADER}\n# Turn 0\n002-request.md\n005-message.md\n")
    );
    assert_eq!(jp.git(&["log", "-1", "--format=%s", &id]), "redo drop: 2 removed\n");
    // The last request does not go.
    jp.run(&["c", "drop", &id, "--turns", "0"]).fails(
        1,
        "error: no request is left: a conversation has at least one\n\
         Hint: nothing was changed; what belongs together has to go or move together\n",
    );
    jp.run(&["c", "drop", &id, "--turns", "4"]).fails(
        1,
        &format!(
            "error: conversation {id} has no turn 4\nHint: `jp conversation show {id}` lists its \
             events\n"
        ),
    );
    jp.run(&["c", "drop", &id]).fails(
        2,
        "error: nothing to drop was named\n\
         Hint: `jp conversation drop ID 003 005..007` drops events, `--turns 2-4` whole turns\n",
    );
}

#[test]
fn events_and_turns_are_dropped_at_once() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "003", "004-tool-result-read.md", "--turns", "0"],
        "removed  000-request.md\nremoved  001-message.md\nremoved  003-tool-call-read.md\n\
         removed  004-tool-result-read.md\n",
    );
}

#[test]
fn nothing_is_left_of_turns_that_are_dropped_by_number_and_by_event() {
    let jp = Jp::in_workspace();
    let talk = |text: &str| [request(text), message(text)];
    let events = ["1\n", "2\n", "3\n", "4\n"].map(talk).concat();
    let id = jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let args = ["c", "drop", &id, "2..3", "--turns", "0"];
    assert_eq!(jp.run(&args).code, 0);
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!(
            "{HEADER}\n# Turn 0\n004-request.md\n005-message.md\n\n# Turn 1\n006-request.md\n\
             007-message.md\n"
        )
    );
}

#[test]
fn configuration_in_force_stays_when_its_turn_is_dropped_unless_it_is_named() {
    let jp = Jp::in_workspace();
    let delta = "[assistant]\nmodel = \"acme/small\"\n\n[event]\ntype = \"config-delta\"\n";
    let id = jp.start(&[delta, &request("1\n"), &message("1\n"), &request("2\n")]);
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "--turns", "0"],
        "removed  001-request.md\nremoved  002-message.md\n\
         also     000-config-delta.toml: stays, its configuration is in force\n",
    );
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "--turns", "0", "000"],
        "removed  000-config-delta.toml\nremoved  001-request.md\nremoved  002-message.md\n",
    );
}

#[test]
fn a_turn_takes_the_words_of_its_heading_along() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let plan = jp.git(&["show", &format!("{id}:{PLAN}")]);
    jp.edit(&id, PLAN, plan.replace("# Turn 1", "# Turn 1: the point"));
    edits(
        &jp,
        &id,
        &["c", "move", &id, "--turns", "1", "--before", "turn 0"],
        "moved    000-request.md\nmoved    001-message.md\n",
    );
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!(
            "{HEADER}\n# Turn 0: the point\n002-request.md\n003-tool-call-read.md\n\
             004-tool-result-read.md\n005-message.md\n\n# Turn 1\n000-request.md\n\
             001-message.md\n"
        )
    );
}

#[test]
fn a_dry_run_of_each_command_changes_nothing() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let other = talk(&jp);
    jp.write("a.md", message("More\n"));
    let before = contents(&jp.store());
    let commands: [&[&str]; 4] = [
        &["drop", &id, "--turns", "0"],
        &["move", &id, "--turns", "1", "--before", "0"],
        &["insert", &id, "a.md"],
        &["pick", &format!("{other}:0"), "--into", &id],
    ];
    for command in commands {
        let output = jp.run(&[&["c"], command, &["--dry-run"]].concat());
        assert_eq!((output.code, output.stderr), (0, format!("{id}: nothing was changed\n")));
        assert!(!output.stdout.is_empty());
        let output = jp.run(&[&["c"], command, &["--dry-run", "--format", "json"]].concat()).json();
        assert_eq!((&output["commit"], &output["dry_run"]), (&json!(null), &json!(true)));
    }
    assert_eq!(contents(&jp.store()), before);
}

#[test]
fn events_and_turns_are_moved() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    edits(
        &jp,
        &id,
        &["c", "move", &id, "--turns", "1", "--before", "turn 0"],
        "moved    000-request.md\nmoved    001-message.md\n",
    );
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!(
            "{HEADER}\n# Turn 0\n002-request.md\n003-tool-call-read.md\n004-tool-result-read.md\n\
             005-message.md\n\n# Turn 1\n000-request.md\n001-message.md\n"
        )
    );
    edits(&jp, &id, &["c", "move", &id, "005", "--after", "001"], "moved    005-message.md\n");
    edits(
        &jp,
        &id,
        &["c", "move", &id, "--turns", "0"],
        "moved    000-request.md\nmoved    001-message.md\nmoved    005-message.md\n",
    );
    let output = jp.run(&["c", "move", &id, "003", "--after", "004"]);
    output.fails(
        1,
        "error: 004-tool-result-read.md: tool-result `c1` appears before its tool-call \
         (003-tool-call-read.md)\n\
         Hint: nothing was changed; what belongs together has to go or move together\n",
    );
    jp.run(&["c", "move", &id, "003", "--after", "003"])
        .fails(2, "error: events cannot be moved to where they are themselves\n");
}

#[test]
fn events_are_inserted_from_files() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.write("ask.md", request("Why?\n"));
    jp.write("say.md", message("Because.\n"));
    edits(
        &jp,
        &id,
        &["c", "insert", &id, "ask.md", "say.md", "--after", "turn 0"],
        "added    006-request.md (from ask.md)\nadded    007-message.md (from say.md)\n",
    );
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!(
            "{HEADER}\n# Turn 0\n000-request.md\n001-message.md\n\n# Turn 1\n006-request.md\n\
             007-message.md\n\n# Turn 2\n002-request.md\n003-tool-call-read.md\n\
             004-tool-result-read.md\n005-message.md\n"
        )
    );
    jp.write("odd.md", "---\ntype: odd\n---\n");
    assert_eq!(jp.run(&["c", "insert", &id, "odd.md"]).code, 1);
    jp.run(&["c", "insert", &id, "ask.md", "--after", "0"]).fails(
        1,
        "error: ask.md: a request follows straight after a request: an answer has to stand between \
         them, or `interrupts: true` in its frontmatter\n\
         Hint: nothing was changed; what belongs together has to go or move together\n",
    );
    let output = jp.run_with_input(&["c", "insert", &id, "-"], request("From a pipe\n"));
    assert_eq!(output.stdout, "added    008-request.md (from -)\n", "{}", output.stderr);
}

#[test]
fn a_call_that_is_inserted_without_an_id_gets_one() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.write("call.md", "---\ntype: tool-call\ntool: grep\n---\n```json\n{}\n```\n");
    let output = jp.run(&["c", "insert", &id, "call.md", "--before", "5"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(cat(&jp, &id, "6").contains("\nid: call_"), "{}", cat(&jp, &id, "6"));
}

#[test]
fn turns_are_picked_with_their_provenance() {
    let jp = Jp::in_workspace();
    let source = talk(&jp);
    let id = jp.start(&[&request("Mine\n"), &message("Yours\n")]);
    let (tree, from) = (jp.tree(&source), jp.tip(&source));
    edits(
        &jp,
        &id,
        &["c", "pick", &format!("{source}:1"), "--into", &id],
        &format!(
            "added    002-request.md (from {source} 002-request.md)\n\
             added    003-tool-call-read.md (from {source} 003-tool-call-read.md)\n\
             added    004-tool-result-read.md (from {source} 004-tool-result-read.md)\n\
             added    005-message.md (from {source} 005-message.md)\n"
        ),
    );
    let picked = cat(&jp, &id, "2").replace('"', "");
    assert!(
        picked.contains(&format!(
            "metadata:\n  picked:\n    from: {source}\n    commit: {from}\n    address: 2\n"
        )),
        "{picked}"
    );
    assert_eq!((jp.tree(&source), jp.tip(&source)), (tree, from));
    // The same once more, before the first turn.
    let output = jp.run(&["c", "pick", &format!("{source}:0-1"), "--into", &id, "--before", "0"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(stream(&jp, &id).len(), 12);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    // A conversation may take its own.
    let output = jp.run(&["c", "pick", &format!("{source}:1"), "--into", &source]);
    assert_eq!((output.code, stream(&jp, &source).len()), (0, 10), "{}", output.stderr);
    assert_eq!(jp.run(&["c", "fsck", &source]).ok(), "");
    jp.run(&["c", "pick", &source, "--into", &id]).fails(
        2,
        &format!("error: `{source}` names no turn\nHint: as in `jp conversation pick ID:3`\n"),
    );
}

#[test]
fn a_fork_is_edited_with_every_cut_and_its_source_is_untouched() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let (tip, tree) = (jp.tip(&id), jp.tree(&id));
    let cuts: [(&[&str], &str); 5] = [
        (&[], "# Turn 1\n002-request.md"),
        (&["--last", "1"], "# Turn 0\n002-request.md"),
        (&["--first", "2"], "# Turn 0\n000-request.md"),
        (&["--from", "turn 1"], "# Turn 0\n002-request.md"),
        (&["--until", "5"], "# Turn 1\n002-request.md"),
    ];
    for (cut, shown) in cuts {
        let editor = FakeEditor::new(&jp)
            .expect(PLAN, shown)
            .strike("003-tool-call-read.md")
            .strike("004-tool-result-read.md");
        let output = editor.edits(&jp, &[&["c", "fork", &id, "--edit", "--yes"], cut].concat());
        assert_eq!(output.code, 0, "{}", output.stderr);
        let fork = output.stdout.lines().next().unwrap();
        assert_eq!(
            output.stdout,
            format!("{fork}\nremoved  003-tool-call-read.md\nremoved  004-tool-result-read.md\n")
        );
        assert_eq!(jp.run(&["c", "fsck", fork]).ok(), "");
        assert!(!stream(&jp, fork).contains(&"003-tool-call-read.md".to_owned()));
    }
    assert_eq!((jp.tip(&id), jp.tree(&id)), (tip, tree));
}

#[test]
fn a_fork_is_edited_or_compacted_but_not_both() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let before = contents(&jp.store());
    jp.run(&["c", "fork", &id, "--edit", "--compact"]).fails(
        2,
        "error: `--edit` changes what is stored, `--compact` what a model sees of it: not both at \
         once\n\
         Hint: `jp conversation fork --edit`, and then `jp conversation compact` on the fork\n",
    );
    assert_eq!(contents(&jp.store()), before);
}

#[test]
fn a_fork_whose_edit_is_aborted_is_a_plain_fork() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let output: Output =
        FakeEditor::new(&jp).clear().edits(&jp, &["c", "fork", &id, "--edit", "--yes"]);
    assert_eq!(output.code, 1);
    let fork = output.stdout.trim_end();
    assert_eq!(stream(&jp, fork), stream(&jp, &id));
    assert_eq!(
        output.stderr.replace(fork, "FORK").replace(&id, "ID"),
        "Forked from ID with 6 events\nHint: `jp conversation rm FORK` takes it back\n\
         error: the edit was aborted: the plan is empty\n"
    );
}

#[test]
fn a_sealed_turn_is_dropped_and_what_is_left_stays_where_it_is() {
    let jp = Jp::in_workspace();
    let turn = [request("Read\n"), call("c1"), result("c1", "x\n"), message("Done\n")];
    let turns: Vec<&str> = turn.iter().map(String::as_str).cycle().take(124).collect();
    let id = jp.start(&turns);
    assert!(jp.git(&["ls-tree", "--name-only", &id]).contains("000\n"));
    let last = jp.git(&["rev-parse", &format!("{id}:000/096-request.md")]);
    edits(
        &jp,
        &id,
        &["c", "drop", &id, "--turns", "1"],
        "removed  004-request.md\nremoved  005-tool-call-read.md\n\
         removed  006-tool-result-read.md\nremoved  007-message.md\n",
    );
    assert_eq!(jp.git(&["rev-parse", &format!("{id}:000/096-request.md")]), last);
    let moved = jp.run(&["c", "move", &id, "--turns", "0"]);
    assert_eq!(moved.code, 0, "{}", moved.stderr);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn one_event_whose_edit_was_cut_off_is_told_of_by_the_next_edit() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    // The editor takes jp away, and lives on.
    jp.write("cut", "echo more >> \"$1\"; kill -9 $PPID");
    let cut = jp.with_var("JP_EDITOR", format!("exec sh '{}'", jp.path("cut").display()));
    assert_eq!(cut.run(&["c", "edit", &id, "1"]).code, 137);
    let next = jp.with_var("JP_EDITOR", "true").run(&["c", "edit", &id, "0"]);
    let told = next.stderr.split('`').nth(1).unwrap();
    assert!(next.stderr.starts_with("Hint: what was written earlier is kept in `"), "{next:?}");
    assert!(fs::read_to_string(told).unwrap().ends_with("more\n"), "{told}");
    // Where nobody wrote anything, there is nothing to tell.
    fs::remove_file(told).unwrap();
    jp.write("cut", "kill -9 $PPID");
    assert_eq!(cut.run(&["c", "edit", &id, "1"]).code, 137);
    let next = jp.with_var("JP_EDITOR", "true").run(&["c", "edit", &id, "0"]);
    assert_eq!(next.stderr, format!("{id}: nothing changes\n"));
}
