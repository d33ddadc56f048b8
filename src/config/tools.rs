//! What can be settled about a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{ByteCount, PathPattern, Timeout, print::to_json};

/// `[tools.NAME]`: a command that a model may call, or settings for a tool from elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// The program and its arguments; with `shell` one string.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Whether a shell reads the command.
    pub shell: bool,
    /// What it does, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(deserialize_with = "json_object", skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Whether it may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Whether it may run when it is called in a certain way; the first rule that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("title" = "an array of tables with `argv` or `path`, and `permission`"))]
    pub rules: Vec<Rule>,
    /// What becomes of its results.
    pub deliver: Delivery,
    /// Whether only you may answer what it asks; without it, as the question says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive: Option<bool>,
    /// What happens to its prompts when nobody can be asked.
    #[serde(skip_serializing_if = "Unattended::is_empty")]
    pub unattended: Unattended,
    /// How long it may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
    /// How much of its output the model gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<ByteCount>,
    /// Whether running it again does no harm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The variables that it sees beside the usual ones: names, or beginnings of names and a `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// Whether the model is told of it.
    pub enable: bool,
}

impl Default for Tool {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            shell: false,
            description: None,
            parameters: Map::new(),
            permission: None,
            rules: Vec::new(),
            deliver: Delivery::Deliver,
            exclusive: None,
            unattended: Unattended::default(),
            timeout: None,
            output_limit: None,
            idempotent: None,
            environment: Vec::new(),
            enable: true,
        }
    }
}

/// Whether a tool may run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// If the user says so each time.
    #[default]
    Ask,
    /// Always.
    Allow,
    /// If the user says so each time, after looking over the arguments in an editor.
    Edit,
    /// Never.
    Deny,
}

/// Whether a tool may run when it is called in a certain way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The exact words of the program that it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argv: Option<Vec<String>>,
    /// A pattern of the paths that it would touch, from the root of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathPattern>,
    /// Whether it may run then.
    pub permission: Permission,
}

/// What becomes of the results of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Delivery {
    /// The model gets them.
    #[default]
    Deliver,
    /// The model gets them if the user says so.
    Ask,
    /// The model gets what the user makes of them in an editor.
    Edit,
    /// The model does not get them.
    Skip,
}

/// `unattended`: what happens to prompts when nobody can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Unattended {
    /// Whether a tool may run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Policy>,
    /// Whether the model gets a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<Policy>,
    /// What a tool asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Policy>,
    /// Every prompt that has no policy of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<Policy>,
}

impl Unattended {
    /// Whether nothing is settled.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What happens to a prompt when nobody can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// It is approved, and the model answers what a tool asks.
    Auto,
    /// It gets the answer that counts when none is given.
    Defaults,
    /// It fails.
    Deny,
    /// It waits until somebody answers, and so does the turn.
    Queue,
}

/// A table of TOML as JSON: a date is a text in it.
fn json_object<'de, D: Deserializer<'de>>(input: D) -> Result<Map<String, Value>, D::Error> {
    let table = toml::Table::deserialize(input)?;
    Ok(table.iter().map(|(key, value)| (key.clone(), to_json(value))).collect())
}
