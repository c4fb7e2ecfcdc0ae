//! Groups the distinct tuples by all columns but one, for each column.
//!
//! A tuple without column j is its first j columns and the columns after j. Both parts are numbered,
//! so that a pair of numbers stands for the tuple: no key is wider than 64 bits, however many
//! columns there are.

use rayon::prelude::*;

use super::sizes::Sizes;
use crate::encode::Encoded;

/// What every quasi-identifier of a masked row holds.
const MASK: &str = "*";

/// Distinct tuples, sorted.
pub(super) struct Tuples {
    columns: Vec<Vec<u32>>,
    rows: Vec<u64>,
    /// How many codes each column has.
    codes: Vec<usize>,
}

impl Tuples {
    /// The tuples, and how many rows have the one of nothing but `*`.
    pub(super) fn from_encoded(encoded: Encoded) -> (Tuples, u64) {
        let Encoded { dictionaries, mut columns, weights, .. } = encoded;
        let rows = unite(&mut columns, &weights);
        let mask: Option<Vec<u32>> = dictionaries.iter().map(|dictionary| dictionary.code(MASK)).collect();
        let codes = dictionaries.iter().map(|dictionary| dictionary.len()).collect();
        let is_mask = |mask: &Vec<u32>, tuple: usize| {
            columns.iter().zip(mask).all(|(column, &code)| column[tuple] == code)
        };
        let masked = mask.and_then(|mask| (0..rows.len()).find(|&tuple| is_mask(&mask, tuple)));
        let masked_rows = masked.map_or(0, |tuple| rows[tuple]);
        (Tuples { columns, rows, codes }, masked_rows)
    }

    /// The classes by all columns.
    pub(super) fn sizes(&self) -> Sizes {
        self.rows.iter().copied().collect()
    }

    /// The classes by one column alone.
    pub(super) fn sizes_by(&self, column: usize) -> Sizes {
        self.rows_by(column).into_iter().collect()
    }

    /// How many values of a column occur.
    pub(super) fn values(&self, column: usize) -> u64 {
        self.rows_by(column).into_iter().filter(|&rows| rows > 0).count() as u64
    }

    fn rows_by(&self, column: usize) -> Vec<u64> {
        let mut rows = vec![0; self.codes[column]];
        for (&code, &of_tuple) in self.columns[column].iter().zip(&self.rows) {
            rows[code as usize] += of_tuple;
        }
        rows
    }

    /// For each column, from the last to the first, the classes by all others.
    pub(super) fn leave_one_out(&self) -> LeaveOneOut<'_> {
        LeaveOneOut { tuples: self, column: self.columns.len(), after: vec![0; self.rows.len()] }
    }

    /// Numbers the tuples by their first `count` columns; being sorted, equal ones are neighbours.
    fn number_first(&self, count: usize) -> Vec<u32> {
        let first = &self.columns[..count];
        let mut number = 0;
        let mut numbers = Vec::with_capacity(self.rows.len());
        for tuple in 0..self.rows.len() {
            if tuple > 0 && first.iter().any(|column| column[tuple] != column[tuple - 1]) {
                number += 1;
            }
            numbers.push(number);
        }
        numbers
    }
}

/// Leaves out one column after the other.
pub(super) struct LeaveOneOut<'a> {
    tuples: &'a Tuples,
    /// The column that was left out last.
    column: usize,
    /// The tuples numbered by the columns after that one.
    after: Vec<u32>,
}

impl Iterator for LeaveOneOut<'_> {
    type Item = (usize, Sizes);

    fn next(&mut self) -> Option<(usize, Sizes)> {
        let Tuples { columns, rows, .. } = self.tuples;
        if self.column < columns.len() {
            self.after = number(pairs(&columns[self.column], &self.after));
        }
        self.column = self.column.checked_sub(1)?;
        let before = self.tuples.number_first(self.column);
        Some((self.column, count(pairs(&before, &self.after), rows)))
    }
}

/// Where each of some sorted tuples begins that are there several times if they have more rows than a weight can say,
/// and where the last one ends.
pub(super) fn starts(columns: &[impl AsRef<[u32]>], tuples: usize) -> Vec<usize> {
    let is_new = |&at: &usize| {
        let differs = |column: &[u32]| column[at] != column[at - 1];
        at == 0 || columns.iter().any(|column| differs(column.as_ref()))
    };
    (0..tuples).filter(is_new).chain([tuples]).collect()
}

/// Puts equal tuples together; the rows of each.
fn unite(columns: &mut [Vec<u32>], weights: &[u32]) -> Vec<u64> {
    let starts = starts(columns, weights.len());
    let firsts = &starts[..starts.len() - 1];
    if firsts.len() < weights.len() {
        columns.iter_mut().for_each(|column| *column = firsts.iter().map(|&at| column[at]).collect());
    }
    let sum = |ends: &[usize]| weights[ends[0]..ends[1]].iter().map(|&rows| u64::from(rows)).sum();
    starts.windows(2).map(sum).collect()
}

fn pairs(left: &[u32], right: &[u32]) -> Vec<u64> {
    left.iter().zip(right).map(|(&left, &right)| u64::from(left) << 32 | u64::from(right)).collect()
}

/// Gives equal keys equal numbers, and others others.
fn number(keys: Vec<u64>) -> Vec<u32> {
    let mut sorted: Vec<(u64, u32)> = keys.into_iter().zip(0..).collect();
    sorted.par_sort_unstable();
    let mut numbers = vec![0; sorted.len()];
    for (number, same) in (0..).zip(sorted.chunk_by(|a, b| a.0 == b.0)) {
        same.iter().for_each(|&(_, tuple)| numbers[tuple as usize] = number);
    }
    numbers
}

/// The classes of rows with equal keys.
fn count(keys: Vec<u64>, rows: &[u64]) -> Sizes {
    let mut sorted: Vec<(u64, u64)> = keys.into_iter().zip(rows.iter().copied()).collect();
    sorted.par_sort_unstable();
    let classes = sorted.chunk_by(|a, b| a.0 == b.0);
    classes.map(|class| class.iter().map(|&(_, rows)| rows).sum()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use throng::random::Random;

    use super::*;

    /// Tuples of small codes without a dictionary, the same in every run.
    fn tuples(columns: usize, rows: u32) -> Tuples {
        let mut random = Random::new(7);
        let mut next = |bound: u32| random.below(bound.into()) as u32;
        let mut counted: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for _ in 0..rows {
            let tuple = (0..columns).map(|column| next(2 + column as u32)).collect();
            *counted.entry(tuple).or_default() += 1;
        }
        Tuples {
            columns: (0..columns).map(|c| counted.keys().map(|tuple| tuple[c]).collect()).collect(),
            rows: counted.values().copied().collect(),
            codes: (0..columns).map(|column| 2 + column).collect(),
        }
    }

    /// The classes by a naive grouping of the rest of each tuple.
    fn naive(tuples: &Tuples, left_out: usize) -> Sizes {
        let mut classes: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for (tuple, &rows) in tuples.rows.iter().enumerate() {
            let kept = tuples.columns.iter().enumerate().filter(|&(column, _)| column != left_out);
            let key = kept.map(|(_, codes)| codes[tuple]).collect();
            *classes.entry(key).or_default() += rows;
        }
        classes.into_values().collect()
    }

    #[test]
    fn leaving_out_agrees_with_a_naive_grouping() {
        for (columns, rows) in [(1, 10), (2, 12), (4, 60), (6, 700)] {
            let tuples = tuples(columns, rows);
            let found: Vec<(usize, Sizes)> = tuples.leave_one_out().collect();
            let expected: Vec<(usize, Sizes)> =
                (0..columns).rev().map(|column| (column, naive(&tuples, column))).collect();
            assert_eq!(found, expected, "{columns} columns, {rows} rows");
        }
    }

    #[test]
    fn one_column_left_out_leaves_one_class() {
        let tuples = tuples(1, 10);
        let (_, sizes) = tuples.leave_one_out().next().unwrap();
        assert_eq!(sizes.iter().collect::<Vec<_>>(), [(10, 1)]);
    }

    #[test]
    fn tuples_of_more_rows_than_a_weight_are_one() {
        let mut columns = vec![vec![0, 1, 1, 2], vec![5, 0, 0, 0]];
        let rows = unite(&mut columns, &[7, u32::MAX, 3, 1]);
        assert_eq!(rows, [7, u64::from(u32::MAX) + 3, 1]);
        assert_eq!(columns, [[0, 1, 2], [5, 0, 0]]);
    }
}
