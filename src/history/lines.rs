//! Two texts compared line by line, and the words within the lines that differ.

use std::ops::Range;

use super::{
    script::{Effort, Region, Script, compare_lines, middle},
    words::{Mark, Segment, Segments, compare_words},
};

/// How two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDiff {
    /// The places where they differ, with the lines around them; none if either text is binary.
    pub hunks: Vec<Hunk>,
    /// By how much they differ.
    pub count: LineCount,
    /// How closely they were compared.
    pub detail: Detail,
}

/// By how much two texts differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCount {
    /// How many lines are only in the text before.
    pub removed: usize,
    /// How many lines are only in the text after.
    pub added: usize,
    /// Whether either of them has a null byte, as no text has; then no lines are counted.
    pub binary: bool,
}

/// How closely two texts were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Word by word everywhere.
    Words,
    /// Somewhere only line by line: there is too much for words.
    Lines,
    /// Somewhere not even that: there are too many lines.
    Whole,
}

/// A place where two texts differ, with the lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the text before, counted from 0.
    pub before: Range<usize>,
    /// Lines of the text after, counted from 0.
    pub after: Range<usize>,
    /// The text, with marks.
    pub segments: Vec<Segment>,
}

/// Lines around a place where texts differ.
const CONTEXT: usize = 3;

/// Lines of both texts up to which they are compared line by line.
const MAX_LINES: usize = 1 << 20;

/// Compares two texts.
pub fn compare_texts(before: &[u8], after: &[u8], effort: &mut Effort) -> TextDiff {
    let (before, after) = (Lines::of(before), Lines::of(after));
    let (script, count) = compare(&before, &after, effort);
    let detail = if script.exact { Detail::Words } else { Detail::Whole };
    let mut diff = TextDiff { hunks: Vec::new(), count, detail };
    let is_near = |one: &Region, other: &Region| other.before.start - one.before.end <= 2 * CONTEXT;
    for group in script.regions.chunk_by(is_near) {
        let hunk = hunk(group, &before, &after, effort, &mut diff.detail);
        diff.hunks.push(hunk);
    }
    diff
}

/// Counts the lines in which two texts differ.
pub fn count_lines(before: &[u8], after: &[u8], effort: &mut Effort) -> LineCount {
    compare(&Lines::of(before), &Lines::of(after), effort).1
}

fn compare(before: &Lines<'_>, after: &Lines<'_>, effort: &mut Effort) -> (Script, LineCount) {
    let mut count = LineCount::default();
    if before.text.contains(&0) || after.text.contains(&0) {
        count.binary = before.text != after.text;
        return (Script { regions: Vec::new(), exact: true }, count);
    }
    let script = script(before, after, effort);
    for region in &script.regions {
        count.removed += region.before.len();
        count.added += region.after.len();
    }
    (script, count)
}

/// What has to be changed to get from one list of lines to another.
pub fn script(before: &Lines<'_>, after: &Lines<'_>, effort: &mut Effort) -> Script {
    if before.count() + after.count() > MAX_LINES {
        return as_a_whole(before, after);
    }
    compare_lines(before.iter(), after.iter(), effort)
}

/// Everything between the common beginning and the common end, as one region.
fn as_a_whole(before: &Lines<'_>, after: &Lines<'_>) -> Script {
    let is_same = |one: usize, other: usize| before.line(one) == after.line(other);
    let region = middle(before.count(), after.count(), is_same);
    let exact = region.before.is_empty() || region.after.is_empty();
    let differs = !region.before.is_empty() || !region.after.is_empty();
    Script { regions: differs.then_some(region).into_iter().collect(), exact }
}

fn hunk(
    regions: &[Region],
    before: &Lines<'_>,
    after: &Lines<'_>,
    effort: &mut Effort,
    detail: &mut Detail,
) -> Hunk {
    let (first, last) = (&regions[0], &regions[regions.len() - 1]);
    let above = first.before.start.min(CONTEXT);
    let below = (before.count() - last.before.end).min(CONTEXT);
    let mut segments = Segments::default();
    let mut at = first.before.start - above;
    for region in regions {
        segments.push(Mark::Same, before.lines(at..region.before.start));
        at = region.before.end;
        let (old, new) = (before.lines(region.before.clone()), after.lines(region.after.clone()));
        let words = match region.before.is_empty() || region.after.is_empty() {
            true => None,
            false => {
                let words = compare_words(old, new, effort);
                if words.is_none() {
                    *detail = (*detail).max(Detail::Lines);
                }
                words
            }
        };
        match words {
            Some(words) => {
                for Segment { mark, text } in words {
                    segments.push(mark, text.as_bytes());
                }
            }
            None => {
                segments.push(Mark::Removed, old);
                segments.push(Mark::Added, new);
            }
        }
    }
    segments.push(Mark::Same, before.lines(at..at + below));
    Hunk {
        before: first.before.start - above..last.before.end + below,
        after: first.after.start - above..last.after.end + below,
        segments: segments.list,
    }
}

/// The lines of a text, each with its line break; the last one may have none.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a [u8],
    ends: Vec<u32>,
}

impl<'a> Lines<'a> {
    /// The lines of a text. No event file is so long that its places do not fit.
    pub fn of(text: &'a [u8]) -> Self {
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut ends: Vec<u32> = breaks.map(|(at, _)| place(at + 1)).collect();
        if !text.is_empty() && !text.ends_with(b"\n") {
            ends.push(place(text.len()));
        }
        Self { text, ends }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.count()).map(|at| self.line(at))
    }

    fn line(&self, at: usize) -> &'a [u8] {
        self.lines(at..at + 1)
    }

    fn lines(&self, range: Range<usize>) -> &'a [u8] {
        let place = |at: usize| at.checked_sub(1).map_or(0, |at| self.ends[at] as usize);
        &self.text[place(range.start)..place(range.end)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compared(before: &str, after: &str) -> TextDiff {
        compare_texts(before.as_bytes(), after.as_bytes(), &mut Effort::default())
    }

    fn segment(mark: Mark, text: &str) -> Segment {
        Segment { mark, text: text.to_owned() }
    }

    #[test]
    fn a_hunk_has_the_lines_around_it_and_marks_on_words() {
        let before = "1\n2\n3\n4\nthe old line\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nthe new line\n5\n6\n7\n8\n";
        let segments = vec![
            segment(Mark::Same, "2\n3\n4\nthe "),
            segment(Mark::Removed, "old"),
            segment(Mark::Added, "new"),
            segment(Mark::Same, " line\n5\n6\n7\n"),
        ];
        let expected = TextDiff {
            hunks: vec![Hunk { before: 1..8, after: 1..8, segments }],
            count: LineCount { removed: 1, added: 1, binary: false },
            detail: Detail::Words,
        };
        assert_eq!(compared(before, after), expected);
    }

    #[test]
    fn places_that_are_far_apart_are_hunks_of_their_own() {
        let lines: Vec<_> = (0..30).map(|number| format!("{number}\n")).collect();
        let before = lines.concat();
        let near = before.replace("\n10\n", "\nx\n").replace("\n17\n", "\ny\n");
        assert_eq!(compared(&before, &near).hunks.len(), 1);
        let far = before.replace("\n10\n", "\nx\n").replace("\n18\n", "\ny\n");
        let ranges: Vec<_> =
            compared(&before, &far).hunks.iter().map(|hunk| hunk.before.clone()).collect();
        assert_eq!(ranges, [7..14, 15..22]);
    }

    #[test]
    fn a_text_from_nothing_is_one_hunk() {
        let expected = TextDiff {
            hunks: vec![Hunk {
                before: 0..0,
                after: 0..2,
                segments: vec![segment(Mark::Added, "a\nb")],
            }],
            count: LineCount { removed: 0, added: 2, binary: false },
            detail: Detail::Words,
        };
        assert_eq!(compared("", "a\nb"), expected);
        assert_eq!(compared("a\n", "a\n").hunks, []);
    }

    #[test]
    fn a_line_break_at_the_end_is_a_difference() {
        let segments = vec![segment(Mark::Same, "a"), segment(Mark::Added, "\n")];
        assert_eq!(compared("a", "a\n").hunks[0].segments, segments);
    }

    #[test]
    fn what_has_a_null_byte_is_binary() {
        let diff = compare_texts(b"a\0b", b"a\0c", &mut Effort::default());
        assert_eq!((diff.count.binary, diff.hunks), (true, vec![]));
    }

    #[test]
    fn texts_that_would_take_for_ever_are_compared_less_closely() {
        let mut seed: u64 = 1;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 33
        };
        let mut text = |line: &dyn Fn(u64) -> String, lines: usize| {
            (0..lines).map(|_| line(random())).collect::<String>()
        };
        let long = |number: u64| format!("{number} {}\n", number % 7);
        let (before, after) = (text(&long, 100_000), text(&long, 100_000));
        let diff = compared(&before, &after);
        assert_eq!((diff.hunks.len(), diff.detail), (1, Detail::Lines));
        let short = |number: u64| format!("{}\n", number % 2);
        let (before, after) = (text(&short, 100_000), text(&short, 100_000));
        assert_eq!(compared(&before, &after).detail, Detail::Whole);
        let (before, after) = ("\n".repeat(MAX_LINES), format!("x{}", "\n".repeat(MAX_LINES)));
        let diff = compared(&before, &after);
        assert_eq!((diff.hunks.len(), diff.count.removed, diff.count.added), (1, 1, 1));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_hunks(
            before in prop::collection::vec("[ab ]{0,4}\n", 0..40),
            after in prop::collection::vec("[ab ]{0,4}\n", 0..40),
            ends in any::<(bool, bool)>(),
        ) {
            let text = |lines: &[String], ends: bool| {
                let text = lines.concat();
                if ends { text } else { text.trim_end_matches('\n').to_owned() }
            };
            let (before, after) = (text(&before, ends.0), text(&after, ends.1));
            let diff = compared(&before, &after);
            let lines = Lines::of(before.as_bytes());
            let rebuilt = |without: Mark| {
                let mut built = String::new();
                let mut at = 0;
                for hunk in &diff.hunks {
                    built.push_str(std::str::from_utf8(lines.lines(at..hunk.before.start)).unwrap());
                    let kept = hunk.segments.iter().filter(|segment| segment.mark != without);
                    built.extend(kept.map(|segment| segment.text.as_str()));
                    at = hunk.before.end;
                }
                built + std::str::from_utf8(lines.lines(at..lines.count())).unwrap()
            };
            prop_assert_eq!(rebuilt(Mark::Added), before.clone());
            prop_assert_eq!(rebuilt(Mark::Removed), after);
        }

        #[test]
        fn the_whole_between_equal_ends_is_a_script(before in "[ab\n]{0,20}", after in "[ab\n]{0,20}") {
            let (before, after) = (Lines::of(before.as_bytes()), Lines::of(after.as_bytes()));
            let script = as_a_whole(&before, &after);
            let region = script.regions.first().cloned();
            prop_assert_eq!(region.is_none(), before.text == after.text);
            if let Some(Region { before: old, after: new }) = region {
                let built = [before.lines(0..old.start), after.lines(new), before.lines(old.end..before.count())];
                prop_assert_eq!(built.concat(), after.text);
            }
        }
    }
}
