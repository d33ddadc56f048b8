//! `jp conversation export`

mod document;
mod event;
mod json;

use std::path::Path;

use super::{DONE, Outcome, ls::status, to_read};
use crate::{
    cli::{
        args::{Export, ExportFormat},
        error::CommandError,
        output::Output,
    },
    env::Env,
    fsutil::{self, AtPath},
    model::counted,
    projection::{
        compact,
        list::{LeftOut, Origin, list, write},
    },
    ui::escape,
    workspace::{Handle, Workspace},
};

pub use self::{
    event::{fields as event_fields, table},
    json::queued,
};

pub fn run(env: &Env, output: &mut Output, args: &Export) -> Outcome {
    if args.compacted && args.format != ExportFormat::Messages {
        let message = "only what a model is sent can be compacted: everything else is complete";
        return Err(CommandError::usage(message).hint("add `--format messages`"));
    }
    let (workspace, handle) = to_read(env, output, &args.target)?;
    if let Some(directory) = &args.dir {
        return write_directory(output, &workspace, &handle, directory);
    }
    let conversation = workspace.load(&handle)?;
    let row = workspace.row(&handle, &mut Vec::new());
    let status = status(&row);
    let (mut fixes, mut left_out) = (Vec::new(), LeftOut::default());
    let text = match args.format {
        ExportFormat::Md => document::document(&conversation, &status),
        ExportFormat::Json => {
            let (config, queue) =
                (workspace.base_config(&conversation), workspace.queued(&conversation));
            pretty(&json::conversation(&conversation, &status, config.as_ref(), &queue))?
        }
        ExportFormat::Messages => {
            let config = workspace.base_config(&conversation);
            let (id, meta) = (conversation.id, &conversation.snapshot.meta);
            let origin = Origin { id, meta, config: config.as_ref() };
            left_out = LeftOut::of(&conversation.stream(), &origin);
            left_out.queued = workspace.queued(&conversation).len() as u64;
            let (mended, mends) = conversation.sanitized();
            fixes = mends;
            let seen = match args.compacted {
                true => {
                    left_out.compactions = 0;
                    compact(mended).stream
                }
                false => mended,
            };
            pretty(&write(&list(&seen, &origin)))?
        }
    };
    match args.output.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => write_file(env, path, &text)?,
        None => print(output, &text)?,
    }
    output.warn_all(&conversation.problems);
    output.warn_all(fixes);
    if !left_out.is_nothing() {
        output.warn(format_args!("a list of messages cannot hold everything: without {left_out}"));
    }
    Ok(DONE)
}

fn write_directory(
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    directory: &Path,
) -> Outcome {
    let exported = workspace.export(handle, directory)?;
    let shown = directory.display().to_string();
    let files = counted(exported.files as u64, "file");
    output.line(format_args!("{}: {files}", escape(&shown)))?;
    output.warn_all(&exported.problems);
    if exported.missing.is_empty() {
        return Ok(DONE);
    }
    let path = directory.join("").display().to_string();
    let missing = exported.missing.iter().map(|problem| format!("{path}{problem}"));
    Err(CommandError::failures(missing.collect()).hint("everything else was written"))
}

fn write_file(env: &Env, path: &Path, text: &str) -> Result<(), CommandError> {
    let mut target = env.cwd().join(path);
    if let Ok(found) = std::fs::metadata(&target) {
        if !found.is_file() {
            let message = format!("`{}` is not a file", path.display());
            return Err(CommandError::failure(message)
                .hint("without `--output` it goes to standard output"));
        }
        // A symbolic link stays what it is: the file that it leads to is replaced.
        target = target.canonicalize().at("resolve", path)?;
    }
    Ok(fsutil::write_atomic(&target, text.as_bytes())?)
}

fn print(output: &mut Output, text: &str) -> std::io::Result<()> {
    if !output.is_terminal() {
        return output.text(text);
    }
    // A conversation may hold anything; a terminal must not obey it.
    for line in text.lines() {
        output.line(escape(line))?;
    }
    Ok(())
}

fn pretty(value: &serde_json::Value) -> Result<String, CommandError> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n").map_err(CommandError::failure)
}
