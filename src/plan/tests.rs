use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    format::{Line, Manifest, encode},
    model::{
        Address, AnswerType, Arguments, Block, CallId, Entry, Event, EventKind, InquiryId,
        InquiryKind, InquiryRequest, InquiryResponse, Message, Outcome, Progress, Request, Stream,
        Timestamp, ToolCall, ToolName, ToolResult, ToolStart,
    },
};

/// One step of a made-up conversation.
#[derive(Clone, Copy, Debug)]
enum Move {
    Request,
    Interrupt,
    Message,
    Call(u8),
    Start(u8),
    Result(u8),
    Question(u8, u8),
    Answer(u8),
    Delta,
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        2 => Just(Move::Request),
        1 => Just(Move::Interrupt),
        3 => Just(Move::Message),
        2 => (0..3_u8).prop_map(Move::Call),
        1 => (0..3_u8).prop_map(Move::Start),
        2 => (0..3_u8).prop_map(Move::Result),
        1 => (0..2_u8, 0..3_u8).prop_map(|(id, call)| Move::Question(id, call)),
        1 => (0..2_u8).prop_map(Move::Answer),
        1 => Just(Move::Delta),
    ]
}

fn event(step: Move) -> Event {
    let call = |id: u8| CallId::new(format!("call_{id}"));
    let kind = match step {
        Move::Request => EventKind::Request(Request { content: "Do".into(), interrupts: false }),
        Move::Interrupt => EventKind::Request(Request { content: "No".into(), interrupts: true }),
        Move::Message => {
            EventKind::Message(Message { content: "Done".into(), block: Block::default() })
        }
        Move::Call(id) => EventKind::ToolCall(ToolCall {
            tool: ToolName::new("fs/write"),
            id: call(id),
            arguments: Arguments::new("{}"),
            block: Block::default(),
        }),
        Move::Start(id) => {
            let rest = toml::Table::new();
            EventKind::ToolStart(ToolStart { id: call(id), attempt: 1, rest })
        }
        Move::Result(id) => EventKind::ToolResult(ToolResult {
            id: call(id),
            tool: None,
            is_error: false,
            content: "ok".into(),
        }),
        Move::Question(id, about) => EventKind::InquiryRequest(InquiryRequest {
            id: InquiryId::new(format!("q{id}")),
            kind: InquiryKind::RunTool,
            tool: None,
            call: Some(call(about)),
            answer: AnswerType::Secret,
            exclusive: true,
            text: "May I?".into(),
        }),
        Move::Answer(id) => EventKind::InquiryResponse(InquiryResponse {
            id: InquiryId::new(format!("q{id}")),
            outcome: Outcome::Redacted,
        }),
        Move::Delta => EventKind::ConfigDelta(toml::Table::new()),
    };
    Event::new(Timestamp::from_seconds(0), kind)
}

fn draft(step: Move) -> Draft {
    let event = event(step);
    Draft { bytes: encode(&event).unwrap(), event }
}

/// A tree as plain files, changed as a store would change it.
#[derive(Default)]
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Put(path, bytes) => {
                    self.0.insert(path.to_string(), bytes.clone());
                }
                Change::Move(from, to) => {
                    let bytes = self.0.remove(&from.to_string()).expect("the file is there");
                    self.0.insert(to.to_string(), bytes);
                }
                Change::Remove(path) => {
                    self.0.remove(&path.to_string());
                }
            }
        }
    }

    /// The numbers of the events, in the order of the manifests.
    fn order(&self) -> Vec<u32> {
        let manifest = |name: &str| {
            let (manifest, flaws) = Manifest::read(&self.0[name]);
            assert_eq!(flaws, []);
            manifest
        };
        let mut order = Vec::new();
        for line in manifest("CONVERSATION").lines() {
            match line {
                Line::Remark(_) => {}
                Line::Event(name) => {
                    assert!(self.0.contains_key(name.as_str()), "{name}");
                    order.push(name.address().number());
                }
                Line::Run(run) => {
                    for name in manifest(&format!("{run}/CONVERSATION")).events() {
                        assert!(self.0.contains_key(&format!("{run}/{name}")), "{run}/{name}");
                        order.push(name.address().number());
                    }
                }
            }
        }
        order
    }
}

#[test]
fn a_long_conversation_stays_in_order_and_its_top_stays_small() {
    let mut outline = Outline::new();
    let mut files = Files::default();
    for number in 0..1234_u32 {
        let step = append(&mut outline, draft(Move::Message)).unwrap();
        files.apply(&step.changes);
        assert_eq!(step.address().number(), number);
        assert!(outline.manifest.events().count() <= 120);
    }
    assert_eq!(files.order(), (0..1234).collect::<Vec<_>>());
    assert_eq!(outline.events, 1234);
}

#[test]
fn a_refused_event_changes_nothing() {
    let mut outline = Outline::new();
    append(&mut outline, draft(Move::Request)).unwrap();
    let before = outline.clone();
    assert!(append(&mut outline, draft(Move::Request)).is_err());
    assert!(append(&mut outline, draft(Move::Result(0))).is_err());
    assert_eq!(outline, before);
}

#[test]
fn a_result_is_named_after_the_tool_of_its_call() {
    let mut outline = Outline::new();
    for step in [Move::Request, Move::Call(0)] {
        append(&mut outline, draft(step)).unwrap();
    }
    let step = append(&mut outline, draft(Move::Result(0))).unwrap();
    assert_eq!(step.name.as_str(), "002-tool-result-fs_write.md");
}

fn entries(steps: &[Move]) -> Vec<Entry> {
    let entry = |(number, step): (usize, &Move)| Entry {
        address: Address::new(number as u32).unwrap(),
        event: event(*step),
    };
    steps.iter().enumerate().map(entry).collect()
}

#[test]
fn complete_turns_are_mended_and_the_last_one_is_left_alone() {
    let steps = [
        Move::Request,
        Move::Call(0),
        Move::Call(1),
        Move::Result(1),
        Move::Result(2),
        Move::Message,
        Move::Request,
        Move::Call(0),
    ];
    let stream = Stream::new(entries(&steps));
    let incomplete = stream.incomplete.clone();
    let (mended, fixes) = sanitize(stream);
    assert_eq!(mended.incomplete, incomplete);
    let said: Vec<_> = fixes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "result (004) of call `call_2` left out: there is no such call before it",
            "call `call_0` (001) has no result: an error stands in for it",
        ]
    );
    assert_eq!(sanitize(mended).1, []);
}

proptest! {
    #[test]
    fn a_mended_stream_needs_no_mending(steps in prop::collection::vec(any_move(), 0..30)) {
        let stream = Stream::new(entries(&steps));
        let incomplete = stream.incomplete.clone();
        let (mended, _) = sanitize(stream);
        prop_assert_eq!(&mended.incomplete, &incomplete);
        let (again, fixes) = sanitize(mended.clone());
        prop_assert_eq!(fixes, vec![]);
        prop_assert_eq!(again, mended);
    }

    #[test]
    fn the_fold_and_the_split_agree(steps in prop::collection::vec(any_move(), 0..30)) {
        let entries = entries(&steps);
        let mut progress = Progress::default();
        for entry in &entries {
            progress.push(&entry.event);
        }
        let stream = Stream::new(entries.clone());
        let begun = stream.turns.len() as u64 + u64::from(stream.incomplete.is_some());
        prop_assert_eq!(progress.turns(), begun);
        prop_assert_eq!(progress.is_incomplete(), stream.incomplete.is_some());
        prop_assert_eq!(stream.entries().cloned().collect::<Vec<_>>(), entries);
    }

    #[test]
    fn what_is_admitted_needs_no_repair(steps in prop::collection::vec(any_move(), 0..40)) {
        let mut outline = Outline::new();
        let mut files = Files::default();
        files.apply(&create(&crate::model::Meta::default(), b""));
        let mut listed = Vec::new();
        for step in steps {
            let draft = draft(step);
            let event = draft.event.clone();
            if let Ok(step) = append(&mut outline, draft) {
                files.apply(&step.changes);
                listed.push(Listed { run: None, name: step.name, event: Some(event), bytes: 0 });
            }
        }
        let names = listed.iter().map(|listed| listed.name.clone()).collect();
        let repairs = repair(Repair {
            manifests: [(None, Some(outline.manifest.clone()))].into_iter().collect(),
            flawed: std::collections::BTreeSet::new(),
            files: [(None, names)].into_iter().collect(),
            listed,
            foreign: Vec::new(),
            twice: Vec::new(),
            odd_modes: Vec::new(),
            meta: None,
        });
        prop_assert_eq!(repairs, Repairs::default());
    }

    #[test]
    fn any_stream_can_be_repaired_for_good(steps in prop::collection::vec(any_move(), 1..30)) {
        let mut files = Files::default();
        let mut manifest = Manifest::from_lines(Vec::new());
        let mut listed = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let event = event(*step);
            let name = crate::format::FileName::new(Address::new(number as u32).unwrap(), &event, None);
            manifest.push(name.clone(), None);
            listed.push(Listed { run: None, name, event: Some(event), bytes: 0 });
        }
        let mut events: BTreeMap<_, _> =
            listed.iter().map(|listed| (listed.name.clone(), listed.event.clone().unwrap())).collect();
        let input = |manifest: &Manifest, listed: Vec<Listed>, names: Vec<crate::format::FileName>| Repair {
            manifests: [(None, Some(manifest.clone()))].into_iter().collect(),
            flawed: std::collections::BTreeSet::new(),
            files: [(None, names.into_iter().collect())].into_iter().collect(),
            listed,
            foreign: Vec::new(),
            twice: Vec::new(),
            odd_modes: Vec::new(),
            meta: None,
        };
        let repairs = repair(input(&manifest, listed, events.keys().cloned().collect()));
        files.apply(&repairs.changes);
        for (path, bytes) in &files.0 {
            if path == "CONVERSATION" {
                manifest = Manifest::read(bytes).0;
            } else {
                let name: crate::format::FileName = path.parse().unwrap();
                let epoch = Timestamp::from_seconds(0);
                let decoded = crate::format::decode(bytes, name.form(), None, epoch).unwrap();
                events.insert(name, decoded.event);
            }
        }
        let listed: Vec<_> = manifest
            .events()
            .map(|name| Listed { run: None, name: name.clone(), event: Some(events[name].clone()), bytes: 0 })
            .collect();
        let again = repair(input(&manifest, listed, events.keys().cloned().collect()));
        prop_assert_eq!(again, Repairs::default());
    }
}
