//! What a change of a file is, as a unified diff.

use std::{fmt::Write, ops::Range};

use imara_diff::{Algorithm, Diff, Hunk, IndentHeuristic, IndentLevel, InternedInput, Token};

use super::{
    contents::{SAMPLE, binary_kind, lines},
    path::Inside,
};

/// Lines around a change.
const CONTEXT: usize = 3;

/// Work above which only the beginning and the end are compared: about half a second.
const EFFORT: usize = 1 << 28;

/// The difference between a file, if there was one, and what it becomes. Bytes that are no text are
/// shown as replacement characters.
pub(super) fn unified(path: &Inside, before: Option<&[u8]>, after: &[u8]) -> String {
    let mut diff = match before {
        Some(_) => format!("--- a/{path}\n"),
        None => "--- /dev/null\n".to_owned(),
    };
    let write = "a string takes everything";
    writeln!(diff, "+++ b/{path}").expect(write);
    let before = before.unwrap_or_default();
    let is_binary = |bytes: &[u8]| binary_kind(&bytes[..bytes.len().min(SAMPLE)]).is_some();
    if is_binary(before) || is_binary(after) {
        let (old, new) = (before.len(), after.len());
        writeln!(diff, "Binary contents: {old} bytes become {new}.").expect(write);
        return diff;
    }
    let (old, new): (Vec<_>, Vec<_>) = (lines(before).collect(), lines(after).collect());
    for group in groups(&changes(&old, &new)) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = first.before.start.min(CONTEXT);
        let trail = (old.len() - last.before.end).min(CONTEXT);
        let shown_old = first.before.start - lead..last.before.end + trail;
        let shown_new = first.after.start - lead..last.after.end + trail;
        writeln!(diff, "@@ -{} +{} @@", range(&shown_old), range(&shown_new)).expect(write);
        let mut at = shown_old.start;
        for change in group {
            old[at..change.before.start].iter().for_each(|line| push(&mut diff, ' ', line));
            old[change.before.clone()].iter().for_each(|line| push(&mut diff, '-', line));
            new[change.after.clone()].iter().for_each(|line| push(&mut diff, '+', line));
            at = change.before.end;
        }
        old[at..shown_old.end].iter().for_each(|line| push(&mut diff, ' ', line));
    }
    diff
}

/// Lines that stand in place of others.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    before: Range<usize>,
    after: Range<usize>,
}

fn changes(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rests = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = rests.take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    if (old_end - head).saturating_mul(new_end - head) > EFFORT {
        return vec![Change { before: head..old_end, after: head..new_end }];
    }
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    let indent =
        |token: Token| IndentLevel::for_ascii_line(input.interner[token].iter().copied(), 8);
    diff.postprocess_with_heuristic(&input, IndentHeuristic::new(indent));
    let change = |hunk: Hunk| Change {
        before: hunk.before.start as usize..hunk.before.end as usize,
        after: hunk.after.start as usize..hunk.after.end as usize,
    };
    diff.hunks().map(change).collect()
}

/// Changes whose lines around them touch are shown together.
fn groups(changes: &[Change]) -> Vec<&[Change]> {
    let apart = |one: &Change, next: &Change| next.before.start - one.before.end > 2 * CONTEXT;
    changes.chunk_by(|one, next| !apart(one, next)).collect()
}

/// A range of lines as a diff has it: an empty one is named by the line before it.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        length => format!("{},{length}", lines.start + 1),
    }
}

fn push(diff: &mut String, mark: char, line: &[u8]) {
    diff.push(mark);
    diff.push_str(&String::from_utf8_lossy(line));
    if !line.ends_with(b"\n") {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tool::builtin::patch::Patch;

    fn diff(before: Option<&str>, after: &str) -> String {
        let path = Inside::parse("d/f", &[]).unwrap();
        unified(&path, before.map(str::as_bytes), after.as_bytes())
    }

    #[test]
    fn changes_stand_between_three_lines() {
        let before = (1..=20).map(|n| format!("{n}\n")).collect::<String>();
        let after = before.replace("\n5\n", "\nfive\n").replace("\n19\n", "\n");
        assert_eq!(
            diff(Some(&before), &after),
            "--- a/d/f\n+++ b/d/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
             @@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20\n"
        );
    }

    #[test]
    fn a_new_file_an_empty_file_and_a_missing_newline_are_shown() {
        let made = "--- /dev/null\n+++ b/d/f\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert_eq!(diff(None, "a\nb\n"), made);
        let end = "--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
        assert_eq!(diff(Some("a"), "a\n"), end);
        assert_eq!(diff(Some("a\n"), "a\n"), "--- a/d/f\n+++ b/d/f\n");
        assert_eq!(
            diff(Some("a\0"), "b"),
            "--- a/d/f\n+++ b/d/f\nBinary contents: 2 bytes become 1.\n"
        );
    }

    proptest! {
        #[test]
        fn a_diff_is_a_patch_that_makes_the_same_change(
            before in "([abc]?\r?\n){0,12}[ab]?",
            after in "([abc]?\r?\n){0,12}[ab]?",
        ) {
            let path = Inside::parse("d/f", &[]).unwrap();
            let diff = unified(&path, Some(before.as_bytes()), after.as_bytes());
            if before != after {
                let patch = Patch::read(&diff, &path).unwrap();
                let patched = patch.apply(before.as_bytes()).unwrap();
                prop_assert_eq!(String::from_utf8(patched).unwrap(), after);
            }
        }
    }
}
