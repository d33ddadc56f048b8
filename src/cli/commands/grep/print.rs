//! What grep found, for people: in groups on a screen, line by line as from git elsewhere.

use std::{io, ops::Range};

use crate::{
    cli::output::Output,
    env::Env,
    history::short,
    search::{Pattern, Searched},
    ui::{Face, Size, Style, around, escape, escape_lines, minute, width},
};

/// The conversations with a match, each once, and how many lines match in all its versions.
pub fn per_conversation(found: &[Searched]) -> Vec<(&Searched, usize)> {
    let mut conversations: Vec<(&Searched, usize)> = Vec::new();
    for version in found {
        let lines = version.hits.iter().map(|hit| hit.lines.len()).sum::<usize>();
        match conversations.last_mut() {
            Some((last, count)) if last.id == version.id => *count += lines,
            _ => conversations.push((version, lines)),
        }
    }
    conversations
}

pub fn ids(output: &mut Output, found: &[Searched]) -> io::Result<()> {
    for (version, _) in per_conversation(found) {
        let title = title(output, version);
        output.line(format_args!("{}{title}", version.id))?;
    }
    Ok(())
}

pub fn counts(output: &mut Output, found: &[Searched]) -> io::Result<()> {
    for (version, count) in per_conversation(found) {
        let title = title(output, version);
        output.line(format_args!("{}:{count}{title}", version.id))?;
    }
    Ok(())
}

pub fn lines(
    env: &Env,
    output: &mut Output,
    found: &[Searched],
    pattern: &Pattern,
) -> io::Result<()> {
    let style = output.style();
    let columns = output.is_terminal().then(|| Size::of_stdout(env).columns);
    let mut is_first = true;
    for version in found {
        let name = match version.is_past {
            true => format!("{}@{}", version.id, short(version.commit)),
            false => version.id.to_string(),
        };
        if output.is_for_a_screen() {
            if !is_first {
                output.line("")?;
            }
            let mut heading = String::new();
            style.push(&mut heading, Face::STRONG, &name);
            heading.push_str(&title(output, version));
            if version.is_past {
                let when = minute(version.committed, &env.time_zone());
                style.push(&mut heading, Face::FAINT, &format!(" (as it was at {when})"));
            }
            output.line(heading)?;
        }
        is_first = false;
        for hit in &version.hits {
            for line in hit.lines.iter() {
                let place = format!("{}:{}:", hit.file, line.number);
                let text = Line::new(&line.text, pattern, |text| escape_lines(text).into_owned());
                if !output.is_for_a_screen() {
                    output.line(format_args!("{name}:{place}{}", text.text))?;
                    continue;
                }
                let mut shown = String::new();
                style.push(&mut shown, Face::FAINT, &place);
                shown.push(' ');
                let room = columns.map(|columns| columns.saturating_sub(width(&place) + 1));
                text.push(&mut shown, style, room.unwrap_or(usize::MAX));
                output.line(shown)?;
            }
        }
    }
    Ok(())
}

/// The title beside an id, on a screen.
fn title(output: &Output, version: &Searched) -> String {
    match &version.title {
        Some(title) if output.is_for_a_screen() => format!("  {}", escape(title)),
        _ => String::new(),
    }
}

/// A line made harmless, and the matches in it.
pub struct Line {
    /// The line.
    pub text: String,
    /// Where the matches are, in bytes.
    pub matches: Vec<Range<usize>>,
}

impl Line {
    /// Makes a line harmless, piece by piece.
    pub fn new(bytes: &[u8], pattern: &Pattern, harmless: impl Fn(&str) -> String) -> Self {
        let mut line = Self { text: String::new(), matches: Vec::new() };
        let mut push = |range: Range<usize>| {
            let start = line.text.len();
            line.text.push_str(&harmless(&String::from_utf8_lossy(&bytes[range])));
            start..line.text.len()
        };
        let (mut at, mut matches) = (0, Vec::new());
        for found in pattern.matches(bytes) {
            push(at..found.start);
            at = found.end;
            matches.push(push(found));
        }
        push(at..bytes.len());
        line.matches = matches;
        line
    }

    /// Writes as much of it as there is room for, around the first match.
    fn push(&self, out: &mut String, style: Style, room: usize) {
        let focus = self.matches.first().map_or(0, |first| first.start);
        let shown = around(&self.text, focus, room);
        let part = |range: Range<usize>| {
            let start = range.start.clamp(shown.start, shown.end);
            &self.text[start..range.end.clamp(start, shown.end)]
        };
        if shown.start > 0 {
            out.push('…');
        }
        let mut at = 0;
        for found in self.matches.iter().filter(|found| found.end > shown.start) {
            if found.start >= shown.end {
                break;
            }
            out.push_str(part(at..found.start));
            style.push(out, Face::MATCH, part(found.clone()));
            at = found.end;
        }
        out.push_str(part(at..self.text.len()));
        if shown.end < self.text.len() {
            out.push('…');
        }
    }
}
