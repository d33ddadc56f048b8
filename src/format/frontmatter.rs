//! The two halves of a markdown event file.

use super::Flaw;

/// A file, split at its frontmatter.
#[derive(Debug)]
pub struct Split<'a> {
    /// The YAML between the two `---` lines.
    pub header: &'a str,
    /// Everything after the second `---` line, less the newline that ends the file.
    pub body: &'a [u8],
    /// The line on which the body begins, from 1.
    pub body_line: usize,
    /// Where the frontmatter begins, in bytes.
    header_at: usize,
    /// What ends the first line.
    line_end: &'static str,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Whether a file begins with frontmatter.
pub fn is_present(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    bytes
        .strip_prefix(b"---")
        .is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
}

/// Splits a file into frontmatter and body.
pub fn split(bytes: &[u8]) -> Result<Split<'_>, Flaw> {
    let marked = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let (rest, line_end) = match marked.strip_prefix(b"---") {
        Some([b'\n', rest @ ..]) => (rest, "\n"),
        Some([b'\r', b'\n', rest @ ..]) => (rest, "\r\n"),
        _ => return Err(Flaw::at_line(1, "expected frontmatter: a first line of `---`")),
    };
    let header_at = bytes.len() - rest.len();
    let mut at = 0;
    let mut lines = 1;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        lines += 1;
        if matches!(line, b"---\n" | b"---\r\n" | b"---") {
            let header = std::str::from_utf8(&rest[..at])
                .map_err(|_error| Flaw::at_line(2, "the frontmatter is not UTF-8"))?;
            let body = &rest[at + line.len()..];
            let body = match body.strip_suffix(b"\n") {
                Some(body) if line.ends_with(b"\r\n") => body.strip_suffix(b"\r").unwrap_or(body),
                Some(body) => body,
                None => body,
            };
            return Ok(Split { header, body, body_line: lines + 1, header_at, line_end });
        }
        at += line.len();
    }
    Err(Flaw::at_line(1, "the frontmatter has no end: expected a second line of `---`"))
}

/// The same file with another frontmatter, made of the present one and of what ends its lines.
/// Every byte around it stays.
pub fn change(bytes: &[u8], change: impl FnOnce(&str, &str) -> Option<String>) -> Option<Vec<u8>> {
    let Split { header, header_at, line_end, .. } = split(bytes).ok()?;
    let changed = change(header, line_end)?;
    let rest = &bytes[header_at + header.len()..];
    Some([&bytes[..header_at], changed.as_bytes(), rest].concat())
}

/// Puts a file together.
pub fn join(header: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(header.len() + body.len() + 9);
    bytes.extend_from_slice(b"---\n");
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(b"---\n");
    bytes.extend_from_slice(body);
    if !body.is_empty() {
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_come_back_exactly() {
        for body in
            ["", "a", "a\n", "\n", "\n\n", "a\r\n", "---\n", "---", "\u{feff}a", "a\u{2028}b", "\0"]
        {
            let bytes = join("type: request\n", body.as_bytes());
            let split = split(&bytes).unwrap();
            assert_eq!((split.header, split.body), ("type: request\n", body.as_bytes()));
            assert_eq!(split.body_line, 4);
        }
    }

    #[test]
    fn a_final_newline_alone_changes_nothing() {
        for (with, without) in [
            ("---\na: b\n---\ntext\n", "---\na: b\n---\ntext"),
            ("---\r\na: b\r\n---\r\ntext\r\n", "---\r\na: b\r\n---\r\ntext"),
            ("---\na: b\n---\n\n", "---\na: b\n---"),
        ] {
            let bodies = [with, without].map(|text| split(text.as_bytes()).unwrap().body);
            assert_eq!(bodies[0], bodies[1], "{with:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_before_the_frontmatter_is_ignored() {
        let split = split(b"\xef\xbb\xbf---\na: b\n---\ntext\n").unwrap();
        assert_eq!(split.body, b"text");
    }

    #[test]
    fn a_file_without_frontmatter_is_refused() {
        for text in ["", "text", "----\na: b\n---\n", "---\na: b\n", "--- \na: b\n---\n"] {
            assert!(split(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
