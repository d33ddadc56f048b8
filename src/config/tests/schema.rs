use std::collections::BTreeSet;

use super::*;
use crate::config::{keys, schema};

#[test]
fn the_keys_of_the_schema_are_those_of_the_settings() {
    let written: Vec<_> = keys().iter().map(ToString::to_string).collect();
    let expected = [
        "store.path",
        "assistant.model",
        "assistant.system_prompt",
        "assistant.max_tokens",
        "assistant.context_window",
        "assistant.temperature",
        "assistant.reasoning",
        "assistant.tools",
        "assistant.max_rounds",
        "compaction.model",
        "unattended.run",
        "unattended.deliver",
        "unattended.question",
        "unattended.all",
        "detached.patience",
        "detached.notify",
        "title.generate",
        "title.model",
        "ui.reasoning",
        "ui.usage",
        "ui.terminal_title",
    ];
    assert_eq!(written, expected);
}

/// Every schema within a schema.
fn each(schema: &serde_json::Value, visit: &mut impl FnMut(&serde_json::Value)) {
    visit(schema);
    match schema {
        serde_json::Value::Object(map) => map.values().for_each(|value| each(value, visit)),
        serde_json::Value::Array(items) => items.iter().for_each(|value| each(value, visit)),
        _ => {}
    }
}

#[test]
fn the_schema_knows_no_null_and_no_other_keys_and_describes_every_key() {
    let schema = schema();
    let mut tables = BTreeSet::new();
    each(&schema, &mut |part| {
        assert_ne!(part, &serde_json::Value::Null);
        assert_ne!(part, &serde_json::json!("null"));
        if let Some(properties) = part.get("properties").and_then(|part| part.as_object()) {
            assert_eq!(part["additionalProperties"], false, "{part}");
            tables.insert(properties.len());
            for (name, property) in properties {
                assert!(property.get("description").is_some(), "{name}");
            }
        }
    });
    assert!(!tables.is_empty());
}

#[test]
fn what_the_types_take_fits_the_schema_and_what_they_refuse_does_not() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for (given, right) in [
        ("assistant.model = \"a/b/c\"", true),
        ("assistant.model = \"a\"", false),
        ("assistant.temperature = 2", true),
        ("assistant.temperature = 2.5", false),
        ("assistant.reasoning = \"off\"", true),
        ("assistant.reasoning = \"none\"", false),
        ("tools.x = { command = [\"a\"], timeout = \"5s\", output_limit = \"64KB\" }", true),
        ("tools.x = { command = [\"a\"], output_limit = 64000, parameters = { a = 1 } }", true),
        ("tools.x = { command = \"a\" }", false),
        ("tools.x = { command = [\"a\"], output_limit = 0 }", false),
        ("providers.x.base_url = \"http://localhost:1\"", true),
        ("providers.x.base_url = \"localhost\"", false),
        ("providers.x.api_key_env = \"1\"", false),
        ("providers.x.key = \"1\"", false),
        ("tools.x.rules = [{ argv = [\"ls\", \"-l\"], permission = \"allow\" }]", true),
        ("tools.x.rules = [{ path = \"src/**\", permission = \"edit\" }]", true),
        ("tools.x.rules = [{ path = \"src/**\" }]", false),
        ("tools.x.rules = [{ prefix = \"ls\", permission = \"allow\" }]", false),
        ("tools.x.unattended.run = \"auto\"", true),
        ("unattended.all = \"always\"", false),
        ("what = 1", false),
    ] {
        let json = serde_json::to_value(table(given)).unwrap();
        assert_eq!(validator.is_valid(&json), right, "{given}");
        assert_eq!(Settings::resolve(file(Scope::User, given)).is_ok(), right, "{given}");
    }
}
