//! Follow-ups: what is queued is kept, changed, taken out and asked once, in its order.

use std::fs;

use serde_json::{Value, json};

use crate::{
    fake_editor::FakeEditor,
    query::{answer, ask, files, only, player},
    support::{Jp, Output, request},
};

/// Four answers, each to what is expected before it.
const SCRIPT: &str = r#"
[[answer]]
expect = "First"
text = "One."

[[answer]]
expect = "Second"
text = "Two."

[[answer]]
expect = "Third"
text = "Three."

[[answer]]
expect = "Fourth"
text = "Four."
"#;

/// The same, but nothing comes after the first answer.
const FAILING: &str = r#"
[[answer]]
text = "One."

[[answer]]
step = [{ error = "refused", message = "no" }]
"#;

/// A conversation with one turn.
fn talk() -> (Jp, String) {
    let jp = player(SCRIPT);
    assert_eq!(answer(ask(&jp, &["--new", "First"])), "One.\n");
    let id = only(&jp);
    (jp, id)
}

fn play(jp: &Jp, script: &str) {
    fs::write(jp.world().join("home/script.toml"), script).unwrap();
}

fn send(jp: &Jp, id: &str, text: &str) -> String {
    answer(jp.run(&["c", "send", id, text]))
}

/// The numbers and texts of what is queued.
pub fn queue(jp: &Jp, id: &str) -> Value {
    let queue = jp.run(&["c", "queue", id, "--format", "json"]).json()["queue"].clone();
    let pair = |one: &Value| json!([one["address"], one["content"]]);
    queue.as_array().unwrap().iter().map(pair).collect()
}

pub fn questions(jp: &Jp, id: &str) -> Vec<String> {
    let turns = jp.run(&["c", "export", id, "--format", "json"]).json()["turns"].clone();
    let events = turns.as_array().unwrap().iter().flat_map(|turn| turn["events"].as_array());
    let requests = events.flatten().filter(|event| event["type"] == "request");
    requests.map(|event| event["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_follow_up_says_where_it_waits_and_what_asks_it() {
    let (jp, id) = talk();
    let sent = jp.run(&["c", "send", &id, "And", "then?"]);
    assert_eq!((sent.code, sent.stdout), (0, format!("{id} 000 000-request.md\n")));
    assert_eq!(
        sent.stderr,
        format!(
            "Queued: no turn is under way, so that nothing asks it by itself; `jp resume {id}` \
             does now, `jp query --id={id} \"…\"` after that question\n\
             Hint: `jp conversation undo {id}` takes it back\n"
        )
    );
    jp.write("more.md", "From a file");
    let piped =
        jp.run_with_input(&["c", "send", &id, "@more.md", "-", "--format", "json"], "Piped");
    let piped = piped.json();
    assert_eq!(
        piped,
        json!({
            "id": id,
            "address": 1,
            "file": "001-request.md",
            "commit": jp.tip(&id),
            "next": format!("jp resume {id}"),
            "inverse": format!("jp conversation undo {id}"),
        })
    );
    assert_eq!(queue(&jp, &id), json!([[0, "And then?"], [1, "From a file\n\nPiped"]]));
    let listed = jp.run(&["c", "queue", &id]).ok();
    assert!(listed.starts_with("NUMBER  SENT "), "{listed}");
    assert!(listed.contains("  And then?\n") && listed.contains("  From a file\n"), "{listed}");
    for brief in [&[][..], &["--brief"]] {
        let show = jp.run(&[&["c", "show", &id][..], brief].concat()).ok();
        assert!(show.contains("\nQueued:   2 follow-ups\n"), "{show}");
        let show = jp.run(&[&["c", "show", &id, "--format", "json"][..], brief].concat()).json();
        assert_eq!((&show["queued"], &show["events"]), (&json!(2), &json!(2)));
    }
    assert_eq!(jp.run(&["c", "fsck", &id]).code, 0);
    jp.assert_sound();
    jp.run(&["c", "send", &id]).fails(
        2,
        "error: there is nothing to queue\n\
         Hint: give a text: `jp conversation send ID \"And then …\"`, or pipe one in\n",
    );
}

#[test]
fn follow_ups_are_asked_in_their_order_when_a_turn_is_complete() {
    let (jp, id) = talk();
    for text in ["Third", "Fourth"] {
        send(&jp, &id, text);
    }
    let asked = ask(&jp, &["Second"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "Two.\n\nThree.\n\nFour.\n"));
    let told = "Follow-up 000: Third\nFollow-up 001: Fourth\n";
    assert!(asked.stderr.starts_with(told), "{}", asked.stderr);
    assert_eq!(asked.stderr.matches("continue with").count(), 1, "{}", asked.stderr);
    assert_eq!(queue(&jp, &id), json!([]));
    assert_eq!(questions(&jp, &id), ["First", "Second", "Third", "Fourth"]);
    assert_eq!(jp.show(&id)["turns"], 4);
    // Each of them is an operation of its own, and is in the queue again without it.
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(queue(&jp, &id), json!([[1, "Fourth"]]));
    assert_eq!(questions(&jp, &id), ["First", "Second", "Third"]);
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    assert_eq!((queue(&jp, &id), questions(&jp, &id).len()), (json!([]), 4));
    jp.assert_sound();
}

#[test]
fn a_follow_up_leaves_the_queue_with_the_commit_of_its_request_and_keeps_its_bytes() {
    let (jp, id) = talk();
    send(&jp, &id, "Second");
    let waiting = jp.git(&["show", &format!("{id}:.conversation/queue/000-request.md")]);
    let lines = ask(&jp, &["--continue-turn", "-E", "--no-tools", "--format", "json"]);
    let lines = answer(lines);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["config-delta", "request", "message", "end"]);
    assert_eq!((&lines[3]["ending"], &lines[3]["queued"]), (&json!("complete"), &json!(0)));
    assert_eq!(jp.git(&["show", &format!("{id}:003-request.md")]), waiting);
    let log = jp.git(&["log", "-3", "--reverse", "--format=%s", "--name-status", &id]);
    let (before, request) = log.split_once("append 003-request.md").unwrap();
    assert!(!before.contains("queue"), "{log}");
    assert!(request.contains("\t.conversation/queue/000-request.md"), "{log}");
    assert!(!request.split_once("append 004").unwrap().1.contains("queue"), "{log}");
    jp.assert_sound();
}

#[test]
fn what_is_asked_by_the_query_itself_comes_first() {
    let (jp, id) = talk();
    send(&jp, &id, "Third");
    assert_eq!(answer(ask(&jp, &["Second"])), "Two.\n\nThree.\n");
    assert_eq!(questions(&jp, &id), ["First", "Second", "Third"]);
}

#[test]
fn resume_asks_what_is_queued_when_no_turn_is_under_way() {
    let (jp, id) = talk();
    send(&jp, &id, "Second");
    send(&jp, &id, "Third");
    let resumed = jp.run(&["resume", &id, "--quiet"]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "Two.\n\nThree.\n"));
    assert_eq!(resumed.stderr, "");
    let nothing = jp.run(&["resume", &id]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""));
    assert!(nothing.stderr.starts_with("Nothing to resume"), "{}", nothing.stderr);
}

#[test]
fn after_a_turn_that_failed_the_queue_stays_and_resume_goes_on_with_it() {
    let (jp, id) = talk();
    send(&jp, &id, "Third");
    play(&jp, FAILING);
    let failed = ask(&jp, &["Second"]);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    let told = format!("1 follow-up is queued: `jp resume {id}` completes the turn and asks");
    assert_eq!(failed.stderr.matches(&told).count(), 1, "{}", failed.stderr);
    assert_eq!(queue(&jp, &id), json!([[0, "Third"]]));
    let sent = jp.run(&["c", "send", &id, "Fourth"]);
    let told = format!("asked when the present turn is complete, which `jp resume {id}` goes on");
    assert!(sent.stderr.contains(&told), "{}", sent.stderr);
    let failed = jp.run(&["resume", &id, "--format", "json"]);
    let end: Value = serde_json::from_str(failed.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&end["ending"], &end["queued"]), (&json!("failed"), &json!(2)));
    play(&jp, SCRIPT);
    let resumed = jp.run(&["resume", &id]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "Two.\n\nThree.\n\nFour.\n"));
    assert_eq!(questions(&jp, &id), ["First", "Second", "Third", "Fourth"]);
    assert_eq!(jp.show(&id)["queued"], 0);
}

#[test]
fn a_follow_up_that_fails_is_asked_and_those_behind_it_wait() {
    let (jp, id) = talk();
    send(&jp, &id, "Second");
    send(&jp, &id, "Third");
    play(&jp, FAILING);
    let failed = jp.run(&["resume", &id]);
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    assert_eq!(questions(&jp, &id), ["First", "Second"]);
    assert_eq!(queue(&jp, &id), json!([[1, "Third"]]));
}

#[test]
fn a_turn_that_waits_for_somebody_leaves_the_queue_alone() {
    let (jp, id) = talk();
    send(&jp, &id, "Third");
    let calls = "[[answer]]\nstep = [{ call = \"asks\", arguments = {} }]\n";
    play(&jp, &format!("[[answer]]\ntext = \"One.\"\n{calls}"));
    let waits = ask(&jp, &["-c", "unattended.all=queue", "Second"]);
    assert_eq!(waits.code, 1, "{}", waits.stderr);
    assert!(waits.stderr.contains("1 follow-up is queued: "), "{}", waits.stderr);
    assert_eq!(queue(&jp, &id), json!([[0, "Third"]]));
}

#[test]
fn a_query_that_keeps_nothing_does_not_touch_the_queue() {
    let (jp, id) = talk();
    send(&jp, &id, "Third");
    let tip = jp.tip(&id);
    assert_eq!(answer(ask(&jp, &["--no-persist", "Second"])), "Two.\n");
    assert_eq!((queue(&jp, &id), jp.tip(&id)), (json!([[0, "Third"]]), tip));
}

#[test]
fn follow_ups_are_dropped_and_changed_and_undo_takes_it_back() {
    let (jp, id) = talk();
    for text in ["a", "b", "c"] {
        send(&jp, &id, text);
    }
    let dropped = jp.run(&["c", "queue", &id, "--drop", "1"]);
    assert_eq!(dropped.stdout, format!("{id}: 001-request.md is not queued any more\n"));
    assert_eq!(queue(&jp, &id), json!([[0, "a"], [2, "c"]]));
    send(&jp, &id, "d");
    assert_eq!(queue(&jp, &id), json!([[0, "a"], [2, "c"], [3, "d"]]));
    for _ in 0..2 {
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    }
    assert_eq!(queue(&jp, &id), json!([[0, "a"], [1, "b"], [2, "c"]]));
    let changed =
        ["c", "queue", &id, "--edit", "001-request.md", "--text", "B", "--format", "json"];
    let changed = jp.run(&changed).json();
    assert_eq!((&changed["address"], &changed["commit"]), (&json!(1), &json!(jp.tip(&id))));
    assert_eq!(queue(&jp, &id), json!([[0, "a"], [1, "B"], [2, "c"]]));
    let tip = jp.tip(&id);
    let same = jp.run(&["c", "queue", &id, "--edit", "1", "--text", "B"]);
    assert_eq!(same.stderr, format!("{id}: 001-request.md says that already\n"));
    assert_eq!(jp.tip(&id), tip);
    for change in [&["--drop", "7"][..], &["--edit", "7", "--text", "x"], &["--edit", "7"]] {
        jp.run(&[&["c", "queue", &id][..], change].concat()).fails(
            1,
            &format!(
                "error: `7` is not queued in {id}\n\
                 Hint: `jp conversation queue {id}` lists what is\n"
            ),
        );
    }
    let log = jp.git(&["log", "-2", "--format=%s", &id]);
    assert!(log.starts_with("queue 001-request.md anew\n"), "{log}");
    jp.assert_sound();
}

#[test]
fn a_follow_up_is_changed_in_the_editor_and_nothing_typed_is_lost() {
    let (jp, id) = talk();
    send(&jp, &id, "Second");
    let edit = ["c", "queue", &id, "--edit", "0"];
    let editor = FakeEditor::new(&jp).change("query.md", "Second", "Second of all");
    assert_eq!(answer(editor.edits(&jp, &edit)), format!("{id}: 000-request.md is changed\n"));
    assert_eq!(queue(&jp, &id), json!([[0, "Second of all"]]));
    let failing = FakeEditor::new(&jp).change("query.md", "of all", "of many").fail(3);
    let failed = failing.edits(&jp, &edit);
    assert_eq!(failed.code, 1);
    let (_, kept) = failed.stderr.split_once("the draft is kept in `").unwrap();
    let kept = fs::read_to_string(kept.split('`').next().unwrap()).unwrap();
    assert!(kept.contains("Second of many"), "{kept}");
    let emptied = FakeEditor::new(&jp).write("query.md", "").edits(&jp, &edit);
    assert!(emptied.stderr.starts_with("error: nothing was changed: "), "{}", emptied.stderr);
    assert_eq!(queue(&jp, &id), json!([[0, "Second of all"]]));
}

#[test]
fn a_hundred_follow_ups_are_enough() {
    let (jp, id) = talk();
    let directory = jp.path("out");
    answer(jp.run(&["c", "export", &id, "--dir", directory.to_str().unwrap()]));
    for number in 0..99 {
        let file = format!("out/.conversation/queue/{number:03}-request.md");
        jp.write(&file, request("More\n"));
    }
    let copy = answer(jp.run(&["c", "import", directory.to_str().unwrap()]));
    let id = copy.split_whitespace().next().unwrap();
    assert_eq!(send(&jp, id, "The last one"), format!("{id} 099 099-request.md\n"));
    let refused = jp.run(&["c", "send", id, "One too many"]);
    let why = format!("error: the queue of {id} stays as it is: 100 requests are queued already\n");
    assert!(refused.stderr.starts_with(&why), "{}", refused.stderr);
    assert_eq!((refused.code, &jp.show(id)["queued"]), (1, &json!(100)));
}

#[test]
fn a_conversation_that_somebody_else_writes_takes_no_follow_up_yet() {
    let (jp, id) = talk();
    let path = jp.store().join(format!("locks/{id}.lock"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let held = fs::File::create(&path).unwrap();
    held.lock().unwrap();
    let refused = jp.with_var("JP_LOCK_DURATION", "0").run(&["c", "send", &id, "Now"]);
    assert_eq!(refused.code, 75, "{}", refused.stderr);
    // Reading needs no lock.
    assert_eq!(queue(&jp, &id), json!([]));
}

#[test]
fn a_fork_begins_without_a_queue_and_a_copy_has_it() {
    let (jp, id) = talk();
    send(&jp, &id, "Second");
    for more in [&[][..], &["--last", "1"]] {
        let fork = answer(jp.run(&[&["c", "fork", &id][..], more].concat()));
        assert_eq!(jp.show(fork.trim())["queued"], 0, "{more:?}");
        assert_eq!(jp.run(&["c", "fsck", fork.trim()]).code, 0);
    }
    let directory = jp.path("out");
    answer(jp.run(&["c", "export", &id, "--dir", directory.to_str().unwrap()]));
    let copy = answer(jp.run(&["c", "import", directory.to_str().unwrap()]));
    let copy = copy.split_whitespace().next().unwrap();
    assert_eq!(queue(&jp, copy), json!([[0, "Second"]]));
    // What is done to the stream leaves the queue alone.
    let editor = FakeEditor::new(&jp).list(&["900-request.md"]);
    let editor = editor.write("900-request.md", "---\ntype: request\n---\nBy hand\n");
    answer(editor.edits(&jp, &["c", "edit", &id, "--yes"]));
    assert_eq!(queue(&jp, &id), json!([[0, "Second"]]));
    jp.assert_sound();
}

#[test]
fn what_is_no_request_is_listed_and_never_asked() {
    let (jp, id) = talk();
    let message = "---\ntype: message\ntimestamp: 2026-01-01T00:00:00Z\n---\nNo\n";
    jp.edit(&id, ".conversation/queue/000-message.md", message);
    jp.edit(&id, ".conversation/queue/001-request.md", message.replace("message", "request"));
    play(&jp, "[[answer]]\ntext = \"One.\"\n[[answer]]\nexpect = \"No\"\ntext = \"Two.\"\n");
    assert_eq!(answer(jp.run(&["resume", &id])), "Two.\n");
    let listed = jp.run(&["c", "queue", &id]).ok();
    assert!(listed.contains("(message, which is never asked)"), "{listed}");
    let nothing = jp.run(&["resume", &id]);
    assert!(nothing.stderr.starts_with("Nothing to resume"), "{}", nothing.stderr);
    answer(jp.run(&["c", "queue", &id, "--drop", "0"]));
    assert_eq!(files(&jp, &id).len(), 4);
}

#[test]
fn what_cannot_be_read_is_told_and_can_be_taken_out() {
    let (jp, id) = talk();
    jp.edit(&id, ".conversation/queue/000-request.md", "---\ntype: [\n---\nNo\n");
    let listed = jp.run(&["c", "queue", &id]);
    assert_eq!((listed.code, listed.stdout.as_str()), (0, ""));
    let told = "warning: `000-request.md` cannot be read, and is never asked: ";
    let hint = format!("Hint: `jp conversation queue {id} --drop 0` takes it out\n");
    assert!(listed.stderr.starts_with(told) && listed.stderr.ends_with(&hint), "{}", listed.stderr);
    let listed = jp.run(&["c", "queue", &id, "--format", "json"]).json();
    assert_eq!(listed["unreadable"][0]["file"], "000-request.md");
    assert_eq!(answer(ask(&jp, &["Second"])), "Two.\n");
    answer(jp.run(&["c", "queue", &id, "--drop", "0"]));
    assert_eq!(jp.run(&["c", "queue", &id, "--format", "json"]).json()["unreadable"], json!([]));
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod killed {
    use super::*;
    use crate::crash::{kill_and_check, sound};

    /// Whether it is queued, and how often it was asked.
    fn where_is(jp: &Jp, id: &str, text: &str) -> (bool, usize) {
        let queued = queue(jp, id).as_array().unwrap().iter().any(|one| one[1] == text);
        (queued, questions(jp, id).iter().filter(|question| *question == text).count())
    }

    #[test]
    fn a_follow_up_is_asked_once_wherever_the_query_is_killed() {
        let scene = || {
            let (jp, id) = talk();
            // Whatever was asked before.
            let to = |when, text| format!("[[answer]]\nwhen = \"{when}\"\ntext = \"{text}\"\n");
            play(&jp, &[to("Second", "Two."), to("Third", "Three.")].concat());
            send(&jp, &id, "Third");
            (jp, Some(id))
        };
        let program = |id: Option<&str>| {
            let id = format!("--id={}", id.unwrap());
            ["q", "--no-server", "--non-interactive", "--format", "json", &id, "Second"]
                .map(str::to_owned)
                .into()
        };
        let failures =
            kill_and_check(scene, program, |jp, id, killed| check_asked(jp, id.unwrap(), killed));
        assert_eq!(failures, Vec::<String>::new());
    }

    fn check_asked(jp: &Jp, id: &str, killed: &Output) -> Result<(), String> {
        sound(jp, &jp.store())?;
        match where_is(jp, id, "Third") {
            (true, 0) | (false, 1) => {}
            found => return Err(format!("queued and asked: {found:?} after {killed:?}")),
        }
        let resumed = jp.run(&["resume", id, "--non-interactive"]);
        if resumed.code != 0 {
            return Err(format!("it does not go on: {resumed:?}"));
        }
        let asked = questions(jp, id);
        if where_is(jp, id, "Third") != (false, 1) || asked.last().unwrap() != "Third" {
            return Err(format!("{asked:?} after {killed:?}"));
        }
        match jp.run(&["c", "fsck", id]).code {
            0 => Ok(()),
            code => Err(format!("fsck: {code}")),
        }
    }

    #[test]
    fn a_follow_up_that_was_acknowledged_is_queued_wherever_its_sender_is_killed() {
        let scene = || {
            let (jp, id) = talk();
            (jp, Some(id))
        };
        let program =
            |id: Option<&str>| ["c", "send", id.unwrap(), "Second"].map(str::to_owned).into();
        let failures = kill_and_check(scene, program, |jp, id, killed| {
            let id = id.unwrap();
            sound(jp, &jp.store())?;
            let (queued, _) = where_is(jp, id, "Second");
            if !killed.stdout.is_empty() && !queued {
                return Err(format!("acknowledged and lost: {killed:?}"));
            }
            match jp.run(&["c", "send", id, "Third"]) {
                Output { code: 0, .. } => Ok(()),
                output => Err(format!("the next one fails: {output:?}")),
            }
        });
        assert_eq!(failures, Vec::<String>::new());
    }
}
