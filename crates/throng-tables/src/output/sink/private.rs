//! What only its owner can look into while we work, and what runs that were killed have left of it.
//!
//! Whoever makes a hidden file or directory holds a lock on it. The system gives the lock up however the process ends,
//! so what can be locked is nobody's any more, and goes with the next run in the same place.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// What hidden names start with.
pub(super) const PREFIX: &str = ".throng-";
/// Letters and digits that follow, drawn at random.
const DRAWN: usize = 6;
/// What was at the target of a directory before, where it is replaced in two steps.
pub(super) const REPLACED: &str = "old";

/// A hidden directory that is removed when it is dropped.
#[derive(Debug)]
pub struct PrivateDirectory {
    directory: TempDir,
    _lock: Option<File>,
}

impl PrivateDirectory {
    /// Makes one in `parent`, and removes what killed runs left there.
    pub fn within(parent: &Path) -> io::Result<PrivateDirectory> {
        sweep(parent);
        loop {
            let mut builder = named();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                builder.permissions(fs::Permissions::from_mode(0o700));
            }
            let directory = builder.tempdir_in(parent)?;
            match File::open(directory.path()) {
                Ok(file) if hold(&file, directory.path()) => {
                    return Ok(PrivateDirectory { directory, _lock: Some(file) });
                }
                // Somebody took it for a leftover before it was locked.
                Ok(_) => {}
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                // Not every system opens directories.
                Err(_) => return Ok(PrivateDirectory { directory, _lock: None }),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Removes it with all that is in it.
    pub fn close(self) -> io::Result<()> {
        self.directory.close()
    }
}

/// A builder of hidden names.
pub(super) fn named<'a, 'b>() -> Builder<'a, 'b> {
    let mut builder = Builder::new();
    builder.prefix(PREFIX).rand_bytes(DRAWN);
    builder
}

/// Makes a new file that only its owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a new directory that only its owner can look into.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Locks what was just made; false if it was removed before that.
pub(super) fn hold(file: &File, path: &Path) -> bool {
    // Where nothing can be locked nobody takes it for a leftover, either.
    file.lock().is_err() || is_at(file, path)
}

/// Removes what killed runs left in a directory, and says what that was.
pub fn sweep(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let hidden = entries.flatten().filter(|entry| is_hidden_name(&entry.file_name()));
    hidden.map(|entry| entry.path()).filter(|path| remove_leftover(path)).collect()
}

/// Whether a name is of the form that ours have.
fn is_hidden_name(name: &OsStr) -> bool {
    let drawn = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let drawn = drawn.map(|rest| rest.split_once('.').map_or(rest, |(drawn, _)| drawn));
    drawn.is_some_and(|drawn| drawn.len() == DRAWN && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes a file or directory of ours, unless somebody works with it.
fn remove_leftover(path: &Path) -> bool {
    let Ok(found) = fs::symlink_metadata(path) else { return false };
    if !(found.is_file() || found.is_dir()) || !is_own(&found) {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) if is_at(&file, path) => {}
        Ok(()) | Err(TryLockError::WouldBlock | TryLockError::Error(_)) => return false,
    }
    match found.is_dir() {
        // All that is left of a release whose place was to be taken.
        true if path.join(REPLACED).exists() => false,
        true => remove_directory(path),
        false => fs::remove_file(path).is_ok(),
    }
}

/// Moves a directory away before it is removed: nodes of a cluster may still write into it under its name.
fn remove_directory(path: &Path) -> bool {
    let gone = path.with_added_extension("gone");
    fs::remove_dir_all(if fs::rename(path, &gone).is_ok() { &gone } else { path }).is_ok()
}

#[cfg(target_os = "linux")]
fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(target_os = "linux"))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Whether an open file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let here = file.metadata().ok().zip(fs::symlink_metadata(path).ok());
    here.is_some_and(|(open, found)| (open.dev(), open.ino()) == (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_go_and_what_is_in_use_stays() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let used = PrivateDirectory::within(dir.path()).unwrap();
        fs::write(used.path().join("part"), "").unwrap();
        for file in [".throng-abc123", ".throng-Abc12z.csv.gz"] {
            fs::write(at(file), "").unwrap();
        }
        fs::create_dir(at(".throng-dddddd")).unwrap();
        fs::write(at(".throng-dddddd/part"), "").unwrap();
        let others = ["a.csv", ".throng-notes.txt", ".throng-", ".throng-abc12", "throng-abc123"];
        others.iter().for_each(|name| fs::write(at(name), "").unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("a.csv"), at(".throng-link00")).unwrap();

        let mut swept = sweep(dir.path());
        swept.sort();
        assert_eq!(swept, [".throng-Abc12z.csv.gz", ".throng-abc123", ".throng-dddddd"].map(&at));
        assert!(swept.iter().all(|path| !path.exists()));
        assert!(others.iter().all(|name| at(name).exists()) && used.path().join("part").exists());
        #[cfg(unix)]
        assert!(at(".throng-link00").is_symlink());
        assert!(sweep(dir.path()).is_empty());
    }

    #[test]
    fn a_release_that_was_to_be_replaced_is_no_leftover() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join(".throng-abcdef").join(REPLACED);
        fs::create_dir_all(&old).unwrap();
        assert!(sweep(dir.path()).is_empty());
        assert!(old.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_it() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let dir = tempfile::tempdir().unwrap();
        let own = PrivateDirectory::within(dir.path()).unwrap();
        let file = own.path().join("file");
        create_private(&file).unwrap();
        assert_eq!((mode(own.path()), mode(&file)), (0o700, 0o600));
    }
}
