//! How many there are of something, in words.

/// A number of things: `1 event`, `2 events`.
pub fn counted(count: u64, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}
