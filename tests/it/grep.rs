//! `jp conversation grep`: what is searched, what is found, and how it is told.

use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    Jp, Output, TIME, answer, attachment, call, message, question, request, result, start,
};

/// A conversation with an event of nearly every type.
fn everything(jp: &Jp) -> String {
    jp.start(&[
        &attachment(),
        &request("Where are the carrots?\nIn the garden\n"),
        &format!("---\ntype: reasoning\ntimestamp: {TIME}\n---\nthinking of carrots\n"),
        &call("c1"),
        &question("q1", "c1"),
        &answer("q1"),
        &start("c1"),
        &result("c1", "carrots: three\n"),
        &message("There are three Carrots.\n"),
        &format!(
            "[assistant]\nsystem_prompt = \"carrots only\"\n\n[event]\ntype = \"config-delta\"\n\
             timestamp = \"{TIME}\"\n"
        ),
    ])
}

/// Files and lines of what is found.
fn places(jp: &Jp, args: &[&str]) -> Vec<String> {
    let found = jp.run(&[&["c", "grep", "--format", "json"], args].concat());
    assert_eq!(found.stderr, "");
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let place = |hit: &Value| format!("{}:{}", hit["file"].as_str().unwrap(), hit["line"]);
    found.as_array().unwrap().iter().map(place).collect()
}

#[test]
fn lines_are_printed_as_git_prints_them() {
    let jp = Jp::in_workspace();
    let id = everything(&jp);
    let found = jp.run(&["c", "grep", "carrots"]).ok();
    assert_eq!(
        found,
        format!(
            "{id}:001-request.md:5:Where are the carrots?\n\
             {id}:002-reasoning.md:5:thinking of carrots\n\
             {id}:007-tool-result-read.md:6:carrots: three\n\
             {id}:008-message.md:6:There are three Carrots.\n\
             {id}:009-config-delta.toml:2:system_prompt = \"carrots only\"\n"
        )
    );
    assert_eq!(jp.run(&["conversation", "grep", "carrots", &id]).ok(), found);
}

#[test]
fn nothing_found_is_exit_code_1_and_silence() {
    let jp = Jp::in_workspace();
    jp.run(&["c", "grep", "turnip"]).fails(1, "");
    let id = everything(&jp);
    jp.run(&["c", "grep", "turnip"]).fails(1, "");
    jp.run(&["c", "grep", "turnip", &id]).fails(1, "");
    let json = jp.run(&["c", "grep", "turnip", "--format", "json"]);
    assert_eq!((json.stdout.as_str(), json.stderr.as_str(), json.code), ("[]\n", "", 1));
}

#[test]
fn nothing_is_searched_where_there_is_no_store() {
    let jp = Jp::new();
    jp.run(&["c", "grep", "x"]).fails(1, "");
    assert_eq!(fs::read_dir(jp.path("")).unwrap().count(), 0);
}

#[test]
fn a_bad_pattern_is_told_with_its_place() {
    let jp = Jp::in_workspace();
    jp.run(&["c", "grep", "a(b"]).fails(
        2,
        "error: `a(b` is not a regular expression: unclosed group, at column 2\n\
         Hint: `--fixed-strings` takes the pattern as it stands\n",
    );
    let id = jp.start(&[&request("f(a(b\n")]);
    let found = jp.run(&["c", "grep", "-F", "a(b"]).ok();
    assert_eq!(found, format!("{id}:000-request.md:5:f(a(b\n"));
}

#[test]
fn case_counts_if_the_pattern_has_an_upper_case_letter_or_a_flag_says_so() {
    let jp = Jp::in_workspace();
    everything(&jp);
    let count = |args: &[&str]| places(&jp, args).len();
    assert_eq!([count(&["carrots"]), count(&["Carrots"]), count(&["CARROTS"])], [5, 1, 0]);
    assert_eq!([count(&["-s", "carrots"]), count(&["-i", "CARROTS"])], [4, 5]);
    assert_eq!(jp.run(&["c", "grep", "-i", "-s", "x"]).code, 2);
}

#[test]
fn a_role_is_that_of_the_event() {
    let jp = Jp::in_workspace();
    everything(&jp);
    for (role, files) in [
        ("user", &["001-request.md:5", "001-request.md:6", "005-inquiry-response.md:8"][..]),
        ("assistant", &["002-reasoning.md:5", "008-message.md:6"]),
        ("attachment", &["000-attachment.md:3", "000-attachment.md:6"]),
        ("system", &["009-config-delta.toml:1", "009-config-delta.toml:2"]),
    ] {
        let mut found = places(&jp, &[".", "--role", role]);
        // An empty line has nothing to match.
        found.dedup();
        assert_eq!(found, files, "{role}");
    }
    let tools = places(&jp, &["", "--role", "tool"]);
    let files: BTreeSet<_> = tools.iter().map(|place| place.split(':').next().unwrap()).collect();
    assert_eq!(
        files.into_iter().collect::<Vec<_>>(),
        [
            "003-tool-call-read.md",
            "004-inquiry-request.md",
            "006-tool-start.toml",
            "007-tool-result-read.md"
        ]
    );
    assert_eq!(
        places(&jp, &["carrots", "--role", "user", "--role", "assistant"]),
        ["001-request.md:5", "002-reasoning.md:5", "008-message.md:6"]
    );
    assert_eq!(jp.run(&["c", "grep", "x", "--role", "gardener"]).code, 2);
}

#[test]
fn a_tool_has_its_calls_and_what_belongs_to_them() {
    let jp = Jp::in_workspace();
    everything(&jp);
    let other = call("c9").replace("tool: read", "tool: write");
    jp.start(&[&request("carrots\n"), &other, &start("c9"), &result("c9", "carrots, too\n")]);
    // The results do not name their tool: their calls do.
    assert_eq!(places(&jp, &["carrots", "--tool", "read"]), ["007-tool-result-read.md:6"]);
    assert_eq!(places(&jp, &["carrots", "--tool", "write"]), ["003-tool-result-write.md:6"]);
    assert_eq!(places(&jp, &["carrots", "--tool", "write", "--tool", "read"]).len(), 2);
    assert_eq!(places(&jp, &["carrots", "--tool", "rea"]), [""; 0]);
    // The name of the tool is searched, and so are the arguments; no other frontmatter is.
    assert_eq!(places(&jp, &["^tool: write$"]), ["001-tool-call-write.md:4"]);
    assert_eq!(places(&jp, &["\"path\":"]).len(), 2);
    assert_eq!(places(&jp, &["timestamp"]), [""; 0]);
    assert_eq!(places(&jp, &["acme/large"]), [""; 0]);
}

#[test]
fn times_are_those_of_the_events() {
    let jp = Jp::in_workspace();
    let at = |time: &str| format!("---\ntype: request\ntimestamp: {time}\n---\nradish {time}\n");
    jp.start(&[&at("2026-01-01T10:00:00Z"), &message("x\n"), &at("2026-01-03T10:00:00Z")]);
    let found = |args: &[&str]| places(&jp, &[&["radish"], args].concat());
    assert_eq!(found(&["--since", "2026-01-02"]), ["002-request.md:5"]);
    assert_eq!(found(&["--until", "2026-01-02"]), ["000-request.md:5"]);
    assert_eq!(found(&["--since", "2026-01-01 10:00", "--until", "2026-01-03 10:00"]).len(), 2);
    assert_eq!(found(&["--since", "2026-01-01 10:01", "--until", "2026-01-03 09:59"]), [""; 0]);
    jp.run(&["c", "grep", "x", "--since", "soon"]).fails(
        2,
        "error: `soon` is not a time: expected `2h ago`, `14:03`, `2026-11-01` or \
         `2026-11-01 14:03`\n",
    );
}

#[test]
fn some_conversations_are_named_and_the_last_changed_comes_first() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("radish one\n")]);
    let two = jp.start(&[&request("radish two\n")]);
    let ids = |args: &[&str]| jp.run(&[&["c", "grep", "-l", "radish"], args].concat()).ok();
    jp.force(&two, &jp.tip(&two));
    assert_eq!(ids(&[&two]), format!("{two}\n"));
    assert_eq!(ids(&[&one, &two, &one]), format!("{one}\n{two}\n"));
    assert_eq!(ids(&[&one["jp-c".len()..]]), format!("{one}\n"));
    let all = ids(&[]);
    assert_eq!(all.lines().collect::<BTreeSet<_>>(), BTreeSet::from([&*one, &*two]));
    let unknown = jp.run(&["c", "grep", "radish", "jp-c9"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.starts_with("error: "), "{}", unknown.stderr);
}

#[test]
fn archived_conversations_are_searched_when_asked_for_or_named() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n")]);
    jp.run(&["c", "archive", &id]);
    jp.run(&["c", "grep", "radish"]).fails(1, "");
    let line = format!("{id}:000-request.md:5:radish\n");
    assert_eq!(jp.run(&["c", "grep", "radish", "--archived"]).ok(), line);
    assert_eq!(jp.run(&["c", "grep", "radish", &id]).ok(), line);
    jp.run(&["c", "rm", &id]);
    jp.run(&["c", "grep", "radish", "--archived"]).fails(1, "");
}

#[test]
fn ids_and_counts_are_printed_alone() {
    let jp = Jp::in_workspace();
    let id = everything(&jp);
    assert_eq!(jp.run(&["c", "grep", "carrots", "--ids"]).ok(), format!("{id}\n"));
    assert_eq!(jp.run(&["c", "grep", "carrots", "--count"]).ok(), format!("{id}:5\n"));
    assert_eq!(jp.run(&["c", "grep", "-l", "-c", "x"]).code, 2);
    assert_eq!(jp.run(&["c", "grep", "carrots", "-l", "--format", "json"]).json(), json!([id]));
    let counted = jp.run(&["c", "grep", "carrots", "-c", "--format", "json"]).json();
    let title = "Where are the carrots?";
    let expected = json!([{ "id": id, "title": title, "space": "active", "count": 5 }]);
    assert_eq!(counted, expected);
}

#[test]
fn json_tells_all_about_a_line() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Sow\n"), &message("über radish and radish\n")]);
    let found = jp.run(&["c", "grep", "radish", "--format", "json"]).json();
    assert_eq!(
        found,
        json!([{
            "id": id,
            "title": "Sow",
            "space": "active",
            "commit": jp.tip(&id),
            "past": false,
            "address": 1,
            "file": "001-message.md",
            "type": "message",
            "role": "assistant",
            "timestamp": TIME,
            "line": 6,
            "text": "über radish and radish",
            "matches": [{ "start": 6, "end": 12 }, { "start": 17, "end": 23 }],
        }])
    );
}

#[test]
fn a_conversation_is_searched_as_it_was() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n"), &message("carrot\n")]);
    jp.append(&id, &[&request("turnip\n")]).ok();
    jp.run(&["c", "grep", "turnip", &id, "--at", "~1"]).fails(1, "");
    let line = format!("{id}:000-request.md:5:radish\n");
    assert_eq!(jp.run(&["c", "grep", "radish", &id, "--at", "~1"]).ok(), line);
    jp.run(&["c", "grep", "radish", "--at", "~1"]).fails(
        2,
        "error: `--at` is about one conversation: say which one\n\
         Hint: `jp conversation ls` lists them\n",
    );
}

#[test]
fn what_was_edited_away_is_found_with_history_only() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n"), &message("carrot\n")]);
    let had_both = jp.tip(&id);
    jp.edit(&id, "000-request.md", request("turnip\n"));
    let had_carrot = jp.tip(&id);
    assert_eq!(jp.run(&["c", "drop", &id, "1"]).code, 0);
    jp.run(&["c", "grep", "radish|carrot"]).fails(1, "");
    let (both, carrot) = (&had_both[..10], &had_carrot[..10]);
    assert_eq!(
        jp.run(&["c", "grep", "radish|carrot|turnip", "--history"]).ok(),
        format!(
            "{id}:000-request.md:5:turnip\n\
             {id}@{carrot}:001-message.md:6:carrot\n\
             {id}@{both}:000-request.md:5:radish\n"
        )
    );
    let found = jp.run(&["c", "grep", "radish", &id, "--history", "--format", "json"]).json();
    assert_eq!((&found[0]["past"], &found[0]["commit"]), (&json!(true), &json!(had_both)));
    let version = format!("{id}@{both}");
    assert_eq!(jp.run(&["c", "diff", &version]).code, 0);
}

#[test]
fn a_file_that_is_no_longer_listed_is_history() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n"), &message("carrot\n")]);
    let had_it = jp.tip(&id);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    jp.edit(&id, "CONVERSATION", manifest.replace("001-message.md\n", ""));
    jp.run(&["c", "grep", "carrot", &id]).fails(1, "");
    let found = jp.run(&["c", "grep", "carrot", &id, "--history"]).ok();
    assert_eq!(found, format!("{id}@{}:001-message.md:6:carrot\n", &had_it[..10]));
}

#[test]
fn forks_share_what_they_have_and_each_is_told() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n"), &message("carrot\n")]);
    let fork = jp.run(&["c", "fork", &id, "--format", "json"]);
    let fork: Value = serde_json::from_str(&fork.stdout).unwrap();
    let fork = fork["id"].as_str().unwrap();
    jp.append(&id, &[&request("carrot again\n")]).ok();
    let counts = jp.run(&["c", "grep", "carrot", "-c", fork, &id]).ok();
    assert_eq!(counts, format!("{fork}:1\n{id}:2\n"));
}

#[test]
fn nothing_that_was_said_steers_the_terminal() {
    let jp = Jp::in_workspace();
    let hostile = "radish \u{1b}]2;owned\u{7}\u{9b}31m\u{202e}\tx";
    let id = jp.start(&[&request(&format!("{hostile}\n"))]);
    jp.run(&["c", "title", &id, "radish \u{1b}[2J"]);
    for args in [&[][..], &["--color", "always"], &["--format", "json"], &["-c"], &["-l"]] {
        let said = jp.run(&[&["c", "grep", "radish", "--no-pager"], args].concat()).ok();
        let own = said.replace("\u{1b}[1m", "").replace("\u{1b}[2m", "");
        let own = own.replace("\u{1b}[1;31m", "").replace("\u{1b}[0m", "");
        assert!(!own.contains(|c: char| c.is_control() && c != '\n'), "{args:?}: {own:?}");
        assert!(!own.contains('\u{202e}'), "{args:?}");
    }
    let found = jp.run(&["c", "grep", "radish", "--format", "json"]).json();
    assert_eq!(found[0]["text"], hostile);
}

#[test]
fn a_screen_shows_groups_with_titles_and_colours() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("a radish\n")]);
    assert_eq!(
        jp.run(&["c", "grep", "radish", "--color", "always"]).ok(),
        format!(
            "\u{1b}[1m{id}\u{1b}[0m  a radish\n\
             \u{1b}[2m000-request.md:5:\u{1b}[0m a \u{1b}[1;31mradish\u{1b}[0m\n"
        )
    );
}

/// Makes every object a file, so that one can be taken away.
fn unpack(jp: &Jp) {
    let store = jp.store();
    let packs = jp.world().join("packs");
    fs::rename(store.join("objects/pack"), &packs).unwrap();
    fs::create_dir(store.join("objects/pack")).unwrap();
    for entry in fs::read_dir(&packs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pack") {
            jp.git_with_input(&["unpack-objects", "-q"], fs::read(path).unwrap());
        }
    }
}

fn take_away(jp: &Jp, object: &str) {
    let path = format!("objects/{}/{}", &object[..2], &object[2..]);
    fs::remove_file(jp.store().join(path)).unwrap();
}

#[test]
fn a_history_that_breaks_off_is_searched_as_far_as_it_goes() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish one\n")]);
    let first = jp.tip(&id);
    jp.edit(&id, "000-request.md", request("radish two\n"));
    let second = jp.tip(&id);
    jp.edit(&id, "000-request.md", request("radish three\n"));
    unpack(&jp);
    take_away(&jp, &first);
    let found = jp.run(&["c", "grep", "radish", "--history"]);
    assert_eq!(
        found.stdout,
        format!(
            "{id}:000-request.md:5:radish three\n\
             {id}@{}:000-request.md:5:radish two\n",
            &second[..10]
        )
    );
    assert_eq!(
        found.stderr,
        format!(
            "warning: {id}: not all of its history can be searched: object {first} is missing\n"
        )
    );
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_searched() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish one\n"), &message("radish two\n")]);
    let other = jp.start(&[&request("radish three\n")]);
    unpack(&jp);
    let blob = jp.git(&["rev-parse", &format!("{id}:000-request.md")]);
    let blob = blob.trim_end();
    take_away(&jp, blob);
    let found = jp.run(&["c", "grep", "radish", &id, &other]);
    assert_eq!(
        found.stdout,
        format!("{id}:001-message.md:6:radish two\n{other}:000-request.md:5:radish three\n")
    );
    assert_eq!(
        (found.stderr.as_str(), found.code),
        (
            &*format!(
                "warning: {id}: 000-request.md cannot be searched: object {blob} is missing\n\
                 Hint: `jp conversation fsck {id}` tells more\n"
            ),
            0
        )
    );
    let tree = jp.tree(&id);
    take_away(&jp, &tree);
    let found = jp.run(&["c", "grep", "radish"]);
    assert_eq!(found.stdout, format!("{other}:000-request.md:5:radish three\n"));
    assert_eq!(
        found.stderr,
        format!("warning: conversation {id} cannot be searched: object {tree} is missing\n")
    );
}

#[test]
fn an_event_that_is_no_event_is_searched_as_text() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n"), &message("carrot\n")]);
    jp.edit(&id, "001-message.md", "---\ntype: nonsense\n---\na radish\n");
    let found = jp.run(&["c", "grep", "radish"]);
    assert_eq!(
        found.stdout,
        format!("{id}:000-request.md:5:radish\n{id}:001-message.md:4:a radish\n")
    );
    // Nobody knows who said it.
    assert_eq!(places(&jp, &["radish", "--role", "assistant"]), [""; 0]);
}

#[test]
fn a_conversation_of_a_newer_format_is_told_and_left_alone() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n")]);
    let meta = jp.git(&["show", &format!("{id}:.conversation/meta.toml")]);
    jp.edit(&id, ".conversation/meta.toml", meta.replacen("1.0", "9.0", 1));
    let found = jp.run(&["c", "grep", "radish"]);
    assert_eq!((found.stdout.as_str(), found.code), ("", 1));
    let warning =
        format!("warning: conversation {id} cannot be searched: it is written in format 9.0");
    assert!(found.stderr.starts_with(&warning), "{}", found.stderr);
}

#[test]
fn a_locked_conversation_is_searched_at_once() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("radish\n")]);
    let path = jp.store().join(format!("locks/{id}.lock"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // Another process holds the lock until its input ends.
    let mut flock = jp.command("flock");
    flock.arg(&path).args(["sh", "-c", "echo held; cat"]);
    let mut holder = flock.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut held = [0; 5];
    holder.stdout.as_mut().unwrap().read_exact(&mut held).unwrap();
    let begin = Instant::now();
    let found = jp.run(&["c", "grep", "radish"]).ok();
    assert!(begin.elapsed() < Duration::from_secs(20), "it waited for the lock");
    assert_eq!(found, format!("{id}:000-request.md:5:radish\n"));
    drop(holder.stdin.take());
    holder.wait().unwrap();
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let jp = Jp::in_workspace();
    let body: String = (0..100_000).map(|n| format!("radish {n}\n")).collect();
    jp.start(&[&request(&body)]);
    let mut grep = jp.jp(&["c", "grep", "radish"]);
    let mut grep = grep.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut begin = [0; 4];
    grep.stdout.take().unwrap().read_exact(&mut begin).unwrap();
    let output = Output::from(grep.wait_with_output().unwrap());
    assert_eq!((output.stderr.as_str(), output.code), ("", 0));
}

#[test]
fn git_finds_the_same_lines() {
    let jp = Jp::in_workspace();
    let words = ["radish", "Carrot", "turnip", "leek"];
    let mut ids = Vec::new();
    for conversation in 0..4 {
        let body = |event: usize| -> String {
            let line = |line: usize| {
                let word = words[(conversation * 7 + event * 3 + line * line) % words.len()];
                format!("{line} sow-{word} and weed\n")
            };
            (0..event % 5 + 1).map(line).collect()
        };
        let mut events = Vec::new();
        // Long enough for sealed runs.
        for event in 0..130 {
            let body = body(event);
            events.push(if event % 2 == 0 { request(&body) } else { message(&body) });
        }
        let events: Vec<_> = events.iter().map(String::as_str).collect();
        ids.push(jp.start(&events));
    }
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    for (own, theirs) in [
        ("sow-(radish|leek)", &["-i", "-E", "sow-(radish|leek)"][..]),
        ("sow-Carrot", &["-F", "sow-Carrot"]),
        ("^[24] sow-.*weed$", &["-i", "-E", "^[24] sow-.*weed$"]),
    ] {
        let args = [&["grep", "-n", "-I"], theirs, &ids[..]].concat();
        let by_git: BTreeSet<_> = jp
            .git(&args)
            .lines()
            .map(|line| {
                let mut parts = line.splitn(4, ':');
                let id = parts.next().unwrap().to_owned();
                let file = parts.next().unwrap().rsplit('/').next().unwrap().to_owned();
                (id, file, parts.collect::<Vec<_>>().join(":"))
            })
            // The plan and the title repeat the beginning of a request.
            .filter(|(_, file, _)| file.ends_with(".md"))
            .collect();
        assert!(by_git.len() > 100);
        let by_jp = jp.run(&["c", "grep", own]).ok();
        let by_jp: BTreeSet<_> = by_jp
            .lines()
            .map(|line| {
                let mut parts = line.splitn(3, ':').map(str::to_owned);
                (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
            })
            .collect();
        assert_eq!(by_jp, by_git, "{own}");
    }
}
