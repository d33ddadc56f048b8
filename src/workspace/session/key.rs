//! The file name of a session, whatever its value is.

use std::os::unix::ffi::OsStrExt;

use sha2::{Digest, Sha256};

use super::{Session, Source};

/// How much of the value can be seen in the name.
const VISIBLE: usize = 32;

impl Session {
    /// The name of its mapping file: what it is known by, the beginning of the value in harmless
    /// letters, and a hash of everything, which alone tells two sessions apart.
    pub(super) fn file_name(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        let kind = match self.source() {
            Source::Leader(leader) => {
                add(b"getsid");
                add(&leader.started.to_le_bytes());
                add(leader.realm.as_bytes());
                "getsid".to_owned()
            }
            Source::Variable(name) => {
                add(b"env");
                add(name.as_bytes());
                harmless(name.as_bytes())
            }
        };
        add(self.value().as_bytes());
        add(self.beside().as_bytes());
        let hash: String = hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{kind}-{}-{hash}.json", harmless(self.value().as_bytes()))
    }
}

/// Whether a file has the name of a mapping file: what somebody else put beside them is not ours.
pub(super) fn is_file_name(name: &str) -> bool {
    let hash = name.strip_suffix(".json").and_then(|stem| stem.rsplit_once('-'));
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    hash.is_some_and(|(rest, hash)| {
        rest.contains('-') && hash.len() == 32 && hash.chars().all(is_hex)
    })
}

/// The beginning of a value in letters that are the same on every file system.
fn harmless(value: &[u8]) -> String {
    let harmless = |byte: &u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'_' => char::from(*byte),
        b'A'..=b'Z' => char::from(byte.to_ascii_lowercase()),
        _ => '-',
    };
    value.iter().take(VISIBLE).map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, ffi::OsString, os::unix::ffi::OsStringExt};

    use super::*;
    use crate::{
        env::{Env, Process},
        model::Timestamp,
    };

    fn named(value: &[u8]) -> String {
        let vars = [("JP_SESSION".into(), OsString::from_vec(value.to_vec()))];
        let env = Env::fixed(vars, "/".into(), Timestamp::from_seconds(0));
        Session::of(&env).unwrap().file_name()
    }

    #[test]
    fn every_value_is_one_safe_file_name_of_its_own() {
        let long = [b'x'; 5000];
        let longer = [b'x'; 5001];
        let values: [&[u8]; 14] = [
            b"mine",
            b"Mine",
            b"..",
            b"../../etc/passwd",
            b"/",
            b"a/b",
            b"a-b",
            b"a\nb",
            b"a\x1b[31mb",
            "ä".as_bytes(),
            "a\u{308}".as_bytes(),
            b"\xff\xfe",
            &long,
            &longer,
        ];
        let names: BTreeSet<_> = values.iter().map(|value| named(value)).collect();
        assert_eq!(names.len(), values.len());
        for name in names {
            assert!(is_file_name(&name), "{name}");
            assert!(name.starts_with("jp_session-") && name.ends_with(".json"), "{name}");
            assert!(name.len() <= 100, "{name}");
            let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
            assert!(name.chars().all(safe) && name.matches('.').count() == 1, "{name}");
        }
    }

    #[test]
    fn what_somebody_put_beside_them_has_another_name() {
        for name in ["backup-of-mine.json", "notes.json", "a-d0ac56aa544c3dc81cee8ddd34acb176", ""]
        {
            assert!(!is_file_name(name), "{name}");
        }
    }

    #[test]
    fn a_name_stays_the_same_from_version_to_version() {
        assert_eq!(named(b"My work"), "jp_session-my-work-d0ac56aa544c3dc81cee8ddd34acb176.json");
        let leader = Process { pid: 12057, started: 884_412, realm: "boot pid:[1]".to_owned() };
        let env = Env::fixed([], "/".into(), Timestamp::from_seconds(0)).led_by(leader);
        let name = Session::of(&env).unwrap().file_name();
        assert_eq!(name, "getsid-12057-0b202091c09c7c35d913d88e01c9b3fd.json");
    }
}
