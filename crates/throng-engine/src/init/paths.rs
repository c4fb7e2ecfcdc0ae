//! Where the files of a new job go.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::address::Address;
use crate::address::DatabaseAddress;
use crate::error::{EngineError, Result};
use crate::format::{Compression, Format};
use crate::input::files::FileList;
use crate::input::source::Source;
use crate::job::{not_text, relative};

/// Characters of a file's name that come from a column's.
const NAME_CHARS: usize = 48;

/// Names that some systems keep for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The files of a job.
#[derive(Debug)]
pub(super) struct Paths {
    /// The job itself.
    pub(super) job: PathBuf,
    /// The directory of its hierarchies, beside it.
    pub(super) hierarchies: PathBuf,
    /// Its release, beside it.
    pub(super) output: PathBuf,
    /// The table, as the job names it.
    pub(super) input: String,
}

impl Paths {
    /// The files of a job for a table, at `job` or beside the table.
    pub(super) fn new(source: &Source, job: Option<&Path>) -> Result<Paths> {
        let data = source.path();
        let place = Address::from_path(data);
        let comes_in = matches!(place, Address::Stdio(_));
        let is_elsewhere = matches!(place, Address::Postgres(_) | Address::Object(_));
        let address = match place {
            Address::Postgres(_) => Some(DatabaseAddress::parse(&data.to_string_lossy())?),
            _ => None,
        };
        let list = if address.is_some() { None } else { FileList::list(data)? };
        let stem = match (&address, &list) {
            (Some(address), _) => safe_name(&address.stem()),
            _ if comes_in => "standard-input".to_owned(),
            (None, Some(list)) => list
                .root()
                .file_name()
                .map_or_else(|| "table".to_owned(), |name| safe_name(&name.to_string_lossy())),
            (None, None) => stem(data),
        };
        let job = match job {
            Some(job) => job.to_owned(),
            None if comes_in => {
                return Err(EngineError::bad((
                    "a job for standard input needs a name",
                    "give it with -o JOB.toml",
                )));
            }
            None if is_elsewhere => PathBuf::from(format!("{stem}.toml")),
            // Beside the directory: what is in it is the table.
            None => list.as_ref().map_or(data, FileList::root).with_file_name(format!("{stem}.toml")),
        };
        if job.extension().is_none_or(|extension| extension != "toml") {
            return Err(EngineError::bad("the name of a job must end in .toml").in_file(job));
        }
        let output = job.with_file_name(format!("{stem}-anonymous.{}", source.extension()));
        let hierarchies = job.with_file_name(format!("{}-hierarchies", plain_stem(&job)));
        let input = match &list {
            _ if is_elsewhere => data.to_string_lossy().into_owned(),
            _ if comes_in => "-".to_owned(),
            Some(list) => relative_list(list, &job)?,
            None => relative(data, &job)?,
        };
        Ok(Paths { input, job, hierarchies, output })
    }

    /// A file for the hierarchy of each column: safe names, no two of which differ in case only.
    pub(super) fn name_hierarchies(&self, columns: &[&str]) -> Vec<PathBuf> {
        let mut taken = BTreeSet::new();
        let names = columns.iter().map(|column| {
            let safe = safe_name(column);
            let numbered = (2..).map(|number| format!("{safe}-{number}"));
            let mut names = std::iter::once(safe.clone()).chain(numbered);
            let free = names.find(|name| taken.insert(name.to_lowercase()));
            self.hierarchies.join(format!("{}.csv", free.expect("there is always a further number")))
        });
        names.collect()
    }

    /// A file beside the job as the job names it: with `/` on every system.
    pub(super) fn in_job(&self, path: &Path) -> Result<String> {
        let base = self.job.parent().unwrap_or(Path::new(""));
        let relative = path.strip_prefix(base).unwrap_or(path);
        let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
        parts.map(|parts| parts.join("/")).ok_or_else(|| not_text(path))
    }
}

/// The name of a table without what tells its format.
fn stem(data: &Path) -> String {
    let name = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = match Format::from_name(data) {
        Some((_, Compression::None)) | None => plain_stem(data),
        Some(_) => plain_stem(Path::new(&plain_stem(data))),
    };
    if stem.is_empty() { name } else { stem }
}

fn plain_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The same of many files: the directory, or the pattern below it.
fn relative_list(list: &FileList, job: &Path) -> Result<String> {
    let below = list.pattern_below();
    let root = match list.root() {
        root if root.as_os_str().is_empty() => std::path::absolute("."),
        root => std::path::absolute(root),
    };
    let failed = |cause| EngineError::Io { path: list.root().to_owned(), action: "cannot be found", cause };
    let root = fs::canonicalize(root.map_err(failed)?).map_err(failed)?;
    let parent = job.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let parent = fs::canonicalize(parent).map_err(failed)?;
    let root = root.strip_prefix(&parent).unwrap_or(&root);
    let root = root.to_str().ok_or_else(|| not_text(root))?;
    Ok(match (root, below) {
        ("", Some(below)) => below,
        (root, Some(below)) => format!("{root}/{below}"),
        ("", None) => ".".to_owned(),
        (root, None) => format!("{root}/"),
    })
}

/// Letters, digits, `-` and `_` of a column's name; every other character becomes `_`.
fn safe_name(column: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name: String = column.chars().take(NAME_CHARS).map(safe).collect();
    let lower = name.to_lowercase();
    let port = |prefix: &str| lower.strip_prefix(prefix).is_some_and(|rest| rest.len() == 1);
    if name.is_empty() || DEVICES.contains(&lower.as_str()) || port("com") || port("lpt") {
        return format!("column_{name}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_lose_what_tells_their_format() {
        let of = |name: &str| stem(Path::new(name));
        assert_eq!(
            ["a.csv", "x/a.csv.gz", "a.b.parquet", "a", ".csv", "a.data"].map(of),
            ["a", "a", "a.b", "a", ".csv", "a"]
        );
    }

    #[test]
    fn names_are_safe_and_differ_by_more_than_case() {
        assert_eq!(safe_name("a/../b c;\"ö\n"), "a____b_c__ö_");
        assert_eq!(
            ["", "con", "COM1", "com12"].map(safe_name),
            ["column_", "column_con", "column_COM1", "com12"]
        );
        assert!(safe_name(&"é".repeat(300)).len() <= 96);
        let paths = Paths {
            job: "j.toml".into(),
            hierarchies: "h".into(),
            output: "o.csv".into(),
            input: "i.csv".into(),
        };
        let names = paths.name_hierarchies(&["a b", "A.b", "a_b", "a_b-2"]);
        assert_eq!(names, ["h/a_b.csv", "h/A_b-2.csv", "h/a_b-3.csv", "h/a_b-2-2.csv"].map(PathBuf::from));
    }

    #[test]
    fn tables_elsewhere_are_named_in_full() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        let of = |data: &str, job: &str| relative(&root.join(data), &root.join(job)).unwrap();
        assert_eq!(of("a.csv", "a.toml"), "a.csv");
        assert_eq!(of("sub/a.csv", "a.toml"), "sub/a.csv".replace('/', std::path::MAIN_SEPARATOR_STR));
        assert_eq!(Path::new(&of("a.csv", "sub/a.toml")), root.join("a.csv"));
        assert!(relative(&root.join("a.csv"), &root.join("none/a.toml")).is_err());
    }
}
