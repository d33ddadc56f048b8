//! A first title for a conversation, from its first words.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

const MAX_CHARS: usize = 60;

/// How much of a text is looked at: reading deeply nested markdown takes time that grows with its
/// square.
const MAX_BYTES: usize = 4096;

/// The first line of words in a markdown text, without markup, cut at a word if it is long.
pub fn title_from(markdown: &str) -> Option<String> {
    let markdown = beginning(markdown);
    let mut title = String::new();
    let mut in_code = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) | Event::Code(text) if !in_code => title.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(_) if !title.trim().is_empty() => {
                if matches!(event, Event::End(tag) if is_inline(tag)) {
                    continue;
                }
                break;
            }
            _ => {}
        }
    }
    let clean: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| shorten(&words))
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

fn shorten(words: &str) -> String {
    let Some((end, _)) = words.char_indices().nth(MAX_CHARS) else {
        return words.to_owned();
    };
    let cut = words[..end].rfind(' ').filter(|space| *space > end / 2).unwrap_or(end);
    format!("{}…", &words[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_without_markup() {
        let title = |text: &str| title_from(text).unwrap_or_default();
        assert_eq!(title("# Set up *the* project\n\nwith tests"), "Set up the project");
        assert_eq!(title("\n\nFix `main.rs`\nplease"), "Fix main.rs");
        assert_eq!(title("```\ncode\n```\nWhat is this?"), "What is this?");
        assert_eq!(title("a\u{1b}[31m b"), "a [31m b");
        assert_eq!(title("  \n\t"), "");
        assert_eq!(title(&(">".repeat(500_000) + &"a\n".repeat(250_000))), "");
        assert_eq!(title(&"ü".repeat(5000)), format!("{}…", "ü".repeat(60)));
        let long = "word ".repeat(40);
        assert_eq!(title(&long), format!("{}…", "word ".repeat(12).trim_end()));
    }
}
