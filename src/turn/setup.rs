//! What is settled before a turn begins.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::{
    model::ModelName,
    provider::Sampling,
    tool::{Audience, Catalog, Unattended},
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
    /// The data that is wanted instead of a text.
    pub schema: Option<Schema>,
    /// Who there is to be asked.
    pub audience: Audience,
    /// What happens to the prompts of all tools when nobody can be asked.
    pub unattended: Unattended,
    /// Whether what happens is kept; if not, only tools that may run twice are run.
    pub persists: bool,
    /// How often the model is asked again when it does not answer.
    pub retries: u32,
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
