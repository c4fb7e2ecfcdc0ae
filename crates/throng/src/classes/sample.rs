//! What some of the classes of a node tell of it, where there are very many.
//!
//! To tell millions of classes apart, every one of them is moved several times through memory. Those of a few
//! [partitions](super::partitions) are told apart in a fraction of the time: the others are only read, once. A partition
//! has all rows of its classes, so what is small in it is small. A node that may not be released nearly always has far
//! more rows in small classes than may be suppressed, so that some of them refute it, and for certain.

use std::ops::Range;

use rayon::prelude::*;

use super::Key;
use super::grouping::Grouping;
use super::partitions::{PARTITIONS, partition};
use super::roll_up::RollUp;
use super::rolled::PIECE;
use crate::stop::{GoOn, Stop};

/// Partitions that are looked at first.
const FEW: usize = PARTITIONS / 16;

/// So many times the partitions that are expected to be enough are looked at.
const MARGIN: f64 = 1.25;

/// To look at a larger share of the partitions takes as long as a count.
const MOST: f64 = 0.6;

/// Classes of some partitions.
struct Sample {
    classes: usize,
    /// Rows of those that are small.
    small_rows: u64,
}

/// Rows of small classes among some of those that classes are rolled up to, if these are more than `most`.
pub(super) fn more_small_rows<K: Key>(
    roll_up: &RollUp,
    classes: &[(K, u64)],
    (least_rows, most): (u64, u64),
    go_on: &GoOn<'_>,
) -> Result<Option<u64>, Stop> {
    let few = sample(roll_up, classes, 0..FEW, least_rows, go_on)?.small_rows;
    if few > most {
        return Ok(Some(few));
    }
    // Classes go to partitions by hash, so the others have as many small rows, about.
    let enough = MARGIN * most as f64 / few as f64 * FEW as f64;
    if few == 0 || enough > MOST * PARTITIONS as f64 {
        return Ok(None);
    }
    let more = sample(roll_up, classes, FEW..enough as usize + 1, least_rows, go_on)?.small_rows;
    Ok((few + more > most).then_some(few + more))
}

/// About how many classes some classes are rolled up to.
pub(super) fn about_classes<K: Key>(
    roll_up: &RollUp,
    classes: &[(K, u64)],
    go_on: &GoOn<'_>,
) -> Result<usize, Stop> {
    Ok(sample(roll_up, classes, 0..FEW, 0, go_on)?.classes * (PARTITIONS / FEW))
}

fn sample<K: Key>(
    roll_up: &RollUp,
    classes: &[(K, u64)],
    partitions: Range<usize>,
    least_rows: u64,
    go_on: &GoOn<'_>,
) -> Result<Sample, Stop> {
    let scatter = |piece: &[(K, u64)]| {
        go_on()?;
        let mut found: Vec<Vec<(K, u64)>> = vec![Vec::new(); partitions.len()];
        roll_up.for_each(piece, |key, rows| {
            if let Some(found) = found.get_mut(partition(key).wrapping_sub(partitions.start)) {
                found.push((key.clone(), rows));
            }
        });
        Ok(found)
    };
    let pieces: Vec<Vec<Vec<(K, u64)>>> =
        classes.par_chunks(PIECE).map(scatter).collect::<Result<_, Stop>>()?;
    let group = |at: usize| {
        go_on()?;
        let mut grouping = Grouping::new(0);
        pieces.iter().flat_map(|piece| &piece[at]).for_each(|(key, rows)| _ = grouping.add(key, *rows));
        let classes = grouping.finish();
        let small = classes.iter().map(|(_, rows)| *rows).filter(|&rows| rows < least_rows);
        Ok(Sample { classes: classes.len(), small_rows: small.sum() })
    };
    let none = || Sample { classes: 0, small_rows: 0 };
    let add = |a: Sample, b: Sample| {
        Ok(Sample { classes: a.classes + b.classes, small_rows: a.small_rows + b.small_rows })
    };
    (0..partitions.len()).into_par_iter().map(group).try_reduce(none, add)
}
