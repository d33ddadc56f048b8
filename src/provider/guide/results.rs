//! What tools have answered, in short.

use crate::projection::{Message, Role};

/// The most lines and characters that are shown of a result.
const LINES: usize = 10;
const CHARACTERS: usize = 1000;
/// The most results that are shown.
const RESULTS: usize = 20;

/// The results at the end of the messages; `None` if the last message is none.
pub(super) fn results(messages: &[Message]) -> Option<String> {
    let is_result = |message: &&Message| matches!(message.role, Role::Tool { .. });
    let count = messages.iter().rev().take_while(is_result).count();
    let results = &messages[messages.len() - count..];
    let mut text = String::new();
    for message in results.iter().take(RESULTS) {
        let Role::Tool { id, tool, is_error, content } = &message.role else { continue };
        let tool = tool.as_ref().map_or("a tool", |tool| tool.as_str());
        let outcome = if *is_error { "failed" } else { "succeeded" };
        text.push_str(&format!("`{tool}` ({id}) {outcome}"));
        text.push_str(&shown(&content.to_text_lossy()));
        text.push_str("\n\n");
    }
    if count > RESULTS {
        text.push_str(&format!("… and {} more.\n\n", count - RESULTS));
    }
    (count > 0).then_some(text)
}

/// The beginning of a result between fences that it cannot break.
fn shown(content: &str) -> String {
    if content.trim().is_empty() {
        return " and said nothing.".to_owned();
    }
    let beginning: String = content
        .chars()
        .take(CHARACTERS)
        .collect::<String>()
        .lines()
        .take(LINES)
        .collect::<Vec<_>>()
        .join("\n");
    let longest = beginning.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let left = content.trim_end().len().saturating_sub(beginning.len());
    let more = if left > 0 { format!("\n… and {left} bytes more.") } else { String::new() };
    format!(":\n\n{fence}text\n{beginning}\n{fence}{more}")
}
