//! Appending: what is taken, byte for byte, what is refused, and what git sees of it.

use std::fs;

use crate::support::{Jp, TIME, answer, call, contents, message, question, request, result, start};

#[test]
fn files_are_appended_in_order_and_each_is_one_commit() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("What is in a?\n"), &call("c1")]);
    let events = [question("q1", "c1"), answer("q1"), start("c1"), result("c1", "text")];
    let said = jp.append(&id, &events.each_ref().map(String::as_str)).ok();
    let expected = format!(
        "{id} 002 002-inquiry-request.md\n{id} 003 003-inquiry-response.md\n\
         {id} 004 004-tool-start.toml\n{id} 005 005-tool-result-read.md\n"
    );
    assert_eq!(said, expected);
    assert_eq!(jp.git(&["rev-list", "--count", &id]), "7\n");
    let subjects = jp.git(&["log", "--format=%s", "-3", &id]);
    let newest = "append 005-tool-result-read.md\nappend 004-tool-start.toml\n\
                  append 003-inquiry-response.md\n";
    assert_eq!(subjects, newest);
    jp.assert_sound();
}

#[test]
fn standard_input_can_be_one_of_the_events() {
    let jp = Jp::in_workspace();
    jp.write("a.md", request("Question\n"));
    let args = ["c", "append", "--new", "a.md", "-", "--format", "json"];
    let report = jp.run_with_input(&args, message("from stdin")).json();
    let id = report["id"].as_str().unwrap();
    let commit =
        |offset: &str| jp.git(&["rev-parse", &format!("{id}{offset}")]).trim_end().to_owned();
    let expected = serde_json::json!({"id": id, "commit": jp.tip(id), "events": [
        {"address": 0, "file": "000-request.md", "commit": commit("~1")},
        {"address": 1, "file": "001-message.md", "commit": commit("")},
    ]});
    assert_eq!(report, expected);
    assert_eq!(jp.run(&["c", "cat", id, "1"]).ok(), message("from stdin"));
    let toml = start("c9");
    jp.append(id, &[&call("c9")]).ok();
    jp.run_with_input(&["c", "append", id, "-"], &toml).ok();
    assert_eq!(jp.run(&["c", "cat", id, "003"]).ok(), toml);
}

#[test]
fn commits_say_who_wrote_and_when() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Hm\n"), &call("c1"), &result("c1", "")]);
    let log = jp.git(&["log", "--reverse", "--format=%an <%ae> %aI by %cn", &id]);
    let lines: Vec<_> = log.lines().skip(1).collect();
    let expected = [
        format!("Ann <ann@example.com> {TIME} by Ann"),
        format!("acme/large <model@jp.invalid> {TIME} by Ann"),
        format!("model <model@jp.invalid> {TIME} by Ann"),
        format!("tool <tool@jp.invalid> {TIME} by Ann"),
    ];
    assert_eq!(lines, expected);
    let key = |key: &str| {
        let format = format!("--format=%(trailers:key={key},valueonly,separator=%x2C)");
        jp.git(&["log", "--reverse", &format, &id])
    };
    assert_eq!(key("Jp-Origin"), "user\nuser\nmodel\nmodel\ntool\n");
    // The turn is the last one unless a trailer says otherwise.
    assert_eq!(key("Jp-Turn"), "none\n\n\n\n\n");
    assert_eq!(key("Jp-Turns"), "0\n1\n1\n1\n1\n");
    assert_eq!(key("Jp-Events"), "0\n1\n2\n3\n4\n");
    let operations = key("Jp-Operation");
    assert!(operations.lines().all(|line| Some(line) == operations.lines().next()), "{operations}");
    let trees = jp.git(&["log", "--reverse", "--abbrev=10", "--format=%T", &id]);
    let trees: String = trees.lines().map(|tree| format!("{}\n", &tree[..10])).collect();
    assert_eq!(key("Jp-Tree"), trees);
}

#[test]
fn bodies_come_back_byte_for_byte() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let bodies = [
        "",
        "\n",
        "no newline",
        "crlf\r\nand cr\r",
        "\u{feff}bom",
        "nul \0 and \u{1b}[2J and \u{7f}",
        "a\u{2028}b\u{2029}c\u{85}d",
        "---\n---\ntype: request\n---\n",
        "````\n```json\n{}\n```\n````\n",
        " leading and trailing \n\n\n",
    ];
    for (index, body) in bodies.iter().enumerate() {
        let event = message(body);
        jp.append(&id, &[&event]).ok();
        let cat = jp.run(&["c", "cat", &id, &format!("{}", index + 1)]);
        assert_eq!((cat.bytes, cat.code), (event.into_bytes(), 0), "{body:?}");
    }
    let binary = [message("").as_bytes(), b"\xff\xfe\x00 not utf-8 \xc3"].concat();
    jp.write("binary.md", &binary);
    jp.run(&["c", "append", &id, "binary.md"]).ok();
    let last = (bodies.len() + 1).to_string();
    assert_eq!(jp.run(&["c", "cat", &id, &last]).bytes, binary);
    let with_bom = format!("\u{feff}{}", message("bom first").replace('\n', "\r\n"));
    jp.append(&id, &[&format!("---{}", &message("x")[3..])]).ok();
    jp.write("bom.md", &with_bom);
    jp.run(&["c", "append", &id, "bom.md"]).ok();
    let last = (bodies.len() + 3).to_string();
    assert_eq!(jp.run(&["c", "cat", &id, &last]).bytes, with_bom.as_bytes());
    jp.assert_sound();
}

#[test]
fn an_event_without_a_time_is_given_one_and_keeps_the_rest() {
    let jp = Jp::in_workspace();
    let text = "---\n# mine\ntype: request\nother: [1, {a: b}]\n---\nbody";
    let id = jp.start(&[text]);
    let cat = jp.run(&["c", "cat", &id, "0"]).ok();
    let (before, after) = cat.split_once("timestamp: ").unwrap();
    assert_eq!(before, "---\n# mine\ntype: request\nother: [1, {a: b}]\n");
    assert_eq!(after.split_once('\n').unwrap().1, "---\nbody");
}

#[test]
fn long_conversations_are_sealed_into_runs() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let text = message("again\n");
    for count in [60, 60] {
        jp.append(&id, &vec![text.as_str(); count]).ok();
    }
    let tops = |id: &str| jp.git(&["ls-tree", "--name-only", id]);
    let top = tops(&id);
    assert_eq!(top.lines().filter(|name| name.ends_with(".md")).count(), 21);
    assert!(top.starts_with(".conversation\n000\n100-message.md\n"), "{top}");
    let run = tops(&format!("{id}:000"));
    assert_eq!(run.lines().count(), 101);
    assert!(run.starts_with("000-request.md\n001-message.md\n"), "{run}");
    assert_eq!(tops(&format!("{id}~1")).lines().filter(|name| name.ends_with(".md")).count(), 120);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert!(manifest.contains("\n\n000/\n100-message.md\n101-message.md\n"), "{manifest}");
    let run_manifest = jp.git(&["show", &format!("{id}:000/CONVERSATION")]);
    assert!(run_manifest.starts_with("# Turn 0\n000-request.md\n"), "{run_manifest}");
    assert_eq!(jp.run(&["c", "cat", &id, "000"]).ok(), request("Question\n"));
    assert_eq!(jp.show(&id)["stream"].as_array().unwrap().len(), 121);
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    assert_eq!(jp.append(&id, &[&request("Next\n")]).ok(), format!("{id} 121 121-request.md\n"));
    jp.assert_sound();
}

#[test]
fn an_event_that_cannot_stand_at_the_end_is_refused_before_anything_is_written() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let before = contents(&jp.store());
    let refused = |events: &[&str], file: &str, why: &str| {
        let message = format!("error: {file}: {why}\nHint: nothing was appended\n");
        jp.append(&id, events).fails(1, &message);
        assert_eq!(contents(&jp.store()), before, "{why}");
    };
    let first = "events/0.md";
    refused(&[&request("Again\n")], first, "a request follows straight after a request");
    let why = "the result of call `c1` has no call without a result before it";
    refused(&[&result("c1", "")], first, why);
    let why = "the start of call `c1` has no call without a result before it";
    refused(&[&start("c1")], "events/0.toml", why);
    let why = "the answer to question `q1` has no open question before it";
    refused(&[&answer("q1")], first, why);
    let why = "question `q1` is about call `c1`, which is not waiting for a result";
    refused(&[&question("q1", "c1")], first, why);
    let why = "call `c1` is still waiting for its result; a second call needs an id of its own";
    refused(&[&call("c1"), &call("c1")], "events/1.md", why);
    let why = "a request would leave calls `c1`, `c2` without a result";
    refused(&[&call("c1"), &call("c2"), &request("x")], "events/2.md", why);
    let why = "the result of call `c1` has no call without a result before it";
    refused(&[&call("c1"), &result("c1", ""), &result("c1", "")], "events/2.md", why);

    let jp = Jp::new();
    jp.write("a.md", result("c1", ""));
    let refused = jp.run(&["c", "append", "--new", "a.md"]);
    let message = "error: a.md: the result of call `c1` has no call without a result before it\n\
                   Hint: nothing was appended\n";
    refused.fails(1, message);
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
}

#[test]
fn everything_that_is_wrong_with_event_files_is_listed_with_its_place() {
    let jp = Jp::in_workspace();
    jp.write("one.md", "---\ntype: request\ntimestamp: soon\ninterrupts: maybe\n---\nbody");
    jp.write("two.md", "---\ntype: letter\n---\nbody");
    jp.write("three.toml", "[event]\ntype = \"tool-start\"\n");
    jp.write("four.md", "no frontmatter");
    fs::create_dir(jp.path("five.md")).unwrap();
    let files = ["one.md", "two.md", "three.toml", "four.md", "five.md", "six.md"];
    let args = [&["c", "append", "--new"][..], &files].concat();
    let output = jp.run(&args);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    let places: Vec<_> = output
        .stderr
        .lines()
        .map(|line| line.strip_prefix("error: ").unwrap())
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    assert_eq!(places[..3], ["one.md:3:1", "one.md:4:1", "two.md:2:1"], "{}", output.stderr);
    assert!(places.iter().any(|place| place.starts_with("three.toml")), "{}", output.stderr);
    assert!(places.iter().any(|place| place.starts_with("four.md")), "{}", output.stderr);
    let tail = "error: cannot read `five.md`: Is a directory\n\
                error: cannot read `six.md`: No such file or directory\n";
    assert!(output.stderr.ends_with(tail), "{}", output.stderr);
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
}

#[test]
fn wrong_usage_ends_with_2() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let message = format!(
        "error: no event file given beside the conversation `{id}`\n\
         Hint: `jp conversation append ID FILE…`, or `--new FILE…` for a new conversation\n"
    );
    jp.run(&["c", "append", &id]).fails(2, &message);
    let twice = "error: `-` can be given once: standard input is one event\n";
    jp.run(&["c", "append", &id, "-", "-"]).fails(2, twice);
    let address =
        "error: `x` is not an address: expected a number such as `007`, or the name of its file\n";
    jp.run(&["c", "cat", &id, "x"]).fails(2, address);
    for args in [&["c", "append"][..], &["c", "nope"], &["c", "ls", "--format", "xml"], &[]] {
        let output = jp.run(args);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
        assert!(output.stderr.contains("--help"), "{args:?}: {}", output.stderr);
    }
    let help = jp.run(&["conversation", "append", "--help"]).ok();
    assert!(
        help.starts_with(
            "Append event files or messages to a conversation, each event as one commit\n"
        ),
        "{help}"
    );
    assert!(jp.run(&["--version"]).ok().starts_with("jp 0."));
}

#[test]
fn an_id_can_be_cut_short_and_an_unknown_one_is_answered_with_candidates() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("One\n")]);
    let two = loop {
        // Two ids of the same second or so begin alike.
        let two = jp.start(&[&request("Two\n")]);
        if two[..10] == one[..10] {
            break two;
        }
    };
    let shared = &one[..10];
    let ambiguous = jp.run(&["c", "show", shared]);
    assert_eq!(ambiguous.code, 1);
    assert!(ambiguous.stderr.starts_with(&format!("error: `{shared}` begins ")), "{ambiguous:?}");
    assert!(ambiguous.stderr.contains(&two) && ambiguous.stderr.contains(&one), "{ambiguous:?}");
    let other = jp.at("../other");
    other.run(&["init"]).ok();
    let id = other.start(&[&request("Hello\n")]);
    for prefix in [&id[..6], &id[4..8], "j", id.as_str()] {
        assert_eq!(other.show(prefix)["id"], id.as_str(), "{prefix}");
    }
    assert_eq!(other.append("jp-c1", &[&message("x")]).ok(), format!("{id} 001 001-message.md\n"));
    let unknown = format!(
        "error: there is no conversation `jp-c9\\u{{1b}}`\n\
         Hint: perhaps {id}; `jp conversation ls` lists all\n"
    );
    other.run(&["c", "show", "jp-c9\u{1b}"]).fails(1, &unknown);
    let message = format!(
        "error: conversation {id} has no event 099\n\
         Hint: `jp conversation show {id}` lists its events\n"
    );
    other.run(&["c", "cat", &id, "99"]).fails(1, &message);
}

#[test]
fn a_newer_minor_format_is_read_and_not_written_and_a_newer_major_is_refused() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let meta = ".conversation/meta.toml";
    jp.edit(&id, meta, "format = \"1.1\"\ntitle = \"From the future\"\nnew = 1\n");
    let tip = jp.tip(&id);
    let shown = jp.show(&id);
    assert_eq!((&shown["title"], &shown["format"]), (&"From the future".into(), &"1.1".into()));
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("Question\n"));
    let read_only = format!(
        "error: conversation {id} is written in format 1.1: this jp can read it, not write it\n"
    );
    jp.append(&id, &[&message("x")]).fails(1, &read_only);
    jp.run(&["c", "fsck", "--repair", &id]).fails(1, &read_only);
    assert_eq!(jp.tip(&id), tip);

    jp.edit(&id, meta, "format = \"2.0\"\ntitle = 7\n");
    let tip = jp.tip(&id);
    let refused = format!(
        "error: conversation {id} cannot be read: it is written in format 2.0, which needs a \
         newer jp (this one reads up to 1.0)\n"
    );
    jp.run(&["c", "show", &id]).fails(1, &refused);
    jp.append(&id, &[&message("x")]).fails(1, &refused);
    jp.run(&["c", "fsck", "--repair", &id]).fails(1, &refused);
    assert_eq!(jp.tip(&id), tip);
    let row = &jp.run(&["c", "ls", "--format", "json"]).json()[0];
    assert_eq!(row["status"], "damaged");
}

#[test]
fn a_title_can_be_given_and_is_else_the_first_line_of_the_request() {
    let jp = Jp::in_workspace();
    jp.write("a.md", request("# First  line\nsecond\n"));
    jp.run(&["c", "append", "--new", "a.md", "--title", "Mine\u{1b}[2J"]).ok();
    let ls = jp.run(&["c", "ls"]).ok();
    assert!(ls.contains("Mine\\u{1b}[2J") && !ls.contains('\u{1b}'), "{ls:?}");
    let id = jp.start(&[&request("What now?\nsecond\n")]);
    assert_eq!(jp.show(&id)["title"], "What now?");
}

#[test]
fn a_result_counts_although_the_model_went_on_talking_before_it_came() {
    let jp = Jp::in_workspace();
    let events = [
        request("Read it\n"),
        call("c1"),
        message("While that runs: hello\n"),
        result("c1", "found\n"),
        message("Done\n"),
        request("Next\n"),
        message("Yes\n"),
    ];
    let id = jp.start(&events.each_ref().map(String::as_str));
    assert_eq!(jp.show(&id)["fixes"], serde_json::json!([]));
}

#[test]
fn a_commit_stays_readable_however_long_the_names_in_it_are() {
    let jp = Jp::in_workspace();
    let long = "x".repeat(900_000);
    let calls = [call(&format!("a{long}")), call(&format!("b{long}"))];
    let id = jp.start(&[&request("Read it\n"), &calls[0], &calls[1]]);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    jp.append(&id, &[&result(&format!("a{long}"), "found\n")]).ok();
    let title = "t".repeat(2000);
    assert_eq!(jp.run(&["c", "title", &id, &title]).code, 0);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    jp.assert_sound();
}
