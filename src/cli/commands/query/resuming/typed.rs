//! What somebody typed about a turn before it goes on, kept until it is in the conversation.

use std::path::Path;

use crate::{
    edit::{Rework, abandoned_pages},
    env::Env,
    ui::{Prompter, complain, escape},
};

/// What somebody typed. If it does not get into the conversation, it is said where it is.
#[derive(Debug, Default)]
pub struct Typed(Vec<Rework>);

impl Typed {
    /// Keeps a line in a file of this name.
    pub fn keep(&mut self, env: &Env, state: &Path, name: &str, line: &str) {
        // Without a file it still goes on: to stop here would lose it for certain.
        self.0.extend(Rework::keep(env, state, name, line));
    }

    /// Keeps what was written in an editor.
    pub fn keep_written(&mut self, rework: Rework) {
        self.0.push(rework);
    }

    /// All of it is in the conversation.
    pub fn stored(&mut self) {
        for rework in self.0.drain(..) {
            // A copy that stays is in nobody's way.
            let _left = rework.discard();
        }
    }
}

impl Drop for Typed {
    fn drop(&mut self) {
        for rework in &self.0 {
            let path = rework.path().to_string_lossy();
            complain(format_args!("What you typed is in `{}`", escape(&path)));
        }
    }
}

/// Tells of what was typed earlier by somebody whose terminal went away.
pub fn tell_earlier(prompter: &mut Prompter<'_>, state: &Path) {
    for path in abandoned_pages(state) {
        let path = path.display();
        prompter.say(&format!("What was typed earlier is in `{path}`; delete it if you like."));
    }
}
