//! What a custodian shows of a release to those who must answer for it.
//!
//! Everything but how the search went is found in the two files, by what reads any table: the original and the
//! release are counted side by side, so a report says of a release what a stranger could confirm. No value
//! leaves this module that the release does not have itself.

mod accuracy;
mod association;
mod belongs;
mod columns;
mod distribution;
mod drivers;
mod fingerprint;
mod kept;
mod labels;

use std::path::Path;

use throng::consistency::Degrees;
use throng::notion::Notion;
use throng::problem::Problem;

use crate::check::{CheckSummary, Subject, check};
use crate::error::Result;
use crate::evaluate::EvaluateSummary;
use crate::input::source::Source;
use crate::job::{Job, Role};
use crate::pipeline::validate;
use crate::prepare::Prepared;
use crate::prepare::encode::{Encoded, encode, rows_by_code};
use crate::progress::Progress;
use crate::report::Report;
use crate::verify::linkage::Linkage;
pub use association::Associations;
pub use columns::{ColumnEvidence, LevelEvidence};
pub use distribution::{Distribution, Share};
pub use drivers::{Driver, WhatIf};
pub use fingerprint::{Fingerprint, sha256, sha256_of_table};
use labels::Labels;

/// Rows in classes smaller than this are at risk, unless the job has a k.
const THRESHOLD: u64 = 5;

/// All that is known of a release.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The job, as it was run.
    pub job: Job,
    /// What the run itself said; nothing if it is not at hand.
    pub summary: Option<Report>,
    /// The original, as it stands.
    pub before: CheckSummary,
    /// The release, as a stranger sees it.
    pub after: CheckSummary,
    /// The largest k of each notion, if the job asks for another than k-anonymity.
    pub crowds: Option<Degrees>,
    /// All columns of the original, in their order.
    pub columns: Vec<ColumnEvidence>,
    /// How closely columns go together.
    pub associations: Associations,
    /// What each quasi-identifier costs, and why.
    pub drivers: Vec<Driver>,
    /// Why there are no searches without a column or with a finer one, if there are none.
    pub no_drivers: Option<String>,
    /// How well a classifier learns from it, if there is a target; or why that is not known.
    pub accuracy: Option<std::result::Result<EvaluateSummary, String>>,
    /// The files that it was made of, and it.
    pub fingerprints: Vec<Fingerprint>,
}

impl Evidence {
    /// Reads a job's table and its release; must be called in a multi-threaded Tokio runtime.
    ///
    /// # Errors
    /// Bad input, a machine that failed, an interruption; a release that cannot be the job's.
    pub async fn gather(
        job: &Job,
        released: &Path,
        summary: Option<&Report>,
        progress: &dyn Progress,
    ) -> Result<Evidence> {
        validate(job)?;
        let mut job = job.clone();
        job.output.path = released.to_owned();
        let threshold = job.privacy.k.unwrap_or(THRESHOLD);
        progress.phase("read");
        let pair = Pair::read(&job, progress).await?;
        let before = check(&Subject::of_job_input(&job, &[])?, threshold, progress).await?;
        let after = check(&Subject::of_job_output(&job, &[])?, threshold, progress).await?;
        let labels = Labels::read(&pair.prepared, &pair.problem, &pair.after, &pair.released)?;
        let kept = kept::count(&pair, progress).await?;
        tokio::task::block_in_place(|| belongs::refuse_foreign(&pair, &labels, &kept))?;
        let crowds = pair.crowds(&job, after.k, progress).await?;
        progress.phase("compare");
        let columns = tokio::task::block_in_place(|| columns::describe(&job, &pair, &labels, &kept, summary));
        let associations = tokio::task::block_in_place(|| Associations::find(&job, &pair, &labels));
        let (drivers, no_drivers) = drivers::find(&job, &pair, &columns, progress)?;
        let accuracy = accuracy::find(&job, &pair, progress).await?;
        let fingerprints = tokio::task::block_in_place(|| fingerprint::of_all(&job))?;
        let summary = summary.cloned();
        Ok(Evidence {
            job,
            summary,
            before,
            after,
            crowds,
            columns,
            associations,
            drivers,
            no_drivers,
            accuracy,
            fingerprints,
        })
    }

    /// Whether all that the job requires holds, as far as the files tell.
    pub fn holds(&self) -> bool {
        let crowd = self.crowd().is_none_or(|(_, asked, found)| found >= asked);
        let (most, left_out) = self.left_out();
        crowd
            && left_out <= most
            && !self.has_too_few_rows()
            && self.after.requirements.iter().all(|one| one.summary.holds != Some(false))
    }

    /// A crowd that is no class, if the job asks for one: its notion, the k that is asked for, and what there is.
    pub fn crowd(&self) -> Option<(Notion, u64, u64)> {
        let notion = self.job.privacy.notion;
        self.crowds.map(|crowds| (notion, self.job.privacy.largest_k(), crowds.of(notion)))
    }

    /// Whether a class has fewer rows than it must have persons.
    pub fn has_too_few_rows(&self) -> bool {
        self.job.person().is_some() && self.job.privacy.k.is_some_and(|k| self.after.k < k)
    }

    /// How many rows may be suppressed, and how many are: left out, or masked as the run says.
    pub fn left_out(&self) -> (u64, u64) {
        let masked = self.summary.as_ref().map_or(0, |summary| summary.masked_rows);
        (self.job.privacy.suppression.max_rows(self.before.rows), self.rows_left_out() + masked)
    }

    /// Rows of the original that the release lacks.
    pub fn rows_left_out(&self) -> u64 {
        self.before.rows - self.after.rows
    }
}

/// An original table and its release, counted over the same columns.
struct Pair {
    prepared: Prepared,
    problem: Problem,
    /// Names of the columns that were counted: quasi-identifiers, then sensitive ones and the target.
    names: Vec<String>,
    original: Source,
    before: Encoded,
    released: Source,
    /// What the columns of the release are called.
    released_names: Vec<String>,
    after: Encoded,
}

impl Pair {
    async fn read(job: &Job, progress: &dyn Progress) -> Result<Pair> {
        let prepared = Prepared::read(job, progress).await?;
        let (_, measure) = validate(job)?;
        let max_suppressed_rows = job.privacy.suppression.max_rows(prepared.rows());
        let problem = prepared.problem(job.privacy.k, max_suppressed_rows, measure)?;
        let original = prepared.source.clone();
        let (released, released_names) = belongs::open(job, &prepared)?;
        let of_role = |role| prepared.roles.with_role(role).map(|(_, name)| name.to_owned());
        let looked_at = of_role(Role::Sensitive).chain(of_role(Role::Target));
        let names: Vec<String> = prepared.quasi().map(str::to_owned).chain(looked_at).collect();
        let before = encode(&original, &places(original.columns(), &names), progress).await?;
        let after = encode(&released, &places(&released_names, &names), progress).await?;
        if after.rows > before.rows {
            let (rows, all) = (after.rows, before.rows);
            let problem =
                format!("it has {rows} rows, and the job's input only {all}: it is no release of it");
            return Err(released.bad(problem));
        }
        Ok(Pair { prepared, problem, names, original, before, released, released_names, after })
    }

    /// What crowds that are no classes the release has. One that lacks rows has none but its classes, which are
    /// crowds by every notion.
    async fn crowds(&self, job: &Job, k: u64, progress: &dyn Progress) -> Result<Option<Degrees>> {
        if job.privacy.notion == Notion::K {
            return Ok(None);
        }
        if self.after.rows < self.before.rows {
            return Ok(Some(Degrees { k, one_k: k, k_one: k, kk: k, global_one_k: k }));
        }
        let linkage = Linkage::of(&self.prepared, &self.released, job, progress).await?;
        Ok(Some(tokio::task::block_in_place(|| linkage.degrees())))
    }
}

/// Places of names among those of columns, all of which are there.
fn places(columns: &[String], names: &[String]) -> Vec<usize> {
    names.iter().filter_map(|name| columns.iter().position(|column| column == name)).collect()
}

/// Rows of each code of a column.
fn rows_of_codes(encoded: &Encoded, column: usize) -> Vec<u64> {
    rows_by_code(encoded.dictionaries[column].len(), &encoded.columns[column], &encoded.weights)
}

#[cfg(test)]
mod tests;
