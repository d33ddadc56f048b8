//! What has to be changed in one sequence to get another, in time that does not explode.
//!
//! Finding the shortest script takes time that grows with the square of the length when somebody
//! wants it to. So what may be spent is limited, and where the limit is reached the sequences are
//! only taken apart at items that occur once in each of them.

use std::{hash::Hash, ops::Range};

use imara_diff::{Algorithm, Diff, InternedInput, NoSliderHeuristic, SliderHeuristic, Token};

use crate::plan::longest_increasing;

/// A stretch of one sequence that stands in place of a stretch of the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it was.
    pub before: Range<usize>,
    /// Where it is.
    pub after: Range<usize>,
}

/// What has to be changed, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The stretches that differ; between them the sequences are equal.
    pub regions: Vec<Region>,
    /// Whether each region was looked into; else some may have more in common.
    pub exact: bool,
}

/// How much work is left that may go into comparing.
#[derive(Clone, Debug)]
pub struct Effort {
    left: u64,
    words: usize,
}

/// The work of comparing two sequences of 16,000 items that have nothing and everything in common:
/// about half a second.
const AT_ONCE: u64 = 1 << 28;

/// The work of a whole command.
const IN_ALL: u64 = 1 << 30;

/// Bytes that a whole command compares word by word: more than anybody reads.
const WORDS: usize = 4 << 20;

impl Default for Effort {
    fn default() -> Self {
        Self { left: IN_ALL, words: WORDS }
    }
}

impl Effort {
    /// Takes the work of splitting so many bytes into words, if so much is left.
    pub(super) fn spend_on_words(&mut self, bytes: usize) -> bool {
        let left = self.words.checked_sub(bytes);
        self.words = left.unwrap_or(self.words);
        left.is_some()
    }

    /// Takes the work of comparing two sequences, if so much is left.
    fn spend<T>(&mut self, input: &InternedInput<T>) -> bool {
        let middle = middle_of(&input.before, &input.after);
        let before = &input.before[middle.before];
        let after = &input.after[middle.after];
        let places = |sequence: &[Token]| {
            let mut occurs = vec![false; input.interner.num_tokens() as usize];
            for token in sequence {
                occurs[token.0 as usize] = true;
            }
            occurs
        };
        // What only one of them has is set aside before the work begins.
        let shared = |sequence: &[Token], other: &[bool]| {
            sequence.iter().filter(|token| other[token.0 as usize]).count() as u64
        };
        let half = (shared(before, &places(after)) + shared(after, &places(before))) / 2;
        let cost = half.saturating_mul(half);
        let allowed = cost <= AT_ONCE.min(self.left);
        if allowed {
            self.left -= cost;
        }
        allowed
    }
}

/// Compares two sequences.
pub fn compare<T: Eq + Hash>(
    before: impl Iterator<Item = T>,
    after: impl Iterator<Item = T>,
    effort: &mut Effort,
) -> Script {
    compare_with(&interned(before, after), effort, || NoSliderHeuristic)
}

/// Compares two sequences of lines. A change that could stand at several places stands where
/// paragraphs and blocks of code begin.
pub fn compare_lines<'a>(
    before: impl Iterator<Item = &'a [u8]>,
    after: impl Iterator<Item = &'a [u8]>,
    effort: &mut Effort,
) -> Script {
    let input = interned(before, after);
    let indent = |token: Token| {
        let line = input.interner[token].iter().copied();
        imara_diff::IndentLevel::for_ascii_line(line, 8)
    };
    compare_with(&input, effort, || imara_diff::IndentHeuristic::new(indent))
}

/// Numbers for equal items; memory is taken as items come, and not by a guess.
fn interned<T: Eq + Hash>(
    before: impl Iterator<Item = T>,
    after: impl Iterator<Item = T>,
) -> InternedInput<T> {
    let mut input = InternedInput {
        before: Vec::new(),
        after: Vec::new(),
        interner: imara_diff::Interner::new(0),
    };
    input.update_before(before);
    input.update_after(after);
    input
}

fn compare_with<T, H: SliderHeuristic>(
    input: &InternedInput<T>,
    effort: &mut Effort,
    heuristic: impl FnOnce() -> H,
) -> Script {
    if effort.spend(input) {
        return Script { regions: look_into(input, heuristic()), exact: true };
    }
    let mut script = Script { regions: Vec::new(), exact: true };
    for gap in gaps(&input.before, &input.after, input.interner.num_tokens()) {
        let before = &input.before[gap.before.clone()];
        let after = &input.after[gap.after.clone()];
        // Small numbers for few items: the work must not grow with the numbers.
        let inside = interned(before.iter(), after.iter());
        let regions = if effort.spend(&inside) {
            look_into(&inside, NoSliderHeuristic)
        } else {
            script.exact = false;
            vec![middle_of(before, after)]
        };
        script.regions.extend(regions.into_iter().map(|region| region.within(&gap)));
    }
    script
}

fn look_into<T>(input: &InternedInput<T>, heuristic: impl SliderHeuristic) -> Vec<Region> {
    let mut diff = Diff::compute(Algorithm::Myers, input);
    diff.postprocess_with_heuristic(input, heuristic);
    let region = |hunk: imara_diff::Hunk| Region {
        before: hunk.before.start as usize..hunk.before.end as usize,
        after: hunk.after.start as usize..hunk.after.end as usize,
    };
    diff.hunks().map(region).collect()
}

impl Region {
    fn within(self, outer: &Self) -> Self {
        let shift = |range: Range<usize>, outer: &Range<usize>| {
            range.start + outer.start..range.end + outer.start
        };
        Self { before: shift(self.before, &outer.before), after: shift(self.after, &outer.after) }
    }
}

/// What is between the common beginning and the common end of two sequences of these lengths, given
/// which items are the same.
pub fn middle(before: usize, after: usize, is_same: impl Fn(usize, usize) -> bool) -> Region {
    let shorter = before.min(after);
    let start = (0..shorter).take_while(|at| is_same(*at, *at)).count();
    let from_end = |back: &usize| is_same(before - back, after - back);
    let end = (1..=shorter - start).take_while(from_end).count();
    Region { before: start..before - end, after: start..after - end }
}

fn middle_of<T: Eq>(before: &[T], after: &[T]) -> Region {
    middle(before.len(), after.len(), |one, other| before[one] == after[other])
}

/// What is between items that occur once in each of two sequences, in the same order.
fn gaps(before: &[Token], after: &[Token], tokens: u32) -> Vec<Region> {
    const NONE: usize = usize::MAX;
    const MANY: usize = usize::MAX - 1;
    let middle = middle_of(before, after);
    let places = |sequence: &[Token], range: Range<usize>| {
        let mut places = vec![NONE; tokens as usize];
        for at in range {
            let place = &mut places[sequence[at].0 as usize];
            *place = if *place == NONE { at } else { MANY };
        }
        places
    };
    let places_before = places(before, middle.before.clone());
    let places_after = places(after, middle.after.clone());
    let unique: Vec<(usize, usize)> = before[middle.before.clone()]
        .iter()
        .map(|token| (places_before[token.0 as usize], places_after[token.0 as usize]))
        .filter(|(from, to)| *from < MANY && *to < MANY)
        .collect();
    let targets: Vec<usize> = unique.iter().map(|(_, to)| *to).collect();
    let mut gaps = Vec::new();
    let (mut from, mut to) = (middle.before.start, middle.after.start);
    for index in longest_increasing(&targets) {
        let (anchor_from, anchor_to) = unique[index];
        gaps.push(Region { before: from..anchor_from, after: to..anchor_to });
        (from, to) = (anchor_from + 1, anchor_to + 1);
    }
    gaps.push(Region { before: from..middle.before.end, after: to..middle.after.end });
    gaps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rebuilds the second sequence from the first one and the script.
    fn apply(script: &Script, before: &[u8], after: &[u8]) -> Vec<u8> {
        let mut built = Vec::new();
        let mut at = 0;
        for region in &script.regions {
            built.extend(&before[at..region.before.start]);
            assert_eq!(built.len(), region.after.start);
            built.extend(&after[region.after.clone()]);
            at = region.before.end;
        }
        built.extend(&before[at..]);
        built
    }

    #[test]
    fn what_is_too_much_work_is_taken_apart_at_what_is_unique() {
        let mut effort = Effort { left: 8, words: 0 };
        let (before, after) = (b"abababxaab", b"bbaabaxaaab");
        let script = compare(before.iter(), after.iter(), &mut effort);
        let region = |before, after| Region { before, after };
        let regions = vec![region(0..6, 0..6), region(7..7, 7..8)];
        assert_eq!(script, Script { regions, exact: false });
    }

    #[test]
    fn work_that_would_explode_ends_soon() {
        let before: Vec<u8> = b"abc".repeat(300_000);
        let after: Vec<u8> = b"abcd".repeat(300_000);
        let script = compare(before.iter(), after.iter(), &mut Effort::default());
        assert_eq!((script.exact, script.regions.len()), (false, 1));
        assert_eq!(apply(&script, &before, &after), after);
    }

    #[test]
    fn long_sequences_with_much_in_common_are_compared_item_by_item() {
        let before: Vec<usize> = (0..100_000).collect();
        let after: Vec<usize> =
            before.iter().map(|n| if n % 2 == 0 { *n } else { n + 1_000_000 }).collect();
        let script = compare(before.iter(), after.iter(), &mut Effort::default());
        assert_eq!((script.exact, script.regions.len()), (true, 50_000));
    }

    proptest! {
        #[test]
        fn the_second_sequence_follows_from_the_script(
            before in "[a-d]{0,60}",
            after in "[a-d]{0,60}",
            left in prop_oneof![Just(0_u64), 1..500_u64, Just(IN_ALL)],
        ) {
            let (before, after) = (before.as_bytes(), after.as_bytes());
            let script = compare(before.iter(), after.iter(), &mut Effort { left, words: 0 });
            prop_assert_eq!(apply(&script, before, after), after);
            let apart = |pair: &[Region]| {
                pair[0].before.end < pair[1].before.start && pair[0].after.end < pair[1].after.start
            };
            prop_assert!(script.regions.windows(2).all(apart), "{:?}", script);
        }

        #[test]
        fn lines_are_compared_as_well(
            before in prop::collection::vec("(  )?[ab]?\n", 0..40),
            after in prop::collection::vec("(  )?[ab]?\n", 0..40),
        ) {
            let lines = |lines: &[String]| lines.iter().map(|line| line.clone().into_bytes()).collect::<Vec<_>>();
            let (before, after) = (lines(&before), lines(&after));
            let script = compare_lines(before.iter().map(Vec::as_slice), after.iter().map(Vec::as_slice), &mut Effort::default());
            let mut built = Vec::new();
            let mut at = 0;
            for region in &script.regions {
                built.extend_from_slice(&before[at..region.before.start]);
                built.extend_from_slice(&after[region.after.clone()]);
                at = region.before.end;
            }
            built.extend_from_slice(&before[at..]);
            prop_assert_eq!(built, after);
        }
    }
}
