//! Where everything stands on a screen of some size.

use super::super::terminal::Size;

/// Rows from which on there is room for a preview below the list.
const ROWS_FOR_PREVIEW: usize = 24;

/// Columns from which on there is room for a preview beside the list.
const COLUMNS_FOR_PREVIEW: usize = 120;

/// Rows from which on a conversation has two lines, and keys are explained.
const ROWS_FOR_MORE: usize = 12;

/// Where everything stands. The line for typing is always the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Columns that are written to. The last one is not: a terminal that is about to break the line
    /// may do so or not.
    pub columns: usize,
    /// Lines of the list.
    pub lines: usize,
    /// Lines of each conversation in it.
    pub lines_each: usize,
    /// Columns of the list.
    pub list_columns: usize,
    /// Where the preview is, if there is room.
    pub preview: Option<Pane>,
    /// Whether the last line explains the keys.
    pub explains: bool,
}

/// Where a preview is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// Behind the list, with so many columns.
    Beside(usize),
    /// Under the list and a line, with so many rows.
    Below(usize),
}

impl Layout {
    /// The layout of a screen.
    pub fn of(size: Size) -> Self {
        let columns = size.columns.saturating_sub(1).max(1);
        let explains = size.rows >= ROWS_FOR_MORE;
        let lines = size.rows.saturating_sub(1 + usize::from(explains)).max(1);
        let lines_each = if size.rows >= ROWS_FOR_MORE { 2 } else { 1 };
        let list =
            Self { columns, lines, lines_each, list_columns: columns, preview: None, explains };
        if size.columns >= COLUMNS_FOR_PREVIEW && size.rows >= ROWS_FOR_MORE {
            let list_columns = columns * 11 / 20;
            // A line and two spaces stand between them.
            let preview = Some(Pane::Beside(columns - list_columns - 3));
            return Self { list_columns, preview, ..list };
        }
        if size.rows >= ROWS_FOR_PREVIEW {
            let rows = lines * 2 / 5;
            return Self { lines: lines - rows - 1, preview: Some(Pane::Below(rows)), ..list };
        }
        list
    }

    /// How many conversations are on the screen.
    pub fn shown(&self) -> usize {
        (self.lines / self.lines_each).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_fits_on_every_screen() {
        for rows in 0..60 {
            for columns in 0..200 {
                let layout = Layout::of(Size { rows, columns });
                let below = match layout.preview {
                    Some(Pane::Below(rows)) => rows + 1,
                    _ => 0,
                };
                let beside = match layout.preview {
                    Some(Pane::Beside(columns)) => columns + 3,
                    _ => 0,
                };
                let used = 1 + layout.lines + below + usize::from(layout.explains);
                assert!(used <= rows.max(2), "{rows}x{columns}: {layout:?}");
                assert!(layout.list_columns + beside < columns.max(2), "{rows}x{columns}");
                assert!(layout.shown() * layout.lines_each <= layout.lines);
            }
        }
    }
}
