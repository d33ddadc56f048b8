//! Servers that are slow, noisy, curious, endless, and that die in the middle.

mod over_http;
mod over_pipes;
#[path = "../../../../tests/helpers/mcp_server.rs"]
mod played;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{exchange::Mark, *};
use crate::{
    cancel::Cancel,
    env::Env,
    model::CallId,
    process::Running,
    tool::{Host, Line, Outcome, Question, Site, Tool},
};

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A place for servers.
struct Place {
    directory: tempfile::TempDir,
    site: Arc<Site>,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = std::env::vars().find(|(name, _)| name == "PATH").unwrap().1;
        let vars =
            [("PATH", path.as_str()), ("SECRET", "s"), ("MINE", "m"), ("KEY", "sk-01234567")];
        let vars = vars.map(|(name, value)| (name.into(), value.into()));
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let site = Site {
            env: Env::fixed(vars, directory.path().to_owned(), now),
            workspace: directory.path().canonicalize().unwrap(),
            outputs: directory.path().join("outputs"),
            keys: vec!["KEY".to_owned()],
            running: Running::default(),
            escort: None,
        };
        Self { directory, site: Arc::new(site) }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }

    /// How a server that behaves so is declared.
    fn spec(&self, manner: &str) -> ServerSpec {
        let program = std::env::current_exe().unwrap();
        let argv = [
            program.to_str().unwrap(),
            "--exact",
            "--nocapture",
            "tool::mcp::tests::played::plays_the_server",
        ];
        let log = self.directory.path().join("log");
        let variables = [(played::MANNER, manner), (played::LOG, log.to_str().unwrap())];
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let way = Way::Command {
            argv: argv.map(str::to_owned).to_vec(),
            environment: vec!["MINE".to_owned(), "KEY".to_owned()],
            variables: BTreeMap::from(variables.map(own)),
        };
        ServerSpec { startup_timeout: LONG, timeout: LONG, ..ServerSpec::new("srv", "test", way) }
    }

    fn start(&self, specs: Vec<ServerSpec>) -> (Servers, Vec<Started>) {
        Servers::start(specs, &self.site, &[], &Cancel::new()).unwrap()
    }

    /// A server that started, and its tools.
    fn started(&self, spec: ServerSpec) -> (Servers, Vec<Arc<McpTool>>) {
        let (servers, mut started) = self.start(vec![spec]);
        let started = started.remove(0);
        (servers, started.tools.unwrap_or_else(|problem| panic!("{problem}")))
    }
}

/// What is said and asked during a call, and the outcome.
struct Course {
    outcome: Outcome,
    said: Vec<String>,
    asked: Vec<Question>,
}

/// Somebody who has one answer to everything.
struct User {
    answer: Option<Value>,
    said: Mutex<Vec<String>>,
    asked: Mutex<Vec<Question>>,
}

impl Line for User {
    fn progress(&self, text: &str) {
        self.said.lock().unwrap().push(text.to_owned());
    }

    fn ask(&self, question: Question) -> Option<Value> {
        self.asked.lock().unwrap().push(question);
        self.answer.clone()
    }
}

fn call_with(
    tools: &[Arc<McpTool>],
    name: &str,
    arguments: Value,
    cancel: &Cancel,
    answer: Option<Value>,
) -> Course {
    let tool = tools.iter().find(|tool| tool.original() == name).unwrap();
    let user = User { answer, said: Mutex::default(), asked: Mutex::default() };
    let mark = Mark { call: &CallId::new("call_7"), is_resume: true };
    let outcome = tool.call(&arguments, mark, &Host::new(cancel, &user));
    let (said, asked) = (user.said.into_inner().unwrap(), user.asked.into_inner().unwrap());
    Course { outcome, said, asked }
}

fn call(tools: &[Arc<McpTool>], name: &str) -> Outcome {
    call_with(tools, name, json!({}), &Cancel::new(), None).outcome
}

fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Success(body) | Outcome::Error(body) => body.to_text_lossy().into_owned(),
        other => panic!("{other:?}"),
    }
}

fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Error(_))
}
