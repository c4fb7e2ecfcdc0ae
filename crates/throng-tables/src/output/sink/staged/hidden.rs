//! A file that nobody sees yet: without a name where the system has such files, else under a hidden one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::private::{hold, named, sweep};

/// A file in the directory of its target.
#[derive(Debug)]
pub enum Hidden {
    /// It has no name: however the process ends, nothing is left of it.
    #[cfg(target_os = "linux")]
    Nameless(Nameless),
    /// It has a hidden name, and is removed when it is dropped.
    Named(NamedTempFile),
}

/// A file without a name.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub struct Nameless {
    file: File,
    /// By which this process, and no other, opens it.
    path: PathBuf,
    directory: PathBuf,
}

impl Hidden {
    /// Makes a file in `directory`, and removes what killed runs left there; a hidden name ends in `suffix`.
    pub fn new(directory: &Path, suffix: &str) -> io::Result<Hidden> {
        sweep(directory);
        #[cfg(target_os = "linux")]
        if let Some(nameless) = Nameless::new(directory)? {
            return Ok(Hidden::Nameless(nameless));
        }
        Hidden::named(directory, suffix)
    }

    fn named(directory: &Path, suffix: &str) -> io::Result<Hidden> {
        let mut builder = named();
        builder.suffix(suffix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        loop {
            let file = builder.tempfile_in(directory)?;
            // Else somebody took it for a leftover before it was locked.
            if hold(file.as_file(), file.path()) {
                return Ok(Hidden::Named(file));
            }
        }
    }

    /// The file.
    pub fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Hidden::Nameless(nameless) => &nameless.file,
            Hidden::Named(file) => file.as_file(),
        }
    }

    /// Where it can be opened while it is hidden.
    pub fn path(&self) -> &Path {
        match self {
            #[cfg(target_os = "linux")]
            Hidden::Nameless(nameless) => &nameless.path,
            Hidden::Named(file) => file.path(),
        }
    }

    /// Puts it in the place of a target in its directory, in one step.
    pub fn persist(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Hidden::Nameless(nameless) => nameless.persist(target),
            Hidden::Named(file) => file.persist(target).map(drop).map_err(|error| error.error),
        }
    }
}

#[cfg(target_os = "linux")]
impl Nameless {
    /// Nothing if the file system has no such files, or there is no way to give one a name.
    fn new(directory: &Path) -> io::Result<Option<Nameless>> {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        use rustix::io::Errno;

        let mut options = File::options();
        options.read(true).write(true).custom_flags(OFlags::TMPFILE.bits() as i32).mode(0o666);
        let file = match options.open(directory) {
            Ok(file) => file,
            Err(cause) => {
                let refused = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::NOENT, Errno::INVAL];
                let is_refused = refused.iter().any(|code| cause.raw_os_error() == Some(code.raw_os_error()));
                return if is_refused { Ok(None) } else { Err(cause) };
            }
        };
        let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // Where /proc is not mounted, or hidden from us, the file could be neither read back nor named.
        let is_reachable = File::open(&path).is_ok();
        Ok(is_reachable.then(|| Nameless { file, path, directory: directory.to_owned() }))
    }

    /// A name cannot be taken from another file, so it first gets one of its own.
    fn persist(self, target: &Path) -> io::Result<()> {
        use rustix::fs::{AtFlags, CWD, linkat};

        let name =
            |new: &Path| linkat(CWD, &self.path, CWD, new, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
        // Whoever sees the name in between must not take it for a leftover. Not every file system has locks.
        let _ = self.file.lock();
        let named = named().make_in(&self.directory, name)?;
        named.into_temp_path().persist(target).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn check(hidden: Hidden, directory: &Path) {
        let target = directory.join("out.csv");
        fs::write(&target, "old").unwrap();
        hidden.file().write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(hidden.path()).unwrap(), "new");
        hidden.persist(&target).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1);
    }

    #[test]
    fn with_and_without_a_name_it_replaces_its_target() {
        let dir = tempfile::tempdir().unwrap();
        check(Hidden::named(dir.path(), ".csv").unwrap(), dir.path());
        check(Hidden::new(dir.path(), ".csv").unwrap(), dir.path());
    }

    #[test]
    fn a_target_that_cannot_be_replaced_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("taken");
        fs::create_dir(&target).unwrap();
        for hidden in [Hidden::named(dir.path(), "").unwrap(), Hidden::new(dir.path(), "").unwrap()] {
            hidden.persist(&target).unwrap_err();
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn there_is_no_file_in_no_directory() {
        let dir = tempfile::tempdir().unwrap();
        Hidden::new(&dir.path().join("missing"), "").unwrap_err();
    }
}
