//! Whether a tool may run, and what is said when it may not.

use super::Permission;
use crate::model::ToolName;

/// What to do about a call before its tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run the tool.
    Run,
    /// Ask the user first.
    Ask,
    /// Do not run it.
    Refuse(Refusal),
}

/// Why a tool was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The configuration says that it never runs.
    Denied,
    /// The user has to be asked, and there is no terminal.
    NobodyToAsk,
    /// The user said no, and may have said why.
    Declined(Option<String>),
}

/// Decides about a call.
///
/// `interactive` means that somebody can be asked, `allowed` that the user has said yes to this
/// tool for the whole query. What is denied stays denied.
pub fn decide(permission: Permission, interactive: bool, allowed: bool) -> Decision {
    match permission {
        Permission::Deny => Decision::Refuse(Refusal::Denied),
        Permission::Allow => Decision::Run,
        Permission::Ask if allowed => Decision::Run,
        Permission::Ask if interactive => Decision::Ask,
        Permission::Ask => Decision::Refuse(Refusal::NobodyToAsk),
    }
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
    fn only_what_is_allowed_or_said_yes_to_runs_unasked() {
        let table = [
            (Permission::Allow, false, false, Decision::Run),
            (Permission::Allow, true, true, Decision::Run),
            (Permission::Ask, true, false, Decision::Ask),
            (Permission::Ask, true, true, Decision::Run),
            (Permission::Ask, false, true, Decision::Run),
            (Permission::Ask, false, false, Decision::Refuse(Refusal::NobodyToAsk)),
            (Permission::Deny, true, true, Decision::Refuse(Refusal::Denied)),
            (Permission::Deny, false, false, Decision::Refuse(Refusal::Denied)),
        ];
        for (permission, interactive, allowed, expected) in table {
            assert_eq!(decide(permission, interactive, allowed), expected, "{permission:?}");
        }
        assert_eq!(Permission::default(), Permission::Ask);
    }

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
