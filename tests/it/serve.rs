//! Queries that go on in a process of their own: whoever is connected comes and goes.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use jp::serve::{
    Closing, Connection, FromClient, FromServer, InterruptText, ReplyHow, ReplyText, Role, place,
};
use serde_json::Value;

use crate::{
    attending::{HELD, Shown, asked, events_of, scene, wait_for_hold},
    query::{configure, only, player},
    support::{Jp, Output},
};

/// A text in many small parts, each of which can be told from the others.
pub fn counted(parts: usize) -> String {
    (0..parts).map(|part| format!("{part:05} ")).collect()
}

/// A model that says this text, a part after the other.
pub fn slowly(parts: usize, delay: u64) -> Jp {
    let text = counted(parts);
    player(&format!("[[answer]]\nchunk = 6\npause = {delay}\ntext = \"{text}\"\n"))
}

/// A tool that asks whether it may run.
pub const WRITES: &str = "\n[tools.writes]\ncommand = [\"cat >/dev/null; echo ran >>did; echo fine\"]\n\
                      shell = true\npermission = \"ask\"\n";

pub fn asking() -> Jp {
    let jp = player(
        "[[answer]]\nstep = [{ call = \"writes\", arguments = {} }]\n\n[[answer]]\ntext = \"Done.\"\n",
    );
    configure(&jp, WRITES);
    jp
}

pub fn did(jp: &Jp) -> usize {
    fs::read_to_string(jp.path("did")).unwrap_or_default().lines().count()
}

/// Asks in the background; the conversation.
pub fn detach(jp: &Jp, more: &[&str]) -> String {
    let output = jp.run(&[&["q", "--detach", "--new", "Go"][..], more].concat());
    assert_eq!(output.code, 0, "{}", output.stderr);
    let id = output.stdout.trim().to_owned();
    assert_eq!(jp.show(&id)["events"].as_u64().map(|events| events >= 1), Some(true));
    id
}

/// The entry of the process that is at a conversation.
pub fn entry(jp: &Jp, id: &str) -> Option<Value> {
    let processes = jp.world().join("data/jp/workspace");
    let workspace = fs::read_dir(processes).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(workspace.join(format!("processes/{id}.json"))).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

pub fn socket(jp: &Jp, id: &str) -> PathBuf {
    wait_until(|| entry(jp, id).is_some());
    PathBuf::from(entry(jp, id).unwrap()["socket"].as_str().unwrap())
}

pub fn connect(jp: &Jp, id: &str, role: Role) -> Connection {
    Connection::greet(place::connect(&socket(jp, id)).unwrap(), role).unwrap()
}

#[track_caller]
pub fn wait_until(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "it takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}

pub fn status(jp: &Jp, id: &str) -> String {
    jp.show(id)["status"].as_str().unwrap().to_owned()
}

pub fn wait(jp: &Jp, id: &str) -> Output {
    jp.run(&["c", "wait", id])
}

/// What was said in a conversation.
pub fn said(jp: &Jp, id: &str) -> String {
    jp.run(&["c", "print", "--raw", id]).ok()
}

/// The text that is stored of the only message of a model.
pub fn stored_text(jp: &Jp, id: &str) -> String {
    let messages = events_of(jp, id, "message");
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages[0]["content"].as_str().unwrap().to_owned()
}

#[track_caller]
pub fn works(jp: &Jp, args: &[&str]) {
    let output = jp.run(args);
    assert_eq!(output.code, 0, "{}", output.stderr);
}

pub fn kill(jp: &Jp, pid: &str) {
    // It may be over by now.
    let _gone = jp.command("kill").args(["-KILL", pid]).stderr(Stdio::null()).status().unwrap();
}

pub fn spawn(jp: &Jp, args: &[&str]) -> Child {
    let mut command = jp.jp(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// What a client hears until the end, or until it has enough.
pub fn hear(connection: &mut Connection, mut is_enough: impl FnMut(&FromServer) -> bool) -> Heard {
    let mut heard = Heard::default();
    loop {
        let message = connection.hear().unwrap();
        match &message {
            FromServer::Welcome(welcome) => heard.commit = welcome.commit.clone(),
            FromServer::Text { text } => heard.text.push_str(text),
            FromServer::End(closing) => {
                heard.closing = Some((**closing).clone());
                return heard;
            }
            _ => {}
        }
        if is_enough(&message) {
            return heard;
        }
    }
}

/// Waits until a model has said something.
pub fn wait_for_text(jp: &Jp, id: &str) {
    let mut watcher = connect(jp, id, Role::Watcher);
    let heard = hear(&mut watcher, |message| matches!(message, FromServer::Text { .. }));
    assert_eq!(heard.closing, None, "it is over");
}

#[derive(Default)]
pub struct Heard {
    pub commit: Option<String>,
    pub text: String,
    pub closing: Option<Closing>,
}

#[test]
fn a_query_in_the_background_returns_when_the_question_is_stored_and_goes_on() {
    let jp = slowly(200, 10);
    let id = detach(&jp, &[]);
    let running = status(&jp, &id);
    let pid = entry(&jp, &id).unwrap()["pid"].to_string();
    assert_eq!(running, format!("running (pid {pid})"));
    assert_eq!(jp.show(&id)["process"]["pid"].to_string(), pid);
    let waited = wait(&jp, &id);
    assert_eq!((waited.code, waited.stdout), (0, format!("{id}: complete\n")));
    assert!(said(&jp, &id).contains(&counted(200)));
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!(status(&jp, &id), "idle");
    assert_eq!(wait(&jp, &id).code, 0, "also when it is over");
}

#[test]
fn who_attaches_sees_everything_once_and_the_answer_as_if_never_interrupted() {
    let jp = slowly(150, 10);
    let id = detach(&jp, &[]);
    wait_for_text(&jp, &id);
    let attached = jp.run(&["c", "attach", &id]);
    assert_eq!(attached.code, 0, "{}", attached.stderr);
    assert_eq!(attached.stdout.matches(counted(150).trim_end()).count(), 1, "{}", attached.stdout);
    assert!(attached.stdout.contains("Go"), "the turn under way is shown: {}", attached.stdout);
    let nothing = jp.run(&["c", "attach", &id]);
    assert_eq!(nothing.code, 1);
    assert!(nothing.stderr.starts_with(&format!("error: no process is running for {id}\n")));
}

#[test]
fn with_a_tail_of_nothing_only_what_comes_is_shown() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    wait_for_text(&jp, &id);
    let shown = Shown::begin(&jp, &["c", "attach", &id, "--tail=0"]);
    wait_until(|| !shown.stdout().is_empty());
    let stop = FromClient::Interrupt(InterruptText::Stop);
    connect(&jp, &id, Role::Messenger).speaker().say(&stop).unwrap();
    let (code, stdout, stderr) = shown.end();
    assert_eq!(code, 0, "{stderr}");
    let came = stored_text(&jp, &id);
    assert!(came.starts_with("00000 ") && counted(100_000).starts_with(&came), "{came}");
    let seen = stdout.trim_end();
    assert!(!seen.is_empty() && !seen.contains("00000"), "{stdout}");
    assert!(came.trim_end().ends_with(seen), "{stdout} of {came}");
}

#[test]
fn a_command_without_a_terminal_that_is_killed_ends_its_query_when_that_is_saved() {
    let jp = slowly(100_000, 10);
    let mut query = spawn(&jp, &["q", "--new", "Go"]);
    wait_until(|| jp.run(&["c", "ls", "--format", "json"]).json()[0]["events"] == 1);
    let id = only(&jp);
    wait_for_text(&jp, &id);
    query.kill().unwrap();
    query.wait().unwrap();
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!(status(&jp, &id), "interrupted (pending LLM response)");
    let came = stored_text(&jp, &id);
    assert!(!came.is_empty() && counted(100_000).starts_with(&came), "{came}");
    assert!(jp.run(&["c", "title", &id, "Mine"]).code == 0, "nobody holds it");
    jp.assert_sound();
}

#[test]
fn a_server_that_is_killed_leaves_a_conversation_that_goes_on() {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let path = socket(&jp, &id);
    kill(&jp, &entry(&jp, &id).unwrap()["pid"].to_string());
    wait_until(|| !status(&jp, &id).starts_with("running"));
    assert_eq!(status(&jp, &id), "interrupted (pending tool execution)");
    assert_eq!((entry(&jp, &id), path.exists()), (None, false), "whoever looks clears it away");
    // Nobody knows what its tool has done.
    kill(&jp, fs::read_to_string(jp.path("pid")).unwrap().trim());
    let tip = jp.tip(&id);
    let resumed = jp.run(&["resume", &id]);
    let unknown =
        "error: `holds` (call `call-1`) may have run already, and is not run again unasked\n";
    assert!(resumed.stderr.starts_with(unknown), "{}", resumed.stderr);
    assert_eq!((resumed.code, resumed.stdout.as_str(), jp.tip(&id)), (1, "", tip));
    let resumed = jp.run(&["resume", &id, "--done", "call-1=let go"]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "Done.\n"), "{}", resumed.stderr);
    assert_eq!(did(&jp), 1);
    assert_eq!(events_of(&jp, &id, "tool-result")[0]["content"], "let go");
    jp.assert_sound();
}

#[test]
fn a_question_without_anybody_waits_and_is_answered_from_elsewhere() {
    let jp = asking();
    let id = detach(&jp, &[]);
    let waited = wait(&jp, &id);
    assert_eq!((waited.code, waited.stdout), (3, format!("{id}: waiting\n")));
    assert_eq!(status(&jp, &id), "waiting-for-input (writes)");
    assert_eq!(jp.show(&id)["waiting_for"]["tool"], "writes");
    assert_eq!(did(&jp), 0);
    let answered = jp.run(&["c", "answer", &id, "run"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    assert_eq!(wait(&jp, &id).code, 0);
    assert_eq!(did(&jp), 1);
    assert!(said(&jp, &id).contains("Done."));
}

#[test]
fn a_server_that_nobody_answers_saves_and_ends_and_the_question_stays() {
    let jp = asking();
    let id = detach(&jp, &["-c", "detached.patience=\"200ms\""]);
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!(status(&jp, &id), "waiting-for-input (writes)");
    assert_eq!((wait(&jp, &id).code, did(&jp)), (3, 0));
    // As after a reboot: nobody is there who remembers.
    let answered = jp.run(&["c", "answer", &id, "run"]);
    assert!(answered.stderr.contains(&format!("jp resume {id}")), "{}", answered.stderr);
    let resumed = jp.run(&["resume", &id]);
    assert_eq!((resumed.code, did(&jp)), (0, 1), "{}", resumed.stderr);
}

#[test]
fn policies_hold_for_who_is_not_there() {
    for (policy, ran) in [("auto", 1), ("deny", 0), ("defaults", 0)] {
        let jp = asking();
        let id = detach(&jp, &["-c", &format!("unattended.all=\"{policy}\"")]);
        assert_eq!((wait(&jp, &id).code, did(&jp)), (0, ran), "{policy}");
    }
}

#[test]
fn a_follow_up_for_a_query_that_runs_is_asked_when_its_turn_is_complete() {
    let first = counted(200);
    let jp = player(&format!(
        "[[answer]]\nchunk = 6\npause = 10\ntext = \"{first}\"\n\n[[answer]]\ntext = \"Second.\"\n",
    ));
    let id = detach(&jp, &[]);
    let sent = jp.run(&["c", "send", &id, "And then?"]);
    assert_eq!(sent.code, 0, "{}", sent.stderr);
    assert!(sent.stderr.contains("asked when the present turn is complete"), "{}", sent.stderr);
    assert_eq!(wait(&jp, &id).code, 0);
    let said = said(&jp, &id);
    let order = ["00199", "And then?", "Second."].map(|part| said.find(part).unwrap());
    assert!(order.is_sorted(), "{said}");
}

#[test]
fn whoever_wants_it_ends_it_and_what_came_is_saved() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    wait_for_text(&jp, &id);
    let killed = jp.run(&["c", "kill", &id]);
    assert_eq!(killed.code, 0, "{}", killed.stderr);
    assert!(entry(&jp, &id).is_none());
    assert_eq!(status(&jp, &id), "interrupted (pending LLM response)");
    let came = stored_text(&jp, &id);
    assert!(!came.is_empty() && counted(100_000).starts_with(&came), "{came}");
    let again = jp.run(&["c", "kill", &id]);
    assert!(again.stderr.starts_with(&format!("error: no process is running for {id}\n")));
    let forced = detach(&jp, &[]);
    assert_eq!(jp.run(&["c", "kill", "--force", &forced]).code, 0);
    assert_eq!(status(&jp, &forced), "interrupted (pending LLM response)");
    jp.assert_sound();
}

#[test]
fn the_log_of_one_conversation_is_told_from_others_and_says_nothing_of_what_was_said() {
    let jp = asking();
    let id = detach(&jp, &["-c", "unattended.run=\"auto\""]);
    assert_eq!(wait(&jp, &id).code, 0);
    let other = detach(&jp, &[]);
    let logs = jp.run(&["c", "logs", "-f", &id]).ok();
    assert!(logs.contains(&format!("conversation {id}")) && !logs.contains(&other), "{logs}");
    assert!(logs.contains("tool ended: writes") && !logs.contains("Done."), "{logs}");
    works(&jp, &["c", "kill", &other]);
}

#[test]
fn a_notification_is_given_when_nobody_is_there() {
    let jp = asking();
    let command =
        "detached.notify=[\"sh\",\"-c\",\"echo $JP_CONVERSATION $JP_EVENT $JP_TOOL >>told\"]";
    configure(&jp, &format!("\n[detached]\n{}\n", &command["detached.".len()..]));
    let id = detach(&jp, &[]);
    let told = || fs::read_to_string(jp.path("told")).unwrap_or_default();
    wait_until(|| told() == format!("{id} waiting writes\n"));
    works(&jp, &["c", "answer", &id, "refuse"]);
    let both = format!("{id} waiting writes\n{id} complete\n");
    wait_until(|| told().len() >= both.len());
    assert_eq!(told(), both);
}

#[test]
fn each_part_comes_exactly_once_whenever_somebody_comes_and_goes() {
    let cycles = std::env::var("JP_CYCLES").map_or(60, |cycles| cycles.parse().unwrap());
    let whole = counted(100_000);
    let jp = slowly(100_000, 1);
    let id = detach(&jp, &[]);
    let mut longest = 0;
    for cycle in 0_u64..cycles {
        let mut connection = connect(&jp, &id, Role::Watcher);
        // As good as random, and the same each time.
        let most = (cycle * 7919) % 23;
        let mut left = most;
        let heard = hear(&mut connection, |message| {
            left = left.saturating_sub(u64::from(matches!(message, FromServer::Text { .. })));
            left == 0 && matches!(message, FromServer::Text { .. } | FromServer::Live)
        });
        assert!(whole.starts_with(&heard.text), "cycle {cycle}: {}", heard.text.len());
        assert!(heard.commit.is_some());
        longest = longest.max(heard.text.len());
        thread::sleep(Duration::from_millis((cycle * 31) % 7));
    }
    assert!(longest > 100);
    works(&jp, &["c", "kill", "--force", &id]);
}

#[test]
fn whoever_comes_last_is_asked_and_control_goes_back() {
    let jp = asking();
    let id = detach(&jp, &[]);
    assert_eq!(wait(&jp, &id).code, 3);
    let mut first = connect(&jp, &id, Role::Person);
    let inquiry = asked(&mut first);
    let mut second = connect(&jp, &id, Role::Person);
    assert_eq!(asked(&mut second), inquiry);
    hear(&mut first, |message| matches!(message, FromServer::Withdraw { .. }));
    let reply = |how| FromClient::Reply(ReplyText { inquiry: inquiry.clone(), how });
    first.speaker().say(&reply(ReplyHow::Select("run".to_owned()))).unwrap();
    hear(&mut first, |message| matches!(message, FromServer::Refused { .. }));
    // A client that vanishes in the middle of a question leaves it open.
    drop(second);
    assert_eq!(asked(&mut first), inquiry);
    assert_eq!(did(&jp), 0);
    first.speaker().say(&reply(ReplyHow::Select("run".to_owned()))).unwrap();
    let heard = hear(&mut first, |_| false);
    assert_eq!(heard.closing.unwrap().ending, "complete");
    assert_eq!(did(&jp), 1);
}

#[test]
fn the_socket_is_for_its_user_alone_and_its_path_is_short() {
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    let path = socket(&jp, &id);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert!(path.as_os_str().len() <= 107);
    let entry = entry(&jp, &id).unwrap();
    for key in ["pid", "started", "realm", "conversation", "workspace", "started_at", "socket"] {
        assert!(!entry[key].is_null(), "{key}: {entry}");
    }
    let command = fs::read(format!("/proc/{}/cmdline", entry["pid"])).unwrap();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    assert!(command.contains(" serve ") && command.ends_with("q --detach --new Go "), "{command}");
    works(&jp, &["c", "kill", &id]);
    assert!(!path.exists());
}

#[test]
fn a_client_of_another_version_is_refused_and_told_so() {
    use std::io::{BufRead, BufReader, Write};
    let jp = slowly(100_000, 10);
    let id = detach(&jp, &[]);
    let mut stream = place::connect(&socket(&jp, &id)).unwrap();
    let hello = b"{\"type\":\"hello\",\"version\":99,\"pid\":1,\"role\":\"new\"}\n";
    stream.write_all(hello).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    assert_eq!(
        line,
        "{\"type\":\"refused\",\"message\":\"this server speaks version 1 of the protocol\"}\n"
    );
    works(&jp, &["c", "kill", "--force", &id]);
}

#[test]
fn the_examples_of_the_protocol_are_what_both_sides_say_and_fit_its_schema() {
    let page = include_str!("../../docs/protocol.md");
    let schema = jsonschema::validator_for(&jp::serve::schema()).unwrap();
    let (mut from_clients, mut from_servers) = (0, 0);
    for line in page.lines().filter(|line| line.starts_with("{\"type\":")) {
        let value: Value = serde_json::from_str(line).unwrap();
        let is_client = serde_json::from_str::<FromClient>(line).is_ok();
        let is_server = serde_json::from_str::<FromServer>(line).is_ok();
        if !is_client && !is_server {
            // An event, which both sides only pass on.
            assert!(value.get("file").is_some() || value.get("base64").is_some(), "{line}");
            continue;
        }
        from_clients += usize::from(is_client);
        from_servers += usize::from(is_server);
        if let Err(error) = schema.validate(&value) {
            panic!("{line}: {error}");
        }
    }
    assert!(from_clients >= 6 && from_servers >= 20, "{from_clients} and {from_servers}");
    assert!(schema.validate(&serde_json::json!({"type": "hello"})).is_err());
}
