//! Which lines of an event file are text of the conversation, and which only describe it.
//!
//! Works on files that nobody has checked: it looks at the lines that jp itself writes, and takes
//! what it does not understand for text.

use std::{ops::Range, str::FromStr};

use toml::Table;

use super::{Form, frontmatter};

/// What tells that a body is not text, as jp writes it.
const PACKED: &str = "encoding: base64";

/// Lines of frontmatter that people look for, by the type of the event: which tool a call is for,
/// and where an attachment came from.
const TELLING: [(&str, &str); 2] = [("type: tool-call", "tool:"), ("type: attachment", "source:")];

/// The lines of an event file that are text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLines {
    /// Lines from 1 that may be text: the body of markdown, all of TOML.
    body: Range<usize>,
    /// A line before that.
    telling: Option<usize>,
    /// Lines within it that only describe the event.
    hidden: Vec<Range<usize>>,
}

impl TextLines {
    /// Looks through a file.
    pub fn of(bytes: &[u8], form: Form) -> Self {
        match form {
            Form::Markdown => Self::of_markdown(bytes),
            Form::Toml => Self {
                body: 1..usize::MAX,
                telling: None,
                hidden: std::str::from_utf8(bytes).map(event_tables).unwrap_or_default(),
            },
        }
    }

    /// Whether a line, counted from 1, is text.
    pub fn contains(&self, line: usize) -> bool {
        let hidden = || self.hidden.iter().any(|lines| lines.contains(&line));
        self.telling == Some(line) || self.body.contains(&line) && !hidden()
    }

    fn of_markdown(bytes: &[u8]) -> Self {
        let hidden = Vec::new();
        let Ok(split) = frontmatter::split(bytes) else {
            return Self { body: 1..usize::MAX, telling: None, hidden };
        };
        let lines = || split.header.lines().map(str::trim_end);
        let key = TELLING.iter().find(|(is, _)| lines().any(|line| line == *is));
        // The frontmatter begins on the second line.
        let telling = key.and_then(|(_, key)| Some(lines().position(|l| l.starts_with(key))? + 2));
        let end = if lines().any(|line| line == PACKED) { split.body_line } else { usize::MAX };
        Self { body: split.body_line..end, telling, hidden }
    }
}

/// How many lines are tried that look like the beginning of the table: jp writes one, and each try
/// reads what is before it.
const TRIES: usize = 8;

/// The lines of the table `[event]` and of those in it.
fn event_tables(text: &str) -> Vec<Range<usize>> {
    let mut tables = Vec::new();
    let mut begin = None;
    let (mut at, mut number, mut tries) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        number += 1;
        if line.starts_with('[') {
            let is_event = line.starts_with("[event]") || line.starts_with("[event.");
            match begin {
                // Within a string it is text, and then what is before it cannot stand alone.
                None if is_event && tries < TRIES => {
                    tries += 1;
                    begin = Table::from_str(&text[..at]).is_ok().then_some(number);
                }
                Some(first) if !is_event => {
                    tables.push(first..number);
                    begin = None;
                }
                _ => {}
            }
        }
        at += line.len();
    }
    tables.extend(begin.map(|first| first..usize::MAX));
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(file: &str, form: Form) -> Vec<&str> {
        let lines = TextLines::of(file.as_bytes(), form);
        let numbered = file.lines().enumerate();
        numbered.filter(|(index, _)| lines.contains(index + 1)).map(|(_, line)| line).collect()
    }

    #[test]
    fn the_body_is_text_and_the_frontmatter_is_not() {
        let file = "---\ntype: request\nsource: x\n---\none\n---\ntwo\n";
        assert_eq!(text_of(file, Form::Markdown), ["one", "---", "two"]);
        assert_eq!(text_of("no frontmatter\n", Form::Markdown), ["no frontmatter"]);
    }

    #[test]
    fn calls_tell_their_tool_and_attachments_their_source() {
        let call = "---\ntype: tool-call\ntool: read\nid: c1\n---\n```json\n{}\n```\n";
        assert_eq!(text_of(call, Form::Markdown), ["tool: read", "```json", "{}", "```"]);
        let file = "---\ntype: attachment\nsource: a.png\nencoding: base64\n---\naGVsbG8=\n";
        assert_eq!(text_of(file, Form::Markdown), ["source: a.png"]);
    }

    #[test]
    fn toml_is_text_but_for_the_table_of_the_event() {
        let file = "a = 1\n\n[event]\ntype = \"x\"\n[event.metadata]\nk = 1\n[b]\nc = 2\n";
        assert_eq!(text_of(file, Form::Toml), ["a = 1", "", "[b]", "c = 2"]);
        let file = "s = \"\"\"\n[event]\nsaid\n\"\"\"\n\n[event]\ntype = \"x\"\n";
        assert_eq!(text_of(file, Form::Toml), ["s = \"\"\"", "[event]", "said", "\"\"\"", ""]);
    }
}
