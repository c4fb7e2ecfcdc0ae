//! Who may use the page: whoever has the token of this start, and the password where one is asked for.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use argon2::password_hash::SaltString;
use argon2::{Argon2, PasswordHash, PasswordHasher, PasswordVerifier};

/// Bytes of a secret.
const SECRET_BYTES: usize = 24;

/// How long the page waits after a wrong password before it looks at another one.
const AFTER_WRONG: Duration = Duration::from_secs(1);

/// Sessions at a time; the oldest ends where there are more.
const MOST_SESSIONS: usize = 64;

/// Random letters and digits that nobody can guess.
pub(crate) fn secret() -> io::Result<String> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two secrets are the same; takes as long wherever they differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |found, (a, b)| found | (a ^ b)) == 0
}

/// The hash of a password, which is all that the server keeps of it.
#[derive(Debug)]
pub struct Password(String);

impl Password {
    /// Hashes a password with Argon2id and a salt of its own.
    ///
    /// # Errors
    /// If it is shorter than twelve characters, or there is no randomness.
    pub fn new(text: &str) -> io::Result<Password> {
        if text.chars().count() < 12 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the password has fewer than twelve characters",
            ));
        }
        let mut salt = [0_u8; 16];
        let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
        getrandom::fill(&mut salt).map_err(|error| failed(&error))?;
        let salt = SaltString::encode_b64(&salt).map_err(|error| failed(&error))?;
        let hash = Argon2::default().hash_password(text.as_bytes(), &salt).map_err(|error| failed(&error))?;
        Ok(Password(hash.to_string()))
    }

    fn is(&self, text: &str) -> bool {
        let Ok(hash) = PasswordHash::new(&self.0) else { return false };
        Argon2::default().verify_password(text.as_bytes(), &hash).is_ok()
    }
}

/// What a session remembers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    started: Instant,
    /// Whether cells of the original are shown.
    pub(crate) shows_originals: bool,
}

/// The token of this start, and the sessions that were begun with it.
#[derive(Debug)]
pub(crate) struct Sessions {
    token: String,
    password: Option<Password>,
    /// When another password may be tried.
    next_try: Mutex<Instant>,
    open: Mutex<BTreeMap<String, Session>>,
}

impl Sessions {
    pub(crate) fn new(password: Option<Password>) -> io::Result<Sessions> {
        Ok(Sessions {
            token: secret()?,
            password,
            next_try: Mutex::new(Instant::now()),
            open: Mutex::default(),
        })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn is_token(&self, text: &str) -> bool {
        is_same(text, &self.token)
    }

    pub(crate) fn asks_password(&self) -> bool {
        self.password.is_some()
    }

    /// Whether this is the password; false at once where somebody tries too often.
    pub(crate) fn is_password(&self, text: &str) -> bool {
        let Some(password) = &self.password else { return true };
        {
            let mut next = self.next_try.lock().unwrap_or_else(PoisonError::into_inner);
            if *next > Instant::now() {
                return false;
            }
            *next = Instant::now() + AFTER_WRONG;
        }
        password.is(text)
    }

    /// Begins a session, and returns what its cookie says.
    pub(crate) fn begin(&self) -> io::Result<String> {
        let cookie = secret()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST_SESSIONS
            && let Some(oldest) =
                open.iter().min_by_key(|(_, session)| session.started).map(|(name, _)| name.clone())
        {
            open.remove(&oldest);
        }
        open.insert(cookie.clone(), Session { started: Instant::now(), shows_originals: false });
        Ok(cookie)
    }

    pub(crate) fn find(&self, cookie: &str) -> Option<Session> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().find(|(known, _)| is_same(known, cookie)).map(|(_, session)| *session)
    }

    pub(crate) fn show_originals(&self, cookie: &str, show: bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = open.get_mut(cookie) {
            session.shows_originals = show;
        }
    }
}

/// The session of a request that was let in.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) cookie: String,
    pub(crate) session: Session,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_compared_whole() {
        let (a, b) = (secret().unwrap(), secret().unwrap());
        assert_eq!(a.len(), 2 * SECRET_BYTES);
        assert!(is_same(&a, &a.clone()) && !is_same(&a, &b) && !is_same(&a, &a[1..]));
    }

    #[test]
    fn a_password_is_known_by_its_hash_and_tried_slowly() {
        assert!(Password::new("too short").is_err());
        let password = Password::new("a long password").unwrap();
        assert!(!password.0.contains("long") && password.0.starts_with("$argon2id$"));
        let sessions = Sessions::new(Some(password)).unwrap();
        assert!(!sessions.is_password("another password"));
        assert!(!sessions.is_password("a long password"), "too soon after a wrong one");
        std::thread::sleep(AFTER_WRONG);
        assert!(sessions.is_password("a long password"));
    }

    #[test]
    fn originals_are_covered_until_a_session_shows_them() {
        let sessions = Sessions::new(None).unwrap();
        let cookie = sessions.begin().unwrap();
        assert!(!sessions.find(&cookie).unwrap().shows_originals);
        sessions.show_originals(&cookie, true);
        assert!(sessions.find(&cookie).unwrap().shows_originals);
        assert!(sessions.find(sessions.token()).is_none());
    }

    #[test]
    fn sessions_are_bounded() {
        let sessions = Sessions::new(None).unwrap();
        let first = sessions.begin().unwrap();
        (0..MOST_SESSIONS).for_each(|_| drop(sessions.begin().unwrap()));
        assert!(sessions.find(&first).is_none());
    }
}
