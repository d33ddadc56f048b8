//! Texts that nest too deeply for a parser whose time grows with depth times lines.

/// The last byte of a line at which a quotation, a list or a footnote may begin.
const DEEPEST: usize = 120;

/// Whether a line opens quotations and lists so far to the right that no person has written it.
pub fn is_too_deep(text: &str) -> bool {
    let mut lines = text.as_bytes().split(|byte| matches!(byte, b'\n' | b'\r'));
    lines.any(|line| line.len() > DEEPEST && opens_beyond(line))
}

fn opens_beyond(line: &[u8]) -> bool {
    let mut at = 0;
    while at <= DEEPEST {
        let rest = &line[at..];
        let Some(mark) = mark(rest.trim_ascii_start()) else { return false };
        at += rest.len() - rest.trim_ascii_start().len() + mark;
    }
    true
}

/// The length of what opens a container at the beginning of a text.
fn mark(text: &[u8]) -> Option<usize> {
    let ends = |at: usize| text.get(at).is_none_or(u8::is_ascii_whitespace);
    match text.first()? {
        b'>' => Some(1),
        b'-' | b'+' | b'*' => ends(1).then_some(1),
        b'0'..=b'9' => {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (matches!(text.get(digits), Some(b'.' | b')')) && ends(digits + 1))
                .then_some(digits + 1)
        }
        b'[' if text.get(1) == Some(&b'^') => {
            let end = text.windows(2).position(|pair| pair == b"]:")?;
            Some(end + 2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_far_to_the_right_are_too_deep() {
        for (text, deep) in [
            (">".repeat(200), true),
            (format!("a\r{}", "- ".repeat(100)), true),
            ("> 1. ".repeat(40), true),
            ("[^a]: ".repeat(30), true),
            (format!("{}- a", " ".repeat(200)), true),
            ("> ".repeat(50), false),
            ("-".repeat(300), false),
            (format!("{}a - b", " ".repeat(200)), false),
            ("1".repeat(300), false),
            ("- a\n".repeat(1000), false),
            (" ".repeat(300), false),
        ] {
            assert_eq!(is_too_deep(&text), deep, "{text}");
        }
    }
}
