//! What a certificate says of itself, where that is more than the library asks.

use std::net::IpAddr;

use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};
use x509_cert::Certificate;
use x509_cert::der::asn1::{Ia5StringRef, PrintableStringRef, TeletexStringRef, Utf8StringRef};
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{Any, Decode, Encode};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

fn parse(certificate: &CertificateDer<'_>) -> Result<Certificate, Error> {
    Certificate::from_der(certificate).map_err(|_| Error::InvalidCertificate(CertificateError::BadEncoding))
}

/// The key of a certificate.
pub(super) fn public_key(
    certificate: &CertificateDer<'_>,
) -> Result<SubjectPublicKeyInfoDer<'static>, Error> {
    let key = parse(certificate)?.tbs_certificate.subject_public_key_info.to_der();
    let key = key.map_err(|_| Error::InvalidCertificate(CertificateError::BadEncoding))?;
    Ok(SubjectPublicKeyInfoDer::from(key))
}

/// Looks at a certificate that is among those that servers are known by. It must be signed by itself: one that somebody
/// else signed is known by that of the other.
pub(super) fn verify_own(
    certificate: &CertificateDer<'_>,
    name: &ServerName<'_>,
    now: UnixTime,
) -> Result<(), Error> {
    let of = parse(certificate)?.tbs_certificate;
    let fault = match now.as_secs() {
        _ if of.issuer != of.subject => CertificateError::UnknownIssuer,
        now if now < of.validity.not_before.to_unix_duration().as_secs() => CertificateError::NotValidYet,
        now if now > of.validity.not_after.to_unix_duration().as_secs() => CertificateError::Expired,
        _ => return verify_server_name(&ParsedCertificate::try_from(certificate)?, name),
    };
    Err(Error::InvalidCertificate(fault))
}

/// Whether the common name of a certificate is that of a host, and it has no other names of its kind (numbers, or names).
pub(super) fn is_commonly_named(certificate: &CertificateDer<'_>, host: &str) -> bool {
    let Ok(certificate) = parse(certificate) else { return false };
    let is_number = host.parse::<IpAddr>().is_ok();
    let others = match certificate.tbs_certificate.get::<SubjectAltName>() {
        Ok(found) => found.map_or_else(Vec::new, |(_, names)| names.0),
        Err(_) => return false,
    };
    let is_same_kind = |name: &GeneralName| match name {
        GeneralName::DnsName(_) => !is_number,
        GeneralName::IpAddress(_) => is_number,
        _ => false,
    };
    let common = certificate.tbs_certificate.subject.0.iter().flat_map(|part| part.0.iter());
    let common = common.filter(|part| part.oid == COMMON_NAME).find_map(|part| text(&part.value));
    !others.iter().any(is_same_kind) && common.is_some_and(|common| fits(&common, host))
}

fn text(value: &Any) -> Option<String> {
    let text = value.decode_as::<Utf8StringRef<'_>>().map(|text| text.as_str().to_owned());
    let text =
        text.or_else(|_| value.decode_as::<PrintableStringRef<'_>>().map(|text| text.as_str().to_owned()));
    let text = text.or_else(|_| value.decode_as::<Ia5StringRef<'_>>().map(|text| text.as_str().to_owned()));
    text.or_else(|_| value.decode_as::<TeletexStringRef<'_>>().map(|text| text.as_str().to_owned())).ok()
}

/// Whether a name is that of a host; `*.` stands for its first part.
fn fits(name: &str, host: &str) -> bool {
    let without_first = || host.split_once('.').filter(|(first, _)| !first.is_empty()).map(|(_, rest)| rest);
    name.eq_ignore_ascii_case(host)
        || host.parse::<IpAddr>().is_err()
            && name
                .strip_prefix("*.")
                .zip(without_first())
                .is_some_and(|(name, rest)| name.eq_ignore_ascii_case(rest))
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_the_first_part_of_a_name() {
        for (name, host, is_it) in [
            ("db.example", "DB.example", true),
            ("*.example", "db.example", true),
            ("*.example", "a.db.example", false),
            ("*.example", ".example", false),
            ("*.example", "example", false),
            ("*", "db", false),
            ("*.0.0.1", "127.0.0.1", false),
            ("127.0.0.1", "127.0.0.1", true),
        ] {
            assert_eq!(fits(name, host), is_it, "{name} {host}");
        }
    }
}
