//! Requests over HTTP that can be cancelled at any moment, and what their failures mean.
//!
//! Redirects are not followed: a key goes to the server that it is for and to no other.

use std::{
    io::{ErrorKind, Read},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use ureq::{
    Agent, BodyReader,
    http::{HeaderMap, Request, Response as HttpResponse, header},
};

use super::{Endpoint, ProviderError, Secret, Trouble, complaint::Complaint, tls};
use crate::cancel::Cancel;

/// How long it may take to find a server, and to connect to it.
const CONNECT: Duration = Duration::from_secs(15);

/// The most bytes of an answer in all.
const LARGEST_ANSWER: u64 = 256 << 20;

/// The most bytes of an error that are looked at.
const LARGEST_ERROR: usize = 64 << 10;

/// A request.
pub(super) struct Call<'a> {
    /// Where, below the address of the server.
    pub path: &'a str,
    pub headers: Vec<(&'static str, String)>,
    /// What is posted; nothing for a question that has no body.
    pub body: Option<String>,
    /// The model that is asked, for messages.
    pub model: Option<&'a str>,
    /// How long all of it may take; without it, only silence has a limit.
    pub time: Option<Duration>,
}

/// What a server answers, as far as it has come.
pub(super) struct Response {
    endpoint: Endpoint,
    cancel: Cancel,
    content_type: String,
    reader: BodyReader<'static>,
    line: Line,
}

/// The connection, for as long as somebody may have to cut it.
#[derive(Clone)]
struct Line(Arc<Mutex<Option<Agent>>>);

impl Line {
    fn cut(&self) {
        let agent = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(agent) = agent {
            agent.shutdown();
        }
    }
}

impl Call<'_> {
    /// Sends it, and waits for the answer to begin.
    pub fn send(self, endpoint: &Endpoint, cancel: &Cancel) -> Result<Response, ProviderError> {
        let place = |error| placed(endpoint, cancel, error);
        let agent = agent(endpoint, self.time).map_err(place)?;
        let request = self.request(endpoint).map_err(place)?;
        let line = Line(Arc::new(Mutex::new(Some(agent.clone()))));
        // Looking up a name and connecting cannot be cut short, so they happen elsewhere.
        let (sender, receiver) = mpsc::channel();
        let (cut, cancelled) = (line.clone(), sender.clone());
        cancel.on_cancel(move || {
            cut.cut();
            // Nobody listens any more if the answer has begun.
            let _ = cancelled.send(None);
        });
        let worker = thread::Builder::new().name("http".to_owned()).spawn(move || {
            // Nobody listens any more if it was cancelled.
            let _ = sender.send(Some(agent.run(request)));
        });
        if let Err(error) = worker {
            let message = format!("cannot be asked: {error}");
            return Err(place(ProviderError::new(Trouble::Unreachable, message)));
        }
        let response = match receiver.recv() {
            Ok(Some(Ok(response))) => response,
            Ok(Some(Err(error))) => {
                line.cut();
                return Err(place(failure(&error)));
            }
            Ok(None) | Err(_) => {
                let message = "was not waited for";
                return Err(place(ProviderError::new(Trouble::Cancelled, message)));
            }
        };
        self.receive(endpoint, cancel, line, response)
    }

    fn request(&self, endpoint: &Endpoint) -> Result<Request<Vec<u8>>, ProviderError> {
        let url = format!("{}{}", endpoint.base.as_str(), self.path);
        let mut request = match self.body {
            Some(_) => Request::post(url).header(header::CONTENT_TYPE, "application/json"),
            None => Request::get(url),
        };
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let body = self.body.clone().unwrap_or_default().into_bytes();
        request.body(body).map_err(|error| {
            ProviderError::new(Trouble::Refused, format!("cannot be asked: {error}"))
        })
    }

    fn receive(
        &self,
        endpoint: &Endpoint,
        cancel: &Cancel,
        line: Line,
        response: HttpResponse<ureq::Body>,
    ) -> Result<Response, ProviderError> {
        let (head, body) = response.into_parts();
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let mut response = Response {
            endpoint: endpoint.clone(),
            cancel: cancel.clone(),
            content_type: text(header::CONTENT_TYPE).unwrap_or_default().to_lowercase(),
            reader: body.into_with_config().limit(LARGEST_ANSWER).reader(),
            line,
        };
        let status = head.status.as_u16();
        if head.status.is_success() {
            return Ok(response);
        }
        if head.status.is_redirection() {
            let message =
                format!("wants to be asked elsewhere (status {status}), which jp does not do");
            return Err(response.place(ProviderError::new(Trouble::Refused, message)));
        }
        let complaint = Complaint::in_body(&response.start(LARGEST_ERROR));
        let mut error = refusal(&complaint, status, self.model, endpoint.key_var.as_deref());
        error.retry_after = retry_after(&head.headers);
        // A wait that is too long to be waited here is one to know about.
        if let Some(seconds @ 1..) = error.retry_after.map(|wait| wait.as_secs()) {
            error.message.push_str(&format!("; it wants to be left alone for {seconds} s"));
        }
        Err(response.place(error))
    }
}

impl Response {
    /// Whether it is of this type.
    pub fn is(&self, content_type: &str) -> bool {
        self.content_type.starts_with(content_type)
    }

    /// The next bytes; none at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ProviderError> {
        self.reader.read(buffer).map_err(|error| failure(&ureq::Error::from(error)))
    }

    /// All of it, if it is not larger than that.
    pub fn whole(&mut self, largest: usize) -> Result<Vec<u8>, ProviderError> {
        let mut body = Vec::new();
        let mut buffer = vec![0; 16 << 10];
        loop {
            let count = self.read(&mut buffer)?;
            if count == 0 {
                return Ok(body);
            }
            if body.len() + count > largest {
                return Err(ProviderError::new(Trouble::Garbled, "sent far too much"));
            }
            body.extend_from_slice(&buffer[..count]);
        }
    }

    /// As much of it as comes, and not more than that.
    fn start(&mut self, largest: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let mut buffer = vec![0; 4 << 10];
        while let Ok(count @ 1..) = self.read(&mut buffer)
            && body.len() < largest
        {
            body.extend_from_slice(&buffer[..count]);
        }
        body
    }

    /// An error with the address before it and without the key.
    pub fn place(&self, error: ProviderError) -> ProviderError {
        placed(&self.endpoint, &self.cancel, error)
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        self.line.cut();
    }
}

fn agent(endpoint: &Endpoint, time: Option<Duration>) -> Result<Agent, ProviderError> {
    let proxy = match &endpoint.proxy {
        Some(proxy) => Some(ureq::Proxy::new(proxy.reveal()).map_err(|_shows_the_address| {
            let message = "cannot be asked: the address of the proxy cannot be read";
            ProviderError::new(Trouble::Unreachable, message)
        })?),
        None => None,
    };
    let certificates = endpoint.certificates.as_deref().filter(|_| endpoint.base.is_secure());
    let config = Agent::config_builder()
        .tls_config(tls::config(certificates)?)
        .proxy(proxy)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(0)
        .user_agent(concat!("jp/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(CONNECT.min(time.unwrap_or(CONNECT))))
        .timeout_connect(Some(CONNECT.min(time.unwrap_or(CONNECT))))
        .timeout_per_read(Some(endpoint.idle_timeout))
        .timeout_per_write(Some(endpoint.idle_timeout))
        .timeout_global(time)
        .build();
    Ok(Agent::new_with_config(config))
}

/// What a failure of the connection means.
pub(super) fn failure(error: &ureq::Error) -> ProviderError {
    use ureq::{Error, Timeout};
    let (trouble, message) = match error {
        Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            (Trouble::Unreachable, "could not be reached in time".to_owned())
        }
        Error::Timeout(_) => (Trouble::Silent, "said nothing for too long".to_owned()),
        Error::HostNotFound => (Trouble::Unreachable, "is not known by that name".to_owned()),
        Error::ConnectionFailed | Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            (Trouble::Unreachable, format!("could not be reached: {error}"))
        }
        Error::Io(cause) => io_failure(cause),
        Error::Rustls(cause) => tls::failure(cause),
        Error::Tls(cause) => tls::failure(cause),
        Error::BodyExceedsLimit(_) => (Trouble::Garbled, "sent far too much".to_owned()),
        other => (Trouble::Garbled, format!("does not speak HTTP: {other}")),
    };
    ProviderError::new(trouble, message)
}

fn io_failure(cause: &std::io::Error) -> (Trouble, String) {
    match cause.kind() {
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => {
            (Trouble::Broken, "broke the connection in the middle".to_owned())
        }
        ErrorKind::TimedOut | ErrorKind::WouldBlock => {
            (Trouble::Silent, "said nothing for too long".to_owned())
        }
        ErrorKind::InvalidData => tls::failure(cause),
        _ => (Trouble::Unreachable, format!("could not be reached: {cause}")),
    }
}

/// What a status that is none of success means.
fn refusal(
    complaint: &Complaint,
    status: u16,
    model: Option<&str>,
    key_var: Option<&str>,
) -> ProviderError {
    let trouble = complaint.trouble(Some(status));
    let what = match trouble {
        Trouble::Key => match key_var {
            Some(var) => format!("does not accept the key in `{var}`"),
            None => "wants a key".to_owned(),
        },
        Trouble::Model => format!("has no model `{}`", model.unwrap_or_default()),
        Trouble::TooLong => "finds the conversation too long for the model".to_owned(),
        Trouble::Tools => "says that the model takes no tools".to_owned(),
        Trouble::Busy => "has had enough for now".to_owned(),
        Trouble::Server => "has trouble of its own".to_owned(),
        _ => "refuses the request".to_owned(),
    };
    let said = match complaint.message.as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    ProviderError::new(trouble, format!("{what} (status {status}){said}"))
}

/// Puts the address before what happened, takes the key out of it, and remembers that a cancelled
/// connection looks like a broken one.
fn placed(endpoint: &Endpoint, cancel: &Cancel, error: ProviderError) -> ProviderError {
    if cancel.is_cancelled() {
        let message = format!("`{}` was not waited for", endpoint.base.as_str());
        return ProviderError::new(Trouble::Cancelled, message);
    }
    let message = format!("`{}` {}", endpoint.base.as_str(), error.message);
    let secrets: [Option<&Secret>; 2] = [endpoint.key.as_ref(), endpoint.proxy.as_ref()];
    let message =
        secrets.into_iter().flatten().fold(message, |message, secret| secret.redact(&message));
    ProviderError { message, ..error }
}

/// How long the server wants to be left alone: in seconds, in milliseconds, or until a date, which
/// is compared with the server's own clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let number = |name: &str| text(name)?.trim().parse::<f64>().ok().filter(|wait| *wait >= 0.0);
    if let Some(millis) = number("retry-after-ms") {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    if let Some(seconds) = number("retry-after") {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name: &str| jiff::fmt::rfc2822::parse(text(name)?.trim()).ok();
    let wait = date("retry-after")?.timestamp().duration_since(date("date")?.timestamp());
    Some(Duration::try_from(wait).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        retry_after(&map)
    }

    #[test]
    fn the_wait_is_read_in_every_form() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after-ms", "1500")]), Some(Duration::from_millis(1500)));
        let date = [
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ("date", "Sun, 06 Nov 1994 08:49:07 GMT"),
        ];
        assert_eq!(wait(&date), Some(Duration::from_secs(30)));
        let past = [date[0], ("date", "Sun, 06 Nov 1994 09:49:07 GMT")];
        assert_eq!(wait(&past), Some(Duration::ZERO));
        assert_eq!((wait(&date[..1]), wait(&[("retry-after", "soon")])), (None, None));
        assert_eq!(
            (wait(&[("retry-after", "-1")]), wait(&[("retry-after", "1e300")])),
            (None, None)
        );
    }
}
