//! `-`: standard input as a table, and standard output as the place of a release.
//!
//! A table is read more than once, so what comes in is first put into a file of its own, which only its owner can
//! read and which has no name where the system can do that. A release goes out when it is verified.

use std::borrow::Cow;
use std::env;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::address::Address;
use crate::backend::{forget_objects, objects};
use crate::error::{EngineError, Result};
use crate::output::sink::Hidden;

/// What came in, for the whole process: it can be taken only once.
static SPOOLED: Mutex<Option<Hidden>> = Mutex::new(None);

/// Refuses standard input in the place of two tables: it would be the same table twice.
///
/// # Errors
/// If both paths mean it.
pub fn refuse_twice(one: &Path, other: &Path) -> Result<()> {
    let both = (Address::of(one), Address::of(other));
    if !matches!(both, (Address::Stdio(_), Address::Stdio(_))) {
        return Ok(());
    }
    let problem =
        ("- is standard input, which can be one of the two tables but not both", "give the other as a file");
    Err(EngineError::bad(problem))
}

/// Takes in all of standard input, unless that was done.
///
/// # Errors
/// If it cannot be read, or not be put into a file.
pub fn spool() -> Result<()> {
    let mut spooled = SPOOLED.lock().unwrap_or_else(PoisonError::into_inner);
    if spooled.is_none() {
        *spooled = Some(take_in(&mut io::stdin().lock()).map_err(failed)?);
    }
    Ok(())
}

/// Removes what was taken in, or fetched from object stores. Nothing of it can be read any more.
pub fn forget() {
    forget_objects();
    SPOOLED.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Where a table can be opened: the file itself, what came in for `-`, or what was fetched of an object.
pub fn place(path: &Path) -> io::Result<Cow<'_, Path>> {
    match Address::of(path) {
        Address::Object(_) => {
            let objects = objects().map_err(io::Error::other)?;
            return objects.place(path).map(Cow::Owned);
        }
        Address::Stdio(_) => {}
        Address::Files(_) | Address::Postgres(_) | Address::Memory(_) => return Ok(Cow::Borrowed(path)),
    }
    spool().map_err(io::Error::other)?;
    let spooled = SPOOLED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = spooled.as_ref().map(|file| file.path().to_owned());
    Ok(Cow::Owned(place.unwrap_or_else(|| PathBuf::from("-"))))
}

/// Opens a table, be it standard input.
pub fn open(path: &Path) -> io::Result<File> {
    File::open(place(path)?)
}

fn take_in(from: &mut impl io::Read) -> io::Result<Hidden> {
    let hidden = Hidden::new(&env::temp_dir(), "")?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        hidden.file().set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    io::copy(from, &mut hidden.file())?;
    Ok(hidden)
}

fn failed(cause: io::Error) -> EngineError {
    EngineError::Io { path: "standard input".into(), action: "cannot take it in", cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_is_its_owners_alone() {
        let hidden = take_in(&mut &b"a,b\n1,2\n"[..]).unwrap();
        assert_eq!(std::fs::read_to_string(hidden.path()).unwrap(), "a,b\n1,2\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(hidden.file().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
