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
use crate::backend::objects;
use crate::error::{EngineError, Result};
use crate::output::sink::Hidden;
use crate::tables::{Held, Tables};

/// What came in, for a whole run: it can be taken only once.
#[derive(Default)]
struct Spooled(Mutex<Option<Hidden>>);

impl Held for Spooled {
    fn let_go(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Refuses standard input in the place of two tables: it would be the same table twice.
///
/// # Errors
/// If both paths mean it.
pub fn refuse_twice(one: &Path, other: &Path) -> Result<()> {
    let both = (Address::from_path(one), Address::from_path(other));
    if !matches!(both, (Address::Stdio(_), Address::Stdio(_))) {
        return Ok(());
    }
    let problem =
        ("- stands for standard input, which can be only one of the two tables", "give the other as a file");
    Err(EngineError::bad(problem))
}

impl Tables {
    /// Takes in all of standard input, unless that was done.
    ///
    /// # Errors
    /// If it cannot be read, or not be put into a file.
    pub fn take_in_standard_input(&self) -> Result<()> {
        self.spool().map(drop).map_err(failed)
    }

    fn spool(&self) -> io::Result<PathBuf> {
        let held = self.held::<Spooled>();
        let mut spooled = held.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *spooled {
            Some(file) => file,
            none => none.insert(take_in(&mut io::stdin().lock())?),
        };
        Ok(file.path().to_owned())
    }

    /// Where a table can be opened: the file itself, what came in for `-`, or what was fetched of an object.
    pub(crate) fn local_path<'a>(&self, path: &'a Path) -> io::Result<Cow<'a, Path>> {
        match Address::from_path(path) {
            Address::Object(_) => {
                let objects = objects().map_err(io::Error::other)?;
                objects.local_path(path, self).map(Cow::Owned)
            }
            Address::Stdio(_) => self.spool().map(Cow::Owned),
            Address::Files(_) | Address::Postgres(_) | Address::Memory(_) => Ok(Cow::Borrowed(path)),
        }
    }

    /// Opens the file of a table, be it standard input.
    pub fn open_file(&self, path: &Path) -> io::Result<File> {
        File::open(self.local_path(path)?)
    }
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
    EngineError::Io { path: "standard input".into(), action: "cannot read all of it", cause }
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
