//! The calls that a server is working on, so that what it says on the way reaches the right one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use rmcp::{
    ServiceError,
    model::{ProgressToken, RequestId, ServerResult},
};
use serde_json::Value;
use tokio::sync::oneshot;

/// What happens during a call.
pub(super) enum Happening {
    /// The server tells how far it is.
    Progress(String),
    /// The server wants to know something.
    Asked(Value, oneshot::Sender<Value>),
    /// It is over.
    Ended(Box<Result<ServerResult, ServiceError>>),
    /// Somebody does not want it any more.
    Cancelled,
}

/// The calls that one server is working on, the oldest first. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<Call>>>);

struct Call {
    id: RequestId,
    token: ProgressToken,
    happenings: mpsc::Sender<Happening>,
}

/// A call that is listed for as long as this lives.
pub(super) struct Listed {
    calls: Calls,
    id: RequestId,
}

impl Calls {
    pub(super) fn list(
        &self,
        id: RequestId,
        token: ProgressToken,
        happenings: mpsc::Sender<Happening>,
    ) -> Listed {
        self.lock().push(Call { id: id.clone(), token, happenings });
        Listed { calls: self.clone(), id }
    }

    /// Tells the call with this token how far it is.
    pub(super) fn progress(&self, token: &ProgressToken, text: String) {
        let calls = self.lock();
        if let Some(call) = calls.iter().find(|call| call.token == *token) {
            // A call that is over does not listen any more.
            let _over = call.happenings.send(Happening::Progress(text));
        }
    }

    /// Lets the call of a request ask the user, or the oldest one if it is not known which: only
    /// HTTP tells them apart. The answer comes through the channel, if any call is there.
    pub(super) fn ask(
        &self,
        request: Option<&RequestId>,
        asked: Value,
    ) -> oneshot::Receiver<Value> {
        let (reply, answer) = oneshot::channel();
        let calls = self.lock();
        let known = request.and_then(|id| calls.iter().find(|call| call.id == *id));
        if let Some(call) = known.or_else(|| calls.first()) {
            let _over = call.happenings.send(Happening::Asked(asked, reply));
        }
        answer
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.calls.lock().retain(|call| call.id != self.id);
    }
}
