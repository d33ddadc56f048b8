//! One event in an editor: its file as it is stored, and what is wrong with it as comments above.

use std::{
    io,
    path::Path,
    process::{Command, ExitStatus},
};

use super::{DraftError, page::Page};
use crate::{
    env::Env,
    format::{FileName, Flaw, amend, decode, without_mark},
    model::{Event, Timestamp},
    plan::{Draft, Fault},
};

/// What a line begins with that tells of a fault: a comment in YAML as in TOML.
const ERROR: &str = "# ERROR: ";

/// One event in an editor. It stays until it is discarded.
#[must_use = "say whether the text is needed any more"]
#[derive(Debug)]
pub struct EventSheet {
    page: Page,
    name: FileName,
    was: Vec<u8>,
    /// What was wrong the last time.
    told: Option<(Vec<u8>, Vec<Fault>)>,
}

impl EventSheet {
    /// Puts an event file into the state of the user.
    pub fn create(
        env: &Env,
        state: &Path,
        name: &FileName,
        bytes: &[u8],
    ) -> Result<Self, DraftError> {
        let page = Page::create(env, state, name.as_str(), bytes)?;
        Ok(Self { page, name: name.clone(), was: bytes.to_vec(), told: None })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.page.path()
    }

    /// Lets the user change it, in an editor that is run by a function. Comments of jp are not part
    /// of what comes back.
    pub fn edit(
        &self,
        env: &Env,
        run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<Vec<u8>, DraftError> {
        Ok(plain(&self.page.edit(env, run)?))
    }

    /// The event that was written; `None` if it says the same as before.
    pub fn read(&self, written: &[u8], now: Timestamp) -> Result<Option<Draft>, Vec<Fault>> {
        let fault = |flaw: Flaw| Fault::new(self.name.as_str(), flaw);
        let read = |bytes: &[u8]| decode(bytes, self.name.form(), self.name.hinted_type(), now);
        let decoded =
            read(written).map_err(|flaws| flaws.into_iter().map(fault).collect::<Vec<_>>())?;
        if read(&self.was).is_ok_and(|was| was.event == decoded.event) {
            return Ok(None);
        }
        let amended = amend(written.to_vec(), self.name.form(), &decoded, now);
        match amended {
            Ok((event, bytes)) => Ok(Some(Draft { event, bytes })),
            Err(error) => Err(vec![fault(Flaw::new(error.to_string()))]),
        }
    }

    /// Whether an event is the one that the file was made of.
    pub fn is_of(&self, event: Option<&Event>, now: Timestamp) -> bool {
        let was = decode(&self.was, self.name.form(), self.name.hinted_type(), now);
        was.ok().map(|was| without_mark(&was.event)) == event.map(without_mark)
    }

    /// Writes what is wrong into the file; says whether that is anything new.
    pub fn annotate(&mut self, written: &[u8], faults: &[Fault]) -> Result<bool, DraftError> {
        let told = (written.to_vec(), faults.to_vec());
        if self.told.as_ref() == Some(&told) {
            return Ok(false);
        }
        self.page.write(&annotated(written, faults))?;
        self.told = Some(told);
        Ok(true)
    }

    /// Removes it: what it says is stored, or not wanted.
    pub fn discard(self) -> Result<(), DraftError> {
        self.page.discard()
    }
}

/// The file with what is wrong above its first key.
fn annotated(written: &[u8], faults: &[Fault]) -> Vec<u8> {
    let opening: &[u8] = match written {
        [b'-', b'-', b'-', b'\n', ..] => b"---\n",
        [b'-', b'-', b'-', b'\r', b'\n', ..] => b"---\r\n",
        _ => b"",
    };
    let mut text = opening.to_vec();
    for fault in faults {
        let mut fault = fault.clone();
        fault.flaw.line = fault.flaw.line.map(|line| match line > 1 || opening.is_empty() {
            true => line + faults.len(),
            false => line,
        });
        let line = fault.to_string().replace(char::is_control, "\u{fffd}");
        text.extend(format!("{ERROR}{line}\n").into_bytes());
    }
    text.extend_from_slice(&written[opening.len()..]);
    text
}

/// The file without what jp wrote into it.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut is_above = true;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_ours = line.starts_with(ERROR.as_bytes());
        if is_above && is_ours {
            continue;
        }
        is_above = index == 0 && line.trim_ascii_end() == b"---";
        plain.extend_from_slice(line);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_comes_and_goes_as_comments() {
        for file in ["---\ntype: request\n---\nHi\n", "a = 1\n", "", "---\r\ntype: x\r\n---\r\n"] {
            let faults =
                [Fault::new("a", Flaw::at_line(2, "odd")), Fault::new("a", Flaw::new("more"))];
            let text = annotated(file.as_bytes(), &faults);
            assert_eq!(plain(&text), file.as_bytes(), "{file:?}");
        }
        let text = annotated(b"---\ntype: x\n---\n", &[Fault::new("a", Flaw::at_line(2, "odd"))]);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "---\n# ERROR: a:3:1: odd\ntype: x\n---\n");
    }
}
