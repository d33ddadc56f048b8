//! The store as git sees it, and conversations that plain git has changed.

use std::fs;

use crate::support::{Jp, call, checkout, hinted, message, request, result};

fn commit_all(tree: &Jp, message: &str) {
    tree.git_in(".", &["add", "-A"]);
    tree.git_in(".", &["commit", "-q", "-m", message]);
}

#[test]
fn a_commit_in_a_worktree_is_read_listed_and_continued() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let tree = checkout(&jp, &id);
    let manifest = fs::read_to_string(tree.path("CONVERSATION")).unwrap();
    tree.write("000-request.md", request("A better question\n"));
    tree.write("007-request.md", request("By hand\n"));
    tree.write("CONVERSATION", format!("{manifest}# my own remark\n007-request.md\n"));
    tree.write(".conversation/meta.toml", "format = \"1.0\"\ntitle = \"By hand\"\n");
    commit_all(&tree, "by hand");
    let row = &jp.run(&["c", "ls", "--format", "json"]).json()[0];
    assert_eq!(row["title"], "By hand");
    assert_eq!(row["status"], "interrupted (pending LLM response)");
    assert_eq!((row["turns"].as_u64(), row["events"].as_u64()), (Some(2), Some(3)));
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("A better question\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "7"]).ok(), request("By hand\n"));
    // The branch is checked out there; jp moves it all the same, as `git update-ref` would.
    assert_eq!(jp.append(&id, &[&message("Yes\n")]).ok(), format!("{id} 008 008-message.md\n"));
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert!(manifest.ends_with("# my own remark\n007-request.md\n008-message.md\n"), "{manifest}");
    assert_eq!(jp.show(&id)["problems"], serde_json::json!([]));
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.assert_sound();
}

#[test]
fn a_clone_can_be_changed_and_pushed_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let store = jp.store();
    jp.git_in(".", &["clone", "-q", "-b", &id, store.to_str().unwrap(), "clone"]);
    let clone = jp.at("clone");
    clone.write("001-message.md", message("Another answer"));
    commit_all(&clone, "edit");
    clone.git_in(".", &["push", "-q", "origin", "HEAD"]);
    assert_eq!(jp.run(&["c", "cat", &id, "1"]).ok(), message("Another answer"));
    assert_eq!(jp.append(&id, &[&request("Next\n")]).ok(), format!("{id} 002 002-request.md\n"));
    clone.git_in(".", &["pull", "-q", "--ff-only"]);
    assert_eq!(fs::read_to_string(clone.path("002-request.md")).unwrap(), request("Next\n"));
    jp.assert_sound();
}

#[test]
fn trailers_that_speak_of_another_tree_do_not_count() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let tree = checkout(&jp, &id);
    let manifest = fs::read_to_string(tree.path("CONVERSATION")).unwrap();
    tree.write("CONVERSATION", manifest.replace("001-message.md\n", ""));
    tree.write(".conversation/meta.toml", "format = \"1.0\"\ntitle = \"Amended\"\n");
    tree.git_in(".", &["commit", "-q", "--amend", "--no-edit", "-a"]);
    assert!(jp.git(&["log", "-1", "--format=%B", &id]).contains("\nJp-Events: 2\n"));
    let row = &jp.run(&["c", "ls", "--format", "json"]).json()[0];
    assert_eq!((row["title"].as_str(), row["events"].as_u64()), (Some("Amended"), Some(1)));
    let refused = "error: events/0.md: a request follows straight after a request\n\
                   Hint: nothing was appended\n";
    jp.append(&id, &[&request("Again\n")]).fails(1, refused);
    // The file that is no longer listed keeps its number.
    assert_eq!(jp.append(&id, &[&message("New\n")]).ok(), format!("{id} 002 002-message.md\n"));
}

#[test]
fn a_sealed_run_can_be_edited_by_hand() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = message("again\n");
    jp.append(&id, &[text.as_str(); 121]).ok();
    let tree = checkout(&jp, &id);
    tree.write("000/050-message.md", message("edited"));
    let manifest = fs::read_to_string(tree.path("000/CONVERSATION")).unwrap();
    tree.write("000/CONVERSATION", manifest.replace("051-message.md\n", ""));
    fs::remove_file(tree.path("000/051-message.md")).unwrap();
    commit_all(&tree, "inside");
    let before = jp.git(&["rev-parse", &format!("{id}^")])[..10].to_owned();
    let warning = format!("warning: {id}: Ann took 1 event out by hand (051)\n");
    let told = format!("{warning}Hint: `jp conversation undo {id}` brings it back\n");
    let edited = jp.run(&["c", "cat", &id, "50"]);
    assert_eq!((edited.stdout, &edited.stderr), (message("edited"), &told));
    let listed = jp.run(&["c", "ls"]);
    assert!(listed.stdout.contains("121"), "{}", listed.stdout);
    assert_eq!(listed.stderr, told);
    let hint = format!("Hint: `jp conversation restore {id} --at {before}` brings it back\n");
    assert_eq!(jp.append(&id, &[&request("Next\n")]).stderr, warning + &hint);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    jp.assert_sound();
}

#[test]
fn git_shows_logs_diffs_and_blames() {
    let jp = Jp::in_workspace();
    let id =
        jp.start(&[&request("Question\n"), &message("Answer\n"), &call("c1"), &result("c1", "x")]);
    let log = jp.run(&["git", "log", "--format=%an %s", &id]).ok();
    let expected = format!(
        "tool append 003-tool-result-read.md\nmodel append 002-tool-call-read.md\n\
         acme/large append 001-message.md\nAnn append 000-request.md\nAnn create {id}\n"
    );
    assert_eq!(log, expected);
    assert_eq!(jp.run(&["git", "show", &format!("{id}:001-message.md")]).ok(), message("Answer\n"));
    let diff = jp.run(&["git", "diff", "--name-status", &format!("{id}~1"), &id]).ok();
    assert_eq!(diff, "A\t003-tool-result-read.md\nM\tCONVERSATION\n");
    let blame = jp.run(&["git", "blame", "--line-porcelain", &id, "--", "CONVERSATION"]).ok();
    let authors: Vec<_> = blame.lines().filter_map(|line| line.strip_prefix("author ")).collect();
    assert_eq!(authors[authors.len() - 4..], ["Ann", "acme/large", "model", "tool"]);
    let shortlog = jp.run(&["git", "shortlog", "-s", &id]).ok();
    assert_eq!(shortlog.lines().count(), 4, "{shortlog}");
    let missing = jp.run(&["git", "rev-parse", "--verify", "-q", "nothing"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
}

#[test]
fn the_bytes_of_events_survive_a_clone_on_a_system_that_changes_line_ends() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("crlf\r\nlf\n")]);
    let tree = {
        jp.git(&["config", "core.autocrlf", "true"]);
        let tree = checkout(&jp, &id);
        jp.git(&["config", "--unset", "core.autocrlf"]);
        tree
    };
    assert_eq!(fs::read(tree.path("000-request.md")).unwrap(), request("crlf\r\nlf\n").as_bytes());
}

#[test]
fn a_conversation_that_git_has_packed_goes_on() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.git(&["gc", "-q"]);
    jp.git(&["pack-refs", "--all"]);
    jp.append(&id, &[&message("Answer\n")]).ok();
    jp.git(&["repack", "-q", "-a", "-d"]);
    assert_eq!(jp.show(&id)["events"], 2);
    jp.assert_sound();
}

#[test]
fn branches_that_are_no_conversations_are_left_alone() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let tip = jp.tip(&id);
    for name in ["main", "jp-c01", "jp-c1x", "topic/jp-c5"] {
        jp.git(&["update-ref", &format!("refs/heads/{name}"), &tip]);
    }
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!((rows.as_array().unwrap().len(), rows[0]["id"].as_str()), (1, Some(id.as_str())));
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
}

#[test]
fn forged_trailers_do_not_make_an_append_overwrite_an_event() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    let body = jp.git(&["log", "-1", "--format=%B", &id]);
    let tree = jp.git(&["rev-parse", &format!("{id}^{{tree}}")]);
    let forged = body.replace("Jp-Tree: ", "Jp-Next: 000\nJp-Tree: ");
    assert_ne!(forged, body);
    let parent = jp.tip(&id);
    let commit = jp.git_with_input(&["commit-tree", tree.trim_end(), "-p", &parent], forged);
    jp.force(&id, &commit);
    assert_eq!(jp.append(&id, &[&request("Next\n")]).ok(), format!("{id} 002 002-request.md\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("Question\n"));
}

#[test]
fn the_hint_about_events_that_were_taken_out_works_after_the_command_that_gave_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let stale = jp.tree(&id);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    let lost = jp.run(&["c", "cat", &id, "3"]).ok();
    jp.commit_tree(&id, &stale);
    let titled = jp.run(&["c", "title", &id, "Another"]);
    let hint = hinted(&titled.stderr).into_iter().next().unwrap();
    let args: Vec<&str> = hint.iter().map(String::as_str).collect();
    assert_eq!(jp.run(&args).code, 0);
    assert_eq!(jp.run(&["c", "cat", &id, "3"]).stdout, lost, "after {args:?}");
}
