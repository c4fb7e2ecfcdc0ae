//! Connections: how many there are, how long they may take to say what they want, and how they are encrypted.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// Connections at a time; further ones wait.
const MOST_CONNECTIONS: usize = 128;

/// How long the head of a request may take.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// Bytes and lines of the head of a request.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_LINES: usize = 64;

/// A certificate and its key, in files.
#[derive(Clone, Debug)]
pub struct ServerTls {
    /// The certificates, the server's own first.
    pub certificates: std::path::PathBuf,
    /// Its key.
    pub key: std::path::PathBuf,
}

/// Reads a certificate and its key.
pub(crate) fn acceptor(files: &ServerTls) -> io::Result<TlsAcceptor> {
    let failed = |path: &std::path::Path, error: &dyn std::fmt::Display| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {error}", path.display()))
    };
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificates)
        .and_then(Iterator::collect)
        .map_err(|error| failed(&files.certificates, &error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| failed(&files.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| failed(&files.certificates, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Answers connections until the process ends.
pub(crate) async fn answer(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
) -> io::Result<()> {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await.map_err(io::Error::other)?;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many files are open, say: others may be closed soon.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (tls, router) = (tls.clone(), router.clone());
        tokio::spawn(async move {
            match tls {
                None => converse(stream, router).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await {
                        converse(stream, router).await;
                    }
                }
            }
            drop(permit);
        });
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, router: Router) {
    // A client that breaks off, or sends what is no request, is nobody else's concern.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_LINES)
        .keep_alive(true)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .await;
}

/// The names by which clients may ask for a server at this address, the one that it is shown by first.
pub(crate) fn hosts(address: SocketAddr, names: &[String]) -> Vec<String> {
    let port = address.port();
    let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    // Browsers leave out the usual ports.
    if matches!(port, 80 | 443) {
        hosts.splice(0..0, names.iter().cloned());
    }
    hosts.push(address.to_string());
    if address.ip().is_loopback() {
        hosts.push(format!("localhost:{port}"));
    }
    hosts
}
