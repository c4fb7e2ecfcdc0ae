//! The encoded table: distinct quasi-identifier tuples with counts.
//!
//! A billion rows become a few million tuples; the search never sees rows. Sensitive and
//! other columns stay with the engine, untouched.

use crate::taxonomy::ValueId;

/// Distinct tuples of leaves, one column per quasi-identifier, and how many rows have each.
///
/// Invariants: all columns and the weights have one length; no weight is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Vec<ValueId>>,
    weights: Vec<u32>,
    rows: u64,
}

impl Table {
    /// A table from columns of leaf ids and the number of rows of each tuple.
    ///
    /// # Panics
    /// If the columns and the weights differ in length, or a weight is 0.
    pub fn new(columns: Vec<Vec<ValueId>>, weights: Vec<u32>) -> Table {
        assert!(columns.iter().all(|c| c.len() == weights.len()), "columns of one length");
        assert!(weights.iter().all(|&w| w > 0), "every tuple occurs");
        let rows = weights.iter().map(|&w| u64::from(w)).sum();
        Table { columns, weights, rows }
    }

    /// A table from rows of leaf ids, in which equal rows become one tuple.
    pub fn from_rows<R: AsRef<[ValueId]>>(attributes: usize, rows: &[R]) -> Table {
        let mut sorted: Vec<&[ValueId]> = rows.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        let mut columns = vec![Vec::new(); attributes];
        let mut weights: Vec<u32> = Vec::new();
        let mut last: Option<&[ValueId]> = None;
        for row in sorted {
            if last == Some(row) {
                *weights.last_mut().expect("a tuple precedes its repetition") += 1;
                continue;
            }
            for (column, &leaf) in columns.iter_mut().zip(row) {
                column.push(leaf);
            }
            weights.push(1);
            last = Some(row);
        }
        Table::new(columns, weights)
    }

    /// The table over its first `attributes` columns.
    pub fn project(&self, attributes: usize) -> Table {
        let mut order: Vec<u32> = (0..self.tuples() as u32).collect();
        let key = |tuple: u32| self.columns[..attributes].iter().map(move |c| c[tuple as usize]);
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let mut columns = vec![Vec::new(); attributes];
        let mut weights: Vec<u32> = Vec::new();
        for same in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            columns.iter_mut().zip(key(same[0])).for_each(|(column, leaf)| column.push(leaf));
            weights.push(same.iter().map(|&tuple| self.weights[tuple as usize]).sum());
        }
        Table::new(columns, weights)
    }

    /// Number of rows that the tuples stand for.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of distinct tuples.
    pub fn tuples(&self) -> usize {
        self.weights.len()
    }

    /// Number of quasi-identifiers.
    pub fn attributes(&self) -> usize {
        self.columns.len()
    }

    /// The leaves of one attribute, one per tuple.
    pub fn column(&self, attribute: usize) -> &[ValueId] {
        &self.columns[attribute]
    }

    /// Rows of each tuple.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }
}
