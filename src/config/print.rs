//! Settings as text, for people and for programs.

use std::fmt::Write;

use toml::Value;

use super::{Effective, Key, Origin, Resolved, key::written};

impl Resolved {
    /// The settings at a key and below it as TOML, with their origins as comments if asked.
    pub fn to_toml(&self, at: &Key, with_origins: bool) -> String {
        let mut text = String::new();
        let mut table: Option<&[String]> = None;
        for Effective { key, value, origin } in self.below(at) {
            let Some((last, names)) = key.names().split_last() else { continue };
            if table != Some(names) {
                let gap = if text.is_empty() { "" } else { "\n" };
                let header = Key::new(names.iter().map(String::as_str));
                writeln!(text, "{gap}[{header}]").expect("a String takes any text");
                table = Some(names);
            }
            let comment = if with_origins { comment(origin) } else { String::new() };
            writeln!(text, "{} = {value}{comment}", written(last))
                .expect("a String takes any text");
        }
        text
    }

    /// The settings at a key and below it as JSON: one value, or a table of them.
    pub fn to_json(&self, at: &Key) -> serde_json::Value {
        if let Some(effective) = self.get(at) {
            return to_json(&effective.value);
        }
        let mut top = serde_json::json!({});
        for effective in self.below(at) {
            let names = &effective.key.names()[at.names().len()..];
            let place = names.iter().fold(&mut top, |value, name| &mut value[name.as_str()]);
            *place = to_json(&effective.value);
        }
        top
    }

    /// The settings at a key and below it.
    pub fn below<'a>(&'a self, at: &'a Key) -> impl Iterator<Item = &'a Effective> {
        self.effective().iter().filter(|effective| at.is_around(&effective.key))
    }
}

/// A value of TOML as JSON: a date is a text, and so is a number that JSON does not have.
pub fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) if number.is_finite() => (*number).into(),
        Value::Float(number) => number.to_string().into(),
        Value::Boolean(flag) => (*flag).into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(items) => items.iter().map(to_json).collect(),
        Value::Table(table) => {
            table.iter().map(|(name, value)| (name.clone(), to_json(value))).collect()
        }
    }
}

fn comment(origin: &Origin) -> String {
    match origin.source() {
        None => " # default".to_owned(),
        // The name of a file may hold a line break, which would end the comment.
        Some(source) => format!(" # from {}", source.replace(char::is_control, "\u{fffd}")),
    }
}
