//! How identifying small combinations of columns are.
//!
//! The columns that most likely are quasi-identifiers are combined: all pairs, the triples of the
//! best of them, and all together. A row's key in a combination is the sum of its keys in the
//! columns. Those are random numbers, independent between columns, so sums of different values
//! are pairwise independent, which is all that the error of a sample depends on; and adding is
//! what a processor does fastest.

use rayon::prelude::*;

use super::column::Column;
use super::sample::{Count, DistinctSample, share_keys};

/// Columns that are also combined three at a time.
const TRIPLED: usize = 6;

/// Keys that all combinations may keep together: at most 128 MiB.
const ALL_KEYS: usize = 1 << 23;
/// Keys that one combination may keep: its table stays in the cache of a core.
const MAX_KEYS: usize = 1 << 15;

/// Rows whose keys are added up at once.
const CHUNK: usize = 1 << 10;

/// The combinations of some columns.
pub(super) struct Combinations {
    /// Positions of the columns, in the order of their rank.
    columns: Vec<usize>,
    combinations: Vec<Combination>,
}

/// A combination, and what was counted of it.
pub(super) struct Combination {
    /// Positions of the columns in the table.
    columns: Vec<usize>,
    sample: DistinctSample,
}

impl Combinations {
    /// The combinations of columns, of which the best come first.
    pub(super) fn of(columns: Vec<usize>) -> Combinations {
        let sets = sets(&columns);
        let limit = share_keys(ALL_KEYS, sets.len(), MAX_KEYS);
        let combination = |columns| Combination { columns, sample: DistinctSample::new(limit) };
        Combinations { columns, combinations: sets.into_iter().map(combination).collect() }
    }

    /// Positions of the columns that are combined, the best first.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Takes up the rows whose keys the columns hold.
    pub(super) fn add(&mut self, columns: &[Column]) {
        self.combinations.par_iter_mut().for_each(|combination| combination.add(columns));
    }

    /// The combinations, counted in so many rows: positions of the columns, classes, unique rows.
    pub(super) fn count(&self, rows: u64) -> impl Iterator<Item = (&[usize], Count, Count)> {
        self.combinations.iter().map(move |combination| {
            let (classes, unique) = combination.sample.count(rows);
            (combination.columns.as_slice(), classes, unique)
        })
    }
}

impl Combination {
    fn add(&mut self, columns: &[Column]) {
        let parts: Vec<&[u64]> = self.columns.iter().map(|&column| columns[column].keys()).collect();
        let rows = parts[0].len();
        let mut sums = [0_u64; CHUNK];
        for start in (0..rows).step_by(CHUNK) {
            let end = rows.min(start + CHUNK);
            let sums = &mut sums[..end - start];
            sums.copy_from_slice(&parts[0][start..end]);
            for part in &parts[1..] {
                sums.iter_mut().zip(&part[start..end]).for_each(|(sum, key)| *sum = sum.wrapping_add(*key));
            }
            for &key in &*sums {
                self.sample.meet(key, || 0);
            }
        }
    }
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
    use super::*;

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
