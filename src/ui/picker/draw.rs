//! The list as it is drawn. Every text in it is harmless and fits.

use super::{
    super::{
        escape::{escape, escape_lines},
        markdown::wrap_lines,
        style::{Face, Style},
        width::{shorten, width},
    },
    item::{Glance, Item},
    layout::{Layout, Pane},
    state::{Picker, Progress},
};

/// Columns below which the status stands on the second line.
const ROOM_FOR_STATUS: usize = 64;

/// A screen, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The lines from the top on.
    pub lines: Vec<String>,
    /// The column of the cursor, which is on the first line.
    pub cursor: usize,
}

impl Frame {
    /// What a terminal is sent to show it, whatever it shows now.
    pub fn to_text(&self) -> String {
        let mut text = String::from("\u{1b}[?25l\u{1b}[H");
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 {
                text.push_str("\r\n");
            }
            text.push_str(line);
            text.push_str("\u{1b}[K");
        }
        text.push_str(&format!("\u{1b}[J\u{1b}[1;{}H\u{1b}[?25h", self.cursor + 1));
        text
    }
}

/// Draws the list.
pub fn draw(picker: &Picker, style: Style) -> Frame {
    let layout = picker.layout();
    let (head, cursor) = head(picker, layout, style);
    let mut list = list(picker, layout, style);
    let mut lines = vec![head];
    match layout.preview {
        None => lines.append(&mut list),
        Some(Pane::Below(rows)) => {
            list.resize(layout.lines, String::new());
            lines.append(&mut list);
            let mut line = String::new();
            style.push(&mut line, Face::FAINT, &"─".repeat(layout.columns));
            lines.push(line);
            lines.extend(preview(picker, rows, layout.columns));
        }
        Some(Pane::Beside(columns)) => {
            let mut preview = preview(picker, layout.lines, columns).into_iter();
            list.resize(layout.lines, String::new());
            for mut line in list {
                pad(&mut line, layout.list_columns);
                style.push(&mut line, Face::FAINT, " │ ");
                line.push_str(&preview.next().unwrap_or_default());
                lines.push(line);
            }
        }
    }
    if layout.explains {
        let bottom = 1 + layout.lines + below(layout);
        lines.resize(bottom, String::new());
        let keys = "Type to filter · Enter chooses · Esc leaves · * is of this terminal";
        let mut line = String::new();
        style.push(&mut line, Face::FAINT, &shorten(keys, layout.columns));
        lines.push(line);
    }
    Frame { lines, cursor }
}

fn below(layout: Layout) -> usize {
    match layout.preview {
        Some(Pane::Below(rows)) => rows + 1,
        _ => 0,
    }
}

/// The line for typing, with the numbers behind it, and the column of the cursor.
fn head(picker: &Picker, layout: Layout, style: Style) -> (String, usize) {
    let label = if layout.columns > 4 { "> " } else { "" };
    let (fitting, all) = picker.counts();
    let mut count = format!("{fitting} of {all}");
    match picker.progress() {
        Progress { read, is_over: true } if read < all => {
            count.push_str(&format!(" · {read} searched inside"));
        }
        Progress { is_over: true, .. } => {}
        Progress { read, .. } => count.push_str(&format!(" · reading {read}")),
    }
    let room = layout.columns.saturating_sub(label.len());
    // What is typed comes first.
    let beside = if room > width(&count) + 12 { width(&count) + 2 } else { 0 };
    let typed = picker.draft().shown(room.saturating_sub(beside).max(1));
    let mut line = format!("{label}{typed}");
    let cursor = width(&line);
    if beside > 0 {
        pad(&mut line, layout.columns - width(&count));
        style.push(&mut line, Face::FAINT, &count);
    }
    (line, cursor.min(layout.columns))
}

fn list(picker: &Picker, layout: Layout, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for place in picker.shown() {
        let Some((item, glance)) = picker.at(place) else { break };
        let is_selected = place == picker.cursor();
        lines.push(first_line(item, glance, is_selected, layout, style));
        if layout.lines_each > 1 {
            lines.push(second_line(item, glance, layout, style));
        }
    }
    if lines.is_empty() {
        lines.push(shorten("    nothing fits", layout.list_columns).into_owned());
    }
    lines
}

fn first_line(
    item: &Item,
    glance: Option<&Result<Glance, String>>,
    is_selected: bool,
    layout: Layout,
    style: Style,
) -> String {
    let columns = layout.list_columns;
    let mut end = format!("  {}", escape(&item.time));
    if columns >= ROOM_FOR_STATUS {
        end = format!("  {}{end}", escape(&item.status));
    }
    if columns < width(&end) + 16 {
        end.clear();
    }
    let room = columns.saturating_sub(4 + width(&end));
    let opening = match glance {
        Some(Ok(glance)) => glance.opening.as_deref(),
        _ => None,
    };
    let title = item.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = escape(title.or(opening).unwrap_or(&item.id)).into_owned();
    let title = shorten(&title, room);
    let mut line = String::new();
    let mark = if is_selected { "> " } else { "  " };
    style.push(&mut line, Face::STRONG, &mark[..columns.min(2)]);
    style.push(
        &mut line,
        Face::GOOD,
        &(if item.is_own { "* " } else { "  " })[..columns.clamp(2, 4) - 2],
    );
    style.push(&mut line, if is_selected { Face::STRONG } else { Face::PLAIN }, &title);
    let gap = room.saturating_sub(width(&title));
    line.push_str(&" ".repeat(gap));
    style.push(&mut line, Face::FAINT, &end);
    line
}

fn second_line(
    item: &Item,
    glance: Option<&Result<Glance, String>>,
    layout: Layout,
    style: Style,
) -> String {
    let mut text = format!("    {}", escape(&item.id));
    if layout.list_columns < ROOM_FOR_STATUS {
        text.push_str(&format!("  {}", escape(&item.status)));
    }
    match glance {
        None => text.push_str("  …"),
        Some(Ok(glance)) => text.push_str(&format!("  {}", escape(&glance.last))),
        Some(Err(why)) => text.push_str(&format!("  cannot be read: {}", escape(why))),
    }
    let mut line = String::new();
    style.push(&mut line, Face::FAINT, &shorten(text.trim_end(), layout.list_columns));
    line
}

/// The end of what was said, in so many lines at most.
fn preview(picker: &Picker, rows: usize, columns: usize) -> Vec<String> {
    let text = match picker.preview() {
        None if picker.selected().is_none() => String::new(),
        None => "…".to_owned(),
        Some(Ok(text)) => escape_lines(text.trim_end()).into_owned(),
        Some(Err(why)) => format!("It cannot be read: {}", escape(why)),
    };
    let lines = wrap_lines(&text, columns.max(1));
    let skipped = lines.len().saturating_sub(rows);
    lines[skipped..]
        .iter()
        .skip_while(|line| line.is_empty())
        .map(|line| shorten(line, columns).into_owned())
        .collect()
}

/// Fills a line up to a column; the sequences in it take none.
fn pad(line: &mut String, columns: usize) {
    let taken = visible_width(line);
    line.push_str(&" ".repeat(columns.saturating_sub(taken)));
}

/// Columns of a text with sequences of our own in it.
fn visible_width(line: &str) -> usize {
    let mut taken = 0;
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        taken += width(&rest[..at]);
        let end = rest[at..].find('m').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    taken + width(rest)
}
