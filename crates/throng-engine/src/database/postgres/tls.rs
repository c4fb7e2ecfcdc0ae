//! Encryption, and how a server is known.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::address::{Server, SslMode};
use crate::error::{EngineError, Result};

/// What encrypts a connection to a server. Only `verify-full` looks at who the server is, as libpq has it.
pub(super) fn connector(server: &Server) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::Data(format!("encryption cannot be had: {error}").into()))?;
    let config = match server.ssl {
        SslMode::VerifyFull if !server.is_socket() => {
            builder.with_root_certificates(roots(server)?).with_no_client_auth()
        }
        _ => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// The certificates that servers are known by: those of a file, else those of the system.
fn roots(server: &Server) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let named = server.root_certificates.clone().map(PathBuf::from);
    let named = named.or_else(|| env::var_os("PGSSLROOTCERT").filter(|f| !f.is_empty()).map(PathBuf::from));
    let named = named.filter(|file| file.as_os_str() != "system");
    let usual = || env::home_dir().map(|home| home.join(".postgresql/root.crt")).filter(|file| file.exists());
    let Some(file) = named.or_else(usual) else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    let failed = || EngineError::bad("there are no certificates (PEM) that can be read").in_file(&file);
    let certificates = CertificateDer::pem_file_iter(&file).map_err(|_| failed())?;
    let certificates: Vec<_> = certificates.collect::<std::result::Result<_, _>>().map_err(|_| failed())?;
    match roots.add_parsable_certificates(certificates) {
        (0, _) => Err(failed()),
        _ => Ok(roots),
    }
}

/// Takes any certificate: the connection is encrypted, but nobody knows to whom.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
