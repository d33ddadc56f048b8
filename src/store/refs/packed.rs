//! The file `packed-refs`: many refs in one sorted file that is only ever replaced as a whole.
//!
//! Its lock (`packed-refs.lock`) is apart from its new contents (`packed-refs.new`), as in git, so
//! that a writer can finish with the loose files before it lets others in.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::lockfile::LockFile;
use super::read::read_file;
use super::{RefError, RefName};
use crate::fsutil::{AtPath, FsError, keeps_order_of_renames, sync_dir};

const ID: usize = 40;
/// Enough for a line with a long name; what is smaller than two of these is read whole.
const BLOCK: u64 = 4096;

/// One ref of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedRef {
    pub(super) name: RefName,
    pub(super) id: ObjectId,
    /// What an annotated tag comes down to.
    pub(super) peeled: Option<ObjectId>,
}

/// The whole file, sorted by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Packed {
    pub(super) refs: Vec<PackedRef>,
    /// Lines that do not read, counted from one.
    pub(super) damaged: Vec<usize>,
    /// Whether a ref without peeled value is known to have none. `None`: there is no file.
    fully_peeled: Option<bool>,
}

impl Packed {
    pub(super) fn find(&self, name: &RefName) -> Option<&PackedRef> {
        self.refs.binary_search_by(|entry| entry.name.cmp(name)).ok().map(|at| &self.refs[at])
    }
}

/// Reads the whole file.
pub(super) fn load(store: &Path) -> Result<Packed, RefError> {
    Ok(read_file(&path(store))?.map_or_else(Packed::default, |bytes| parse(&bytes)))
}

/// Reads the whole file and refuses a damaged one, because what follows rewrites it.
pub(super) fn load_whole(store: &Path) -> Result<Packed, RefError> {
    let packed = load(store)?;
    match packed.damaged.first() {
        None => Ok(packed),
        Some(&line) => Err(RefError::PackedDamaged { path: path(store), line }),
    }
}

/// Finds one ref, without reading all of a sorted file.
pub(super) fn find(store: &Path, name: &RefName) -> Result<Option<ObjectId>, RefError> {
    let path = path(store);
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FsError::new("open", path, error).into()),
    };
    let part = candidates(&mut file, name.as_str().as_bytes()).at("read", &path)?;
    for line in part.split_inclusive(|&byte| byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else {
            break;
        };
        if line.get(ID + 1..) == Some(name.as_str().as_bytes()) {
            return match ObjectId::from_hex(&line[..ID]) {
                Ok(id) => Ok(Some(id)),
                Err(_) => load_whole(store).map(|_| None),
            };
        }
    }
    Ok(None)
}

/// The lock on the file.
pub(super) fn lock(store: &Path) -> Result<LockFile, RefError> {
    LockFile::acquire(store.join("packed-refs.lock"))
}

/// Replaces the file durably. The caller keeps the lock until the loose files agree.
pub(super) fn replace(_lock: &LockFile, store: &Path, packed: &Packed) -> Result<(), RefError> {
    let (new, target) = (store.join("packed-refs.new"), path(store));
    let text = encode(packed);
    let written = File::create(&new)
        .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
        .at("write", &new)
        .and_then(|()| std::fs::rename(&new, &target).at("replace", &target));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&new);
        return Err(error.into());
    }
    Ok(sync_dir(store)?)
}

/// Makes the file durable as it is: whoever wrote it may have been killed before that, and git need
/// not have synced it. Loose files that say the same may go only after this.
pub(super) fn confirm(_lock: &LockFile, store: &Path) -> Result<(), RefError> {
    let path = path(store);
    match File::open(&path) {
        Ok(file) => file.sync_all().at("sync", &path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FsError::new("open", path, error).into()),
    }
    // Where names are kept in order, its own is there before another one goes.
    match keeps_order_of_renames(store) {
        true => Ok(()),
        false => Ok(sync_dir(store)?),
    }
}

pub(super) fn path(store: &Path) -> PathBuf {
    store.join("packed-refs")
}

fn encode(packed: &Packed) -> Vec<u8> {
    let traits = match packed.fully_peeled {
        Some(false) => "sorted",
        Some(true) | None => "peeled fully-peeled sorted",
    };
    let mut out = format!("# pack-refs with: {traits} \n").into_bytes();
    for PackedRef { name, id, peeled } in &packed.refs {
        out.extend_from_slice(format!("{id} {name}\n").as_bytes());
        if let Some(peeled) = peeled {
            out.extend_from_slice(format!("^{peeled}\n").as_bytes());
        }
    }
    out
}

fn parse(bytes: &[u8]) -> Packed {
    let mut packed =
        Packed { fully_peeled: Some(has_trait(bytes, "fully-peeled")), ..Packed::default() };
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = number + 1;
        // A line that is cut off may be a shorter name or value than was written.
        let Some(line) = line.strip_suffix(b"\n") else {
            packed.damaged.push(number);
            continue;
        };
        if line.starts_with(b"#") {
            continue;
        }
        if let Some(hex) = line.strip_prefix(b"^") {
            match (ObjectId::from_hex(hex), packed.refs.last_mut()) {
                (Ok(id), Some(last)) => last.peeled = Some(id),
                _ => packed.damaged.push(number),
            }
            continue;
        }
        match parse_line(line) {
            Some(entry) => packed.refs.push(entry),
            None => packed.damaged.push(number),
        }
    }
    if !packed.refs.is_sorted_by(|one, next| one.name < next.name) {
        packed.refs.sort_by(|one, next| one.name.cmp(&next.name));
        packed.refs.dedup_by(|one, next| one.name == next.name);
    }
    packed
}

fn parse_line(line: &[u8]) -> Option<PackedRef> {
    let id = ObjectId::from_hex(line.get(..ID)?).ok()?;
    let name = line[ID..].strip_prefix(b" ")?;
    let name = RefName::new(std::str::from_utf8(name).ok()?).ok()?;
    Some(PackedRef { name, id, peeled: None })
}

fn has_trait(bytes: &[u8], wanted: &str) -> bool {
    let header = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    header.strip_prefix(b"# pack-refs with:").is_some_and(|traits| {
        traits.split(|&byte| byte == b' ').any(|one| one == wanted.as_bytes())
    })
}

/// The part of the file that has the line of `name`, if any line has.
fn candidates(file: &mut (impl Read + Seek), name: &[u8]) -> io::Result<Vec<u8>> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut range = 0..end;
    if end > 2 * BLOCK && has_trait(&read_range(file, 0..BLOCK)?, "sorted") {
        while range.end - range.start > 2 * BLOCK {
            let middle = range.start + (range.end - range.start) / 2;
            let block = read_range(file, middle..(middle + BLOCK).min(range.end))?;
            let Some((skipped, found)) = first_line(&block) else {
                break;
            };
            let start = middle + skipped as u64;
            match found.cmp(name) {
                std::cmp::Ordering::Greater => range.end = start,
                _ => range.start = start,
            }
        }
    }
    read_range(file, range)
}

/// The first whole line with a ref: where it starts, and the name.
fn first_line(block: &[u8]) -> Option<(usize, &[u8])> {
    let mut start = block.iter().position(|&byte| byte == b'\n')? + 1;
    loop {
        let length = block[start..].iter().position(|&byte| byte == b'\n')?;
        let line = &block[start..start + length];
        if let Some(name) = line.get(ID + 1..).filter(|_| !line.starts_with(b"^")) {
            return Some((start, name));
        }
        start += length + 1;
    }
}

fn read_range(file: &mut (impl Read + Seek), range: std::ops::Range<u64>) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
    file.take(range.end - range.start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, byte: u8) -> PackedRef {
        let id = ObjectId::from_bytes_or_panic(&[byte; 20]);
        PackedRef { name: RefName::new(name).unwrap(), id, peeled: None }
    }

    #[test]
    fn every_ref_of_a_large_file_is_found_and_no_other() {
        let store = tempfile::tempdir().unwrap();
        let names = (0..3000).map(|n| format!("refs/heads/jp-c{}", n * 7919 % 100_003));
        let mut refs: Vec<_> = names.map(|name| entry(&name, name.len() as u8)).collect();
        refs.sort_by(|one, next| one.name.cmp(&next.name));
        for (at, entry) in refs.iter_mut().enumerate().step_by(3) {
            entry.peeled = Some(ObjectId::from_bytes_or_panic(&[at as u8 | 1; 20]));
        }
        let packed = Packed { refs, ..Packed::default() };
        replace(&lock(store.path()).unwrap(), store.path(), &packed).unwrap();
        assert_eq!(load(store.path()).unwrap().refs, packed.refs);
        for entry in &packed.refs {
            assert_eq!(find(store.path(), &entry.name).unwrap(), Some(entry.id));
            let other = RefName::new(format!("{}x", entry.name)).unwrap();
            assert_eq!(find(store.path(), &other).unwrap(), None);
        }
        for name in ["refs/a", "refs/zzz"] {
            assert_eq!(find(store.path(), &RefName::new(name).unwrap()).unwrap(), None);
        }
    }

    #[test]
    fn lines_that_do_not_read_are_named_and_the_rest_is_kept() {
        let id = "b".repeat(40);
        let text = format!("{id} refs/heads/b\ngarbage\n{id} refs/heads/a\n{id} refs/heads/cut");
        let packed = parse(text.as_bytes());
        assert_eq!(packed.damaged, [2, 4]);
        let names: Vec<_> = packed.refs.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["refs/heads/a", "refs/heads/b"]);
        assert_eq!(packed.fully_peeled, Some(false));
    }
}
