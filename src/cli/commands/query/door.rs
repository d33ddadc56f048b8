//! Where clients come in that did not begin the query.

use std::{os::unix::net::UnixListener, thread};

use crate::{
    env::Env,
    model::ConversationId,
    serve::{Hub, place},
    workspace::{Registration, Workspace, WorkspaceError},
};

/// The socket of a conversation, and the entry by which others find it.
#[derive(Default)]
pub struct Door {
    id: Option<ConversationId>,
    registration: Option<Registration>,
}

impl Door {
    /// The conversation, once there is one.
    pub fn conversation(&self) -> Option<ConversationId> {
        self.id
    }

    /// Lets others in, if they are not let in already.
    pub fn open(&mut self, env: &Env, id: ConversationId, hub: &Hub) -> Result<(), String> {
        if self.id.replace(id).is_some() {
            return Ok(());
        }
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let workspace = Workspace::open(env).map_err(|error| words(&error))?;
        let workspace = workspace.ok_or_else(|| WorkspaceError::NoHome.to_string())?;
        let directory = place::directory(env).map_err(|error| words(&error))?;
        let path = place::socket_path(&directory, workspace.store().id(), id);
        let listener = place::listen(&path).map_err(|error| words(&error))?;
        self.registration = Some(workspace.register(id, &path).map_err(|error| words(&error))?);
        let hub = hub.clone();
        let thread = thread::Builder::new().name("door".to_owned());
        thread.spawn(move || accept(&listener, &hub)).map_err(|error| words(&error))?;
        Ok(())
    }

    /// Lets nobody in any more.
    pub fn close(&mut self) {
        self.registration = None;
    }
}

fn accept(listener: &UnixListener, hub: &Hub) {
    for stream in listener.incoming() {
        match stream {
            // The directory keeps others out; who is in all the same is not listened to.
            Ok(stream) if place::is_same_user(&stream).unwrap_or(false) => hub.take(stream),
            Ok(_stranger) => {}
            // Without a file to spare, somebody has to leave before the next one comes.
            Err(_) => thread::sleep(std::time::Duration::from_millis(100)),
        }
    }
}
