//! The tools and the schema of a query, from what the user wrote.

use std::{path::Path, sync::Arc};

use serde_json::Value;

use crate::{
    cli::error::CommandError,
    config::{self, Settings},
    env::Env,
    fsutil::AtPath,
    process::Running,
    tool::{CommandSpec, CommandTool, Misfit, Permission, Program, Site, Tool},
    turn,
};

/// The tools that the settings declare. All that is wrong with any of them is told.
pub fn declared(
    env: &Env,
    settings: &Settings,
    root: &Path,
    keys: Vec<String>,
    running: &Running,
) -> Result<Vec<Arc<dyn Tool>>, CommandError> {
    let outputs = env.data_dir().unwrap_or_else(|| root.join(".jp")).join("outputs");
    let site = Site {
        env: env.clone(),
        workspace: root.to_owned(),
        outputs,
        keys,
        running: running.clone(),
    };
    let site = Arc::new(site);
    let (mut tools, mut problems) = (Vec::new(), Vec::new());
    for (name, declared) in settings.tools.iter().filter(|(_, tool)| tool.enable) {
        let made = command(name, declared).and_then(|spec| CommandTool::new(spec, site.clone()));
        match made {
            Ok(tool) => tools.push(Arc::new(tool) as Arc<dyn Tool>),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    match problems.is_empty() {
        true => Ok(tools),
        false => Err(CommandError::failures(problems)),
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
        permission: match declared.permission {
            config::Permission::Ask => Permission::Ask,
            config::Permission::Allow => Permission::Allow,
            config::Permission::Deny => Permission::Deny,
        },
        timeout: declared.timeout.map_or(defaults.timeout, config::Timeout::duration),
        output_limit: declared.output_limit.map_or(defaults.output_limit, |limit| {
            usize::try_from(limit.get()).unwrap_or(usize::MAX)
        }),
        idempotent: declared.idempotent,
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
