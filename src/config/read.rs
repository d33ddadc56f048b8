//! One layer: what it sets, and everything that is wrong with it.

use serde::Deserialize;
use toml::{Table, Value};

use super::{
    Fault, Key, Origin, Problem, Settings,
    layers::{Content, Layer, Source},
    schema::SHAPE,
    secret,
    shape::{Accepted, Shape},
    tree::{Entry, Tree, line_and_column},
    trust::{Risk, risk},
};
use crate::model::nearest;

/// What a layer sets.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub values: Vec<(Key, Value, Origin)>,
    pub errors: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

/// Reads a layer.
pub(super) fn read(layer: &Layer) -> Reading {
    let text = match &layer.content {
        Content::Text(text) => text.as_str(),
        _ => "",
    };
    let mut reader = Reader { source: &layer.source, text, loose: None, found: Reading::default() };
    match &layer.content {
        Content::Text(text) => match Tree::parse(text) {
            Ok(entries) => reader.table(&SHAPE, &Key::default(), entries),
            Err((at, fault)) => reader.complain(at, fault),
        },
        Content::Table(table) => {
            reader.table(&SHAPE, &Key::default(), Tree::of_table(table.clone()));
        }
        Content::Loose(key, raw) => {
            reader.loose = Some(raw);
            let value = raw.trim().parse().unwrap_or_else(|_error| Value::String(raw.clone()));
            reader.table(&SHAPE, &Key::default(), Tree::of_table(nested(key, value)));
        }
        Content::Exact(key, value) => {
            let table = nested(key, value.clone());
            reader.table(&SHAPE, &Key::default(), Tree::of_table(table));
        }
    }
    reader.found
}

/// A table that sets this key alone.
pub(super) fn nested(key: &Key, value: Value) -> Table {
    let mut table = Table::new();
    insert(&mut table, key, value);
    table
}

/// Sets a key in a table whose values are all values of settings.
pub(super) fn insert(table: &mut Table, key: &Key, value: Value) {
    let Some((last, names)) = key.names().split_last() else { return };
    let mut table = table;
    for name in names {
        let inner = table.entry(name.as_str()).or_insert_with(|| Value::Table(Table::new()));
        let Value::Table(inner) = inner else { return };
        table = inner;
    }
    table.insert(last.clone(), value);
}

struct Reader<'a> {
    source: &'a Source,
    text: &'a str,
    /// What was given as the value, if it need not be TOML.
    loose: Option<&'a str>,
    found: Reading,
}

impl Reader<'_> {
    fn table(&mut self, shape: &Shape, key: &Key, entries: Vec<Entry>) {
        for Entry { name, at, tree } in entries {
            let key = key.child(&name);
            if secret::is_name(&name) && shape.child(&name).is_none() {
                self.complain(at, Fault::Secret(key));
                continue;
            }
            let Some(shape) = shape.child(&name) else {
                let fault = unknown(shape, key, &name);
                self.complain(at, fault);
                continue;
            };
            if let Some(risk) = risk(&key)
                && !self.source.may_set(&key, risk)
            {
                self.ignore(shape, &key, risk, at, tree);
                continue;
            }
            match (shape, tree) {
                (Shape::Value(accepted), tree) => {
                    self.value(accepted, key, at, tree.into_value());
                }
                (shape, Tree::Table(entries)) => self.table(shape, &key, entries),
                (_, Tree::Leaf(value)) => {
                    let accepted = Accepted { words: "a table".to_owned(), choices: Vec::new() };
                    self.wrong(&accepted, key, at, &value);
                }
            }
        }
    }

    fn value(&mut self, accepted: &Accepted, key: Key, at: usize, value: Value) {
        if secret::is_in(&value) {
            return self.complain(at, Fault::Secret(key));
        }
        let as_text = self.loose.map(|raw| Value::String(raw.to_owned()));
        let fitting = [Some(&value), as_text.as_ref()].into_iter().flatten();
        match fitting.into_iter().find(|value| fits(&key, value)).cloned() {
            Some(value) => {
                let origin = self.origin(at);
                self.found.values.push((key, value, origin));
            }
            None => self.wrong(accepted, key, at, &value),
        }
    }

    fn wrong(&mut self, accepted: &Accepted, key: Key, at: usize, value: &Value) {
        if secret::is_in(value) {
            return self.complain(at, Fault::Secret(key));
        }
        let choices = accepted.choices.iter().map(String::as_str);
        let nearest = value.as_str().and_then(|text| nearest(text, choices)).map(str::to_owned);
        let (accepted, found) = (accepted.words.clone(), described(value));
        self.complain(at, Fault::WrongValue { key, accepted, found, nearest });
    }

    /// Passes over what this layer may not set, and says so for each thing that it names.
    fn ignore(&mut self, shape: &Shape, key: &Key, risk: Risk, at: usize, tree: Tree) {
        if secret::is_in(&tree.clone().into_value()) {
            return self.complain(at, Fault::Secret(key.clone()));
        }
        let named = match tree {
            Tree::Table(entries) if !matches!(shape, Shape::Value(_)) => {
                entries.into_iter().map(|entry| (key.child(&entry.name), entry.at)).collect()
            }
            _ => vec![(key.clone(), at)],
        };
        for (key, at) in named {
            let origin = self.origin(at);
            let fault = match (self.source, risk) {
                (Source::File { .. }, Risk::UserOnly) => Fault::ForeignFile(key),
                (Source::File { .. }, _) => Fault::UntrustedFile(key),
                (Source::Conversation(_), _) => Fault::UntrustedConversation(key),
                (Source::Variable(_) | Source::Argument(_), _) => {
                    self.complain(at, Fault::OwnFileOnly(key));
                    continue;
                }
            };
            self.found.warnings.push(Problem { origin, fault });
        }
    }

    /// A conversation comes from elsewhere and must stay usable: there nothing is an error.
    fn complain(&mut self, at: usize, fault: Fault) {
        let problem = Problem { origin: self.origin(at), fault };
        match self.source {
            Source::Conversation(_) => self.found.warnings.push(problem),
            _ => self.found.errors.push(problem),
        }
    }

    fn origin(&self, at: usize) -> Origin {
        match self.source {
            Source::File { scope, path, .. } => {
                let (line, column) = line_and_column(self.text, at);
                Origin::File { scope: *scope, path: path.clone(), line, column }
            }
            Source::Variable(name) => Origin::Variable(name.clone()),
            Source::Conversation(part) => Origin::Conversation(part.clone()),
            Source::Argument(shown) => Origin::Argument(shown.clone()),
        }
    }
}

/// Whether a key takes a value: the types decide.
pub(super) fn fits(key: &Key, value: &Value) -> bool {
    Settings::deserialize(nested(key, value.clone())).is_ok()
}

/// What to say of a key that does not exist: the one beside it that was meant, or one elsewhere.
pub(super) fn unknown(shape: &Shape, key: Key, name: &str) -> Fault {
    let names = key.names();
    let parent = Key::new(names[..names.len() - 1].iter().map(String::as_str));
    let beside = nearest(name, shape.names()).map(|name| parent.child(name));
    let elsewhere = || {
        let keys = SHAPE.fixed_keys();
        keys.into_iter().find(|key| key.names().last().is_some_and(|last| last == name))
    };
    let nearest = beside.or_else(elsewhere);
    let accepted = shape.names().map(|name| format!("`{name}`")).collect();
    Fault::UnknownKey { key, nearest, accepted }
}

/// What was found, in words, not longer than a line.
fn described(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::String(text) => {
            let mut shown: String = text.chars().take(LONGEST).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            format!("the string `{}`", shown.escape_debug())
        }
        Value::Integer(number) => format!("the integer `{number}`"),
        Value::Float(number) => format!("the float `{number}`"),
        Value::Boolean(flag) => format!("the boolean `{flag}`"),
        Value::Datetime(time) => format!("the date `{time}`"),
        Value::Array(items) => match items.iter().find(|item| !item.is_str()) {
            Some(item) => format!("an array with {}", described(item)),
            None => "an array".to_owned(),
        },
        Value::Table(_) => "a table".to_owned(),
    }
}
