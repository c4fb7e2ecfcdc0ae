//! An original and its release on the command line, as `attack` and `check` take them.

use std::path::Path;

use throng_engine::check::split_names;
use throng_engine::error::{EngineError, Result};
use throng_engine::job::{Job, JobFlags, Role};
use throng_engine::source::Source;

/// The job that made a release: that of a job file, or one made of flags for an original table.
///
/// `flags.output` is the release.
pub(super) fn job_of(subject: &Path, mut flags: JobFlags) -> Result<Job> {
    if is_job(subject) {
        return Job::read(subject)?.with_flags(flags);
    }
    if flags.quasi.is_empty() {
        return Err(EngineError::bad(
            "no quasi-identifier is named; name each column that others may know with --qi COLUMN, or \
             --qi COLUMN=HIERARCHY if the release generalises it",
        ));
    }
    flags.quasi = split_lists(subject, &flags)?;
    flags.input = Some(subject.to_owned());
    flags.rest = Some(Role::Other);
    // Without a claim, the least there is.
    flags.k = flags.k.or(Some(2));
    Job::from_flags(flags)
}

/// Whether a file is a job, by its name.
pub(super) fn is_job(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The quasi-identifiers one by one: `A,B` are two, but a hierarchy may have commas of its own.
fn split_lists(original: &Path, flags: &JobFlags) -> Result<Vec<String>> {
    let is_list = |flag: &str| flag.contains(',') && !flag.contains('=');
    if !flags.quasi.iter().any(|flag| is_list(flag)) {
        return Ok(flags.quasi.clone());
    }
    let source = Source::open(original, &flags.csv)?;
    let mut quasi = Vec::new();
    for flag in &flags.quasi {
        let names = if is_list(flag) { split_names(flag, source.columns()) } else { vec![flag.as_str()] };
        quasi.extend(names.into_iter().map(str::to_owned));
    }
    Ok(quasi)
}
