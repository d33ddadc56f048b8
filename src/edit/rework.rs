//! A text that exists already, changed in an editor: the arguments of a call, the result of a tool.
//!
//! A model or a tool wrote it, so blank lines stand around it in the file: editors take settings
//! from the first and the last lines of a text.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use super::{DraftError, editor};
use crate::{
    env::Env,
    fsutil::{self, AtPath},
};

/// More lines than an editor looks at.
const MARGIN: &str = "\n\n\n\n\n\n\n\n";

/// A text that is being changed. It stays until it is discarded.
#[must_use = "say whether the text is needed any more"]
#[derive(Debug)]
pub struct Rework {
    path: PathBuf,
}

impl Rework {
    /// Puts a text into a file of this name, in the state of the user.
    pub fn create(env: &Env, state: &Path, name: &str, text: &str) -> Result<Self, DraftError> {
        let reworks = state.join("reworks");
        let random: [u8; 8] = env.random().at("read random bytes for", &reworks)?;
        let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let directory = reworks.join(random);
        fsutil::create_dir_private(&directory)?;
        let path = directory.join(name);
        fsutil::write_private(&path, format!("{MARGIN}{text}{MARGIN}").as_bytes())?;
        Ok(Self { path })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the user change it, in an editor that is run by a function.
    pub fn edit(
        &self,
        env: &Env,
        mut run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<String, DraftError> {
        let kept = || Some(self.path.clone());
        let (editor, status) = editor::open(env, &self.path, kept(), &mut run)?;
        if !status.success() {
            return Err(DraftError::Failed { editor, status, kept: kept() });
        }
        let bytes = std::fs::read(&self.path).at("read", &self.path)?;
        let Ok(text) = String::from_utf8(bytes) else {
            return Err(DraftError::NotText(self.path.clone()));
        };
        let text = text.strip_prefix(MARGIN).unwrap_or_else(|| text.trim_start_matches('\n'));
        // An editor may add the newline that a last line has to have.
        let ends = [MARGIN, &MARGIN[1..]];
        let text = ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
        Ok(text.to_owned())
    }

    /// Removes it: what it says is used, or not wanted.
    pub fn discard(self) -> Result<(), DraftError> {
        let directory = self.path.parent().unwrap_or(&self.path);
        Ok(std::fs::remove_dir_all(directory).at("remove", directory)?)
    }
}
