//! Corners of history, forks, the trash and what is told about them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Jp, TIME, message, request};

/// A work tree of a conversation, beside the store.
fn checkout(jp: &Jp, id: &str) -> Jp {
    let directory = jp.path("checkout");
    jp.git(&["worktree", "add", "-q", directory.to_str().unwrap(), id]);
    jp.at("checkout")
}

fn attachment() -> String {
    format!("---\ntype: attachment\nsource: a.txt\ntimestamp: {TIME}\n---\nhello\n")
}

/// The addresses of a version.
fn addresses(jp: &Jp, id: &str, more: &[&str]) -> Vec<u64> {
    let args = [&["c", "show", id, "--format", "json"][..], more].concat();
    let shown: Value = serde_json::from_str(&jp.run(&args).stdout).unwrap();
    let stream = shown["stream"].as_array().unwrap();
    stream.iter().map(|event| event["address"].as_u64().unwrap()).collect()
}

/// The commands in the hints of what was said, without `jp`.
fn hinted(stderr: &str) -> Vec<Vec<String>> {
    let hints = stderr.lines().filter(|line| line.starts_with("Hint: "));
    let commands = hints.filter_map(|hint| hint.split('`').nth(1));
    commands.map(|command| command.split(' ').skip(1).map(str::to_owned).collect()).collect()
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
fn a_fork_of_the_last_turn_has_that_turn_although_something_waits_for_the_next() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    jp.append(&id, &[&attachment()]).ok();
    let fork = jp.run(&["c", "fork", &id, "--last", "1"]).stdout;
    assert_eq!(addresses(&jp, fork.trim_end(), &[]), [2, 3, 4]);
}

#[test]
fn the_end_of_a_turn_is_before_what_waits_for_the_next_one() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&attachment()]).ok();
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    assert_eq!(addresses(&jp, &id, &["--at", "turn 0"]), [0, 1]);
}

#[test]
fn a_graph_counts_the_events_of_a_commit_by_hand() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "000-request.md", request("Eins\n"));
    jp.append(&id, &[&request("Two\n")]).ok();
    let events = |args: &[&str]| -> Vec<Value> {
        let log = jp.run(args).json();
        log.as_array().unwrap().iter().map(|operation| operation["events"].clone()).collect()
    };
    let plain = events(&["c", "log", &id, "--format", "json"]);
    assert_eq!(plain, [json!(1), json!(0), json!(2)]);
    assert_eq!(events(&["c", "log", &id, "--graph", "--format", "json"]), plain);
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
fn json_steers_no_terminal_either() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("\u{9b}31m \u{7f} \u{202e}\n")]);
    for args in
        [&["c", "diff", &id, "--format", "json"][..], &["c", "blame", &id, "1", "--format", "json"]]
    {
        let said = jp.run(args).ok();
        let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.contains(harmful), "{args:?}: {said:?}");
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

#[test]
fn an_address_is_read_alike_everywhere() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    for given in ["0-nonsense", "0-", "turn"] {
        let codes = [
            jp.run(&["c", "fork", &id, "--from", given]).code,
            jp.run(&["c", "cat", &id, given]).code,
            jp.run(&["c", "blame", &id, given]).code,
        ];
        assert_eq!(codes, [2, 2, 2], "{given}");
    }
}

#[test]
fn a_fork_up_to_a_turn_that_is_not_there_is_refused() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    assert_eq!(jp.run(&["c", "fork", &id, "--until", "turn 1"]).code, 1);
    assert_eq!(jp.run(&["c", "fork", &id, "--until", "turn 0"]).code, 0);
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
fn a_cut_that_damage_prevents_is_hinted_to_be_mended() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "001-message.md", "no frontmatter\n");
    let refused = jp.run(&["c", "fork", &id, "--last", "1"]);
    assert_eq!(refused.code, 1);
    let commands = hinted(&refused.stderr);
    assert!(commands.iter().any(|words| words.contains(&"fsck".to_owned())), "{commands:?}");
}

#[test]
fn a_shell_is_offered_the_conversations_that_a_command_is_for() {
    let jp = Jp::in_workspace();
    let [active, archived, trashed] = ["A\n", "B\n", "C\n"].map(|text| jp.start(&[&request(text)]));
    jp.run(&["c", "archive", &archived]);
    jp.run(&["c", "rm", &trashed]);
    let offered = |words: &[&str]| -> Vec<String> {
        let args = [&["--", "jp"][..], words].concat();
        let answer = jp.with_var("JP_COMPLETE", "fish").run(&args).ok();
        answer.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert!(offered(&["c", "restore", ""]).contains(&trashed));
    assert!(offered(&["c", "label", "ls", ""]).contains(&active));
    assert_eq!(offered(&["c", "archive", ""]), [active.as_str()]);
    assert_eq!(offered(&["c", "unarchive", ""]), [archived.as_str()]);
}

#[test]
fn a_conversation_that_is_its_own_origin_has_its_forks_below_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let fork = jp.run(&["c", "fork", &id]).stdout.trim_end().to_owned();
    jp.git(&["push", "-q", ".", &format!("{fork}:{id}")]);
    let listed = jp.run(&["c", "ls", "--tree"]).ok();
    assert!(listed.contains(&format!("└ {fork}")), "{listed}");
}

#[test]
fn the_contents_of_the_format_name_every_section() {
    let format =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/format.md")).unwrap();
    let (contents, rest) = format.split_once("\n## Versions").unwrap();
    for section in rest.lines().filter_map(|line| line.strip_prefix("## ")) {
        assert!(contents.contains(&format!("[{section}]")), "{section}");
    }
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
fn a_shell_is_not_offered_what_it_would_run() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.run(&["c", "label", "add", &id, "team=$(touch${IFS}PWNED)", "team2=core"]);
    jp.write("evil;touch PWNED;.md", "");
    jp.write("event.md", "");
    let offered = |words: &[&str]| {
        let args = [&["--", "jp"][..], words].concat();
        jp.with_var("JP_COMPLETE", "fish").run(&args).ok()
    };
    assert_eq!(offered(&["c", "ls", "--label", "te"]), "team2=core\n");
    assert_eq!(offered(&["c", "append", &id, "ev"]), "event.md\nevents/\n");
}

#[test]
fn the_trash_is_emptied_as_far_as_it_goes_and_what_is_left_is_told() {
    let jp = Jp::in_workspace();
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
