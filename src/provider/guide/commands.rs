//! The commands that a section names.

use super::{
    index::{Hit, Index},
    pages::REFERENCE,
    section::{BlockKind, Section},
};

/// The most commands that are named.
const MOST: usize = 3;
/// How well a command must fit that the section does not name, beside the best section.
const FITS: f32 = 0.8;

/// A command, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// How it is called.
    pub usage: &'static str,
    /// What it does, without the final period.
    pub summary: &'static str,
}

/// The commands to run: those that fit nearly as well as the best section, and those that its quote
/// names most often.
pub(super) fn commands(index: &Index, hits: &[Hit], quote: &str) -> Vec<Command> {
    let Some(best) = hits.first() else { return Vec::new() };
    let fitting = hits.iter().take_while(|hit| hit.score >= best.score * FITS);
    let fitting = fitting.map(|hit| &index.sections[hit.section]);
    let quote = quote.replace("jp c ", "jp conversation ");
    let mut named: Vec<(usize, &Section)> = index
        .sections
        .iter()
        .map(|section| (mentions(&quote, section.title), section))
        .filter(|(mentions, _)| *mentions > 0)
        .collect();
    named.sort_by_key(|(mentions, _)| std::cmp::Reverse(*mentions));
    let mut commands: Vec<Command> = Vec::new();
    for command in fitting.chain(named.into_iter().map(|(_, section)| section)).filter_map(command)
    {
        if commands.len() < MOST && !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

/// How often a text names a command, and not only one that begins the same.
fn mentions(text: &str, command: &str) -> usize {
    let ends = text.match_indices(command).map(|(start, _)| &text[start + command.len()..]);
    let whole = |rest: &&str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-');
    ends.filter(whole).count()
}

/// The command that a section of the reference describes.
fn command(section: &Section) -> Option<Command> {
    if section.path != REFERENCE || !section.title.starts_with("jp ") {
        return None;
    }
    let code = section.blocks.iter().find(|block| block.kind == BlockKind::Code)?;
    // A command that only holds others cannot be run.
    let usage = code.text.lines().nth(1).filter(|usage| !usage.contains("<COMMAND>"))?;
    let summary = section.blocks.first()?.text.lines().next()?;
    Some(Command { usage, summary: summary.trim_end_matches('.') })
}
