//! What is settled before a turn begins.

use std::{collections::BTreeSet, fmt, sync::Arc};

use serde_json::Value;

use crate::{
    model::{Grant, ModelName, ToolName},
    projection::Takes,
    provider::{Sampling, ToolSpec},
    tool::{Audience, Catalog, Terms, Unattended},
};

/// What is settled before a turn begins.
#[derive(Clone)]
pub struct Setup {
    /// The model.
    pub model: ModelName,
    /// What it is told before anything else.
    pub system_prompt: Option<String>,
    /// How it should go about it.
    pub sampling: Sampling,
    /// The tools that it may call.
    pub tools: Catalog,
    /// What it is told of them, if that is something else than they say of themselves now.
    pub told_tools: Option<Vec<ToolSpec>>,
    /// The data that is wanted instead of a text.
    pub schema: Option<Schema>,
    /// What the model takes beside text.
    pub takes: Takes,
    /// Who there is to be asked.
    pub audience: Audience,
    /// What happens to the prompts of all tools when nobody can be asked.
    pub unattended: Unattended,
    /// What the user has allowed for the whole conversation before.
    pub granted: BTreeSet<Grant>,
    /// Whether what happens is kept; if not, only tools that may run twice are run.
    pub persists: bool,
    /// How often the model is asked again when it does not answer.
    pub retries: u32,
    /// How many answers may call for tools before the user is asked to go on; `None` for any.
    pub rounds: Option<u32>,
}

impl Setup {
    /// How the model sees the tools.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.told_tools.clone().unwrap_or_else(|| self.tools.specs())
    }

    /// On what terms a tool is used; for one that is not there any more, on the usual ones.
    pub fn terms(&self, tool: &ToolName) -> Terms {
        self.tools.find(tool).map(|listed| listed.terms.clone()).unwrap_or_default()
    }
}

/// A JSON Schema, and the check against it.
#[derive(Clone)]
pub struct Schema {
    /// The schema.
    pub value: Value,
    /// Says what is wrong with data, if anything.
    pub check: Arc<Check>,
}

/// Says what is wrong with data, if anything.
pub type Check = dyn Fn(&Value) -> Result<(), String> + Send + Sync;

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.value).finish()
    }
}
