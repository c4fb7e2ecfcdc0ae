//! Incognito.
//!
//! **Citation.** K. LeFevre, D. J. DeWitt, R. Ramakrishnan, *Incognito: Efficient Full-Domain
//! K-Anonymity*, SIGMOD 2005.
//!
//! **Idea.** Levels that are not admissible for some of the attributes are not admissible for
//! more of them. So search the lattices of all subsets, from single attributes up, bottom-up
//! and breadth-first, leaving out what a smaller subset refuted, and tag everything above an
//! admissible node. What is left for all attributes is the set of *all* admissible nodes.
//!
//! **Guarantee.** The least objective of all admissible nodes, for monotone models.
//!
//! **Complexity.** Up to Π(hᵢ + 2) nodes over all 2^r subsets.
//!
//! **Deviations.** The paper returns all admissible nodes; from these we choose the one with the least loss,
//! in the order of lower bounds, so that only nodes that could be it are evaluated.

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::bounds::Bounds;
use crate::lattice::{Index, Lattice, Level, Node};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "incognito",
    summary: "finds all admissible nodes by searching every subset of the attributes",
    citation: "LeFevre, DeWitt and Ramakrishnan 2005",
    deviations: &["Returns the node with the least loss; the paper returns all admissible nodes."],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Incognito),
};

struct Incognito;

impl Algorithm for Incognito {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        if !run.is_monotone() {
            return super::check_by_bound(run, &mut Bounds::new(run)?, |_| true);
        }
        let mut subsets = Subsets::new(problem.lattice())?;
        let mut bounds = Bounds::new(run)?;
        for size in 1..=problem.lattice().attributes() {
            subsets.search_all_of_size(size, run)?;
        }
        super::check_by_bound(run, &mut bounds, |at| subsets.admissible_full(at))
    }
}

/// The lattices of all subsets at once: a lattice one level taller, whose extra level of an
/// attribute means that the attribute is not in the subset.
struct Subsets {
    full: Index,
    heights: Vec<Level>,
    extended: Lattice,
    index: Index,
    admissible: Vec<bool>,
}

impl Subsets {
    fn new(lattice: &Lattice) -> Result<Subsets, Stop> {
        let taller: Vec<usize> = lattice.heights().iter().map(|&h| usize::from(h) + 1).collect();
        let extended = Lattice::new(&taller);
        let extended = extended.between(&lattice.bottom(), &extended.top());
        let index = Index::new(&extended).ok_or(Stop::LatticeTooLarge)?;
        let full = Index::new(lattice).ok_or(Stop::LatticeTooLarge)?;
        let mut admissible = vec![false; index.len()];
        // The empty subset: one class of all rows refutes nothing.
        admissible[index.len() - 1] = true;
        Ok(Subsets { full, heights: lattice.heights().to_vec(), extended, index, admissible })
    }

    fn contains(&self, node: &Node, attribute: usize) -> bool {
        node.levels()[attribute] <= self.heights[attribute]
    }

    fn size_of(&self, node: &Node) -> usize {
        (0..self.heights.len()).filter(|&a| self.contains(node, a)).count()
    }

    fn search_all_of_size(&mut self, size: usize, run: &mut Run<'_>) -> Result<(), Stop> {
        // Within a subset the absent attributes add the same to the height, so this is breadth-first.
        for height in 0..=self.extended.top().height() {
            let mut open = Vec::new();
            for node in self.extended.at_height(height) {
                run.go_on_stepping()?;
                if self.size_of(&node) != size || !self.survives_pruning(&node) {
                    continue;
                }
                if self.above_an_admissible(&node) {
                    self.admissible[self.index.index(&node)] = true;
                } else {
                    open.push(node);
                }
            }
            for batch in open.chunks(super::BATCH) {
                let projected: Vec<Node> = batch.iter().map(|node| self.projected(node, run)).collect();
                for (node, admissible) in batch.iter().zip(run.project_all(&projected)?) {
                    self.admissible[self.index.index(node)] = admissible;
                }
            }
        }
        Ok(())
    }

    /// The same node with the level that a run has for attributes that are left out.
    fn projected(&self, node: &Node, run: &Run<'_>) -> Node {
        let absent = (0..self.heights.len()).filter(|&a| !self.contains(node, a));
        absent.fold(node.clone(), |node, a| node.with(a, run.dropped(a)))
    }

    /// Whether the node without any one of its attributes is admissible.
    fn survives_pruning(&self, node: &Node) -> bool {
        let at = self.index.index(node);
        (0..self.heights.len()).filter(|&a| self.contains(node, a)).all(|a| {
            let absent = usize::from(self.heights[a]) + 1;
            self.admissible[at + (absent - node.level(a)) * self.index.stride(a)]
        })
    }

    /// Whether a node one level lower, over the same attributes, is admissible.
    fn above_an_admissible(&self, node: &Node) -> bool {
        let at = self.index.index(node);
        (0..self.heights.len())
            .filter(|&a| self.contains(node, a) && node.levels()[a] > self.extended.floors()[a])
            .any(|a| self.admissible[at - self.index.stride(a)])
    }

    /// Whether a node over all attributes is admissible; `at` is its number in the lattice.
    fn admissible_full(&self, at: usize) -> bool {
        self.admissible[self.index.index(&self.full.node(at))]
    }
}
