//! Nodes and clients that know each other by certificates of one authority.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};

use throng_engine::job::TlsFiles;
use throng_tables::error::{EngineError, Result};
use throng_tables::input::whole;

/// How long a node may take to answer a call for a connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the files say.
#[derive(Clone)]
pub(super) struct Tls {
    ca: Certificate,
    identity: Identity,
}

/// Reads the files.
pub(super) fn read(files: &TlsFiles) -> Result<Tls> {
    let ca = Certificate::from_pem(pem(&files.ca, "CERTIFICATE")?);
    let identity = Identity::from_pem(pem(&files.cert, "CERTIFICATE")?, pem(&files.key, "PRIVATE KEY")?);
    Ok(Tls { ca, identity })
}

fn pem(path: &Path, what: &str) -> Result<Vec<u8>> {
    let bytes = whole::read(path, whole::MOST_WRITTEN, "cannot read", "no such file")?;
    let wanted = format!("{what}-----");
    let is_there = bytes.windows(wanted.len()).any(|part| part == wanted.as_bytes());
    if is_there {
        Ok(bytes)
    } else {
        Err(EngineError::bad(format!("it contains no {what} in PEM form")).in_file(path))
    }
}

impl Tls {
    /// For those who are asked: whoever asks must have a certificate, too.
    pub(super) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity.clone()).client_ca_root(self.ca.clone())
    }

    /// For those who ask.
    pub(super) fn endpoints(&self) -> EndpointOverrideFn {
        let config = ClientTlsConfig::new().ca_certificate(self.ca.clone()).identity(self.identity.clone());
        Arc::new(move |plain: Endpoint| secure(&plain, &config))
    }
}

/// The same place, reached by TLS: Ballista names some of them without it.
fn secure(
    plain: &Endpoint,
    config: &ClientTlsConfig,
) -> std::result::Result<Endpoint, Box<dyn Error + Send + Sync>> {
    let place = plain.uri().authority().ok_or("an address without a host")?;
    let endpoint = Endpoint::from_shared(format!("https://{place}"))?
        .connect_timeout(PATIENCE)
        .tcp_nodelay(true)
        .tcp_keepalive(Some(PATIENCE));
    Ok(endpoint.tls_config(config.clone())?)
}
