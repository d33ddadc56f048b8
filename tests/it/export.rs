//! Conversations written out: as a directory, as a document, as data, as messages.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, path::PathBuf};

use serde_json::json;

use crate::support::{
    Jp, Output, TIME, answer, call, contents, message, question, request, result, start,
};

/// A conversation with everything that an export has to carry: two sealed runs, files that are
/// listed nowhere, a queue, line ends of other systems, and bytes that are not text.
fn of_everything(jp: &Jp) -> String {
    let mut events = vec![request("Question\r\nof two lines\r\n")];
    events.extend((0..229).map(|number| message(&format!("Part {number}\n"))));
    let id = jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let bytes = [message("").as_bytes(), b"\xff\xfe\x00 not text"].concat();
    jp.edit(&id, "229-message.md", bytes);
    jp.edit(&id, "900-left-out.md", b"no header, \xff\r\n");
    jp.edit(&id, "000/901-left-out.toml", "no = TOML\n");
    jp.edit(&id, ".conversation/queue/000-request.md", request("And then?\n"));
    jp.edit(&id, ".conversation/config.toml", "# \u{fc}\r\na = 1\r\n");
    id
}

/// The files below a directory by their path in it; directories are left out.
fn files(directory: PathBuf) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = contents(&directory).into_iter().filter(|(path, _)| path.is_file());
    all.map(|(path, bytes)| (path.strip_prefix(&directory).unwrap().to_owned(), bytes)).collect()
}

/// The tree that git itself makes of a directory.
fn tree_of_directory(jp: &Jp, directory: &str) -> String {
    let with_index = jp.with_var("GIT_INDEX_FILE", jp.world().join("index-of-directory"));
    let with_directory = with_index.with_var("GIT_WORK_TREE", jp.path(directory));
    let attributes = with_directory.with_var("GIT_ATTR_NOSYSTEM", "1");
    attributes.git(&["-c", "core.bare=false", "-c", "core.autocrlf=false", "add", "-A", "."]);
    attributes.git(&["write-tree"]).trim_end().to_owned()
}

fn imported(output: &Output) -> String {
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.split(' ').next().unwrap().to_owned()
}

#[test]
fn a_directory_goes_out_and_in_without_a_byte_changed() {
    let jp = Jp::in_workspace();
    let id = of_everything(&jp);
    let said = jp.run(&["c", "export", &id, "--dir", "one"]).ok();
    let count = files(jp.path("one")).len();
    assert_eq!((said, count), (format!("one: {count} files\n"), 230 + 8));
    let raw = [message("").as_bytes(), b"\xff\xfe\x00 not text"].concat();
    assert_eq!(fs::read(jp.path("one/229-message.md")).unwrap(), raw);
    assert_eq!(fs::read(jp.path("one/000/901-left-out.toml")).unwrap(), b"no = TOML\n");

    let other = jp.at("../elsewhere");
    other.run(&["init"]).ok();
    let output = other.run(&["c", "import", "../work/one/"]);
    let copy = imported(&output);
    assert_eq!(output.stdout, format!("{copy} 230 events in {count} files\n"));
    assert_eq!(output.stderr, format!("Hint: `jp conversation show {copy}` shows it\n"));
    assert_eq!(other.tree(&copy), jp.tree(&id));
    assert_eq!(other.tree(&copy), tree_of_directory(&jp, "one"));
    other.run(&["c", "export", "--dir", "two"]).ok();
    assert_eq!(files(other.path("two")), files(jp.path("one")));
    assert_eq!(other.git(&["log", "--format=%s", &copy]), format!("import {copy}\n"));
    assert_eq!(other.run(&["c", "fsck"]).ok(), "");
    other.assert_sound();
}

#[test]
fn an_imported_conversation_is_listed_and_continued_like_the_one_that_was_exported() {
    let jp = Jp::in_workspace();
    let id = of_everything(&jp);
    jp.run(&["c", "export", &id, "--dir", "one"]).ok();
    let copy = imported(&jp.run(&["c", "import", "one"]));
    let trailers = jp.git(&["log", "-1", "--format=%(trailers)", &copy]);
    assert!(trailers.contains("Jp-Tree: ") && trailers.contains("Jp-Next: 902"), "{trailers}");
    let [mut old, mut new] = [&id, &copy].map(|id| jp.show(id));
    for shown in [&mut old, &mut new] {
        for key in ["id", "commit", "updated_at"] {
            shown[key] = json!(null);
        }
    }
    assert_eq!(new, old);
    for id in [&id, &copy] {
        let said = jp.append(id, &[&request("Next\n")]).ok();
        assert_eq!(said, format!("{id} 902 902-request.md\n"));
    }
    jp.assert_sound();
}

#[test]
fn a_document_tells_who_said_what_when() {
    let jp = Jp::in_workspace();
    let attachment = format!(
        "---\ntype: attachment\nsource: \"a `b`.txt\"\nmedia_type: text/plain\ntimestamp: {TIME}\n---\n\
         ```\nfenced\n```\n"
    );
    let delta = format!(
        "[assistant]\nmodel = \"m\"\n\n[event]\ntype = \"config-delta\"\ntimestamp = \"{TIME}\"\n"
    );
    let events = [
        attachment,
        request("What is *this*?\n"),
        call("c1"),
        question("q1", "c1"),
        answer("q1"),
        start("c1"),
        result("c1", "~~~\n````\n"),
        message("It is:\n\n```rust\nfn main() {}\n```\n"),
        request("Go on\n"),
        message("```rust\nfn cut() {\n"),
        delta,
    ];
    let id = jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let document = jp.run(&["c", "export", &id]).ok();
    let created = jp.show(&id)["created_at"].as_str().unwrap().to_owned();
    let expected = format!(
        "# What is this?

- Id: {id}
- Created: {created}
- Status: idle

## Turn 0

### Attachment ``a `b`.txt`` (text/plain), {TIME}

````
```
fenced
```
````

### User, {TIME}

What is *this*?

### Model calls `read` `c1`, {TIME}

```json
{{\"path\":\"a\"}}
```

### Question `q1` of `read`, {TIME}

May I?

### Answer to `q1`, {TIME}

```
true
```

### Start 1 of `c1`, {TIME}

### Result of `c1`, {TIME}

`````
~~~
````
`````

### acme/large, {TIME}

It is:

```rust
fn main() {{}}
```

## Turn 1

### User, {TIME}

Go on

### acme/large, {TIME}

````markdown
```rust
fn cut() {{
````

## Waiting for the next request

### Configuration, {TIME}

```toml
[assistant]
model = \"m\"
```
"
    );
    assert_eq!(document, expected);
}

#[test]
fn a_turn_under_way_is_marked_in_every_form() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n"), &message("Hello\n"), &request("Read\n"), &call("c1")]);
    let document = jp.run(&["c", "export", &id]).ok();
    assert!(document.contains("\n## Turn 0\n"), "{document}");
    assert!(document.contains("\n## Turn 1, incomplete: pending tool execution\n"), "{document}");
    let data = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let turns: Vec<_> = data["turns"].as_array().unwrap().iter().collect();
    assert_eq!((turns[0]["complete"].clone(), turns[0].get("missing")), (json!(true), None));
    assert_eq!(turns[1]["complete"], json!(false));
    assert_eq!(turns[1]["missing"], json!("pending tool execution"));
    let messages = jp.run(&["c", "export", &id, "--format", "messages"]).json();
    let marks: Vec<_> = messages.as_array().unwrap().iter().map(|m| m.get("incomplete")).collect();
    assert_eq!(marks, [None, None, Some(&json!(true)), Some(&json!(true))]);
}

#[test]
fn data_has_every_field_of_every_event() {
    let jp = Jp::in_workspace();
    let signed = format!(
        "---\ntype: message\nmodel: acme/large\nanswer: a1\nfinish: stop\nsignature:\n  value: \"c2ln\"\n  \
         covers: \"sha256:{}\"\ntimestamp: {TIME}\nmetadata:\n  usage: 7\ncolor: red\n---\nHello\n",
        "0".repeat(64)
    );
    let raw = format!("---\ntype: request\ntimestamp: {TIME}\nencoding: base64\n---\n/wA=\n");
    let id = jp.start(&[&raw, &signed]);
    jp.edit(&id, ".conversation/config.toml", "a = 1979-05-27T07:32:00Z\n");
    jp.edit(&id, ".conversation/queue/000-request.md", request("And then?\n"));
    jp.edit(&id, "002-message.md", "broken");
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    jp.edit(&id, "CONVERSATION", format!("{manifest}002-message.md\n"));
    let output = jp.run(&["c", "export", &id, "--format", "json"]);
    let problem = "expected frontmatter: a first line of `---`";
    assert_eq!(
        (output.code, output.stderr),
        (0, format!("warning: 002-message.md:1:1: {problem}\n"))
    );
    let found: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let shown = jp.run(&["c", "show", &id, "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    let expected = json!({
        "id": id,
        "commit": jp.tip(&id),
        "tree": jp.tree(&id),
        "format": "1.0",
        "status": "damaged",
        "meta": {
            "title": "\u{fffd}",
            "created_at": shown["created_at"],
            "labels": {},
            "forked": null,
            "other": {},
        },
        "config": {"a": "1979-05-27T07:32:00Z"},
        "turns": [{
            "turn": 0,
            "complete": true,
            "events": [
                {
                    "address": 0,
                    "file": "000-request.md",
                    "type": "request",
                    "timestamp": TIME,
                    "interrupts": false,
                    "content": "/wA=",
                    "encoding": "base64",
                    "metadata": {},
                    "other": {},
                },
                {
                    "address": 1,
                    "file": "001-message.md",
                    "type": "message",
                    "timestamp": TIME,
                    "model": "acme/large",
                    "answer": "a1",
                    "finish": "stop",
                    "signature": {
                        "value": "c2ln",
                        "covers": format!("sha256:{}", "0".repeat(64)),
                        "holds": false,
                    },
                    "content": "Hello",
                    "metadata": {"usage": 7},
                    "other": {"color": "red"},
                },
            ],
        }],
        "waiting": [],
        "queue": [{
            "address": 0,
            "file": ".conversation/queue/000-request.md",
            "type": "request",
            "timestamp": TIME,
            "interrupts": false,
            "content": "And then?",
            "metadata": {},
            "other": {},
        }],
        "problems": [{
            "file": "002-message.md",
            "line": 1,
            "column": 1,
            "message": problem,
            "refused": false,
        }],
    });
    assert_eq!(found, expected);
}

#[test]
fn messages_are_what_a_model_is_sent() {
    let jp = Jp::in_workspace();
    let prompt = |text: &str| {
        format!(
            "[assistant]\nsystem_prompt = \"{text}\"\n\n[event]\ntype = \"config-delta\"\n\
             timestamp = \"{TIME}\"\n"
        )
    };
    let attachment = format!(
        "---\ntype: attachment\nsource: a.bin\ntimestamp: {TIME}\nencoding: base64\n---\n/w==\n"
    );
    let events = [
        prompt("Be brief"),
        attachment,
        request("Read\n"),
        call("c1"),
        result("c1", "ok\n"),
        message("Done\n"),
        prompt("Be kind"),
        request("And now?\n"),
    ];
    let id = jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    jp.edit(&id, "CONVERSATION", manifest.replace("004-tool-result-read.md\n", ""));
    let output = jp.run(&["c", "export", &id, "--format", "messages"]);
    let told = format!(
        "warning: {id}: Ann took 1 event out by hand (004)\n\
         Hint: `jp conversation undo {id}` brings it back\n\
         warning: 007-request.md: a request would leave call `c1` without a result\n\
         warning: call `c1` (003) has no result: an error stands in for it\n\
         warning: a list of messages cannot hold everything: without 1 change of the configuration\n"
    );
    assert_eq!((output.code, output.stderr), (0, told));
    let found: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let lost = "The tool call was interrupted; whether it had any effect is unknown.";
    let expected = json!([
        {
            "role": "system",
            "message_id": format!("{id}/006"),
            "created_at": TIME,
            "content": "Be kind",
        },
        {
            "role": "user",
            "message_id": format!("{id}/002"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [1, 2],
            "content": "Read",
            "attachments": [
                {"source": "a.bin", "media_type": null, "content": "/w==", "encoding": "base64"},
            ],
        },
        {
            "role": "assistant",
            "message_id": format!("{id}/003"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [3],
            "model": null,
            "answer": null,
            "finish": null,
            "content": [{
                "type": "tool-call",
                "id": "c1",
                "tool": "read",
                "arguments": "{\"path\":\"a\"}",
                "arguments_valid": true,
            }],
        },
        {
            "role": "tool",
            "message_id": format!("{id}/003/2"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [3],
            "id": "c1",
            "tool": "read",
            "is_error": true,
            "content": lost,
            "metadata": {"synthetic": true},
        },
        {
            "role": "assistant",
            "message_id": format!("{id}/005"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [5],
            "model": "acme/large",
            "answer": null,
            "finish": null,
            "content": [{"type": "text", "text": "Done"}],
        },
        {
            "role": "user",
            "message_id": format!("{id}/007"),
            "created_at": TIME,
            "turn": 1,
            "addresses": [7],
            "incomplete": true,
            "content": "And now?",
            "attachments": [],
        },
    ]);
    assert_eq!(found, expected);
}

#[test]
fn an_export_can_go_to_a_file() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n"), &message("Hello\n")]);
    let document = jp.run(&["c", "export", &id]).ok();
    assert_eq!(jp.run(&["c", "export", "--output", "-"]).ok(), document);
    for _ in 0..2 {
        assert_eq!(jp.run(&["c", "export", &id, "--output", "a.md"]).ok(), "");
        assert_eq!(fs::read_to_string(jp.path("a.md")).unwrap(), document);
    }
    std::os::unix::fs::symlink("a.md", jp.path("link.md")).unwrap();
    jp.run(&["c", "export", &id, "--format", "messages", "--output", "link.md"]).ok();
    assert!(fs::symlink_metadata(jp.path("link.md")).unwrap().is_symlink());
    let messages = jp.run(&["c", "export", &id, "--format", "messages"]).ok();
    assert_eq!(fs::read_to_string(jp.path("a.md")).unwrap(), messages);
    jp.run(&["c", "export", &id, "--output", "."]).fails(
        1,
        "error: `.` is not a file\nHint: without `--output` it goes to standard output\n",
    );
    jp.run(&["c", "export", &id, "--output", "none/a.md"]).fails(
        1,
        &format!(
            "error: cannot create a file in `{}`: No such file or directory\n",
            jp.path("none").display()
        ),
    );
}

#[test]
fn a_directory_and_a_format_exclude_each_other() {
    let jp = Jp::in_workspace();
    for other in [["--format", "md"], ["--output", "a.md"]] {
        let output = jp.run(&["c", "export", "--dir", "one", other[0], other[1]]);
        let option = format!("'{} <", other[0]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        assert!(output.stderr.contains("cannot be used with"), "{}", output.stderr);
        assert!(output.stderr.contains(&option), "{}", output.stderr);
    }
}

#[test]
fn a_directory_that_holds_anything_is_left_alone() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n")]);
    jp.write("full/mine", "mine");
    jp.write("file", "mine");
    let before = contents(&jp.path("."));
    let hint = "Hint: name a directory that does not exist yet\n";
    let export = |directory: &str| jp.run(&["c", "export", &id, "--dir", directory]);
    export("full").fails(1, &format!("error: `full` is not empty\n{hint}"));
    export("file").fails(1, &format!("error: `file` is not a directory\n{hint}"));
    let missing = jp.path("none");
    export("none/one").fails(
        1,
        &format!("error: cannot resolve `{}`: No such file or directory\n", missing.display()),
    );
    assert_eq!(contents(&jp.path(".")), before);
    let inside = jp.at("empty");
    inside
        .run(&["c", "export", &id, "--dir", "."])
        .fails(1, &format!("error: `.` is the current directory, which would be replaced\n{hint}"));
    assert_eq!(fs::read_dir(jp.path("empty")).unwrap().count(), 0);
}

#[test]
fn nothing_is_written_into_the_store() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n")]);
    std::os::unix::fs::symlink(jp.path(".jp/store/refs"), jp.path("link")).unwrap();
    let before = contents(&jp.path("."));
    for directory in [".jp/store/out", ".jp/store/stage", "link/heads/out", ".jp/x/../store/out"] {
        if directory.contains("..") {
            fs::create_dir(jp.path(".jp/x")).unwrap();
        }
        jp.run(&["c", "export", &id, "--dir", directory]).fails(
            1,
            &format!(
                "error: `{directory}` is inside the store, which holds nothing but conversations\n\
                 Hint: name a directory outside of it\n"
            ),
        );
    }
    fs::remove_dir(jp.path(".jp/x")).unwrap();
    assert_eq!(contents(&jp.path(".")), before);
}

#[test]
fn an_empty_directory_keeps_its_permissions_and_a_new_one_gets_those_of_any_other() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n")]);
    let mode = |name: &str| fs::metadata(jp.path(name)).unwrap().permissions().mode() & 0o7777;
    jp.at("private");
    jp.at("plain");
    fs::set_permissions(jp.path("private"), fs::Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink("private", jp.path("link")).unwrap();
    assert_eq!(jp.run(&["c", "export", &id, "--dir", "link"]).ok(), "link: 4 files\n");
    assert_eq!(jp.run(&["c", "export", &id, "--dir", "new/"]).ok(), "new/: 4 files\n");
    assert!(fs::symlink_metadata(jp.path("link")).unwrap().is_symlink());
    assert_eq!((mode("private"), mode("new")), (0o700, mode("plain")));
    assert_eq!(files(jp.path("private")), files(jp.path("new")));
    assert_eq!(mode("new/CONVERSATION") & 0o111, 0);
    let names: Vec<_> =
        fs::read_dir(jp.path(".")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_str().unwrap().starts_with(".jp-")), "{names:?}");
}

#[test]
fn a_foreign_tree_is_not_written_to_disk() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n")]);
    jp.edit(&id, "000/100/evil.md", "evil");
    let expected = format!(
        "error: conversation {id} is refused: 000/100: a sealed run has no directories\n\
         Hint: `jp conversation fsck {id}` lists all problems, and with `--repair` mends them\n"
    );
    jp.run(&["c", "export", &id, "--dir", "one"]).fails(1, &expected);
    jp.run(&["c", "export", &id]).fails(1, &expected);
    assert!(!jp.path("one").exists());
}

#[test]
fn what_can_be_read_of_a_damaged_conversation_is_written() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n"), &message("Hello\n")]);
    let lost = "1234567890123456789012345678901234567890";
    let listed = jp.git(&["ls-tree", &id]);
    let blob = jp.git(&["rev-parse", &format!("{id}:001-message.md")]);
    let damaged = listed.replace(blob.trim_end(), lost);
    let tree = jp.git_with_input(&["mktree", "--missing"], damaged);
    jp.commit_tree(&id, &tree);
    let output = jp.run(&["c", "export", &id, "--dir", "one"]);
    let told = format!(
        "warning: 001-message.md: object {lost} is missing\n\
         error: one/001-message.md: object {lost} is missing\n\
         Hint: everything else was written\n"
    );
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("one: 4 files\n", told.as_str()));
    assert_eq!(output.code, 1);
    let found = files(jp.path("one"));
    assert_eq!(found.len(), 4);
    assert_eq!(found[&PathBuf::from("000-request.md")], request("Hi\n").as_bytes());
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_no_control_characters() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\u{1b}]0;x\u{7}\u{202e}\u{9b}2J\n")]);
    for format in ["md", "json", "messages"] {
        let line = format!("{} c export {id} --format {format}", env!("CARGO_BIN_EXE_jp"));
        let mut command = jp.command("script");
        let shown = Output::of(command.args(["-qec", &line, "/dev/null"])).stdout;
        let harmful: Vec<_> =
            shown.chars().filter(|c| c.is_control() && !"\r\n".contains(*c)).collect();
        assert_eq!(harmful, [], "{format}");
        assert!(!shown.contains('\u{202e}') && shown.contains("]0;x"), "{format}: {shown}");
        let piped = jp.run(&["c", "export", &id, "--format", format]).ok();
        assert!(piped.contains('\u{202e}'), "{format}");
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod interrupted {
    use super::*;
    use crate::support::Interruption;

    const JP: &str = env!("CARGO_BIN_EXE_jp");

    /// A conversation, and the program that exports it.
    fn scene() -> (Jp, BTreeMap<PathBuf, Vec<u8>>, Vec<String>) {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Hi\n"), &message("Hello\n")]);
        jp.run(&["c", "export", &id, "--dir", "whole"]).ok();
        let program = [JP, "c", "export", &id, "--dir", "one"].map(str::to_owned).to_vec();
        let whole = files(jp.path("whole"));
        (jp, whole, program)
    }

    /// What killed exports left.
    fn halves(jp: &Jp) -> Vec<PathBuf> {
        let all = fs::read_dir(jp.path(".")).unwrap().map(|entry| entry.unwrap().path());
        let is_half = |path: &PathBuf| path.to_string_lossy().contains("/.jp-export-");
        all.filter(is_half).collect()
    }

    #[test]
    fn an_export_that_is_killed_leaves_all_of_the_directory_or_none() {
        let (jp, whole, program) = scene();
        let program: Vec<_> = program.iter().map(String::as_str).collect();
        let calls = jp.calls(&program).len();
        fs::remove_dir_all(jp.path("one")).unwrap();
        let (mut there, mut cut, report) = (0, 0, jp.world().join("calls"));
        for point in 1..=calls {
            for point in [Interruption::Before(point), Interruption::After(point)] {
                // The next one would clear it, and so do more than is counted here.
                for half in halves(&jp) {
                    fs::remove_dir_all(half).unwrap();
                    cut += 1;
                }
                let output = Output::of(&mut jp.interrupted(point, &report, &program));
                if jp.path("one").exists() {
                    assert_eq!(files(jp.path("one")), whole, "{point:?}");
                    fs::remove_dir_all(jp.path("one")).unwrap();
                    there += 1;
                } else {
                    assert_eq!(output.stdout, "", "{point:?}");
                }
            }
        }
        assert!(0 < there && there < calls && cut > 10, "{there} of {calls}, {cut} cut");
        fs::create_dir(jp.path(".jp-export-killed")).unwrap();
        jp.run(&program[1..]).ok();
        assert_eq!(halves(&jp), [] as [PathBuf; 0]);
        jp.assert_sound();
    }

    #[test]
    fn an_export_onto_a_full_disk_says_so_and_leaves_nothing() {
        let (jp, _, program) = scene();
        let program: Vec<_> = program.iter().map(String::as_str).collect();
        let calls = jp.calls(&program);
        fs::remove_dir_all(jp.path("one")).unwrap();
        let before = contents(&jp.path("."));
        let report = jp.world().join("calls");
        let mut tried = 0;
        for (index, call) in calls.iter().enumerate() {
            let fallible = ["write", "fsync", "rename", "open", "mkdir"];
            if !fallible.iter().any(|name| call.starts_with(name)) || !call.contains(".jp-export-")
            {
                continue;
            }
            tried += 1;
            let failing = Interruption::Fail(index + 1, 28);
            let output = Output::of(&mut jp.interrupted(failing, &report, &program));
            assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{call}");
            let told = output.stderr.ends_with(": No space left on device\n")
                && output.stderr.starts_with("error: cannot ");
            assert!(told, "{call}: {}", output.stderr);
            assert_eq!(contents(&jp.path(".")), before, "{call}");
        }
        assert!(tried > 10, "{calls:#?}");
    }
}
