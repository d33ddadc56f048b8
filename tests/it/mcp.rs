//! MCP servers from a user's point of view: declared, trusted, listed, called, ended.

#[path = "../helpers/mcp_server.rs"]
pub mod played;

use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Jp, Output};

/// A user with the built-in guide, and a place where the server writes down what it hears.
fn user(settings: &str) -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let jp = jp.with_var(played::MANNER, "legacy").with_var(played::LOG, jp.path("log"));
    let file = jp.world().join("config/jp/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, settings).unwrap();
    jp
}

/// The words that start the server.
fn argv() -> [String; 4] {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    [program.as_str(), "--exact", "--nocapture", "mcp::played::plays_the_server"].map(str::to_owned)
}

/// How the server is declared.
fn declared(name: &str, more: &str) -> String {
    declared_by(name, &[]) + more + "\n"
}

/// How the server is declared that other words start.
pub fn declared_by(name: &str, words: &[&str]) -> String {
    let environment = format!("[\"{}\", \"{}\"]", played::MANNER, played::LOG);
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).chain(argv()).collect();
    format!("[mcp.{name}]\ncommand = {words:?}\nenvironment = {environment}\n")
}

fn log(jp: &Jp) -> String {
    fs::read_to_string(jp.path("log")).unwrap_or_default()
}

fn ask(jp: &Jp, request: &str) -> Output {
    jp.run(&["q", "--new", "--non-interactive", request])
}

#[test]
fn a_model_calls_a_tool_of_a_server_and_the_server_ends_with_the_query() {
    let jp = user(&declared("srv", "permission = \"allow\""));
    let output = ask(&jp, "call srv__echo {\"a\": 1}");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("{\"a\":1}"), "{}", output.stdout);
    assert!(log(&jp).ends_with("tools/call echo\nend of input\n"), "{}", log(&jp));
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    let id = listed[0]["id"].as_str().unwrap();
    let names = jp.git(&["ls-tree", "--name-only", id]);
    assert!(names.contains("tool-result-srv__echo"), "{names}");
}

#[test]
fn without_permission_and_without_a_terminal_no_tool_of_a_server_is_called() {
    let jp = user(&declared("srv", ""));
    ask(&jp, "call srv__echo {}");
    assert!(!log(&jp).contains("tools/call"), "{}", log(&jp));
    let jp = user(
        &(declared("srv", "permission = \"allow\"") + "[tools.srv__echo]\npermission = \"deny\"\n"),
    );
    ask(&jp, "call srv__echo {}");
    assert!(!log(&jp).contains("tools/call"), "{}", log(&jp));
}

#[test]
fn a_server_that_does_not_start_is_told_in_one_line_and_the_query_goes_on() {
    let jp = user("[mcp.gone]\ncommand = [\"/nowhere/at-all\"]\n");
    let output = ask(&jp, "What is a conversation?");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let expected = "warning: the MCP server `gone` is not there: `/nowhere/at-all` cannot be run: \
                    No such file or directory\n";
    assert!(output.stderr.starts_with(expected), "{}", output.stderr);
    let quits = jp.with_var(played::MANNER, "quit");
    fs::write(jp.world().join("config/jp/config.toml"), declared("q", "")).unwrap();
    let output = ask(&quits, "What is a conversation?");
    assert!(output.stderr.lines().next().unwrap().ends_with("there is no / configuration"));
}

#[test]
fn servers_and_tools_are_listed() {
    let settings = declared("srv", "tools = [\"echo\", \"fail\"]\nidempotent = [\"echo\"]")
        + "[mcp.off]\ncommand = [\"x\"]\nenable = false\n\
           [tools.mine]\ncommand = [\"cat\"]\npermission = \"allow\"\n";
    let jp = user(&settings);
    let config = jp.world().join("config/jp/config.toml");
    let listed = jp.run(&["mcp", "ls"]);
    let expected = format!(
        "SERVER  STATE  TOOLS  FROM\noff     off           {0}:7:1\nsrv     ready  2      {0}:2:1\n",
        config.display()
    );
    let hint = "Hint: `jp tools ls` lists their tools\n";
    assert_eq!((listed.stdout, listed.stderr.as_str()), (expected, hint));
    let servers = jp.run(&["mcp", "ls", "--format", "json"]).json()["servers"].clone();
    let expected = json!({
        "name": "srv", "from": format!("{}:2:1", config.display()), "reached": argv()[0],
        "state": "ready", "error": null, "notes": [],
        "tools": [
            { "name": "srv__echo", "original": "echo" },
            { "name": "srv__fail", "original": "fail" },
        ],
    });
    assert_eq!(servers[1], expected);
    let tools = jp.run(&["tools", "ls", "--format", "json"]).json()["tools"].clone();
    let pick = |name: &str| -> Value {
        let all = tools.as_array().unwrap();
        let tool = all.iter().find(|tool| tool["name"] == name).unwrap();
        json!([tool["from"], tool["permission"], tool["idempotent"]])
    };
    assert_eq!(pick("mine"), json!(["command", "allow", false]));
    assert_eq!(pick("srv__echo"), json!(["mcp srv", "ask", true]));
    assert_eq!(pick("srv__fail"), json!(["mcp srv", "ask", false]));
    let text = jp.run(&["tools", "ls"]).ok();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines.contains(&"srv__echo       mcp srv   ask         yes"), "{text}");
    assert!(lines.contains(&"fs_read_file    built in  ask         yes"), "{text}");
}

#[test]
fn a_tool_is_run_by_hand_through_the_same_permission() {
    let jp = user(&declared("srv", "permission = \"allow\""));
    let run = |args: &[&str]| jp.run(&[&["tools", "run", "--non-interactive"][..], args].concat());
    assert_eq!(run(&["srv__echo", "{\"a\": 2}"]).ok(), "{\"a\":2}\n");
    let json = run(&["srv__echo", "--format", "json"]).json();
    assert_eq!(json, json!({ "is_error": false, "content": "{}" }));
    let failed = run(&["srv__fail"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, "no\n"));
    run(&["srv__ecko"]).fails(
        2,
        "error: there is no tool `srv__ecko`: did you mean `srv__echo`?\n\
         Hint: `jp tools ls` lists them\n",
    );
    assert_eq!(run(&["srv__echo", "[1]"]).code, 2);
    fs::write(jp.world().join("config/jp/config.toml"), declared("srv", "")).unwrap();
    fs::remove_file(jp.path("log")).unwrap();
    let refused = run(&["srv__echo"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("was not run"), "{}", refused.stdout);
    assert!(!log(&jp).contains("tools/call"), "{}", log(&jp));
}

#[test]
fn a_project_names_servers_in_mcp_json_and_they_count_when_it_is_trusted() {
    let jp = user("[mcp.srv]\npermission = \"allow\"\n");
    let [program, args @ ..] = argv();
    let env = json!({ played::MANNER: "${PLAYED_MANNER:-legacy}", played::LOG: "${PLAYED_LOG}" });
    let document = json!({ "mcpServers": {
        "srv": { "command": program, "args": args, "env": env },
        "thief": { "command": program, "args": ["${OPENAI_API_KEY}"] },
        "lost": { "command": "x", "args": ["${NOT_SET_ANYWHERE}"] },
    } });
    jp.write(".mcp.json", document.to_string());
    let jp = jp.with_var("OPENAI_API_KEY", "sk-0123456789");
    ask(&jp, "call srv__echo {}");
    assert_eq!(log(&jp), "");
    let hash = jp.run(&["trust", "--show", "--format", "json"]).json()["hash"].clone();
    jp.run(&["trust", "--accept", hash.as_str().unwrap()]).ok();
    let output = ask(&jp, "call srv__echo {}");
    assert!(log(&jp).contains("tools/call echo"), "{}", output.stderr);
    for expected in [
        "the MCP server `thief` is not there: `args` holds the key of a provider, which no server \
         gets\n",
        "the MCP server `lost` is not there: the variable `NOT_SET_ANYWHERE` is not set, and there \
         is no default for it\n",
    ] {
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    assert!(!output.stderr.contains("sk-0123456789"));
    let states = jp.run(&["mcp", "ls", "--format", "json"]).stdout;
    let states: Value = serde_json::from_str(&states).unwrap();
    let states: Vec<_> = states["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| (server["name"].clone(), server["state"].clone(), server["from"].clone()))
        .collect();
    let from = json!(".mcp.json");
    let expected = [("lost", "failed"), ("srv", "ready"), ("thief", "failed")]
        .map(|(name, state)| (json!(name), json!(state), from.clone()));
    assert_eq!(states, expected);
}

#[test]
fn a_query_that_is_told_to_end_leaves_no_server_behind() {
    let jp = user(&declared("srv", "permission = \"allow\""));
    let mut command = jp.jp(&["q", "--new", "--non-interactive", "call srv__wait {}"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while !log(&jp).contains("tools/call wait") {
        assert!(began.elapsed() < Duration::from_secs(60), "the tool is not called");
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert!(log(&jp).contains("notifications/cancelled\n"), "{}", log(&jp));
    assert!(log(&jp).ends_with("end of input\n"), "{}", log(&jp));
}
