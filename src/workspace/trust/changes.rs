//! What would take effect with trust, beside what was trusted before.

use std::collections::BTreeMap;

use super::{Pin, WorkspaceFile, WorkspaceFiles, files::INSTRUCTIONS};
use crate::config::{ConfigErrors, Effective, to_json};

/// What changes in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its path within the workspace.
    pub name: String,
    /// Where it is, if that is elsewhere.
    pub elsewhere: Option<String>,
    /// Everything in it that needs trust, line by line, and what was there before.
    pub lines: Vec<Line>,
}

/// A setting, or a line of a file that needs trust as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// It was trusted before.
    Kept(String),
    /// It was trusted, and is gone.
    Removed(String),
    /// It is new.
    Added(String),
}

impl Change {
    /// What changes in each file that needs trust or did before. A file that could not be used if
    /// it were trusted is an error.
    pub(super) fn all(
        files: &WorkspaceFiles,
        pin: Option<&Pin>,
    ) -> Result<Vec<Self>, ConfigErrors> {
        let mut changes = Vec::new();
        for file in files.all() {
            let before = pin.and_then(|pin| pin.text(file.name)).unwrap_or_default();
            let lines = match file.scope() {
                Some(_) => {
                    let before = WorkspaceFile { text: before.to_owned(), ..file.clone() };
                    // It was right when it was trusted; with another version it may not be.
                    let before = before.settings().unwrap_or_default();
                    settings(before, file.settings()?)
                }
                None if file.is_risky_as_a_whole() => texts(before, &file.text),
                None => texts(before, ""),
            };
            let elsewhere = !file.path.starts_with(files.root());
            let elsewhere = elsewhere.then(|| file.path.to_string_lossy().into_owned());
            changes.push(Self { name: file.name.to_owned(), elsewhere, lines });
        }
        for (name, _, text) in pin.iter().flat_map(|pin| &pin.files) {
            if files.named(name).is_none() {
                let lines = text.lines().map(|line| Line::Removed(line.to_owned())).collect();
                changes.push(Self { name: name.clone(), elsewhere: None, lines });
            }
        }
        changes.retain(|change| !change.lines.is_empty());
        Ok(changes)
    }

    /// Whether anything in it would take effect.
    pub fn has_effect(&self) -> bool {
        self.lines.iter().any(|line| !matches!(line, Line::Removed(_)))
            || self.name == INSTRUCTIONS && self.elsewhere.is_some()
    }
}

/// Settings by their keys.
fn settings(before: Vec<Effective>, after: Vec<Effective>) -> Vec<Line> {
    let listed = |settings: Vec<Effective>| -> BTreeMap<_, _> {
        let line = |setting: &Effective| format!("{} = {}", setting.key, to_json(&setting.value));
        settings.into_iter().map(|setting| (setting.key.clone(), line(&setting))).collect()
    };
    let (before, mut after) = (listed(before), listed(after));
    let mut lines = BTreeMap::new();
    for (key, old) in before {
        let line = match after.remove(&key) {
            Some(new) if new == old => vec![Line::Kept(old)],
            Some(new) => vec![Line::Removed(old), Line::Added(new)],
            None => vec![Line::Removed(old)],
        };
        lines.insert(key, line);
    }
    lines.extend(after.into_iter().map(|(key, new)| (key, vec![Line::Added(new)])));
    lines.into_values().flatten().collect()
}

/// Whole texts: what they begin and end with in common is kept.
fn texts(before: &str, after: &str) -> Vec<Line> {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let pairs = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = pairs.take_while(|(old, new)| old == new).count();
    let line = |make: fn(String) -> Line| move |text: &&str| make((*text).to_owned());
    let mut lines: Vec<_> = old[..head].iter().map(line(Line::Kept)).collect();
    lines.extend(old_rest[..old_rest.len() - tail].iter().map(line(Line::Removed)));
    lines.extend(new_rest[..new_rest.len() - tail].iter().map(line(Line::Added)));
    lines.extend(new_rest[new_rest.len() - tail..].iter().map(line(Line::Kept)));
    lines
}
