//! What a list does not hold is counted, and nothing else.

use super::*;
use crate::model::Forked;

#[test]
fn a_list_that_holds_everything_leaves_nothing_out() {
    let kept = kept(&json!([
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "What is this?"},
        {"role": "assistant", "content": "A test"},
    ]));
    let meta = Meta { title: Some("What is this?".to_owned()), ..kept.meta.clone() };
    let kept = Kept { meta, ..kept };
    let left = LeftOut::of(&kept.stream, &kept.origin());
    assert_eq!((left.is_nothing(), left.to_string().as_str()), (true, ""));
}

#[test]
fn what_is_left_out_is_counted_in_a_few_words() {
    let events = streams::of_everything();
    let meta = Meta {
        title: Some("Mine".to_owned()),
        labels: [("a".to_owned(), "b".to_owned())].into(),
        forked: Some(Forked { from: conversation(1), commit: "0".repeat(40) }),
        ..Meta::default()
    };
    let config = "[assistant]\nsystem_prompt = \"x\"\nmodel = \"m\"\n".parse().unwrap();
    let kept = Kept { id: conversation(2), meta, config, stream: stream(events) };
    let left = LeftOut { queued: 2, ..LeftOut::of(&kept.stream, &kept.origin()) };
    let expected = "1 question with what was answered, 1 start of tools, 2 settings, 1 change of \
                    the configuration, 1 compaction, 1 superseded block, 1 result that the model \
                    does not get, 1 attachment without a request, 2 queued requests, 1 unknown \
                    key, 1 label, the title, where it was forked from";
    assert_eq!(left.to_string(), expected);
}
