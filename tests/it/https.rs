//! Servers behind TLS: one whose authority the user trusts is asked, any other is not.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{PrivateKeyDer, pem::PemObject},
};

use crate::{
    loopback::Loopback,
    query::{KEY, answer, ask, configure, files, only},
    support::{Jp, Output},
};

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";

/// A server behind TLS.
struct Server {
    port: u16,
    /// The certificate of the authority that vouches for it, as PEM.
    authority: String,
    /// What was sent, one request after the other.
    heard: mpsc::Receiver<String>,
    /// How many came at all.
    connections: mpsc::Receiver<()>,
}

impl Server {
    /// Starts one that has a certificate for this name.
    fn start(name: &str) -> Self {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let own = own.signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (say, heard) = mpsc::channel();
        let (count, connections) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = count.send(());
                let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
                // Somebody who does not trust the certificate hangs up.
                if let Some(request) = serve(StreamOwned::new(tls, stream)) {
                    let _ = say.send(request);
                }
            }
        });
        Self { port, authority: authority.pem(), heard, connections }
    }

    /// What a user hears who trusts the authorities in a file, or without one those that
    /// everybody does, and asks it by a name.
    fn ask(&self, jp: &Jp, name: &str, trusted: &str) -> Output {
        let file = jp.world().join("ca.pem");
        fs::write(&file, trusted).unwrap();
        let file = if trusted.is_empty() { "".into() } else { file };
        let base = format!("https://{name}:{}/v1", self.port);
        let jp = jp.with_var("OPENAI_BASE_URL", base).with_var("SSL_CERT_FILE", file);
        ask(&jp, &["--new", "Hello"])
    }
}

/// Reads a request and answers it.
fn serve(mut stream: impl Read + Write) -> Option<String> {
    let mut reader = BufReader::new(&mut stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.split("content-length: ").nth(1)?.lines().next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let head_of_answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    let answer = format!("{head_of_answer}content-length: {}\r\n\r\n{ANSWER}", ANSWER.len());
    stream.write_all(answer.as_bytes()).ok()?;
    stream.flush().ok()?;
    Some(head + &String::from_utf8_lossy(&body))
}

fn user() -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    configure(&jp, "[assistant]\nmodel = \"openai/large\"\n\n[providers.openai]\nretries = 2\n");
    jp.with_var("OPENAI_API_KEY", KEY)
}

#[test]
fn a_server_whose_authority_the_user_trusts_is_asked() {
    let server = Server::start("localhost");
    let jp = user();
    // A bundle has more than one certificate, and words between them.
    let other = Server::start("localhost").authority;
    let bundle = format!("# ours\n{other}\n# theirs\n{}", server.authority);
    assert_eq!(answer(server.ask(&jp, "localhost", &bundle)), "Hi.\n");
    let request = server.heard.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}")), "{request}");
    assert_eq!(files(&jp, &only(&jp)), ["000-request.md", "001-message.md"]);
}

#[test]
fn a_certificate_that_does_not_count_is_told_once_and_the_key_is_not_sent() {
    let server = Server::start("localhost");
    let stranger = Server::start("localhost").authority;
    let url = format!("https://localhost:{}/v1", server.port);
    let hint = "Hint: `SSL_CERT_FILE` may name a PEM file with the certificates to trust, such as \
                those of your company";
    for (name, trusted, why) in [
        ("localhost", "", "nobody whom jp trusts has signed it"),
        ("localhost", &stranger, "nobody whom jp trusts has signed it"),
        ("127.0.0.1", &server.authority, "it is for another name"),
    ] {
        let jp = user();
        let output = server.ask(&jp, name, trusted);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
        let told = format!(
            "`{}` shows a certificate that does not count: {why}",
            url.replace("localhost", name)
        );
        assert!(output.stderr.contains(&told), "{}", output.stderr);
        assert!(output.stderr.contains(hint), "{}", output.stderr);
        assert_eq!(files(&jp, &only(&jp)), ["000-request.md"]);
        assert_eq!(server.connections.try_iter().count(), 1, "it is not tried again");
    }
    assert_eq!(server.heard.try_iter().count(), 0);
}

#[test]
fn a_file_with_certificates_that_is_of_no_use_is_named() {
    let server = Server::start("localhost");
    let jp = user();
    let output = server.ask(&jp, "localhost", "no certificate\n");
    let file = jp.world().join("ca.pem");
    let told = format!(
        "cannot be asked: `SSL_CERT_FILE` names `{}`, which holds no certificate in PEM",
        file.display()
    );
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains(&told), "{}", output.stderr);
    assert_eq!(server.connections.try_iter().count(), 0);
}

#[test]
fn a_proxy_sees_the_name_of_the_server_and_no_key() {
    let proxy = Loopback::start([]);
    let jp = user()
        .with_var("OPENAI_BASE_URL", "https://models.invalid/v1")
        .with_var("HTTPS_PROXY", &proxy.url);
    let output = ask(&jp, &["--new", "-c", "providers.openai.retries=0", "Hello"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    let requests = proxy.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0].line.trim_end_matches(" HTTP/1.1"), "CONNECT models.invalid:443");
    assert!(!format!("{requests:?}").contains(KEY));
}
