//! What many quasi-identifiers cost, and which of them cost most.

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::encode::Encoded;

/// Quasi-identifiers from which on little is left of each.
const MANY: usize = 10;

/// Leaving out a column tells something if it saves more than one combination of so many.
const HARDLY: u64 = 100;

/// What many quasi-identifiers cost together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crowded {
    /// Rows that are unlike all others in these columns.
    pub unique_rows: u64,
    /// Distinct combinations of values.
    pub combinations: u64,
    /// Each column, the one that costs most first.
    pub costs: Vec<ColumnCost>,
}

/// What one of many quasi-identifiers costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnCost {
    /// The column.
    pub column: String,
    /// Distinct combinations that are left without it.
    pub combinations_without: u64,
    /// Its own distinct values.
    pub values: u64,
}

impl Crowded {
    /// Measures some columns by the tuples of a table, if they are many.
    pub(super) fn measure(names: &[&str], encoded: &Encoded) -> Option<Crowded> {
        if names.len() < MANY {
            return None;
        }
        let tuples = encoded.weights.len();
        let sums: Vec<u64> = (0..tuples)
            .map(|tuple| (0..names.len()).fold(0, |sum: u64, at| sum.wrapping_add(key(encoded, at, tuple))))
            .collect();
        let distinct = |keys: &mut dyn Iterator<Item = u64>| keys.collect::<FxHashSet<u64>>().len() as u64;
        let without = |at: usize| {
            distinct(&mut (0..tuples).map(|tuple| sums[tuple].wrapping_sub(key(encoded, at, tuple))))
        };
        let counts: Vec<u64> = (0..names.len()).into_par_iter().map(without).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        let combinations = distinct(&mut sums.iter().copied());
        let fewest = counts.iter().min().copied().unwrap_or(combinations);
        // Where rows stay unlike each other without any one column, what tells is how many values it has.
        let tells = fewest <= combinations - combinations / HARDLY;
        order.sort_by_key(|&at| {
            (if tells { counts[at] } else { 0 }, std::cmp::Reverse(encoded.dictionaries[at].len()))
        });
        let cost = |at: usize| ColumnCost {
            column: names[at].to_owned(),
            combinations_without: counts[at],
            values: encoded.dictionaries[at].len() as u64,
        };
        Some(Crowded {
            unique_rows: encoded.weights.iter().filter(|&&rows| rows == 1).count() as u64,
            combinations,
            costs: order.into_iter().map(cost).collect(),
        })
    }
}

/// What a tuple's value of one column adds to its key.
fn key(encoded: &Encoded, column: usize, tuple: usize) -> u64 {
    let value = u64::from(encoded.columns[column][tuple]) + 1;
    mix(mix(column as u64 + 1) ^ value)
}

/// Spreads the bits of a number.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ (number >> 32)
}
