//! `fs_modify_file`: exact texts of a file are replaced by others.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    change::Change,
    contents::count,
    deed::Deed,
    problem::Problem,
    replacement::{Replacement, replace_all},
    root::Root,
    said::Promise,
    subject,
};
use crate::{
    cancel::Cancel,
    tool::{Outcome, Subject},
};

/// Changes parts of files.
pub(super) struct ModifyFile {
    pub(super) root: Arc<Root>,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    replacements: Vec<Replacement>,
}

impl Deed for ModifyFile {
    type Arguments = Arguments;
    const NAME: &'static str = "fs_modify_file";
    const DESCRIPTION: &'static str = "Replaces exact texts in a file of the workspace by others. \
        Each `old_text` has to occur exactly once, white space and line ends included, so show \
        enough around the change; or set `all` to replace every occurrence. Several replacements \
        are made one after the other, each in what the ones before left, and either all of them or \
        none. Read the file first.";
    const IS_IDEMPOTENT: bool = false;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["path", "replacements"],
            "additionalProperties": false,
            "properties": {
                "path": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The file, from the root of the workspace.",
                },
                "replacements": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "required": ["old_text", "new_text"],
                        "additionalProperties": false,
                        "properties": {
                            "old_text": {
                                "type": "string",
                                "minLength": 1,
                                "description": "A text that is in the file, to the byte.",
                            },
                            "new_text": {
                                "type": "string",
                                "description": "What takes its place; empty to remove it.",
                            },
                            "all": {
                                "type": "boolean",
                                "description": "Whether to replace every occurrence.",
                            },
                        },
                    },
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
        Some(self.plan(arguments).map(|(change, _)| change))
    }

    fn act(
        &self,
        arguments: &Arguments,
        promise: &Promise,
        _cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let (change, replaced) = self.plan(arguments)?;
        change.make(&self.root, promise)?;
        let path = self.root.parse(&arguments.path)?;
        let texts = count(replaced, "text", "texts");
        Ok(Outcome::success(format!("Replaced {texts} in `{path}`.\n\n{}", change.diff())))
    }
}

impl ModifyFile {
    fn plan(&self, arguments: &Arguments) -> Result<(Change, usize), Problem> {
        let path = self.root.parse(&arguments.path)?;
        let mut replaced = 0;
        let change = Change::of(&self.root, &path, |before| {
            let (after, count) = replace_all(before, &arguments.replacements, &path)?;
            replaced = count;
            Ok(after)
        })?;
        Ok((change, replaced))
    }
}
