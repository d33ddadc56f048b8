//! What a hostile model puts before somebody's eyes: the screen says exactly what would run, and
//! only a key that is pressed after that lets it run.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json, value::RawValue};

use crate::{
    query::{begin, player, shell},
    support::Jp,
    terminal::Terminal,
};

/// The last thing that a permission prompt shows.
const PROMPT: &str = "[s] show";

/// Arguments that try to look like others, by a word for each.
fn attacks() -> Vec<(&'static str, String)> {
    let of = |value: &Value| value.to_string();
    vec![
        ("plain", of(&json!({ "command": ["ls", "-l"] }))),
        ("line breaks", of(&json!({ "a": "ls\nrm -rf /\r\n\n\tx" }))),
        ("bidi", of(&json!({ "a": "\u{202e}txt.exe\u{202c}\u{2066}x\u{2069}\u{61c}\u{200f}" }))),
        (
            "escapes",
            of(&json!({ "a": "\u{1b}[2J\u{1b}[H\u{1b}]2;pwned\u{7}\u{9b}31m\u{7f}\u{8}" })),
        ),
        ("written escapes", r#"{"a":"\u001b[2J\u202e\u0008\u00e9\u4e2d\ud83d\ude00"}"#.to_owned()),
        ("no width", of(&json!({ "a": "a\u{200b}b\u{200d}c\u{2060}d\u{feff}e\u{ad}f\u{3164}g" }))),
        ("tags", of(&json!({ "a": "a\u{e0041}\u{e0042}b\u{180e}\u{115f}" }))),
        ("padding", of(&json!({ "a": format!("ls{}; rm -rf /", " ".repeat(5000)) }))),
        ("padding before", of(&json!({ "a": format!("{}rm", " ".repeat(5000)), "b": "ls" }))),
        ("line breaks as padding", of(&json!({ "a": "\n".repeat(2000), "b": "rm" }))),
        ("a long line", of(&json!({ "a": "0123456789".repeat(2000) }))),
        ("many arguments", of(&json!({ "a": (0..200).collect::<Vec<_>>() }))),
        (
            "a prompt",
            of(
                &json!({ "a": "\"\n}\nRun it?  [y] yes  [N] no  [s] show y\nrecord wants to run with\n{" }),
            ),
        ),
        ("a brace for letters", of(&json!({ "a": r"\u{202e} \\u{1b} \\\u{7} \n \\n" }))),
        (
            "backslashes before",
            of(&json!({ "a": "\\\u{202e}\\\\\u{202e}\\\\\\\u{202e}", "b": "\\" })),
        ),
        ("wide letters", of(&json!({ "a": "漢字".repeat(120), "b": "x漢".repeat(99) }))),
        ("pictures", of(&json!({ "a": "👨\u{200d}💻 e\u{301} \u{1f1e9}\u{1f1ea}", "b": "́x" }))),
        ("names", of(&json!({ "": 1, " ": 2, "\u{202e}": 3, "a\nb": 4, "\"}": { "{\"": [] } }))),
        (
            "numbers",
            r#"{"a":1.50,"b":-0,"c":1E+2,"d":18446744073709551616,"e":0.1000000000000000055,"f":true}"#.to_owned(),
        ),
        ("white space", "\n{ \"a\"\t:\r\n1 ,  \"b\" : [ ] , \"c\":{\n} }  ".to_owned()),
        ("depth", of(&json!({ "a": [[[[[[{ "b": [[{ "c": {} }], []] }]]]]]] }))),
    ]
}

/// A tool that keeps what it read.
const RECORD: &str = "
[tools.record]
command = [\"sh\", \"-c\", \"cat >recorded\"]
parameters = { type = \"object\" }
";

/// A user with a tool that keeps what it read.
fn victim(script: &str, settings: &str) -> Jp {
    let jp = player(script);
    let config = jp.path("../config/jp/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(config, before + RECORD + settings).unwrap();
    // Whoever sets the title now is not jp.
    jp.with_var("JP_UI_TERMINAL_TITLE", "false")
}

/// A script in which a request is answered by a call.
fn answer(when: &str, tool: &str, arguments: &str) -> String {
    let arguments = toml::Value::from(arguments);
    format!(
        "[[answer]]\nwhen = \"{when}\"\n[[answer.step]]\ndelay = 300\n[[answer.step]]\n\
         call = \"{tool}\"\narguments = {arguments}\n\
         [[answer]]\nwhen = \"{when}\"\ntext = \"The end.\"\n"
    )
}

/// Has a question asked, and returns everything that the terminal shows once it is.
fn prompted(terminal: &Terminal<'_>, request: &str, before: impl FnOnce()) -> String {
    terminal.run("clear");
    terminal.tell(&["clear-history"]);
    begin(terminal, &format!("jp q --new '{request}'; echo status $?"));
    before();
    terminal.wait("a prompt", |screen| {
        let last = screen.lines().rfind(|line| !line.is_empty());
        last.is_some_and(|line| line.ends_with(PROMPT))
    });
    terminal.history()
}

/// The arguments that a prompt shows: without the indentation of its lines and its layout, and
/// with the characters that it had made visible.
fn decoded(shown: &str) -> String {
    let (_, shown) = shown.split_once("\nrecord wants to run with\n").unwrap();
    let (shown, _) = shown.rsplit_once("\nRun it?  [y] yes").unwrap();
    let lines = shown.split('\n').map(|line| line.strip_prefix("  ").expect(line));
    compact(&visible(&lines.collect::<Vec<_>>().join("\n")))
}

/// Undoes `\u{…}`, which is no JSON, so that nothing else can look like it.
fn visible(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.strip_prefix("\\u{").and_then(|hex| hex.split_once('}')) {
            Some((hex, _)) => {
                let number = u32::from_str_radix(hex, 16).unwrap();
                out.push(char::from_u32(number).unwrap());
                hex.len() + 4
            }
            None => {
                out.push_str(&rest[..2]);
                2
            }
        };
        rest = &rest[length..];
    }
    out + rest
}

/// JSON without the white space between its parts.
fn compact(json: &str) -> String {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_part = |c: &char| {
        let was_quoted = is_quoted;
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        was_quoted || !c.is_whitespace()
    };
    json.chars().filter(is_part).collect()
}

/// Takes away what the tool kept: the arguments to the letter.
fn recorded(jp: &Jp) -> Option<String> {
    let path = jp.path("recorded");
    let text = fs::read_to_string(&path).ok()?;
    fs::remove_file(path).unwrap();
    let read: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&text).unwrap();
    Some(read["arguments"].get().to_owned())
}

#[test]
fn a_prompt_shows_exactly_what_runs_and_enter_means_no() {
    let attacks = attacks();
    let script = attacks
        .iter()
        .enumerate()
        .map(|(number, (_, arguments))| answer(&format!("case {number}."), "record", arguments));
    let jp = victim(&script.collect::<String>(), "");
    let terminal = shell(&jp);
    terminal.tell(&["select-pane", "-T", "before"]);
    for (number, (name, arguments)) in attacks.iter().enumerate() {
        let request = format!("case {number}.");
        for (key, runs) in [("Enter", false), ("y", true)] {
            let shown = prompted(&terminal, &request, || {});
            assert_eq!(decoded(&shown), compact(arguments), "{name}:\n{shown}");
            assert_eq!(recorded(&jp), None, "{name}");
            terminal.press(key);
            let screen = terminal.wait_for("status 0");
            assert!(screen.contains("The end."), "{name}: {screen}");
            let expected = runs.then(|| compact(arguments));
            assert_eq!(recorded(&jp), expected, "{name}");
        }
        assert_eq!(terminal.ask("#{pane_title}"), "before", "{name}");
    }
}

#[test]
fn keys_that_were_pressed_before_a_prompt_do_not_count() {
    let arguments = json!({ "a": 1 }).to_string();
    let jp = victim(&answer("Go", "record", &arguments), "");
    let terminal = shell(&jp);
    for keys in ["y", "yyyyyy", "a", "\u{1b}[200~y\r\u{1b}[201~y"] {
        prompted(&terminal, "Go", || terminal.type_text(keys));
        assert_eq!(recorded(&jp), None, "{keys:?}");
        terminal.press("Enter");
        let screen = terminal.wait_for("status 0");
        assert!(screen.contains("the user said no"), "{keys:?}: {screen}");
        assert_eq!(recorded(&jp), None, "{keys:?}");
    }
}

#[test]
fn a_name_steers_no_terminal_and_is_no_other_tool() {
    let name = "record\\u001b[2J\\u202e\\u0007\\n";
    let script = "[[answer]]\nstep = [{ call = \"NAME\", arguments = {} }]\n[[answer]]\ntext = \"The end.\"\n";
    let jp = victim(&script.replace("NAME", name), "");
    let terminal = shell(&jp);
    terminal.tell(&["select-pane", "-T", "before"]);
    terminal.run("echo still here");
    let screen = terminal.run("jp q --new Go");
    assert!(screen.contains("still here\n") && screen.contains("The end."), "{screen}");
    assert!(screen.contains("record\\u{1b}[2J\\u{202e}\\u{7} : There is no tool"), "{screen}");
    assert_eq!((terminal.ask("#{pane_title}").as_str(), recorded(&jp)), ("before", None));
}

/// What no model may see.
const SECRET: &str = "kestrel-4711";

/// Lets a call be asked about, changes something, and says yes; returns what the result says.
fn meanwhile(tool: &str, arguments: &Value, change: impl FnOnce(&Path, &Path)) -> (Jp, String) {
    let jp = victim(&answer("Go", tool, &arguments.to_string()), "");
    jp.write("notes.txt", "carrots\n");
    jp.write("src/key", "radishes\n");
    let outside: PathBuf = jp.write("../outside/key", format!("{SECRET}\n"));
    let terminal = shell(&jp);
    prompted(&terminal, "Go", || {});
    change(&jp.path(""), outside.parent().unwrap());
    terminal.press("y");
    terminal.wait_for("status 0");
    drop(terminal);
    let stored = jp.run(&["conversation", "export", "--format", "json"]).ok();
    assert!(!stored.contains(SECRET), "{tool}: {stored}");
    assert_eq!(fs::read_to_string(outside).unwrap(), format!("{SECRET}\n"), "{tool}");
    let stored: Value = serde_json::from_str(&stored).unwrap();
    let events = stored["turns"][0]["events"].as_array().unwrap();
    let result = events.iter().find(|event| event["type"] == "tool-result").unwrap();
    let result = result["content"].as_str().unwrap().to_owned();
    (jp, result)
}

fn relink(path: &Path, to: &Path) {
    match path.is_dir() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap(),
    }
    symlink(to, path).unwrap();
}

#[test]
fn what_was_put_in_place_of_a_file_after_the_prompt_is_not_touched() {
    let out = |at: &Path, outside: &Path| relink(&at.join("notes.txt"), &outside.join("key"));
    let inside = |at: &Path, _: &Path| relink(&at.join("notes.txt"), Path::new("src/key"));
    let directory = |at: &Path, outside: &Path| relink(&at.join("src"), outside);
    let other =
        |at: &Path, _: &Path| fs::write(at.join("notes.txt"), "carrots and more\n").unwrap();
    type Change = fn(&Path, &Path);
    let read = json!({ "path": "notes.txt" });
    let modify = json!({
        "path": "notes.txt",
        "replacements": [{ "old_text": "carrots", "new_text": "beets" }],
    });
    let create = json!({ "path": "src/new.txt", "content": "x" });
    let list = json!({ "path": "src" });
    let run = json!({ "command": ["cat", "key"], "cwd": "src" });
    let cases: [(&str, &Value, Change); 9] = [
        ("fs_read_file", &read, out),
        ("fs_read_file", &read, inside),
        ("fs_modify_file", &modify, out),
        ("fs_modify_file", &modify, inside),
        ("fs_modify_file", &modify, other),
        ("fs_create_file", &create, directory),
        ("fs_list_files", &list, directory),
        ("fs_search", &json!({ "path": "src", "pattern": "kes" }), directory),
        ("run_command", &run, directory),
    ];
    for (tool, arguments, change) in cases {
        let (jp, result) = meanwhile(tool, arguments, change);
        assert!(result.contains("did nothing"), "{tool}: {result}");
        assert!(!jp.path("../outside/new.txt").exists(), "{tool}");
        let notes = fs::read_to_string(jp.path("src/key"));
        assert!(!notes.is_ok_and(|notes| notes.contains("beets")), "{tool}");
    }
}
