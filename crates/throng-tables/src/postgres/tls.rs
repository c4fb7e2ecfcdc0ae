//! Encryption, and how a server is known: as libpq has it.
//!
//! A file of root certificates is used in every mode, and must be there for `verify-ca` and `verify-full`; without one, a
//! connection is encrypted, but nobody knows to whom. Only `verify-full` looks at the name of the host.

mod certificate;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature_with_raw_key};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::database::SYSTEM;
use crate::address::{Server, SslMode};
use crate::error::{EngineError, Result};
use crate::input::whole;

/// What encrypts a connection to a server.
///
/// # Errors
/// If the server is to be known, and there are no certificates by which it could be.
pub(super) fn connector(server: &Server) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::Data(format!("encryption is not available: {error}").into()))?;
    let known_by = find_roots(server)?.map(|roots| KnownBy::new(server, roots, &provider)).transpose()?;
    let judge = Arc::new(CertificateJudge { provider, known_by });
    Ok(MakeRustlsConnect::new(
        builder.dangerous().with_custom_certificate_verifier(judge).with_no_client_auth(),
    ))
}

/// The certificates that servers are known by; none if anybody is taken.
fn find_roots(server: &Server) -> Result<Option<Vec<CertificateDer<'static>>>> {
    let file = match server.root_certificates.as_deref() {
        Some(SYSTEM) => return Ok(Some(rustls_native_certs::load_native_certs().certs)),
        // libpq would take anybody if it is not there, and the mode is none that verifies.
        Some(named) => PathBuf::from(named),
        None => match usual("root.crt") {
            Some(file) => file,
            None if matches!(server.ssl, SslMode::VerifyCa | SslMode::VerifyFull) => return Err(no_roots()),
            None => return Ok(None),
        },
    };
    let failed = || EngineError::bad("it contains no readable certificates (PEM)").in_file(&file);
    let pem = whole::read(&file, whole::MOST_WRITTEN, "cannot read", "no such file").map_err(|_| failed())?;
    let roots: Vec<_> =
        CertificateDer::pem_slice_iter(&pem).collect::<std::result::Result<_, _>>().map_err(|_| failed())?;
    if roots.is_empty() { Err(failed()) } else { Ok(Some(roots)) }
}

/// A file in the directory of PostgreSQL's users, if it is there.
fn usual(name: &str) -> Option<PathBuf> {
    env::home_dir().map(|home| home.join(".postgresql").join(name)).filter(|file| file.exists())
}

fn no_roots() -> EngineError {
    EngineError::bad((
        "sslmode asks to verify the server, but there is no ~/.postgresql/root.crt",
        "name a file of root certificates with sslrootcert (or PGSSLROOTCERT), or set sslrootcert=system for those of this machine",
    ))
}

/// Says whether a certificate is that of the server that is meant.
#[derive(Debug)]
struct CertificateJudge {
    provider: Arc<CryptoProvider>,
    known_by: Option<KnownBy>,
}

/// How a server is known.
#[derive(Debug)]
struct KnownBy {
    roots: Vec<CertificateDer<'static>>,
    chains: Arc<WebPkiServerVerifier>,
    /// The host that a certificate must name.
    host: Option<String>,
}

impl KnownBy {
    fn new(
        server: &Server,
        roots: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<KnownBy> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(roots.iter().cloned());
        let mut builder = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(provider));
        let named = server.revocations.as_deref().map(PathBuf::from);
        if let Some(file) = named.or_else(|| usual("root.crl")) {
            builder = builder.with_crls(read_revocations(&file)?).enforce_revocation_expiration();
        }
        let unusable = |_| EngineError::bad("none of the root certificates can be used");
        let chains = builder.build().map_err(unusable)?;
        let host = (server.ssl == SslMode::VerifyFull).then(|| server.host.clone());
        Ok(KnownBy { roots, chains, host })
    }

    fn judge(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> std::result::Result<(), Error> {
        let judged = match self.roots.contains(certificate) {
            // One that is signed by itself is no authority, but known.
            true => certificate::verify_own(certificate, name, now),
            false => self.chains.verify_server_cert(certificate, between, name, &[], now).map(drop),
        };
        match judged {
            // The name is the last that is looked at.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.host.as_ref().is_none_or(|host| certificate::is_commonly_named(certificate, host)) => {
                Ok(())
            }
            judged => judged,
        }
    }
}

fn read_revocations(file: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>> {
    let failed =
        || EngineError::bad("it contains no readable lists of revoked certificates (PEM)").in_file(file);
    let pem = whole::read(file, whole::MOST_WRITTEN, "cannot read", "no such file").map_err(|_| failed())?;
    let lists: Vec<_> = CertificateRevocationListDer::pem_slice_iter(&pem)
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| failed())?;
    if lists.is_empty() { Err(failed()) } else { Ok(lists) }
}

impl ServerCertVerifier for CertificateJudge {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        self.known_by
            .as_ref()
            .map_or(Ok(()), |known_by| known_by.judge(certificate, between, name, now))
            .map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    /// Only the key of the certificate counts here, which also those have that can be known by nobody, such as the
    /// certificates of version 1 that are made without extensions.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        let key = certificate::public_key(certificate)?;
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &key, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
