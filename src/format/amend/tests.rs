use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    format::strategies::{event, text},
    model::{Signature, edited_at},
};

const OLD: &str = "2026-01-31T12:00:00Z";
const NOW: &str = "2026-02-01T08:30:00+01:00";

fn read(bytes: &[u8]) -> Decoded {
    decode(bytes, Form::sniff(bytes), None, OLD.parse().unwrap()).unwrap()
}

fn amended(text: &str) -> String {
    let (decoded, form) = (read(text.as_bytes()), Form::sniff(text.as_bytes()));
    let now = NOW.parse().unwrap();
    let (event, bytes) = amend(text.as_bytes().to_vec(), form, &decoded, now).unwrap();
    assert_eq!(read(&bytes).event, event);
    assert_eq!(edited_at(&event.metadata), Some(now));
    assert_eq!(without_mark(&event), without_mark(&decoded.event));
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_file_as_jp_writes_it_is_written_anew() {
    assert_eq!(
        amended("---\ntype: request\ntimestamp: 2026-01-31T12:00:00Z\nmine: 1\n---\nx\n"),
        "---\ntype: request\ntimestamp: 2026-01-31T12:00:00Z\nmetadata:\n  \
         edited: 2026-02-01T08:30:00+01:00\nmine: 1\n---\nx\n"
    );
    assert_eq!(
        amended(
            "a = 1\n\n[event]\ntype = \"config-delta\"\ntimestamp = \"2026-01-31T12:00:00Z\"\n"
        ),
        "a = 1\n\n[event]\ntype = \"config-delta\"\ntimestamp = \"2026-01-31T12:00:00Z\"\n\n\
         [event.metadata]\nedited = \"2026-02-01T08:30:00+01:00\"\n"
    );
}

#[test]
fn a_file_with_a_style_of_its_own_keeps_it() {
    assert_eq!(
        amended("---\n# mine\ntype:   request\n---\n\n---\nx"),
        "---\n# mine\ntype:   request\ntimestamp: 2026-01-31T12:00:00Z\nmetadata:\n  \
         edited: 2026-02-01T08:30:00+01:00\n---\n\n---\nx"
    );
    assert_eq!(
        amended("\u{feff}---\r\ntype: request # mine\r\n---\r\nx\r\n"),
        "\u{feff}---\r\ntype: request # mine\r\ntimestamp: 2026-01-31T12:00:00Z\r\n\
         metadata:\r\n  edited: 2026-02-01T08:30:00+01:00\r\n---\r\nx\r\n"
    );
    assert_eq!(
        amended(
            "---\nmetadata: # of mine\n    # why\n    a: |\n      b\n# c\n    d: 1\n\n\
             timestamp: 2020-01-01T00:00:00Z\ntype: request\n---\n"
        ),
        "---\nmetadata: # of mine\n    # why\n    a: |\n      b\n# c\n    d: 1\n    \
         edited: 2026-02-01T08:30:00+01:00\n\ntimestamp: 2020-01-01T00:00:00Z\ntype: request\n---\n"
    );
    assert_eq!(
        amended(
            "a = 1 # mine\r\n[event]\r\ntype = \"config-delta\"\r\ntimestamp = \"2020-01-01T00:00:00Z\""
        ),
        "a = 1 # mine\r\n[event]\r\ntype = \"config-delta\"\r\ntimestamp = \"2020-01-01T00:00:00Z\"\r\n\
         \r\n[event.metadata]\r\nedited = \"2026-02-01T08:30:00+01:00\"\r\n"
    );
    assert_eq!(
        amended(
            "[event.metadata] # of mine\nb = 1\n\n[event]\ntype = \"config-delta\"\n\
             timestamp = 2020-01-01T00:00:00Z\n"
        ),
        "[event.metadata] # of mine\nedited = \"2026-02-01T08:30:00+01:00\"\nb = 1\n\n\
         [event]\ntype = \"config-delta\"\ntimestamp = 2020-01-01T00:00:00Z\n"
    );
}

#[test]
fn a_new_mark_takes_the_place_of_an_old_one() {
    assert_eq!(
        amended(
            "---\ntype: request # mine\ntimestamp: 2020-01-01T00:00:00Z\nmetadata:\n  \
             edited: '2021-01-01T00:00:00Z' # then\n  a: 1\n---\n"
        ),
        "---\ntype: request # mine\ntimestamp: 2020-01-01T00:00:00Z\nmetadata:\n  \
         edited: 2026-02-01T08:30:00+01:00 # then\n  a: 1\n---\n"
    );
    assert_eq!(
        amended(
            "# mine\n[event]\ntype = \"config-delta\"\ntimestamp = \"2020-01-01T00:00:00Z\"\n\
             [event.metadata]\nedited='2021-01-01T00:00:00Z'\n[b]\nedited = 1\n"
        ),
        "# mine\n[event]\ntype = \"config-delta\"\ntimestamp = \"2020-01-01T00:00:00Z\"\n\
         [event.metadata]\nedited= \"2026-02-01T08:30:00+01:00\"\n[b]\nedited = 1\n"
    );
}

#[test]
fn what_cannot_be_put_in_as_text_is_written_anew() {
    let plain = "---\ntype: request\ntimestamp: 2026-01-31T12:00:00Z\nmetadata:\n  a: 1\n  \
                 edited: 2026-02-01T08:30:00+01:00\n---\nx\n";
    for text in [
        "---\n{type: request, metadata: {a: 1}}\n---\nx",
        "---\ntype: request # mine\nmetadata: {a: 1}\n---\nx",
        "---\ntype: request\n\"metadata\":\n  a: 1\n---\nx",
        "---\ntype: request\nmetadata:\n  a: 1\n...\n---\nx",
        "---\n  type: request\n  metadata:\n    a: 1\n---\nx",
    ] {
        assert_eq!(amended(text), plain, "{text}");
    }
}

#[test]
fn what_a_provider_said_goes_with_the_content_that_it_stood_for() {
    let now: Timestamp = NOW.parse().unwrap();
    let native = Native { api: "anthropic".to_owned(), block: json!({"type": "thinking"}) };
    let text = "---\ntype: reasoning # mine\ntimestamp: 2026-01-31T12:00:00Z\n---\nI thought\n";
    for (signed, stands_for) in
        [("I thought", "I thought"), ("I think", "I thought"), ("I thought", "I think")]
    {
        let mut event = read(text.as_bytes()).event;
        event.block_mut().unwrap().signature = Some(Signature::over(signed.as_bytes(), "c2ln"));
        native.store(&mut event.metadata, stands_for.as_bytes());
        let bytes = encode(&event).unwrap();
        let (amended, bytes) = amend(bytes.clone(), Form::Markdown, &read(&bytes), now).unwrap();
        assert_eq!(bytes, encode(&amended).unwrap());
        let signature = &amended.block().unwrap().signature;
        assert_eq!(signature.is_some(), signed == "I thought");
        assert_eq!(amended.metadata.contains_key("native"), stands_for == "I thought");
        assert_eq!(edited_at(&amended.metadata), Some(now));
    }
}

#[test]
fn a_call_without_an_id_gets_one() {
    let given = |text: &str| {
        let form = Form::sniff(text.as_bytes());
        let bytes = with_call_id(text.as_bytes().to_vec(), form, || "no".to_owned());
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(
        given("---\r\ntype: tool-call # mine\r\n# id: later\r\n---\r\nid: x"),
        "---\r\ntype: tool-call # mine\r\n# id: later\r\nid: \"no\"\r\n---\r\nid: x"
    );
    for text in [
        "---\ntype: tool-call\n\"id\": a\n---\n",
        "---\ntype: tool-call\nid:\n---\n",
        "---\ntype: tool-result\n---\n",
        "---\n{type: tool-call}\n---\n",
        "---\n: : :\n---\n",
        "---\ntype: tool-call\n",
        "[event]\ntype = \"tool-start\"\n",
    ] {
        assert_eq!(given(text), text);
    }
}

/// An event file as it is after somebody has worked on it.
fn by_hand(event: &Event, body: &str, style: usize) -> Vec<u8> {
    let bytes = encode(event).unwrap();
    let Ok(split) = frontmatter::split(&bytes) else {
        let remark = if style == 0 { "" } else { "# mine\n" };
        return [remark.as_bytes(), &bytes].concat();
    };
    match style {
        0 => frontmatter::join(split.header, body.as_bytes()),
        1 => frontmatter::join(&format!("# mine\n{}", split.header), body.as_bytes()),
        _ => {
            let header = format!("# mine\n{}", split.header).replace('\n', "\r\n");
            format!("---\r\n{header}---\r\n{body}").into_bytes()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn an_edited_event_reads_back_with_its_mark(event in event(), body in text(), style in 0_usize..3) {
        let bytes = by_hand(&event, &body, style);
        let form = Form::of_type(event.event_type());
        let now: Timestamp = NOW.parse().unwrap();
        // Not every text is the body of every event, and not every frontmatter fits by hand.
        if let Ok(decoded) = decode(&bytes, form, None, Timestamp::from_seconds(0)) {
            let (amended, written) = amend(bytes.clone(), form, &decoded, now).unwrap();
            prop_assert_eq!(edited_at(&amended.metadata), Some(now));
            prop_assert_eq!(&decode(&written, form, None, now).unwrap().event, &amended);

            let mut expected = without_mark(&decoded.event);
            let was_stale = drop_stale(&mut expected);
            prop_assert_eq!(without_mark(&amended), expected);

            let was_canonical = encode(&decoded.event).unwrap() == bytes;
            if was_canonical || was_stale {
                prop_assert_eq!(&written, &encode(&amended).unwrap());
            } else if style > 0 {
                prop_assert!(String::from_utf8_lossy(&written).contains("# mine"));
            }
            if let (Form::Markdown, false) = (form, was_canonical || was_stale) {
                let bodies = [&bytes, &written].map(|file| frontmatter::split(file).unwrap().body);
                prop_assert_eq!(bodies[0], bodies[1]);
            }
        }
    }
}
