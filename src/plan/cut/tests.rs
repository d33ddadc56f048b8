use std::collections::BTreeMap;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::{
    format::decode,
    model::{
        Address, Arguments, Block, CallId, Entry, Message, Request, Rules, Stream, SummaryRule,
        Timestamp, ToolCall, ToolName, ToolResult, ToolRule,
    },
    plan::{Draft, append, create},
};

/// One step of a made-up conversation.
#[derive(Clone, Copy, Debug)]
enum Step {
    Request,
    Message,
    Call,
    Result,
    Delta,
    Compaction(u64, u64),
    /// A summary of these turns, alone or with another rule.
    Summary(u64, u64, bool),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Request),
        5 => Just(Step::Message),
        2 => Just(Step::Call),
        2 => Just(Step::Result),
        1 => Just(Step::Delta),
        1 => (0..8_u64, 0..4_u64).prop_map(|(from, more)| Step::Compaction(from, from + more)),
    ]
}

fn event(step: Step) -> Event {
    let id = CallId::new("call");
    let kind = match step {
        Step::Request => EventKind::Request(Request { content: "Do".into(), interrupts: false }),
        Step::Message => {
            EventKind::Message(Message { content: "Done".into(), block: Block::default() })
        }
        Step::Call => EventKind::ToolCall(ToolCall {
            tool: ToolName::new("read"),
            id,
            arguments: Arguments::new("{}"),
            block: Block::default(),
        }),
        Step::Result => EventKind::ToolResult(ToolResult {
            id,
            tool: None,
            is_error: false,
            content: "ok".into(),
        }),
        Step::Delta => EventKind::ConfigDelta(toml::Table::new()),
        Step::Compaction(from_turn, to_turn) => {
            let rules = toml::Table::new();
            EventKind::Compaction(Compaction { from_turn, to_turn, rules })
        }
        Step::Summary(from_turn, to_turn, strips) => {
            let summary = SummaryRule::Text { text: "Much.".to_owned(), model: None };
            let tools = strips.then_some(ToolRule::Strip);
            let rules = Rules { tools, summary: Some(summary), ..Rules::default() };
            EventKind::Compaction(Compaction::new(from_turn, to_turn, &rules))
        }
    };
    Event::new(Timestamp::from_seconds(0), kind)
}

/// A conversation as plain files, with the outline to continue it.
#[derive(Clone)]
struct World {
    files: BTreeMap<String, Vec<u8>>,
    outline: Outline,
}

impl World {
    /// A conversation of these steps, as far as they can follow one another.
    fn of(steps: &[Step]) -> Self {
        let mut world = Self { files: BTreeMap::new(), outline: Outline::new() };
        world.apply(&create(&crate::model::Meta::default(), b""));
        for step in steps {
            world.push(*step);
        }
        world
    }

    fn push(&mut self, step: Step) {
        let event = event(step);
        let draft = Draft { bytes: encode(&event).unwrap(), event };
        if let Ok(step) = append(&mut self.outline, draft) {
            self.apply(&step.changes);
        }
    }

    fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Put(path, bytes) => {
                    self.files.insert(path.to_string(), bytes.clone());
                }
                Change::Move(from, to) => {
                    let bytes = self.files.remove(&from.to_string()).expect("the file is there");
                    self.files.insert(to.to_string(), bytes);
                }
                Change::Remove(path) => {
                    let (path, before) = (path.to_string(), self.files.len());
                    let directory = format!("{path}/");
                    self.files.retain(|name, _| *name != path && !name.starts_with(&directory));
                    assert!(self.files.len() < before, "{path}");
                }
            }
        }
    }

    /// Writes a remark into a manifest, and a file that no manifest lists beside it.
    fn scribble(&mut self, place: &Index, line: &Index, number: usize) {
        let manifests: Vec<String> =
            self.files.keys().filter(|path| path.ends_with("CONVERSATION")).cloned().collect();
        let path = place.get(&manifests);
        let text = String::from_utf8(self.files[path].clone()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.insert(line.index(lines.len() + 1), format!("# mine {number}"));
        self.files.insert(path.clone(), (lines.join("\n") + "\n").into_bytes());
        let beside = path.replace("CONVERSATION", &format!("{}-draft.md", 90_000 + number));
        self.files.insert(beside, b"beside".to_vec());
    }

    fn directories(&self) -> BTreeMap<Option<RunName>, BTreeSet<FileName>> {
        let mut directories = BTreeMap::from([(None, BTreeSet::new())]);
        for path in self.files.keys().filter(|path| !path.starts_with('.')) {
            let (run, name) = match path.split_once('/') {
                Some((run, name)) => (Some(run.parse().unwrap()), name),
                None => (None, path.as_str()),
            };
            let files: &mut BTreeSet<FileName> = directories.entry(run).or_default();
            files.extend(name.parse());
        }
        directories
    }

    fn manifests(&self) -> BTreeMap<Option<RunName>, Manifest> {
        let manifest = |run: Option<RunName>| {
            let path = run.as_ref().map_or_else(TreePath::manifest, TreePath::run_manifest);
            let (manifest, flaws) = Manifest::read(&self.files[&path.to_string()]);
            assert_eq!(flaws, []);
            (run, manifest)
        };
        self.directories().into_keys().map(manifest).collect()
    }

    /// All lines of the manifests in the order of the stream.
    fn lines(&self) -> Vec<(Option<RunName>, Line)> {
        let manifests = self.manifests();
        let mut lines = Vec::new();
        for line in manifests[&None].lines() {
            match line {
                Line::Run(run) => {
                    let run = Some(run.clone());
                    let own = manifests[&run].lines().iter();
                    lines.extend(own.map(|line| (run.clone(), line.clone())));
                }
                line => lines.push((None, line.clone())),
            }
        }
        lines
    }

    fn stream(&self) -> Vec<Listed> {
        let mut stream = Vec::new();
        for (run, line) in self.lines() {
            let Line::Event(name) = line else { continue };
            let bytes = &self.files[&TreePath::event_in(run.as_ref(), &name).to_string()];
            let decoded = decode(bytes, name.form(), None, Timestamp::from_seconds(1)).unwrap();
            let event = Some(decoded.event);
            stream.push(Listed { run, name, event, bytes: bytes.len() as u64 });
        }
        stream
    }

    fn cut(&self, keep: RangeInclusive<usize>) -> Cut {
        Cut {
            manifests: self.manifests(),
            files: self.directories(),
            stream: self.stream(),
            keep,
            next: self.outline.next,
        }
    }

    fn text(&self, path: &str) -> &str {
        std::str::from_utf8(&self.files[path]).unwrap()
    }
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
    let end = turn_of(stream.len() - 1);
    // Where a compaction goes that a turn began with, two turns may become one.
    let mut exact = true;

    let plan = cut(&world.cut(first..=last)).unwrap();
    world.apply(&plan.changes);

    let mut expected = Vec::new();
    for (at, listed) in stream.into_iter().enumerate() {
        let mut event = listed.event.unwrap();
        match &mut event.kind {
            EventKind::ConfigDelta(_) if at < first => {}
            _ if at < first || at > last => continue,
            EventKind::Compaction(compaction) => {
                let (from, to) = (&mut compaction.from_turn, &mut compaction.to_turn);
                if *to < turn || (*from > last_turn && *from <= end) {
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

/// Each turn has one heading with its number, where it begins.
fn check_headings(world: &World) {
    let mut events = world.stream().into_iter();
    let mut progress = Progress::default();
    let mut headings = Vec::new();
    for (_, line) in world.lines() {
        match line {
            Line::Remark(text) if text.starts_with("# Turn ") => headings.push(text),
            Line::Event(name) => {
                let listed = events.next().unwrap();
                assert_eq!(listed.name, name);
                let event = listed.event.unwrap();
                let begins = progress.begins_turn(&event);
                progress.push(&event);
                let turn = format!("# Turn {}", progress.current_turn().unwrap());
                let expected = if begins { vec![turn] } else { vec![] };
                assert_eq!(std::mem::take(&mut headings), expected, "{name}");
            }
            Line::Remark(_) | Line::Run(_) => {}
        }
    }
    assert_eq!(headings, Vec::<String>::new());
}

/// Remarks of the user and files that no manifest lists are all still there.
fn check_what_is_beside(before: &World, after: &World) {
    let remarks = |world: &World| {
        let lines = world.manifests().into_values().flat_map(|manifest| manifest.lines().to_vec());
        let remarks = lines.filter_map(|line| match line {
            Line::Remark(text) if !text.trim().is_empty() && !text.starts_with("# Turn ") => {
                Some(text)
            }
            _ => None,
        });
        let mut remarks: Vec<_> = remarks.collect();
        remarks.sort();
        remarks
    };
    assert_eq!(remarks(after), remarks(before));
    let beside = |world: &World| {
        let files = world.files.iter().filter(|(_, bytes)| *bytes == b"beside");
        files.map(|(path, _)| path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(beside(after), beside(before));
}

fn any_scribbles() -> impl Strategy<Value = Vec<(Index, Index)>> {
    prop::collection::vec(any::<(Index, Index)>(), 0..4)
}

fn scribbled(steps: &[Step], scribbles: &[(Index, Index)]) -> World {
    let mut world = World::of(steps);
    for (number, (place, line)) in scribbles.iter().enumerate() {
        world.scribble(place, line, number);
    }
    world
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
        let plan = cut(&world.cut(all)).unwrap();
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
    let plan = cut(&world.cut(5..=8)).unwrap();
    world.apply(&plan.changes);
    assert_eq!(
        plan.remarks,
        [
            "002-config-delta.toml: stays, its configuration is in force",
            "005-compaction.toml: goes, nothing is left of turn 0",
            "006-compaction.toml: covers turn 0, which before the cut was turns 0 to 2",
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
    let plan = cut(&world.cut(2..=3)).unwrap();
    world.apply(&plan.changes);
    let (_, lines) = world.text("CONVERSATION").split_once("files.\n").unwrap();
    assert_eq!(lines, "\n# Turn 0: the point\n002-request.md\n003-message.md\n");
}

#[test]
fn a_cut_in_the_middle_of_a_turn_leaves_it_incomplete() {
    let world = World::of(&[Step::Request, Step::Call, Step::Result, Step::Message]);
    let plan = cut(&world.cut(0..=1)).unwrap();
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
    let plan = cut(&world.cut(2..=10)).unwrap();
    world.apply(&plan.changes);
    assert_eq!(
        plan.remarks,
        [
            "006-compaction.toml: goes, its summary tells of turns 0 to 1, of which some go",
            "007-compaction.toml: loses its summary, which tells of turns 0 to 1, of which some go",
            "007-compaction.toml: covers turn 0, which before the cut was turns 0 to 1",
            "008-compaction.toml: covers turns 0 to 1, which before the cut was turns 1 to 2",
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
