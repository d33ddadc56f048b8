//! Pieces of text put together to lines that end with a line feed, whatever they ended with.

/// The beginning of a line that is not complete yet.
#[derive(Debug, Default)]
pub struct Lines {
    open: String,
    /// Whether a carriage return came last, which may be half of a line break.
    returned: bool,
}

impl Lines {
    /// Adds a piece of text, and hands over each line that it completes.
    pub fn push(&mut self, mut text: &str, mut each: impl FnMut(&str)) {
        while !text.is_empty() {
            if std::mem::take(&mut self.returned) {
                text = text.strip_prefix('\n').unwrap_or(text);
                self.end_line(&mut each);
                continue;
            }
            let end = text.bytes().position(|byte| matches!(byte, b'\n' | b'\r'));
            let Some(end) = end else {
                return self.open.push_str(text);
            };
            self.open.push_str(&text[..end]);
            if text.as_bytes()[end] == b'\r' {
                self.returned = true;
            } else {
                self.end_line(&mut each);
            }
            text = &text[end + 1..];
        }
    }

    /// Hands over what is left: the last line, which may have no end.
    pub fn finish(&mut self, mut each: impl FnMut(&str)) {
        if std::mem::take(&mut self.returned) {
            self.end_line(&mut each);
        }
        if !self.open.is_empty() {
            each(&self.open);
            self.open.clear();
        }
    }

    fn end_line(&mut self, each: &mut impl FnMut(&str)) {
        self.open.push('\n');
        each(&self.open);
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_in_every_split() {
        let text = "one\r\n\rtwo\n\r\n\nthree\r";
        let expected = ["one\n", "\n", "two\n", "\n", "\n", "three\n"];
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut lines = Lines::default();
                let mut found = Vec::new();
                for piece in [&text[..first], &text[first..second], &text[second..]] {
                    lines.push(piece, |line| found.push(line.to_owned()));
                }
                lines.finish(|line| found.push(line.to_owned()));
                assert_eq!(found, expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn the_last_line_may_have_no_end() {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        lines.push("a\nb", |line| found.push(line.to_owned()));
        assert_eq!(found, ["a\n"]);
        lines.finish(|line| found.push(line.to_owned()));
        assert_eq!(found, ["a\n", "b"]);
    }
}
