//! `jp models`

use std::{sync::mpsc::channel, thread};

use serde_json::json;

use super::{DONE, Outcome, query::model, settings};
use crate::{
    cancel::Cancel,
    cli::{args::Models, error::CommandError, output::Output},
    config::Settings,
    env::Env,
    provider::{Endpoint, PRESETS, Preset, ProviderError},
    ui::escape,
    workspace::ConfigFiles,
};

/// A provider, and how it is reached.
struct Reach {
    name: String,
    /// Where it is, and where the key comes from.
    from: String,
    models: Result<Vec<String>, ProviderError>,
    /// Whether somebody set it up: what is only looked for need not be there.
    wanted: bool,
}

pub fn run(env: &Env, output: &mut Output, args: &Models) -> Outcome {
    let files = ConfigFiles::find(env)?;
    let layers = settings::layers(&files, env, &args.config)?;
    let resolved = settings::resolve(output, &files, layers)?;
    let settings = &resolved.settings;
    let names = names(settings, args.provider.as_deref())?;
    let found = look(env, settings, names, args.provider.is_some());
    if args.format.is_json() {
        let provider = |reach: &Reach| {
            json!({
                "provider": reach.name,
                "from": reach.from,
                "models": reach.models.as_ref().ok(),
                "error": reach.models.as_ref().err().map(ToString::to_string),
            })
        };
        let providers: Vec<_> = found.iter().map(provider).collect();
        output.json(
            &json!({ "model": settings.assistant.model.to_string(), "providers": providers }),
        )?;
        return Ok(DONE);
    }
    for reach in &found {
        match &reach.models {
            Ok(models) => {
                output.line(format_args!("{} ({})", escape(&reach.name), escape(&reach.from)))?;
                for name in models {
                    output.line(format_args!("  {}/{}", escape(&reach.name), escape(name)))?;
                }
            }
            Err(error) => output.warn(format_args!("{}: {error}", reach.name)),
        }
    }
    let chosen = &settings.assistant.model;
    output.hint(format_args!("`{chosen}` answers now; `jp query -m PROVIDER/MODEL` asks another"));
    if args.provider.is_none() {
        let services = PRESETS.iter().filter(|preset| !preset.local);
        let keys = services.filter_map(|preset| preset.key_vars.first());
        let keys = keys.copied().collect::<Vec<_>>().join("`, `");
        output.hint(format_args!("a key in one of these variables adds a service: `{keys}`"));
        let servers = PRESETS.iter().filter(|preset| preset.local).map(|preset| preset.name);
        let servers = servers.collect::<Vec<_>>().join(", ");
        output.hint(format_args!("servers on this machine are found while they run: {servers}"));
    }
    Ok(DONE)
}

/// The providers that are asked.
fn names(settings: &Settings, wanted: Option<&str>) -> Result<Vec<String>, CommandError> {
    let known = ["guide"].into_iter().chain(PRESETS.iter().map(|preset| preset.name));
    let mut names: Vec<_> = known.map(str::to_owned).collect();
    names.extend(settings.providers.keys().filter(|name| Preset::named(name).is_none()).cloned());
    let Some(wanted) = wanted else { return Ok(names) };
    match names.iter().any(|name| name == wanted) {
        true => Ok(vec![wanted.to_owned()]),
        false => {
            let message =
                format!("there is no provider `{wanted}`: there are {}", names.join(", "));
            Err(CommandError::usage(message))
        }
    }
}

/// Asks them all at once.
fn look(env: &Env, settings: &Settings, names: Vec<String>, wanted: bool) -> Vec<Reach> {
    let (sender, receiver) = channel();
    let count = names.len();
    for (index, name) in names.into_iter().enumerate() {
        let Some((from, is_set_up)) = whence(env, settings, &name, wanted) else { continue };
        let connected = model::connect(env, settings, &name);
        let sender = sender.clone();
        thread::spawn(move || {
            let models = match connected {
                Ok(provider) => provider.models(&Cancel::new()),
                Err(error) => {
                    Err(ProviderError::new(crate::provider::Trouble::Refused, error.message()))
                }
            };
            // Whoever asked waits for all of them.
            let _gone = sender.send((index, Reach { name, from, models, wanted: is_set_up }));
        });
    }
    drop(sender);
    let mut found: Vec<_> = (0..count).map(|_| None).collect();
    for (index, reach) in receiver {
        // A server that is not running here is no news unless somebody wants it.
        if reach.wanted || reach.models.is_ok() {
            found[index] = Some(reach);
        }
    }
    found.into_iter().flatten().collect()
}

/// Where a provider is and where its key comes from, and whether somebody set it up; `None` if
/// there is no way to it.
fn whence(env: &Env, settings: &Settings, name: &str, wanted: bool) -> Option<(String, bool)> {
    let own = settings.providers.get(name);
    if own.is_none() && name == "guide" {
        return Some(("built in".to_owned(), true));
    }
    if let Some(file) = own.and_then(|own| own.file.as_ref()) {
        return Some((file.display().to_string(), true));
    }
    let overlay = own.map(model::overlay);
    match Endpoint::choose(name, overlay.as_ref(), env) {
        Ok(endpoint) => {
            let base = endpoint.base.as_str();
            let base = match &endpoint.base_var {
                Some(variable) => format!("{base} from `{variable}`"),
                None => base.to_owned(),
            };
            let (from, has_key) = match &endpoint.key_var {
                Some(variable) => (format!("{base}, key from `{variable}`"), true),
                None => (base, false),
            };
            Some((from, has_key || endpoint.base_var.is_some() || own.is_some() || wanted))
        }
        Err(_) if own.is_some() || wanted => Some((String::new(), true)),
        Err(_) => None,
    }
}
