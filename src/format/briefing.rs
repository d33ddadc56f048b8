//! The files that say what a model was told before the last turn, beside the conversation itself.

use super::Flaw;

/// A file that says what a model was told before the last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BriefingFile {
    /// What it was told before anything else.
    SystemPrompt,
    /// The tools that it could call, as JSON.
    Tools,
    /// The JSON Schema of the data that it was to answer with.
    AnswerSchema,
}

impl BriefingFile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SystemPrompt, Self::Tools, Self::AnswerSchema];

    /// Its name, in the directory for what is not an event.
    pub fn name(self) -> &'static str {
        match self {
            Self::SystemPrompt => "system-prompt.md",
            Self::Tools => "tools.json",
            Self::AnswerSchema => "answer-schema.json",
        }
    }

    /// The file of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    /// What is wrong with its content.
    pub fn check(self, bytes: &[u8]) -> Result<(), Vec<Flaw>> {
        let wrong = match self {
            Self::SystemPrompt => {
                std::str::from_utf8(bytes).err().map(|_| "it is not UTF-8".to_owned())
            }
            Self::Tools | Self::AnswerSchema => {
                serde_json::from_slice::<serde::de::IgnoredAny>(bytes)
                    .err()
                    .map(|error| format!("it is not JSON: {error}"))
            }
        };
        wrong.map_or(Ok(()), |wrong| Err(vec![Flaw::new(wrong)]))
    }
}
