//! What changed, for people to read.

use std::io;

use super::Texts;
use crate::{
    cli::output::Output,
    history::{
        Detail, EventChange, Hunk, Kind, LineCount, Mark, Segment, TextDiff, Version, short,
    },
    ui::{Face, Style, Table, escape},
    workspace::LoadError,
};

/// A version, in words.
pub fn name(version: &Version) -> String {
    format!("{}@{}", version.id, short(version.commit))
}

/// Prints everything that changed.
pub fn changes(output: &mut Output, texts: &mut Texts<'_>) -> io::Result<()> {
    let diff = texts.diff;
    output.line(format_args!("from {}", name(&diff.from)))?;
    output.line(format_args!("to   {}", name(&diff.to)))?;
    if !diff.fields.is_empty() {
        output.line("")?;
    }
    for field in &diff.fields {
        let mut line = Line::new(output.style());
        line.add(Mark::Same, &format!("{}: ", field.key));
        line.add_if(Mark::Removed, field.from.as_deref());
        line.add_if(Mark::Added, field.to.as_deref());
        output.line(line.text)?;
    }
    for change in &diff.files {
        output.line(format_args!("\n{} {}", change.kind().as_str(), change.path))?;
        let text = texts.text(&change.contents);
        print_text(output, &change.path.to_string(), text)?;
    }
    for change in &diff.events {
        output.line(format_args!("\n{}", headline(change)))?;
        if change.kind() != Kind::Moved {
            let text = texts.text(&change.contents());
            print_text(output, &file(change), text)?;
        }
    }
    Ok(())
}

/// Prints what changed and how much of it.
pub fn stat(output: &mut Output, texts: &mut Texts<'_>) -> io::Result<()> {
    let diff = texts.diff;
    let mut table = Table::new(["CHANGE", "FILE", "LINES"]);
    let mut total = (0, 0);
    let mut lines =
        |output: &mut Output, file: &str, count: Result<LineCount, LoadError>| match count {
            Ok(count) if count.binary => "binary".to_owned(),
            Ok(LineCount { added, removed, .. }) => {
                total = (total.0 + added, total.1 + removed);
                format!("+{added} -{removed}")
            }
            Err(error) => {
                output.warn(format_args!("{file}: {error}"));
                "?".to_owned()
            }
        };
    for field in &diff.fields {
        let kind = match (&field.from, &field.to) {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            _ => Kind::Edited,
        };
        table.push([kind.as_str().to_owned(), field.key.clone(), String::new()]);
    }
    for change in &diff.files {
        let path = change.path.to_string();
        let lines = lines(output, &path, texts.count(&change.contents));
        table.push([change.kind().as_str().to_owned(), path, lines]);
    }
    for change in &diff.events {
        let lines = match change.kind() {
            Kind::Moved => String::new(),
            _ => lines(output, &file(change), texts.count(&change.contents())),
        };
        table.push([word(change), file(change), lines]);
    }
    output.text(table)?;
    let count = |kind: Kind| diff.events.iter().filter(|change| change.kind() == kind).count();
    let kinds = [Kind::Added, Kind::Removed, Kind::Edited, Kind::Moved];
    let counts: Vec<_> =
        kinds.iter().map(|kind| format!("{} {}", count(*kind), kind.as_str())).collect();
    let (added, removed) = total;
    output.line(format_args!("events: {}; lines: +{added} -{removed}", counts.join(", ")))
}

fn file(change: &EventChange) -> String {
    change.file().map(ToString::to_string).unwrap_or_default()
}

/// What happened to an event, in a word or two.
fn word(change: &EventChange) -> String {
    match (change.kind(), change.moved) {
        (Kind::Edited, true) => "moved, edited".to_owned(),
        (kind, _) => kind.as_str().to_owned(),
    }
}

fn headline(change: &EventChange) -> String {
    let mut text = format!("{} {}", word(change), file(change));
    if let (Some(from), Some(to)) = (&change.from, &change.to) {
        if from.file != to.file {
            text.push_str(&format!(", was {}", from.file));
        }
        if change.moved {
            match &to.follows {
                Some(before) => text.push_str(&format!(", now after {before}")),
                None => text.push_str(", now first"),
            }
        }
    }
    for (place, verb) in [(&change.from, "was"), (&change.to, "is")] {
        if place.as_ref().is_some_and(|place| place.blob.is_none()) {
            text.push_str(&format!(", its file {verb} missing"));
        }
    }
    text
}

fn print_text(
    output: &mut Output,
    file: &str,
    text: Result<TextDiff, LoadError>,
) -> io::Result<()> {
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            output.warn(format_args!("{file}: {error}"));
            return Ok(());
        }
    };
    if text.count.binary {
        output.line("(binary)")?;
    }
    match text.detail {
        Detail::Words => {}
        Detail::Lines => output.line("(too much to compare word by word)")?,
        Detail::Whole => output.line("(too much to compare line by line)")?,
    }
    for hunk in &text.hunks {
        print_hunk(output, hunk)?;
    }
    Ok(())
}

fn print_hunk(output: &mut Output, hunk: &Hunk) -> io::Result<()> {
    // Lines count from 1, and a place between lines is named by the line before it.
    let place = |range: &std::ops::Range<usize>| {
        format!("{},{}", range.start + usize::from(!range.is_empty()), range.len())
    };
    output.line(format_args!("@@ -{} +{} @@", place(&hunk.before), place(&hunk.after)))?;
    let mut line = Line::new(output.style());
    for Segment { mark, text } in &hunk.segments {
        for piece in text.split_inclusive('\n') {
            if line.take(*mark, piece) {
                output.line(&line.text)?;
                line = Line::new(output.style());
            }
        }
    }
    if !line.text.is_empty() {
        output.line(&line.text)?;
    }
    Ok(())
}

/// A line of marked text that is being put together.
struct Line {
    style: Style,
    text: String,
    marks: Vec<Mark>,
}

impl Line {
    fn new(style: Style) -> Self {
        Self { style, text: String::new(), marks: Vec::new() }
    }

    /// Adds a piece that holds at most one line break, at its end; tells whether the line ends.
    fn take(&mut self, mark: Mark, piece: &str) -> bool {
        let Some(body) = piece.strip_suffix('\n') else {
            self.add(mark, piece);
            return false;
        };
        // The break of a line that is new or gone as a whole goes without saying.
        let whole = self.marks.iter().all(|one| *one == mark);
        match mark {
            Mark::Same => self.add(mark, body),
            Mark::Removed | Mark::Added if whole => self.add(mark, body),
            Mark::Removed | Mark::Added => self.add(mark, piece),
        }
        whole || mark != Mark::Removed
    }

    fn add(&mut self, mark: Mark, text: &str) {
        push_marked(&mut self.text, self.style, mark, &escape(text));
        self.marks.push(mark);
    }

    fn add_if(&mut self, mark: Mark, text: Option<&str>) {
        if let Some(text) = text {
            self.add(mark, text);
        }
    }
}

/// Adds a piece of text that shows its mark, with signs and, where there is any, with colour.
fn push_marked(out: &mut String, style: Style, mark: Mark, text: &str) {
    match mark {
        Mark::Same => out.push_str(text),
        Mark::Removed => style.push(out, Face::BAD, &format!("[-{text}-]")),
        Mark::Added => style.push(out, Face::GOOD, &format!("{{+{text}+}}")),
    }
}
