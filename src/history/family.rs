//! Conversations that were forked from each other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::{
    model::ConversationId,
    store::{RefError, Space},
    workspace::{Handle, Row, Workspace},
};

/// A conversation in a tree of forks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twig {
    /// The lines from what it was forked from; empty for what was forked from nothing here.
    pub branch: String,
    /// The conversation.
    pub row: Row,
}

/// The conversations of a list, each below the one that it was forked from.
pub fn family_tree(rows: Vec<Row>) -> Vec<Twig> {
    let known: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
    let parent =
        |row: &Row| row.heading.forked.filter(|from| *from != row.id && known.contains(from));
    let mut children: BTreeMap<Option<ConversationId>, Vec<Row>> = BTreeMap::new();
    for row in rows {
        children.entry(parent(&row)).or_default().push(row);
    }
    let mut ordered = Vec::new();
    // What is forked from itself in a circle begins anywhere.
    while let Some(start) = children.keys().next().copied() {
        let roots = children.remove(&start).into_iter().flatten().rev();
        let mut left: Vec<_> = roots.map(|row| (String::new(), String::new(), row)).collect();
        while let Some((branch, below, row)) = left.pop() {
            let forks = children.remove(&Some(row.id)).into_iter().flatten().rev();
            for (after, fork) in forks.enumerate() {
                let (own, under) = if after == 0 { ("└ ", "  ") } else { ("├ ", "│ ") };
                left.push((format!("{below}{own}"), format!("{below}{under}"), fork));
            }
            ordered.push(Twig { branch, row });
        }
    }
    ordered
}

/// A conversation with those that it is related to.
#[derive(Debug)]
pub struct Family {
    /// The conversation itself, then the others, wherever they are kept.
    pub members: Vec<Handle>,
    /// Refs that cannot be read: what they stand for may belong to it.
    pub problems: Vec<RefError>,
}

/// The conversations that have a root in common with one: it, what it was forked from, and all
/// their forks.
pub fn family(workspace: &Workspace, handle: &Handle) -> Result<Family, RefError> {
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for space in Space::ALL {
        let overview = workspace.overview(space)?;
        rows.extend(overview.rows);
        problems.extend(overview.problems);
    }
    let forks = rows.iter().filter_map(|row| Some((row.id, row.heading.forked?)));
    let relatives = relatives(handle.id(), forks);
    let others = rows.iter().filter(|row| row.id != handle.id() && relatives.contains(&row.id));
    let members = std::iter::once(handle.clone()).chain(others.map(Row::handle)).collect();
    Ok(Family { members, problems })
}

/// All that are connected with one by forks, each given with what it was forked from; circles too.
fn relatives<K: Copy + Eq + std::hash::Hash>(
    own: K,
    forks: impl Iterator<Item = (K, K)>,
) -> HashSet<K> {
    let mut next_to: HashMap<K, Vec<K>> = HashMap::new();
    for (fork, from) in forks {
        next_to.entry(fork).or_default().push(from);
        next_to.entry(from).or_default().push(fork);
    }
    let mut found = HashSet::from([own]);
    let mut left = vec![own];
    while let Some(one) = left.pop() {
        let near = next_to.get(&one).into_iter().flatten();
        left.extend(near.copied().filter(|near| found.insert(*near)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Progress, Status, Timestamp},
        plan::Heading,
        store::ObjectId,
    };

    fn row(id: u64, forked: Option<u64>) -> Row {
        let named = |number: u64| format!("jp-c{number}").parse::<ConversationId>().unwrap();
        Row {
            id: named(id),
            space: Space::Heads,
            commit: ObjectId::from_hex(&[b'0'; 40]).unwrap(),
            heading: Heading { forked: forked.map(named), ..Heading::default() },
            status: Ok(Status::Idle),
            progress: Progress::default(),
            turns: 0,
            events: 0,
            by_hand: false,
            updated: Timestamp::from_seconds(0),
        }
    }

    fn picture(rows: &[(u64, Option<u64>)]) -> String {
        let rows = rows.iter().map(|(id, forked)| row(*id, *forked)).collect();
        let lines =
            family_tree(rows).into_iter().map(|twig| format!("{}{}", twig.branch, twig.row.id));
        lines.collect::<Vec<_>>().join("\n").replace("jp-c", "")
    }

    #[test]
    fn siblings_hang_on_one_line() {
        let rows = [
            (9, None),
            (1, None),
            (5, Some(2)),
            (2, Some(1)),
            (4, Some(2)),
            (3, Some(1)),
            (6, Some(3)),
            (8, Some(7)),
        ];
        assert_eq!(picture(&rows), "9\n1\n├ 2\n│ ├ 5\n│ └ 4\n└ 3\n  └ 6\n8");
    }

    #[test]
    fn a_circle_begins_somewhere_and_loses_nobody() {
        assert_eq!(picture(&[(2, Some(1)), (1, Some(2)), (3, Some(2))]), "2\n├ 1\n└ 3");
    }

    #[test]
    fn relatives_are_found_in_circles_and_in_long_lines() {
        let found = |own: u32, forks: &[(u32, u32)]| {
            let mut found: Vec<_> = relatives(own, forks.iter().copied()).into_iter().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found(1, &[(1, 2), (2, 1), (3, 2), (5, 4)]), [1, 2, 3]);
        assert_eq!(found(1, &[(1, 1)]), [1]);
        // What they come from may be gone.
        assert_eq!(found(1, &[(1, 9), (2, 9)]), [1, 2, 9]);
        let line: Vec<_> = (1..100_000).map(|number| (number, number - 1)).collect();
        assert_eq!(found(50_000, &line).len(), 100_000);
    }
}
