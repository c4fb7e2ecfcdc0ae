//! Cuts a table top-down into blocks.
//!
//! A block is divided by the [branches](Branches) of one attribute. Two records of different
//! branches are joined at the top of the attribute's tree, so a cut between branches only forbids
//! joins that are as dear as can be. That attribute is taken whose cut makes such joins rarest for
//! each bit that it tells the parts apart by: an exact algorithm would be the last to give it up.

use rayon::prelude::*;

use super::branches::{BranchParts, Branches};
use super::leaves::count;
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::index::branch;
use crate::problem::Problem;
use crate::run::{Run, Stop, Work};
use crate::taxonomy::{Scheme, ValueId};

/// A part smaller than this share of a block's most rows stays together with others.
const SMALL: u64 = 4;

/// Tuples that are worth the help of other threads.
const TASK: usize = 1 << 12;

/// The tuples of each block: at most `most_rows` rows, unless a block cannot be cut so that all
/// parts keep k; at least 2k rows, or k where tuples of many rows leave no choice.
pub(in crate::algorithm::local) fn cut(
    problem: &Problem,
    most_rows: u64,
    work: &Work<'_>,
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    BlockCutter::new(problem, most_rows, work).cut((0..problem.table().tuples() as u32).collect(), run)
}

struct BlockCutter<'p> {
    problem: &'p Problem,
    /// Advances by tuples that are in their block.
    work: &'p Work<'p>,
    /// None for an objective that gives cells no cost.
    closures: Option<Closures>,
    most_rows: u64,
    k: u64,
}

impl<'p> BlockCutter<'p> {
    fn new(problem: &'p Problem, most_rows: u64, work: &'p Work<'p>) -> BlockCutter<'p> {
        let k = problem.requirements.k();
        let most_rows = most_rows.max(k.saturating_mul(2));
        BlockCutter { problem, work, closures: Closures::new(problem), most_rows, k }
    }

    /// The blocks that a block is cut into; those that are near each other stay near.
    fn cut(&self, block: Vec<u32>, run: &Run<'_>) -> Result<Vec<Vec<u32>>, Stop> {
        run.go_on()?;
        let parts = if self.rows(&block) > self.most_rows { self.divide(&block) } else { None };
        let Some(parts) = parts else {
            self.work.advance(block.len() as u64);
            return Ok(vec![block]);
        };
        let is_task = block.len() >= TASK;
        // Only what is still to be cut takes memory.
        drop(block);
        let blocks: Result<Vec<Vec<Vec<u32>>>, Stop> = match is_task {
            true => parts.into_par_iter().map(|part| self.cut(part, run)).collect(),
            false => parts.into_iter().map(|part| self.cut(part, run)).collect(),
        };
        Ok(blocks?.into_iter().flatten().collect())
    }

    fn rows(&self, block: &[u32]) -> u64 {
        let weights = self.problem.table().weights();
        block.iter().map(|&tuple| u64::from(weights[tuple as usize])).sum()
    }

    /// The parts of a block; none if it has no two of k rows.
    fn divide(&self, block: &[u32]) -> Option<Vec<Vec<u32>>> {
        let attributes = 0..self.problem.table().attributes();
        let branches: Vec<Branches> = match block.len() >= TASK {
            true => attributes.into_par_iter().filter_map(|a| self.branches(block, a)).collect(),
            false => attributes.filter_map(|a| self.branches(block, a)).collect(),
        };
        let least = self.k.saturating_mul(2);
        let floor = least.max(self.most_rows / SMALL);
        let found = best(&branches, |branches| branches.set_apart(floor))
            .or_else(|| best(&branches, |branches| branches.halve(floor)))
            .or_else(|| best(&branches, |branches| branches.halve(least)));
        let Some((branches, parts)) = found else { return self.halve_in_order(block) };
        let column = self.problem.table().column(branches.attribute);
        let mut tuples = vec![Vec::new(); parts.count];
        for &tuple in block {
            let branch = branches.of_leaf(column[tuple as usize]);
            tuples[parts.of_branch[branch]].push(tuple);
        }
        Some(tuples)
    }

    /// The branches of a block in an attribute; none if all its values are the same.
    fn branches(&self, block: &[u32], attribute: usize) -> Option<Branches> {
        let (table, of) = (self.problem.table(), &self.problem.attributes()[attribute]);
        let (column, weights, taxonomy) = (table.column(attribute), table.weights(), &of.taxonomy);
        let rows_of_leaf =
            count(block.iter().map(|&tuple| (column[tuple as usize], weights[tuple as usize])));
        if taxonomy.scheme() == Scheme::Ranges {
            let cost = |a, b| self.closures.as_ref().map_or(1.0, |all| all.pair_cost(attribute, a, b));
            return Branches::of_range(attribute, &rows_of_leaf, cost);
        }
        let leaves = rows_of_leaf.iter().map(|&(leaf, _)| leaf);
        let top = leaves.reduce(|a, b| of.joins().join(a, b))?;
        let parent = |value: ValueId| taxonomy.values()[value as usize].parent;
        let below_top = |leaf: ValueId| branch(top, leaf, parent);
        let cost = self.closures.as_ref().map_or(1.0, |all| all.cell_cost(attribute, top));
        Branches::of_tree(attribute, &rows_of_leaf, below_top, cost)
    }

    /// Two halves of a block in the order of the table; for blocks in which every attribute has a
    /// value for almost all rows.
    fn halve_in_order(&self, block: &[u32]) -> Option<Vec<Vec<u32>>> {
        let weights = self.problem.table().weights();
        let rows: Vec<u64> = block.iter().map(|&tuple| u64::from(weights[tuple as usize])).collect();
        let middle = middle(&rows, self.k.saturating_mul(2)).or_else(|| middle(&rows, self.k))?;
        Some(vec![block[..middle].to_vec(), block[middle..].to_vec()])
    }
}

/// The first of the cuts with the highest score.
fn best(
    all: &[Branches],
    way: impl Fn(&Branches) -> Option<BranchParts>,
) -> Option<(&Branches, BranchParts)> {
    let cuts = all.iter().filter_map(|branches| Some((branches, way(branches)?)));
    let scored = cuts.map(|(branches, parts)| (branches.score(&parts), branches, parts));
    let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.map(|(_, branches, parts)| (branches, parts))
}

/// Where to cut a sequence so that both sides have at least `floor` rows and are most equal.
pub(super) fn middle(rows: &[u64], floor: u64) -> Option<usize> {
    let all: u64 = rows.iter().sum();
    let mut before = 0;
    let cuts = (1..rows.len()).map(|at| {
        before += rows[at - 1];
        (before.abs_diff(all - before), at, before.min(all - before))
    });
    cuts.filter(|&(_, _, smaller)| smaller >= floor).min().map(|(_, at, _)| at)
}
