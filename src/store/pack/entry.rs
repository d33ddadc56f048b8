//! The header of one object in a pack: its kind and its inflated size.

use gix::object::Kind;

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A whole object.
    Whole(Kind),
    /// A difference to another object.
    Delta,
}

/// Appends the header of a whole object.
pub(super) fn write_header(out: &mut Vec<u8>, kind: Kind, size: u64) {
    let code = match kind {
        Kind::Commit => 1u8,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let mut byte = (code << 4) | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        out.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    out.push(byte);
}

/// Reads a header: what it is, its inflated size, and how many bytes the header takes.
pub(super) fn read_header(entry: &[u8]) -> Option<(EntryKind, u64, usize)> {
    let (&first, rest) = entry.split_first()?;
    let kind = match (first >> 4) & 7 {
        1 => EntryKind::Whole(Kind::Commit),
        2 => EntryKind::Whole(Kind::Tree),
        3 => EntryKind::Whole(Kind::Blob),
        4 => EntryKind::Whole(Kind::Tag),
        6 | 7 => EntryKind::Delta,
        _ => return None,
    };
    let mut size = u64::from(first & 0x0f);
    let mut length = 1;
    let mut more = first & 0x80 != 0;
    let mut shift = 4;
    for &byte in rest {
        if !more {
            break;
        }
        if shift > 57 {
            return None;
        }
        size |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        length += 1;
        more = byte & 0x80 != 0;
    }
    (!more).then_some((kind, size, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back_as_written() {
        for size in [0, 1, 15, 16, 127, 128, 2047, 2048, 1 << 31, (1 << 60) - 1] {
            for kind in [Kind::Commit, Kind::Tree, Kind::Blob, Kind::Tag] {
                let mut bytes = Vec::new();
                write_header(&mut bytes, kind, size);
                let expected = Some((EntryKind::Whole(kind), size, bytes.len()));
                bytes.push(0xff);
                assert_eq!(read_header(&bytes), expected);
            }
        }
    }

    #[test]
    fn cut_and_endless_headers_are_refused() {
        assert_eq!(read_header(&[]), None);
        assert_eq!(read_header(&[0xb0]), None);
        assert_eq!(read_header(&[0xff; 40]), None);
    }
}
