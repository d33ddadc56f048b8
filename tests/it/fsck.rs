//! Finding everything that is wrong with a conversation, and mending it in sight of its user.

use std::fs;

use serde_json::json;

use crate::support::{Jp, Output, call, message, request, result};

/// A conversation of two turns whose manifest is replaced.
fn with_manifest(manifest: &str, files: &[(&str, &str)]) -> (Jp, String) {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    for (name, content) in files {
        jp.edit(&id, name, content);
    }
    jp.edit(&id, "CONVERSATION", manifest);
    (jp, id)
}

/// The problems that `fsck` prints, without the id before each.
fn problems(jp: &Jp, id: &str) -> Vec<String> {
    let output = jp.run(&["c", "fsck", id]);
    let hint = format!("Hint: `jp conversation fsck --repair {id}` mends what can be mended\n");
    assert_eq!((output.code, output.stderr), (1, hint), "{}", output.stdout);
    lines(id, &output.stdout)
}

fn lines(id: &str, text: &str) -> Vec<String> {
    let own = |line: &str| line.strip_prefix(&format!("{id}: ")).unwrap().to_owned();
    text.lines().map(own).collect()
}

/// Repairs, asserts that nothing is left, and returns what was done.
fn repair(jp: &Jp, id: &str) -> Vec<String> {
    let before = jp.tip(id);
    let output = jp.run(&["c", "fsck", "--repair", id]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let after = jp.tip(id);
    let said = lines(id, &output.stdout);
    assert_eq!(*said.last().unwrap(), format!("repaired in commit {after}"));
    let commits = jp.git(&["rev-list", "--count", &format!("{before}..{after}")]);
    assert!(["1\n", "2\n"].contains(&commits.as_str()), "{commits}");
    assert_eq!(jp.run(&["c", "fsck", id]).ok(), "");
    assert_eq!(jp.show(id)["problems"], json!([]));
    jp.assert_sound();
    let actions = said.iter().filter_map(|line| line.strip_prefix("repaired: "));
    actions.map(str::to_owned).collect()
}

#[test]
fn a_sound_conversation_is_left_alone() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &call("c1")]);
    let tip = jp.tip(&id);
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    assert_eq!(jp.run(&["c", "fsck", "--repair", &id]).ok(), "");
    let report = json!([{"id": id, "problems": [], "actions": [], "commit": null, "left": []}]);
    assert_eq!(jp.run(&["c", "fsck", "--repair", "--format", "json"]).json(), report);
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn every_line_of_a_manifest_that_is_wrong_is_named_and_taken_out() {
    let manifest = "# mine\n000-request.md\n 000-request.md\n../evil.md\nnotes\u{1b}.txt\n\
                    005-message.md\n001-message.md\n";
    let (jp, id) = with_manifest(manifest, &[]);
    let expected = [
        "CONVERSATION:3:2: `000-request.md` is listed twice",
        "CONVERSATION:4:1: `../evil.md` leaves the directory",
        "CONVERSATION:5:1: `notes\\u{1b}.txt` is not the name of an event file such as \
         `003-message.md`",
        "CONVERSATION:6:1: `005-message.md`: there is no such file",
    ];
    assert_eq!(problems(&jp, &id), expected);
    let show = jp.run(&["c", "show", &id]);
    let warnings: Vec<_> = show.stderr.lines().collect();
    assert_eq!((show.code, warnings.len()), (0, 4), "{}", show.stderr);
    let damaged = format!(
        "error: conversation {id} is damaged: {}\n\
         Hint: `jp conversation fsck {id}` lists all problems, and with `--repair` mends them\n",
        expected[0]
    );
    jp.append(&id, &[&request("Next\n")]).fails(1, &damaged);
    let expected = [
        "CONVERSATION: lines that are wrong are taken out",
        "005-message.md: taken out of the stream: it is missing or cannot be read",
    ];
    assert_eq!(repair(&jp, &id), expected);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert_eq!(manifest, "# mine\n000-request.md\n001-message.md\n");
    jp.append(&id, &[&request("Next\n")]).ok();
}

#[test]
fn a_manifest_that_is_missing_is_written_anew() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    jp.remove(&id, "CONVERSATION");
    assert_eq!(problems(&jp, &id), ["CONVERSATION: the file is missing"]);
    assert_eq!(repair(&jp, &id), ["CONVERSATION: written anew from the files beside it"]);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert_eq!(manifest, "000-request.md\n001-message.md\n");
    let description = jp.git(&["log", "-1", "--format=%s%n%b", &id]);
    let head = format!("repair {id}\nCONVERSATION: written anew from the files beside it\n");
    assert!(description.starts_with(&head), "{description}");
    assert!(description.contains("Jp-Origin: edit\n"), "{description}");
}

#[test]
fn a_sealed_run_is_checked_and_mended_like_the_top() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = message("again\n");
    jp.append(&id, &[text.as_str(); 121]).ok();
    jp.edit(&id, "000/007-message.md", "broken");
    jp.remove(&id, "000/008-message.md");
    let found = problems(&jp, &id);
    assert_eq!(found[0], "000/CONVERSATION:10:1: `008-message.md`: there is no such file");
    assert!(found[1].starts_with("000/007-message.md:1:1: "), "{found:?}");
    let expected = [
        "000/007-message.md: taken out of the stream: it is missing or cannot be read",
        "000/008-message.md: taken out of the stream: it is missing or cannot be read",
    ];
    assert_eq!(repair(&jp, &id), expected);
    assert_eq!(jp.show(&id)["events"], 120);
    // It stays beside the stream.
    assert_eq!(jp.run(&["c", "cat", &id, "7"]).ok(), "broken");
    jp.remove(&id, "000/CONVERSATION");
    assert_eq!(problems(&jp, &id)[0], "000/CONVERSATION: the file is missing");
}

#[test]
fn events_that_cannot_be_read_are_named_with_all_their_flaws() {
    let broken = "---\ntype: request\ntimestamp: soon\ninterrupts: maybe\n---\nbody";
    let manifest = "000-request.md\n001-message.md\n002-request.md\n003-tool-start.toml\n";
    let files = [("002-request.md", broken), ("003-tool-start.toml", "id = \"c1\"\nattempt = x\n")];
    let (jp, id) = with_manifest(manifest, &files);
    let found = problems(&jp, &id);
    let places: Vec<_> = found.iter().map(|line| line.split(": ").next().unwrap()).collect();
    let expected = ["002-request.md:3:1", "002-request.md:4:1", "003-tool-start.toml:2:11"];
    assert_eq!(places, expected, "{found:?}");
    let actions = repair(&jp, &id);
    let expected = [
        "002-request.md: taken out of the stream: it is missing or cannot be read",
        "003-tool-start.toml: taken out of the stream: it is missing or cannot be read",
    ];
    assert_eq!(actions, expected);
    assert_eq!(jp.run(&["c", "cat", &id, "2"]).ok(), broken);
}

#[test]
fn events_in_the_wrong_place_are_mended() {
    let manifest = "000-request.md\n002-request.md\n001-message.md\n003-tool-result.md\n\
                    004-request.md\n005-tool-call.md\n006-request.md\n007-message.md\n";
    let files = [
        ("002-request.md", request("Second\n")),
        ("003-tool-result.md", result("c9", "orphan")),
        ("004-request.md", request("Third\n")),
        ("005-tool-call.md", call("c1")),
        ("006-request.md", request("Fourth\n")),
        ("007-message.md", message("Last\n")),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let (jp, id) = with_manifest(manifest, &files);
    let expected = [
        "002-request.md: a request follows straight after a request",
        "003-tool-result.md: the result of call `c9` has no call without a result before it",
        "006-request.md: a request would leave call `c1` without a result",
    ];
    assert_eq!(problems(&jp, &id), expected);
    let old = jp.tip(&id);
    let expected = [
        "002-request.md: marked as an interruption, it follows a request",
        "003-tool-result.md: taken out of the stream: the result of call `c9` has no call without \
         a result before it",
        "008-tool-result-read.md: added, call `c1` had no result",
    ];
    assert_eq!(repair(&jp, &id), expected);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    let expected = "000-request.md\n002-request.md\n001-message.md\n004-request.md\n\
                    005-tool-call.md\n008-tool-result-read.md\n006-request.md\n007-message.md\n";
    assert_eq!(manifest, expected);
    assert!(jp.run(&["c", "cat", &id, "2"]).ok().contains("interrupts: true\n"));
    // Nothing is gone: the file stays, and history has the old state.
    assert_eq!(jp.run(&["c", "cat", &id, "3"]).ok(), result("c9", "orphan"));
    assert_eq!(jp.git(&["show", &format!("{old}:002-request.md")]), request("Second\n"));
}

#[test]
fn a_number_that_is_given_twice_is_given_once() {
    let manifest = "000-request.md\n000-message.md\n001-message.md\n";
    let (jp, id) = with_manifest(manifest, &[("000-message.md", &message("Twin\n"))]);
    assert_eq!(problems(&jp, &id), ["000-message.md: the number 000 is given twice"]);
    assert_eq!(
        repair(&jp, &id),
        ["000-message.md: now 002-message.md, its number was given twice"]
    );
    assert_eq!(jp.run(&["c", "cat", &id, "2"]).ok(), message("Twin\n"));
}

#[test]
fn the_turn_under_way_is_left_alone() {
    let manifest = "000-request.md\n001-message.md\n002-tool-result.md\n003-request.md\n\
                    004-tool-call.md\n005-tool-call.md\n";
    let files = [
        ("002-tool-result.md", result("c9", "orphan")),
        ("003-request.md", request("Go\n")),
        ("004-tool-call.md", call("c1")),
        ("005-tool-call.md", call("c2")),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let (jp, id) = with_manifest(manifest, &files);
    let tail = |id: &str| {
        jp.git(&["ls-tree", id, "003-request.md", "004-tool-call.md", "005-tool-call.md"])
    };
    let before = tail(&id);
    let actions = repair(&jp, &id);
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(tail(&id), before);
    let shown = jp.show(&id);
    assert_eq!(shown["status"], "interrupted (pending tool execution)");
    assert_eq!(shown["pending"]["calls"].as_array().unwrap().len(), 2);
    jp.append(&id, &[&result("c2", "two"), &result("c1", "one")]).ok();
}

#[test]
fn metadata_that_is_broken_is_written_anew() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let meta = ".conversation/meta.toml";
    jp.edit(&id, meta, "format = \"1.0\"\ntitle = 7\ncreated = \"soon\"\n");
    let found = problems(&jp, &id);
    assert_eq!(found[0], ".conversation/meta.toml:2:1: key `title`: expected a text");
    assert!(found[1].starts_with(".conversation/meta.toml:3:1: key `created`: "), "{found:?}");
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!(listed[0]["status"], "damaged");
    assert_eq!(repair(&jp, &id), [".conversation/meta.toml: written anew with what could be read"]);
    jp.edit(&id, meta, "format = \"1.0\"\ntitle = \"Mine\"\ncreated = 7\ncolor = \"red\"\n");
    assert_eq!(repair(&jp, &id), [".conversation/meta.toml: written anew with what could be read"]);
    let kept = jp.git(&["show", &format!("{id}:{meta}")]);
    assert_eq!(kept, "format = \"1.0\"\ntitle = \"Mine\"\ncolor = \"red\"\n");
    jp.remove(&id, meta);
    assert_eq!(problems(&jp, &id), [".conversation/meta.toml: the file is missing"]);
    // An append can do without it.
    jp.append(&id, &[&message("Answer\n")]).ok();
    assert_eq!(repair(&jp, &id), [".conversation/meta.toml: written anew with what could be read"]);
    // What is lost is taken from history.
    assert_eq!(jp.show(&id)["title"], "Mine");
}

#[test]
fn very_many_lines_that_lead_nowhere_are_taken_out_at_once() {
    let mut manifest = String::from("000-request.md\n");
    manifest.extend((10..60_000).map(|n| format!("{n:03}-message.md\n")));
    let (jp, id) = with_manifest(&manifest, &[]);
    let started = std::time::Instant::now();
    let done = repair(&jp, &id);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert_eq!(done.len(), 1001);
    assert_eq!(done[1000], "and 58990 more like these");
    assert_eq!(jp.show(&id)["events"], 1);
}

#[test]
fn programs_get_the_problems_as_json() {
    let manifest = "000-request.md\n001-message.md\n001-message.md\n";
    let (jp, id) = with_manifest(manifest, &[]);
    let problem = json!({
        "file": "CONVERSATION", "line": 3, "column": 1,
        "message": "`001-message.md` is listed twice", "refused": false,
    });
    let read = |output: &Output| serde_json::from_str::<serde_json::Value>(&output.stdout).unwrap();
    let output = jp.run(&["c", "fsck", "--format", "json"]);
    let expected = json!([
        {"id": id, "problems": [problem], "actions": [], "commit": null, "left": [problem]}
    ]);
    assert_eq!((read(&output), output.stderr.as_str(), output.code), (expected, "", 1));
    let output = jp.run(&["c", "fsck", "--repair", "--format", "json"]);
    let action = "CONVERSATION: lines that are wrong are taken out";
    let expected = json!([
        {"id": id, "problems": [problem], "actions": [action], "commit": jp.tip(&id), "left": []}
    ]);
    assert_eq!((read(&output), output.stderr.as_str(), output.code), (expected, "", 0));
}

#[test]
fn all_conversations_are_checked_and_one_bad_one_does_not_hide_the_others() {
    let (jp, one) = with_manifest("000-request.md\n009-message.md\n", &[]);
    let two = jp.start(&[&request("Other\n")]);
    jp.edit(&two, ".conversation/meta.toml", "format = \"2.0\"\n");
    let output = jp.run(&["c", "fsck"]);
    assert_eq!(output.code, 1);
    let expected = format!("{one}: CONVERSATION:2:1: `009-message.md`: there is no such file\n");
    assert_eq!(output.stdout, expected);
    assert!(
        output.stderr.contains(&format!("error: conversation {two} cannot be read")),
        "{output:?}"
    );
}

#[test]
fn a_run_that_is_listed_and_not_there_is_taken_out() {
    let (jp, id) = with_manifest("000-request.md\n200/\n001-message.md\n", &[]);
    assert_eq!(problems(&jp, &id), ["CONVERSATION:2:1: `200/`: there is no such directory"]);
    assert_eq!(repair(&jp, &id), ["CONVERSATION: lines that are wrong are taken out"]);
}

#[test]
fn what_stands_beside_the_stream_is_checked_too() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.edit(&id, ".conversation/config.toml", "model =\n");
    jp.edit(&id, ".conversation/queue/000-request.md", "no event\n");
    let found = problems(&jp, &id);
    assert!(found[0].starts_with(".conversation/config.toml:1:8: invalid TOML: "), "{found:?}");
    let queued = ".conversation/queue/000-request.md:1:1: expected frontmatter: ";
    assert!(found[1].starts_with(queued), "{found:?}");
    // Neither keeps anybody from going on.
    jp.append(&id, &[&message("Answer\n")]).ok();
}

#[test]
fn what_could_not_be_tidied_up_after_a_repair_is_told() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.edit(&id, "run.sh", "has no place\n");
    let leftover = jp.store().join("stage/jp-c1.pack");
    fs::create_dir(&leftover).unwrap();
    let output = jp.run(&["c", "fsck", "--repair", &id]);
    let warning = format!(
        "warning: the store could not be packed: cannot remove `{}`: Is a directory\n",
        leftover.display()
    );
    assert_eq!((output.code, output.stderr), (0, warning));
}

/// Puts a commit in the place of the last one, whatever it says.
fn replace_tip(jp: &Jp, id: &str, change: impl Fn(&str) -> String) -> String {
    let commit = change(&jp.git(&["cat-file", "commit", id]));
    let commit = jp.git_with_input(&["hash-object", "-t", "commit", "-w", "--stdin"], commit);
    jp.force(id, &commit);
    commit
}

#[test]
fn a_summary_that_does_not_fit_its_tree_counts_no_more() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let commit = replace_tip(&jp, &id, |commit| {
        commit.replace("Jp-Events: 2", "Jp-Events: 7").replace("Jp-Title: One", "Jp-Title: Two")
    });
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!((&rows[0]["events"], &rows[0]["title"]), (&json!(7), &json!("Two")));
    let found = format!("the summary in commit {commit} does not fit: title, events");
    assert_eq!(problems(&jp, &id), [found]);
    let said = jp.run(&["c", "fsck", &id, "--repair"]).ok();
    assert!(said.contains(&format!("repaired: the summary in commit {commit} counts no more\n")));
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!((&rows[0]["events"], &rows[0]["title"]), (&json!(2), &json!("One")));
}

#[test]
fn a_history_that_breaks_off_is_told() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let (parent, lost) = (jp.git(&["rev-parse", &format!("{id}^")]), "1".repeat(40));
    replace_tip(&jp, &id, |commit| commit.replace(parent.trim_end(), &lost));
    let found = format!("its history breaks off: object {lost} is missing");
    assert_eq!(problems(&jp, &id), [found.as_str()]);
    let repair = jp.run(&["c", "fsck", &id, "--repair"]);
    assert_eq!((repair.code, repair.stderr.as_str()), (1, ""));
    assert_eq!(repair.stdout, format!("{id}: {found}\n{id}: left as it is: {found}\n"));
    let report = jp.run(&["c", "fsck", &id, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    let problem =
        json!({"file": null, "line": null, "column": null, "message": found, "refused": false});
    assert_eq!(report[0]["left"], json!([problem]));
}

#[test]
fn a_conversation_in_two_places_is_told_and_put_into_one() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let other = jp.start(&[&request("Other\n")]);
    jp.git(&["update-ref", &format!("refs/archive/{id}"), &id]);
    jp.git(&["update-ref", &format!("refs/trash/{other}"), &id]);
    jp.append(&id, &[&message("First\n")]).ok();
    assert_eq!(problems(&jp, &id), ["it is archived as well"]);
    assert_eq!(
        jp.run(&["c", "fsck", &id, "--repair"]).ok(),
        format!("{id}: it is archived as well\n{id}: repaired: it is not archived any more\n")
    );
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    // What is another conversation is left to the user.
    assert_eq!(problems(&jp, &other), ["it is in the trash as well"]);
    assert_eq!(jp.run(&["c", "fsck", &other, "--repair"]).code, 1);
    assert_eq!(
        jp.git(&["for-each-ref", "--format=%(refname)", "refs/trash"]),
        format!("refs/trash/{other}\n")
    );
}
