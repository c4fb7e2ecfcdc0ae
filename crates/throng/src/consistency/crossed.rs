//! Two tables of which nobody says which rows belong together: the consistency graph without a pairing.
//!
//! All that an adversary has is the original table, or as much of it as she knows, and the released one. A
//! released row may be anybody's who is consistent with it; who is consistent with none was left out.
//! Whoever else was left out cannot be told from the tables.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::components::components;
use super::matching::{Matching, Residual};
use super::reading::Reading;
use super::records::{Lists, Records, by_selectivity};
use super::{Degrees, least};
use crate::table::Table;

/// A released table: tuples of labels, by the numbers that a [`Reading`] has for them.
#[derive(Clone, Debug, Default)]
pub struct Released {
    /// For each attribute, the label of each tuple. Tuples may repeat.
    pub columns: Vec<Vec<u32>>,
    /// Rows of each tuple.
    pub weights: Vec<u32>,
    /// For each sensitive column, the value of each tuple's rows; none where it is missing.
    pub sensitive: Vec<Vec<Option<u32>>>,
}

/// The graph between the tuples of an original table and the distinct records of a released one.
pub struct Crossed {
    /// Rows of each original tuple.
    weights: Vec<u32>,
    /// The record of each released tuple.
    record_of: Vec<u32>,
    /// Rows of each record.
    record_rows: Vec<u64>,
    edges: Lists,
    /// As many rows as can be paired at once, and who may take whose place in that.
    matched: OnceLock<(u64, Vec<u32>)>,
}

impl Crossed {
    /// Builds the graph; there is one reading for each attribute of both tables.
    pub fn new(originals: &Table, readings: Vec<Reading>, released: &Released) -> Crossed {
        let labels: Vec<_> = readings.into_iter().map(|reading| reading.labels).collect();
        let (columns, weights) = (&released.columns, &released.weights);
        let order =
            by_selectivity(&labels, |a| originals.column(a).iter().copied(), |a| columns[a].iter().copied());
        let label = |_: &[_], tuple: usize, a: usize| columns[a][tuple];
        let rows = |tuple: usize| u64::from(weights[tuple]);
        let records = Records::new(labels, order, weights.len(), label, rows);
        let edges = records.consistent(originals.tuples(), |tuple, a| originals.column(a)[tuple]);
        Crossed {
            weights: originals.weights().to_vec(),
            record_of: records.of_part,
            record_rows: records.rows,
            edges,
            matched: OnceLock::new(),
        }
    }

    /// Rows of each original tuple.
    pub(crate) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The number of distinct records.
    pub(crate) fn records(&self) -> usize {
        self.record_rows.len()
    }

    /// The record of a released tuple.
    pub(crate) fn record(&self, released: usize) -> usize {
        self.record_of[released] as usize
    }

    /// Released rows of a record.
    pub(crate) fn rows_of(&self, record: usize) -> u64 {
        self.record_rows[record]
    }

    /// The records that are consistent with an original tuple.
    pub(crate) fn neighbours(&self, tuple: usize) -> impl Iterator<Item = u32> {
        self.edges.list(tuple).iter().copied()
    }

    /// Those of them that belong to a row of the tuple in some maximum matching.
    pub(crate) fn matches(&self, tuple: usize) -> impl Iterator<Item = u32> {
        let (_, of) = self.matched();
        let own = of[tuple];
        self.neighbours(tuple).filter(move |&record| of[self.weights.len() + record as usize] == own)
    }

    /// As many rows as can be paired at once, each original one with a consistent released one.
    pub(crate) fn matched_rows(&self) -> u64 {
        self.matched().0
    }

    fn matched(&self) -> &(u64, Vec<u32>) {
        self.matched.get_or_init(|| {
            let matching = Matching::largest(&self.edges, &self.weights, &self.record_rows);
            (matching.rows(), components(&Residual::new(&matching)))
        })
    }

    /// For each original tuple, the rows of the records that an adversary links it to.
    pub(crate) fn rows_linked<I: Iterator<Item = u32>>(
        &self,
        linked: impl Fn(usize) -> I + Sync + Send,
    ) -> Vec<u64> {
        let rows = |record: u32| self.record_rows[record as usize];
        (0..self.weights.len()).into_par_iter().map(|tuple| linked(tuple).map(rows).sum()).collect()
    }

    /// The largest k of each notion, given the rows that each tuple is linked to by either adversary. Who
    /// is consistent with no record was left out, and does not count.
    pub(crate) fn degrees(&self, neighbours: &[u64], matches: &[u64]) -> Degrees {
        let fewest = |rows: &[u64]| rows.iter().copied().min().unwrap_or(0);
        let (one_k, k_one) = (least(neighbours), fewest(&self.covered()));
        Degrees {
            k: fewest(&self.record_rows),
            one_k,
            k_one,
            kk: one_k.min(k_one),
            global_one_k: least(matches),
        }
    }

    /// Original rows that are consistent with each record.
    fn covered(&self) -> Vec<u64> {
        let mut covered = vec![0; self.records()];
        for (tuple, &rows) in self.weights.iter().enumerate() {
            self.neighbours(tuple).for_each(|record| covered[record as usize] += u64::from(rows));
        }
        covered
    }
}
