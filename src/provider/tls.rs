//! Whose certificates are trusted: those of Mozilla's list, or those that the user names.

use std::{fs, path::Path};

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use super::{ProviderError, Trouble};

/// The variable that names a file with the certificates to trust, as for OpenSSL and curl.
pub(super) const CERTIFICATES: &str = "SSL_CERT_FILE";

/// The most bytes of a file with certificates.
const LARGEST_FILE: u64 = 16 << 20;

/// What is trusted: only what is in a file, if there is one.
pub(super) fn config(file: Option<&Path>) -> Result<TlsConfig, ProviderError> {
    let roots = match file {
        Some(file) => RootCerts::new_with_certs(&read(file)?),
        None => RootCerts::WebPki,
    };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

/// What is wrong with a connection by TLS.
pub(super) fn failure(cause: &dyn std::fmt::Display) -> (Trouble, String) {
    let cause = cause.to_string();
    let why = match cause.strip_prefix("invalid peer certificate: ") {
        Some("UnknownIssuer" | "BadSignature") => "nobody whom jp trusts has signed it".to_owned(),
        Some(why) if why.contains("not valid for name") => {
            format!("it is for another name ({why})")
        }
        Some(why) => why.to_owned(),
        None => return (Trouble::Certificate, format!("cannot be asked by TLS: {cause}")),
    };
    (Trouble::Certificate, format!("shows a certificate that does not count: {why}"))
}

fn read(file: &Path) -> Result<Vec<Certificate<'static>>, ProviderError> {
    let wrong = |why: String| {
        let message =
            format!("cannot be asked: `{CERTIFICATES}` names `{}`, which {why}", file.display());
        ProviderError::new(Trouble::Certificate, message)
    };
    let size = fs::metadata(file).map_err(|error| wrong(format!("cannot be read: {error}")))?.len();
    if size > LARGEST_FILE {
        return Err(wrong("is too large for certificates".to_owned()));
    }
    let pem = fs::read(file).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        match item {
            Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(wrong(format!("is no PEM: {error}"))),
        }
    }
    if certificates.is_empty() {
        return Err(wrong("holds no certificate in PEM".to_owned()));
    }
    Ok(certificates)
}
