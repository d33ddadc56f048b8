//! The names by which models call the tools of servers.
//!
//! A name is `SERVER__TOOL`, with what no model takes replaced. One that had to be changed, or
//! that another tool would have too, also but for case, ends in a hash of what it stands for, so
//! that it is the same whatever else there is.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// The longest name that every model takes.
const LONGEST: usize = 64;

/// How many letters of a hash tell two tools apart.
const HASH: usize = 8;

/// A name for each tool, given as server and tool, in their order. None is one of those taken.
pub(super) fn assign(taken: &[String], tools: &[(&str, &str)]) -> Vec<String> {
    let plain: Vec<_> = tools.iter().map(|(server, tool)| plain(server, tool)).collect();
    let mut seen = BTreeMap::new();
    for name in taken.iter().chain(plain.iter().map(|(name, _)| name)) {
        *seen.entry(name.to_ascii_lowercase()).or_insert(0) += 1;
    }
    let mut given: Vec<_> = taken.iter().map(|name| name.to_ascii_lowercase()).collect();
    let mut names = Vec::with_capacity(tools.len());
    for ((server, tool), (name, is_whole)) in tools.iter().zip(plain) {
        let mut name = match is_whole && seen.get(&name.to_ascii_lowercase()) == Some(&1) {
            true => name,
            false => hashed(&name, server, tool, HASH),
        };
        for length in HASH + 1..LONGEST {
            if !given.contains(&name.to_ascii_lowercase()) {
                break;
            }
            name = hashed(&name, server, tool, length);
        }
        given.push(name.to_ascii_lowercase());
        names.push(name);
    }
    names
}

/// The name without what models do not take, and whether nothing had to be changed.
fn plain(server: &str, tool: &str) -> (String, bool) {
    let whole = format!("{server}__{tool}");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fit: String = whole.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    let is_whole = fit == whole && fit.len() <= LONGEST;
    (fit, is_whole)
}

fn hashed(name: &str, server: &str, tool: &str, length: usize) -> String {
    let digest = Sha256::digest(format!("{server}\0{tool}"));
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let kept = name.len().min(LONGEST - length - 1);
    format!("{}_{}", &name[..kept], &hash[..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::check_name;

    #[test]
    fn a_name_that_fits_is_kept_as_it_is() {
        let names = assign(&[], &[("git", "status"), ("git", "diff-all"), ("files", "status")]);
        assert_eq!(names, ["git__status", "git__diff-all", "files__status"]);
    }

    #[test]
    fn one_that_had_to_be_changed_ends_in_a_hash_that_stays() {
        let long = "x".repeat(128);
        let tools = [("my server", "get/all"), ("s", long.as_str()), ("s", "größe"), ("s", "")];
        let names = assign(&[], &tools);
        assert!(names[0].starts_with("my_server__get_all_"), "{}", names[0]);
        for (tool, name) in tools.iter().zip(&names) {
            check_name(name).unwrap();
            assert_eq!(assign(&[], &[*tool]), [name.as_str()]);
        }
        assert_eq!(names[1].len(), 64);
        assert_eq!(names[3], "s__");
    }

    #[test]
    fn twins_are_told_apart_whatever_they_differ_in() {
        let long = "y".repeat(70);
        let tools = [
            ("s", "Get"),
            ("s", "get"),
            ("s", "a/b"),
            ("s", "a.b"),
            ("s", "a_b"),
            ("a", "b__c"),
            ("a__b", "c"),
            ("t", &format!("{long}1")),
            ("t", &format!("{long}2")),
            ("mine", "x"),
        ];
        let taken = ["MINE__x".to_owned()];
        let names = assign(&taken, &tools);
        let mut lower: Vec<_> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
        lower.extend(taken.map(|name| name.to_ascii_lowercase()));
        lower.sort();
        lower.dedup();
        assert_eq!(lower.len(), tools.len() + 1, "{names:?}");
        names.iter().for_each(|name| check_name(name).unwrap());
    }

    #[test]
    fn a_name_that_looks_like_a_hashed_one_is_still_told_apart() {
        let twin = assign(&[], &[("s", "a b")]).remove(0);
        let inner = twin.strip_prefix("s__").unwrap().to_owned();
        let names = assign(&[], &[("s", "a b"), ("s", &inner)]);
        assert_ne!(names[0].to_ascii_lowercase(), names[1].to_ascii_lowercase());
        let names = assign(&[], &[("s", &inner), ("s", "a b")]);
        assert_ne!(names[0].to_ascii_lowercase(), names[1].to_ascii_lowercase());
    }
}
