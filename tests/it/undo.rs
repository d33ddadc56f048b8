//! Undo, redo and restore: a new commit brings back an old tree, and says how to take that back.

use serde_json::json;

use crate::support::{Jp, Output, checkout, message, request};

/// A conversation with two turns, appended by two commands.
fn two_turns(jp: &Jp) -> String {
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    id
}

fn does(output: &Output, stdout: &str, stderr: &str) {
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.code), (stdout, stderr, 0));
}

#[test]
fn undo_takes_back_a_whole_command_and_redo_brings_it_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let before = jp.tree(&id);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    let after = jp.tree(&id);
    let tip = jp.tip(&id);

    does(
        &jp.run(&["c", "undo", &id]),
        &format!("{id}: undid: append 2 events\n"),
        &format!("Hint: `jp conversation redo {id}` takes it back\n"),
    );
    assert_eq!(jp.tree(&id), before);
    assert_eq!(jp.git(&["rev-parse", &format!("{id}^")]).trim_end(), tip, "history is kept");

    does(
        &jp.run(&["c", "redo", &id]),
        &format!("{id}: redid: append 2 events\n"),
        &format!("Hint: `jp conversation undo {id}` takes it back\n"),
    );
    assert_eq!(jp.tree(&id), after);
    jp.assert_sound();
}

#[test]
fn undo_ends_where_the_conversation_begins() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    assert_eq!(jp.run(&["c", "undo"]).code, 0, "the only conversation need not be named");
    let tip = jp.tip(&id);
    jp.run(&["c", "undo", &id]).fails(
        1,
        &format!(
            "error: {id}: nothing is left to undo: the conversation begins here\n\
             Hint: `jp conversation rm {id}` moves it to the trash\n"
        ),
    );
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn redo_ends_when_something_new_happens() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    jp.run(&["c", "undo", &id]);
    jp.append(&id, &[&request("Other\n")]).ok();
    jp.run(&["c", "redo", &id]).fails(
        1,
        &format!(
            "error: {id}: there is nothing to redo: nothing was undone, or something new happened \
             since\nHint: `jp conversation log {id}` lists every version, and `jp conversation \
             restore {id} --at COMMIT` brings one back\n"
        ),
    );
}

#[test]
fn title_and_labels_can_be_undone() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let before = jp.tree(&id);
    jp.run(&["c", "title", &id, "Another title"]);
    jp.run(&["c", "label", "add", &id, "topic=git", "kept"]);
    assert_eq!(jp.show(&id)["labels"], json!({"kept": "", "topic": "git"}));
    jp.run(&["c", "label", "rm", &id, "kept"]);
    for what in ["label rm kept", "label add topic=git kept", "title Another title"] {
        assert_eq!(jp.run(&["c", "undo", &id]).stdout, format!("{id}: undid: {what}\n"));
    }
    assert_eq!(jp.tree(&id), before);
    assert_eq!(jp.show(&id)["title"], "One");
}

#[test]
fn an_edit_by_hand_can_be_undone_although_it_broke_everything() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let before = jp.tree(&id);
    jp.edit(&id, "CONVERSATION", "nonsense\n");
    jp.edit(&id, "run.sh", "rm -rf /\n");
    assert_eq!(jp.run(&["c", "show", &id]).code, 1);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.tree(&id), before);
    jp.append(&id, &[&request("On we go\n")]).ok();
}

#[test]
fn events_that_were_taken_out_by_hand_are_told_until_jp_writes_again() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let stale = jp.tree(&id);
    jp.append(&id, &[&request("Three\n"), &message("Third\n")]).ok();
    jp.commit_tree(&id, &stale);
    let warning = format!(
        "warning: {id}: Ann took 2 events out by hand (004 to 005)\n\
         Hint: `jp conversation undo {id}` brings them back\n"
    );
    for args in [&["c", "show", &id][..], &["c", "log", &id], &["c", "cat", &id, "0"]] {
        let output = jp.run(args);
        assert_eq!((output.stderr.as_str(), output.code), (warning.as_str(), 0), "{args:?}");
    }
    let log = jp.run(&["c", "log", &id]).stdout;
    assert!(log.lines().nth(1).unwrap().ends_with("-2      by hand (Ann by hand)"), "{log}");
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.run(&["c", "cat", &id, "5"]).ok(), message("Third\n"));
}

#[test]
fn restore_brings_back_any_version() {
    for at in ["~1", "turn 0", "commit"] {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("One\n"), &message("First\n")]);
        let (first, commit) = (jp.tree(&id), jp.tip(&id));
        jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
        let second = jp.tree(&id);
        let at = if at == "commit" { &commit[..8] } else { at };
        does(
            &jp.run(&["c", "restore", &id, "--at", at]),
            &format!("{id}: restored the version of: append 001-message.md\n"),
            &format!("Hint: `jp conversation undo {id}` takes it back\n"),
        );
        assert_eq!(jp.tree(&id), first, "{at}");
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
        assert_eq!(jp.tree(&id), second, "{at}");
        does(
            &jp.run(&["c", "restore", &id, "--at", "turn 1"]),
            "",
            &format!("{id}: it is as it was then: nothing to restore\n"),
        );
        jp.run(&["c", "restore", &id]).fails(
            2,
            &format!(
                "error: which version? `--at` says it\n\
                 Hint: `jp conversation log {id}` lists the versions\n"
            ),
        );
    }
}

#[test]
fn a_version_that_is_not_there_is_an_error_that_says_what_is() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let hint = format!("Hint: `jp conversation log {id}` lists its versions\n");
    for (at, error) in [
        ("~2", format!("conversation {id} goes back 2 operations, no further")),
        ("turn 7", format!("conversation {id} never had a turn 7: there are turns 0 to 1")),
        ("0000", format!("conversation {id} has no commit that begins with `0000`")),
        ("1971-01-01", format!("conversation {id} did not exist at 1971-01-01T00:00:00Z")),
    ] {
        let output = jp.run(&["c", "show", &id, "--at", at]);
        output.fails(1, &format!("error: {error}\n{hint}"));
    }
    jp.run(&["c", "show", &id, "--at", "soon"]).fails(
        2,
        "error: `soon` is not a version: expected a commit such as `1f2e3d4c`, `turn 4`, `~2` \
         (operations ago), `2h ago` or `2026-11-01 14:03`\n",
    );
}

#[test]
fn show_and_cat_see_the_conversation_as_it_was() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    jp.edit(&id, "000-request.md", request("Edited\n"));
    let show = jp.run(&["c", "show", &id, "--at", "turn 0", "--format", "json"]).json();
    assert_eq!((&show["events"], &show["turns"]), (&json!(2), &json!(1)));
    assert_eq!(jp.run(&["c", "cat", &id, "0", "--at", "~1"]).ok(), request("One\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("Edited\n"));
    assert_eq!(jp.run(&["c", "cat", "0"]).ok(), request("Edited\n"));
}

#[test]
fn a_change_needs_a_name_when_there_are_several_conversations() {
    let jp = Jp::in_workspace();
    let first = two_turns(&jp);
    let second = two_turns(&jp);
    let output = jp.run(&["c", "undo"]);
    assert_eq!(output.code, 1);
    assert_eq!(
        output.stderr,
        format!(
            "error: there are 2 conversations: say which one\n\
             Hint: last changed: {second} (One), {first} (One)\n\
             Hint: `last` stands for the one last used, `previous` for the one before in this terminal\n"
        )
    );
}

#[test]
fn undo_tells_programs_what_it_did() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let before = jp.tip(&id);
    let report = jp.run(&["c", "undo", &id, "--format", "json"]).json();
    assert_eq!(
        report,
        json!({
            "id": id,
            "operation": "append 2 events",
            "source": jp.git(&["rev-parse", &format!("{before}~2")]).trim_end(),
            "before": before,
            "commit": jp.tip(&id),
            "inverse": format!("jp conversation redo {id}"),
        })
    );
}

#[test]
fn a_locked_conversation_is_not_undone() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let lock = std::fs::File::create(jp.store().join(format!("locks/{id}.lock"))).unwrap();
    lock.lock().unwrap();
    let output = jp.with_var("JP_LOCK_DURATION", "0").run(&["c", "undo", &id]);
    assert_eq!(output.code, 75, "{}", output.stderr);
}

#[test]
fn a_repair_is_one_operation_and_is_undone_as_a_whole() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "001-message.md", "no frontmatter\n");
    jp.edit(&id, "run.sh", "has no place\n");
    let before = jp.tree(&id);
    jp.run(&["c", "fsck", "--repair", &id]);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.tree(&id), before);
}

#[test]
fn an_undo_after_an_edit_by_hand_tells_how_many_events_it_takes_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "000-request.md", request("Eins\n"));
    let (question, reply) = (request("Q\n"), message("A\n"));
    jp.append(&id, &[&question, &reply, &question, &reply]).ok();
    let undone = jp.run(&["c", "undo", &id]);
    assert_eq!(undone.stdout, format!("{id}: undid: append 4 events\n"));
}

#[test]
fn an_undo_that_was_amended_by_hand_is_undone_by_itself() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    jp.append(&id, &[&request("Three\n"), &message("Third\n")]).ok();
    let before = jp.tree(&id);
    jp.run(&["c", "undo", &id]);
    let work = checkout(&jp, &id);
    work.write("000-request.md", request("Eins\n"));
    work.git_in(".", &["commit", "-q", "-a", "--amend", "--no-edit"]);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.tree(&id), before, "the tree before the commit");
}

#[test]
fn a_conversation_that_took_in_its_fork_can_be_undone_beyond_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    let before = jp.tree(&id);
    let fork = jp.run(&["c", "fork", &id]).stdout.trim_end().to_owned();
    jp.append(&fork, &[&request("Three\n"), &message("Third\n")]).ok();
    jp.git(&["push", "-q", ".", &format!("{fork}:{id}")]);
    for _ in 0..2 {
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    }
    assert_eq!(jp.tree(&id), before);
    assert_eq!(jp.run(&["c", "undo", &fork]).code, 0);
    assert_eq!(jp.run(&["c", "undo", &fork]).code, 1, "the fork begins there");
}

#[test]
fn what_a_commit_says_of_another_conversation_does_not_count() {
    let jp = Jp::in_workspace();
    let private = jp.start(&[&request("Private\n"), &message("Words\n")]);
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    let (stranger, own) = (jp.tip(&private), jp.tree(&id));
    for link in ["Jp-Redo", "Jp-State", "Jp-Base"] {
        let (tip, message) =
            (jp.tip(&id), format!("forged\n\nJp-Operation: deadbeef\n{link}: {stranger}\n"));
        let forged = jp.git(&["commit-tree", &own, "-p", &tip, "-m", &message]);
        jp.force(&id, forged.trim_end());
        let redone = jp.run(&["c", "redo", &id]);
        assert_eq!(redone.code, 1, "{link}: {}", redone.stdout);
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0, "{link}");
        assert_eq!(jp.tree(&id), own, "{link}");
        jp.force(&id, &tip);
    }
}
