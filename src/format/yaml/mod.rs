//! Frontmatter: a YAML map to text and back.
//!
//! What jp writes uses a small part of YAML, the plain grammar, so that equal maps are equal bytes
//! and reading them costs next to nothing. What people write may be any YAML, within limits: the
//! library that reads it takes quadratic time on nested brackets.

mod plain;
mod scalar;
mod write;

use serde_json::{Map, Value};

use super::{Flaw, limits};

pub use write::write;

/// Reads a map. Lines count from the first line of the text.
pub fn read(text: &str) -> Result<Map<String, Value>, Flaw> {
    if text.len() <= limits::FRONTMATTER
        && let Some(map) = plain::read(text)
    {
        return Ok(map);
    }
    read_any(text)
}

/// Reads a map written in any YAML.
fn read_any(text: &str) -> Result<Map<String, Value>, Flaw> {
    if text.len() > limits::FRONTMATTER_BY_HAND {
        let limit = limits::FRONTMATTER_BY_HAND >> 10;
        return Err(Flaw::at_line(1, format!("the frontmatter is larger than {limit} kB")));
    }
    if nesting(text) > limits::NESTING {
        return Err(Flaw::at_line(1, "the frontmatter is nested too deeply"));
    }
    let value: serde_yaml::Value = serde_yaml::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        if let Some(line) = line_of_duplicate(text, message) {
            return Flaw::at_line(line, format!("invalid YAML: {message}"));
        }
        let place = error.location();
        Flaw {
            line: Some(place.as_ref().map_or(1, |place| place.line())),
            column: Some(place.as_ref().map_or(1, |place| place.column())),
            message: format!("invalid YAML: {message}"),
        }
    })?;
    match convert(value) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Flaw::at_line(1, "the frontmatter must be a map of keys and values")),
        Err(message) => Err(Flaw::at_line(1, message)),
    }
}

/// Where a key stands for the second time, if that is what the library complains about: it tells
/// the place of the map.
fn line_of_duplicate(text: &str, message: &str) -> Option<usize> {
    let key = message.strip_prefix("duplicate entry with key \"")?.strip_suffix('"')?;
    let first = line_of(text, key)?;
    let rest = text.lines().skip(first).collect::<Vec<_>>().join("\n");
    Some(first + line_of(&rest, key)?)
}

/// The line of a top-level key, from 1.
pub fn line_of(text: &str, key: &str) -> Option<usize> {
    let starts = |line: &str| {
        let bare = line.strip_prefix(key);
        let quoted = line.strip_prefix('"').and_then(|line| line.strip_prefix(key));
        bare.is_some_and(|rest| rest.trim_start().starts_with(':'))
            || quoted.is_some_and(|rest| rest.starts_with("\":"))
    };
    text.lines().position(starts).map(|index| index + 1)
}

/// The deepest nesting that the brackets and list marks of a text could mean.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let marks = |line: &str| {
        let lead = line.bytes().take_while(|byte| b" -?:".contains(byte));
        lead.filter(|byte| *byte != b' ').count()
    };
    deepest.max(text.lines().map(marks).max().unwrap_or(0))
}

fn convert(value: serde_yaml::Value) -> Result<Value, String> {
    Ok(match value {
        serde_yaml::Value::Null => Value::Null,
        serde_yaml::Value::Bool(flag) => Value::Bool(flag),
        serde_yaml::Value::String(text) => Value::String(text),
        serde_yaml::Value::Number(number) => {
            let exact = number.as_i64().map(Value::from).or(number.as_u64().map(Value::from));
            let float = || number.as_f64().and_then(serde_json::Number::from_f64);
            match exact.or_else(|| float().map(Value::Number)) {
                Some(value) => value,
                None => Value::String(number.to_string()),
            }
        }
        serde_yaml::Value::Sequence(items) => {
            Value::Array(items.into_iter().map(convert).collect::<Result<_, _>>()?)
        }
        serde_yaml::Value::Mapping(map) => {
            let mut object = Map::new();
            for (key, value) in map {
                let key = match convert(key)? {
                    Value::String(text) => text,
                    key @ (Value::Number(_) | Value::Bool(_) | Value::Null) => key.to_string(),
                    _ => return Err("a key in the frontmatter is not a text".to_owned()),
                };
                object.insert(key, convert(value)?);
            }
            Value::Object(object)
        }
        serde_yaml::Value::Tagged(tagged) => {
            return Err(format!("the frontmatter uses the YAML tag `{}`", tagged.tag));
        }
    })
}

#[cfg(test)]
mod tests;
