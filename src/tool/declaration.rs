//! What can be wrong with the declaration of a tool.

/// What is wrong with the declaration of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    /// Models do not take such a name.
    #[error(
        "a tool cannot be called `{0}`: models take names of 1 to 64 letters, digits, `_` and `-`"
    )]
    Name(String),
    /// Two tools have the same name.
    #[error("there are two tools called `{0}`")]
    Twice(String),
    /// There is nothing to run.
    #[error("the tool `{0}` has no command")]
    NoCommand(String),
    /// A command for the shell is one text.
    #[error(
        "the tool `{tool}` runs in a shell and its command has {parts} parts: a shell takes one"
    )]
    ShellParts {
        /// The tool.
        tool: String,
        /// How many parts there are.
        parts: usize,
    },
    /// Part of the command cannot be handed to a program.
    #[error("the command of the tool `{0}` holds a NUL character")]
    Nul(String),
    /// The parameters describe something else than an object.
    #[error(
        "the parameters of the tool `{0}` are not those of an object: \
         a JSON Schema with `type = \"object\"` is needed"
    )]
    NoObject(String),
    /// The parameters are not a JSON Schema.
    #[error("the parameters of the tool `{tool}` are not a valid JSON Schema: {problem}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with them, and where.
        problem: String,
    },
    /// A variable cannot be handed to a tool.
    #[error("the tool `{tool}` cannot have the variable `{variable}`: it holds a provider's key")]
    Key {
        /// The tool.
        tool: String,
        /// The variable.
        variable: String,
    },
    /// A variable that no system has.
    #[error(
        "the tool `{tool}` names the variable `{variable}`: \
         a name, or the beginning of one and a `*`, is needed"
    )]
    Variable {
        /// The tool.
        tool: String,
        /// What stands in place of its name.
        variable: String,
    },
    /// A time or a size of nothing.
    #[error("the tool `{tool}` has a `{setting}` of 0")]
    Zero {
        /// The tool.
        tool: String,
        /// The setting.
        setting: &'static str,
    },
}
