//! How identifying small combinations of columns are.
//!
//! The columns that most likely are quasi-identifiers are combined: all pairs, the triples of the
//! best of them, and all together. A row's key in a combination is the sum of its keys in the
//! columns. Those are random numbers, independent between columns, so sums of different values
//! are pairwise independent, which is all that the error of a sample depends on; and adding is
//! what a processor does fastest.
//!
//! There are many more combinations than columns, so most of the work is here. While the columns of
//! a combination have few values, its classes are counted by place ([`grid`]) and become keys in the
//! end; beyond, rows that the sample would not keep are passed over by the upper bits of their keys
//! ([`sieve`]). Either gives exactly what meeting the key of every row would.

mod grid;
mod sieve;

use rayon::prelude::*;

use super::column::ColumnCounts;
use super::sample::{DistinctSample, EXPECTED, Estimate, share_keys};
use grid::Grid;
use sieve::{CHUNK, Sieve};

/// Columns that are also combined three at a time.
const TRIPLED: usize = 6;

/// Keys that all combinations may keep together: at most 128 MiB.
const ALL_KEYS: usize = 1 << 23;
/// Keys that one combination may keep: its table stays in the cache of a core.
const MAX_KEYS: usize = 1 << 15;

/// The combinations of some columns.
pub(super) struct Combinations {
    /// Positions of the columns, in the order of their rank.
    columns: Vec<usize>,
    combinations: Vec<Combination>,
}

/// A combination, and what was counted of it.
struct Combination {
    /// Positions of the columns in the table.
    columns: Vec<usize>,
    limit: usize,
    counter: CombinationCounter,
}

/// How the classes of a combination are counted.
enum CombinationCounter {
    ByPlace(Grid),
    ByKey(DistinctSample),
}

/// A column's latest rows.
#[derive(Clone, Copy)]
struct Part<'a> {
    column: &'a ColumnCounts,
    upper: &'a [u16],
}

impl Combinations {
    /// The combinations of columns, of which the best come first.
    pub(super) fn new(chosen: Vec<usize>, columns: &[ColumnCounts]) -> Combinations {
        let sets = sets(&chosen);
        let limit = share_keys(ALL_KEYS, sets.len(), MAX_KEYS);
        let combination = |set: Vec<usize>| {
            let parts: Vec<&ColumnCounts> = set.iter().map(|&at| &columns[at]).collect();
            let grid = values(&parts).and_then(|values| Grid::new(&values));
            let counter = grid.map_or_else(
                || CombinationCounter::ByKey(DistinctSample::new(limit)),
                CombinationCounter::ByPlace,
            );
            Combination { columns: set, limit, counter }
        };
        let combinations = sets.into_iter().map(combination).collect();
        Combinations { columns: chosen, combinations }
    }

    /// Positions of the columns that are combined, the best first.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Takes up the rows whose keys the columns hold.
    pub(super) fn add(&mut self, columns: &[ColumnCounts]) {
        let mut upper = vec![Vec::new(); columns.len()];
        let uppers = self.columns.par_iter().map(|&at| (at, columns[at].map_keys(sieve::upper)));
        uppers.collect::<Vec<_>>().into_iter().for_each(|(at, keys)| upper[at] = keys);
        let parts: Vec<Part<'_>> =
            columns.iter().zip(&upper).map(|(column, upper)| Part { column, upper }).collect();
        self.combinations.par_iter_mut().for_each(|combination| combination.add(&parts));
    }

    /// The combinations, counted in so many rows: positions of the columns, classes, unique rows.
    pub(super) fn count(
        &self,
        rows: u64,
        columns: &[ColumnCounts],
    ) -> impl Iterator<Item = (&[usize], Estimate, Estimate)> {
        self.combinations.iter().map(move |combination| {
            let parts: Vec<&ColumnCounts> = combination.columns.iter().map(|&at| &columns[at]).collect();
            let (classes, unique) = match &combination.counter {
                CombinationCounter::ByPlace(grid) => {
                    grid.sample(combination.limit, &keys(&parts)).count(rows)
                }
                CombinationCounter::ByKey(sample) => sample.count(rows),
            };
            (combination.columns.as_slice(), classes, unique)
        })
    }
}

impl Combination {
    fn add(&mut self, all: &[Part<'_>]) {
        let parts: Vec<Part<'_>> = self.columns.iter().map(|&at| all[at]).collect();
        let columns: Vec<&ColumnCounts> = parts.iter().map(|part| part.column).collect();
        self.make_room(&columns);
        match &mut self.counter {
            CombinationCounter::ByPlace(grid) => {
                grid.add(&columns.iter().map(|column| column.numbers()).collect::<Vec<_>>());
            }
            CombinationCounter::ByKey(sample) => add_keys(sample, &parts),
        }
    }

    /// Finds places for the values that came since, or gives up places for keys.
    fn make_room(&mut self, columns: &[&ColumnCounts]) {
        let CombinationCounter::ByPlace(grid) = &self.counter else {
            return;
        };
        let values = values(columns);
        if values.as_ref().is_some_and(|values| grid.holds(values)) {
            return;
        }
        self.counter = match values.and_then(|values| grid.widen(&values)) {
            Some(wider) => CombinationCounter::ByPlace(wider),
            None => CombinationCounter::ByKey(grid.sample(self.limit, &keys(columns))),
        };
    }
}

/// Meets the sums of keys that the sample may keep.
fn add_keys(sample: &mut DistinctSample, parts: &[Part<'_>]) {
    let rows = parts[0].upper.len();
    let sum = |row: usize| parts.iter().fold(0_u64, |sum, part| sum.wrapping_add(part.column.key(row)));
    let (mut sieve, mut sums) = (Sieve::new(), Vec::with_capacity(2 * CHUNK));
    for start in (0..rows).step_by(CHUNK) {
        let end = rows.min(start + CHUNK);
        match sample.level() {
            0 => sums.extend((start..end).map(sum)),
            level => {
                let upper: Vec<&[u16]> = parts.iter().map(|part| &part.upper[start..end]).collect();
                let found = sieve.sift(&upper, level).iter();
                sums.extend(found.map(|&row| sum(start + usize::from(row))));
            }
        }
        if sums.len() >= CHUNK || end == rows {
            meet_all(sample, &sums);
            sums.clear();
        }
    }
}

fn meet_all(sample: &mut DistinctSample, keys: &[u64]) {
    for keys in keys.chunks(EXPECTED) {
        sample.expect(keys);
        for &key in keys {
            sample.meet(key, || 0);
        }
    }
}

/// The number of values of each column, if all values have numbers.
fn values(columns: &[&ColumnCounts]) -> Option<Vec<usize>> {
    columns.iter().map(|column| column.is_numbered().then(|| column.numbered_keys().len())).collect()
}

/// The keys of each column by the numbers of its values.
fn keys<'a>(columns: &[&'a ColumnCounts]) -> Vec<&'a [u64]> {
    columns.iter().map(|column| column.numbered_keys()).collect()
}

/// All pairs, the triples of the first columns, and all columns together, each in the order of
/// the table.
fn sets(columns: &[usize]) -> Vec<Vec<usize>> {
    let mut sets = Vec::new();
    for (at, &a) in columns.iter().enumerate() {
        sets.extend(columns[at + 1..].iter().map(|&b| vec![a, b]));
    }
    let best = &columns[..columns.len().min(TRIPLED)];
    for (at, &a) in best.iter().enumerate() {
        for (next, &b) in (at + 1..).zip(&best[at + 1..]) {
            sets.extend(best[next + 1..].iter().map(|&c| vec![a, b, c]));
        }
    }
    if columns.len() > 3 {
        sets.push(columns.to_vec());
    }
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array};

    use super::*;
    use crate::profile::sample::mix;

    /// By place, by key, and from one to the other as values come: always what meeting every sum
    /// of keys gives.
    #[test]
    fn every_way_of_counting_agrees() {
        let (rows, wave) = (60_000_u64, 6_000_u64);
        // Some values are missing; the third column gets more and more, the fourth too many.
        let cell = |column: u64, row: u64| {
            let values = [3, 40, 2 + row / 40, 50_000][column as usize];
            let number = mix(row * 4 + column + 1) % values;
            (number > 0).then_some(number as i64)
        };
        let mut columns: Vec<ColumnCounts> =
            (0..4).map(|number| ColumnCounts::new(number, 1 << 13)).collect();
        let mut combinations = None;
        let mut sums: Vec<DistinctSample> = Vec::new();
        for start in (0..rows).step_by(wave as usize) {
            for (number, column) in (0..).zip(&mut columns) {
                let cells: Int64Array = (start..start + wave).map(|row| cell(number, row)).collect();
                column.add(&(Arc::new(cells) as ArrayRef)).unwrap();
            }
            let combinations = combinations.get_or_insert_with(|| {
                columns.iter_mut().for_each(ColumnCounts::number_values);
                Combinations::new(vec![0, 1, 2, 3], &columns)
            });
            combinations.add(&columns);
            sums.resize_with(combinations.combinations.len(), || DistinctSample::new(MAX_KEYS));
            for (sample, combination) in sums.iter_mut().zip(&combinations.combinations) {
                for row in 0..wave as usize {
                    let keys = combination.columns.iter().map(|&at| columns[at].key(row));
                    sample.meet(keys.fold(0, u64::wrapping_add), || 0);
                }
            }
            columns.iter_mut().for_each(ColumnCounts::clear_rows);
        }
        let combinations = combinations.unwrap();
        let expected: Vec<(Estimate, Estimate)> = sums.iter().map(|sample| sample.count(rows)).collect();
        let found: Vec<(Estimate, Estimate)> =
            combinations.count(rows, &columns).map(|(_, classes, unique)| (classes, unique)).collect();
        assert_eq!(found, expected);
        let by_place =
            |at: usize| matches!(combinations.combinations[at].counter, CombinationCounter::ByPlace(_));
        assert!(by_place(0) && !by_place(2), "few values by few, and few by too many");
        let estimated = found.iter().filter(|(classes, _)| classes.estimated).count();
        assert!(estimated > 0 && estimated < found.len(), "both small and large samples: {found:?}");
    }

    #[test]
    fn pairs_triples_and_all() {
        assert_eq!(sets(&[]), Vec::<Vec<usize>>::new());
        assert_eq!(sets(&[4]), Vec::<Vec<usize>>::new());
        assert_eq!(sets(&[4, 1]), [[1, 4]]);
        assert_eq!(sets(&[2, 0, 1]), [vec![0, 2], vec![1, 2], vec![0, 1], vec![0, 1, 2]]);
        let ten: Vec<usize> = (0..10).collect();
        let sets = sets(&ten);
        let sizes = [2, 3, 10].map(|size| sets.iter().filter(|set| set.len() == size).count());
        assert_eq!((sizes, sets.len()), ([45, 20, 1], 66));
    }
}
