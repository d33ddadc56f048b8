//! `jp mcp`

use std::sync::Arc;

use serde_json::json;

use super::{
    DONE, Outcome,
    query::{model::key_variables, tools},
    servers::{self, Declared, Fleet},
    settings,
};
use crate::{
    cli::{args::McpLs, output::Output},
    env::Env,
    process::Running,
    tool::{Tool, mcp::Started},
    ui::Table,
    workspace::ConfigFiles,
};

/// `jp mcp ls`
pub fn ls(env: &Env, output: &mut Output, args: &McpLs) -> Outcome {
    let files = ConfigFiles::find(env)?;
    let layers = settings::layers(&files, env, &args.config)?;
    let resolved = settings::resolve(output, &files, layers)?;
    let keys = key_variables(&resolved.settings);
    let declared = servers::declared(env, output, &resolved, &files, &keys)?;
    let root = files.root().unwrap_or(env.cwd());
    let site = Arc::new(tools::site(env, root, keys, &Running::default()));
    let fleet = servers::start(output, declared, &site, &[])?;
    if let Some(number) = fleet.stopped_by {
        return Ok(super::BY_SIGNAL + number);
    }
    if args.format.is_json() {
        let all: Vec<_> = fleet.started.iter().map(to_json).collect();
        output.json(&json!({ "servers": all }))?;
        return Ok(DONE);
    }
    if fleet.started.is_empty() {
        output.hint("`[mcp.NAME]` in your configuration declares a server: see docs/mcp.md");
        return Ok(DONE);
    }
    let mut table = Table::new(["SERVER", "STATE", "TOOLS", "FROM"]);
    for server in &fleet.started {
        let tools = server.1.as_ref().and_then(|started| started.tools.as_ref().ok());
        let tools = tools.map_or_else(String::new, |tools| tools.len().to_string());
        let (name, origin) = (server.0.name.clone(), server.0.origin.clone());
        table.push([name, state(server).to_owned(), tools, origin]);
    }
    output.text(table)?;
    output.hint("`jp tools ls` lists their tools");
    Ok(DONE)
}

fn state(server: &(Declared, Option<Started>)) -> &'static str {
    match Fleet::problem(server) {
        _ if !server.0.is_enabled => "off",
        Some(_) => "failed",
        None => "ready",
    }
}

fn to_json(server: &(Declared, Option<Started>)) -> serde_json::Value {
    let (declared, started) = server;
    let tools = started.as_ref().and_then(|started| started.tools.as_ref().ok());
    let tools = tools.map(|tools| {
        let tool = |tool: &Arc<crate::tool::mcp::McpTool>| {
            json!({ "name": tool.spec().name.as_str(), "original": tool.original() })
        };
        tools.iter().map(tool).collect::<Vec<_>>()
    });
    json!({
        "name": declared.name,
        "from": declared.origin,
        "reached": declared.spec.as_ref().ok().map(|spec| spec.way.to_string()),
        "state": state(server),
        "error": Fleet::problem(server),
        "notes": started.as_ref().map(|started| started.notes.clone()).unwrap_or_default(),
        "tools": tools,
    })
}
