//! Several small files that appear together, or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::limit::Limit;
use super::made::Made;
use super::staged::Staged;
use crate::error::{EngineError, Result};

/// A text file that is to be written: where, what it is, and what it says.
pub type TextFile = (PathBuf, Made, String);

/// Writes text files, all of which are complete on the disk before the first is at its target.
///
/// They are made of the file `source`, and others may do no more with them than with that.
/// `directory` is made first if a file goes there and it does not exist. Whatever fails, files that were not there before
/// are not there afterwards, nor is the directory; with `replace`, those already replaced stay so, and files that are not
/// ours are never replaced.
pub fn write_together(source: &Path, directory: &Path, files: &[TextFile], replace: bool) -> Result<()> {
    let wanted = files.iter().any(|(target, ..)| target.starts_with(directory));
    let limit = Limit::of_table(source)?;
    let made = wanted && make_directory(directory, limit)?;
    let mut published: Vec<&Path> = Vec::new();
    let result = write_all(limit, files, replace, &mut published);
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
    limit: Limit,
    files: &'a [TextFile],
    replace: bool,
    published: &mut Vec<&'a Path>,
) -> Result<()> {
    let mut staged = Vec::with_capacity(files.len());
    for (target, made, text) in files {
        if !replace {
            refuse_existing(target)?;
        }
        let mut file = Staged::of_text(target, *made)?;
        file.limit_to(limit);
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
pub fn refuse_existing(target: &Path) -> Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => {
            let problem = (format!("{} already exists", target.display()), "--force replaces it");
            Err(EngineError::bad(problem).about_file(target))
        }
        Err(_) => Ok(()),
    }
}

/// Whether the directory had to be made; others may look into it as far as they may read the table.
fn make_directory(directory: &Path, limit: Limit) -> Result<bool> {
    if directory.is_dir() {
        return Ok(false);
    }
    let failed =
        |cause| EngineError::Io { path: directory.to_owned(), action: "cannot make the directory", cause };
    fs::create_dir(directory).and_then(|()| limit_directory(directory, limit)).map_err(failed)?;
    Ok(true)
}

/// Lets nobody but the owner do more with a directory than with the files in it.
pub(super) fn limit_directory(directory: &Path, limit: Limit) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let given = fs::metadata(directory)?.permissions().mode() & 0o777;
        fs::set_permissions(directory, fs::Permissions::from_mode(limit.directory(given)))
    }
    #[cfg(not(unix))]
    {
        let _ = (directory, limit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(dir: &Path, names: &[&str]) -> Vec<TextFile> {
        let file = |name: &&str| (dir.join(name), Made::Hierarchy, format!("text of {name};*\n"));
        names.iter().map(file).collect()
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
        assert_eq!(fs::read_to_string(sub.join("b")).unwrap(), "text of sub/b;*\n");

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
        let table = tempfile::NamedTempFile::new().unwrap();
        let files = files(dir.path(), &["a"]);
        for (old, is_ours) in [("old;*\n", true), ("mine", false)] {
            fs::write(dir.path().join("a"), old).unwrap();
            let written = write_together(table.path(), dir.path(), &files, true);
            assert_eq!(written.is_ok(), is_ours);
            let left = if is_ours { "text of a;*\n" } else { old };
            assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), left);
        }
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
            for (path, ..) in &files {
                assert_eq!(mode_of(path) & !most, 0, "{of_table:o}");
                assert_eq!(mode_of(path) & 0o600, 0o600);
                fs::remove_file(path).unwrap();
            }
            fs::remove_file(&table).unwrap();
        }
    }
}
