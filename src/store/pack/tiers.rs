//! Decides which packs to merge. Pure: it reads no files.
//!
//! Packs are sorted into tiers by their number of objects, each tier eight times the one below.
//! Eight packs in a tier become one in a higher tier, so an object is copied once for each tier
//! (n log n altogether) and at most seven packs stay in each.

/// How much larger each tier is, and how many packs of a tier are merged.
const FACTOR: usize = 8;

/// The largest pack that is read or written here.
pub const MAX_BYTES: u64 = 256 << 20;

/// What the decision needs to know of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackSummary {
    /// Its file name without extension.
    pub name: String,
    /// How many objects it has.
    pub objects: u64,
    /// How large it is.
    pub bytes: u64,
    /// Whether it may be merged at all.
    pub mergeable: bool,
}

/// The groups of packs, as positions in `packs`, each of which should become one pack.
pub fn choose(packs: &[PackSummary]) -> Vec<Vec<usize>> {
    struct Group {
        members: Vec<usize>,
        objects: u64,
        bytes: u64,
    }
    let mut groups: Vec<Group> = packs
        .iter()
        .enumerate()
        .filter(|(_, pack)| pack.mergeable && pack.bytes <= MAX_BYTES)
        .map(|(position, pack)| {
            let PackSummary { objects, bytes, .. } = *pack;
            Group { members: vec![position], objects, bytes }
        })
        .collect();
    for tier in 0..=tier_of(u64::MAX) {
        let (inside, mut outside): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| tier_of(group.objects) == tier);
        if inside.len() < FACTOR {
            outside.extend(inside);
            groups = outside;
            continue;
        }
        // One pack for the tier, or as many as the size limit asks for. What was merged here
        // counts in its new tier, so that a cascade copies everything once.
        let mut merged: Vec<Group> = Vec::new();
        for group in inside {
            match merged.last_mut() {
                Some(last) if last.bytes + group.bytes <= MAX_BYTES => {
                    last.members.extend(group.members);
                    last.objects += group.objects;
                    last.bytes += group.bytes;
                }
                _ => merged.push(group),
            }
        }
        groups = outside;
        groups.extend(merged);
    }
    groups
        .into_iter()
        .filter(|group| group.members.len() > 1)
        .map(|group| {
            let mut members = group.members;
            members.sort_unstable();
            members
        })
        .collect()
}

fn tier_of(objects: u64) -> u32 {
    objects.max(1).ilog(FACTOR as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(objects: u64, bytes: u64) -> PackSummary {
        PackSummary { name: String::new(), objects, bytes, mergeable: true }
    }

    #[test]
    fn few_packs_are_left_alone() {
        assert!(choose(&[]).is_empty());
        assert!(choose(&vec![pack(4, 1000); 7]).is_empty());
    }

    #[test]
    fn eight_of_a_tier_become_one_and_others_stay() {
        let mut packs = vec![pack(4, 1000); 8];
        packs.insert(0, pack(5000, 1 << 20));
        assert_eq!(choose(&packs), [(1..9).collect::<Vec<_>>()]);
    }

    #[test]
    fn a_cascade_is_one_merge() {
        let mut packs = vec![pack(40, 10_000); 7];
        packs.extend(vec![pack(4, 1000); 10]);
        assert_eq!(choose(&packs), [(0..17).collect::<Vec<_>>()]);
    }

    #[test]
    fn what_may_not_be_merged_is_not() {
        let mut packs = vec![pack(4, 1000); 7];
        packs.push(PackSummary { mergeable: false, ..pack(4, 1000) });
        packs.push(pack(4, MAX_BYTES + 1));
        assert!(choose(&packs).is_empty());
    }

    #[test]
    fn no_merged_pack_is_larger_than_the_limit() {
        let packs = vec![pack(4, 100 << 20); 9];
        for group in choose(&packs) {
            assert!(group.iter().map(|&at| packs[at].bytes).sum::<u64>() <= MAX_BYTES);
        }
    }

    #[test]
    fn ten_thousand_appends_keep_few_packs_and_copy_each_object_a_few_times() {
        let (mut packs, mut copied, mut most) = (Vec::new(), 0, 0);
        for _ in 0..10_000 {
            packs.push(pack(4, 1000));
            if packs.len() >= 40 {
                let groups = choose(&packs);
                let mut next: Vec<PackSummary> = Vec::new();
                for group in &groups {
                    let sum =
                        |of: fn(&PackSummary) -> u64| group.iter().map(|&i| of(&packs[i])).sum();
                    next.push(pack(sum(|pack| pack.objects), sum(|pack| pack.bytes)));
                    copied += next.last().unwrap().objects;
                }
                let gone: Vec<usize> = groups.concat();
                next.extend(
                    (0..packs.len()).filter(|at| !gone.contains(at)).map(|at| packs[at].clone()),
                );
                packs = next;
            }
            most = most.max(packs.len());
        }
        assert!(most <= 40, "{most} packs");
        assert!(copied <= 40_000 * 5, "{copied} copies");
    }
}
