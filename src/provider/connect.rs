//! From the name of a provider to a connection: which address, which key, which wire format.
//!
//! Everything is decided here from values; nothing is sent.

use std::{ffi::OsStr, path::PathBuf, time::Duration};

use ureq::http::Uri;

use super::{
    Api, Preset, Provider, ProviderError, Secret, Trouble, address::Address, chat::Chat,
    openai::Dialect, preset::PRESETS, tls::CERTIFICATES,
};
use crate::env::Env;

/// How long a server may say nothing. Models on this machine are loaded first, and others think
/// for minutes without a word.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the user changed about a provider, or all about one of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderOverlay {
    /// What it speaks.
    pub api: Option<Api>,
    /// Where it is.
    pub base_url: Option<String>,
    /// The variable with its key.
    pub api_key_env: Option<String>,
    /// The variable with another address.
    pub base_url_env: Option<String>,
    /// How long it may say nothing.
    pub idle_timeout: Option<Duration>,
    /// Whether its models take images.
    pub images: Option<bool>,
    /// Whether its models take PDF documents.
    pub pdf: Option<bool>,
}

/// A server that can be asked: what it speaks, where it is, and the key for it.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The name of the provider.
    pub name: String,
    /// What it speaks.
    pub api: Api,
    /// Where it is.
    pub base: Address,
    /// The variable that the address came from, if it came from one.
    pub base_var: Option<String>,
    /// The variable that the key came from, if there is one.
    pub key_var: Option<String>,
    /// How long it may say nothing.
    pub idle_timeout: Duration,
    pub(super) key: Option<Secret>,
    pub(super) proxy: Option<Secret>,
    /// The file with the certificates to trust in place of the usual ones.
    pub(super) certificates: Option<PathBuf>,
    pub(super) dialect: Dialect,
    pub(super) images: Option<bool>,
    pub(super) pdf: Option<bool>,
}

impl Endpoint {
    /// Finds the server of a provider, from what jp knows, what the user changed, and variables.
    pub fn choose(
        name: &str,
        overlay: Option<&ProviderOverlay>,
        env: &Env,
    ) -> Result<Self, ProviderError> {
        let preset = Preset::named(name);
        let unchanged = ProviderOverlay::default();
        let overlay = overlay.unwrap_or(&unchanged);
        let Some(api) = overlay.api.or(preset.map(|preset| preset.api)) else {
            return Err(unknown(name));
        };
        let (base, base_var) = base(name, api, preset, overlay, env)?;
        let (key, key_var) = key(name, preset, overlay, env)?;
        // Another address than that of the service may need no key, and will say so if it does.
        let is_service =
            preset.is_some_and(|preset| base.as_str() == preset.base_url && !preset.local);
        let wanted = overlay.api_key_env.as_deref();
        let wanted = wanted.or_else(|| preset?.key_vars.first().copied().filter(|_| is_service));
        if let (None, Some(wanted)) = (&key, wanted) {
            let message =
                format!("there is no key for `{name}`: the variable `{wanted}` is not set");
            return Err(ProviderError::new(Trouble::Key, message));
        }
        let proxy = proxy(&base, env);
        if let (Some(var), Some(_), false) = (&key_var, &proxy, base.is_secure()) {
            let message = format!(
                "the key in `{var}` would pass the proxy unencrypted: `{}` is not https",
                base.as_str()
            );
            return Err(ProviderError::new(Trouble::Refused, message));
        }
        let certificates = env.var(CERTIFICATES).filter(|file| !file.is_empty());
        Ok(Self {
            name: name.to_owned(),
            api,
            proxy,
            certificates: certificates.map(|file| env.cwd().join(file)),
            base,
            base_var,
            key_var,
            idle_timeout: overlay.idle_timeout.unwrap_or(PATIENCE),
            key,
            dialect: preset.map_or(Dialect::COMMON, |preset| preset.dialect),
            images: overlay.images,
            pdf: overlay.pdf,
        })
    }

    /// A provider that asks this server.
    pub fn connect(self) -> Box<dyn Provider> {
        Box::new(Chat::new(self))
    }
}

fn unknown(name: &str) -> ProviderError {
    let known: Vec<_> = PRESETS.iter().map(|preset| format!("`{}`", preset.name)).collect();
    let message = format!("there is no provider `{name}`; jp knows {}", known.join(", "));
    ProviderError::new(Trouble::Refused, message)
}

/// The address: from its variable, else from the configuration, else the usual one.
fn base(
    name: &str,
    api: Api,
    preset: Option<&Preset>,
    overlay: &ProviderOverlay,
    env: &Env,
) -> Result<(Address, Option<String>), ProviderError> {
    // The usual variable does not overrule an address that the user configured; one that they
    // configured themselves does.
    let usual = preset.and_then(|preset| preset.base_var).filter(|_| overlay.base_url.is_none());
    if let Some(var) = overlay.base_url_env.as_deref().or(usual)
        && let Some(value) = text(env, var)?
    {
        let address = Address::parse(&value, api, &format!("`{var}`"))?;
        return Ok((address, Some(var.to_owned())));
    }
    let configured = overlay.base_url.as_deref();
    let Some(text) = configured.or(preset.map(|preset| preset.base_url)) else {
        let message = format!("there is no address for the provider `{name}`");
        return Err(ProviderError::new(Trouble::Refused, message));
    };
    Ok((Address::parse(text, api, &format!("the configuration of `{name}`"))?, None))
}

/// The key, and the variable that it came from.
fn key(
    name: &str,
    preset: Option<&Preset>,
    overlay: &ProviderOverlay,
    env: &Env,
) -> Result<(Option<Secret>, Option<String>), ProviderError> {
    let usual = preset.map_or(&[][..], |preset| preset.key_vars);
    let configured = overlay.api_key_env.as_deref();
    let vars = configured.map_or_else(|| usual.to_vec(), |var| vec![var]);
    for var in vars {
        let Some(value) = text(env, var)? else {
            continue;
        };
        let secret = Secret::new(&value);
        if secret.reveal().is_empty() {
            continue;
        }
        if !secret.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
            let message =
                format!("the key for `{name}` in `{var}` holds characters that no key has");
            return Err(ProviderError::new(Trouble::Key, message));
        }
        return Ok((Some(secret), Some(var.to_owned())));
    }
    Ok((None, None))
}

/// The proxy for any address, by the same rules.
pub(super) fn proxy_for(uri: &Uri, env: &Env) -> Option<Secret> {
    let origin = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
    let address = Address::parse(&origin, Api::Anthropic, "the address").ok()?;
    proxy(&address, env)
}

/// The proxy that the usual variables name, unless the server is on this machine or exempt.
pub(super) fn proxy(base: &Address, env: &Env) -> Option<Secret> {
    let set = |name: &str| env.var(name).and_then(OsStr::to_str).filter(|value| !value.is_empty());
    let either = |name: &str| set(name).or_else(|| set(&name.to_uppercase()));
    if base.is_loopback() || either("no_proxy").is_some_and(|list| is_exempt(base, list)) {
        return None;
    }
    // The upper case name of this one can be set by whoever sends a request to a CGI program.
    let own = if base.is_secure() { either("https_proxy") } else { set("http_proxy") };
    own.or_else(|| either("all_proxy")).map(Secret::new)
}

/// Whether a server is in a list of names, which stand for all below them too; `*` is everybody.
fn is_exempt(base: &Address, list: &str) -> bool {
    let (host, port) = base.host_and_port();
    let entries = list.split([',', ' ']).map(|entry| entry.trim().to_lowercase());
    entries.filter(|entry| !entry.is_empty()).any(|entry| {
        let is_number = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
        let (name, only) = match entry.rsplit_once(':') {
            // More colons than one are an address by themselves, unless it is in brackets.
            Some((name, port))
                if is_number(port) && (!name.contains(':') || name.ends_with(']')) =>
            {
                (name, port.parse().ok())
            }
            _ => (entry.as_str(), None::<u16>),
        };
        if name == "*" {
            return true;
        }
        let name = name.trim_matches(['[', ']']).trim_start_matches('*').trim_start_matches('.');
        let is_it = host == name || host.ends_with(&format!(".{name}"));
        !name.is_empty() && is_it && only.is_none_or(|only| only == port)
    })
}

fn text(env: &Env, var: &str) -> Result<Option<String>, ProviderError> {
    let Some(value) = env.var(var) else {
        return Ok(None);
    };
    match value.to_str() {
        Some(text) => Ok(Some(text.to_owned())),
        None => {
            let message = format!("the variable `{var}` is not text");
            Err(ProviderError::new(Trouble::Refused, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        Env::fixed(vars, "/".into(), now)
    }

    fn choose(name: &str, vars: &[(&str, &str)]) -> Result<Endpoint, ProviderError> {
        Endpoint::choose(name, None, &env(vars))
    }

    #[test]
    fn a_service_needs_its_key_and_names_the_variable() {
        let error = choose("anthropic", &[]).unwrap_err();
        assert_eq!(error.trouble, Trouble::Key);
        assert!(error.message.contains("`ANTHROPIC_API_KEY`"), "{error}");
        let endpoint = choose("gemini", &[("GOOGLE_API_KEY", "AIza-123456\n")]).unwrap();
        assert_eq!(endpoint.key_var.as_deref(), Some("GOOGLE_API_KEY"));
        assert_eq!(endpoint.key.as_ref().map(Secret::reveal), Some("AIza-123456"));
        assert!(!format!("{endpoint:?}").contains("AIza"));
        let error = choose("openai", &[("OPENAI_API_KEY", "sk 12\u{e9}")]).unwrap_err();
        assert_eq!((error.trouble, error.message.contains("sk")), (Trouble::Key, false));
    }

    #[test]
    fn servers_on_this_machine_and_other_addresses_need_no_key() {
        for preset in PRESETS.iter().filter(|preset| preset.local) {
            assert_eq!(choose(preset.name, &[]).unwrap().base.as_str(), preset.base_url);
        }
        let moved = choose("openai", &[("OPENAI_BASE_URL", "http://localhost:9/v1/")]).unwrap();
        assert_eq!(moved.base.as_str(), "http://localhost:9/v1");
        assert_eq!(moved.base_var.as_deref(), Some("OPENAI_BASE_URL"));
    }

    #[test]
    fn every_preset_has_an_address_that_reads_as_it_is_written() {
        for preset in &PRESETS {
            let address = Address::parse(preset.base_url, preset.api, "").unwrap();
            assert_eq!(address.as_str(), preset.base_url);
            assert_eq!(address.is_loopback(), preset.local);
        }
    }

    #[test]
    fn the_user_may_change_a_provider_or_add_one() {
        let overlay = ProviderOverlay {
            api: Some(Api::OpenAi),
            base_url: Some("https://llm.example.com".to_owned()),
            api_key_env: Some("WORK_KEY".to_owned()),
            base_url_env: Some("WORK_URL".to_owned()),
            idle_timeout: Some(Duration::from_secs(1)),
            ..ProviderOverlay::default()
        };
        let choose = |vars: &[(&str, &str)]| Endpoint::choose("work", Some(&overlay), &env(vars));
        let error = choose(&[]).unwrap_err();
        assert!(error.trouble == Trouble::Key && error.message.contains("`WORK_KEY`"));
        let endpoint = choose(&[("WORK_KEY", "k")]).unwrap();
        assert_eq!(endpoint.base.as_str(), "https://llm.example.com/v1");
        assert_eq!(endpoint.idle_timeout, Duration::from_secs(1));
        let endpoint = choose(&[("WORK_KEY", "k"), ("WORK_URL", "http://x/y")]).unwrap();
        assert_eq!(endpoint.base.as_str(), "http://x/y");
        let fixed = ProviderOverlay { base_url: Some("http://a/v1".into()), ..Default::default() };
        let vars = env(&[("OPENAI_BASE_URL", "http://b/v1")]);
        let endpoint = Endpoint::choose("openai", Some(&fixed), &vars).unwrap();
        assert_eq!(endpoint.base.as_str(), "http://a/v1");
        let error = Endpoint::choose("nobody", None, &vars).unwrap_err();
        assert!(error.message.contains("`ollama`"), "{error}");
    }

    #[test]
    fn a_proxy_is_for_others_than_this_machine_and_those_exempt() {
        let vars = |more: &[(&str, &str)]| {
            let mut all = vec![("XAI_API_KEY", "123456"), ("HTTPS_PROXY", "http://user:pass@p:1")];
            all.extend(more);
            let endpoint = choose("xai", &all).unwrap();
            assert!(!format!("{endpoint:?}").contains("pass"));
            endpoint.proxy.map(|proxy| proxy.reveal().to_owned())
        };
        assert_eq!(vars(&[]).as_deref(), Some("http://user:pass@p:1"));
        assert_eq!(vars(&[("NO_PROXY", "other, .x.ai")]), None);
        assert_eq!(vars(&[("no_proxy", "*")]), None);
        assert_eq!(vars(&[("NO_PROXY", "api.x.ai:443")]), None);
        for other in ["ai.x", "x.ai:80", "", ":", "api.x.ai.org", "pi.x.ai"] {
            let proxy = vars(&[("no_proxy", other)]);
            assert_eq!(proxy.as_deref(), Some("http://user:pass@p:1"), "{other}");
        }
        // A variable that is set to nothing is not set.
        assert!(vars(&[("https_proxy", "")]).is_some());
        assert_eq!(vars(&[("XAI_BASE_URL", "http://127.0.0.1:1")]), None);
        let six = ("XAI_BASE_URL", "https://[fd00::1]:8443/v1");
        assert_eq!(vars(&[six, ("no_proxy", "fd00::1")]), None);
        assert_eq!(vars(&[six, ("no_proxy", "[fd00::1]:8443")]), None);
        assert!(vars(&[six, ("no_proxy", "fd00::2")]).is_some());
    }

    #[test]
    fn a_key_never_passes_a_proxy_unencrypted() {
        let proxied = [("http_proxy", "http://p:1"), ("OPENAI_BASE_URL", "http://box/v1")];
        assert!(choose("openai", &proxied).unwrap().proxy.is_some());
        let mut vars = proxied.to_vec();
        vars.push(("OPENAI_API_KEY", "sk-123456"));
        let error = choose("openai", &vars).unwrap_err();
        let expected = "the key in `OPENAI_API_KEY` would pass the proxy unencrypted: \
                        `http://box/v1` is not https";
        assert_eq!((error.trouble, error.message.as_str()), (Trouble::Refused, expected));
        vars.push(("no_proxy", "box"));
        assert!(choose("openai", &vars).unwrap().proxy.is_none());
        let shouted = choose("openai", &[("HTTP_PROXY", "http://p:1"), vars[1]]).unwrap();
        assert!(shouted.proxy.is_none());
    }

    #[test]
    fn the_file_with_certificates_is_named_from_where_the_user_is() {
        let certificates =
            |file: &str| choose("ollama", &[("SSL_CERT_FILE", file)]).unwrap().certificates;
        assert_eq!(certificates("ca.pem"), Some("/ca.pem".into()));
        assert_eq!(certificates(""), None);
    }
}
