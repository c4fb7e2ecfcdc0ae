//! The address of a table: `postgres://user@host:port/database?table=schema.name`. What it does not say, the variables
//! of libpq say (`PGHOST` and its like).
//!
//! What is wrong with an address is said without quoting it: a part of it may be a password in the wrong place.

use std::env;
use std::fmt;
use std::net::IpAddr;

use super::POSTGRES;
use super::percent;
use crate::error::{EngineError, Result};
use crate::wording::{Message, guess};

/// What an address may say after its question mark.
const PARAMETERS: &str = "table or query, and host, port, user, sslmode, sslrootcert and sslcrl";
const DEFAULT_PORT: u16 = 5432;
/// In the place of a file: the certificates that the machine trusts.
pub(crate) const SYSTEM: &str = "system";

/// A server, a database of it, and what is meant there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseAddress {
    /// The server, by which connections are told apart.
    pub server: Server,
    /// The table or the query.
    pub subject: DatabaseObject,
}

/// How a database is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Who logs in; else whom the system says.
    pub user: Option<String>,
    /// A name, a number, or the directory of a socket.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The database.
    pub database: String,
    /// Whether connections are encrypted.
    pub ssl: SslMode,
    /// The file of the certificates that a server is known by, or `system` for those of the machine.
    pub root_certificates: Option<String>,
    /// The file of lists of certificates that were revoked.
    pub revocations: Option<String>,
}

/// What is read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseObject {
    /// A table.
    Table {
        /// Its schema; else the first of the search path that has it.
        schema: Option<String>,
        /// Its name.
        name: String,
    },
    /// The result of a query.
    Query(String),
}

/// Whether a connection is encrypted, and the server known, as libpq means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SslMode {
    /// Never.
    Disable,
    /// If the server wants it.
    Allow,
    /// If the server can do it.
    Prefer,
    /// Always.
    Require,
    /// Always, and an authority that is trusted has signed the certificate.
    VerifyCa,
    /// The same, and the certificate names the host.
    VerifyFull,
}

/// What an address, or else the environment, says about a server.
#[derive(Default)]
struct Said {
    user: Option<String>,
    host: Option<String>,
    port: Option<String>,
    database: Option<String>,
    ssl: Option<String>,
    root_certificates: Option<String>,
    revocations: Option<String>,
}

impl DatabaseAddress {
    /// Reads an address.
    ///
    /// # Errors
    /// If it is none, or has a password, or a variable that completes it makes no sense.
    pub fn parse(text: &str) -> Result<DatabaseAddress> {
        DatabaseAddress::parse_with(text, |variable| env::var(variable).ok())
    }

    fn parse_with(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<DatabaseAddress> {
        let (scheme, rest) = text.split_once("://").ok_or_else(|| bad("there is no scheme"))?;
        if !POSTGRES.contains(&scheme.to_lowercase().as_str()) {
            return Err(bad("the scheme is a different one"));
        }
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (login, host) = authority.rsplit_once('@').map_or((None, authority), |(l, h)| (Some(l), h));
        if login.is_some_and(|login| login.contains(':')) {
            return Err(password_in_address());
        }
        let (host, port) = split_port(host);
        let mut said = Said {
            user: login.map(decode).transpose()?,
            host: Some(decode(host)?),
            port: port.map(str::to_owned),
            database: Some(decode(database)?),
            ..Said::default()
        };
        let subject = said.take_parameters(parameters)?;
        let server = said.server(|name| variable(name).filter(|value| !value.is_empty()))?;
        Ok(DatabaseAddress { server, subject: subject.ok_or_else(one_subject)? })
    }

    /// The table, which a release needs.
    pub fn table(&self) -> Result<(Option<&str>, &str)> {
        match &self.subject {
            DatabaseObject::Table { schema, name } => Ok((schema.as_deref(), name)),
            DatabaseObject::Query(_) => Err(EngineError::bad((
                "a release goes into a table, not into a query",
                "put ?table=schema.name in its address",
            ))),
        }
    }

    /// A short name of what is meant, for files that are made of it.
    pub fn stem(&self) -> String {
        match &self.subject {
            DatabaseObject::Table { name, .. } => name.clone(),
            DatabaseObject::Query(_) => "query".to_owned(),
        }
    }
}

impl Said {
    /// Takes up what stands after the question mark; gives the table or the query.
    fn take_parameters(&mut self, parameters: &str) -> Result<Option<DatabaseObject>> {
        let mut subject = None;
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').ok_or_else(|| unknown_parameter(""))?;
            let value = decode(value)?;
            match name {
                "password" | "passfile" => return Err(password_in_address()),
                "host" => self.host = Some(value),
                "port" => self.port = Some(value),
                "user" => self.user = Some(value),
                "sslmode" => self.ssl = Some(value),
                "sslrootcert" => self.root_certificates = Some(value),
                "sslcrl" => self.revocations = Some(value),
                "table" | "query" if subject.is_some() => return Err(one_subject()),
                "table" => subject = Some(DatabaseObject::table(&value)?),
                "query" => subject = Some(DatabaseObject::query(&value)?),
                _ => return Err(unknown_parameter(name)),
            }
        }
        Ok(subject)
    }

    /// The server, where the environment says what is not said.
    fn server(self, variable: impl Fn(&str) -> Option<String>) -> Result<Server> {
        let or = |said: Option<String>, name: &str| {
            said.filter(|said| !said.is_empty()).or_else(|| variable(name))
        };
        let root_certificates = or(self.root_certificates, "PGSSLROOTCERT");
        let of_system = root_certificates.as_deref() == Some(SYSTEM);
        let ssl = match or(self.ssl, "PGSSLMODE") {
            Some(mode) => SslMode::find(&mode)?,
            None if of_system => SslMode::VerifyFull,
            None => SslMode::Prefer,
        };
        if of_system && ssl != SslMode::VerifyFull {
            return Err(bad("sslrootcert=system identifies hosts by name, which needs sslmode=verify-full"));
        }
        Ok(Server {
            user: or(self.user, "PGUSER"),
            host: or(self.host, "PGHOST").unwrap_or_else(|| "localhost".to_owned()),
            port: match or(self.port, "PGPORT") {
                Some(port) => port.parse().map_err(|_| bad_port())?,
                None => DEFAULT_PORT,
            },
            database: or(self.database, "PGDATABASE")
                .ok_or_else(|| bad("neither it nor PGDATABASE names the database"))?,
            ssl,
            root_certificates,
            revocations: or(self.revocations, "PGSSLCRL"),
        })
    }
}

/// The parts of the name of a table, between dots; what stands in double quotes may have a dot in it. Nothing if one is
/// empty, or a quote is not closed.
pub fn split_name(text: &str) -> Option<Vec<String>> {
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

impl DatabaseObject {
    /// `name` or `schema.name`; what stands in double quotes may have a dot in it.
    fn table(text: &str) -> Result<DatabaseObject> {
        let parts = split_name(text);
        match parts.as_deref() {
            Some([name]) => Ok(DatabaseObject::Table { schema: None, name: name.clone() }),
            Some([schema, name]) => {
                Ok(DatabaseObject::Table { schema: Some(schema.clone()), name: name.clone() })
            }
            _ => Err(bad("a table is given as name or schema.name")),
        }
    }

    fn query(text: &str) -> Result<DatabaseObject> {
        let text = text.trim().trim_end_matches(';').trim_end();
        if text.is_empty() {
            return Err(bad("the query is empty"));
        }
        Ok(DatabaseObject::Query(text.to_owned()))
    }
}

impl SslMode {
    fn find(name: &str) -> Result<SslMode> {
        match name {
            "disable" => Ok(SslMode::Disable),
            "allow" => Ok(SslMode::Allow),
            "prefer" => Ok(SslMode::Prefer),
            "require" => Ok(SslMode::Require),
            "verify-ca" => Ok(SslMode::VerifyCa),
            "verify-full" => Ok(SslMode::VerifyFull),
            _ => Err(bad(
                "sslmode (otherwise PGSSLMODE) must be one of disable, allow, prefer, require, verify-ca and verify-full",
            )),
        }
    }
}

impl Server {
    /// Whether it is reached by a socket of this machine.
    pub fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }

    /// Whether what is sent to it stays on this machine.
    pub fn is_local(&self) -> bool {
        let is_loopback = |host: &str| host.parse::<IpAddr>().is_ok_and(|number| number.is_loopback());
        self.is_socket() || self.host.eq_ignore_ascii_case("localhost") || is_loopback(&self.host)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// A host and its port; a number of version 6 stands in brackets.
fn split_port(host: &str) -> (&str, Option<&str>) {
    if let Some((number, rest)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        return (number, rest.strip_prefix(':'));
    }
    host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port)))
}

/// Text in which `%2F` stands for `/`.
fn decode(text: &str) -> Result<String> {
    let what = ("% must be followed by two hexadecimal digits of UTF-8 text", "write % itself as %25");
    let decoded = percent::decode(text).ok_or_else(|| bad(what))?;
    if decoded.contains('\0') { Err(bad("it contains a NUL character")) } else { Ok(decoded) }
}

fn bad(what: impl Into<Message>) -> EngineError {
    let form = "an address looks like postgres://user@host:5432/database?table=schema.name";
    EngineError::bad(what.into().after("this is not the address of a table: ").and_hint(form))
}

fn bad_port() -> EngineError {
    bad("the port (otherwise PGPORT) must be a number from 0 to 65535")
}

fn one_subject() -> EngineError {
    bad("it must have either ?table=schema.name or ?query=SELECT …")
}

/// The name is not shown: it may be a part of something else, such as a password.
fn unknown_parameter(name: &str) -> EngineError {
    let near = guess(name, ["table", "query", "host", "port", "user", "sslmode", "sslrootcert", "sslcrl"]);
    bad(format!("after the question mark only {PARAMETERS} may follow{near}"))
}

fn password_in_address() -> EngineError {
    EngineError::bad((
        "the address contains a password, which others could read in the list of processes, in logs and in saved jobs",
        "leave it out, and put it into PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass), or type it when asked",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_an_address() {
        let address = DatabaseAddress::parse(
            "postgresql://ann%40x@db.example:6000/shop?table=\"A.b\".c&sslmode=require",
        )
        .unwrap();
        assert_eq!(address.server.user.as_deref(), Some("ann@x"));
        assert_eq!((address.server.host.as_str(), address.server.port), ("db.example", 6000));
        assert_eq!((address.server.database.as_str(), address.server.ssl), ("shop", SslMode::Require));
        assert_eq!(address.table().unwrap(), (Some("A.b"), "c"));
        let socket = DatabaseAddress::parse("postgres:///shop?host=/run/pg&query=SELECT%201;").unwrap();
        assert!(socket.server.is_socket());
        assert_eq!(
            (socket.server.port, socket.subject),
            (5432, DatabaseObject::Query("SELECT 1".to_owned()))
        );
        let six = DatabaseAddress::parse("postgres://[::1]:77/d?table=t").unwrap();
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
            let error = DatabaseAddress::parse(text).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn variables_say_what_an_address_does_not() {
        let variables = |name: &str| {
            let value = match name {
                "PGHOST" => "db.example",
                "PGPORT" => "6000",
                "PGUSER" => "ann",
                "PGDATABASE" => "shop",
                "PGSSLMODE" => "verify-ca",
                "PGSSLROOTCERT" => "root.crt",
                "PGSSLCRL" => "",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let server = |text: &str| DatabaseAddress::parse_with(text, variables).unwrap().server;
        let said = server("postgres://?table=t");
        let all = (said.host.as_str(), said.port, said.user.as_deref(), said.database.as_str(), said.ssl);
        assert_eq!(all, ("db.example", 6000, Some("ann"), "shop", SslMode::VerifyCa));
        assert_eq!((said.root_certificates.as_deref(), said.revocations), (Some("root.crt"), None));
        let own = server("postgres://bob@h:1/d?table=t&sslmode=disable&sslrootcert=mine&sslcrl=list");
        let all = (own.host.as_str(), own.port, own.user.as_deref(), own.database.as_str(), own.ssl);
        assert_eq!(all, ("h", 1, Some("bob"), "d", SslMode::Disable));
        assert_eq!(
            (own.root_certificates.as_deref(), own.revocations.as_deref()),
            (Some("mine"), Some("list"))
        );

        let wrong = |name: &'static str, value: &'static str| {
            let one = move |asked: &str| (asked == name).then(|| value.to_owned());
            DatabaseAddress::parse_with("postgres://h/d?table=t", one)
        };
        assert!(wrong("PGPORT", "many").is_err() && wrong("PGSSLMODE", "verify").is_err());
        assert_eq!(wrong("PGSSLROOTCERT", "system").unwrap().server.ssl, SslMode::VerifyFull);
        let weak =
            DatabaseAddress::parse_with("postgres://h/d?table=t&sslrootcert=system&sslmode=require", |_| {
                None
            });
        assert!(weak.unwrap_err().to_string().contains("verify-full"));
    }

    #[test]
    fn what_stays_on_the_machine() {
        for (host, local) in
            [("localhost", true), ("127.1.2.3", true), ("[::1]", true), ("db", false), ("10.0.0.1", false)]
        {
            let server = DatabaseAddress::parse(&format!("postgres://{host}/d?table=t")).unwrap().server;
            assert_eq!(server.is_local(), local, "{host}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |text: &str| DatabaseAddress::parse(text).unwrap_err().to_string();
        assert!(said("postgres://h?table=t").contains("names the database"));
        assert!(said("postgres://h/d").contains("?table=schema.name"));
        assert!(said("postgres://h/d?table=a.b.c").contains("name or schema.name"));
        assert!(said("postgres://h/d?table=t&sslmode=maybe").contains("verify-full"));
        assert!(said("postgres://h:x/d?table=t").contains("the port"));
        assert!(said("postgres://h/d?table=t&query=SELECT 1").contains("either"));
        assert!(said("postgres://h/d?tabel=t").contains("table or query"));
        assert!(said("postgres://h/d?query=SELECT%201%00").contains("NUL"));
    }
}
