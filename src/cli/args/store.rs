//! `jp store`

use clap::Subcommand;

use super::FormatArg;

#[derive(Debug, Subcommand)]
pub enum Store {
    /// Print where the repository is
    Path,
    /// Tell how large it is
    Stats {
        #[command(flatten)]
        format: FormatArg,
    },
    /// Pack it as small as it gets
    Pack {
        #[command(flatten)]
        format: FormatArg,
    },
    /// Delete conversations in the trash for good
    ///
    /// Nothing else ever deletes anything. What would go is shown first, and you are asked.
    EmptyTrash {
        /// Those that have been in the trash for longer than this, such as `30d` or `2 weeks`
        #[arg(long, value_name = "AGE")]
        older_than: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Show what would go, and nothing else
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Check every object in it
    Fsck {
        #[command(flatten)]
        format: FormatArg,
    },
}
