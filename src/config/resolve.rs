//! The layers laid over each other.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use super::{
    ConfigErrors, Fault, Key, Layers, Origin, Problem, Settings,
    check::check,
    layers::Source,
    read::{insert, read},
    schema::SHAPE,
    shape::Shape,
};

/// The settings that are in force.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The settings.
    pub settings: Settings,
    /// What was ignored, and what is odd without being wrong.
    pub warnings: Vec<Problem>,
    /// What was ignored because the workspace is not trusted.
    pub untrusted: Vec<Problem>,
    /// All of them with their origins, in the order of the types.
    pub(super) effective: Vec<Effective>,
    /// What the conversation sets by itself.
    pub(super) conversation: BTreeMap<Key, Value>,
}

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// The key.
    pub key: Key,
    /// The value, as it was written.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

impl Settings {
    /// Lays the layers over each other, or tells everything that is wrong with all of them.
    pub fn resolve(layers: Layers) -> Result<Resolved, ConfigErrors> {
        let Layers { mut layers, mut warnings, mut errors } = layers;
        layers.sort_by_key(|layer| layer.source.rank());
        let mut values = BTreeMap::new();
        let mut conversation = BTreeMap::new();
        for layer in &layers {
            let reading = read(layer);
            errors.extend(reading.errors);
            warnings.extend(reading.warnings);
            for (key, value, origin) in reading.values {
                if matches!(layer.source, Source::Conversation(_)) {
                    conversation.insert(key.clone(), value.clone());
                }
                values.insert(key, (value, origin));
            }
        }
        let mut table = Table::new();
        for (key, (value, _)) in &values {
            insert(&mut table, key, value.clone());
        }
        match Self::deserialize(table) {
            Ok(settings) => {
                errors.extend(check(&settings, &values));
                if !errors.is_empty() {
                    return Err(ConfigErrors(errors));
                }
                let effective = settings.effective(&values);
                let by_trust = |problem: &Problem| matches!(problem.fault, Fault::UntrustedFile(_));
                let (untrusted, warnings) = warnings.into_iter().partition(by_trust);
                Ok(Resolved { settings, warnings, untrusted, effective, conversation })
            }
            // Every value was tried by itself before.
            Err(error) => {
                let fault = Fault::Syntax(error.message().to_owned());
                errors.push(Problem { origin: Origin::Default, fault });
                Err(ConfigErrors(errors))
            }
        }
    }

    fn effective(&self, values: &BTreeMap<Key, (Value, Origin)>) -> Vec<Effective> {
        let table = Table::try_from(self).expect("settings come from TOML");
        let mut effective = Vec::new();
        flatten(&SHAPE, Key::default(), Value::Table(table), &mut |key, default| {
            let set = values.get(&key).cloned();
            let (value, origin) = set.unwrap_or((default, Origin::Default));
            effective.push(Effective { key, value, origin });
        });
        effective
    }
}

impl Resolved {
    /// All settings that have a value, in the order of the documentation.
    pub fn effective(&self) -> &[Effective] {
        &self.effective
    }

    /// A setting, if it has a value.
    pub fn get(&self, key: &Key) -> Option<&Effective> {
        self.effective.iter().find(|effective| effective.key == *key)
    }
}

fn flatten(shape: &Shape, key: Key, value: Value, each: &mut impl FnMut(Key, Value)) {
    match (shape, value) {
        (Shape::Table(_) | Shape::Named(_), Value::Table(table)) => {
            for (name, value) in table {
                if let Some(shape) = shape.child(&name) {
                    flatten(shape, key.child(&name), value, each);
                }
            }
        }
        (_, value) => each(key, value),
    }
}
