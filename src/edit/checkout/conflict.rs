//! Two versions of a file in one, as git shows them, for somebody to make one of them.

use super::{Checkout, Look};
use crate::{format::Flaw, plan::Fault};

const HERE: &str = "<<<<<<< this directory";
const BETWEEN: &str = "=======";
const THERE: &str = ">>>>>>> the conversation";

/// Both versions, with what they have in common before and after the marks.
pub(super) fn both(here: &[u8], there: &[u8]) -> Vec<u8> {
    let lines = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with(b"\n")) {
            last.push(b'\n');
        }
        lines
    };
    let (here, there) = (lines(here), lines(there));
    let same = |(one, other): &(&Vec<u8>, &Vec<u8>)| one == other;
    let before = here.iter().zip(&there).take_while(same).count();
    let (own, their) = (&here[before..], &there[before..]);
    let after = own.iter().rev().zip(their.iter().rev()).take_while(same).count();
    let (own, end) = own.split_at(own.len() - after);
    let their = &their[..their.len() - after];
    let mark = |text: &str| format!("{text}\n").into_bytes();
    let mut both = here[..before].concat();
    both.extend(mark(HERE));
    both.extend(own.concat());
    both.extend(mark(BETWEEN));
    both.extend(their.concat());
    both.extend(mark(THERE));
    both.extend(end.concat());
    both
}

impl Checkout {
    /// Finds the marks of a conflict that nobody has resolved.
    pub(super) fn look_for_marks(&self, look: &mut Look, name: &str) {
        let Some(Some(bytes)) = look.hand.files.get(name) else { return };
        let is_mark = |line: &[u8]| {
            let line = line.trim_ascii_end();
            line == HERE.as_bytes() || line == THERE.as_bytes()
        };
        let mark = bytes.split(|byte| *byte == b'\n').position(is_mark);
        if let Some(line) = mark {
            let message = "the conflict is not resolved: keep one version, or make one of both";
            look.faults.push(Fault::new(name, Flaw::at_line(line + 1, message)));
            // There is nothing else to say of it.
            look.hand.files.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_stand_between_marks_with_what_they_share_around_them() {
        let both = both(b"---\na\n---\none\nmine\nend", b"---\na\n---\none\ntheirs\nmore\nend\n");
        assert_eq!(
            String::from_utf8(both).unwrap(),
            "---\na\n---\none\n<<<<<<< this directory\nmine\n=======\ntheirs\nmore\n\
             >>>>>>> the conversation\nend\n"
        );
    }
}
