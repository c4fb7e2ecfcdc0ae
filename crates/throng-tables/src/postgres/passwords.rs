//! Passwords: from the environment, from a password file, or from whoever sits at the terminal.
//!
//! They are handed to the server and to nobody else: no message, report or file has one.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::address::Server;
use crate::error::{EngineError, Result};
use crate::input::whole;

/// Asks somebody for a password, given what it is for; nothing if there is nobody.
type PasswordPrompt = fn(&str) -> Option<String>;

static ASK: OnceLock<PasswordPrompt> = OnceLock::new();
/// What was right before: nobody is asked twice.
static KNOWN: Mutex<Vec<(Server, String)>> = Mutex::new(Vec::new());

/// Says how somebody is asked for a password, given what it is for. Only the first call counts.
pub fn ask_passwords_by(ask: PasswordPrompt) {
    let _ = ASK.set(ask);
}

/// The password of a user of a server, if one is known.
pub(super) fn find(server: &Server, user: Option<&str>) -> Result<Option<String>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, password)) = known.iter().find(|(other, _)| other == server) {
        return Ok(Some(password.clone()));
    }
    match env::var("PGPASSWORD") {
        Ok(password) if !password.is_empty() => Ok(Some(password)),
        _ => in_file(server, user),
    }
}

/// Keeps a password that was right.
pub(super) fn remember(server: &Server, _user: Option<&str>, password: String) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.iter().any(|(other, _)| other == server) {
        known.push((server.clone(), password));
    }
}

/// Asks for a password.
///
/// # Errors
/// If there is nobody to ask.
pub(super) fn ask(server: &Server, user: Option<&str>) -> Result<String> {
    let user = user.unwrap_or_default();
    let asked = ASK.get().and_then(|ask| ask(&format!("Password for user {user} at {server}: ")));
    asked.ok_or_else(|| {
        EngineError::bad((
            format!("the server at {server} asks for a password, but there is none"),
            "put it into PGPASSWORD or a password file (PGPASSFILE, ~/.pgpass)",
        ))
    })
}

/// The password in the password file, if there is one.
fn in_file(server: &Server, user: Option<&str>) -> Result<Option<String>> {
    let named = env::var_os("PGPASSFILE").filter(|file| !file.is_empty()).map(PathBuf::from);
    let usual = || env::home_dir().map(|home| home.join(".pgpass"));
    let Some(file) = named.or_else(usual) else { return Ok(None) };
    let Ok(metadata) = fs::metadata(&file) else { return Ok(None) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if metadata.permissions().mode() & 0o077 != 0 {
            let problem = ("others can read this password file", "make it private with chmod 0600");
            return Err(EngineError::bad(problem).in_file(file));
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    let bytes = whole::read(&file, whole::MOST_WRITTEN, "cannot read the password file", "no such file");
    let Some(text) = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return Ok(None) };
    Ok(matching(&text, server, user.unwrap_or_default()))
}

/// The password of the first line that fits: `host:port:database:user:password`, where `*` is anything and a
/// backslash stands before a colon or another backslash.
fn matching(text: &str, server: &Server, user: &str) -> Option<String> {
    let host = if server.is_socket() { "localhost" } else { server.host.as_str() };
    let port = server.port.to_string();
    let wanted = [host, port.as_str(), server.database.as_str(), user];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let (password, place) = fields.split_last().filter(|_| fields.len() == 5)?;
        let fits = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
        // A socket is found by its directory, too.
        let by_directory = place[0] == server.host;
        let host_fits = by_directory || fits((&place[0], &wanted[0]));
        (host_fits && place[1..].iter().zip(&wanted[1..]).all(fits)).then(|| password.clone())
    })
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let last = fields.last_mut().expect("there is one");
        match c {
            '\\' => last.extend(chars.next()),
            // The password is the rest of the line, up to another colon.
            ':' => fields.push(String::new()),
            other => last.push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::DatabaseAddress;

    #[test]
    fn the_first_line_that_fits() {
        let server = DatabaseAddress::parse("postgres://db:6000/shop?table=t").unwrap().server;
        let text =
            "# a comment\nother:*:*:*:no\ndb:6000:shop:bob:no\ndb:*:shop:ann:a\\:b\\\\c\n*:*:*:*:last\n";
        assert_eq!(matching(text, &server, "ann").as_deref(), Some("a:b\\c"));
        assert_eq!(matching(text, &server, "eve").as_deref(), Some("last"));
        let socket = DatabaseAddress::parse("postgres:///shop?table=t&host=/run/pg").unwrap().server;
        assert_eq!(matching("localhost:5432:shop:ann:x\n", &socket, "ann").as_deref(), Some("x"));
        assert_eq!(matching("/run/pg:5432:shop:ann:x\n", &socket, "ann").as_deref(), Some("x"));
        assert_eq!(matching("db:5432:shop:ann:x\n", &socket, "ann"), None);
    }
}
