//! Which keys there are, and what each accepts, in words: read from the schema, so that messages,
//! schema and types cannot differ.

use serde_json::Value;

use super::Key;

/// What stands at a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A table with these keys.
    Table(Vec<(String, Shape)>),
    /// A table whose keys are names that the user gives.
    Named(Box<Shape>),
    /// A value.
    Value(Accepted),
}

/// What a value may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// In words.
    pub words: String,
    /// The words that are accepted, if these are all.
    pub choices: Vec<String>,
}

impl Shape {
    /// Reads the shape of what a schema describes.
    pub fn of(schema: &Value) -> Self {
        if let Some(Value::Object(properties)) = schema.get("properties") {
            let child = |(name, schema): (&String, &Value)| (name.clone(), Self::of(schema));
            return Self::Table(properties.iter().map(child).collect());
        }
        match schema.get("additionalProperties") {
            Some(inner @ Value::Object(_)) => Self::Named(Box::new(Self::of(inner))),
            _ => Self::Value(Accepted::of(schema)),
        }
    }

    /// What stands at this name of a table.
    pub fn child(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Table(children) => {
                children.iter().find(|(known, _)| known == name).map(|(_, shape)| shape)
            }
            Self::Named(shape) => Some(shape),
            Self::Value(_) => None,
        }
    }

    /// What stands at a key, below this.
    pub fn at(&self, key: &Key) -> Option<&Self> {
        key.names().iter().try_fold(self, |shape, name| shape.child(name))
    }

    /// The names that a table may have, as far as they are fixed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let children = match self {
            Self::Table(children) => children.as_slice(),
            Self::Named(_) | Self::Value(_) => &[],
        };
        children.iter().map(|(name, _)| name.as_str())
    }

    /// The keys of all values whose names are fixed.
    pub fn fixed_keys(&self) -> Vec<Key> {
        let mut found = Vec::new();
        self.collect(&Key::default(), &mut found);
        found
    }

    fn collect(&self, key: &Key, found: &mut Vec<Key>) {
        match self {
            Self::Table(children) => {
                for (name, shape) in children {
                    shape.collect(&key.child(name), found);
                }
            }
            Self::Named(_) => {}
            Self::Value(_) => found.push(key.clone()),
        }
    }
}

impl Accepted {
    fn of(schema: &Value) -> Self {
        let constants = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let choices: Vec<_> = constants
            .filter_map(|option| option.get("const"))
            .chain(listed)
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let words = match schema.get("title").and_then(Value::as_str) {
            Some(title) => title.to_owned(),
            None if choices.is_empty() => of_type(schema),
            None => either(&choices),
        };
        Self { words, choices }
    }
}

fn of_type(schema: &Value) -> String {
    let range = match (schema.get("minimum"), schema.get("maximum")) {
        (Some(from), Some(to)) => format!(" from {from} to {to}"),
        (Some(from), None) => format!(" from {from}"),
        _ => String::new(),
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("integer") => format!("a whole number{range}"),
        Some("number") => format!("a number{range}"),
        Some("array") => "an array of strings".to_owned(),
        Some("object") => "a table".to_owned(),
        _ => "a string".to_owned(),
    }
}

fn either(choices: &[String]) -> String {
    let quoted: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
