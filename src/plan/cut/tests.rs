use std::ops::RangeInclusive;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::{
    format::{FileName, RunName},
    model::{Address, Entry, Event, EventKind, Progress, Stream, ToolRule},
    plan::{
        Listed, Outline,
        testing::{Step, World, any_scribbles, any_step, check_headings, scribbled},
    },
};

fn cut_out(world: &World, keep: RangeInclusive<usize>) -> Edit {
    cut(&world.layout(), &keep).unwrap()
}

/// Positions at which a turn begins.
fn beginnings(stream: &[Listed]) -> Vec<usize> {
    let entry = |listed: &Listed| Entry {
        address: listed.name.address(),
        event: listed.event.clone().unwrap(),
    };
    let Stream { turns, incomplete, waiting } = Stream::new(stream.iter().map(entry));
    let mut at = 0;
    let lengths = turns.iter().map(|turn| turn.entries.len());
    let lengths = lengths.chain(incomplete.map(|incomplete| incomplete.turn.entries.len()));
    let lengths = lengths.chain((!waiting.is_empty()).then_some(waiting.len()));
    let mut begin = |length: usize| {
        at += length;
        at - length
    };
    lengths.map(&mut begin).collect()
}

/// Cuts a conversation and checks everything that has to hold of what is left.
fn check(mut world: World, first: &Index, last: &Index) {
    let before = world.clone();
    let stream = world.stream();
    let beginnings = beginnings(&stream);
    let turn = first.index(beginnings.len());
    let first = beginnings[turn];
    let last = first + last.index(stream.len() - first);
    let turn_of = |at: usize| beginnings.iter().filter(|begin| **begin <= at).count() as u64 - 1;
    let (turn, last_turn) = (turn as u64, turn_of(last));
    // A turn that has only a prelude is still to come.
    let end = stream.iter().rposition(|listed| !listed.is_prelude()).map(turn_of);
    // Where a compaction goes that a turn began with, two turns may become one.
    let mut exact = true;

    let plan = cut_out(&world, first..=last);
    world.apply(&plan.changes);

    let mut expected = Vec::new();
    for (at, listed) in stream.into_iter().enumerate() {
        let mut event = listed.event.unwrap();
        match &mut event.kind {
            EventKind::ConfigDelta(_) if at < first => {}
            _ if at < first || at > last => continue,
            EventKind::Compaction(compaction) => {
                let (from, to) = (&mut compaction.from_turn, &mut compaction.to_turn);
                if *to < turn || (*from > last_turn && Some(*from) <= end) {
                    exact = false;
                    continue;
                }
                (*from, *to) = (from.saturating_sub(turn), *to - turn);
            }
            _ => {}
        }
        expected.push((listed.run, listed.name, event));
    }
    let left = world.stream();
    let found: Vec<_> = left
        .iter()
        .cloned()
        .map(|listed| (listed.run, listed.name, listed.event.unwrap()))
        .collect();
    let name = |(run, name, _): &(Option<RunName>, FileName, Event)| (run.clone(), name.clone());
    assert_eq!(
        found.iter().map(name).collect::<Vec<_>>(),
        expected.iter().map(name).collect::<Vec<_>>()
    );
    if exact {
        assert_eq!(found, expected);
    }

    check_headings(&world);
    check_what_is_beside(&before, &world);
    let mut progress = Progress::default();
    for (_, _, event) in &found {
        progress.push(event);
    }
    let outline = Outline {
        manifest: world.manifests()[&None].clone(),
        runs: world.directories().into_keys().flatten().collect(),
        next: before.outline.next,
        events: left.len() as u64,
        bytes: left.iter().map(|listed| listed.bytes).sum(),
        progress,
    };
    assert_eq!(plan.outline, outline);

    world.outline = plan.outline;
    world.push(Step::Message);
    let added = world.stream().pop().unwrap();
    assert_eq!(Some(added.name.address()), before.outline.next);
    assert_eq!(world.stream().len(), expected.len() + 1);
    check_headings(&world);
}

/// Remarks of the user and files that no manifest lists are all still there.
fn check_what_is_beside(before: &World, after: &World) {
    assert_eq!(after.remarks(), before.remarks());
    assert_eq!(after.beside(), before.beside());
}

proptest! {
    #[test]
    fn what_is_left_is_sound(
        steps in prop::collection::vec(any_step(), 1..40),
        scribbles in any_scribbles(),
        first in any::<Index>(),
        last in any::<Index>(),
    ) {
        let world = scribbled(&steps, &scribbles);
        prop_assume!(world.outline.events > 0);
        check(world, &first, &last);
    }

    #[test]
    fn a_cut_that_keeps_everything_changes_nothing(
        steps in prop::collection::vec(any_step(), 1..40),
        scribbles in any_scribbles(),
    ) {
        let world = scribbled(&steps, &scribbles);
        prop_assume!(world.outline.events > 0);
        let all = 0..=world.stream().len() - 1;
        let plan = cut_out(&world, all);
        prop_assert_eq!((plan.changes, plan.remarks), (vec![], vec![]));
        prop_assert_eq!(plan.outline.manifest, world.manifests()[&None].clone());
        prop_assert_eq!(plan.outline.progress, world.outline.progress);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_left_of_sealed_runs_is_sound(
        steps in prop::collection::vec(any_step(), 500..900),
        scribbles in any_scribbles(),
        first in any::<Index>(),
        last in any::<Index>(),
    ) {
        let world = scribbled(&steps, &scribbles);
        prop_assert!(world.outline.runs.len() >= 2);
        check(world, &first, &last);
    }
}

#[test]
fn a_cut_is_told_and_seen_in_the_files() {
    let mut world = World::of(&[
        Step::Request,
        Step::Message,
        Step::Delta,
        Step::Request,
        Step::Message,
        Step::Compaction(0, 0),
        Step::Compaction(0, 2),
        Step::Request,
        Step::Message,
        Step::Request,
        Step::Message,
    ]);
    let manifest = world.text("CONVERSATION").replace("004-", "# mine\n004-");
    world.files.insert("CONVERSATION".to_owned(), manifest.into_bytes());
    let plan = cut_out(&world, 5..=8);
    world.apply(&plan.changes);
    assert_eq!(
        plan.remarks,
        [
            "002-config-delta.toml: stays, its configuration is in force",
            "005-compaction.toml: goes, nothing is left of turn 0",
            "006-compaction.toml: covers turn 0, which before was turns 0 to 2",
        ]
    );
    let (_, lines) = world.text("CONVERSATION").split_once("files.\n").unwrap();
    let expected = "\n# Turn 0\n002-config-delta.toml\n# mine\n006-compaction.toml\n\
                    007-request.md\n008-message.md\n";
    assert_eq!(lines, expected);
    let files: Vec<_> = world.files.keys().filter(|path| !path.starts_with('.')).collect();
    assert_eq!(
        files,
        [
            "002-config-delta.toml",
            "006-compaction.toml",
            "007-request.md",
            "008-message.md",
            "CONVERSATION"
        ]
    );
    assert!(world.text("006-compaction.toml").starts_with("from_turn = 0\nto_turn = 0\n"));
    assert_eq!(plan.outline.next, Address::new(11));
}

#[test]
fn a_heading_with_words_is_numbered_anew_and_goes_with_its_turn() {
    let turn = [Step::Request, Step::Message];
    let mut world = World::of(&[turn, turn, turn].concat());
    let manifest = world.text("CONVERSATION").to_owned();
    let manifest = manifest.replace("# Turn 0", "# Turn 0: greetings");
    let manifest = manifest.replace("# Turn 1", "# Turn 1: the point");
    world.files.insert("CONVERSATION".to_owned(), manifest.into_bytes());
    let plan = cut_out(&world, 2..=3);
    world.apply(&plan.changes);
    let (_, lines) = world.text("CONVERSATION").split_once("files.\n").unwrap();
    assert_eq!(lines, "\n# Turn 0: the point\n002-request.md\n003-message.md\n");
}

#[test]
fn a_cut_in_the_middle_of_a_turn_leaves_it_incomplete() {
    let world = World::of(&[Step::Request, Step::Call, Step::Result, Step::Message]);
    let plan = cut_out(&world, 0..=1);
    assert_eq!(plan.outline.progress.status().to_string(), "interrupted (pending tool execution)");
    assert_eq!(plan.outline.events, 2);
}

#[test]
fn a_summary_goes_when_some_of_what_it_tells_goes() {
    let turn = [Step::Request, Step::Message];
    let steps = [
        &turn.repeat(3)[..],
        &[Step::Summary(0, 1, false), Step::Summary(0, 1, true), Step::Summary(1, 2, true)],
        &turn,
    ];
    let mut world = World::of(&steps.concat());
    let plan = cut_out(&world, 2..=10);
    world.apply(&plan.changes);
    assert_eq!(
        plan.remarks,
        [
            "006-compaction.toml: goes, its summary tells of turns 0 to 1, of which some go",
            "007-compaction.toml: loses its summary, which tells of turns 0 to 1, of which some go",
            "007-compaction.toml: covers turn 0, which before was turns 0 to 1",
            "008-compaction.toml: covers turns 0 to 1, which before was turns 1 to 2",
        ]
    );
    let left = |name: &str| {
        let Some(Event { kind: EventKind::Compaction(compaction), .. }) = world
            .stream()
            .into_iter()
            .find(|listed| listed.name.to_string() == name)
            .and_then(|listed| listed.event)
        else {
            return None;
        };
        let rules = compaction.known_rules();
        Some((compaction.turns(), rules.tools, rules.summary.is_some()))
    };
    let strips = Some(ToolRule::Strip);
    assert_eq!(left("006-compaction.toml"), None);
    assert_eq!(left("007-compaction.toml"), Some(("turn 0".to_owned(), strips, false)));
    assert_eq!(left("008-compaction.toml"), Some(("turns 0 to 1".to_owned(), strips, true)));
}
