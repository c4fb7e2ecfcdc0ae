//! The tuples as points: their numbers, their categories, their order.

use crate::problem::{Attribute, Problem};
use crate::taxonomy::{Scheme, ValueId};

/// The table in the order of step 1: columns have an entry for each *place* in this order.
pub(super) struct Space {
    /// Numerical attributes, in the order of the table.
    pub(super) numbers: Vec<Numbers>,
    /// Categorical attributes, in the order of their cardinalities.
    pub(super) categories: Vec<Categories>,
    weights: Vec<u32>,
    tuples: Vec<u32>,
}

/// A numerical attribute.
pub(super) struct Numbers {
    /// By place: the index of its position; for a missing number, their number.
    pub(super) codes: Vec<u32>,
    /// The numbers that occur, ascending.
    pub(super) positions: Vec<f64>,
    range: f64,
}

/// A categorical attribute.
pub(super) struct Categories {
    /// By place, below the cardinality.
    pub(super) codes: Vec<u32>,
    /// The number of values that occur.
    pub(super) cardinality: usize,
}

/// An attribute whose values that occur have been numbered in their own order.
struct Coded {
    codes: Vec<u32>,
    cardinality: usize,
    /// Positions by code, of numbers.
    positions: Option<Vec<f64>>,
}

impl Space {
    pub(super) fn new(problem: &Problem) -> Space {
        let table = problem.table();
        let attributes = problem.attributes().iter().enumerate();
        let mut coded: Vec<Coded> = attributes.map(|(a, of)| Coded::new(of, table.column(a))).collect();
        let mut tuples: Vec<u32> = (0..table.tuples() as u32).collect();
        // The first of those with the most values.
        let widest = coded.iter().rev().max_by_key(|attribute| attribute.cardinality);
        let widest = &widest.expect("a problem has attributes").codes;
        tuples.sort_by_key(|&tuple| widest[tuple as usize]);
        for attribute in &mut coded {
            attribute.codes = tuples.iter().map(|&tuple| attribute.codes[tuple as usize]).collect();
        }
        coded.sort_by_key(|attribute| if attribute.positions.is_some() { 0 } else { attribute.cardinality });
        let weights = tuples.iter().map(|&tuple| table.weights()[tuple as usize]).collect();
        let mut space = Space { numbers: Vec::new(), categories: Vec::new(), weights, tuples };
        coded.into_iter().for_each(|attribute| space.push(attribute));
        space
    }

    fn push(&mut self, Coded { codes, cardinality, positions }: Coded) {
        match positions {
            Some(positions) => {
                let range = positions[positions.len() - 1] - positions[0];
                self.numbers.push(Numbers { codes, positions, range });
            }
            None => self.categories.push(Categories { codes, cardinality }),
        }
    }

    /// Number of places.
    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    /// The tuple at a place.
    pub(super) fn tuple(&self, place: u32) -> u32 {
        self.tuples[place as usize]
    }

    /// The rows at a place.
    pub(super) fn rows(&self, place: u32) -> u32 {
        self.weights[place as usize]
    }
}

impl Numbers {
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

impl Coded {
    fn new(attribute: &Attribute, column: &[ValueId]) -> Coded {
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
        let mut code_of = vec![0; taxonomy.leaf_total()];
        if positions.is_empty() {
            leaves.sort_by(|&a, &b| taxonomy.label(a).cmp(taxonomy.label(b)));
            leaves.iter().enumerate().for_each(|(code, &leaf)| code_of[leaf as usize] = code as u32);
        } else {
            for &leaf in &leaves {
                let code = position(leaf).map(|x| positions.partition_point(|&other| other < x));
                code_of[leaf as usize] = code.unwrap_or(positions.len()) as u32;
            }
        }
        let codes = column.iter().map(|&leaf| code_of[leaf as usize]).collect();
        let positions = Some(positions).filter(|positions| !positions.is_empty());
        Coded { codes, cardinality: leaves.len(), positions }
    }
}
