//! `[mcp.NAME]`: servers of the Model Context Protocol.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BaseUrl, ByteCount, Permission, Timeout, VariableName};

/// `[mcp.NAME]`: a server whose tools a model may call. Without `command` and `url` it changes the
/// server of this name in `.mcp.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    /// The program that is the server, and its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The address where the server is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<BaseUrl>,
    /// The variables that the program sees beside the usual ones: names, or beginnings of names
    /// and a `*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<String>,
    /// The environment variable with the key for the address, which is sent as a bearer token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer_env: Option<VariableName>,
    /// Headers for the address, each with the environment variable that holds its value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers_env: BTreeMap<String, VariableName>,
    /// The tools that count, by the names that the server gives them; without it, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The tools that may be called again without harm, by the names that the server gives them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub idempotent: Vec<String>,
    /// Whether its tools may run.
    pub permission: Permission,
    /// How long it may take until it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_timeout: Option<Timeout>,
    /// How long a call may take, without the time that the user is asked something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Timeout>,
    /// How much of a result the model gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<ByteCount>,
    /// Whether it is started.
    pub enable: bool,
}

impl Default for Mcp {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            url: None,
            environment: Vec::new(),
            bearer_env: None,
            headers_env: BTreeMap::new(),
            tools: None,
            idempotent: Vec::new(),
            permission: Permission::Ask,
            startup_timeout: None,
            timeout: None,
            output_limit: None,
            enable: true,
        }
    }
}
