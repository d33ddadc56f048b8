//! Lines and blocks on their way to the reader, with the blank lines between them.

use std::io::{self, Write};

use super::{
    super::{Face, Style, escape_lines, faced::push_pieces, markdown},
    Look,
};

/// What is kept back before it is written.
const CHUNK: usize = 32 * 1024;

/// What is being printed.
pub struct Page<'a> {
    sink: &'a mut dyn Write,
    look: Look,
    out: String,
    above: Above,
}

/// What stands above the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Above {
    /// Nothing at all.
    Nothing,
    /// Something that wants a blank line after it.
    Block,
    /// A line that others may follow.
    Line,
}

impl<'a> Page<'a> {
    /// A page that is still empty.
    pub fn new(sink: &'a mut dyn Write, look: Look) -> Self {
        Self { sink, look, out: String::new(), above: Above::Nothing }
    }

    /// Adds a line that stands alone, of pieces from anywhere.
    pub fn heading(&mut self, pieces: &[(Face, &str)]) {
        self.begin_block();
        self.pieces(pieces);
        self.above = Above::Block;
    }

    /// Adds a line of pieces from anywhere; several lines form a block.
    pub fn line(&mut self, pieces: &[(Face, &str)]) {
        if self.above != Above::Line {
            self.begin_block();
        }
        self.pieces(pieces);
        self.above = Above::Line;
    }

    /// Lets the next line or block begin a block of its own.
    pub fn end_lines(&mut self) {
        if self.above == Above::Line {
            self.above = Above::Block;
        }
    }

    /// Adds a markdown text from anywhere.
    pub fn markdown(&mut self, text: &str) {
        self.begin_block();
        match self.look {
            Look::Source => self.source(text),
            Look::Screen { style, columns } => {
                markdown::render(text, style, columns, &mut self.out);
            }
        }
    }

    /// Adds a markdown text from anywhere, as a quotation.
    pub fn quotation(&mut self, text: &str) {
        self.begin_block();
        let (style, bar, columns) = match self.look {
            Look::Source => (Style::PLAIN, ">", None),
            Look::Screen { style, columns } => (style, "│", Some(columns.saturating_sub(2))),
        };
        let mut inner = String::new();
        match columns {
            None => inner.push_str(&escape_lines(text)),
            Some(columns) => markdown::render(text, style, columns, &mut inner),
        }
        for line in inner.lines() {
            style.push(&mut self.out, Face::FAINT, bar);
            if !line.is_empty() {
                self.out.push(' ');
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    /// Adds a text from anywhere as it is, which is not markdown.
    pub fn verbatim(&mut self, text: &str) {
        self.begin_block();
        self.source(text);
    }

    /// Adds a text from anywhere as it is, indented.
    pub fn indented(&mut self, text: &str) {
        self.begin_block();
        for line in escape_lines(text.trim_end_matches('\n')).lines() {
            if !line.is_empty() {
                self.out.push_str("    ");
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    /// Hands over what is there, if it is worth the effort.
    pub fn hand_over(&mut self) -> io::Result<()> {
        if self.out.len() < CHUNK {
            return Ok(());
        }
        self.finish()
    }

    /// Hands over what is there.
    pub fn finish(&mut self) -> io::Result<()> {
        self.sink.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn begin_block(&mut self) {
        if self.above != Above::Nothing {
            self.out.push('\n');
        }
        self.above = Above::Block;
    }

    fn source(&mut self, text: &str) {
        self.out.push_str(&escape_lines(text.trim_end_matches('\n')));
        self.out.push('\n');
    }

    /// One line, cut where the screen ends.
    fn pieces(&mut self, pieces: &[(Face, &str)]) {
        let (style, columns) = match self.look {
            Look::Source => (Style::PLAIN, usize::MAX),
            Look::Screen { style, columns } => (style, columns),
        };
        push_pieces(&mut self.out, pieces.iter().copied(), style, columns);
        self.out.push('\n');
    }
}
