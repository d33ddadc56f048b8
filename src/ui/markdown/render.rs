//! From the events of a markdown parser to laid out text.

use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};

use super::{
    super::{
        escape::escape,
        style::{Face, Style},
        width::shorten,
    },
    flow::Flow,
    inline::{Attribute, Inline, Link},
    nesting::is_too_deep,
    table::Table,
};

/// The columns of a rule, on a screen that has them.
const RULE: usize = 40;

/// The columns that the name of a language or a footnote may take.
const NAME: usize = 40;

/// What code is indented by.
const CODE_INDENT: &str = "    ";

/// Adds a text as a terminal of this width shows it. The text may come from anywhere.
pub fn render(text: &str, style: Style, width: usize, out: &mut String) {
    let mut flow = Flow::new(style, width, std::mem::take(out));
    if is_too_deep(text) {
        for line in text.lines() {
            flow.verbatim_line("", line);
        }
        *out = flow.out;
        return;
    }
    let mut page = Page::new(flow, style);
    for event in Parser::new_ext(text, OPTIONS) {
        page.take(event);
    }
    page.flow.end_line();
    *out = page.flow.out;
}

/// What a text may use beside plain markdown.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// A text on its way from the parser to the screen.
pub struct Page<'a> {
    /// What has been laid out.
    pub flow: Flow,
    style: Style,
    blocks: Vec<Block>,
    inline: Inline<'a>,
    table: Option<Table>,
    verbatim: Verbatim,
}

/// A block that holds other blocks.
enum Block {
    List {
        /// The number of the next item, if the items are numbered.
        next: Option<u64>,
        /// Whether blank lines stand between the items.
        loose: bool,
    },
    Other,
}

/// Text that is shown line by line, as it is.
#[derive(Default)]
enum Verbatim {
    /// The text is prose.
    #[default]
    No,
    /// Lines with this indent; the last one may not be complete.
    Lines { indent: &'static str, open: String },
}

impl<'a> Page<'a> {
    /// A page that goes on after what was laid out already.
    pub fn new(flow: Flow, style: Style) -> Self {
        Self {
            flow,
            style,
            blocks: Vec::new(),
            inline: Inline::default(),
            table: None,
            verbatim: Verbatim::No,
        }
    }

    /// The page between two blocks, where nothing of the text is held any more.
    pub fn settle(self) -> Page<'static> {
        let Self { flow, style, blocks, inline: _, table, verbatim } = self;
        Page { flow, style, blocks, inline: Inline::default(), table, verbatim }
    }

    /// Whether it stands in a list that has blank lines between its items.
    pub fn is_in_loose_list(&self) -> bool {
        matches!(self.blocks.last(), Some(Block::List { loose: true, .. }))
    }

    /// Lays out the next event of the text.
    pub fn take(&mut self, event: Event<'a>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) => self.text(&text),
            Event::Code(code) => self.code(&code),
            Event::InlineHtml(html) if is_line_break(&html) => self.words().end_line(),
            Event::InlineHtml(html) => self.text(&html),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.text(&math),
            Event::FootnoteReference(name) => {
                self.words().word("[^");
                self.text(&name);
                self.words().word("]");
            }
            Event::SoftBreak => self.words().spaces(" "),
            Event::HardBreak => self.words().end_line(),
            Event::Rule => self.rule(),
            Event::TaskListMarker(done) => {
                self.words().word(if done { "[x]" } else { "[ ]" });
                self.words().spaces(" ");
            }
        }
    }

    fn start(&mut self, tag: Tag<'a>) {
        match tag {
            Tag::Paragraph => {
                self.flow.begin_block();
                if let Some(Block::List { loose, .. }) = self.blocks.last_mut() {
                    *loose = true;
                }
            }
            Tag::Heading { level, .. } => self.start_heading(level),
            Tag::BlockQuote(kind) => self.start_quote(kind),
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::HtmlBlock => {
                self.flow.begin_block();
                self.verbatim = Verbatim::Lines { indent: "", open: String::new() };
            }
            Tag::List(next) => {
                self.flow.end_line();
                self.blocks.push(Block::List { next, loose: false });
            }
            Tag::Item => self.start_item(),
            Tag::FootnoteDefinition(name) => {
                let name = escape(&name);
                self.start_marked(Face::FAINT, &format!("[^{}]:", shorten(&name, NAME)));
                self.blocks.push(Block::Other);
            }
            Tag::Table(alignments) => {
                self.flow.begin_block();
                self.table = Some(Table::new(self.style, alignments));
            }
            Tag::TableHead => self.inline.base = Face::STRONG,
            Tag::TableRow | Tag::TableCell => {}
            Tag::Emphasis => self.open(Attribute::Emphasis),
            Tag::Strong => self.open(Attribute::Strong),
            Tag::Strikethrough => self.open(Attribute::Struck),
            Tag::Link { dest_url, .. } => self.inline.links.push(Link::to(dest_url)),
            Tag::Image { dest_url, .. } => {
                self.words().word("[image:");
                self.words().spaces(" ");
                self.inline.links.push(Link::to(dest_url));
            }
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
        self.choose_face();
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_block(),
            TagEnd::Heading(_) => {
                self.inline.base = Face::PLAIN;
                self.end_container();
                self.end_block();
            }
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.blocks.pop();
                self.end_container();
                self.end_block();
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock => {
                if let Verbatim::Lines { indent, open } = std::mem::take(&mut self.verbatim)
                    && !open.is_empty()
                {
                    self.flow.verbatim_line(indent, &open);
                }
                self.end_block();
            }
            TagEnd::List(_) => {
                self.blocks.pop();
                self.end_block();
            }
            TagEnd::Item => self.end_container(),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    table.lay_out(&mut self.flow);
                }
                self.end_block();
            }
            TagEnd::TableHead => {
                self.inline.base = Face::PLAIN;
                self.table.iter_mut().for_each(Table::end_row);
            }
            TagEnd::TableRow => self.table.iter_mut().for_each(Table::end_row),
            TagEnd::TableCell => self.table.iter_mut().for_each(Table::end_cell),
            TagEnd::Emphasis => self.close(Attribute::Emphasis),
            TagEnd::Strong => self.close(Attribute::Strong),
            TagEnd::Strikethrough => self.close(Attribute::Struck),
            TagEnd::Link => self.end_link(),
            TagEnd::Image => {
                self.words().word("]");
                self.end_link();
            }
            TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
        self.choose_face();
    }

    fn start_heading(&mut self, level: HeadingLevel) {
        let marks = &"######"[..level as usize];
        self.start_marked(Face::HEADING, marks);
        self.inline.base = Face::HEADING;
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        self.flow.begin_block();
        self.flow.margin.push_quote(self.style);
        self.blocks.push(Block::Other);
        let title = match kind {
            None => return,
            Some(BlockQuoteKind::Note) => "Note",
            Some(BlockQuoteKind::Tip) => "Tip",
            Some(BlockQuoteKind::Important) => "Important",
            Some(BlockQuoteKind::Warning) => "Warning",
            Some(BlockQuoteKind::Caution) => "Caution",
        };
        self.flow.face = Face::STRONG;
        self.flow.word(title);
        self.flow.end_line();
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        self.flow.begin_block();
        self.verbatim = Verbatim::Lines { indent: CODE_INDENT, open: String::new() };
        let CodeBlockKind::Fenced(info) = kind else { return };
        let Some(language) = info.split([' ', ',', '\t']).find(|word| !word.is_empty()) else {
            return;
        };
        let label = format!("[{}]", shorten(&escape(language), NAME));
        self.flow.piece(CODE_INDENT);
        self.flow.face = Face::FAINT;
        self.flow.word(&label);
        self.flow.end_line();
    }

    fn start_item(&mut self) {
        let Some(Block::List { next: Some(number), .. }) = self.blocks.last_mut() else {
            return self.start_marked(Face::PLAIN, "•");
        };
        let mark = format!("{number}.");
        *number = number.saturating_add(1);
        self.start_marked(Face::PLAIN, &mark);
    }

    fn start_marked(&mut self, face: Face, mark: &str) {
        self.flow.begin_block();
        self.flow.margin.push_mark(self.style, face, mark);
    }

    /// Leaves a container; if nothing was in it, its mark still shows.
    fn end_container(&mut self) {
        self.flow.end_line();
        if self.flow.margin.is_due() {
            self.flow.verbatim_line("", "");
        }
        self.flow.margin.pop();
    }

    /// Ends a block; between those of a tight list there are no blank lines.
    fn end_block(&mut self) {
        self.flow.end_block();
        if matches!(self.blocks.last(), Some(Block::List { loose: false, .. })) {
            self.flow.close_gap();
        }
    }

    fn rule(&mut self) {
        self.flow.begin_block();
        self.flow.face = Face::FAINT;
        let columns = self.flow.room().min(RULE);
        self.flow.word(&"─".repeat(columns));
        self.end_block();
        self.choose_face();
    }

    fn text(&mut self, text: &str) {
        if let Verbatim::Lines { indent, open } = &mut self.verbatim {
            for line in text.split_inclusive('\n') {
                let Some(end) = line.strip_suffix('\n') else {
                    open.push_str(line);
                    continue;
                };
                if open.is_empty() {
                    self.flow.verbatim_line(indent, end);
                } else {
                    open.push_str(end);
                    self.flow.verbatim_line(indent, open);
                    open.clear();
                }
            }
            return;
        }
        if let Some(link) = self.inline.links.last_mut() {
            link.read(text);
        }
        self.words().text(text);
    }

    fn code(&mut self, code: &str) {
        if let Some(link) = self.inline.links.last_mut() {
            link.read(code);
        }
        let mark = if self.style.is_colour() { "" } else { "`" };
        let face = self.inline.face().and(Face::CODE);
        let words = self.words();
        words.face = face;
        words.word(mark);
        words.text(code);
        words.word(mark);
        self.choose_face();
    }

    fn end_link(&mut self) {
        let Some(link) = self.inline.links.pop() else { return };
        let Some(target) = link.unsaid_target() else { return };
        let words = self.words();
        words.face = Face::FAINT;
        words.spaces(" ");
        words.word("(");
        words.word(&escape(target));
        words.word(")");
    }

    /// Begins an attribute; without colours its marks stay.
    fn open(&mut self, attribute: Attribute) {
        self.inline.open(attribute);
        self.mark(attribute);
    }

    fn close(&mut self, attribute: Attribute) {
        self.inline.close(attribute);
        self.mark(attribute);
    }

    fn mark(&mut self, attribute: Attribute) {
        if !self.style.is_colour() {
            self.words().word(attribute.mark());
        }
    }

    /// Where words go: into the text, or into the cell of a table.
    fn words(&mut self) -> &mut Flow {
        match &mut self.table {
            Some(table) => table.words(),
            None => &mut self.flow,
        }
    }

    fn choose_face(&mut self) {
        let face = self.inline.face();
        self.words().face = face;
    }
}

/// Whether a tag is what people write for a line break within a cell.
fn is_line_break(html: &CowStr<'_>) -> bool {
    matches!(html.as_ref(), "<br>" | "<br/>" | "<br />")
}
