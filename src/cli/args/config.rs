//! `jp config`, and the settings that any command line may have.

use clap::{Args, Subcommand};

use super::FormatArg;
use crate::{
    cli::complete::Candidates,
    config::{Key, Layers, Override, Scope},
};

/// Settings for one run.
#[derive(Clone, Debug, Default, Args)]
pub struct ConfigArgs {
    /// Set a key for this run, such as `assistant.max_tokens=1000`; the value is TOML, or else a
    /// text; can be given again
    #[arg(short = 'c', long = "cfg", value_name = "KEY=VALUE", add = Candidates::Overrides)]
    pub overrides: Vec<Override>,
}

impl ConfigArgs {
    /// Adds them to the layers below.
    pub fn add_to(&self, layers: Layers) -> Layers {
        self.overrides.iter().fold(layers, Layers::argument)
    }
}

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Show the settings that are in force here, as TOML
    Show(ShowConfig),
    /// Set a key in a configuration file
    ///
    /// Remarks and everything else in the file stay as they are. What is wrong is not written.
    Set(SetConfig),
    /// Print the JSON Schema of a configuration file
    Schema,
}

#[derive(Debug, Args)]
pub struct ShowConfig {
    /// Only this key or table, such as `assistant.model` [default: all]
    #[arg(add = Candidates::Keys)]
    pub key: Option<Key>,
    /// With the file and line, the variable or the option that each comes from
    #[arg(long)]
    pub origin: bool,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct SetConfig {
    #[command(flatten)]
    pub target: ScopeArg,
    /// The key, such as `assistant.model`
    #[arg(add = Candidates::Keys)]
    pub key: Key,
    /// The value: TOML, or else a text
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct ScopeArg {
    /// In your own configuration, which counts everywhere; this is the default
    #[arg(long)]
    user: bool,
    /// In `.jp/config.toml` of the workspace, for everybody who works in it
    #[arg(long)]
    workspace: bool,
    /// In `.jp/config.local.toml` of the workspace, for you alone
    #[arg(long)]
    local: bool,
}

impl ScopeArg {
    /// The file that is meant.
    pub fn scope(&self) -> Scope {
        match (self.workspace, self.local) {
            (true, _) => Scope::Workspace,
            (_, true) => Scope::Local,
            _ => Scope::User,
        }
    }
}
