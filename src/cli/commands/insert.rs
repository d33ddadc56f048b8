//! `jp conversation insert`

use super::{Next, Outcome, edit::change, event_files::read_all, place::Spot, to_change};
use crate::{
    cli::{args::Insert, error::CommandError, output::Output},
    env::Env,
    plan::{Added, Wish},
};

pub fn run(env: &Env, output: &mut Output, args: &Insert) -> Outcome {
    let (id, files) = args.args.split_first().expect("clap asks for at least two");
    let id = id.to_str().ok_or_else(|| CommandError::usage("the conversation is not UTF-8"))?;
    let drafts = read_all(env, files)?.into_iter();
    let given = files.iter().map(|file| file.display().to_string());
    let event = |(given, draft)| Added { given, chosen: None, draft };
    let events: Vec<Added> = given.zip(drafts).map(event).collect();
    let (workspace, mut guard) = to_change(env, output, Some(id), Next::Writes)?;
    let id = guard.id();
    change(output, &workspace, &mut guard, "insert", &args.how, |layout| {
        let spot = Spot::find(env, id, layout, &args.place)?;
        let mut wish = Wish::unchanged(layout);
        let lines = wish.add(&events);
        spot.put(&mut wish, lines);
        Ok(wish)
    })
}
