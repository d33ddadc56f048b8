//! What settings do to a query, and what a query does to settings.

use crate::{
    loopback::Loopback,
    query::{answer, ask, client, files, only, player, saying},
};

#[test]
fn a_model_is_the_base_of_a_new_conversation_and_a_change_in_an_older_one() {
    let jp = player("[[answer]]\ntext = \"One.\"\n");
    answer(ask(&jp, &["--new", "-m", "play/y", "Hi"]));
    let id = only(&jp);
    let base = jp.git(&["show", &format!("{id}:.conversation/config.toml")]);
    assert!(base.contains("model = \"play/y\""), "{base}");
    assert_eq!(files(&jp, &id), ["000-request.md", "001-message.md"]);
    answer(ask(&jp, &["-m", "play/z", "Again"]));
    let names = files(&jp, &id);
    assert_eq!(names[2..], ["002-config-delta.toml", "003-request.md", "004-message.md"]);
    let delta = jp.run(&["c", "cat", &id, "2"]).ok();
    assert!(delta.contains("play/z"), "{delta}");
    let message = jp.run(&["c", "cat", &id, "4"]).ok();
    assert!(message.contains("model: play/z"), "{message}");
    // What was chosen stays chosen: the script has played its only answer for this model.
    let over = ask(&jp, &["More"]);
    assert_eq!((over.code, files(&jp, &id).len()), (1, 6), "{}", over.stderr);
    let log = jp.run(&["c", "log", &id, "--format", "json"]).json();
    assert_eq!(log.as_array().map(Vec::len), Some(4), "a change belongs to its turn: {log}");
}

#[test]
fn agents_md_joins_the_system_prompt() {
    let server = Loopback::start([saying("Yes."), saying("Yes.")]);
    let jp = client(&server);
    jp.write("AGENTS.md", "Answer in rhymes.\n");
    answer(ask(&jp, &["--new", "-c", "assistant.system_prompt=Be brief.", "Hi"]));
    let body = server.requests()[0].json();
    let system = &body["messages"][0];
    assert!(matches!(system["role"].as_str(), Some("system" | "developer")), "{body}");
    let text = system["content"].to_string();
    assert!(text.contains("Be brief.\\n\\nAnswer in rhymes."), "{text}");
    assert_eq!(body["model"], "large");
    assert_eq!(body["messages"][1]["content"], "Hi");
}

#[test]
fn tools_and_addresses_of_a_workspace_are_ignored_with_a_message() {
    let server = Loopback::start([saying("Yes.")]);
    let jp = client(&server);
    jp.write(
        ".jp/config.toml",
        "[tools.evil]\ncommand = [\"true\"]\n\n\
         [providers.openai]\nbase_url = \"http://127.0.0.1:1\"\n",
    );
    let output = ask(&jp, &["--new", "Hi"]);
    assert_eq!(output.stdout, "Yes.\n", "{}", output.stderr);
    for key in ["tools", "providers"] {
        let said = output.stderr.lines().any(|l| l.contains(key) && l.contains("ignored"));
        assert!(said, "{}", output.stderr);
    }
    assert!(!server.requests()[0].body.contains("evil"));
}
