//! Streams and edits as short texts: `3 words` is the event at address 3, `3` keeps it, `3=words`
//! edits it, `+name=words` adds one, and `# words` is a remark.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::{
    format::{Line, Manifest},
    model::{Block, EventKind, Message, Timestamp, mark_edited},
    plan::Listed,
};

fn event(words: &str) -> Event {
    let content = words.into();
    let kind = EventKind::Message(Message { content, block: Block::default() });
    Event::new(Timestamp::from_seconds(0), kind)
}

fn words(event: &Event) -> &str {
    let EventKind::Message(message) = &event.kind else { panic!("{event:?}") };
    message.content.as_text().unwrap()
}

fn draft(words: &str) -> Draft {
    let mut event = event(words);
    // As an edit is stored.
    mark_edited(&mut event.metadata, Timestamp::from_seconds(7));
    Draft { event, bytes: words.as_bytes().to_vec() }
}

fn name(address: &str) -> FileName {
    format!("{address:0>3}-message.md").parse().unwrap()
}

fn layout(lines: &[impl AsRef<str>]) -> Layout {
    let mut manifest = Vec::new();
    let mut stream = Vec::new();
    for line in lines {
        let line = line.as_ref();
        if line.starts_with('#') || line.is_empty() {
            manifest.push(Line::Remark(line.to_owned()));
            continue;
        }
        let (address, words) = line.split_once(' ').unwrap();
        manifest.push(Line::Event(name(address)));
        let (run, bytes) = (None, words.len() as u64);
        stream.push(Listed { run, name: name(address), event: Some(event(words)), bytes });
    }
    let manifests = BTreeMap::from([(None, Manifest::from_lines(manifest))]);
    Layout { manifests, stream, ..Layout::default() }
}

fn wish(base: &Layout, lines: &[impl AsRef<str>]) -> Wish {
    let mut wish = Wish::default();
    let positions = base.positions();
    for line in lines {
        let line = line.as_ref();
        let wanted = if line.starts_with('#') || line.is_empty() {
            Wanted::Remark(line.to_owned())
        } else if let Some(new) = line.strip_prefix('+') {
            let (given, words) = new.split_once('=').unwrap();
            let draft = Draft { event: event(words), bytes: words.as_bytes().to_vec() };
            let chosen = given.parse().ok();
            wish.added.push(Added { given: given.to_owned(), chosen, draft });
            Wanted::New(wish.added.len() - 1)
        } else {
            let (address, words) = line.split_once('=').unwrap_or((line, ""));
            let position = positions[&name(address).address()];
            if !words.is_empty() {
                wish.edited.insert(position, draft(words));
            }
            Wanted::Kept(position)
        };
        wish.lines.push(WishLine { wanted, number: Some(wish.lines.len() + 1) });
    }
    wish
}

/// What a wish makes of a stream.
fn outcome(tip: &Layout, wish: &Wish) -> Vec<String> {
    let line = |line: &WishLine| match &line.wanted {
        Wanted::Remark(text) => text.clone(),
        Wanted::Kept(at) => {
            let listed = &tip.stream[*at];
            let edited = wish.edited.get(at).map(|draft| &draft.event);
            let event = edited.or(listed.event.as_ref()).unwrap();
            format!("{} {}", listed.name.address().number(), words(event))
        }
        Wanted::New(index) => {
            let Added { given, draft, .. } = &wish.added[*index];
            format!("+{given} {}", words(&draft.event))
        }
    };
    wish.lines.iter().map(line).collect()
}

fn merged(base: &[&str], there: &[&str], here: &[&str]) -> (Vec<String>, Vec<String>) {
    let (base, tip) = (layout(base), layout(there));
    let Merged { wish, conflicts } = merge(&base, &tip, wish(&base, here));
    let words = |conflict: &Conflict| match conflict {
        Conflict::Edited(name, at) => format!("edited {name} {at}"),
        Conflict::RemovedThere(name) => format!("removed there {name}"),
        Conflict::RemovedHere(name) => format!("removed here {name}"),
        Conflict::Order => "order".to_owned(),
    };
    (outcome(&tip, &wish), conflicts.iter().map(words).collect())
}

#[track_caller]
fn expect(base: &[&str], there: &[&str], here: &[&str], expected: &[&str]) {
    let (found, conflicts) = merged(base, there, here);
    assert_eq!(found, expected);
    assert_eq!(conflicts, Vec::<String>::new());
}

#[track_caller]
fn expect_conflict(
    base: &[&str],
    there: &[&str],
    here: &[&str],
    conflict: &[&str],
    expected: &[&str],
) {
    let (found, conflicts) = merged(base, there, here);
    assert_eq!((found, conflicts), (owned(expected), owned(conflict)));
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

const BASE: [&str; 3] = ["0 a", "1 b", "2 c"];

#[test]
fn an_append_is_no_conflict_with_an_edit_or_a_removal() {
    let there = ["0 a", "1 b", "2 c", "3 d", "4 e"];
    expect(&BASE, &there, &["0", "1=B", "2"], &["0 a", "1 B", "2 c", "3 d", "4 e"]);
    expect(&BASE, &there, &["0", "2"], &["0 a", "2 c", "3 d", "4 e"]);
    // Even of the event that it was appended to, and of all of them.
    expect(&BASE, &there, &["0", "1"], &["0 a", "1 b", "3 d", "4 e"]);
    expect(&BASE, &there, &["# none"], &["# none", "3 d", "4 e"]);
}

#[test]
fn edits_of_different_events_are_both_made_and_equal_ones_once() {
    expect(&BASE, &["0 A", "1 b", "2 c"], &["0", "1", "2=C"], &["0 A", "1 b", "2 C"]);
    let base = layout(&BASE);
    let tip = layout(&["0 a", "1 B", "2 c"]);
    let Merged { wish, conflicts } = merge(&base, &tip, wish(&base, &["0", "1=B", "2"]));
    assert!(wish.edited.is_empty() && conflicts.is_empty(), "{wish:?}");
}

#[test]
fn two_edits_of_one_event_are_a_conflict_in_which_this_side_stands() {
    let conflict = ["edited 001-message.md 1"];
    let there = ["0 a", "1 x", "2 c", "3 d"];
    expect_conflict(&BASE, &there, &["0", "1=y", "2"], &conflict, &["0 a", "1 y", "2 c", "3 d"]);
}

#[test]
fn an_edit_against_a_removal_is_a_conflict_either_way() {
    let there = ["0 a", "2 c"];
    let conflict = ["removed there 001-message.md"];
    let expected = ["0 a", "+001-message.md B", "2 c"];
    expect_conflict(&BASE, &there, &["0", "1=B", "2"], &conflict, &expected);
    let there = ["0 a", "1 B", "2 c"];
    let conflict = ["removed here 001-message.md"];
    expect_conflict(&BASE, &there, &["0", "2"], &conflict, &["0 a", "1 B", "2 c"]);
}

#[test]
fn what_both_removed_or_one_removed_is_gone() {
    expect(&BASE, &["0 a", "2 c"], &["0", "2"], &["0 a", "2 c"]);
    expect(&BASE, &["0 a", "2 c"], &["0", "1"], &["0 a"]);
    expect(&BASE, &["0 a", "2 c"], &["0", "1", "2"], &["0 a", "2 c"]);
}

#[test]
fn what_was_moved_on_one_side_is_moved() {
    expect(&BASE, &["2 c", "0 a", "1 b"], &["0", "1=B", "2"], &["2 c", "0 a", "1 B"]);
    expect(&BASE, &["2 c", "0 a", "1 b"], &["0", "2"], &["2 c", "0 a"]);
    expect(&BASE, &["0 a", "1 B", "2 c", "3 d"], &["2", "0", "1"], &["2 c", "0 a", "1 B", "3 d"]);
    // In the same way on both sides.
    expect(&BASE, &["2 c", "0 a", "1 b"], &["2", "0", "1"], &["2 c", "0 a", "1 b"]);
}

#[test]
fn two_orders_are_a_conflict_in_which_this_side_stands() {
    let there = ["1 b", "0 a", "2 c", "3 d"];
    let expected = ["2 c", "0 a", "1 b", "3 d"];
    expect_conflict(&BASE, &there, &["2", "0", "1"], &["order"], &expected);
}

#[test]
fn what_was_added_on_both_sides_is_there_once_each() {
    let expected = ["0 a", "+x new", "1 b", "2 c", "3 d"];
    expect(&BASE, &["0 a", "1 b", "2 c", "3 d"], &["0", "+x=new", "1", "2"], &expected);
    // In the same place.
    let there = ["0 a", "3 d", "1 b", "2 c"];
    let (found, conflicts) = merged(&BASE, &there, &["0", "+x=new", "1", "2"]);
    assert_eq!(conflicts, Vec::<String>::new());
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(sorted, ["+x new", "0 a", "1 b", "2 c", "3 d"]);
    assert_eq!((found[0].as_str(), found[3].as_str(), found[4].as_str()), ("0 a", "1 b", "2 c"));
    // Before everything, and at the end.
    let there = ["3 d", "0 a", "1 b", "2 c"];
    expect(&BASE, &there, &["0", "1", "2", "+x=new"], &["3 d", "0 a", "1 b", "2 c", "+x new"]);
}

#[test]
fn remarks_of_both_sides_stay() {
    let base = ["# top", "", "# Turn 0", "0 a", "1 b", "", "# Turn 1", "2 c"];
    let there = ["# top", "", "# Turn 0", "0 a", "# theirs", "1 b", "", "# Turn 1", "2 c", "3 d"];
    let here = ["# top", "", "# Turn 0", "0", "1=B", "", "# Turn 1", "# mine", "2"];
    let expected =
        ["# top", "", "# Turn 0", "0 a", "# theirs", "1 B", "", "# Turn 1", "# mine", "2 c", "3 d"];
    expect(&base, &there, &here, &expected);
}

#[test]
fn a_turn_that_came_in_brings_its_heading() {
    let base = ["# Turn 0", "0 a", "1 b"];
    let there = ["# Turn 0", "0 a", "1 b", "", "# Turn 1", "2 c", "3 d"];
    let expected = ["# Turn 0", "0 a", "", "# Turn 1", "2 c", "3 d"];
    expect(&base, &there, &["# Turn 0", "0"], &expected);
}

#[test]
fn an_edit_whose_commit_already_happened_merges_to_nothing() {
    let there = ["0 a", "3 new", "2 C"];
    let here = ["0", "+003-message.md=new", "2=C"];
    let (base, tip) = (layout(&BASE), layout(&there));
    let Merged { wish, conflicts } = merge(&base, &tip, wish(&base, &here));
    assert_eq!(conflicts, []);
    assert_eq!(outcome(&tip, &wish), there);
    assert!(wish.edited.is_empty() && wish.added.is_empty(), "{wish:?}");
    // Another event that took the number meanwhile is another event.
    expect(
        &BASE,
        &["0 a", "1 b", "2 c", "3 other"],
        &["0", "+003-message.md=new", "1", "2"],
        &["0 a", "+003-message.md new", "1 b", "2 c", "3 other"],
    );
}

/// One change of a stream.
#[derive(Clone, Debug)]
enum Step {
    Remove(prop::sample::Index),
    Edit(prop::sample::Index),
    Move(prop::sample::Index, prop::sample::Index),
    Add(prop::sample::Index),
    Remark(prop::sample::Index),
}

fn any_step() -> impl Strategy<Value = Step> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Step::Remove),
        at().prop_map(Step::Edit),
        (at(), at()).prop_map(|(from, to)| Step::Move(from, to)),
        at().prop_map(Step::Add),
        at().prop_map(Step::Remark),
    ]
}

/// A side of a merge: its lines as `(address, words)`, `None` for remarks and new events.
#[derive(Clone, Debug)]
struct Side {
    lines: Vec<(Option<usize>, String)>,
    added: Vec<String>,
    remarks: Vec<String>,
    edited: BTreeMap<usize, String>,
    removed: BTreeSet<usize>,
    has_moved: bool,
}

impl Side {
    fn of(count: usize, steps: &[Step], who: &str) -> Self {
        let lines = (0..count).map(|at| (Some(at), format!("was {at}"))).collect();
        let mut side = Self {
            lines,
            added: Vec::new(),
            remarks: Vec::new(),
            edited: BTreeMap::new(),
            removed: BTreeSet::new(),
            has_moved: false,
        };
        for (number, step) in steps.iter().enumerate() {
            side.take(step, number, who);
        }
        side
    }

    fn take(&mut self, step: &Step, number: usize, who: &str) {
        let places = self.lines.len() + 1;
        match step {
            Step::Add(at) => {
                let words = format!("{who} new {number}");
                self.added.push(words.clone());
                self.lines.insert(at.index(places), (None, words));
            }
            Step::Remark(at) => {
                let words = format!("# {who} {number}");
                self.remarks.push(words.clone());
                self.lines.insert(at.index(places), (None, words));
            }
            Step::Remove(_) | Step::Edit(_) | Step::Move(..) if self.events().is_empty() => {}
            Step::Remove(at) => {
                let place = self.event(at);
                let (address, _) = self.lines.remove(place);
                self.removed.extend(address);
                self.edited.remove(&address.unwrap());
            }
            Step::Edit(at) => {
                let place = self.event(at);
                let words = format!("{who} edit {number}");
                self.edited.insert(self.lines[place].0.unwrap(), words.clone());
                self.lines[place].1 = words;
            }
            Step::Move(from, to) => {
                let line = self.lines.remove(self.event(from));
                let place = to.index(self.lines.len() + 1);
                self.lines.insert(place, line);
                self.has_moved = true;
            }
        }
    }

    fn events(&self) -> Vec<usize> {
        let places = 0..self.lines.len();
        places.filter(|place| self.lines[*place].0.is_some()).collect()
    }

    fn event(&self, at: &prop::sample::Index) -> usize {
        let events = self.events();
        events[at.index(events.len())]
    }

    /// The stream after it, in which new events have numbers from here on.
    fn stream(&self, first: usize) -> Vec<String> {
        let line = |(address, words): &(Option<usize>, String)| match address {
            Some(address) => format!("{address} {words}"),
            None if words.starts_with('#') => words.clone(),
            None => format!("{} {words}", first + self.number(words)),
        };
        self.lines.iter().map(line).collect()
    }

    /// The edit that leads there, in which new events have the names that `given` says.
    fn edit(&self, given: impl Fn(usize) -> String) -> Vec<String> {
        let line = |(address, words): &(Option<usize>, String)| match address {
            Some(address) if self.edited.contains_key(address) => format!("{address}={words}"),
            Some(address) => address.to_string(),
            None if words.starts_with('#') => words.clone(),
            None => format!("+{}={words}", given(self.number(words))),
        };
        self.lines.iter().map(line).collect()
    }

    fn number(&self, words: &str) -> usize {
        self.added.iter().position(|added| added == words).unwrap()
    }

    /// The order of the events of the base.
    fn order(&self) -> Vec<usize> {
        self.lines.iter().filter_map(|(address, _)| *address).collect()
    }
}

fn sides() -> impl Strategy<Value = (usize, Side, Side)> {
    let steps = || prop::collection::vec(any_step(), 0..6);
    (1..7_usize, steps(), steps()).prop_map(|(count, there, here)| {
        (count, Side::of(count, &there, "theirs"), Side::of(count, &here, "mine"))
    })
}

fn base_of(count: usize) -> Layout {
    let lines: Vec<String> = (0..count).map(|at| format!("{at} was {at}")).collect();
    layout(&lines)
}

proptest! {
    #[test]
    fn a_merge_has_all_of_both_sides((count, there, here) in sides()) {
        let (base, tip) = (base_of(count), layout(&there.stream(count)));
        let edit = here.edit(|number| format!("new-{number}.md"));
        let Merged { wish, conflicts } = merge(&base, &tip, wish(&base, &edit));
        let lines = outcome(&tip, &wish);
        let has = |words: &str| {
            lines.iter().filter(|line| line.split_once(' ').is_some_and(|own| own.1 == words)).count()
        };
        // Whatever is in conflict, what was written here is there once, and what came in.
        for words in here.edited.values().chain(&here.added).chain(&there.added) {
            prop_assert_eq!(has(words), 1, "{} in {:?}", words, lines);
        }
        for remark in here.remarks.iter().chain(&there.remarks) {
            let count = lines.iter().filter(|line| *line == remark).count();
            prop_assert_eq!(count, 1, "{} in {:?}", remark, lines);
        }
        let both = |address: &usize| {
            here.edited.contains_key(address) && there.edited.contains_key(address)
        };
        for address in 0..count {
            let (gone, went) = (here.removed.contains(&address), there.removed.contains(&address));
            let prefix = format!("{address} ");
            let found: Vec<_> = lines.iter().filter(|line| line.starts_with(&prefix)).collect();
            let edited = (here.edited.get(&address), there.edited.get(&address));
            let expected = match (gone, went, edited) {
                (true, false, (_, Some(theirs))) => Some(theirs.clone()),
                (false, false, (Some(mine), _)) => Some(mine.clone()),
                (false, false, (None, Some(theirs))) => Some(theirs.clone()),
                (false, false, (None, None)) => Some(format!("was {address}")),
                _ => None,
            };
            let expected: Vec<_> = expected.iter().map(|words| format!("{prefix}{words}")).collect();
            prop_assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{:?}", lines);
        }
        // There is a conflict if, and only if, somebody has to decide.
        let kinds = |is: fn(&Conflict) -> bool| conflicts.iter().filter(|own| is(own)).count();
        let torn = (0..count).filter(both).count();
        prop_assert_eq!(kinds(|own| matches!(own, Conflict::Edited(..))), torn);
        let kept = here.removed.iter().filter(|at| there.edited.contains_key(at)).count();
        prop_assert_eq!(kinds(|own| matches!(own, Conflict::RemovedHere(_))), kept);
        let lost = there.removed.iter().filter(|at| here.edited.contains_key(at)).count();
        prop_assert_eq!(kinds(|own| matches!(own, Conflict::RemovedThere(_))), lost);
        if !(here.has_moved && there.has_moved) {
            prop_assert_eq!(kinds(|own| *own == Conflict::Order), 0);
            // The order is that of the side that changed it.
            let order = if there.has_moved { there.order() } else { here.order() };
            let address = |line: &String| line.split(' ').next()?.parse::<usize>().ok();
            let found: Vec<_> = lines.iter().filter_map(address).filter(|at| *at < count).collect();
            let order: Vec<_> = order.into_iter().filter(|at| found.contains(at)).collect();
            let found: Vec<_> = found.into_iter().filter(|at| order.contains(at)).collect();
            prop_assert_eq!(found, order, "{:?}", lines);
        }
    }

    #[test]
    fn a_merge_with_a_side_that_changed_nothing_is_the_other_side((count, there, here) in sides()) {
        let (base, tip) = (base_of(count), layout(&there.stream(count)));
        let theirs = merge(&base, &tip, Wish::unchanged(&base));
        prop_assert_eq!(theirs.conflicts, []);
        prop_assert_eq!(outcome(&tip, &theirs.wish), there.stream(count));
        let own = wish(&base, &here.edit(|number| format!("new-{number}.md")));
        let mine = merge(&base, &base, own.clone());
        prop_assert_eq!(mine.conflicts, []);
        prop_assert_eq!(outcome(&base, &mine.wish), outcome(&base, &own));
    }

    #[test]
    fn an_edit_that_was_made_already_merges_to_nothing((count, _, here) in sides()) {
        let base = base_of(count);
        let stream = here.stream(count);
        let edit = here.edit(|number| name(&(count + number).to_string()).to_string());
        for (more, came_in) in [(&[][..], 0), (&["90 came in".to_owned()][..], 1)] {
            let tip = layout(&[&stream[..], more].concat());
            let Merged { wish, conflicts } = merge(&base, &tip, wish(&base, &edit));
            prop_assert_eq!(&conflicts, &[]);
            prop_assert!(wish.edited.is_empty() && wish.added.is_empty(), "{:?}", wish);
            prop_assert_eq!(outcome(&tip, &wish).len(), stream.len() + came_in);
            prop_assert_eq!(outcome(&tip, &wish), outcome(&tip, &Wish::unchanged(&tip)));
        }
    }
}
