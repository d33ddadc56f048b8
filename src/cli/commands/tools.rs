//! `jp tools`

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    DONE, Outcome,
    query::{
        ByHand,
        model::key_variables,
        tools::{declared, names, site, store_of, with_servers},
    },
    servers::{self, Fleet},
    settings,
};
use crate::{
    cli::{
        args::{ConfigArgs, ToolsLs, ToolsRun},
        error::CommandError,
        output::Output,
    },
    config::Settings,
    env::Env,
    model::{ToolName, nearest},
    process::Running,
    tool::{Catalog, Listed, Permission},
    ui::Table,
    workspace::ConfigFiles,
};

/// The tools that there are here, and what ends their servers.
struct Here {
    catalog: Catalog,
    fleet: Fleet,
    settings: Settings,
    running: Running,
}

/// `jp tools ls`
pub fn ls(env: &Env, output: &mut Output, args: &ToolsLs) -> Outcome {
    let here = Here::find(env, output, &args.config)?;
    if let Some(number) = here.fleet.stopped_by {
        return Ok(super::BY_SIGNAL + number);
    }
    if args.format.is_json() {
        let all: Vec<_> = here.catalog.iter().map(to_json).collect();
        output.json(&json!({ "tools": all }))?;
        return Ok(DONE);
    }
    if here.catalog.is_empty() {
        output.hint("`[tools.NAME]` and `[mcp.NAME]` in your configuration declare tools");
        return Ok(DONE);
    }
    let mut table = Table::new(["TOOL", "FROM", "PERMISSION", "IDEMPOTENT"]);
    for listed in here.catalog.iter() {
        let idempotent = if listed.is_idempotent() { "yes" } else { "no" };
        table.push([
            listed.tool.spec().name.to_string(),
            listed.source.to_string(),
            permission(listed).to_owned(),
            idempotent.to_owned(),
        ]);
    }
    output.text(table)?;
    Ok(DONE)
}

/// `jp tools run`
pub fn run(env: &Env, output: &mut Output, args: &ToolsRun) -> Outcome {
    let arguments: Value = serde_json::from_str(&args.arguments)
        .map_err(|error| CommandError::usage(format!("the arguments are not JSON: {error}")))?;
    if !arguments.is_object() {
        return Err(CommandError::usage("the arguments are not a JSON object, such as `{}`"));
    }
    let here = Here::find(env, output, &args.config)?;
    if let Some(number) = here.fleet.stopped_by {
        return Ok(super::BY_SIGNAL + number);
    }
    let tool = ToolName::new(&args.name);
    if here.catalog.find(&tool).is_none() {
        let known = names(&here.catalog);
        let near = nearest(&args.name, known.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
        let error = CommandError::usage(format!("there is no tool `{}`{near}", args.name));
        return Err(error.hint("`jp tools ls` lists them"));
    }
    let by_hand = ByHand {
        tools: here.catalog,
        tool,
        arguments: args.arguments.clone(),
        non_interactive: args.non_interactive,
        unattended: here.settings.unattended,
        running: here.running,
        fleet: here.fleet,
    };
    let result = by_hand.call(env, output)?;
    let content = result.content.to_text_lossy();
    if args.format.is_json() {
        output.json(&json!({ "is_error": result.is_error, "content": content }))?;
    } else {
        output.line(crate::ui::escape_lines(content.trim_end_matches('\n')))?;
    }
    Ok(u8::from(result.is_error))
}

impl Here {
    fn find(env: &Env, output: &mut Output, args: &ConfigArgs) -> Result<Self, CommandError> {
        let files = ConfigFiles::find(env)?;
        let layers = settings::layers(&files, env, args)?;
        let resolved = settings::resolve(output, &files, layers)?;
        let (keys, running) = (key_variables(&resolved.settings), Running::default());
        let root = files.root().unwrap_or(env.cwd());
        let site = Arc::new(site(env, root, keys, &running));
        let store = store_of(env, &files)?;
        let own = declared(&resolved.settings, store.as_ref(), &site)?;
        let found = servers::declared(env, output, &resolved, &files, &site.keys)?;
        let fleet = servers::start(output, found, &site, &names(&own))?;
        let catalog = with_servers(output, own, &fleet, &resolved.settings)?;
        Ok(Self { catalog, fleet, settings: resolved.settings, running })
    }
}

fn permission(listed: &Listed) -> &'static str {
    match listed.terms.permission {
        Permission::Ask => "ask",
        Permission::Allow => "allow",
        Permission::Edit => "edit",
        Permission::Deny => "deny",
    }
}

fn to_json(listed: &Listed) -> Value {
    let spec = listed.tool.spec();
    json!({
        "name": spec.name.as_str(),
        "from": listed.source.to_string(),
        "permission": permission(listed),
        "idempotent": listed.is_idempotent(),
        "description": spec.description,
        "parameters": spec.parameters,
    })
}
