//! Archive, trash, labels, and the order of lists.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Jp, checkout, hinted, message, request};

fn ids(jp: &Jp, args: &[&str]) -> Vec<String> {
    let mut all = vec!["c", "ls", "--format", "json"];
    all.extend(args);
    let rows = jp.run(&all).json();
    let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(id).collect()
}

#[test]
fn an_archived_conversation_can_be_read_but_not_changed_until_it_is_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let output = jp.run(&["c", "archive", &id]);
    assert_eq!(output.stdout, format!("{id} is archived now\n"));
    assert_eq!(output.stderr, format!("Hint: `jp conversation unarchive {id}` takes it back\n"));
    assert_eq!(ids(&jp, &[]), Vec::<String>::new());
    assert_eq!(ids(&jp, &["--archived"]), [id.as_str()]);
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("One\n"));
    jp.append(&id, &[&request("Two\n")]).fails(
        1,
        &format!(
            "error: conversation {id} is archived\n\
             Hint: `jp conversation unarchive {id}` brings it back\n"
        ),
    );
    let output = jp.run(&["c", "unarchive", &id]);
    assert_eq!(output.stdout, format!("{id} is active now\n"));
    assert_eq!(output.stderr, format!("Hint: `jp conversation archive {id}` takes it back\n"));
    jp.append(&id, &[&message("Two\n")]).ok();
    jp.assert_sound();
}

#[test]
fn what_was_removed_is_in_the_trash_and_comes_back() {
    let jp = Jp::in_workspace();
    let (one, two) = (jp.start(&[&request("One\n")]), jp.start(&[&request("Two\n")]));
    let tip = jp.tip(&one);
    let output = jp.run(&["c", "rm", &one, &two, &one]);
    assert_eq!(output.stdout, format!("{one} is in the trash now\n{two} is in the trash now\n"));
    assert_eq!(
        output.stderr,
        format!(
            "Hint: `jp conversation restore {one}` takes it back\n\
             Hint: `jp conversation restore {two}` takes it back\n"
        )
    );
    assert_eq!(ids(&jp, &["--trash"]).len(), 2);
    let output = jp.run(&["c", "restore", &one]);
    assert_eq!(output.stdout, format!("{one} is active now\n"));
    assert_eq!(jp.tip(&one), tip);
    assert_eq!(ids(&jp, &["--trash"]), [two.as_str()]);
    jp.run(&["c", "unarchive", &two]).fails(
        1,
        &format!(
            "error: conversation {two} is in the trash\n\
             Hint: `jp conversation restore {two}` brings it back\n"
        ),
    );
}

#[test]
fn nothing_is_removed_if_one_name_is_unknown() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    assert_eq!(jp.run(&["c", "rm", &id, "jp-c9"]).code, 1);
    assert_eq!(ids(&jp, &[]), [id.as_str()]);
}

#[test]
fn a_conversation_that_is_half_moved_is_where_it_was() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    // As a crash leaves it: in both places.
    jp.git(&["update-ref", &format!("refs/archive/{id}"), &id]);
    assert_eq!(ids(&jp, &["--archived"]), Vec::<String>::new());
    jp.append(&id, &[&message("Two\n")]).ok();
    let tip = jp.tip(&id);
    assert_eq!(jp.run(&["c", "archive", &id]).code, 0);
    assert_eq!(jp.git(&["rev-parse", &format!("refs/archive/{id}")]).trim_end(), tip);
    assert_eq!(ids(&jp, &[]), Vec::<String>::new());
}

#[test]
fn another_conversation_in_the_trash_is_not_overwritten() {
    let jp = Jp::in_workspace();
    let (one, two) = (jp.start(&[&request("One\n")]), jp.start(&[&request("Two\n")]));
    jp.git(&["update-ref", &format!("refs/trash/{one}"), &two]);
    jp.run(&["c", "rm", &one])
        .fails(1, &format!("error: `refs/trash/{one}` is another conversation already\n"));
    assert_eq!(jp.git(&["rev-parse", &format!("refs/trash/{one}")]).trim_end(), jp.tip(&two));
}

#[test]
fn lists_are_filtered_sorted_and_cut() {
    let jp = Jp::in_workspace();
    let a = jp.start(&[&request("Beta\n")]);
    let b = jp.start(&[&request("alpha\n")]);
    let c = jp.start(&[&request("Gamma\n")]);
    for (id, label) in [(&a, "topic=git"), (&b, "topic=ui"), (&c, "done")] {
        assert_eq!(jp.run(&["c", "label", "add", id, label]).code, 0);
    }
    assert_eq!(ids(&jp, &["--label", "topic", "--sort", "created"]), [b.as_str(), a.as_str()]);
    assert_eq!(ids(&jp, &["--label", "topic=git"]), [a.as_str()]);
    assert_eq!(ids(&jp, &["--label", "topic", "--label", "done"]), Vec::<String>::new());
    assert_eq!(ids(&jp, &["--sort", "title"]), [b.as_str(), a.as_str(), c.as_str()]);
    assert_eq!(ids(&jp, &["--sort", "created", "--limit", "1"]), [c.as_str()]);
    assert_eq!(ids(&jp, &["--sort", "created", "--reverse", "--limit", "1"]), [a.as_str()]);
    assert_eq!(
        jp.run(&["c", "label", "ls"]).ok(),
        "LABEL      CONVERSATIONS\ndone       1\ntopic=git  1\ntopic=ui   1\n"
    );
    assert_eq!(jp.run(&["c", "label", "ls", &a]).ok(), "topic=git\n");
    jp.run(&["c", "label", "add", &a, "a b=c"])
        .fails(2, "error: `a b=c` is not a label\nHint: a label is `KEY` or `KEY=VALUE`\n");
}

#[test]
fn a_title_is_printed_set_and_taken_away() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    assert_eq!(jp.run(&["c", "title", &id]).ok(), "One\n");
    assert_eq!(jp.run(&["c", "title", &id, " Better "]).stdout, format!("{id}: Better\n"));
    assert_eq!(jp.run(&["c", "title", &id]).ok(), "Better\n");
    let tip = jp.tip(&id);
    let again = jp.run(&["c", "title", &id, "Better"]);
    assert_eq!(again.stderr, format!("{id}: the title is that already\n"));
    assert_eq!(jp.tip(&id), tip);
    assert_eq!(jp.run(&["c", "title", &id, "--clear"]).stdout, format!("{id} has no title now\n"));
    assert_eq!(jp.show(&id)["title"], Value::Null);
    jp.run(&["c", "title", &id, "two\nlines"]).fails(2, "error: a title is one line of text\n");
}

#[test]
fn only_empty_trash_deletes_and_it_shows_what_goes() {
    let jp = Jp::in_workspace();
    let (kept, gone) = (jp.start(&[&request("Kept\n")]), jp.start(&[&request("Secret words\n")]));
    let blob = jp.git(&["rev-parse", &format!("{gone}:000-request.md")]).trim_end().to_owned();
    jp.run(&["c", "rm", &gone]);
    let young = jp.run(&["store", "empty-trash", "--older-than", "1h", "--yes"]);
    assert_eq!((young.stdout.as_str(), young.code), ("", 0));
    assert_eq!(young.stderr, "Nothing in the trash is that old\n");

    let shown = jp.run(&["store", "empty-trash", "--older-than", "0", "--dry-run"]).ok();
    assert!(shown.contains(&gone) && !shown.contains(&kept), "{shown}");
    let report = jp.run(&["store", "empty-trash", "--older-than", "0", "--format", "json"]).json();
    assert_eq!(report["deleted"], json!(false));
    assert_eq!(report["conversations"][0]["id"], json!(gone));
    assert_eq!(ids(&jp, &["--trash"]), [gone.as_str()]);

    let output = jp.run(&["store", "empty-trash", "--older-than", "0", "--yes"]);
    assert!(output.stdout.ends_with("1 deleted\n"), "{output:?}");
    assert_eq!((output.stderr.as_str(), output.code), ("", 0));
    assert_eq!(ids(&jp, &["--trash"]), Vec::<String>::new());
    let mut look = jp.command("git");
    let look = look.arg("-C").arg(jp.store()).args(["cat-file", "-e", &blob]).status().unwrap();
    assert!(!look.success(), "the words are gone");
    jp.assert_sound();
    assert_eq!(jp.run(&["c", "cat", &kept, "0"]).ok(), request("Kept\n"));
    jp.append(&kept, &[&message("More\n")]).ok();
}

#[test]
fn the_trash_is_not_emptied_when_nobody_can_be_asked() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.run(&["c", "rm", &id]);
    let mut command = jp.command("setsid");
    command.args(["-w", env!("CARGO_BIN_EXE_jp"), "store", "empty-trash", "--older-than", "0"]);
    let output = crate::support::Output::of(&mut command);
    assert_eq!(output.code, 1);
    assert_eq!(
        output.stderr,
        "error: nothing was deleted: there is no terminal to ask at\n\
         Hint: `--yes` deletes without asking\n"
    );
    assert_eq!(ids(&jp, &["--trash"]), [id.as_str()]);
}

#[test]
fn what_was_moved_before_a_failure_is_told_to_programs_too() {
    let jp = Jp::in_workspace().with_var("JP_LOCK_DURATION", "0");
    let [one, two, three] = ["One\n", "Two\n", "Three\n"].map(|text| jp.start(&[&request(text)]));
    let lock = fs::File::create(jp.store().join(format!("locks/{two}.lock"))).unwrap();
    lock.lock().unwrap();
    let output = jp.run(&["c", "archive", &one, &two, &three, "--format", "json"]);
    assert_eq!(output.code, 75, "{}", output.stderr);
    let inverse = format!("jp conversation unarchive {one}");
    let moved = json!([{"id": one, "space": "archived", "inverse": inverse}]);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap(), moved);
    assert!(output.stderr.starts_with(&format!("error: conversation {two} is locked")));
    assert_eq!(ids(&jp, &["--archived"]), [one.as_str()]);
    assert_eq!(jp.run(&["c", "archive", &two, "--format", "json"]).stdout, "");
}

#[test]
fn every_damaged_pack_that_keeps_what_was_deleted_is_named() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.run(&["c", "rm", &id]);
    let packs = jp.store().join("objects/pack");
    let files = fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
    let index = files.into_iter().find(|path| path.extension().unwrap() == "idx").unwrap();
    let mut damaged = fs::read(&index).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    let copies = ["1", "2"].map(|digit| packs.join(format!("pack-{}", digit.repeat(40))));
    for copy in &copies {
        fs::copy(index.with_extension("pack"), copy.with_extension("pack")).unwrap();
        fs::write(copy.with_extension("idx"), &damaged).unwrap();
    }
    let output = jp.run(&["store", "empty-trash", "--older-than", "0", "--yes"]);
    assert_eq!(output.code, 1);
    for copy in &copies {
        let kept = "what was deleted is still in the store";
        let warning = format!("warning: {kept}: `{}` was left alone: ", copy.display());
        assert!(output.stderr.contains(&warning), "{}", output.stderr);
    }
}

#[test]
fn emptying_the_trash_leaves_what_is_staged_in_a_work_tree() {
    let jp = Jp::in_workspace();
    let (id, gone) = (jp.start(&[&request("Kept\n")]), jp.start(&[&request("Gone\n")]));
    let work = checkout(&jp, &id);
    work.write("000-request.md", request("Staged, and not committed yet\n"));
    work.git_in(".", &["add", "-A"]);
    // Loose objects are packed, now or when there are enough of them.
    jp.run(&["store", "pack"]).ok();
    jp.run(&["c", "rm", &gone]);
    assert_eq!(jp.run(&["store", "empty-trash", "--older-than", "0", "--yes"]).code, 0);
    work.git_in(".", &["commit", "-q", "-m", "what was staged"]);
}

#[test]
fn programs_get_one_value_whatever_happened() {
    let jp = Jp::in_workspace();
    let (one, two) = (jp.start(&[&request("One\n")]), jp.start(&[&request("Two\n")]));
    for args in [
        &["c", "archive", &one, &two][..],
        &["c", "archive", &one],
        &["c", "unarchive", &one, &two],
        &["c", "restore", &one, "--at", "~0"],
        &["c", "rm", &one, &two],
        &["c", "rm", &one],
    ] {
        let output = jp.run(&[args, &["--format", "json"]].concat());
        let value = serde_json::from_str::<Value>(&output.stdout);
        assert!(output.code == 0 && value.is_ok(), "{args:?}: {:?}", output.stdout);
    }
}

#[test]
fn what_was_archived_before_it_was_removed_is_archived_when_it_is_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.run(&["c", "archive", &id]);
    let removed = jp.run(&["c", "rm", &id]);
    for command in hinted(&removed.stderr) {
        let args: Vec<&str> = command.iter().map(String::as_str).collect();
        assert_eq!(jp.run(&args).code, 0, "{args:?}");
    }
    assert_eq!(jp.show(&id)["space"], "archived");
}

#[test]
fn a_title_is_one_line_wherever_it_is_given() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let file = jp.write("event.md", request("Two\n"));
    jp.run(&["c", "export", &id, "--dir", "out"]).ok();
    for title in ["", "two\nlines"] {
        for args in [
            &["c", "title", &id, title][..],
            &["c", "fork", &id, "--title", title],
            &["c", "append", "--new", file.to_str().unwrap(), "--title", title],
            &["c", "import", "out", "--title", title],
        ] {
            assert_eq!(jp.run(args).code, 2, "{args:?}");
        }
    }
}

#[test]
fn a_version_that_a_killed_move_left_does_not_come_back() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.git(&["update-ref", &format!("refs/archive/{id}"), &id]);
    jp.append(&id, &[&message("Important\n")]).ok();
    assert_eq!(jp.run(&["c", "rm", &id]).code, 0);
    assert_eq!(jp.run(&["c", "ls", "--archived", "--format", "json"]).json(), json!([]));
    assert_eq!(jp.run(&["c", "restore", &id]).code, 0);
    assert_eq!(jp.show(&id)["events"], 2);
}

#[test]
fn the_trash_is_emptied_as_far_as_it_goes_and_what_is_left_is_told() {
    let jp = Jp::in_workspace().with_var("JP_LOCK_DURATION", "0");
    let (one, two) = (jp.start(&[&request("One\n")]), jp.start(&[&request("Two\n")]));
    jp.run(&["c", "rm", &one, &two]);
    let lock = fs::File::create(jp.store().join(format!("locks/{one}.lock"))).unwrap();
    lock.lock().unwrap();
    let output = jp.run(&["store", "empty-trash", "--older-than", "0", "--yes"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.ends_with("1 deleted\n"), "{}", output.stdout);
    assert!(output.stderr.contains(&format!("conversation {one} is locked")), "{}", output.stderr);
    assert!(jp.run(&["c", "show", &two]).code == 1 && jp.run(&["c", "show", &one]).code == 0);
}
