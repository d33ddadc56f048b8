//! What is said when a tool may not run.

use crate::model::ToolName;

/// Why a tool was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The configuration says that it never runs.
    Denied,
    /// The user has to be asked, and there is no terminal.
    NobodyToAsk,
    /// It could not be found out what the call is about.
    NotUnderstood,
    /// The user said no, and may have said why.
    Declined(Option<String>),
}

impl Refusal {
    /// The result of a call that was refused, for the model and whoever reads along.
    pub fn message(&self, tool: &ToolName) -> String {
        match self {
            Self::Denied => format!(
                "The tool `{tool}` was not run: the user's configuration denies it \
                 (`permission = \"deny\"` in `[tools.{tool}]`). Do not call it again."
            ),
            Self::NobodyToAsk => format!(
                "The tool `{tool}` was not run: it needs the user's permission, and there is no \
                 terminal to ask on. Go on without it, or tell the user how to allow it: by \
                 running the query in a terminal, or with `permission = \"allow\"` in \
                 `[tools.{tool}]` of the user's own configuration."
            ),
            Self::NotUnderstood => format!(
                "The tool `{tool}` was not run: jp failed to find out what the call is about. \
                 This is a defect in jp."
            ),
            Self::Declined(None) => {
                format!("The tool `{tool}` was not run: the user said no.")
            }
            Self::Declined(Some(reason)) => {
                format!("The tool `{tool}` was not run: the user said no. The reason: {reason}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_tool_and_the_remedy() {
        let tool = ToolName::new("deploy");
        let refused = Refusal::NobodyToAsk.message(&tool);
        assert!(refused.starts_with("The tool `deploy` was not run: "), "{refused}");
        assert!(refused.contains("`permission = \"allow\"` in `[tools.deploy]`"), "{refused}");
        assert_eq!(
            Refusal::Declined(Some("not on a Friday".to_owned())).message(&tool),
            "The tool `deploy` was not run: the user said no. The reason: not on a Friday"
        );
    }
}
