//! How much of a text is known for good, although more of it is to come.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

/// An event, and the bytes that it is about.
pub type Parsed<'a> = (Event<'a>, Range<usize>);

/// How much of a text that was parsed can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How many events can be laid out.
    pub events: usize,
    /// How many bytes of the text are done with.
    pub bytes: usize,
    /// What goes on after them.
    pub open: Open,
}

/// What a text ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Open {
    /// A block that shows its end by what follows it, or nothing.
    #[default]
    Block,
    /// A list, of which no item is complete.
    List,
    /// A list, after some of its items.
    Items,
    /// A fenced block of code.
    Fence,
}

/// A block that stands in no other.
struct Block {
    /// Its first event, and the one after its last.
    events: Range<usize>,
    bytes: Range<usize>,
}

/// Decides what of a text is known for good.
///
/// A block is when another one has begun after it, or when a blank line ends it.
pub fn cut(text: &str, events: &[Parsed<'_>]) -> Cut {
    let blocks = blocks(events);
    let Some((last, before)) = blocks.split_last() else {
        return Cut { events: 0, bytes: 0, open: Open::Block };
    };
    let done = |block: &Block| {
        let bytes = line_end(text, block.bytes.end);
        Cut { events: block.events.end, bytes, open: Open::Block }
    };
    let done_before = |open| match before.last() {
        // Definitions between the two stay with the second, because they may not be complete.
        Some(block) => {
            let Cut { events, bytes, .. } = done(block);
            Cut { events, bytes: bytes.min(line_start(text, last.bytes.start)), open }
        }
        None => Cut { events: 0, bytes: 0, open },
    };
    let last_line = text.lines().next_back().unwrap_or_default();
    match &events[last.events.start].0 {
        Event::Rule | Event::Start(Tag::Heading { .. }) => done(last),
        Event::Start(Tag::Paragraph | Tag::Table(_)) if is_blank(last_line) => done(last),
        // To the parser, a tab on a line does not end every quotation.
        Event::Start(Tag::BlockQuote(_)) if last_line.is_empty() => done(last),
        // The line that opens it is looked at once more, and its lines without a parser.
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => Cut {
            events: last.events.start + 1,
            bytes: line_start(text, last.bytes.start),
            open: Open::Fence,
        },
        Event::Start(Tag::List(_)) => match last_item(&events[last.events.clone()]) {
            Some(item) => Cut {
                events: last.events.start + item,
                bytes: line_start(text, events[last.events.start + item].1.start),
                open: Open::Items,
            },
            None => done_before(Open::List),
        },
        _ => done_before(Open::Block),
    }
}

/// Whether a line has nothing on it.
pub fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

fn blocks(events: &[Parsed<'_>]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut depth = 0;
    for (index, (event, bytes)) in events.iter().enumerate() {
        if depth == 0 {
            blocks.push(Block { events: index..index + 1, bytes: bytes.clone() });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        if let (0, Some(block)) = (depth, blocks.last_mut()) {
            block.events.end = index + 1;
        }
    }
    blocks
}

/// The event that begins the last item of a list, if it is not the first.
fn last_item(events: &[Parsed<'_>]) -> Option<usize> {
    let mut depth = 0;
    let mut items = 0;
    let mut last = 0;
    for (index, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(tag) => {
                if depth == 1 && *tag == Tag::Item {
                    items += 1;
                    last = index;
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    (items > 1).then_some(last)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line ends that something ends in.
fn line_end(text: &str, at: usize) -> usize {
    if at > 0 && text.as_bytes()[at - 1] == b'\n' {
        return at;
    }
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}
