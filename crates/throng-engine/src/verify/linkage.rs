//! An original table and its release, row by row: what `check` and `attack` need of two files.
//!
//! The rows of both files must be in the same order with none left out, because the notions of
//! *k-Anonymization Revisited* pair each released record with its original. Memory is linear in the
//! distinct pairs of tuples, not in the rows.

mod codes;
mod covers;
mod pairs;
#[cfg(test)]
mod tests;

use std::path::Path;

use throng::attack::{Attack, Histograms, attack};
use throng::consistency::{Degrees, degrees, find_uncovered};
use throng::loss;
use throng::problem::Problem;
use throng::recoding::{Local, Recoding};
use throng::requirement::Requirement;
use throng::table::Table;

use crate::check::{find_column, names_of_release};
use crate::error::Result;
use crate::input::source::Source;
use crate::job::Job;
use crate::prepare::Prepared;
use crate::progress::Progress;
use pairs::RowPairs;

/// RowPairs of original and released tuples, with the rows of each.
pub struct Linkage {
    problem: Problem,
    recoding: Recoding,
    /// The row (from 1) at which each pair was seen first.
    first_rows: Vec<u64>,
    /// Names of the sensitive columns.
    sensitive: Vec<String>,
    /// For each of them, the rows of each value in each pair.
    histograms: Vec<Histograms>,
}

impl Linkage {
    /// Reads a job's input, and its release at `released`.
    ///
    /// # Errors
    /// If a column is missing, the files differ in rows, or a released value does not cover its
    /// original.
    pub async fn read(
        job: &Job,
        released: &Path,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<Linkage> {
        job.validate()?;
        progress.phase("read");
        let prepared = Prepared::read(job, progress).await?;
        let release = Source::open(released, &job.csv.of_release())?;
        Linkage::of(&prepared, &release, sensitive, job, progress).await
    }

    /// Reads a release of a table that was read already.
    pub(crate) async fn of(
        prepared: &Prepared,
        release: &Source,
        sensitive: &[String],
        job: &Job,
        progress: &dyn Progress,
    ) -> Result<Linkage> {
        let columns = columns_of(release, prepared);
        release.recognise(&prepared.quasi().collect::<Vec<_>>())?;
        let find = |name: &str| find_column(release, &columns, name);
        let quasi = prepared.quasi().map(find).collect::<Result<Vec<usize>>>()?;
        let secret = sensitive.iter().map(|name| find(name)).collect::<Result<Vec<usize>>>()?;
        let pairs = RowPairs::read(prepared, release, &quasi, &secret, progress).await?;
        Linkage::new(pairs, prepared, sensitive, job)
    }

    fn new(mut pairs: RowPairs, prepared: &Prepared, sensitive: &[String], job: &Job) -> Result<Linkage> {
        let histograms = pairs.take_histograms();
        let released = pairs.columns.split_off(prepared.attributes.len());
        let table = Table::new(pairs.columns, pairs.weights);
        let recoding = Recoding::Local(Local::with_made(released, pairs.made));
        let attributes = prepared.parts(prepared.attributes.len());
        let requirement = Requirement::crowd(job.privacy.notion, job.privacy.largest_k());
        let lm = loss::find("lm").expect("registered");
        let problem = Problem::new(table, attributes, requirement, 0, lm)?;
        debug_assert!(find_uncovered(&recoding.apply(&problem)).is_none());
        Ok(Linkage {
            problem,
            recoding,
            first_rows: pairs.first_rows,
            sensitive: sensitive.to_vec(),
            histograms,
        })
    }

    /// The largest k of each notion.
    pub fn degrees(&self) -> Degrees {
        degrees(&self.recoding.apply(&self.problem))
    }

    /// What the paper's two adversaries learn.
    pub fn attack(&self) -> Attack {
        attack(&self.recoding.apply(&self.problem), &self.histograms)
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.problem.table().rows()
    }

    /// Names of the quasi-identifiers, in the order of the original.
    pub fn quasi(&self) -> impl Iterator<Item = &str> {
        self.problem.attributes().iter().map(|attribute| attribute.name.as_str())
    }

    /// Names of the sensitive columns.
    pub fn sensitive(&self) -> impl Iterator<Item = &str> {
        self.sensitive.iter().map(String::as_str)
    }

    /// The first row (from 1) of a pair of tuples.
    pub fn first_row(&self, tuple: usize) -> u64 {
        self.first_rows[tuple]
    }

    /// How many further rows have the original and released values of a pair's first row.
    pub fn rows_alike(&self, tuple: usize) -> u64 {
        u64::from(self.problem.table().weights()[tuple]) - 1
    }
}

/// What the columns of a release are called; where the original's do not tell, what it calls them itself.
fn columns_of(release: &Source, prepared: &Prepared) -> Vec<String> {
    let released: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    names_of_release(release, &released).unwrap_or_else(|| release.columns().to_vec())
}
