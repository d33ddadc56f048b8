//! Lists that mean harm: every one is an answer in words, none a crash.

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_no_list_is_told() {
    let told = |bytes: &[u8]| problems_of(bytes).join("; ");
    let begins = "expected a list of messages, which begins with `[`";
    assert_eq!(told(b""), begins);
    assert_eq!(told(b" {\"messages\": []}"), begins);
    assert_eq!(told(b"[]"), "the list is empty");
    assert_eq!(told(b"\xef\xbb\xbf[]"), "the list is empty");
    assert_eq!(told(b"[\"\xff\"]"), "it is not UTF-8, at byte 2");
    assert_eq!(told(b"[{}"), "[0].role: it is missing; line 1, column 3: EOF while parsing a list");
    assert_eq!(told(b"[\n{,}]"), "line 2, column 2: key must be a string");
    assert_eq!(
        told(b"[{\"role\": \"user\", \"content\": \"\\ud800\"}]"),
        "line 1, column 37: unexpected end of hex escape"
    );
    assert_eq!(
        told(b"[{\"role\":\"user\",\"content\":\"x\"}] x"),
        "line 1, column 33: trailing characters"
    );
    assert_eq!(told(b"[1e999]"), "line 1, column 6: number out of range");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{\"metadata\":", "}")] {
        let deep = format!("[{}1{}]", open.repeat(100_000), close.repeat(100_000));
        assert!(problems_of(deep.as_bytes())[0].ends_with("recursion limit exceeded"), "{open}");
    }
    let nested = |depth: usize| {
        let value = "[".repeat(depth) + &"]".repeat(depth);
        let json = format!(r#"[{{"role":"user","content":"x","metadata":{{"a":{value}}}}}]"#);
        problems_of(json.as_bytes())
    };
    assert_eq!(nested(59), [] as [&str; 0]);
    assert_eq!(nested(60), ["[0].metadata: it is nested more than 60 levels deep"]);
    let block = "[".repeat(61) + &"]".repeat(61);
    let json = format!(
        r#"[{{"role":"assistant","content":[{{"type":"text","text":"x","native":{{"api":"x","block":{block}}}}}]}}]"#
    );
    let told = "[0].content[0].native.block: it is nested more than 60 levels deep";
    assert_eq!(problems_of(json.as_bytes()), [told]);
}

#[test]
fn huge_lists_are_refused_and_their_problems_are_counted() {
    let list = |one: &str, count: usize| format!("[{}{one}]", format!("{one},").repeat(count - 1));
    let user = r#"{"role":"user","content":"x","interrupts":true}"#;
    let told = problems_of(list(user, limits::MESSAGES + 1).as_bytes());
    assert!(told[0].ends_with("the list has more than 100000 messages"), "{told:?}");
    let told = problems_of(list("1", 5000).as_bytes());
    assert_eq!(told.len(), limits::PROBLEMS + 1);
    assert_eq!(told.last().unwrap(), "4000 more of this kind");
    let values = format!("[{}]", list("[]", limits::VALUES));
    let told = problems_of(values.as_bytes());
    assert!(told[0].ends_with("the list holds more than 10000000 values"), "{told:?}");
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let json =
        r#"[{"role":"user","role":"system","content":"x","metadata":{"a":[{"b":1,"b":2}]}}]"#;
    let expected =
        ["[0].role: the key is there twice", "[0].metadata.a[0].b: the key is there twice"];
    assert_eq!(problems_of(json.as_bytes()), expected);
}

#[test]
fn control_characters_are_kept_as_they_are() {
    let odd = "\0\u{1b}[2J\u{7f}\r\n\u{202e}\u{feff}";
    let json = json!([
        {"role": "user", "content": odd, "message_id": odd},
        {"role": "assistant", "model": odd, "finish": odd, "content": odd, "tool_calls": [
            {"id": odd, "name": odd, "arguments": odd},
        ]},
        {"role": "tool", "id": odd, "content": odd},
    ]);
    let before = kept(&json);
    let after = kept(&write(&before.list()));
    assert_eq!(before.messages(), after.messages());
    assert_eq!(before.stream.entries().count(), after.stream.entries().count());
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_crash(bytes in any::<Vec<u8>>()) {
        let _told = problems_of(&bytes);
    }

    #[test]
    fn any_json_is_read_without_a_crash(values in prop::collection::vec(streams::value(), 0..4)) {
        let _told = problems(&Value::from(values));
    }

    #[test]
    fn a_list_with_anything_in_it_is_read_without_a_crash(
        kept in streams::kept(),
        at in any::<prop::sample::Index>(),
        value in streams::value(),
    ) {
        let mut json = write(&kept.list());
        replace(&mut json, &mut at.index(400), &value);
        // What was taken can be written, and is taken again.
        if let Ok(Read { list, .. }) = read(json.to_string().as_bytes()) {
            let again = read(write(&list).to_string().as_bytes());
            prop_assert_eq!(again, Ok(Read { list, warnings: Vec::new() }));
        }
        if let Ok(made) = read_events(json.to_string().as_bytes(), &Progress::default(), now()) {
            let again = Kept::of(made).list();
            prop_assume!(!again.is_empty());
            prop_assert!(read(write(&again).to_string().as_bytes()).is_ok());
        }
    }
}

/// Puts a value in the place of one of those in JSON, counted through.
fn replace(json: &mut Value, at: &mut usize, value: &Value) {
    if *at == 0 {
        json.clone_from(value);
    }
    *at = at.wrapping_sub(1);
    match json {
        Value::Array(list) => list.iter_mut().for_each(|one| replace(one, at, value)),
        Value::Object(fields) => fields.values_mut().for_each(|one| replace(one, at, value)),
        _ => {}
    }
}
