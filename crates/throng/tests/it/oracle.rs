//! Brute force over rows of text.
//!
//! Written from the definitions for clarity, not speed, and sharing nothing with the crate:
//! no ids, no tuples with weights, no roll-up, no bounds.

mod cells;
mod cuts;
mod degrees;
mod fraction;
mod greedy;
mod measures;
mod trees;

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Ask, Case};
use cells::Column;
pub(crate) use cuts::{Cut, Value};
pub(crate) use degrees::are_close;
pub(crate) use measures::is_close;

/// All that the oracle knows of a case.
pub(crate) struct Oracle<'c> {
    pub(crate) case: &'c Case,
    columns: Vec<Column<'c>>,
}

/// Rows with the same labels.
pub(crate) type Classes<'c> = BTreeMap<Vec<&'c str>, Vec<usize>>;

/// What a reader of a release would see.
#[derive(Clone, Debug)]
pub(crate) struct Released<'c> {
    /// The level of each attribute, if it is the same for all rows.
    pub(crate) node: Option<Vec<usize>>,
    /// For each row the level of each attribute; one above the hierarchy is a cell that shows nothing.
    pub(crate) levels: Vec<Vec<usize>>,
    /// For each row the label of each attribute, whether it is released or not.
    pub(crate) labels: Vec<Vec<&'c str>>,
    /// The labels of everyone of the population.
    pub(crate) population: Vec<Vec<&'c str>>,
    /// Released classes, and the rows of each.
    pub(crate) classes: Classes<'c>,
    /// Classes that may not be released, and the rows of each.
    pub(crate) dropped: Classes<'c>,
    /// Rows of the classes that are dropped.
    pub(crate) suppressed: BTreeSet<usize>,
    /// How often refused classes were looked for and found.
    pub(crate) rounds: usize,
    /// For each attribute the first leaf that has each label.
    firsts: Vec<BTreeMap<&'c str, usize>>,
}

impl<'c> Oracle<'c> {
    pub(crate) fn new(case: &'c Case) -> Oracle<'c> {
        let column =
            |a: usize| Column::new(&case.hierarchies[a], case.rows.iter().map(|row| row[a].as_str()));
        Oracle { case, columns: (0..case.hierarchies.len()).map(column).collect() }
    }

    /// The labels of a row at a node.
    pub(crate) fn labels(&self, row: usize, node: &[usize]) -> Vec<&'c str> {
        let columns = self.columns.iter().zip(node);
        columns.map(|(column, &level)| column.label(column.leaf(row), level)).collect()
    }

    /// Generalises every row to a node, and suppresses by what is asked.
    pub(crate) fn recode(&self, node: &[usize]) -> Released<'c> {
        let released = self.generalise(vec![node.to_vec(); self.case.rows.len()]);
        let population = self.generalise_population(|a, _| node[a]);
        let firsts = self.firsts(|a, _| node[a]);
        self.suppress(Released { node: Some(node.to_vec()), population, firsts, ..released })
    }

    /// Generalises every leaf to its level in a cut, and suppresses by what is asked.
    pub(crate) fn recode_cuts(&self, cuts: &[&Cut]) -> Released<'c> {
        let level = |row: usize, a: usize| cuts[a].levels[self.columns[a].leaf(row)];
        let levels = |row: usize| (0..self.columns.len()).map(|a| level(row, a)).collect();
        let released = self.generalise((0..self.case.rows.len()).map(levels).collect());
        let population = self.generalise_population(|a, leaf| cuts[a].levels[leaf]);
        let firsts = self.firsts(|a, leaf| cuts[a].levels[leaf]);
        self.suppress(Released { population, firsts, ..released })
    }

    /// What a reader sees if every row has levels of its own, and just these are suppressed.
    pub(crate) fn look_at(&self, levels: Vec<Vec<usize>>, suppressed: BTreeSet<usize>) -> Released<'c> {
        assert!(self.case.population.is_none(), "nobody knows how others would have been generalised");
        Released { suppressed, ..self.generalise(levels) }.sorted()
    }

    fn generalise(&self, levels: Vec<Vec<usize>>) -> Released<'c> {
        let labels = levels.iter().enumerate().map(|(row, of_row)| self.labels(row, of_row)).collect();
        Released {
            node: None,
            levels,
            labels,
            population: Vec::new(),
            classes: Classes::new(),
            dropped: Classes::new(),
            suppressed: BTreeSet::new(),
            rounds: 0,
            firsts: Vec::new(),
        }
    }

    /// The first leaf of each label, given the level of each leaf of an attribute.
    fn firsts(&self, level: impl Fn(usize, usize) -> usize) -> Vec<BTreeMap<&'c str, usize>> {
        let of_attribute = |a: usize| {
            let mut firsts = BTreeMap::new();
            for leaf in 0..self.case.hierarchies[a].len() {
                firsts.entry(self.columns[a].label(leaf, level(a, leaf))).or_insert(leaf);
            }
            firsts
        };
        (0..self.columns.len()).map(of_attribute).collect()
    }

    /// The labels of everyone, given the level of each leaf of an attribute.
    fn generalise_population(&self, level: impl Fn(usize, usize) -> usize) -> Vec<Vec<&'c str>> {
        let label = |a: usize, text: &str| {
            let leaf = self.columns[a].find(text);
            self.columns[a].label(leaf, level(a, leaf))
        };
        let everyone = self.case.population.iter().flatten();
        everyone.map(|row| row.iter().enumerate().map(|(a, text)| label(a, text)).collect()).collect()
    }

    /// Suppresses the rows of all classes that something asked refuses, all at once, until none is.
    fn suppress(&self, mut released: Released<'c>) -> Released<'c> {
        loop {
            let shields: BTreeSet<Vec<usize>> =
                self.case.asks.iter().map(|ask| self.case.shielded(ask)).collect();
            let over = |shield: &Vec<usize>| -> Vec<&Ask> {
                self.case.asks.iter().filter(|ask| self.case.shielded(ask) == *shield).collect()
            };
            let refused = shields.iter().map(|shield| self.refused(&over(shield), &released));
            let refused: BTreeSet<usize> = refused.flatten().collect();
            if refused.is_empty() {
                return released.sorted();
            }
            released.suppressed.extend(refused);
            released.rounds += 1;
        }
    }

    /// Whether no more rows are suppressed than may be.
    pub(crate) fn is_admissible(&self, released: &Released<'c>) -> bool {
        released.suppressed.len() as u64 <= self.case.max_suppressed_rows && self.is_mendable(released)
    }

    /// Every node of the lattice.
    pub(crate) fn nodes(&self) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for &(lowest, highest) in &self.case.levels() {
            let extend = |node: &Vec<usize>| -> Vec<Vec<usize>> {
                (lowest..=highest).map(|level| [&node[..], &[level]].concat()).collect()
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
}

impl<'c> Released<'c> {
    /// The rows that are left, by their labels over a shield.
    fn classes_over(&self, shield: Option<&[usize]>) -> Classes<'c> {
        let mut classes = Classes::new();
        for (row, labels) in self.labels.iter().enumerate() {
            if !self.suppressed.contains(&row) {
                classes.entry(project(labels, shield)).or_default().push(row);
            }
        }
        classes
    }

    /// What classes are put in order by: their first leaves, by the last attribute first.
    fn places(&self, labels: &[&str]) -> Vec<usize> {
        self.firsts.iter().zip(labels).rev().map(|(firsts, label)| firsts[label]).collect()
    }

    /// With the rows in classes, released or not.
    fn sorted(mut self) -> Released<'c> {
        self.classes = self.classes_over(None);
        for &row in &self.suppressed {
            self.dropped.entry(self.labels[row].clone()).or_default().push(row);
        }
        self
    }
}

fn project<'c>(labels: &[&'c str], shield: Option<&[usize]>) -> Vec<&'c str> {
    shield.map_or_else(|| labels.to_vec(), |shield| shield.iter().map(|&a| labels[a]).collect())
}
