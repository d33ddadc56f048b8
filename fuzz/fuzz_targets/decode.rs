//! Any bytes, read as every kind of file of the format, and as a list of messages.
//!
//! Reading never panics, and what was read reads the same after it was written again.

#![no_main]

use jp::{
    format::{
        Compatibility, FileName, Form, Manifest, decode, decode_meta, encode, encode_meta, stamp,
    },
    model::{Event, EventType, Progress, Timestamp},
    projection::list,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    event(bytes, Form::Markdown, None);
    let toml = [EventType::ConfigDelta, EventType::Compaction, EventType::ToolStart];
    for hint in toml.map(Some).into_iter().chain([None]) {
        event(bytes, Form::Toml, hint);
    }
    manifest(bytes);
    meta(bytes);
    messages(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        name(text);
    }
});

fn event(bytes: &[u8], form: Form, hint: Option<EventType>) {
    let then = Timestamp::from_seconds(1_700_000_000);
    let read = |bytes: &[u8]| decode(bytes, form, hint, then);
    let decoded = match read(bytes) {
        Ok(decoded) => decoded,
        Err(flaws) => return assert!(!flaws.is_empty(), "refused without a reason"),
    };
    if let Ok(stamped) = stamp(bytes.to_vec(), form, &decoded) {
        let again = decode(&stamped, form, None, then).expect("a stamped file reads by itself");
        assert!(again.has_timestamp && again.has_type, "a stamped file says everything");
        assert_same(&again.event, &decoded.event);
    }
    // What YAML or TOML can hold and the writer cannot is refused by the writer, not changed.
    let Ok(written) = encode(&decoded.event) else { return };
    let again = read(&written).expect("what was written reads");
    assert!(again.has_timestamp, "what was written has a timestamp");
    assert_same(&again.event, &decoded.event);
    let rewritten = encode(&again.event).expect("what was written once can be written again");
    assert_eq!(written, rewritten, "equal events are equal bytes");
}

/// Equal, where two numbers that are no numbers count as equal.
fn assert_same(one: &Event, other: &Event) {
    assert!(one == other || format!("{one:?}") == format!("{other:?}"), "{one:#?}\n{other:#?}");
}

fn manifest(bytes: &[u8]) {
    let (manifest, _flaws) = Manifest::read(bytes);
    let written = manifest.to_bytes();
    let (again, flaws) = Manifest::read(&written);
    assert!(flaws.is_empty(), "{flaws:?}");
    assert_eq!(again, manifest);
    assert_eq!(again.to_bytes(), written);
}

fn meta(bytes: &[u8]) {
    let Ok((version, meta)) = decode_meta(bytes) else { return };
    if version.compatibility() == Compatibility::Refused {
        return;
    }
    let written = encode_meta(&meta);
    let (_, again) = decode_meta(&written).expect("what was written reads");
    assert!(again == meta || format!("{again:?}") == format!("{meta:?}"), "{again:#?}\n{meta:#?}");
}

fn messages(bytes: &[u8]) {
    let read = match list::read(bytes) {
        Ok(read) => read,
        Err(problems) => return assert!(!problems.is_empty(), "refused without a reason"),
    };
    let written = list::write(&read.list).to_string();
    let again = list::read(written.as_bytes()).expect("what was written reads");
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    assert_eq!(again.list, read.list);
    let then = Timestamp::from_seconds(1_700_000_000);
    // Whether they can follow each other is another matter.
    let _refused = list::events(&read.list, &Progress::default(), then);
}

fn name(text: &str) {
    if let Ok(name) = text.parse::<FileName>() {
        assert_eq!(name.as_str(), text);
        assert!(!text.contains(['/', '\\', '\0']) && !text.starts_with('.'));
    }
}
