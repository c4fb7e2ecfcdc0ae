//! A demo as files: the table, its hierarchies and a job that anonymises it.

use std::fs;
use std::path::{Path, PathBuf};

use super::Demo;
use crate::error::{EngineError, Result};
use crate::format::Format;
use crate::input::dialect::DialectOverrides;
use crate::input::whole;
use crate::progress::Progress;
use throng_tables::output::sink::{FileLayout, Made, NewRelease, write_text};

/// Every job file of a demo starts like this; it tells our files from those of others.
const MARK: &str = "# The demo of throng:";
const HIERARCHIES: &str = "hierarchies";

/// The files of a demo; those that were not there before are removed again unless they are kept.
#[derive(Debug)]
pub struct DemoFiles {
    job: PathBuf,
    /// What this demo made: directories before what is in them.
    made: Vec<PathBuf>,
}

impl DemoFiles {
    /// The job file.
    pub fn job(&self) -> &Path {
        &self.job
    }

    /// Keeps the files, and returns the job file.
    pub fn keep(mut self) -> PathBuf {
        self.made.clear();
        std::mem::take(&mut self.job)
    }

    /// Notes a path that is about to be made, unless it is there.
    fn note(&mut self, path: &Path) {
        if path.symlink_metadata().is_err() {
            self.made.push(path.to_owned());
        }
    }
}

impl Drop for DemoFiles {
    fn drop(&mut self) {
        // A directory in which somebody else has put something stays: it is not empty.
        for path in self.made.iter().rev() {
            _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

/// Writes the demo into `dir`, which is made if need be, and returns its job file.
///
/// Files of an earlier demo are replaced; others of the same names are not. If it fails, what it
/// made is removed.
pub fn write_demo(dir: &Path, demo: Demo, format: Format, progress: &dyn Progress) -> Result<PathBuf> {
    write_demo_files(dir, demo, format, progress).map(DemoFiles::keep)
}

/// As [`write_demo`], for a caller who may not keep the files.
///
/// # Errors
/// If there are files of others, a file cannot be written, or the run was cancelled.
pub fn write_demo_files(
    dir: &Path,
    demo: Demo,
    format: Format,
    progress: &dyn Progress,
) -> Result<DemoFiles> {
    let name = demo.dataset.name();
    let extension = format.extensions()[0];
    let job = dir.join(format!("{name}.toml"));
    let table = dir.join(format!("{name}.{extension}"));
    let hierarchies: Vec<(PathBuf, String)> = demo
        .dataset
        .hierarchies()
        .into_iter()
        .map(|(column, text)| (dir.join(HIERARCHIES).join(format!("{column}.csv")), text))
        .collect();
    let output = dir.join(format!("{name}-k5.{extension}"));
    let own = [&table, &job, &output].into_iter();
    refuse_foreign(&job, own.chain(hierarchies.iter().map(|(path, _)| path)))?;
    refuse_other_table(&demo, &table)?;
    let mut files = DemoFiles { job: job.clone(), made: Vec::new() };
    let folder = dir.join(HIERARCHIES);
    let folders: Vec<&Path> = folder.ancestors().filter(|path| !path.as_os_str().is_empty()).collect();
    folders.iter().rev().for_each(|folder| files.note(folder));
    make_directory(&folder)?;
    let written = [&job, &table].into_iter().chain(hierarchies.iter().map(|(path, _)| path));
    written.for_each(|path| files.note(path));
    // The job comes first: it marks the directory as ours, so an interrupted demo can be repeated.
    write_text(&job, Made::Job, &job_text(&demo, extension))?;
    for (path, text) in &hierarchies {
        write_text(path, Made::Hierarchy, text)?;
    }
    demo.write_watched(&table, progress)?;
    Ok(files)
}

/// Refuses a table that is none of such a demo.
fn refuse_other_table(demo: &Demo, table: &Path) -> Result<()> {
    let schema = demo.dataset.schema();
    let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let spelled = FileLayout::of_target(table, &FileLayout::PLAIN)?.overrides(DialectOverrides::default());
    NewRelease { of_table: columns.clone(), columns, spelled }.refuse_other(table)
}

fn make_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|cause| EngineError::Io {
        path: path.to_owned(),
        action: "cannot make the directory",
        cause,
    })
}

/// Refuses files of these names, unless the job file is that of a demo.
fn refuse_foreign<'a>(job: &Path, mut files: impl Iterator<Item = &'a PathBuf>) -> Result<()> {
    let text = whole::read(job, whole::MOST_WRITTEN, "cannot read the job", "no such job file");
    let ours = text.is_ok_and(|text| text.starts_with(MARK.as_bytes()));
    match files.find(|path| !ours && path.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(path) => Err(EngineError::bad((
            format!("{} exists and was not made by the demo", path.display()),
            "choose another directory",
        ))
        .about_file(path)),
    }
}

fn job_text(demo: &Demo, extension: &str) -> String {
    let Demo { dataset, seed, rows } = demo;
    let (name, rows_are, job) = (dataset.name(), dataset.rows_are(), dataset.job());
    format!(
        r#"{MARK} {rows} {rows_are} (seed {seed}), not the data of real people.
# This file is a job: it says what to do with the table. Its paths are relative to it.

input  = "{name}.{extension}"
output = "{name}-k5.{extension}"

{job}"#
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use arrow::array::AsArray;
    use arrow::compute::cast;
    use arrow::datatypes::DataType;

    use super::*;
    use crate::demo::{Art, Hospital, datasets};
    use crate::job::Job;
    use crate::pipeline::{find_algorithm, find_measure};
    use crate::progress::Quiet;

    #[test]
    fn jobs_fit_their_tables_and_hierarchies_hold_all_values() {
        for &dataset in datasets() {
            let demo = Demo { dataset, seed: 1, rows: 2_000 };
            let dir = tempfile::tempdir().unwrap();
            let path = write_demo(&dir.path().join("new/demo"), demo, Format::PARQUET, &Quiet).unwrap();
            let job = Job::read(&path).unwrap();
            assert!(job.input.exists());
            assert_eq!(
                *job.output.path().unwrap(),
                path.with_file_name(format!("{}-k5.parquet", dataset.name()))
            );
            assert_eq!(job.privacy.k, Some(5));
            // Names repeat where there are many rows, and then a job must say whose they are.
            let has_identifier = dataset.job().contains("\"identifier\"");
            assert!(job.says_persons() || !has_identifier);
            find_algorithm(&job.search.algorithm).unwrap();
            find_measure(&job.search.measure).unwrap();
            let schema = dataset.schema();
            let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
            let roles = job.resolve(&names).unwrap();
            let expected = match dataset.name() {
                "census" => schema.fields().len(),
                "donors" => 5,
                _ => 6,
            };
            assert_eq!(roles.quasi().count(), expected, "{}", dataset.name());

            let table = demo.batch(0, 2_000);
            for (position, column, quasi) in roles.quasi() {
                let texts = cast(table.column(position), &DataType::Utf8).unwrap();
                let values: BTreeSet<&str> = texts.as_string::<i32>().iter().flatten().collect();
                let values: Vec<&str> = values.into_iter().collect();
                quasi.build(column, &values).unwrap_or_else(|error| panic!("{column}: {error:?}"));
            }
        }
    }

    #[test]
    fn a_demo_replaces_a_demo_but_not_the_files_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let write =
            |rows| write_demo(dir.path(), Demo { dataset: &Hospital, seed: 1, rows }, Format::CSV, &Quiet);
        let (csv, other) = (dir.path().join("hospital.csv"), dir.path().join("notes.txt"));
        fs::write(&csv, "mine").unwrap();
        fs::write(&other, "mine").unwrap();
        let refused = write(5).unwrap_err();
        assert!(matches!(refused, EngineError::BadInput(_)), "{refused}");
        assert_eq!(fs::read_to_string(&csv).unwrap(), "mine");
        assert!(!dir.path().join("hierarchies").exists());

        fs::remove_file(&csv).unwrap();
        write(5).unwrap();
        write(7).unwrap();
        assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 8);
        assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    }

    struct Impatient;

    impl Progress for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn an_interrupted_demo_removes_what_it_made_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let demo = Demo { dataset: &Hospital, seed: 1, rows: 5 };
        let write = |to: &Path, progress: &dyn Progress| write_demo(to, demo, Format::CSV, progress);
        let new = dir.path().join("new/demo");
        assert!(matches!(write(&new, &Impatient), Err(EngineError::Interrupted)));
        assert!(!dir.path().join("new").exists());

        write(&new, &Quiet).unwrap();
        assert!(write(&new, &Impatient).is_err());
        assert!(new.join("hospital.csv").exists() && new.join("hospital.toml").exists());
        assert!(new.join("hierarchies").read_dir().unwrap().next().is_some());
    }

    #[test]
    fn a_release_of_others_is_safe() {
        let dir = tempfile::tempdir().unwrap();
        let release = dir.path().join("hospital-k5.csv");
        fs::write(&release, "mine").unwrap();
        let demo = Demo { dataset: &Hospital, seed: 1, rows: 5 };
        let refused = write_demo(dir.path(), demo, Format::CSV, &Quiet).unwrap_err().to_string();
        assert!(refused.contains("hospital-k5.csv exists and was not made by the demo"), "{refused}");
        assert!(!dir.path().join("hospital.toml").exists());
    }

    #[test]
    fn datasets_share_a_directory_but_not_the_permission() {
        let dir = tempfile::tempdir().unwrap();
        let demo = |dataset| Demo { dataset, seed: 1, rows: 5 };
        write_demo(dir.path(), demo(&Hospital), Format::CSV, &Quiet).unwrap();
        let foreign = dir.path().join("hierarchies/A3.csv");
        fs::write(&foreign, "mine").unwrap();
        assert!(write_demo(dir.path(), demo(&Art), Format::CSV, &Quiet).is_err());
        assert_eq!(fs::read_to_string(&foreign).unwrap(), "mine");
        fs::remove_file(foreign).unwrap();
        write_demo(dir.path(), demo(&Art), Format::CSV, &Quiet).unwrap();
        assert!(dir.path().join("hospital.csv").exists() && dir.path().join("art.csv").exists());
    }
}
