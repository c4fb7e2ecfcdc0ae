//! Special uniques: the smallest sets of columns by which a record is the only one of its kind.
//!
//! **Citation.** M. J. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane, *SUDA: A Program for Detecting Special Uniques*, UNECE
//! Work Session on Statistical Data Confidentiality 2005; A. M. Manning, D. J. Haglin, J. A. Keane, *A Recursive Search
//! Algorithm for Statistical Disclosure Assessment*, Data Mining and Knowledge Discovery 16, 2008 (SUDA2).
//!
//! **Formula.** A *minimal sample unique* (MSU) of a record is a set of columns in which no other record has its values, while
//! without any one of the columns another has. With A columns and sets of up to M of them, an MSU of k columns has the score
//! Π_{i=k}^{M} (A − i), where factors below 1 are left out; the fewer columns are enough, and the more such sets there are,
//! the likelier the record is special. A record's score is the sum of those of its MSUs, and a column contributes the share
//! of the sum of all scores that MSUs with it have.
//!
//! **Worked example.** Of the records (f, a, 1), (f, b, 1), (m, a, 1), (f, a, 2), with A = 3 and M = 2, the second has the MSU
//! {2} of score 2 · 1, the third {1}, the fourth {3}; the first is the only one of (f, a, 1), but by no two of its columns,
//! and has none.
//!
//! ```
//! use throng::sample::special_uniques;
//! let found = special_uniques(&[vec![0, 0, 1, 0], vec![0, 1, 0, 0], vec![0, 0, 0, 1]], &[1; 4], 2, || true).unwrap();
//! assert_eq!(found.scores, [0.0, 2.0, 2.0, 2.0]);
//! assert_eq!(found.by_size, [3, 0]);
//! assert_eq!(found.contributions, [1.0 / 3.0; 3]);
//! assert_eq!(found.contributions_of(1), [0.0, 1.0, 0.0]);
//! ```
//!
//! **Complexity.** Tuples times the sets of up to M columns; the sets are gone through by size, so that only those of which
//! nothing smaller was an MSU have to be told from the others. Manning et al. find the same sets by a search that is quicker
//! where columns are many.

use rustc_hash::FxHashMap;

/// What makes records of a table special.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialUniques {
    /// The score of each tuple; 0 of those that are special in no way.
    pub scores: Vec<f64>,
    /// How many MSUs there are of each size, from one column on.
    pub by_size: Vec<u64>,
    /// The share of all scores that each column contributes to.
    pub contributions: Vec<f64>,
    /// The MSUs of each tuple, each as the places of its columns.
    sets: Vec<Vec<u32>>,
    /// The score of an MSU of one column, of two, and so on.
    by_columns: Vec<f64>,
}

impl SpecialUniques {
    /// The share of a tuple's score that each column contributes to.
    pub fn contributions_of(&self, tuple: usize) -> Vec<f64> {
        let mut shares = vec![0.0; self.contributions.len()];
        for set in &self.sets[tuple] {
            let score = self.by_columns[set.count_ones() as usize - 1] / self.scores[tuple];
            members(*set).for_each(|column| shares[column] += score);
        }
        shares
    }
}

/// Most columns of a table whose special uniques are looked for.
pub const MOST_COLUMNS: usize = 32;

/// Finds the special uniques of distinct tuples, each of so many rows, by up to so many of the columns; none if `go_on`
/// says no.
///
/// # Panics
/// If there are more than [`MOST_COLUMNS`] columns, or none, or no set may have a column.
pub fn special_uniques(
    columns: &[Vec<u32>],
    rows: &[u32],
    most: usize,
    go_on: impl Fn() -> bool,
) -> Option<SpecialUniques> {
    assert!((1..=MOST_COLUMNS).contains(&columns.len()) && most > 0, "columns to look at");
    let most = most.min(columns.len());
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); rows.len()];
    let mut by_size = vec![0; most];
    let (mut weights, mut total) = (vec![0.0; columns.len()], 0.0);
    for size in 1..=most {
        let score = score(columns.len(), most, size);
        for set in sets(columns.len(), size) {
            if !go_on() {
                return None;
            }
            for tuple in uniques(columns, rows, set) {
                let own = &mut found[tuple];
                if own.iter().any(|smaller| smaller & set == *smaller) {
                    continue;
                }
                own.push(set);
                by_size[size - 1] += 1;
                total += score;
                members(set).for_each(|a| weights[a] += score);
            }
        }
    }
    let of_tuple =
        |sets: &Vec<u32>| sets.iter().map(|set| score(columns.len(), most, set.count_ones() as usize)).sum();
    let contributions = weights.into_iter().map(|of| if total > 0.0 { of / total } else { 0.0 }).collect();
    let scores = found.iter().map(of_tuple).collect();
    let by_columns = (1..=most).map(|size| score(columns.len(), most, size)).collect();
    Some(SpecialUniques { scores, by_size, contributions, sets: found, by_columns })
}

/// The score of an MSU of so many columns.
fn score(columns: usize, most: usize, size: usize) -> f64 {
    (size..=most).map(|i| columns.saturating_sub(i).max(1) as f64).product()
}

fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..MOST_COLUMNS).filter(move |a| set >> a & 1 == 1)
}

/// The sets of so many of the columns, in ascending order.
fn sets(columns: usize, size: usize) -> impl Iterator<Item = u32> {
    let end = 1u64 << columns;
    // The next number with as many bits (Gosper).
    let next = |set: &u64| {
        let low = set & set.wrapping_neg();
        let carried = set + low;
        Some((((carried ^ set) >> 2) / low) | carried)
    };
    std::iter::successors(Some((1u64 << size) - 1), next)
        .take_while(move |&set| set < end)
        .map(|set| set as u32)
}

/// The tuples of one row that are alone by some columns.
fn uniques(columns: &[Vec<u32>], rows: &[u32], set: u32) -> Vec<usize> {
    let mut numbers: Vec<u32> = vec![0; rows.len()];
    for a in members(set) {
        let mut of: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (number, &code) in numbers.iter_mut().zip(&columns[a]) {
            let next = of.len() as u32;
            *number = *of.entry((*number, code)).or_insert(next);
        }
    }
    let mut count: Vec<u32> = vec![0; rows.len()];
    numbers.iter().zip(rows).for_each(|(&number, &rows)| {
        count[number as usize] = count[number as usize].saturating_add(rows);
    });
    (0..rows.len()).filter(|&tuple| count[numbers[tuple] as usize] == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// By the definition, record by record.
    fn by_definition(records: &[Vec<u32>], most: usize) -> Vec<Vec<u32>> {
        let columns = records[0].len();
        let is_unique = |record: &Vec<u32>, set: u32| {
            let alike = |other: &&Vec<u32>| members(set).all(|a| other[a] == record[a]);
            records.iter().filter(alike).count() == 1
        };
        let all = || 1u32..1 << columns;
        let of = |record: &Vec<u32>| {
            let is_minimal = |&set: &u32| {
                let smaller = all().filter(|&other| other != set && other & set == other);
                set.count_ones() as usize <= most
                    && is_unique(record, set)
                    && !smaller.into_iter().any(|s| is_unique(record, s))
            };
            all().filter(is_minimal).collect()
        };
        records.iter().map(of).collect()
    }

    #[test]
    fn scores_are_those_of_all_minimal_sample_uniques() {
        let mut special = 0;
        for seed in 0..60 {
            let random = &mut Random::new(seed);
            let (columns, most) = (1 + random.index(5), 1 + random.index(5));
            let records: Vec<Vec<u32>> = (0..1 + random.index(30))
                .map(|_| (0..columns).map(|_| random.skewed_index(4) as u32).collect())
                .collect();
            let mut counted: std::collections::BTreeMap<Vec<u32>, u32> = std::collections::BTreeMap::new();
            records.iter().for_each(|record| *counted.entry(record.clone()).or_default() += 1);
            let by_column: Vec<Vec<u32>> =
                (0..columns).map(|a| counted.keys().map(|t| t[a]).collect()).collect();
            let rows: Vec<u32> = counted.values().copied().collect();
            let found = special_uniques(&by_column, &rows, most, || true).unwrap();
            let expected = by_definition(&records, most);
            let most = most.min(columns);
            for (tuple, score_found) in counted.keys().zip(&found.scores) {
                let at = records.iter().position(|record| record == tuple).unwrap();
                let expected: f64 =
                    expected[at].iter().map(|set| score(columns, most, set.count_ones() as usize)).sum();
                assert_eq!(*score_found, expected, "seed {seed}");
            }
            // What the columns of all tuples contribute is what they do together.
            let all: f64 = found.scores.iter().sum();
            for a in 0..columns {
                let of = |tuple: usize| found.contributions_of(tuple)[a] * found.scores[tuple];
                let sum: f64 = (0..rows.len()).map(of).sum();
                let share = if all > 0.0 { sum / all } else { 0.0 };
                assert!((share - found.contributions[a]).abs() < 1e-9, "seed {seed}");
            }
            let sets = || expected.iter().flatten();
            special += sets().count();
            assert_eq!(found.by_size.iter().sum::<u64>(), sets().count() as u64, "seed {seed}");
            let all: f64 = sets().map(|set| score(columns, most, set.count_ones() as usize)).sum();
            for (a, &contribution) in found.contributions.iter().enumerate() {
                let with = sets().filter(|&&set| set >> a & 1 == 1);
                let of: f64 = with.map(|set| score(columns, most, set.count_ones() as usize)).sum();
                let expected = if all > 0.0 { of / all } else { 0.0 };
                assert!((contribution - expected).abs() < 1e-12, "seed {seed}");
            }
        }
        assert!(special > 500, "{special}");
    }

    #[test]
    fn the_score_is_the_papers_product() {
        // Four columns, sets of up to three: 3 · 2 · 1, 2 · 1 and 1.
        assert_eq!([1, 2, 3].map(|size| score(4, 3, size)), [6.0, 2.0, 1.0]);
        assert_eq!(sets(4, 2).collect::<Vec<_>>(), [0b11, 0b101, 0b110, 0b1001, 0b1010, 0b1100]);
    }
}
