//! What a server or the way to it says, in our words: the server's may quote a cell.

use std::error::Error as _;
use std::io;
use std::path::Path;

use throng::wording::quoted;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::address::Server;
use crate::error::EngineError;
use crate::wording::Message;

/// Whether a login failed because no password was given.
pub(super) fn lacks_password(error: &Error) -> bool {
    error.source().is_some_and(|cause| cause.to_string() == "password missing")
}

/// Whether the server itself refused a login: in another way it may not.
pub(super) fn is_refused(error: &Error) -> bool {
    error.as_db_error().is_some()
}

/// Whether a connection could not be encrypted.
pub(super) fn is_unencrypted(error: &Error) -> bool {
    error.to_string().contains("TLS")
}

/// Whether a server offers no encryption.
fn offers_none(error: &Error) -> bool {
    error.source().is_some_and(|cause| cause.to_string() == "server does not support TLS")
}

/// Of the failures of several ways to log in, the one that says most: a certificate that is not known, else what the
/// server said first.
pub(super) fn most_telling(mut failures: Vec<Error>) -> Error {
    let is_unknown = |error: &Error| is_unencrypted(error) && !offers_none(error);
    let place = failures.iter().position(is_unknown).or_else(|| failures.iter().position(is_refused));
    failures.swap_remove(place.unwrap_or(failures.len() - 1))
}

/// A login that failed.
pub(super) fn of_login(server: &Server, user: Option<&str>, error: &Error) -> EngineError {
    let user = quoted(user.unwrap_or_default());
    let problem: Message = match error.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => (
            format!("the server at {server} refused the login of user {user}"),
            "are the user and the password in PGPASSWORD or the password file (PGPASSFILE, ~/.pgpass) right?",
        )
            .into(),
        Some(&SqlState::INVALID_CATALOG_NAME) => {
            format!("the server at {server} has no database {}", quoted(&server.database)).into()
        }
        Some(code) => {
            format!("the server at {server} refused the connection (SQLSTATE {})", code.code()).into()
        }
        None if offers_none(error) => (
            format!("the server at {server} offers no encryption, which sslmode asks for"),
            "others could read and change what is sent",
        )
            .into(),
        None => match find_io(error) {
            Some(cause) if is_unencrypted(error) => (
                format!("cannot make an encrypted connection to the server at {server}: {cause}"),
                "is it really the server it claims to be?",
            )
                .into(),
            // The network's fault, or that of a server that is down.
            Some(cause) => {
                let problem = (
                    format!("cannot reach a PostgreSQL server at {server}: {}", wording(cause)),
                    "is it running, and are the host and the port right?",
                );
                return EngineError::Data(problem.into());
            }
            None => {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                format!("cannot connect to the server at {server}: {cause}").into()
            }
        },
    };
    EngineError::bad(problem)
}

/// What failed while rows were read or written. The server's words may quote a cell, whatever kind of error it says that
/// it is: a cast to a name, and every function, may put one into them.
pub(super) fn of_rows(path: &Path, error: &Error) -> EngineError {
    let Some(found) = error.as_db_error() else { return lost(path) };
    let code = found.code().code();
    let (is_bad, what) = match (&code[..2], code) {
        ("22", _) => (true, "a value cannot be converted: a cast, a division or the like failed"),
        ("23", _) => (true, "a value breaks a rule of its type"),
        ("25", "25006") => (true, "the query would change something, and is only allowed to read"),
        ("42", "42501") => (true, "this user may not read or call something in the query"),
        ("0A" | "25" | "2B" | "2D" | "2F" | "38" | "39" | "3D" | "3F" | "42" | "P0", _) => {
            (true, "a function or a cast of the query failed")
        }
        ("53", "53100") => (false, "the server's disk is full"),
        ("53", "53200") => (false, "the server does not have enough memory"),
        ("40" | "55", _) => (false, "another transaction is in the way"),
        ("57", "57014") => (false, "somebody stopped it, or it reached a time limit of the server"),
        ("57", _) => (false, "the server is shutting down, or closed the connection"),
        ("53" | "54", _) => (false, "a limit of the server was reached"),
        _ => (false, "the server failed"),
    };
    let problem = (format!("{what} (SQLSTATE {code})"), "the server's log says more");
    let error = if is_bad { EngineError::bad(problem) } else { EngineError::Data(problem.into()) };
    error.in_file(path)
}

/// A statement that failed and looks at no row: one of the catalogue, or one that was only prepared.
pub(super) fn of_statement(path: &Path, error: &Error) -> EngineError {
    let Some(found) = error.as_db_error() else { return lost(path) };
    let code = found.code().code();
    match &code[..2] {
        // These quote names and words of the statement.
        "42" | "0A" | "25" | "2B" | "3D" | "3F" => {
            EngineError::bad(format!("the server says: {}", found.message())).in_file(path)
        }
        "53" | "54" | "55" | "57" | "58" => {
            EngineError::Data(format!("the server says: {}", found.message()).as_str().into()).in_file(path)
        }
        _ => {
            let problem = (format!("the server refused a statement (SQLSTATE {code})"), "its log says more");
            EngineError::Data(problem.into()).in_file(path)
        }
    }
}

fn lost(path: &Path) -> EngineError {
    EngineError::Data("the connection to the server was lost".into()).in_file(path)
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
