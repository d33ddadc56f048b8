//! Text from elsewhere, made harmless for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// Replaces everything that could steer a terminal or reorder its text by visible escapes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            c if is_unsafe(c) => {
                write!(safe, "\\u{{{:x}}}", u32::from(c)).expect("a String takes any text");
            }
            c => safe.push(c),
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_gets_through() {
        assert_eq!(escape("plain ü 漢"), "plain ü 漢");
        assert_eq!(
            escape("\u{1b}]2;x\u{7}\u{9b}31m\u{202e}\n"),
            "\\u{1b}]2;x\\u{7}\\u{9b}31m\\u{202e}\\n"
        );
        let all: String = ('\0'..=char::MAX).collect();
        assert!(!escape(&all).contains(char::is_control));
    }
}
