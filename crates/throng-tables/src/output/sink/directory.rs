//! A directory of files that appears whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use throng::wording::quoted;

use super::limit::Limit;
use super::private::create_private_directory;
use super::private::{PrivateDirectory, REPLACED};
use super::staged::{failed, find_parent, follow, sync_directory};
use super::together::limit_directory;
use crate::error::{EngineError, Result};
use crate::wording::Message;

/// The name of the directory within the hidden one.
const INNER: &str = "parts";

/// A hidden directory beside its target, which takes the target's place when it is published, in one step.
///
/// Nobody but its owner can look into it until then. Dropping it removes it with all that is in it; only a process
/// that is killed leaves it behind.
#[derive(Debug)]
pub struct StagedDirectory {
    /// Closed to others. The directory within it has the permissions of any new one.
    hidden: PrivateDirectory,
    parts: PathBuf,
    limit: Option<Limit>,
    target: PathBuf,
    replace: bool,
}

impl StagedDirectory {
    /// Makes the hidden directory.
    ///
    /// # Errors
    /// As of [`refuse_bad_directory`], or if it cannot be made.
    pub fn beside(target: &Path, replace: bool) -> Result<StagedDirectory> {
        let (target, parent) = find_directory(target, replace)?;
        let hidden = PrivateDirectory::within(&parent).map_err(|cause| failed(&target, cause))?;
        let parts = hidden.path().join(INNER);
        fs::create_dir(&parts).map_err(|cause| failed(&target, cause))?;
        Ok(StagedDirectory { hidden, parts, limit: None, target, replace })
    }

    /// Lets nobody but the owner do more with it and its files than a limit allows.
    pub fn limit_to(&mut self, limit: Limit) {
        self.limit = Some(limit);
    }

    /// The permissions that its files get when it is published.
    ///
    /// # Errors
    /// If nobody can say what a new file would have.
    #[cfg(unix)]
    pub fn file_mode(&self) -> Result<u32> {
        use std::os::unix::fs::PermissionsExt;
        // What the system takes from the permissions of a new directory it takes from those of files, too.
        let given = fs::metadata(&self.parts).map_err(|cause| failed(&self.target, cause))?;
        let given = given.permissions().mode() & 0o666;
        Ok(self.limit.map_or(given, |limit| limit.file(given)))
    }

    /// The same where files have no such permissions.
    #[cfg(not(unix))]
    pub fn file_mode(&self) -> Result<u32> {
        Ok(0)
    }

    /// Where its files go, and where they can be read to be verified.
    pub fn path(&self) -> &Path {
        &self.parts
    }

    /// Where it will be, with links followed.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A directory beside the files that nobody else can look into, and that is not published.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn working_folder(&self) -> Result<WorkingFolder> {
        WorkingFolder::within(self.hidden.path()).map_err(|cause| failed(&self.target, cause))
    }

    /// The path of a file in it: `part-00000.parquet` and so on, so that names are in the order of the rows.
    pub fn part(&self, number: usize, extension: &str) -> PathBuf {
        self.parts.join(part_name(number, extension))
    }

    /// Puts it in the place of the target, in one step; what was there is removed then.
    ///
    /// # Errors
    /// If that fails, or somebody else has put something there; then all is as it was.
    pub fn publish(self) -> Result<()> {
        let StagedDirectory { hidden, parts, limit, target, replace } = self;
        let allow = || limit.map_or(Ok(()), |limit| limit_directory(&parts, limit));
        let put = || {
            File::open(&parts)?.sync_all()?;
            match fs::symlink_metadata(&target) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                    allow().and_then(|()| fs::rename(&parts, &target))
                }
                _ if is_empty(&target)? => {
                    copy_permissions(&target, &parts).and_then(|()| allow())?;
                    fs::remove_dir(&target).and_then(|()| fs::rename(&parts, &target))
                }
                _ if !replace => Err(io::ErrorKind::AlreadyExists.into()),
                _ => {
                    copy_permissions(&target, &parts).and_then(|()| allow())?;
                    exchange(&parts, &target, hidden.path())
                }
            }
        };
        put().map_err(|cause| failed(&target, cause))?;
        // What was replaced is in the hidden directory now.
        hidden.close().map_err(|cause| failed(&target, cause))?;
        sync_directory(&target).map_err(|cause| failed(&target, cause))
    }
}

/// Where others write files, of which some become parts of a release.
///
/// They may still write when nobody waits for them any more: a machine that was given up, a task that was not ended.
/// So files that are wanted are taken out of it, and dropping it first moves it away, that nobody finds it, and then
/// removes it.
#[derive(Debug)]
pub struct WorkingFolder {
    path: PathBuf,
    gone: PathBuf,
}

impl WorkingFolder {
    fn within(hidden: &Path) -> io::Result<WorkingFolder> {
        let hidden = fs::canonicalize(hidden)?;
        let working_folder = WorkingFolder { path: hidden.join("workshop"), gone: hidden.join("gone") };
        create_private_directory(&working_folder.path)?;
        create_private_directory(&working_folder.files())?;
        create_private_directory(&working_folder.shared())?;
        Ok(working_folder)
    }

    /// Where others put files; a whole path.
    pub fn files(&self) -> PathBuf {
        self.path.join("files")
    }

    /// Where they find what they need for it; a whole path.
    pub fn shared(&self) -> PathBuf {
        self.path.join("desk")
    }
}

impl Drop for WorkingFolder {
    fn drop(&mut self) {
        let gone = if fs::rename(&self.path, &self.gone).is_ok() { &self.gone } else { &self.path };
        // Whoever was about to write may have a file there once more.
        for _ in 0..100 {
            match fs::remove_dir_all(gone) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                _ => return,
            }
        }
    }
}

/// Parts that names of five digits can number, so that they are in the order of the rows.
const MOST_PARTS: usize = 100_000;

/// Refuses more parts than names can tell apart in order.
pub(super) fn refuse_many(parts: usize, target: &Path) -> Result<()> {
    if parts < MOST_PARTS {
        return Ok(());
    }
    let problem = (
        format!("the release would take more than {MOST_PARTS} files"),
        "allow more rows in each (rows_per_file)",
    );
    Err(EngineError::bad(problem).in_file(target))
}

/// The name of a part.
fn part_name(number: usize, extension: &str) -> String {
    format!("part-{number:05}.{extension}")
}

/// Refuses a directory that cannot be written, before any work is done for it.
///
/// # Errors
/// If there is something else, the directory has files and `replace` is not said, it has others than parts, or the
/// directory that it would be in does not exist.
pub fn refuse_bad_directory(target: &Path, replace: bool) -> Result<()> {
    find_directory(target, replace).map(drop)
}

/// Where a target really is, and the directory that it is in.
fn find_directory(target: &Path, replace: bool) -> Result<(PathBuf, PathBuf)> {
    // Without the separator at its end: what it names may be a link.
    let target = follow(&target.components().collect::<PathBuf>())?;
    let refuse = |why: Message| Err(EngineError::bad(why.after("cannot write: ")).in_file(&target));
    match fs::metadata(&target) {
        Ok(found) if !found.is_dir() => {
            return refuse(
                ("it is a file, not a directory", "name a directory, or do not write parts").into(),
            );
        }
        Ok(_) => {
            let entries = fs::read_dir(&target).map_err(|cause| failed(&target, cause))?;
            let names: io::Result<Vec<_>> =
                entries.map(|entry| entry.map(|entry| entry.file_name())).collect();
            let names = names.map_err(|cause| failed(&target, cause))?;
            if !names.is_empty() && !replace {
                return refuse(("the directory already exists", "--replace replaces it as a whole").into());
            }
            // What nobody wrote as a release is nobody's to remove.
            if let Some(other) = names.iter().find(|name| !is_part(name)) {
                return refuse(
                    (
                        format!(
                            "the directory contains {}, which is not part of a release, so it is not \
                             replaced",
                            quoted(other.to_string_lossy())
                        ),
                        "name another directory, or remove it yourself",
                    )
                        .into(),
                );
            }
        }
        Err(_) => {}
    }
    let parent = find_parent(&target)?;
    Ok((target, parent))
}

/// Whether a file of a directory can be a part of a release.
fn is_part(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.strip_prefix("part-")?.split_once('.'));
    let is_number =
        number.is_some_and(|(number, _)| number.len() >= 5 && number.bytes().all(|b| b.is_ascii_digit()));
    is_number || name == "_SUCCESS"
}

fn is_empty(directory: &Path) -> io::Result<bool> {
    Ok(fs::read_dir(directory)?.next().is_none())
}

fn copy_permissions(from: &Path, to: &Path) -> io::Result<()> {
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Puts a directory in the place of another, which is in `hidden` then.
fn exchange(parts: &Path, target: &Path, hidden: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, parts, CWD, target, RenameFlags::EXCHANGE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            done => return done.map_err(io::Error::from),
        }
    }
    exchange_in_steps(parts, target, hidden)
}

/// The same in two steps, where the system has no other way: for a moment there is nothing at the target.
fn exchange_in_steps(parts: &Path, target: &Path, hidden: &Path) -> io::Result<()> {
    let old = hidden.join(REPLACED);
    fs::rename(target, &old)?;
    fs::rename(parts, target).inspect_err(|_| {
        // There is nothing more to be done if this fails, too.
        let _ = fs::rename(&old, target);
    })
}

#[cfg(test)]
mod tests {
    use super::super::staged::tests::names;
    use super::*;

    fn stage(target: &Path, replace: bool, texts: &[&str]) -> StagedDirectory {
        let staged = StagedDirectory::beside(target, replace).unwrap();
        for (number, text) in texts.iter().enumerate() {
            fs::write(staged.part(number, "csv"), text).unwrap();
        }
        staged
    }

    #[test]
    fn what_is_not_published_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let staged = stage(&dir.path().join("out"), false, &["a", "b"]);
        assert_eq!(names(staged.path()), ["part-00000.csv", "part-00001.csv"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let hidden = staged.path().parent().unwrap();
            assert_eq!(fs::metadata(hidden).unwrap().permissions().mode() & 0o777, 0o700);
        }
        drop(staged);
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_directory_appears_as_a_whole_and_replaces_only_releases() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out");
        fs::create_dir(&target).unwrap();
        stage(&target, false, &["a", "b"]).publish().unwrap();
        assert_eq!((names(dir.path()), names(&target).len()), (vec!["out".to_owned()], 2));
        let error = StagedDirectory::beside(&target, false).unwrap_err().to_string();
        assert!(error.contains("--replace"), "{error}");
        stage(&target, true, &["new"]).publish().unwrap();
        assert_eq!(names(&target), ["part-00000.csv"]);
        assert_eq!(fs::read_to_string(target.join("part-00000.csv")).unwrap(), "new");
        assert_eq!(names(dir.path()), ["out"]);
        fs::write(target.join("notes.txt"), "mine").unwrap();
        let error = StagedDirectory::beside(&target, true).unwrap_err().to_string();
        assert!(error.contains("'notes.txt'"), "{error}");
        assert_eq!(fs::read_to_string(target.join("notes.txt")).unwrap(), "mine");
    }

    #[test]
    fn what_somebody_else_puts_there_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out");
        let staged = stage(&target, false, &["a"]);
        fs::create_dir(&target).unwrap();
        fs::write(target.join("x"), "theirs").unwrap();
        assert!(staged.publish().is_err());
        assert_eq!((names(dir.path()), names(&target)), (vec!["out".to_owned()], vec!["x".to_owned()]));
    }

    /// Those who were given up may still write; what they write is never published.
    #[test]
    fn a_workshop_is_gone_whatever_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let staged = stage(&dir.path().join("out"), false, &["a"]);
        let working_folder = staged.working_folder().unwrap();
        let late = working_folder.files().join("late.csv");
        fs::write(working_folder.files().join(".throng-half.csv"), "half").unwrap();
        drop(working_folder);
        assert!(fs::write(&late, "late").is_err());
        staged.publish().unwrap();
        assert_eq!(names(&dir.path().join("out")), ["part-00000.csv"]);
        assert_eq!(names(dir.path()), ["out"]);
    }

    #[test]
    fn in_steps_it_is_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let [parts, target, hidden] = ["parts", "out", "hidden"].map(|name| dir.path().join(name));
        for path in [&parts, &target, &hidden] {
            fs::create_dir(path).unwrap();
        }
        fs::write(parts.join("new"), "").unwrap();
        exchange_in_steps(&parts, &target, &hidden).unwrap();
        assert_eq!((names(&target), names(&hidden)), (vec!["new".to_owned()], vec!["old".to_owned()]));
        // If the new one is not there, the old one stays.
        assert!(exchange_in_steps(&parts, &target, &dir.path().join("hidden/old")).is_err());
        assert_eq!(names(&target), ["new"]);
    }

    #[test]
    fn what_cannot_be_a_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        for target in ["file", "missing/out"] {
            let error = StagedDirectory::beside(&dir.path().join(target), true).unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        }
    }
}
