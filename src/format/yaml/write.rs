//! Writing the plain grammar.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::scalar;

/// The longest key that YAML lets stand before a colon, with room for its quotes.
const MAX_SIMPLE_KEY: usize = 120;

/// Writes a map, one key a line, in the order of the map.
pub fn write(map: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_map(&mut text, map, 0);
    text
}

fn write_map(text: &mut String, map: &Map<String, Value>, indent: usize) {
    for (key, value) in map {
        push_indent(text, indent);
        let written = string(key);
        if written.len() > MAX_SIMPLE_KEY {
            text.push_str("? ");
            text.push_str(&written);
            text.push('\n');
            push_indent(text, indent);
        } else {
            text.push_str(&written);
        }
        text.push(':');
        write_value(text, value, indent);
    }
}

fn write_value(text: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            write_map(text, map, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                push_indent(text, indent + 2);
                text.push('-');
                write_value(text, item, indent + 2);
            }
        }
        Value::Object(_) => text.push_str(" {}\n"),
        Value::Array(_) => text.push_str(" []\n"),
        Value::Null => text.push_str(" null\n"),
        Value::Bool(flag) => writeln!(text, " {flag}").expect("a String takes any text"),
        Value::Number(number) => {
            writeln!(text, " {}", scalar::number(number)).expect("a String takes any text");
        }
        Value::String(string_value) => {
            writeln!(text, " {}", string(string_value)).expect("a String takes any text");
        }
    }
}

fn push_indent(text: &mut String, indent: usize) {
    text.extend(std::iter::repeat_n(' ', indent));
}

/// A text, bare if that is safe, else in double quotes with the escapes that JSON and YAML share.
fn string(text: &str) -> String {
    if scalar::is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if needs_escape(c) => {
                write!(quoted, "\\u{:04x}", u32::from(c)).expect("a String takes any text");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that YAML readers refuse, fold or take for a line break.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
