//! Calls that were interrupted: what has a result is reused, what never began is made, and what may
//! have been made already is made again only if that is harmless or somebody says so.

use std::fs;

use serde_json::Value;

use crate::{
    query::{answer, configure, player},
    resume::{READ, may_run},
    support::{Jp, Output, call, request, result, start},
};

fn standing(settings: &str, events: &[&str]) -> (Jp, String) {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    configure(&jp, READ);
    configure(&jp, settings);
    let id = jp.start(events);
    (jp, id)
}

/// A call that was started and has no result.
fn unknown(settings: &str) -> (Jp, String) {
    standing(settings, &[&request("Go\n"), &call("a"), &start("a")])
}

fn did(jp: &Jp) -> Vec<Value> {
    let did = fs::read_to_string(jp.path("did")).unwrap_or_default();
    did.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn results(jp: &Jp, id: &str) -> Vec<Value> {
    let exported = jp.run(&["c", "export", id, "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap().clone();
    events.into_iter().filter(|event| event["type"] == "tool-result").collect()
}

// The three states of a call.

#[test]
fn a_result_that_is_there_is_reused() {
    let (jp, id) = standing("", &[&request("Go\n"), &call("a"), &start("a"), &result("a", "x\n")]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(did(&jp), Vec::<Value>::new());
    assert_eq!(results(&jp, &id)[0]["content"], "x");
}

#[test]
fn a_call_that_was_never_started_is_made() {
    let (jp, id) = standing("", &[&request("Go\n"), &call("a")]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    let did = did(&jp);
    assert_eq!(
        (did.len(), &did[0]["call_id"], &did[0]["is_resume"]),
        (1, &"a".into(), &false.into())
    );
    assert_eq!(results(&jp, &id)[0]["content"], "contents\n");
}

#[test]
fn a_call_that_was_started_and_has_no_result_stays_if_nobody_can_be_asked() {
    let (jp, id) = unknown("");
    let tip = jp.tip(&id);
    let output = jp.run(&["resume", &id]);
    output.fails(
        1,
        &format!(
            "error: `read` (call `a`) may have run already, and is not run again unasked\n\
             Hint: `jp resume {id}` in a terminal asks what to do\n\
             Hint: `jp resume {id} --again a` runs it again, `--done a=@FILE` takes a file for its \
             result, `--skip a` leaves it out\n\
             Hint: `jp query --discard-turn --id={id}` discards the turn\n"
        ),
    );
    assert_eq!((jp.tip(&id), did(&jp).len()), (tip, 0));
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
}

#[test]
fn a_call_that_may_have_been_made_is_not_made_because_its_permission_was_asked_for_again() {
    let events = [request("Go\n"), call("a"), start("a"), may_run("a")];
    let (jp, id) = standing("", &events.each_ref().map(String::as_str));
    let tip = jp.tip(&id);
    let output = jp.run(&["resume", &id]);
    let said = "error: `read` (call `a`) may have run already, and is not run again unasked\n";
    assert!(output.stderr.starts_with(said), "{}", output.stderr);
    assert_eq!((output.code, jp.tip(&id), did(&jp).len()), (1, tip, 0));
    assert_eq!(answer(jp.run(&["resume", &id, "--again", "a"])), "Done.\n");
    assert_eq!(did(&jp).len(), 1);
}

#[test]
fn an_idempotent_tool_is_run_again_and_told_that_it_may_be_the_second_time() {
    let (jp, id) = unknown("idempotent = true\n");
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    let did = did(&jp);
    assert_eq!(
        (did.len(), &did[0]["call_id"], &did[0]["is_resume"]),
        (1, &"a".into(), &true.into())
    );
}

// What somebody can decide.

#[test]
fn a_call_is_made_again_if_the_command_line_says_so() {
    for name in ["a", "read"] {
        let (jp, id) = unknown("");
        assert_eq!(answer(jp.run(&["resume", &id, "--again", name])), "Done.\n");
        assert_eq!(did(&jp).len(), 1, "{name}");
        assert_eq!(did(&jp)[0]["is_resume"], true);
    }
}

#[test]
fn a_call_is_done_with_a_text_or_a_file() {
    let (jp, _) = unknown("");
    jp.write("result.txt", "from a file\n");
    for (given, content) in
        [("a=typed", "typed"), ("a=@result.txt", "from a file\n"), ("a=@@at", "@at"), ("a=", "")]
    {
        let id = jp.start(&[&request("Go\n"), &call("a"), &start("a")]);
        assert_eq!(answer(jp.run(&["resume", &id, "--done", given])), "Done.\n");
        let result = &results(&jp, &id)[0];
        assert_eq!((&result["content"], &result["is_error"]), (&content.into(), &false.into()));
        assert_eq!(result["metadata"]["given_by"], "user");
        assert_eq!(did(&jp).len(), 0, "{given}");
    }
}

#[test]
fn a_call_is_left_out_with_an_error_as_its_result() {
    let (jp, id) = unknown("");
    assert_eq!(answer(jp.run(&["resume", &id, "--skip", "a"])), "Done.\n");
    let result = &results(&jp, &id)[0];
    assert_eq!(result["is_error"], true);
    let content = result["content"].as_str().unwrap();
    assert!(content.contains("whether it had any effect is not known"), "{content}");
    let (jp, id) = standing("", &[&request("Go\n"), &call("a"), &call("b")]);
    assert_eq!(answer(jp.run(&["resume", &id, "--skip", "b"])), "Done.\n");
    assert_eq!(did(&jp).len(), 1, "the other one is made");
}

#[test]
fn a_decision_about_something_else_changes_nothing_and_names_what_there_is() {
    let (jp, id) =
        standing("", &[&request("Go\n"), &call("a"), &start("a"), &call("b"), &start("b")]);
    let tip = jp.tip(&id);
    let calls = "calls without a result: `a` (`read`), `b` (`read`)";
    let fails = |args: &[&str], said: &str| {
        let output: Output = jp.run(&[&["resume", &id], args].concat());
        assert_eq!(output.code, 2, "{args:?}: {}", output.stderr);
        assert!(output.stderr.contains(said), "{args:?}: {}", output.stderr);
    };
    fails(&["--again", "c"], calls);
    fails(&["--again", "read"], "several calls of `read` have no result");
    fails(&["--done", "a"], "does not say what the result is");
    fails(&["--again", "a", "--skip", "a"], "it is said twice what becomes of call `a`");
    let missing = jp.run(&["resume", &id, "--done", "a=@nowhere"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("nowhere"), "{}", missing.stderr);
    assert_eq!(jp.tip(&id), tip);
    // One of them is not enough.
    let half = jp.run(&["resume", &id, "--again", "a"]);
    assert_eq!((half.code, did(&jp).len()), (1, 0));
    assert!(half.stderr.starts_with("error: `read` (call `b`) may have run already"));
    assert_eq!(jp.tip(&id), tip);
    assert_eq!(answer(jp.run(&["resume", &id, "--again", "a", "--skip", "b"])), "Done.\n");
    assert_eq!(did(&jp).len(), 1);
}

#[test]
fn a_result_is_read_from_a_file_and_from_nothing_else() {
    let (jp, id) = unknown("");
    let tip = jp.tip(&id);
    assert!(jp.command("mkfifo").arg(jp.path("pipe")).status().unwrap().success());
    fs::create_dir(jp.path("directory")).unwrap();
    fs::File::create(jp.path("huge")).unwrap().set_len(1 << 40).unwrap();
    for name in ["pipe", "directory", "huge"] {
        let output = jp.run(&["resume", &id, "--done", &format!("a=@{name}")]);
        let said = format!("error: `{}` is not a file of at most ", jp.path(name).display());
        assert!(output.stderr.starts_with(&said), "{}", output.stderr);
        assert_eq!((output.code, jp.tip(&id)), (1, tip.clone()), "{name}");
    }
}

#[test]
fn nothing_can_be_decided_about_calls_of_an_answer_that_had_not_ended() {
    let part = call("a").replace("id: a\n", "id: a\nanswer: 0-0\n");
    let (jp, id) = standing("", &[&request("Go\n"), &part]);
    let tip = jp.tip(&id);
    for decision in [["--again", "a"], ["--done", "a=x"], ["--skip", "a"]] {
        jp.run(&[&["resume", &id], &decision[..]].concat()).fails(
            2,
            "error: the answer had not ended and is asked for anew: its calls do not count\n\
             Hint: leave out what becomes of calls\n",
        );
    }
    assert_eq!(jp.tip(&id), tip);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(did(&jp).len(), 0);
}

// The patterns of idempotency.

#[test]
fn tools_that_only_read_are_safe_by_themselves() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    configure(&jp, "\n[tools.fs_read_file]\npermission = \"allow\"\n");
    jp.write("a", "contents of a\n");
    let read = call("a").replace("tool: read", "tool: fs_read_file");
    let id = jp.start(&[&request("Go\n"), &read, &start("a")]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert!(results(&jp, &id)[0]["content"].as_str().unwrap().contains("contents of a"));
}

#[test]
fn a_tool_that_remembers_its_calls_by_their_ids_does_its_work_once() {
    let once = r#"
[tools.once]
command = ['''
call=$(cat)
id=$(printf '%s' "$call" | sed 's/.*"call_id":"\([^"]*\)".*/\1/')
if [ -e "done-$id" ]; then echo "it was done before"; exit; fi
echo did >> work
touch "done-$id"
echo "done now"
''']
shell = true
permission = "allow"
parameters = { type = "object" }
idempotent = true
"#;
    let (jp, _) = standing(once, &[&request("Go\n"), &call("z"), &result("z", "x\n")]);
    let made = call("a").replace("tool: read", "tool: once");
    let id = jp.start(&[&request("Go\n"), &made]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(results(&jp, &id)[0]["content"], "done now\n");
    // As if its process had died after the work and before the result.
    let id = jp.start(&[&request("Go\n"), &made, &start("a")]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(results(&jp, &id)[0]["content"], "it was done before\n");
    assert_eq!(fs::read_to_string(jp.path("work")).unwrap(), "did\n");
}

#[test]
fn a_tool_that_has_to_clean_up_first_is_told_that_it_may_have_begun() {
    let cleans = r#"
[tools.cleans]
command = ['''
case "$(cat)" in *'"is_resume":true'*) rm -f partial; echo cleaned >> work;; esac
[ -e partial ] && { echo "in the way" >&2; exit 1; }
echo whole
''']
shell = true
permission = "allow"
parameters = { type = "object" }
idempotent = true
"#;
    let (jp, _) = standing(cleans, &[&request("Go\n"), &call("z"), &result("z", "x\n")]);
    jp.write("partial", "half");
    let made = call("a").replace("tool: read", "tool: cleans");
    let id = jp.start(&[&request("Go\n"), &made, &start("a")]);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(results(&jp, &id)[0]["content"], "whole\n");
    assert_eq!(fs::read_to_string(jp.path("work")).unwrap(), "cleaned\n");
}
