//! Plain HTTP for others than models: any method and headers, any status, and a body that can be
//! read for as long as it lasts.
//!
//! As with models, redirects are not followed: a key goes to the server that it is for.

use std::{
    io::{self, Read},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use ureq::{Agent, BodyReader, http::Request};

use super::{
    Address, Secret,
    connect::proxy,
    tls::{self, CERTIFICATES},
};
use crate::env::Env;

/// How long it may take to find a server, and to connect to it.
const CONNECT: Duration = Duration::from_secs(15);

/// How long a server may take to take what it is sent.
const WRITE: Duration = Duration::from_secs(60);

/// A server that is asked again and again.
#[derive(Clone, Debug)]
pub struct Web {
    url: String,
    proxy: Option<Secret>,
    certificates: Option<PathBuf>,
}

/// What a server is asked.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// `GET`, `POST` or `DELETE`.
    pub method: &'static str,
    /// The headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// What is sent along.
    pub body: Vec<u8>,
    /// How long it may take for the answer to begin.
    pub patience: Option<Duration>,
}

/// What a server answers.
pub struct WebAnswer {
    /// The status.
    pub status: u16,
    /// The headers; a name is in lower case.
    pub headers: Vec<(String, String)>,
    reader: BodyReader<'static>,
}

/// A way to end an exchange from another thread; clones end the same.
#[derive(Clone, Default)]
pub struct Cut(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    is_cut: bool,
    agent: Option<Agent>,
}

/// Why nothing came back.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct WebError {
    /// What happened.
    pub message: String,
    /// Whether the server may have taken what it was sent.
    pub may_have_arrived: bool,
}

impl Web {
    /// The server of an address, reached as the variables of a world say.
    pub fn new(url: &str, env: &Env) -> Self {
        let address = Address::of_url(url);
        let certificates = env.var(CERTIFICATES).filter(|file| !file.is_empty());
        let certificates = certificates.filter(|_| address.is_secure());
        Self {
            url: url.to_owned(),
            proxy: proxy(&address, env),
            certificates: certificates.map(|file| env.cwd().join(file)),
        }
    }

    /// Asks, and waits for the answer to begin.
    pub fn ask(&self, asked: WebRequest, cut: &Cut) -> Result<WebAnswer, WebError> {
        let before = |message: String| WebError { message, may_have_arrived: false };
        let proxy = self.proxy.as_ref().map(|proxy| ureq::Proxy::new(proxy.reveal())).transpose();
        let proxy = proxy.map_err(|_shows_the_address| {
            before("the address of the proxy cannot be read".to_owned())
        })?;
        let certificates = tls::config(self.certificates.as_deref());
        let config = Agent::config_builder()
            .tls_config(certificates.map_err(|error| before(format!("it {}", error.message)))?)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .user_agent(concat!("jp/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .timeout_per_write(Some(WRITE))
            .timeout_recv_response(asked.patience)
            .build();
        let agent = Agent::new_with_config(config);
        cut.hold(agent.clone());
        let mut request = Request::builder().method(asked.method).uri(&self.url);
        for (name, value) in asked.headers {
            request = request.header(name, value);
        }
        let answer = if asked.method == "POST" {
            let request = request.body(asked.body).map_err(|error| before(error.to_string()))?;
            agent.run(request)
        } else {
            let request = request.body(()).map_err(|error| before(error.to_string()))?;
            agent.run(request)
        };
        let answer = answer.map_err(|error| failure(&error, cut))?;
        let (head, body) = answer.into_parts();
        let text = |value: &ureq::http::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
        Ok(WebAnswer {
            status: head.status.as_u16(),
            headers: headers.collect(),
            reader: body.into_with_config().limit(u64::MAX).reader(),
        })
    }
}

impl WebAnswer {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Read for WebAnswer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl Cut {
    /// Ends the exchange: who waits for it is told that the connection broke.
    pub fn cut(&self) {
        let agent = {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.is_cut = true;
            state.agent.take()
        };
        if let Some(agent) = agent {
            agent.shutdown();
        }
    }

    fn hold(&self, agent: Agent) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_cut {
            agent.shutdown();
        } else {
            state.agent = Some(agent);
        }
    }

    fn is_cut(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_cut
    }
}

fn failure(error: &ureq::Error, cut: &Cut) -> WebError {
    use ureq::{Error, Timeout};
    if cut.is_cut() {
        return WebError { message: "it was not waited for".to_owned(), may_have_arrived: true };
    }
    let (message, may_have_arrived) = match error {
        Error::Timeout(Timeout::Resolve | Timeout::Connect) => {
            ("it could not be reached in time".to_owned(), false)
        }
        Error::Timeout(_) => ("it said nothing for too long".to_owned(), true),
        Error::HostNotFound => ("it is not known by that name".to_owned(), false),
        Error::ConnectionFailed | Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
            (format!("it could not be reached: {error}"), false)
        }
        Error::Io(cause) if cause.kind() == io::ErrorKind::ConnectionRefused => {
            ("nobody listens there".to_owned(), false)
        }
        Error::Rustls(cause) => (format!("it {}", tls::failure(cause).1), false),
        Error::Tls(cause) => (format!("it {}", tls::failure(cause).1), false),
        other => (format!("the connection failed: {other}"), true),
    };
    WebError { message, may_have_arrived }
}
