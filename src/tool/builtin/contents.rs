//! What kind of file bytes are: text that a model can read, or something to be described.

use std::ffi::OsStr;

/// How much of a file is looked at.
pub(super) const SAMPLE: usize = 8 << 10;

/// How files begin that people know by name.
const KINDS: [(usize, &[u8], &str); 29] = [
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (8, b"WAVE", "a WAV sound"),
    (0, b"BM", "a bitmap image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive, or a document or package that is one inside"),
    (0, b"\x1f\x8b", "compressed by gzip"),
    (0, b"BZh", "compressed by bzip2"),
    (0, b"\xfd7zXZ\0", "compressed by xz"),
    (0, b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"!<arch>\n", "a library archive"),
    (0, b"\x7fELF", "an ELF program or library"),
    (0, b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (0, b"MZ", "a Windows program or library"),
    (0, b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (0, b"\0asm", "a WebAssembly module"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"wOF2", "a WOFF2 font"),
    (0, b"OggS", "an Ogg sound or film"),
    (0, b"ID3", "an MP3 sound"),
    (4, b"ftyp", "an MP4 film"),
    (0, b"\xff\xfe", "text in UTF-16"),
    (0, b"\xfe\xff", "text in UTF-16"),
];

/// What the beginning of a file that is no text says about it; none if it is text.
pub(super) fn binary_kind(sample: &[u8]) -> Option<&'static str> {
    let is_known = |(at, mark, _): &&(usize, &[u8], &str)| {
        sample.get(*at..).is_some_and(|rest| rest.starts_with(mark))
    };
    let known = KINDS.iter().find(is_known).map(|(_, _, kind)| *kind);
    if sample.contains(&0) || is_garbled(sample) {
        return Some(known.unwrap_or("of an unknown kind"));
    }
    // Short marks also begin words.
    known.filter(|_| std::str::from_utf8(sample).is_err() || sample.starts_with(b"%PDF-"))
}

/// Whether so much of it is neither text nor white space that nobody could read it.
fn is_garbled(sample: &[u8]) -> bool {
    let odd = |byte: &u8| byte.is_ascii_control() && !b"\t\n\r\x08\x0c\x1b".contains(byte);
    let invalid: usize = sample.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    (sample.iter().filter(|byte| odd(byte)).count() + invalid) * 10 > sample.len() * 3
}

/// The lines of a text, each with its end.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// A name on one line: what would break it is escaped, and what is no UTF-8 is replaced.
pub(super) fn one_line(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    match name.contains(|c: char| c.is_control()) {
        true => name.escape_debug().to_string(),
        false => name.into_owned(),
    }
}

/// A number of things, in words.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_kind_is_text() {
        let texts: [&[u8]; 8] = [
            b"",
            b"a\r\nb",
            "größe €".as_bytes(),
            b"BMW drives",
            b"MZ",
            b"caf\xe9 in Latin-1, which is not UTF-8 and still text",
            b"\x1b[31mred\x1b[0m",
            b"GIF89 is a format",
        ];
        for text in texts {
            assert_eq!(binary_kind(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_described() {
        let table: [(&[u8], &str); 6] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
            (b"%PDF-1.7\n", "a PDF document"),
            (b"\x1f\x8b\x08\x00\x00", "compressed by gzip"),
            (b"\xff\xfea\0b\0", "text in UTF-16"),
            (b"a\0b", "of an unknown kind"),
            (b"\x80\x81\x82\x83\x84", "of an unknown kind"),
        ];
        for (bytes, kind) in table {
            assert_eq!(binary_kind(bytes), Some(kind), "{bytes:?}");
        }
    }

    #[test]
    fn a_character_cut_at_the_end_of_the_sample_makes_no_difference() {
        let text = "€".repeat(3000);
        assert_eq!(binary_kind(&text.as_bytes()[..SAMPLE]), None);
    }
}
