//! What is set up before anything is asked: the conversation, the settings, the model, its tools.

use std::{path::PathBuf, sync::Arc};

use super::{
    super::{
        BY_SIGNAL,
        servers::{self, Fleet},
        settings,
    },
    model::{self, Model},
    target::Target,
    tools,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    config::{Key, Resolved},
    env::Env,
    model::Entry,
    process::Running,
    tool::{Audience, Site},
    ui::Prompter,
    workspace::{ConfigFiles, Conversation, WorkspaceError},
};

/// What is set up before anything is asked.
pub struct Scene {
    /// The world, in which the variables are known that hold keys: no child gets them.
    pub env: Env,
    /// Whether somebody can be asked.
    pub interactive: bool,
    /// The conversation that the query goes to.
    pub target: Target,
    /// What was said in it before, with its history.
    pub conversation: Option<Conversation>,
    /// What was said in it before, as a model may see it.
    pub entries: Vec<Entry>,
    /// The files that the settings come from.
    files: ConfigFiles,
    /// The settings for this query.
    pub resolved: Resolved,
    /// The directory of the workspace, else the current one.
    pub root: PathBuf,
    /// Where tools run.
    site: Arc<Site>,
    /// The model that answers.
    pub model: Model,
    /// The programs that tools run.
    pub running: Running,
}

impl Scene {
    /// Sets everything up, and tells what is wrong with any of it.
    pub fn set(env: &Env, output: &mut Output, args: &Query) -> Result<Self, CommandError> {
        let interactive = !args.non_interactive && Prompter::open(env).is_ok();
        let target = Target::choose(env, output, args, interactive)?;
        let conversation = target.load(output)?;
        let files = ConfigFiles::find(env)?;
        let resolved = resolve(env, output, args, &files, &target, conversation.as_ref())?;
        let mut model = model::choose(env, &resolved)?;
        // Those of a trusted workspace as well.
        let env = env.clone().with_key_variables(model.keys.clone());
        let running = Running::default();
        let root = files.root().unwrap_or(env.cwd()).to_owned();
        let store = tools::store_of(&env, &files)?;
        let keys = std::mem::take(&mut model.keys);
        let site = Arc::new(tools::site(&env, &root, keys, &running));
        let schema = args.schema.as_deref().map(|schema| tools::schema(&env, schema));
        let setup = &mut model.setup;
        setup.system_prompt = instructions(&resolved, &files)?;
        let declared = tools::declared(&resolved.settings, store.as_ref(), &site)?;
        if resolved.settings.assistant.tools != Some(false) {
            setup.tools = declared;
        }
        setup.schema = schema.transpose()?;
        setup.audience = if interactive { Audience::Person } else { Audience::Nobody };
        (setup.unattended, setup.persists) = (resolved.settings.unattended, !args.no_persist);
        if let (Some(workspace), Some(id)) = (target.workspace(), target.id()) {
            setup.granted = workspace.grants(id);
        }
        let entries = entries(output, conversation.as_ref());
        Ok(Self {
            env,
            interactive,
            target,
            conversation,
            entries,
            files,
            resolved,
            root,
            site,
            model,
            running,
        })
    }
}

impl Scene {
    /// Starts the servers that bring tools along, and adds these to the others.
    pub fn enlist(&mut self, output: &mut Output) -> Result<Fleet, CommandError> {
        let (env, resolved, keys) = (&self.env, &self.resolved, &self.site.keys);
        let declared = match resolved.settings.assistant.tools {
            Some(false) => Vec::new(),
            _ => servers::declared(env, output, resolved, &self.files, keys)?,
        };
        let own = std::mem::take(&mut self.model.setup.tools);
        let fleet = servers::start(output, declared, &self.site, &tools::names(&own))?;
        if let Some(number) = fleet.stopped_by {
            let error = CommandError::failure("the start of the MCP servers was interrupted");
            return Err(error.by_signal(BY_SIGNAL + number));
        }
        if self.resolved.settings.assistant.tools != Some(false) {
            let all = tools::with_servers(output, own, &fleet, &self.resolved.settings)?;
            self.model.setup.tools = all;
        }
        Ok(fleet)
    }

    /// Where the user's own files about this go.
    pub fn state_dir(&self, env: &Env) -> Result<PathBuf, CommandError> {
        match (self.target.workspace(), env.data_dir()) {
            (Some(workspace), _) => Ok(workspace.state_dir()?),
            (None, Some(data)) => Ok(data),
            (None, None) => Err(WorkspaceError::NoHome.into()),
        }
    }
}

/// The settings for this query.
fn resolve(
    env: &Env,
    output: &mut Output,
    args: &Query,
    files: &ConfigFiles,
    target: &Target,
    conversation: Option<&Conversation>,
) -> Result<Resolved, CommandError> {
    let mut layers = settings::layers(files, env, &args.config)?;
    if let (Some(workspace), Some(conversation)) = (target.workspace(), conversation) {
        layers = workspace.add_config(layers, conversation);
    }
    if let Some(model) = &args.model {
        layers = layers.flag("--model", Key::new(["assistant", "model"]), model.as_str());
    }
    if args.no_tools {
        layers = layers.flag("--no-tools", Key::new(["assistant", "tools"]), false);
    }
    settings::resolve(output, files, layers)
}

/// What the model is told before anything else: the user's words, and those of the workspace.
fn instructions(resolved: &Resolved, files: &ConfigFiles) -> Result<Option<String>, CommandError> {
    let own = resolved.settings.assistant.system_prompt.clone();
    let workspace = files.instructions().map_err(CommandError::failure)?;
    let texts = own.into_iter().chain(workspace).filter(|text| !text.trim().is_empty());
    let texts: Vec<_> = texts.map(|text| text.trim_end().to_owned()).collect();
    Ok((!texts.is_empty()).then(|| texts.join("\n\n")))
}

/// What was said before, as a model may see it.
fn entries(output: &mut Output, conversation: Option<&Conversation>) -> Vec<Entry> {
    let Some(conversation) = conversation else { return Vec::new() };
    let (stream, fixes) = conversation.sanitized();
    for fix in fixes {
        output.warn(fix);
    }
    stream.entries().cloned().collect()
}
