//! Brute force over rows of text.
//!
//! Written from the definitions for clarity, not speed, and sharing nothing with the crate:
//! no ids, no tuples with weights, no roll-up, no bounds.

mod cells;
mod greedy;
mod measures;

use std::collections::{BTreeMap, BTreeSet};

use crate::case::Case;
use cells::Column;
pub(crate) use measures::is_close;

/// All that the oracle knows of a case.
pub(crate) struct Oracle<'c> {
    pub(crate) case: &'c Case,
    columns: Vec<Column<'c>>,
}

/// What a reader of the release of a node would see.
#[derive(Clone, Debug)]
pub(crate) struct Released<'c> {
    /// The level of each attribute.
    pub(crate) node: Vec<usize>,
    /// Released classes, and the rows of each.
    pub(crate) classes: BTreeMap<Vec<&'c str>, Vec<usize>>,
    /// Classes that may not be released, and the rows of each.
    pub(crate) dropped: BTreeMap<Vec<&'c str>, Vec<usize>>,
    /// Rows of the classes that are dropped.
    pub(crate) suppressed: BTreeSet<usize>,
}

impl<'c> Oracle<'c> {
    pub(crate) fn new(case: &'c Case) -> Oracle<'c> {
        let column =
            |a: usize| Column::new(&case.hierarchies[a], case.rows.iter().map(|row| row[a].as_str()));
        Oracle { case, columns: (0..case.hierarchies.len()).map(column).collect() }
    }

    /// The labels of a row at a node.
    pub(crate) fn labels(&self, row: usize, node: &[usize]) -> Vec<&'c str> {
        self.columns.iter().zip(node).map(|(column, &level)| column.label(row, level)).collect()
    }

    fn group(&self, node: &[usize]) -> BTreeMap<Vec<&'c str>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.case.rows.len() {
            classes.entry(self.labels(row, node)).or_default().push(row);
        }
        classes
    }

    /// Generalises every row to a node and drops the classes that the model does not allow.
    pub(crate) fn recode(&self, node: &[usize]) -> Released<'c> {
        let (classes, dropped): (BTreeMap<_, _>, BTreeMap<_, _>) =
            self.group(node).into_iter().partition(|(_, rows)| self.allows(rows.len()));
        let suppressed = dropped.values().flatten().copied().collect();
        Released { node: node.to_vec(), classes, dropped, suppressed }
    }

    fn allows(&self, rows: usize) -> bool {
        self.case.model.allows(self.case.k, rows as u64)
    }

    pub(crate) fn is_admissible(&self, released: &Released<'_>) -> bool {
        released.suppressed.len() as u64 <= self.case.max_suppressed_rows
    }

    /// Every node of the lattice.
    pub(crate) fn nodes(&self) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for height in self.case.heights() {
            let extend = |node: &Vec<usize>| -> Vec<Vec<usize>> {
                (0..=height).map(|level| [&node[..], &[level]].concat()).collect()
            };
            nodes = nodes.iter().flat_map(extend).collect();
        }
        nodes
    }

    /// The releases of all nodes that may be released.
    pub(crate) fn admissible(&self) -> Vec<Released<'c>> {
        let releases = self.nodes().into_iter().map(|node| self.recode(&node));
        releases.filter(|released| self.is_admissible(released)).collect()
    }

    /// The largest k for which at most as many rows as may be suppressed are in smaller
    /// classes; no end of it if all rows may be.
    pub(crate) fn anonymity(&self, node: &[usize]) -> u64 {
        let sizes: Vec<u64> = self.group(node).values().map(|rows| rows.len() as u64).collect();
        let rows: u64 = sizes.iter().sum();
        let smaller = |k: u64| sizes.iter().filter(|&&size| size < k).sum::<u64>();
        let reached = (1..=rows + 1).take_while(|&k| smaller(k) <= self.case.max_suppressed_rows);
        match reached.last() {
            Some(k) if k > rows => u64::MAX,
            k => k.unwrap_or(0),
        }
    }
}
