//! A text that exists already, changed in an editor: the arguments of a call, the result of a tool.
//!
//! A model or a tool wrote it, so blank lines stand around it in the file: editors take settings
//! from the first and the last lines of a text.

use std::{
    io,
    path::Path,
    process::{Command, ExitStatus},
};

use super::{DraftError, page::Page};
use crate::env::Env;

/// More lines than an editor looks at.
const MARGIN: &str = "\n\n\n\n\n\n\n\n";

/// A text that is being changed. It stays until it is discarded.
#[must_use = "say whether the text is needed any more"]
#[derive(Debug)]
pub struct Rework {
    page: Page,
}

impl Rework {
    /// Puts a text into a file of this name, in the state of the user.
    pub fn create(env: &Env, state: &Path, name: &str, text: &str) -> Result<Self, DraftError> {
        let text = format!("{MARGIN}{text}{MARGIN}");
        Ok(Self { page: Page::create(env, state, name, text.as_bytes())? })
    }

    /// Puts what somebody typed elsewhere into a file of this name, so that it is not lost.
    pub fn keep(env: &Env, state: &Path, name: &str, text: &str) -> Result<Self, DraftError> {
        let page = Page::create(env, state, name, b"")?;
        page.write(text.as_bytes())?;
        Ok(Self { page })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.page.path()
    }

    /// Lets the user change it, in an editor that is run by a function.
    pub fn edit(
        &self,
        env: &Env,
        run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<String, DraftError> {
        let Ok(text) = String::from_utf8(self.page.edit(env, run)?) else {
            return Err(DraftError::NotText(self.path().to_owned()));
        };
        let text = text.strip_prefix(MARGIN).unwrap_or_else(|| text.trim_start_matches('\n'));
        // An editor may add the newline that a last line has to have.
        let ends = [MARGIN, &MARGIN[1..]];
        let text = ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
        Ok(text.to_owned())
    }

    /// Removes it: what it says is used, or not wanted.
    pub fn discard(self) -> Result<(), DraftError> {
        self.page.discard()
    }
}
