//! A program of the user as a tool: JSON on its standard input, text or a typed outcome back.
//!
//! The arguments of a call never become part of a command line. `docs/tools.md` is the protocol.

use std::{borrow::Cow, ffi::OsString, fmt, path::PathBuf, sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::{
    DeclarationError, Host, Invocation, Misfit, Outcome, Schema, Tool,
    catalog::check_name,
    ending::{Ending, Who},
};
use crate::{
    env::Env,
    model::ToolName,
    process::{self, Escort, Running, Spawn, is_variable, variables},
    provider::ToolSpec,
};

/// How long a command may run unless its declaration says otherwise.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How many bytes of an output a model gets unless the declaration says otherwise.
const OUTPUT_LIMIT: usize = 64_000;

/// A command as the user declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// The name by which models call it.
    pub name: String,
    /// What to run.
    pub program: Program,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub parameters: Value,
    /// How long it may run.
    pub timeout: Duration,
    /// How many bytes of each of its outputs a model gets.
    pub output_limit: usize,
    /// Whether running it twice is the same as running it once.
    pub idempotent: bool,
    /// The variables that it sees beside the usual ones: names, or beginnings of names and a `*`.
    pub environment: Vec<String>,
}

/// What a command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program and its arguments.
    Argv(Vec<String>),
    /// A text for `/bin/sh -c`.
    Shell(String),
}

/// Where commands run, the same for all of them.
#[derive(Clone)]
pub struct Site {
    /// The world, from which each command sees a few variables.
    pub env: Env,
    /// The directory that they run in, and that they are told of.
    pub workspace: PathBuf,
    /// The directory where outputs are saved that are too long for a model.
    pub outputs: PathBuf,
    /// The variables that hold the keys of providers.
    pub keys: Vec<String>,
    /// Where they are listed while they run.
    pub running: Running,
    /// Who goes along with servers.
    pub escort: Option<Escort>,
}

/// A program of the user that a model may call.
#[derive(Debug)]
pub struct CommandTool {
    spec: ToolSpec,
    schema: Schema,
    command: CommandSpec,
    site: Arc<Site>,
    grace: Option<Duration>,
}

impl fmt::Debug for Site {
    /// The variables of the world hold keys, and are not told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site")
            .field("workspace", &self.workspace)
            .field("outputs", &self.outputs)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl CommandSpec {
    /// A command that takes no arguments and asks before it runs.
    pub fn new(name: impl Into<String>, program: Program) -> Self {
        Self {
            name: name.into(),
            program,
            description: String::new(),
            parameters: json!({ "type": "object", "properties": {} }),
            timeout: TIMEOUT,
            output_limit: OUTPUT_LIMIT,
            idempotent: false,
            environment: Vec::new(),
        }
    }
}

impl Program {
    /// What a declaration with this `command` and `shell` runs.
    pub fn new(tool: &str, command: Vec<String>, shell: bool) -> Result<Self, DeclarationError> {
        if command.first().is_none_or(|first| first.is_empty()) {
            return Err(DeclarationError::NoCommand(tool.to_owned()));
        }
        if command.iter().any(|part| part.contains('\0')) {
            return Err(DeclarationError::Nul(tool.to_owned()));
        }
        if !shell {
            return Ok(Self::Argv(command));
        }
        match <[String; 1]>::try_from(command) {
            Ok([text]) => Ok(Self::Shell(text)),
            Err(command) => {
                Err(DeclarationError::ShellParts { tool: tool.to_owned(), parts: command.len() })
            }
        }
    }

    fn argv(&self) -> Vec<String> {
        match self {
            Self::Argv(argv) => argv.clone(),
            Self::Shell(text) => ["/bin/sh", "-c", text].map(str::to_owned).to_vec(),
        }
    }
}

impl CommandTool {
    /// A command that runs on a site, if its declaration is right as far as a glance can tell.
    pub fn new(mut command: CommandSpec, site: Arc<Site>) -> Result<Self, DeclarationError> {
        check_name(&command.name)?;
        let tool = || command.name.clone();
        let parameters = command.parameters.as_object_mut();
        let parameters = parameters.ok_or_else(|| DeclarationError::NoObject(tool()))?;
        // Providers insist on it, and people leave it out.
        let kind = parameters.entry("type").or_insert_with(|| json!("object"));
        if kind != "object" {
            return Err(DeclarationError::NoObject(tool()));
        }
        for variable in &command.environment {
            if !is_variable(variable) {
                let variable = variable.clone();
                return Err(DeclarationError::Variable { tool: tool(), variable });
            }
            if site.keys.contains(variable) {
                return Err(DeclarationError::Key { tool: tool(), variable: variable.clone() });
            }
        }
        let zeros =
            [("timeout", command.timeout.is_zero()), ("output_limit", command.output_limit == 0)];
        if let Some((setting, _)) = zeros.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(DeclarationError::Zero { tool: tool(), setting });
        }
        let spec = ToolSpec {
            name: ToolName::new(&command.name),
            description: command.description.clone(),
            parameters: command.parameters.clone(),
        };
        let schema = Schema::new(command.parameters.clone());
        Ok(Self { spec, schema, command, site, grace: None })
    }

    /// Whether the parameters are a JSON Schema, which is otherwise found out by the first call.
    pub fn verify(&self) -> Result<(), DeclarationError> {
        self.schema.verify().map_err(|problem| self.wrong_schema(problem))
    }

    fn wrong_schema(&self, problem: &str) -> DeclarationError {
        DeclarationError::Schema { tool: self.command.name.clone(), problem: problem.to_owned() }
    }

    /// The words to run. A program may be in the user's home.
    fn argv(&self) -> Vec<OsString> {
        let mut argv: Vec<_> =
            self.command.program.argv().into_iter().map(OsString::from).collect();
        if let Program::Argv(words) = &self.command.program
            && let Some(inside) = words.first().and_then(|program| program.strip_prefix("~/"))
            && let Some(home) = self.site.env.home()
        {
            argv[0] = home.join(inside).into_os_string();
        }
        argv
    }

    /// What the command reads: one line of JSON.
    fn input(&self, invocation: &Invocation) -> Vec<u8> {
        let written = match &invocation.written {
            Some(json) => json.on_one_line().as_str().to_owned(),
            None => invocation.arguments.to_string(),
        };
        let input = Input {
            tool: &self.command.name,
            call_id: invocation.id.as_str(),
            arguments: &RawValue::from_string(written).expect("arguments are JSON"),
            answers: &invocation.answers,
            is_resume: invocation.is_resume,
            workspace: self.site.workspace.to_string_lossy(),
        };
        let mut line = serde_json::to_vec(&input).expect("texts and JSON are JSON");
        line.push(b'\n');
        line
    }
}

/// What a command reads; the arguments are those that were shown, to the letter.
#[derive(Serialize)]
struct Input<'a> {
    tool: &'a str,
    call_id: &'a str,
    arguments: &'a RawValue,
    answers: &'a Map<String, Value>,
    is_resume: bool,
    workspace: Cow<'a, str>,
}

impl Tool for CommandTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_idempotent(&self) -> bool {
        self.command.idempotent
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        let tool = &self.command.name;
        match self.schema.check(arguments) {
            Ok(()) => Ok(()),
            Err(Misfit::Value(problems)) => Err(format!(
                "The tool `{tool}` was not run: its arguments are wrong.\n- {}",
                problems.join("\n- ")
            )),
            Err(Misfit::Schema(problem)) => Err(format!(
                "The tool `{tool}` was not run: {}. The user can correct them in `[tools.{tool}]`.",
                self.wrong_schema(&problem)
            )),
        }
    }

    fn run(&self, invocation: &Invocation, host: &Host<'_>) -> Outcome {
        // Nothing runs with arguments that nobody has looked at, whoever calls.
        if let Err(problem) = self.check(&invocation.arguments) {
            return Outcome::error(problem);
        }
        let Site { env, workspace, outputs, keys, running, .. } = &*self.site;
        let mut spawn = Spawn::new(self.argv(), workspace);
        spawn.vars = variables(env, &self.command.environment, keys);
        spawn.stdin = self.input(invocation);
        spawn.kept = self.command.output_limit;
        spawn.overflow = Some(outputs.clone());
        spawn.timeout = Some(self.command.timeout);
        spawn.grace = self.grace.unwrap_or(spawn.grace);
        spawn.running = running.clone();
        let ending = Ending {
            who: Who::Tool(&self.command.name),
            timeout: self.command.timeout,
            limit: self.command.output_limit,
        };
        match process::run(&spawn, host.cancel()) {
            Ok(ran) => ending.of(&ran),
            Err(error) => ending.without_run(&error),
        }
    }
}

#[cfg(test)]
mod tests;
