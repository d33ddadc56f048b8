//! Backticks around a text that may have some of its own.

/// Backticks that nothing in a text can end: one more than stand together in it, and at least so
/// many.
pub fn backticks(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(least.max(longest + 1))
}
