//! The built-in tools in a query: on in a workspace, each on the terms that the user settled.

use std::fs;

use serde_json::Value;

use crate::{
    loopback::Loopback,
    query::{answer, ask, client, configure, only, player, saying},
    support::Jp,
};

/// What the calls of a conversation came to.
fn results(jp: &Jp) -> Vec<String> {
    let exported = jp.run(&["c", "export", &only(jp), "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap().clone();
    let results = events.into_iter().filter(|event| event["type"] == "tool-result");
    results.map(|event| event["content"].as_str().unwrap().to_owned()).collect()
}

/// The names of the tools that a model is told of.
fn offered(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn built_in_tools_run_only_as_the_user_settled() {
    let jp = player(
        r#"
[[answer]]
step = [{ call = "fs_create_file", arguments = { path = "made/x.txt", content = "hello\n" } }]

[[answer]]
step = [
    { call = "fs_read_file", arguments = { path = "made/x.txt" } },
    { call = "fs_read_file", arguments = { path = "../../etc/passwd" } },
    { call = "fs_read_file", arguments = { path = ".jp/store/HEAD" } },
    { call = "run_command", arguments = { command = ["touch", "ran"] } },
]

[[answer]]
text = "Done."
"#,
    );
    configure(
        &jp,
        "\n[tools.fs_create_file]\npermission = \"allow\"\n\
         \n[tools.fs_read_file]\npermission = \"allow\"\n",
    );
    assert_eq!(answer(ask(&jp, &["--new", "Go"])), "Done.\n");
    assert_eq!(fs::read_to_string(jp.path("made/x.txt")).unwrap(), "hello\n");
    let results = results(&jp);
    assert_eq!(results[0], "Created `made/x.txt` with 1 line and 6 bytes.");
    assert!(results.contains(&"hello\n".to_owned()), "{results:?}");
    let said = |text: &str| results.iter().any(|result| result.contains(text));
    assert!(said("`../../etc/passwd` is outside of the workspace"), "{results:?}");
    assert!(said("`.jp/store/HEAD` is off limits"), "{results:?}");
    assert!(said("The tool `run_command` was not run"), "{results:?}");
    assert!(!jp.path("ran").exists());
}

#[test]
fn built_in_tools_can_be_turned_off_and_replaced() {
    let server = Loopback::start([saying("Yes."), saying("Yes."), saying("Yes.")]);
    let jp = client(&server);
    answer(ask(&jp, &["--new", "Hi"]));
    let all = [
        "fs_create_file",
        "fs_list_files",
        "fs_modify_file",
        "fs_patch_file",
        "fs_read_file",
        "fs_search",
        "run_command",
    ];
    assert_eq!(offered(&server.requests()[0].json()), all);
    configure(
        &jp,
        "\n[tools.run_command]\nenable = false\n\
         \n[tools.fs_search]\ncommand = [\"rg\"]\ndescription = \"my own\"\n\
         \n[tools.fs_saerch]\npermission = \"allow\"\n",
    );
    let output = ask(&jp, &["--new", "Hi"]);
    assert!(
        output.stderr.contains("`[tools.fs_saerch]` has no `command`, and no tool is called so"),
        "{}",
        output.stderr
    );
    let request = server.requests()[1].json();
    assert_eq!(offered(&request), all[..6]);
    assert_eq!(request["tools"][5]["function"]["description"], "my own");
    let outside = jp.at(jp.world().join("home"));
    answer(ask(&outside, &["--new", "Hi"]));
    assert_eq!(offered(&server.requests()[2].json()), ["fs_search"]);
}
