//! The tools and the schema of a query, from what the user wrote.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    cli::{commands::servers::Fleet, error::CommandError, output::Output},
    config::{self, Settings},
    env::Env,
    fsutil::AtPath,
    process::{Escort, Running},
    tool::{
        Catalog, CommandSpec, CommandTool, Listed, Misfit, Program, Site, Source, Terms, Tool,
        builtin::{self, Adjusted},
    },
    turn,
    workspace::{ConfigFiles, Location},
};

/// Where tools run.
pub fn site(env: &Env, root: &Path, keys: Vec<String>, running: &Running) -> Site {
    let outputs = env.data_dir().unwrap_or_else(|| root.join(".jp")).join("outputs");
    // Without one a server is told of the end by the end of its input alone.
    let escort = Escort::of_this_program().ok();
    let (env, workspace, running) = (env.clone(), root.to_owned(), running.clone());
    Site { env, workspace, outputs, keys, running, escort }
}

/// Where conversations are kept, if this is a workspace: only there files are in reach of the
/// built-in tools.
pub fn store_of(env: &Env, files: &ConfigFiles) -> Result<Option<PathBuf>, CommandError> {
    let location = files.root().map(|_| Location::find(env)).transpose()?;
    Ok(location.map(|location| location.store))
}

/// The names of tools.
pub fn names(tools: &Catalog) -> Vec<String> {
    tools.iter().map(|listed| listed.tool.spec().name.as_str().to_owned()).collect()
}

/// The tools, and those of servers with what the settings say about them: `[tools.NAME]` goes
/// before what holds for all tools of a server. Settings for a tool that does not exist are told.
pub fn with_servers(
    output: &mut Output,
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
    let catalog = Catalog::new(all)
        .map_err(|wrong| CommandError::failures(wrong.iter().map(ToString::to_string).collect()))?;
    warn_of_unknown(output, &catalog, fleet, settings);
    Ok(catalog)
}

/// Tells of settings for a tool that nobody knows, unless its server may have it another time.
fn warn_of_unknown(output: &mut Output, catalog: &Catalog, fleet: &Fleet, settings: &Settings) {
    let known = names(catalog);
    let of_server = |name: &str| {
        fleet.started.iter().any(|(server, _)| name.starts_with(&format!("{}__", server.name)))
    };
    for (name, said) in &settings.tools {
        let is_known = known.contains(name) || builtin::NAMES.contains(&name.as_str());
        if said.command.is_empty() && said.enable && !is_known && !of_server(name) {
            output
                .warn(format_args!("`[tools.{name}]` has no `command`, and no tool is called so"));
        }
    }
}

/// The tools that are built in and those that the settings declare. All that is wrong with any of
/// them is told.
pub fn declared(
    settings: &Settings,
    store: Option<&PathBuf>,
    site: &Arc<Site>,
) -> Result<Catalog, CommandError> {
    let (mut tools, mut problems) = (built_in(settings, store, site), Vec::new());
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

/// The tools that are built in, unless they are turned off or a command has their name.
fn built_in(settings: &Settings, store: Option<&PathBuf>, site: &Arc<Site>) -> Vec<Listed> {
    let Some(store) = store else { return Vec::new() };
    let adjusted = |name: &str| {
        let Some(declared) = settings.tools.get(name) else { return Adjusted::default() };
        Adjusted {
            output_limit: declared.output_limit.map(bytes),
            timeout: declared.timeout.map(config::Timeout::duration),
            environment: declared.environment.clone(),
        }
    };
    let listed = |tool: Arc<dyn Tool>| {
        let declared = settings.tools.get(tool.spec().name.as_str());
        let is_wanted = declared.is_none_or(|tool| tool.enable && tool.command.is_empty());
        let terms = declared.map(terms).unwrap_or_default();
        is_wanted.then_some(Listed { tool, terms, source: Source::BuiltIn })
    };
    let tools = builtin::tools(site, std::slice::from_ref(store), adjusted);
    tools.into_iter().filter_map(listed).collect()
}

fn bytes(limit: config::ByteCount) -> usize {
    usize::try_from(limit.get()).unwrap_or(usize::MAX)
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
        output_limit: declared.output_limit.map_or(defaults.output_limit, bytes),
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
