//! Logging in.

use std::env;
use std::future::poll_fn;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio_postgres::config::{ChannelBinding, SslMode as Encryption};
use tokio_postgres::{Client, Config, Error};

use super::{fault, passwords, tls};
use crate::address::{Server, SslMode};
use crate::error::{EngineError, Result};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Variables of libpq that would make a connection safer, or another one, and that we do not obey; `None` if any value
/// does, else the only one.
const NOT_OBEYED: [(&str, Option<&str>); 9] = [
    ("PGSERVICE", None),
    ("PGHOSTADDR", None),
    ("PGREQUIREPEER", None),
    ("PGREQUIREAUTH", None),
    ("PGREQUIRESSL", Some("1")),
    ("PGGSSENCMODE", Some("require")),
    ("PGSSLCERTMODE", Some("require")),
    ("PGSSLCRLDIR", None),
    ("PGSSLMINPROTOCOLVERSION", Some("TLSv1.3")),
];

/// Servers that others may listen to.
static OVERHEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Warnings about connections to other machines that were not encrypted, since this was asked the last time.
pub fn take_warnings() -> Vec<String> {
    let servers = std::mem::take(&mut *OVERHEARD.lock().unwrap_or_else(PoisonError::into_inner));
    let warn = |server: &String| {
        format!(
            "the connection to {server} is not encrypted: anyone in between can read and change what is \
                sent; set sslmode=verify-full in the address, or in PGSSLMODE"
        )
    };
    servers.iter().map(warn).collect()
}

/// Connects to a server; must be called in a runtime, which drives the connection from then on.
///
/// # Errors
/// If it cannot be reached, or refuses.
pub(super) async fn connect(server: &Server) -> Result<Client> {
    refuse_variables()?;
    let user = user(server);
    let mut password = passwords::find(server, user.as_deref())?;
    loop {
        match log_in(server, user.as_deref(), password.as_deref()).await? {
            Err(error) if password.is_none() && fault::lacks_password(&error) => {
                password = Some(passwords::ask(server, user.as_deref())?);
            }
            Err(error) => return Err(fault::of_login(server, user.as_deref(), &error)),
            Ok(client) => {
                if let Some(password) = password {
                    passwords::remember(server, user.as_deref(), password);
                }
                return Ok(client);
            }
        }
    }
}

fn refuse_variables() -> Result<()> {
    let is_set = |(name, only): &&(&str, Option<&str>)| {
        env::var(name).is_ok_and(|value| !value.is_empty() && only.is_none_or(|only| only == value))
    };
    match NOT_OBEYED.iter().find(is_set) {
        Some((name, _)) => Err(EngineError::bad((
            format!("{name} is set, but throng does not support it"),
            "unset it, and use the address, PGHOST or similar variables instead",
        ))),
        None => Ok(()),
    }
}

/// Logs in in the first way that the mode allows and that works, encrypted or not.
async fn log_in(
    server: &Server,
    user: Option<&str>,
    password: Option<&str>,
) -> Result<std::result::Result<Client, Error>> {
    let mut config = configure(server);
    user.map(|user| config.user(user));
    password.map(|password| config.password(password));
    let mut failures = Vec::new();
    for &encryption in ways(server) {
        match open(config.ssl_mode(encryption), server).await? {
            Ok(client) => {
                if encryption == Encryption::Disable && !server.is_local() {
                    note_overheard(server);
                }
                return Ok(Ok(client));
            }
            Err(error) => {
                let is_final = !fault::is_refused(&error) && !fault::is_unencrypted(&error);
                failures.push(error);
                if is_final {
                    break;
                }
            }
        }
    }
    Ok(Err(fault::most_telling(failures)))
}

fn configure(server: &Server) -> Config {
    let mut config = Config::new();
    match server.is_socket() {
        true => config.host_path(&server.host),
        false => config.host(&server.host),
    };
    config.port(server.port).dbname(&server.database).application_name("throng").connect_timeout(PATIENCE);
    if env::var("PGCHANNELBINDING").is_ok_and(|asked| asked == "require") {
        config.channel_binding(ChannelBinding::Require);
    }
    config
}

/// Whether connections are encrypted, in the order in which libpq tries. What goes through a socket stays on the machine.
fn ways(server: &Server) -> &'static [Encryption] {
    match server.ssl {
        _ if server.is_socket() => &[Encryption::Disable],
        SslMode::Disable => &[Encryption::Disable],
        SslMode::Allow => &[Encryption::Disable, Encryption::Require],
        SslMode::Prefer => &[Encryption::Require, Encryption::Disable],
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[Encryption::Require],
    }
}

async fn open(config: &Config, server: &Server) -> Result<std::result::Result<Client, Error>> {
    let connected = match config.get_ssl_mode() {
        Encryption::Disable => config.connect(tokio_postgres::NoTls).await.map(|(client, connection)| {
            drive(connection);
            client
        }),
        _ => config.connect(tls::connector(server)?).await.map(|(client, connection)| {
            drive(connection);
            client
        }),
    };
    Ok(connected)
}

/// Drives a connection until it ends, which is also told to whoever waits for an answer. Notices are for nobody: they
/// may have cells in them.
fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        while let Some(Ok(_)) = poll_fn(|context| connection.poll_message(context)).await {}
    });
}

fn note_overheard(server: &Server) {
    let mut overheard = OVERHEARD.lock().unwrap_or_else(PoisonError::into_inner);
    let name = server.to_string();
    if !overheard.contains(&name) {
        overheard.push(name);
    }
}

/// Who logs in.
fn user(server: &Server) -> Option<String> {
    let named = |variable: &str| env::var(variable).ok().filter(|name| !name.is_empty());
    server.user.clone().or_else(|| named("USER")).or_else(|| named("LOGNAME"))
}
