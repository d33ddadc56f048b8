//! All servers of a query: started side by side, ended side by side.

use std::{io, sync::Arc, thread};

use super::{McpTool, Server, ServerSpec, names::assign, offer::Offer, runtime::Runtime};
use crate::{cancel::Cancel, tool::Site};

/// The servers that run for a query. They end when this is dropped.
#[must_use = "the servers end once this is dropped"]
#[derive(Default)]
pub struct Servers {
    servers: Vec<Arc<Server>>,
}

/// What a server offers and what is odd about it, or why it did not start.
type Offered = Result<(Vec<Offer>, Vec<String>), String>;

/// What came of starting one server.
pub struct Started {
    /// How it was declared.
    pub spec: ServerSpec,
    /// Its tools, or why it has none, in one line.
    pub tools: Result<Vec<Arc<McpTool>>, String>,
    /// What is odd about it, each in one line.
    pub notes: Vec<String>,
}

impl Servers {
    /// Starts servers, all at once, and waits until each is ready or has failed. `taken` are the
    /// names of other tools. Without servers nothing is started at all.
    pub fn start(
        specs: Vec<ServerSpec>,
        site: &Arc<Site>,
        taken: &[String],
        cancel: &Cancel,
    ) -> io::Result<(Self, Vec<Started>)> {
        if specs.is_empty() {
            return Ok((Self::default(), Vec::new()));
        }
        let runtime = Arc::new(Runtime::start()?);
        let new = |spec| Arc::new(Server::new(spec, site.clone(), runtime.clone()));
        let servers = Self { servers: specs.into_iter().map(new).collect() };
        let offers = thread::scope(|scope| {
            let start = |server: &Arc<Server>| {
                let (server, cancel) = (server.clone(), cancel.clone());
                let thread = thread::Builder::new().name("mcp-start".to_owned());
                thread.spawn_scoped(scope, move || server.start(&cancel))
            };
            let threads: Vec<_> = servers.servers.iter().map(start).collect();
            let wait = |thread: io::Result<thread::ScopedJoinHandle<'_, _>>| match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|_panic| Err("jp failed: a defect".to_owned()))
                }
                Err(error) => Err(format!("a thread cannot be started: {error}")),
            };
            threads.into_iter().map(wait).collect::<Vec<_>>()
        });
        let started = servers.tools(offers, taken);
        Ok((servers, started))
    }

    fn tools(&self, offers: Vec<Offered>, taken: &[String]) -> Vec<Started> {
        let mut wanted = Vec::new();
        for (server, offers) in self.servers.iter().zip(&offers) {
            let offers = offers.iter().flat_map(|(offers, _)| offers);
            wanted.extend(offers.map(|offer| (server.spec().name.as_str(), offer.name.as_str())));
        }
        let mut names = assign(taken, &wanted).into_iter();
        let mut started = Vec::new();
        for (server, offers) in self.servers.iter().zip(offers) {
            let spec = server.spec().clone();
            started.push(match offers {
                Ok((offers, notes)) => {
                    let tools = names.by_ref().take(offers.len()).zip(offers);
                    let tools = tools
                        .map(|(name, offer)| Arc::new(McpTool::new(server.clone(), &name, offer)));
                    Started { spec, tools: Ok(tools.collect()), notes }
                }
                Err(problem) => Started { spec, tools: Err(problem), notes: Vec::new() },
            });
        }
        started
    }

    /// Ends them all, side by side.
    pub fn end(&self) {
        thread::scope(|scope| {
            for server in &self.servers {
                scope.spawn(|| server.end());
            }
        });
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.end();
    }
}
