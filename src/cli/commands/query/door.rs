//! Where clients come in that did not begin the query.

use std::{
    os::unix::net::UnixListener,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use crate::{
    env::Env,
    model::ConversationId,
    serve::{Hub, place},
    workspace::{Registration, Workspace, WorkspaceError},
};

/// How often it is looked whether the socket is still where others find it.
const ROUND: Duration = Duration::from_secs(1);

/// How long to wait if nobody can be let in: somebody may leave, and a file be to spare again.
const PAUSE: Duration = Duration::from_millis(100);

/// The socket of a conversation, and the entry by which others find it.
#[derive(Default)]
pub struct Door {
    id: Option<ConversationId>,
    sign: Arc<Mutex<Sign>>,
}

/// How others find the door.
#[derive(Default)]
struct Sign {
    is_open: bool,
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
        let (listener, registration) = register(env, id)?;
        *lock(&self.sign) = Sign { is_open: true, registration: Some(registration) };
        let porter =
            Porter { env: env.clone(), id, hub: hub.clone(), sign: Arc::clone(&self.sign) };
        let thread = thread::Builder::new().name("door".to_owned());
        thread.spawn(move || porter.attend(listener)).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Lets nobody in any more.
    pub fn close(&mut self) {
        *lock(&self.sign) = Sign::default();
    }
}

fn lock(sign: &Mutex<Sign>) -> MutexGuard<'_, Sign> {
    sign.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens where others will look, and says so.
fn register(env: &Env, id: ConversationId) -> Result<(UnixListener, Registration), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let workspace = Workspace::open(env).map_err(|error| words(&error))?;
    let workspace = workspace.ok_or_else(|| WorkspaceError::NoHome.to_string())?;
    let directory = place::directory(env).map_err(|error| words(&error))?;
    let path = place::socket_path(&directory, workspace.store().id(), id);
    let listener = place::listen(&path).map_err(|error| words(&error))?;
    let registration = workspace.register(id, &path).map_err(|error| words(&error))?;
    Ok((listener, registration))
}

/// Lets clients in, as long as the door is open.
struct Porter {
    env: Env,
    id: ConversationId,
    hub: Hub,
    sign: Arc<Mutex<Sign>>,
}

impl Porter {
    fn attend(&self, listener: UnixListener) {
        let mut listener = Some(listener);
        loop {
            match &listener {
                Some(listener) => self.let_in(listener),
                None => thread::sleep(ROUND),
            }
            let mut sign = lock(&self.sign);
            if !sign.is_open {
                return;
            }
            if sign.registration.as_ref().is_some_and(Registration::is_found) {
                continue;
            }
            // The directory for the sockets of a user goes when they log out, and is there again
            // when they are back. What is left of the old socket must be dead to be cleared away.
            (sign.registration, listener) = (None, None);
            if let Ok((anew, registration)) = register(&self.env, self.id) {
                (sign.registration, listener) = (Some(registration), Some(anew));
            }
        }
    }

    fn let_in(&self, listener: &UnixListener) {
        match place::accept_within(listener, ROUND) {
            // The directory keeps others out; who is in all the same is not listened to.
            Ok(Some(stream)) if place::is_same_user(&stream).unwrap_or(false) => {
                self.hub.take(stream);
            }
            Ok(_) => {}
            Err(_) => thread::sleep(PAUSE),
        }
    }
}
