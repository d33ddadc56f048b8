//! What the guide says.

use super::{
    commands::commands,
    directives::{Directive, directives},
    index::{INDEX, Index},
    instance::instance,
    question::Question,
    quote::quote,
    results::results,
};
use crate::{
    model::ToolName,
    projection::Role,
    provider::{
        Block, Content, Query,
        calls::{calls_so_far, numbered_call},
    },
};

/// How each answer begins.
const WHO: &str = "*Built-in guide, not a language model";
/// The most other sections that are named.
const OTHERS: usize = 3;
/// How well another section must fit to be named, beside the best.
const FITS: f32 = 0.3;

/// What the guide says to a query, block by block; the same query always gets the same answer.
pub fn reply(query: &Query) -> Vec<Block> {
    let request = query.messages.iter().rev().find_map(|message| match &message.role {
        Role::User { content, .. } => Some(content.to_text_lossy()),
        Role::System { .. } | Role::Assistant { .. } | Role::Tool { .. } => None,
    });
    let request = request.unwrap_or_default();
    if let Some(results) = results(&query.messages) {
        return match &query.schema {
            Some(schema) => data(schema),
            None => vec![text(format!("{WHO}: this is what the tools said.*\n\n{results}"))],
        };
    }
    let is_tool = |name: &str| query.tools.iter().any(|tool| tool.name.as_str() == name);
    let (directives, rest) = directives(&request, is_tool);
    let calls = directives.iter().any(|directive| matches!(directive, Directive::Call { .. }));
    let says = directives.iter().any(|directive| matches!(directive, Directive::Say(_)));
    let mut blocks = follow(directives, query);
    match &query.schema {
        Some(_) if calls => {}
        Some(schema) => blocks.extend(data(schema)),
        None if calls || says => {}
        None if !blocks.is_empty() && rest.is_empty() => {
            blocks.push(text(format!("{WHO}: I have thought what you told me to.*\n")));
        }
        None => blocks.push(text(search(&INDEX, &rest))),
    }
    blocks
}

fn text(text: String) -> Block {
    Block::new(Content::Text(text.trim_end().to_owned()))
}

/// Does what the lines of a request say; what cannot be done is told in a text.
fn follow(directives: Vec<Directive>, query: &Query) -> Vec<Block> {
    let mut number = calls_so_far(query);
    let mut blocks = Vec::new();
    for directive in directives {
        blocks.push(match directive {
            Directive::Think(thought) => Block::new(Content::Reasoning(thought)),
            Directive::Say(said) => Block::new(Content::Text(said)),
            Directive::Call { tool, arguments } => {
                let known = query.tools.iter().find(|known| known.name.as_str() == tool);
                let Some(known) = known else {
                    blocks.push(text(unknown_tool(&tool, query)));
                    continue;
                };
                number += 1;
                let tool: ToolName = known.name.clone();
                Block::new(Content::Call { id: numbered_call(number), tool, arguments })
            }
        });
    }
    blocks
}

fn unknown_tool(tool: &str, query: &Query) -> String {
    let names: Vec<String> = query.tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let there = if names.is_empty() {
        "there are no tools in this conversation".to_owned()
    } else {
        format!("there are {}", names.join(", "))
    };
    format!("{WHO}.*\n\nThere is no tool `{tool}`: {there}.\n")
}

fn data(schema: &serde_json::Value) -> Vec<Block> {
    let honest = "I am the built-in guide, not a language model: this is the smallest data that \
        fits the schema, and no answer.";
    vec![
        Block::new(Content::Reasoning(honest.to_owned())),
        Block::new(Content::Data(instance(schema).to_string())),
    ]
}

/// The section that fits a question best, the commands to run, and where else to look.
fn search(index: &Index, question: &str) -> String {
    let question = Question::new(question);
    let hits = index.search(&question);
    let Some(best) = hits.first() else {
        return format!("{WHO}.*\n\n{NOTHING}");
    };
    let section = &index.sections[best.section];
    let mut text = format!("{WHO}: this is what the documentation says.*\n\n");
    text.push_str(&format!("## {}\n\n", section.title));
    let quote = quote(index, section, &question);
    text.push_str(&quote);
    text.push_str(&format!("From `{}`.\n\n", section.path));
    let commands = commands(index, &hits, &quote);
    if !commands.is_empty() {
        text.push_str("Commands:\n\n");
        for command in commands {
            text.push_str(&format!("- `{}`: {}\n", command.usage, command.summary));
        }
        text.push('\n');
    }
    let others = hits[1..].iter().filter(|hit| hit.score >= best.score * FITS).take(OTHERS);
    let others: Vec<String> = others
        .map(|hit| &index.sections[hit.section])
        .map(|section| format!("- {} (`{}`)\n", section.title, section.path))
        .collect();
    if !others.is_empty() {
        text.push_str(&format!("See also:\n\n{}", others.concat()));
    }
    text
}

/// What is said when nothing fits.
const NOTHING: &str = "I found nothing about this in the documentation of jp, which is all I know.\n\n\
    I can\n\n\
    - answer questions about jp, such as `how do I undo the last change?`\n\
    - call tools, with lines such as `call TOOL {\"key\": \"value\"}`\n\
    - think and speak as I am told, with lines such as `think …` and `say …`\n";
