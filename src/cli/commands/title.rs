//! `jp conversation title`

use super::{DONE, Outcome, to_change, workspace_with};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    ui::escape,
};

pub fn run(env: &Env, output: &mut Output, id: &str, title: Option<&str>, clear: bool) -> Outcome {
    if title.is_none() && !clear {
        return print(env, output, id);
    }
    let title = title.map(str::trim);
    if title == Some("") {
        return Err(CommandError::usage("the title is empty")
            .hint(format!("`jp conversation title {id} --clear` takes the title away")));
    }
    if title.is_some_and(|title| title.contains(char::is_control)) {
        return Err(CommandError::usage("a title is one line of text"));
    }
    let (workspace, mut guard) = to_change(env, output, Some(id))?;
    let id = guard.id();
    let subject = match title {
        Some(title) => format!("title {title}"),
        None => "title --clear".to_owned(),
    };
    let set = workspace.revise_meta(&mut guard, subject, |meta| {
        meta.title = title.map(str::to_owned);
    })?;
    match (set, title) {
        (None, _) => output.say(format_args!("{id}: the title is that already")),
        (Some(_), Some(title)) => output.line(format_args!("{id}: {}", escape(title)))?,
        (Some(_), None) => output.line(format_args!("{id} has no title now"))?,
    }
    if set.is_some() {
        output.say(format_args!("Hint: `jp conversation undo {id}` takes it back"));
    }
    Ok(DONE)
}

fn print(env: &Env, output: &mut Output, id: &str) -> Outcome {
    let workspace = workspace_with(env, id)?;
    let handle = workspace.select(id)?;
    match workspace.row(&handle, &mut Vec::new()).heading.title {
        Some(title) => output.line(escape(&title))?,
        None => output.say(format_args!("{} has no title", handle.id())),
    }
    Ok(DONE)
}
