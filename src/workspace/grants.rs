//! What the user has allowed for a whole conversation, kept with the user.
//!
//! It is never read from the conversation itself: that can be imported, or come from a branch that
//! somebody shares, and must not bring permissions along. A fork begins without any.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    fsutil::{self, AtPath},
    model::{ConversationId, Grant, ToolName},
};

/// A file of more bytes was not written by jp.
const LARGEST: u64 = 1 << 20;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantFile {
    grants: Vec<Written>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    argv: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
}

impl Workspace {
    /// What the user has allowed for a conversation. A file that does not read allows nothing.
    pub fn grants(&self, id: ConversationId) -> BTreeSet<Grant> {
        let text = self.grant_path(id).ok().and_then(|path| read(&path).ok().flatten());
        let file = text.and_then(|text| serde_json::from_str::<GrantFile>(&text).ok());
        let grant = |Written { tool, argv, cwd }: Written| {
            let tool = ToolName::new(tool);
            Grant { tool, argv, cwd }
        };
        file.unwrap_or_default().grants.into_iter().map(grant).collect()
    }

    /// Remembers what the user has allowed for a conversation.
    pub fn grant(&self, id: ConversationId, grant: &Grant) -> Result<(), WorkspaceError> {
        let path = self.grant_path(id)?;
        let mut grants = self.grants(id);
        if !grants.insert(grant.clone()) {
            return Ok(());
        }
        let written = |Grant { tool, argv, cwd }: Grant| {
            let tool = tool.to_string();
            Written { tool, argv, cwd }
        };
        let file = GrantFile { grants: grants.into_iter().map(written).collect() };
        let mut text = serde_json::to_string_pretty(&file).expect("texts are JSON");
        text.push('\n');
        if let Some(directory) = path.parent() {
            fsutil::create_dir_private(directory)?;
        }
        Ok(fsutil::write_private(&path, text.as_bytes())?)
    }

    fn grant_path(&self, id: ConversationId) -> Result<PathBuf, WorkspaceError> {
        Ok(self.state_dir()?.join("grants").join(format!("{id}.json")))
    }
}

fn read(path: &std::path::Path) -> Result<Option<String>, fsutil::FsError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).at("read", path)?;
    Ok(Some(text))
}
