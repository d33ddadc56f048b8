//! Queries in the background and those who come to them late: somebody at a terminal whose server
//! has ended, somebody else, and somebody who wants one ended that does not move.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use serde_json::Value;

use crate::{
    query::{begin, player, process, shell, until},
    sockets::{tells, tells_other},
    support::Jp,
};

/// Asks in the background; the conversation.
fn detach(jp: &Jp, more: &[&str]) -> String {
    let output = jp.run(&[&["q", "--detach", "--new", "begin"][..], more].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout.trim_end().to_owned()
}

fn status(jp: &Jp, id: &str) -> String {
    jp.show(id)["status"].as_str().unwrap().to_owned()
}

fn events(jp: &Jp, id: &str, event_type: &str) -> Vec<Value> {
    let exported = jp.run(&["c", "export", id, "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap().clone();
    events.into_iter().filter(|event| event["type"] == *event_type).collect()
}

#[test]
fn a_question_that_outlived_its_server_is_asked_at_a_terminal() {
    for command in ["jp c attach ID", "jp resume ID", "jp q --continue-turn --id=ID"] {
        let jp = player(
            "[[answer]]\nstep = [{ text = \"Let me look.\" }, { call = \"greet\", arguments = {} }]\n\
             [[answer]]\nexpect = \"hello\"\ntext = \"Done.\"\n",
        );
        let id = detach(&jp, &["-c", "detached.patience=50ms"]);
        until("the end of its patience", || {
            let shown = jp.show(&id);
            shown["process"].is_null() && shown["status"] == "waiting-for-input (greet)"
        });
        let terminal = shell(&jp);
        begin(&terminal, &format!("{}; echo status $?", command.replace("ID", &id)));
        let screen = terminal.wait_for("[a] always");
        let shows_before = screen.contains("begin\n\n") && screen.contains("Let me look.\n");
        assert!(shows_before || !command.contains("attach"), "{screen}");
        assert_eq!(events(&jp, &id, "tool-start"), Vec::<Value>::new());
        terminal.type_text("y");
        terminal.wait_for("status 0");
        assert!(terminal.history().contains("\nDone.\n"), "{command}: {}", terminal.history());
        until("the end", || status(&jp, &id) == "idle");
        let of = |event_type: &str| events(&jp, &id, event_type);
        let asked = of("inquiry-request");
        assert_eq!((asked.len(), of("tool-start").len()), (1, 1), "{command}");
        let answers = of("inquiry-response");
        assert_eq!((answers.len(), &answers[0]["id"]), (1, &asked[0]["id"]), "{command}");
        assert_eq!(of("tool-result")[0]["content"], "hello\n");
    }
}

/// A query whose tool runs until there is something in the file `hold`.
fn held() -> (Jp, String) {
    let jp = player(
        "[[answer]]\nstep = [{ call = \"waits\", arguments = {} }]\n\n[[answer]]\ntext = \"Done.\"\n",
    );
    let config = jp.world().join("config/jp/config.toml");
    let tool = "\n[tools.waits]\ncommand = [\"sh\", \"-c\", \"echo $$ >pid; cat hold\"]\n\
                permission = \"allow\"\nparameters = { type = \"object\" }\n";
    jp.write("../config/jp/config.toml", fs::read_to_string(config).unwrap() + tool);
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    let id = detach(&jp, &[]);
    process(&jp.path("pid"));
    (jp, id)
}

#[test]
fn another_user_who_gets_at_the_socket_of_a_query_is_told_nothing_and_changes_nothing() {
    let (jp, id) = held();
    let before = jp.show(&id);
    let socket = PathBuf::from(before["process"]["socket"].as_str().unwrap());
    let directory = socket.parent().unwrap().to_owned();
    let let_in = |mode: [u32; 3]| {
        let paths = [&socket, &directory, &directory.parent().unwrap().to_owned()];
        for (path, mode) in paths.into_iter().zip(mode) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let hello = |role: &str| {
        format!("{{\"type\":\"hello\",\"version\":1,\"pid\":1,\"role\":\"{role}\"}}\n")
    };
    assert_eq!(tells_other(&socket, &hello("watcher")), "refused: Permission denied\n");
    let_in([0o666, 0o755, 0o755]);
    let own = tells(&socket, &hello("watcher"));
    assert!(own.starts_with("heard {\"type\":\"welcome\","), "{own}");
    let stop = hello("messenger") + "{\"type\":\"stop\"}\n";
    for words in [&hello("watcher"), &hello("person"), &hello("command"), &stop] {
        assert_eq!(tells_other(&socket, words), "closed\n", "{words}");
    }
    let_in([0o600, 0o700, 0o700]);
    assert_eq!(jp.show(&id), before, "it goes on as if nobody had been there");
    fs::write(jp.path("hold"), "let go\n").unwrap();
    let waited = jp.run(&["c", "wait", &id]);
    assert_eq!((waited.code, waited.stdout), (0, format!("{id}: complete\n")));
    assert!(jp.run(&["c", "print", "--raw", &id]).ok().contains("Done."));
}

#[test]
fn a_server_that_does_not_move_is_ended_only_by_force_and_whoever_asks_is_told_so() {
    let (jp, id) = held();
    let pid = jp.show(&id)["process"]["pid"].to_string();
    assert!(jp.command("kill").args(["-STOP", &pid]).status().unwrap().success());
    // It may have something to save: it is given twenty seconds.
    jp.run(&["c", "kill", &id]).fails(
        1,
        &format!(
            "error: process {pid} does not end\n\
             Hint: `jp conversation kill {id} --force` kills it; what is stored is safe\n"
        ),
    );
    assert_eq!(status(&jp, &id), format!("running (pid {pid})"));
    let forced = jp.run(&["c", "kill", &id, "--force"]);
    let ended = format!("{id}: process {pid} has ended\n");
    assert_eq!((forced.code, forced.stdout), (0, ended), "{}", forced.stderr);
    assert_eq!(status(&jp, &id), "interrupted (pending tool execution)");
    jp.assert_sound();
}
