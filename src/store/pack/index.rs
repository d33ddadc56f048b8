//! The index of a pack, version 2: where each object lies.
//!
//! Reading checks everything that could send a reader out of bounds; it refuses version 1.

use gix::ObjectId;

use super::build::PackError;

const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FANOUT: usize = MAGIC.len();
const IDS: usize = FANOUT + 256 * 4;
const HASH: usize = 20;
const LARGE: u32 = 1 << 31;

/// One object of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its id.
    pub id: ObjectId,
    /// Where its header starts.
    pub offset: u64,
    /// The checksum of header and compressed data.
    pub crc32: u32,
}

/// Writes the index of a pack; the entries may come in any order.
pub fn encode(entries: &[IndexEntry], pack_checksum: &ObjectId) -> Result<Vec<u8>, PackError> {
    let mut sorted: Vec<&IndexEntry> = entries.iter().collect();
    sorted.sort_unstable_by_key(|entry| entry.id);
    let mut out = Vec::with_capacity(IDS + sorted.len() * (HASH + 8) + 2 * HASH);
    out.extend_from_slice(&MAGIC);
    let mut fanout = [0u32; 256];
    for entry in &sorted {
        fanout[usize::from(entry.id.as_bytes()[0])] += 1;
    }
    let mut total = 0u32;
    for count in fanout {
        total += count;
        out.extend_from_slice(&total.to_be_bytes());
    }
    for entry in &sorted {
        out.extend_from_slice(entry.id.as_bytes());
    }
    for entry in &sorted {
        out.extend_from_slice(&entry.crc32.to_be_bytes());
    }
    let mut large = Vec::new();
    for entry in &sorted {
        let small = match u32::try_from(entry.offset) {
            Ok(offset) if offset < LARGE => offset,
            _ => {
                large.push(entry.offset);
                LARGE | (large.len() - 1) as u32
            }
        };
        out.extend_from_slice(&small.to_be_bytes());
    }
    for offset in large {
        out.extend_from_slice(&offset.to_be_bytes());
    }
    out.extend_from_slice(pack_checksum.as_bytes());
    let checksum = super::build::sha1(&[&out])?;
    out.extend_from_slice(checksum.as_bytes());
    Ok(out)
}

/// An index that was read, in order of ids.
#[derive(Debug)]
pub struct Index {
    /// The objects.
    pub entries: Vec<IndexEntry>,
    /// The checksum of the pack it belongs to.
    pub pack_checksum: ObjectId,
}

/// Reads an index, or says what is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<Index, &'static str> {
    const CUT: &str = "the index is cut off";
    if !bytes.starts_with(&MAGIC) {
        return Err("not an index of version 2");
    }
    if bytes.len() < IDS + 2 * HASH {
        return Err(CUT);
    }
    let (body, checksum) = bytes.split_at(bytes.len() - HASH);
    let actual = super::build::sha1(&[body]).map_err(|_error| "the index has a forged checksum")?;
    if actual.as_bytes() != checksum {
        return Err("the checksum of the index does not match");
    }
    let count = count(bytes).ok_or(CUT)? as usize;
    let (crcs, offsets) = (IDS + count * HASH, IDS + count * (HASH + 4));
    let larges = IDS + count * (HASH + 8);
    let larges_end = body.len() - HASH;
    if larges_end < larges {
        return Err(CUT);
    }
    let mut entries = Vec::with_capacity(count);
    for position in 0..count {
        let id = &bytes[IDS + position * HASH..][..HASH];
        let offset = be32(bytes, offsets + position * 4);
        let offset = if offset & LARGE == 0 {
            u64::from(offset)
        } else {
            let at = larges + (offset & !LARGE) as usize * 8;
            if at + 8 > larges_end {
                return Err("an offset points out of the index");
            }
            u64::from(be32(bytes, at)) << 32 | u64::from(be32(bytes, at + 4))
        };
        let crc32 = be32(bytes, crcs + position * 4);
        entries.push(IndexEntry { id: ObjectId::from_bytes_or_panic(id), offset, crc32 });
    }
    if entries.windows(2).any(|pair| pair[0].id >= pair[1].id) {
        return Err("the index is not sorted");
    }
    let pack_checksum = ObjectId::from_bytes_or_panic(&body[larges_end..]);
    Ok(Index { entries, pack_checksum })
}

/// The number of objects, from the first [`HEAD_BYTES`] of an index of version 2.
pub fn count(head: &[u8]) -> Option<u32> {
    (head.len() >= HEAD_BYTES && head.starts_with(&MAGIC)).then(|| be32(head, IDS - 4))
}

/// How much of an index [`count`] needs.
pub const HEAD_BYTES: usize = IDS;

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes were sliced"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_beyond_31_bits_go_through_the_large_table() {
        let id = |n: u8| ObjectId::from_bytes_or_panic(&[n; 20]);
        let entries = [
            IndexEntry { id: id(9), offset: 12, crc32: 1 },
            IndexEntry { id: id(3), offset: (1 << 31) - 1, crc32: 2 },
            IndexEntry { id: id(200), offset: 1 << 31, crc32: 3 },
            IndexEntry { id: id(5), offset: 1 << 40, crc32: 4 },
        ];
        let index = decode(&encode(&entries, &id(7)).unwrap()).unwrap();
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|entry| entry.id);
        assert_eq!(index.entries, sorted);
        assert_eq!(index.pack_checksum, id(7));
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let id = ObjectId::from_bytes_or_panic(&[4; 20]);
        let good = encode(&[IndexEntry { id, offset: 12, crc32: 1 }], &id).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode(&bad).is_err(), "byte {at}");
            assert!(decode(&good[..at]).is_err(), "cut at {at}");
        }
    }
}
