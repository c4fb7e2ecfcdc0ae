//! What a server or the way to it says, in our words: the server's may quote a cell.

use std::error::Error as _;
use std::io;
use std::path::Path;

use throng::wording::quoted;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::database::address::Server;
use crate::error::EngineError;

/// Whether a login failed because no password was given.
pub(super) fn lacks_password(error: &Error) -> bool {
    error.source().is_some_and(|cause| cause.to_string() == "password missing")
}

/// A login that failed.
pub(super) fn of_login(server: &Server, user: Option<&str>, error: &Error) -> EngineError {
    let user = quoted(user.unwrap_or_default());
    let problem = match error.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => format!(
            "the server at {server} refused the login of user {user}; is the user right, and the password in \
             PGPASSWORD or the password file (PGPASSFILE, ~/.pgpass)?"
        ),
        Some(&SqlState::INVALID_CATALOG_NAME) => {
            format!("the server at {server} has no database {}", quoted(&server.database))
        }
        Some(code) => format!("the server at {server} refused the connection (SQLSTATE {})", code.code()),
        None => match find_io(error) {
            Some(cause) if error.to_string().contains("TLS") => format!(
                "no encrypted connection to the server at {server}: {cause}; is it the server that it claims to be?"
            ),
            // The network's fault, or that of a server that is down.
            Some(cause) => {
                let problem = format!(
                    "cannot reach a PostgreSQL server at {server}: {}; is it running, and are host and port right?",
                    wording(cause)
                );
                return EngineError::Data(problem.as_str().into());
            }
            None => {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                format!("cannot connect to the server at {server}: {cause}")
            }
        },
    };
    EngineError::bad(problem)
}

/// A query of the table that failed, which may be the user's own.
pub(super) fn of_query(path: &Path, error: &Error) -> EngineError {
    match error.code().map(|code| code.code()) {
        // The server's words would quote the cell.
        Some(code) if code.starts_with("22") => EngineError::bad(format!(
            "a value of the table cannot be what the query makes of it: a cast, a division or the like failed (SQLSTATE \
             {code}); the server's log says more"
        ))
        .in_file(path),
        _ => of_statement(path, error),
    }
}

/// A statement that failed.
pub(super) fn of_statement(path: &Path, error: &Error) -> EngineError {
    let Some(found) = error.as_db_error() else {
        return EngineError::Data("the connection to the server was lost".into()).in_file(path);
    };
    let code = found.code().code();
    match &code[..2] {
        // These quote names and words of the statement, never a cell.
        "42" | "0A" | "25" | "2B" | "3D" | "3F" => {
            EngineError::bad(format!("the server says: {}", found.message())).in_file(path)
        }
        "53" | "54" | "55" | "57" | "58" => {
            EngineError::Data(format!("the server says: {}", found.message()).as_str().into()).in_file(path)
        }
        _ => {
            let problem = format!("the server refused a statement (SQLSTATE {code}); its log says more");
            EngineError::Data(problem.as_str().into()).in_file(path)
        }
    }
}

fn wording(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
        io::ErrorKind::NotFound => "there is no such socket".to_owned(),
        io::ErrorKind::TimedOut => "it does not answer".to_owned(),
        _ => cause.to_string(),
    }
}

fn find_io(error: &Error) -> Option<&io::Error> {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(cause) = error.downcast_ref::<io::Error>() {
            return Some(cause);
        }
        next = error.source();
    }
    None
}
