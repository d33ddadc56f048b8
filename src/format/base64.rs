//! Bytes that are not text, as lines of base64.

use base64::{Engine, engine::general_purpose::STANDARD};

const LINE: usize = 76;

/// Writes bytes as lines of base64, without a final newline.
pub fn encode(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut lines = String::with_capacity(text.len() + text.len() / LINE + 1);
    for (index, letter) in text.chars().enumerate() {
        if index > 0 && index % LINE == 0 {
            lines.push('\n');
        }
        lines.push(letter);
    }
    lines
}

/// Reads lines of base64; white space does not count.
pub fn decode(text: &[u8]) -> Result<Vec<u8>, String> {
    let dense: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    STANDARD.decode(dense).map_err(|error| format!("the body is not valid base64: {error}"))
}
