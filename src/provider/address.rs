//! Where a server is: addresses as people write them, made whole.

use ureq::http::Uri;

use super::{Api, ProviderError, Trouble};

/// The address under which the paths of an API begin: with a scheme, without a slash at its end,
/// and without a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Completes an address for an API; `from` says whose it is if it is of no use.
    pub fn parse(text: &str, api: Api, from: &str) -> Result<Self, ProviderError> {
        let wrong = |why: &str| {
            // The text is not shown: it may hold a password.
            let message = format!("the address in {from} {why}");
            Err(ProviderError::new(Trouble::Refused, message))
        };
        let text = text.trim().trim_matches(['"', '\'']).trim();
        let whole = if api == Api::Ollama { ollama(text) } else { text.to_owned() };
        let Ok(uri) = whole.parse::<Uri>() else {
            return wrong("cannot be read");
        };
        let (Some(scheme @ ("http" | "https")), Some(authority)) =
            (uri.scheme_str(), uri.authority())
        else {
            return wrong("does not begin with `http://` or `https://`");
        };
        if authority.as_str().contains('@') {
            return wrong("holds a user name or a password, which belong into a key variable");
        }
        if uri.query().is_some() {
            return wrong("holds a `?`");
        }
        let path = uri.path().trim_end_matches('/');
        let path = match api {
            // Its paths begin with the version.
            Api::Anthropic => path.strip_suffix("/v1").unwrap_or(path),
            Api::OpenAi if path.is_empty() => "/v1",
            Api::OpenAi | Api::Ollama => path,
        };
        Ok(Self(format!("{scheme}://{authority}{path}")))
    }

    /// The address of something else than an API, as it stands.
    pub(super) fn of_url(url: &str) -> Self {
        Self(url.to_owned())
    }

    /// The address, harmless to show.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether what is sent there stays on this machine.
    pub fn is_loopback(&self) -> bool {
        let (host, _) = self.host_and_port();
        let address = host.parse::<std::net::IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The name of the server in lower case, without brackets, and its port.
    pub(super) fn host_and_port(&self) -> (String, u16) {
        let uri = self.0.parse::<Uri>().unwrap_or_default();
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_lowercase();
        (host, uri.port_u16().unwrap_or(if self.is_secure() { 443 } else { 80 }))
    }

    /// Whether the address is one of TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.0.starts_with("https:")
    }
}

/// `OLLAMA_HOST` has forms of its own: without scheme, without port, and with the address that a
/// server listens on in place of one that a client can reach.
fn ollama(text: &str) -> String {
    const PORT: &str = "11434";
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let is_bare_v6 = authority.matches(':').count() > 1 && !authority.starts_with('[');
    let (host, port) = match authority.rfind(':').filter(|at| authority.rfind(']') < Some(*at)) {
        Some(at) if !is_bare_v6 => (&authority[..at], &authority[at + 1..]),
        _ => (authority, ""),
    };
    let host = match host.trim_matches(['[', ']']) {
        "" | "0.0.0.0" => "127.0.0.1".to_owned(),
        "::" => "[::1]".to_owned(),
        host if host.contains(':') => format!("[{host}]"),
        host => host.to_owned(),
    };
    let port = match (port, scheme) {
        ("", "https") => "443",
        ("", "http") => "80",
        ("", _) => PORT,
        (port, _) => port,
    };
    let scheme = if scheme.is_empty() { "http" } else { scheme };
    format!("{scheme}://{host}:{port}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, api: Api) -> String {
        let address = Address::parse(text, api, "`X`");
        address.map_or_else(|error| error.message, |address| address.0)
    }

    #[test]
    fn the_forms_of_ollama_host_are_completed() {
        for (text, expected) in [
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:1234", "http://127.0.0.1:1234"),
            (":5000", "http://127.0.0.1:5000"),
            ("box", "http://box:11434"),
            ("box:80", "http://box:80"),
            ("http://box", "http://box:80"),
            ("https://box/", "https://box:443"),
            ("https://box:8443/ollama/", "https://box:8443/ollama"),
            ("[::]:11434", "http://[::1]:11434"),
            ("::1", "http://[::1]:11434"),
            (" \"127.0.0.1\" ", "http://127.0.0.1:11434"),
        ] {
            assert_eq!(parse(text, Api::Ollama), expected, "{text}");
        }
    }

    #[test]
    fn the_version_is_where_each_api_wants_it() {
        assert_eq!(parse("http://h:1/", Api::OpenAi), "http://h:1/v1");
        assert_eq!(parse("http://h:1/api/v3/", Api::OpenAi), "http://h:1/api/v3");
        assert_eq!(parse("http://h:1/v1", Api::Anthropic), "http://h:1");
        assert_eq!(parse("http://h:1/x", Api::Anthropic), "http://h:1/x");
    }

    #[test]
    fn an_address_that_is_of_no_use_says_whose_it_is_and_not_what_it_holds() {
        let wrong = parse("https://user:sesame@h", Api::OpenAi);
        assert!(wrong.contains("`X`") && !wrong.contains("sesame"), "{wrong}");
        assert!(parse("ftp://h", Api::OpenAi).contains("`https://`"));
        assert!(parse("h:1", Api::OpenAi).contains("`https://`"));
        assert!(parse("http://h/?key=1", Api::OpenAi).contains("`?`"));
        assert!(parse("http://h h", Api::OpenAi).contains("cannot be read"));
    }

    #[test]
    fn loopback_is_known_by_name_and_number() {
        let is_loopback = |text| Address::parse(text, Api::Ollama, "").unwrap().is_loopback();
        assert!(is_loopback("localhost") && is_loopback("127.0.0.9:1") && is_loopback("[::1]"));
        assert!(!is_loopback("example.com") && !is_loopback("10.0.0.1"));
    }
}
