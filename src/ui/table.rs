//! Columns of text, aligned.

use std::fmt;

use super::{escape, width};

/// Rows of cells, printed in aligned columns under a heading.
#[derive(Clone, Debug)]
pub struct Table<const N: usize> {
    heading: [&'static str; N],
    rows: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// An empty table.
    pub fn new(heading: [&'static str; N]) -> Self {
        Self { heading, rows: Vec::new() }
    }

    /// Adds a row. Cells may hold text from anywhere.
    pub fn push(&mut self, cells: [String; N]) {
        self.rows.push(cells.map(|cell| escape(&cell).into_owned()));
    }
}

impl<const N: usize> fmt::Display for Table<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths = self.heading.map(width);
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                widths[column] = widths[column].max(width(cell));
            }
        }
        let mut line = |cells: &[&str]| {
            let mut text = String::new();
            for (column, cell) in cells.iter().enumerate() {
                text.push_str(cell);
                // One long cell at the end must not make every line long.
                if column + 1 < N {
                    let padding = widths[column] - width(cell) + 2;
                    text.extend(std::iter::repeat_n(' ', padding));
                }
            }
            writeln!(f, "{}", text.trim_end())
        };
        line(&self.heading)?;
        for row in &self.rows {
            line(&row.each_ref().map(String::as_str))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_harmless() {
        let mut table = Table::new(["ID", "TITLE"]);
        table.push(["1".to_owned(), "漢字".to_owned()]);
        table.push(["1234".to_owned(), "\u{1b}[2J".to_owned()]);
        assert_eq!(table.to_string(), "ID    TITLE\n1     漢字\n1234  \\u{1b}[2J\n");
    }
}
