//! `jp conversation fork`

use serde_json::json;

use super::{DONE, Outcome, now, tell_notes, title, to_read};
use crate::{
    cli::{args::Fork, error::CommandError, output::Output},
    env::Env,
    history::{Keep, Moment, Scope, fork},
    model::counted,
};

pub fn run(env: &Env, output: &mut Output, args: &Fork) -> Outcome {
    let keep = keep(env, args)?;
    let title = title::check(args.title.as_deref())?;
    let (workspace, source) = to_read(env, output, &args.target)?;
    let mut fork = fork(&workspace, &source, &keep, title, env.now())?;
    tell_notes(output, &mut fork.guard);
    output.done(format_args!("forked as {}", fork.id));
    let inverse = format!("jp conversation rm {}", fork.id);
    if args.format.is_json() {
        output.json(&json!({
            "id": fork.id,
            "from": source.id(),
            "at": source.commit().to_string(),
            "commit": fork.guard.commit().to_string(),
            "events": fork.events,
            "remarks": fork.remarks,
            "inverse": inverse,
        }))?;
        return Ok(DONE);
    }
    output.warn_all(&fork.remarks);
    output.line(fork.id)?;
    let events = match fork.events {
        Some(count) => counted(count, "event"),
        None => "all that can be read".to_owned(),
    };
    output.say(format_args!("Forked from {} with {events}", source.id()));
    output.hint_at_inverse(&inverse);
    Ok(DONE)
}

fn keep(env: &Env, args: &Fork) -> Result<Keep, CommandError> {
    let place = |text: &Option<String>| {
        let parse = |text: &String| Moment::parse(text, Scope::Place, &now(env));
        text.as_ref().map(parse).transpose().map_err(CommandError::usage)
    };
    Ok(match (args.last, args.first, place(&args.from)?, place(&args.until)?) {
        (Some(last), ..) => Keep::Last(last),
        (_, Some(first), ..) => Keep::First(first),
        (None, None, None, None) => Keep::All,
        (None, None, from, until) => Keep::Between(from, until),
    })
}
