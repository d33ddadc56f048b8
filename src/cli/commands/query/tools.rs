//! The tools and the schema of a query, from what the user wrote.

use std::{path::Path, sync::Arc};

use serde_json::Value;

use crate::{
    cli::{commands::servers::Fleet, error::CommandError},
    config::{self, Settings},
    env::Env,
    fsutil::AtPath,
    process::Running,
    tool::{Catalog, CommandSpec, CommandTool, Listed, Misfit, Program, Site, Source, Terms, Tool},
    turn,
};

/// Where tools run.
pub fn site(env: &Env, root: &Path, keys: Vec<String>, running: &Running) -> Site {
    let outputs = env.data_dir().unwrap_or_else(|| root.join(".jp")).join("outputs");
    Site { env: env.clone(), workspace: root.to_owned(), outputs, keys, running: running.clone() }
}

/// The names of tools.
pub fn names(tools: &Catalog) -> Vec<String> {
    tools.iter().map(|listed| listed.tool.spec().name.as_str().to_owned()).collect()
}

/// The tools, and those of servers with what the settings say about them: `[tools.NAME]` goes
/// before what holds for all tools of a server.
pub fn with_servers(
    tools: Catalog,
    fleet: &Fleet,
    settings: &Settings,
) -> Result<Catalog, CommandError> {
    let of_servers = fleet.tools().filter_map(|tool| {
        let said = settings.tools.get(tool.spec().name.as_str());
        if said.is_some_and(|said| !said.enable) {
            return None;
        }
        let mut terms = said.map(terms).unwrap_or_default();
        if said.is_none_or(|said| said.permission.is_none()) {
            terms.permission = tool.server().spec().permission;
        }
        let source = Source::Mcp(tool.server().spec().name.clone());
        Some(Listed { tool: tool.clone(), terms, source })
    });
    let all: Vec<_> = tools.iter().cloned().chain(of_servers).collect();
    Catalog::new(all)
        .map_err(|wrong| CommandError::failures(wrong.iter().map(ToString::to_string).collect()))
}

/// The tools that the settings declare. All that is wrong with any of them is told.
pub fn declared(settings: &Settings, site: &Arc<Site>) -> Result<Catalog, CommandError> {
    let (mut tools, mut problems) = (Vec::new(), Vec::new());
    // Without a command it says something about a tool from elsewhere.
    let is_meant = |tool: &config::Tool| tool.enable && !tool.command.is_empty();
    for (name, declared) in settings.tools.iter().filter(|(_, tool)| is_meant(tool)) {
        let made = command(name, declared).and_then(|spec| CommandTool::new(spec, site.clone()));
        match made {
            Ok(tool) => {
                let (tool, terms) = (Arc::new(tool) as Arc<dyn Tool>, terms(declared));
                tools.push(Listed { tool, terms, source: Source::Command });
            }
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    let catalog =
        Catalog::new(tools).map_err(|wrong| wrong.iter().map(ToString::to_string).collect());
    match catalog {
        Ok(catalog) if problems.is_empty() => Ok(catalog),
        Ok(_) => Err(CommandError::failures(problems)),
        Err(wrong) => Err(CommandError::failures([problems, wrong].concat())),
    }
}

/// On what terms the user wants a tool to be used.
fn terms(declared: &config::Tool) -> Terms {
    Terms {
        permission: declared.permission.unwrap_or_default(),
        rules: declared.rules.clone(),
        delivery: declared.deliver,
        exclusive: declared.exclusive,
        unattended: declared.unattended,
        idempotent: declared.idempotent,
    }
}

fn command(
    name: &str,
    declared: &config::Tool,
) -> Result<CommandSpec, crate::tool::DeclarationError> {
    let program = Program::new(name, declared.command.clone(), declared.shell)?;
    let defaults = CommandSpec::new(name, program);
    Ok(CommandSpec {
        description: declared.description.clone().unwrap_or_default(),
        parameters: Value::Object(declared.parameters.clone()),
        timeout: declared.timeout.map_or(defaults.timeout, config::Timeout::duration),
        output_limit: declared.output_limit.map_or(defaults.output_limit, |limit| {
            usize::try_from(limit.get()).unwrap_or(usize::MAX)
        }),
        idempotent: declared.idempotent.unwrap_or(false),
        environment: declared.environment.clone(),
        ..defaults
    })
}

/// The schema of the data that is wanted: written out, or in a file.
pub fn schema(env: &Env, given: &str) -> Result<turn::Schema, CommandError> {
    let text = match given.trim_start().starts_with('{') {
        true => given.to_owned(),
        false => {
            let path = env.cwd().join(given);
            std::fs::read_to_string(&path).at("read", &path).map_err(CommandError::failure)?
        }
    };
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| CommandError::usage(format!("the schema is not JSON: {error}")))?;
    let schema = crate::tool::Schema::new(value.clone());
    if let Err(problem) = schema.verify() {
        return Err(CommandError::usage(format!("the schema is not a JSON Schema: {problem}")));
    }
    let check = move |data: &Value| match schema.check(data) {
        Ok(()) => Ok(()),
        Err(Misfit::Value(problems)) => Err(problems.join("; ")),
        Err(Misfit::Schema(problem)) => Err(problem),
    };
    Ok(turn::Schema { value, check: Arc::new(check) })
}
