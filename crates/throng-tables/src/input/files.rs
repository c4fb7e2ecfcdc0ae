//! The files of a table that is many of them: a directory, or all that match a pattern.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use glob::{GlobError, Pattern};

use crate::address::Address;
pub use crate::address::is_pattern;
pub(crate) use crate::address::pattern::OPTIONS;
use crate::backend::{Listed, objects};
use crate::error::{EngineError, Result};
use crate::input::scheme;

/// Directories within each other that are looked into; more are a loop of links.
const MOST_LEVELS: usize = 64;

/// The files of a table, in the order of their paths.
#[derive(Clone, Debug)]
pub struct FileList {
    /// The directory that all of them are in: the table itself, or what stands before the pattern.
    root: PathBuf,
    files: Vec<PathBuf>,
    /// The whole pattern, and what of it is below the root, as it was asked for.
    pattern: Option<(Pattern, String)>,
}

impl FileList {
    /// The files of a table; nothing if it is one file, standard input or no file at all.
    ///
    /// A path that exists means what is there, whatever characters it has. Else `*`, `?`, `[…]` and `**` make it a
    /// pattern. Names that begin with `_` or `.` and empty files are passed over, as Spark and Hive do.
    ///
    /// # Errors
    /// If there is no data file, or a directory cannot be read.
    pub fn list(path: &Path) -> Result<Option<FileList>> {
        match Address::from_path(path) {
            Address::Stdio(_) | Address::Postgres(_) | Address::Memory(_) => return Ok(None),
            Address::Object(_) => return Ok(objects()?.list(path)?.map(FileList::of_objects)),
            Address::Files(_) => {}
        }
        let path = &scheme::local(path)?;
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => FileList::of_directory(path).map(Some),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound && is_pattern(path) => {
                FileList::of_pattern(path).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Objects of a store.
    fn of_objects(listed: Listed) -> FileList {
        let Listed { root, files, pattern } = listed;
        FileList { files: in_order(&root, files), root, pattern }
    }

    fn of_directory(path: &Path) -> Result<FileList> {
        let mut files = Vec::new();
        gather(path, 0, &mut files)?;
        if files.is_empty() {
            let problem = "there is no data file in this directory (empty files, and those whose names \
                 begin with _ or a dot, are skipped)";
            return Err(EngineError::bad(problem).in_file(path));
        }
        Ok(FileList { root: path.to_owned(), files: in_order(path, files), pattern: None })
    }

    fn of_pattern(path: &Path) -> Result<FileList> {
        let (root, pattern, below) = split_pattern(path)?;
        let found = glob::glob_with(pattern.as_str(), OPTIONS)
            .map_err(|error| bad_pattern(path, error.pos, error.msg))?;
        let mut matched = Vec::new();
        for entry in found {
            matched.push(entry.map_err(failed)?);
        }
        let is_shown = |path: &&PathBuf| {
            path.strip_prefix(&root).unwrap_or(path).components().all(|part| !is_passed_over(part))
        };
        // Who names such files in the pattern means them.
        let shown: Vec<&PathBuf> = matched.iter().filter(is_shown).collect();
        let shown = if shown.is_empty() { matched.iter().collect() } else { shown };
        let mut files = Vec::new();
        for path in shown {
            add(path, 0, &mut files)?;
        }
        if files.is_empty() {
            let problem = (
                "no data file matches this pattern",
                format!(
                    "it was looked for in {}",
                    if root.as_os_str().is_empty() { Path::new(".") } else { &root }.display()
                ),
            );
            return Err(EngineError::not_found(path, problem));
        }
        files.dedup();
        Ok(FileList { files: in_order(&root, files), root, pattern: Some((pattern, below)) })
    }

    /// The files, in the order of their paths; there is at least one.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The directory that all files are in: the table itself, or what stands before the pattern.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The pattern below that directory, if it is one.
    pub fn pattern_below(&self) -> Option<String> {
        self.pattern.as_ref().map(|(_, below)| below.clone())
    }

    /// What a file is called within the table: its path below the directory that all are in, with `/` on every system.
    pub fn name<'a>(&self, file: &'a Path) -> String {
        let parts =
            self.below(file).components().map(|part: Component<'a>| part.as_os_str().to_string_lossy());
        parts.collect::<Vec<_>>().join("/")
    }

    /// The path of a file below the directory that all are in.
    pub fn below<'a>(&self, file: &'a Path) -> &'a Path {
        file.strip_prefix(&self.root).unwrap_or(file)
    }

    /// Whether a file that is written there would be one of the table, or a directory would hold some of it. `place` is
    /// a whole path without links.
    pub fn would_hold(&self, place: &Path) -> bool {
        let whole = |path: &Path| fs::canonicalize(path).ok();
        let is_near = |file: &PathBuf| whole(file).is_some_and(|file| file.starts_with(place));
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root };
        let Some(root) = whole(root) else { return false };
        let below = place.strip_prefix(&root).ok();
        let is_within = match &self.pattern {
            None => below.is_some(),
            Some((pattern, _)) => below.is_some_and(|below| {
                let as_asked = self.root.join(below);
                // What is in a directory that matches is of the table, too.
                as_asked.ancestors().any(|path| pattern.matches_path_with(path, OPTIONS))
            }),
        };
        is_within || self.files.iter().any(is_near)
    }
}

/// What of a path is there as it is written, all of it as a pattern in which only the rest has a meaning, and the rest.
fn split_pattern(path: &Path) -> Result<(PathBuf, Pattern, String)> {
    let mut root = PathBuf::new();
    let mut rest = PathBuf::new();
    for part in path.components() {
        let next = root.join(part);
        match rest.as_os_str().is_empty() && next.is_dir() {
            true => root = next,
            false => rest.push(part),
        }
    }
    let unicode = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| EngineError::bad("a pattern must be Unicode").in_file(path))
    };
    let rest = unicode(&rest)?;
    let text = match root.as_os_str().is_empty() {
        true => rest.clone(),
        false => {
            let before = Pattern::escape(&unicode(&root)?);
            format!("{}{}{rest}", before, if before.ends_with('/') { "" } else { "/" })
        }
    };
    let pattern = Pattern::new(&text).map_err(|error| bad_pattern(path, error.pos, error.msg))?;
    Ok((root, pattern, rest))
}

/// A directory that a pattern leads to cannot be read.
fn failed(error: GlobError) -> EngineError {
    let path = error.path().to_owned();
    unreadable(&path, error.into())
}

/// A pattern that cannot be used, and why.
pub fn bad_pattern(path: &Path, place: usize, why: &str) -> EngineError {
    EngineError::bad(format!("this pattern cannot be used: {why} (at character {})", place + 1)).in_file(path)
}

/// Whether Spark and Hive pass over a name; a partition may be called `_day=3`.
pub fn is_passed_over(part: Component<'_>) -> bool {
    let Component::Normal(name) = part else { return false };
    let name = name.to_string_lossy();
    name.starts_with('.') || name.starts_with('_') && !name.contains('=')
}

/// All data files in a directory.
fn gather(directory: &Path, level: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if level > MOST_LEVELS {
        return Err(EngineError::bad(("the directories are nested too deeply", "is there a loop of links?"))
            .in_file(directory));
    }
    let failed = |cause| unreadable(directory, cause);
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !path.components().next_back().is_some_and(is_passed_over) {
            add(&path, level, files)?;
        }
    }
    Ok(())
}

/// A file, or all data files in a directory.
fn add(path: &Path, level: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    let found = fs::metadata(path).map_err(|cause| unreadable(path, cause))?;
    if found.is_dir() {
        return gather(path, level + 1, files);
    }
    if !found.is_file() {
        return Err(
            EngineError::bad("this is not a regular file, and the input must be read twice").in_file(path)
        );
    }
    if found.len() > 0 {
        files.push(path.to_owned());
    }
    Ok(())
}

/// Sorted by their paths below the root, name by name.
fn in_order(root: &Path, mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort_by(|one, other| {
        let below = |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).to_owned();
        below(one).cmp(&below(other))
    });
    files.dedup();
    files
}

fn unreadable(path: &Path, cause: io::Error) -> EngineError {
    EngineError::Io { path: path.to_owned(), action: "cannot read", cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(
                path,
                if name.ends_with("_SUCCESS") || name.ends_with("empty.csv") { "" } else { "a\n1\n" },
            )
            .unwrap();
        }
        dir
    }

    fn names(dir: &tempfile::TempDir, path: &str) -> Vec<String> {
        let list = FileList::list(&dir.path().join(path)).unwrap().unwrap();
        list.files().iter().map(|file| list.name(file)).collect()
    }

    #[test]
    fn a_directory_is_its_data_files_in_order() {
        let all = [
            "b.csv",
            "a/2.csv",
            "a/10.csv",
            "_SUCCESS",
            ".hidden.csv",
            "_tmp/x.csv",
            "empty.csv",
            "_d=1/x.csv",
        ];
        let dir = table(&all);
        assert_eq!(names(&dir, ""), ["_d=1/x.csv", "a/10.csv", "a/2.csv", "b.csv"]);
        assert_eq!(names(&dir, "a"), ["10.csv", "2.csv"]);
        let error = FileList::list(&dir.path().join("_tmp/../.")).unwrap();
        assert!(error.is_some());
        let none = table(&["_SUCCESS", ".x"]);
        let error = FileList::list(none.path()).unwrap_err().to_string();
        assert!(error.contains("no data file in this directory"), "{error}");
    }

    #[test]
    fn patterns_match_names_and_directories() {
        let dir = table(&["y=1/a.csv", "y=2/a.csv", "y=2/b.tsv", "x[1].csv", "x1.csv", ".h.csv", "_u.csv"]);
        assert_eq!(names(&dir, "*.csv"), ["x1.csv", "x[1].csv"]);
        assert_eq!(names(&dir, "y=*/a.csv"), ["y=1/a.csv", "y=2/a.csv"]);
        assert_eq!(names(&dir, "y=*"), ["y=1/a.csv", "y=2/a.csv", "y=2/b.tsv"]);
        assert_eq!(names(&dir, "**/?.[ct]sv"), ["y=1/a.csv", "y=2/a.csv", "y=2/b.tsv"]);
        assert_eq!(names(&dir, "_*.csv"), ["_u.csv"]);
        // What is there as it is written is that file, and no pattern.
        assert!(FileList::list(&dir.path().join("x[1].csv")).unwrap().is_none());
        let error = FileList::list(&dir.path().join("*.parquet")).unwrap_err();
        assert!(
            matches!(error, EngineError::NotFound(_)) && error.to_string().contains("no data file matches")
        );
        let error = FileList::list(&dir.path().join("a[.csv")).unwrap_err().to_string();
        assert!(error.contains("cannot be used"), "{error}");
    }

    #[test]
    fn a_directory_with_brackets_is_no_pattern() {
        let dir = table(&["[job]/a.csv", "[job]/b.csv"]);
        assert_eq!(names(&dir, "[job]/*.csv"), ["a.csv", "b.csv"]);
    }

    #[test]
    fn what_would_be_of_the_table() {
        let dir = table(&["in/a.csv", "in/b.csv", "in/sub/c.csv"]);
        let root = fs::canonicalize(dir.path()).unwrap();
        let of = |table: &str, place: &str| {
            FileList::list(&root.join(table)).unwrap().unwrap().would_hold(&root.join(place))
        };
        assert!(of("in", "in/new.csv") && of("in", "in") && of("in", "") && of("in", "in/deep/er.csv"));
        assert!(of("in/*.csv", "in/new.csv") && of("in/*.csv", "in"));
        assert!(!of("in", "out.csv") && !of("in/*.csv", "in/new.parquet") && !of("in/a*", "in/b.csv"));
    }
}
