//! `jp conversation edit --interactive`: the directory, the editor, the rounds, the commit.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use crate::{
    fake_editor::{FakeEditor, PLAN, kept, masked},
    support::{Jp, call, contents, message, request, result},
};

/// What stands above the events of every plan.
pub const HEADER: &str = "# The events of this conversation, in order; docs: format.md.\n\
    # - Delete  lines to remove events.\n\
    # - Reorder lines to reorder events.\n\
    # - Edit    event contents in the corresponding files.\n";

/// Two turns, the second with a call.
pub fn talk(jp: &Jp) -> String {
    jp.start(&[
        &request("Hello\n"),
        &message("Hi\n"),
        &request("Read\n"),
        &call("c1"),
        &result("c1", "text\n"),
        &message("Done\n"),
    ])
}

/// The names of the events of a conversation, in order.
pub fn stream(jp: &Jp, id: &str) -> Vec<String> {
    let stream = jp.show(id)["stream"].clone();
    let name = |event: &serde_json::Value| event["file"].as_str().unwrap().to_owned();
    stream.as_array().unwrap().iter().map(name).collect()
}

/// Asserts that nothing is wrong with a conversation, and that undo leads back to a tree.
#[track_caller]
pub fn assert_sound_and_undone(jp: &Jp, id: &str, tree: &str) {
    assert_eq!(jp.run(&["c", "fsck", id]).ok(), "");
    assert_eq!(jp.run(&["c", "undo", id]).code, 0);
    assert_eq!(jp.tree(id), tree);
}

fn interactive(jp: &Jp, id: &str, editor: FakeEditor) -> crate::support::Output {
    editor.edits(jp, &["c", "edit", "--interactive", "--yes", id])
}

fn import(jp: &Jp, fixture: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/conversations/");
    let said = jp.run(&["c", "import", &format!("{root}{fixture}")]);
    said.stdout.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn the_editor_gets_a_private_directory_with_a_plan_and_a_file_for_each_event() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let (dump, listing) = (jp.world().join("dump"), jp.world().join("modes"));
    let mut modes = jp.command("sh");
    let script =
        "for d in data/jp/workspace/*/edits/*; do stat -c %a \"$d\" \"$d\"/*; done > modes";
    modes.arg("-c").arg(script).current_dir(jp.world());
    let editor = FakeEditor::new(&jp).dump(&dump).run(&modes);
    let state = editor.state();
    let output = interactive(&jp, &id, editor);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(listing).unwrap(), "700\n700\n");

    let plan = format!(
        "{HEADER}\n# Turn 0\n000-request.md\n001-message.md\n\n# Turn 1\n002-request.md\n\
         003-tool-call-read.md\n004-tool-result-read.md\n005-message.md\n"
    );
    assert_eq!(fs::read_to_string(dump.join(PLAN)).unwrap(), plan);
    let mut names: Vec<_> = contents(&dump).into_keys().collect();
    names.retain(|path| path.is_file() && !path.starts_with(dump.join(".conversation")));
    let names: Vec<_> =
        names.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(
        names,
        [&stream(&jp, &id).iter().map(String::as_str).collect::<Vec<_>>()[..], &[PLAN]].concat()
    );
    for name in stream(&jp, &id) {
        let stored = jp.git(&["show", &format!("{id}:{name}")]);
        assert_eq!(fs::read_to_string(dump.join(&name)).unwrap(), stored);
    }
    let arguments = FakeEditor::arguments(&state);
    let opened = Path::new(&arguments[0]);
    assert_eq!(arguments.len(), 1);
    assert_eq!(opened.file_name().unwrap().to_str().unwrap(), format!("jp-edit-{id}"));
    let random = opened.parent().unwrap().file_name().unwrap().to_str().unwrap();
    assert!(random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(fs::metadata(opened).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn nothing_changed_means_no_commit() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let output = interactive(&jp, &id, FakeEditor::new(&jp));
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
    assert_eq!(
        masked(&output.stderr, &jp, &id),
        "ID: nothing changes\n\
         Hint: the editor was back at once; if it is still open, save there, and \
         `jp conversation commit DIR` commits it\n\
         Hint: an editor that does not wait has to be told to, as in `code --wait`\n"
    );
    assert_eq!(jp.tip(&id), tip);
    // What nobody has changed is not told of the next time.
    let output = interactive(&jp, &id, FakeEditor::new(&jp).strike("001-message.md").clear());
    assert_eq!(
        (masked(&output.stderr, &jp, &id).as_str(), output.code),
        ("error: the edit was aborted: the plan is empty\n", 1)
    );
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn what_was_saved_as_it_was_is_the_same_tree_to_the_byte() {
    let jp = Jp::in_workspace();
    for fixture in ["first", "sealed"] {
        let id = import(&jp, fixture);
        let (tip, tree) = (jp.tip(&id), jp.tree(&id));
        // An editor that writes every file once more.
        let mut editor = FakeEditor::new(&jp);
        for name in stream(&jp, &id) {
            let file = jp.run(&["c", "cat", &id, &name]).bytes;
            editor = editor.write(&name, file);
        }
        let output = interactive(&jp, &id, editor);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert_eq!((jp.tip(&id), jp.tree(&id)), (tip, tree));
    }
}

#[test]
fn hostile_bodies_and_signatures_of_files_that_nobody_touched_stay_to_the_byte() {
    let jp = Jp::in_workspace();
    let valid = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/events/valid/");
    let mut args = vec!["c", "append", "--new"];
    let names = [
        "request-any-yaml.md",
        "canonical/reasoning.md",
        "canonical/message-fences.md",
        "canonical/message-unknown-keys.md",
        "canonical/request-not-utf-8.md",
        "canonical/message-other-finish.md",
        "canonical/request-control-characters.md",
        "canonical/structured-fences-in-text.md",
        "request-crlf-file.md",
        "message-long-key.md",
        "canonical/attachment-not-utf-8.md",
        "config-delta-toml-times.toml",
        "request-byte-order-mark.md",
        "canonical/message.md",
    ];
    let paths = names.map(|name| format!("{valid}{name}"));
    args.extend(paths.iter().map(String::as_str));
    let id = jp.run(&args).ok().split_whitespace().next().unwrap().to_owned();
    let before = jp.git(&["ls-tree", "-r", &id]);
    let output =
        interactive(&jp, &id, FakeEditor::new(&jp).change(PLAN, "# Turn 0", "# Turn 0: odd"));
    assert_eq!((output.code, output.stderr.lines().count()), (0, 1), "{}", output.stderr);
    let after = jp.git(&["ls-tree", "-r", &id]);
    let files = |listing: &str| -> Vec<String> {
        let lines = listing.lines().filter(|line| !line.ends_with(PLAN));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(files(&after), files(&before));
    assert_ne!(after, before);
    jp.assert_sound();
}

#[test]
fn a_sealed_conversation_is_shown_flat_and_only_what_changed_is_touched() {
    let jp = Jp::in_workspace();
    let id = import(&jp, "sealed");
    let names = stream(&jp, &id);
    let tree = jp.tree(&id);
    let run = jp.git(&["rev-parse", &format!("{id}:000")]);
    let dump = jp.world().join("dump");
    let last = names.last().unwrap();
    let editor = FakeEditor::new(&jp).dump(&dump).strike(last);
    let output = interactive(&jp, &id, editor);
    let plan = fs::read_to_string(dump.join(PLAN)).unwrap();
    let listed: Vec<_> =
        plan.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(listed, names);
    assert!(names.iter().all(|name| dump.join(name).is_file()));
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(jp.git(&["rev-parse", &format!("{id}:000")]), run);
    assert_eq!(stream(&jp, &id), names[..names.len() - 1]);
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn removed_moved_edited_and_added_events_are_told_with_the_command_that_takes_them_back() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp)
        .strike("003-tool-call-read.md")
        .strike("004-tool-result-read.md")
        .put(&["# Turn 1", "002-request.md", "005-message.md"], "# Turn 0")
        .change("001-message.md", "Hi\n", "Good day\n")
        .write("more.md", "---\ntype: request\n---\nMore?\n")
        .list(&["more.md"]);
    let output = interactive(&jp, &id, editor);
    assert_eq!(
        output.stdout,
        "removed  003-tool-call-read.md\nremoved  004-tool-result-read.md\n\
         moved    002-request.md\nmoved    005-message.md\nedited   001-message.md\n\
         added    006-request.md (from more.md)\n"
    );
    assert_eq!(masked(&output.stderr, &jp, &id), "Hint: `jp conversation undo ID` takes it back\n");
    assert_eq!(
        jp.git(&["show", &format!("{id}:{PLAN}")]),
        format!(
            "{HEADER}\n# Turn 0\n002-request.md\n005-message.md\n# Turn 1\n000-request.md\n\
             001-message.md\n\n# Turn 2\n006-request.md\n"
        )
    );
    assert_eq!(
        jp.git(&["log", "-1", "--format=%s", &id]),
        "edit: 2 removed, 2 moved, 1 edited, 1 added\n"
    );
    assert_eq!(kept(&jp), [] as [std::path::PathBuf; 0]);
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn a_dry_run_tells_and_changes_nothing_but_keeps_what_was_edited() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let editor = FakeEditor::new(&jp).strike("004-tool-result-read.md");
    let output = editor.edits(&jp, &["c", "edit", "-i", "--dry-run", &id]);
    assert_eq!(
        (masked(&output.stderr, &jp, &id).as_str(), output.code),
        (
            "Hint: what you edited is kept; `jp conversation commit DIR` commits it\n\
             ID: nothing was changed\n",
            0
        )
    );
    assert_eq!(
        output.stdout,
        "removed  004-tool-result-read.md\n\
         added    006-tool-result-read.md: an error in place of the result that call `c1` has not\n"
    );
    assert_eq!((jp.tip(&id), kept(&jp).len()), (tip, 1));
}

#[test]
fn the_summary_is_there_for_programs() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let editor = FakeEditor::new(&jp).strike("005-message.md").write("note.md", "nothing");
    let output = editor.edits(&jp, &["c", "edit", "-i", "-y", "--format", "json", &id]);
    let mut told: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(told["commit"].take(), jp.tip(&id));
    assert_eq!(
        told,
        serde_json::json!({
            "id": id, "commit": null, "dry_run": false,
            "inverse": format!("jp conversation undo {id}"),
            "removed": ["005-message.md"], "moved": [], "edited": [], "added": [],
            "stand_ins": [], "renamed": [], "remarks": [], "unlisted": ["note.md"],
        })
    );
    // What no plan lists is nowhere else, so it stays.
    assert_eq!(fs::read_to_string(kept(&jp)[0].join("note.md")).unwrap(), "nothing");
}

#[test]
fn an_emptied_plan_aborts_without_a_trace() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let before = contents(&jp.store());
    for plan in ["", "\n\n", "# Turn 0\n# nothing\n"] {
        let output = interactive(&jp, &id, FakeEditor::new(&jp).write(PLAN, plan));
        output.fails(1, "error: the edit was aborted: the plan is empty\n");
        assert_eq!(contents(&jp.store()), before);
        assert_eq!(kept(&jp).len(), 0);
    }
    // What was written elsewhere is kept.
    let editor = FakeEditor::new(&jp).change("001-message.md", "Hi", "Ho").delete(PLAN);
    let output = interactive(&jp, &id, editor);
    assert_eq!(
        masked(&output.stderr, &jp, &id),
        "error: the edit was aborted: the plan is empty\n\
         Hint: what you edited is kept in `DIR`\n"
    );
    assert!(fs::read_to_string(kept(&jp)[0].join("001-message.md")).unwrap().contains("Ho"));
    assert_eq!(contents(&jp.store()), before);
}

#[test]
fn an_editor_that_fails_aborts_without_a_trace_and_what_was_edited_is_kept() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let before = contents(&jp.store());
    let editor = FakeEditor::new(&jp).change("001-message.md", "Hi", "Ho").fail(3);
    let output = interactive(&jp, &id, editor);
    assert_eq!(
        (output.stdout.as_str(), masked(&output.stderr, &jp, &id).as_str(), output.code),
        (
            "",
            "error: the edit was aborted: the editor failed (exit status: 3)\n\
             Hint: what you edited is kept; `jp conversation commit DIR` commits it\n",
            1
        )
    );
    assert_eq!(contents(&jp.store()), before);
    // The next edit tells of it, and the command in the hint commits it.
    let output = interactive(&jp, &id, FakeEditor::new(&jp).expect("001-message.md", "Hi").clear());
    assert_eq!(
        masked(&output.stderr, &jp, &id),
        "Hint: an earlier edit of ID is kept; `jp conversation commit DIR` commits it\n\
         error: the edit was aborted: the plan is empty\n"
    );
    let directory = kept(&jp)[0].to_str().unwrap().to_owned();
    let output = jp.run(&["c", "commit", &directory]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "edited   001-message.md\n"));
    assert!(jp.run(&["c", "cat", &id, "1"]).ok().ends_with("---\nHo\n"));
}

#[test]
fn an_editor_that_is_not_there_leaves_no_trace_in_the_conversation() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let before = contents(&jp.store());
    let output = jp.with_var("JP_EDITOR", "no-such-editor").run(&["c", "edit", "-i", &id]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("no-such-editor"), "{}", output.stderr);
    assert_eq!(contents(&jp.store()), before);
}

#[test]
fn all_errors_are_told_at_once_and_the_editor_is_opened_again() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp)
        .change("001-message.md", "type: message", "type: massage")
        .change("005-message.md", "---\nDone", "Done")
        .list(&["missing.md", "../leaves.md", "000-request.md"])
        .next_round()
        .expect(PLAN, "# ERROR: 001-message.md:2:1: `massage` is not an event type")
        .expect(PLAN, "# ERROR: 005-message.md:1:1: ")
        .expect(PLAN, "`missing.md`: there is no such file\n")
        .expect(PLAN, "# ERROR: CONVERSATION:")
        .expect(PLAN, "`000-request.md` is listed twice\n")
        .expect(
            PLAN,
            "#\n# Fix the errors above and save, or clear this file to abort.\n\n# The events",
        )
        .change("001-message.md", "type: massage", "type: message")
        .change("005-message.md", "Done", "---\nDone")
        .change(PLAN, "missing.md\n../leaves.md\n000-request.md\n", "")
        .strike("003-tool-call-read.md")
        .next_round()
        // What is fixed is not told again.
        .expect_no(PLAN, "massage")
        .expect(PLAN, "# ERROR: ")
        .put(&["003-tool-call-read.md"], "004-tool-result-read.md")
        .change("001-message.md", "Hi", "Ho");
    let output = interactive(&jp, &id, editor);
    assert_eq!(output.stdout, "edited   001-message.md\n");
    assert_eq!(
        masked(&output.stderr, &jp, &id),
        "5 errors to fix, see the top of the plan\n1 error to fix, see the top of the plan\n\
         Hint: `jp conversation undo ID` takes it back\n"
    );
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    let plan = jp.git(&["show", &format!("{id}:{PLAN}")]);
    assert!(!plan.contains("ERROR") && !plan.contains("Fix the errors"), "{plan}");
    assert_sound_and_undone(&jp, &id, &tree);
}

#[test]
fn errors_that_nobody_mends_end_the_edit_and_keep_the_directory() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let broken = |editor: FakeEditor| editor.strike("003-tool-call-read.md");
    let wrong = "orphaned tool-result `c1` has no matching tool-call";
    let line = format!("# ERROR: CONVERSATION:16:1: 004-tool-result-read.md: {wrong}\n");
    let told = "1 error to fix, see the top of the plan\n\
                error: CONVERSATION:16:1: 004-tool-result-read.md: ";
    // Whether it leaves what jp wrote above the plan or takes it away.
    let as_it_is = broken(FakeEditor::new(&jp)).next_round().expect(PLAN, &line);
    let without = broken(FakeEditor::new(&jp)).next_round().change(PLAN, &line, "");
    for (editor, number) in [(as_it_is, "16"), (without, "15")] {
        let output = interactive(&jp, &id, editor);
        let said = masked(&output.stderr, &jp, &id);
        let hints = said.lines().filter(|line| line.starts_with("Hint: an earlier edit")).count();
        let said: String = said.split_inclusive('\n').skip(hints).collect();
        let told = told.replace("error: CONVERSATION:16", &format!("error: CONVERSATION:{number}"));
        assert_eq!(
            (said.as_str(), output.code),
            (
                format!(
                    "{told}{wrong}\nHint: what you edited is kept; `jp conversation commit DIR` \
                     commits it\n"
                )
                .as_str(),
                1
            )
        );
    }
    assert_eq!((jp.tip(&id), kept(&jp).len()), (tip, 2));
}

#[test]
fn editors_that_open_files_only_get_the_plan_with_a_note() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    for name in ["nano", "ed", "micro"] {
        let note = "# NOTE: this is the plan; your editor opens files only.\n\
                    # NOTE: The events are files beside it: open them by the names below.\n\n# The events";
        let editor = FakeEditor::new(&jp).named(name).expect(PLAN, note);
        let state = editor.state();
        let (tip, output) = (jp.tip(&id), interactive(&jp, &id, editor));
        assert_eq!((output.code, jp.tip(&id)), (0, tip));
        let arguments = FakeEditor::arguments(&state);
        assert!(arguments.len() == 1 && arguments[0].ends_with("/CONVERSATION"), "{arguments:?}");
    }
    // The note is no part of the plan.
    let editor = FakeEditor::new(&jp).named("nano").strike("005-message.md");
    assert_eq!(interactive(&jp, &id, editor).stdout, "removed  005-message.md\n");
    assert!(!jp.git(&["show", &format!("{id}:{PLAN}")]).contains("NOTE"));
}

#[test]
fn editors_with_windows_are_told_to_wait() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    for (name, words) in
        [("code", "--wait"), ("subl", "--wait"), ("zed", "--wait"), ("kate", "--block")]
    {
        let editor = FakeEditor::new(&jp).named(name);
        let state = editor.state();
        interactive(&jp, &id, editor);
        let arguments = FakeEditor::arguments(&state);
        assert_eq!(arguments[0], words);
        assert!(arguments.len() == 2 && arguments[1].ends_with(&format!("jp-edit-{id}")));
    }
    let editor = FakeEditor::new(&jp).named("code");
    let state = editor.state();
    let with = editor.install(&jp).with_var("JP_EDITOR", format!("{}/code -w", state.display()));
    assert_eq!(with.run(&["c", "edit", &id]).code, 0);
    assert_eq!(FakeEditor::arguments(&state)[0], "-w");
}

#[test]
fn the_conversation_is_locked_while_the_editor_is_open() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.write("more.md", request("More\n"));
    let mut other = jp.command("sh");
    let script = format!(
        "JP_LOCK_DURATION=0 '{}' c append {id} more.md 2> said; test $? = 75",
        env!("CARGO_BIN_EXE_jp")
    );
    other.arg("-c").arg(script);
    interactive(&jp, &id, FakeEditor::new(&jp).run(&other));
    let said = fs::read_to_string(jp.path("said")).unwrap();
    assert!(said.contains(&id) && said.contains("lock"), "{said}");
    assert_eq!(jp.append(&id, &[&request("More\n")]).code, 0);
}

#[test]
fn a_plan_with_other_line_ends_is_the_same_plan() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    let tip = jp.tip(&id);
    let plan = jp.git(&["show", &format!("{id}:{PLAN}")]);
    let crlf = plan.replace('\n', "\r\n");
    for plan in [crlf.as_str(), &format!("\u{feff}{plan}"), plan.trim_end()] {
        let output = interactive(&jp, &id, FakeEditor::new(&jp).write(PLAN, plan));
        assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.stderr);
        assert_eq!(jp.tip(&id), tip, "{plan:?}");
    }
}

#[test]
fn a_link_in_place_of_a_file_is_not_followed() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.write("secret.md", message("a secret\n"));
    let mut link = jp.command("sh");
    let script = "cd data/jp/workspace/*/edits/*/* && ln -sf ../../../../../../../work/secret.md \
                  001-message.md && test -f 001-message.md";
    link.arg("-c").arg(script).current_dir(jp.world());
    let editor = FakeEditor::new(&jp)
        .run(&link)
        .next_round()
        .expect(PLAN, "# ERROR: 001-message.md: it is not a plain file\n")
        .clear();
    let output = interactive(&jp, &id, editor);
    assert_eq!(output.code, 1);
}

#[test]
fn what_is_damaged_is_told_when_the_editor_opens_and_can_be_mended_there() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.edit(&id, "001-message.md", "nonsense");
    let editor = FakeEditor::new(&jp)
        .expect(PLAN, "# ERROR: 001-message.md:1:1: ")
        .expect_whole("001-message.md", "nonsense")
        .write("001-message.md", message("Hi again\n"));
    let output = interactive(&jp, &id, editor);
    assert_eq!((output.stdout.as_str(), output.code), ("edited   001-message.md\n", 0));
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    // A file that is gone, whose line is taken out.
    jp.remove(&id, "001-message.md");
    let editor = FakeEditor::new(&jp)
        .expect(PLAN, "# ERROR: ")
        .strike("001-message.md")
        .strike("000-request.md");
    let output = interactive(&jp, &id, editor);
    assert_eq!(
        output.stdout, "removed  000-request.md\nremoved  001-message.md\n",
        "{}",
        output.stderr
    );
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn title_and_labels_are_edited_in_the_same_directory() {
    let jp = Jp::in_workspace();
    let id = talk(&jp);
    jp.run(&["c", "title", &id, "First"]);
    let tree = jp.tree(&id);
    let editor = FakeEditor::new(&jp)
        .change(".conversation/meta.toml", "First", "Second")
        .strike("005-message.md");
    let output = interactive(&jp, &id, editor);
    assert_eq!(output.stdout, "removed  005-message.md\nalso     title: Second\n");
    assert_eq!(jp.show(&id)["title"], "Second");
    assert_sound_and_undone(&jp, &id, &tree);
}
