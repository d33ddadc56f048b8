//! `jp query`

mod asker;
mod by_hand;
mod echo;
mod ending;
mod front;
mod keeper;
mod lines;
pub mod model;
mod naming;
mod reading;
mod request;
mod target;
pub mod tools;
mod trace;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU8, Ordering},
};

pub use self::by_hand::ByHand;
use self::{
    asker::Asker,
    front::{Front, Manner},
    keeper::Keeper,
    naming::Naming,
    reading::{Asked, read},
    target::Target,
    trace::Trace,
};
use super::{BY_SIGNAL, DONE, Outcome, label, servers, settings, title};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    config::{Key, Resolved, Visibility},
    env::Env,
    model::{Entry, Event, EventKind, Meta, Request, title_from},
    process::Running,
    tool::Audience,
    turn::{Ending, Inbox, Input, Interrupt, Turn, drive},
    ui::{AnswerFormat, Channels, Chrome, Press, Presses, Prompter, Signal, Signals},
    workspace::{ConfigFiles, Conversation, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Query) -> Outcome {
    let (title, labels) = heading(args)?;
    let interactive = !args.non_interactive && Prompter::open(env).is_ok();
    let mut target = Target::choose(env, output, args)?;
    let conversation = target.load(output)?;
    let files = ConfigFiles::find(env)?;
    let resolved = resolve(env, output, args, &files, &target, conversation.as_ref())?;
    let model = model::choose(env, &resolved)?;
    // Those of a trusted workspace as well.
    let env = &env.clone().with_key_variables(model.keys.clone());
    let mut setup = model.setup;
    setup.system_prompt = instructions(&resolved, &files)?;
    let root = files.root().unwrap_or(env.cwd());
    let running = Running::default();
    let site = Arc::new(tools::site(env, root, model.keys, &running));
    setup.tools = tools::declared(&resolved.settings, &site)?;
    setup.schema = args.schema.as_deref().map(|schema| tools::schema(env, schema)).transpose()?;
    setup.audience = if interactive { Audience::Person } else { Audience::Nobody };
    (setup.unattended, setup.persists) = (resolved.settings.unattended, !args.no_persist);
    let entries = entries(output, conversation.as_ref());
    // Last, because whoever writes in an editor must not do it in vain.
    let asked = read(env, output, args, interactive, &target, conversation.as_ref())?;
    let first = first_input(env, &asked, &resolved, &target, &entries)?;
    let declared = servers::declared(env, output, &resolved, &files, &site.keys)?;
    let fleet = servers::start(output, declared, &site, &tools::names(&setup.tools));
    let mut fleet = fleet.map_err(|error| asked.kept(error))?;
    if let Some(number) = fleet.stopped_by {
        let error = CommandError::failure("the start of the MCP servers was interrupted");
        return Err(asked.kept(error.by_signal(BY_SIGNAL + number)));
    }
    setup.tools = tools::with_servers(setup.tools, &fleet, &resolved.settings)
        .map_err(|error| asked.kept(error))?;
    let meta = Meta { title: title.or_else(|| asked.title()), labels, ..Meta::default() };

    let turn = Turn::new(setup.clone(), entries);
    let inbox = Inbox::new();
    let presses = Arc::new(Mutex::new(Presses::new(interactive)));
    let asker = interactive.then(|| Asker::start(env, presses.clone())).transpose();
    let asker = asker.map_err(|error| asked.kept(error.into()))?;
    let channels = channels(env, output, args);
    let manner = Manner {
        json: args.format.is_json(),
        reasoning: resolved.settings.ui.reasoning == Visibility::Show,
        data: setup.schema.is_some(),
    };
    let state = target.workspace().filter(|_| !args.no_persist).map(Workspace::state_dir);
    let mut trace = state.and_then(Result::ok).and_then(|state| Trace::open(env, &state));
    if let Some(trace) = &mut trace {
        trace.note(&format!("query to {}", setup.model));
    }
    let mut front = Front::new(channels, asker, setup.model.to_string(), manner, trace);
    let naming = naming(env, args, &asked, &resolved, conversation.as_ref());
    let keeper = target.keeper(args, meta, &resolved);
    let mut keeper = keeper.map_err(|error| asked.kept(error))?;
    let stopped_by = Arc::new(AtomicU8::new(0));
    fleet.leave_signals();
    let signals = listen(&inbox, presses, front.asker(), running.clone(), stopped_by.clone());
    let now = || env.now();
    let driven = drive(turn, first, &model.provider, &mut keeper, &mut front, inbox, &now);
    let is_read = front.is_open();
    fleet.servers.end();
    // What still runs after a failure has nobody to run for.
    running.kill_all();
    let (usage, unsent) = front.finish();
    drop(signals);
    if let Some(text) = unsent {
        output.warn(format_args!("the answer was over before your reply was sent: {text}"));
    }
    if let Some(title) = naming.and_then(Naming::end) {
        keeper.name(&title);
    }
    for note in keeper.take_notes() {
        output.warn(note);
    }
    let ending = match driven {
        Ok(ending) => ending,
        Err(error) => return Err(asked.kept(ending::undriven(error, keeper.id()))),
    };
    keeper.tidy();
    if !is_read && ending == Ending::Stopped {
        // Whoever has closed the other end has read enough.
        asked.sent();
        return Ok(DONE);
    }
    let (id, introduces_guide) = (keeper.id(), model.is_guide && conversation.is_none());
    let usage = usage.filter(|_| resolved.settings.ui.usage && !args.quiet && !manner.json);
    let is_stopped = ending == Ending::Stopped;
    let told = ending::tell(output, args, &setup.model, ending, usage, id, introduces_guide);
    match told {
        Err(error) if id.is_none() => Err(asked.kept(error)),
        told => {
            asked.sent();
            match stopped_by.load(Ordering::SeqCst) {
                number if number > 0 && is_stopped => Ok(BY_SIGNAL + number),
                _ => told,
            }
        }
    }
}

/// Asks for a better title, as long as the conversation has one that nobody chose.
fn naming(
    env: &Env,
    args: &Query,
    asked: &Asked,
    resolved: &Resolved,
    conversation: Option<&Conversation>,
) -> Option<Naming> {
    if args.no_persist || args.title.is_some() {
        return None;
    }
    let first = match conversation {
        None => asked.text()?.to_vec(),
        Some(conversation) => {
            let request = conversation.entries().find_map(|entry| match entry.event.kind {
                EventKind::Request(request) => Some(request.content),
                _ => None,
            })?;
            let chosen = conversation.snapshot.meta.title.clone();
            let is_made = chosen == title_from(&request.to_text_lossy());
            is_made.then(|| request.as_bytes().to_vec())?
        }
    };
    Naming::begin(env, &resolved.settings, &first)
}

/// Title and labels of a new conversation.
fn heading(
    args: &Query,
) -> Result<(Option<String>, std::collections::BTreeMap<String, String>), CommandError> {
    let is_new = args.new || args.no_persist;
    if !is_new && (args.title.is_some() || !args.label.is_empty()) {
        return Err(CommandError::usage("only a new conversation is given a title or labels")
            .hint("add `--new`, or use `jp conversation title` and `jp conversation label`"));
    }
    let labels = args.label.iter().map(|text| label::parse(text)).collect::<Result<_, _>>()?;
    Ok((title::check(args.title.as_deref())?, labels))
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

/// What the turn begins with: a request with what changed before it, or what is missing.
fn first_input(
    env: &Env,
    asked: &Asked,
    resolved: &Resolved,
    target: &Target,
    entries: &[Entry],
) -> Result<Input, CommandError> {
    let mut progress = crate::model::Progress::default();
    for entry in entries {
        progress.push(&entry.event);
    }
    let now = env.now();
    let delta = resolved.delta().filter(|_| !entries.is_empty());
    let delta = delta.map(|table| Event::new(now, EventKind::ConfigDelta(table)));
    let Some(text) = asked.text() else {
        if !progress.is_incomplete() {
            return Err(CommandError::usage("the last turn is complete: there is nothing to ask")
                .hint("give a text, or leave out `--no-edit` to write it in an editor"));
        }
        return Ok(Input::Resume);
    };
    let request = Request { content: text.to_vec().into(), interrupts: false };
    let request = Event::new(now, EventKind::Request(request));
    if let Err(refusal) = progress.admit(&request) {
        return Err(asked.kept(ending::incomplete(target.id(), &progress, &refusal)));
    }
    Ok(Input::Begin(delta.into_iter().chain([request]).collect()))
}

fn channels<'a>(env: &'a Env, output: &Output, args: &Query) -> Channels<'a> {
    let is_text = !args.format.is_json();
    let format = match is_text && output.is_for_a_screen() {
        true => AnswerFormat::Screen,
        false => AnswerFormat::Verbatim,
    };
    let chrome = if args.quiet { Chrome::Quiet } else { Chrome::Full };
    Channels::of_process(env, format, output.style(), chrome)
}

/// Lets Ctrl+C and the end of the terminal be heard.
fn listen(
    inbox: &Inbox,
    presses: Arc<Mutex<Presses>>,
    asker: Option<asker::Bell>,
    running: Running,
    stopped_by: Arc<AtomicU8>,
) -> Option<Signals> {
    let post = inbox.post();
    let heard = move |signal| {
        let mut presses = presses.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match (signal, presses.press()) {
            (Signal::Interrupt, Press::Menu) => {
                if let Some(asker) = &asker {
                    asker.menu(&post);
                }
            }
            (Signal::Interrupt, Press::Exit) => {
                running.kill_all();
                crate::ui::leave_terminal();
                signal_hook::low_level::exit(i32::from(BY_SIGNAL + signal.number()));
            }
            (Signal::Terminate | Signal::Hangup, Press::Exit) => {
                // It was told to end before, and something holds it up.
                running.kill_all();
                crate::ui::leave_terminal();
                signal_hook::low_level::exit(i32::from(BY_SIGNAL + signal.number()));
            }
            (Signal::Interrupt, Press::Stop) | (Signal::Terminate | Signal::Hangup, _) => {
                presses.stop();
                stopped_by.store(signal.number(), Ordering::SeqCst);
                if let Some(asker) = &asker {
                    asker.call_off();
                }
                post.interrupt(Interrupt::Stop);
            }
        }
    };
    // Without them an interrupt ends the process, and what was stored is safe.
    Signals::listen(heard).ok()
}

impl Asked {
    /// A title for a conversation that begins with this.
    fn title(&self) -> Option<String> {
        title_from(&String::from_utf8_lossy(self.text()?))
    }
}
