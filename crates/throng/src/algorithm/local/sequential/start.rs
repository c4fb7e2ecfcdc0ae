//! The clusters that the search starts from.

use super::agglomerative::{self, Distance, Manner};
use crate::algorithm::local::blocks::{cut, side_by_side};
use crate::algorithm::local::closures;
use crate::algorithm::local::pieces::{Piece, whole};
use crate::problem::Problem;
use crate::run::{Run, Stop};

/// Most rows that are clustered together, and most clusters of k of them if that is more. What a cut
/// between them costs, the search makes good, unless blocks have few clusters to choose from.
const MOST_ROWS: u64 = 1500;
const MOST_CLUSTERS: u64 = 75;

/// The rows of each agglomerative cluster, shrunk to k, of blocks side by side; a block in
/// which nothing is ripe is one, which may not be released.
pub(super) fn start(problem: &Problem, distance: Distance, run: &Run<'_>) -> Result<Vec<Vec<Piece>>, Stop> {
    let (problem, manner) = (problem.divisible(), Manner { distance, shrink: true });
    let most_rows = MOST_ROWS.max(problem.requirements.k().saturating_mul(MOST_CLUSTERS));
    // All clusters are a third of the search; the cut is little of that.
    let share = problem.table().tuples() as u64;
    let blocks = cut(&problem, most_rows, &run.part(share / 10, share), run)?;
    let found = side_by_side(blocks.len(), |at| {
        let part = problem.part(&blocks[at]);
        let run = run.on(&part, part.table().tuples() as u64 * 9 / 10);
        agglomerative::cluster(&part, &closures(&part), manner, &run)
    });
    let mut clusters: Vec<Vec<u32>> = Vec::new();
    for (block, found) in blocks.iter().zip(found) {
        let in_table = |cluster: Vec<u32>| cluster.into_iter().map(|tuple| block[tuple as usize]).collect();
        let found = found?;
        match found.is_empty() {
            true => clusters.push(block.clone()),
            false => clusters.extend(found.into_iter().map(in_table)),
        }
    }
    Ok(whole(problem.table(), &clusters))
}
