//! Keys of providers that somebody put into a configuration by mistake.

use toml::Value;

/// Names that only a key would have.
const NAMES: [&str; 6] = ["api_key", "apikey", "api-key", "key", "token", "secret"];

/// What the keys of many providers begin with.
const PREFIX: &str = "sk-";

/// Whether a setting of this name would hold a key.
pub fn is_name(name: &str) -> bool {
    NAMES.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

/// Whether a value is or holds a key.
pub fn is_in(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim_start().starts_with(PREFIX),
        Value::Array(items) => items.iter().any(is_in),
        Value::Table(table) => table.values().any(is_in),
        _ => false,
    }
}
