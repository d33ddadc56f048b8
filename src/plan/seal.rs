//! Keeping the top directory small: full runs of events move into directories of their own.

use std::collections::BTreeSet;

use super::{Change, TreePath};
use crate::format::{FileName, Line, Manifest, RunName};

/// Events that may stand at the top before a run is sealed.
const AT_TOP: usize = 120;

/// Events in a sealed run.
const IN_RUN: usize = 100;

/// Seals a run of events if too many stand at the top.
pub fn seal(manifest: &mut Manifest, runs: &mut BTreeSet<RunName>) -> Vec<Change> {
    if manifest.events().count() <= AT_TOP {
        return Vec::new();
    }
    let Some((start, end)) = full_run(manifest.lines()) else {
        return Vec::new();
    };
    let names: Vec<FileName> = manifest.lines()[start..end]
        .iter()
        .filter_map(|line| match line {
            Line::Event(name) => Some(name.clone()),
            Line::Remark(_) | Line::Run(_) => None,
        })
        .collect();
    let free =
        names.iter().map(|name| RunName::new(name.address())).find(|run| !runs.contains(run));
    let Some(run) = free else {
        return Vec::new();
    };
    let sealed: Vec<Line> =
        manifest.lines_mut().splice(start..end, [Line::Run(run.clone())]).collect();
    runs.insert(run.clone());

    let moves = names
        .iter()
        .map(|name| Change::Move(TreePath::event(name), TreePath::event_in(Some(&run), name)));
    let manifest = Manifest::from_lines(sealed).to_bytes();
    moves.chain([Change::Put(TreePath::run_manifest(&run), manifest)]).collect()
}

/// The lines of the first run of events that is long enough, with the heading of its first turn.
fn full_run(lines: &[Line]) -> Option<(usize, usize)> {
    let mut start = None;
    let mut events = 0;
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Run(_) => (start, events) = (None, 0),
            Line::Remark(_) => {}
            Line::Event(_) => {
                start = start.or_else(|| Some(index - heading(&lines[..index])));
                events += 1;
                if events == IN_RUN {
                    return start.map(|start| (start, index + 1));
                }
            }
        }
    }
    None
}

/// How many lines before an event are the heading of its turn.
fn heading(before: &[Line]) -> usize {
    usize::from(before.last().is_some_and(|line| line.as_heading().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Address;

    fn name(number: u32) -> FileName {
        format!("{}-message.md", Address::new(number).unwrap()).parse().unwrap()
    }

    #[test]
    fn up_to_a_hundred_events_stay_flat() {
        let mut manifest = Manifest::with_header();
        for number in 0..100 {
            manifest.push(name(number), (number % 10 == 0).then_some(u64::from(number / 10)));
        }
        assert_eq!(seal(&mut manifest, &mut BTreeSet::new()), []);
    }

    #[test]
    fn a_full_run_moves_with_its_headings() {
        let mut manifest = Manifest::with_header();
        let mut runs = BTreeSet::new();
        for number in 0..=AT_TOP as u32 {
            manifest.push(name(number), (number % 50 == 0).then_some(u64::from(number / 50)));
        }
        let changes = seal(&mut manifest, &mut runs);
        assert_eq!(changes.len(), IN_RUN + 1);
        let Some(Change::Put(path, bytes)) = changes.last() else { panic!("{changes:?}") };
        assert_eq!(path.to_string(), "000/CONVERSATION");
        let (sealed, flaws) = Manifest::read(bytes);
        assert_eq!((sealed.events().count(), flaws), (IN_RUN, vec![]));
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.starts_with("# Turn 0\n000-message.md\n"), "{text}");
        let top = String::from_utf8(manifest.to_bytes()).unwrap();
        assert!(top.contains("\n000/\n\n# Turn 2\n100-message.md\n"), "{top}");
        assert_eq!(manifest.events().count(), AT_TOP + 1 - IN_RUN);
    }

    #[test]
    fn a_run_takes_a_name_that_is_free() {
        let mut manifest = Manifest::with_header();
        let mut runs = BTreeSet::from([RunName::new(Address::FIRST)]);
        for number in 0..=AT_TOP as u32 {
            manifest.push(name(number), None);
        }
        seal(&mut manifest, &mut runs);
        assert!(runs.contains(&"001".parse().unwrap()), "{runs:?}");
    }
}
