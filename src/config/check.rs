//! What must hold between settings.

use std::collections::BTreeMap;

use toml::Value;

use super::{Api, Fault, Key, Origin, Problem, Settings};

const TOOL_NAME: &str = "the name of a tool has 1 to 64 letters, digits, `_` and `-`";
/// The built-in tool that runs programs, which see variables.
const RUNS_PROGRAMS: &str = "run_command";
const SERVER_NAME: &str = "the name of a server has 1 to 64 letters, digits, `_` and `-`";
const PROVIDER_NAME: &str = "the name of a provider has no `/`, because a model is written as `provider/name`, and no space";

/// Everything that is wrong between settings that are right by themselves, each at the place of
/// the value that is to be changed.
pub(super) fn check(settings: &Settings, values: &BTreeMap<Key, (Value, Origin)>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut complain = |at: Key, fault: Fault| {
        let place = values.iter().find(|(key, _)| at.is_around(key));
        let origin = place.map_or(Origin::Default, |(_, (_, origin))| origin.clone());
        problems.push(Problem { origin, fault });
    };
    if let Some(path) = &settings.store.path
        && !path.is_absolute()
        && !path.starts_with("~")
    {
        complain(Key::new(["store", "path"]), Fault::RelativeStore);
    }
    for (name, provider) in &settings.providers {
        let key = Key::new(["providers", name]);
        if name.is_empty() || name.contains(|c: char| c == '/' || is_odd(c)) {
            complain(key.clone(), Fault::OddName { key: key.clone(), rule: PROVIDER_NAME });
        }
        if provider.file.is_some() && provider.api.is_some_and(|api| api != Api::Script) {
            complain(key.child("file"), Fault::NotAScript(key.child("file")));
        }
    }
    for (name, tool) in &settings.tools {
        let key = Key::new(["tools", name]);
        if !is_name(name) {
            complain(key.clone(), Fault::OddName { key: key.clone(), rule: TOOL_NAME });
        }
        let command = key.child("command");
        match tool.command.as_slice() {
            // What only a command needs shows that one was meant.
            [] if tool.shell
                || !tool.parameters.is_empty()
                || (!tool.environment.is_empty() && name != RUNS_PROGRAMS) =>
            {
                complain(key.clone(), Fault::NoCommand(name.clone()));
            }
            [] => {}
            [first, ..] if first.trim().is_empty() => {
                complain(command, Fault::NoCommand(name.clone()));
            }
            [_] => {}
            more if tool.shell => {
                let found = more.len();
                complain(command.clone(), Fault::ShellCommand { key: command, found });
            }
            _ => {}
        }
        for rule in &tool.rules {
            if rule.argv.is_some() == rule.path.is_some() {
                let key = key.child("rules");
                complain(key.clone(), Fault::RuleAboutNothing(key));
            }
        }
    }
    for (name, server) in &settings.mcp {
        let key = Key::new(["mcp", name]);
        if !is_name(name) {
            complain(key.clone(), Fault::OddName { key: key.clone(), rule: SERVER_NAME });
        }
        let command = server.command.first();
        match (command, &server.url) {
            (Some(_), Some(_)) => complain(key.child("url"), Fault::TwoWays(name.clone())),
            (Some(first), None) if first.trim().is_empty() => {
                complain(key.child("command"), Fault::NoProgram(name.clone()));
            }
            _ => {}
        }
    }
    problems
}

/// Whether models take this as a name, or as the beginning of one.
fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(letter)
}

fn is_odd(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}
