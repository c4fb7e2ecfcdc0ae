//! An original table and its release, row by row: what `check` and `attack` need of two files.
//!
//! The rows of both files must be in the same order with none left out, because the notions of
//! *k-Anonymization Revisited* pair each released record with its original.

use std::path::Path;

use futures::StreamExt;
use rustc_hash::FxHashMap;

use throng::attack::{Attack, Histograms, attack};
use throng::consistency::{Degrees, degrees, find_uncovered};
use throng::loss;
use throng::notion::Notion;
use throng::privacy::KAnonymity;
use throng::problem::Problem;
use throng::recoding::{Local, Recoding};
use throng::requirement::Requirement;
use throng::table::Table;
use throng::taxonomy::{Taxonomy, ValueId};

use crate::dictionary::{as_text, try_each};
use crate::error::{EngineError, Result};
use crate::job::Job;
use crate::prepare::Prepared;
use crate::progress::Progress;
use crate::source::Source;

/// Pairs of original and released tuples, with the rows of each.
pub struct Linkage {
    problem: Problem,
    recoding: Recoding,
    /// The row (from 1) at which each pair was seen first.
    first_rows: Vec<u64>,
    /// Names of the sensitive columns, and for each pair the rows of each value.
    sensitive: Vec<(String, Histograms)>,
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
        progress.phase("read");
        let prepared = Prepared::read(job, progress).await?;
        let release = Source::open(released, &job.csv)?;
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
        let pairs = Pairs::read(prepared, release, sensitive, progress).await?;
        pairs.finish(prepared, sensitive, job.privacy.k, job.privacy.notion)
    }

    /// The largest k of each notion.
    pub fn degrees(&self) -> Degrees {
        degrees(&self.recoding.apply(&self.problem))
    }

    /// What the paper's two adversaries learn.
    pub fn attack(&self) -> Attack {
        let histograms: Vec<Histograms> = self.sensitive.iter().map(|(_, of)| of.clone()).collect();
        attack(&self.recoding.apply(&self.problem), &histograms)
    }

    /// Rows of the table.
    pub fn rows(&self) -> u64 {
        self.problem.table().rows()
    }

    /// Names of the sensitive columns.
    pub fn sensitive(&self) -> impl Iterator<Item = &str> {
        self.sensitive.iter().map(|(name, _)| name.as_str())
    }

    /// The first row (from 1) of a pair of tuples.
    pub fn first_row(&self, tuple: usize) -> u64 {
        self.first_rows[tuple]
    }
}

/// The pairs as they are read.
#[derive(Default)]
struct Pairs {
    /// Leaves, then released values, of each pair.
    index: FxHashMap<Vec<u32>, usize>,
    keys: Vec<Vec<u32>>,
    weights: Vec<u32>,
    first_rows: Vec<u64>,
    /// For each sensitive column: value codes, and for each pair the rows of each code.
    values: Vec<FxHashMap<String, u32>>,
    histograms: Vec<Vec<FxHashMap<u32, u32>>>,
    rows: u64,
}

impl Pairs {
    async fn read(
        prepared: &Prepared,
        release: &Source,
        sensitive: &[String],
        progress: &dyn Progress,
    ) -> Result<Pairs> {
        let original: Vec<usize> = prepared.attributes.iter().map(|a| a.column).collect();
        let mut wanted: Vec<usize> = Vec::new();
        for name in prepared.attributes.iter().map(|a| &a.name).chain(sensitive) {
            wanted.push(column_of(release, name)?);
        }
        let mut originals = Rows::new(prepared.source.scan(&original).await?);
        let mut released = Rows::new(release.scan(&wanted).await?);
        let mut pairs = Pairs {
            values: vec![FxHashMap::default(); sensitive.len()],
            histograms: vec![Vec::new(); sensitive.len()],
            ..Pairs::default()
        };
        loop {
            if progress.cancelled() {
                return Err(EngineError::Interrupted);
            }
            let (before, after) = (originals.fill().await?, released.fill().await?);
            let rows = before.min(after);
            if rows == 0 {
                if before != after {
                    return Err(EngineError::bad(format!(
                        "{}: it has {} rows than the original; a release is compared row by row, so none \
                         may be left out (suppressed = \"mask\" keeps them)",
                        release.path().display(),
                        if before > after { "fewer" } else { "more" }
                    )));
                }
                return Ok(pairs);
            }
            for _ in 0..rows {
                pairs.add(prepared, release, originals.next(), released.next())?;
            }
            progress.rows_read(pairs.rows);
        }
    }

    fn add(
        &mut self,
        prepared: &Prepared,
        release: &Source,
        original: Vec<String>,
        released: Vec<String>,
    ) -> Result<()> {
        self.rows += 1;
        let count = prepared.attributes.len();
        let mut key = Vec::with_capacity(2 * count);
        for (attribute, value) in prepared.attributes.iter().zip(&original) {
            let code = attribute.dictionary.code(value).ok_or_else(|| {
                EngineError::bad(format!(
                    "{}: the file changed while it was being read",
                    prepared.source.path().display()
                ))
            })?;
            key.push(attribute.leaves[code as usize]);
        }
        for (a, attribute) in prepared.attributes.iter().enumerate() {
            let value = ancestor_with_label(&attribute.taxonomy, key[a], &released[a]).ok_or_else(|| {
                EngineError::bad(format!(
                    "{}: row {}, column '{}': the value does not cover the original one; are the rows in the \
                     order of the original, and the hierarchies those of the release?",
                    release.path().display(),
                    self.rows,
                    attribute.name
                ))
            })?;
            key.push(value);
        }
        let next = self.keys.len();
        let pair = *self.index.entry(key.clone()).or_insert(next);
        if pair == next {
            self.keys.push(key);
            self.weights.push(0);
            self.first_rows.push(self.rows);
            self.histograms.iter_mut().for_each(|column| column.push(FxHashMap::default()));
        }
        self.weights[pair] += 1;
        for (s, value) in released.into_iter().skip(count).enumerate() {
            let next = self.values[s].len() as u32;
            let code = *self.values[s].entry(value).or_insert(next);
            *self.histograms[s][pair].entry(code).or_default() += 1;
        }
        Ok(())
    }

    fn finish(self, prepared: &Prepared, sensitive: &[String], k: u64, notion: Notion) -> Result<Linkage> {
        let count = prepared.attributes.len();
        let column = |at: usize| -> Vec<u32> { self.keys.iter().map(|key| key[at]).collect() };
        let table = Table::new((0..count).map(column).collect(), self.weights.clone());
        let recoding = Recoding::Local(Local::new((count..2 * count).map(column).collect()));
        let attributes =
            prepared.attributes.iter().map(|a| (a.name.clone(), a.taxonomy.clone(), a.weight)).collect();
        let requirement = Requirement::new(KAnonymity { k }).with_notion(notion);
        let lm = loss::find("lm").expect("registered");
        let problem = Problem::new(table, attributes, requirement, 0, lm)
            .map_err(|error| EngineError::bad(error.to_string()))?;
        debug_assert!(find_uncovered(&recoding.apply(&problem)).is_none());
        let sorted = |of: FxHashMap<u32, u32>| {
            let mut of: Vec<(u32, u32)> = of.into_iter().collect();
            of.sort_unstable();
            of
        };
        let histograms = self.histograms.into_iter().map(|column| column.into_iter().map(sorted).collect());
        let sensitive = sensitive.iter().cloned().zip(histograms).collect();
        Ok(Linkage { problem, recoding, first_rows: self.first_rows, sensitive })
    }
}

fn column_of(source: &Source, name: &str) -> Result<usize> {
    source.columns().iter().position(|column| column == name).ok_or_else(|| {
        let path = source.path().display();
        let columns = source.columns().join(", ");
        EngineError::bad(format!("{path}: there is no column '{name}'; the columns are {columns}"))
    })
}

/// The value on the leaf's way to the root that is shown as `label`.
fn ancestor_with_label(taxonomy: &Taxonomy, leaf: ValueId, label: &str) -> Option<ValueId> {
    let mut at = leaf;
    loop {
        if taxonomy.label(at) == label {
            return Some(at);
        }
        let parent = taxonomy.values()[at as usize].parent;
        if parent == at {
            // A masked cell may be shown as `*` where the root has a label of its own.
            return (label == throng::taxonomy::ANY).then_some(at);
        }
        at = parent;
    }
}

/// The rows of a scan as text, one after the other.
struct Rows {
    batches: crate::source::Batches,
    rows: std::collections::VecDeque<Vec<String>>,
}

impl Rows {
    fn new(batches: crate::source::Batches) -> Rows {
        Rows { batches, rows: std::collections::VecDeque::new() }
    }

    /// Reads on if no row is left; says how many there are now.
    async fn fill(&mut self) -> Result<usize> {
        while self.rows.is_empty() {
            let Some(batch) = self.batches.next().await else { return Ok(0) };
            let batch = batch?;
            let mut rows = vec![Vec::with_capacity(batch.num_columns()); batch.num_rows()];
            for column in batch.columns() {
                let text =
                    as_text(column).ok_or_else(|| EngineError::bad("a column cannot be read as text"))?;
                let mut row = rows.iter_mut();
                try_each::<()>(&text, |value| {
                    if let Some(row) = row.next() {
                        row.push(String::from_utf8_lossy(value).into_owned());
                    }
                    Ok(())
                })
                .map_err(|()| EngineError::bad("a column cannot be read as text"))?;
            }
            self.rows.extend(rows);
        }
        Ok(self.rows.len())
    }

    fn next(&mut self) -> Vec<String> {
        self.rows.pop_front().expect("filled before")
    }
}
