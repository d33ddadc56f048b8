//! What jp answers to a shell, and the scripts that ask it. `tests/system` asks real shells.

use std::fs;

use crate::support::{Jp, Output, contents, message, request};

/// What fish would get for these words, the last of which is being typed: values and their help.
#[track_caller]
fn offered(jp: &Jp, words: &[&str]) -> Vec<String> {
    let mut args = vec!["--", "jp"];
    args.extend(words);
    let answer = jp.with_var("JP_COMPLETE", "fish").run(&args).ok();
    answer.lines().map(str::to_owned).collect()
}

/// The same without the help.
#[track_caller]
fn values(jp: &Jp, words: &[&str]) -> Vec<String> {
    let value = |line: String| line.split('\t').next().unwrap().to_owned();
    offered(jp, words).into_iter().map(value).collect()
}

/// A title for the conversation, by git alone.
fn retitle(jp: &Jp, id: &str, title: &str, second: u32) {
    let meta = format!("format = \"1.0\"\ntitle = {title}\n");
    let date = format!("2040-01-01T00:00:{second:02}Z");
    jp.with_var("GIT_COMMITTER_DATE", date).edit(id, ".conversation/meta.toml", meta);
}

#[test]
fn conversations_are_offered_with_their_titles_and_the_last_changed_comes_first() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("One\n")]);
    let two = jp.start(&[&request("Two\n"), &message("2\n")]);
    let untitled = jp.start(&[&message("no request, no title\n")]);
    retitle(&jp, &one, "\"First\"", 2);
    retitle(&jp, &two, "\"Second\"", 1);
    let all = [format!("{one}\tFirst"), format!("{two}\tSecond"), untitled.clone()];
    for words in [
        &["c", "show", ""][..],
        &["conversation", "show", "jp"],
        &["c", "show", "--format", "json", ""],
        &["c", "cat", ""],
        &["c", "append", ""],
        &["c", "fsck", ""],
        &["c", "grep", "pattern", ""],
        &["c", "grep", "pattern", &one, ""],
        &["c", "fsck", "--repair", &one, ""],
    ] {
        assert_eq!(offered(&jp, words), all, "{words:?}");
    }
    assert_eq!(offered(&jp, &["c", "show", &two]), [format!("{two}\tSecond")]);
    let bare = |id: &str| id.trim_start_matches("jp-c").to_owned();
    assert_eq!(values(&jp, &["c", "show", "1"]), [bare(&one), bare(&two), bare(&untitled)]);
}

#[test]
fn the_words_are_offered_to_who_begins_one() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let words = ["last", "last-activated", "last-created"];
    assert_eq!(values(&jp, &["c", "show", "l"]), words);
    assert_eq!(values(&jp, &["c", "use", "p"]), ["previous", "prev"]);
    assert_eq!(values(&jp, &["q", "--id=last-c"]), ["--id=last-created"]);
    assert_eq!(
        offered(&jp, &["c", "print", "prev"]),
        [
            "previous\tthe one that this terminal had before",
            "prev\tthe one that this terminal had before"
        ]
    );
    assert_eq!(values(&jp, &["c", "use", ""]), [id]);
    assert_eq!(values(&jp, &["c", "unarchive", "l"]), Vec::<String>::new());
}

#[test]
fn bash_and_zsh_say_which_word_is_being_completed() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("a: b\\c\n")]);
    let at = |shell: &str, index: &str, words: &[&str]| {
        let jp = jp.with_var("JP_COMPLETE", shell).with_var("_CLAP_COMPLETE_INDEX", index);
        let args: Vec<_> = ["--", "jp"].iter().chain(words).copied().collect();
        jp.with_var("_CLAP_IFS", "\n").run(&args).ok()
    };
    assert_eq!(at("bash", "3", &["c", "show", "", "--format", "json"]), id);
    assert_eq!(at("bash", "5", &["c", "show", &id, "--format", "j"]), "json");
    assert_eq!(at("elvish", "3", &["c", "show", "jp-c"]), id);
    assert_eq!(at("zsh", "3", &["c", "show"]), format!("{id}:a: b\\\\c"));
}

#[test]
fn titles_are_made_harmless_and_short() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    retitle(&jp, &id, r#""\u001b]2;pwned\u0007\ttab\nline\u202e""#, 1);
    let harmless = "\\u{1b}]2;pwned\\u{7}\\ttab\\nline\\u{202e}";
    assert_eq!(offered(&jp, &["c", "show", ""]), [format!("{id}\t{harmless}")]);
    retitle(&jp, &id, &format!("\"{}\"", "ü".repeat(200)), 2);
    assert_eq!(offered(&jp, &["c", "show", ""]), [format!("{id}\t{}…", "ü".repeat(59))]);
}

#[test]
fn the_events_of_the_conversation_on_the_line_are_offered() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("One\n"), &message("1\n")]);
    jp.start(&[&request("Two\n")]);
    let events = ["000\t000-request.md", "001\t001-message.md"];
    assert_eq!(offered(&jp, &["c", "cat", &one, ""]), events);
    assert_eq!(offered(&jp, &["c", "cat", &one, "001"]), events[1..]);
    assert_eq!(
        values(&jp, &["c", "cat", "jp-c0", ""]),
        ["--at", "--color", "--no-pager", "--help"]
    );
}

#[test]
fn append_wants_a_conversation_and_then_files() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.write("a.md", "");
    let files = ["events/", "a.md", "-"];
    assert_eq!(values(&jp, &["c", "append", ""]), [id.as_str()]);
    assert_eq!(values(&jp, &["c", "append", "--new", "a"]), ["a.md"]);
    assert_eq!(values(&jp, &["c", "append", &id, "events/0"]), ["events/0.md"]);
    let mut offered = values(&jp, &["c", "append", &id, "a.md", ""]);
    offered.retain(|value| files.contains(&value.as_str()));
    offered.sort_by_key(|value| files.iter().position(|file| file == value));
    assert_eq!(offered, files);
}

#[test]
fn commands_options_and_schemas_are_offered() {
    let jp = Jp::new();
    let commands = values(&jp, &["c", ""]);
    for command in ["append", "ls", "show", "cat", "fsck"] {
        assert!(commands.contains(&command.to_owned()), "{commands:?}");
    }
    assert!(!values(&jp, &[""]).contains(&"reference".to_owned()));
    assert_eq!(
        offered(&jp, &["c", "sh"]),
        ["show\tShow a conversation: what it is waiting for, and its events"]
    );
    assert_eq!(values(&jp, &["c", "ls", "--for"]), ["--format"]);
    let roles = ["user", "assistant", "tool", "attachment", "system"];
    assert_eq!(values(&jp, &["c", "grep", "pattern", "--role", ""]), roles);
    assert_eq!(
        offered(&jp, &["c", "ls", "--format", ""]),
        ["text\tFor people", "json\tFor programs"]
    );
    assert_eq!(values(&jp, &["schema", "tool-"]), ["tool-call", "tool-start", "tool-result"]);
    let types = values(&jp, &["c", "template", "tool-"]);
    assert_eq!(types, ["tool-call", "tool-start", "tool-result"]);
}

#[test]
fn a_shell_hears_nothing_but_candidates_wherever_it_asks() {
    // Options are offered where there is nothing else.
    let no_conversation = |jp: &Jp| {
        let offered = values(jp, &["c", "show", ""]);
        assert!(offered.iter().all(|value| value.starts_with("--")), "{offered:?}");
    };
    let jp = Jp::new();
    no_conversation(&jp);
    no_conversation(&Jp::in_workspace());

    let damaged = Jp::in_workspace();
    let id = damaged.start(&[&request("One\n")]);
    fs::write(damaged.store().join("refs/heads").join(&id), "nonsense").unwrap();
    no_conversation(&damaged);
    fs::write(damaged.store().join("config"), "[extensions]\nrefStorage = reftable\n").unwrap();
    no_conversation(&damaged);

    jp.write("../config/jp/config.toml", "[store\n");
    no_conversation(&jp);
    let homeless = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"];
    no_conversation(&homeless.iter().fold(jp.at("."), |jp, name| jp.with_var(name, "")));
    for words in [&["c", "show", "--help", ""][..], &["nothing", ""], &["c", "show", "x", ""]] {
        values(&jp, words);
    }
}

#[test]
fn completing_changes_nothing() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let before = contents(&jp.world());
    values(&jp, &["c", "show", ""]);
    values(&jp, &["c", "cat", &id, ""]);
    values(&jp.at("../elsewhere"), &["c", "show", ""]);
    fs::remove_dir(jp.path("../elsewhere")).unwrap();
    assert!(contents(&jp.world()) == before);
}

#[test]
fn each_script_calls_jp_by_its_name() {
    let jp = Jp::new();
    let fish = "complete --keep-order --exclusive --command jp --arguments \"(JP_COMPLETE=fish jp \
                -- (commandline --current-process --tokenize --cut-at-cursor) \
                (commandline --current-token))\"\n";
    assert_eq!(jp.run(&["completions", "fish"]).ok(), fish);
    for (shell, first, call) in [
        ("bash", "_clap_complete_jp() {", "\"jp\" -- \"${words[@]}\""),
        ("elvish", "set edit:completion:arg-completer[jp] = { |@words|", "jp -- $@words"),
        (
            "powershell",
            "Register-ArgumentCompleter -Native -CommandName jp -ScriptBlock {",
            "& jp -- $args",
        ),
        ("zsh", "#compdef jp", "jp -- \"${words[@]}\""),
    ] {
        let script = jp.run(&["completions", shell]).ok();
        assert_eq!(script.lines().next(), Some(first));
        assert!(script.contains(call) && script.contains("JP_COMPLETE"), "{script}");
        assert!(!script.contains(env!("CARGO_MANIFEST_DIR")), "{script}");
    }
}

#[test]
fn a_variable_that_nobody_meant_is_named() {
    let jp = Jp::new();
    jp.with_var("JP_COMPLETE", "fish").run(&["c", "ls"]).fails(
        2,
        "error: JP_COMPLETE is set, and there is no command line to complete\n\
         Hint: unset JP_COMPLETE; `jp completions fish` prints the script that sets it\n",
    );
    jp.with_var("JP_COMPLETE", "ksh").run(&["--", "jp", ""]).fails(
        2,
        "error: JP_COMPLETE is `ksh`, which is not a shell that jp can answer\n\
         Hint: one of bash, elvish, fish, powershell, zsh\n",
    );
    let ls = Output::of(jp.with_var("JP_COMPLETE", "").jp(&["c", "ls"]).arg("--format=json"));
    assert_eq!(ls.ok(), "[]\n");
}

#[test]
fn a_shell_is_offered_the_conversations_that_a_command_is_for() {
    let jp = Jp::in_workspace();
    let [active, archived, trashed] = ["A\n", "B\n", "C\n"].map(|text| jp.start(&[&request(text)]));
    jp.run(&["c", "archive", &archived]);
    jp.run(&["c", "rm", &trashed]);
    let offered = |words: &[&str]| -> Vec<String> {
        let args = [&["--", "jp"][..], words].concat();
        let answer = jp.with_var("JP_COMPLETE", "fish").run(&args).ok();
        answer.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
    };
    assert!(offered(&["c", "restore", ""]).contains(&trashed));
    assert!(offered(&["c", "label", "ls", ""]).contains(&active));
    assert_eq!(offered(&["c", "archive", ""]), [active.as_str()]);
    assert_eq!(offered(&["c", "unarchive", ""]), [archived.as_str()]);
}

#[test]
fn a_shell_is_not_offered_what_it_would_run() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    jp.run(&["c", "label", "add", &id, "team=$(touch${IFS}PWNED)", "team2=core"]);
    jp.write("evil;touch PWNED;.md", "");
    jp.write("event.md", "");
    let offered = |words: &[&str]| {
        let args = [&["--", "jp"][..], words].concat();
        jp.with_var("JP_COMPLETE", "fish").run(&args).ok()
    };
    assert_eq!(offered(&["c", "ls", "--label", "te"]), "team2=core\n");
    assert_eq!(offered(&["c", "append", &id, "ev"]), "event.md\nevents/\n");
}
