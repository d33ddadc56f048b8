//! What editors, pagers, git and tools get to see: what they need, and no key under any name.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{
    query::configure,
    support::{Jp, Output, request},
};

/// Keys of providers: by the usual names, and by one that the user chose.
const KEYS: [(&str, &str); 3] = [
    ("ANTHROPIC_API_KEY", "sk-ant-planted-0123456789"),
    ("OPENAI_API_KEY", "sk-planted-9876543210"),
    ("MY_OWN_NAME", "planted-under-my-own-name"),
];

/// Where else somebody may have put them.
const PLACES: [&str; 27] = [
    "ALL_PROXY",
    "BAT_STYLE",
    "COLORTERM",
    "EMACSLOADPATH",
    "EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "GITHUB_TOKEN",
    "KITTY_WINDOW_ID",
    "LANG",
    "LC_IDENTIFICATION",
    "LESS",
    "LESSOPEN",
    "LS_COLORS",
    "LV",
    "NOTES",
    "NVIM_APPNAME",
    "PYTHONSTARTUP",
    "QT_PLUGIN",
    "SSH_ASKPASS",
    "TERM_PROGRAM",
    "TMUX_TMPDIR",
    "VIMINIT",
    "WSLENV",
    "XDG_MENU_PREFIX",
    "https_proxy",
];

/// What all of them need.
const NEEDED: [(&str, &str); 4] =
    [("DISPLAY", ":7"), ("LC_TIME", "C"), ("SSH_AUTH_SOCK", "/run/agent"), ("USER", "ann")];

/// A program that writes down its variables, and an answer if it is an editor.
fn spy(jp: &Jp, name: &str) -> PathBuf {
    let seen = jp.world().join("seen");
    let path = jp.write(
        &format!("../spies/{name}"),
        format!(
            "#!/bin/sh\nenv > '{}'\ntest -f \"$1\" && echo say hello > \"$1\"\ncat >/dev/null\n",
            seen.display()
        ),
    );
    fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// A user with keys everywhere.
fn careless() -> Jp {
    let mut jp = Jp::in_workspace();
    configure(
        &jp,
        "[providers.work]\napi = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\n\
                    api_key_env = \"MY_OWN_NAME\"\n",
    );
    for (index, place) in PLACES.iter().enumerate() {
        jp = jp.with_var(place, format!("with {} in it", KEYS[index % KEYS.len()].1));
    }
    for (name, value) in KEYS.iter().chain(&NEEDED) {
        jp = jp.with_var(name, value);
    }
    let path = std::env::var("PATH").unwrap();
    let spies = jp.world().join("spies");
    jp.with_var("JP_SESSION", "one")
        .with_var("TERM", "xterm")
        .with_var("LINES", "5")
        .with_var("COLUMNS", "40")
        .with_var("PATH", format!("{}:{path}", spies.display()))
}

/// Asserts that a child saw what it needs, and no key.
#[track_caller]
fn assert_saw_no_key(jp: &Jp, told: &str) {
    let seen = jp.world().join("seen");
    let text = fs::read_to_string(&seen).unwrap_or_else(|_| panic!("it ran: {told}"));
    fs::remove_file(&seen).unwrap();
    for (name, key) in KEYS {
        assert!(!text.contains(key) && !text.contains(name), "{text}");
    }
    for (name, value) in NEEDED {
        assert!(text.lines().any(|line| line == format!("{name}={value}")), "{name}: {text}");
    }
}

/// Runs jp in a terminal of its own.
#[cfg(target_os = "linux")]
fn in_terminal(jp: &Jp, command: &str) -> String {
    let line = format!("'{}' {command}", env!("CARGO_BIN_EXE_jp"));
    let mut script = jp.command("script");
    script.args(["-qec", &line, "/dev/null"]);
    Output::of(&mut script).stdout
}

#[cfg(target_os = "linux")]
#[test]
fn an_editor_and_a_pager_see_no_key() {
    let jp = careless();
    let editor = spy(&jp, "editor").display().to_string();
    for name in ["JP_EDITOR", "VISUAL", "EDITOR"] {
        for value in [editor.clone(), format!("'{editor}'")] {
            let told = in_terminal(&jp.with_var(name, value), "q --new");
            assert_saw_no_key(&jp, &told);
        }
    }
    jp.start(&[&request(&"Question\n\n".repeat(50))]);
    let pager = spy(&jp, "pager").display().to_string();
    spy(&jp, "less");
    for jp in [jp.with_var("JP_PAGER", &pager), jp.with_var("PAGER", &pager), jp.at(".")] {
        let told = in_terminal(&jp, "c print");
        assert_saw_no_key(&jp, &told);
    }
}

#[test]
fn git_and_a_tool_see_no_key() {
    let jp = careless();
    jp.start(&[&request("Question\n")]);
    let fake = spy(&jp, "git");
    for args in [&["git", "log"][..], &["store", "fsck"], &["store", "pack"]] {
        let told = jp.run(args).stderr;
        assert_saw_no_key(&jp, &told);
    }
    fs::remove_file(fake).unwrap();
    let tool = spy(&jp, "tool");
    let names = r#"["DISPLAY", "SSH_AUTH_SOCK", "*"]"#;
    configure(&jp, &declaration(&tool, names));
    let told = jp.run(&["q", "--non-interactive", "--new", "call spy {}"]).stderr;
    assert_saw_no_key(&jp, &told);
}

fn declaration(tool: &Path, environment: &str) -> String {
    format!(
        "[tools.spy]\ncommand = [{:?}]\npermission = \"allow\"\nenvironment = {environment}\n",
        tool.display().to_string()
    )
}
