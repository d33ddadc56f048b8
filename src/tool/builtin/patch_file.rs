//! `fs_patch_file`: a file is changed by a unified diff.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    change::Change, deed::Deed, patch::Patch, problem::Problem, root::Root, said::Promise, subject,
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// Patches files.
pub(super) struct PatchFile {
    pub(super) root: Arc<Root>,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    patch: String,
}

impl Deed for PatchFile {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_patch_file";
    const DESCRIPTION: &'static str = "Changes one file of the workspace by a unified diff, all of \
        it or nothing. Every line that begins with ` ` or `-` has to be in the file, to the byte, \
        and the counts in `@@ -LINE,COUNT +LINE,COUNT @@` have to be right; a wrong LINE is no \
        harm where only one place fits. `@@` alone leaves the numbers out.";
    const IS_IDEMPOTENT: bool = false;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["path", "patch"],
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The file, from the root of the workspace.",
                },
                "patch": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The hunks of a unified diff; `---` and `+++` may stand before.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        let path = self.root.parse(&arguments.path)?;
        self.root.check_write(&path)?;
        Patch::read(&arguments.patch, &path).map(|_patch| ())
    }

    fn subject(&self, arguments: &Arguments) -> Subject {
        subject::writing(&self.root, &arguments.path)
    }

    fn change(&self, arguments: &Arguments) -> Option<Result<Change, Problem>> {
        Some(self.plan(arguments))
    }

    fn act(
        &self,
        arguments: &Arguments,
        promise: &Promise,
        _cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let change = self.plan(arguments)?;
        change.make(&self.root, promise)?;
        let path = self.root.parse(&arguments.path)?;
        Ok(Outcome::success(format!("Patched `{path}`.\n\n{}", change.diff())))
    }
}

impl PatchFile {
    fn plan(&self, arguments: &Arguments) -> Result<Change, Problem> {
        let path = self.root.parse(&arguments.path)?;
        let patch = Patch::read(&arguments.patch, &path)?;
        Change::of(&self.root, &path, |before| patch.apply(before))
    }
}
