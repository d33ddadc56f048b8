//! What a query reads, and what it prints where.

use std::{
    io::{Read, Write},
    process::Stdio,
};

use serde_json::Value;

use crate::{
    loopback::{Loopback, Step},
    query::{THREE_TOOLS, answer, ask, beginning, client, files, only, player},
    support::{Jp, Output},
};

const SCHEMA: &str = r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}"#;

/// What the model is told when these arguments and this input are given.
fn asked(jp: &Jp, args: &[&str], input: &[u8]) -> String {
    let args = [&["q", "--non-interactive", "--new", "--format", "json"][..], args].concat();
    let output = jp.run_with_input(&args, input);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let first: Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["type"], "request");
    first["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_request_is_words_files_and_standard_input() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    jp.write("a b.txt", "  file\n\n");
    assert_eq!(asked(&jp, &["two", "words"], b""), "two words");
    assert_eq!(asked(&jp, &["Explain"], b"fn main() {}\n"), "Explain\n\nfn main() {}\n");
    assert_eq!(asked(&jp, &["one", "-", "two"], b"in\n"), "one\n\nin\n\ntwo");
    assert_eq!(asked(&jp, &[], b" all of it \n"), " all of it \n");
    assert_eq!(asked(&jp, &["Look", "@a b.txt"], b""), "Look\n\n  file\n\n");
    assert_eq!(asked(&jp, &["@@alice", "a@b.c"], b""), "@alice a@b.c");
}

#[test]
fn nothing_to_ask_and_a_missing_file_leave_no_conversation() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    let usage = "error: there is nothing to ask\n\
                 Hint: give a text: `jp query \"How do I …?\"`, or pipe one in\n";
    for args in [&["--new"][..], &["--new", ""], &["--new", "-"]] {
        ask(&jp, args).fails(2, usage);
    }
    let missing = ask(&jp, &["--new", "@none.txt"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
    assert!(missing.stderr.contains("none.txt"), "{}", missing.stderr);
    assert!(missing.stderr.contains("Hint: a text that begins with `@`"), "{}", missing.stderr);
    ask(&jp, &["--new", "-E"]).fails(
        2,
        "error: a new conversation has no turn to go on with: there is nothing to ask\n\
         Hint: give a text, or leave out `--no-edit` to write it in an editor\n",
    );
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
}

#[test]
fn no_edit_opens_no_editor_whatever_else_is_said() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n\n[[answer]]\ntext = \"Again.\"\n");
    let jp = jp.with_var("JP_EDITOR", "false");
    assert_eq!(answer(ask(&jp, &["--new", "-E", "Hi"])), "Yes.\n");
    assert_eq!(answer(ask(&jp, &["-E", "Hi"])), "Again.\n");
    assert_eq!(answer(ask(&jp, &["--no-persist", "--new", "--no-edit", "Hi"])), "Yes.\n");
    ask(&jp, &["-E"]).fails(
        2,
        "error: the last turn is complete: there is nothing to ask\n\
         Hint: give a text, or leave out `--no-edit` to write it in an editor\n",
    );
}

#[test]
fn standard_output_is_the_answer_to_the_byte_and_quiet_is_quiet() {
    let text = "# A *title*\\n\\n```\\n\\tcode  \\n```\\u001b[31mred\\u0007\\n\\n- é";
    let verbatim = "# A *title*\n\n```\n\tcode  \n```\u{1b}[31mred\u{7}\n\n- é";
    let jp = player(&format!("[[answer]]\nchunk = 1\ntext = \"{text}\"\n"));
    let output = ask(&jp, &["--new", "Hi"]);
    let id = only(&jp);
    assert_eq!(output.stdout, format!("{verbatim}\n"));
    let next = format!("{id} · continue with `jp query --id={id} \"…\"`\n");
    assert_eq!(output.stderr, next);
    let quiet = player(THREE_TOOLS);
    let quiet = ask(&quiet, &["--new", "--quiet", "Hi"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    assert_eq!(quiet.stdout, "Let me look.\n\nTwo of them failed.\n");
}

#[test]
fn json_is_one_object_for_each_event_and_one_for_the_end() {
    let jp = player(THREE_TOOLS);
    let output = ask(&jp, &["--new", "--format", "json", "Hi"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let id = only(&jp);
    let lines: Vec<Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = serde_json::json!({
        "type": "end", "conversation": id, "model": "play/x", "ending": "complete", "error": null,
        "queued": 0,
    });
    assert_eq!(lines.last(), Some(&end));
    let shown = jp.show(&id);
    let stream = shown["stream"].as_array().unwrap();
    assert_eq!(lines.len(), stream.len() + 1);
    for (line, event) in lines.iter().zip(stream) {
        assert_eq!((&line["address"], &line["type"]), (&event["address"], &event["type"]));
    }
    let failed = ask(
        &jp,
        &["--new", "--format", "json", "-c", "assistant.model=play/x", "--schema", SCHEMA, "Hi"],
    );
    let end: Value = serde_json::from_str(failed.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((failed.code, &end["ending"]), (1, &"not-the-data".into()), "{}", failed.stderr);
}

#[test]
fn data_is_checked_against_its_schema() {
    let jp = player(
        "[[answer]]\nstep = [{ data = { a = 1 } }]\n\n[[answer]]\nstep = [{ data = { a = 2 } }]\n\n\
         [[answer]]\nstep = [{ data = { a = \"x\" } }]\n\n[[answer]]\nstep = [{ data = \"{bro\" }]\n",
    );
    let data = |args: &[&str]| -> Value { serde_json::from_str(&answer(ask(&jp, args))).unwrap() };
    assert_eq!(data(&["--new", "--schema", SCHEMA, "Hi"]), serde_json::json!({ "a": 1 }));
    jp.write("schema.json", SCHEMA);
    assert_eq!(data(&["--schema", "schema.json", "Hi"]), serde_json::json!({ "a": 2 }));
    let id = only(&jp);
    assert_eq!(files(&jp, &id)[1], "001-structured.md");
    for problem in ["`a`: expected integer, got \"x\"", "the answer is not JSON"] {
        let output = ask(&jp, &["--schema", SCHEMA, "Hi"]);
        let error = format!("error: the answer is not the data that was asked for: {problem}\n");
        assert_eq!(output.code, 1);
        assert!(output.stderr.contains(&error), "{}", output.stderr);
    }
    assert_eq!(jp.show(&id)["turns"], 4);
    for (schema, code) in [("{", 2), ("{\"type\":\"nothing\"}", 2), ("none.json", 1)] {
        let output = ask(&jp, &["--schema", schema, "Hi"]);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{}", output.stderr);
    }
    assert_eq!(jp.show(&id)["turns"], 4);
}

#[test]
fn data_is_printed_once_its_answer_has_ended() {
    let asking = |steps: &str| {
        let jp = player(&format!("[[answer]]\nstep = [{steps}]\n"));
        let output = ask(&jp, &["--new", "--schema", SCHEMA, "Hi"]);
        (jp, output)
    };
    let data = |output| serde_json::from_str::<Value>(&answer(output)).unwrap()["a"].clone();
    // It breaks off, and comes anew.
    let broken = "{ data = { a = 1 } }, { error = \"broken\", retry_after = 1 }";
    assert_eq!(data(asking(&format!("{broken}, {{ data = {{ a = 2 }} }}")).1), 2);
    // That it was the last block is known later.
    assert_eq!(data(asking("{ data = { a = 3 } }, { delay = 500 }").1), 3);
    // It breaks off, and somebody goes on later.
    let (jp, output) = asking("{ data = { a = 4 } }, { error = \"refused\" }");
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    let script = "[[answer]]\nstep = [{ data = { a = 5 } }]\n";
    std::fs::write(jp.world().join("home/script.toml"), script).unwrap();
    assert_eq!(data(jp.run(&["resume"])), 5);
}

#[test]
fn a_closed_output_stops_the_query_quietly_and_keeps_what_came() {
    let mut script = beginning("one\n");
    script.push(Step::Wait(std::time::Duration::from_millis(200)));
    for _ in 0..20 {
        script.push(beginning("two\n").pop().unwrap());
        script.push(Step::Wait(std::time::Duration::from_millis(20)));
    }
    script.push(Step::Hang);
    let server = Loopback::start([script]);
    let jp = client(&server);
    let mut command = jp.jp(&["q", "--non-interactive", "--new", "Count"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut line = [0; 4];
    stdout.read_exact(&mut line).unwrap();
    drop(stdout);
    let output = Output::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stderr.contains("error"), "{}", output.stderr);
    let id = only(&jp);
    let kept = jp.run(&["c", "cat", &id, "1"]).ok();
    assert!(kept.contains("finish: cancelled"), "{kept}");
    assert!(kept.contains("one\ntwo\n"), "{kept}");
    assert_eq!(jp.show(&id)["status"], "idle");
}

#[test]
fn a_large_request_is_taken_and_a_reader_that_is_gone_is_no_problem() {
    let jp = player("[[answer]]\ntext = \"Much.\"\n");
    let mut command = jp.jp(&["q", "--non-interactive", "--new", "--quiet"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let text = "x".repeat(1 << 20);
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert_eq!(answer(Output::from(child.wait_with_output().unwrap())), "Much.\n");
}
