//! Queries that run elsewhere, and who is there meanwhile: what is shown to whoever comes late, who
//! is asked, and what ends a server.

use std::{
    fs::{self, File},
    process::{Child, Stdio},
};

use jp::serve::{Connection, FromClient, FromServer, ReplyHow, ReplyText, Role, place};
use serde_json::{Value, json};

use crate::{
    loopback::{Loopback, Step},
    query::{beginning, client, configure, only, player},
    serve::{connect, detach, entry, hear, socket, spawn, status, wait, wait_until},
    support::{Jp, Output, TIME, call, message, request, result, start},
};

/// A tool that runs until the test lets it go, and three that ask whether they may run.
const TOOLS: &str = r#"
[tools.holds]
command = ["cat >/dev/null; echo $$ >pid; echo holds >>did; cat hold"]
shell = true
permission = "allow"

[tools.one]
command = ["cat >/dev/null; echo one >>did; echo first"]
shell = true
permission = "ask"

[tools.two]
command = ["cat >/dev/null; echo two >>did; echo second"]
shell = true
permission = "ask"

[tools.three]
command = ["cat >/dev/null; echo three >>did; echo third"]
shell = true
permission = "ask"
"#;

/// A call that is held, and what comes after it.
pub const HELD: &str = "[[answer]]\nstep = [{ text = \"Let me look.\" }, \
                    { call = \"holds\", arguments = {} }]\n\n[[answer]]\ntext = \"Done.\"\n";

/// A user with these tools.
pub fn scene(script: &str) -> Jp {
    let jp = player(script);
    configure(&jp, TOOLS);
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    jp
}

/// Which tools have run, in the order of the alphabet.
pub fn did(jp: &Jp) -> Vec<String> {
    let text = fs::read_to_string(jp.path("did")).unwrap_or_default();
    let mut did: Vec<_> = text.lines().map(str::to_owned).collect();
    did.sort();
    did
}

/// Waits until the tool is held.
pub fn wait_for_hold(jp: &Jp) {
    wait_until(|| did(jp).contains(&"holds".to_owned()));
}

/// Lets the tool that is held say this and end.
pub fn let_go(jp: &Jp, text: &str) {
    fs::write(jp.path("hold"), text).unwrap();
}

/// A command whose output can be read while it runs.
pub struct Shown {
    child: Child,
    stdout: std::path::PathBuf,
    stderr: std::path::PathBuf,
}

impl Shown {
    pub fn begin(jp: &Jp, args: &[&str]) -> Self {
        let (stdout, stderr) = (jp.world().join("shown"), jp.world().join("told"));
        let mut command = jp.jp(args);
        command.stdin(Stdio::null());
        command.stdout(File::create(&stdout).unwrap()).stderr(File::create(&stderr).unwrap());
        Self { child: command.spawn().unwrap(), stdout, stderr }
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stdout).unwrap()).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stderr).unwrap()).into_owned()
    }

    /// How it ended, and all that it said.
    pub fn end(mut self) -> (i32, String, String) {
        let status = self.child.wait().unwrap();
        (status.code().unwrap(), self.stdout(), self.stderr())
    }
}

/// The next question that somebody is asked.
pub fn asked(connection: &mut Connection) -> String {
    let mut inquiry = None;
    hear(connection, |message| {
        if let FromServer::Ask(ask) = message {
            inquiry = ask.read().ok().map(|ask| ask.inquiry.id.to_string());
        }
        inquiry.is_some()
    });
    inquiry.unwrap()
}

pub fn say_run(connection: &Connection, inquiry: &str) {
    let how = ReplyHow::Select("run".to_owned());
    let reply = ReplyText { inquiry: inquiry.to_owned(), how };
    connection.speaker().say(&FromClient::Reply(reply)).unwrap();
}

/// The events of all turns.
pub fn events(jp: &Jp, id: &str, more: &[&str]) -> Vec<Value> {
    let args = [&["c", "export", id, "--format", "json"][..], more].concat();
    let exported = jp.run(&args).json();
    let turns = exported["turns"].as_array().unwrap().iter();
    let incomplete = exported.get("incomplete").filter(|turn| turn.is_object());
    let turns = turns.chain(incomplete);
    turns.flat_map(|turn| turn["events"].as_array().unwrap().clone()).collect()
}

/// A stream that says this, waits for the file `go`, says the rest, and ends.
fn in_two(jp_go: &std::path::Path, before: &[String], rest: &str) -> Vec<Step> {
    let mut steps = beginning("");
    let said = |text: &str| beginning(text).remove(1);
    steps.extend(before.iter().map(|text| said(text)));
    steps.push(Step::Until(jp_go.to_owned()));
    steps.push(said(rest));
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    steps.extend([Step::Chunk(end.into()), Step::End]);
    steps
}

/// A user whose model says something and the rest when there is the file.
pub fn halting(before: &[String], rest: &str) -> (Jp, tempfile::TempDir, std::path::PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let go = place.path().join("go");
    let jp = client(&Loopback::start([in_two(&go, before, rest)]));
    (jp, place, go)
}

/// What is shown with a tail of so many events, of a conversation with two turns and a third one
/// that is under way.
fn tail(events: &str) -> String {
    let (jp, _place, go) = halting(&["From March ".to_owned()], "on.");
    let config = format!("[event]\ntype = \"config-delta\"\ntimestamp = \"{TIME}\"\n");
    let stored = [
        request("One?\n"),
        call("c"),
        start("c"),
        result("c", "found\n"),
        message("1\n"),
        config,
        request("Two?\n"),
        message("2\n"),
    ];
    let id = jp.start(&stored.each_ref().map(String::as_str));
    let output = jp.run(&["q", "--detach", &format!("--id={id}"), "Go"]);
    assert_eq!((output.code, output.stdout), (0, format!("{id}\n")), "{}", output.stderr);
    let mut watcher = connect(&jp, &id, Role::Watcher);
    hear(&mut watcher, |message| matches!(message, FromServer::Text { .. }));
    let shown = Shown::begin(&jp, &["c", "attach", &id, events]);
    wait_until(|| shown.stdout().contains("Go"));
    fs::write(go, "").unwrap();
    let (code, stdout, stderr) = shown.end();
    assert_eq!(code, 0, "{stderr}");
    let told = events_of(&jp, &id, "request").pop().unwrap();
    let minute = told["timestamp"].as_str().unwrap()[..16].replace('T', " ");
    stdout.replace(&id, "ID").replace(&minute, "NOW")
}

pub fn events_of(jp: &Jp, id: &str, event_type: &str) -> Vec<Value> {
    events(jp, id, &[]).into_iter().filter(|event| event["type"] == *event_type).collect()
}

#[test]
fn a_tail_counts_what_was_said_and_done_and_goes_back_to_earlier_turns() {
    let title = "One? (ID)\n\n";
    let turn_0 = [
        "━━ user · turn 0 · 2026-01-31 11:00\n\nOne?\n\n",
        "━━ assistant · turn 0 · 2026-01-31 11:00\n\n✓ read {\"path\":\"a\"}\n\n",
        "━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00\n\n1\n\n",
    ];
    let turn_1 = [
        "━━ user · turn 1 · 2026-01-31 11:00\n\n[configuration]\n\nTwo?\n\n",
        "━━ assistant (acme/large) · turn 1 · 2026-01-31 11:00\n\n2\n\n",
    ];
    let under_way = "━━ user · turn 2 · NOW\n\nGo\n\nFrom March on.\n";
    let all = [&turn_0[..], &turn_1].concat().concat();
    // The settings come along with what they were changed for, and are no event of their own, nor
    // is the beginning of a tool.
    for (events, before) in [
        ("--tail=1", String::new()),
        ("--tail=2", turn_1[1].to_owned()),
        ("--tail=3", turn_1.concat()),
        ("--tail=4", turn_0[2].to_owned() + &turn_1.concat()),
        // A result comes with its call.
        ("--tail=5", turn_0[1..].concat() + &turn_1.concat()),
        ("--tail=6", turn_0[1..].concat() + &turn_1.concat()),
        ("--tail=7", all.clone()),
        ("--tail=100", all),
    ] {
        assert_eq!(tail(events), format!("{title}{before}{under_way}"), "{events}");
    }
}

#[test]
fn who_attaches_to_a_query_in_a_pipe_sees_it_and_is_asked_and_the_pipe_gets_all_of_it() {
    let jp = scene(
        "[[answer]]\nstep = [{ text = \"Let me look.\" }, { call = \"holds\", arguments = {} }]\n\n\
         [[answer]]\nstep = [{ call = \"one\", arguments = {} }]\n\n\
         [[answer]]\ntext = \"Done.\"\n",
    );
    let query = spawn(&jp, &["q", "--new", "Go"]);
    wait_for_hold(&jp);
    let id = only(&jp);
    let shown = Shown::begin(&jp, &["c", "attach", &id]);
    wait_until(|| shown.stdout().contains("Let me look."));
    let mut person = connect(&jp, &id, Role::Person);
    hear(&mut person, |message| matches!(message, FromServer::Live));
    let_go(&jp, "let go\n");
    let inquiry = asked(&mut person);
    assert_eq!(did(&jp), ["holds"]);
    say_run(&person, &inquiry);
    let heard = hear(&mut person, |_| false);
    assert_eq!(
        (heard.text.as_str(), heard.closing.unwrap().ending.as_str()),
        ("Done.", "complete")
    );
    let piped = Output::from(query.wait_with_output().unwrap());
    let way_on = format!("{id} · continue with `jp query --id={id} \"…\"`\n");
    let told = format!("✓ holds: let go\n▸ one {{}}\n✓ one: first\n{way_on}");
    let piped = (piped.code, piped.stdout, piped.stderr);
    assert_eq!(piped, (0, "Let me look.\n\nDone.\n".to_owned(), format!("▸ holds {{}}\n{told}")));
    let (code, stdout, stderr) = shown.end();
    assert_eq!((code, stderr), (0, told));
    assert!(stdout.starts_with(&format!("Go ({id})\n\n")), "{stdout}");
    let order = ["\n\nGo\n\n", "\n\nLet me look.\n\n", "\n\nDone.\n"];
    assert_eq!(order.map(|part| stdout.matches(part).count()), [1, 1, 1], "{stdout}");
    assert!(order.map(|part| stdout.find(part)).is_sorted(), "{stdout}");
    assert_eq!(did(&jp), ["holds", "one"]);
}

#[test]
fn several_questions_are_asked_in_order_and_answered_here_and_from_elsewhere() {
    let jp = scene(
        "[[answer]]\nstep = [\n{ call = \"one\", arguments = {} },\n\
         { call = \"two\", arguments = {} },\n{ call = \"three\", arguments = {} },\n]\n\n\
         [[answer]]\nexpect = [\"first\", \"second\", \"third\"]\ntext = \"Done.\"\n",
    );
    let id = detach(&jp, &[]);
    assert_eq!(wait(&jp, &id).code, 3);
    let open = || {
        let listed = jp.run(&["c", "answer", &id, "--list", "--format", "json"]).json();
        let questions = listed["questions"].as_array().unwrap().clone();
        questions.iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    wait_until(|| open().len() == 3);
    let mut person = connect(&jp, &id, Role::Person);
    let inquiries = [(); 3].map(|()| asked(&mut person));
    assert_eq!(inquiries.as_slice(), open());
    say_run(&person, &inquiries[0]);
    wait_until(|| open() == inquiries[1..]);
    let answered = jp.run(&["c", "answer", &id, "run"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    assert_eq!(open(), inquiries[2..]);
    hear(&mut person, |message| *message == FromServer::Withdraw { inquiry: inquiries[1].clone() });
    // What is over cannot be answered again.
    say_run(&person, &inquiries[1]);
    hear(&mut person, |message| matches!(message, FromServer::Refused { .. }));
    say_run(&person, &inquiries[2]);
    let heard = hear(&mut person, |_| false);
    assert_eq!(
        (heard.text.as_str(), heard.closing.unwrap().ending.as_str()),
        ("Done.", "complete")
    );
    assert_eq!(did(&jp), ["one", "three", "two"]);
    let answers = events_of(&jp, &id, "inquiry-response").into_iter();
    let answers: Vec<_> = answers.map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(answers, inquiries);
}

#[test]
fn of_a_text_that_is_too_long_the_rest_is_shown_and_all_of_it_is_stored() {
    // Each part can be told from the others.
    let mut before: Vec<_> = (0..20).map(|part| format!("{part:02}").repeat(32 << 10)).collect();
    before.push("\n\nIn the middle".to_owned());
    let (jp, _place, go) = halting(&before, " and at the end.");
    let id = detach(&jp, &[]);
    let mut watcher = connect(&jp, &id, Role::Watcher);
    hear(
        &mut watcher,
        |message| matches!(message, FromServer::Text { text } if text.ends_with("the middle")),
    );
    let shown = Shown::begin(&jp, &["c", "attach", &id]);
    let notice = format!(
        "the beginning is too long to be shown; `jp conversation print {id}` shows it when it is \
         complete\n"
    );
    wait_until(|| shown.stderr().contains(&notice));
    fs::write(go, "").unwrap();
    let (code, stdout, stderr) = shown.end();
    assert_eq!(code, 0, "{stderr}");
    let way_on = format!("{id} · continue with `jp query --id={id} \"…\"`\n");
    assert_eq!(stderr, notice + &way_on);
    assert!(stdout.ends_with("\n\nIn the middle and at the end.\n"), "{}", stdout.len());
    assert!(!stdout.contains("0000"), "the beginning is shown");
    let stored = events_of(&jp, &id, "message");
    assert_eq!(stored.len(), 1);
    let whole = before.concat() + " and at the end.";
    assert!(
        stored[0]["content"] == json!(whole),
        "{}",
        stored[0]["content"].as_str().unwrap().len()
    );
}

#[test]
fn a_query_that_goes_on_with_a_conversation_or_a_copy_or_a_turn_is_left_at_once() {
    let begun = [request("One?\n"), message("1\n")];
    let interrupted = [request("One?\n")];
    let cases: [(&[String], &[&str]); 3] = [
        (&begun, &["q", "--detach", "--id=ID", "Go"]),
        (&begun, &["q", "--detach", "--id=ID", "--fork", "Go"]),
        (&interrupted, &["resume", "--detach", "ID"]),
    ];
    for (stored, words) in cases {
        let jp = scene(HELD);
        let from = jp.start(&stored.iter().map(String::as_str).collect::<Vec<_>>());
        let tip = jp.tip(&from);
        let args: Vec<_> = words.iter().map(|word| word.replace("ID", &from)).collect();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        // If it waited for the tool, it would wait for ever.
        let output = jp.run(&args);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let id = &output.stdout.trim_end().to_owned();
        let is_fork = args.contains(&"--fork");
        let forked = if is_fork { format!("Forked {from} as {id}\n") } else { String::new() };
        let hint = format!("Hint: `jp conversation attach {id}` shows it\n");
        assert_eq!((output.stdout, output.stderr), (format!("{id}\n"), forked + &hint));
        assert_eq!(*id != from, is_fork);
        wait_for_hold(&jp);
        assert!(status(&jp, id).starts_with("running (pid "), "{}", status(&jp, id));
        let_go(&jp, "let go\n");
        let waited = wait(&jp, id);
        assert_eq!((waited.code, waited.stdout), (0, format!("{id}: complete\n")));
        assert_eq!(did(&jp), ["holds"]);
        let said = jp.run(&["c", "print", "--raw", id]).ok();
        assert!(said.contains("One?") && said.contains("Done."), "{said}");
        assert_eq!(jp.tip(&from) == tip, is_fork, "the original of a copy stays as it is");
        jp.assert_sound();
    }
}

pub fn signal(jp: &Jp, id: &str, name: &str) {
    let pid = entry(jp, id).unwrap()["pid"].to_string();
    assert!(jp.command("kill").args([name, &pid]).status().unwrap().success());
}

#[test]
fn a_server_takes_no_notice_of_the_end_of_a_terminal() {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    signal(&jp, &id, "-HUP");
    let_go(&jp, "let go\n");
    let waited = wait(&jp, &id);
    assert_eq!((waited.code, waited.stdout), (0, format!("{id}: complete\n")));
    assert_eq!(did(&jp), ["holds"]);
    assert!(jp.run(&["c", "print", "--raw", &id]).ok().contains("Done."));
}

#[test]
fn a_server_that_is_asked_to_end_saves_what_came() {
    let (jp, _place, _go) = halting(&["From March ".to_owned()], "on.");
    let id = detach(&jp, &[]);
    let mut watcher = connect(&jp, &id, Role::Watcher);
    hear(&mut watcher, |message| matches!(message, FromServer::Text { .. }));
    let path = socket(&jp, &id);
    signal(&jp, &id, "-TERM");
    let heard = hear(&mut watcher, |_| false);
    let closing = heard.closing.unwrap();
    assert_eq!((closing.ending.as_str(), closing.code), ("stopped", 143));
    assert_eq!((entry(&jp, &id), path.exists()), (None, false));
    assert_eq!(status(&jp, &id), "interrupted (pending LLM response)");
    let said = events_of(&jp, &id, "message");
    assert_eq!(said.iter().map(|it| it["content"].clone()).collect::<Vec<_>>(), ["From March "]);
    jp.assert_sound();
}

#[test]
fn a_server_that_is_killed_takes_along_what_its_tools_run() {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let pid = fs::read_to_string(jp.path("pid")).unwrap();
    let is_there = || fs::exists(format!("/proc/{}", pid.trim())).unwrap();
    assert!(is_there());
    let killed = jp.run(&["c", "kill", "--force", &id]);
    assert_eq!(killed.code, 0, "{}", killed.stderr);
    wait_until(|| !is_there());
    assert_eq!(entry(&jp, &id), None);
    assert_eq!(status(&jp, &id), "interrupted (pending tool execution)");
}

#[test]
fn whoever_waits_for_a_query_without_a_server_waits_for_its_end() {
    let jp = scene(HELD);
    let query = spawn(&jp, &["q", "--no-server", "--new", "Go"]);
    wait_for_hold(&jp);
    let id = only(&jp);
    let mut waiting = spawn(&jp, &["c", "wait", &id]);
    // It has looked at least once when somebody else has found out the same.
    assert!(status(&jp, &id).starts_with("running (pid "));
    assert_eq!(waiting.try_wait().unwrap(), None);
    let_go(&jp, "let go\n");
    let waited = Output::from(waiting.wait_with_output().unwrap());
    assert_eq!((waited.code, waited.stdout), (0, format!("{id}: complete\n")));
    assert_eq!(query.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn a_server_whose_socket_is_taken_away_is_found_again() {
    let jp = scene(
        "[[answer]]\nstep = [{ call = \"one\", arguments = {} }]\n\n[[answer]]\ntext = \"Done.\"\n",
    );
    let id = detach(&jp, &[]);
    assert_eq!(wait(&jp, &id).code, 3);
    let path = socket(&jp, &id);
    // As when its user has logged out, and comes back.
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let reached = || jp.run(&["c", "answer", &id, "run"]);
    let said = format!("cannot be reached at `{}`", path.display());
    wait_until(|| {
        let answered = reached();
        let is_found = answered.code == 0;
        assert!(is_found || answered.stderr.contains(&said), "{}", answered.stderr);
        is_found
    });
    assert_eq!(wait(&jp, &id).code, 0);
    assert_eq!(did(&jp), ["one"]);
    assert!(entry(&jp, &id).is_none() && !path.exists());
}

/// Thoughts and texts in turn, each of which is stored by itself and can be told from the others.
fn blocks(count: usize) -> (String, String) {
    let words = || (0..count).map(|number| format!("<{number:05}>"));
    let kind = |number: usize| if number.is_multiple_of(2) { "reasoning" } else { "text" };
    let step = |(number, word): (usize, String)| format!("{{ {} = \"{word}\" }},\n", kind(number));
    let steps: String = words().enumerate().map(step).collect();
    let script = format!("[[answer]]\nchunk = 2\npause = 1\nstep = [\n{steps}]\n");
    (script, words().collect())
}

/// What is stored at the seam, and what is told until so many parts have come.
fn seam(jp: &Jp, id: &str, parts: u64) -> Option<(String, String)> {
    let path = entry(jp, id)?["socket"].as_str().unwrap().to_owned();
    let mut connection =
        Connection::greet(place::connect(path.as_ref()).ok()?, Role::Watcher).ok()?;
    let (mut commit, mut told, mut left) = (None, String::new(), parts);
    loop {
        match connection.hear() {
            Ok(FromServer::Welcome(welcome)) => commit = welcome.commit,
            Ok(FromServer::Text { text } | FromServer::Reasoning { text }) => {
                told.push_str(&text);
                left = left.saturating_sub(1);
            }
            Ok(FromServer::End(_)) | Err(_) => break,
            Ok(_) => {}
        }
        if left == 0 && commit.is_some() {
            break;
        }
    }
    let stored = events(jp, id, &["--at", &commit?]);
    let said = stored.iter().filter(|it| it["type"] == "message" || it["type"] == "reasoning");
    Some((said.map(|it| it["content"].as_str().unwrap()).collect(), told))
}

#[test]
fn the_store_up_to_the_seam_and_what_is_told_after_it_are_the_whole() {
    let cycles = std::env::var("JP_CYCLES").map_or(30, |cycles| cycles.parse().unwrap());
    let (script, whole) = blocks(200);
    let jp = player(&script);
    let mut id = detach(&jp, &[]);
    let (mut cycle, mut over_the_seam) = (0_u64, 0);
    while cycle < cycles {
        // As good as random, and the same each time.
        let Some((stored, told)) = seam(&jp, &id, 1 + (cycle * 7919) % 23) else {
            assert_eq!(wait(&jp, &id).code, 0);
            id = detach(&jp, &[]);
            continue;
        };
        let seen = format!("{stored}{told}");
        assert!(whole.starts_with(&seen), "cycle {cycle}: {stored} and {told}");
        over_the_seam += u64::from(!stored.is_empty() && !told.is_empty());
        cycle += 1;
    }
    assert!(over_the_seam * 2 > cycles, "{over_the_seam} of {cycles}");
    assert_eq!(wait(&jp, &id).code, 0);
    let stored = events(&jp, &id, &[]);
    let said = stored.iter().filter(|it| it["type"] == "message" || it["type"] == "reasoning");
    assert_eq!(said.map(|it| it["content"].as_str().unwrap()).collect::<String>(), whole);
}
