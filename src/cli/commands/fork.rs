//! `jp conversation fork`

use serde_json::json;

use super::{
    DONE, Next, Outcome, compact, edit::edit_in_directory, find_to_change, now, session,
    tell_notes, title, r#use::turn_to, version, warn_of_dropped,
};
use crate::{
    cli::{
        args::{ChangeHow, Compact, EditHow, Fork},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::{self, Keep, Moment, Scope, fork},
    model::counted,
    workspace::Handle,
};

pub fn run(env: &Env, output: &mut Output, args: &Fork) -> Outcome {
    if args.edit && args.compact.is_some() {
        return Err(CommandError::usage(
            "`--edit` changes what is stored, `--compact` what a model sees of it: not both at once",
        )
        .hint("`jp conversation fork --edit`, and then `jp conversation compact` on the fork"));
    }
    let keep = keep(env, args)?;
    let title = title::check(args.title.as_deref())?;
    let session = args.activate.then(|| session(env)).transpose()?;
    let (workspace, source) = find_to_change(env, output, args.target.id.as_deref())?;
    warn_of_dropped(output, &workspace, &source, Next::Reads);
    let source = version(env, &workspace, source, &args.target.at)?;
    let mut fork = fork(&workspace, &source, &keep, title, env.now())?;
    tell_notes(output, &mut fork.guard);
    tell(output, args, &source, &fork)?;
    if let Some(session) = session {
        turn_to(output, &workspace, &session, &fork.guard)?;
    }
    if args.edit {
        let change = ChangeHow { dry_run: false, format: args.format };
        let how = EditHow { yes: args.yes, change };
        return edit_in_directory(env, output, &workspace, fork.guard, &how);
    }
    if let Some(wish) = &args.compact {
        let id = fork.id.to_string();
        drop(fork);
        return compact::run(env, output, &Compact::of(id, wish.clone(), args.format));
    }
    Ok(DONE)
}

/// Tells what was forked, and how to take it back.
fn tell(
    output: &mut Output,
    args: &Fork,
    source: &Handle,
    fork: &history::Fork,
) -> Result<(), CommandError> {
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
        return Ok(());
    }
    output.warn_all(&fork.remarks);
    output.line(fork.id)?;
    let events = match fork.events {
        Some(count) => counted(count, "event"),
        None => "all that can be read".to_owned(),
    };
    output.say(format_args!("Forked from {} with {events}", source.id()));
    output.hint_at_inverse(&inverse);
    Ok(())
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
