//! `jp conversation log`

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{DONE, Outcome, to_read};
use crate::{
    cli::{args::Log, output::Output},
    env::Env,
    history::{Branching, Operation, branchings, draw, family, operations},
    model::ConversationId,
    store::Record,
    ui::escape,
};

pub fn run(env: &Env, output: &mut Output, args: &Log) -> Outcome {
    let (workspace, handle) = to_read(env, output, &args.target)?;
    let limit = args.limit.unwrap_or(usize::MAX);
    if args.graph {
        let members = family(&workspace, &handle)?;
        let mut all = branchings(&workspace, &members)?;
        all.truncate(limit);
        if args.format.is_json() {
            output.json(&all.iter().map(json_branching).collect())?;
        } else {
            print_graph(env, output, &all, args.events)?;
        }
        return Ok(DONE);
    }
    let operations = operations(&workspace, &handle).take(limit);
    if args.format.is_json() {
        let values: Result<Vec<Value>, _> = operations
            .map(|operation| operation.map(|operation| json_operation(&operation)))
            .collect();
        output.json(&Value::Array(values?))?;
        return Ok(DONE);
    }
    let zone = env.time_zone();
    output.line(format_args!("{}", HEADING))?;
    for operation in operations {
        let operation = operation?;
        output.line(line(&operation, &zone))?;
        if args.events {
            for record in &operation.records {
                output.line(detail(record, &zone))?;
            }
        }
    }
    Ok(DONE)
}

const HEADING: &str = "COMMIT      WHEN              TURN  EVENTS  WHAT";

/// Digits of a commit that people read.
pub const SHORT: usize = 10;

fn line(operation: &Operation, zone: &TimeZone) -> String {
    let commit = operation.last().id.to_hex_with_len(SHORT).to_string();
    let turn = match operation.turns() {
        Some((first, last)) if first != last => format!("{first}–{last}"),
        Some((_, turn)) => turn.to_string(),
        None => "-".to_owned(),
    };
    let events = match operation.events {
        None => "?".to_owned(),
        Some(0) => "-".to_owned(),
        Some(count) => format!("{count:+}"),
    };
    let when = local(operation.when(), zone);
    let what = operation.what();
    let hand = if operation.is_by_hand() { " by hand" } else { "" };
    let who = operation.authors().join(", ");
    let text = format!("{commit}  {when}  {turn:<4}  {events:<6}  {what} ({who}{hand})");
    escape(&text).into_owned()
}

fn detail(record: &Record, zone: &TimeZone) -> String {
    let commit = record.id.to_hex_with_len(SHORT).to_string();
    let (when, who) = (local(record.committed, zone), &record.author.name);
    let text = format!("  {commit}  {when}  {} ({who})", record.subject());
    escape(&text).into_owned()
}

/// A time as people here read it.
pub fn local(time: crate::model::Timestamp, zone: &TimeZone) -> String {
    time.instant().to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn print_graph(
    env: &Env,
    output: &mut Output,
    all: &[Branching],
    events: bool,
) -> std::io::Result<()> {
    let zone = env.time_zone();
    let keys: Vec<_> = all.iter().map(|one| (one.operation.last().id, one.parent)).collect();
    for (drawn, branching) in draw(&keys).into_iter().zip(all) {
        if let Some(joint) = drawn.joint {
            output.line(joint)?;
        }
        let tips = names(&branching.tips);
        output.line(format_args!("{}  {}{tips}", drawn.mark, line(&branching.operation, &zone)))?;
        if events {
            let space = drawn.mark.replace('○', "│");
            for record in &branching.operation.records {
                output.line(format_args!("{space}  {}", detail(record, &zone)))?;
            }
        }
    }
    Ok(())
}

fn names(tips: &[ConversationId]) -> String {
    let names: Vec<_> = tips.iter().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!(" [{}]", names.join(", ")) }
}

fn json_operation(operation: &Operation) -> Value {
    let last = operation.last();
    let deed = last.deed.as_ref();
    let commits: Vec<_> = operation.records.iter().map(json_record).collect();
    let origins = operation.origins();
    json!({
        "operation": deed.map(|deed| &deed.operation),
        "what": operation.what(),
        "commit": last.id.to_string(),
        "before": operation.before().map(|id| id.to_string()),
        "committed_at": last.committed,
        "by_hand": operation.is_by_hand(),
        "authors": operation.authors(),
        "origins": origins.iter().map(|origin| origin.as_str()).collect::<Vec<_>>(),
        "turns": operation.turns().map(|(first, last)| [first, last]),
        "events": operation.events,
        "commits": commits,
    })
}

/// What every program gets to know about a commit.
pub fn json_record(record: &Record) -> Value {
    json!({
        "commit": record.id.to_string(),
        "tree": record.tree.to_string(),
        "subject": record.subject(),
        "author": record.author.name,
        "authored_at": record.authored,
        "committed_at": record.committed,
        "origin": record.deed.as_ref().map(|deed| deed.origin.as_str()),
        "turn": record.deed.as_ref().and_then(|deed| deed.turn),
    })
}

fn json_branching(branching: &Branching) -> Value {
    let mut value = json_operation(&branching.operation);
    value["conversations"] = json!(branching.tips);
    value
}
