//! The services and servers that jp knows by name: where they are and which variables they use.

use super::{
    names::IdRule,
    openai::{Dialect, Thinking},
};
use crate::projection::Takes;

/// The wire formats that jp speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions.
    OpenAi,
    /// Ollama's own.
    Ollama,
}

impl Api {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => super::anthropic::API,
            Self::OpenAi => super::openai::API,
            Self::Ollama => super::ollama::API,
        }
    }

    /// Finds it by its name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Anthropic, Self::OpenAi, Self::Ollama].into_iter().find(|api| api.name() == name)
    }
}

/// A service or server that jp knows by name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name that comes before the slash in the name of a model.
    pub name: &'static str,
    /// What it speaks.
    pub api: Api,
    /// Where it is.
    pub base_url: &'static str,
    /// The variables that may hold its key; the first that is set counts.
    pub key_vars: &'static [&'static str],
    /// The variable that may hold another address.
    pub base_var: Option<&'static str>,
    /// It runs on this machine and needs no key.
    pub local: bool,
    pub(super) dialect: Dialect,
}

/// All services and servers that jp knows by name.
pub const PRESETS: [Preset; 12] = [
    Preset {
        base_var: Some("ANTHROPIC_BASE_URL"),
        ..service("anthropic", Api::Anthropic, "https://api.anthropic.com", &["ANTHROPIC_API_KEY"])
    },
    Preset {
        base_var: Some("OPENAI_BASE_URL"),
        dialect: Dialect { limit: "max_completion_tokens", takes: ALL, ..Dialect::COMMON },
        ..service("openai", Api::OpenAi, "https://api.openai.com/v1", &["OPENAI_API_KEY"])
    },
    Preset {
        base_var: Some("OPENROUTER_BASE_URL"),
        dialect: Dialect { thinking: Thinking::Reasoning, takes: ALL, ..Dialect::COMMON },
        ..service(
            "openrouter",
            Api::OpenAi,
            "https://openrouter.ai/api/v1",
            &["OPENROUTER_API_KEY"],
        )
    },
    Preset {
        base_var: Some("GROQ_BASE_URL"),
        dialect: Dialect { limit: "max_completion_tokens", ..Dialect::COMMON },
        ..service("groq", Api::OpenAi, "https://api.groq.com/openai/v1", &["GROQ_API_KEY"])
    },
    Preset {
        base_var: Some("DEEPSEEK_BASE_URL"),
        dialect: Dialect {
            thinking: Thinking::Switch,
            schemas: false,
            wants_thoughts: true,
            takes: Takes { images: false, pdf: false },
            ..Dialect::COMMON
        },
        ..service("deepseek", Api::OpenAi, "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"])
    },
    Preset {
        base_var: Some("MISTRAL_BASE_URL"),
        dialect: Dialect {
            asks_for_usage: false,
            ids: IdRule::Nine,
            answers_tools: true,
            ..Dialect::COMMON
        },
        ..service("mistral", Api::OpenAi, "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
    },
    Preset {
        base_var: Some("XAI_BASE_URL"),
        ..service("xai", Api::OpenAi, "https://api.x.ai/v1", &["XAI_API_KEY"])
    },
    Preset {
        base_var: Some("GEMINI_BASE_URL"),
        ..service("gemini", Api::OpenAi, GEMINI, &["GEMINI_API_KEY", "GOOGLE_API_KEY"])
    },
    Preset {
        base_var: Some("LLAMACPP_BASE_URL"),
        dialect: Dialect { thinking: Thinking::Template, wants_thoughts: true, ..Dialect::COMMON },
        ..server("llamacpp", Api::OpenAi, "http://127.0.0.1:8080/v1", &["LLAMA_API_KEY"])
    },
    Preset {
        base_var: Some("LMSTUDIO_BASE_URL"),
        ..server("lmstudio", Api::OpenAi, "http://127.0.0.1:1234/v1", &["LMSTUDIO_API_KEY"])
    },
    Preset {
        base_var: Some("VLLM_BASE_URL"),
        dialect: Dialect { thinking: Thinking::Template, ..Dialect::COMMON },
        ..server("vllm", Api::OpenAi, "http://127.0.0.1:8000/v1", &["VLLM_API_KEY"])
    },
    Preset {
        base_var: Some("OLLAMA_HOST"),
        ..server("ollama", Api::Ollama, "http://127.0.0.1:11434", &["OLLAMA_API_KEY"])
    },
];

const ALL: Takes = Takes { images: true, pdf: true };

const GEMINI: &str = "https://generativelanguage.googleapis.com/v1beta/openai";

impl Preset {
    /// Finds one by its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

const fn service(
    name: &'static str,
    api: Api,
    base_url: &'static str,
    key_vars: &'static [&'static str],
) -> Preset {
    Preset { name, api, base_url, key_vars, base_var: None, local: false, dialect: Dialect::COMMON }
}

const fn server(
    name: &'static str,
    api: Api,
    base_url: &'static str,
    key_vars: &'static [&'static str],
) -> Preset {
    Preset { local: true, ..service(name, api, base_url, key_vars) }
}
