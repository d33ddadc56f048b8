use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::format::strategies::scalar;

/// Texts that have hurt YAML writers before.
fn hostile_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z0-9_.+/-]{0,12}",
        "[0-9eE.+_xob-]{1,8}",
        "[ \\t\\r\\n:#&*!|>'\"%@`,\\[\\]{}?~-]{0,8}",
        prop::sample::select(vec![
            "true",
            "Yes",
            "no",
            "~",
            "null",
            "0x1F",
            "0o17",
            "1e5",
            ".5",
            ".inf",
            "NaN",
            "---",
            "...",
            "- a",
            "a: b",
            "a #b",
            "<<",
            "=",
            "2026-01-01",
            "12:30:45",
            "\u{85}",
            "\u{2028}",
            "\u{feff}x",
            "\0",
            "\u{7f}",
            "\u{fffe}",
            "\u{202e}",
            "1_000",
            "+1",
            "-0",
        ])
        .prop_map(str::to_owned),
        "[a-z]{100,200}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar(hostile_text()).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            map_of(inner).prop_map(Value::Object),
        ]
    })
}

fn map_of(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((hostile_text(), inner), 0..4)
        .prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #[test]
    fn every_map_reads_back_by_both_readers(map in map_of(value())) {
        let text = write(&map);
        prop_assert_eq!(&read(&text).unwrap(), &map);
        prop_assert_eq!(&read_any(&text).unwrap(), &map);
        if let Some(plain) = plain::read(&text) {
            prop_assert_eq!(plain.keys().collect::<Vec<_>>(), map.keys().collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_plain_reader_agrees_with_the_library(text in "([ ]{0,4}(- )?[a-z\"]{0,3}:?[ ]?[a-z0-9.\"\\\\{}\\[\\]-]{0,6}\n){1,5}") {
        if let Some(map) = plain::read(&text) {
            prop_assert_eq!(read_any(&text).unwrap(), map);
        }
    }
}

#[test]
fn the_bytes_are_fixed() {
    let map = json!({
        "type": "request",
        "timestamp": "2026-01-31T12:00:00.5+02:00",
        "text": "a: b",
        "usage": {"in": 1, "cost": 1.0, "none": null, "empty": {}, "list": [1, {"a": true}, []]},
    });
    let Value::Object(map) = map else { unreachable!() };
    let expected = "type: request\n\
        timestamp: 2026-01-31T12:00:00.5+02:00\n\
        text: \"a: b\"\n\
        usage:\n  in: 1\n  cost: 1.0\n  none: null\n  empty: {}\n  list:\n    - 1\n    -\n      a: true\n    - []\n";
    assert_eq!(write(&map), expected);
    assert_eq!(plain::read(expected), Some(map));
}

#[test]
fn what_people_write_is_read_too() {
    let text =
        "# a comment\ntype: 'request'   # another\nlabels: [a, b]\nnote: |\n  two\n  lines\n";
    let map = read(text).unwrap();
    assert_eq!(
        Value::Object(map),
        json!({"type": "request", "labels": ["a", "b"], "note": "two\nlines\n"})
    );
}

#[test]
fn a_key_twice_is_refused_with_its_line() {
    let flaw = read("a: 1\nb: 2\na: 3\n").unwrap_err();
    assert!(flaw.message.contains("duplicate"), "{flaw}");
    assert_eq!(flaw.line, Some(3));
}

#[test]
fn hostile_frontmatter_is_refused_at_once() {
    let started = std::time::Instant::now();
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &(0..9)
            .map(|n| {
                format!(
                    "b{n}: &b{n} [*{0},*{0},*{0},*{0},*{0},*{0},*{0},*{0},*{0}]\n",
                    if n == 0 { "a".into() } else { format!("b{}", n - 1) }
                )
            })
            .collect::<String>();
    for text in [
        "[".repeat(200_000),
        "[".repeat(60_000),
        "{".repeat(60_000),
        "- ".repeat(30_000),
        "? ".repeat(30_000),
        "a: ".repeat(20_000),
        format!("a: ['x\nb: \"', {}\"", "[".repeat(60_000)),
        bomb,
        "[1, 2]\n".to_owned(),
        "x\0y: 1\n".to_owned(),
    ] {
        assert!(read(&text).is_err(), "{:?}", &text[..text.len().min(40)]);
    }
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn a_large_opaque_value_is_kept() {
    let map: Map<String, Value> =
        [("blob".to_owned(), Value::from("x[".repeat(200_000)))].into_iter().collect();
    assert_eq!(read(&write(&map)).unwrap(), map);
}
