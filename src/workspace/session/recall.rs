//! The conversation that a session is about, and turning to another one.

use std::path::PathBuf;

use super::{
    Mapping, Session,
    file::{Directory, Found, read},
};
use crate::{
    fsutil::{self, FsError},
    model::ConversationId,
    store::{RefError, Space},
    workspace::{Handle, Workspace, WorkspaceError},
};

/// The conversation that a session is about. Another one is never chosen in its place.
#[derive(Clone, Debug)]
pub enum SessionConversation {
    /// The session was about nothing yet.
    Nothing,
    /// It can be continued.
    Active(Handle),
    /// It is in the archive or in the trash.
    PutAway(Handle),
    /// It is not there any more.
    Gone(ConversationId),
}

/// What is known about a session.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The conversation that it is about.
    pub conversation: SessionConversation,
    /// What the user should hear about beside it: that something was there and did not read.
    pub note: Option<String>,
}

/// Why a session cannot be asked or told about a conversation.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SessionError {
    #[error("the session cannot be remembered: {0}")]
    Workspace(#[from] WorkspaceError),
    #[error("the session cannot be remembered: {0}")]
    Fs(#[from] FsError),
    #[error(transparent)]
    Ref(#[from] RefError),
}

impl Workspace {
    /// Where the state of this user for this workspace is kept. It may not exist yet.
    pub fn state_dir(&self) -> Result<PathBuf, WorkspaceError> {
        let data = self.env.data_dir().ok_or(WorkspaceError::NoHome)?;
        Ok(data.join("workspace").join(self.store.id().as_str()))
    }

    pub(super) fn sessions(&self) -> Result<Directory, WorkspaceError> {
        Ok(Directory(self.state_dir()?.join("sessions")))
    }

    /// What a session was about, and what was there and did not read.
    pub fn session_mapping(&self, session: &Session) -> (Mapping, Option<String>) {
        let found = self.sessions().map(|sessions| read(&sessions.path_of(session)));
        match found {
            Ok(Found::Mapping(mapping)) => (mapping, None),
            Ok(Found::Damaged(why)) => (Mapping::new(session), Some(why)),
            // Without a home nothing was ever remembered.
            Ok(Found::Nothing) | Err(_) => (Mapping::new(session), None),
        }
    }

    /// The conversation that a session is about.
    pub fn session_conversation(&self, session: &Session) -> Result<Recalled, SessionError> {
        let (mapping, note) = self.session_mapping(session);
        let conversation = match mapping.current() {
            None => SessionConversation::Nothing,
            Some(id) => match self.whereabouts(id)? {
                None => SessionConversation::Gone(id),
                Some(handle) if handle.space() == Space::Heads => {
                    SessionConversation::Active(handle)
                }
                Some(handle) => SessionConversation::PutAway(handle),
            },
        };
        Ok(Recalled { conversation, note })
    }

    /// Somebody turns to a conversation: it becomes the one that their session is about, if they
    /// have one, and the one that they turned to last. Returns what the user should hear.
    pub fn turn_to(
        &self,
        session: Option<&Session>,
        id: ConversationId,
    ) -> Result<Option<String>, SessionError> {
        let sessions = self.sessions()?;
        fsutil::create_dir_private(&sessions.0)?;
        let _lock = sessions.lock();
        let mut told = None;
        if let Some(session) = session {
            let (mut mapping, note) = self.session_mapping(session);
            mapping.activate(id, self.env.now());
            sessions.write(session, &mapping)?;
            told = note;
        }
        // Where it is only about an order, a failure is no more than a remark.
        let unregistered = self.register_activation(id).err().map(|error| error.to_string());
        Ok(told.or(unregistered))
    }

    /// A conversation, wherever it is kept; `None` if it is not there.
    pub(in crate::workspace) fn whereabouts(
        &self,
        id: ConversationId,
    ) -> Result<Option<Handle>, RefError> {
        for space in Space::ALL {
            if let Some(commit) = self.store.tip(space, id)? {
                return Ok(Some(Handle::new(id, space, commit)));
            }
        }
        Ok(None)
    }
}
