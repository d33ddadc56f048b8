//! `jp conversation blame`

use serde_json::{Value, json};

use super::{DONE, Outcome, event_named, log::json_record, to_read_at};
use crate::{
    cli::{args::Blame, output::Output},
    env::Env,
    history::{self, blame},
    store::Record,
    ui::{Table, escape, minute, shorten},
    workspace::Handle,
};

pub fn run(env: &Env, output: &mut Output, args: &Blame) -> Outcome {
    let (id, address) = event_named(env, &args.args)?;
    let (workspace, handle) = to_read_at(env, output, id, &args.at)?;
    let blame = blame(&workspace, &handle, address)?;
    if args.format.is_json() {
        output.json(&json_blame(&handle, &blame))?;
    } else {
        print(env, output, &blame)?;
    }
    if let Some(broken) = &blame.broken {
        output.warn(format_args!("lines may be older than is known: {broken}"));
    }
    if !blame.exact {
        output.warn("lines may be older than is known: there are too many to compare");
    }
    Ok(DONE)
}

fn print(env: &Env, output: &mut Output, blame: &history::Blame) -> std::io::Result<()> {
    let zone = env.time_zone();
    let mut table = Table::new(["COMMIT", "AUTHOR", "ORIGIN", "WHEN", "LINE", "TEXT"]);
    for (number, (record, text)) in lines(blame).enumerate() {
        table.push([
            history::short(record.id),
            shorten(&escape(&record.author.name), NAME).into_owned(),
            record.deed.as_ref().map_or("hand", |deed| deed.origin.as_str()).to_owned(),
            minute(record.authored, &zone),
            (number + 1).to_string(),
            text,
        ]);
    }
    output.paged(env, |output| output.text(table))
}

/// Each line with its commit.
fn lines(blame: &history::Blame) -> impl Iterator<Item = (&Record, String)> {
    let lines = blame.content.split_inclusive(|byte| *byte == b'\n');
    let text = |line: &[u8]| {
        String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned()
    };
    blame.owners.iter().map(|owner| &blame.records[*owner]).zip(lines.map(text))
}

/// The columns that a name may take.
const NAME: usize = 24;

fn json_blame(handle: &Handle, blame: &history::Blame) -> Value {
    let commits: Vec<_> = blame.records.iter().map(json_record).collect();
    let line =
        |(record, text): (&Record, String)| json!({"commit": record.id.to_string(), "text": text});
    json!({
        "id": handle.id(),
        "commit": handle.commit().to_string(),
        "address": blame.file.address().number(),
        "file": blame.file.as_str(),
        "commits": commits,
        "lines": lines(blame).map(line).collect::<Vec<_>>(),
        "complete": blame.exact && blame.broken.is_none(),
    })
}
