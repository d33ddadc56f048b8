//! The manifest of a directory: which events are in the stream, and in which order.
//!
//! Lines that nobody changed keep their bytes, comments and all.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
};

use super::{FileName, Flaw, RunName, limits};

/// A parsed manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    lines: Vec<Line>,
}

/// One line of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A comment or a blank line, as it was written.
    Remark(String),
    /// An event file of this directory.
    Event(FileName),
    /// A directory whose own manifest stands here.
    Run(RunName),
}

/// What the heading of a turn begins with.
const HEADING: &str = "# Turn ";

impl Line {
    /// The heading of a turn.
    pub fn heading(turn: u64) -> Self {
        Self::Remark(format!("{HEADING}{turn}"))
    }

    /// The turn that this is the heading of, and what somebody wrote behind it.
    pub fn as_heading(&self) -> Option<(u64, &str)> {
        let Self::Remark(text) = self else { return None };
        let rest = text.strip_prefix(HEADING)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (turn, rest) = rest.split_at(digits);
        Some((turn.parse().ok()?, rest))
    }

    /// Whether nothing stands on it.
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Remark(text) if text.trim().is_empty())
    }
}

impl Manifest {
    /// An empty manifest with the comment that explains it.
    pub fn with_header() -> Self {
        let header = include_str!("../../templates/manifest-header.txt");
        let remarks = header.lines().map(|line| Line::Remark(line.to_owned()));
        Self { lines: remarks.collect() }
    }

    /// A manifest of these lines.
    pub fn from_lines(lines: Vec<Line>) -> Self {
        Self { lines }
    }

    /// Reads a manifest and finds everything that is wrong with it by itself. What can be used is
    /// returned even then.
    pub fn read(bytes: &[u8]) -> (Self, Vec<Flaw>) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut manifest = Self::default();
        let mut flaws = Vec::new();
        let mut seen = BTreeSet::new();
        for (index, raw) in text.lines().enumerate() {
            let name = raw.trim();
            if name.is_empty() || name.starts_with('#') {
                // `lines` takes off one carriage return; another one would go with the next rewrite.
                manifest.lines.push(Line::Remark(raw.trim_end_matches('\r').to_owned()));
                continue;
            }
            let column = 1 + raw.len() - raw.trim_start().len();
            let mut flaw = |message: String| match flaws.len().cmp(&limits::FLAWS) {
                Ordering::Less => {
                    flaws.push(Flaw { line: Some(index + 1), column: Some(column), message });
                }
                Ordering::Equal => flaws.push(Flaw::new("there may be more")),
                Ordering::Greater => {}
            };
            let parsed = match name.strip_suffix('/') {
                Some(run) => run.parse().map(Line::Run),
                None => name.parse().map(Line::Event),
            };
            match parsed {
                Err(error) => flaw(error.to_string()),
                Ok(_) if !seen.insert(name.to_owned()) => {
                    flaw(format!("`{name}` is listed twice"));
                }
                Ok(line) => manifest.lines.push(line),
            }
        }
        (manifest, flaws)
    }

    /// The lines that lead nowhere, with what is wrong with each: those of the top, or of a run. The
    /// bytes are those that the manifest was read from.
    pub fn dead_ends<'a>(
        &'a self,
        bytes: &'a [u8],
        run: Option<&'a RunName>,
        has_run: impl Fn(&RunName) -> bool + 'a,
        has_event: impl Fn(&FileName) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a Line, Flaw)> {
        let mut places = None;
        self.lines.iter().filter_map(move |line| {
            let (entry, wrong) = match line {
                Line::Run(name) if run.is_some() => {
                    (format!("{name}/"), "a sealed run has no runs of its own")
                }
                Line::Run(name) if !has_run(name) => {
                    (format!("{name}/"), "there is no such directory")
                }
                Line::Event(name) if !has_event(name) => {
                    (name.to_string(), "there is no such file")
                }
                Line::Event(_) | Line::Run(_) | Line::Remark(_) => return None,
            };
            let places = places.get_or_insert_with(|| places_in(bytes));
            let (number, column) = places.get(entry.as_bytes()).copied().unzip();
            let message = format!("`{entry}`: {wrong}");
            Some((line, Flaw { line: number, column, message }))
        })
    }

    /// The bytes of the manifest.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in &self.lines {
            match line {
                Line::Remark(text) => bytes.extend_from_slice(text.as_bytes()),
                Line::Event(name) => bytes.extend_from_slice(name.as_str().as_bytes()),
                Line::Run(name) => {
                    bytes.extend_from_slice(name.as_str().as_bytes());
                    bytes.push(b'/');
                }
            }
            bytes.push(b'\n');
        }
        bytes
    }

    /// The lines, in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The lines, to be changed.
    pub fn lines_mut(&mut self) -> &mut Vec<Line> {
        &mut self.lines
    }

    /// The event files, in order.
    pub fn events(&self) -> impl Iterator<Item = &FileName> {
        self.lines.iter().filter_map(|line| match line {
            Line::Event(name) => Some(name),
            Line::Remark(_) | Line::Run(_) => None,
        })
    }

    /// Adds an event at the end, under the heading of a new turn if it begins one.
    pub fn push(&mut self, name: FileName, begins_turn: Option<u64>) {
        if let Some(number) = begins_turn {
            if self.lines.last().is_some_and(|line| !line.is_blank()) {
                self.lines.push(Line::Remark(String::new()));
            }
            self.lines.push(Line::heading(number));
        }
        self.lines.push(Line::Event(name));
    }
}

/// The line and column of each entry of a manifest.
fn places_in<'a>(manifest: &'a [u8]) -> HashMap<&'a [u8], (usize, usize)> {
    let lines = manifest.split(|byte| *byte == b'\n').enumerate();
    let place = |(index, line): (usize, &'a [u8])| {
        let column = 1 + line.len() - line.trim_ascii_start().len();
        (line.trim_ascii(), (index + 1, column))
    };
    lines.map(place).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> FileName {
        text.parse().unwrap()
    }

    #[test]
    fn an_untouched_manifest_keeps_its_bytes() {
        let text =
            "# Mine\n\n  # indented\n# Turn 0\n000-request.md\n000/\n\n\n001-message.md\n# end\n";
        let (manifest, flaws) = Manifest::read(text.as_bytes());
        assert_eq!(flaws, []);
        assert_eq!(String::from_utf8(manifest.to_bytes()).unwrap(), text);
    }

    #[test]
    fn a_manifest_without_a_last_newline_and_with_crlf_is_read() {
        let (manifest, flaws) = Manifest::read(b"000-request.md\r\n  001-message.md  \r\n002/");
        assert_eq!(flaws, []);
        assert_eq!(manifest.to_bytes(), b"000-request.md\n001-message.md\n002/\n");
    }

    #[test]
    fn all_flaws_are_found_with_line_and_column() {
        let text = "000-request.md\n 000-request.md\n../evil.md\nnotes.txt\n# fine\nx/\n";
        let (manifest, flaws) = Manifest::read(text.as_bytes());
        let found: Vec<_> = flaws.iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "line 2, column 2: `000-request.md` is listed twice",
                "line 3, column 1: `../evil.md` leaves the directory",
                "line 4, column 1: `notes.txt` is not the name of an event file such as \
                 `003-message.md`",
                "line 6, column 1: `x` is not the name of a sealed run such as `100/`",
            ]
        );
        assert_eq!(manifest.events().collect::<Vec<_>>(), [&name("000-request.md")]);
    }

    #[test]
    fn turns_have_headings() {
        let mut manifest = Manifest::from_lines(Vec::new());
        manifest.push(name("000-request.md"), Some(0));
        manifest.push(name("001-message.md"), None);
        manifest.push(name("002-request.md"), Some(1));
        let text = "# Turn 0\n000-request.md\n001-message.md\n\n# Turn 1\n002-request.md\n";
        assert_eq!(String::from_utf8(manifest.to_bytes()).unwrap(), text);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            let (manifest, _) = Manifest::read(&bytes);
            let (again, flaws) = Manifest::read(&manifest.to_bytes());
            prop_assert!(flaws.is_empty());
            prop_assert_eq!(again, manifest);
        }

        #[test]
        fn hostile_lines_never_become_paths(text in "([0-9]{0,4}[-/.# ~\\\\a-z]{0,12}(\\.md|\\.toml|/)?\n){0,8}") {
            let (manifest, _) = Manifest::read(text.as_bytes());
            for name in manifest.events() {
                prop_assert!(!name.as_str().contains(['/', '\\', ' ']), "{}", name);
                prop_assert!(name.as_str().starts_with(|c: char| c.is_ascii_digit()));
            }
        }
    }
}
