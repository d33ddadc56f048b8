//! A piece of configuration with the place of each key.

use serde::Deserialize;
use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue, ValueDeserializer},
};

use super::Fault;

/// A value, or a table with places.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// Anything but a table.
    Leaf(Value),
    /// A table.
    Table(Vec<Entry>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The byte at which it begins; 0 if there is no text.
    pub at: usize,
    /// What it is set to.
    pub tree: Tree,
}

impl Tree {
    /// Reads a text; of all mistakes the first one is told, with the byte at which it is.
    pub fn parse(text: &str) -> Result<Vec<Entry>, (usize, Fault)> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let places = errors.iter().map(|error| (error.span().map_or(0, |span| span.start), error));
        match places.min_by_key(|(at, _)| *at) {
            None => entries(table.into_inner()),
            Some((at, error)) => Err((at, Fault::Syntax(error.message().to_owned()))),
        }
    }

    /// The entries of a table that has no text.
    pub fn of_table(table: Table) -> Vec<Entry> {
        let entry = |(name, value)| Entry { name, at: 0, tree: Self::from(value) };
        table.into_iter().map(entry).collect()
    }

    /// The value without places.
    pub fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::Table(entries) => {
                let pair = |entry: Entry| (entry.name, entry.tree.into_value());
                Value::Table(entries.into_iter().map(pair).collect())
            }
        }
    }
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Table(table) => Self::Table(Self::of_table(table)),
            value => Self::Leaf(value),
        }
    }
}

fn entries(table: DeTable<'_>) -> Result<Vec<Entry>, (usize, Fault)> {
    let mut entries = Vec::with_capacity(table.len());
    for (name, value) in table {
        let at = name.span().start;
        let name = name.into_inner().into_owned();
        let span = value.span();
        let tree = match value.into_inner() {
            DeValue::Table(table) => Tree::Table(self::entries(table)?),
            value => {
                let deserializer = ValueDeserializer::from(Spanned::new(span, value));
                let read = Value::deserialize(deserializer);
                let wrong = |error: toml::de::Error| {
                    (at, Fault::Syntax(format!("`{name}`: {}", error.message())))
                };
                Tree::Leaf(read.map_err(wrong)?)
            }
        };
        entries.push(Entry { name, at, tree });
    }
    Ok(entries)
}

/// The line and the column of a byte, both from 1.
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().map_or(0, |last| last.chars().count());
    (line, column)
}
