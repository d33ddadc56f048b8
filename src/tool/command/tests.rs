//! Commands that really run: what they are given, and what becomes of what they say.

use std::{
    ffi::OsString,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Map;

use super::*;
use crate::{
    cancel::Cancel,
    model::{AnswerType, Body, CallId, Json},
};

/// Far more than any of these takes, and far less than what is waited for if something is wrong.
const SOON: Duration = Duration::from_secs(30);

struct Bench {
    directory: tempfile::TempDir,
    elsewhere: tempfile::TempDir,
    vars: Vec<(OsString, OsString)>,
    keys: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let path = std::env::var_os("PATH").unwrap();
        let vars = vec![("PATH".into(), path), ("HOME".into(), "/nowhere".into())];
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        Self { directory, elsewhere, vars, keys: Vec::new() }
    }

    fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.into(), value.into()));
        self
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn site(&self) -> Arc<Site> {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        Arc::new(Site {
            env: Env::fixed(self.vars.clone(), "/".into(), now),
            workspace: self.path().to_owned(),
            outputs: self.elsewhere.path().join("made/outputs"),
            keys: self.keys.clone(),
            running: crate::process::Running::default(),
            escort: None,
        })
    }

    fn tool(&self, program: Program, change: impl FnOnce(&mut CommandSpec)) -> CommandTool {
        let mut spec = CommandSpec::new("probe", program);
        change(&mut spec);
        let mut tool = CommandTool::new(spec, self.site()).unwrap();
        tool.grace = Some(Duration::from_millis(300));
        tool
    }

    fn shell(&self, script: &str) -> CommandTool {
        self.tool(Program::Shell(script.to_owned()), |_spec| {})
    }

    fn run(&self, script: &str) -> Outcome {
        self.shell(script).run(&call(), &Host::alone(&Cancel::new()))
    }
}

fn call() -> Invocation {
    let (arguments, answers) = (json!({}), Map::new());
    Invocation {
        id: CallId::new("call_1"),
        arguments,
        answers,
        is_resume: false,
        subject: None,
        written: None,
    }
}

fn argv(words: &[&str]) -> Program {
    Program::Argv(words.iter().map(|word| (*word).to_owned()).collect())
}

fn error(outcome: Outcome) -> String {
    match outcome {
        Outcome::Error(body) => body.to_text_lossy().into_owned(),
        other => panic!("{other:?}"),
    }
}

fn success(outcome: Outcome) -> String {
    match outcome {
        Outcome::Success(body) => body.as_text().unwrap().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_reach_a_command_to_the_letter() {
    let bench = Bench::new();
    let tool = bench.tool(argv(&["cat"]), |_| {});
    let written = "{ \"n\": 12345678901234567890123.50,\n \"a\": [1e2, \"\\u0041\"] }";
    let arguments = serde_json::from_str(written).unwrap();
    let invocation = Invocation { arguments, written: Some(Json::new(written).unwrap()), ..call() };
    let read = success(tool.run(&invocation, &Host::alone(&Cancel::new())));
    let exact = "\"arguments\":{\"n\":12345678901234567890123.50,\"a\":[1e2,\"\\u0041\"]}";
    assert!(read.contains(exact), "{read}");
}

#[test]
fn a_command_reads_exactly_one_line_of_json() {
    let bench = Bench::new();
    let tool = bench.tool(argv(&["cat"]), |spec| {
        spec.parameters = json!({ "properties": { "text": { "type": "string" } } });
    });
    let answers = json!({ "sure": true, "password": "hunter2" });
    let invocation = Invocation {
        id: CallId::new("call \"7\""),
        arguments: json!({ "text": "$(rm -rf /); `x`\n\u{1b}[31m\0" }),
        answers: answers.as_object().unwrap().clone(),
        is_resume: true,
        subject: None,
        written: None,
    };
    let expected = format!(
        "{{\"tool\":\"probe\",\"call_id\":\"call \\\"7\\\"\",\
         \"arguments\":{{\"text\":\"$(rm -rf /); `x`\\n\\u001b[31m\\u0000\"}},\
         \"answers\":{{\"sure\":true,\"password\":\"hunter2\"}},\"is_resume\":true,\
         \"workspace\":\"{}\"}}\n",
        bench.path().display()
    );
    assert_eq!(success(tool.run(&invocation, &Host::alone(&Cancel::new()))), expected);
}

#[test]
fn a_program_without_a_shell_gets_its_words_as_they_are() {
    let bench = Bench::new();
    let tool = bench.tool(argv(&["printf", "%s|", "$HOME", "a b", "*", "; echo x"]), |_spec| {});
    assert_eq!(success(tool.run(&call(), &Host::alone(&Cancel::new()))), "$HOME|a b|*|; echo x|");
}

#[test]
fn a_command_runs_in_the_workspace_and_its_program_is_found_there_or_at_home() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let script = bench.path().join("here.sh");
    std::fs::write(&script, "#!/bin/sh\npwd\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let tool = bench.tool(argv(&["./here.sh"]), |_spec| {});
    let here = bench.path().canonicalize().unwrap();
    assert_eq!(
        success(tool.run(&call(), &Host::alone(&Cancel::new()))),
        format!("{}\n", here.display())
    );
    let home = Bench::new().with_var("HOME", bench.path().to_str().unwrap());
    let tool = home.tool(argv(&["~/here.sh"]), |_spec| {});
    let there = home.path().canonicalize().unwrap();
    assert_eq!(
        success(tool.run(&call(), &Host::alone(&Cancel::new()))),
        format!("{}\n", there.display())
    );
}

#[test]
fn a_command_sees_no_key_and_what_its_declaration_names() {
    let mut bench = Bench::new()
        .with_var("OPENAI_API_KEY", "sk-0123456789")
        .with_var("COPY", "sk-0123456789")
        .with_var("GITHUB_TOKEN", "g")
        .with_var("MY_SETTING", "s")
        .with_var("LANG", "C");
    bench.keys = vec!["OPENAI_API_KEY".to_owned()];
    let script = "env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD= -e ^PATH= | sort";
    let program = Program::Shell(script.to_owned());
    let bare = bench.tool(program.clone(), |_spec| {});
    assert_eq!(success(bare.run(&call(), &Host::alone(&Cancel::new()))), "HOME=/nowhere\nLANG=C\n");
    let named = bench.tool(program, |spec| {
        spec.environment = vec!["GITHUB_TOKEN".to_owned(), "MY_*".to_owned(), "COPY".to_owned()];
    });
    assert!(!format!("{named:?}").contains("sk-0123456789"));
    let expected = "GITHUB_TOKEN=g\nHOME=/nowhere\nLANG=C\nMY_SETTING=s\n";
    assert_eq!(success(named.run(&call(), &Host::alone(&Cancel::new()))), expected);
}

#[test]
fn nothing_runs_with_wrong_arguments_and_all_that_is_wrong_is_said() {
    let bench = Bench::new();
    let tool = bench.tool(Program::Shell("touch ran".to_owned()), |spec| {
        spec.parameters = json!({
            "required": ["path"],
            "properties": { "path": { "type": "string" }, "count": { "type": "integer" } },
            "additionalProperties": false,
        });
    });
    let mut invocation = call();
    invocation.arguments = json!({ "count": "3", "pth": "x" });
    let said = "The tool `probe` was not run: its arguments are wrong.\n\
                - `count`: expected integer, got \"3\"\n- `pth` is unknown\n- `path` is missing";
    let mut lines: Vec<_> = said.lines().collect();
    let outcome = error(tool.run(&invocation, &Host::alone(&Cancel::new())));
    let mut found: Vec<_> = outcome.lines().collect();
    lines[1..].sort_unstable();
    found[1..].sort_unstable();
    assert_eq!(found, lines);
    invocation.arguments = json!([]);
    assert!(tool.check(&invocation.arguments).unwrap_err().ends_with("expected object, got []"));
    assert!(!bench.path().join("ran").exists());
}

#[test]
fn output_comes_back_to_the_byte() {
    let bench = Bench::new();
    let outcome = bench.run("printf '\\000\\377\\033[31m\\r\\n'; echo noise >&2");
    assert_eq!(outcome, Outcome::Success(Body::from(b"\0\xff\x1b[31m\r\n".to_vec())));
    assert_eq!(bench.run("true"), Outcome::success(""));
    let garbage = "{\"jp\": {\"type\": \"succ";
    assert_eq!(bench.run(&format!("printf '{garbage}'")), Outcome::success(garbage));
}

#[test]
fn a_failure_says_how_and_with_what_words() {
    let bench = Bench::new();
    assert_eq!(
        error(bench.run("echo out; echo err >&2; exit 3")),
        "The tool `probe` failed with exit status 3.\n\nstderr:\nerr\n\nstdout:\nout"
    );
    assert_eq!(
        error(bench.run("exit 1")),
        "The tool `probe` failed with exit status 1. It printed nothing."
    );
    let killed = error(bench.run("echo half; kill -KILL $$"));
    assert!(killed.starts_with("The tool `probe` was killed by signal 9 (SIGKILL"), "{killed}");
    assert!(killed.ends_with("\n\nstdout:\nhalf"), "{killed}");
    let bytes = bench.run("printf '\\377'; exit 1");
    let Outcome::Error(body) = bytes else { panic!("{bytes:?}") };
    assert!(body.as_bytes().ends_with(b"stdout:\n\xff"));
}

#[test]
fn what_cannot_be_run_says_what_to_do() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    std::fs::write(bench.path().join("plain"), "echo no first line\n").unwrap();
    let say = |program: &str| {
        let tool = bench.tool(argv(&[program]), |_spec| {});
        error(tool.run(&call(), &Host::alone(&Cancel::new())))
    };
    let missing = say("no-such-program");
    assert!(missing.starts_with("The tool `probe` was not run: `no-such-program` "), "{missing}");
    assert!(missing.contains("correct `command` in `[tools.probe]`"), "{missing}");
    assert!(say("./plain").contains("`chmod +x`"), "{}", say("./plain"));
    let plain = bench.path().join("plain");
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(say("./plain").contains("`#!/bin/sh`"), "{}", say("./plain"));
    let gone = bench.shell("true");
    std::fs::remove_dir_all(bench.path()).unwrap();
    let gone = error(gone.run(&call(), &Host::alone(&Cancel::new())));
    assert!(gone.contains("was not run") && gone.contains("not a directory"), "{gone}");
}

#[test]
fn a_typed_outcome_is_taken_at_its_word() {
    let bench = Bench::new();
    let print = |json: Value, status: u8| format!("printf '%s\\n' '{json}'; exit {status}");
    let done = json!({ "jp": { "type": "success", "content": "done" } });
    let failed = json!({ "jp": { "type": "error", "message": "no" } });
    assert_eq!(bench.run(&print(done.clone(), 0)), Outcome::success("done"));
    for status in [0, 4] {
        assert_eq!(bench.run(&print(failed.clone(), status)), Outcome::error("no"));
    }
    let contradiction = error(bench.run(&print(done, 4)));
    assert!(contradiction.starts_with("The tool `probe` failed with exit status 4."));
    let wrong = error(bench.run(&print(json!({ "jp": { "type": "done" } }), 0)));
    let expected = "The tool `probe` ran to its end, and its outcome cannot be read: unknown \
                    variant `done`, expected one of `success`, `error`, `needs_input`.\n\n\
                    stdout:\n{\"jp\":{\"type\":\"done\"}}";
    assert_eq!(wrong, expected);
}

#[test]
fn a_question_is_asked_and_its_answer_reaches_the_next_run() {
    let bench = Bench::new();
    let question = json!({ "jp": { "type": "needs_input", "question": {
        "id": "word", "text": "The word?", "type": "secret",
    } } });
    let script = format!(
        "read -r line; case $line in *'\"word\":\"hunter2\"'*'\"is_resume\":true'*) echo in;; \
         *) echo '{question}';; esac"
    );
    let tool = bench.shell(&script);
    let mut invocation = call();
    let asked = tool.run(&invocation, &Host::alone(&Cancel::new()));
    let Outcome::NeedsInput(question) = asked else { panic!("{asked:?}") };
    assert_eq!((question.answer, question.exclusive), (AnswerType::Secret, true));
    invocation.answers.insert(question.id, json!("hunter2"));
    invocation.is_resume = true;
    assert_eq!(success(tool.run(&invocation, &Host::alone(&Cancel::new()))), "in\n");
    assert!(!format!("{invocation:?}").contains("hunter2"));
}

#[test]
fn a_huge_output_is_cut_and_saved() {
    let bench = Bench::new();
    let script = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last";
    let tool = bench.tool(Program::Shell(script.to_owned()), |spec| spec.output_limit = 4000);
    let text = success(tool.run(&call(), &Host::alone(&Cancel::new())));
    assert!(text.len() < 4400, "{}", text.len());
    assert!(text.starts_with("first\nxxx") && text.ends_with("xxx\nlast\n"));
    let (_, notice) = text.split_once("\n[").unwrap();
    let (notice, _) = notice.split_once("]\n").unwrap();
    let expected = "49996012 of 50000012 bytes are left out here; the whole output is saved in `";
    let path = notice.strip_prefix(expected).unwrap_or_else(|| panic!("{notice}"));
    let path = Path::new(path.trim_end_matches('`'));
    assert!(path.starts_with(bench.elsewhere.path().join("made/outputs")));
    assert_eq!(std::fs::metadata(path).unwrap().len(), 50_000_012);
}

#[test]
fn a_typed_outcome_that_is_too_long_is_no_success() {
    let bench = Bench::new();
    let script = "printf '{\"jp\":{\"type\":\"success\",\"content\":\"'; \
                  head -c 9000 /dev/zero | tr '\\0' x; printf '\"}}'";
    let tool = bench.tool(Program::Shell(script.to_owned()), |spec| spec.output_limit = 4000);
    let said = error(tool.run(&call(), &Host::alone(&Cancel::new())));
    assert!(said.contains("it is longer than 4000 bytes, its `output_limit`"), "{said}");
}

#[test]
fn a_command_that_takes_too_long_is_stopped_even_if_it_does_not_want_to() {
    let bench = Bench::new();
    let script = "trap '' TERM; echo begun; sleep 1000 & while :; do sleep 0.01; done";
    let tool = bench.tool(Program::Shell(script.to_owned()), |spec| {
        spec.timeout = Duration::from_secs(1);
    });
    let began = Instant::now();
    let said = error(tool.run(&call(), &Host::alone(&Cancel::new())));
    assert!(began.elapsed() < SOON);
    assert_eq!(
        said,
        "The tool `probe` was stopped because it was not done after 1 s, its `timeout`. \
         What it did until then stays done.\n\nstdout:\nbegun"
    );
}

#[test]
fn a_command_that_leaves_somebody_behind_is_not_waited_for() {
    let bench = Bench::new();
    let began = Instant::now();
    assert_eq!(success(bench.run("(sleep 1000 &) ; echo done")), "done\n");
    assert!(began.elapsed() < SOON);
}

#[test]
fn a_cancelled_command_is_stopped_and_says_so() {
    let bench = Bench::new();
    let tool = bench.shell("mkfifo never; echo begun >begun; cat never");
    let cancel = Cancel::new();
    let said = std::thread::scope(|scope| {
        let running = scope.spawn(|| tool.run(&call(), &Host::alone(&cancel)));
        let began = Instant::now();
        while !bench.path().join("begun").exists() {
            assert!(began.elapsed() < SOON);
            std::thread::yield_now();
        }
        cancel.cancel();
        error(running.join().unwrap())
    });
    assert!(said.contains("was stopped because the query was cancelled"), "{said}");
    let before = error(tool.run(&call(), &Host::alone(&cancel)));
    assert!(before.starts_with("The tool `probe` was not run: "), "{before}");
}

#[test]
fn calls_run_side_by_side() {
    let bench = Bench::new();
    // Each waits for the other, so that neither ends unless both run.
    let script = |mine: &str, other: &str| {
        format!(
            "mkfifo {mine}; echo x >{mine} & \
        while [ ! -p {other} ]; do :; done; cat {other}"
        )
    };
    let (one, two) = (bench.shell(&script("a", "b")), bench.shell(&script("b", "a")));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| two.run(&call(), &Host::alone(&Cancel::new())));
        assert_eq!(success(one.run(&call(), &Host::alone(&Cancel::new()))), "x\n");
        assert_eq!(success(other.join().unwrap()), "x\n");
    });
}

#[test]
fn a_wrong_declaration_is_refused_by_name() {
    let mut bench = Bench::new();
    bench.keys = vec!["OPENAI_API_KEY".to_owned()];
    let refused = |change: &dyn Fn(&mut CommandSpec)| {
        let mut spec = CommandSpec::new("probe", argv(&["true"]));
        change(&mut spec);
        CommandTool::new(spec, bench.site()).unwrap_err().to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut CommandSpec);
    let table: [(Change<'_>, &str); 7] = [
        (&|spec| spec.name = "a b".to_owned(), "a tool cannot be called `a b`"),
        (&|spec| spec.parameters = json!([]), "the parameters of the tool `probe` are not those"),
        (&|spec| spec.parameters = json!({ "type": "string" }), "the parameters of the tool"),
        (&|spec| spec.environment = vec!["A=b".to_owned()], "the tool `probe` names the variable"),
        (
            &|spec| spec.environment = vec!["OPENAI_API_KEY".to_owned()],
            "the tool `probe` cannot have the variable `OPENAI_API_KEY`: it holds a provider's key",
        ),
        (&|spec| spec.timeout = Duration::ZERO, "the tool `probe` has a `timeout` of 0"),
        (&|spec| spec.output_limit = 0, "the tool `probe` has a `output_limit` of 0"),
    ];
    for (change, expected) in table {
        let said = refused(change);
        assert!(said.starts_with(expected), "{said}");
    }
    let command = |words: &[&str], shell| {
        Program::new("probe", words.iter().map(|word| (*word).to_owned()).collect(), shell)
    };
    let tool = || "probe".to_owned();
    assert_eq!(command(&[], false), Err(DeclarationError::NoCommand(tool())));
    assert_eq!(command(&["a\0"], false), Err(DeclarationError::Nul(tool())));
    let parts = DeclarationError::ShellParts { tool: tool(), parts: 2 };
    assert_eq!(command(&["a", "b"], true), Err(parts));
    assert_eq!(command(&["a b"], true), Ok(Program::Shell("a b".to_owned())));
}

#[test]
fn parameters_that_are_no_schema_are_found_out_without_running_anything() {
    let bench = Bench::new();
    let tool = bench.tool(Program::Shell("touch ran".to_owned()), |spec| {
        spec.parameters = json!({ "properties": { "a": { "type": "strnig" } } });
    });
    let problem = tool.verify().unwrap_err().to_string();
    let expected = "the parameters of the tool `probe` are not a valid JSON Schema: \
                    `properties/a/type`: ";
    assert!(problem.starts_with(expected), "{problem}");
    let said = error(tool.run(&call(), &Host::alone(&Cancel::new())));
    assert!(said.contains(&problem) && said.contains("`[tools.probe]`"), "{said}");
    assert!(!bench.path().join("ran").exists());
}
