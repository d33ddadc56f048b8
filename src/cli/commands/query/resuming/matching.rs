//! Whether a turn can go on with the words that it began with, and what to do if not.

use std::collections::BTreeMap;

use super::super::{scene::Scene, tools};
use crate::{
    cli::{
        args::{Query, With},
        commands::INTERRUPTED,
        error::CommandError,
    },
    env::Env,
    format::BriefingFile,
    model::ConversationId,
    plan::Briefing,
    turn::{Mismatch, Survey, Told},
    ui::{Asked, Key, Prompter, Wake, on_one_line},
};

/// What becomes of a turn that cannot go on with the words that it began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It goes on with this.
    With(With),
    /// It is discarded.
    Discard,
}

/// What is kept of what a model is told.
pub fn brief(told: &Told) -> Briefing {
    let prompt = told.system_prompt.clone().map(String::into_bytes);
    let schema = told.schema_text().map(String::into_bytes);
    let files = [
        (BriefingFile::SystemPrompt, prompt),
        (BriefingFile::Tools, Some(told.tools_text().into_bytes())),
        (BriefingFile::AnswerSchema, schema),
    ];
    let files = files.into_iter().filter_map(|(file, bytes)| Some((file, bytes?)));
    Briefing { files: files.collect::<BTreeMap<_, _>>() }
}

/// What the model was told, if that was kept.
fn recorded(scene: &Scene) -> Option<Told> {
    let briefing = scene.target.workspace()?.briefing(scene.conversation.as_ref()?);
    let file = |file| briefing.files.get(&file).map(Vec::as_slice);
    let tools = file(BriefingFile::Tools)?;
    Told::read(file(BriefingFile::SystemPrompt), tools, file(BriefingFile::AnswerSchema))
}

/// Lets a turn go on with the words that it began with. If they are others now, the command line
/// or somebody at the terminal says what to do.
pub fn match_up(
    env: &Env,
    args: &Query,
    scene: &mut Scene,
    survey: &Survey,
) -> Result<Way, CommandError> {
    let recorded = recorded(scene);
    // What the next question wants is none of this one's business.
    scene.model.setup.schema = None;
    let wished = Wished::of(scene);
    let mut now = Told::of(&scene.model.setup);
    if let Some(recorded) = &recorded {
        wished.take_over(&mut now, recorded);
    }
    let mut mismatches = recorded.as_ref().map(|told| told.mismatches(&now)).unwrap_or_default();
    for call in survey.calls.iter().filter(|call| call.can_be_decided()) {
        let gone = Mismatch::ToolGone(call.made.tool.clone());
        if scene.model.setup.tools.find(&call.made.tool).is_none() && !mismatches.contains(&gone) {
            mismatches.push(gone);
        }
    }
    let given = args.continue_turn.flatten();
    let way = match (mismatches.is_empty(), given) {
        (_, Some(With::Recorded)) if recorded.is_none() => {
            let message = "what the model was told when the turn began was not recorded";
            return Err(ways_out(CommandError::failure(message), scene.target.id(), false));
        }
        (true, _) => Way::With(given.unwrap_or(With::Recorded)),
        (false, Some(with)) => Way::With(with),
        (false, None) if scene.interactive => ask(env, &mismatches, recorded.is_some())?,
        (false, None) => return Err(refusal(scene.target.id(), &mismatches, recorded.is_some())),
    };
    if let Some(recorded) = recorded {
        apply(env, scene, way, &wished, recorded)?;
    }
    Ok(way)
}

/// Takes over what was recorded. Data that was asked for is asked for in any case.
fn apply(
    env: &Env,
    scene: &mut Scene,
    way: Way,
    wished: &Wished,
    recorded: Told,
) -> Result<(), CommandError> {
    let schema = recorded.schema_text().map(|schema| tools::schema(env, &schema)).transpose()?;
    let setup = &mut scene.model.setup;
    setup.schema = schema;
    if way == Way::With(With::Recorded) {
        if !wished.tools {
            setup.told_tools = Some(recorded.tools);
        }
        if !wished.prompt {
            setup.system_prompt = recorded.system_prompt;
        }
    }
    Ok(())
}

/// What the command line wants to be otherwise: that is no mismatch.
struct Wished {
    prompt: bool,
    tools: bool,
}

impl Wished {
    fn of(scene: &Scene) -> Self {
        let delta = scene.resolved.delta();
        let assistant = delta.as_ref().and_then(|delta| delta.get("assistant"));
        let sets = |key: &str| assistant.is_some_and(|assistant| assistant.get(key).is_some());
        Self { prompt: sets("system_prompt"), tools: sets("tools") }
    }

    fn take_over(&self, now: &mut Told, recorded: &Told) {
        if self.prompt {
            now.system_prompt.clone_from(&recorded.system_prompt);
        }
        if self.tools {
            now.tools.clone_from(&recorded.tools);
        }
    }
}

/// What to do about a model that is not within reach any more: whether it goes on with today's.
pub fn match_model(
    env: &Env,
    args: &Query,
    id: Option<ConversationId>,
    interactive: bool,
    why: &CommandError,
) -> Result<Way, CommandError> {
    let mismatches = [Mismatch::Model(why.message())];
    match args.continue_turn.flatten() {
        Some(With::Today) => Ok(Way::With(With::Today)),
        None if interactive => ask(env, &mismatches, false),
        _ => Err(refusal(id, &mismatches, false)),
    }
}

fn refusal(id: Option<ConversationId>, mismatches: &[Mismatch], has_record: bool) -> CommandError {
    let words: Vec<_> = mismatches.iter().map(ToString::to_string).collect();
    let id_words = id.map_or_else(|| "the turn".to_owned(), |id| format!("the last turn of {id}"));
    let message = format!("{id_words} cannot go on as it began: {}", words.join("; "));
    ways_out(CommandError::failure(message), id, has_record)
}

fn ways_out(error: CommandError, id: Option<ConversationId>, has_record: bool) -> CommandError {
    let Some(id) = id else { return error };
    let error = match has_record {
        true => error.hint(format!(
            "`jp resume {id} --with recorded` goes on with what the model was told before"
        )),
        false => error,
    };
    error
        .hint(format!("`jp resume {id} --with today` goes on with what it would be told today"))
        .hint(format!("`jp query --discard-turn --id={id}` discards the turn"))
}

fn ask(env: &Env, mismatches: &[Mismatch], has_record: bool) -> Result<Way, CommandError> {
    let (mut prompter, wake) = (Prompter::open(env)?, Wake::new()?);
    prompter.say("The turn cannot go on as it began:");
    for mismatch in mismatches {
        prompter.say(&on_one_line(&format!("  - {mismatch}")));
    }
    let mut keys = Vec::new();
    if has_record {
        keys.push(Key { key: 'r', says: "resume with what was recorded" });
    }
    keys.extend([
        Key { key: 't', says: "resume with what there is today" },
        Key { key: 'd', says: "discard the turn" },
        Key { key: 'q', says: "exit" },
    ]);
    match prompter.choose("What now?", &keys, None, &wake) {
        Asked::Answered('r') => Ok(Way::With(With::Recorded)),
        Asked::Answered('t') => Ok(Way::With(With::Today)),
        Asked::Answered('d') => Ok(Way::Discard),
        Asked::Answered(_) => Err(CommandError::silent(0)),
        Asked::Cancelled | Asked::Gone | Asked::Woken(_) => Err(CommandError::silent(INTERRUPTED)),
    }
}
