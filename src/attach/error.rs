//! Why something cannot be put beside a request.

use super::limits;
use crate::{fsutil::FsError, model::counted, provider::ProviderError};

/// Why something cannot be put beside a request.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// There is nothing of that name.
    #[error("there is no file or directory `{0}`")]
    Missing(String),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FsError),
    /// Standard input cannot be read.
    #[error("cannot read standard input: {0}")]
    Stdin(std::io::Error),
    /// The address cannot be fetched.
    #[error(transparent)]
    Unfetched(#[from] ProviderError),
    /// It is none of what is accepted.
    #[error(
        "`{0}` is neither text in UTF-8, nor an image (PNG, JPEG, GIF or WebP), nor a PDF document"
    )]
    Unknown(String),
    /// It is too large.
    #[error("`{0}` is larger than {limit} MiB, the most of one attachment", limit = limits::LARGEST >> 20)]
    TooLarge(String),
    /// All of them together are too large.
    #[error(
        "the attachments have {size:.1} MiB together, and a request takes at most {limit} MiB",
        size = *.0 as f64 / f64::from(1 << 20), limit = limits::TOTAL >> 20
    )]
    TooMuch(u64),
    /// The pattern makes no sense.
    #[error("`{pattern}` is not a pattern: {problem}")]
    Pattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The pattern matches nothing.
    #[error("no file matches `{0}`; files that git ignores do not count")]
    NoMatch(String),
    /// The directory holds nothing.
    #[error("there is nothing to attach in `{0}`; files that git ignores do not count")]
    Empty(String),
    /// There are too many files.
    #[error(
        "`{name}` stands for {more}{files}, and at most {limit} are attached at once",
        more = if *.count >= limits::COUNTED { "more than " } else { "" },
        files = counted(*.count as u64, "file"), limit = limits::FILES
    )]
    TooMany {
        /// The directory or the pattern.
        name: String,
        /// How many files it stands for.
        count: usize,
    },
    /// The files are too large together.
    #[error(
        "`{name}` stands for {files} of {size:.1} MiB together, and at most {limit} MiB are \
         attached at once",
        files = counted(*.count as u64, "file"), size = *.bytes as f64 / f64::from(1 << 20),
        limit = limits::MANY >> 20
    )]
    TooManyBytes {
        /// The directory or the pattern.
        name: String,
        /// How many files it stands for.
        count: usize,
        /// How many bytes they have.
        bytes: u64,
    },
    /// The model does not take it.
    #[error("`{source_name}` is {kind}, and `{model}` takes none")]
    NotTaken {
        /// What was given.
        source_name: String,
        /// What it is.
        kind: &'static str,
        /// The model.
        model: String,
    },
}
