//! The released rows that are nearest to what somebody knows of a person.

use rustc_hash::FxHashMap;
use throng::random::Random;

use super::meaning::Meanings;
use super::tables::{Rows, ThreeTables};

/// Distances that differ by no more are the same.
const SAME: f32 = 1e-6;

/// A person as an adversary knows them, and how far the labels of each column are from that.
pub(super) struct Target<'d> {
    by_column: Vec<&'d [f32]>,
}

/// The distances of labels from values, each computed once.
#[derive(Default)]
pub(super) struct Distances {
    known: FxHashMap<(usize, u32), Vec<f32>>,
}

impl Distances {
    /// Those of some people.
    pub(super) fn measure(rows: &Rows, tuples: &[usize], meanings: &[Meanings<'_>]) -> Distances {
        let mut known = FxHashMap::default();
        for (column, meaning) in meanings.iter().enumerate() {
            for &tuple in tuples {
                let code = rows.code(column, tuple);
                known.entry((column, code)).or_insert_with(|| meaning.distances(rows.text(column, tuple)));
            }
        }
        Distances { known }
    }

    /// A person of them.
    pub(super) fn target(&self, rows: &Rows, tuple: usize, columns: usize) -> Target<'_> {
        let of = |column: usize| self.known[&(column, rows.code(column, tuple))].as_slice();
        Target { by_column: (0..columns).map(of).collect() }
    }
}

impl Target<'_> {
    /// The released tuples that are nearest by some columns, and how near they are.
    pub(super) fn nearest(&self, tables: &ThreeTables, columns: &[usize]) -> (Vec<usize>, f32) {
        let released = &tables.released;
        let (mut nearest, mut least) = (Vec::new(), f32::INFINITY);
        for tuple in 0..released.tuples() {
            let mut distance = 0.0;
            for &column in columns {
                distance += self.by_column[column][released.code(column, tuple) as usize];
                if distance > least + SAME {
                    break;
                }
            }
            if distance < least - SAME {
                nearest.clear();
                least = distance;
            }
            if distance <= least + SAME {
                nearest.push(tuple);
            }
        }
        (nearest, least)
    }
}

/// One row of some tuples, any as likely as any other.
pub(super) fn draw(rows: &Rows, tuples: &[usize], random: &mut Random) -> u64 {
    let weights: Vec<u64> = tuples.iter().map(|&tuple| u64::from(rows.encoded.weights[tuple])).collect();
    let tuple = tuples[random.index_by_share(&weights)];
    rows.start(tuple) + random.below(u64::from(rows.encoded.weights[tuple]))
}
