//! A job that can be run: its table is open, its names are looked up, and what can be refused without a row is refused.
//!
//! [`OpenJob`] is for who looks at the table of a job, [`Plan`] for who searches, and [`Target`] for who writes a release.
//! The table is opened here and nowhere else: all that follows reads what was opened, which may be anything that a
//! [`Source`] is.

mod fit;
mod target;

use std::io;
use std::ops::Deref;
use std::sync::Arc;

use throng::algorithm::Entry;
use throng::loss::Loss;

use crate::error::Result;
use crate::input::source::Source;
use crate::job::{Job, Roles};
use crate::pseudonym::PseudonymKey;
pub use fit::validate;
pub(crate) use fit::{refuse_aggregate, refuse_unfit, refuse_unserved, refuse_unused};
pub(crate) use target::is_in_memory;
pub use target::{Target, refuse_own_file};
use throng_tables::input::shared_bytes::SharedBytes;

/// A job and its table, which is open.
#[derive(Clone, Debug)]
pub struct OpenJob {
    /// What is asked.
    pub job: Job,
    /// The table. What it was opened for, such as a view of a database, lasts as long as it does.
    pub source: Source,
    /// What each of its columns is to the release.
    pub roles: Roles,
}

impl OpenJob {
    /// Opens the table of a job whose release is written, or was.
    ///
    /// # Errors
    /// If the job is not [valid](Job::validate), or its table cannot be opened or has other columns.
    pub fn new(job: &Job) -> Result<OpenJob> {
        job.validate()?;
        OpenJob::open(job)
    }

    /// The same for who asks something else of the table: whatever the job says of its output does not count.
    ///
    /// # Errors
    /// As of [`new`](OpenJob::new), but for the output.
    pub fn without_output(job: &Job) -> Result<OpenJob> {
        job.validate_without_output()?;
        OpenJob::open(job)
    }

    /// The same about tables that are there already, of which nothing need be required.
    ///
    /// # Errors
    /// As of [`new`](OpenJob::new), but for the output and what is required.
    pub fn of_tables(job: &Job) -> Result<OpenJob> {
        job.validate_of_tables()?;
        OpenJob::open(job)
    }

    fn open(job: &Job) -> Result<OpenJob> {
        OpenJob::over(job, job.open_input()?)
    }

    /// A job over a table that is open already; the job was validated.
    ///
    /// # Errors
    /// If the table has other columns than the job names.
    pub fn over(job: &Job, source: Source) -> Result<OpenJob> {
        let roles = job.resolve_in(&source)?;
        Ok(OpenJob { job: job.clone(), source, roles })
    }

    /// Names of the quasi-identifiers, in the order of the table.
    pub fn quasi(&self) -> Vec<String> {
        self.roles.quasi().map(|(_, name, _)| name.to_owned()).collect()
    }

    /// Names of the columns that the release has, in their order.
    pub fn released(&self) -> Vec<String> {
        self.roles.released().map(|(_, name)| name.to_owned()).collect()
    }
}

/// A job that can be searched: its table, its algorithm and its measure.
#[derive(Clone)]
pub struct Plan {
    opened: OpenJob,
    /// The algorithm.
    pub algorithm: &'static Entry,
    /// What it minimises.
    pub measure: &'static dyn Loss,
}

impl Plan {
    /// The plan of a job that is searched, whatever becomes of what is found.
    ///
    /// # Errors
    /// If the job cannot be run, or its table cannot be opened or has other columns.
    pub fn new(job: &Job) -> Result<Plan> {
        let (algorithm, measure) = validate(job)?;
        Ok(Plan { opened: OpenJob::open(job)?, algorithm, measure })
    }

    /// The plan of a job whose release is written, and where that will be; `key` is for its pseudonyms, and `accept` may
    /// refuse the table before the job looks for its columns.
    ///
    /// # Errors
    /// Also if there can be no release in that place. What needs no table is refused before it is opened.
    pub fn to_release(
        job: &Job,
        key: Option<&PseudonymKey>,
        accept: impl FnOnce(&Source) -> Result<()>,
    ) -> Result<(Plan, Target)> {
        job.output.path()?;
        let (algorithm, measure) = validate(job)?;
        Target::refuse_bad(job, key)?;
        let source = job.open_input()?;
        accept(&source)?;
        let plan = Plan { opened: OpenJob::over(job, source)?, algorithm, measure };
        let target = Target::from_job(&plan)?;
        Ok((plan, target))
    }
}

impl Plan {
    /// Has the next scan of the table pass on the bytes of its files, if it can.
    ///
    /// # Errors
    /// If a file is not there any more.
    pub(crate) fn share_bytes(&mut self) -> io::Result<Option<Arc<SharedBytes>>> {
        // Plans decode elsewhere.
        if self.job.engine.cluster.is_some() {
            return Ok(None);
        }
        let sharing = self.source.sharing_bytes()?;
        Ok(sharing.map(|(source, shared)| {
            self.opened.source = source;
            shared
        }))
    }
}

impl Deref for Plan {
    type Target = OpenJob;

    fn deref(&self) -> &OpenJob {
        &self.opened
    }
}
