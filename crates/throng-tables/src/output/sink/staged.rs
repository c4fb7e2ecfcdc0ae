//! A file that appears whole or not at all.

mod hidden;

use std::env;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::limit::Limit;
use super::made::{Made, refuse_other};
use crate::address::Address;
use crate::backend::objects;
use crate::error::{EngineError, Result};
use crate::wording::Message;
pub use hidden::Hidden;

/// As many links as systems follow before they call it a loop.
const MOST_LINKS: usize = 40;

/// A hidden temporary file beside its target, which takes the target's place when it is published.
///
/// Where the system can do that it has no name until then, so that nothing is left however the process ends;
/// dropping it removes it in any case. Until it is published only its owner can read it: what it holds is not
/// yet verified.
#[derive(Debug)]
pub(super) struct Staged {
    file: Hidden,
    target: PathBuf,
    /// What it is, if it is not a table.
    made: Option<Made>,
    #[cfg(unix)]
    permissions: fs::Permissions,
}

impl Staged {
    /// Makes the temporary file of a table. Who does that has seen to it that the target may be replaced.
    ///
    /// A target that is a symbolic link stays one: the file that it leads to is replaced.
    pub(super) fn beside(target: &Path) -> Result<Staged> {
        let (target, parent) = match Address::of_target(target) {
            Address::Stdio(target) => (target, env::temp_dir()),
            _ => find_place(target)?,
        };
        Staged::within(&parent, target)
    }

    /// Makes the temporary file of a text, which replaces nothing but such a text of ours.
    pub(super) fn of_text(target: &Path, made: Made) -> Result<Staged> {
        let staged = Staged::beside(target)?;
        refuse_other(&staged.target, made)?;
        Ok(Staged { made: Some(made), ..staged })
    }

    /// Makes a temporary file that is sent to an object store when it is published.
    pub(super) fn to_send(target: &Path) -> Result<Staged> {
        Staged::within(&env::temp_dir(), target.to_owned())
    }

    fn within(directory: &Path, target: PathBuf) -> Result<Staged> {
        let file = Hidden::new(directory, extensions(&target)).map_err(|cause| failed(&target, cause))?;
        Ok(Staged {
            #[cfg(unix)]
            permissions: hide(file.file(), &target).map_err(|cause| failed(&target, cause))?,
            file,
            target,
            made: None,
        })
    }

    /// Lets nobody but the owner do more with the file than a limit allows.
    pub(super) fn limit_to(&mut self, limit: Limit) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            self.permissions.set_mode(limit.file(self.permissions.mode()));
        }
        #[cfg(not(unix))]
        let _ = limit;
    }

    /// Gives the file these permissions when it is published.
    pub(super) fn set_mode(&mut self, mode: u32) {
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut self.permissions, mode);
        #[cfg(not(unix))]
        let _ = mode;
    }

    /// A handle to write with.
    pub(super) fn handle(&self) -> Result<File> {
        self.file.file().try_clone().map_err(|cause| self.failed(cause))
    }

    /// Where the file can be opened now.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Where the file will be, with links followed.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// The error of a failed write.
    pub(super) fn failed(&self, cause: io::Error) -> EngineError {
        failed(&self.target, cause)
    }

    /// Brings everything written onto the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file.file().sync_all().map_err(|cause| self.failed(cause))
    }

    /// Puts the file in the place of its target, in one step.
    pub(super) fn publish(self) -> Result<()> {
        let Staged { file, target, made, .. } = self;
        // What somebody has put there meanwhile stays.
        made.map_or(Ok(()), |made| refuse_other(&target, made))?;
        match Address::of_target(&*target) {
            Address::Stdio(_) => {
                return send(file.file()).map_err(|cause| failed(Path::new("standard output"), cause));
            }
            Address::Object(_) => return objects()?.send(file.file(), &target),
            Address::Files(_) | Address::Postgres(_) | Address::Memory(_) => {}
        }
        #[cfg(unix)]
        file.file()
            .set_permissions(self.permissions)
            .and_then(|()| file.file().sync_all())
            .map_err(|cause| failed(&target, cause))?;
        file.persist(&target).map_err(|cause| failed(&target, cause))?;
        sync_directory(&target).map_err(|cause| failed(&target, cause))
    }
}

/// Sends all of a file to standard output.
fn send(mut file: &File) -> io::Result<()> {
    file.rewind()?;
    let mut stdout = io::stdout().lock();
    io::copy(&mut file, &mut stdout)?;
    stdout.flush()
}

/// The error of a failed write.
pub(crate) fn failed(target: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: target.to_owned(), action: "cannot write", cause }
}

/// What a name ends in, such as `.csv.gz`: readers tell the format by it. At most two extensions
/// and 32 bytes, so that a temporary name is never too long where the target's is not.
fn extensions(target: &Path) -> &str {
    let name = target.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let start = name.rmatch_indices('.').take(2).map(|(start, _)| start).last();
    start.map(|start| &name[start..]).filter(|end| end.len() <= 32).unwrap_or_default()
}

/// The path at the end of the links that start at `path`; it need not exist.
pub(super) fn follow(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(EngineError::bad(format!("{} is a loop of symbolic links", path.display())).about_file(&path))
}

/// Where a target really is, and its directory, unless it cannot be a file there.
pub(super) fn find_place(target: &Path) -> Result<(PathBuf, PathBuf)> {
    if let Address::Object(_) = Address::from_path(target) {
        return Err(EngineError::bad((
            "cannot write: only releases can go to an object store",
            "name a file on this machine",
        ))
        .in_file(target));
    }
    let target = follow(target)?;
    let parent = refuse_unwritable(&target)?;
    Ok((target, parent))
}

/// The directory of `target`, unless the target cannot be a file in it.
fn refuse_unwritable(target: &Path) -> Result<PathBuf> {
    let refuse = |why: Message| Err(EngineError::bad(why.after("cannot write: ")).in_file(target));
    match fs::metadata(target) {
        Ok(kind) if kind.is_dir() => {
            return refuse(
                ("it is a directory", "name a file in it, or end the name in / for a directory of parts")
                    .into(),
            );
        }
        Ok(kind) if !kind.is_file() => return refuse("it is not a regular file".into()),
        _ => {}
    }
    if target.file_name().is_none() {
        return refuse("it names no file".into());
    }
    find_parent(target)
}

/// The directory that something is to be in.
pub(super) fn find_parent(target: &Path) -> Result<PathBuf> {
    let parent = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    match fs::metadata(parent) {
        Ok(kind) if kind.is_dir() => Ok(parent.to_owned()),
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(failed(target, cause)),
        _ => {
            let problem = ("cannot write: its directory does not exist", "make it first");
            Err(EngineError::bad(problem).in_file(target))
        }
    }
}

/// Closes the file to others and says what its permissions shall be when it is published: those
/// of the file that it replaces, or those that the system gave it.
#[cfg(unix)]
fn hide(file: &File, target: &Path) -> io::Result<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let given = file.metadata()?.permissions();
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(fs::metadata(target).map_or(given, |replaced| replaced.permissions()))
}

/// A rename is lasting only when its directory is on the disk too.
#[cfg(unix)]
pub(super) fn sync_directory(target: &Path) -> io::Result<()> {
    match target.parent() {
        Some(parent) if parent != Path::new("") => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What is in a directory.
    pub(in super::super) fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn stage(target: &Path, text: &str) -> Staged {
        let staged = Staged::beside(target).unwrap();
        staged.handle().unwrap().write_all(text.as_bytes()).unwrap();
        staged.sync().unwrap();
        staged
    }

    #[test]
    fn what_is_not_published_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out.csv");
        fs::write(&target, "old").unwrap();
        let staged = stage(&target, "new");
        assert_eq!(fs::read_to_string(staged.path()).unwrap(), "new");
        #[cfg(target_os = "linux")]
        assert_eq!(names(dir.path()), ["out.csv"], "what is not verified has no name");
        drop(staged);
        assert_eq!(names(dir.path()), ["out.csv"]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    }

    #[test]
    fn publishing_replaces_the_target() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("out.csv");
        fs::write(&target, "old").unwrap();
        stage(&target, "new").publish().unwrap();
        assert_eq!(names(dir.path()), ["out.csv"]);
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    }

    #[test]
    fn what_cannot_be_a_file_is_bad_input() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        for target in ["", "missing/out.csv", "file/out.csv"] {
            let target = dir.path().join(target);
            let error = Staged::beside(&target).unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        }
        let error = Staged::beside(dir.path()).unwrap_err();
        assert!(error.to_string().contains("it is a directory"), "{error}");
        let error = Staged::beside(&dir.path().join("missing/out.csv")).unwrap_err();
        assert!(error.to_string().contains("does not exist"), "{error}");
        assert_eq!(names(dir.path()), ["file"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_link_stays_a_link_and_its_file_is_replaced() {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("far")).unwrap();
            for (link, file) in [("dangling.csv", "far/new.csv"), ("existing.csv", "far/old.csv")] {
                symlink(file, dir.path().join(link)).unwrap();
            }
            fs::write(dir.path().join("far/old.csv"), "old").unwrap();
            for (link, file) in [("dangling.csv", "far/new.csv"), ("existing.csv", "far/old.csv")] {
                stage(&dir.path().join(link), link).publish().unwrap();
                assert!(dir.path().join(link).is_symlink());
                assert_eq!(fs::read_to_string(dir.path().join(file)).unwrap(), link);
            }
        }

        #[test]
        fn loops_and_devices_are_refused() {
            let dir = tempfile::tempdir().unwrap();
            let link = dir.path().join("loop.csv");
            symlink(&link, &link).unwrap();
            assert!(matches!(Staged::beside(&link), Err(EngineError::BadInput(_))));
            assert!(matches!(Staged::beside(Path::new("/dev/null")), Err(EngineError::BadInput(_))));
        }

        #[test]
        fn permissions_are_those_of_any_new_file_or_of_the_replaced_one() {
            let dir = tempfile::tempdir().unwrap();
            let (plain, target) = (dir.path().join("plain"), dir.path().join("out.csv"));
            fs::write(&plain, "").unwrap();
            let staged = stage(&target, "new");
            assert_eq!(mode(staged.path()), 0o600, "nobody reads what is not verified");
            staged.publish().unwrap();
            assert_eq!(mode(&target), mode(&plain));
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
            stage(&target, "newer").publish().unwrap();
            assert_eq!(mode(&target), 0o640);
        }
    }
}
