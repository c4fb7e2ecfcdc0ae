//! Fetches objects that have to be read from end to end.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::TryStreamExt;
use object_store::ObjectStoreExt;

use super::bucket::{find, wait_for};
use super::fault;
use super::look::{key_of, look};
use crate::address::ObjectAddress;
use crate::backend::Look;
use crate::error::{EngineError, Result};
use crate::output::sink::private::{PrivateDirectory, create_private};
use crate::tables::Held;

/// What was fetched, for a whole run.
#[derive(Default)]
pub(super) struct FetchedObjects(Mutex<Option<Fetched>>);

impl Held for FetchedObjects {
    fn let_go(&self) {
        self.lock().take();
    }
}

/// Objects as files, in a directory that only its owner can look into.
struct Fetched {
    directory: PrivateDirectory,
    /// Size and version of each, and the number that its file is called.
    objects: BTreeMap<PathBuf, (u64, Option<String>, usize)>,
    /// Files so far: who still reads an old version keeps it.
    files: usize,
}

impl Fetched {
    fn file(&self, number: usize) -> PathBuf {
        self.directory.path().join(number.to_string())
    }
}

impl FetchedObjects {
    fn lock(&self) -> MutexGuard<'_, Option<Fetched>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where an object can be opened; it is fetched unless that was done, and fetched again if it is another now.
    ///
    /// # Errors
    /// If it cannot be fetched.
    pub(super) fn fetch(&self, path: &Path, seen: &Look) -> Result<PathBuf> {
        let mut fetched = self.lock();
        let failed = |cause| EngineError::Io { path: path.to_owned(), action: "cannot fetch", cause };
        let fetched = match &mut *fetched {
            Some(fetched) => fetched,
            none => none.insert(Fetched {
                directory: PrivateDirectory::within(&env::temp_dir()).map_err(failed)?,
                objects: BTreeMap::new(),
                files: 0,
            }),
        };
        if let Some((bytes, version, number)) = fetched.objects.get(path)
            && (*bytes, version.as_deref()) == (seen.bytes, seen.version.as_deref())
        {
            return Ok(fetched.file(*number));
        }
        let number = fetched.files;
        fetched.files += 1;
        let file = fetched.file(number);
        let (from, to, expected) = (path.to_owned(), file.clone(), seen.bytes);
        wait_for(async move { copy_here(&from, &to, expected).await })?;
        fetched.objects.insert(path.to_owned(), (seen.bytes, seen.version.clone(), number));
        Ok(file)
    }

    /// Where an object can be opened: what was fetched when its table was opened, if it was.
    pub(super) fn local_path(&self, path: &Path) -> io::Result<PathBuf> {
        let known = {
            let fetched = self.lock();
            fetched.as_ref().and_then(|all| all.objects.get(path).map(|(_, _, number)| all.file(*number)))
        };
        match known {
            Some(file) => Ok(file),
            None => look(path).and_then(|look| self.fetch(path, &look)).map_err(io::Error::other),
        }
    }
}

async fn copy_here(path: &Path, to: &Path, expected: u64) -> Result<()> {
    let address = ObjectAddress::parse(path)?;
    let (store, key) = (find(&address.bucket)?, key_of(&address, path)?);
    let asked = |error: object_store::Error| fault::of_request(&error, path);
    let failed = |cause| EngineError::Io { path: path.to_owned(), action: "cannot fetch", cause };
    let mut bytes = store.get(&key).await.map_err(asked)?.into_stream();
    let mut file = create_private(to).map_err(failed)?;
    let mut written = 0;
    while let Some(piece) = bytes.try_next().await.map_err(asked)? {
        file.write_all(&piece).map_err(failed)?;
        written += piece.len() as u64;
    }
    if written == expected {
        Ok(())
    } else {
        Err(EngineError::bad("the object changed while it was fetched").in_file(path))
    }
}
