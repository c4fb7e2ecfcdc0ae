//! Where the release of a job will be, and how it is laid out.

use std::path::Path;

use throng::wording::quoted;

use super::OpenJob;
use crate::address::Address;
use crate::backend::database;
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::job::{HierarchySpec, Job, Require};
use crate::pseudonym::{KEY_FILE_VARIABLE, KEY_VARIABLE, PseudonymKey};
use throng_tables::output::sink::{FileLayout, NewRelease, PartsLayout, refuse_bad_target, refuse_same_file};

/// The place of a release.
#[derive(Clone, Debug)]
pub struct Target {
    /// How its files are laid out.
    pub layout: FileLayout,
    /// How it is divided, if it is a directory of parts.
    pub parts: Option<PartsLayout>,
    /// How it is read again.
    pub spelled: DialectOverrides,
}

impl Target {
    /// Refuses a place where no release can be, as far as that can be said without the table.
    pub(super) fn refuse_bad(job: &Job, key: Option<&PseudonymKey>) -> Result<()> {
        let output = job.output.path()?;
        refuse_keyless(job, key)?;
        refuse_bad_target(output, job.output.is_directory(), job.output.replace)?;
        if is_in_memory(output) {
            return Ok(());
        }
        refuse_own_file(job, output)?;
        match key.and_then(PseudonymKey::file) {
            Some(file) => refuse_same_file(file, output),
            None => Ok(()),
        }
    }

    /// The place of a job's release.
    pub(super) fn from_job(opened: &OpenJob) -> Result<Target> {
        let OpenJob { job, source, .. } = opened;
        let output = job.output.path()?;
        if let Address::Postgres(_) = output {
            let (replace, tables) = (job.output.replace, source.tables());
            database()?.refuse_bad_target(output, replace, &job.input, tables)?;
        }
        let (layout, parts) = job.layout_of(source)?;
        Ok(Target { spelled: layout.overrides(job.csv_of_release()), layout, parts })
    }

    /// Refuses to replace anything but an earlier release of the same table.
    pub(crate) fn refuse_other_release(&self, opened: &OpenJob) -> Result<()> {
        let release = NewRelease {
            columns: opened.roles.released().map(|(_, name)| name).collect(),
            of_table: opened.source.columns().iter().map(String::as_str).collect(),
            spelled: self.spelled.clone(),
        };
        release.refuse_other(opened.job.output.path()?)
    }
}

/// Refuses pseudonyms that anybody could compute.
fn refuse_keyless(job: &Job, key: Option<&PseudonymKey>) -> Result<()> {
    match job.columns.pseudonyms().next() {
        Some(column) if key.is_none() => Err(EngineError::bad(format!(
            "the pseudonyms of column {} need a key, but none is given: set {KEY_VARIABLE} or \
                {KEY_FILE_VARIABLE} in the environment, or name its file with --pseudonym-key-file",
            quoted(column)
        ))
        .about_column(column)),
        _ => Ok(()),
    }
}

/// Refuses an output that is a file which the job reads: its table, a hierarchy or a population.
///
/// # Errors
/// If it is one of them, also by way of links.
pub fn refuse_own_file(job: &Job, output: &Path) -> Result<()> {
    if !is_in_memory(&job.input) {
        refuse_same_file(&job.input, output)?;
    }
    for (_, column) in job.columns.named() {
        if let Some(HierarchySpec::File(hierarchy)) = &column.hierarchy
            && hierarchy.in_memory.is_none()
        {
            refuse_same_file(hierarchy, output)?;
        }
    }
    let mut populations = job.privacy.require.iter().filter_map(Require::population);
    populations.try_for_each(|population| match is_in_memory(&population) {
        true => Ok(()),
        false => refuse_same_file(&population, output),
    })
}

/// Whether it is no file that another could be.
pub(crate) fn is_in_memory(address: &Address) -> bool {
    matches!(address, Address::Memory(_))
}
