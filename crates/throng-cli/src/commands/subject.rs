//! The job that a command is about: from a file, or from flags for a table.

use std::path::Path;

use throng_engine::error::Result;
use throng_engine::input::dialect::DialectOverrides;
use throng_engine::input::source::Source;
use throng_engine::job::{Job, JobFlags, split_quasi};

/// Whether a file is a job, by its name.
pub(super) fn is_job(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The job of a file, with what the flags say in place of what it says.
pub(super) fn job_of_file(path: &Path, mut flags: JobFlags) -> Result<Job> {
    let spelling = JobFlags { csv: flags.csv.clone(), ..JobFlags::default() };
    let job = Job::read(path)?.with_flags(spelling)?;
    flags.quasi = each_quasi(flags.quasi, &job.input, &job.csv)?;
    job.with_flags(flags)
}

/// The job of a table and flags.
pub(super) fn job_of_table(path: &Path, mut flags: JobFlags) -> Result<Job> {
    flags.quasi = each_quasi(flags.quasi, path, &flags.csv)?;
    flags.input = Some(path.to_owned());
    Job::from_flags(flags)
}

/// The quasi-identifiers of all `--qi` one by one. The columns of the table tell which commas are
/// between them.
fn each_quasi(quasi: Vec<String>, table: &Path, csv: &DialectOverrides) -> Result<Vec<String>> {
    if !quasi.iter().any(|flag| flag.contains(',')) {
        return Ok(quasi);
    }
    let source = Source::open(table, csv)?;
    let each = quasi.iter().flat_map(|flag| split_quasi(flag, source.columns()));
    Ok(each.map(str::to_owned).collect())
}
