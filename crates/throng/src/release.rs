//! A release: for each tuple and attribute a generalised value, or the tuple is suppressed.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::lattice::Node;
use crate::problem::{Attribute, Problem};
use crate::recoding::Recoding;
use crate::tally::{ClassSizes, Tally};
use crate::taxonomy::{Leaves, Value, ValueId};

/// The table of generalised values that a recoding gives.
#[derive(Clone, Debug)]
pub struct Release<'p> {
    problem: &'p Problem,
    recoding: Recoding,
    suppressed: Vec<bool>,
    /// For each attribute, the values that the recoding made.
    made: Vec<Vec<Value>>,
}

impl<'p> Release<'p> {
    pub(crate) fn new(problem: &'p Problem, recoding: Recoding, suppressed: Vec<bool>) -> Release<'p> {
        let made = match &recoding {
            Recoding::FullDomain(_) => vec![Vec::new(); problem.attributes().len()],
            Recoding::Local(local) => {
                let attributes = problem.attributes().iter().enumerate();
                let describe = |(a, attribute): (usize, &Attribute)| {
                    let describe = |leaves| attribute.taxonomy.describe(leaves);
                    local.made(a).iter().map(describe).collect()
                };
                attributes.map(describe).collect()
            }
        };
        Release { problem, recoding, suppressed, made }
    }

    /// The table that was released, and what was asked for.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// The levels, for full-domain recoding.
    pub fn node(&self) -> Option<&Node> {
        match &self.recoding {
            Recoding::FullDomain(node) => Some(node),
            Recoding::Local(_) => None,
        }
    }

    /// Whether a tuple is left out.
    pub fn is_suppressed(&self, tuple: usize) -> bool {
        self.suppressed[tuple]
    }

    /// The generalised value of a tuple's attribute; a suppressed tuple has one, too.
    pub fn value(&self, tuple: usize, attribute: usize) -> ValueId {
        match &self.recoding {
            Recoding::FullDomain(node) => {
                let leaf = self.problem.table().column(attribute)[tuple];
                self.problem.attributes()[attribute].taxonomy.generalise(leaf, node.level(attribute))
            }
            Recoding::Local(local) => local.column(attribute)[tuple],
        }
    }

    /// The generalised values of an attribute, in the order of their ids: those of its taxonomy,
    /// then those that the recoding made.
    pub fn values(&self, attribute: usize) -> impl Iterator<Item = &Value> {
        self.problem.attributes()[attribute].taxonomy.values().iter().chain(&self.made[attribute])
    }

    /// What the release shows for a value.
    pub fn label(&self, attribute: usize, value: ValueId) -> &str {
        let values = self.problem.attributes()[attribute].taxonomy.values();
        let at = value as usize;
        values.get(at).map_or_else(|| &self.made[attribute][at - values.len()].label, |value| &value.label)
    }

    /// The leaves that the recoding made values of, in the order of their ids.
    pub fn made(&self, attribute: usize) -> &[Leaves] {
        match &self.recoding {
            Recoding::FullDomain(_) => &[],
            Recoding::Local(local) => local.made(attribute),
        }
    }

    /// Whether a value covers a leaf.
    pub fn covers(&self, attribute: usize, value: ValueId, leaf: ValueId) -> bool {
        let taxonomy = &self.problem.attributes()[attribute].taxonomy;
        match (value as usize).checked_sub(taxonomy.values().len()) {
            None => taxonomy.covers(value, leaf),
            Some(made) => self.made(attribute)[made].contains(leaf),
        }
    }

    /// Rows left out.
    pub fn suppressed_rows(&self) -> u64 {
        let weights = self.problem.table().weights().iter().zip(&self.suppressed);
        weights.filter(|(_, suppressed)| **suppressed).map(|(&rows, _)| u64::from(rows)).sum()
    }

    /// The generalised tuples that are suppressed as a whole, sorted.
    pub fn suppressed_classes(&self) -> Vec<Vec<ValueId>> {
        let attributes = self.problem.attributes().len();
        let dropped = (0..self.suppressed.len()).filter(|&tuple| self.suppressed[tuple]);
        let mut classes: Vec<Vec<ValueId>> =
            dropped.map(|tuple| (0..attributes).map(|a| self.value(tuple, a)).collect()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// Counts for every measure. Classes are grouped anew, not taken from the search.
    pub fn tally(&self) -> Tally {
        let (table, attributes) = (self.problem.table(), self.problem.attributes());
        let mut cells: Vec<Vec<u64>> =
            (0..attributes.len()).map(|a| vec![0; self.values(a).count()]).collect();
        let mut classes: HashMap<Vec<ValueId>, u64, FxBuildHasher> = HashMap::default();
        let mut class = vec![0; attributes.len()];
        for (tuple, &weight) in table.weights().iter().enumerate() {
            let rows = u64::from(weight);
            for (a, attribute) in attributes.iter().enumerate() {
                class[a] = self.value(tuple, a);
                let value = if self.suppressed[tuple] { attribute.taxonomy.root() } else { class[a] };
                cells[a][value as usize] += rows;
            }
            if self.suppressed[tuple] {
                continue;
            }
            match classes.get_mut(&class) {
                Some(size) => *size += rows,
                None => _ = classes.insert(class.clone(), rows),
            }
        }
        Tally {
            rows: table.rows(),
            suppressed_rows: self.suppressed_rows(),
            cells,
            made: (0..attributes.len()).map(|a| self.made(a).to_vec()).collect(),
            sizes: classes.into_values().collect::<ClassSizes>(),
            level: self.node().map(Node::height),
        }
    }
}
