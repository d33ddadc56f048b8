//! The text of a plan: the manifest as people edit it, with what jp wrote above it for them.

use crate::format::{InvalidName, limits};

use super::Fault;

/// What a line begins with that tells of a fault.
const ERROR: &str = "# ERROR: ";

/// What a line begins with that tells how to go on.
const NOTE: &str = "# NOTE: ";

/// What ends the list of faults.
const REMEDY: [&str; 2] = ["#", "# Fix the errors above and save, or clear this file to abort."];

/// A plan as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanText {
    /// Its lines, each with its number in the file, from 1.
    pub lines: Vec<(usize, PlanLine)>,
}

/// A line of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanLine {
    /// A remark or a blank line.
    Remark(String),
    /// The name of a file.
    Name(String),
}

impl PlanText {
    /// Reads a plan. What jp wrote above it is not part of it.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let above = above(text);
        let lines = text.lines().enumerate().skip(above).map(|(index, raw)| {
            let name = raw.trim();
            let line = match name.is_empty() || name.starts_with('#') {
                true => PlanLine::Remark(raw.trim_end_matches('\r').to_owned()),
                false => PlanLine::Name(name.to_owned()),
            };
            (index + 1, line)
        });
        Self { lines: lines.collect() }
    }

    /// The names of files in it, each with its line.
    pub fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().filter_map(|(number, line)| match line {
            PlanLine::Name(name) => Some((*number, name.as_str())),
            PlanLine::Remark(_) => None,
        })
    }

    /// Whether it names nothing: whoever empties a plan wants no edit.
    pub fn is_empty(&self) -> bool {
        self.names().next().is_none()
    }
}

/// The plan without what jp wrote above it.
pub fn plain(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..above(text) {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    rest
}

/// The plan with faults and notes above it. Faults of the plan itself name its lines as they stand
/// then.
pub fn annotated(text: &str, faults: &[Fault], notes: &[String]) -> String {
    let removed = above(text);
    let plain = plain(text);
    let shown = faults.len().min(limits::FLAWS);
    let cut = usize::from(faults.len() > shown);
    let remedy = if faults.is_empty() { 0 } else { REMEDY.len() };
    let blank = usize::from(!faults.is_empty() || !notes.is_empty());
    let height = shown + cut + remedy + notes.len() + blank;
    let mut annotated = String::new();
    for note in notes {
        annotated += &format!("{NOTE}{note}\n");
    }
    for fault in &faults[..shown] {
        let fault = fault.clone().shifted(|line| line.saturating_sub(removed) + height);
        // A fault is one line, whatever it quotes.
        let line = fault.to_string().replace(char::is_control, "\u{fffd}");
        annotated += &format!("{ERROR}{line}\n");
    }
    if cut > 0 {
        annotated += &format!("{ERROR}{} more like these\n", faults.len() - shown);
    }
    if !faults.is_empty() {
        annotated += &REMEDY.map(|line| format!("{line}\n")).concat();
    }
    if blank > 0 {
        annotated.push('\n');
    }
    annotated + plain
}

/// How many lines at the top are from jp.
fn above(text: &str) -> usize {
    let is_ours = |line: &&str| {
        let line = line.trim_end();
        [ERROR, NOTE].iter().any(|mark| line.starts_with(mark.trim_end())) || REMEDY.contains(&line)
    };
    let lines = text.lines().take_while(is_ours).count();
    let is_blank = |line: &str| line.trim().is_empty();
    let blank = lines > 0 && text.lines().nth(lines).is_some_and(is_blank);
    lines + usize::from(blank)
}

/// Checks a name that somebody gave to a new file.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.contains(['/', '\\']) || name == ".." {
        return Err(InvalidName::Leaves(name.to_owned()).to_string());
    }
    let stem = name.strip_suffix(".md").or_else(|| name.strip_suffix(".toml"));
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let fits = stem.is_some_and(|stem| !stem.is_empty() && stem.bytes().all(safe))
        && !name.starts_with('.')
        && name.len() <= limits::FILE_NAME;
    match fits {
        true => Ok(()),
        false => Err(format!(
            "`{}` cannot be the name of an event file: it has letters, digits, `.`, `_` and `-`, \
             and ends in `.md` or `.toml`",
            name.escape_debug()
        )),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::Flaw;

    #[test]
    fn what_jp_wrote_above_a_plan_is_not_part_of_it_and_lines_count_from_the_top() {
        let plan = "# mine\n\n# Turn 0\n000-request.md\n  001-message.md \r\n";
        let faults = [
            Fault::of_plan(Some(5), "001-message.md: wrong"),
            Fault::new("000-request.md", Flaw::at_line(2, "odd\nkey")),
        ];
        let notes = ["open the files yourself".to_owned()];
        let text = annotated(plan, &faults, &notes);
        assert_eq!(
            text,
            format!(
                "# NOTE: open the files yourself\n\
                 # ERROR: CONVERSATION:11:1: 001-message.md: wrong\n\
                 # ERROR: 000-request.md:2:1: odd\u{fffd}key\n\
                 #\n\
                 # Fix the errors above and save, or clear this file to abort.\n\n{plan}"
            )
        );
        assert_eq!(text.lines().nth(10), Some("  001-message.md "));
        assert_eq!(plain(&text), plan);
        let read = PlanText::read(text.as_bytes());
        let names: Vec<_> = read.names().collect();
        assert_eq!(names, [(10, "000-request.md"), (11, "001-message.md")]);
        // Again, from the text that has them already.
        let again = [Fault::of_plan(Some(11), "001-message.md: still wrong")];
        let again = annotated(&text, &again, &[]);
        assert!(again.starts_with("# ERROR: CONVERSATION:9:1: "), "{again}");
        assert_eq!(again.lines().nth(8), Some("  001-message.md "));
        assert_eq!(annotated(&again, &[], &[]), plan);
    }

    #[test]
    fn a_plan_of_remarks_is_empty() {
        for text in ["", "\n\n", "# Turn 0\n# mine\n", "# ERROR: x\n"] {
            assert!(PlanText::read(text.as_bytes()).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn new_files_have_plain_names() {
        for name in ["a.md", "clarify.md", "012-request.md", "a-b_c.d.toml"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", ".md", "a", "a.txt", "a b.md", "../a.md", "a/b.md", ".a.md", "é.md"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn annotations_come_and_go(plan in "([a-z#. ]{0,12}\n){0,9}", count in 0..4_usize) {
            prop_assume!(above(&plan) == 0);
            let faults = vec![Fault::of_plan(Some(1), "x"); count];
            let text = annotated(&plan, &faults, &[]);
            prop_assert_eq!(plain(&text), plan.as_str());
        }
    }
}
