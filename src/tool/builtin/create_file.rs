//! `fs_create_file`: a new file, or other contents for one that is there.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    change::Change,
    contents::{count, lines},
    deed::Deed,
    problem::Problem,
    root::Root,
    said::Promise,
    subject,
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// Makes files.
pub(super) struct CreateFile {
    pub(super) root: Arc<Root>,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    content: String,
    #[serde(default)]
    overwrite: bool,
}

impl Deed for CreateFile {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_create_file";
    const DESCRIPTION: &'static str = "Makes a file in the workspace with exactly this content, \
        and the directories that it needs. A file that is there already is left as it is, unless \
        `overwrite` is set; to change a part of one, use `fs_modify_file` or `fs_patch_file`.";
    const IS_IDEMPOTENT: bool = false;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["path", "content"],
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The file, from the root of the workspace.",
                },
                "content": {
                    "type": "string",
                    "description": "All that is to be in it; a text usually ends in a newline.",
                },
                "overwrite": {
                    "type": "boolean",
                    "description": "Whether to replace all of a file that is there.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        self.root.check_write(&self.root.parse(&arguments.path)?)
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
        let bytes = arguments.content.as_bytes();
        let size = format!(
            "{} and {}",
            count(lines(bytes).count(), "line", "lines"),
            count(bytes.len(), "byte", "bytes")
        );
        let path = self.root.parse(&arguments.path)?;
        Ok(Outcome::success(match change.before() {
            None => format!("Created `{path}` with {size}."),
            Some(_) => format!("Replaced all of `{path}`, which now has {size}."),
        }))
    }
}

impl CreateFile {
    fn plan(&self, arguments: &Arguments) -> Result<Change, Problem> {
        let path = self.root.parse(&arguments.path)?;
        let change = Change::to(&self.root, &path, arguments.content.clone().into_bytes())?;
        match change.before() {
            Some(_) if !arguments.overwrite => Err(Problem::Exists(path)),
            _ => Ok(change),
        }
    }
}
