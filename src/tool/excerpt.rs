//! As much of an output as a model should read: its head and its tail, and where the rest is.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use crate::process::Captured;

/// An output of at most `limit` bytes, and a line that says what was left out.
pub(super) fn excerpt(output: &Captured, limit: usize) -> Vec<u8> {
    if output.is_whole() {
        return output.bytes.clone();
    }
    let tail = output.rest.as_deref().filter(|_path| output.saved == output.total);
    let tail = tail.and_then(|path| last_bytes(path, limit / 4).ok()).unwrap_or_default();
    let tail = &tail[tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count()..];
    let head = head(&output.bytes, limit - limit / 4);
    let shown = (head.len() + tail.len()) as u64;
    let left_out = output.total.saturating_sub(shown);
    let saved = match &output.rest {
        Some(path) if output.saved == output.total => {
            format!("the whole output is saved in `{}`", path.display())
        }
        Some(path) => {
            format!("its first {} bytes are saved in `{}`", output.saved, path.display())
        }
        None => "they could not be saved".to_owned(),
    };
    let total = output.total;
    let notice = format!("[{left_out} of {total} bytes are left out here; {saved}]");
    [head, b"\n", notice.as_bytes(), b"\n", tail].concat()
}

/// The first bytes, without half a character at the end.
fn head(bytes: &[u8], length: usize) -> &[u8] {
    let mut end = length.min(bytes.len());
    for _ in 0..3 {
        if bytes.get(end).is_some_and(|byte| is_continuation(*byte)) && end > 0 {
            end -= 1;
        }
    }
    &bytes[..end]
}

fn last_bytes(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let begin = file.seek(SeekFrom::End(0))?.saturating_sub(length as u64);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a byte is inside a character of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(whole: &str, kept: usize, saved: usize, directory: &Path) -> Captured {
        let path = directory.join("rest");
        std::fs::write(&path, &whole.as_bytes()[..saved]).unwrap();
        Captured {
            bytes: whole.as_bytes()[..kept].to_vec(),
            total: whole.len() as u64,
            rest: Some(path),
            saved: saved as u64,
        }
    }

    #[test]
    fn an_output_that_fits_is_given_to_the_byte() {
        let bytes = b"a\0\xff\x1b[31m".to_vec();
        let total = bytes.len() as u64;
        let output = Captured { bytes: bytes.clone(), total, rest: None, saved: total };
        assert_eq!(excerpt(&output, 100), bytes);
    }

    #[test]
    fn a_long_output_keeps_its_head_and_its_tail_in_whole_characters() {
        let directory = tempfile::tempdir().unwrap();
        let whole = "ä€".repeat(20);
        let output = captured(&whole, 16, 100, directory.path());
        let path = directory.path().join("rest");
        let expected = format!(
            "ä€ä€ä\n[84 of 100 bytes are left out here; the whole output is saved in `{}`]\n€",
            path.display()
        );
        let text = String::from_utf8(excerpt(&output, 16)).unwrap();
        assert_eq!(text, expected.replace("84", "85"));
    }

    #[test]
    fn an_output_that_was_not_saved_whole_has_no_tail() {
        let directory = tempfile::tempdir().unwrap();
        let mut output = captured(&"x".repeat(50), 8, 30, directory.path());
        let text = String::from_utf8(excerpt(&output, 8)).unwrap();
        assert!(text.starts_with("xxxxxx\n[44 of 50 bytes are left out here; its first 30 bytes"));
        assert!(text.ends_with("]\n"), "{text}");
        (output.rest, output.saved) = (None, 8);
        let text = String::from_utf8(excerpt(&output, 8)).unwrap();
        assert!(text.ends_with("here; they could not be saved]\n"), "{text}");
    }
}
