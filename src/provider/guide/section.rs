//! Pages cut into sections, and sections into blocks.

use super::pages::Page;

/// What stands under one heading, up to the next.
#[derive(Debug)]
pub(super) struct Section {
    /// The page.
    pub path: &'static str,
    /// How much the page counts.
    pub weight: f32,
    /// The title of the page.
    pub page_title: &'static str,
    /// The heading.
    pub title: &'static str,
    /// What stands under it, in its order.
    pub blocks: Vec<Block>,
}

/// A block of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its lines; those of code with the fences.
    pub text: &'static str,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Sentences, or a list.
    Prose,
    /// A table, with its two lines of head.
    Table,
    /// Code between fences.
    Code,
}

/// How much the opening of a page counts, which only tells what comes.
const OPENING: f32 = 0.7;

/// The sections of a page that hold anything.
pub(super) fn sections(page: &Page) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut page_title = page.path;
    for block in blocks(page.text) {
        if let Some(title) = heading(block) {
            if sections.is_empty() {
                page_title = title;
            }
            let (path, weight) = (page.path, page.weight);
            sections.push(Section { path, weight, page_title, title, blocks: Vec::new() });
        } else if let Some(section) = sections.last_mut()
            && !block.text.starts_with("<!--")
        {
            section.blocks.push(block);
        }
    }
    if let Some(first) = sections.first_mut() {
        first.weight *= OPENING;
    }
    sections.retain(|section| section.blocks.iter().any(|block| !is_list_of_links(*block)));
    sections
}

fn is_list_of_links(block: Block) -> bool {
    block.text.lines().all(|line| line.trim_start().starts_with("- ["))
}

/// The heading that a block is.
fn heading(block: Block) -> Option<&'static str> {
    let title = block.text.trim_start_matches('#');
    let is_heading = block.kind == BlockKind::Prose && block.text.len() > title.len();
    (is_heading && title.starts_with(' ')).then(|| title.trim())
}

fn blocks(text: &'static str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    let mut start = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let fence = content.starts_with("```").then(|| &content[..backticks(content)]);
        match (open, fence) {
            (Some((begin, fence)), Some(close))
                if content == close && close.len() >= fence.len() =>
            {
                let code = text[begin..end + line.len()].trim_end();
                blocks.push(Block { kind: BlockKind::Code, text: code });
                open = None;
                start = end + line.len();
            }
            (Some(_), _) => {}
            (None, Some(fence)) => {
                push_text(&mut blocks, &text[start..end]);
                open = Some((end, fence));
            }
            (None, None) => {
                let is_heading = content.starts_with('#');
                if content.is_empty() || is_heading {
                    push_text(&mut blocks, &text[start..end]);
                    start = end;
                }
                if is_heading {
                    push_text(&mut blocks, line);
                    start = end + line.len();
                }
            }
        }
        end += line.len();
    }
    push_text(&mut blocks, &text[start.min(end)..end]);
    blocks
}

fn backticks(line: &str) -> usize {
    line.len() - line.trim_start_matches('`').len()
}

fn push_text(blocks: &mut Vec<Block>, text: &'static str) {
    let text = text.trim_matches('\n').trim_end();
    if text.trim().is_empty() {
        return;
    }
    let is_table =
        text.starts_with('|') && text.lines().nth(1).is_some_and(|line| line.starts_with("|-"));
    let kind = if is_table { BlockKind::Table } else { BlockKind::Prose };
    blocks.push(Block { kind, text });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_cut_at_its_headings_and_not_within_code() {
        let text = "# Page\n\nIntro.\nMore.\n\n## One\n\n| a | b |\n|---|---|\n| c | d |\n\n\
            ```sh\n# not a heading\n\nls\n```\n\nEnd\n## Empty\n### Two\nText\n";
        let page = Page { path: "p.md", text, weight: 1.0 };
        let found = sections(&page);
        let shape: Vec<(&str, Vec<(BlockKind, &str)>)> = found
            .iter()
            .map(|section| {
                (
                    section.title,
                    section.blocks.iter().map(|block| (block.kind, block.text)).collect(),
                )
            })
            .collect();
        let code = "```sh\n# not a heading\n\nls\n```";
        assert_eq!(
            shape,
            [
                ("Page", vec![(BlockKind::Prose, "Intro.\nMore.")]),
                (
                    "One",
                    vec![
                        (BlockKind::Table, "| a | b |\n|---|---|\n| c | d |"),
                        (BlockKind::Code, code),
                        (BlockKind::Prose, "End"),
                    ]
                ),
                ("Two", vec![(BlockKind::Prose, "Text")]),
            ]
        );
        assert!(found.iter().all(|section| section.page_title == "Page"));
    }
}
