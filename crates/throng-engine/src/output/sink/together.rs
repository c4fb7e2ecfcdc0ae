//! Several small files that appear together, or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::staged::Staged;
use crate::error::{EngineError, Result};

/// Writes text files, all of which are complete on the disk before the first is at its target.
///
/// `directory` is made first if a file goes there and it does not exist. Whatever fails, files that were not there before
/// are not there afterwards, nor is the directory; with `replace`, those already replaced stay so.
pub(crate) fn write_together(directory: &Path, files: &[(PathBuf, String)], replace: bool) -> Result<()> {
    let wanted = files.iter().any(|(target, _)| target.starts_with(directory));
    let made = wanted && make_directory(directory)?;
    let mut published: Vec<&Path> = Vec::new();
    let result = write_all(files, replace, &mut published);
    if result.is_err() {
        // There is nothing to be done about a file that cannot be removed.
        published.iter().filter(|_| !replace).for_each(|path| drop(fs::remove_file(path)));
        if made {
            let _ = fs::remove_dir(directory);
        }
    }
    result
}

fn write_all<'a>(files: &'a [(PathBuf, String)], replace: bool, published: &mut Vec<&'a Path>) -> Result<()> {
    let mut staged = Vec::with_capacity(files.len());
    for (target, text) in files {
        let file = Staged::beside(target)?;
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
        let bad = files(root, &["a", "sub/b", "missing/c"]);
        assert!(write_together(&sub, &bad, false).is_err());
        assert_eq!(fs::read_dir(root).unwrap().count(), 0);

        write_together(&sub, &files(root, &["a", "sub/b"]), false).unwrap();
        assert_eq!(fs::read_to_string(sub.join("b")).unwrap(), "text of sub/b");

        // The last file is in the way: those before it go again, and the directory stays as it was.
        let error = write_together(&sub, &files(root, &["new", "sub/c", "a"]), false).unwrap_err();
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
        write_together(dir.path(), &files(dir.path(), &["a"]), true).unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "text of a");
    }
}
