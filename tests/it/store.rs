//! Looking after the store: where it is, how large, packing, checking, healing.

use std::{fs, os::unix::fs::PermissionsExt};

use crate::support::{Jp, message, request};

#[test]
fn packing_leaves_one_pack_and_every_event() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    for n in 0..5 {
        jp.append(&id, &[&message(&format!("{n}\n"))]).ok();
    }
    let before = jp.show(&id);
    assert_eq!(jp.run(&["store", "pack"]).ok(), "6 packs before, 1 after\n");
    let report = jp.run(&["store", "pack", "--format", "json"]).json();
    assert_eq!((&report["packs_before"], &report["packs_after"]), (&1.into(), &1.into()));
    assert_eq!(report["compressed_by_git"], true);
    assert_eq!(jp.show(&id), before);
    jp.append(&id, &[&message("after\n")]).ok();
    assert_eq!(jp.run(&["store", "fsck"]).ok(), "");
    assert_eq!(
        jp.run(&["store", "fsck", "--format", "json"]).json()["problems"],
        serde_json::json!([])
    );
    jp.assert_sound();
}

#[test]
fn packing_works_without_git() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.append(&id, &[&message("Answer\n")]).ok();
    let without_git = jp.with_var("PATH", "/nowhere");
    let report = without_git.run(&["store", "pack", "--format", "json"]).json();
    assert_eq!(report["compressed_by_git"], false);
    let missing =
        "error: git is not installed\nHint: install git; everything else works without it\n";
    without_git.run(&["git", "log"]).fails(1, missing);
    without_git.run(&["store", "fsck"]).fails(1, missing);
    without_git.append(&id, &[&request("More\n")]).ok();
    assert_eq!(jp.show(&id)["events"], 3);
    jp.assert_sound();
}

#[test]
fn packs_do_not_pile_up() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    for n in 1..45 {
        jp.append(&id, &[&message(&format!("{n}\n"))]).ok();
    }
    let stats = jp.run(&["store", "stats", "--format", "json"]).json();
    assert!(stats["packs"].as_u64().unwrap() < 40, "{stats}");
    assert_eq!((&stats["loose_objects"], &stats["conversations"]), (&0.into(), &1.into()));
    assert_eq!(jp.show(&id)["events"], 45);
    jp.assert_sound();
}

#[test]
fn leftovers_of_a_killed_process_are_cleared() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let store = jp.store();
    for name in [
        format!("stage/{id}.pack"),
        format!("stage/{id}.idx"),
        format!("locks/{id}.lock"),
        format!("refs/heads/{id}.lock"),
    ] {
        fs::write(store.join(name), "half").unwrap();
    }
    jp.append(&id, &[&message("Answer\n")]).ok();
    for directory in ["stage", "locks"] {
        assert_eq!(fs::read_dir(store.join(directory)).unwrap().count(), 0, "{directory}");
    }
    assert!(!store.join(format!("refs/heads/{id}.lock")).exists());
    fs::write(store.join("stage/jp-c5.pack"), "half").unwrap();
    fs::write(store.join("packed-refs.lock"), "half").unwrap();
    jp.run(&["store", "pack"]).ok();
    assert_eq!(fs::read_dir(store.join("stage")).unwrap().count(), 0);
    assert_eq!(jp.show(&id)["events"], 2);
    jp.assert_sound();
}

#[test]
fn an_empty_object_is_healed_when_the_same_content_is_written_again() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let blob = jp.git_with_input(&["hash-object", "--stdin"], message("Answer\n"));
    let path = jp.store().join("objects").join(&blob[..2]).join(&blob[2..]);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    let output = jp.append(&id, &[&message("Answer\n")]);
    assert_eq!((output.code, output.stdout), (0, format!("{id} 001 001-message.md\n")));
    assert_eq!(output.stderr, format!("warning: damaged object {blob} was replaced\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "1"]).ok(), message("Answer\n"));
    jp.assert_sound();
}

#[test]
fn a_missing_object_is_named() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.start(&[&request("Other\n")]);
    let tree = jp.git_with_input(
        &["mktree", "--missing"],
        "100644 blob 1234567890123456789012345678901234567890\tCONVERSATION\n",
    );
    jp.commit_tree(&id, &tree);
    let missing = "object 1234567890123456789012345678901234567890 is missing";
    let message = format!("error: conversation {id} cannot be read: {missing}\n");
    jp.run(&["c", "show", &id]).fails(1, &message);
    let fsck = jp.run(&["store", "fsck"]);
    assert_eq!((fsck.code, fsck.stderr.as_str()), (1, ""));
    assert!(fsck.stdout.contains("missing blob 1234567890"), "{}", fsck.stdout);
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id.as_str()).unwrap();
    assert_eq!((&row["status"], rows.as_array().unwrap().len()), (&"damaged".into(), 2));
    assert!(row["problem"].as_str().unwrap().ends_with(missing), "{row}");
}

#[test]
fn stats_tell_how_large_the_store_is() {
    let jp = Jp::in_workspace();
    jp.start(&[&request("Question\n")]);
    let text = jp.run(&["store", "stats"]).ok();
    assert!(
        text.starts_with("conversations:    1\narchived:         0\ntrashed:          0\n"),
        "{text}"
    );
    let stats = jp.run(&["store", "stats", "--format", "json"]).json();
    assert_eq!((&stats["packs"], &stats["conversations"]), (&1.into(), &1.into()));
}

#[test]
fn the_next_append_clears_what_a_killed_one_left_of_a_conversation_that_never_was() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let store = jp.store();
    for left in ["stage/jp-c123.pack", "stage/jp-c123.idx", "locks/jp-c123.lock"] {
        std::fs::write(store.join(left), "half").unwrap();
    }
    // A lock of jp is known by its mode; what has another one and is young may be git's.
    let hour = std::time::Duration::from_secs(3600);
    let lock = |space: &str| store.join(format!("refs/{space}/jp-c123.lock"));
    for (space, mode, age) in
        [("heads", 0o744, None), ("archive", 0o644, None), ("trash", 0o644, Some(hour))]
    {
        fs::create_dir_all(lock(space).parent().unwrap()).unwrap();
        let file = fs::File::create(lock(space)).unwrap();
        file.set_permissions(PermissionsExt::from_mode(mode)).unwrap();
        if let Some(age) = age {
            file.set_modified(file.metadata().unwrap().modified().unwrap() - age).unwrap();
        }
    }
    jp.append(&id, &[&message("Answer\n")]).ok();
    for directory in ["stage", "locks"] {
        let left: Vec<_> = std::fs::read_dir(store.join(directory)).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
    let left = ["heads", "archive", "trash"].map(|space| lock(space).exists());
    assert_eq!(left, [false, true, false]);
}
