//! The job that a command is about: from a file, or from flags for a table.

use std::path::Path;

use throng_engine::address::Address;
use throng_engine::error::Result;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags, split_quasi};
use throng_engine::tables::Tables;

/// Whether a file is a job, by its name.
pub(super) fn is_job(path: &Path) -> bool {
    !matches!(Address::from_path(path), Address::Postgres(_))
        && path.extension().is_some_and(|extension| extension == "toml")
}

/// The job of a file, with what the flags say in place of what it says.
pub(super) fn job_of_file(path: &Path, mut flags: JobFlags, tables: &Tables) -> Result<Job> {
    let spelling = JobFlags { csv: flags.csv.clone(), ..JobFlags::default() };
    let job = Job::read(path)?.with_flags(spelling)?.with_tables(tables);
    take_in(&job.input, tables)?;
    split_lists(&mut flags, &job.input, &job.csv, tables)?;
    job.with_flags(flags)
}

/// The job of a table and flags; `make` says what it must have, by what is asked.
pub(super) fn job_of_table(
    path: &Path,
    mut flags: JobFlags,
    tables: &Tables,
    make: impl FnOnce(JobFlags) -> Result<Job>,
) -> Result<Job> {
    take_in(path, tables)?;
    let csv = flags.csv.clone();
    split_lists(&mut flags, path, &csv, tables)?;
    flags.input = Some(path.to_owned());
    Ok(make(flags)?.with_tables(tables))
}

/// Takes in standard input before the run catches signals: who waits at a terminal can still leave.
pub(super) fn take_in(table: &Path, tables: &Tables) -> Result<()> {
    match Address::from_path(table) {
        Address::Stdio(_) => tables.take_in_standard_input(),
        _ => Ok(()),
    }
}

/// Takes the columns of every list one by one. The columns of the table tell which commas are between them.
fn split_lists(flags: &mut JobFlags, table: &Path, csv: &DialectOverrides, tables: &Tables) -> Result<()> {
    let JobFlags { quasi, identifier, pseudonym, sensitive, target, other, .. } = flags;
    let mut lists = [quasi, identifier, pseudonym, sensitive, target, other];
    if !lists.iter().any(|list| list.iter().any(|flag| flag.contains(','))) {
        return Ok(());
    }
    let source = tables.open(table, csv)?;
    lists.iter_mut().for_each(|list| **list = each_column(list, &source));
    Ok(())
}

/// The columns of a list one by one, each as it would be by itself.
pub(super) fn each_column(list: &[String], source: &Source) -> Vec<String> {
    let each = list.iter().flat_map(|flag| match flag.contains(',') {
        true => split_quasi(flag, source.columns()),
        false => vec![flag.as_str()],
    });
    each.map(str::to_owned).collect()
}
