//! The folder that is served: which of its files are tables, and where the state of the page is. Nothing outside of it is
//! read or written.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Component, Path, PathBuf};

use throng_engine::format::Format;

use crate::session::secret;

/// Where the page keeps what it was told and what it made.
const STATE: &str = ".throng";

/// Entries of the folder that are looked at for tables.
const MOST_ENTRIES: usize = 2000;

/// The longest name of a file that is taken.
const MOST_NAME: usize = 120;

/// What is kept: each in a folder of its own, with a random name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Tables that were dropped onto the page.
    Tables,
    /// Tables with what was decided about them.
    Drafts,
    /// Jobs that were run, and what became of them.
    Runs,
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Kind::Tables => "tables",
            Kind::Drafts => "drafts",
            Kind::Runs => "runs",
        }
    }
}

/// The folder, by its real path.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// A table of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFile {
    /// Its name below the folder.
    pub(crate) name: String,
    pub(crate) bytes: u64,
}

impl Folder {
    /// Opens a folder, and makes the place for the state, which nobody else may look into.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        let root = fs::canonicalize(path)?;
        if !root.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "this is not a folder"));
        }
        let folder = Folder { root };
        make_private(&folder.root.join(STATE))?;
        for kind in [Kind::Tables, Kind::Drafts, Kind::Runs] {
            make_private(&folder.place(kind))?;
        }
        Ok(folder)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the entries of a kind are.
    pub(crate) fn place(&self, kind: Kind) -> PathBuf {
        self.root.join(STATE).join(kind.folder())
    }

    /// A new entry, with a random name.
    pub(crate) fn create(&self, kind: Kind) -> io::Result<(String, PathBuf)> {
        let id = secret()?[..16].to_owned();
        let path = self.place(kind).join(&id);
        make_private(&path)?;
        Ok((id, path))
    }

    /// The folder of an entry, if there is one of this name.
    pub(crate) fn find(&self, kind: Kind, id: &str) -> Option<PathBuf> {
        let is_name = id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.place(kind).join(id);
        let is_there = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
        (is_name && is_there).then_some(path)
    }

    /// The names of all entries of a kind.
    pub(crate) fn entries(&self, kind: Kind) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.place(kind)) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| self.find(kind, name).is_some()).collect();
        names.sort();
        names
    }

    /// Removes an entry and all that is in it.
    pub(crate) fn remove(&self, kind: Kind, id: &str) -> io::Result<()> {
        self.find(kind, id).map_or(Ok(()), fs::remove_dir_all)
    }

    /// The tables right in the folder, by their names.
    pub(crate) fn tables(&self) -> Vec<TableFile> {
        let Ok(entries) = fs::read_dir(&self.root) else { return Vec::new() };
        let tables = entries.flatten().take(MOST_ENTRIES).filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let path = self.resolve(&name)?;
            let data = fs::metadata(&path).ok()?;
            let is_table = data.is_file() && Format::from_name(Path::new(&name)).is_some();
            is_table.then_some(TableFile { name, bytes: data.len() })
        });
        let mut tables: Vec<TableFile> = tables.collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        tables
    }

    /// The real path of a file below the folder; nothing of a name that leads out of it, whether by `..` or by a link,
    /// or into what is hidden.
    pub(crate) fn resolve(&self, name: &str) -> Option<PathBuf> {
        let relative = Path::new(name);
        let is_plain = |part: Component| matches!(part, Component::Normal(_));
        let is_hidden = |part: Component| part.as_os_str().to_string_lossy().starts_with('.');
        if name.is_empty() || !relative.components().all(is_plain) || relative.components().any(is_hidden) {
            return None;
        }
        let real = fs::canonicalize(self.root.join(relative)).ok()?;
        let below = real.strip_prefix(&self.root).ok()?;
        (!below.components().any(is_hidden)).then_some(real)
    }

    /// Whether a path that a job names is of a file below the folder, wherever links lead.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.root))
    }
}

/// A name for a file that was sent: its last part, without what could mean anything else to a system or a page.
pub(crate) fn safe_name(sent: &str) -> Option<String> {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_fine = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let name: String = last.chars().map(|c| if is_fine(c) { c } else { '_' }).collect();
    let name = name.trim().trim_start_matches('.').to_owned();
    let is_short = name.len() <= MOST_NAME && !name.is_empty();
    (is_short && Format::from_name(Path::new(&name)).is_some()).then_some(name)
}

/// What the names of tables end in.
pub(crate) fn extensions() -> Vec<String> {
    Format::all().flat_map(|format| format.extensions().iter().map(|end| format!(".{end}"))).collect()
}

/// A folder that is its owner's alone; refuses a link in its place.
fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_folder = fs::symlink_metadata(path)?.is_dir();
            if is_folder {
                Ok(())
            } else {
                Err(io::Error::other(format!("{} is not a folder", path.display())))
            }
        }
        made => made,
    }
}

/// Writes a file of the state, whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    io::Write::write_all(&mut options.open(&beside)?, text)?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("served")).unwrap();
        fs::write(dir.path().join("secret.csv"), "a\n1\n").unwrap();
        fs::write(dir.path().join("served/people.csv"), "a\n1\n").unwrap();
        let folder = Folder::open(&dir.path().join("served")).unwrap();
        (dir, folder)
    }

    #[test]
    fn names_do_not_lead_out_of_the_folder() {
        let (_dir, folder) = folder();
        assert!(folder.resolve("people.csv").is_some());
        for name in
            ["../secret.csv", "/etc/passwd", "", ".", "..", ".throng/runs", "a/../../secret.csv", "none.csv"]
        {
            assert!(folder.resolve(name).is_none(), "{name}");
        }
        for id in ["..", "../..", "0123456789abcde/", "zzzzzzzzzzzzzzzz", "0123456789abcdef"] {
            assert!(folder.find(Kind::Runs, id).is_none(), "{id}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_of_the_folder() {
        let (dir, folder) = folder();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(dir.path().join(to), folder.root().join(name)).unwrap();
        };
        link("secret.csv", "out.csv");
        link("served/people.csv", "in.csv");
        link(".", "up");
        assert!(folder.resolve("out.csv").is_none() && folder.resolve("up/secret.csv").is_none());
        assert!(folder.resolve("in.csv").is_some());
        let names: Vec<String> = folder.tables().into_iter().map(|table| table.name).collect();
        assert_eq!(names, ["in.csv", "people.csv"]);
    }

    #[test]
    fn sent_names_become_names_of_tables() {
        assert_eq!(safe_name("../../etc/people.csv").as_deref(), Some("people.csv"));
        assert_eq!(safe_name("C:\\x\\<b>.csv").as_deref(), Some("_b_.csv"));
        for name in ["", "passwd", ".csv", "a.exe", "a.csv/", "…"] {
            assert_eq!(safe_name(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_removed_is_gone() {
        let (_dir, folder) = folder();
        let (id, path) = folder.create(Kind::Runs).unwrap();
        write_whole(&path.join("job.toml"), b"x").unwrap();
        assert_eq!(folder.entries(Kind::Runs), [id.as_str()]);
        folder.remove(Kind::Runs, &id).unwrap();
        assert!(!path.exists() && folder.entries(Kind::Runs).is_empty());
    }
}
