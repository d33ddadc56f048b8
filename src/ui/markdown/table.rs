//! Tables, in columns that fit on the screen.

use std::ops::Range;

use pulldown_cmark::Alignment;

use super::{
    super::style::{Face, RESET, Style},
    flow::Flow,
    wrap::{Line, wrap},
};

/// A column is not made narrower than this; a table that would need it is not aligned.
const NARROWEST: usize = 6;

/// What stands between two columns.
const BAR: &str = "│";

/// A table that is being read: it can be laid out only when all of it is known.
#[derive(Debug)]
pub struct Table {
    style: Style,
    alignments: Vec<Alignment>,
    words: Flow,
    cells: Vec<Cell>,
    /// For each row, where its cells end.
    rows: Vec<usize>,
}

#[derive(Debug)]
struct Cell {
    text: Range<usize>,
    columns: usize,
}

impl Table {
    /// A table with these columns.
    pub fn new(style: Style, alignments: Vec<Alignment>) -> Self {
        let words = Flow::new(style, usize::MAX, String::new());
        Self { style, alignments, words, cells: Vec::new(), rows: Vec::new() }
    }

    /// Where the words of the current cell go.
    pub fn words(&mut self) -> &mut Flow {
        &mut self.words
    }

    /// Ends a cell.
    pub fn end_cell(&mut self) {
        let columns = self.words.end_cell();
        let start = self.cells.last().map_or(0, |cell| cell.text.end);
        self.cells.push(Cell { text: start..self.words.out.len(), columns });
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        self.rows.push(self.cells.len());
    }

    /// Adds the table to a text.
    pub fn lay_out(mut self, flow: &mut Flow) {
        let text = std::mem::take(&mut self.words.out);
        let widths = self.widths(flow.room());
        let mut lines = Vec::new();
        let mut start = 0;
        for (index, end) in self.rows.iter().enumerate() {
            let cells = &self.cells[start..*end];
            start = *end;
            match &widths {
                Some(widths) => self.aligned_row(flow, &text, cells, widths, &mut lines),
                None => self.loose_row(flow, &text, cells),
            }
            if let (0, Some(widths)) = (index, &widths) {
                self.underline(flow, widths);
            }
        }
    }

    /// The columns that each column of the table gets; `None` if there are too many of them.
    fn widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let room = room.checked_sub(count.saturating_sub(1).checked_mul(3)?)?;
        if room < count.checked_mul(NARROWEST)? {
            return None;
        }
        let mut widths = vec![1; count];
        let mut start = 0;
        for end in &self.rows {
            for (width, cell) in widths.iter_mut().zip(&self.cells[start..*end]) {
                *width = cell.columns.max(*width);
            }
            start = *end;
        }
        let most = largest_share(&widths, room);
        widths.iter_mut().for_each(|width| *width = most.min(*width));
        Some(widths)
    }

    fn aligned_row(
        &self,
        flow: &mut Flow,
        text: &str,
        cells: &[Cell],
        widths: &[usize],
        lines: &mut Vec<Line>,
    ) {
        lines.clear();
        let mut ends = Vec::with_capacity(cells.len());
        for (cell, width) in cells.iter().zip(widths) {
            let first = lines.len();
            wrap(&text[cell.text.clone()], *width, lines);
            ends.push(first..lines.len());
        }
        let height = ends.iter().map(Range::len).max().unwrap_or(0);
        for row in 0..height {
            let mut padding = 0;
            flow.begin();
            for (index, (cell, range)) in cells.iter().zip(&ends).enumerate() {
                if index > 0 {
                    pad(flow, padding + 1);
                    self.bar(flow);
                    padding = 1;
                }
                let Some(line) = lines[range.clone()].get(row) else {
                    padding += widths[index];
                    continue;
                };
                let free = widths[index].saturating_sub(line.columns);
                let before = match self.alignments[index] {
                    Alignment::None | Alignment::Left => 0,
                    Alignment::Center => free / 2,
                    Alignment::Right => free,
                };
                pad(flow, padding + before);
                padding = free - before;
                let text = &text[cell.text.clone()];
                let (face, text) = (&text[line.face.clone()], &text[line.text.clone()]);
                flow.piece(face);
                flow.piece(text);
                // The line may have been broken in the middle of a face.
                let last = text.rfind('\u{1b}').map_or(face, |at| &text[at..]);
                if !last.is_empty() && !last.starts_with(RESET) {
                    flow.piece(RESET);
                }
            }
            flow.end_line();
        }
    }

    fn bar(&self, flow: &mut Flow) {
        let mut bar = String::new();
        self.style.push(&mut bar, Face::FAINT, BAR);
        flow.piece(&bar);
    }

    fn underline(&self, flow: &mut Flow, widths: &[usize]) {
        let rules: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
        let mut line = String::new();
        self.style.push(&mut line, Face::FAINT, &rules.join("─┼─"));
        flow.piece(&line);
        flow.end_line();
    }

    /// A row of a table that has too many columns for the screen.
    fn loose_row(&self, flow: &mut Flow, text: &str, cells: &[Cell]) {
        flow.begin();
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                flow.piece(" ");
                self.bar(flow);
                flow.piece(" ");
            }
            for (index, part) in text[cell.text.clone()].split('\n').enumerate() {
                flow.piece(if index > 0 { " " } else { "" });
                flow.piece(part);
            }
        }
        flow.end_line();
    }
}

fn pad(flow: &mut Flow, columns: usize) {
    flow.out.extend(std::iter::repeat_n(' ', columns));
}

/// The largest number so that columns cut to it fit into the room together.
fn largest_share(widths: &[usize], room: usize) -> usize {
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (index, width) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *width > share {
            return share;
        }
        left -= width;
    }
    usize::MAX
}
