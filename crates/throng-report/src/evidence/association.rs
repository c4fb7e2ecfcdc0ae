//! How closely two columns go together: Cramér's V, corrected for bias.
//!
//! V is 0 for columns that say nothing about each other and 1 where one decides the other. Without the
//! correction (Bergsma, *A bias-correction for Cramér's V and Tschuprow's T*, 2013), columns of many values
//! would seem to go together in any small table.
//!
//! Columns of many values, dates for example, hardly ever repeat one, so nothing would seem to go together with
//! them. Their values are therefore taken in groups of neighbours with about as many rows each.

use rayon::prelude::*;

use throng::taxonomy::ANY;

use super::labels::QuasiLabels;
use super::{TablePair, rows_of_codes};
use throng_engine::dictionary::Dictionary;
use throng_engine::encode::{Encoded, rows_by_code};
use throng_engine::job::{Job, SuppressedRows};

/// More columns make more pairs than anybody looks at.
const MOST_COLUMNS: usize = 24;
/// Sensitive columns, and the target, that are compared at most.
const MOST_SECRETS: usize = 8;
/// A column of more values is taken in so many groups.
const GROUPS: usize = 20;

/// How closely columns go together, before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Associations {
    /// The columns: quasi-identifiers, then sensitive ones and the target.
    pub names: Vec<String>,
    /// How many of them are quasi-identifiers.
    pub quasi: usize,
    /// For each two columns, in the original; nothing where one of them has one value only.
    pub before: Vec<Vec<Option<f64>>>,
    /// The same in the release.
    pub after: Vec<Vec<Option<f64>>>,
    /// Columns that were not compared, because they are too many.
    pub left_out: usize,
}

impl Associations {
    pub(super) fn find(job: &Job, pair: &TablePair, labels: &[QuasiLabels<'_>]) -> Associations {
        let quasi = pair.prepared.quasi().len();
        // What is secret comes first: who needs the release looks for what goes together with it.
        let secrets = (pair.names.len() - quasi).min(MOST_SECRETS);
        let shown_quasi = quasi.min(MOST_COLUMNS - secrets);
        let shown: Vec<usize> = (0..shown_quasi).chain(quasi..quasi + secrets).collect();
        // Values beyond bounds, and those that a hierarchy lacks, are one to the recoding, and several here.
        let original = |a: usize| {
            pair.prepared.attributes.get(a).and_then(|column| {
                let of = |value: &str| {
                    let leaf = column.leaf_of(value)?;
                    column.taxonomy.values()[leaf as usize].extent.map(|extent| extent.min)
                };
                pair.before.dictionaries[a].values().map(of).collect()
            })
        };
        let released = |a: usize| {
            labels
                .get(a)
                .and_then(|labels| (0..labels.rows.len()).map(|label| labels.position(label)).collect())
        };
        let orders = |of: &dyn Fn(usize) -> Option<Vec<f64>>| -> Vec<(usize, Option<Vec<f64>>)> {
            shown.iter().map(|&column| (column, of(column))).collect()
        };
        // Masked rows say nothing, but they say it together.
        let is_masked = |tuple: usize| {
            let is_mask = |a: usize| pair.after.dictionaries[a].value(pair.after.columns[a][tuple]) == ANY;
            job.output.suppressed == SuppressedRows::Mask && (0..labels.len()).all(is_mask)
        };
        let unmasked = |(tuple, &rows): (usize, &u32)| if is_masked(tuple) { 0 } else { rows };
        let weights: Vec<u32> = pair.after.weights.iter().enumerate().map(unmasked).collect();
        Associations {
            names: shown.iter().map(|&column| pair.names[column].clone()).collect(),
            quasi: shown_quasi,
            before: matrix(&pair.before, &pair.before.weights, &orders(&original)),
            after: matrix(&pair.after, &weights, &orders(&released)),
            left_out: pair.names.len() - shown.len(),
        }
    }
}

/// `orders` has the columns that are compared, each with a number for each of its codes if its values have an order.
fn matrix(encoded: &Encoded, weights: &[u32], orders: &[(usize, Option<Vec<f64>>)]) -> Vec<Vec<Option<f64>>> {
    let columns = orders.len();
    let pairs: Vec<(usize, usize)> = (0..columns).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let codes: Vec<Vec<u32>> =
        orders.iter().map(|(column, order)| group(encoded, *column, order.as_deref())).collect();
    let of_pair = |&(a, b): &(usize, usize)| cramers_v(&codes[a], &codes[b], weights);
    let found: Vec<Option<f64>> = pairs.par_iter().map(of_pair).collect();
    let mut matrix = vec![vec![Some(1.0); columns]; columns];
    for (&(a, b), v) in pairs.iter().zip(found) {
        (matrix[a][b], matrix[b][a]) = (v, v);
    }
    matrix
}

/// The codes of a column, or those of groups of neighbours: by their order if they have one, by number if nearly all
/// are numbers, else by text.
fn group(encoded: &Encoded, column: usize, order: Option<&[f64]>) -> Vec<u32> {
    let (dictionary, codes) = (&encoded.dictionaries[column], &encoded.columns[column]);
    let rows = rows_of_codes(encoded, column);
    if rows.iter().filter(|&&rows| rows > 0).count() <= GROUPS {
        return codes.clone();
    }
    let mut codes_in_order: Vec<usize> = (0..rows.len()).collect();
    if let Some(numbers) = order.map(<[f64]>::to_vec).or_else(|| numbers(dictionary)) {
        codes_in_order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    }
    let (mut before, mut groups) = (0, vec![0; rows.len()]);
    for code in codes_in_order {
        // The middle of a value's rows decides, so that one of many rows is a group by itself.
        groups[code] = ((2 * before + rows[code]) * GROUPS as u64 / (2 * encoded.rows).max(1)) as u32;
        before += rows[code];
    }
    codes.iter().map(|&code| groups[code as usize]).collect()
}

/// The numbers that values are; a few that are none come first.
fn numbers(dictionary: &Dictionary) -> Option<Vec<f64>> {
    let read = |value: &str| value.trim().parse::<f64>().unwrap_or(f64::NEG_INFINITY);
    let numbers: Vec<f64> = dictionary.values().map(read).collect();
    let others = numbers.iter().filter(|number| !number.is_finite()).count();
    (20 * others <= numbers.len()).then_some(numbers)
}

/// Cramér's V of two columns of codes; nothing if one has fewer than two values.
fn cramers_v(a: &[u32], b: &[u32], weights: &[u32]) -> Option<f64> {
    let rows: f64 = weights.iter().map(|&rows| f64::from(rows)).sum();
    let (of_a, of_b) = (count(a, weights), count(b, weights));
    let values = |counts: &[f64]| counts.iter().filter(|&&rows| rows > 0.0).count() as f64;
    let (r, c) = (values(&of_a), values(&of_b));
    if r < 2.0 || c < 2.0 || rows < 2.0 {
        return None;
    }
    let mut cells: Vec<(u64, u32)> =
        (0..a.len()).map(|at| (u64::from(a[at]) << 32 | u64::from(b[at]), weights[at])).collect();
    cells.sort_unstable();
    let square = |same: &[(u64, u32)]| {
        let (key, n) = (same[0].0, same.iter().map(|&(_, rows)| f64::from(rows)).sum::<f64>());
        n * n / (of_a[(key >> 32) as usize] * of_b[(key & u64::from(u32::MAX)) as usize])
    };
    let phi = cells.chunk_by(|x, y| x.0 == y.0).map(square).sum::<f64>() - 1.0;
    let phi = (phi - (r - 1.0) * (c - 1.0) / (rows - 1.0)).max(0.0);
    let corrected = |n: f64| n - (n - 1.0) * (n - 1.0) / (rows - 1.0);
    let least = corrected(r).min(corrected(c)) - 1.0;
    (least > 0.0).then(|| (phi / least).sqrt().min(1.0))
}

fn count(codes: &[u32], weights: &[u32]) -> Vec<f64> {
    let values = codes.iter().max().map_or(0, |&code| code as usize + 1);
    rows_by_code(values, codes, weights).into_iter().map(|rows| rows as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_columns_have_none_and_equal_ones_all() {
        let (a, b) = ([0, 0, 1, 1], [0, 1, 0, 1]);
        assert_eq!(cramers_v(&a, &b, &[50; 4]), Some(0.0));
        assert_eq!(cramers_v(&a, &[7, 7, 3, 3], &[50; 4]).map(|v| v > 0.99), Some(true));
        assert_eq!(cramers_v(&a, &[5; 4], &[50; 4]), None);
        assert_eq!(cramers_v(&a, &b, &[0; 4]), None);
    }

    #[test]
    fn the_value_is_that_of_the_formula() {
        // Worked by hand: n = 100, cells 40 10 10 40, φ² = 0.36, corrected 0.36 − 1/99, V = √(0.3499/0.9899).
        let v = cramers_v(&[0, 0, 1, 1], &[0, 1, 0, 1], &[40, 10, 10, 40]).unwrap();
        let expected = ((0.36 - 1.0 / 99.0) / (1.0 - 1.0 / 99.0_f64)).sqrt();
        assert!((v - expected).abs() < 1e-12, "{v} {expected}");
    }
}
