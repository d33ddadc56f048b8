//! The tools of a query, by name.

use std::{collections::BTreeMap, fmt, sync::Arc};

use super::{DeclarationError, Terms, Tool};
use crate::{model::ToolName, provider::ToolSpec};

/// The longest name that every model takes.
const LONGEST_NAME: usize = 64;

/// The tools that a model may call, by name and in its order, each with the terms of its use.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    tools: BTreeMap<ToolName, Listed>,
}

/// A tool in a catalog.
#[derive(Clone)]
pub struct Listed {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// On what terms it is used.
    pub terms: Terms,
    /// Where it comes from.
    pub source: Source,
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is a part of jp.
    BuiltIn,
    /// It is a command in the configuration.
    Command,
    /// An MCP server of this name has it.
    Mcp(String),
}

impl fmt::Debug for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listed")
            .field("tool", &self.tool.spec().name)
            .field("terms", &self.terms)
            .field("source", &self.source)
            .finish()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::Command => f.write_str("command"),
            Self::Mcp(server) => write!(f, "mcp {server}"),
        }
    }
}

impl Listed {
    /// Whether running it twice is the same as running it once.
    pub fn is_idempotent(&self) -> bool {
        self.terms.idempotent.unwrap_or_else(|| self.tool.is_idempotent())
    }
}

impl Catalog {
    /// A catalog of these tools, or everything that is wrong with their names.
    pub fn new(tools: impl IntoIterator<Item = Listed>) -> Result<Self, Vec<DeclarationError>> {
        let mut catalog = Self::default();
        let mut wrong = Vec::new();
        for listed in tools {
            let name = listed.tool.spec().name.clone();
            if let Err(error) = check_name(name.as_str()) {
                wrong.push(error);
            } else if catalog.tools.insert(name.clone(), listed).is_some() {
                wrong.push(DeclarationError::Twice(name.as_str().to_owned()));
            }
        }
        if wrong.is_empty() { Ok(catalog) } else { Err(wrong) }
    }

    /// The tool of a name.
    pub fn find(&self, name: &ToolName) -> Option<&Listed> {
        self.tools.get(name)
    }

    /// All tools, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Listed> {
        self.tools.values()
    }

    /// How a model sees the tools, in the order of their names.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.values().map(|listed| listed.tool.spec().clone()).collect()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The result of a call of a tool that does not exist, for the model.
    pub fn unknown(&self, name: &ToolName) -> String {
        let names: Vec<_> = self.tools.keys().map(|name| format!("`{name}`")).collect();
        if names.is_empty() {
            return format!("There is no tool named `{name}`, nor any other.");
        }
        format!("There is no tool named `{name}`; the tools are: {}.", names.join(", "))
    }
}

/// Whether every model takes this name.
pub fn check_name(name: &str) -> Result<(), DeclarationError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fits) {
        return Err(DeclarationError::Name(name.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tool::{Host, Invocation, Outcome};

    struct Nothing(ToolSpec);

    impl Tool for Nothing {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn is_idempotent(&self) -> bool {
            true
        }

        fn check(&self, _arguments: &Value) -> Result<(), String> {
            Ok(())
        }

        fn run(&self, _invocation: &Invocation, _host: &Host<'_>) -> Outcome {
            Outcome::success("")
        }
    }

    fn tool(name: &str) -> Listed {
        let name = ToolName::new(name);
        let spec = ToolSpec { name, description: String::new(), parameters: json!({}) };
        let tool = Arc::new(Nothing(spec));
        Listed { tool, terms: Terms::default(), source: Source::Command }
    }

    #[test]
    fn tools_are_found_by_name_and_listed_in_order() {
        let catalog = Catalog::new([tool("b"), tool("a"), tool("B")]).unwrap();
        let names: Vec<_> = catalog.specs().into_iter().map(|spec| spec.name).collect();
        assert_eq!(names, ["B", "a", "b"].map(ToolName::new));
        assert!(catalog.find(&ToolName::new("a")).is_some());
        assert!(catalog.find(&ToolName::new("A")).is_none());
        assert_eq!(
            catalog.unknown(&ToolName::new("c")),
            "There is no tool named `c`; the tools are: `B`, `a`, `b`."
        );
        let none = Catalog::default().unknown(&ToolName::new("c"));
        assert_eq!(none, "There is no tool named `c`, nor any other.");
    }

    #[test]
    fn every_wrong_name_is_told_with_the_rule() {
        let long = "x".repeat(65);
        let wrong = Catalog::new([tool("a"), tool("a b"), tool(""), tool(&long), tool("a")]);
        let wrong = wrong.err().unwrap();
        let expected = [
            DeclarationError::Name("a b".to_owned()),
            DeclarationError::Name(String::new()),
            DeclarationError::Name(long),
            DeclarationError::Twice("a".to_owned()),
        ];
        assert_eq!(wrong, expected);
        assert_eq!(
            wrong[0].to_string(),
            "a tool cannot be called `a b`: \
             models take names of 1 to 64 letters, digits, `_` and `-`"
        );
        assert_eq!(check_name(&"x".repeat(64)), Ok(()));
        assert!(check_name("größe").is_err());
    }
}
