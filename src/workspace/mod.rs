//! Open a conversation: find the workspace, hold a handle to read, hold a guard to write.

mod append;
mod begin;
mod brief;
mod check;
mod config_files;
mod error;
mod export;
mod finding;
mod grants;
mod guard;
mod hold;
mod home;
mod identity;
mod import;
mod load;
mod locate;
mod open;
mod overview;
mod place;
mod retract;
mod revise;
mod scribe;
mod seal;
mod select;
mod session;
mod shelf;
mod tail;
mod tidy;
mod trust;
mod version;

pub use append::{Appended, prepare};
pub use brief::{Brief, Questions};
pub use check::Checkup;
pub use config_files::ConfigFiles;
pub use error::{LoadError, SelectError, WorkspaceError, WriteFailure};
pub use export::{ExportError, Exported};
pub use finding::Finding;
pub use guard::{Guard, Handle};
pub use hold::{Hold, Meanwhile, Waited, Waiting};
pub use import::{ImportError, Imported, Incoming};
pub use load::Conversation;
pub use locate::Location;
pub use open::{Initialised, Workspace};
pub use overview::{Overview, Row};
pub use retract::Retracted;
pub use revise::Revision;
pub use scribe::Operation;
pub use select::Selector;
pub use session::{
    Activation, Mapping, Recalled, Session, SessionConversation, SessionError, Source,
};
pub use shelf::{Trash, Trashed};
pub use tail::Tail;
pub use tidy::Cleared;
pub use trust::{Change, Line, Pin, Pins, Standing, Trust, WorkspaceFile, WorkspaceFiles};
