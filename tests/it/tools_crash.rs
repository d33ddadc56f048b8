//! What a turn with five tools leaves that is killed anywhere: every result that was finished, and
//! no tool that does something twice.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use crate::{
    crash::{kill_and_check, sound},
    query::{answer, ask, configure, only, player},
    support::{Jp, Output, without_occasion},
};

const SCRIPT: &str = r#"
[[answer]]
text = "Hello."

[[answer]]
step = [
    { text = "Let me see." },
    { call = "adds", arguments = {} },
    { call = "again", arguments = {} },
    { call = "wonders", arguments = {} },
    { call = "fs_modify_file", arguments = { path = "made/list", replacements = [
        { old_text = "end\n", new_text = "changed\nend\n" },
    ] } },
    { call = "shows", arguments = {} },
]

[[answer]]
text = "All done."
"#;

/// Each tool puts down that it has done something, and for which call.
pub const TOOLS: &str = r#"
[tools.adds]
command = ["cat >> did-adds; echo done"]
shell = true
permission = "allow"

[tools.again]
command = ["cat >> did-again; echo done"]
shell = true
permission = "allow"
idempotent = true

[tools.wonders]
command = ['''
read -r call
case "$call" in
    *'"sure":true'*) printf '%s\n' "$call" >> did-wonders; echo done;;
    *) echo '{"jp":{"type":"needs_input","question":{"id":"sure","type":"boolean","text":"Sure?","default":true}}}';;
esac
''']
shell = true
permission = "allow"
unattended.question = "defaults"

[tools.fs_modify_file]
rules = [{ path = "made/**", permission = "allow" }]

[tools.shows]
command = ["cat >> did-shows; echo done"]
shell = true
permission = "allow"
deliver = "ask"
unattended.deliver = "auto"
"#;

/// The tools that are commands and do something that must not be done twice.
const ONCE: [&str; 3] = ["adds", "wonders", "shows"];

/// A conversation in which a model is about to call these tools.
pub fn scene_with(tools: &str) -> (Jp, Option<String>) {
    let jp = player(SCRIPT);
    configure(&jp, tools);
    jp.write("made/list", "begin\nend\n");
    answer(ask(&jp, &["--new", "Hello"]));
    let id = only(&jp);
    (jp, Some(id))
}

/// The query in which it does.
pub fn go(id: Option<&str>) -> Vec<String> {
    let id = format!("--id={}", id.unwrap());
    ["q", "--no-server", "--non-interactive", "--format", "json", &id, "Go"]
        .map(str::to_owned)
        .to_vec()
}

/// The fewest points at which such a turn can be killed.
const POINTS: usize = 500;

#[test]
fn a_turn_with_five_tools_that_is_killed_anywhere_goes_on_as_if_it_had_not_been() {
    let whole = Whole::run();
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| check(jp, id.unwrap(), killed, &whole);
    assert_eq!(kill_and_check(|| scene_with(TOOLS), go, check), Vec::<String>::new());
}

#[test]
fn there_are_at_least_five_hundred_points_to_be_killed_at() {
    let (jp, id) = scene_with(TOOLS);
    let program = [vec![env!("CARGO_BIN_EXE_jp").to_owned()], go(id.as_deref())].concat();
    let calls = jp.calls(&program.iter().map(String::as_str).collect::<Vec<_>>()).len();
    assert!(2 * calls >= POINTS, "before and after {calls} calls");
}

/// The negative control: the same tools, all of which are said to be idempotent and are not.
#[test]
fn tools_that_do_something_twice_are_caught() {
    let lie = TOOLS.replace("idempotent = true\n", "");
    let lie = lie.replace("]\n\n[tools.shows]", "]\nidempotent = true\n\n[tools.shows]");
    let lie = lie.replace("shell = true\n", "shell = true\nidempotent = true\n");
    assert_eq!(lie.matches("idempotent = true").count(), 5);
    let whole = Whole::run();
    let check = |jp: &Jp, id: Option<&str>, killed: &Output| check(jp, id.unwrap(), killed, &whole);
    let failures = kill_and_check(|| scene_with(&lie), go, check);
    assert!(failures.iter().any(|it| it.contains("did it twice")), "{failures:?}");
}

/// The turn as it is when nothing interrupts it.
pub struct Whole {
    messages: Vec<Value>,
    /// What each tool came to.
    results: BTreeMap<String, String>,
}

impl Whole {
    /// Runs it.
    pub fn run() -> Self {
        let (jp, id) = scene_with(TOOLS);
        let id = id.unwrap();
        let args = go(Some(&id));
        let output = jp.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(output.code, 0, "{}", output.stderr);
        let kept = Kept::read(&jp, &id);
        let results = kept.results();
        let tools = kept.of("tool-call").map(|call| (text(&call["tool"]), text(&call["id"])));
        let results = tools.map(|(tool, call)| (tool, results[&call].clone())).collect();
        Self { messages: messages(&jp, &id), results }
    }
}

/// What a model sees of a conversation, without what differs from run to run.
fn messages(jp: &Jp, id: &str) -> Vec<Value> {
    let output = jp.run(&["c", "export", id, "--format", "messages"]);
    let messages: Value = serde_json::from_str(&output.stdout).unwrap();
    messages.as_array().unwrap().iter().map(without_occasion).collect()
}

/// A result about which nobody could decide, and a process that is killed before or after it says
/// so.
#[test]
fn a_question_about_a_result_survives_with_the_result_that_it_is_killed_anywhere() {
    let scene = || {
        let queue = "unattended.deliver = \"queue\"";
        let tools = TOOLS.replace("unattended.deliver = \"auto\"", queue);
        let (jp, id) = scene_with(&tools);
        let one = "{ call = \"shows\", arguments = {} }";
        let script = format!(
            "[[answer]]\ntext = \"Hello.\"\n\n[[answer]]\nstep = [{one}]\n\n\
             [[answer]]\ntext = \"All done.\"\n"
        );
        fs::write(jp.world().join("home/script.toml"), script).unwrap();
        (jp, id)
    };
    // The query ends with 1 when the question stays open.
    let program = |id: Option<&str>| {
        let jp = env!("CARGO_BIN_EXE_jp");
        let query = format!("'{jp}' {}; test $? -le 1", go(id).join(" "));
        ["sh", "-c", &query].map(str::to_owned).to_vec()
    };
    let seen = AtomicUsize::new(0);
    let failures = kill_and_check(scene, program, |jp, id, killed| {
        let id = id.unwrap();
        sound(jp, &jp.store())?;
        let kept = Kept::read(jp, id);
        kept.holds_what_was_told(killed)?;
        let Some(open) = kept.of("inquiry-request").next() else { return Ok(()) };
        seen.fetch_add(1, Ordering::Relaxed);
        let status = jp.show(id)["status"].as_str().unwrap().to_owned();
        if status != "waiting-for-input (shows)" {
            return Err(format!("`{status}` with {:?}", kept.0));
        }
        let later = jp.run(&["resume", id, "-c", "tools.shows.unattended.deliver=auto"]);
        let after = Kept::read(jp, id);
        let results: Vec<_> = after.results().into_values().collect();
        let answered: Vec<_> = after.of("inquiry-response").map(|it| &it["id"]).collect();
        if later.code != 0 || results != ["done\n"] || answered != [&open["id"]] {
            return Err(format!("it does not go on from the result: {later:?} {:?}", after.0));
        }
        done_once(jp, &after)
    });
    assert_eq!(failures, Vec::<String>::new());
    assert!(seen.into_inner() > 0, "the question was open at no point");
}

/// Checks what is left, and goes on with the turn.
pub fn check(jp: &Jp, id: &str, killed: &Output, whole: &Whole) -> Result<(), String> {
    // The order of threads differs from run to run: a late point may come after the end.
    if !matches!(killed.code, 0 | 137) {
        return Err(format!("it ended otherwise: {killed:?}"));
    }
    check_what_is_left(jp, id, killed, whole)
}

/// The same, however it ended.
pub fn check_what_is_left(jp: &Jp, id: &str, killed: &Output, whole: &Whole) -> Result<(), String> {
    sound(jp, &jp.store())?;
    let fsck = jp.run(&["c", "fsck", id]);
    if fsck.code != 0 {
        return Err(format!("fsck: {fsck:?}"));
    }
    let kept = Kept::read(jp, id);
    kept.holds_what_was_told(killed)?;
    let expected = kept.expected_status();
    let status = jp.show(id)["status"].as_str().unwrap().to_owned();
    let all = jp.run(&["c", "ls", "--format", "json"]).json();
    if status != expected || all[0]["status"] != status.as_str() {
        return Err(format!("`{status}` instead of `{expected}`; {all}"));
    }
    go_on(jp, id, &kept, whole)
}

/// Checks what a query left that had time to save, and goes on with the turn: nobody has to say what
/// a tool has done.
pub fn check_what_was_saved(jp: &Jp, id: &str, killed: &Output) -> Result<(), String> {
    sound(jp, &jp.store())?;
    let kept = Kept::read(jp, id);
    kept.holds_what_was_told(killed)?;
    let resumed = match kept.0.is_empty() {
        true => ask(jp, &[&format!("--id={id}"), "Go"]),
        false => jp.run(&["resume", id]),
    };
    let ended = Kept::read(jp, id);
    if resumed.code != 0 || !ended.is_over() {
        return Err(format!("it does not go on: {resumed:?} after {:?}", kept.0));
    }
    done_once(jp, &ended)
}

/// The events of the turn, as `export` tells them.
struct Kept(Vec<Value>);

impl Kept {
    fn read(jp: &Jp, id: &str) -> Self {
        let value = jp.run(&["c", "export", id, "--format", "json"]).json();
        let turns = value["turns"].as_array().unwrap();
        let events = turns.iter().skip(1).flat_map(|turn| turn["events"].as_array().unwrap());
        Self(events.cloned().collect())
    }

    fn of<'a>(&'a self, event_type: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| event["type"] == event_type)
    }

    fn holds_what_was_told(&self, killed: &Output) -> Result<(), String> {
        for line in killed.stdout.lines().filter(|line| line.ends_with('}')) {
            let told: Value = serde_json::from_str(line).map_err(|e| format!("{line}: {e}"))?;
            let same = |event: &&Value| {
                ["address", "type", "content", "id"].iter().all(|key| event[key] == told[key])
            };
            if told["type"] != "end" && !self.0.iter().any(|event| same(&event)) {
                return Err(format!("told and lost: {line}"));
            }
        }
        Ok(())
    }

    /// The results, by their calls.
    fn results(&self) -> BTreeMap<String, String> {
        let result = |event: &Value| (text(&event["id"]), text(&event["content"]));
        self.of("tool-result").map(result).collect()
    }

    /// The tools that were started and have no result.
    fn unknown(&self) -> BTreeSet<String> {
        let results = self.results();
        let started: BTreeSet<_> = self.of("tool-start").map(|event| text(&event["id"])).collect();
        let calls = self.of("tool-call");
        let lost = calls.filter(|call| {
            let id = text(&call["id"]);
            started.contains(&id) && !results.contains_key(&id)
        });
        lost.map(|call| text(&call["tool"])).collect()
    }

    fn is_over(&self) -> bool {
        self.0.is_empty() || self.0.last().is_some_and(|event| event["content"] == "All done.")
    }

    fn expected_status(&self) -> &'static str {
        let (calls, results) = (self.of("tool-call").count(), self.of("tool-result").count());
        // An answer that has not ended does not count.
        let has_ended = self.of("tool-call").any(|call| call["finish"] == "tool-calls");
        match () {
            () if self.is_over() => "idle",
            () if calls > 0 && !has_ended => "interrupted (pending LLM response)",
            () if calls > results => "interrupted (pending tool execution)",
            () if calls > 0 => "interrupted (pending follow-up)",
            () => "interrupted (pending LLM response)",
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn go_on(jp: &Jp, id: &str, kept: &Kept, whole: &Whole) -> Result<(), String> {
    let mut unknown = kept.unknown();
    unknown.retain(|tool| tool != "again");
    let resumed = match kept.0.is_empty() {
        true => ask(jp, &[&format!("--id={id}"), "Go"]),
        false => jp.run(&["resume", id]),
    };
    done_once(jp, &Kept::read(jp, id))?;
    if unknown.is_empty() && resumed.code != 0 {
        return Err(format!("it does not go on: {resumed:?} after {:?}", kept.0));
    }
    if !unknown.is_empty() {
        let says = resumed.code == 1 && resumed.stderr.contains("may have run already");
        if !says {
            return Err(format!("unsure, but: {resumed:?}"));
        }
        // Somebody looks what the tools have done, and says so.
        let mut decisions = vec!["resume".to_owned(), id.to_owned()];
        for tool in &unknown {
            let result = &whole.results[tool];
            decisions.extend(match has_done(jp, tool) {
                true => ["--done".to_owned(), format!("{tool}={result}")],
                false => ["--again".to_owned(), tool.clone()],
            });
        }
        let decided = jp.run(&decisions.iter().map(String::as_str).collect::<Vec<_>>());
        if decided.code != 0 {
            return Err(format!("{decisions:?}: {decided:?}"));
        }
    }
    // Whatever came next, what was finished is as it was.
    let ended = Kept::read(jp, id);
    let after = ended.results();
    for (call, result) in kept.results() {
        if after.get(&call) != Some(&result) {
            return Err(format!("the result of `{call}` is not reused: {after:?}"));
        }
    }
    done_once(jp, &ended)?;
    let messages = messages(jp, id);
    if messages != whole.messages {
        return Err(format!("it is not the uninterrupted turn: {messages:#?}"));
    }
    let again = jp.run(&["resume", id]);
    if (again.code, again.stdout.as_str()) != (0, "") || messages != self::messages(jp, id) {
        return Err(format!("there was something left to resume: {again:?}"));
    }
    sound(jp, &jp.store())
}

/// Whether a tool has done what it does.
fn has_done(jp: &Jp, tool: &str) -> bool {
    match tool {
        "fs_modify_file" => fs::read_to_string(jp.path("made/list")).unwrap().contains("changed"),
        tool => fs::read_to_string(jp.path(format!("did-{tool}"))).is_ok_and(|did| !did.is_empty()),
    }
}

/// Whether each call has done what it does at most once. A model that did not get to finish an
/// answer may make another call of the same tool.
fn done_once(jp: &Jp, kept: &Kept) -> Result<(), String> {
    for tool in ONCE {
        let did = fs::read_to_string(jp.path(format!("did-{tool}"))).unwrap_or_default();
        let call = |line: &str| serde_json::from_str::<Value>(line).unwrap()["call_id"].to_string();
        let calls: BTreeSet<_> = did.lines().map(call).collect();
        if calls.len() < did.lines().count() {
            return Err(format!("`{tool}` did it twice: {did}"));
        }
    }
    let list = fs::read_to_string(jp.path("made/list")).unwrap();
    let changes = list.lines().filter(|line| *line == "changed").count();
    let calls = kept.of("tool-call").filter(|call| call["tool"] == "fs_modify_file").count();
    if changes > calls {
        return Err(format!("`fs_modify_file` did it twice: {changes} times for {calls} calls"));
    }
    Ok(())
}
