//! `jp conversation pick`

use serde_json::json;

use super::{
    Next, Outcome,
    edit::change,
    find_to_change, locking,
    place::{Spot, positions_of_turns, turns},
    warn_of_dropped,
};
use crate::{
    cli::{args::Pick, error::CommandError, output::Output},
    env::Env,
    format::encode,
    model::{Event, EventType},
    plan::{Added, Draft, Listed, Wish},
    workspace::{Handle, Workspace},
};

/// The key under which an event says where it was taken from.
const PICKED: &str = "picked";

pub fn run(env: &Env, output: &mut Output, args: &Pick) -> Outcome {
    let (workspace, handle) = find_to_change(env, output, args.into.as_deref())?;
    let mut picked = Picked::default();
    for source in &args.sources {
        picked.take(&workspace, source)?;
    }
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    let mut guard = locking::lock(env, output, &workspace, handle)?;
    let id = guard.id();
    change(output, &workspace, &mut guard, "pick", &args.how, |layout| {
        let spot = Spot::find(env, id, layout, &args.place)?;
        let mut wish = Wish::unchanged(layout);
        wish.remarks.clone_from(&picked.left_behind);
        let lines = wish.add(&picked.events);
        spot.put(&mut wish, lines);
        Ok(wish)
    })
}

/// Events that are taken from other conversations.
#[derive(Default)]
struct Picked {
    events: Vec<Added>,
    left_behind: Vec<String>,
}

impl Picked {
    /// Takes the turns that `SOURCE:TURNS` names.
    fn take(&mut self, workspace: &Workspace, source: &str) -> Result<(), CommandError> {
        let Some((id, wanted)) = source.rsplit_once(':') else {
            let message = format!("`{source}` names no turn");
            return Err(CommandError::usage(message).hint("as in `jp conversation pick ID:3`"));
        };
        let handle = workspace.select(id)?;
        let layout = workspace.load(&handle)?.into_layout();
        let wanted: Vec<String> = wanted.split(',').map(str::to_owned).collect();
        for turns in turns(&wanted)? {
            for at in positions_of_turns(handle.id(), &layout, &turns)? {
                self.take_event(&handle, &layout.stream[at])?;
            }
        }
        Ok(())
    }

    fn take_event(&mut self, from: &Handle, listed: &Listed) -> Result<(), CommandError> {
        let id = from.id();
        let Some(event) = &listed.event else {
            let message = format!("{} of {id} cannot be read", listed.name);
            return Err(CommandError::failure(message));
        };
        // What they say holds for the turns around them.
        if let EventType::ConfigDelta | EventType::Compaction = event.event_type() {
            self.left_behind.push(format!("{} of {id} stays behind", listed.name));
            return Ok(());
        }
        let mut event: Event = event.clone();
        let origin = json!({
            "from": id.to_string(),
            "commit": from.commit().to_string(),
            "address": listed.name.address().number(),
        });
        event.metadata.insert(PICKED.to_owned(), origin);
        let bytes = encode(&event)?;
        let given = format!("{id} {}", listed.name);
        let draft = Draft { event, bytes };
        self.events.push(Added { given, chosen: None, draft });
        Ok(())
    }
}
