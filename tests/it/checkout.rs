//! Work trees of conversations: checkout, status and commit.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use crate::support::{Jp, Output, call, checkout as worktree, contents, message, request, result};

/// A conversation of two turns.
pub fn two_turns(jp: &Jp) -> String {
    jp.start(&[&request("One\n"), &message("First\n"), &request("Two\n"), &message("Second\n")])
}

/// A conversation of two turns, checked out in `co`.
pub fn checked_out() -> (Jp, String) {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    assert_eq!(jp.run(&["c", "checkout", &id, "co"]).code, 0);
    (jp, id)
}

pub fn read(jp: &Jp, name: &str) -> String {
    fs::read_to_string(jp.path(name)).unwrap()
}

/// Changes a file of the current directory.
pub fn change(jp: &Jp, name: &str, from: &str, to: &str) {
    let text = read(jp, name);
    assert!(text.contains(from), "{name}: {text}");
    jp.write(name, text.replacen(from, to, 1));
}

/// Commits `co`, and returns what was printed.
#[track_caller]
pub fn commit(jp: &Jp) -> String {
    let output = jp.run(&["c", "commit", "co"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

/// The bodies of all events, in order.
pub fn bodies(jp: &Jp, id: &str) -> Vec<String> {
    let exported = jp.run(&["c", "export", id, "--format", "json"]);
    let exported: serde_json::Value = serde_json::from_str(&exported.stdout).unwrap();
    let turns = exported["turns"].as_array().unwrap().iter();
    let events = turns.flat_map(|turn| turn["events"].as_array().unwrap().clone());
    events.map(|event| event["content"].as_str().unwrap().trim_end().to_owned()).collect()
}

/// The names in the plan of `co`.
pub fn listed(jp: &Jp) -> Vec<String> {
    let plan = read(jp, "co/CONVERSATION");
    let lines = plan.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// Asserts that a conversation, its directory and the store are in order.
#[track_caller]
pub fn assert_in_order(jp: &Jp, id: &str) {
    assert_eq!(jp.run(&["c", "fsck", id]).ok(), "");
    let status = jp.run(&["c", "status", "co"]);
    let expected = format!("{id} at {}\nnothing to commit\n", &jp.tip(id)[..10]);
    assert_eq!((status.stdout, status.stderr.as_str()), (expected, ""));
    jp.assert_sound();
}

#[test]
fn a_checkout_says_where_it_is_and_how_to_go_on() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let made = jp.run(&["c", "checkout", &id, "co"]);
    let directory = jp.path("co");
    assert_eq!(made.stdout, format!("{id} 4 events in {}\n", directory.display()));
    assert_eq!(
        made.stderr,
        "Hint: edit there; `jp conversation status co` checks, and `jp conversation commit co` \
         commits\n"
    );
    assert_eq!(read(&jp, "co/001-message.md"), message("First\n"));
    assert_in_order(&jp, &id);
    let tip = jp.tip(&id);
    let made = jp.run(&["c", "checkout", &id, "other", "--format", "json"]).json();
    let directory = jp.path("other");
    assert_eq!(
        made,
        json!({"id": id, "commit": tip, "directory": directory.to_str().unwrap(), "events": 4})
    );
    // The only conversation there is needs no name, and nothing is overwritten.
    assert_eq!(jp.run(&["c", "checkout", "third"]).code, 0);
    let taken = jp.run(&["c", "checkout", &id, "co"]);
    assert_eq!(taken.code, 1);
    assert!(taken.stderr.contains("co`"), "{}", taken.stderr);
}

#[test]
fn status_and_commit_tell_what_was_changed() {
    let (jp, id) = checked_out();
    let base = jp.tip(&id);
    change(&jp, "co/000-request.md", "One", "Uno");
    let plan = read(&jp, "co/CONVERSATION");
    let plan = plan.replace("003-message.md\n", "new.md\n");
    jp.write("co/CONVERSATION", plan);
    jp.write("co/new.md", "---\ntype: message\nmodel: acme/large\n---\nMine\n");
    jp.write("co/draft.md", "not yet\n");
    let told =
        "removed  003-message.md\nedited   000-request.md\nadded    004-message.md (from new.md)\n";
    let unlisted = "warning: not listed in the plan, and so no events: `draft.md`\n";
    let status = jp.run(&["c", "status", "co"]);
    assert_eq!(status.stdout, format!("{id} at {}\n{told}", &base[..10]));
    assert_eq!((status.code, status.stderr.as_str()), (0, unlisted));
    let expected = json!({
        "removed": ["003-message.md"], "moved": [], "edited": ["000-request.md"],
        "added": [{"file": "004-message.md", "from": "new.md"}], "stand_ins": [], "renamed": [],
        "remarks": [], "unlisted": ["draft.md"], "id": id, "base": base, "tip": base,
        "came_in": 0, "problems": [],
    });
    assert_eq!(jp.run(&["c", "status", "co", "--format", "json"]).json(), expected);
    let dry = jp.run(&["c", "commit", "co", "--dry-run"]);
    assert_eq!((dry.stdout.as_str(), jp.tip(&id)), (told, base.clone()));
    assert_eq!(dry.stderr, format!("{unlisted}{id}: nothing was changed\n"));
    let done = jp.run(&["c", "commit", "co", "--format", "json"]).json();
    let mut expected = expected;
    for key in ["base", "tip", "came_in", "problems"] {
        expected.as_object_mut().unwrap().remove(key);
    }
    expected["commit"] = json!(jp.tip(&id));
    expected["dry_run"] = json!(false);
    expected["inverse"] = json!(format!("jp conversation undo {id}"));
    assert_eq!(done, expected);
    assert_eq!(bodies(&jp, &id), ["Uno", "First", "Two", "Mine"]);
    assert!(!jp.path("co/003-message.md").exists() && !jp.path("co/new.md").exists());
    assert_eq!(read(&jp, "co/draft.md"), "not yet\n");
    fs::remove_file(jp.path("co/draft.md")).unwrap();
    assert_in_order(&jp, &id);
    let message = jp.git(&["log", "-1", "--format=%s", &id]);
    assert_eq!(message, "edit: 1 removed, 1 edited, 1 added\n");
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(bodies(&jp, &id), ["One", "First", "Two", "Second"]);
}

#[test]
fn what_is_wrong_is_told_by_file_line_and_column_and_nothing_is_committed() {
    let (jp, id) = checked_out();
    let tip = jp.tip(&id);
    change(&jp, "co/000-request.md", "timestamp: 2026", "timestamp: soon 2026");
    change(&jp, "co/001-message.md", "model:", "\tmodel:");
    let plan = read(&jp, "co/CONVERSATION").replace("003-message.md", "gone.md\n../evil.md");
    jp.write("co/CONVERSATION", plan);
    change(&jp, "co/.conversation/meta.toml", "title = ", "title = 7 # ");
    let before = contents(&jp.path("co"));
    let status = jp.run(&["c", "status", "co"]);
    let commit = jp.run(&["c", "commit", "co"]);
    assert_eq!((status.code, commit.code), (1, 1));
    assert_eq!(status.stderr, commit.stderr);
    let meta = "error: co/.conversation/meta.toml:2:1: ";
    assert!(commit.stderr.starts_with(meta), "{}", commit.stderr);
    assert!(commit.stderr.ends_with("\nHint: nothing was committed\n"), "{}", commit.stderr);
    change(&jp, "co/.conversation/meta.toml", "title = 7 # ", "title = ");
    let commit = jp.run(&["c", "commit", "co"]);
    let places: Vec<_> =
        commit.stderr.lines().map(|line| line.split(": ").nth(1).unwrap_or_default()).collect();
    let expected = [
        "co/000-request.md:3:1",
        "co/001-message.md:4:1",
        "co/CONVERSATION:12:1",
        "co/CONVERSATION:13:1",
        "nothing was committed",
    ];
    assert_eq!(places, expected, "{}", commit.stderr);
    let problems = jp.run(&["c", "status", "co", "--format", "json"]);
    assert_eq!(problems.code, 1);
    let problems: serde_json::Value = serde_json::from_str(&problems.stdout).unwrap();
    let first = &problems["problems"][0];
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&json!("000-request.md"), &json!(3), &json!(1))
    );
    // From within the directory, the places are as short as they can be.
    let within = jp.at("co").run(&["c", "commit"]);
    assert!(within.stderr.starts_with("error: 000-request.md:3:1: "), "{}", within.stderr);
    assert_eq!(jp.tip(&id), tip);
    jp.write("co/.conversation/meta.toml", &before[&jp.path("co/.conversation/meta.toml")]);
    assert_eq!(contents(&jp.path("co")), before);
}

#[test]
fn rules_of_a_stream_hold_in_a_directory() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Do\n"), &call("c1"), &result("c1", "x"), &message("Done\n")]);
    jp.run(&["c", "checkout", &id, "co"]);
    let plan = read(&jp, "co/CONVERSATION");
    jp.write("co/CONVERSATION", plan.replace("001-tool-call-read.md\n", ""));
    let refused = jp.run(&["c", "commit", "co"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.starts_with("error: co/CONVERSATION:8:1: "), "{}", refused.stderr);
    assert_eq!(jp.show(&id)["events"], 4);
}

#[test]
fn an_emptied_or_missing_plan_removes_nothing() {
    let (jp, id) = checked_out();
    let tip = jp.tip(&id);
    let plan = read(&jp, "co/CONVERSATION");
    let refused = "error: the plan names no event: `CONVERSATION` is empty or gone\n\
                   Hint: nothing was committed\n";
    jp.write("co/CONVERSATION", "# nothing\n");
    jp.run(&["c", "commit", "co"]).fails(1, refused);
    fs::remove_file(jp.path("co/CONVERSATION")).unwrap();
    jp.run(&["c", "commit", "co"]).fails(1, refused);
    let elsewhere = jp.write("elsewhere", &plan);
    symlink(elsewhere, jp.path("co/CONVERSATION")).unwrap();
    jp.run(&["c", "commit", "co"]).fails(1, refused);
    assert_eq!(jp.tip(&id), tip);
    fs::remove_file(jp.path("co/CONVERSATION")).unwrap();
    jp.write("co/CONVERSATION", plan);
    assert_in_order(&jp, &id);
}

#[test]
fn a_plan_that_is_too_large_is_not_read_in_half() {
    let (jp, id) = checked_out();
    let plan = read(&jp, "co/CONVERSATION");
    let padded =
        format!("{}{}{plan}", plan.replace("003-message.md\n", ""), "#\n".repeat(33 << 20));
    jp.write("co/CONVERSATION", padded);
    let refused = jp.run(&["c", "commit", "co"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("the plan is larger than"), "{}", refused.stderr);
    assert_eq!(jp.show(&id)["events"], 4);
}

#[test]
fn events_are_reordered_renamed_and_removed() {
    let (jp, id) = checked_out();
    jp.append(&id, &[&message("Third\n")]).ok();
    assert_eq!(commit(&jp), "");
    let plan = read(&jp, "co/CONVERSATION");
    let plan =
        plan.replace("003-message.md\n004-message.md\n", "004-message.md\n003-message-b.md\n");
    jp.write("co/CONVERSATION", plan);
    fs::rename(jp.path("co/003-message.md"), jp.path("co/003-message-b.md")).unwrap();
    let done = commit(&jp);
    assert!(done.contains("renamed  003-message.md is now 003-message-b.md\n"), "{done}");
    assert_eq!(bodies(&jp, &id), ["One", "First", "Two", "Third", "Second"]);
    assert_in_order(&jp, &id);
    change(&jp, "co/CONVERSATION", "003-message-b.md\n", "");
    assert_eq!(commit(&jp), "removed  003-message-b.md\n");
    assert!(!jp.path("co/003-message-b.md").exists());
    assert_in_order(&jp, &id);
}

#[test]
fn a_sealed_conversation_is_flat_and_one_changed_file_stays_in_its_run() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = message("again\n");
    jp.append(&id, &[text.as_str(); 130]).ok();
    jp.run(&["c", "checkout", &id, "co"]);
    assert!(jp.path("co/050-message.md").is_file() && !jp.path("co/000").exists());
    assert_eq!(listed(&jp).len(), 131);
    change(&jp, "co/050-message.md", "again", "edited");
    assert_eq!(commit(&jp), "edited   050-message.md\n");
    let changed = jp.git(&["diff", "--name-status", &format!("{id}~1"), &id]);
    assert_eq!(changed, "M\t000/050-message.md\n");
    assert_in_order(&jp, &id);
    change(&jp, "co/CONVERSATION", "051-message.md\n", "");
    assert_eq!(commit(&jp), "removed  051-message.md\n");
    let changed = jp.git(&["diff", "--name-status", &format!("{id}~1"), &id]);
    assert_eq!(changed, "D\t000/051-message.md\nM\t000/CONVERSATION\n");
    assert_in_order(&jp, &id);
}

#[test]
fn a_checkout_of_an_older_version_is_brought_onto_the_present_one() {
    let (jp, id) = checked_out();
    assert_eq!(jp.run(&["c", "checkout", &id, "old", "--at", "turn 0"]).code, 0);
    assert!(!jp.path("old/002-request.md").exists());
    change(&jp, "old/000-request.md", "One", "Uno");
    let status = jp.run(&["c", "status", "old"]);
    assert!(status.stdout.contains(", since then 2 events came in\n"), "{}", status.stdout);
    assert_eq!(jp.run(&["c", "commit", "old"]).stdout, "edited   000-request.md\n");
    assert_eq!(bodies(&jp, &id), ["Uno", "First", "Two", "Second"]);
    assert_eq!(read(&jp, "old/003-message.md"), message("Second\n"));
    assert_eq!(commit(&jp), "");
    assert_in_order(&jp, &id);
}

#[test]
fn what_editors_leave_around_does_not_matter() {
    let (jp, id) = checked_out();
    let tree = jp.tree(&id);
    for name in [
        ".vscode/extensions.json",
        ".idea/workspace.xml",
        ".000-request.md.swp",
        "000-request.md~",
        "notes.txt",
        "target/x.md",
        ".conversation/mine",
    ] {
        jp.write(&format!("co/{name}"), "mine\n");
    }
    fs::remove_dir_all(jp.path("co/.zed")).unwrap();
    assert_in_order(&jp, &id);
    assert_eq!(commit(&jp), "");
    assert_eq!(jp.tree(&id), tree);
}

#[test]
fn a_touched_or_reformatted_file_is_no_edit() {
    let (jp, id) = checked_out();
    let tip = jp.tip(&id);
    let reformatted = read(&jp, "co/001-message.md").replace("model: acme", "model:   acme");
    jp.write("co/001-message.md", reformatted);
    let again = read(&jp, "co/000-request.md");
    jp.write("co/000-request.md", again);
    assert_in_order(&jp, &id);
    assert_eq!((commit(&jp).as_str(), jp.tip(&id)), ("", tip));
    // Nor is it one in an event that was edited before, whose mark is in the store alone.
    change(&jp, "co/001-message.md", "First", "Uno");
    assert_eq!(commit(&jp), "edited   001-message.md\n");
    let tip = jp.tip(&id);
    change(&jp, "co/001-message.md", "model:   acme", "model: acme");
    assert_in_order(&jp, &id);
    assert_eq!((commit(&jp).as_str(), jp.tip(&id)), ("", tip));
}

#[test]
fn an_edit_of_an_edited_event_is_one_more_edit() {
    let (jp, id) = checked_out();
    for text in ["Uno", "Un", "Eins"] {
        jp.write("co/000-request.md", request(&format!("{text}\n")));
        assert_eq!(commit(&jp), "edited   000-request.md\n");
        assert_eq!(bodies(&jp, &id)[0], text);
        assert_in_order(&jp, &id);
    }
    assert_eq!(jp.git(&["rev-list", "--count", &id]), "8\n");
}

#[test]
fn a_directory_may_be_moved_and_copied() {
    let (jp, id) = checked_out();
    fs::rename(jp.path("co"), jp.path("moved")).unwrap();
    change(&jp, "moved/000-request.md", "One", "Uno");
    let copied = jp.command("cp").args(["-R", "moved", "copy"]).status();
    assert!(copied.unwrap().success());
    assert_eq!(jp.run(&["c", "commit", "moved"]).stdout, "edited   000-request.md\n");
    // The copy has the same edit, which is made already.
    let again = jp.run(&["c", "commit", "copy"]);
    assert_eq!((again.stdout.as_str(), again.code), ("", 0), "{}", again.stderr);
    change(&jp, "copy/003-message.md", "Second", "Zwei");
    assert_eq!(jp.run(&["c", "commit", "copy"]).stdout, "edited   003-message.md\n");
    assert_eq!(bodies(&jp, &id), ["Uno", "First", "Two", "Zwei"]);
}

#[test]
fn a_checkout_elsewhere_finds_its_workspace() {
    let jp = Jp::in_workspace();
    let id = two_turns(&jp);
    let outside = jp.world().join("outside");
    let outside_arg = outside.to_str().unwrap();
    assert_eq!(jp.run(&["c", "checkout", &id, outside_arg]).code, 0);
    let text = fs::read_to_string(outside.join("000-request.md")).unwrap();
    fs::write(outside.join("000-request.md"), text.replace("One", "Uno")).unwrap();
    let there = jp.at(&outside);
    assert_eq!(there.run(&["c", "commit"]).stdout, "edited   000-request.md\n");
    // From within another workspace, too.
    let other = jp.at(jp.world().join("other"));
    other.run(&["init"]).ok();
    let status = other.run(&["c", "status", outside_arg]);
    assert_eq!((status.code, status.stderr.as_str()), (0, ""));
    // The workspace moves away: it is said to be gone, and found again from within.
    fs::rename(jp.world().join("work"), jp.world().join("new place")).unwrap();
    let lost = there.run(&["c", "status"]);
    assert_eq!(lost.code, 1);
    let message =
        format!("error: the workspace of the conversation in `{outside_arg}` is not here\n");
    assert!(lost.stderr.starts_with(&message), "{}", lost.stderr);
    let moved = jp.at(jp.world().join("new place"));
    assert_eq!(moved.run(&["c", "status", outside_arg]).code, 0);
}

#[test]
fn nothing_is_committed_while_somebody_else_writes() {
    let (jp, id) = checked_out();
    change(&jp, "co/000-request.md", "One", "Uno");
    let script = "echo open > opened; cat closed; exit 1";
    for fifo in ["opened", "closed"] {
        assert!(jp.command("mkfifo").arg(jp.path(fifo)).status().unwrap().success());
    }
    jp.write("editor", script);
    let (opened, closed) = (jp.path("opened"), jp.path("closed"));
    let script = script.replace("opened", opened.to_str().unwrap());
    jp.write("editor", script.replace("closed", closed.to_str().unwrap()));
    let editor = format!("sh {}", jp.path("editor").display());
    let editing = jp.with_var("JP_EDITOR", editor);
    let mut command = editing.jp(&["c", "edit", &id]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    fs::read(&opened).unwrap();
    let busy = jp.with_var("JP_LOCK_DURATION", "0").run(&["c", "commit", "co"]);
    assert_eq!(busy.code, 75, "{}", busy.stderr);
    let status = jp.run(&["c", "status", "co"]);
    assert_eq!(status.code, 0, "{}", status.stderr);
    fs::write(&closed, "").unwrap();
    assert_eq!(Output::from(child.wait_with_output().unwrap()).code, 1);
    assert_eq!(commit(&jp), "edited   000-request.md\n");
    assert_in_order(&jp, &id);
}

#[test]
fn a_git_work_tree_is_told_apart_from_a_checkout() {
    let (jp, id) = checked_out();
    let tree = worktree(&jp, &id);
    for command in ["commit", "status", "watch"] {
        let refused = tree.run(&["c", command]);
        let said = format!(
            "error: `{}` is a work tree of git, and git commits it\nHint: `git commit` commits it, \
             and `jp conversation fsck ID` says whether it is in order\n",
            tree.path("").display().to_string().trim_end_matches('/')
        );
        refused.fails(1, &said);
    }
    let none = jp.run(&["c", "commit"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("is not a checkout of a conversation"), "{}", none.stderr);
    assert_eq!(jp.run(&["c", "commit", "nowhere"]).code, 1);
}

#[test]
fn a_record_that_is_damaged_or_hostile_does_nothing() {
    let (jp, id) = checked_out();
    change(&jp, "co/000-request.md", "One", "Uno");
    let record = read(&jp, "co/.conversation/checkout");
    let path = jp.path("co/.conversation/checkout");
    let workspace = record.lines().nth(1).unwrap().to_owned();
    let tip = jp.tip(&id);
    let other = jp.start(&[&request("Other\n")]);
    let other_tip = jp.tip(&other);
    let refuse = |text: &[u8], expected: &str| {
        fs::write(&path, text).unwrap();
        let refused = jp.run(&["c", "commit", "co"]);
        assert_eq!(refused.code, 1, "{expected}: {}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    };
    let damaged = "is damaged: it cannot be told what has changed there";
    refuse(b"", damaged);
    refuse(&record.as_bytes()[..record.len() / 2], damaged);
    refuse(b"\xff\xfe", damaged);
    refuse(record.replace("000-request.md", "../../../etc/passwd").as_bytes(), damaged);
    refuse(record.replace("000-request.md", "../000-request.md").as_bytes(), damaged);
    refuse(record.replace(&workspace, "workspace ../../../../tmp").as_bytes(), damaged);
    let unknown = format!("workspace {}", "7".repeat(32));
    refuse(record.replace(&workspace, &unknown).as_bytes(), "is not here");
    refuse(record.replace(&id, "jp-c17528832001").as_bytes(), "jp-c17528832001");
    refuse(record.replace(&tip, &"7".repeat(40)).as_bytes(), "7777777");
    // Another conversation, which knows nothing of this version.
    assert!(jp.command("cp").args(["-R", "co", "confused"]).status().unwrap().success());
    fs::write(jp.path("confused/.conversation/checkout"), record.replace(&id, &other)).unwrap();
    let confused = jp.run(&["c", "commit", "confused"]);
    assert_ne!(confused.code, 0, "{}", confused.stdout);
    assert_eq!(jp.tip(&other), other_tip);
    // A record that never ends, and one that nobody ever writes.
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let huge = jp.run(&["c", "commit", "co"]);
    assert!(huge.stderr.contains(damaged), "{}", huge.stderr);
    fs::remove_file(&path).unwrap();
    assert!(jp.command("mkfifo").arg(&path).status().unwrap().success());
    let fifo = jp.run(&["c", "commit", "co"]);
    assert!(fifo.stderr.contains(damaged), "{}", fifo.stderr);
    fs::remove_file(&path).unwrap();
    fs::write(jp.path("record"), &record).unwrap();
    symlink(jp.path("record"), &path).unwrap();
    assert_eq!(jp.run(&["c", "commit", "co"]).code, 1);
    assert_eq!(jp.tip(&id), tip);
    fs::remove_file(&path).unwrap();
    fs::write(&path, &record).unwrap();
    assert_eq!(commit(&jp), "edited   000-request.md\n");
}

#[test]
fn what_is_no_plain_file_is_refused_and_not_followed() {
    let (jp, id) = checked_out();
    let secret = jp.write("secret", request("Secret\n"));
    let path = jp.path("co/000-request.md");
    let refuse = || {
        let refused = jp.run(&["c", "commit", "co"]);
        let said =
            "error: co/000-request.md: it is not a plain file\nHint: nothing was committed\n";
        refused.fails(1, said);
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    };
    fs::remove_file(&path).unwrap();
    symlink(&secret, &path).unwrap();
    refuse();
    fs::create_dir(&path).unwrap();
    refuse();
    assert!(jp.command("mkfifo").arg(&path).status().unwrap().success());
    refuse();
    let missing = jp.run(&["c", "commit", "co"]);
    let said = "error: co/CONVERSATION:7:1: `000-request.md`: there is no such file\n\
                Hint: nothing was committed\n";
    missing.fails(1, said);
    // A directory where an event was that nobody wants any more.
    jp.write("co/000-request.md", request("One\n"));
    let plan = read(&jp, "co/CONVERSATION");
    jp.write("co/CONVERSATION", plan.replace("003-message.md\n", ""));
    fs::remove_file(jp.path("co/003-message.md")).unwrap();
    fs::create_dir(jp.path("co/003-message.md")).unwrap();
    assert_eq!(commit(&jp), "removed  003-message.md\n");
    fs::remove_dir(jp.path("co/003-message.md")).unwrap();
    assert_in_order(&jp, &id);
}

#[test]
fn archived_conversations_are_said_to_be() {
    let (jp, id) = checked_out();
    change(&jp, "co/000-request.md", "One", "Uno");
    jp.run(&["c", "archive", &id]);
    let refused = jp.run(&["c", "commit", "co"]);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("archive"), "{}", refused.stderr);
    jp.run(&["c", "unarchive", &id]);
    assert_eq!(commit(&jp), "edited   000-request.md\n");
}
