//! The model that answers, and what leads to it.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    cli::error::CommandError,
    config::{self, Resolved, Settings},
    env::Env,
    fsutil::AtPath,
    model::ModelName,
    projection::Takes,
    provider::{
        Api, Effort, Endpoint, GuideProvider, PRESETS, Provider, ProviderOverlay, Sampling, Script,
        ScriptProvider,
    },
    tool::{Audience, Catalog, Unattended},
    turn::Setup,
};

/// The name of the provider that is built in.
pub const GUIDE: &str = "guide";

/// How often a model is asked again unless the settings say otherwise.
const RETRIES: u32 = 5;

/// How often tools may be called in one query unless the settings say otherwise.
const ROUNDS: u32 = 200;

/// The model that answers.
pub struct Model {
    /// Who answers.
    pub provider: Arc<dyn Provider>,
    /// What is settled by that.
    pub setup: Setup,
    /// The variables that hold keys, of this and all other providers.
    pub keys: Vec<String>,
    /// Whether it is the guide.
    pub is_guide: bool,
}

/// Finds the model that the settings name.
pub fn choose(env: &Env, resolved: &Resolved) -> Result<Model, CommandError> {
    let settings = &resolved.settings;
    let assistant = &settings.assistant;
    let name = assistant.model.provider();
    let provider = connect(env, settings, name)?;
    let own = settings.providers.get(name);
    let sampling = Sampling {
        max_tokens: assistant.max_tokens,
        temperature: assistant.temperature.map(|temperature| temperature.get()),
        reasoning: assistant.reasoning.map(|effort| match effort {
            config::Effort::Off => Effort::Off,
            config::Effort::Low => Effort::Low,
            config::Effort::Medium => Effort::Medium,
            config::Effort::High => Effort::High,
        }),
    };
    let setup = Setup {
        model: ModelName::new(assistant.model.to_string()),
        system_prompt: None,
        sampling,
        tools: Catalog::default(),
        told_tools: None,
        schema: None,
        takes: Takes::default(),
        audience: Audience::Nobody,
        unattended: Unattended::default(),
        granted: BTreeSet::new(),
        persists: true,
        retries: own.and_then(|own| own.retries).unwrap_or(RETRIES),
        rounds: Some(assistant.max_rounds.unwrap_or(ROUNDS)).filter(|rounds| *rounds > 0),
    };
    Ok(Model { provider, setup, keys: key_variables(settings), is_guide: name == GUIDE })
}

/// Connects to a provider by its name.
pub fn connect(
    env: &Env,
    settings: &Settings,
    name: &str,
) -> Result<Arc<dyn Provider>, CommandError> {
    let own = settings.providers.get(name);
    match own.and_then(|own| own.api) {
        None if name == GUIDE => Ok(Arc::new(GuideProvider)),
        Some(config::Api::Script) => play(env, name, own.and_then(|own| own.file.as_deref())),
        _ => {
            let overlay = own.map(overlay);
            let endpoint = Endpoint::choose(name, overlay.as_ref(), env);
            let endpoint = endpoint.map_err(|error| {
                CommandError::failure(error).hint("`jp models` lists what can be reached from here")
            })?;
            Ok(Arc::from(endpoint.connect()))
        }
    }
}

/// What the user changed about a provider.
pub fn overlay(own: &config::Provider) -> ProviderOverlay {
    ProviderOverlay {
        api: own.api.and_then(|api| match api {
            config::Api::Anthropic => Some(Api::Anthropic),
            config::Api::Openai => Some(Api::OpenAi),
            config::Api::Ollama => Some(Api::Ollama),
            config::Api::Script => None,
        }),
        base_url: own.base_url.as_ref().map(|url| url.as_str().to_owned()),
        api_key_env: own.api_key_env.as_ref().map(|name| name.as_str().to_owned()),
        base_url_env: own.base_url_env.as_ref().map(|name| name.as_str().to_owned()),
        idle_timeout: own.idle_timeout.map(|timeout| timeout.duration()),
        images: own.images,
        pdf: own.pdf,
    }
}

fn play(
    env: &Env,
    name: &str,
    file: Option<&std::path::Path>,
) -> Result<Arc<dyn Provider>, CommandError> {
    let file = file.ok_or_else(|| {
        CommandError::failure(format!("`providers.{name}.file` is missing: which script?"))
    })?;
    let path = match (file.strip_prefix("~"), env.home()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => env.cwd().join(file),
    };
    let text = std::fs::read_to_string(&path).at("read", &path).map_err(CommandError::failure)?;
    let script = Script::parse(&text).map_err(|error| {
        let problems = error.problems.iter().map(|problem| {
            format!("{}:{}:{}: {}", path.display(), problem.line, problem.column, problem.message)
        });
        CommandError::failures(problems.collect())
    })?;
    Ok(Arc::new(ScriptProvider::new(name, script)))
}

/// The variables that hold keys.
pub fn key_variables(settings: &Settings) -> Vec<String> {
    let preset = PRESETS.iter().flat_map(|preset| preset.key_vars).map(|name| (*name).to_owned());
    let own = settings.providers.values().filter_map(|own| own.api_key_env.as_ref());
    let own = own.map(|name| name.as_str().to_owned());
    preset.chain(own).collect::<BTreeSet<_>>().into_iter().collect()
}
