//! The room that is left for a conversation: what to say when it is used up, or nearly.

use super::{super::compact, scene::Scene};
use crate::{
    cancel::Cancel,
    env::Env,
    model::{ConversationId, Entry, Stream, Usage},
    provider::{self, Trouble, known_window},
    turn::Ending,
};

/// What there is to say about it.
#[derive(Debug, Default)]
pub struct Room {
    /// That it is nearly used up.
    pub warning: Option<String>,
    /// What can be done.
    pub hints: Vec<String>,
}

impl Room {
    /// Looks at how a turn ended and what it has cost.
    pub fn after(
        env: &Env,
        scene: &Scene,
        ending: &Ending,
        usage: Option<&Usage>,
        id: Option<ConversationId>,
    ) -> Self {
        match ending {
            Ending::Failed(error) if error.trouble == Trouble::TooLong => {
                Self::used_up(env, scene, &error.message, id)
            }
            Ending::Complete(_) => Self::nearly(env, scene, usage, id).unwrap_or_default(),
            _ => Self::default(),
        }
    }

    fn used_up(env: &Env, scene: &Scene, message: &str, id: Option<ConversationId>) -> Self {
        let told = provider::Room::in_words(message);
        let told = provider::Room { allowed: told.allowed.or_else(|| set_window(scene)), ..told };
        let mut hints: Vec<String> = told.words().into_iter().collect();
        if let Some((id, stream)) = id.and_then(|id| Some((id, load(scene, id)?))) {
            hints.extend(compact::Advice::about(env, id, &stream).map(|advice| advice.words()));
            if stream.begun() > 1 {
                hints.push(format!(
                    "`jp conversation fork {id} --last N` goes on with the last turns only"
                ));
            }
        }
        Self { warning: None, hints }
    }

    /// What was read for the last answer, and the answer, are in the window next time.
    fn nearly(
        env: &Env,
        scene: &Scene,
        usage: Option<&Usage>,
        id: Option<ConversationId>,
    ) -> Option<Self> {
        let (usage, id) = (usage?, id?);
        let is_set = scene.resolved.settings.assistant.context_window.is_some();
        let told = || if is_set { None } else { told_window(scene) };
        let window = set_window(scene).or_else(told)?;
        // All answers of the turn together; if that is little, each of them is.
        compact::fullness(usage, window)?;
        let stream = load(scene, id)?;
        let entries: Vec<&Entry> = stream.entries().collect();
        let last = compact::last_usage(&entries)?;
        let warning = compact::fullness(&last, window)?;
        let advice = compact::Advice::about(env, id, &stream);
        let hints = advice.map(|advice| advice.words()).into_iter().collect();
        Some(Self { warning: Some(warning), hints })
    }
}

/// The window that the settings name, or that is known of the model.
fn set_window(scene: &Scene) -> Option<u64> {
    let assistant = &scene.resolved.settings.assistant;
    let model = assistant.model.to_string();
    let (provider, name) = model.split_once('/')?;
    match assistant.context_window {
        Some(window) => Some(window),
        None => known_window(provider, name),
    }
    .filter(|window| *window > 0)
}

/// The window that the provider tells.
fn told_window(scene: &Scene) -> Option<u64> {
    let model = scene.resolved.settings.assistant.model.to_string();
    let (_, name) = model.split_once('/')?;
    scene.model.provider.window(name, &Cancel::new())
}

/// The conversation as it is now.
fn load(scene: &Scene, id: ConversationId) -> Option<Stream> {
    let workspace = scene.target.workspace()?;
    let handle = workspace.select(&id.to_string()).ok()?;
    Some(workspace.load(&handle).ok()?.sanitized().0)
}
