//! What is put beside the request, and what of it the model takes.

use std::{collections::BTreeMap, io};

use super::scene::Scene;
use crate::{
    attach::{AttachError, Gathered, Gatherer, LeftOut},
    cancel::Cancel,
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    model::{Attachment, Media, Stream, counted},
    projection::{Role, Takes, messages},
    ui::escape,
};

/// How many names are told before it says how many more there are.
const NAMES: usize = 5;

/// Reads what was named, sets up what the model takes, and returns what is new in the conversation.
pub fn attach(
    env: &Env,
    output: &mut Output,
    args: &Query,
    scene: &mut Scene,
) -> Result<Vec<Attachment>, CommandError> {
    check_stdin(args)?;
    let earlier = earlier(scene);
    let gatherer = Gatherer { env, root: &scene.root };
    let mut gathered =
        gatherer.gather(&args.attach, &mut io::stdin().lock()).map_err(|errors| told(&errors))?;
    let model = scene.model.setup.model.to_string();
    let unread = earlier.iter().map(|one| Media::of(one.content.as_bytes()));
    let unread: Vec<_> = unread.flatten().filter(|media| *media != Media::Text).collect();
    if !unread.is_empty() || gathered.is_more_than_text() {
        let name = model.split_once('/').map_or(model.as_str(), |(_, name)| name);
        let takes = scene.model.provider.takes(name, &Cancel::new());
        scene.model.setup.takes = takes;
        gathered.sift(takes, &model).map_err(|errors| told(&errors))?;
        warn_of_unseen(output, &unread, takes, &model);
    }
    Ok(choose(output, args, gathered, &earlier))
}

/// Standard input can be read once.
fn check_stdin(args: &Query) -> Result<(), CommandError> {
    let beside = args.attach.iter().filter(|argument| *argument == "-").count();
    let within = args.text.iter().filter(|argument| *argument == "-").count();
    match beside > 1 || (beside == 1 && within > 0) {
        true => Err(CommandError::usage("`-` can be given once: standard input is read once")),
        false => Ok(()),
    }
}

/// The attachments that the model sees already, by their order.
fn earlier(scene: &Scene) -> Vec<Attachment> {
    let stream = Stream::new(scene.entries.iter().cloned());
    let messages = messages(&stream, None).into_iter();
    let attached = messages.filter_map(|message| match message.role {
        Role::User { attachments, .. } => Some(attachments),
        _ => None,
    });
    attached.flatten().collect()
}

/// Leaves out what is in the conversation as it is, and tells what became of the rest.
fn choose(
    output: &mut Output,
    args: &Query,
    gathered: Gathered,
    earlier: &[Attachment],
) -> Vec<Attachment> {
    warn_of_left_out(output, &gathered.left_out);
    let is_many = gathered.picked.iter().any(|picked| !picked.named);
    let latest: BTreeMap<_, _> = earlier.iter().map(|one| (one.source.as_str(), one)).collect();
    let all = gathered.picked.into_iter().map(|picked| picked.attachment);
    let (known, new): (Vec<_>, Vec<_>) =
        all.partition(|one| latest.get(one.source.as_str()) == Some(&one));
    if !args.manner.quiet && is_many && !new.is_empty() {
        let bytes = new.iter().map(|one| one.content.as_bytes().len() as u64).sum();
        let (files, bytes) = (counted(new.len() as u64, "file"), counted(bytes, "byte"));
        output.say(format_args!("Attached {files}, {bytes}"));
    }
    if !args.manner.quiet && !known.is_empty() {
        let names = list(known.iter().map(|one| one.source.as_str()));
        output.say(format_args!("Unchanged since it was attached, and not stored again: {names}"));
    }
    new
}

fn warn_of_left_out(output: &mut Output, left_out: &[LeftOut]) {
    let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for LeftOut { source, kind } in left_out {
        kinds.entry(kind).or_default().push(source);
    }
    for (kind, sources) in kinds {
        let count = counted(sources.len() as u64, "file");
        output.warn(format_args!("{count} left out ({kind}): {}", list(sources.into_iter())));
    }
}

/// Tells of attachments of earlier turns that the model is only told about.
fn warn_of_unseen(output: &mut Output, earlier: &[Media], takes: Takes, model: &str) {
    let unseen = earlier.iter().filter(|media| !takes.takes(**media)).count();
    if unseen > 0 {
        let count = counted(unseen as u64, "attachment");
        output.warn(format_args!(
            "{count} of this conversation, images or PDF documents, cannot be shown to `{model}`"
        ));
    }
}

/// The first names, and how many more there are.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(escape).collect();
    let shown = names[..names.len().min(NAMES)].join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// All that failed, and what can be done.
fn told(errors: &[AttachError]) -> CommandError {
    let mut hints = Vec::new();
    for error in errors {
        let hint = match error {
            AttachError::TooMany { .. } | AttachError::TooManyBytes { .. } => {
                "name fewer of them, as in `-a 'src/**/*.rs'`"
            }
            AttachError::NotTaken { .. } => {
                "`jp query -m PROVIDER/MODEL` asks another model; if this one does take it, set \
                 `providers.NAME.images` or `providers.NAME.pdf` to `true`"
            }
            AttachError::Missing(_)
            | AttachError::Unreadable(_)
            | AttachError::Stdin(_)
            | AttachError::Unfetched(_)
            | AttachError::Unknown(_)
            | AttachError::TooLarge(_)
            | AttachError::TooMuch(_)
            | AttachError::Pattern { .. }
            | AttachError::NoMatch(_)
            | AttachError::Empty(_) => continue,
        };
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    let messages = errors.iter().map(ToString::to_string).collect();
    let error = CommandError::failures(messages);
    hints.into_iter().fold(error, CommandError::hint)
}
