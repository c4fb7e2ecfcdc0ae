//! Keeps a release from being written over the table it is made from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::address::{Address, ObjectAddress};
use crate::error::{EngineError, Result};
use crate::input::files::FileList;

/// Refuses an output that is the input, also by way of symbolic or hard links; of many files, that is one of them, would
/// be one, or is a directory that holds some.
pub fn refuse_same_file(input: &Path, output: &Path) -> Result<()> {
    match (Address::from_path(input), Address::of_target(output)) {
        (_, Address::Stdio(_) | Address::Postgres(_) | Address::Memory(_)) => return Ok(()),
        (Address::Object(_), Address::Object(_)) => return refuse_same_object(input, output),
        (Address::Object(_), _) | (_, Address::Object(_)) => return Ok(()),
        _ => {}
    }
    // Whatever cannot be listed is refused by its reader.
    let list = FileList::list(input).ok().flatten();
    let is_same = |file: &PathBuf| is_same_file(file, output);
    let relation = match &list {
        Some(list) if place_of(output).is_some_and(|place| list.would_hold(&place)) => {
            "is in, or holds files of,"
        }
        Some(list) if list.files().iter().any(is_same) => "is a file of",
        None if is_same_file(input, output) => "is",
        None if holds(output, input) => "is a directory that has",
        _ => return Ok(()),
    };
    let problem = (
        format!("the output {} {relation} the input {}", output.display(), input.display()),
        "choose another output",
    );
    Err(EngineError::bad(problem).about_file(output))
}

/// What is in an object store is told by its key, and never a file.
fn refuse_same_object(input: &Path, output: &Path) -> Result<()> {
    let (table, release) = (ObjectAddress::parse(input)?, ObjectAddress::parse(output)?);
    if !table.would_hold(&release) {
        return Ok(());
    }
    let is = if table == release { "is" } else { "would be an object of" };
    let (output, input) = (output.display(), input.display());
    Err(EngineError::bad((format!("the output {output} {is} the input {input}"), "choose another output")))
}

/// Whether a directory holds a file.
fn holds(directory: &Path, file: &Path) -> bool {
    let whole = fs::canonicalize(directory).ok().zip(fs::canonicalize(file).ok());
    whole.is_some_and(|(directory, file)| directory.is_dir() && file.starts_with(directory))
}

/// The whole path without links of what may not be there yet.
fn place_of(path: &Path) -> Option<PathBuf> {
    if let Ok(place) = fs::canonicalize(path) {
        return Some(place);
    }
    let path: PathBuf = path.components().collect();
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    Some(place_of(parent)?.join(path.file_name()?))
}

/// Whether two outputs would be in one place, also by way of links: whichever is written later would be all that is left.
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    let is_file = |path: &Path| matches!(Address::of_target(path), Address::Files(_));
    is_file(one)
        && is_file(other)
        && (is_same_file(one, other) || place_of(one).is_some_and(|place| place_of(other) == Some(place)))
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

    #[test]
    fn outputs_that_are_not_there_yet() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        assert!(is_same_place(&at("out.csv"), &at("sub/../out.csv")));
        assert!(!is_same_place(&at("out.csv"), &at("out.html")));
        assert!(!is_same_place(&at("out.csv"), &at("sub/out.csv")));
        assert!(!is_same_place(Path::new("-"), Path::new("-")));
    }

    #[test]
    fn an_output_among_the_files_of_the_input() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("in")).unwrap();
        fs::write(at("in/a.csv"), "a\n1\n").unwrap();
        for (input, output) in [
            ("in", "in/out.csv"),
            ("in", "in/out/"),
            ("in", "in/"),
            ("in", ""),
            ("in/*.csv", "in/b.csv"),
            ("in/*.csv", "in"),
            ("in/a.csv", "in/"),
        ] {
            let error = refuse_same_file(&at(input), &at(output)).unwrap_err();
            assert!(matches!(error, EngineError::BadInput(_)), "{error}");
        }
        for (input, output) in
            [("in", "out.csv"), ("in", "out/"), ("in/*.csv", "in/b.jsonl"), ("in/a.csv", "in/b/")]
        {
            refuse_same_file(&at(input), &at(output)).unwrap();
        }
    }
}
