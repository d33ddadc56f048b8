//! Who the user is.

use super::Workspace;
use crate::store::{Identity, global_identity};

impl Workspace {
    /// Who the user is, as far as git or the system knows.
    pub(super) fn user(&self) -> Identity {
        let text = |name: &str| self.env.var(name).and_then(|value| value.to_str());
        let (home, config_home) = (self.env.home(), self.env.config_home());
        let global = global_identity(home.as_deref(), config_home.as_deref());
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
