//! One call of a tool on a connection, with everything that happens on the way.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use rmcp::{
    ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, RequestMetaObject, ServerResult,
    },
    service::PeerRequestOptions,
};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::{
    answer::Answer,
    calls::Happening,
    client::roots,
    connection::{Connection, failure},
    form,
};
use crate::{model::CallId, tool::Host};

/// How often a server may want to know more before it answers.
const MOST_ROUNDS: usize = 10;

/// How long a server that only wants to be asked again is left alone.
const AGAIN: Duration = Duration::from_millis(500);

/// The names in the metadata of a call.
const CALL_ID: &str = "jp/call_id";
const IS_RESUME: &str = "jp/is_resume";

/// How long it may take to tell a server that a call is not wanted any more.
const FAREWELL: Duration = Duration::from_secs(1);

/// A call.
pub(super) struct Exchange<'a> {
    pub(super) server: &'a str,
    /// The name on the wire.
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Map<String, Value>,
    /// What the call is known by, and whether it may have been made before.
    pub(super) mark: Mark<'a>,
    pub(super) timeout: Duration,
    pub(super) workspace: &'a std::path::Path,
}

/// What a server is told of a call beside its arguments, so that it need not do the same thing twice.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    pub(super) call: &'a CallId,
    pub(super) is_resume: bool,
}

impl Mark<'_> {
    fn meta(self) -> RequestMetaObject {
        let mut meta = RequestMetaObject::default();
        meta.0.0.insert(CALL_ID.to_owned(), self.call.as_str().into());
        meta.0.0.insert(IS_RESUME.to_owned(), self.is_resume.into());
        meta
    }
}

/// How a call ended.
#[derive(Debug)]
pub(super) enum End {
    /// With a result.
    Answered(Answer),
    /// With a refusal by the server: the tool did not run, or did not run to its end.
    Refused(String),
    /// The connection was lost; whether the server got the call says the flag.
    Lost { problem: String, may_have_arrived: bool },
    /// Its time was over.
    TimedOut,
    /// It was cancelled.
    Cancelled,
}

/// What a call waits with.
struct Wait<'a> {
    host: &'a Host<'a>,
    happenings: mpsc::Receiver<Happening>,
    deadline: Instant,
    questions: usize,
}

enum Waited {
    Result(Box<Result<ServerResult, ServiceError>>),
    TimedOut,
    Cancelled,
}

impl Exchange<'_> {
    /// Calls the tool and waits for its end.
    pub(super) fn run(&self, connection: &Connection, host: &Host<'_>) -> End {
        let (sender, happenings) = mpsc::channel();
        let by_cancel = sender.clone();
        let _listener = host.cancel().listen(move || {
            let _over = by_cancel.send(Happening::Cancelled);
        });
        let deadline = Instant::now() + self.timeout;
        let mut wait = Wait { host, happenings, deadline, questions: 0 };
        let mut params = CallToolRequestParams::new(self.tool.to_owned());
        params.arguments = Some(self.arguments.clone());
        params.meta = Some(self.mark.meta());
        for _ in 0..MOST_ROUNDS {
            let result = match self.round(connection, &sender, &mut wait, params.clone()) {
                Ok(result) => result,
                Err(end) => return end,
            };
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                return self.ended(&result);
            }
            let asked = result.get("inputRequests").and_then(Value::as_object);
            let state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);
            let mut responses = std::collections::BTreeMap::new();
            for (key, request) in asked.into_iter().flatten() {
                match self.respond(request, &mut wait) {
                    Some(response) => drop(responses.insert(key.clone(), response)),
                    None => {
                        return End::Refused(
                            "it wants to use the model, which jp does not lend".to_owned(),
                        );
                    }
                }
            }
            if asked.is_none_or(Map::is_empty)
                && let Some(end) = wait.rest(AGAIN)
            {
                return end;
            }
            params.input_responses = (!responses.is_empty()).then_some(responses);
            params.request_state = state;
        }
        End::Refused(format!("it wanted to know more for {MOST_ROUNDS} times"))
    }

    /// Sends the call once, and waits for the answer as JSON.
    fn round(
        &self,
        connection: &Connection,
        sender: &mpsc::Sender<Happening>,
        wait: &mut Wait<'_>,
        params: CallToolRequestParams,
    ) -> Result<Value, End> {
        let (stop, stopped) = oneshot::channel::<&'static str>();
        let (told, farewell) = mpsc::channel();
        let (peer, calls) = (connection.peer.clone(), connection.calls.clone());
        let happenings = sender.clone();
        connection.handle.spawn(async move {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
            let options = PeerRequestOptions::no_options();
            let mut handle = match peer.send_cancellable_request(request, options).await {
                Ok(handle) => handle,
                Err(error) => {
                    let _over = happenings.send(Happening::Ended(Box::new(Err(error))));
                    return;
                }
            };
            // Nothing else runs in this thread before the call is listed.
            let token = handle.progress_token.clone();
            let _listed = calls.list(handle.id.clone(), token, happenings.clone());
            tokio::select! {
                result = &mut handle.rx => {
                    let result = result.unwrap_or(Err(ServiceError::TransportClosed));
                    let _over = happenings.send(Happening::Ended(Box::new(result)));
                }
                Ok(reason) = stopped => {
                    let _lost = handle.cancel(Some(reason.to_owned())).await;
                    let _gone = told.send(());
                }
            }
        });
        let waited = wait.until_ended(self);
        let (reason, end) = match waited {
            Waited::Result(result) => {
                let result = result.map_err(|error| lost(&error))?;
                return serde_json::to_value(&result)
                    .map_err(|error| End::Refused(error.to_string()));
            }
            Waited::TimedOut => ("it took too long", End::TimedOut),
            Waited::Cancelled => ("the user does not want it any more", End::Cancelled),
        };
        if stop.send(reason).is_ok() {
            let _late = farewell.recv_timeout(FAREWELL);
        }
        Err(end)
    }

    fn ended(&self, result: &Value) -> End {
        match Answer::of(result) {
            Some(answer) => End::Answered(answer),
            None => End::Refused("its answer is not the result of a tool".to_owned()),
        }
    }

    /// The response to what a server wants to know; none for what nobody tells it.
    fn respond(&self, request: &Value, wait: &mut Wait<'_>) -> Option<Value> {
        match request.get("method").and_then(Value::as_str) {
            Some("elicitation/create") => {
                let params = request.get("params").cloned().unwrap_or_else(|| json!({}));
                Some(wait.ask(&params, self.server))
            }
            Some("roots/list") => Some(roots(self.workspace)),
            _ => None,
        }
    }
}

impl Wait<'_> {
    fn until_ended(&mut self, exchange: &Exchange<'_>) -> Waited {
        loop {
            match self.happenings.recv_timeout(self.left()) {
                Ok(Happening::Progress(text)) => self.host.progress(&text),
                Ok(Happening::Asked(asked, reply)) => {
                    let answer = self.ask(&asked, exchange.server);
                    // A server that has gone does not hear it.
                    let _gone = reply.send(answer);
                }
                Ok(Happening::Ended(result)) => return Waited::Result(result),
                Ok(Happening::Cancelled) => return Waited::Cancelled,
                Err(_timeout) => return Waited::TimedOut,
            }
        }
    }

    /// Leaves the server alone for a while; an end if the call ends meanwhile.
    fn rest(&mut self, time: Duration) -> Option<End> {
        let until = Instant::now() + time.min(self.left());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.happenings.recv_timeout(left) {
                Ok(Happening::Cancelled) => return Some(End::Cancelled),
                Ok(_) => {}
                Err(_timeout) if self.left().is_zero() => return Some(End::TimedOut),
                Err(_timeout) => return None,
            }
        }
    }

    /// Asks the user. The time that somebody thinks is not time of the call.
    fn ask(&mut self, asked: &Value, server: &str) -> Value {
        let began = Instant::now();
        self.questions += 1;
        let reply = form::ask(asked, server, self.questions, self.host);
        self.deadline += began.elapsed();
        reply.to_json()
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// What a failure of a call means for whether it was made.
fn lost(error: &ServiceError) -> End {
    match error {
        ServiceError::McpError(error) => End::Refused(error.message.to_string()),
        ServiceError::TransportSend(cause) => {
            let may_have_arrived = may_have_arrived(cause.error.as_ref());
            End::Lost { problem: failure(error), may_have_arrived }
        }
        ServiceError::TransportClosed => {
            End::Lost { problem: failure(error), may_have_arrived: true }
        }
        other => End::Refused(other.to_string()),
    }
}

fn may_have_arrived(error: &(dyn std::error::Error + 'static)) -> bool {
    use crate::provider::WebError;
    use rmcp::transport::streamable_http_client::StreamableHttpError;
    if let Some(StreamableHttpError::Client(error)) =
        error.downcast_ref::<StreamableHttpError<WebError>>()
    {
        return error.may_have_arrived;
    }
    true
}
