//! Exact texts in place of others, all of them or none.

use memchr::memmem::Finder;
use serde::Deserialize;

use super::{contents::lines, path::Inside, problem::Problem};

/// The most lines that are named.
const NAMED: usize = 10;

/// A text in place of another.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Replacement {
    old_text: String,
    new_text: String,
    #[serde(default)]
    all: bool,
}

/// Makes replacements one after the other, and counts what was replaced.
pub(super) fn replace_all(
    before: &[u8],
    replacements: &[Replacement],
    path: &Inside,
) -> Result<(Vec<u8>, usize), Problem> {
    let mut bytes = before.to_vec();
    let mut replaced = 0;
    for (index, replacement) in replacements.iter().enumerate() {
        let which = match replacements.len() {
            1 => "`old_text`".to_owned(),
            _ => format!("`old_text` of replacement {}", index + 1),
        };
        let problem = |problem: String| Problem::Own(format!("{which} {problem}"));
        let (old, new) = (replacement.old_text.as_bytes(), replacement.new_text.as_bytes());
        if old == new {
            return Err(problem("is the same as `new_text`".to_owned()));
        }
        let places = places(&bytes, old);
        if places.is_empty() {
            return Err(problem(format!("does not occur in `{path}`{}", hint(&bytes, old))));
        }
        if places.len() > 1 && !replacement.all {
            let count = places.len();
            return Err(problem(format!(
                "occurs {count} times in `{path}`, on the lines {}: show more around the one that \
                 is meant, or set `all`",
                line_numbers(&bytes, &places)
            )));
        }
        let (made, count) = replace(&bytes, old, new);
        bytes = made;
        replaced += count;
    }
    Ok((bytes, replaced))
}

/// Where a text begins, also where it overlaps with itself.
fn places(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    let finder = Finder::new(text);
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| finder.find(rest)) {
        places.push(at + found);
        at += found + 1;
    }
    places
}

fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> (Vec<u8>, usize) {
    let mut made = Vec::with_capacity(bytes.len());
    let (mut done, mut count) = (0, 0);
    for at in Finder::new(old).find_iter(bytes) {
        made.extend_from_slice(&bytes[done..at]);
        made.extend_from_slice(new);
        done = at + old.len();
        count += 1;
    }
    made.extend_from_slice(&bytes[done..]);
    (made, count)
}

/// The lines on which places are.
fn line_numbers(bytes: &[u8], places: &[usize]) -> String {
    let line = |at: &usize| 1 + memchr::memchr_iter(b'\n', &bytes[..*at]).count();
    let mut lines: Vec<_> = places.iter().take(NAMED).map(|at| line(at).to_string()).collect();
    if places.len() > NAMED {
        lines.push("…".to_owned());
    }
    lines.join(", ")
}

/// What somebody who was nearly right may have overlooked.
fn hint(bytes: &[u8], old: &[u8]) -> String {
    let with_crlf = String::from_utf8_lossy(old).replace("\r\n", "\n").replace('\n', "\r\n");
    if old.contains(&b'\n') && Finder::new(with_crlf.as_bytes()).find(bytes).is_some() {
        return "; the lines of the file end in CR LF (`\\r\\n`)".to_owned();
    }
    let bare = |line: &[u8]| {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(&b' ')
    };
    let Some(first) = lines(old).map(bare).find(|line| !line.is_empty()) else {
        return String::new();
    };
    match lines(bytes).position(|line| bare(line) == first) {
        Some(index) => {
            let line = index + 1;
            format!(
                "; line {line} is like its first line: compare the white space and what follows"
            )
        }
        None => "; read the file again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacement(old: &str, new: &str, all: bool) -> Replacement {
        Replacement { old_text: old.to_owned(), new_text: new.to_owned(), all }
    }

    fn made(file: &str, replacements: &[Replacement]) -> Result<(String, usize), String> {
        let path = Inside::parse("f", &[]).unwrap();
        match replace_all(file.as_bytes(), replacements, &path) {
            Ok((bytes, count)) => Ok((String::from_utf8(bytes).unwrap(), count)),
            Err(problem) => Err(problem.to_string()),
        }
    }

    #[test]
    fn replacements_are_made_one_after_the_other() {
        let several = [replacement("a", "b", false), replacement("b", "c", true)];
        assert_eq!(made("a b\r\n", &several), Ok(("c c\r\n".to_owned(), 3)));
        assert_eq!(made("x\ny", &[replacement("\ny", "", false)]), Ok(("x".to_owned(), 1)));
        assert_eq!(made("aaa", &[replacement("aa", "b", true)]), Ok(("ba".to_owned(), 1)));
        let bytes = b"caf\xe9 \0 x";
        let path = Inside::parse("f", &[]).unwrap();
        let (bytes, _) = replace_all(bytes, &[replacement("x", "y", false)], &path).unwrap();
        assert_eq!(bytes, b"caf\xe9 \0 y");
    }

    #[test]
    fn a_text_that_is_not_there_once_says_why() {
        let wrong = |file: &str, replacements: &[Replacement], expected: &str| {
            assert_eq!(made(file, replacements), Err(expected.to_owned()));
        };
        wrong(
            "a\nb\na",
            &[replacement("a", "x", false)],
            "`old_text` occurs 2 times in `f`, on the lines 1, 3: show more around the one that is \
             meant, or set `all`",
        );
        wrong(
            "aaa",
            &[replacement("aa", "x", false)],
            "`old_text` occurs 2 times in `f`, on the lines 1, 1: show more around the one that is \
             meant, or set `all`",
        );
        wrong(
            "a",
            &[replacement("a", "b", false), replacement("a", "c", false)],
            "`old_text` of replacement 2 does not occur in `f`; read the file again",
        );
        wrong("a", &[replacement("a", "a", true)], "`old_text` is the same as `new_text`");
        wrong(
            "a\r\nb\r\n",
            &[replacement("a\nb", "x", false)],
            "`old_text` does not occur in `f`; the lines of the file end in CR LF (`\\r\\n`)",
        );
        wrong(
            "x\n\tif  a {\n",
            &[replacement("if a {\n}", "x", false)],
            "`old_text` does not occur in `f`; line 2 is like its first line: compare the white \
             space and what follows",
        );
    }
}
