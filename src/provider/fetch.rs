//! What is behind an address that the user named, fetched once.
//!
//! No key, cookie or password is ever sent. Redirects are followed a few times, but not from the
//! outside into this machine or its network, and not from TLS to none.

use std::{
    io::Read,
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use ureq::{
    Agent, Error, ResponseExt,
    config::Config,
    http::{Request, Uri, header},
    tls::TlsConfig,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use super::{ProviderError, Secret, Trouble, connect, http::failure, tls};
use crate::env::Env;

/// How far a fetch may go.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    /// How long all of it may take.
    pub time: Duration,
    /// The most bytes.
    pub largest: u64,
    /// The most redirects.
    pub redirects: u32,
}

/// What was behind an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// What the server says that it is, without parameters and in lower case.
    pub media_type: Option<String>,
    /// The bytes as they came.
    pub bytes: Vec<u8>,
}

impl Fetch {
    /// Fetches what is behind an address.
    pub fn fetch(&self, url: &str, env: &Env) -> Result<Fetched, ProviderError> {
        let uri = check(url)?;
        let wrong =
            |trouble, words: String| Err(ProviderError::new(trouble, format!("`{url}` {words}")));
        let gate = Gate::default();
        let proxy = connect::proxy_for(&uri, env);
        let certificates = env.var(tls::CERTIFICATES).map(|file| env.cwd().join(file));
        let tls = tls::config(certificates.as_deref())?;
        let agent = self.agent(tls, proxy.as_ref(), &gate)?;
        let request = Request::get(&uri).header(header::ACCEPT, "*/*").body(());
        let request = match request {
            Ok(request) => request,
            Err(error) => return wrong(Trouble::Refused, format!("cannot be asked: {error}")),
        };
        let told = |error: &Error| {
            if let Some(refusal) = gate.refusal() {
                return ProviderError::new(Trouble::Refused, format!("`{url}` {refusal}"));
            }
            let failed = match error {
                Error::TooManyRedirects => ProviderError::new(
                    Trouble::Refused,
                    format!("leads elsewhere more than {} times", self.redirects),
                ),
                Error::Timeout(_) => ProviderError::new(
                    Trouble::Silent,
                    format!("did not come within {:?}", self.time),
                ),
                error => failure(error),
            };
            let message = format!("`{url}` {}", failed.message);
            let message = proxy.as_ref().map_or(message.clone(), |proxy| proxy.redact(&message));
            ProviderError { message, ..failed }
        };
        let response = agent.run(request).map_err(|error| told(&error))?;
        let history = response.get_redirect_history().unwrap_or_default();
        if leaves_tls(history) {
            return wrong(Trouble::Refused, LEAVES_TLS.to_owned());
        }
        let status = response.status();
        if !status.is_success() {
            return wrong(Trouble::Refused, format!("answers with status {}", status.as_u16()));
        }
        let text = |name| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::trim).map(str::to_lowercase)
        };
        if let Some(encoding) = text(header::CONTENT_ENCODING).filter(|word| word != "identity") {
            return wrong(
                Trouble::Garbled,
                format!("came as `{encoding}`, which was not asked for"),
            );
        }
        let media_type = text(header::CONTENT_TYPE)
            .and_then(|value| value.split(';').next().map(|word| word.trim().to_owned()))
            .filter(|word| word.contains('/'));
        let too_much = || {
            let largest = self.largest >> 20;
            wrong(
                Trouble::Refused,
                format!("is larger than {largest} MiB, the most of one attachment"),
            )
        };
        let announced = text(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        if announced.is_some_and(|length| length > self.largest) {
            return too_much();
        }
        let mut bytes = Vec::new();
        let reader = response.into_body().into_with_config().limit(u64::MAX).reader();
        let read = reader.take(self.largest + 1).read_to_end(&mut bytes);
        read.map_err(|error| told(&Error::from(error)))?;
        if bytes.len() as u64 > self.largest {
            return too_much();
        }
        Ok(Fetched { media_type, bytes })
    }

    fn agent(
        &self,
        tls: TlsConfig,
        proxy: Option<&Secret>,
        gate: &Gate,
    ) -> Result<Agent, ProviderError> {
        let proxy = proxy.map(|proxy| ureq::Proxy::new(proxy.reveal())).transpose();
        let proxy = proxy.map_err(|_shows_the_address| {
            ProviderError::new(Trouble::Unreachable, "the address of the proxy cannot be read")
        })?;
        let config = Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(self.redirects)
            .max_redirects_will_error(true)
            .save_redirect_history(true)
            .max_idle_connections(0)
            .user_agent(concat!("jp/", env!("CARGO_PKG_VERSION")))
            .timeout_global(Some(self.time))
            .build();
        Ok(Agent::with_parts(config, DefaultConnector::default(), gate.clone()))
    }
}

/// The address, if it is one that can be fetched; what is wrong with it is told without showing a
/// password.
fn check(url: &str) -> Result<Uri, ProviderError> {
    let wrong = |why: &str| Err(ProviderError::new(Trouble::Refused, format!("the address {why}")));
    let Ok(uri) = url.parse::<Uri>() else { return wrong("cannot be read") };
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return wrong("does not begin with `http://` or `https://`");
    };
    if authority.as_str().contains('@') {
        return wrong("holds a user name or a password, which would be kept in the conversation");
    }
    Ok(uri)
}

const LEAVES_TLS: &str = "leads from `https:` to `http:`, where anybody could change it";

fn leaves_tls(history: &[Uri]) -> bool {
    let secure = |uri: &Uri| uri.scheme_str() == Some("https");
    history.windows(2).any(|pair| secure(&pair[0]) && !secure(&pair[1]))
}

/// Looks up where to connect to, and refuses what a redirect must not lead to.
#[derive(Clone, Debug, Default)]
struct Gate(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The place that the user named, once it was looked up.
    named: Mutex<Option<Uri>>,
    /// Whether it is on this machine or in its network.
    inside: AtomicBool,
    refusal: Mutex<Option<String>>,
}

impl Gate {
    fn refusal(&self) -> Option<String> {
        self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the way to these addresses is open; what the user named always is.
    fn admits(&self, uri: &Uri, addresses: impl Iterator<Item = IpAddr>) -> bool {
        let inside = { addresses }.any(is_inside);
        let mut named = self.0.named.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = named.as_ref() else {
            *named = Some(uri.clone());
            self.0.inside.store(inside, Ordering::SeqCst);
            return true;
        };
        let refusal = if leaves_tls(&[first.clone(), uri.clone()]) {
            Some(LEAVES_TLS.to_owned())
        } else if inside && !self.0.inside.load(Ordering::SeqCst) {
            let host = uri.host().unwrap_or_default();
            Some(format!("leads to `{host}`, which is not outside of this machine's network"))
        } else {
            None
        };
        let admits = refusal.is_none();
        *self.0.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        admits
    }
}

impl Resolver for Gate {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        match self.admits(uri, found.iter().map(std::net::SocketAddr::ip)) {
            true => Ok(found),
            false => Err(Error::HostNotFound),
        }
    }
}

/// Whether an address is one of this machine or of a network that others do not reach.
fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(four) => {
            let [first, second, ..] = four.octets();
            four.is_loopback()
                || four.is_private()
                || four.is_link_local()
                || first == 0
                || four.is_broadcast()
                // Shared between providers and their customers.
                || (first == 100 && (64..128).contains(&second))
        }
        IpAddr::V6(six) => {
            six.is_loopback()
                || six.is_unspecified()
                || six.is_unique_local()
                || six.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    fn admitted(hops: &[(&str, &str)]) -> (Vec<bool>, Option<String>) {
        let gate = Gate::default();
        let admits = |(url, address): &(&str, &str)| {
            gate.admits(&uri(url), [address.parse().unwrap()].into_iter())
        };
        (hops.iter().map(admits).collect(), gate.refusal())
    }

    #[test]
    fn a_redirect_does_not_lead_inside() {
        let outside = ("https://a.example/", "93.184.215.14");
        let refused = "leads to `b.example`, which is not outside of this machine's network";
        for inside in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::ffff:127.0.0.1",
            "fd00::1",
            "fe80::1",
        ] {
            let (admits, refusal) = admitted(&[outside, ("https://b.example/", inside)]);
            assert_eq!(
                (admits, refusal.as_deref()),
                (vec![true, false], Some(refused)),
                "{inside}"
            );
        }
        let elsewhere = ("https://b.example/", "2606:2800:220:1::1");
        assert_eq!(admitted(&[outside, elsewhere]), (vec![true, true], None));
        // Who named a place inside may be sent on from there.
        let inside = ("http://wiki/", "10.0.0.1");
        assert_eq!(admitted(&[inside, ("http://login/", "10.0.0.2")]), (vec![true, true], None));
    }

    #[test]
    fn a_redirect_does_not_leave_tls() {
        let outside = ("https://a.example/", "93.184.215.14");
        let plain = ("http://a.example/", "93.184.215.14");
        let refused = (vec![true, false], Some(LEAVES_TLS.to_owned()));
        assert_eq!(admitted(&[outside, plain]), refused);
        assert_eq!(admitted(&[plain, outside]), (vec![true, true], None));
        assert!(leaves_tls(&[uri("https://a/"), uri("https://b/"), uri("http://c/")]));
    }

    #[test]
    fn an_address_that_is_of_no_use_is_told_without_its_password() {
        let wrong = |url| check(url).unwrap_err().message;
        assert!(!wrong("https://ann:sesame@host/").contains("sesame"));
        assert!(wrong("ftp://host/").contains("`https://`"));
        assert_eq!(wrong("http://a b"), "the address cannot be read");
    }
}
