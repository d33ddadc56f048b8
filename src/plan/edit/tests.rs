//! Any edit of any conversation is refused, or leads to a conversation that needs no repair.

use std::collections::BTreeSet;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::{
    format::{FileName, Line, encode},
    model::{EventKind, Progress},
    plan::{
        Draft, Outline,
        testing::{Step, World, any_scribbles, check_headings, event, scribbled},
    },
};

/// One thing that somebody does to a plan.
#[derive(Clone, Debug)]
enum Stroke {
    /// Deletes a line.
    Remove(Index),
    /// Swaps two lines.
    Swap(Index, Index),
    /// Moves some lines elsewhere.
    Move(Index, u8, Index),
    /// Deletes a turn.
    RemoveTurn(Index),
    /// Moves a turn elsewhere.
    MoveTurn(Index, Index),
    /// Writes a new event, under a number of the user's choice or any name.
    Add(Index, Step, Option<u64>),
    /// Changes what an event says.
    Reword(Index),
    /// Makes another event of one.
    Rewrite(Index, Step),
    /// Renames a file.
    Rename(Index),
    /// Writes a remark.
    Remark(Index),
    /// Writes a heading.
    Heading(Index, u64),
}

fn any_event_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Request),
        6 => Just(Step::Message),
        3 => Just(Step::Call),
        3 => Just(Step::Result),
        1 => Just(Step::OtherCall),
        1 => Just(Step::OtherResult),
        1 => Just(Step::Start),
        1 => Just(Step::Question),
        1 => Just(Step::Answer),
        1 => Just(Step::Interruption),
        1 => Just(Step::Attachment),
        1 => Just(Step::Delta),
        1 => (0..8_u64, 0..4_u64).prop_map(|(from, more)| Step::Compaction(from, from + more)),
        1 => (0..8_u64, 0..4_u64, any::<bool>())
            .prop_map(|(from, more, strips)| Step::Summary(from, from + more, strips)),
    ]
}

fn any_stroke() -> impl Strategy<Value = Stroke> {
    let any = any::<Index>;
    let number = prop::option::of(0..60_u64);
    prop_oneof![
        4 => any().prop_map(Stroke::Remove),
        2 => (any(), any()).prop_map(|(one, other)| Stroke::Swap(one, other)),
        2 => (any(), 1..6_u8, any()).prop_map(|(from, count, to)| Stroke::Move(from, count, to)),
        3 => any().prop_map(Stroke::RemoveTurn),
        4 => (any(), any()).prop_map(|(turn, to)| Stroke::MoveTurn(turn, to)),
        3 => (any(), any_event_step(), number).prop_map(|(at, step, name)| Stroke::Add(at, step, name)),
        2 => any().prop_map(Stroke::Reword),
        1 => (any(), any_event_step()).prop_map(|(at, step)| Stroke::Rewrite(at, step)),
        1 => any().prop_map(Stroke::Rename),
        2 => any().prop_map(Stroke::Remark),
        1 => (any(), 0..9_u64).prop_map(|(at, turn)| Stroke::Heading(at, turn)),
    ]
}

/// A wish in the making.
struct Pen<'a> {
    layout: &'a Layout,
    wish: Wish,
}

impl Pen<'_> {
    fn make(&mut self, stroke: &Stroke) {
        let count = self.wish.lines.len();
        match stroke {
            Stroke::Remove(at) if count > 0 => drop(self.wish.lines.remove(at.index(count))),
            Stroke::Swap(one, other) if count > 0 => {
                self.wish.lines.swap(one.index(count), other.index(count));
            }
            Stroke::Move(from, size, to) if count > 0 => {
                let from = from.index(count);
                let end = (from + usize::from(*size)).min(count);
                let block: Vec<_> = self.wish.lines.drain(from..end).collect();
                self.put(to, block);
            }
            Stroke::RemoveTurn(turn) => drop(self.take_turn(turn)),
            Stroke::MoveTurn(turn, to) => {
                let block = self.take_turn(turn);
                let turns = self.layout.turns();
                // Before another turn, or at the end.
                let begins = |line: &usize| match self.wish.lines[*line].wanted {
                    Wanted::Kept(at) => at == 0 || turns[at - 1] != turns[at],
                    _ => false,
                };
                let mut places: Vec<_> = (0..self.wish.lines.len()).filter(begins).collect();
                places.push(self.wish.lines.len());
                let place = *to.get(&places);
                self.wish.lines.splice(place..place, block);
            }
            Stroke::Add(at, step, number) => {
                let event = event(*step);
                let given = match number {
                    Some(number) => format!("{number:03}-{}", "mine.md"),
                    None => format!("new-{}.md", self.wish.added.len()),
                };
                if self.wish.added.iter().any(|added| added.given == given) {
                    return;
                }
                let draft = Draft { bytes: encode(&event).unwrap(), event };
                let chosen = given.parse().ok();
                self.wish.added.push(Added { given, chosen, draft });
                self.put(at, vec![Wanted::New(self.wish.added.len() - 1).into()]);
            }
            Stroke::Reword(at) if !self.layout.stream.is_empty() => {
                let at = at.index(self.layout.stream.len());
                let mut event = self.layout.stream[at].event.clone().unwrap();
                event.metadata.insert("note".to_owned(), "else".into());
                let bytes = encode(&event).unwrap();
                self.wish.edited.insert(at, Draft { event, bytes });
            }
            Stroke::Rewrite(at, step) if !self.layout.stream.is_empty() => {
                let at = at.index(self.layout.stream.len());
                let event = event(*step);
                let form = crate::format::Form::of_type(event.event_type());
                if self.layout.stream[at].name.form() == form {
                    let bytes = encode(&event).unwrap();
                    self.wish.edited.insert(at, Draft { event, bytes });
                }
            }
            Stroke::Rename(at) if !self.layout.stream.is_empty() => {
                let at = at.index(self.layout.stream.len());
                let name = self.layout.stream[at].name.to_string();
                let (number, _) = name.split_once('-').unwrap();
                let extension = name.rsplit('.').next().unwrap();
                let name: FileName = format!("{number}-else.{extension}").parse().unwrap();
                self.wish.renamed.insert(at, name);
            }
            Stroke::Remark(at) => self.put(at, vec![Wanted::Remark("# also".to_owned()).into()]),
            Stroke::Heading(at, turn) => {
                self.put(at, vec![Wanted::Remark(format!("# Turn {turn}")).into()]);
            }
            _ => {}
        }
    }

    fn put(&mut self, at: &Index, lines: Vec<WishLine>) {
        let at = at.index(self.wish.lines.len() + 1);
        self.wish.lines.splice(at..at, lines);
    }

    /// Takes the events of a turn out.
    fn take_turn(&mut self, turn: &Index) -> Vec<WishLine> {
        let turns = self.layout.turns();
        let Some(last) = turns.last() else { return Vec::new() };
        let turn = turn.index(usize::try_from(*last).unwrap() + 1) as u64;
        let is_of = |line: &WishLine| matches!(line.wanted, Wanted::Kept(at) if turns[at] == turn);
        let (taken, left) = std::mem::take(&mut self.wish.lines).into_iter().partition(is_of);
        self.wish.lines = left;
        taken
    }
}

fn wish_of(layout: &Layout, strokes: &[Stroke]) -> Wish {
    let mut pen = Pen { layout, wish: Wish::unchanged(layout) };
    for stroke in strokes {
        pen.make(stroke);
    }
    pen.wish
}

/// Edits a conversation, and checks everything that has to hold of what becomes of it. Tells
/// whether the edit was made.
fn check(mut world: World, strokes: &[Stroke]) -> bool {
    let before = world.clone();
    let layout = world.layout();
    let wish = wish_of(&layout, strokes);
    let edit = match edit(&layout, &wish) {
        Ok(edit) => edit,
        Err(faults) => {
            assert!(!faults.is_empty());
            return false;
        }
    };
    world.apply(&edit.changes);
    check_loads(&world);
    check_order(&before, &world, &layout, &wish, &edit);
    assert_eq!(world.beside(), before.beside());
    check_remarks(&world, &before, &layout, &wish);
    check_headings(&world);

    let stream = world.stream();
    let mut progress = Progress::default();
    for listed in &stream {
        progress.push(listed.event.as_ref().unwrap());
    }
    let highest = stream.iter().map(|listed| listed.name.address().next()).max().flatten();
    let outline = Outline {
        manifest: world.manifests()[&None].clone(),
        runs: world.directories().into_keys().flatten().collect(),
        next: before.outline.next.max(highest),
        events: stream.len() as u64,
        bytes: stream.iter().map(|listed| listed.bytes).sum(),
        progress,
    };
    assert_eq!(edit.outline, outline);
    world.outline = edit.outline;

    // Whoever opens and saves it now changes nothing.
    let layout = world.layout();
    let again = super::edit(&layout, &Wish::unchanged(&layout)).unwrap();
    assert_eq!((again.changes, again.remarks, again.tally), (vec![], vec![], Tally::default()));

    // And it goes on.
    let count = stream.len();
    world.push(Step::Message);
    assert_eq!(world.stream().len(), count + 1);
    check_loads(&world);
    check_headings(&world);
    true
}

/// Everything that is listed is there, once, and may stand where it does; every run is listed once.
fn check_loads(world: &World) {
    let mut progress = Progress::default();
    let mut numbers = BTreeSet::new();
    let mut paths = BTreeSet::new();
    for listed in world.stream() {
        let event = listed.event.as_ref().unwrap();
        assert_eq!(progress.admit(event), Ok(()), "{}", listed.name);
        progress.push(event);
        assert!(numbers.insert(listed.name.address()), "{}", listed.name);
        assert!(paths.insert(listed.path().to_string()));
    }
    let manifests = world.manifests();
    let top = manifests[&None].lines();
    let run = |line: &Line| match line {
        Line::Run(run) => Some(run.clone()),
        Line::Event(_) | Line::Remark(_) => None,
    };
    let runs: Vec<_> = top.iter().filter_map(run).collect();
    assert_eq!(runs.iter().collect::<BTreeSet<_>>().len(), runs.len());
    let is_event = |path: &&String| {
        let name = path.rsplit('/').next().unwrap();
        !path.starts_with('.') && name.parse::<FileName>().is_ok()
    };
    let beside = world.beside();
    for path in world.files.keys().filter(is_event) {
        assert!(paths.contains(path) != beside.contains(path), "{path}");
    }
}

/// The stream is what was wished for, with what stands in for results, and without compactions
/// that lost their turns, of which each is told.
fn check_order(before: &World, after: &World, layout: &Layout, wish: &Wish, edit: &Edit) {
    let stand_ins: BTreeSet<_> = edit.tally.stand_ins.iter().map(|(name, _)| name).collect();
    let mut added = edit.tally.added.iter();
    let mut expected = Vec::new();
    for line in &wish.lines {
        match &line.wanted {
            Wanted::Remark(_) => {}
            Wanted::Kept(at) => {
                let listed = &layout.stream[*at];
                if edit.tally.removed.contains(&listed.name) {
                    assert!(matches!(listed.kind(), Some(EventKind::Compaction(_))));
                    let told = format!("{}: goes, ", listed.path());
                    assert!(edit.remarks.iter().any(|remark| remark.starts_with(&told)));
                    continue;
                }
                let name = wish.renamed.get(at).unwrap_or(&listed.name);
                assert_eq!(name.address(), listed.name.address());
                let kept = &before.files[&listed.path().to_string()];
                let bytes = wish.edited.get(at).map_or(kept, |draft| &draft.bytes);
                let follows = matches!(listed.kind(), Some(EventKind::Compaction(_)));
                expected.push((name.clone(), (!follows).then_some(bytes)));
            }
            Wanted::New(index) => {
                let (name, given) = added.next().unwrap();
                let new = &wish.added[*index];
                assert_eq!(*given, new.given);
                assert!(Some(name.address()) >= layout.next);
                expected.push((name.clone(), Some(&new.draft.bytes)));
            }
        }
    }
    assert_eq!(added.next(), None);
    let stream = after.stream();
    let found: Vec<_> = stream.iter().filter(|listed| !stand_ins.contains(&listed.name)).collect();
    let names: Vec<_> = expected.iter().map(|(name, _)| name).collect();
    assert_eq!(found.iter().map(|listed| &listed.name).collect::<Vec<_>>(), names);
    for (listed, (_, bytes)) in found.iter().zip(&expected) {
        if let Some(bytes) = bytes {
            assert_eq!(&after.files[&listed.path().to_string()], *bytes, "{}", listed.name);
        }
    }
    // A number is never given to anything else.
    let was: BTreeSet<_> = layout.stream.iter().map(|listed| listed.name.address()).collect();
    assert!(stand_ins.iter().all(|name| !was.contains(&name.address())));
    let gone = layout.stream.iter().map(|listed| &listed.name);
    let gone = gone.filter(|name| !stream.iter().any(|l| l.name.address() == name.address()));
    assert_eq!(gone.collect::<BTreeSet<_>>(), edit.tally.removed.iter().collect());
}

/// All remarks of the wish are there, and those that no stream shows.
fn check_remarks(after: &World, before: &World, layout: &Layout, wish: &Wish) {
    let words = |lines: &[WishLine]| -> Vec<String> {
        let remark = |line: &WishLine| match &line.wanted {
            Wanted::Remark(text) if !line.wanted.is_blank() && !line.wanted.is_heading() => {
                Some(text.clone())
            }
            _ => None,
        };
        let mut words: Vec<_> = lines.iter().filter_map(remark).collect();
        words.sort();
        words
    };
    let mut hidden = before.remarks();
    for text in words(&Wish::unchanged(layout).lines) {
        let at = hidden.iter().position(|known| *known == text).unwrap();
        hidden.remove(at);
    }
    let mut expected = words(&wish.lines);
    expected.extend(hidden);
    expected.sort();
    assert_eq!(after.remarks(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_edit_is_refused_or_leads_to_a_sound_conversation(
        steps in prop::collection::vec(any_event_step(), 1..40),
        scribbles in any_scribbles(),
        strokes in prop::collection::vec(any_stroke(), 1..5),
    ) {
        let world = scribbled(&steps, &scribbles);
        prop_assume!(world.outline.events > 0);
        check(world, &strokes);
    }

    #[test]
    fn whole_turns_go_and_move_and_nothing_else_is_touched(
        steps in prop::collection::vec(any_event_step(), 1..40),
        strokes in prop::collection::vec(
            prop_oneof![
                any::<Index>().prop_map(Stroke::RemoveTurn),
                any::<(Index, Index)>().prop_map(|(turn, to)| Stroke::MoveTurn(turn, to)),
            ],
            1..4,
        ),
    ) {
        check(World::of(&steps), &strokes);
    }

    #[test]
    fn a_wish_that_changes_nothing_changes_nothing(
        steps in prop::collection::vec(any_event_step(), 1..40),
        scribbles in any_scribbles(),
    ) {
        let layout = scribbled(&steps, &scribbles).layout();
        let has_request = |listed: &crate::plan::Listed| {
            matches!(listed.kind(), Some(EventKind::Request(_)))
        };
        prop_assume!(layout.stream.iter().any(has_request));
        let edit = edit(&layout, &Wish::unchanged(&layout)).unwrap();
        prop_assert_eq!((edit.changes, edit.remarks), (vec![], vec![]));
        prop_assert_eq!(edit.tally, Tally::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn an_edit_of_sealed_runs_is_refused_or_leads_to_a_sound_conversation(
        steps in prop::collection::vec(any_event_step(), 300..500),
        scribbles in any_scribbles(),
        strokes in prop::collection::vec(any_stroke(), 1..3),
    ) {
        let world = scribbled(&steps, &scribbles);
        prop_assert!(!world.outline.runs.is_empty());
        check(world, &strokes);
    }
}

#[test]
fn most_turns_can_be_moved() {
    let turn = [Step::Request, Step::Call, Step::Start, Step::Result, Step::Message];
    let delta = [Step::Delta, Step::Request, Step::Message];
    let world = World::of(&[&turn[..], &delta, &turn].concat());
    let layout = world.layout();
    let last = layout.turns().last().copied().unwrap();
    assert_eq!(last, 2);
    for from in 0..3 {
        let mut wish = Wish::unchanged(&layout);
        let turns = layout.turns();
        let is_of = |line: &WishLine| matches!(line.wanted, Wanted::Kept(at) if turns[at] == from);
        let (taken, left) = std::mem::take(&mut wish.lines).into_iter().partition(is_of);
        wish.lines = left;
        let taken: Vec<WishLine> = taken;
        wish.lines.extend(taken);
        let edit = edit(&layout, &wish).unwrap();
        let mut after = world.clone();
        after.apply(&edit.changes);
        check_loads(&after);
        check_headings(&after);
    }
}

#[test]
fn an_event_rewritten_as_a_request_gets_its_heading() {
    let world = World::of(&[Step::Request, Step::Message, Step::Message, Step::Message]);
    let layout = world.layout();
    let mut wish = Wish::unchanged(&layout);
    let event = event(Step::Request);
    let bytes = encode(&event).unwrap();
    wish.edited.insert(2, Draft { event, bytes });
    let mut after = world.clone();
    after.apply(&edit(&layout, &wish).unwrap().changes);
    check_headings(&after);
    assert_eq!(after.text("CONVERSATION").matches("# Turn ").count(), 2);
}
