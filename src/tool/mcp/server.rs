//! A server for the length of a query: connected when it is needed, and once more if it dies.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Map, Value};

use super::{
    ServerSpec,
    connection::Connection,
    exchange::{End, Exchange, Mark},
    offer::{Offer, sift},
    runtime::Runtime,
};
use crate::{
    cancel::Cancel,
    tool::{Host, Site},
};

/// A server.
pub struct Server {
    spec: ServerSpec,
    site: Arc<Site>,
    runtime: Arc<Runtime>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    has_restarted: bool,
    /// Nothing is started any more.
    is_ended: bool,
}

/// How a call ended for good.
pub(super) enum Ending {
    /// It ended.
    Ended(End),
    /// It was not made, for this reason.
    NotMade(String),
    /// Nobody knows whether it was made.
    Unknown(String),
}

impl Server {
    pub(super) fn new(spec: ServerSpec, site: Arc<Site>, runtime: Arc<Runtime>) -> Self {
        Self { spec, site, runtime, state: Mutex::default() }
    }

    /// How it was declared.
    pub fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// Starts it; gives its tools, and what is odd about them.
    pub(super) fn start(&self, cancel: &Cancel) -> Result<(Vec<Offer>, Vec<String>), String> {
        let handle = self.runtime.handle();
        let (connection, tools) = Connection::start(&self.spec, &self.site, handle, cancel)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_ended {
            return Err("it was not waited for".to_owned());
        }
        state.connection = Some(Arc::new(connection));
        Ok(sift(tools, self.spec.tools.as_deref()))
    }

    /// Calls one of its tools.
    ///
    /// A call is sent again only if the server cannot have got it, or if the user declared that
    /// doing it twice is the same as doing it once.
    pub(super) fn call(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        mark: Mark<'_>,
        is_idempotent: bool,
        host: &Host<'_>,
    ) -> Ending {
        let exchange = Exchange {
            server: &self.spec.name,
            tool,
            arguments,
            mark,
            timeout: self.spec.timeout,
            workspace: self.workspace(),
        };
        let mut has_been_sent_twice = false;
        loop {
            let connection = match self.connected(host.cancel()) {
                Ok(connection) => connection,
                Err(problem) => return Ending::NotMade(problem),
            };
            let end = exchange.run(&connection, host);
            let End::Lost { problem, may_have_arrived } = end else { return Ending::Ended(end) };
            let details = connection.last_words();
            let problem =
                details.map_or(problem.clone(), |details| format!("{problem}; {details}"));
            self.give_up(&connection);
            if has_been_sent_twice || (may_have_arrived && !is_idempotent) {
                return match may_have_arrived {
                    true => Ending::Unknown(problem),
                    false => Ending::NotMade(problem),
                };
            }
            has_been_sent_twice = true;
        }
    }

    /// Ends it, for good.
    pub(super) fn end(&self) {
        let connection = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_ended = true;
            state.connection.take()
        };
        if let Some(connection) = connection {
            connection.end();
        }
    }

    /// The connection, made anew once if it was lost. Whoever comes meanwhile waits for it.
    fn connected(&self, cancel: &Cancel) -> Result<Arc<Connection>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = &state.connection
            && !connection.is_over()
        {
            return Ok(connection.clone());
        }
        let details = state.connection.take().and_then(|connection| connection.last_words());
        let told = details.map_or_else(String::new, |details| format!(": {details}"));
        if state.is_ended {
            return Err("the query is over".to_owned());
        }
        if state.has_restarted {
            return Err(format!("it has ended again, and is restarted only once{told}"));
        }
        state.has_restarted = true;
        let handle = self.runtime.handle();
        let started = Connection::start(&self.spec, &self.site, handle, cancel);
        let (connection, _tools) = started
            .map_err(|problem| format!("it has ended and cannot be restarted: {problem}"))?;
        let connection = Arc::new(connection);
        state.connection = Some(connection.clone());
        Ok(connection)
    }

    /// Lets go of a connection that is of no use any more.
    fn give_up(&self, lost: &Arc<Connection>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |connection: &Arc<Connection>| Arc::ptr_eq(connection, lost);
        if state.connection.as_ref().is_some_and(is_same) {
            state.connection = None;
        }
    }

    fn workspace(&self) -> &Path {
        &self.site.workspace
    }
}
