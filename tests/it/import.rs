//! Directories taken in: made by hand, edited by hand, and hostile ones.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt, fs::symlink},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::{Jp, Output, contents, message, request, result};

/// What is told after problems.
const NOTHING: &str = "Hint: nothing was imported\n";

/// A directory of two events, as somebody could make it.
fn by_hand(jp: &Jp) {
    jp.write("d/CONVERSATION", "000-request.md\n001-message.md\n");
    jp.write("d/000-request.md", request("What is *this*?\n"));
    jp.write("d/001-message.md", message("A test\n"));
}

fn import(jp: &Jp, args: &[&str]) -> String {
    let output = jp.run(&[&["c", "import"], args].concat());
    let id = output.stdout.split(' ').next().unwrap().to_owned();
    let hint = format!("Hint: `jp conversation show {id}` shows it\n");
    assert_eq!((output.code, output.stderr), (0, hint));
    id
}

/// Asserts that the directory `d` is refused for exactly these reasons, and leaves nothing behind.
#[track_caller]
fn refused(jp: &Jp, problems: &[&str]) {
    let before = contents(&jp.path(".jp"));
    let told: String = problems.iter().map(|problem| format!("error: d/{problem}\n")).collect();
    jp.run(&["c", "import", "d"]).fails(1, &format!("{told}{NOTHING}"));
    assert_eq!(contents(&jp.path(".jp")), before);
}

#[test]
fn a_directory_made_by_hand_becomes_a_conversation() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    // Whether a file could be run is not for a conversation to say.
    fs::set_permissions(jp.path("d/000-request.md"), fs::Permissions::from_mode(0o755)).unwrap();
    let id = import(&jp, &["d"]);
    let shown = jp.show(&id);
    assert_eq!(shown["title"], "What is this?");
    assert_eq!((shown["status"].as_str(), shown["turns"].as_u64()), (Some("idle"), Some(1)));
    assert!(shown["created_at"].is_string());
    let modes = jp.git(&["ls-tree", "-r", "--format=%(objectmode) %(path)", &id]);
    let expected = "100644 .conversation/meta.toml\n100644 000-request.md\n\
                    100644 001-message.md\n100644 CONVERSATION\n";
    assert_eq!(modes, expected);
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), request("What is *this*?\n"));
    assert_eq!(jp.append(&id, &[&request("Next\n")]).ok(), format!("{id} 002 002-request.md\n"));
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.assert_sound();
}

#[test]
fn a_conversation_can_be_edited_as_a_directory() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n"), &request("Two\n")]);
    jp.run(&["c", "export", &id, "--dir", "d"]).ok();
    let manifest = fs::read_to_string(jp.path("d/CONVERSATION")).unwrap();
    jp.write("d/CONVERSATION", manifest.replace("002-request.md", "# no more\n007-request.md"));
    jp.write("d/001-message.md", message("Better\r\n"));
    jp.write("d/007-request.md", request("Three\n"));
    let copy = import(&jp, &["d"]);
    let files: Vec<_> = jp.show(&copy)["stream"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["file"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(files, ["000-request.md", "001-message.md", "007-request.md"]);
    assert_eq!(jp.run(&["c", "cat", &copy, "1"]).ok(), message("Better\r\n"));
    assert_eq!(jp.run(&["c", "cat", &copy, "2"]).ok(), request("Two\n"));
    assert_eq!(jp.append(&copy, &[&message("3\n")]).ok(), format!("{copy} 008 008-message.md\n"));
    // The conversation that it came from is as it was.
    assert_eq!(jp.show(&id)["events"], 3);
    jp.assert_sound();
}

#[test]
fn the_report_says_what_was_made() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let report = jp.run(&["c", "import", "d", "--title", "Mine", "--format", "json"]).json();
    let id = report["id"].as_str().unwrap();
    let expected = json!({
        "id": id,
        "commit": jp.tip(id),
        "title": "Mine",
        "status": "idle",
        "turns": 1,
        "events": 2,
        "files": 4,
        "problems": [],
    });
    assert_eq!(report, expected);
}

#[test]
fn a_title_changes_nothing_but_the_title() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let meta = "# mine\nformat = \"1.0\"\ncolor = \"red\"\ntitle = \"Old\"\n";
    jp.write("d/.conversation/meta.toml", meta);
    let ids = [&["d"][..], &["d", "--title", "Old"], &["d/", "--title", "New"]];
    let ids = ids.map(|args| import(&jp, args));
    let stored = |id: &String| jp.git(&["show", &format!("{id}:.conversation/meta.toml")]);
    let [old, same, new] = &ids.each_ref().map(stored);
    assert_eq!((old.as_str(), same.as_str()), (meta, meta));
    assert_eq!(new, "format = \"1.0\"\ntitle = \"New\"\ncolor = \"red\"\n");
    let titles = ids.each_ref().map(|id| jp.show(id)["title"].clone());
    assert_eq!(titles, [json!("Old"), json!("Old"), json!("New")]);
}

#[test]
fn a_long_flat_directory_is_sealed_and_stays_the_same_conversation() {
    let jp = Jp::in_workspace();
    let name = |number| match number {
        0 => "000-request.md".to_owned(),
        number => format!("{number:03}-message.md"),
    };
    jp.write("d/000-request.md", request("Question\n"));
    for number in 1..330 {
        jp.write(&format!("d/{}", name(number)), message(&format!("Part {number}\n")));
    }
    let lines: String = (0..330).map(|number| format!("  {}\r\n", name(number))).collect();
    jp.write("d/CONVERSATION", format!("# mine\r\n{lines}"));
    let id = import(&jp, &["d"]);
    let top = jp.git(&["ls-tree", "--name-only", &id]);
    assert_eq!(top.lines().filter(|line| line.ends_with(".md")).count(), 30);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    assert!(manifest.starts_with("# mine\n000/\n100/\n200/\n300-message.md\n"), "{manifest}");
    let files: Vec<_> = jp.show(&id)["stream"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["file"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(files, (0..330).map(name).collect::<Vec<_>>());
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.run(&["c", "export", &id, "--dir", "sealed"]).ok();
    let again = import(&jp, &["sealed"]);
    let tree = |id: &str| jp.git(&["rev-parse", &format!("{id}^{{tree}}")]);
    assert_eq!(tree(&again), tree(&id));
    jp.assert_sound();
}

#[test]
fn events_out_of_order_are_taken_in_and_told() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    jp.write("d/002-tool-result.md", result("c1", "ok\n"));
    jp.write("d/CONVERSATION", "000-request.md\n001-message.md\n002-tool-result.md\n");
    let output = jp.run(&["c", "import", "d"]);
    let id = output.stdout.split(' ').next().unwrap();
    let problem = "002-tool-result.md: the result of call `c1` has no call without a result \
                   before it";
    let told = format!("warning: {problem}\nHint: `jp conversation show {id}` shows it\n");
    assert_eq!((output.code, output.stderr.as_str()), (0, told.as_str()));
    let listed = jp.run(&["c", "fsck", id, "--format", "json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed[0]["problems"][0]["file"], "002-tool-result.md");
    jp.append(id, &[&message("So\n")]).ok();
}

#[test]
fn what_is_not_there_or_no_directory_is_named() {
    let jp = Jp::in_workspace();
    jp.write("file", "");
    jp.run(&["c", "import", "file"]).fails(1, "error: `file` is not a directory\n");
    jp.run(&["c", "import", "none"])
        .fails(1, "error: cannot open `none`: No such file or directory\n");
    by_hand(&jp);
    symlink("d", jp.path("link")).unwrap();
    import(&jp, &["link"]);
    import(&jp, &[jp.path("d").to_str().unwrap()]);
}

#[test]
fn a_refused_import_makes_no_store() {
    let jp = Jp::new();
    by_hand(&jp);
    fs::remove_file(jp.path("d/001-message.md")).unwrap();
    let before = contents(&jp.world());
    jp.run(&["c", "import", "d"]).fails(
        1,
        &format!("error: d/CONVERSATION:2:1: `001-message.md`: there is no such file\n{NOTHING}"),
    );
    assert_eq!(contents(&jp.world()), before);
}

#[test]
fn everything_that_has_no_place_is_told_at_once() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    jp.write("secret", "secret");
    for name in [
        "d/000-request.md~",
        "d/.000-request.md.swp",
        "d/#000-request.md#",
        "d/.DS_Store",
        "d/notes.txt",
        "d/conversation",
        "d/..\\evil.md",
        "d/.git/HEAD",
        "d/deep/er/000-request.md",
        "d/100/CONVERSATION",
        "d/100/100/CONVERSATION",
        "d/.conversation/hooks/run",
        "d/.conversation/queue/notes",
    ] {
        jp.write(name, "");
    }
    fs::write(jp.path("d").join(OsStr::from_bytes(b"002-\xff.md")), "").unwrap();
    symlink("../secret", jp.path("d/002-link.md")).unwrap();
    symlink("../d", jp.path("d/200")).unwrap();
    symlink("nobody@nowhere.1", jp.path("d/.#000-request.md")).unwrap();
    let made = jp.command("mkfifo").arg(jp.path("d/003-pipe.md")).status().unwrap();
    assert!(made.success());
    let started = Instant::now();
    refused(
        &jp,
        &[
            "#000-request.md#: it is the backup of an editor: delete it",
            ".#000-request.md: an editor has the file open: close the editor, or delete this",
            "..\\evil.md: a file of this name has no place",
            ".000-request.md.swp: an editor has the file open: close the editor, or delete this",
            ".DS_Store: a file browser left it behind: delete it",
            ".conversation/hooks: a directory of this name has no place",
            ".conversation/queue/notes: a file of this name has no place",
            ".git: a git repository has no place in a conversation: import a copy without it",
            "000-request.md~: it is the backup of an editor: delete it",
            "002-link.md: it is a symbolic link",
            "002-\u{fffd}.md: its name is not UTF-8",
            "003-pipe.md: it is neither a file nor a directory",
            "100/100: a directory of this name has no place",
            "200: it is a symbolic link",
            "conversation: its name differs from another's by case only",
            "conversation: a file of this name has no place",
            "deep: a directory of this name has no place",
            "notes.txt: a file of this name has no place",
        ],
    );
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn every_flaw_of_every_file_is_told_by_its_line() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let manifest = "# mine\n  000-request.md\n../../secret\n/etc/passwd\n001-message.md\n\
                    001-message.md\n009-message.md\n100/\n200/\nnotes\n";
    jp.write("d/CONVERSATION", manifest);
    jp.write("d/100/CONVERSATION", "100-message.md\n000/\n");
    jp.write("d/100/100-message.md", "---\ntype: message\nfinish: 7\n---\n");
    jp.write("d/300/300-message.md", message("lost\n"));
    jp.write("d/001-message.md", "no header\n");
    jp.write("d/.conversation/config.toml", "a = 1\nb = \n");
    jp.write("d/.conversation/meta.toml", "format = \"1.0\"\ntitle = 7\n");
    jp.write("d/.conversation/queue/000-request.md", "---\ntype: requests\n---\n");
    let output = jp.run(&["c", "import", "d"]);
    let told: Vec<_> = output.stderr.lines().collect();
    let types = "request, message, reasoning, structured, tool-call, tool-start, tool-result, \
                 inquiry-request, inquiry-response, attachment, config-delta, compaction";
    let unknown = format!(
        "error: d/.conversation/queue/000-request.md:2:1: `requests` is not an event type: \
         expected one of {types}"
    );
    let expected = [
        "error: d/.conversation/meta.toml:2:1: key `title`: expected a text",
        "error: d/CONVERSATION:3:1: `../../secret` leaves the directory",
        "error: d/CONVERSATION:4:1: `/etc/passwd` leaves the directory",
        "error: d/CONVERSATION:6:1: `001-message.md` is listed twice",
        "error: d/CONVERSATION:7:1: `009-message.md`: there is no such file",
        "error: d/CONVERSATION:9:1: `200/`: there is no such directory",
        "error: d/CONVERSATION:10:1: `notes` is not the name of an event file such as \
         `003-message.md`",
        "error: d/100/CONVERSATION:2:1: `000/`: a sealed run has no runs of its own",
        "error: d/300/CONVERSATION: the file is missing",
        "error: d/001-message.md:1:1: expected frontmatter: a first line of `---`",
        "error: d/100/100-message.md:3:1: key `finish`: invalid type: integer `7`, expected a \
         string",
        "error: d/.conversation/config.toml:2:5: invalid TOML: string values must be quoted, \
         expected literal string",
        &unknown,
        "Hint: nothing was imported",
    ];
    assert_eq!(told, expected);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
}

#[test]
fn a_missing_manifest_is_told() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    fs::remove_file(jp.path("d/CONVERSATION")).unwrap();
    refused(&jp, &["CONVERSATION: the file is missing"]);
    jp.at("d/100");
    refused(&jp, &["CONVERSATION: the file is missing", "100/CONVERSATION: the file is missing"]);
}

#[test]
fn a_number_that_is_given_twice_is_told_if_both_are_in_the_stream() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    jp.write("d/001-other.md", message("Other\n"));
    import(&jp, &["d"]);
    jp.write("d/CONVERSATION", "000-request.md\n001-message.md\n001-other.md\n");
    refused(&jp, &["001-other.md: the number 001 is given twice"]);
}

#[test]
fn names_that_differ_by_case_only_are_told() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    jp.write("d/001-Message.md", message("Twin\n"));
    refused(&jp, &["001-message.md: its name differs from another's by case only"]);
}

#[test]
fn a_newer_format_is_refused_before_anything_else_is_read() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    jp.write("d/001-message.md", "what a later version may write");
    jp.write("d/NEW", "what a later version may add");
    for (version, why) in [
        ("2.0", "it is written in format 2.0, which needs a newer jp (this one reads up to 1.0)"),
        ("1.7", "it is written in format 1.7, which needs a newer jp (this one writes up to 1.0)"),
    ] {
        jp.write("d/.conversation/meta.toml", format!("format = \"{version}\"\n"));
        refused(&jp, &[&format!(".conversation/meta.toml: {why}")]);
    }
    jp.write("d/.conversation/meta.toml", "format = 2\n");
    refused(&jp, &[".conversation/meta.toml:1:1: key `format`: expected a text"]);
}

#[test]
fn what_is_too_large_is_refused_unread() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let header = "x".repeat(10 << 20);
    jp.write("d/001-message.md", format!("---\ntype: message\na: {header}\n---\n"));
    refused(&jp, &["001-message.md:2:1: the frontmatter is larger than 64 kB"]);
    let sized = |name: &str, size: u64| {
        let path = jp.write(name, "");
        fs::File::options().write(true).open(path).unwrap().set_len(size).unwrap();
    };
    let started = Instant::now();
    sized("d/001-message.md", (64 << 20) + 1);
    sized("d/CONVERSATION", (16 << 20) + 1);
    sized("d/.conversation/meta.toml", 1 << 40);
    refused(
        &jp,
        &[
            ".conversation/meta.toml: the file is larger than 16777216 bytes",
            "CONVERSATION: the file is larger than 16777216 bytes",
            "001-message.md: the file is larger than 67108864 bytes",
        ],
    );
    fs::remove_dir_all(jp.path("d")).unwrap();
    for number in 0..17 {
        sized(&format!("d/{number:03}-message.md"), 64 << 20);
    }
    refused(&jp, &[".: its event files have more than 1073741824 bytes"]);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    for name in ["d/000-request.md", "d/CONVERSATION"] {
        fs::set_permissions(jp.path(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    // The user `root` reads everything.
    if fs::read(jp.path("d/CONVERSATION")).is_err() {
        refused(
            &jp,
            &[
                "CONVERSATION: it cannot be read: Permission denied",
                "000-request.md: it cannot be read: Permission denied",
            ],
        );
    }
}

#[test]
fn a_title_that_no_commit_could_hold_is_kept_in_the_tree() {
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let title = "long ".repeat(400_000);
    jp.write("d/.conversation/meta.toml", format!("format = \"1.0\"\ntitle = \"{title}\"\n"));
    let id = import(&jp, &["d"]);
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!((&rows[0]["id"], &rows[0]["title"]), (&json!(id), &json!(title)));
    assert_eq!(rows[0]["status"], "idle");
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.assert_sound();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn an_import_that_is_killed_leaves_a_whole_conversation_or_none() {
    use crate::support::Interruption;
    let program = [env!("CARGO_BIN_EXE_jp"), "c", "import", "d"];
    let jp = Jp::in_workspace();
    by_hand(&jp);
    let calls = jp.calls(&program).len();
    let report = jp.world().join("calls");
    let count = || jp.run(&["c", "ls", "--format", "json"]).json().as_array().unwrap().len();
    let mut before = count();
    for point in 1..=calls {
        for point in [Interruption::Before(point), Interruption::After(point)] {
            let output = Output::of(&mut jp.interrupted(point, &report, &program));
            let after = count();
            assert!(after == before || after == before + 1, "{point:?}");
            assert!(output.stdout.is_empty() || after == before + 1, "{point:?}");
            before = after;
        }
    }
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    import(&jp, &["d"]);
    assert_eq!(count(), before + 1);
    jp.assert_sound();
}
