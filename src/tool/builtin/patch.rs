//! A unified diff read as a patch of one file, and applied strictly.
//!
//! Every line that a hunk shows as it was has to be there, to the byte. The number of its first
//! line may be wrong if only one place fits; nothing else is guessed.

use std::iter::Peekable;

use super::{contents::lines, path::Inside, problem::Problem};

/// A patch of one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patch {
    hunks: Vec<Hunk>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Hunk {
    /// The index of its first line, if it says so.
    at: Option<usize>,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

impl Patch {
    /// Reads a patch that is about this path, or names none.
    pub(super) fn read(text: &str, path: &Inside) -> Result<Self, Problem> {
        let mut rest = text.split('\n').peekable();
        while let Some(line) = rest.next_if(|line| !line.starts_with("@@")) {
            check_header(line, path)?;
        }
        let mut hunks = Vec::new();
        while let Some(line) = rest.next() {
            let number = hunks.len() + 1;
            if line.starts_with("@@") {
                hunks.push(Hunk::read(line, number, &mut rest)?);
            } else if line.starts_with("--- ") || line.starts_with("diff ") {
                return wrong("it is about more than one file: make one call for each");
            } else if !line.trim().is_empty() {
                let after = number - 1;
                return wrong(format!(
                    "hunk {after} has more lines than its header says: {line:?}"
                ));
            }
        }
        match hunks.is_empty() {
            true => wrong("it has no hunk, which begins with `@@ -LINE,COUNT +LINE,COUNT @@`"),
            false => Ok(Self { hunks }),
        }
    }

    /// What becomes of a file; everything fits or nothing is changed.
    pub(super) fn apply(&self, file: &[u8]) -> Result<Vec<u8>, Problem> {
        let file: Vec<_> = lines(file).collect();
        let mut patched = Vec::new();
        let mut done = 0;
        for (index, hunk) in self.hunks.iter().enumerate() {
            let at = hunk.place(&file, done, index + 1)?;
            file[done..at].iter().for_each(|line| patched.extend_from_slice(line));
            hunk.new.iter().for_each(|line| patched.extend_from_slice(line));
            done = at + hunk.old.len();
        }
        file[done..].iter().for_each(|line| patched.extend_from_slice(line));
        check_ends(&patched, &self.hunks)?;
        Ok(patched)
    }
}

impl Hunk {
    fn read<'a>(
        header: &str,
        number: usize,
        rest: &mut Peekable<impl Iterator<Item = &'a str>>,
    ) -> Result<Self, Problem> {
        let ranges = ranges(header);
        let mut hunk = Self::default();
        let mut last = (false, false);
        let is_full = |hunk: &Self| {
            ranges.is_some_and(|(_, old, new)| hunk.old.len() >= old && hunk.new.len() >= new)
        };
        while let Some(&line) = rest.peek() {
            let (mark, text) = match line.split_at_checked(1) {
                Some((mark, text)) => (mark, text),
                // An empty line lost its space; the last one is only the end of the patch.
                None => (" ", ""),
            };
            if mark == "\\" {
                rest.next();
                for (lines, is_last) in [(&mut hunk.old, last.0), (&mut hunk.new, last.1)] {
                    if let Some(line) = lines.last_mut().filter(|_| is_last) {
                        line.truncate(line.strip_suffix(b"\n").unwrap_or(line).len());
                    }
                }
                last = (false, false);
                continue;
            }
            if is_full(&hunk) || (ranges.is_none() && line.starts_with("@@")) {
                break;
            }
            rest.next();
            if line.is_empty() && rest.peek().is_none() {
                break;
            }
            last = match mark {
                " " => (true, true),
                "-" => (true, false),
                "+" => (false, true),
                _ => {
                    return wrong(format!(
                        "hunk {number} has a line that begins with neither ` `, `-` nor `+`: {line:?}"
                    ));
                }
            };
            let text = format!("{text}\n").into_bytes();
            hunk.old.extend(last.0.then(|| text.clone()));
            hunk.new.extend(last.1.then_some(text));
        }
        if let Some((at, old, new)) = ranges {
            let found = (hunk.old.len(), hunk.new.len());
            if found != (old, new) {
                return wrong(format!(
                    "hunk {number} says that {old} lines become {new}, and it shows {} and {}",
                    found.0, found.1
                ));
            }
            // The number of no lines is that of the line before them.
            hunk.at = Some(if old == 0 { at } else { at.saturating_sub(1) });
        }
        if hunk.old.is_empty() && hunk.at.is_none() {
            return wrong(format!(
                "hunk {number} says nowhere where it belongs: show lines around"
            ));
        }
        Ok(hunk)
    }

    /// The index of the line that it begins at.
    fn place(&self, file: &[&[u8]], done: usize, number: usize) -> Result<usize, Problem> {
        let fits = |at: usize| {
            let lines = file.get(at..at + self.old.len());
            at >= done && lines.is_some_and(|lines| lines.iter().eq(self.old.iter()))
        };
        if let Some(at) = self.at.filter(|at| fits(*at)) {
            return Ok(at);
        }
        let places: Vec<_> = match self.old.is_empty() {
            true => Vec::new(),
            false => (done..file.len()).filter(|at| fits(*at)).collect(),
        };
        match places.as_slice() {
            [at] => Ok(*at),
            [] => wrong(self.misfit(file, number)),
            several => {
                let lines: Vec<_> = several.iter().map(|at| (at + 1).to_string()).collect();
                wrong(format!(
                    "hunk {number} fits at several places, at the lines {}: show more lines around \
                     the change, or the number of its first line",
                    lines.join(", ")
                ))
            }
        }
    }

    /// Why it fits nowhere: the first line that differs where it should be, or could be.
    fn misfit(&self, file: &[&[u8]], number: usize) -> String {
        let begins = |line: &&[u8]| self.old.first().is_some_and(|first| first == line);
        let stated = self.at.filter(|at| *at <= file.len());
        let Some(at) = file.iter().position(begins).or(stated) else {
            return match self.old.first() {
                Some(first) => format!("hunk {number} does not fit: no line is {}", shown(first)),
                None => format!("hunk {number} does not fit: the file has {} lines", file.len()),
            };
        };
        for (index, line) in self.old.iter().enumerate() {
            let found = file.get(at + index);
            if found.is_some_and(|found| found == line) {
                continue;
            }
            let place = at + index + 1;
            let wanted = shown(line);
            return match found {
                Some(found) => format!(
                    "hunk {number} does not fit: line {place} is {}, not {wanted}{}",
                    shown(found),
                    hint(found, line)
                ),
                None => format!("hunk {number} does not fit: there is no line {place}, {wanted}"),
            };
        }
        format!("hunk {number} does not come after the hunk before it")
    }
}

/// A line without a newline can only be the last one.
fn check_ends(patched: &[u8], hunks: &[Hunk]) -> Result<(), Problem> {
    let is_open = |line: &&Vec<u8>| !line.ends_with(b"\n");
    let open: Vec<_> = hunks.iter().flat_map(|hunk| &hunk.new).filter(is_open).collect();
    match open.as_slice() {
        [] => Ok(()),
        [line] if patched.ends_with(line) => Ok(()),
        _ => wrong("`\\ No newline at end of file` stands behind a line that is not the last one"),
    }
}

/// Where a hunk begins, and how many lines become how many.
fn ranges(header: &str) -> Option<(usize, usize, usize)> {
    let mut words = header.trim_start_matches('@').split_whitespace();
    let (old, new) = (words.next()?.strip_prefix('-')?, words.next()?.strip_prefix('+')?);
    let range = |text: &str| match text.split_once(',') {
        Some((at, count)) => Some((at.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let (at, old) = range(old)?;
    let (_, new): (usize, usize) = range(new)?;
    Some((at, old, new))
}

/// Whether a line before the hunks is about this file.
fn check_header(line: &str, path: &Inside) -> Result<(), Problem> {
    let name = line.strip_prefix("--- ").or_else(|| line.strip_prefix("+++ "));
    let Some(name) = name else { return Ok(()) };
    let name = name.split('\t').next().unwrap_or(name).trim_end();
    if name == "/dev/null" {
        return wrong("it makes or removes a file, and this tool only changes one that is there");
    }
    let bare = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    let own = path.to_string();
    match [name, bare].iter().any(|name| name.trim_start_matches("./") == own) {
        true => Ok(()),
        false => wrong(format!("it is about `{name}`, and the call is about `{own}`")),
    }
}

fn hint(found: &[u8], wanted: &[u8]) -> &'static str {
    if found.ends_with(b"\r\n") && !wanted.ends_with(b"\r\n") {
        return "; the lines of this file end in CR LF";
    }
    if !found.ends_with(b"\n") {
        return "; the file has no newline at its end: `\\ No newline at end of file` says so";
    }
    match found.trim_ascii() == wanted.trim_ascii() {
        true => "; they differ in white space only",
        false => "",
    }
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn wrong<T>(problem: impl std::fmt::Display) -> Result<T, Problem> {
    Err(Problem::Own(format!("the patch cannot be applied: {problem}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(file: &str, patch: &str) -> Result<String, String> {
        let path = Inside::parse("src/f", &[]).unwrap();
        let patched = Patch::read(patch, &path).and_then(|patch| patch.apply(file.as_bytes()));
        match patched {
            Ok(bytes) => Ok(String::from_utf8(bytes).unwrap()),
            Err(problem) => {
                let text = problem.to_string();
                Err(text.strip_prefix("the patch cannot be applied: ").unwrap().to_owned())
            }
        }
    }

    const FILE: &str = "a\nb\nc\nd\nb\nc\ne\n";

    #[test]
    fn hunks_apply_where_their_lines_are() {
        let ok = |patch: &str, expected: &str| {
            assert_eq!(apply(FILE, patch), Ok(expected.to_owned()), "{patch}");
        };
        ok("@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB\nc\nd\nb\nc\ne\n");
        ok("--- a/src/f\n+++ b/src/f\n@@ -1,2 +1 @@ fn x\n a\n-b\n", "a\nc\nd\nb\nc\ne\n");
        ok(
            "diff --git a/src/f b/src/f\nindex 1..2\n--- src/f\t2020\n+++ ./src/f\n@@ -4 +4 @@\n-d\n+D",
            "a\nb\nc\nD\nb\nc\ne\n",
        );
        // The number decides between places that fit.
        ok("@@ -5,2 +5,2 @@\n-b\n+x\n c\n", "a\nb\nc\nd\nx\nc\ne\n");
        // A wrong number is no harm where only one place fits.
        ok("@@ -6,2 +6,2 @@\n d\n-b\n+x\n", "a\nb\nc\nd\nx\nc\ne\n");
        ok("@@\n d\n-b\n+x\n", "a\nb\nc\nd\nx\nc\ne\n");
        ok("@@ -0,0 +1 @@\n+x\n@@ -7,0 +9 @@\n+y\n", "x\na\nb\nc\nd\nb\nc\ne\ny\n");
        ok("@@ -1 +1 @@\n-a\n+-- a\n@@ -2 +2 @@\n-b\n+++ b\n", "-- a\n++ b\nc\nd\nb\nc\ne\n");
        assert_eq!(apply("a\n\nb\n", "@@ -1,3 +1,2 @@\n a\n\n-b\n"), Ok("a\n\n".to_owned()));
        let end = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n";
        assert_eq!(apply("a", end), Ok("b\n".to_owned()));
        let end = "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n";
        assert_eq!(apply("a\n", end), Ok("b".to_owned()));
        assert_eq!(apply("a\r\n", "@@ -1 +1 @@\n-a\r\n+b\r\n"), Ok("b\r\n".to_owned()));
    }

    #[test]
    fn a_patch_that_does_not_fit_says_where_and_why() {
        let wrong = |file: &str, patch: &str, expected: &str| {
            assert_eq!(apply(file, patch), Err(expected.to_owned()), "{patch}");
        };
        wrong(FILE, "", "it has no hunk, which begins with `@@ -LINE,COUNT +LINE,COUNT @@`");
        wrong(
            FILE,
            "@@ -3,2 +3,2 @@\n-b\n+x\n c\n",
            "hunk 1 fits at several places, at the lines 2, 5: show more lines around the change, \
             or the number of its first line",
        );
        wrong(
            FILE,
            "@@ -1,3 +1,3 @@\n a\n-b\n+x\n q\n",
            "hunk 1 does not fit: line 3 is \"c\", not \"q\"",
        );
        wrong(
            "x\n  y\n",
            "@@ -1,2 +1,2 @@\n x\n-y\n+z\n",
            "hunk 1 does not fit: line 2 is \"  y\", not \"y\"; they differ in white space only",
        );
        wrong(
            "x\r\n",
            "@@ -1 +1 @@\n-x\n+y\n",
            "hunk 1 does not fit: line 1 is \"x\\r\", not \"x\"; the lines of this file end in CR LF",
        );
        wrong(
            "x",
            "@@ -1 +1 @@\n-x\n+y\n",
            "hunk 1 does not fit: line 1 is \"x\", not \"x\"; the file has no newline at its end: \
             `\\ No newline at end of file` says so",
        );
        wrong(
            FILE,
            "@@ -1,4 +1,2 @@\n a\n-b\n+B\n",
            "hunk 1 says that 4 lines become 2, and it shows 2 and 2",
        );
        wrong(
            FILE,
            "@@ -1 +1 @@\n-a\n+x\n+y\n",
            "hunk 1 has more lines than its header says: \"+y\"",
        );
        wrong(
            FILE,
            "@@ -4 +4 @@\n-d\n+x\n@@ -1 +1 @@\n-a\n+y\n",
            "hunk 2 does not come after the hunk before it",
        );
        wrong(FILE, "@@\n+x\n", "hunk 1 says nowhere where it belongs: show lines around");
        wrong(FILE, "@@ -99,0 +99 @@\n+x\n", "hunk 1 does not fit: the file has 7 lines");
        wrong(
            FILE,
            "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+x\n",
            "it is about `a/g`, and the call is about `src/f`",
        );
        wrong(
            FILE,
            "--- /dev/null\n+++ b/src/f\n@@ -0,0 +1 @@\n+x\n",
            "it makes or removes a file, and this tool only changes one that is there",
        );
        wrong(
            FILE,
            "@@ -1 +1 @@\n-a\n+x\n--- a/g\n+++ b/g\n",
            "it is about more than one file: make one call for each",
        );
        wrong(
            FILE,
            "@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n",
            "`\\ No newline at end of file` stands behind a line that is not the last one",
        );
    }
}
