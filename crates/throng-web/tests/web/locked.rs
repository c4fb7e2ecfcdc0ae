//! Servers that others can reach.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use throng_web::{Password, ServeOptions, ServerTls, WebServer};

use crate::client::{Answer, answer_of, serve};

const PASSWORD: &str = "a long password";

/// A certificate for this machine, made for one test.
fn certificate(folder: &Path) -> ServerTls {
    let tls = ServerTls { certificates: folder.join("cert.pem"), key: folder.join("key.pem") };
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"])
        .arg(&tls.key)
        .arg("-out")
        .arg(&tls.certificates)
        .stderr(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    tls
}

/// A client that trusts one certificate.
struct Client {
    config: Arc<ClientConfig>,
    port: u16,
}

impl Client {
    fn trusting(tls: &ServerTls, port: u16) -> Client {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(&tls.certificates).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        Client { config: Arc::new(config.with_root_certificates(roots).with_no_client_auth()), port }
    }

    fn ask(&self, name: &'static str, text: &str) -> std::io::Result<Answer> {
        let server = ServerName::try_from(name).unwrap();
        let connection = ClientConnection::new(Arc::clone(&self.config), server).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let mut stream = StreamOwned::new(connection, stream);
        stream.write_all(text.as_bytes())?;
        let mut bytes = Vec::new();
        // The server may leave out the farewell of TLS.
        let _ = stream.read_to_end(&mut bytes);
        answer_of(&bytes).ok_or_else(|| std::io::Error::other("no answer"))
    }
}

#[test]
fn others_come_in_by_tls_and_the_password() {
    let dir = tempfile::tempdir().unwrap();
    let tls = certificate(dir.path());
    let served = serve(|options| {
        options.listen = "0.0.0.0:0".parse().unwrap();
        options.names = vec!["localhost".to_owned()];
        options.tls = Some(tls.clone());
        options.password = Some(Password::new(PASSWORD).unwrap());
    });
    let (port, token) = (served.address.port(), &served.token);
    let client = Client::trusting(&tls, port);
    let get = |path: &str, head: &str| {
        let text = format!("GET {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n");
        client.ask("localhost", &text).unwrap()
    };
    let host = format!("Host: localhost:{port}\r\n");
    let page = get(&format!("/?token={token}"), &host);
    assert!(page.status == 200 && page.body.contains("type=\"password\""), "{page:?}");
    assert!(page.header("set-cookie").is_none(), "{page:?}");
    let enter = |origin: &str, password: &str| {
        let body = format!("token={token}&password={}", password.replace(' ', "+"));
        let text = format!(
            "POST /enter HTTP/1.1\r\n{host}Origin: {origin}\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
            body.len()
        );
        client.ask("localhost", &text).unwrap()
    };
    let own = format!("https://localhost:{port}");
    assert_eq!(enter(&format!("http://localhost:{port}"), PASSWORD).status, 403);
    assert_eq!(enter(&own, "not the password").status, 401);
    std::thread::sleep(Duration::from_secs(1));
    let entered = enter(&own, PASSWORD);
    let cookie = entered.header("set-cookie").unwrap_or_else(|| panic!("{entered:?}")).to_owned();
    assert!(entered.status == 303 && cookie.contains("; Secure"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert_eq!(get("/", &format!("{host}{cookie}")).status, 200);
    // By a name that nobody gave it, though the certificate would do.
    assert_eq!(get("/", &format!("Host: 127.0.0.1:{port}\r\n{cookie}")).status, 421);
    // Somebody who speaks no TLS, or asks for another name, gets nothing; the next one is answered.
    assert!(served.raw(format!("GET / HTTP/1.1\r\n{host}\r\n").as_bytes()).is_none());
    assert!(client.ask("evil.example", &format!("GET / HTTP/1.1\r\n{host}\r\n")).is_err());
    assert_eq!(get("/", &format!("{host}{cookie}")).status, 200);
}

#[tokio::test]
async fn others_need_a_certificate_and_a_password() {
    let dir = tempfile::tempdir().unwrap();
    let open = |password: Option<Password>| {
        let mut options = ServeOptions::new(dir.path());
        options.listen = "0.0.0.0:0".parse().unwrap();
        options.password = password;
        options
    };
    let refused = WebServer::bind(open(None)).await.unwrap_err().to_string();
    assert!(refused.contains("a certificate"), "{refused}");
    let refused =
        WebServer::bind(open(Some(Password::new("a long password").unwrap()))).await.unwrap_err().to_string();
    assert!(refused.contains("a certificate"), "{refused}");
    assert!(!dir.path().join(".throng").exists());
}

#[test]
fn a_password_is_asked_for_behind_the_token() {
    let served = serve(|options| options.password = Some(Password::new("a long password").unwrap()));
    let ask = |text: String| served.raw(text.as_bytes()).unwrap();
    let (address, token) = (served.address, &served.token);
    let page = ask(format!("GET /?token={token} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"));
    assert!(page.header("set-cookie").is_none() && page.body.contains("type=\"password\""), "{page:?}");
    let enter = |token: &str, password: &str| {
        let body = format!("token={token}&password={}", password.replace(' ', "+"));
        ask(format!(
            "POST /enter HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}",
            body.len()
        ))
    };
    assert_eq!(enter("wrong", "a long password").status, 401);
    assert_eq!(enter(token, "a wrong password").status, 401);
    std::thread::sleep(std::time::Duration::from_secs(1));
    let entered = enter(token, "a long password");
    assert!(entered.status == 303 && entered.header("set-cookie").is_some(), "{entered:?}");
}
