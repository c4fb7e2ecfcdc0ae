//! An original and its release on the command line, as `attack` and `check` take them.

use std::path::Path;

use throng_engine::error::{EngineError, Result};
use throng_engine::input::standard;
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::tables::Tables;

use super::subject::{is_job, job_of_file, job_of_table};

/// The job that made a release: that of a job file, or one made of flags for an original table.
///
/// `flags.output` is the release.
pub(super) fn job_of(subject: &Path, mut flags: JobFlags, tables: &Tables) -> Result<Job> {
    // Before anything is taken in.
    flags.output.as_ref().map_or(Ok(()), |released| standard::refuse_twice(subject, released))?;
    if is_job(subject) {
        let job = job_of_file(subject, flags, tables)?;
        standard::refuse_twice(&job.input, job.output.path()?)?;
        return Ok(job);
    }
    if flags.quasi.is_empty() {
        return Err(EngineError::bad((
            "no quasi-identifier is given",
            "name each column that others may know with --qi COLUMN, or --qi COLUMN=HIERARCHY if the release generalises it",
        )));
    }
    flags.rest = Some(Role::Other);
    job_of_table(subject, flags, tables, Job::of_tables)
}
