//! The trailers of a commit message: one line each, in its last paragraph.

/// As many as jp writes.
const MOST: usize = 16;

/// The last paragraph of a commit message, taken apart once.
pub struct Trailers<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Trailers<'a> {
    /// The trailers of a message.
    pub fn last_of(message: &'a str) -> Self {
        let mut trailers = Vec::with_capacity(MOST);
        // From the end, because what stands before may be long.
        for line in message.trim_end().rsplit('\n') {
            if line.is_empty() {
                break;
            }
            trailers.extend(line.split_once(": "));
        }
        trailers.reverse();
        Self(trailers)
    }

    /// The value of the first trailer with this key.
    pub fn find(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
    }
}

/// A text on one line: as it is if that is safe, else as a JSON string.
pub fn one_line(text: &str) -> String {
    let safe = !text.is_empty()
        && !text.starts_with('"')
        && text.trim() == text
        && !text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if safe {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

/// The text that [`one_line`] wrote; `None` if it did not.
pub fn many_lines(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { Some(text.to_owned()) }
}
