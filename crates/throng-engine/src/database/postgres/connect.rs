//! Logging in.

use std::env;
use std::time::Duration;

use tokio_postgres::config::SslMode as Encryption;
use tokio_postgres::{Client, Config, Error};

use super::{fault, passwords, tls};
use crate::database::address::{Server, SslMode};
use crate::error::Result;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Connects to a server; must be called in a runtime, which drives the connection from then on.
///
/// # Errors
/// If it cannot be reached, or refuses.
pub(super) async fn connect(server: &Server) -> Result<Client> {
    let user = user(server);
    let mut password = passwords::find(server, user.as_deref())?;
    loop {
        match log_in(server, user.as_deref(), password.as_deref()).await {
            Err(LogIn::Failed(error)) if password.is_none() && fault::lacks_password(&error) => {
                password = Some(passwords::ask(server, user.as_deref())?);
            }
            Err(LogIn::Failed(error)) => return Err(fault::of_login(server, user.as_deref(), &error)),
            Err(LogIn::Refused(error)) => return Err(error),
            Ok(client) => {
                if let Some(password) = password {
                    passwords::remember(server, user.as_deref(), password);
                }
                return Ok(client);
            }
        }
    }
}

enum LogIn {
    Failed(Error),
    Refused(crate::error::EngineError),
}

async fn log_in(
    server: &Server,
    user: Option<&str>,
    password: Option<&str>,
) -> std::result::Result<Client, LogIn> {
    let mut config = Config::new();
    if server.is_socket() {
        config.host_path(&server.host);
    } else {
        config.host(&server.host);
    }
    config.port(server.port).dbname(&server.database).application_name("throng").connect_timeout(PATIENCE);
    // What goes through a socket stays on the machine, as libpq has it.
    config.ssl_mode(match server.ssl {
        _ if server.is_socket() => Encryption::Disable,
        SslMode::Disable => Encryption::Disable,
        SslMode::Prefer => Encryption::Prefer,
        SslMode::Require | SslMode::VerifyFull => Encryption::Require,
    });
    if let Some(user) = user {
        config.user(user);
    }
    if let Some(password) = password {
        config.password(password);
    }
    let tls = tls::connector(server).map_err(LogIn::Refused)?;
    let (client, connection) = config.connect(tls).await.map_err(LogIn::Failed)?;
    // What ends a connection is also told to whoever waits for an answer.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

/// Who logs in.
fn user(server: &Server) -> Option<String> {
    let named = |variable: &str| env::var(variable).ok().filter(|name| !name.is_empty());
    server.user.clone().or_else(|| named("PGUSER")).or_else(|| named("USER")).or_else(|| named("LOGNAME"))
}
