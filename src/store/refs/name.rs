//! The name of a ref, valid by construction and therefore safe as a path below the store.

use std::fmt;
use std::path::{Path, PathBuf};

use super::RefError;

/// Where a conversation's ref lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Current conversations.
    Heads,
    /// Archived ones.
    Archive,
    /// Deleted ones that can be restored.
    Trash,
}

impl Space {
    /// All spaces.
    pub const ALL: [Space; 3] = [Space::Heads, Space::Archive, Space::Trash];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Space::Heads => "active",
            Space::Archive => "archived",
            Space::Trash => "trash",
        }
    }

    /// Where a conversation in it is, in words.
    pub fn whereabouts(self) -> &'static str {
        match self {
            Space::Heads => "active",
            Space::Archive => "archived",
            Space::Trash => "in the trash",
        }
    }

    /// The spaces that count first when a conversation is in several, as it is while it is moved.
    pub fn stronger(self) -> &'static [Space] {
        match self {
            Space::Heads => &[],
            Space::Archive => &[Space::Heads],
            Space::Trash => &[Space::Heads, Space::Archive],
        }
    }

    /// What every name in this space starts with.
    pub fn prefix(self) -> &'static str {
        match self {
            Space::Heads => "refs/heads/",
            Space::Archive => "refs/archive/",
            Space::Trash => "refs/trash/",
        }
    }
}

/// A full ref name that git accepts, beginning with `refs/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

impl RefName {
    /// Checks a full name.
    pub fn new(name: impl Into<String>) -> Result<Self, RefError> {
        let name = name.into();
        let below_refs = name.strip_prefix("refs/").is_some_and(|rest| !rest.is_empty());
        match gix::validate::reference::name(name.as_str().into()) {
            Ok(_) if below_refs => Ok(RefName(name)),
            Ok(_) => Err(RefError::Name { name, reason: "it is not below `refs/`".to_owned() }),
            Err(error) => Err(RefError::Name { name, reason: error.to_string() }),
        }
    }

    /// The ref of a conversation.
    pub fn of(space: Space, id: &str) -> Result<Self, RefError> {
        RefName::new(format!("{}{id}", space.prefix()))
    }

    /// The space and the conversation, if it is the ref of one.
    pub fn conversation(&self) -> Option<(Space, &str)> {
        Space::ALL.into_iter().find_map(|space| {
            let id = self.0.strip_prefix(space.prefix())?;
            (!id.contains('/')).then_some((space, id))
        })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The loose file.
    pub(super) fn path(&self, store: &Path) -> PathBuf {
        store.join(&self.0)
    }
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_git_would_refuse_are_refused() {
        let bad = ["", "HEAD", "refs/", "refs/heads/", "refs/heads/../x", "refs/heads/a.lock"];
        let worse = ["refs/heads/.a", "refs/heads/a b", "refs/heads/a\0", "/refs/heads/a"];
        for name in bad.into_iter().chain(worse) {
            assert!(RefName::new(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_conversation_is_found_in_its_space() {
        let name = RefName::of(Space::Archive, "jp-c17").unwrap();
        assert_eq!(name.as_str(), "refs/archive/jp-c17");
        assert_eq!(name.conversation(), Some((Space::Archive, "jp-c17")));
        assert_eq!(RefName::new("refs/tags/v1").unwrap().conversation(), None);
        assert_eq!(RefName::new("refs/heads/a/b").unwrap().conversation(), None);
    }
}
