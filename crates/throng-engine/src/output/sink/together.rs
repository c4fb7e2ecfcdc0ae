//! Several small files that appear together, or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::staged::Staged;
use crate::error::{EngineError, Result};

/// Writes text files, all of which are complete on the disk before the first is at its target.
///
/// They are made of the file `source`, and others may do no more with them than with that.
/// `directory` is made first if a file goes there and it does not exist. Whatever fails, files that were not there before
/// are not there afterwards, nor is the directory; with `replace`, those already replaced stay so.
pub(crate) fn write_together(
    source: &Path,
    directory: &Path,
    files: &[(PathBuf, String)],
    replace: bool,
) -> Result<()> {
    let wanted = files.iter().any(|(target, _)| target.starts_with(directory));
    let made = wanted && make_directory(directory)?;
    let mut published: Vec<&Path> = Vec::new();
    let result = write_all(source, files, replace, &mut published);
    if result.is_err() {
        // There is nothing to be done about a file that cannot be removed.
        published.iter().filter(|_| !replace).for_each(|path| drop(fs::remove_file(path)));
        if made {
            let _ = fs::remove_dir(directory);
        }
    }
    result
}

fn write_all<'a>(
    source: &Path,
    files: &'a [(PathBuf, String)],
    replace: bool,
    published: &mut Vec<&'a Path>,
) -> Result<()> {
    let mut staged = Vec::with_capacity(files.len());
    for (target, text) in files {
        let file = Staged::beside(target)?.limit_to(source)?;
        file.handle()?.write_all(text.as_bytes()).map_err(|cause| file.failed(cause))?;
        file.sync()?;
        staged.push((target.as_path(), file));
    }
    for (target, file) in staged {
        if !replace {
            refuse_existing(target)?;
        }
        file.publish()?;
        published.push(target);
    }
    Ok(())
}

/// Refuses a target that is there already, be it a link that leads nowhere.
pub(crate) fn refuse_existing(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => {
            let problem = format!("{} exists already; --force replaces it", target.display());
            Err(EngineError::bad(problem).about_file(target))
        }
        Err(_) => Ok(()),
    }
}

/// Whether the directory had to be made.
fn make_directory(directory: &Path) -> Result<bool> {
    if directory.is_dir() {
        return Ok(false);
    }
    let failed =
        |cause| EngineError::Io { path: directory.to_owned(), action: "cannot make the directory", cause };
    fs::create_dir(directory).map(|()| true).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path, names: &[&str]) -> Vec<(PathBuf, String)> {
        names.iter().map(|name| (dir.join(name), format!("text of {name}"))).collect()
    }

    #[test]
    fn all_or_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (root, sub) = (dir.path(), dir.path().join("sub"));
        let table = tempfile::NamedTempFile::new().unwrap();
        let write = |files: &[_]| write_together(table.path(), &sub, files, false);
        let bad = files(root, &["a", "sub/b", "missing/c"]);
        assert!(write(&bad).is_err());
        assert_eq!(fs::read_dir(root).unwrap().count(), 0);

        write(&files(root, &["a", "sub/b"])).unwrap();
        assert_eq!(fs::read_to_string(sub.join("b")).unwrap(), "text of sub/b");

        // The last file is in the way: those before it go again, and the directory stays as it was.
        let error = write(&files(root, &["new", "sub/c", "a"])).unwrap_err();
        assert!(error.to_string().ends_with("a exists already; --force replaces it"), "{error}");
        let mut names: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a", "sub"]);
        assert_eq!(fs::read_dir(&sub).unwrap().count(), 1);
    }

    #[test]
    fn files_are_replaced_when_asked() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "old").unwrap();
        let files = files(dir.path(), &["a"]);
        write_together(&dir.path().join("a"), dir.path(), &files, true).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "text of a");
    }

    /// What the system gives a new file is not asked for: it may be more than the table has.
    #[cfg(unix)]
    #[test]
    fn others_may_do_no_more_than_with_the_table() {
        use std::os::unix::fs::PermissionsExt;
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("table.csv");
        for (of_table, most) in [(0o600, 0o600), (0o400, 0o600), (0o640, 0o640), (0o666, 0o666)] {
            fs::write(&table, "a\n").unwrap();
            fs::set_permissions(&table, fs::Permissions::from_mode(of_table)).unwrap();
            let files = files(dir.path(), &["job", "hierarchy"]);
            write_together(&table, dir.path(), &files, false).unwrap();
            for (path, _) in &files {
                assert_eq!(mode_of(path) & !most, 0, "{of_table:o}");
                assert_eq!(mode_of(path) & 0o600, 0o600);
                fs::remove_file(path).unwrap();
            }
            fs::remove_file(&table).unwrap();
        }
    }
}
