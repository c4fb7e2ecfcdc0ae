//! A file that appears whole or not at all.

mod hidden;

use std::env;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::{EngineError, Result};
#[cfg(unix)]
use crate::input::files::FileList;
use crate::input::{scheme, standard};
use crate::store;
pub(crate) use hidden::Hidden;

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
    #[cfg(unix)]
    permissions: fs::Permissions,
}

impl Staged {
    /// Makes the temporary file.
    ///
    /// A target that is a symbolic link stays one: the file that it leads to is replaced.
    pub(super) fn beside(target: &Path) -> Result<Staged> {
        let (target, parent) = match standard::is_output(target) {
            true => (target.to_owned(), env::temp_dir()),
            false => find_place(target)?,
        };
        Staged::within(&parent, target)
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
        })
    }

    /// Lets nobody but the owner do more with the file than the permissions of another one allow: what is made
    /// of a table shows values of it.
    pub(super) fn limit_to(self, other: &Path) -> Result<Staged> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let allowed = match scheme::is_elsewhere(other) {
                // Who may read the table is nothing that a file could say.
                true => 0,
                false => allowed(other)?,
            };
            let mode = self.permissions.mode() & (allowed | 0o600);
            Ok(Staged { permissions: fs::Permissions::from_mode(mode), ..self })
        }
        #[cfg(not(unix))]
        {
            let _ = other;
            Ok(self)
        }
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
        let Staged { file, target, .. } = self;
        if standard::is_output(&target) {
            return send(file.file()).map_err(|cause| failed(Path::new("standard output"), cause));
        }
        if store::is_address(&target) {
            return store::send(file.file(), &target);
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
pub(super) fn failed(target: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: target.to_owned(), action: "cannot write", cause }
}

/// What the permissions of a table allow; of many files what those of all do.
#[cfg(unix)]
fn allowed(table: &Path) -> Result<u32> {
    use std::os::unix::fs::PermissionsExt;
    let list = FileList::of(table)?;
    let files =
        list.as_ref().map_or_else(|| vec![table], |list| list.files().iter().map(|file| &**file).collect());
    let mut modes = 0o777;
    for file in files {
        let place = standard::place(file).and_then(fs::metadata);
        modes &= place.map_err(|cause| failed(file, cause))?.permissions().mode();
    }
    Ok(modes)
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
    if store::is_address(target) {
        return Err(EngineError::bad(
            "cannot write: only releases go to an object store; name a file of this machine",
        )
        .in_file(target));
    }
    let target = follow(target)?;
    let parent = refuse_unwritable(&target)?;
    Ok((target, parent))
}

/// The directory of `target`, unless the target cannot be a file in it.
fn refuse_unwritable(target: &Path) -> Result<PathBuf> {
    let refuse = |why: &str| Err(EngineError::bad(format!("cannot write: {why}")).in_file(target));
    match fs::metadata(target) {
        Ok(kind) if kind.is_dir() => {
            return refuse(
                "it is a directory; name a file in it, or end the name in / for a directory of parts",
            );
        }
        Ok(kind) if !kind.is_file() => return refuse("it is not a regular file"),
        _ => {}
    }
    if target.file_name().is_none() {
        return refuse("it names no file");
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
            let problem = "cannot write: its directory does not exist; make it first";
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
