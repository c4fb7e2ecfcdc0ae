//! Keeps a release from being written over the table it is made from.

use std::fs;
use std::path::Path;

use crate::error::{EngineError, Result};
use crate::input::standard;

/// Refuses an output that is the input, also by way of symbolic or hard links.
pub fn refuse_same_file(input: &Path, output: &Path) -> Result<()> {
    if !standard::is_output(output) && is_same_file(input, output) {
        return Err(EngineError::bad(format!(
            "the output {} is the input {}; choose another output",
            output.display(),
            input.display()
        ))
        .about_file(output));
    }
    Ok(())
}

/// A file that does not exist is no other's.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let canonical = fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok());
    canonical.is_some_and(|(one, other)| one == other || is_same_inode(&one, &other))
}

#[cfg(unix)]
fn is_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    inode(one).is_some() && inode(one) == inode(other)
}

#[cfg(not(unix))]
fn is_same_inode(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_by_any_path() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("in.csv"), "a\n1\n").unwrap();
        fs::write(at("other.csv"), "a\n1\n").unwrap();
        fs::create_dir(at("sub")).unwrap();
        fs::hard_link(at("in.csv"), at("hard.csv")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("in.csv", at("soft.csv")).unwrap();

        let mut same = vec![at("in.csv"), at("sub/../in.csv")];
        if cfg!(unix) {
            same.extend([at("hard.csv"), at("soft.csv")]);
        }
        for output in same {
            let error = refuse_same_file(&at("in.csv"), &output).unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        }
        for output in ["other.csv", "new.csv", "missing/new.csv"] {
            refuse_same_file(&at("in.csv"), &at(output)).unwrap();
        }
    }
}
