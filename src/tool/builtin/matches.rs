//! What was found in files, as text for a model.

use super::{contents::one_line, path::Inside};

/// The most lines that match and are shown.
const SHOWN: usize = 500;

/// The most characters of a line.
const LINE: usize = 400;

/// Lines that were found.
pub(super) struct Matches {
    context: usize,
    limit: usize,
    text: String,
    shown: usize,
    total: usize,
    files: usize,
    files_shown: usize,
}

impl Matches {
    pub(super) fn new(context: usize, limit: usize) -> Self {
        let (text, shown, total, files, files_shown) = (String::new(), 0, 0, 0, 0);
        Self { context, limit, text, shown, total, files, files_shown }
    }

    /// Adds the lines of a file, of which `found` match.
    pub(super) fn add(&mut self, path: &Inside, lines: &[&[u8]], found: &[usize]) {
        if found.is_empty() {
            return;
        }
        self.total += found.len();
        self.files += 1;
        let before = self.shown;
        let name = one_line(path.as_path().as_os_str());
        // The first line that was not shown yet.
        let mut next = 0;
        for (index, &at) in found.iter().enumerate() {
            if self.shown >= SHOWN || self.text.len() >= self.limit {
                break;
            }
            let from = at.saturating_sub(self.context).max(next);
            let until = (at + self.context + 1).min(lines.len());
            let until = found.get(index + 1).map_or(until, |next| until.min(*next));
            let mut block = String::new();
            if self.context > 0 && !self.text.is_empty() && (from > next || next == 0) {
                block.push_str("--\n");
            }
            for (index, line) in lines.iter().enumerate().take(until).skip(from) {
                let mark = if index == at { ':' } else { '-' };
                block.push_str(&format!("{name}{mark}{}{mark}{}\n", index + 1, shown(line)));
            }
            if self.text.len() + block.len() > self.limit && self.shown > 0 {
                break;
            }
            self.text.push_str(&block);
            self.shown += 1;
            next = until;
        }
        self.files_shown += usize::from(self.shown > before);
    }

    /// The lines, and what is missing.
    pub(super) fn text(self, mut notes: Vec<String>) -> String {
        let mut text = self.text;
        if self.total == 0 {
            notes.insert(0, "no line matches".to_owned());
        }
        if self.shown < self.total {
            let Self { shown, total, files, files_shown, .. } = self;
            notes.insert(
                0,
                format!(
                    "{shown} of {total} matching lines are shown, from {files_shown} of {files} \
                     files; narrow the search to see others"
                ),
            );
        }
        if !notes.is_empty() {
            text.push_str(&format!("[{}]\n", notes.join("; ")));
        }
        text
    }
}

/// A line, or the beginning of a long one.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}… ({} bytes more)", &text[..end], text.len() - end),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(context: usize, limit: usize, lines: &[&str], found: &[usize]) -> String {
        let mut matches = Matches::new(context, limit);
        let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
        matches.add(&Inside::parse("f", &[]).unwrap(), &lines, found);
        matches.text(Vec::new())
    }

    #[test]
    fn lines_around_matches_are_shown_once() {
        let lines = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
        assert_eq!(text(0, 1000, &lines, &[1, 3]), "f:2:1\nf:4:3\n");
        assert_eq!(
            text(1, 1000, &lines, &[1, 3, 7]),
            "f-1-0\nf:2:1\nf-3-2\nf:4:3\nf-5-4\n--\nf-7-6\nf:8:7\nf-9-8\n"
        );
        assert_eq!(text(2, 1000, &lines, &[3, 4]), "f-2-1\nf-3-2\nf:4:3\nf:5:4\nf-6-5\nf-7-6\n");
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        assert_eq!(text(0, 1000, &["a"], &[]), "[no line matches]\n");
        assert_eq!(
            text(0, 12, &["a", "b", "c"], &[0, 1, 2]),
            "f:1:a\nf:2:b\n[2 of 3 matching lines are shown, from 1 of 1 files; narrow the search \
             to see others]\n"
        );
        let long = "x".repeat(500);
        let expected = format!("f:1:{}… (100 bytes more)\n", "x".repeat(400));
        assert_eq!(text(0, 12, &[&long], &[0]), expected);
    }
}
