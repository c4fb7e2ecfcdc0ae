//! The tuples as points: their numbers, their categories, their order.

use std::sync::Arc;

use crate::algorithm::local::pieces::Piece;
use crate::problem::{Attribute, Problem};
use crate::run::{Run, Stop};
use crate::taxonomy::{Scheme, ValueId};

/// The table in the order of step 1: columns have an entry for each *place* in this order.
pub(super) struct Space {
    /// Numerical attributes, in the order of the table.
    pub(super) numbers: Vec<NumberColumn>,
    /// Categorical attributes, in the order of their cardinalities.
    pub(super) categories: Vec<Categories>,
    /// By place.
    pieces: Vec<Piece>,
}

/// A numerical attribute.
pub(super) struct NumberColumn {
    /// By place: the index of its position; for a missing number, their number.
    pub(super) codes: Vec<u32>,
    /// The numbers that occur in the whole table, ascending.
    pub(super) positions: Arc<[f64]>,
    range: f64,
}

/// A categorical attribute.
pub(super) struct Categories {
    /// By place, below `values`.
    pub(super) codes: Vec<u32>,
    /// One more than the greatest code may be.
    pub(super) values: usize,
    /// The number of values that occur in the whole table.
    pub(super) cardinality: usize,
}

/// The values of an attribute that occur in the whole table, numbered in their own order: the same for
/// all parts of a problem.
struct ValueNumbering {
    of_leaf: Vec<u32>,
    cardinality: usize,
    /// Positions by code, of numbers.
    positions: Option<Arc<[f64]>>,
}

/// An attribute by its codes.
struct Coded {
    codes: Vec<u32>,
    cardinality: usize,
    positions: Option<Arc<[f64]>>,
}

impl Space {
    /// The pieces of a table as points.
    pub(super) fn new(problem: &Problem, mut pieces: Vec<Piece>, run: &Run<'_>) -> Result<Space, Stop> {
        let table = problem.table();
        let codings: Arc<Vec<ValueNumbering>> =
            problem.derived(|| problem.attributes().iter().map(ValueNumbering::new).collect());
        let mut coded: Vec<Coded> =
            codings.iter().enumerate().map(|(a, coding)| coding.code(table.column(a))).collect();
        // The first of those with the most values.
        let widest = coded.iter().rev().max_by_key(|attribute| attribute.cardinality);
        let widest = &widest.expect("a problem has attributes").codes;
        run.go_on()?;
        pieces.sort_by_key(|piece| widest[piece.tuple as usize]);
        for attribute in &mut coded {
            run.go_on()?;
            attribute.codes = pieces.iter().map(|piece| attribute.codes[piece.tuple as usize]).collect();
        }
        coded.sort_by_key(|attribute| if attribute.positions.is_some() { 0 } else { attribute.cardinality });
        let mut space = Space { numbers: Vec::new(), categories: Vec::new(), pieces };
        coded.into_iter().for_each(|attribute| space.push(attribute));
        Ok(space)
    }

    fn push(&mut self, Coded { codes, cardinality, positions }: Coded) {
        match positions {
            Some(positions) => {
                let range = positions[positions.len() - 1] - positions[0];
                self.numbers.push(NumberColumn { codes, positions, range });
            }
            None => self.categories.push(Categories::new(codes, cardinality)),
        }
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// What is at a place.
    pub(super) fn piece(&self, place: u32) -> Piece {
        self.pieces[place as usize]
    }

    /// The rows at a place.
    pub(super) fn rows(&self, place: u32) -> u32 {
        self.pieces[place as usize].rows
    }
}

impl NumberColumn {
    /// The number of a code; none if it is missing.
    pub(super) fn position(&self, code: u32) -> Option<f64> {
        self.positions.get(code as usize).copied()
    }

    /// The distance of a code from a mean (eq. 5).
    pub(super) fn distance(&self, code: u32, mean: Option<f64>) -> f64 {
        match (self.position(code), mean) {
            (Some(x), Some(mean)) if self.range > 0.0 => (x - mean).abs() / self.range,
            (Some(_), Some(_)) | (None, None) => 0.0,
            _ => 1.0,
        }
    }
}

impl Categories {
    /// Where fewer places are than values, codes are closed up, so that lists by code stay short.
    fn new(mut codes: Vec<u32>, cardinality: usize) -> Categories {
        if cardinality <= codes.len() {
            return Categories { codes, values: cardinality, cardinality };
        }
        let mut known = codes.clone();
        known.sort_unstable();
        known.dedup();
        codes.iter_mut().for_each(|code| *code = known.partition_point(|other| other < code) as u32);
        Categories { codes, values: known.len(), cardinality }
    }
}

impl ValueNumbering {
    fn new(attribute: &Attribute) -> ValueNumbering {
        let taxonomy = &attribute.taxonomy;
        let occurring = |leaf: &ValueId| attribute.leaf_rows()[*leaf as usize] > 0;
        let mut leaves: Vec<ValueId> = (0..taxonomy.leaf_total() as ValueId).filter(occurring).collect();
        // Figures that generalise to sets are names.
        let are_names = matches!(taxonomy.scheme(), Scheme::Sets { .. });
        let extent = |leaf: ValueId| taxonomy.values()[leaf as usize].extent.filter(|_| !are_names);
        let position = |leaf: ValueId| extent(leaf).map(|extent| extent.min);
        let mut positions: Vec<f64> = leaves.iter().filter_map(|&leaf| position(leaf)).collect();
        positions.sort_unstable_by(f64::total_cmp);
        positions.dedup();
        let mut of_leaf = vec![0; taxonomy.leaf_total()];
        if positions.is_empty() {
            leaves.sort_by(|&a, &b| taxonomy.label(a).cmp(taxonomy.label(b)));
            leaves.iter().enumerate().for_each(|(code, &leaf)| of_leaf[leaf as usize] = code as u32);
        } else {
            for &leaf in &leaves {
                let code = position(leaf).map(|x| positions.partition_point(|&other| other < x));
                of_leaf[leaf as usize] = code.unwrap_or(positions.len()) as u32;
            }
        }
        let positions = Some(positions).filter(|positions| !positions.is_empty()).map(Arc::from);
        ValueNumbering { of_leaf, cardinality: leaves.len(), positions }
    }

    fn code(&self, column: &[ValueId]) -> Coded {
        let codes = column.iter().map(|&leaf| self.of_leaf[leaf as usize]).collect();
        Coded { codes, cardinality: self.cardinality, positions: self.positions.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_few_places_are_closed_up_in_their_order() {
        let few = Categories::new(vec![70_000, 3, 99_999, 3], 100_000);
        assert_eq!((few.codes, few.values, few.cardinality), (vec![1, 0, 2, 0], 3, 100_000));
        let all = Categories::new(vec![2, 0, 1, 0], 3);
        assert_eq!((all.codes, all.values, all.cardinality), (vec![2, 0, 1, 0], 3, 3));
    }
}
