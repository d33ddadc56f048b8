//! What a checked out conversation has beside its own files, so that editors complete and check
//! them: schemas, and the settings by which editors find them.
//!
//! The files are the same for every conversation, and no path in them is absolute: a checkout may
//! be moved. Nothing is written here.

use serde_json::{Value, json};

use crate::{
    config,
    format::{self, META_DIR, Schema},
};

/// The files of a fixed form, by their paths.
const FILES: [(&str, &str); 7] = [
    (".vscode/settings.json", include_str!("../../templates/checkout/vscode/settings.json")),
    (".vscode/tasks.json", include_str!("../../templates/checkout/vscode/tasks.json")),
    (".zed/settings.json", include_str!("../../templates/checkout/zed/settings.json")),
    (".zed/tasks.json", include_str!("../../templates/checkout/zed/tasks.json")),
    (".taplo.toml", include_str!("../../templates/checkout/taplo.toml")),
    (".tombi.toml", include_str!("../../templates/checkout/tombi.toml")),
    (".editorconfig", include_str!("../../templates/checkout/editorconfig")),
];

/// The schemas of TOML files that the settings name.
const TOML_FILES: [&str; 4] = ["config-delta", "compaction", "tool-start", "meta"];

/// The schema of markdown files that the settings name.
const FRONTMATTER: &str = "frontmatter";

/// A timestamp, roughly: whoever reads the file looks closely.
const TIMESTAMP: &str = r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$";

/// The files that make a checkout a place where editors complete and check, by their paths from
/// its top, with `/`.
pub fn wiring() -> Vec<(String, Vec<u8>)> {
    let schemas = format::schemas().into_iter().filter_map(for_editors).map(|schema| {
        let path = format!("{META_DIR}/schema/{}.schema.json", schema.name);
        (path, schema.to_text().into_bytes())
    });
    let files = FILES.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    schemas.chain(files).collect()
}

/// A schema as editors need it, if they need it.
fn for_editors(mut schema: Schema) -> Option<Schema> {
    if schema.name == FRONTMATTER {
        return Some(schema);
    }
    if !TOML_FILES.contains(&schema.name) {
        return None;
    }
    if schema.name == "config-delta" {
        schema.json = with_settings(&schema.json);
    }
    with_times_as_texts(&mut schema.json);
    Some(schema)
}

/// The schema of a change of settings that knows the settings, which the format does not.
fn with_settings(delta: &Value) -> Value {
    let mut settings = config::schema();
    settings["title"] = delta["title"].clone();
    settings["properties"]["event"] = delta["properties"]["event"].clone();
    settings
}

/// Says of times that they are texts of a pattern: Tombi takes the format for the date-times of
/// TOML, and would refuse what is stored.
fn with_times_as_texts(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.get("format") == Some(&json!("date-time")) {
                map.shift_remove("format");
                map.insert("pattern".to_owned(), json!(TIMESTAMP));
            }
            map.values_mut().for_each(with_times_as_texts);
        }
        Value::Array(items) => items.iter_mut().for_each(with_times_as_texts),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn files() -> BTreeMap<String, String> {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        wiring().into_iter().map(|(path, bytes)| (path, text(bytes))).collect()
    }

    /// The schemas that a file names.
    fn named(text: &str) -> BTreeSet<&str> {
        let quoted = text.split('"').filter(|part| part.ends_with(".schema.json"));
        quoted.map(|part| part.trim_start_matches("./")).collect()
    }

    #[test]
    fn every_schema_is_named_and_every_name_is_a_schema() {
        let files = files();
        let schemas: BTreeSet<_> =
            files.keys().map(String::as_str).filter(|path| path.contains("/schema/")).collect();
        let frontmatter = BTreeSet::from([".conversation/schema/frontmatter.schema.json"]);
        for path in [".vscode/settings.json", ".zed/settings.json"] {
            assert_eq!(named(&files[path]), frontmatter, "{path}");
        }
        let tables: BTreeSet<_> = schemas.difference(&frontmatter).copied().collect();
        assert_eq!(tables.len(), TOML_FILES.len());
        for path in [".taplo.toml", ".tombi.toml"] {
            assert_eq!(named(&files[path]), tables, "{path}");
        }
    }

    #[test]
    fn every_file_reads_and_names_no_absolute_path() {
        for (path, text) in files() {
            if path.ends_with(".json") {
                let read: Result<Value, _> = serde_json::from_str(&text);
                assert!(read.is_ok(), "{path}: {read:?}");
            } else if path.ends_with(".toml") {
                let read: Result<toml::Table, _> = text.parse();
                assert!(read.is_ok(), "{path}: {read:?}");
            }
            assert!(!path.starts_with('/') && !path.contains(".."), "{path}");
            assert!(!text.contains("\"/") && !text.contains("file:"), "{path}");
        }
    }

    #[test]
    fn a_change_of_settings_is_checked_as_settings() {
        let files = files();
        let schema = &files[".conversation/schema/config-delta.schema.json"];
        let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
        let time = "2026-01-31T12:02:00Z";
        let delta = |settings: Value, time: &str| {
            let mut delta = settings;
            delta["event"] = json!({"type": "config-delta", "timestamp": time});
            delta
        };
        let good = json!({"assistant": {"model": "a/b"}});
        assert!(validator.is_valid(&delta(good.clone(), time)));
        assert!(!validator.is_valid(&delta(good, "yesterday")));
        assert!(!validator.is_valid(&delta(json!({"assistant": {"model": 3}}), time)));
        assert!(!validator.is_valid(&delta(json!({"asistant": {}}), time)));
    }

    #[test]
    fn the_tasks_find_the_place_of_a_problem() {
        let tasks: Value = serde_json::from_str(&files()[".vscode/tasks.json"]).unwrap();
        let line = "error: 000-request.md:3:1: key `interrupts`: expected a boolean: yes or no";
        for task in &tasks["tasks"].as_array().unwrap()[..2] {
            let matcher = &task["problemMatcher"]["pattern"];
            let pattern = regex::Regex::new(matcher["regexp"].as_str().unwrap()).unwrap();
            let found = pattern.captures(line).unwrap();
            let part = |key: &str| {
                let group = usize::try_from(matcher[key].as_u64().unwrap()).unwrap();
                found[group].to_owned()
            };
            assert_eq!(
                [part("file"), part("line"), part("column"), part("message")],
                ["000-request.md", "3", "1", "key `interrupts`: expected a boolean: yes or no"]
            );
            assert!(!pattern.is_match("2 events changed"));
        }
    }
}
