//! `jp conversation log`

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{DONE, Outcome, to_read};
use crate::{
    cli::{args::Log, error::CommandError, output::Output},
    env::Env,
    history::{Branching, Family, Lineage, Operation, draw, family, lineage, operations, short},
    model::ConversationId,
    store::{ObjectId, Record},
    ui::{Face, Style, escape, minute},
};

pub fn run(env: &Env, output: &mut Output, args: &Log) -> Outcome {
    let (workspace, handle) = to_read(env, output, &args.target)?;
    let limit = args.limit.unwrap_or(usize::MAX);
    let look = Look { zone: env.time_zone(), style: output.style() };
    if args.graph {
        let Family { members, problems } = family(&workspace, &handle)?;
        let Lineage { branchings: mut all, problems: broken } = lineage(&workspace, &members);
        all.truncate(limit);
        if args.format.is_json() {
            output.json(&all.iter().map(json_branching).collect())?;
        } else {
            output.paged(env, |output| print_graph(output, &all, &look, args.events))?;
        }
        output.warn_all(problems);
        output.warn_all(broken);
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
    output.paged(env, |output| -> Result<(), CommandError> {
        output.line(HEADING)?;
        for operation in operations {
            let operation = operation?;
            output.line(line(&operation, &look))?;
            if args.events {
                for record in &operation.records {
                    output.line(detail(record, &look))?;
                }
            }
        }
        Ok(())
    })?;
    Ok(DONE)
}

const HEADING: &str = "COMMIT      WHEN              TURN  EVENTS  WHAT";

fn line(operation: &Operation, look: &Look) -> String {
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
    let when = minute(operation.when(), &look.zone);
    let what = operation.what();
    let hand = if operation.is_by_hand() { " by hand" } else { "" };
    let who = operation.authors().join(", ");
    let mut text = look.commit(operation.last().id);
    let rest = format!("  {when}  {turn:<4}  {events:<6}  {what} ({who}{hand})");
    text.push_str(&escape(&rest));
    text
}

fn detail(record: &Record, look: &Look) -> String {
    let (when, who) = (minute(record.committed, &look.zone), &record.author.name);
    let rest = format!("  {when}  {} ({who})", record.subject());
    format!("  {}{}", look.commit(record.id), escape(&rest))
}

/// How a log looks here.
struct Look {
    zone: TimeZone,
    style: Style,
}

impl Look {
    fn commit(&self, id: ObjectId) -> String {
        let mut text = String::new();
        self.style.push(&mut text, Face::NOTICE, &short(id));
        text
    }
}

fn print_graph(
    output: &mut Output,
    all: &[Branching],
    look: &Look,
    events: bool,
) -> std::io::Result<()> {
    let keys: Vec<_> = all.iter().map(|one| (one.operation.last().id, one.parent)).collect();
    for (drawn, branching) in draw(&keys).into_iter().zip(all) {
        if let Some(joint) = drawn.joint {
            output.line(joint)?;
        }
        let tips = names(&branching.tips);
        output.line(format_args!("{}  {}{tips}", drawn.mark, line(&branching.operation, look)))?;
        if events {
            let space = drawn.mark.replace('○', "│");
            for record in &branching.operation.records {
                output.line(format_args!("{space}  {}", detail(record, look)))?;
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
        "operation": record.deed.as_ref().map(|deed| &deed.operation),
        "origin": record.deed.as_ref().map(|deed| deed.origin.as_str()),
        "turn": record.deed.as_ref().and_then(|deed| deed.turn),
    })
}

fn json_branching(branching: &Branching) -> Value {
    let mut value = json_operation(&branching.operation);
    value["conversations"] = json!(branching.tips);
    value
}
