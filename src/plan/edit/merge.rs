//! An edit that began with one version, brought onto another that came about meanwhile.
//!
//! What only one side changed is taken. What came in meanwhile stays, at the end or where it was
//! put. Where both sides changed the same event there is a conflict; what was done here then stands
//! in the wish, for whoever resolves it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Added, Wanted, Wish, WishLine};
use crate::{
    format::{FileName, without_mark},
    model::Event,
    plan::{Draft, Layout},
};

/// An edit brought onto another version.
#[derive(Clone, Debug)]
pub struct Merged {
    /// What the present version is to become.
    pub wish: Wish,
    /// What somebody has to decide; the edit must not be made before.
    pub conflicts: Vec<Conflict>,
}

/// Something that was changed on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// An event, at this position of the present stream, was edited in two ways.
    Edited(FileName, usize),
    /// An event was edited here and removed there.
    RemovedThere(FileName),
    /// An event was removed here and edited there.
    RemovedHere(FileName),
    /// The events were put in order in two ways.
    Order,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Edited(name, _) | Self::RemovedHere(name) => {
                write!(f, "{name}: it was edited in the conversation meanwhile")
            }
            Self::RemovedThere(name) => {
                write!(f, "{name}: it was removed from the conversation meanwhile")
            }
            Self::Order => f.write_str("the order was changed in the conversation meanwhile"),
        }
    }
}

impl Conflict {
    /// What somebody can do about it, once the directory has both sides.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Edited(..) => "both versions are in the file",
            Self::RemovedThere(_) => "delete its line to agree, or leave it to add it again",
            Self::RemovedHere(_) => "its line is back: delete it again to remove the event",
            Self::Order => "your order stands: look at it once more",
        }
    }
}

/// Brings an edit of a base onto the present version.
pub fn merge(base: &Layout, tip: &Layout, ours: Wish) -> Merged {
    let is_plan_kept = is_plan_kept(base, &ours);
    let mut merge = Merge::of(base, tip, ours);
    let mut here = merge.lines_here();
    let there = Wish::unchanged(tip).lines;
    let order = |lines: &[WishLine]| -> Vec<usize> {
        let known = |line: &WishLine| match line.wanted {
            Wanted::Kept(position) if merge.is_known(position) => Some(position),
            _ => None,
        };
        lines.iter().filter_map(known).collect()
    };
    let (own, their) = (order(&here), order(&there));
    let common: BTreeSet<usize> = own.iter().copied().collect();
    let their: Vec<usize> = their.into_iter().filter(|at| common.contains(at)).collect();
    let was: Vec<usize> = merge.order_of_base().filter(|at| common.contains(at)).collect();
    let lines = if is_plan_kept && merge.conflicts.is_empty() {
        there
    } else if own == was && their != was {
        let mut lines = there;
        lines.retain(|line| merge.stays(&line.wanted));
        let is_new = |wanted: &Wanted| matches!(wanted, Wanted::New(_));
        graft(&mut lines, &here, is_new, &merge.remarks_of_base());
        lines
    } else {
        if own != was && their != was && own != their {
            merge.conflicts.push(Conflict::Order);
        }
        let is_new = |wanted: &Wanted| match wanted {
            Wanted::Kept(position) => !merge.is_known(*position) || merge.is_back(*position),
            Wanted::Remark(_) | Wanted::New(_) => false,
        };
        graft(&mut here, &there, is_new, &merge.remarks_of_base());
        here
    };
    merge.wish.lines = lines;
    Merged { wish: merge.wish, conflicts: merge.conflicts }
}

/// Whether an edit leaves the plan as it is.
fn is_plan_kept(base: &Layout, ours: &Wish) -> bool {
    let was = Wish::unchanged(base).lines;
    was.iter().map(|line| &line.wanted).eq(ours.lines.iter().map(|line| &line.wanted))
}

struct Merge<'a> {
    base: &'a Layout,
    tip: &'a Layout,
    /// The present position of each event of the base that is still there.
    now: BTreeMap<usize, usize>,
    /// The present positions that the base knows.
    known: BTreeSet<usize>,
    /// Present positions whose lines are put back, because they were edited there.
    back: BTreeSet<usize>,
    /// Present positions that were removed here.
    gone: BTreeSet<usize>,
    ours: Wish,
    wish: Wish,
    conflicts: Vec<Conflict>,
}

impl<'a> Merge<'a> {
    fn of(base: &'a Layout, tip: &'a Layout, ours: Wish) -> Self {
        let present = tip.positions();
        let find = |(at, listed): (usize, &crate::plan::Listed)| {
            Some((at, *present.get(&listed.name.address())?))
        };
        let now: BTreeMap<usize, usize> = base.stream.iter().enumerate().filter_map(find).collect();
        let known = now.values().copied().collect();
        let (back, gone) = (BTreeSet::new(), BTreeSet::new());
        let (wish, conflicts) = (Wish::default(), Vec::new());
        let mut merge = Self { base, tip, now, known, back, gone, ours, wish, conflicts };
        merge.take_edits();
        merge.take_removals();
        merge
    }

    /// Whether the base knows an event of the present stream.
    fn is_known(&self, position: usize) -> bool {
        self.known.contains(&position)
    }

    /// Whether the line of an event is put back.
    fn is_back(&self, position: usize) -> bool {
        self.back.contains(&position)
    }

    fn stays(&self, wanted: &Wanted) -> bool {
        !matches!(wanted, Wanted::Kept(position) if self.gone.contains(position))
    }

    /// Whether an event was changed there.
    fn is_changed(&self, at: usize) -> bool {
        let now = self.now.get(&at).and_then(|now| self.tip.stream.get(*now));
        let was = self.base.stream.get(at).and_then(|listed| listed.event.as_ref());
        let now = now.and_then(|listed| listed.event.as_ref());
        was.map(without_mark) != now.map(without_mark)
    }

    fn take_edits(&mut self) {
        for (at, name) in std::mem::take(&mut self.ours.renamed) {
            if let Some(now) = self.now.get(&at) {
                self.wish.renamed.insert(*now, name);
            }
        }
        for (at, draft) in std::mem::take(&mut self.ours.edited) {
            let Some(now) = self.now.get(&at).copied() else {
                self.ours.edited.insert(at, draft);
                continue;
            };
            let listed = &self.tip.stream[now];
            let is_same =
                listed.event.as_ref().map(without_mark) == Some(without_mark(&draft.event));
            if is_same {
                continue;
            }
            if self.is_changed(at) {
                self.conflicts.push(Conflict::Edited(listed.name.clone(), now));
            }
            self.wish.edited.insert(now, draft);
        }
    }

    fn take_removals(&mut self) {
        let kept: BTreeSet<usize> = self.ours.lines.iter().filter_map(kept).collect();
        for at in (0..self.base.stream.len()).filter(|at| !kept.contains(at)) {
            let Some(now) = self.now.get(&at).copied() else { continue };
            if self.is_changed(at) {
                self.back.insert(now);
                let name = self.tip.stream[now].name.clone();
                self.conflicts.push(Conflict::RemovedHere(name));
            } else {
                self.gone.insert(now);
            }
        }
    }

    /// The lines of the edit, with events by their present positions.
    fn lines_here(&mut self) -> Vec<WishLine> {
        let mut here = Vec::with_capacity(self.ours.lines.len());
        for WishLine { wanted, number } in std::mem::take(&mut self.ours.lines) {
            let wanted = match wanted {
                Wanted::Remark(text) => Some(Wanted::Remark(text)),
                Wanted::Kept(at) => match self.now.get(&at) {
                    Some(now) => Some(Wanted::Kept(*now)),
                    None => self.removed_there(at),
                },
                Wanted::New(index) => self.added_here(index),
            };
            here.extend(wanted.map(|wanted| WishLine { wanted, number }));
        }
        here
    }

    /// An event that was removed there: it goes, unless it was edited here.
    fn removed_there(&mut self, at: usize) -> Option<Wanted> {
        let draft = self.ours.edited.remove(&at)?;
        let name = self.base.stream.get(at)?.name.clone();
        self.conflicts.push(Conflict::RemovedThere(name.clone()));
        Some(self.add(Added { given: name.to_string(), chosen: None, draft }))
    }

    /// A new event, unless it is there already: it may have been added by an edit that was cut off
    /// after its commit.
    fn added_here(&mut self, index: usize) -> Option<Wanted> {
        let added = self.ours.added.get(index)?.clone();
        let name = added.chosen.clone();
        let same = |listed: &crate::plan::Listed| {
            Some(&listed.name) == name.as_ref() && says(&added.draft, listed.event.as_ref())
        };
        let there = (0..self.tip.stream.len())
            .find(|at| !self.is_known(*at) && same(&self.tip.stream[*at]));
        if let Some(there) = there {
            self.known.insert(there);
            return Some(Wanted::Kept(there));
        }
        Some(self.add(added))
    }

    fn add(&mut self, added: Added) -> Wanted {
        self.wish.added.push(added);
        Wanted::New(self.wish.added.len() - 1)
    }

    /// The present positions of the events of the base, in its order.
    fn order_of_base(&self) -> impl Iterator<Item = usize> {
        (0..self.base.stream.len()).filter_map(|at| self.now.get(&at).copied())
    }

    fn remarks_of_base(&self) -> BTreeSet<String> {
        let lines = Wish::unchanged(self.base).lines.into_iter();
        lines
            .filter_map(|line| match line.wanted {
                Wanted::Remark(text) => Some(text),
                Wanted::Kept(_) | Wanted::New(_) => None,
            })
            .collect()
    }
}

fn kept(line: &WishLine) -> Option<usize> {
    match line.wanted {
        Wanted::Kept(position) => Some(position),
        Wanted::Remark(_) | Wanted::New(_) => None,
    }
}

fn says(draft: &Draft, event: Option<&Event>) -> bool {
    event.map(without_mark) == Some(without_mark(&draft.event))
}

/// Puts the new lines of one side into those of the other: behind the line that they follow, or at
/// the end if nothing that both have comes after them.
fn graft(
    lines: &mut Vec<WishLine>,
    donor: &[WishLine],
    is_new: impl Fn(&Wanted) -> bool,
    remarks: &BTreeSet<String>,
) {
    let is_event = |line: &&WishLine| !matches!(line.wanted, Wanted::Remark(_));
    let has = |lines: &[WishLine], line: &WishLine| {
        lines.iter().position(|own| own.wanted == line.wanted)
    };
    let mut shared: Vec<bool> = donor
        .iter()
        .map(|line| is_event(&line) && !is_new(&line.wanted) && has(lines, line).is_some())
        .collect();
    // Whether something that both have comes later.
    for at in (0..shared.len().saturating_sub(1)).rev() {
        shared[at] |= shared[at + 1];
    }
    let mut anchor: Option<usize> = None;
    let mut gap: Vec<WishLine> = Vec::new();
    // Of the remarks before an event that both have, only those count that say something new.
    let says_new = |lines: &[WishLine], line: &WishLine| match &line.wanted {
        Wanted::Remark(text) => {
            let is_mine = !remarks.contains(text) && has(lines, line).is_none();
            is_mine && !line.wanted.is_blank() && !line.wanted.is_heading()
        }
        Wanted::Kept(_) | Wanted::New(_) => false,
    };
    for (at, line) in donor.iter().enumerate() {
        if matches!(line.wanted, Wanted::Remark(_)) {
            gap.push(line.clone());
            continue;
        }
        let mut new = std::mem::take(&mut gap);
        let present = has(lines, line);
        // A new event brings its heading along.
        let is_kept = |remark: &WishLine| {
            let comes_along = present.is_none() && is_new(&line.wanted);
            comes_along && (remark.wanted.is_heading() || remark.wanted.is_blank())
        };
        new.retain(|remark| is_kept(remark) || says_new(lines, remark));
        let first = || lines.iter().position(|line| is_event(&line)).unwrap_or(0);
        let place = match (present, shared[at], anchor) {
            (Some(place), ..) => place,
            (None, ..) if !is_new(&line.wanted) => {
                gap = new;
                continue;
            }
            (None, false, _) => lines.len(),
            (None, true, Some(anchor)) => anchor + 1,
            (None, true, None) => first(),
        };
        if present.is_none() {
            new.push(line.clone());
            anchor = Some(place + new.len() - 1);
        } else {
            anchor = Some(place + new.len());
        }
        lines.splice(place..place, new);
    }
    gap.retain(|remark| says_new(lines, remark));
    lines.extend(gap);
}

#[cfg(test)]
mod tests;
