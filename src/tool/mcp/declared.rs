//! A server as the user declares it.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::tool::Permission;

/// How long a server may take to start unless its declaration says otherwise.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a call may take unless the declaration says otherwise.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How many bytes of a result a model gets unless the declaration says otherwise.
const OUTPUT_LIMIT: usize = 64_000;

/// A server as the user declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSpec {
    /// The name, with which the names of its tools begin.
    pub name: String,
    /// The file that declares it, for people.
    pub origin: String,
    /// How it is reached.
    pub way: Way,
    /// The tools that count, by the names that the server gives them; all without a list.
    pub tools: Option<Vec<String>>,
    /// The tools that may be called twice, by the names that the server gives them.
    pub idempotent: Vec<String>,
    /// Whether its tools may run.
    pub permission: Permission,
    /// How long it may take to start.
    pub startup_timeout: Duration,
    /// How long a call may take.
    pub timeout: Duration,
    /// How many bytes of a result a model gets.
    pub output_limit: usize,
}

/// How a server is reached.
#[derive(Clone, PartialEq)]
pub enum Way {
    /// A program that is started.
    Command {
        /// The program and its arguments.
        argv: Vec<String>,
        /// The variables that it sees beside the usual ones, by name.
        environment: Vec<String>,
        /// Variables with their values.
        variables: BTreeMap<String, String>,
    },
    /// An address.
    Url {
        /// The address.
        url: String,
        /// Headers with their values.
        headers: BTreeMap<String, String>,
    },
}

impl ServerSpec {
    /// A server of which nothing but its name and its way is said.
    pub fn new(name: impl Into<String>, origin: impl Into<String>, way: Way) -> Self {
        Self {
            name: name.into(),
            origin: origin.into(),
            way,
            tools: None,
            idempotent: Vec::new(),
            permission: Permission::Ask,
            startup_timeout: STARTUP_TIMEOUT,
            timeout: TIMEOUT,
            output_limit: OUTPUT_LIMIT,
        }
    }
}

impl fmt::Debug for Way {
    /// Values may be secrets: of these only the names are told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { argv, environment, variables } => f
                .debug_struct("Command")
                .field("argv", &argv.first())
                .field("environment", environment)
                .field("variables", &variables.keys().collect::<Vec<_>>())
                .finish(),
            Self::Url { url, headers } => f
                .debug_struct("Url")
                .field("url", &without_query(url))
                .field("headers", &headers.keys().collect::<Vec<_>>())
                .finish(),
        }
    }
}

/// An address without what may be a key in it.
pub(super) fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

impl fmt::Display for Way {
    /// The program or the address, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { argv, .. } => f.write_str(argv.first().map_or("", String::as_str)),
            Self::Url { url, .. } => f.write_str(without_query(url)),
        }
    }
}
