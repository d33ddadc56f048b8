//! Compaction: a model sees less of earlier turns, and nothing that is stored changes.

use serde_json::{Value, json};

use crate::{
    query::{configure, files, player},
    support::{Jp, TIME, call, message, request, result},
};

/// A thought of a model.
fn thought(body: &str) -> String {
    format!("---\ntype: reasoning\ntimestamp: {TIME}\n---\n{body}")
}

/// The events of turns that ask, think, call a tool, get a long result and answer.
pub fn turns(count: usize) -> Vec<String> {
    let long = "long ".repeat(200);
    let turn = |number: usize| {
        let id = format!("c{number}");
        [
            request(&format!("Q{number}")),
            thought("Hm"),
            call(&id),
            result(&id, &long),
            message(&format!("A{number}")),
        ]
    };
    (0..count).flat_map(turn).collect()
}

/// Starts a conversation of such turns and more events, and returns its id.
pub fn begin(jp: &Jp, count: usize, more: &[String]) -> String {
    let events = [turns(count), more.to_vec()].concat();
    jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What a model sees, a line for each message.
pub fn seen(jp: &Jp, id: &str) -> Vec<String> {
    let messages = jp.messages(id, &["--compacted"]);
    messages.as_array().unwrap().iter().map(told).collect()
}

fn told(message: &Value) -> String {
    let role = message["role"].as_str().unwrap();
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        parts => {
            let part = |part: &Value| match part["type"].as_str().unwrap() {
                "tool-call" => format!("call {}", part["id"].as_str().unwrap()),
                "reasoning" => "thought".to_owned(),
                _ => part["text"].as_str().unwrap().to_owned(),
            };
            parts.as_array().unwrap().iter().map(part).collect::<Vec<_>>().join(" | ")
        }
    };
    let text = match text {
        text if text.starts_with("long long") => "LONG".to_owned(),
        text if text.starts_with("(The result") => "SHORT".to_owned(),
        text => text,
    };
    format!("{role} {text}")
}

fn whole(number: usize) -> Vec<String> {
    vec![
        format!("user Q{number}"),
        format!("assistant thought | call c{number}"),
        "tool LONG".to_owned(),
        format!("assistant A{number}"),
    ]
}

fn stripped(number: usize) -> Vec<String> {
    vec![
        format!("user Q{number}"),
        format!("assistant call c{number}"),
        "tool SHORT".to_owned(),
        format!("assistant A{number}"),
    ]
}

/// Every event file that is stored of a conversation but its compactions, with its hash.
fn stored(jp: &Jp, id: &str) -> Vec<String> {
    let all = jp.git(&["ls-tree", "-r", id]);
    let is_event = |line: &&str| !line.contains("compaction") && !line.contains("CONVERSATION");
    all.lines().filter(is_event).map(str::to_owned).collect()
}

#[test]
fn by_itself_it_leaves_out_thoughts_and_results_of_all_turns_but_the_last() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 3, &[]);
    let before = stored(&jp, &id);
    let output = jp.run(&["c", "compact"]);
    let expected = format!(
        "{id}: a model now sees turns 0 to 1 without reasoning, without the results of tools\n\
         left out: 2 thoughts, 2 results\n\
         turns 3 → 3, events 15 → 13, tokens about "
    );
    assert!(output.stdout.starts_with(&expected), "{}", output.stdout);
    let hint = format!("Hint: `jp conversation undo {id}` takes it back\n");
    assert_eq!((output.stderr.as_str(), output.code), (hint.as_str(), 0));
    assert_eq!(seen(&jp, &id), [stripped(0), stripped(1), whole(2)].concat());
    assert_eq!(stored(&jp, &id), before);
    assert_eq!(files(&jp, &id).last().unwrap(), "015-compaction.toml");
    let file = jp.run(&["c", "cat", &id, "15"]).ok();
    let head = "from_turn = 0\nto_turn = 1\n\n[reasoning]\npolicy = \"strip\"\n\n[tools]\npolicy = \"strip\"\n";
    assert!(file.starts_with(head), "{file}");
    // Nothing is left to do, and nothing is written.
    let tip = jp.tip(&id);
    let again = jp.run(&["c", "compact", &id]);
    let nothing =
        format!("{id}: nothing to compact: turns 0 to 1 hold nothing that would be left out\n");
    assert_eq!((again.stderr.as_str(), again.code), (nothing.as_str(), 0));
    assert_eq!(jp.tip(&id), tip);
    jp.assert_sound();
}

#[test]
fn undo_and_redo_take_a_compaction_back_and_forth() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 2, &[]);
    let before = (jp.tree(&id), seen(&jp, &id));
    assert_eq!(jp.run(&["c", "compact", &id, "--tools=omit"]).code, 0);
    let after = (jp.tree(&id), seen(&jp, &id));
    assert_eq!(after.1[..2], ["user Q0", "assistant A0"]);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!((jp.tree(&id), seen(&jp, &id)), before);
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    assert_eq!((jp.tree(&id), seen(&jp, &id)), after);
    // As it was before, a model sees everything.
    let args = ["c", "export", &id, "--at", "~1", "--format", "messages", "--compacted"];
    assert_eq!(jp.run(&args).json().as_array().unwrap().len(), 8);
}

#[test]
fn each_option_says_which_turns_and_how() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 4, &[]);
    let only_tools = |number| {
        let mut turn = stripped(number);
        turn[1] = format!("assistant thought | call c{number}");
        turn
    };
    let only_thoughts = |number| {
        let mut turn = stripped(number);
        turn[2] = "tool LONG".to_owned();
        turn
    };
    let without_tools = |number| vec![format!("user Q{number}"), format!("assistant A{number}")];
    let cases: [(&[&str], Vec<Vec<String>>); 8] = [
        (
            &["--reasoning", "--keep-last", "2"],
            vec![only_thoughts(0), only_thoughts(1), whole(2), whole(3)],
        ),
        (&["--tools", "--keep-first", "2"], vec![whole(0), whole(1), only_tools(2), whole(3)]),
        (
            &["--tools=omit", "--from", "1", "--to", "2"],
            vec![whole(0), without_tools(1), without_tools(2), whole(3)],
        ),
        (&["--keep-last", "0"], vec![stripped(0), stripped(1), stripped(2), stripped(3)]),
        (&["--to", "3"], vec![stripped(0), stripped(1), stripped(2), stripped(3)]),
        (&["--from", "turn 2"], vec![whole(0), whole(1), stripped(2), whole(3)]),
        (
            &["--from", "007-tool-call-read.md", "--to", "1"],
            vec![whole(0), stripped(1), whole(2), whole(3)],
        ),
        (
            &["--to", "2026-01-31 12:00", "--keep-last", "3"],
            vec![stripped(0), whole(1), whole(2), whole(3)],
        ),
    ];
    for (options, expected) in cases {
        let output = jp.run(&[&["c", "compact", &id], options].concat());
        assert_eq!(output.code, 0, "{options:?}: {}", output.stderr);
        assert_eq!(seen(&jp, &id), expected.concat(), "{options:?}");
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    }
}

#[test]
fn what_cannot_be_compacted_is_said() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 2, &[]);
    let fails = |options: &[&str], stderr: &str| {
        jp.run(&[&["c", "compact", &id], options].concat()).fails(2, stderr);
    };
    fails(&["--to", "7"], "error: there is no turn 7: there are 2, 0 to 1\n");
    fails(&["--from", "1", "--to", "0"], "error: turn 1 comes after turn 0\n");
    fails(&["--from", "099-message.md"], "error: no turn holds event 099\n");
    let says_nothing = |options: &[&str], why: &str| {
        let output = jp.run(&[&["c", "compact", &id], options].concat());
        let expected = format!("{id}: nothing to compact: {why}\n");
        assert_eq!((output.stdout.as_str(), output.stderr, output.code), ("", expected, 0));
    };
    says_nothing(&["--keep-last", "2"], "there are 2 turns, and the last 2 stay as they are");
    says_nothing(&["--from", "2030-01-01"], "there is no turn of that time");
    says_nothing(&["--reset"], "nothing of turns 0 to 1 is compacted");
    assert_eq!(seen(&jp, &id), [whole(0), whole(1)].concat());
}

#[test]
fn the_turn_under_way_stays_as_it_is() {
    let jp = Jp::in_workspace();
    let under_way = [request("Q1"), thought("Hm"), call("c1")];
    let id = begin(&jp, 1, &under_way);
    let refused = jp.run(&["c", "compact", &id, "--to", "1"]);
    refused.fails(
        2,
        "error: turn 1 is not complete: it has to stay as it is until it is\n\
         Hint: `--to` may name an earlier turn\n",
    );
    let output = jp.run(&["c", "compact", &id]);
    let note = "turn 1 is not complete, and stays as it is until it is\n";
    assert!(output.stderr.starts_with(note), "{}", output.stderr);
    let last = ["user Q1", "assistant thought | call c1"].map(str::to_owned).to_vec();
    assert_eq!(seen(&jp, &id), [stripped(0), last].concat());
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    jp.append(&id, &[&result("c1", "ok"), &message("A1")]).ok();
    assert_eq!(jp.show(&id)["status"], "idle");
    assert_eq!(jp.show(&id)["turns"], 2);
}

#[test]
fn a_dry_run_tells_the_numbers_and_writes_nothing() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 3, &[]);
    let tip = jp.tip(&id);
    let report = jp.run(&["c", "compact", &id, "--tools=omit", "--dry-run", "--format", "json"]);
    let mut report = report.json();
    let (before, after) = (report["before"].take(), report["after"].take());
    let expected = json!({
        "id": id,
        "from_turn": 0,
        "to_turn": 1,
        "rules": { "tools": { "policy": "omit" } },
        "left_out": { "turns": 0, "thoughts": 2, "calls": 2, "results": 0, "arguments": 0 },
        "before": null,
        "after": null,
        "nothing": null,
        "address": null,
        "file": null,
        "commit": null,
        "inverse": null,
    });
    assert_eq!(report, expected);
    assert_eq!((&before["turns"], &after["turns"]), (&json!(3), &json!(3)));
    assert_eq!((&before["events"], &after["events"]), (&json!(15), &json!(9)));
    let tokens = |weight: &Value| weight["tokens"].as_u64().unwrap();
    assert!(tokens(&before) > 750 && tokens(&after) < 350, "{before} {after}");
    // No model is asked for a summary that is not going to be stored.
    let output = jp.run(&["c", "compact", &id, "--summarize", "--dry-run"]);
    assert!(output.stdout.contains("left out: 2 turns\nturns 3 → 2, "), "{}", output.stdout);
    assert!(output.stdout.ends_with(" and the summary\n"), "{}", output.stdout);
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn a_reset_takes_compactions_back_and_can_be_undone() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 2, &[]);
    assert_eq!(jp.run(&["c", "compact", &id, "--keep-last", "0"]).code, 0);
    let compacted = seen(&jp, &id);
    let output = jp.run(&["c", "compact", &id, "--reset", "--tools"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(seen(&jp, &id)[2], "tool LONG");
    assert_eq!(seen(&jp, &id)[1], "assistant call c0");
    let output = jp.run(&["c", "compact", &id, "--reset", "--format", "json"]).json();
    let keep = json!({ "policy": "keep" });
    assert_eq!(output["rules"], json!({ "reasoning": keep, "tools": keep, "summary": keep }));
    assert_eq!(seen(&jp, &id), [whole(0), whole(1)].concat());
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(seen(&jp, &id), compacted);
    // What is compacted later counts again.
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    assert_eq!(jp.run(&["c", "compact", &id, "--tools=omit"]).code, 0);
    assert_eq!(seen(&jp, &id)[..2], ["user Q0", "assistant A0"]);
}

#[test]
fn print_shows_what_a_model_sees_with_marks() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 2, &[]);
    jp.run(&["c", "compact", &id, "--tools=omit", "--reasoning"]);
    let all = jp.run(&["c", "print", &id]).ok();
    assert!(!all.contains("left out"), "{all}");
    let output = jp.run(&["c", "print", &id, "--compacted", "--turn", "0"]).ok();
    let expected = format!(
        "Q0 ({id})\n\n━━ user · turn 0 · 2026-01-31 11:00\n\nQ0\n\n\
         ━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00\n\n\
         [left out: 1 thought, 1 tool call]\n\nA0\n"
    );
    assert_eq!(output, expected);
    let rest = jp.run(&["c", "print", &id, "--compacted", "--last", "1"]).ok();
    assert!(!rest.contains("left out"), "{rest}");
    let misplaced = jp.run(&["c", "export", &id, "--compacted"]);
    assert_eq!(misplaced.code, 2);
}

#[test]
fn a_fork_keeps_the_compactions_of_what_it_keeps() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 3, &[]);
    jp.run(&["c", "compact", &id]);
    let fork = jp.run(&["c", "fork", &id]);
    assert_eq!(seen(&jp, fork.stdout.trim()), seen(&jp, &id));
    let fork = jp.run(&["c", "fork", &id, "--last", "2"]);
    let id = fork.stdout.trim();
    let moved = "warning: 015-compaction.toml: covers turn 0, which before was turns 0 to 1\n";
    assert!(fork.stderr.starts_with(moved), "{}", fork.stderr);
    assert_eq!(seen(&jp, id), [stripped(1), whole(2)].concat());
}

#[test]
fn a_summary_is_written_by_a_model_and_stands_for_the_turns() {
    let script = "[[answer]]\nexpect = [\"User: Q0\", \"`read` returns: long\", \"Assistant: A1\"]\n\
                  step = [{ reasoning = \"Hm\" }, { text = \"Two questions,\\ntwo answers.\\n\" }]\n";
    let jp = player(script);
    let id = begin(&jp, 3, &[]);
    let output = jp.run(&["c", "compact", &id, "--summarize"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let first = format!("{id}: a model now sees turns 0 to 1 as a summary\nleft out: 2 turns\n");
    assert!(output.stdout.starts_with(&first), "{}", output.stdout);
    let summary = "user <summary of=\"turns 0 to 1\">\nTwo questions,\ntwo answers.\n</summary>";
    assert_eq!(seen(&jp, &id), [vec![summary.to_owned()], whole(2)].concat());
    let file = jp.run(&["c", "cat", &id, "15"]).ok();
    assert!(file.contains("model = \"play/x\""), "{file}");
    let printed = jp.run(&["c", "print", &id, "--compacted"]).ok();
    assert!(printed.contains("[left out: 2 turns; this summary is shown instead]"), "{printed}");
    // A fork that drops one of the turns drops what was said about it.
    let fork = jp.run(&["c", "fork", &id, "--last", "2"]);
    assert!(
        fork.stderr.contains("015-compaction.toml: goes, its summary tells"),
        "{}",
        fork.stderr
    );
    assert_eq!(seen(&jp, fork.stdout.trim()), [whole(1), whole(2)].concat());
    // Summaries alone are taken back like everything else.
    assert_eq!(jp.run(&["c", "compact", &id, "--reset", "--summarize"]).code, 0);
    assert_eq!(seen(&jp, &id).len(), 12);
}

#[test]
fn a_summary_that_fails_writes_nothing() {
    let cases = [
        (
            "{ error = \"too-long\" }",
            "error: the conversation is too long for the model, says the script\n\
          Hint: nothing was compacted\nHint: `--from` and `--to` let it sum up fewer turns at a time\n",
        ),
        (
            "{ text = \"Half a \" }, { finish = \"length\" }",
            "error: the summary of `play/x` was cut off at the limit of tokens\nHint: nothing was compacted\n",
        ),
        (
            "{ text = \" \" }",
            "error: `play/x` answered without a summary\nHint: nothing was compacted\n",
        ),
    ];
    for (steps, stderr) in cases {
        let jp = player(&format!("[[answer]]\nstep = [{steps}]\n"));
        let id = begin(&jp, 2, &[]);
        let tip = jp.tip(&id);
        jp.run(&["c", "compact", &id, "--summarize"]).fails(1, stderr);
        assert_eq!(jp.tip(&id), tip);
    }
}

#[test]
fn the_guide_says_that_it_cannot_sum_up_and_another_model_can() {
    let jp = Jp::in_workspace();
    let id = begin(&jp, 2, &[]);
    jp.run(&["c", "compact", &id, "--summarize"]).fails(
        1,
        "error: `guide/jp` is no language model: it cannot sum anything up\n\
         Hint: `jp config set compaction.model PROVIDER/MODEL` names one; `jp models` lists them\n\
         Hint: `--reasoning` and `--tools` need no model\n",
    );
    let file = jp.world().join("home/sums.toml");
    std::fs::write(&file, "[[answer]]\ntext = \"One question.\"\n").unwrap();
    configure(&jp, "[providers.sums]\napi = \"script\"\nfile = \"~/sums.toml\"\n");
    let args = ["c", "compact", &id, "--summarize", "-c", "compaction.model=sums/up"];
    assert_eq!(jp.run(&args).code, 0);
    assert_eq!(seen(&jp, &id)[0], "user <summary of=\"turn 0\">\nOne question.\n</summary>");
}
