//! The text of a draft: what is to be written, and below the scissors what it answers.
//!
//! What is below is from a model. It is only there to be seen, so everything in it that an editor
//! could take for an order is made harmless.

/// The line that ends what was written.
const SCISSORS: &str = "<!-- ------------------------ >8 ------------------------ -->";

const TEMPLATE: &str = include_str!("../../templates/query-draft.md");

/// How many bytes of what is answered are shown.
const SHOWN: usize = 100_000;

/// What a draft begins with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sheet<'a> {
    /// What is written already.
    pub text: &'a str,
    /// What the user is about to answer.
    pub answered: Option<&'a str>,
}

impl Sheet<'_> {
    /// The contents of the file.
    pub(super) fn fill(&self) -> String {
        let (before, after) = TEMPLATE.split_once("{text}").expect("the template has a place");
        let (between, after) = after.split_once("{answered}").expect("the template has a place");
        let answered = self.answered.map_or_else(String::new, quote);
        format!("{before}{}{between}{answered}{after}", self.text.trim_end_matches('\n'))
    }
}

/// What was written, to the byte: everything above the first line with the scissors, without the
/// empty lines around it. `None` if that is nothing.
pub(super) fn written(file: &str) -> Option<&str> {
    let file = file.strip_prefix('\u{feff}').unwrap_or(file);
    let (mut from, mut to) = (None, 0);
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        if line.trim_end() == SCISSORS {
            break;
        }
        if !line.trim().is_empty() {
            from = from.or(Some(at));
            to = at + line.trim_end_matches(['\n', '\r']).len();
        }
        at += line.len();
    }
    from.map(|from| &file[from..to])
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\n");
    let mut lines = text.trim_end().split('\n');
    for line in lines.by_ref() {
        let line = harmless(line.trim_end_matches('\r'));
        quoted += if line.is_empty() { ">" } else { "> " };
        quoted += &line;
        quoted.push('\n');
        if quoted.len() > SHOWN {
            break;
        }
    }
    let left = lines.count();
    if left > 0 {
        quoted += &format!("> (and {left} more lines)\n");
    }
    quoted
}

/// A line without anything that an editor or a terminal could obey.
fn harmless(line: &str) -> String {
    let shown = |c: char| match c {
        '\t' => '\t',
        '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    let line: String = line.chars().take(SHOWN).map(shown).collect();
    if is_order(&line) { line.replace(':', "\u{a789}") } else { line }
}

/// Whether vi or Emacs would take settings from a line.
fn is_order(line: &str) -> bool {
    let line = line.to_lowercase();
    let vi = line.split(':').any(|before| {
        let before = before.trim_end_matches(|c: char| "<>=".contains(c) || c.is_ascii_digit());
        ["vi", "vim", "ex"].iter().any(|name| {
            let rest = before.strip_suffix(name);
            rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        })
    });
    (vi && line.contains(':')) || line.contains("local variables:") || line.contains("-*-")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_sheet_asks_for_a_message_and_shows_what_is_answered() {
        let sheet = Sheet { text: "", answered: Some("One\n\n  two\r\nthree\n") };
        let expected = "

<!-- ------------------------ >8 ------------------------ -->
<!-- Write your message above the line with the scissors.
     That line and everything below it are cut off; an empty message is not sent. -->

> One
>
>   two
> three

";
        assert_eq!(sheet.fill(), expected);
        assert_eq!(written(expected), None);
    }

    #[test]
    fn what_was_written_is_kept_to_the_byte() {
        let line = SCISSORS;
        for (file, expected) in [
            ("", None),
            ("\n \n\t\n", None),
            ("hello", Some("hello")),
            ("hello\n", Some("hello")),
            ("\n\n  indented  \n\n\n\tmore \t\n\n", Some("  indented  \n\n\n\tmore \t")),
            ("a\r\nb\r\n", Some("a\r\nb")),
            ("\u{feff}a\n", Some("a")),
            ("# not a comment\n", Some("# not a comment")),
            (&format!("a\n{line}\nb\n"), Some("a")),
            (&format!("a\r\n{line} \r\nb\n"), Some("a")),
            (&format!("a\n{line}\nb\n{line}\n"), Some("a")),
            (&format!("a\n> {line}\nb\n"), Some(&format!("a\n> {line}\nb"))),
            (&format!("{line}\nb\n"), None),
            (line, None),
        ] {
            assert_eq!(written(file), expected, "{file:?}");
        }
    }

    #[test]
    fn what_is_answered_cannot_command_an_editor() {
        for (line, expected) in [
            ("vim: set ft=sh", "vim\u{a789} set ft=sh"),
            ("// vi:noai:", "// vi\u{a789}noai\u{a789}"),
            ("/* Vim>=700: set x: */", "/* Vim>=700\u{a789} set x\u{a789} */"),
            ("<!-- ex: x -->", "<!-- ex\u{a789} x -->"),
            ("Local Variables:", "Local Variables\u{a789}"),
            ("see index: 3 and Levi: 4", "see index: 3 and Levi: 4"),
            ("\u{1b}[31mred\u{7}", "\u{fffd}[31mred\u{fffd}"),
            ("\u{202e}olleh", "\u{fffd}olleh"),
        ] {
            assert_eq!(harmless(line), expected);
        }
    }

    #[test]
    fn a_long_answer_is_cut_and_says_so() {
        let long = "0123456789\n".repeat(20_000);
        let filled = Sheet { text: "", answered: Some(&long) }.fill();
        assert!(filled.len() < SHOWN + 1000);
        assert!(filled.contains("> (and 12307 more lines)\n"), "{}", &filled[filled.len() - 100..]);
    }

    proptest! {
        #[test]
        fn what_a_sheet_begins_with_is_written_if_nothing_changes(
            text in "[ \\PC]{0,40}(\n[ \\PC]{0,40}){0,5}",
            answered in proptest::option::of("(?s).{0,80}"),
        ) {
            let filled = Sheet { text: &text, answered: answered.as_deref() }.fill();
            prop_assert_eq!(written(&filled), written(&text));
        }
    }
}
