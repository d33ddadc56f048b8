//! A fenced block of code that is being read, line by line, without a parser.

use std::borrow::Cow;

/// What ends a block of code, and what its lines are indented by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    mark: u8,
    length: usize,
    indent: usize,
}

impl Fence {
    /// The fence that a line opens, if it does.
    pub fn of(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let mark = *rest.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = run(rest, mark);
        let indent = line.len() - rest.len();
        (indent < 4 && length >= 3).then_some(Self { mark, length, indent })
    }

    /// Whether a line ends the block.
    pub fn is_ended_by(self, line: &str) -> bool {
        let rest = line.trim_start_matches(' ');
        if line.len() - rest.len() >= 4 {
            return false;
        }
        let length = run(rest, self.mark);
        // Spaces at the end of the text, without a line break, are no line of code.
        let is_end_of_text = rest.is_empty();
        is_end_of_text
            || length >= self.length
                && rest[length..].trim_start_matches(' ').trim_end_matches('\n').is_empty()
    }

    /// A line of code, without what it is indented by because its fence is.
    pub fn code(self, line: &str) -> Cow<'_, str> {
        let mut left = self.indent;
        for (at, byte) in line.bytes().enumerate() {
            match byte {
                _ if left == 0 => return Cow::Borrowed(&line[at..]),
                b' ' => left -= 1,
                // What is left of the tab stop counts as code.
                b'\t' => {
                    let stop = 4 - (self.indent - left);
                    let spaces = &"    "[left.min(stop)..stop];
                    return Cow::Owned(format!("{spaces}{}", &line[at + 1..]));
                }
                _ => return Cow::Borrowed(&line[at..]),
            }
        }
        Cow::Borrowed("")
    }
}

fn run(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|byte| *byte == mark).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_with_one_that_is_as_long() {
        let fence = Fence::of("  ```` rust\n").unwrap();
        for (line, ends) in [
            ("````\n", true),
            ("`````   \n", true),
            ("   ````", true),
            ("  ", true),
            ("  \n", false),
            ("    ````\n", false),
            ("```\n", false),
            ("~~~~\n", false),
            ("```` x\n", false),
        ] {
            assert_eq!(fence.is_ended_by(line), ends, "{line:?}");
        }
        assert_eq!(Fence::of("``\n"), None);
        assert_eq!(Fence::of("    ```\n"), None);
    }

    #[test]
    fn code_loses_the_indent_of_its_fence() {
        let fence = Fence::of("  ~~~\n").unwrap();
        for (line, code) in [
            ("    a\n", "  a\n"),
            (" a\n", "a\n"),
            ("a\n", "a\n"),
            ("\ta\n", "  a\n"),
            (" \ta\n", "  a\n"),
            ("\n", "\n"),
        ] {
            assert_eq!(fence.code(line), code, "{line:?}");
        }
    }
}
