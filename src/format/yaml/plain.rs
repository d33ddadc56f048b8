//! Reading the plain grammar: what jp writes, and nothing else.
//!
//! Anything unexpected is answered with `None`, and the YAML library has the word.

use serde_json::{Map, Value};

use super::scalar;
use crate::format::limits;

/// Reads a map, if the text follows the plain grammar throughout.
pub fn read(text: &str) -> Option<Map<String, Value>> {
    let body = text.strip_suffix('\n')?;
    if body.is_empty() {
        return None;
    }
    let mut lines = Lines { rest: Some(body), line: None };
    lines.advance()?;
    let map = read_map(&mut lines, 0, 0)?;
    lines.line.is_none().then_some(map)
}

struct Lines<'a> {
    rest: Option<&'a str>,
    line: Option<(usize, &'a str)>,
}

impl<'a> Lines<'a> {
    /// Moves to the next line; `None` only if that line breaks the grammar.
    fn advance(&mut self) -> Option<()> {
        let Some(rest) = self.rest else {
            self.line = None;
            return Some(());
        };
        let (line, rest) = match rest.split_once('\n') {
            Some((line, rest)) => (line, Some(rest)),
            None => (rest, None),
        };
        let content = line.trim_start_matches(' ');
        if content.is_empty() || content.contains(['\r', '\t']) {
            return None;
        }
        self.rest = rest;
        self.line = Some((line.len() - content.len(), content));
        Some(())
    }

    /// The current line, if it stands at this indent.
    fn at(&self, indent: usize) -> Option<&'a str> {
        self.line.filter(|(found, _)| *found == indent).map(|(_, content)| content)
    }
}

fn read_map(lines: &mut Lines<'_>, indent: usize, depth: usize) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    while let Some(content) = lines.at(indent) {
        let (key, after) = split_key(content)?;
        lines.advance()?;
        let value = read_value(lines, after, indent, depth)?;
        if map.insert(key, value).is_some() {
            return None;
        }
    }
    let dedented = lines.line.is_none_or(|(found, _)| found < indent);
    (dedented && !map.is_empty()).then_some(map)
}

fn read_list(lines: &mut Lines<'_>, indent: usize, depth: usize) -> Option<Vec<Value>> {
    let mut items = Vec::new();
    while let Some(after) = lines.at(indent).and_then(|content| content.strip_prefix('-')) {
        lines.advance()?;
        items.push(read_value(lines, after, indent, depth)?);
    }
    let dedented = lines.line.is_none_or(|(found, _)| found < indent);
    (dedented && !items.is_empty()).then_some(items)
}

/// Reads what follows a colon or a dash: a scalar behind a space, or a nested block.
fn read_value(lines: &mut Lines<'_>, after: &str, indent: usize, depth: usize) -> Option<Value> {
    if let Some(text) = after.strip_prefix(' ') {
        return scalar::read(text);
    }
    if !after.is_empty() || depth >= limits::NESTING {
        return None;
    }
    let nested = indent + 2;
    let content = lines.at(nested)?;
    if content == "-" || content.starts_with("- ") {
        return read_list(lines, nested, depth + 1).map(Value::Array);
    }
    read_map(lines, nested, depth + 1).map(Value::Object)
}

fn split_key(content: &str) -> Option<(String, &str)> {
    if let Some(quoted) = content.strip_prefix('"') {
        let mut escaped = false;
        let end = quoted.find(|c| {
            let is_end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            is_end
        })?;
        let key = serde_json::from_str(&content[..end + 2]).ok()?;
        return Some((key, content[end + 2..].strip_prefix(':')?));
    }
    let (key, after) = content.split_once(':')?;
    scalar::is_plain(key).then(|| (key.to_owned(), after))
}
