//! `jp trust`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::FormatArg;

#[derive(Debug, Args)]
pub struct Trust {
    /// Show what would take effect, with its hash, and do not ask
    #[arg(long, group = "instead")]
    pub show: bool,
    /// Trust without asking, if `--show` prints this hash
    #[arg(long, value_name = "HASH", group = "instead")]
    pub accept: Option<String>,
    /// List the workspaces that you trust
    #[arg(long, group = "instead")]
    pub list: bool,
    /// Trust a workspace no longer [default: the one here]
    #[arg(long, value_name = "PATH", num_args = 0..=1, group = "instead", value_hint = ValueHint::DirPath)]
    pub revoke: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub format: FormatArg,
}
