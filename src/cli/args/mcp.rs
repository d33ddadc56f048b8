//! `jp mcp` and `jp tools`

use clap::{Args, Subcommand};

use super::{ConfigArgs, FormatArg};

/// What is done about MCP servers.
#[derive(Debug, Subcommand)]
pub enum Mcp {
    /// Start the servers, and list them with their state and where they are declared
    ///
    /// Servers come from `[mcp.NAME]` in the configuration, and from `.mcp.json` of a workspace
    /// that you trust. They end with the command.
    Ls(McpLs),
}

/// What `jp mcp ls` is asked to do.
#[derive(Debug, Args)]
pub struct McpLs {
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}

/// What is done about tools.
#[derive(Debug, Subcommand)]
pub enum Tools {
    /// List the tools that a model may call, with where each comes from and whether it may run
    Ls(ToolsLs),
    /// Run a tool by hand, and print its result
    ///
    /// It is asked for as in a query: at the terminal, unless the configuration allows or denies
    /// it; without a terminal it is refused unless it is allowed. The exit code is 1 if the result
    /// is an error.
    Run(ToolsRun),
}

/// What `jp tools ls` is asked to do.
#[derive(Debug, Args)]
pub struct ToolsLs {
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}

/// What `jp tools run` is asked to do.
#[derive(Debug, Args)]
pub struct ToolsRun {
    /// The name of the tool
    pub name: String,
    /// Its arguments, a JSON object [default: {}]
    #[arg(value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub arguments: String,
    /// Ask nothing at the terminal: a tool that needs permission is refused
    #[arg(long)]
    pub non_interactive: bool,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}
