//! Turns that cannot go on as they began: each reason is named, with the ways out.

use std::fs;

use crate::{
    loopback::{Loopback, Step},
    query::{answer, ask, client, configure, only, saying},
    support::{Jp, Output},
};

const TOOL: &str = r#"
[tools.look]
command = ["echo seen"]
shell = true
permission = "allow"
parameters = { type = "object", properties = { at = { type = "integer", description = "where-it-is" } } }
"#;

/// An answer that calls for a tool.
fn calling(tool: &str) -> Vec<Step> {
    let delta = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"type\":\
         \"function\",\"function\":{{\"name\":\"{tool}\",\"arguments\":\"{{\\\"at\\\":1}}\"}}}}]}}}}]}}\
         \n\ndata: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"tool_calls\"}}]}}\n\n\
         data: [DONE]\n\n"
    );
    crate::loopback::reply(200, "text/event-stream", &delta)
}

/// A turn whose follow-up failed, in front of a server that answers now.
fn interrupted() -> (Jp, Loopback, String) {
    let refused =
        crate::loopback::reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let server = Loopback::start([calling("look"), refused, saying("Done."), saying("More.")]);
    let jp = client(&server);
    configure(&jp, TOOL);
    jp.write("AGENTS.md", "Speak plainly.\n");
    assert_eq!(ask(&jp, &["--new", "Go"]).code, 1);
    let id = only(&jp);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending follow-up)");
    (jp, server, id)
}

fn reconfigure(jp: &Jp, from: &str, to: &str) {
    let file = jp.world().join("config/jp/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from));
    fs::write(file, text.replace(from, to)).unwrap();
}

/// Asserts that a turn does not go on by itself, for this reason, and changes nothing.
#[track_caller]
fn refused(jp: &Jp, id: &str, why: &str) -> Output {
    let tip = jp.tip(id);
    let output = jp.run(&["resume", id]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let said = format!("error: the last turn of {id} cannot go on as it began: {why}");
    assert!(output.stderr.starts_with(&said), "{}", output.stderr);
    assert!(output.stderr.contains(&format!("`jp resume {id} --with today`")), "{}", output.stderr);
    let discard = format!("`jp query --discard-turn --id={id}`");
    assert!(output.stderr.contains(&discard), "{}", output.stderr);
    assert_eq!(jp.tip(id), tip);
    output
}

/// Goes on with what was recorded: the body is the one that was refused.
#[track_caller]
fn goes_on_as_recorded(jp: &Jp, server: &Loopback, id: &str) {
    let recorded = format!("`jp resume {id} --with recorded`");
    assert!(jp.run(&["resume", id]).stderr.contains(&recorded));
    assert_eq!(answer(jp.run(&["resume", id, "--with", "recorded"])), "Done.\n");
    let requests = server.requests();
    assert_eq!(requests[2].body, requests[1].body, "byte for byte");
}

#[test]
fn nothing_has_changed_and_the_turn_goes_on() {
    let (jp, server, id) = interrupted();
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(server.requests()[2].body, server.requests()[1].body);
}

#[test]
fn a_new_tool_is_no_reason_not_to_go_on_and_the_model_is_not_told_of_it() {
    let (jp, server, id) = interrupted();
    configure(&jp, &TOOL.replace("look", "more"));
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    assert_eq!(server.requests()[2].body, server.requests()[1].body);
    // From the next turn on it is.
    answer(ask(&jp, &[&format!("--id={id}"), "Again"]));
    assert!(server.requests()[3].body.contains("\"more\""));
}

#[test]
fn a_tool_that_no_longer_exists_is_named() {
    let (jp, server, id) = interrupted();
    reconfigure(&jp, "[tools.look]", "[tools.peek]");
    refused(&jp, &id, "the tool `look` no longer exists");
    goes_on_as_recorded(&jp, &server, &id);
}

#[test]
fn a_tool_that_no_longer_exists_and_was_to_be_run_ends_in_an_error_if_that_is_wanted() {
    let server = Loopback::start([calling("look"), saying("Done.")]);
    let jp = client(&server);
    configure(&jp, &TOOL.replace("permission = \"allow\"\n", ""));
    assert_eq!(ask(&jp, &["--new", "Go", "-c", "unattended.all=queue"]).code, 1);
    let id = only(&jp);
    reconfigure(&jp, "[tools.look]", "[tools.peek]");
    refused(&jp, &id, "the tool `look` no longer exists");
    assert_eq!(answer(jp.run(&["resume", &id, "--with", "today"])), "Done.\n");
    let messages = jp.run(&["c", "export", &id, "--format", "messages"]).stdout;
    assert!(messages.contains("There is no tool named `look`"), "{messages}");
}

#[test]
fn a_changed_tool_schema_is_named() {
    let (jp, server, id) = interrupted();
    reconfigure(&jp, "where-it-is", "which-place");
    refused(&jp, &id, "the tool `look` has changed");
    goes_on_as_recorded(&jp, &server, &id);
}

#[test]
fn a_changed_system_prompt_is_named() {
    let (jp, server, id) = interrupted();
    jp.write("AGENTS.md", "Speak up.\n");
    refused(&jp, &id, "the system prompt has changed");
    goes_on_as_recorded(&jp, &server, &id);
}

#[test]
fn a_turn_goes_on_with_what_there_is_today_if_that_is_wanted() {
    let (jp, server, id) = interrupted();
    jp.write("AGENTS.md", "Speak up.\n");
    reconfigure(&jp, "where-it-is", "which-place");
    refused(&jp, &id, "the system prompt has changed; the tool `look` has changed");
    let today = ask(&jp, &["--continue-turn=today", &format!("--id={id}")]);
    assert_eq!(answer(today), "Done.\n");
    let body = &server.requests()[2].body;
    assert!(body.contains("Speak up.") && !body.contains("Speak plainly."), "{body}");
    assert!(body.contains("which-place") && !body.contains("where-it-is"), "{body}");
    let kept = jp.git(&["show", &format!("{id}:.conversation/system-prompt.md")]);
    assert_eq!(kept, "Speak up.", "that is what the model was told last");
}

#[test]
fn a_turn_that_cannot_go_on_as_it_began_can_be_discarded() {
    let (jp, server, id) = interrupted();
    jp.write("AGENTS.md", "Speak up.\n");
    let output = ask(&jp, &["--discard-turn", &format!("--id={id}"), "Again"]);
    assert_eq!(answer(output), "Done.\n");
    assert!(server.requests()[2].body.contains("Speak up."));
}

/// A turn whose model was there when it began; another one is there now.
fn without_its_model() -> (Jp, Loopback, String) {
    let refused =
        crate::loopback::reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let server = Loopback::start([refused]);
    let jp = client(&server);
    let acme = format!("\n[providers.acme]\napi = \"openai\"\nbase_url = \"{}\"\n", server.url);
    configure(&jp, &acme);
    assert_eq!(ask(&jp, &["--new", "-m", "acme/large", "Go"]).code, 1);
    let id = only(&jp);
    // The conversation keeps the model that it began with, whatever the settings say.
    let script = jp.world().join("home/script.toml");
    fs::write(script, "[[answer]]\ntext = \"Played.\"\n").unwrap();
    reconfigure(&jp, &acme, "\n[providers.play]\napi = \"script\"\nfile = \"~/script.toml\"\n");
    reconfigure(&jp, "openai/large", "play/x");
    (jp, server, id)
}

#[test]
fn a_model_that_is_gone_is_named() {
    let (jp, server, id) = without_its_model();
    let output = refused(&jp, &id, "the model is gone: there is no provider `acme`");
    assert!(!output.stderr.contains("--with recorded"), "{}", output.stderr);
    assert_eq!(answer(jp.run(&["resume", &id, "--with", "today"])), "Played.\n");
    assert_eq!(server.requests().len(), 1);
    let exported = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap();
    assert_eq!(events.last().unwrap()["model"], "play/x");
    assert!(events.iter().any(|event| event["type"] == "config-delta"), "it is put down");
}

#[test]
fn a_turn_is_discarded_whether_or_not_its_model_is_there() {
    let (jp, server, id) = without_its_model();
    let output = ask(&jp, &["--discard-turn", &format!("--id={id}")]);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.stderr);
    let said = format!("Discarded the incomplete turn of {id} (1 event)\n");
    assert!(output.stderr.starts_with(&said), "{}", output.stderr);
    assert_eq!((&jp.show(&id)["events"], server.requests().len()), (&0.into(), 1));
}

#[test]
fn a_model_that_its_provider_does_not_know_any_more_can_be_replaced() {
    let gone = || {
        let body = "{\"error\":{\"message\":\"no such model\",\"code\":\"model_not_found\"}}";
        crate::loopback::reply(404, "application/json", body)
    };
    let server = Loopback::start([gone(), gone(), saying("Done.")]);
    let jp = client(&server);
    assert_eq!(ask(&jp, &["--new", "Go"]).code, 1);
    let id = only(&jp);
    let output = jp.run(&["resume", &id]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("`jp models` lists"), "{}", output.stderr);
    let other = format!("`jp resume {id} --model PROVIDER/MODEL`");
    assert!(output.stderr.contains(&other), "{}", output.stderr);
    assert_eq!(answer(jp.run(&["resume", &id, "-m", "openai/small"])), "Done.\n");
    assert!(server.requests()[2].body.contains("\"small\""));
}

#[test]
fn what_the_command_line_changes_is_no_mismatch() {
    let (jp, server, id) = interrupted();
    let args = ["resume", &id, "-c", "assistant.system_prompt=Hurry."];
    assert_eq!(answer(jp.run(&args)), "Done.\n");
    assert!(server.requests()[2].body.contains("Hurry."));
}

#[test]
fn data_that_was_asked_for_is_asked_for_again() {
    let refused =
        crate::loopback::reply(400, "application/json", "{\"error\":{\"message\":\"no\"}}");
    let server = Loopback::start([refused, saying("{\\\"name\\\": 1}")]);
    let jp = client(&server);
    let schema =
        r#"{"type":"object","required":["name"],"properties":{"name":{"type":"integer"}}}"#;
    assert_eq!(ask(&jp, &["--new", "Go", "--schema", schema]).code, 1);
    let _any = jp.run(&["resume"]);
    let requests = server.requests();
    assert_eq!(requests[1].body, requests[0].body);
}

/// A conversation that cannot be read is not gone on with, and nothing of it is lost.
#[test]
fn a_snapshot_that_is_damaged_is_refused_with_what_is_wrong() {
    let (jp, _server, id) = interrupted();
    jp.edit(&id, "001-tool-call-look.md", "---\ntype: tool-call\n---\nnonsense");
    let tip = jp.tip(&id);
    let output = jp.run(&["resume", &id]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("001-tool-call-look.md"), "{}", output.stderr);
    assert_eq!(jp.tip(&id), tip);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
}
