//! The MCP servers that the settings and `.mcp.json` declare, and their start for a command.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use super::BY_SIGNAL;
use crate::{
    cancel::Cancel,
    cli::{error::CommandError, output::Output},
    config::{self, Key, Resolved},
    env::Env,
    process::holds_key,
    tool::{
        Site,
        mcp::{Document, McpTool, ServerSpec, Servers, Started, Way},
    },
    ui::{Signal, Signals},
    workspace::ConfigFiles,
};

/// A server that is declared somewhere.
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Where it is declared, for people.
    pub origin: String,
    /// Whether it is to be started.
    pub is_enabled: bool,
    /// How to start it, or what is wrong with the declaration.
    pub spec: Result<ServerSpec, String>,
}

/// Servers that were started, with what came of each of those that were declared.
pub struct Fleet {
    /// What ends them.
    pub servers: Servers,
    /// The server as it was declared, and what came of starting it; nothing for those that are off.
    pub started: Vec<(Declared, Option<Started>)>,
    /// The number of the signal that broke the start off.
    pub stopped_by: Option<u8>,
    /// While nobody else listens to signals, one ends the servers and jp at once.
    signals: Option<Signals>,
}

/// Every server that counts here. What the workspace says of servers counts if it is trusted; of
/// two with the same name the one in the settings.
pub fn declared(
    env: &Env,
    output: &mut Output,
    resolved: &Resolved,
    files: &ConfigFiles,
    keys: &[String],
) -> Result<Vec<Declared>, CommandError> {
    let own = &resolved.settings.mcp;
    let mut found = BTreeMap::new();
    if let Some(file) = files.mcp_servers().map_err(CommandError::failure)? {
        let origin = ".mcp.json";
        match Document::parse(&file.text) {
            Ok(document) => {
                for (name, way) in document.ways(env, keys) {
                    let way = way.map_err(|problem| problem.to_string());
                    found.insert(name, (origin.to_owned(), way));
                }
            }
            Err(problem) => output.warn(format_args!("{origin}: {problem}")),
        }
    }
    for (name, server) in own {
        match way(env, server, keys) {
            Some(way) => drop(found.insert(name.clone(), (origin(resolved, name), way))),
            None if found.contains_key(name) => {}
            None => {
                let problem = "it has neither `command` nor `url`, and `.mcp.json` has no server \
                               of this name that counts";
                let nothing = (origin(resolved, name), Err(problem.to_owned()));
                found.insert(name.clone(), nothing);
            }
        }
    }
    let declared = found.into_iter().map(|(name, (origin, way))| {
        let said = own.get(&name);
        let spec = way.map(|way| spec(&name, &origin, way, said));
        Declared { is_enabled: said.is_none_or(|said| said.enable), name, origin, spec }
    });
    Ok(declared.collect())
}

/// Starts those that are enabled, and tells of each that has no tools. A signal breaks it off.
pub fn start(
    output: &mut Output,
    declared: Vec<Declared>,
    site: &Arc<Site>,
    taken: &[String],
) -> Result<Fleet, CommandError> {
    let (cancel, number) = (Cancel::new(), Arc::new(AtomicU8::new(0)));
    let wanted = declared.iter().filter(|server| server.is_enabled);
    let specs: Vec<_> = wanted.filter_map(|server| server.spec.clone().ok()).collect();
    let is_ready = Arc::new(AtomicBool::new(false));
    let heard = {
        let (cancel, number, is_ready) = (cancel.clone(), number.clone(), is_ready.clone());
        let running = site.running.clone();
        move |signal: Signal| {
            if is_ready.load(Ordering::SeqCst) {
                running.kill_all();
                crate::ui::leave_terminal();
                signal_hook::low_level::exit(i32::from(BY_SIGNAL + signal.number()));
            }
            number.store(signal.number(), Ordering::SeqCst);
            cancel.cancel();
        }
    };
    // Without them a signal ends the process, and most servers with it, whose input ends.
    let signals = (!specs.is_empty()).then(|| Signals::listen(heard).ok()).flatten();
    let (servers, started) =
        Servers::start(specs, site, taken, &cancel).map_err(CommandError::failure)?;
    is_ready.store(true, Ordering::SeqCst);
    let mut started = started.into_iter();
    let mut all = Vec::new();
    for server in declared {
        let is_tried = server.is_enabled && server.spec.is_ok();
        let came = if is_tried { started.next() } else { None };
        all.push((server, came));
    }
    let stopped_by = Some(number.load(Ordering::SeqCst)).filter(|number| *number > 0);
    let fleet = Fleet { servers, started: all, stopped_by, signals };
    fleet.tell(output);
    Ok(fleet)
}

impl Fleet {
    /// Leaves signals to somebody else.
    pub fn leave_signals(&mut self) {
        self.signals = None;
    }

    /// The tools of all servers.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<McpTool>> {
        let started = self.started.iter().filter_map(|(_, started)| started.as_ref());
        started.filter_map(|started| started.tools.as_ref().ok()).flatten()
    }

    /// Why a server has no tools.
    pub fn problem((declared, started): &(Declared, Option<Started>)) -> Option<&str> {
        let failed = started.as_ref().and_then(|started| started.tools.as_ref().err());
        declared.spec.as_ref().err().or(failed).map(String::as_str)
    }

    fn tell(&self, output: &mut Output) {
        for server in self.started.iter().filter(|(declared, _)| declared.is_enabled) {
            let name = &server.0.name;
            if let Some(problem) = Self::problem(server) {
                output.warn(format_args!("the MCP server `{name}` is not there: {problem}"));
            }
            let notes = server.1.iter().flat_map(|started| &started.notes);
            output.warn_all(notes.map(|note| format!("the MCP server `{name}`: {note}")));
        }
    }
}

/// How a server of the settings is reached; nothing if they do not say.
fn way(env: &Env, server: &config::Mcp, keys: &[String]) -> Option<Result<Way, String>> {
    if let Some(url) = &server.url {
        let headers = headers(env, server, keys);
        return Some(headers.map(|headers| Way::Url { url: url.clone().into(), headers }));
    }
    if server.command.is_empty() {
        return None;
    }
    if let Some(key) = server.environment.iter().find(|name| keys.contains(name)) {
        return Some(Err(format!(
            "it cannot have the variable `{key}`: it holds a provider's key"
        )));
    }
    Some(Ok(Way::Command {
        argv: server.command.clone(),
        environment: server.environment.clone(),
        variables: BTreeMap::new(),
    }))
}

/// The headers whose values stand in variables. The key of a provider goes to its provider alone.
fn headers(
    env: &Env,
    server: &config::Mcp,
    keys: &[String],
) -> Result<BTreeMap<String, String>, String> {
    let value = |variable: &config::VariableName| {
        let name = variable.as_str();
        let value = env.var(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| format!("the variable `{name}` is not set"))?;
        if keys.iter().any(|key| key == name) || holds_key(env, keys, value) {
            return Err(format!("`{name}` holds a provider's key, which goes nowhere else"));
        }
        let value = value.to_str().ok_or_else(|| format!("the variable `{name}` is not text"))?;
        Ok(value.trim().to_owned())
    };
    let mut headers = BTreeMap::new();
    for (header, variable) in &server.headers_env {
        headers.insert(header.clone(), value(variable)?);
    }
    if let Some(variable) = &server.bearer_env {
        headers.insert("Authorization".to_owned(), format!("Bearer {}", value(variable)?));
    }
    Ok(headers)
}

fn spec(name: &str, origin: &str, way: Way, said: Option<&config::Mcp>) -> ServerSpec {
    let defaults = ServerSpec::new(name, origin, way);
    let Some(said) = said else { return defaults };
    let time =
        |given: Option<config::Timeout>, default| given.map_or(default, config::Timeout::duration);
    ServerSpec {
        tools: said.tools.clone(),
        idempotent: said.idempotent.clone(),
        permission: said.permission,
        startup_timeout: time(said.startup_timeout, defaults.startup_timeout),
        timeout: time(said.timeout, defaults.timeout),
        output_limit: said.output_limit.map_or(defaults.output_limit, |limit| {
            usize::try_from(limit.get()).unwrap_or(usize::MAX)
        }),
        ..defaults
    }
}

/// Where a server of the settings is declared.
fn origin(resolved: &Resolved, name: &str) -> String {
    let table = Key::new(["mcp", name]);
    let ways = ["command", "url"].map(|key| table.child(key));
    let set = resolved.effective().iter().filter(|set| table.is_around(&set.key));
    let mut set = set.filter(|set| set.origin != config::Origin::Default);
    let way = ways.iter().find_map(|key| resolved.get(key));
    way.or_else(|| set.next()).map_or_else(String::new, |set| set.origin.to_string())
}
