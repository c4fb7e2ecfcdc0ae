//! Contingency tables of the categories.

use super::centre::Centre;
use super::code_tree::CodeTree;
use super::similarity::Distances;
use super::space::Space;
use crate::run::{Run, Stop};

/// The contingency tables of tuples that are left: a row of the table for an attribute is a node
/// at its level, its cells are the node's children.
pub(super) struct Contingency<'s> {
    space: &'s Space,
    tree: CodeTree,
    /// By attribute: the rows of each value, and how many values have any.
    values: Vec<(Vec<u32>, usize)>,
    distances: Vec<Distances>,
    /// Rows of the table at hand, and of the next one.
    rows: (Vec<u32>, Vec<u32>),
}

impl<'s> Contingency<'s> {
    /// The contingency tables of all tuples.
    pub(super) fn new(space: &'s Space, run: &Run<'_>) -> Result<Contingency<'s>, Stop> {
        let columns: Vec<&[u32]> = space.categories.iter().map(|attribute| &attribute.codes[..]).collect();
        let tree = CodeTree::new(&columns, space.len(), |place| space.rows(place), run)?;
        let values = space.categories.iter().map(|attribute| {
            let mut rows = vec![0; attribute.values];
            for (place, &code) in attribute.codes.iter().enumerate() {
                rows[code as usize] += space.rows(place as u32);
            }
            (rows, attribute.cardinality)
        });
        let values = values.collect();
        let distances = space.categories.iter();
        let distances = distances.map(|of| Distances::new(of.values, of.cardinality)).collect();
        Ok(Contingency { space, tree, values, distances, rows: (Vec::new(), Vec::new()) })
    }

    /// Rows of the tuples.
    pub(super) fn rows(&self) -> u64 {
        u64::from(self.tree.counts(0)[0])
    }

    /// Takes a tuple out.
    pub(super) fn remove(&mut self, place: u32) {
        let rows = self.space.rows(place);
        self.tree.remove(place, rows);
        for ((counts, occurring), attribute) in self.values.iter_mut().zip(&self.space.categories) {
            let count = &mut counts[attribute.codes[place as usize] as usize];
            *count -= rows;
            *occurring -= usize::from(*count == 0);
        }
    }

    /// The distances that were defined last, by attribute.
    pub(super) fn distances(&self) -> &[Distances] {
        &self.distances
    }

    /// Defines the distances from a centre, in the order of the cardinalities.
    pub(super) fn define_distances(&mut self, centre: &Centre, k: u64) {
        self.count(centre, k);
        let mut least = 1.0;
        for (attribute, distances) in self.distances.iter_mut().enumerate() {
            least = distances.define(centre.values(attribute), self.values[attribute].1, least);
        }
    }

    /// Counts the values of each attribute in the centre's rows of its table, or, if these are
    /// fewer than k, in those of the last table where they are not.
    fn count(&mut self, centre: &Centre, k: u64) {
        let (mut rows, mut next) = std::mem::take(&mut self.rows);
        rows.clear();
        rows.push(0);
        for attribute in 0..self.distances.len() {
            let (codes, counts) = (self.tree.codes(attribute + 1), self.tree.counts(attribute + 1));
            let (distances, values) = (&mut self.distances[attribute], centre.values(attribute));
            distances.clear();
            next.clear();
            let mut total = 0;
            for cell in rows.iter().flat_map(|&row| self.tree.range(attribute, row as usize)) {
                distances.count(codes[cell], counts[cell]);
                if values.has(codes[cell]) {
                    next.push(cell as u32);
                    total += u64::from(counts[cell]);
                }
            }
            if total < k {
                self.count_below(attribute, &rows);
                break;
            }
            std::mem::swap(&mut rows, &mut next);
        }
        self.rows = (rows, next);
    }

    /// Counts the values of all further attributes in rows of the table for an attribute.
    fn count_below(&mut self, attribute: usize, rows: &[u32]) {
        self.distances[attribute + 1..].iter_mut().for_each(Distances::clear);
        if attribute == 0 {
            for (distances, (counts, _)) in self.distances.iter_mut().zip(&self.values).skip(1) {
                counts.iter().zip(0..).for_each(|(&rows, value)| distances.count(value, rows));
            }
            return;
        }
        for &row in rows {
            let mut cells = self.tree.range(attribute, row as usize);
            for further in attribute + 1..self.distances.len() {
                cells = self.tree.below(further, cells);
                let (codes, counts) = (self.tree.codes(further + 1), self.tree.counts(further + 1));
                for cell in cells.clone() {
                    self.distances[further].count(codes[cell], counts[cell]);
                }
            }
        }
    }
}
