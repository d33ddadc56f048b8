//! Fixtures of the format: what reads, what is refused and in which words, and the schemas.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use jp::{
    format::{
        FileName, Flaw, Form, Line, Manifest, Schema, decode, decode_meta, encode, encode_meta,
        stamp,
    },
    model::{Event, EventType, Progress, Timestamp},
};
use serde_json::{Map, Value};

/// The schemas of everything that people edit, and of what other programs keep.
fn schemas() -> Vec<Schema> {
    let config = Schema { name: "config", json: jp::config::schema() };
    let messages = Schema { name: "messages", json: jp::projection::list::schema() };
    let protocol = Schema { name: "protocol", json: jp::serve::schema() };
    jp::format::schemas().into_iter().chain([config, messages, protocol]).collect()
}

/// The time of an event that does not say.
fn fallback() -> Timestamp {
    Timestamp::from_seconds(1_700_000_000)
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files of a directory with one of these extensions, in order.
fn files(directory: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let directory = root().join(directory);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path.is_file() && extension.is_some_and(|extension| extensions.contains(&extension))
    };
    paths.retain(wanted);
    paths.sort();
    assert!(!paths.is_empty(), "{}", directory.display());
    paths
}

const EVENTS: [&str; 2] = ["md", "toml"];
const CANONICAL: &str = "tests/fixtures/events/valid/canonical";
const BY_HAND: &str = "tests/fixtures/events/valid";
const INVALID: &str = "tests/fixtures/events/invalid";
const INVALID_KEYS: &str = "tests/fixtures/events/invalid/schema";

fn valid_events() -> Vec<PathBuf> {
    [CANONICAL, BY_HAND].into_iter().flat_map(|directory| files(directory, &EVENTS)).collect()
}

/// How a fixture is written and the type that its name begins with.
fn form_of(path: &Path) -> (Form, EventType) {
    let name = path.file_name().unwrap().to_str().unwrap();
    let numbered = name.parse::<FileName>().or_else(|_| format!("000-{name}").parse());
    let name: FileName = numbered.unwrap();
    (name.form(), name.hinted_type().expect("the name of a fixture begins with an event type"))
}

fn read(path: &Path, bytes: &[u8]) -> Result<Event, Vec<Flaw>> {
    let (form, hint) = form_of(path);
    decode(bytes, form, Some(hint), fallback()).map(|decoded| decoded.event)
}

fn words(flaws: &[Flaw]) -> String {
    flaws.iter().map(|flaw| format!("{flaw}\n")).collect()
}

/// Compares the flaws of a file with those in the file beside it.
fn assert_flaws(path: &Path, found: &str) {
    let expected = path.with_extension("flaws");
    assert_ne!(found, "", "{} is valid", path.display());
    assert_eq!(found, fs::read_to_string(&expected).unwrap(), "{}", path.display());
}

#[test]
fn every_valid_event_reads_the_same_after_it_was_written_again() {
    for path in valid_events() {
        let bytes = fs::read(&path).unwrap();
        let event = read(&path, &bytes).map_err(|flaws| words(&flaws));
        let event = event.unwrap_or_else(|flaws| panic!("{}: {flaws}", path.display()));
        assert_eq!(event.event_type(), form_of(&path).1, "{}", path.display());
        let written = encode(&event).unwrap();
        assert_eq!(read(&path, &written).unwrap(), event, "{}", path.display());
        assert_eq!(encode(&event).unwrap(), written, "{}", path.display());
    }
}

#[test]
fn canonical_events_keep_their_bytes() {
    for path in files(CANONICAL, &EVENTS) {
        let bytes = fs::read(&path).unwrap();
        let (form, _) = form_of(&path);
        let decoded = decode(&bytes, form, None, fallback()).unwrap();
        assert!(decoded.has_timestamp, "{}", path.display());
        let written = encode(&decoded.event).unwrap();
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(show(&written), show(&bytes), "{}", path.display());
        assert_eq!(written, bytes, "{}", path.display());
    }
}

#[test]
fn there_is_a_canonical_event_of_every_type() {
    let found: BTreeSet<_> = files(CANONICAL, &EVENTS).iter().map(|path| form_of(path).1).collect();
    assert_eq!(found, EventType::ALL.into_iter().collect());
}

#[test]
fn a_timestamp_is_added_without_touching_anything_else() {
    for path in files(BY_HAND, &EVENTS) {
        let bytes = fs::read(&path).unwrap();
        let (form, hint) = form_of(&path);
        let decoded = decode(&bytes, form, Some(hint), fallback()).unwrap();
        if decoded.has_timestamp {
            continue;
        }
        let stamped = stamp(bytes.clone(), form, &decoded).unwrap();
        let again = decode(&stamped, form, Some(hint), Timestamp::from_seconds(0)).unwrap();
        assert!(again.has_timestamp, "{}", path.display());
        assert_eq!(again.event, decoded.event, "{}", path.display());
    }
}

#[test]
fn every_invalid_event_is_refused_in_these_words() {
    for path in [INVALID, INVALID_KEYS].into_iter().flat_map(|place| files(place, &EVENTS)) {
        let bytes = fs::read(&path).unwrap();
        let flaws = read(&path, &bytes).err().unwrap_or_default();
        assert_flaws(&path, &words(&flaws));
    }
}

#[test]
fn meta_files_read_and_are_written_as_they_should() {
    for path in files("tests/fixtures/meta/valid", &["toml"]) {
        let (_, meta) = decode_meta(&fs::read(&path).unwrap()).unwrap();
        let (_, again) = decode_meta(&encode_meta(&meta)).unwrap();
        assert_eq!(again, meta, "{}", path.display());
    }
    for path in files("tests/fixtures/meta/valid/canonical", &["toml"]) {
        let bytes = fs::read(&path).unwrap();
        let (_, meta) = decode_meta(&bytes).unwrap();
        let written = String::from_utf8(encode_meta(&meta)).unwrap();
        assert_eq!(written, String::from_utf8(bytes).unwrap(), "{}", path.display());
    }
    for path in files("tests/fixtures/meta/invalid", &["toml"]) {
        let flaws = decode_meta(&fs::read(&path).unwrap()).err().unwrap_or_default();
        assert_flaws(&path, &words(&flaws));
    }
}

#[test]
fn manifests_read_and_are_refused_as_they_should() {
    for path in files("tests/fixtures/manifests/valid", &["txt"]) {
        let (manifest, flaws) = Manifest::read(&fs::read(&path).unwrap());
        assert_eq!(words(&flaws), "", "{}", path.display());
        assert_eq!(Manifest::read(&manifest.to_bytes()), (manifest, Vec::new()));
    }
    for path in files("tests/fixtures/manifests/invalid", &["txt"]) {
        let (_, flaws) = Manifest::read(&fs::read(&path).unwrap());
        assert_flaws(&path, &words(&flaws));
    }
}

#[test]
fn the_schemas_in_the_repository_are_those_of_the_program() {
    let generated: BTreeSet<_> =
        schemas().iter().map(|schema| format!("{}.schema.json", schema.name)).collect();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(files("schema", &["json"]).iter().map(name).collect::<BTreeSet<_>>(), generated);
    for schema in schemas() {
        let path = root().join("schema").join(format!("{}.schema.json", schema.name));
        let same = fs::read_to_string(&path).unwrap() == schema.to_text();
        assert!(same, "{}: run `cargo run -- schema --write schema`", path.display());
    }
}

/// A schema, with formats checked.
fn validator(name: &str) -> jsonschema::Validator {
    let schema = schemas().into_iter().find(|schema| schema.name == name).unwrap();
    jsonschema::options().should_validate_formats(true).build(&schema.json).unwrap()
}

/// The frontmatter or the table of an event file, read by the libraries alone.
fn instance(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match form_of(path).0 {
        Form::Toml => from_toml(toml::Value::Table(text.parse().unwrap())),
        Form::Markdown => {
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("---"));
            let header: Vec<_> = lines.take_while(|line| *line != "---").collect();
            from_yaml(serde_yaml::from_str(&header.join("\n")).unwrap())
        }
    }
}

fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(from_toml).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, from_toml(value))).collect())
        }
        plain => serde_json::to_value(plain).unwrap(),
    }
}

fn from_yaml(value: serde_yaml::Value) -> Value {
    match value {
        serde_yaml::Value::Sequence(items) => items.into_iter().map(from_yaml).collect(),
        serde_yaml::Value::Mapping(map) => {
            let mut object = Map::new();
            for (key, value) in map {
                let key = match from_yaml(key) {
                    Value::String(text) => text,
                    key => key.to_string(),
                };
                object.insert(key, from_yaml(value));
            }
            Value::Object(object)
        }
        plain => serde_json::to_value(plain).unwrap(),
    }
}

#[test]
fn every_valid_file_fits_its_schema() {
    for path in valid_events() {
        let validator = validator(form_of(&path).1.name());
        if let Err(error) = validator.validate(&instance(&path)) {
            panic!("{}: {error}", path.display());
        }
    }
    for directory in ["tests/fixtures/meta/valid", "tests/fixtures/meta/valid/canonical"] {
        for path in files(directory, &["toml"]) {
            let table = fs::read_to_string(&path).unwrap().parse().unwrap();
            let instance = from_toml(toml::Value::Table(table));
            if let Err(error) = validator("meta").validate(&instance) {
                panic!("{}: {error}", path.display());
            }
        }
    }
}

#[test]
fn files_with_wrong_keys_do_not_fit_their_schema() {
    for path in files(INVALID_KEYS, &EVENTS) {
        let validator = validator(form_of(&path).1.name());
        assert!(!validator.is_valid(&instance(&path)), "{}", path.display());
    }
    for path in files("tests/fixtures/meta/invalid", &["toml"]) {
        let table = fs::read_to_string(&path).unwrap().parse().unwrap();
        let instance = from_toml(toml::Value::Table(table));
        assert!(!validator("meta").is_valid(&instance), "{}", path.display());
    }
}

#[test]
fn the_schema_of_any_frontmatter_takes_and_refuses_what_that_of_the_type_does() {
    let any = validator("frontmatter");
    let keys = files(INVALID_KEYS, &EVENTS);
    let mut answers = BTreeSet::new();
    for path in valid_events().into_iter().chain(keys) {
        let (form, event_type) = form_of(&path);
        let (instance, own) = (instance(&path), validator(event_type.name()));
        let expected = form == Form::Markdown && own.is_valid(&instance);
        assert_eq!(any.is_valid(&instance), expected, "{}", path.display());
        answers.insert((form == Form::Markdown, expected));
    }
    assert_eq!(answers, BTreeSet::from([(false, false), (true, false), (true, true)]));
    let unknown = serde_json::json!({"type": "request", "mood": "good"});
    assert!(any.is_valid(&unknown));
    for wrong in [serde_json::json!({}), serde_json::json!({"type": "compaction"})] {
        assert!(!any.is_valid(&wrong), "{wrong}");
    }
}

/// The events of a directory in the order of its manifest, with their files.
fn events_of(directory: &Path, seen: &mut BTreeSet<PathBuf>) -> Vec<(PathBuf, Event)> {
    let path = directory.join("CONVERSATION");
    let bytes = fs::read(&path).unwrap();
    seen.insert(path.clone());
    let (manifest, flaws) = Manifest::read(&bytes);
    assert_eq!(words(&flaws), "", "{}", path.display());
    assert_eq!(manifest.to_bytes(), bytes, "{}", path.display());
    let mut events = Vec::new();
    for line in manifest.lines() {
        match line {
            Line::Remark(_) => {}
            Line::Run(run) => events.extend(events_of(&directory.join(run.as_str()), seen)),
            Line::Event(name) => {
                let path = directory.join(name.as_str());
                let event = read(&path, &fs::read(&path).unwrap());
                let event = event.unwrap_or_else(|flaws| panic!("{name}: {}", words(&flaws)));
                seen.insert(path.clone());
                events.push((path, event));
            }
        }
    }
    events
}

/// Every file below a directory.
fn walk(directory: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.insert(path);
        }
    }
    found
}

#[test]
fn the_conversations_are_sound() {
    for name in ["first", "sealed"] {
        let directory = root().join("tests/fixtures/conversations").join(name);
        let meta = directory.join(".conversation/meta.toml");
        let config = directory.join(".conversation/config.toml");
        decode_meta(&fs::read(&meta).unwrap()).unwrap();
        fs::read_to_string(&config).unwrap().parse::<toml::Table>().unwrap();
        let mut seen = BTreeSet::from([meta, config]);
        let events = events_of(&directory, &mut seen);
        assert_eq!(walk(&directory), seen);
        let mut progress = Progress::default();
        for (path, event) in events {
            progress.admit(&event).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            assert_eq!(encode(&event).unwrap(), fs::read(&path).unwrap(), "{}", path.display());
            progress.push(&event);
        }
        assert_eq!(progress.status().to_string(), "idle", "{name}");
    }
}

#[test]
fn the_example_of_the_readme_can_be_appended() {
    let mut progress = Progress::default();
    for path in files("examples/first", &EVENTS) {
        let event = read(&path, &fs::read(&path).unwrap()).unwrap();
        progress.admit(&event).unwrap();
        progress.push(&event);
    }
    assert_eq!(progress.status().to_string(), "idle");
}

/// The fenced blocks of a document that follow a line `<!-- file: NAME -->`.
fn examples(document: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("<!-- file: ").and_then(|line| line.strip_suffix(" -->"));
        let Some(name) = name else { continue };
        let opening = lines.next().unwrap_or_default();
        let fence: String = opening.chars().take_while(|c| *c == '`').collect();
        assert!(fence.len() >= 3, "no block after `{name}`");
        let text = lines.by_ref().take_while(|line| *line != fence);
        found.push((name.to_owned(), text.map(|line| format!("{line}\n")).collect()));
    }
    found
}

#[test]
fn the_examples_of_the_format_are_what_the_program_writes() {
    let document = fs::read_to_string(root().join("docs/format.md")).unwrap();
    let mut types = BTreeSet::new();
    for (name, text) in examples(&document) {
        match name.as_str() {
            "CONVERSATION" => {
                let (manifest, flaws) = Manifest::read(text.as_bytes());
                assert_eq!(words(&flaws), "", "{text}");
                assert!(manifest.events().count() > 0);
            }
            ".conversation/meta.toml" => {
                let (_, meta) = decode_meta(text.as_bytes()).unwrap();
                assert_eq!(String::from_utf8(encode_meta(&meta)).unwrap(), text);
            }
            _ => {
                let event = read(Path::new(&name), text.as_bytes());
                let event = event.unwrap_or_else(|flaws| panic!("{name}: {}", words(&flaws)));
                types.insert(event.event_type());
                assert_eq!(String::from_utf8(encode(&event).unwrap()).unwrap(), text, "{name}");
            }
        }
    }
    assert_eq!(types, EventType::ALL.into_iter().collect());
}
