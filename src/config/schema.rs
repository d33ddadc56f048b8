//! The JSON Schema of a configuration file, generated from the types that read it.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{Fault, Key, Settings, read::unknown, shape::Shape};

/// What every setting is, as the types say.
static SCHEMA: LazyLock<Value> = LazyLock::new(generate);

/// The same, for whoever reads a configuration.
pub(super) static SHAPE: LazyLock<Shape> = LazyLock::new(|| Shape::of(&SCHEMA));

/// The JSON Schema of a configuration file.
pub fn schema() -> Value {
    SCHEMA.clone()
}

/// Every key whose name is fixed, in the order of the documentation.
pub fn keys() -> Vec<Key> {
    SHAPE.fixed_keys()
}

/// What stands at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// More keys.
    Table,
    /// A value.
    Value,
}

/// What stands at a key, or which key may have been meant.
pub fn kind(key: &Key) -> Result<Kind, Fault> {
    let mut shape: &Shape = &SHAPE;
    let mut above = Key::default();
    for name in key.names() {
        let key = above.child(name);
        shape = shape.child(name).ok_or_else(|| unknown(shape, key.clone(), name))?;
        above = key;
    }
    Ok(if matches!(shape, Shape::Value(_)) { Kind::Value } else { Kind::Table })
}

fn generate() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Settings>().to_value();
    without_null(&mut schema);
    let mut titled = Map::new();
    titled.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    titled.insert("title".to_owned(), json!("config"));
    if let Value::Object(own) = schema {
        let own = own.into_iter().filter(|(key, _)| key != "$schema" && key != "title");
        titled.extend(own);
    }
    Value::Object(titled)
}

/// Takes out that a value may be null, since TOML has no such value.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(mut options)) = map.remove("anyOf") {
                options.retain(|option| option["type"] != "null");
                for option in options {
                    let Value::Object(option) = option else { continue };
                    for (key, value) in option {
                        map.entry(key).or_insert(value);
                    }
                }
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if map.get("default").is_some_and(Value::is_null) {
                map.shift_remove("default");
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}
