//! The forest algorithm.
//!
//! **Citation.** G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and
//! A. Zhu, *Approximation Algorithms for k-Anonymity*, Journal of Privacy Technology, 2005; the
//! baseline of Gionis, Mazza and Tassa, *k-Anonymization Revisited*.
//!
//! **Idea.** While a tree has fewer than k rows, its one tuple without an outgoing edge gets one
//! to the nearest tuple outside of the tree. Trees of more than max(2k−1, 3k−5) rows are split, at
//! a vertex that lets both parts keep k rows, until none is larger. Each part becomes a class.
//!
//! **Guarantee.** Every class may be released. For k-anonymity, where no two records are identical, it has
//! at most max(2k−1, 3k−5) rows, and the loss is at most 3k−3 times the least for a measure whose cells cost
//! the more the higher their value stands.
//!
//! **Complexity.** One search for the nearest neighbours of every tuple, quadratic at worst and
//! pruned by an [index](super::index); forming and splitting the trees takes about linear
//! time. Memory is linear: at most k − 1 neighbours a tuple.
//!
//! **Deviations.** With `variant = "printed"`: of the neighbours that the paper allows, the nearest outside
//! the tree is taken, and the first of several equally near; and trees are split down to the paper's sizes by
//! our own rules, without Steiner vertices. For other models than k-anonymity it is as below, without the
//! last steps. What follows is of `variant = "improved"`.
//!
//! Identical records are one vertex with their number as its weight: record by record they
//! would be linked first, and end in the same tree. Of the k − 1 nearest neighbours only the shortest list
//! is kept that has k − w rows, for a vertex of weight w: some of it is outside of any tree of fewer than
//! k rows, as some of the paper's k − 1 is. With weights no split may leave k rows on both sides; then a
//! part has at most 3k−3 rows, or fewer than k rows beside its heaviest tuple. Rows of a tuple that its
//! class can spare are then [split off](super::peel), as a tree of identical records would be, and
//! [lent](super::lend) wherever the loss falls. A vertex shared by both parts of a split counts, and is
//! released, in one of them; it is chosen so that the other part never has to be split again, and no Steiner
//! vertex is needed.
//!
//! For models that look at more than sizes a tree grows [until it may be released](ripen), which may take a
//! search for each edge, and is split from its leaves up; what a split or a root spoils is
//! [mended](super::mend).

mod ripen;
mod split;
#[cfg(test)]
mod tests;

use super::admissible::Admissibility;
use super::as_records::Records;
use super::closure::Closures;
use super::closures;
use super::finish::{propose, propose_as_found};
use super::lend::lend;
use super::neighbours::Neighbours;
use super::peel::peel;
use super::pieces::{Piece, whole};
use crate::algorithm::variant::Variant;
use crate::algorithm::{Algorithm, BLOCK_ROWS, Entry, Family, Guarantee, Serves, VARIANT};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use ripen::ripen;
use split::split;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "forest",
    summary: "links each tuple to a near one until every tree has k rows, then splits large trees",
    citation: "Aggarwal et al. 2005",
    deviations: &[
        "Treats identical records as one vertex; rows that its class can spare are split off, and lent \
            wherever that reduces the loss.",
        "With a suppression limit, leaves out rows where that reduces the loss.",
        "Both variants split trees down to the paper's sizes by our own rules, without Steiner vertices.",
    ],
    family: Family::Local,
    serves: Serves::OfTable,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, BLOCK_ROWS],
    build: |settings| Box::new(Forest { variant: Variant::from_settings(settings) }),
};

/// Tuples or trees that are looked at between two questions whether to go on.
const ASK: u32 = 1 << 14;

struct Forest {
    variant: Variant,
}

impl Algorithm for Forest {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let (closures, admissibility) = (closures(problem), Admissibility::new(problem));
        let table = problem.table();
        if table.rows() < admissibility.least_rows() {
            return Ok(());
        }
        if self.variant == Variant::Printed {
            let records = Records::of_admissibility(problem, &admissibility);
            let classes = records.in_tuples(classes(&records.problem, &closures, &admissibility, run)?);
            return propose_as_found(problem, &closures, &admissibility, classes, run);
        }
        let mut classes = classes(problem, &closures, &admissibility, run)?;
        if admissibility.by_size().is_some() {
            classes = peel(problem, &closures, &admissibility, classes, &|| run.unless_cancelled())?;
            classes = lend(problem, &closures, &admissibility, classes, run)?;
        }
        propose(problem, &closures, &admissibility, classes, run)
    }
}

/// The classes of a forest.
fn classes(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    run: &Run<'_>,
) -> Result<Vec<Vec<Piece>>, Stop> {
    let table = problem.table();
    // What follows the search for neighbours takes little time.
    let tuples = table.tuples() as u64;
    run.expect(tuples + tuples / 16);
    let index = Neighbours::new(problem, closures, run)?;
    let classes = match admissibility.by_size() {
        Some(k) => plant(table.weights(), k, &index, run)?,
        None => ripen(problem, admissibility, &index, run)?,
    };
    Ok(whole(table, &classes))
}

/// The classes of a forest whose trees need k rows and nothing else.
fn plant(weights: &[u32], k: u64, index: &Neighbours<'_>, run: &Run<'_>) -> Result<Vec<Vec<u32>>, Stop> {
    let near = index.lists(|tuple| k.saturating_sub(u64::from(weights[tuple])), run)?;
    let edges = grow(weights, k, &near, run)?;
    split(weights, k, &edges, run)
}

/// The edges of trees of at least k rows, each from a tuple to one that is near.
fn grow(weights: &[u32], k: u64, near: &[Box<[u32]>], run: &Run<'_>) -> Result<Vec<(u32, u32)>, Stop> {
    let mut trees = LinkedTrees::new(weights);
    let mut edges = Vec::new();
    for tuple in 0..weights.len() as u32 {
        if tuple.is_multiple_of(ASK) {
            run.go_on()?;
        }
        loop {
            let tree = trees.find_root(tuple);
            if trees.rows[tree as usize] >= k {
                break;
            }
            let from = trees.open[tree as usize];
            let outside = near[from as usize].iter().copied().find(|&to| trees.find_root(to) != tree);
            let to = outside.expect("the list and its tuple have k rows, the tree has fewer");
            edges.push((from, to));
            trees.join(tree, to);
        }
    }
    Ok(edges)
}

/// Which tuples are linked: a forest of sets with path halving.
struct LinkedTrees {
    parents: Vec<u32>,
    rows: Vec<u64>,
    /// Of each tree, the tuple without an outgoing edge.
    open: Vec<u32>,
}

impl LinkedTrees {
    fn new(weights: &[u32]) -> LinkedTrees {
        let tuples: Vec<u32> = (0..weights.len() as u32).collect();
        let rows = weights.iter().map(|&weight| u64::from(weight)).collect();
        LinkedTrees { parents: tuples.clone(), rows, open: tuples }
    }

    fn find_root(&mut self, mut tuple: u32) -> u32 {
        while self.parents[tuple as usize] != tuple {
            let above = self.parents[self.parents[tuple as usize] as usize];
            self.parents[tuple as usize] = above;
            tuple = above;
        }
        tuple
    }

    /// The same without making the way there shorter.
    fn root(&self, mut tuple: u32) -> u32 {
        while self.parents[tuple as usize] != tuple {
            tuple = self.parents[tuple as usize];
        }
        tuple
    }

    /// Joins a small tree to that of `to`, whose open tuple stays open.
    fn join(&mut self, tree: u32, to: u32) {
        let other = self.find_root(to);
        self.parents[tree as usize] = other;
        self.rows[other as usize] += self.rows[tree as usize];
    }
}
