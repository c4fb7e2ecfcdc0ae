//! An original table and its release, row by row: what `check` needs of two files.
//!
//! The rows of both files must be in the same order with none left out, because the notions of
//! *k-Anonymization Revisited* pair each released record with its original. Memory is linear in the
//! distinct pairs of tuples, not in the rows.

pub(super) mod codes;
mod covers;
mod pairs;
#[cfg(test)]
mod tests;
mod values;

use rustc_hash::FxHashMap;
use throng::consistency::{Consistency, Degrees, degrees, find_uncovered};
use throng::loss;
use throng::notion::Notion;
use throng::problem::Problem;
use throng::recoding::{Local, Parts, Recoding};
use throng::requirement::Requirement;
use throng::table::Table;

use crate::address::Address;
use crate::columns::{find_column, names_of_release};
use crate::error::Result;
use crate::input::source::Source;
use crate::job::Job;
use crate::plan::OpenJob;
use crate::prepare::EncodedTable;
use crate::progress::Progress;
use pairs::RowPairs;
use throng_tables::output::sink::is_tabbed;

/// RowPairs of original and released tuples, with the rows of each.
pub struct Linkage {
    problem: Problem,
    recoding: Recoding,
}

impl Linkage {
    /// Reads a job's input, and its release at `released`.
    ///
    /// # Errors
    /// If a column is missing, the files differ in rows, or a released value does not cover its
    /// original.
    pub async fn read(job: &Job, released: &Address, progress: &dyn Progress) -> Result<Linkage> {
        let opened = OpenJob::of_tables(job)?;
        progress.phase("read");
        let prepared = EncodedTable::read(&opened, progress).await?.for_reading();
        let release = open_release(job, &prepared, released)?;
        Linkage::find(&prepared, &release, job, progress).await
    }

    /// Reads a release of a table that was read already.
    ///
    /// # Errors
    /// Bad input; a release of another table.
    pub async fn find(
        prepared: &EncodedTable,
        release: &Source,
        job: &Job,
        progress: &dyn Progress,
    ) -> Result<Linkage> {
        let quasi = find_columns(prepared, release, prepared.quasi())?;
        let sensitive: Vec<String> = diverse_columns(job).map(str::to_owned).collect();
        let places = find_columns(prepared, release, sensitive.iter().map(String::as_str))?;
        let sensitive: Vec<(usize, String)> = places.into_iter().zip(sensitive).collect();
        let pairs = RowPairs::read(prepared, release, &quasi, &sensitive, progress).await?;
        Linkage::new(pairs, prepared, job)
    }

    fn new(mut pairs: RowPairs, prepared: &EncodedTable, job: &Job) -> Result<Linkage> {
        let released = pairs.columns.split_off(prepared.attributes.len());
        let table = Table::new(pairs.columns, pairs.weights).with_carried(pairs.values);
        let recoding = Recoding::Local(Local::with_made(released, pairs.made));
        let attributes = prepared.parts(prepared.attributes.len());
        let requirement = Requirement::crowd(job.privacy.notion, job.privacy.least_crowd());
        let lm = loss::find("lm").expect("registered");
        let problem = Problem::new(table, attributes, requirement, 0, lm)?;
        debug_assert!(find_uncovered(&recoding.apply(&problem)).is_none());
        Ok(Linkage { problem, recoding })
    }

    /// The largest k of each notion.
    pub fn degrees(&self) -> Degrees {
        degrees(&self.recoding.apply(&self.problem))
    }

    /// The fewest different values of a sensitive column that the crowd of somebody has by a notion; none of a column of
    /// which the job requires no different values.
    ///
    /// # Panics
    /// By (k,1)-anonymity, which gives nobody a crowd of released rows.
    pub fn values(&self, notion: Notion, column: &str) -> Option<u64> {
        let place = self.problem.table().carried().iter().position(|known| known.name() == column)?;
        let release = self.recoding.apply(&self.problem);
        let values = Consistency::new(&release).values(&release, notion, place);
        Some(values.into_iter().flatten().min().unwrap_or(0))
    }

    /// The release as a recoding of a problem of the same table, whose tuples are distinct.
    pub(crate) fn recoding_of(&self, problem: &Problem) -> Local {
        let Recoding::Local(released) = &self.recoding else { unreachable!("made as one") };
        let (pairs, table) = (self.problem.table(), problem.table());
        let places: FxHashMap<Vec<u32>, u32> =
            (0..table.tuples()).map(|tuple| (table.record(tuple), tuple as u32)).collect();
        let tuples: Vec<u32> = (0..pairs.tuples()).map(|pair| places[&pairs.record(pair)]).collect();
        let mut order: Vec<usize> = (0..tuples.len()).collect();
        order.sort_by_key(|&pair| tuples[pair]);
        let mut parts = Parts::default();
        order.iter().for_each(|&pair| parts.push(tuples[pair], pairs.weights()[pair], false));
        let attributes = 0..problem.attributes().len();
        let column = |a: usize| order.iter().map(|&pair| released.column(a)[pair]).collect();
        let made = attributes.clone().map(|a| released.made(a).to_vec()).collect();
        Local::with_made(attributes.map(column).collect(), made).in_parts(parts)
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.problem.table().rows()
    }

    /// Names of the quasi-identifiers, in the order of the original.
    pub fn quasi(&self) -> impl Iterator<Item = &str> {
        self.problem.attributes().iter().map(|attribute| attribute.name.as_str())
    }
}

/// The sensitive columns of which a job requires different values.
fn diverse_columns(job: &Job) -> impl Iterator<Item = &str> {
    let diverse = job.privacy.require.iter().filter(|require| require.is_of_crowds(job.privacy.notion));
    let mut columns: Vec<&str> = diverse.filter_map(|require| require.column.as_deref()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.into_iter()
}

/// Opens a release, which is spelled as the original but for what its name says.
pub(crate) fn open_release(job: &Job, prepared: &EncodedTable, released: &Address) -> Result<Source> {
    let mut csv = job.csv_of_release();
    let is_file = matches!(released, Address::Files(_) | Address::Stdio(_) | Address::Object(_));
    if is_file && is_tabbed(released) {
        csv.delimiter = csv.delimiter.map(|_| '\t');
    }
    let names: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    job.tables.open_release(released, &csv, &names)
}

/// Where columns of the original are in its release.
pub(super) fn find_columns<'n>(
    prepared: &EncodedTable,
    release: &Source,
    names: impl Iterator<Item = &'n str>,
) -> Result<Vec<usize>> {
    let columns = columns_of(release, prepared);
    release.recognise(&prepared.quasi().collect::<Vec<_>>())?;
    names.map(|name| find_column(release, &columns, name)).collect()
}

/// What the columns of a release are called; where the original's do not tell, what it calls them itself.
fn columns_of(release: &Source, prepared: &EncodedTable) -> Vec<String> {
    let released: Vec<String> = prepared.roles.released().map(|(_, name)| name.to_owned()).collect();
    names_of_release(release, &released).unwrap_or_else(|| release.columns().to_vec())
}
