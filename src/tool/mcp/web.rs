//! A server at an address: each message as a request of its own, through the same HTTP client
//! with which models are asked.
//!
//! That client blocks, so each exchange has a thread; whoever stops waiting for one cuts it off.

use std::{
    collections::HashMap,
    io::{self, Read},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    thread,
    time::Duration,
};

use futures_core::Stream;
use http::{HeaderName, HeaderValue};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
        StreamableHttpPostResponse,
    },
};
use sse_stream::Sse;
use tokio::sync::{mpsc, oneshot};

use super::events::Events;
use crate::provider::{Cut, Web, WebAnswer, WebError, WebRequest};

/// The most bytes of a message.
const LARGEST: usize = 16 << 20;

/// How long the end of a session may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many events may wait to be looked at.
const WAITING: usize = 64;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

type Failure = StreamableHttpError<WebError>;
type EventStream = Pin<Box<dyn Stream<Item = Result<Sse, SseError>> + Send>>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The HTTP client of the protocol.
#[derive(Clone)]
pub(super) struct WebClient(pub(super) Web);

/// What came back, with the body as far as it can be had at once.
struct Answered {
    status: u16,
    content_type: String,
    session: Option<String>,
    challenge: Option<String>,
    body: Body,
}

enum Body {
    Whole(Vec<u8>),
    Events(EventStream),
}

/// Cuts an exchange off when nobody waits for it any more.
struct Leash(Cut);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.cut();
    }
}

struct Incoming {
    events: mpsc::Receiver<Result<Sse, SseError>>,
    _leash: Leash,
}

impl Stream for Incoming {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_recv(context)
    }
}

impl WebClient {
    async fn exchange(&self, request: WebRequest, longest: usize) -> Result<Answered, Failure> {
        let (web, cut) = (self.0.clone(), Cut::default());
        let leash = Leash(cut.clone());
        let (began, head) = oneshot::channel();
        let (sender, events) = mpsc::channel(WAITING);
        let work = move || {
            let answer = web.ask(request, &cut);
            let answer = answer.map_err(StreamableHttpError::Client).and_then(|mut answer| {
                let is_stream = answer.status == 200 && content_type(&answer).starts_with(EVENTS);
                let body = if is_stream { Vec::new() } else { whole(&mut answer)? };
                Ok((answer, body, is_stream))
            });
            let follows = matches!(&answer, Ok((_, _, true)));
            let (kept, told) = match answer {
                Ok((answer, body, is_stream)) => {
                    let head = (
                        answer.status,
                        content_type(&answer),
                        answer.header(SESSION).map(str::to_owned),
                        answer.header("www-authenticate").map(str::to_owned),
                    );
                    (Some(answer), Ok((head, body, is_stream)))
                }
                Err(error) => (None, Err(error)),
            };
            if began.send(told).is_err() || !follows {
                return;
            }
            let Some(answer) = kept else { return };
            forward(answer, longest, &sender);
        };
        thread::Builder::new().name("mcp-http".to_owned()).spawn(work)?;
        let told = head.await.map_err(|_gone| StreamableHttpError::TransportChannelClosed)?;
        let ((status, content_type, session, challenge), body, is_stream) = told?;
        let body = match is_stream {
            true => Body::Events(Box::pin(Incoming { events, _leash: leash })),
            false => Body::Whole(body),
        };
        Ok(Answered { status, content_type, session, challenge, body })
    }
}

/// Hands events on until the end, or until nobody wants them.
fn forward(answer: WebAnswer, longest: usize, sender: &mpsc::Sender<Result<Sse, SseError>>) {
    let mut events = Events::new(answer, longest);
    loop {
        let (event, is_last) = match events.next() {
            Ok(Some(event)) => (Ok(event), false),
            Ok(None) => return,
            Err(error) => (Err(SseError::Body(Box::new(error))), true),
        };
        if sender.blocking_send(event).is_err() || is_last {
            return;
        }
    }
}

fn whole(answer: &mut WebAnswer) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    answer.take(LARGEST as u64 + 1).read_to_end(&mut body)?;
    if body.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the answer is too long").into());
    }
    Ok(body)
}

fn content_type(answer: &WebAnswer) -> String {
    answer.header("content-type").unwrap_or_default().to_lowercase()
}

fn request(
    method: &'static str,
    session: Option<&str>,
    token: Option<String>,
    custom: Headers,
) -> WebRequest {
    let text = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
    let custom = custom.into_iter();
    let custom = custom.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    let mut headers: Vec<_> = custom.collect();
    headers.push(text("accept", &format!("{JSON}, {EVENTS}")));
    headers.extend(session.map(|session| text(SESSION, session)));
    headers.extend(token.map(|token| text("authorization", &format!("Bearer {token}"))));
    WebRequest { method, headers, body: Vec::new(), patience: None }
}

impl StreamableHttpClient for WebClient {
    type Error = WebError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let (session, token) = (session_id, auth_header);
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            token,
            custom_headers,
            LARGEST,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut post = request("POST", session_id.as_deref(), auth_header, custom_headers);
        post.headers.push(("content-type".to_owned(), JSON.as_bytes().to_vec()));
        post.body = serde_json::to_vec(&message)?;
        let answered = self.exchange(post, max_sse_event_size).await?;
        read(answered, &message, session_id.is_some())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<EventStream, Failure> {
        let (session, last, token) = (session_id, last_event_id, auth_header);
        self.get_stream_with_max_sse_event_size(uri, session, last, token, custom_headers, LARGEST)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        _uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<EventStream, Failure> {
        let mut get = request("GET", session_id.as_deref(), auth_header, custom_headers);
        get.headers.extend(last_event_id.map(|id| ("last-event-id".to_owned(), id.into_bytes())));
        let answered = self.exchange(get, max_sse_event_size).await?;
        match (answered.status, answered.body) {
            (_, Body::Events(events)) => Ok(events),
            (405, _) => Err(StreamableHttpError::ServerDoesNotSupportSse),
            (status @ (401 | 403), _) => Err(unauthorized(status, answered.challenge)),
            (200, _) => {
                Err(StreamableHttpError::UnexpectedContentType(Some(answered.content_type)))
            }
            (status, _) => {
                let message = format!("status {status}");
                Err(StreamableHttpError::UnexpectedServerResponse(message.into()))
            }
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let mut delete = request("DELETE", Some(&session_id), auth_header, custom_headers);
        delete.patience = Some(FAREWELL);
        // A server need not know the end of a session.
        self.exchange(delete, LARGEST).await.map(drop)
    }
}

/// What the answer to a message means.
fn read(
    answered: Answered,
    message: &ClientJsonRpcMessage,
    had_session: bool,
) -> Result<StreamableHttpPostResponse, Failure> {
    let Answered { status, content_type, session, challenge, body } = answered;
    let body = match body {
        Body::Events(events) => return Ok(StreamableHttpPostResponse::Sse(events, session)),
        Body::Whole(body) => body,
    };
    let wants_answer = matches!(message, ClientJsonRpcMessage::Request(_));
    let parsed = || serde_json::from_slice::<ServerJsonRpcMessage>(&body);
    match status {
        202 | 204 => Ok(StreamableHttpPostResponse::Accepted),
        200..300 => match parsed() {
            Ok(parsed) if content_type.starts_with(JSON) => {
                Ok(StreamableHttpPostResponse::Json(parsed, session))
            }
            _ if !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
            Err(error) if content_type.starts_with(JSON) => {
                let problem = format!("its answer is no message: {error}");
                Err(StreamableHttpError::UnexpectedServerResponse(problem.into()))
            }
            _ => Err(StreamableHttpError::UnexpectedContentType(Some(content_type))),
        },
        404 if had_session => Err(StreamableHttpError::SessionExpired),
        401 | 403 => Err(unauthorized(status, challenge)),
        _ => {
            let error = match parsed() {
                Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
                _ => None,
            };
            // A server of the time before discovery refuses it in its own way, and often without
            // saying whose request it was: it is to be asked in the old way then.
            if let Some(id) = discovery(message).filter(|_| status < 500 && !had_session) {
                let unknown = || ErrorData::invalid_request(format!("status {status}"), None);
                let error = error.map_or_else(unknown, |error| error.error);
                let answer = ServerJsonRpcMessage::error(error, Some(id));
                return Ok(StreamableHttpPostResponse::Json(answer, None));
            }
            if let Some(error) = error {
                let answer = ServerJsonRpcMessage::Error(error);
                return Ok(StreamableHttpPostResponse::Json(answer, session));
            }
            let said: String = String::from_utf8_lossy(&body).chars().take(200).collect();
            let problem = format!("it answers with status {status}: {said}");
            Err(StreamableHttpError::UnexpectedServerResponse(problem.into()))
        }
    }
}

/// The id of a request that asks what a server is.
fn discovery(message: &ClientJsonRpcMessage) -> Option<rmcp::model::RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => match request.request {
            ClientRequest::DiscoverRequest(_) => Some(request.id.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn unauthorized(status: u16, challenge: Option<String>) -> Failure {
    match challenge {
        Some(challenge) => StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)),
        None => {
            let problem = format!("it does not let jp in (status {status})");
            StreamableHttpError::UnexpectedServerResponse(problem.into())
        }
    }
}
