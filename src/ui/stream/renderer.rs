//! The renderer: takes text in pieces and writes blocks.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use pulldown_cmark::{BrokenLink, CowStr, Event, Parser, TagEnd};

use super::{
    super::{
        markdown::{Flow, OPTIONS, Page, is_too_deep},
        style::Style,
    },
    cut::{Cut, Open, Parsed, cut, is_blank},
    fence::Fence,
    lines::Lines,
};

/// Bytes that may be parsed for each byte of text, and once beside that. An unfinished block is
/// parsed again and again; this is what keeps the work in proportion to the text.
const CREDIT: (usize, usize) = (16, 64 * 1024);

/// Definitions of links that are remembered.
const DEFINITIONS: usize = 1000;

/// Lays out a markdown text that comes in pieces, and writes each block when it is complete.
pub struct StreamRenderer {
    lines: Lines,
    text: Text,
}

/// The lines that came in, as far as they are not shown yet.
struct Text {
    page: Page<'static>,
    style: Style,
    width: usize,
    /// Lines that are not shown yet.
    open: String,
    /// Whether items of a list were shown that goes on with those lines.
    in_list: bool,
    /// How much of them is no text, but stands for the items that were shown before.
    stand_in: usize,
    state: State,
    /// Whether the last line was blank.
    after_blank: bool,
    credit: usize,
    definitions: HashMap<String, (String, String)>,
}

/// What the lines to come are.
#[derive(Clone, Copy)]
enum State {
    /// Markdown.
    Blocks(Open),
    /// Code, up to the end of a fence.
    Code(Fence),
    /// Text that is shown as it is.
    Verbatim,
}

/// Where a name leads, for references further down.
struct Definition {
    label: String,
    target: String,
    title: String,
    /// Where in the text it ends.
    end: usize,
}

impl StreamRenderer {
    /// A renderer for a screen of this width.
    pub fn new(style: Style, width: usize) -> Self {
        let text = Text {
            page: empty_page(style, width),
            style,
            width,
            open: String::new(),
            in_list: false,
            stand_in: 0,
            state: State::Blocks(Open::Block),
            after_blank: true,
            credit: CREDIT.1,
            definitions: HashMap::new(),
        };
        Self { lines: Lines::default(), text }
    }

    /// Lays out what is to come for a screen of another width.
    pub fn set_width(&mut self, width: usize) {
        self.text.width = width;
        self.text.page.flow.set_width(width);
    }

    /// Takes a piece of the text, and writes the blocks that are complete with it.
    pub fn push(&mut self, text: &str, out: &mut dyn Write) -> io::Result<()> {
        self.lines.push(text, |line| self.text.take_line(line));
        self.text.write(out)
    }

    /// Writes what is left. A text that comes after it is another one, below a blank line.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.lines.finish(|line| self.text.take_line(line));
        self.text.finish();
        self.text.write(out)
    }
}

impl Text {
    fn take_line(&mut self, line: &str) {
        self.credit = self.credit.saturating_add(line.len().saturating_mul(CREDIT.0));
        self.read_line(line);
    }

    fn read_line(&mut self, line: &str) {
        match self.state {
            State::Blocks(open) => self.read_markdown(open, line),
            State::Code(fence) => self.read_code_line(fence, line),
            State::Verbatim => self.page.flow.verbatim_line("", line.trim_end_matches('\n')),
        }
    }

    fn read_markdown(&mut self, open: Open, line: &str) {
        let blank = is_blank(line);
        if blank && self.open.is_empty() {
            return;
        }
        let may_complete = self.may_complete(open, line);
        self.open.push_str(line);
        self.after_blank = blank;
        if is_too_deep(line) {
            return self.give_up();
        }
        if may_complete && self.open.len() <= self.credit {
            self.credit -= self.open.len();
            self.show_blocks();
        }
    }

    /// Whether something may be complete with a line: to find out costs.
    fn may_complete(&self, open: Open, line: &str) -> bool {
        let blank = is_blank(line);
        match open {
            Open::Block | Open::Fence => !(blank && self.after_blank),
            Open::List | Open::Items => {
                let text = &self.open[self.stand_in..];
                let first = text.lines().find(|line| !is_blank(line)).unwrap_or_default();
                !blank && indent(line) <= indent(first)
            }
        }
    }

    fn read_code_line(&mut self, fence: Fence, line: &str) {
        if fence.is_ended_by(line) {
            self.page.take(Event::End(TagEnd::CodeBlock));
            self.state = State::Blocks(Open::Block);
            self.after_blank = true;
            return;
        }
        let code: CowStr<'static> = fence.code(line).into_owned().into();
        self.page.take(Event::Text(code));
    }

    /// Shows the blocks that are complete.
    fn show_blocks(&mut self) {
        let text = std::mem::take(&mut self.open);
        let (done, open) = self.lay_out(&text, cut);
        self.state = State::Blocks(open);
        match open {
            Open::Fence => {
                self.in_list = false;
                self.stand_in = 0;
                self.read_code(&text[done..]);
            }
            Open::Items => {
                self.in_list = true;
                // Alone, an item would not know of the blank lines between those before it.
                let is_loose = self.page.is_in_loose_list();
                self.open = if is_loose { stand_in(&text[done..]) } else { String::new() };
                self.stand_in = self.open.len();
                self.open.push_str(&text[done..]);
            }
            Open::Block | Open::List if done == 0 => self.open = text,
            Open::Block | Open::List => {
                self.in_list = false;
                self.stand_in = 0;
                self.open.push_str(&text[done..]);
            }
        }
    }

    /// Reads lines again, the first of which opens a block of code.
    fn read_code(&mut self, text: &str) {
        let mut lines = text.split_inclusive('\n');
        let Some(fence) = lines.next().and_then(Fence::of) else { return };
        self.state = State::Code(fence);
        lines.for_each(|line| self.read_line(line));
    }

    /// Lays out as much of a text as a function decides; tells how many bytes are done with, and
    /// what goes on after them.
    fn lay_out(
        &mut self,
        text: &str,
        decide: impl Fn(&str, &[Parsed<'_>]) -> Cut,
    ) -> (usize, Open) {
        let known = &self.definitions;
        let define = |link: BrokenLink<'_>| {
            let (target, title) = known.get(&label(&link.reference))?;
            Some((target.clone().into(), title.clone().into()))
        };
        let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(define));
        let mut parser = parser.into_offset_iter();
        let events: Vec<_> = parser.by_ref().collect();
        let cut = decide(text, &events);
        let found: Vec<_> = parser
            .reference_definitions()
            .iter()
            .map(|(name, link)| Definition {
                label: label(name),
                target: link.dest.to_string(),
                title: link.title.as_deref().unwrap_or_default().to_owned(),
                end: link.span.end,
            })
            .collect();
        drop(parser);
        let shown = if self.in_list {
            let later = |(_, bytes): &Parsed<'_>| bytes.start >= self.stand_in;
            events.iter().skip(1).position(later).map_or(events.len(), |index| index + 1)
        } else {
            0
        };
        let mut page = std::mem::replace(&mut self.page, empty_page(self.style, self.width));
        page = {
            let mut page: Page<'_> = page;
            let count = cut.events.saturating_sub(shown);
            events.into_iter().skip(shown).take(count).for_each(|(event, _)| page.take(event));
            page.settle()
        };
        self.page = page;
        for one in found {
            if one.end <= cut.bytes && self.definitions.len() < DEFINITIONS {
                self.definitions.entry(one.label).or_insert((one.target, one.title));
            }
        }
        (cut.bytes, cut.open)
    }

    /// Shows the text as it is from here on.
    fn give_up(&mut self) {
        self.page.flow.begin_block();
        for line in self.open[self.stand_in..].trim_start_matches('\n').lines() {
            self.page.flow.verbatim_line("", line);
        }
        self.open.clear();
        self.state = State::Verbatim;
    }

    fn finish(&mut self) {
        match self.state {
            State::Blocks(_) => {
                let text = std::mem::take(&mut self.open);
                self.lay_out(&text, |text, events| Cut {
                    events: events.len(),
                    bytes: text.len(),
                    open: Open::Block,
                });
            }
            State::Code(_) => self.page.take(Event::End(TagEnd::CodeBlock)),
            State::Verbatim => {}
        }
        self.page.flow.end_block();
        self.state = State::Blocks(Open::Block);
        self.in_list = false;
        self.stand_in = 0;
        self.after_blank = true;
        self.definitions.clear();
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let laid_out = &mut self.page.flow.out;
        let written = out.write_all(laid_out.as_bytes());
        laid_out.clear();
        written
    }
}

fn empty_page(style: Style, width: usize) -> Page<'static> {
    Page::new(Flow::new(style, width, String::new()), style)
}

/// An item that makes the one after it an item of a list with blank lines.
fn stand_in(item: &str) -> String {
    let mark = item.trim_start_matches(' ');
    let digits = mark.len() - mark.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Some(sign) = mark[digits..].chars().next() else { return String::new() };
    // As far to the right as can be: the item below it is not to be one within it.
    let number = if digits > 0 { "1" } else { "" };
    format!("   {number}{sign} a\n\n")
}

/// The name of a link: capitals and the number of spaces do not count.
fn label(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
