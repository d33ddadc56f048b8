//! Real editors on a draft that gives them orders.

use std::{fs, process::Stdio};

use jp::{
    edit::{Draft, Sheet},
    env::Env,
    model::Timestamp,
};

/// A line from which vim would take a setting, as a model could have written it.
const ORDER: &str = "<!-- vim: set tabstop=3: -->";

/// What `tabstop` is in a vim that the user allows to take settings from files.
fn tabstop_in(program: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let (rc, result) = (home.path().join("rc.vim"), home.path().join("result"));
    fs::write(&rc, "set modeline modelines=5\nautocmd!\n").unwrap();
    let vars = [
        ("JP_EDITOR".into(), program.into()),
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("HOME".into(), home.path().into()),
        ("TERM".into(), "dumb".into()),
    ];
    let env = Env::fixed(vars, home.path().to_owned(), Timestamp::from_seconds(0));
    let mut draft =
        Draft::create(&env, home.path(), &Sheet { text: ORDER, answered: None }).unwrap();
    let write = format!("call writefile([&tabstop], '{}')", result.display());
    let written = draft.edit(&env, |command| {
        command.arg("-u").arg(&rc).args(["-i", "NONE", "-c", &write, "-c", "qa!"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
    });
    assert_eq!(written.unwrap().as_deref(), Some(ORDER));
    fs::read_to_string(result).unwrap()
}

#[test]
fn vim_takes_no_settings_from_what_it_opens() {
    assert_eq!(tabstop_in("vim"), "8\n");
    // In a way in which jp does not know it, the same text has a say.
    assert_eq!(tabstop_in("env vim"), "3\n");
}
