//! Commits that were read or written a moment ago.

use std::collections::VecDeque;

use gix::{ObjectId, hashtable::HashMap};

/// How many commits are kept.
const COMMITS: usize = 128;

/// The largest commit that is kept.
const SIZE: usize = 16 << 10;

/// The commits that were read or written last. What a commit holds never changes.
#[derive(Default)]
pub struct Recent {
    commits: HashMap<ObjectId, Vec<u8>>,
    order: VecDeque<ObjectId>,
}

impl Recent {
    /// A commit, if it is still kept.
    pub fn find(&self, id: &ObjectId) -> Option<&[u8]> {
        self.commits.get(id).map(Vec::as_slice)
    }

    /// Keeps a commit that was read, as long as there is room: a long walk passes by.
    pub fn keep_if_room(&mut self, id: ObjectId, commit: &[u8]) {
        if self.commits.len() < COMMITS {
            self.keep(id, commit);
        }
    }

    /// Keeps a commit in the place of the oldest.
    pub fn keep(&mut self, id: ObjectId, commit: &[u8]) {
        if commit.len() > SIZE || self.commits.contains_key(&id) {
            return;
        }
        if self.commits.len() >= COMMITS
            && let Some(oldest) = self.order.pop_front()
        {
            self.commits.remove(&oldest);
        }
        self.commits.insert(id, commit.to_vec());
        self.order.push_back(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> ObjectId {
        ObjectId::from_hex(format!("{number:040x}").as_bytes()).unwrap()
    }

    #[test]
    fn the_newest_are_kept_and_large_ones_never() {
        let mut recent = Recent::default();
        for number in 0..=COMMITS {
            recent.keep(id(number), number.to_string().as_bytes());
            recent.keep(id(number), b"again");
        }
        recent.keep_if_room(id(COMMITS + 2), b"no room");
        recent.keep(id(COMMITS + 1), &vec![0; SIZE + 1]);
        assert_eq!(recent.find(&id(0)), None);
        assert_eq!(recent.find(&id(1)), Some(&b"1"[..]));
        assert_eq!(recent.find(&id(COMMITS)), Some(COMMITS.to_string().as_bytes()));
        assert_eq!(recent.find(&id(COMMITS + 1)), None);
        assert_eq!(recent.find(&id(COMMITS + 2)), None);
        assert_eq!(recent.order.len(), recent.commits.len());
    }
}
