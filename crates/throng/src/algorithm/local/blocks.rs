//! Blocks: a local algorithm on parts of a table that are cut from it first.
//!
//! **Citation.** Our own; the [cut](cut) is top-down like that of K. LeFevre, D. DeWitt and
//! R. Ramakrishnan, *Mondrian Multidimensional k-Anonymity*, ICDE 2006, but stops at blocks of
//! thousands of rows instead of classes.
//!
//! **Idea.** The table is cut where records are far from each other anyway, and halved in its own
//! order where no cut is better, until no block has more rows than allowed. The algorithm runs in
//! every block as if it were a table of its own, on all cores. The releases of the blocks together
//! are the release.
//!
//! **Guarantee.** The notion that was asked for. A class of a block has at least k rows, and
//! equal classes of two blocks only add up. Whatever is consistent inside its block is consistent
//! in the whole table, so (1,k), (k,1) and (k,k) carry over. A perfect matching of the
//! consistency graph of one block becomes one of the whole by linking all other records with their
//! own released ones, so a match in a block is a match, and global (1,k) carries over. The
//! judge looks at the whole release nonetheless. Other models may fail in a block, or where equal classes of
//! two meet: such classes are [mended](super::mend). No bound on the loss: records near a cut cannot join
//! those on the other side.
//!
//! **Complexity.** The cut takes about O(n log n) for n tuples; then that of the algorithm for each
//! block, which makes a quadratic one linear in n. What follows from the taxonomies alone is
//! [worked out once](Problem::derived) for all blocks, and a cut looks at the leaves of its block
//! only: blocks may be much smaller than a taxonomy. Memory beside the table and its release is that
//! of as many blocks as there are threads, and of what all share.
//!
//! **Deviations.** Cells cost what they cost in the whole table: the distribution that entropy
//! goes by is not that of the block.

mod branches;
mod cut;
mod leaves;
mod side_by_side;
#[cfg(test)]
mod tests;

pub(super) use cut::cut;
pub(super) use side_by_side::side_by_side;

use super::admissible::Admissibility;
use super::closures;
use super::finish::finish;
use super::pieces::{Piece, whole};
use super::reread::classes;
use crate::algorithm::{Algorithm, Entry, Least, Serves, Setting, SettingKind};
use crate::problem::Problem;
use crate::recoding::Local;
use crate::run::{Run, Stop};
use crate::stop::GoOn;

/// Most rows of the blocks that a table is cut into before a local search; no cut when not said.
pub const BLOCK_ROWS: Setting = Setting {
    name: "block_rows",
    help: "Cuts the table into blocks of at most this many rows, and searches each separately",
    // Less could not be cut into parts of k rows.
    kind: SettingKind::Count { of: "rows", least: Least::TimesK(2) },
    default: None,
    only_with: None,
};

/// Steps of the search for each of the cut: about how much longer a quick search takes.
const SEARCH: u64 = 9;

/// A local algorithm that runs in blocks.
pub(crate) struct Blocks<'e> {
    /// What runs in every block.
    pub(crate) algorithm: &'e Entry,
    /// Most rows of a block, unless it is one tuple or cannot be cut into parts of k rows.
    pub(crate) most_rows: u64,
}

impl Algorithm for Blocks<'_> {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let problem = &problem.divisible();
        let tuples = problem.table().tuples() as u64;
        run.expect(tuples * (1 + SEARCH));
        let blocks = cut(problem, self.most_rows, &run.part(tuples, tuples), run)?;
        run.note_blocks(blocks.len());
        if blocks.len() == 1 {
            return (self.algorithm.build)(&problem.settings).search(problem, run);
        }
        let parts = side_by_side(blocks.len(), |at| self.search_block(problem, &blocks[at], run));
        parts.iter().filter_map(|part| part.steps.clone()).for_each(|steps| run.note_steps(steps));
        let ended = parts.iter().find_map(|part| part.stopped).map_or(Ok(()), Err);
        // What a search has that was stopped is not lost.
        let go_on = || if ended.is_ok() { run.unless_cancelled() } else { Ok(()) };
        let admissibility = Admissibility::new(problem);
        let whole = match admissibility.by_size() {
            Some(_) => assemble(problem, &blocks, &parts, &go_on)?,
            // Values of a crowd in a block are values of it in the whole table.
            None if self.algorithm.serves == Serves::Crowd => assemble(problem, &blocks, &parts, &go_on)?,
            None => mend(problem, &admissibility, &blocks, &parts, &go_on)?,
        };
        whole.into_iter().for_each(|whole| run.propose(whole));
        ended
    }
}

/// What a search in a block ended with.
struct BlockResult {
    /// The release of the block; if the search was stopped, the last that it proposed.
    local: Option<Local>,
    stopped: Option<Stop>,
    /// How many records took how many steps of Algorithm 6, if it ran.
    steps: Option<Vec<u64>>,
}

impl Blocks<'_> {
    fn search_block(&self, problem: &Problem, block: &[u32], run: &Run<'_>) -> BlockResult {
        let part = problem.part(block);
        let mut run = run.on(&part, block.len() as u64 * SEARCH);
        let stopped = (self.algorithm.build)(&part.settings).search(&part, &mut run).err();
        let steps = run.steps().map(<[u64]>::to_vec);
        BlockResult { local: run.into_local(), stopped, steps }
    }
}

/// The release of all blocks, if each has one.
fn assemble(
    problem: &Problem,
    blocks: &[Vec<u32>],
    parts: &[BlockResult],
    go_on: &GoOn<'_>,
) -> Result<Option<Local>, Stop> {
    let locals: Option<Vec<&Local>> = parts.iter().map(|part| part.local.as_ref()).collect();
    let Some(locals) = locals else { return Ok(None) };
    let parts: Vec<(&[u32], &Local)> = blocks.iter().map(Vec::as_slice).zip(locals).collect();
    Local::assemble(problem, &parts, go_on).map(Some)
}

/// The release of all blocks where more is asked than a crowd: a block without one is a class that fails, and
/// classes of different blocks may be equal.
fn mend(
    problem: &Problem,
    admissibility: &Admissibility,
    blocks: &[Vec<u32>],
    parts: &[BlockResult],
    go_on: &GoOn<'_>,
) -> Result<Option<Local>, Stop> {
    let table = problem.table();
    let mut all: Vec<Vec<Piece>> = Vec::new();
    for (block, part) in blocks.iter().zip(parts) {
        match &part.local {
            None => all.extend(whole(table, std::slice::from_ref(block))),
            Some(local) => {
                let in_table = |of: Piece| Piece { tuple: block[of.tuple as usize], ..of };
                let classes = classes(problem.part(block).table(), local, go_on)?;
                all.extend(classes.into_iter().map(|class| class.into_iter().map(in_table).collect()));
            }
        }
    }
    finish(problem, &closures(problem), admissibility, all, go_on)
}
