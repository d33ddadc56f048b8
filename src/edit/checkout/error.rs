//! Why a checkout cannot be used.

use std::path::PathBuf;

use crate::{
    fsutil::FsError,
    model::ConversationId,
    store::Problem,
    workspace::{ExportError, LoadError, WorkspaceError, WriteFailure},
};

/// Why a checkout cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CheckoutError {
    #[error("`{}` is not a checkout of a conversation", .0.display())]
    NotACheckout(PathBuf),
    #[error("the record in `{}` is damaged: it cannot be told what has changed there", .0.display())]
    Record(PathBuf),
    #[error("`{}` is a work tree of git, and git commits it", .0.display())]
    GitWorkTree(PathBuf),
    #[error("the workspace of the conversation in `{}` is not here", .0.display())]
    NoWorkspace(PathBuf),
    #[error("conversation {id} has to be mended before it can be edited: {problem}")]
    Damaged { id: ConversationId, problem: Box<Problem> },
    #[error("cannot get random bytes: {0}")]
    Random(std::io::Error),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Write(#[from] WriteFailure),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Fs(#[from] FsError),
}
