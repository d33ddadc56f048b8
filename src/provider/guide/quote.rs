//! A section shortened to what a question is about.

use super::{
    index::Index,
    question::Question,
    section::{Block, BlockKind, Section},
};

/// The most characters of a quote, roughly: the block that goes beyond it is the last.
const QUOTE: usize = 1400;
/// The most rows of a table, and lines of code.
const ROWS: usize = 8;
const CODE_LINES: usize = 18;

/// The best blocks of a section, in their order.
pub(super) fn quote(index: &Index, section: &Section, question: &Question) -> String {
    let blocks: Vec<String> =
        section.blocks.iter().filter_map(|block| shorten(index, *block, question)).collect();
    let kept = choose(index, section, &blocks, question);
    let mut text = String::new();
    let mut last = None;
    for (number, block) in blocks.iter().enumerate().filter(|(number, _)| kept[*number]) {
        let gap = last.map_or(number > 0, |last| number > last + 1);
        text.push_str(if gap { "…\n\n" } else { "" });
        text.push_str(block);
        text.push_str("\n\n");
        last = Some(number);
    }
    if last.is_some_and(|last| last + 1 < blocks.len()) {
        text.push_str("…\n\n");
    }
    text
}

/// Which blocks are kept: all of a short section; else the first, and the best of the others as long
/// as there is room. Code goes with the text before it.
fn choose(index: &Index, section: &Section, blocks: &[String], question: &Question) -> Vec<bool> {
    let mut kept = vec![false; blocks.len()];
    let mut relevance: Vec<f32> =
        blocks.iter().map(|block| index.relevance(question, block)).collect();
    for number in 1..blocks.len() {
        let is_code = section.blocks.get(number).is_some_and(|block| block.kind == BlockKind::Code);
        if is_code {
            relevance[number] = relevance[number].max(relevance[number - 1] * 0.9);
        }
    }
    if let Some(first) = relevance.first_mut() {
        *first = f32::MAX;
    }
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|one, two| relevance[*two].total_cmp(&relevance[*one]).then(one.cmp(two)));
    let lengths: Vec<usize> = blocks.iter().map(|block| block.chars().count()).collect();
    let is_long = lengths.iter().sum::<usize>() > QUOTE;
    let mut room = QUOTE;
    for number in order {
        let length = lengths[number];
        if length > room && number > 0 || is_long && relevance[number] <= 0.0 {
            continue;
        }
        room = room.saturating_sub(length);
        kept[number] = true;
    }
    kept
}

fn shorten(index: &Index, block: Block, question: &Question) -> Option<String> {
    match block.kind {
        BlockKind::Prose => Some(block.text.to_owned()),
        BlockKind::Code => Some(shorten_code(block.text)),
        BlockKind::Table => shorten_table(index, block.text, question),
    }
}

fn shorten_code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let Some((close, lines)) = lines.split_last().filter(|_| lines.len() > CODE_LINES + 2) else {
        return text.to_owned();
    };
    format!("{}\n# …\n{close}", lines[..=CODE_LINES].join("\n"))
}

/// The head of a table, and the rows that fit best; without those that stand everywhere.
fn shorten_table(index: &Index, text: &str, question: &Question) -> Option<String> {
    let head: Vec<&str> = text.lines().take(2).collect();
    let rows: Vec<&str> =
        text.lines().skip(2).filter(|row| !index.repeated.contains(row)).collect();
    let mut order: Vec<(usize, f32)> =
        rows.iter().map(|row| index.relevance(question, row)).enumerate().collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    if order.len() > ROWS && order.first().is_some_and(|(_, relevance)| *relevance > 0.0) {
        order.retain(|(_, relevance)| *relevance > 0.0);
    }
    order.truncate(ROWS);
    order.sort_by_key(|(number, _)| *number);
    let kept: Vec<&str> = order.iter().map(|(number, _)| rows[*number]).collect();
    (!kept.is_empty()).then(|| format!("{}\n{}", head.join("\n"), kept.join("\n")))
}
