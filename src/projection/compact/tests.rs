use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::{
    model::{Body, CallId, ToolResult},
    projection::{
        PartKind, Role, messages,
        tests::{block, calls, change, last_block, request, result, says, stream, tell, thinks},
    },
};

const STRIP_THOUGHTS: Rules =
    Rules { reasoning: Some(ReasoningRule::Strip), tools: None, summary: None };
const STRIP_TOOLS: Rules = tools(ToolRule::Strip);
const OMIT_TOOLS: Rules = tools(ToolRule::Omit);

const fn tools(rule: ToolRule) -> Rules {
    Rules { reasoning: None, tools: Some(rule), summary: None }
}

fn summary(text: &str) -> Rules {
    let summary = SummaryRule::Text { text: text.to_owned(), model: None };
    Rules { summary: Some(summary), ..Rules::default() }
}

fn over(from: u64, to: u64, rules: &Rules) -> EventKind {
    EventKind::Compaction(Compaction::new(from, to, rules))
}

/// A turn of six events: asked, thought, called, got a long result, thought again, answered.
fn turn(number: u64) -> Vec<EventKind> {
    let (first, last) = (format!("{number}-0"), format!("{number}-1"));
    let id = format!("c{number}");
    let long = ToolResult {
        id: CallId::new(id.as_str()),
        tool: None,
        is_error: false,
        content: "long ".repeat(100).into(),
    };
    vec![
        request(&format!("Q{number}")),
        thinks("Hm", block(&first)),
        calls(&id, block(&first)),
        EventKind::ToolResult(long),
        thinks("Ah", block(&last)),
        says(&format!("A{number}"), last_block(&last)),
    ]
}

fn turns(count: u64) -> Vec<EventKind> {
    (0..count).flat_map(turn).collect()
}

/// What a model sees: one line for each message, without the events that it was made of.
fn seen(events: impl IntoIterator<Item = EventKind>) -> Vec<String> {
    let compacted = compact(stream(events));
    let told = messages(&compacted.stream, None);
    let short = |line: String| match line.split_once("long long") {
        Some((before, _)) => format!("{before}LONG"),
        None => line,
    };
    let without = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (turn, _addresses) = (words.next().unwrap_or(""), words.next());
        format!("{turn} {}", words.next().unwrap_or(""))
    };
    told.iter().map(|message| short(without(&tell(message)))).collect()
}

fn with(mut events: Vec<EventKind>, more: impl IntoIterator<Item = EventKind>) -> Vec<EventKind> {
    events.extend(more);
    events
}

const LEFT_OUT: &str =
    "(The result of 500 bytes is left out to save space; call the tool again if it is needed.)";

fn whole(number: u64) -> [String; 4] {
    [
        format!("{number} user Q{number}"),
        format!("{number} assistant (Hm) | read:c{number}"),
        format!("{number} tool read:c{number} LONG"),
        format!("{number} assistant (Ah) | A{number} [stop]"),
    ]
}

#[test]
fn without_compactions_everything_is_seen() {
    let events = turns(2);
    let whole: Vec<_> = (0..2).flat_map(whole).collect();
    assert_eq!(seen(events.clone()), whole);
    assert_eq!(compact(stream(events.clone())).stream, stream(events));
}

#[test]
fn thoughts_are_left_out_of_the_turns_that_are_covered() {
    let events = with(turns(2), [over(0, 0, &STRIP_THOUGHTS)]);
    let mut expected = vec![
        "0 user Q0".to_owned(),
        "0 assistant read:c0".to_owned(),
        "0 tool read:c0 LONG".to_owned(),
        "0 assistant A0 [stop]".to_owned(),
    ];
    expected.extend(whole(1));
    assert_eq!(seen(events.clone()), expected);
    let omissions = compact(stream(events)).omissions;
    let thought = |before| Omission { thoughts: 1, ..Omission::at(0, before) };
    assert_eq!(omissions, [thought(1), thought(3)]);
}

#[test]
fn stripped_tools_keep_the_call_and_lose_the_result() {
    let expected = [
        "0 user Q0".to_owned(),
        "0 assistant (Hm) | read:c0".to_owned(),
        format!("0 tool read:c0 {LEFT_OUT}"),
        "0 assistant (Ah) | A0 [stop]".to_owned(),
    ];
    assert_eq!(seen(with(turn(0), [over(0, 0, &STRIP_TOOLS)])), expected);
}

#[test]
fn omitted_tools_take_their_results_and_the_thoughts_before_them_along() {
    let events = with(turn(0), [over(0, 0, &OMIT_TOOLS)]);
    assert_eq!(seen(events.clone()), ["0 user Q0", "0 assistant (Ah) | A0 [stop]"]);
    let omissions = compact(stream(events)).omissions;
    assert_eq!(omissions, [Omission { thoughts: 1, calls: 1, ..Omission::at(0, 1) }]);
    assert_eq!(Omission::total(&omissions).to_string(), "1 thought, 1 tool call");
}

#[test]
fn a_summary_stands_once_for_all_turns_that_it_covers() {
    let delta = || change("[assistant]\nsystem_prompt = \"Be brief\"");
    let events = with(
        with(turn(0), [delta()]),
        turn(1).into_iter().chain(turn(2)).chain([over(0, 1, &summary("Much.\n"))]),
    );
    let summed_up = "0 user <summary of=\"turns 0 to 1\">\nMuch.\n</summary>";
    // What changed in a turn that is not seen is in force all the same.
    let mut expected = vec![" system Be brief".to_owned(), summed_up.to_owned()];
    expected.extend(whole(2));
    assert_eq!(seen(events.clone()), expected);
    assert_eq!(compact(stream(events)).omissions, [Omission { turns: 2, ..Omission::at(0, 0) }]);
}

#[test]
fn for_each_part_the_last_rule_counts() {
    let events = with(
        turns(2),
        [over(0, 1, &OMIT_TOOLS), over(0, 1, &STRIP_THOUGHTS), over(1, 1, &tools(ToolRule::Keep))],
    );
    let expected = [
        "0 user Q0",
        "0 assistant A0 [stop]",
        "1 user Q1",
        "1 assistant read:c1",
        "1 tool read:c1 LONG",
        "1 assistant A1 [stop]",
    ];
    assert_eq!(seen(events), expected);
}

#[test]
fn a_summary_stands_over_later_rules_until_it_is_taken_back() {
    let mut events = with(
        turns(2),
        [over(0, 1, &summary("Old")), over(0, 0, &summary("New")), over(0, 1, &OMIT_TOOLS)],
    );
    let expected = [
        "0 user <summary of=\"turn 0\">\nNew\n</summary>",
        "1 user <summary of=\"turn 1\">\nOld\n</summary>",
    ];
    assert_eq!(seen(events.clone()), expected);
    let keep = Rules { summary: Some(SummaryRule::Keep), ..Rules::default() };
    events.push(over(1, 1, &keep));
    assert_eq!(seen(events.clone())[1..], ["1 user Q1", "1 assistant (Ah) | A1 [stop]"]);
    events.push(over(0, 1, &Rules::keep_all()));
    assert_eq!(seen(events), [whole(0), whole(1)].concat());
}

#[test]
fn a_summary_that_another_one_interrupts_is_told_once() {
    let events = with(turns(3), [over(0, 2, &summary("All")), over(1, 1, &summary("Middle"))]);
    let expected = [
        "0 user <summary of=\"turns 0 to 2\">\nAll\n</summary>",
        "1 user <summary of=\"turn 1\">\nMiddle\n</summary>",
    ];
    assert_eq!(seen(events), expected);
}

#[test]
fn the_turn_under_way_is_left_alone() {
    let all = Rules { reasoning: Some(ReasoningRule::Strip), ..summary("Nothing") };
    let under_way = [
        request("Q1"),
        over(0, 5, &all),
        over(0, 5, &OMIT_TOOLS),
        thinks("Hm", block("1-0")),
        calls("c1", block("1-0")),
        result("c1"),
    ];
    let expected = [
        "0 user <summary of=\"turn 0\">\nNothing\n</summary>",
        "1? user Q1",
        "1? assistant (Hm) | read:c1",
        "1? tool read:c1 ok",
    ];
    assert_eq!(seen(with(turn(0), under_way)), expected);
}

#[test]
fn a_changed_call_has_no_signature_and_an_unchanged_one_keeps_it() {
    let signed = |arguments: &str| {
        let EventKind::ToolCall(mut call) = calls("c", block("a")) else { unreachable!() };
        call.arguments = crate::model::Arguments::new(arguments);
        call.block.signature = Some(crate::model::Signature::over(arguments.as_bytes(), "sig"));
        EventKind::ToolCall(call)
    };
    let signature = |arguments: &str| {
        let events = [request("Q"), signed(arguments), result("c"), says("A", last_block("b"))];
        let events = with(events.into(), [over(0, 0, &STRIP_TOOLS)]);
        let told = messages(&compact(stream(events)).stream, None);
        let Role::Assistant { parts, .. } = &told[1].role else { unreachable!() };
        parts[0].signature.clone()
    };
    assert_eq!(signature("{}").as_deref(), Some("sig"));
    assert_eq!(signature(&format!("{{\"text\":\"{}\"}}", "x".repeat(500))), None);
}

#[test]
fn a_block_that_jp_does_not_know_is_no_thought() {
    let block_of = |kind: &str| {
        let native = Native { api: "anthropic".into(), block: serde_json::json!({ "type": kind }) };
        let mut entries =
            stream([request("Q"), thinks("", block("a")), says("A", last_block("a"))]);
        let entry = &mut entries.turns[0].entries[1];
        native.store(&mut entry.event.metadata, b"");
        let compaction = over(0, 0, &STRIP_THOUGHTS);
        let event = Event::new(Timestamp::from_seconds(0), compaction);
        entries.waiting.push(Entry { address: Address::FIRST, event });
        compact(entries).stream.turns[0].entries.len()
    };
    assert_eq!(block_of("redacted_thinking"), 2);
    assert_eq!(block_of("server_tool_use"), 3);
}

#[test]
fn the_reason_why_an_answer_ended_stays_when_its_last_block_goes() {
    let events = [
        request("Q"),
        says("A", block("a")),
        thinks("Done", last_block("a")),
        over(0, 0, &STRIP_THOUGHTS),
    ];
    assert_eq!(seen(events), ["0 user Q", "0 assistant A [stop]"]);
}

#[test]
fn who_sums_up_gets_earlier_summaries_of_nothing_else() {
    let events = with(turns(3), [over(0, 1, &summary("Old")), over(0, 2, &OMIT_TOOLS)]);
    let told = |range| {
        let stream = compact_within(stream(events.clone()), &range);
        messages(&stream, None).iter().map(tell).collect::<Vec<_>>()
    };
    let old = "0 18 user <summary of=\"turns 0 to 1\">\nOld\n</summary>";
    let last = ["2 12 user Q2", "2 16,17 assistant (Ah) | A2 [stop]"];
    assert_eq!(told(0..=2), [&[old], &last[..]].concat());
    assert_eq!(told(1..=1), ["1 6 user Q1", "1 10,11 assistant (Ah) | A1 [stop]"]);
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let reasoning =
        prop_oneof![Just(None), Just(Some(ReasoningRule::Keep)), Just(Some(ReasoningRule::Strip))];
    let tools = prop_oneof![
        Just(None),
        Just(Some(ToolRule::Keep)),
        Just(Some(ToolRule::Strip)),
        Just(Some(ToolRule::Omit))
    ];
    let text = SummaryRule::Text { text: "Sum".to_owned(), model: None };
    let summary =
        prop_oneof![3 => Just(None), 1 => Just(Some(SummaryRule::Keep)), 1 => Just(Some(text))];
    (reasoning, tools, summary).prop_map(|(reasoning, tools, summary)| Rules {
        reasoning,
        tools,
        summary,
    })
}

/// Any events in any order: the stream is mended before it is seen.
fn any_event() -> impl Strategy<Value = EventKind> {
    let answer = || (0..3_u8).prop_map(|number| format!("{number}"));
    let call = || (0..4_u8).prop_map(|number| format!("c{number}"));
    prop_oneof![
        2 => Just(request("Q")),
        2 => answer().prop_map(|answer| says("A", last_block(&answer))),
        2 => answer().prop_map(|answer| thinks("T", block(&answer))),
        3 => (call(), answer()).prop_map(|(id, answer)| calls(&id, block(&answer))),
        3 => (call(), 0..600_usize).prop_map(|(id, length)| {
            let (id, content) = (CallId::new(id), Body::from("x".repeat(length)));
            EventKind::ToolResult(ToolResult { id, tool: None, is_error: false, content })
        }),
        2 => (0..6_u64, 0..4_u64, any_rules())
            .prop_map(|(from, more, rules)| over(from, from + more, &rules)),
    ]
}

/// Puts an error where a result is missing and takes out results without a call, as `plan` does.
fn mended(mut stream: Stream) -> Stream {
    for turn in &mut stream.turns {
        let mut open: BTreeMap<CallId, Entry> = BTreeMap::new();
        let mut entries = Vec::new();
        for entry in std::mem::take(&mut turn.entries) {
            match &entry.event.kind {
                EventKind::ToolCall(call) if open.contains_key(&call.id) => continue,
                EventKind::ToolCall(call) => drop(open.insert(call.id.clone(), entry.clone())),
                EventKind::ToolResult(result) if open.remove(&result.id).is_none() => continue,
                _ => {}
            }
            entries.push(entry);
        }
        for (id, entry) in open {
            let EventKind::ToolResult(mut missing) = result("x") else { unreachable!() };
            missing.id = id;
            let event = Event::new(entry.event.timestamp, EventKind::ToolResult(missing));
            entries.push(Entry { address: entry.address, event });
        }
        turn.entries = entries;
    }
    stream
}

proptest! {
    #[test]
    fn calls_and_results_stay_or_go_together_and_nothing_stored_changes(
        kinds in proptest::collection::vec(any_event(), 0..40)
    ) {
        let before = mended(stream(kinds));
        let compacted = compact(before.clone());
        let after = compacted.stream;

        // What is seen is what is stored, in its order, or less of it.
        prop_assert_eq!(&after.incomplete, &before.incomplete);
        prop_assert_eq!(&after.waiting, &before.waiting);
        prop_assert_eq!(after.turns.len(), before.turns.len());
        for (old, new) in before.turns.iter().zip(&after.turns) {
            prop_assert_eq!(old.number, new.number);
            let is_summary = |entry: &Entry| matches!(&entry.event.kind, EventKind::Request(request)
                if request.content.to_text_lossy().starts_with("<summary"));
            let mut rest = old.entries.iter();
            for entry in new.entries.iter().filter(|entry| !is_summary(entry)) {
                let same = |other: &&Entry| {
                    other.address == entry.address
                        && other.event.event_type() == entry.event.event_type()
                };
                prop_assert!(rest.any(|other| same(&other)), "{entry:?}");
            }
        }

        // No call of a turn that is over is without its result, and no result without its call.
        let told = messages(&after, None);
        let mut open: Vec<(Option<u64>, CallId)> = Vec::new();
        for message in told.iter().filter(|message| !message.incomplete) {
            match &message.role {
                Role::Assistant { parts, .. } => {
                    open.extend(parts.iter().filter_map(|part| match &part.kind {
                        PartKind::Call { id, .. } => Some((message.turn, id.clone())),
                        _ => None,
                    }));
                }
                Role::Tool { id, .. } => {
                    let of = open.iter().position(|call| *call == (message.turn, id.clone()));
                    prop_assert!(of.is_some(), "a result without a call: {id}");
                    open.remove(of.unwrap());
                }
                Role::System { .. } | Role::User { .. } => {}
            }
        }
        prop_assert!(open.is_empty(), "calls without a result: {open:?}");

        // Once taken back, everything is there again.
        let mut reset = before.clone();
        let event = Event::new(Timestamp::from_seconds(0), over(0, 50, &Rules::keep_all()));
        reset.waiting.push(Entry { address: Address::FIRST, event });
        let again = compact(reset);
        prop_assert_eq!(again.stream.turns, before.turns);
        prop_assert!(again.omissions.is_empty());
    }
}
