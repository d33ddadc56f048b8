//! Open a conversation: find the workspace, hold a handle to read, hold a guard to write.

mod append;
mod check;
mod error;
mod guard;
mod load;
mod locate;
mod overview;

pub use append::{Appended, Receipt, prepare};
pub use check::Checkup;
pub use error::{AppendFailure, LoadError, SelectError, WorkspaceError};
pub use guard::{Guard, Handle};
pub use load::Conversation;
pub use locate::{Initialised, Location};
pub use overview::{Overview, Row};

use crate::{
    env::Env,
    store::{Identity, MaintenanceError, PackReport, Store},
};

/// A workspace that has been opened: a directory with conversations that belong to it.
pub struct Workspace {
    location: Location,
    store: Store,
    env: Env,
}

impl Workspace {
    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Its conversation repository.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Packs the store as small as it gets.
    pub fn pack(&self, env: &Env) -> Result<PackReport, MaintenanceError> {
        self.store.pack(env, &self.holder())
    }

    /// Who the user is, as far as git or the system knows.
    fn user(&self) -> Identity {
        let text = |name: &str| self.env.var(name).and_then(|value| value.to_str());
        let (home, config_home) = (self.env.home(), self.env.config_home());
        let global = crate::store::global_identity(home.as_deref(), config_home.as_deref());
        match (text("GIT_AUTHOR_NAME"), text("GIT_AUTHOR_EMAIL"), global) {
            (Some(name), Some(email), _) => Identity::new(name, email),
            (_, _, Some((name, email))) => Identity::new(&name, &email),
            _ => {
                let name = text("USER").or(text("LOGNAME")).unwrap_or("user");
                Identity::new(name, &format!("{name}@localhost"))
            }
        }
    }
}
