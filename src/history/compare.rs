//! Which items of two lists are the same, and which of them changed places.
//!
//! Lists are compared by keys and nothing else: what an item is, and whether two of them are alike,
//! is for the caller to know.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

use crate::plan::longest_increasing;

/// An item of one list or of both, by its position in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// It is only in the list before.
    Removed(usize),
    /// It is only in the list after.
    Added(usize),
    /// It is in both, among the same neighbours.
    Stayed(usize, usize),
    /// It is in both, at another place among those that stayed.
    Moved(usize, usize),
}

/// Pairs the items of two lists that have the same key, in the order of the first list. Of items
/// with one key, the first is paired with the first, and so on.
pub fn pair<K: Eq + Hash>(before: &[K], after: &[K]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&K, VecDeque<usize>> = HashMap::new();
    for (at, key) in after.iter().enumerate() {
        places.entry(key).or_default().push_back(at);
    }
    let place = |(at, key): (usize, &K)| Some((at, places.get_mut(key)?.pop_front()?));
    before.iter().enumerate().filter_map(place).collect()
}

/// Arranges two lists as one: items that stayed in their order, before each of them what was removed
/// there, and then what was added or moved there. As many items as possible stay.
///
/// The pairs are in the order of the first list.
pub fn arrange(before: usize, after: usize, pairs: &[(usize, usize)]) -> Vec<Compared> {
    let mut paired_before = vec![false; before];
    let mut partner = vec![None; after];
    for (from, to) in pairs {
        paired_before[*from] = true;
        partner[*to] = Some(*from);
    }
    let targets: Vec<usize> = pairs.iter().map(|(_, to)| *to).collect();
    let stayed = longest_increasing(&targets).into_iter().map(|index| Some(pairs[index]));

    let mut arranged = Vec::with_capacity(before.max(after));
    let (mut next_before, mut next_after) = (0, 0);
    for anchor in stayed.chain([None]) {
        let (from, to) = anchor.unwrap_or((before, after));
        let removed = (next_before..from).filter(|at| !paired_before[*at]);
        arranged.extend(removed.map(Compared::Removed));
        arranged.extend((next_after..to).map(|to| match partner[to] {
            Some(from) => Compared::Moved(from, to),
            None => Compared::Added(to),
        }));
        if anchor.is_some() {
            arranged.push(Compared::Stayed(from, to));
        }
        (next_before, next_after) = (from + 1, to + 1);
    }
    arranged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compared(before: &str, after: &str) -> String {
        let (before, after) =
            (before.chars().collect::<Vec<_>>(), after.chars().collect::<Vec<_>>());
        let pairs = pair(&before, &after);
        let word = |compared| match compared {
            Compared::Removed(at) => format!("-{}", before[at]),
            Compared::Added(at) => format!("+{}", after[at]),
            Compared::Stayed(_, at) => after[at].to_string(),
            Compared::Moved(_, at) => format!("~{}", after[at]),
        };
        let arranged = arrange(before.len(), after.len(), &pairs).into_iter().map(word);
        arranged.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_are_arranged_as_one() {
        assert_eq!(compared("", ""), "");
        assert_eq!(compared("abc", "abc"), "a b c");
        assert_eq!(compared("abc", "axc"), "a -b +x c");
        assert_eq!(compared("ab", "xaby"), "+x a b +y");
        assert_eq!(compared("abcd", "bcda"), "b c d ~a");
        assert_eq!(compared("abcd", "dabc"), "~d a b c");
        assert_eq!(compared("abcde", "xcbe"), "-a +x c -d ~b e");
        assert_eq!(compared("aa", "a"), "a -a");
    }

    #[test]
    fn the_last_is_moved_to_the_front_of_many_in_no_time() {
        let before: Vec<usize> = (0..200_000).collect();
        let after: Vec<usize> = (0..200_000).rev().collect();
        let arranged = arrange(before.len(), after.len(), &pair(&before, &after));
        let stayed = arranged.iter().filter(|one| matches!(one, Compared::Stayed(..))).count();
        assert_eq!((arranged.len(), stayed), (200_000, 1));
    }

    proptest! {
        #[test]
        fn every_item_is_told_once(before in "[a-f]{0,10}", after in "[a-f]{0,10}") {
            let (before, after) = (before.as_bytes(), after.as_bytes());
            let arranged = arrange(before.len(), after.len(), &pair(before, after));
            let mut from = Vec::new();
            let mut to = Vec::new();
            for compared in arranged {
                match compared {
                    Compared::Removed(at) => from.push(at),
                    Compared::Added(at) => to.push(at),
                    Compared::Stayed(before_at, after_at) | Compared::Moved(before_at, after_at) => {
                        prop_assert_eq!(before[before_at], after[after_at]);
                        from.push(before_at);
                        to.push(after_at);
                    }
                }
            }
            prop_assert_eq!(&to, &(0..after.len()).collect::<Vec<_>>());
            from.sort_unstable();
            prop_assert_eq!(from, (0..before.len()).collect::<Vec<_>>());
        }

        #[test]
        fn no_increasing_subsequence_is_longer(values in Just((0..7_usize).collect::<Vec<_>>()).prop_shuffle()) {
            let found = longest_increasing(&values);
            prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1] && values[pair[0]] < values[pair[1]]));
            let increasing = |subset: u32| {
                let chosen: Vec<_> = (0..7).filter(|at| subset & (1 << at) != 0).map(|at| values[at]).collect();
                chosen.is_sorted().then_some(chosen.len())
            };
            prop_assert_eq!(Some(found.len()), (0..1 << 7).filter_map(increasing).max());
        }
    }
}
