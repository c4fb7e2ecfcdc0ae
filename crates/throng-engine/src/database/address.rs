//! The address of a table: `postgres://user@host:port/database?table=schema.name`.
//!
//! What is wrong with an address is said without quoting it: a part of it may be a password in the wrong place.

use std::fmt;

use crate::error::{EngineError, Result};
use crate::input::percent;
use crate::wording::guess;

/// The schemes of addresses.
pub(crate) const SCHEMES: [&str; 2] = ["postgres", "postgresql"];
/// What an address may say after its question mark.
const PARAMETERS: &str = "table or query, and host, port, user, sslmode and sslrootcert";
const DEFAULT_PORT: u16 = 5432;

/// A server, a database of it, and what is meant there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The server, by which connections are told apart.
    pub(crate) server: Server,
    /// The table or the query.
    pub(crate) subject: Subject,
}

/// How a database is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// Who logs in; else whom the system says.
    pub(crate) user: Option<String>,
    /// A name, a number, or the directory of a socket.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: String,
    pub(crate) ssl: SslMode,
    /// The file of the certificates that a server is known by.
    pub(crate) root_certificates: Option<String>,
}

/// What is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Table { schema: Option<String>, name: String },
    Query(String),
}

/// Whether a connection is encrypted, and the server known, as libpq means it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SslMode {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyFull,
}

/// Whether a text is such an address, right or wrong.
pub(super) fn is_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| SCHEMES.contains(&scheme.to_lowercase().as_str()))
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// If it is none, or has a password.
    pub fn parse(text: &str) -> Result<Address> {
        let (scheme, rest) = text.split_once("://").ok_or_else(|| bad("there is no scheme"))?;
        if !SCHEMES.contains(&scheme.to_lowercase().as_str()) {
            return Err(bad("the scheme is another one"));
        }
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (login, host) = authority.rsplit_once('@').map_or((None, authority), |(l, h)| (Some(l), h));
        if login.is_some_and(|login| login.contains(':')) {
            return Err(password_in_address());
        }
        let (host, port) = split_port(host)?;
        let user = login.map(decode).transpose()?.filter(|user| !user.is_empty());
        let server = Server {
            user,
            host: Some(decode(host)?).filter(|host| !host.is_empty()).unwrap_or("localhost".to_owned()),
            port: port.unwrap_or(DEFAULT_PORT),
            database: decode(database)?,
            ssl: SslMode::default(),
            root_certificates: None,
        };
        Address::with_parameters(server, parameters)
    }

    fn with_parameters(mut server: Server, parameters: &str) -> Result<Address> {
        let mut subject = None;
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').ok_or_else(|| unknown_parameter(""))?;
            let value = decode(value)?;
            match name {
                "password" | "passfile" => return Err(password_in_address()),
                "host" => server.host = value,
                "port" => server.port = value.parse().map_err(|_| bad_port())?,
                "user" => server.user = Some(value),
                "sslmode" => server.ssl = SslMode::find(&value)?,
                "sslrootcert" => server.root_certificates = Some(value),
                "table" | "query" if subject.is_some() => return Err(one_subject()),
                "table" => subject = Some(Subject::table(&value)?),
                "query" => subject = Some(Subject::query(&value)?),
                _ => return Err(unknown_parameter(name)),
            }
        }
        if server.database.is_empty() {
            return Err(bad("it does not name the database"));
        }
        Ok(Address { server, subject: subject.ok_or_else(one_subject)? })
    }

    /// The table, which a release needs.
    pub(crate) fn table(&self) -> Result<(Option<&str>, &str)> {
        match &self.subject {
            Subject::Table { schema, name } => Ok((schema.as_deref(), name)),
            Subject::Query(_) => Err(EngineError::bad(
                "a release goes into a table, not into a query; say ?table=schema.name in its address",
            )),
        }
    }

    /// A short name of what is meant, for files that are made of it.
    pub(crate) fn stem(&self) -> String {
        match &self.subject {
            Subject::Table { name, .. } => name.clone(),
            Subject::Query(_) => "query".to_owned(),
        }
    }
}

/// The parts of the name of a table, between dots; what stands in double quotes may have a dot in it. Nothing if one is
/// empty, or a quote is not closed.
pub(crate) fn split_name(text: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = parts.last_mut().expect("there is one");
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => last.push('"'),
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            other => last.push(other),
        }
    }
    (!quoted && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

impl Subject {
    /// `name` or `schema.name`; what stands in double quotes may have a dot in it.
    fn table(text: &str) -> Result<Subject> {
        let parts = split_name(text);
        match parts.as_deref() {
            Some([name]) => Ok(Subject::Table { schema: None, name: name.clone() }),
            Some([schema, name]) => Ok(Subject::Table { schema: Some(schema.clone()), name: name.clone() }),
            _ => Err(bad("a table is named as name or schema.name")),
        }
    }

    fn query(text: &str) -> Result<Subject> {
        let text = text.trim().trim_end_matches(';').trim_end();
        if text.is_empty() {
            return Err(bad("the query is empty"));
        }
        Ok(Subject::Query(text.to_owned()))
    }
}

impl SslMode {
    fn find(name: &str) -> Result<SslMode> {
        match name {
            "disable" => Ok(SslMode::Disable),
            "prefer" => Ok(SslMode::Prefer),
            "require" => Ok(SslMode::Require),
            "verify-full" => Ok(SslMode::VerifyFull),
            _ => Err(bad("sslmode is one of disable, prefer, require and verify-full")),
        }
    }
}

impl Server {
    /// Whether it is reached by a socket of this machine.
    pub(crate) fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// A host and its port; a number of version 6 stands in brackets.
fn split_port(host: &str) -> Result<(&str, Option<u16>)> {
    if let Some((number, rest)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        return match rest.strip_prefix(':') {
            Some(port) => Ok((number, Some(port.parse().map_err(|_| bad_port())?))),
            None => Ok((number, None)),
        };
    }
    match host.split_once(':') {
        Some((host, port)) => Ok((host, Some(port.parse().map_err(|_| bad_port())?))),
        None => Ok((host, None)),
    }
}

/// Text in which `%2F` stands for `/`.
fn decode(text: &str) -> Result<String> {
    let what = "after % there are two hexadecimal digits of UTF-8 text; % itself is %25";
    percent::decode(text).ok_or_else(|| bad(what))
}

fn bad(what: &str) -> EngineError {
    EngineError::bad(format!(
        "this is no address of a table: {what}; it looks like postgres://user@host:5432/database?table=schema.name"
    ))
}

fn bad_port() -> EngineError {
    bad("the port is a number from 0 to 65535")
}

fn one_subject() -> EngineError {
    bad("it says either ?table=schema.name or ?query=SELECT …")
}

/// The name is not shown: it may be a part of something else, such as a password.
fn unknown_parameter(name: &str) -> EngineError {
    let near = guess(name, ["table", "query", "host", "port", "user", "sslmode", "sslrootcert"]);
    bad(&format!("after the question mark there may be {PARAMETERS}{near}"))
}

fn password_in_address() -> EngineError {
    EngineError::bad(
        "the address has a password, which others could read in the list of processes, in logs and in saved jobs; \
         leave it out, and put it into PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass), or wait to be asked",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_an_address() {
        let address =
            Address::parse("postgresql://ann%40x@db.example:6000/shop?table=\"A.b\".c&sslmode=require")
                .unwrap();
        assert_eq!(address.server.user.as_deref(), Some("ann@x"));
        assert_eq!((address.server.host.as_str(), address.server.port), ("db.example", 6000));
        assert_eq!((address.server.database.as_str(), address.server.ssl), ("shop", SslMode::Require));
        assert_eq!(address.table().unwrap(), (Some("A.b"), "c"));
        let socket = Address::parse("postgres:///shop?host=/run/pg&query=SELECT%201;").unwrap();
        assert!(socket.server.is_socket());
        assert_eq!((socket.server.port, socket.subject), (5432, Subject::Query("SELECT 1".to_owned())));
        let six = Address::parse("postgres://[::1]:77/d?table=t").unwrap();
        assert_eq!((six.server.host.as_str(), six.server.port), ("::1", 77));
    }

    #[test]
    fn passwords_are_refused_and_never_repeated() {
        for text in [
            "postgres://ann:s3cret@h/d?table=t",
            "postgres://ann@h/d?table=t&password=s3cret",
            "postgres://ann:s3cret/x@h/d?table=t",
            "postgres://ann:s3cret?x@h/d?table=t",
            "postgres://ann:s3cret",
        ] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |text: &str| Address::parse(text).unwrap_err().to_string();
        assert!(said("postgres://h?table=t").contains("does not name the database"));
        assert!(said("postgres://h/d").contains("?table=schema.name"));
        assert!(said("postgres://h/d?table=a.b.c").contains("name or schema.name"));
        assert!(said("postgres://h/d?table=t&sslmode=maybe").contains("verify-full"));
        assert!(said("postgres://h:x/d?table=t").contains("the port"));
        assert!(said("postgres://h/d?table=t&query=SELECT 1").contains("either"));
        assert!(said("postgres://h/d?tabel=t").contains("table or query"));
    }
}
