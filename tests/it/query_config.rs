//! What settings do to a query, and what a query does to settings.

use crate::{
    loopback::Loopback,
    query::{answer, ask, client, configure, files, only, player, saying},
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

#[test]
fn a_model_that_completes_a_turn_answers_from_then_on() {
    let jp = player(
        "[[answer]]\nstep = [{ error = \"refused\", message = \"no\" }]\n\n\
         [[answer]]\nwhen = \"More\"\ntext = \"More.\"\n",
    );
    let other = jp.world().join("home/other.toml");
    std::fs::write(&other, "[[answer]]\ntext = \"One.\"\n\n[[answer]]\ntext = \"Two.\"\n").unwrap();
    configure(&jp, "\n[providers.other]\napi = \"script\"\nfile = \"~/other.toml\"\n");
    assert_eq!(ask(&jp, &["--new", "Hi"]).code, 1);
    let id = only(&jp);
    assert_eq!(answer(ask(&jp, &["--no-edit", "-m", "other/y"])), "One.\n");
    assert_eq!(
        files(&jp, &id),
        ["000-request.md", "001-config-delta.toml", "002-message.md"],
        "the change stands before the answer"
    );
    assert_eq!(answer(ask(&jp, &["Go on"])), "Two.\n");
    assert_eq!(jp.show(&id)["turns"], 2);
    jp.assert_sound();
}

#[test]
fn a_model_that_calls_for_tools_without_end_is_stopped() {
    let call = "[[answer]]\nstep = [{ call = \"good\", arguments = {} }]\n\n";
    let jp = player(&format!("{}[[answer]]\ntext = \"Done.\"\n", call.repeat(4)));
    let limit = "assistant.max_rounds=2";
    let output = ask(&jp, &["--new", "-c", limit, "--quiet", "Go"]);
    let id = only(&jp);
    let next = format!(
        "Hint: `jp resume {id}` goes on\n\
         Hint: `assistant.max_rounds` says how many rounds a query may take\n"
    );
    let twice = "error: the model has called for tools 2 times without coming to an end\n";
    output.fails(1, &format!("{twice}{next}"));
    assert_eq!(jp.show(&id)["status"], "interrupted (pending follow-up)");
    // The limit is a part of the conversation, and counts anew when the user says go on.
    ask(&jp, &["-E", "--quiet"]).fails(1, &format!("{twice}{next}"));
    assert_eq!(answer(ask(&jp, &["-E"])), "Done.\n");
    let ran = std::fs::read_to_string(jp.path("ran")).unwrap();
    assert_eq!(ran, "fine\n".repeat(4));
}
