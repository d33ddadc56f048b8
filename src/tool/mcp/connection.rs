//! One connection to a server, from its start to its end.

use std::{
    collections::HashMap,
    ffi::OsString,
    io,
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use http::{HeaderName, HeaderValue};
use rmcp::{
    RoleClient,
    model::{PaginatedRequestParams, ProtocolVersion},
    service::{
        ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, RunningService,
        ServiceError,
    },
    transport::{
        IntoTransport, StreamableHttpClientTransport, common::client_side_sse::FixedInterval,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::Value;
use tokio::runtime::Handle;

use super::{
    ServerSpec, Way,
    calls::Calls,
    client::{Client, roots},
    pipes::{Oddities, Pipes},
    web::WebClient,
};
use crate::{
    cancel::Cancel,
    process::{Partner, Spawn, variables},
    provider::Web,
    tool::Site,
};

/// How long the farewell may take before a program is left to its signals.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many tools a server may list, of which those that count are chosen.
const MOST_LISTED: usize = 10_000;

/// How many pages a list may have.
const MOST_PAGES: usize = 1_000;

/// How many characters of the end of its standard error are told.
const TOLD: usize = 400;

/// A server that answered.
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Calls,
    pub(super) handle: Handle,
    service: Mutex<Option<RunningService<RoleClient, Client>>>,
    program: Option<Program>,
}

/// The program behind a connection.
struct Program {
    partner: Mutex<Option<Partner>>,
    oddities: Oddities,
}

type Served = Result<(RunningService<RoleClient, Client>, Vec<Value>), String>;

impl Connection {
    /// Starts a server and asks for its tools, in the time that it has for it. An error says why
    /// not, in one line.
    pub(super) fn start(
        spec: &ServerSpec,
        site: &Site,
        handle: &Handle,
        cancel: &Cancel,
    ) -> Result<(Self, Vec<Value>), String> {
        let calls = Calls::default();
        let client = Client::new(calls.clone(), roots(&site.workspace));
        let (program, served) = match &spec.way {
            Way::Command { .. } => {
                let (program, pipes) =
                    Program::start(spec, site).map_err(|error| error.to_string())?;
                let served = serve(client, pipes, spec, handle, cancel);
                (Some(program), served)
            }
            Way::Url { url, headers } => {
                // The transport starts a task when it is made.
                let _inside = handle.enter();
                let transport = transport(url, headers, site)?;
                (None, serve(client, transport, spec, handle, cancel))
            }
        };
        match served {
            Ok((service, tools)) => {
                let peer = service.peer().clone();
                let service = Mutex::new(Some(service));
                Ok((Self { peer, calls, handle: handle.clone(), service, program }, tools))
            }
            Err(problem) => {
                let details = program.as_ref().and_then(Program::last_words);
                Err(match details {
                    Some(details) => format!("{problem}; {details}"),
                    None => problem,
                })
            }
        }
    }

    /// Whether nothing can be sent any more.
    pub(super) fn is_over(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// How the program ended, or what was odd about it, and the end of what it said. It is killed.
    pub(super) fn last_words(&self) -> Option<String> {
        self.program.as_ref().and_then(Program::last_words)
    }

    /// Ends it: says farewell, then closes the input of a program, asks it to end, kills it.
    pub(super) fn end(&self) {
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut service) = service {
            let (done, over) = mpsc::channel();
            self.handle.spawn(async move {
                let _closed = service.close_with_timeout(FAREWELL).await;
                drop(service);
                let _gone = done.send(());
            });
            let _late = over.recv_timeout(FAREWELL + FAREWELL);
        }
        let partner = self.program.as_ref().and_then(|program| program.take());
        if let Some(partner) = partner {
            partner.end();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}

impl Program {
    fn start(spec: &ServerSpec, site: &Site) -> io::Result<(Self, Pipes)> {
        let Way::Command { argv, environment, variables: own } = &spec.way else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        let mut argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        if let (Some(program), Some(home)) = (argv.first_mut(), site.env.home())
            && let Some(inside) = program.to_str().and_then(|program| program.strip_prefix("~/"))
        {
            *program = home.join(inside).into_os_string();
        }
        let mut spawn = Spawn::new(argv, &site.workspace);
        spawn.vars = variables(&site.env, environment, &site.keys);
        spawn.vars.extend(own.iter().map(|(name, value)| (name.into(), value.into())));
        spawn.running = site.running.clone();
        spawn.escort = site.escort.clone();
        let mut partner = Partner::start(&spawn).map_err(io::Error::other)?;
        let (stdin, stdout) =
            partner.take_pipes().ok_or_else(|| io::Error::other("the program has no pipes"))?;
        let oddities = Oddities::default();
        let pipes = Pipes::new(stdin, stdout, oddities.clone())?;
        Ok((Self { partner: Mutex::new(Some(partner)), oddities }, pipes))
    }

    fn take(&self) -> Option<Partner> {
        self.partner.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn last_words(&self) -> Option<String> {
        let partner = self.take();
        let mut words: Vec<_> = self.oddities.worst().into_iter().collect();
        if let Some(mut partner) = partner {
            if let Some(status) = partner.reap() {
                words.push(format!("it ended with {status}"));
            }
            let said = String::from_utf8_lossy(&partner.stderr()).into_owned();
            let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
            let said = lines.collect::<Vec<_>>().join(" / ");
            let skipped = said.chars().count().saturating_sub(TOLD);
            let end: String = said.chars().skip(skipped).collect();
            if !end.is_empty() {
                words.push(format!("it said: {}{end}", if skipped > 0 { "…" } else { "" }));
            }
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

fn transport(
    url: &str,
    headers: &std::collections::BTreeMap<String, String>,
    site: &Site,
) -> Result<StreamableHttpClientTransport<WebClient>, String> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = host.and_then(|rest| rest.split('/').next()).filter(|host| !host.is_empty());
    if host.is_none_or(|host| host.contains('@')) {
        let wanted = "its address does not begin with `http://` or `https://` and a host";
        return Err(wanted.to_owned());
    }
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let wrong = || format!("the header `{name}` cannot be sent");
        let header: HeaderName = name.parse().map_err(|_odd| wrong())?;
        let mut value: HeaderValue = value.trim().parse().map_err(|_odd| wrong())?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    let mut retries = FixedInterval::default();
    (retries.max_times, retries.duration) = (Some(2), Duration::from_millis(500));
    config.retry_config = Arc::new(retries);
    let client = WebClient(Web::new(url, &site.env));
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Lets the protocol begin, and waits for it as long as there is time.
fn serve<T, E, A>(
    client: Client,
    transport: T,
    spec: &ServerSpec,
    handle: &Handle,
    cancel: &Cancel,
) -> Served
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let (sender, served) = mpsc::channel();
    let by_cancel = sender.clone();
    let task = handle.spawn(async move {
        let begun = client.serve_with_lifecycle(transport, lifecycle).await;
        let served = match begun {
            Ok(service) => match list(service.peer()).await {
                Ok(tools) => Ok((service, tools)),
                Err(error) => Err(format!("it does not tell its tools: {}", failure(&error))),
            },
            Err(error) => Err(refusal(&error)),
        };
        let _late = sender.send(served);
    });
    let _listener = cancel.listen(move || {
        let _over = by_cancel.send(Err("it was not waited for".to_owned()));
    });
    let time = spec.startup_timeout;
    let served = served.recv_timeout(time).unwrap_or_else(|_timeout| {
        Err(format!("it was not ready within {} s, its `startup_timeout`", time.as_secs_f64()))
    });
    if served.is_err() {
        task.abort();
    }
    served
}

/// Everything that a server lists, up to a limit.
async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Value>, ServiceError> {
    let has_tools = peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
    let mut listed = Vec::new();
    let mut page = None;
    if !has_tools {
        return Ok(listed);
    }
    for _ in 0..MOST_PAGES {
        let result = peer.list_tools(page.take()).await?;
        let tools = result.tools.iter().filter_map(|tool| serde_json::to_value(tool).ok());
        listed.extend(tools);
        match result.next_cursor {
            Some(cursor) if listed.len() < MOST_LISTED => {
                let next = PaginatedRequestParams::default();
                page = Some(next.with_cursor(Some(cursor)));
            }
            _ => break,
        }
    }
    listed.truncate(MOST_LISTED);
    Ok(listed)
}

/// Why a server was not ready, without what it may have repeated of a key.
fn refusal(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it was ready".to_owned(),
        ClientInitializeError::JsonRpcError(error) => format!("it refuses: {}", error.message),
        // Its end is seen by whoever writes to it first, or by whoever reads.
        ClientInitializeError::TransportError { error, .. }
            if is_broken_pipe(error.error.as_ref()) =>
        {
            "it ended before it was ready".to_owned()
        }
        ClientInitializeError::TransportError { error, .. } => root(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refusal(fallback),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<_> = server_supported.iter().map(ToString::to_string).collect();
            format!("it speaks other versions of the protocol: {}", versions.join(", "))
        }
        _ => "it does not speak the protocol".to_owned(),
    }
}

/// What went wrong with a message.
pub(super) fn failure(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => root(error.error.as_ref()),
        ServiceError::TransportClosed => "the connection is closed".to_owned(),
        other => other.to_string(),
    }
}

/// Whether nobody reads what is sent any more.
fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let is_it = |error: &(dyn std::error::Error + 'static)| {
        let error = error.downcast_ref::<std::io::Error>();
        error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    };
    is_it(error) || error.source().is_some_and(is_broken_pipe)
}

fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !said.contains(&cause_text) {
            said = format!("{said}: {cause_text}");
        }
        source = cause.source();
    }
    said
}
