//! Prompts of a query in the background: each kind is decided by each policy, for all tools and for
//! one, and what is open does not keep the other tools from their ends.

use std::{
    fs,
    time::{Duration, Instant},
};

use jp::serve::{Connection, FromServer, Role, place};
use serde_json::Value;

use crate::{
    attending::{asked, did, events, events_of, let_go, scene, wait_for_hold},
    query::{configure, player},
    serve::{connect, detach, entry, hear, socket, status, wait, wait_until, works},
    support::Jp,
};

/// A tool for each kind of prompt.
const TOOLS: &str = r#"
[tools.may]
command = ["cat >/dev/null; echo may >>did; echo fine"]
shell = true
permission = "ask"

[tools.tells]
command = ["cat >/dev/null; echo tells >>did; echo fine"]
shell = true
permission = "allow"
deliver = "ask"

[tools.wonders]
command = ['''
case "$(cat)" in
*'"sure":true'*) echo wonders >>did; echo fine;;
*) echo '{"jp":{"type":"needs_input","question":{"id":"sure","type":"boolean","text":"Sure?","default":true}}}';;
esac
''']
shell = true
permission = "allow"
"#;

/// A user whose model calls the tool that it is told to, and says yes to what a tool asks.
fn caller() -> Jp {
    let call = |tool: &str| {
        format!(
            "[[answer]]\nwhen = \"Use {tool}\"\nstep = [{{ call = \"{tool}\", arguments = {{}} }}]\n\
             \n[[answer]]\nwhen = \"Use {tool}\"\ntext = \"Done.\"\n\n"
        )
    };
    let answers = "[[answer]]\nwhen = \"It asks:\"\nstep = [{ data = { answer = true } }]\n";
    let calls: String = ["may", "tells", "wonders"].map(call).concat();
    let jp = player(&format!("{calls}{answers}"));
    configure(&jp, TOOLS);
    jp
}

/// How a turn with one prompt went: what `wait` ended with, how the conversation stands, how the
/// prompt was dealt with and by whom, and what the model got.
fn went(jp: &Jp, id: &str) -> String {
    let code = wait(jp, id).code;
    if code == 3 {
        // What nobody has decided stays open.
        works(jp, &["c", "kill", id]);
    }
    wait_until(|| entry(jp, id).is_none());
    let stored = events(jp, id, &[]);
    let of = |event_type: &str| {
        let found: Vec<_> = stored.iter().filter(|it| it["type"] == *event_type).collect();
        assert!(found.len() <= 1, "{stored:?}");
        found.first().map(|it| (*it).clone())
    };
    assert!(of("inquiry-request").is_some(), "{stored:?}");
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let prompt = of("inquiry-response").map_or("open".to_owned(), |it| {
        let (outcome, by) = (word(&it["outcome"]), &it["metadata"]["answered_by"]);
        match outcome.as_str() {
            "answered" => format!("{} by {}", word(&it["content"]), word(by)),
            _ => outcome,
        }
    });
    let result = of("tool-result").map_or("none".to_owned(), |it| {
        let delivery = &it["metadata"]["delivery"];
        let is_error = it["is_error"] == true;
        let how = if is_error { "error " } else { "" }.to_owned();
        let kept = if delivery.is_null() { String::new() } else { word(delivery) + " " };
        // The rest of an error is advice.
        how + &kept + word(&it["content"]).split(". ").next().unwrap().trim_end()
    });
    format!("{code} {}: {prompt}: {result}", status(jp, id))
}

#[test]
fn each_kind_of_prompt_is_decided_by_each_policy_for_all_tools_and_for_one() {
    let not_run = "error The tool `may` was not run: it needs the user's permission, and there is \
                   no terminal to ask on";
    let fails = "error It asks `Sure?`, and nobody can be asked.";
    let table = [
        ("run", "may", "auto", "0 idle: run by policy: fine".to_owned()),
        ("run", "may", "defaults", format!("0 idle: refuse by policy: {not_run}")),
        ("run", "may", "deny", format!("0 idle: cancelled: {not_run}")),
        ("run", "may", "queue", "3 waiting-for-input (may): open: none".to_owned()),
        ("deliver", "tells", "auto", "0 idle: true by policy: fine".to_owned()),
        ("deliver", "tells", "defaults", "0 idle: false by policy: withheld fine".to_owned()),
        ("deliver", "tells", "deny", "0 idle: cancelled: withheld fine".to_owned()),
        ("deliver", "tells", "queue", "3 waiting-for-input (tells): open: none".to_owned()),
        ("question", "wonders", "auto", "0 idle: true by play/x: fine".to_owned()),
        ("question", "wonders", "defaults", "0 idle: true by policy: fine".to_owned()),
        ("question", "wonders", "deny", format!("0 idle: cancelled: {fails}")),
        ("question", "wonders", "queue", "3 waiting-for-input (wonders): open: none".to_owned()),
    ];
    let jp = caller();
    let mut begun = Vec::new();
    for (kind, tool, policy, expected) in &table {
        // What is said less exactly would have another outcome.
        let other = if *policy == "queue" { "deny" } else { "queue" };
        for settled in [
            [format!("unattended.{kind}={policy}"), format!("unattended.all={other}")],
            [
                format!("tools.{tool}.unattended.{kind}={policy}"),
                format!("unattended.{kind}={other}"),
            ],
            [format!("tools.{tool}.unattended.all={policy}"), format!("unattended.all={other}")],
        ] {
            let text = format!("Use {tool}");
            let args = ["q", "--detach", "--new", &text, "-c", &settled[0], "-c", &settled[1]];
            let output = jp.run(&args);
            assert_eq!(output.code, 0, "{settled:?}: {}", output.stderr);
            begun.push((settled, output.stdout.trim_end().to_owned(), expected));
        }
    }
    for (settled, id, expected) in &begun {
        assert_eq!(went(&jp, id), **expected, "{settled:?}");
    }
    // A tool whose result is withheld or open has run, one that may not has not.
    let did = fs::read_to_string(jp.path("did")).unwrap();
    let times = |tool: &str| did.lines().filter(|line| *line == tool).count();
    assert_eq!(["may", "tells", "wonders"].map(times), [3, 12, 6]);
    jp.assert_sound();
}

#[test]
fn a_tool_that_outlasts_the_patience_runs_to_its_end_while_a_question_is_open() {
    const PATIENCE: Duration = Duration::from_millis(100);
    let jp = scene(
        "[[answer]]\nstep = [{ call = \"one\", arguments = {} }, \
         { call = \"holds\", arguments = {} }]\n\n\
         [[answer]]\nexpect = [\"first\", \"let go\"]\ntext = \"Done.\"\n",
    );
    let id = detach(&jp, &["-c", "detached.patience=100ms"]);
    wait_for_hold(&jp);
    let mut watcher = connect(&jp, &id, Role::Watcher);
    hear(&mut watcher, |message| matches!(message, FromServer::Pending { pid: None, .. }));
    let until = Instant::now() + 4 * PATIENCE;
    while Instant::now() < until {
        assert!(entry(&jp, &id).is_some(), "it has left its tool");
        std::thread::sleep(PATIENCE / 10);
    }
    assert_eq!(events_of(&jp, &id, "tool-result"), Vec::<Value>::new());
    // Whoever comes meanwhile is asked, and may leave it open.
    let stream = place::connect(&socket(&jp, &id)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    asked(&mut Connection::greet(stream, Role::Person).unwrap());
    let_go(&jp, "let go\n");
    let heard = hear(&mut watcher, |_| false);
    assert_eq!(heard.closing.unwrap().ending, "waiting");
    assert_eq!(entry(&jp, &id), None);
    let results = events_of(&jp, &id, "tool-result");
    let told = |it: &Value| (it["tool"].clone(), it["content"].clone());
    assert_eq!(results.iter().map(told).collect::<Vec<_>>(), [("holds".into(), "let go\n".into())]);
    assert_eq!((status(&jp, &id), wait(&jp, &id).code), ("waiting-for-input (one)".to_owned(), 3));
    assert_eq!(did(&jp), ["holds"]);
    let answered = jp.run(&["c", "answer", &id, "run", "--resume"]);
    assert_eq!((answered.code, answered.stdout.as_str()), (0, "Done.\n"), "{}", answered.stderr);
    assert_eq!(did(&jp), ["holds", "one"]);
    jp.assert_sound();
}

#[test]
fn a_server_that_nobody_answers_ends_whatever_it_has_asked() {
    let jp = caller();
    for tool in ["may", "tells", "wonders"] {
        let text = format!("Use {tool}");
        let args = ["q", "--detach", "--new", &text, "-c", "detached.patience=100ms"];
        let output = jp.run(&args);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let id = output.stdout.trim_end();
        assert_eq!(wait(&jp, id).code, 3, "{tool}");
        wait_until(|| entry(&jp, id).is_none());
        assert_eq!(status(&jp, id), format!("waiting-for-input ({tool})"));
    }
}
