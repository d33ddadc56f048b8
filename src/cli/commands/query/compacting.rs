//! Earlier turns compacted before something is asked, as a part of the same operation.

use super::{super::compact, scene::Scene};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    model::{Event, Stream},
};

/// The compaction that is wanted, if there is anything to compact. It is stored with the request,
/// and with `--no-persist` it holds for this query alone.
pub fn compaction(
    env: &Env,
    output: &mut Output,
    args: &Query,
    scene: &Scene,
) -> Result<Option<Event>, CommandError> {
    let Some(wish) = &args.compact else { return Ok(None) };
    let stream = Stream::new(scene.entries.iter().cloned());
    let made = compact::make(env, output, &scene.resolved.settings, wish, false, &stream)?;
    let is_silent = args.manner.quiet || args.manner.format.is_json();
    let (event, words) = match made {
        compact::Made::Nothing(why) => (None, format!("nothing to compact: {why}")),
        compact::Made::Compaction(event, outlook) => {
            let (turns, how) = (outlook.turns_in_words(), outlook.how());
            let (before, after) = (outlook.before.tokens, outlook.after.tokens);
            let words = format!("compacted: {turns} {how}, tokens about {before} → {after}");
            (Some(*event), words)
        }
    };
    if !is_silent {
        output.say(words);
    }
    Ok(event)
}
