//! Checkouts of a conversation that went on meanwhile: merged, or told as a conflict, and nothing
//! that somebody wrote is overwritten.

use std::fs;

use crate::{
    checkout::{assert_in_order, bodies, change, checked_out, commit, listed, read},
    support::{Jp, Output, checkout as worktree, message, request},
};

/// A second directory of the same conversation.
fn other(jp: &Jp, id: &str) {
    assert_eq!(jp.run(&["c", "checkout", id, "other"]).code, 0);
}

/// Commits the second directory.
#[track_caller]
fn commit_other(jp: &Jp) -> String {
    let output = jp.run(&["c", "commit", "other"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

/// A commit of `co` that is refused because of conflicts; returns what was said.
#[track_caller]
fn conflicts(jp: &Jp, id: &str) -> String {
    let tip = jp.tip(id);
    // Looking does not change anything, and says of nothing that it was done.
    let status = jp.run(&["c", "status", "co"]);
    assert!(!status.stderr.contains("both versions are"), "{}", status.stderr);
    let Output { stdout, stderr, code, .. } = jp.run(&["c", "commit", "co"]);
    assert_eq!((stdout.as_str(), code, jp.tip(id)), ("", 1, tip), "{stderr}");
    for line in status.stderr.lines().filter(|line| line.starts_with("error: ")) {
        assert!(stderr.contains(line), "{stderr}\n{}", status.stderr);
    }
    let hint =
        "Hint: nothing was committed; look at these, and `jp conversation commit co` again\n";
    stderr.strip_suffix(hint).unwrap_or_else(|| panic!("{stderr}")).to_owned()
}

#[test]
fn an_append_and_an_edit_are_no_conflict() {
    let (jp, id) = checked_out();
    change(&jp, "co/000-request.md", "One", "Uno");
    change(&jp, "co/CONVERSATION", "003-message.md\n", "");
    jp.append(&id, &[&message("More\n"), &request("Three\n")]).ok();
    let status = jp.run(&["c", "status", "co"]).ok();
    assert!(status.contains(", since then 2 events came in\n"), "{status}");
    assert_eq!(commit(&jp), "removed  003-message.md\nedited   000-request.md\n");
    assert_eq!(bodies(&jp, &id), ["Uno", "First", "Two", "More", "Three"]);
    let names =
        ["000-request.md", "001-message.md", "002-request.md", "004-message.md", "005-request.md"];
    assert_eq!(listed(&jp), names);
    assert_eq!(read(&jp, "co/004-message.md"), message("More\n"));
    assert_in_order(&jp, &id);
}

#[test]
fn what_came_in_comes_into_a_directory_that_nobody_changed() {
    let (jp, id) = checked_out();
    jp.append(&id, &[&message("More\n")]).ok();
    jp.run(&["c", "drop", &id, "1"]);
    let events = bodies(&jp, &id);
    let tip = jp.tip(&id);
    assert_eq!(commit(&jp), "");
    assert_eq!((jp.tip(&id), bodies(&jp, &id)), (tip, events));
    assert_eq!(read(&jp, "co/004-message.md"), message("More\n"));
    assert_in_order(&jp, &id);
}

#[test]
fn two_directories_of_one_conversation_are_both_committed() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "co/000-request.md", "One", "Uno");
    jp.write("co/mine.md", "---\ntype: message\nmodel: acme/large\n---\nMine\n");
    change(&jp, "co/CONVERSATION", "001-message.md\n", "001-message.md\nmine.md\n");
    change(&jp, "other/003-message.md", "Second", "Zwei");
    jp.write("other/mine.md", "---\ntype: message\nmodel: acme/large\n---\nTheirs\n");
    change(&jp, "other/CONVERSATION", "003-message.md\n", "003-message.md\nmine.md\n");
    assert_eq!(
        commit_other(&jp),
        "edited   003-message.md\nadded    004-message.md (from mine.md)\n"
    );
    assert_eq!(commit(&jp), "edited   000-request.md\nadded    005-message.md (from mine.md)\n");
    commit_other(&jp);
    let expected = ["Uno", "First", "Mine", "Two", "Zwei", "Theirs"];
    assert_eq!(bodies(&jp, &id), expected);
    for name in
        ["000-request.md", "003-message.md", "004-message.md", "005-message.md", "CONVERSATION"]
    {
        let same = |text: String| {
            text.lines()
                .filter(|line| !line.contains("edited:") && *line != "metadata:")
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            same(read(&jp, &format!("co/{name}"))),
            same(read(&jp, &format!("other/{name}")))
        );
    }
    assert_in_order(&jp, &id);
}

#[test]
fn two_edits_of_one_event_are_shown_as_in_git_and_resolved_by_a_second_commit() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "other/001-message.md", "First", "Theirs\nEnd");
    commit_other(&jp);
    jp.append(&id, &[&message("More\n")]).ok();
    change(&jp, "co/001-message.md", "First", "Mine\nEnd");
    change(&jp, "co/000-request.md", "One", "Uno");
    let said = conflicts(&jp, &id);
    assert_eq!(
        said,
        "error: conflict: 001-message.md: it was edited in the conversation meanwhile; both \
         versions are in the file\n"
    );
    let torn = read(&jp, "co/001-message.md");
    let both = "<<<<<<< this directory\n---\nMine\n=======\n";
    assert!(torn.contains("Mine\n") && torn.contains("Theirs\n"), "{torn}\n{both}");
    assert!(torn.contains("<<<<<<< this directory\n") && torn.contains("=======\n"), "{torn}");
    assert!(torn.ends_with(">>>>>>> the conversation\nEnd\n"), "{torn}");
    // What came in is there, and what else was changed is still a change.
    assert_eq!(read(&jp, "co/004-message.md"), message("More\n"));
    assert!(read(&jp, "co/000-request.md").contains("Uno"));
    let line = torn.lines().position(|line| line.starts_with("<<<<<<<")).unwrap() + 1;
    let left = jp.run(&["c", "commit", "co"]);
    let unresolved = format!(
        "error: co/001-message.md:{line}:1: the conflict is not resolved: keep one version, or make \
         one of both\nHint: nothing was committed\n"
    );
    left.fails(1, &unresolved);
    jp.write("co/001-message.md", message("Ours\nEnd\n"));
    assert_eq!(commit(&jp), "edited   000-request.md\nedited   001-message.md\n");
    assert_eq!(bodies(&jp, &id), ["Uno", "Ours\nEnd", "Two", "Second", "More"]);
    assert_in_order(&jp, &id);
}

#[test]
fn a_conflict_is_resolved_by_taking_theirs_or_by_removing_the_event() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "other/001-message.md", "First", "Theirs");
    change(&jp, "other/003-message.md", "Second", "Zwei");
    commit_other(&jp);
    change(&jp, "co/001-message.md", "First", "Mine");
    change(&jp, "co/003-message.md", "Second", "Due");
    assert_eq!(conflicts(&jp, &id).lines().count(), 2);
    let theirs = jp.run(&["c", "cat", &id, "1"]).ok();
    jp.write("co/001-message.md", theirs);
    // The file with the marks may stay where it is.
    change(&jp, "co/CONVERSATION", "003-message.md\n", "");
    let tip = jp.tip(&id);
    assert_eq!(commit(&jp), "removed  003-message.md\n");
    assert_ne!(jp.tip(&id), tip);
    assert_eq!(bodies(&jp, &id), ["One", "Theirs", "Two"]);
}

#[test]
fn an_event_that_speaks_of_conflicts_is_no_conflict() {
    let (jp, id) = checked_out();
    let marks = "<<<<<<< this directory\na\n=======\nb\n>>>>>>> the conversation\n";
    jp.write("co/001-message.md", message(marks));
    assert_eq!(commit(&jp), "edited   001-message.md\n");
    change(&jp, "co/001-message.md", "\na\n", "\nc\n");
    jp.append(&id, &[&message("More\n")]).ok();
    assert_eq!(commit(&jp), "edited   001-message.md\n");
    assert!(jp.run(&["c", "cat", &id, "1"]).ok().contains("\nc\n=======\n"));
    assert_in_order(&jp, &id);
}

#[test]
fn an_edit_of_an_event_that_was_removed_meanwhile_is_kept_or_given_up() {
    for keeps in [true, false] {
        let (jp, id) = checked_out();
        jp.run(&["c", "drop", &id, "3"]);
        assert_eq!(jp.show(&id)["events"], 3);
        change(&jp, "co/003-message.md", "Second", "Mine");
        let said = conflicts(&jp, &id);
        assert!(said.contains("003-message.md: it was removed from the conversation"), "{said}");
        assert!(read(&jp, "co/003-message.md").contains("Mine"));
        if keeps {
            assert_eq!(commit(&jp), "added    004-message.md (from 003-message.md)\n");
            assert_eq!(bodies(&jp, &id), ["One", "First", "Two", "Mine"]);
            assert_in_order(&jp, &id);
        } else {
            change(&jp, "co/CONVERSATION", "003-message.md\n", "");
            assert_eq!(commit(&jp), "");
            assert_eq!(bodies(&jp, &id), ["One", "First", "Two"]);
            assert!(read(&jp, "co/003-message.md").contains("Mine"));
        }
    }
}

#[test]
fn a_removed_event_that_was_edited_meanwhile_comes_back_to_be_looked_at() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "other/003-message.md", "Second", "Theirs");
    commit_other(&jp);
    // It was changed here as well, before it was taken out.
    change(&jp, "co/003-message.md", "Second", "Mine");
    change(&jp, "co/CONVERSATION", "003-message.md\n", "");
    let said = conflicts(&jp, &id);
    assert!(said.contains("003-message.md: it was edited in the conversation"), "{said}");
    assert!(said.contains("`003-message.md` of yours stood in the way"), "{said}");
    assert!(read(&jp, "co/003-message.md").contains("Theirs"));
    assert!(read(&jp, "co/003-message.md.yours").contains("Mine"));
    assert_eq!(listed(&jp).len(), 4);
    assert_eq!(commit(&jp), "");
    change(&jp, "co/CONVERSATION", "003-message.md\n", "");
    assert_eq!(commit(&jp), "removed  003-message.md\n");
    assert_in_order(&jp, &id);
}

#[test]
fn two_orders_are_a_conflict_in_which_this_side_stands() {
    let (jp, id) = checked_out();
    jp.append(&id, &[&message("Third\n"), &message("Fourth\n")]).ok();
    commit(&jp);
    other(&jp, &id);
    let three = "003-message.md\n004-message.md\n005-message.md\n";
    change(&jp, "co/CONVERSATION", three, "005-message.md\n003-message.md\n004-message.md\n");
    change(&jp, "other/CONVERSATION", three, "003-message.md\n005-message.md\n004-message.md\n");
    commit_other(&jp);
    let said = conflicts(&jp, &id);
    assert!(said.contains("your order stands"), "{said}");
    commit(&jp);
    assert_eq!(bodies(&jp, &id), ["One", "First", "Two", "Fourth", "Second", "Third"]);
    assert_in_order(&jp, &id);
}

#[test]
fn title_and_labels_are_merged_each_by_itself() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "co/.conversation/meta.toml", "title = \"One\"", "title = \"Mine\"");
    let meta = read(&jp, "other/.conversation/meta.toml");
    jp.write("other/.conversation/meta.toml", format!("{meta}\n[labels]\na = \"1\"\nb = \"2\"\n"));
    assert_eq!(commit_other(&jp), "also     labels\n");
    let meta = read(&jp, "co/.conversation/meta.toml");
    jp.write("co/.conversation/meta.toml", format!("{meta}mine = true\n\n[labels]\nc = \"3\"\n"));
    let told = commit(&jp);
    assert!(told.contains("also     title: Mine\n"), "{told}");
    let meta = jp.git(&["show", &format!("{id}:.conversation/meta.toml")]);
    for part in ["title = \"Mine\"", "a = \"1\"", "b = \"2\"", "c = \"3\"", "mine = true"] {
        assert!(meta.contains(part), "{part}: {meta}");
    }
    assert_eq!(read(&jp, "co/.conversation/meta.toml"), meta);
    assert_in_order(&jp, &id);
}

#[test]
fn two_titles_are_a_conflict_and_what_else_was_changed_there_stays() {
    let (jp, id) = checked_out();
    jp.run(&["c", "title", &id, "Theirs"]);
    jp.run(&["c", "label", &id, "a=1"]);
    let labels = jp.show(&id)["labels"].clone();
    change(&jp, "co/.conversation/meta.toml", "title = \"One\"", "title = \"Mine\"");
    let said = conflicts(&jp, &id);
    assert_eq!(said, "error: conflict: the title became `Theirs` in the conversation meanwhile\n");
    assert_eq!(commit(&jp), "also     title: Mine\n");
    assert_eq!(jp.show(&id)["title"], "Mine");
    assert_eq!(jp.show(&id)["labels"], labels);
    assert_in_order(&jp, &id);
}

#[test]
fn a_conflict_of_events_does_not_take_a_new_title_back() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "other/001-message.md", "First", "Theirs");
    commit_other(&jp);
    jp.run(&["c", "title", &id, "Another"]);
    change(&jp, "co/001-message.md", "First", "Mine");
    conflicts(&jp, &id);
    jp.write("co/001-message.md", message("Both\n"));
    assert_eq!(commit(&jp), "edited   001-message.md\n");
    assert_eq!(jp.show(&id)["title"], "Another");
    assert_in_order(&jp, &id);
}

#[test]
fn a_file_that_was_only_written_in_another_way_does_not_hide_what_changed_there() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    let reformatted = read(&jp, "co/001-message.md").replace("model: acme", "model:   acme");
    jp.write("co/001-message.md", reformatted);
    change(&jp, "other/001-message.md", "First", "Theirs");
    commit_other(&jp);
    assert_eq!(commit(&jp), "");
    assert!(read(&jp, "co/001-message.md").contains("Theirs"));
    assert_in_order(&jp, &id);
    change(&jp, "co/001-message.md", "Theirs", "Theirs and mine");
    commit(&jp);
    assert_eq!(bodies(&jp, &id)[1], "Theirs and mine");
}

#[test]
fn a_renamed_file_that_was_edited_on_both_sides_is_a_conflict_of_one_file() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    change(&jp, "other/001-message.md", "First", "Theirs");
    commit_other(&jp);
    jp.write("co/001-message-b.md", message("Mine\n"));
    fs::remove_file(jp.path("co/001-message.md")).unwrap();
    change(&jp, "co/CONVERSATION", "001-message.md", "001-message-b.md");
    conflicts(&jp, &id);
    let torn = read(&jp, "co/001-message.md");
    assert!(torn.contains("Mine\n") && torn.contains("Theirs\n"), "{torn}");
    let left = jp.run(&["c", "commit", "co"]);
    assert!(left.stderr.contains("the conflict is not resolved"), "{}", left.stderr);
    jp.write("co/001-message.md", message("Both\n"));
    assert_eq!(commit(&jp), "edited   001-message.md\n");
    assert_in_order(&jp, &id);
}

#[test]
fn an_edit_follows_a_file_that_was_renamed_there() {
    let (jp, id) = checked_out();
    other(&jp, &id);
    fs::rename(jp.path("other/001-message.md"), jp.path("other/001-message-b.md")).unwrap();
    change(&jp, "other/CONVERSATION", "001-message.md", "001-message-b.md");
    change(&jp, "other/003-message.md", "Second", "Theirs");
    commit_other(&jp);
    change(&jp, "co/001-message.md", "First", "Mine");
    change(&jp, "co/003-message.md", "Second", "Due");
    assert_eq!(conflicts(&jp, &id).lines().count(), 1);
    jp.write("co/003-message.md", message("Both\n"));
    commit(&jp);
    assert_eq!(bodies(&jp, &id), ["One", "Mine", "Two", "Both"]);
    assert_in_order(&jp, &id);
}

#[test]
fn files_in_the_way_are_put_aside() {
    let (jp, id) = checked_out();
    // Where an event comes in, where a new one gets its name, and where the last one was put.
    jp.write("co/004-message.md", "my notes\n");
    jp.write("co/004-message.md.yours", "older notes\n");
    jp.write("co/005-message.md", "more notes\n");
    jp.write("co/new.md", "---\ntype: message\nmodel: acme/large\n---\nMine\n");
    change(&jp, "co/CONVERSATION", "001-message.md\n", "001-message.md\nnew.md\n");
    jp.append(&id, &[&message("More\n")]).ok();
    let done = jp.run(&["c", "commit", "co"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for (name, aside) in
        [("004-message.md", "004-message.md.yours-2"), ("005-message.md", "005-message.md.yours")]
    {
        let told = format!("warning: `{name}` of yours stood in the way and is now `{aside}`\n");
        assert!(done.stderr.contains(&told), "{}", done.stderr);
    }
    assert_eq!(read(&jp, "co/004-message.md.yours"), "older notes\n");
    assert_eq!(read(&jp, "co/004-message.md.yours-2"), "my notes\n");
    assert_eq!(read(&jp, "co/005-message.md.yours"), "more notes\n");
    assert_eq!(read(&jp, "co/004-message.md"), message("More\n"));
    assert_eq!(bodies(&jp, &id), ["One", "First", "Mine", "Two", "Second", "More"]);
    assert_in_order(&jp, &id);
}

#[test]
fn a_file_of_an_event_that_went_stays_if_somebody_changed_it() {
    let (jp, id) = checked_out();
    jp.append(&id, &[&message("Third\n")]).ok();
    commit(&jp);
    jp.run(&["c", "drop", &id, "3", "4"]);
    change(&jp, "co/CONVERSATION", "003-message.md\n", "");
    change(&jp, "co/003-message.md", "Second", "My own words");
    commit(&jp);
    assert!(read(&jp, "co/003-message.md").contains("My own words"));
    assert!(!jp.path("co/004-message.md").exists());
    assert_eq!(bodies(&jp, &id), ["One", "First", "Two"]);
}

#[test]
fn a_commit_after_undo_brings_nothing_back_by_itself() {
    let (jp, id) = checked_out();
    jp.append(&id, &[&message("Third\n")]).ok();
    commit(&jp);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(commit(&jp), "");
    assert_eq!(listed(&jp).len(), 4);
    assert!(!jp.path("co/004-message.md").exists());
    assert_in_order(&jp, &id);
}

/// The work tree of git, beside a checkout of jp.
fn commit_by_git(tree: &Jp) {
    tree.git_in(".", &["add", "-A"]);
    tree.git_in(".", &["commit", "-q", "-m", "by hand"]);
}

#[test]
fn what_plain_git_commits_is_merged() {
    let (jp, id) = checked_out();
    let tree = worktree(&jp, &id);
    tree.write("001-message.md", message("By git\n"));
    commit_by_git(&tree);
    change(&jp, "co/000-request.md", "One", "Uno");
    assert_eq!(commit(&jp), "edited   000-request.md\n");
    assert_eq!(bodies(&jp, &id), ["Uno", "By git", "Two", "Second"]);
    assert_in_order(&jp, &id);
}

#[test]
fn what_plain_git_broke_is_told_and_can_be_mended_in_a_checkout() {
    let (jp, id) = checked_out();
    let tree = worktree(&jp, &id);
    tree.write("001-message.md", "---\ntype: message\ntimestamp: 2026\n---\nBroken\n");
    commit_by_git(&tree);
    let told = jp.run(&["c", "fsck", &id]);
    assert_eq!(told.code, 1);
    assert!(told.stdout.contains("001-message.md"), "{}", told.stdout);
    // A fresh directory has the file as it is, and says what is wrong with it.
    assert_eq!(jp.run(&["c", "checkout", &id, "mend"]).code, 0);
    let status = jp.run(&["c", "status", "mend"]);
    assert_eq!((status.code, status.stderr.as_str()), (0, ""), "{}", status.stdout);
    change(&jp, "mend/000-request.md", "One", "Uno");
    let refused = jp.run(&["c", "commit", "mend"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.starts_with("error: mend/001-message.md:3:"), "{}", refused.stderr);
    jp.write("mend/001-message.md", message("Mended\n"));
    let mended = jp.run(&["c", "commit", "mend"]);
    assert_eq!(
        mended.stdout, "edited   000-request.md\nedited   001-message.md\n",
        "{}",
        mended.stderr
    );
    assert_eq!(bodies(&jp, &id), ["Uno", "Mended", "Two", "Second"]);
    assert_eq!(commit(&jp), "");
    assert_in_order(&jp, &id);
}

#[test]
fn a_manifest_that_plain_git_broke_has_to_be_repaired_first() {
    let (jp, id) = checked_out();
    let tree = worktree(&jp, &id);
    tree.write("CONVERSATION", "000-request.md\n000-request.md\nnonsense\n");
    commit_by_git(&tree);
    change(&jp, "co/000-request.md", "One", "Uno");
    let before = read(&jp, "co/000-request.md");
    for args in
        [&["c", "checkout", &id, "mend"][..], &["c", "commit", "co"], &["c", "status", "co"]]
    {
        let refused = jp.run(args);
        assert_eq!(refused.code, 1, "{args:?}: {}", refused.stdout);
        let hint = format!("`jp conversation fsck {id}`");
        assert!(refused.stderr.contains(&hint), "{args:?}: {}", refused.stderr);
    }
    assert!(!jp.path("mend").exists());
    assert_eq!(read(&jp, "co/000-request.md"), before);
    let repaired = jp.run(&["c", "fsck", "--repair", &id]);
    assert_eq!(repaired.code, 0, "{}{}", repaired.stdout, repaired.stderr);
    let merged = jp.run(&["c", "commit", "co"]);
    assert_eq!(merged.code, 0, "{}", merged.stderr);
    assert_eq!(bodies(&jp, &id)[0], "Uno");
    assert_in_order(&jp, &id);
}

#[test]
fn a_conversation_of_a_newer_format_is_not_changed() {
    let (jp, id) = checked_out();
    jp.edit(&id, ".conversation/meta.toml", "format = \"1.99\"\ntitle = \"One\"\n");
    assert_eq!(jp.run(&["c", "checkout", &id, "newer"]).code, 0);
    let tip = jp.tip(&id);
    for directory in ["co", "newer"] {
        change(&jp, &format!("{directory}/000-request.md"), "One", "Uno");
        let refused = jp.run(&["c", "commit", directory]);
        assert_eq!(refused.code, 1, "{}", refused.stdout);
        assert!(refused.stderr.contains("1.99"), "{}", refused.stderr);
        assert!(read(&jp, &format!("{directory}/000-request.md")).contains("Uno"));
    }
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn a_tree_that_is_no_conversation_is_not_written_out() {
    let (jp, id) = checked_out();
    let nothing = jp.git_with_input(&["mktree"], "");
    jp.commit_tree(&id, &nothing);
    assert_eq!(jp.run(&["c", "checkout", &id, "mend"]).code, 1);
    assert!(!jp.path("mend").exists());
    change(&jp, "co/000-request.md", "One", "Uno");
    assert_eq!(jp.run(&["c", "commit", "co"]).code, 1);
    assert!(read(&jp, "co/000-request.md").contains("Uno"));
}
