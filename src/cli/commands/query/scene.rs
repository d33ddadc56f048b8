//! What is set up before anything is asked: the conversation, the settings, the model, its tools.

use std::{path::PathBuf, sync::Arc};

use super::{
    super::{
        BY_SIGNAL,
        servers::{self, Fleet},
        settings,
    },
    model::{self, Model},
    resuming::{Settled, Way, has_question, match_model, settle},
    target::{Known, Target},
    tools,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    config::{Key, Layers, Resolved},
    env::Env,
    model::{Entry, Verdict},
    process::Running,
    tool::{Audience, Site},
    ui::Prompter,
    workspace::{ConfigFiles, Conversation},
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
    /// What the query does about the last turn.
    pub settled: Settled,
}

impl Scene {
    /// Sets everything up, and tells what is wrong with any of it.
    pub fn set(
        env: &Env,
        output: &mut Output,
        args: &Query,
        in_conversation: Option<Known>,
    ) -> Result<Self, CommandError> {
        let is_next = in_conversation.is_some();
        let interactive = !args.manner.non_interactive && Prompter::open(env).is_ok();
        let mut target = Target::choose(env, output, args, in_conversation)?;
        let mut conversation = target.load(output)?;
        let mut settled = settle(env, output, args, interactive, &mut target, &mut conversation)?;
        if is_next && matches!(settled, Settled::Ask) {
            // What is piped in may be empty after all.
            settled = Settled::AskOrNothing;
        }
        if matches!(settled, Settled::Over) {
            return Err(CommandError::silent(0));
        }
        let files = ConfigFiles::find(env)?;
        let layers = layers(env, args, &files, &target, conversation.as_ref())?;
        let mut resolved = settings::resolve(output, &files, layers.clone())?;
        let chosen = model::choose(env, &resolved);
        let mut model = match chosen {
            // The one that the turn began with is gone.
            Err(error) if matches!(settled, Settled::Resume(_)) && args.model.is_none() => {
                match match_model(env, args, target.id(), interactive, &error)? {
                    Way::Discard => {
                        target.discard_turn(output)?;
                        let id = target.id().filter(|_| has_question(args));
                        drop(target);
                        return match id {
                            Some(id) => Self::set(env, output, args, Some(Known::Named(id))),
                            None => Err(CommandError::silent(0)),
                        };
                    }
                    Way::With(_) => {}
                }
                let today = settings::layers(&files, env, &args.manner.config)?;
                let today = settings::resolve(output, &files, today)?.settings.assistant.model;
                let layers = layers.flag("--with today", model_key(), today.to_string());
                resolved = settings::resolve(output, &files, layers)?;
                model::choose(env, &resolved)?
            }
            chosen => chosen?,
        };
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
            settled,
        })
    }
}

impl Scene {
    /// Whether there is a question to be asked when the turn that goes on is complete.
    pub fn asks_next(&self) -> bool {
        matches!(&self.settled, Settled::Resume(choices) if choices.asks_next)
    }

    /// What the user has answered to the question whether a tool may run. Where nothing is kept it
    /// could count again and again, so it does not count.
    pub fn verdicts(&self) -> Vec<Verdict> {
        match (self.target.workspace(), self.target.id()) {
            (Some(workspace), Some(id)) if self.model.setup.persists => workspace.verdicts(id),
            _ => Vec::new(),
        }
    }

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

    /// What somebody typed before the turn went on is in the conversation.
    pub fn typed_is_stored(&mut self) {
        if let Settled::Resume(choices) = &mut self.settled {
            choices.typed.stored();
        }
    }

    /// Where the user's own files about this go.
    pub fn state_dir(&self, env: &Env) -> Result<PathBuf, CommandError> {
        self.target.state_dir(env)
    }
}

fn model_key() -> Key {
    Key::new(["assistant", "model"])
}

/// What the settings for this query are made of.
fn layers(
    env: &Env,
    args: &Query,
    files: &ConfigFiles,
    target: &Target,
    conversation: Option<&Conversation>,
) -> Result<Layers, CommandError> {
    let mut layers = settings::layers(files, env, &args.manner.config)?;
    if let (Some(workspace), Some(conversation)) = (target.workspace(), conversation) {
        layers = workspace.add_config(layers, conversation);
    }
    if let Some(model) = &args.model {
        layers = layers.flag("--model", model_key(), model.as_str());
    }
    if args.no_tools {
        layers = layers.flag("--no-tools", Key::new(["assistant", "tools"]), false);
    }
    Ok(layers)
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
