//! Every setting with its type and its default. The doc comments are the descriptions in the
//! schema.

use std::{collections::BTreeMap, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    BaseUrl, Mcp, ModelChoice, Timeout, Tool, Unattended, VariableName, texts::Temperature,
};

/// The configuration of jp.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The conversation repository.
    pub store: Store,
    /// Who answers, and how.
    pub assistant: Assistant,
    /// Where models are reached, by the name that stands before the `/` of a model. A name that jp
    /// knows already is changed by what is given here.
    pub providers: BTreeMap<String, Provider>,
    /// Tools that a model may call, by the name that it calls them by: commands, and settings for
    /// tools from elsewhere.
    pub tools: BTreeMap<String, Tool>,
    /// What a model sees less of.
    pub compaction: Compaction,
    /// What happens to a prompt of any tool when nobody can be asked.
    pub unattended: Unattended,
    /// Queries that go on without anybody.
    pub detached: Detached,
    /// Servers of the Model Context Protocol, whose tools a model may call, by name.
    pub mcp: BTreeMap<String, Mcp>,
    /// The titles of conversations.
    pub title: Title,
    /// What is shown while a model answers.
    pub ui: Ui,
}

/// `[store]`: the conversation repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// Where it is, instead of beside the project: an absolute path; `~/` is the home directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// `[detached]`: queries that go on without anybody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Detached {
    /// How long a query waits for somebody who answers its question; then it saves what it has and
    /// ends. Without it, ten minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience: Option<Timeout>,
    /// The program, with its arguments, that lets you know when a query is over or waits, and nobody
    /// is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<String>,
}

/// `[assistant]`: who answers, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Assistant {
    /// The model that answers.
    pub model: ModelChoice,
    /// What the model is told before everything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// How many tokens an answer may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub max_tokens: Option<u32>,
    /// How many tokens the model takes, question and answer together; without it, as is known of the
    /// model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How much the answers vary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// How much the model thinks before it answers; without it, as the provider does by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Effort>,
    /// Whether the model is told of tools; without it, it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// How many times the model may call for tools in one query; 0 is without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub max_rounds: Option<u32>,
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// `[providers.NAME]`: where models are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// What is spoken there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<Api>,
    /// The address that paths are added to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<BaseUrl>,
    /// The environment variable that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<VariableName>,
    /// The environment variable that, if it is set, goes before `base_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url_env: Option<VariableName>,
    /// The file that plays the model; for `api = "script"` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How long nothing may come before the connection is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Timeout>,
    /// Whether its models take images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether its models take PDF documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf: Option<bool>,
    /// How many times a request is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maximum" = u32::MAX))]
    pub retries: Option<u32>,
}

/// What is spoken with a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which many others speak too.
    Openai,
    /// Ollama's own.
    Ollama,
    /// Nothing: a file plays the model.
    Script,
}

/// `[compaction]`: what a model sees less of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compaction {
    /// The model that writes summaries; without it, the one that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
}

/// `[title]`: the titles of conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Title {
    /// Whether a model makes a better title than the first line.
    pub generate: bool,
    /// The model that makes it; without it, the one that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
}

/// `[ui]`: what is shown while a model answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ui {
    /// Whether what the model thinks is shown.
    pub reasoning: Visibility,
    /// Whether the number of tokens is told after each answer.
    pub usage: bool,
    /// Whether the title of the terminal names the conversation.
    pub terminal_title: bool,
}

impl Default for Ui {
    fn default() -> Self {
        Self { reasoning: Visibility::Show, usage: true, terminal_title: true }
    }
}

/// Whether something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// It is.
    Show,
    /// It is not.
    Hide,
}
