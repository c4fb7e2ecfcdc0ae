//! Optimal Lattice Anonymization.
//!
//! **Citation.** K. El Emam et al., *A Globally Optimal k-Anonymity Method for the
//! De-Identification of Health Data*, JAMIA 16(5), 2009.
//!
//! **Idea.** Check the nodes of the middle height of a sublattice. Below an admissible node
//! search the lower half, above any other the upper half, and tag what a check implies for
//! all nodes above or below. What remains are all the minimal admissible nodes.
//!
//! **Guarantee.** The least objective of all admissible nodes, for monotone models.
//!
//! **Complexity.** At most one check per node; in the worst case all of the middle height, which is
//! exponential in the number of quasi-identifiers.
//!
//! **Deviations.** The paper takes the minimal node of least loss, which is the optimum where
//! loss is monotone. With suppression it is not, so we continue upwards from the minimal nodes, in the order
//! of lower bounds. A sublattice that was searched, or whose bottom or top is tagged so that nothing can be
//! found inside, is not searched again.

use rustc_hash::FxHashSet;

use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::bounds::Bounds;
use crate::lattice::{Index, Lattice, Node};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "ola",
    summary: "bisects sublattices with predictive tagging",
    citation: "El Emam et al. 2009",
    deviations: &[
        "Continues upwards from the minimal nodes, because with suppression a coarser node may lose less.",
    ],
    family: Family::FullDomain,
    serves: Serves::All,
    guarantee: Guarantee::LeastLoss,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[],
    build: |_| Box::new(Ola),
};

struct Ola;

impl Algorithm for Ola {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut bounds = Bounds::new(run)?;
        if !run.is_monotone() {
            return super::check_by_bound(run, &mut bounds, |_| true);
        }
        let lattice = problem.lattice();
        let index = bounds.index().clone();
        let (tags, checked) = (vec![Tag::Unknown; index.len()], vec![false; index.len()]);
        let mut tags = Tags { index, tags, checked, searched: FxHashSet::default() };
        if tags.admissible(&lattice.top(), run, &mut bounds)? {
            tags.search(&lattice.bottom(), &lattice.top(), run, &mut bounds)?;
        }
        super::check_by_bound(run, &mut bounds, |at| tags.tags[at] == Tag::Admissible && !tags.checked[at])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Unknown,
    Admissible,
    Refuted,
}

struct Tags {
    index: Index,
    tags: Vec<Tag>,
    checked: Vec<bool>,
    searched: FxHashSet<(usize, usize)>,
}

impl Tags {
    /// The paper's Kmin: finds the minimal admissible nodes between `bottom` and `top`, of
    /// which `top` is admissible.
    fn search(
        &mut self,
        bottom: &Node,
        top: &Node,
        run: &mut Run<'_>,
        bounds: &mut Bounds,
    ) -> Result<(), Stop> {
        if self.tags[self.index.index(bottom)] == Tag::Admissible {
            return Ok(());
        }
        if !self.searched.insert((self.index.index(bottom), self.index.index(top))) {
            return Ok(());
        }
        let height = top.height() - bottom.height();
        if height <= 1 {
            self.admissible(bottom, run, bounds)?;
            return Ok(());
        }
        let shape: Vec<usize> =
            top.levels().iter().zip(bottom.levels()).map(|(t, b)| usize::from(t - b)).collect();
        for offset in Lattice::new(&shape).at_height(height / 2) {
            let levels = bottom.levels().iter().zip(offset.levels()).map(|(b, o)| b + o);
            let node = Node::new(levels.collect());
            run.go_on_stepping()?;
            if self.admissible(&node, run, bounds)? {
                self.search(bottom, &node, run, bounds)?;
            } else {
                self.search(&node, top, run, bounds)?;
            }
        }
        Ok(())
    }

    /// Whether a node is admissible, by its tag or by a check that tags others.
    fn admissible(&mut self, node: &Node, run: &mut Run<'_>, bounds: &mut Bounds) -> Result<bool, Stop> {
        let at = self.index.index(node);
        if self.tags[at] == Tag::Unknown {
            let check = run.check(node)?;
            self.checked[at] = true;
            bounds.learn(node, &check, run)?;
            let tag = if check.admissible { Tag::Admissible } else { Tag::Refuted };
            self.spread(node, tag, run)?;
        }
        Ok(self.tags[at] == Tag::Admissible)
    }

    /// Tags the node, and with it all above (admissible) or below (refuted).
    fn spread(&mut self, node: &Node, tag: Tag, run: &Run<'_>) -> Result<(), Stop> {
        let tags = &mut self.tags;
        let visit = |at: usize| {
            if tags[at] == tag {
                return Ok(false);
            }
            run.go_on_stepping()?;
            tags[at] = tag;
            Ok(true)
        };
        match tag {
            Tag::Admissible => self.index.walk_above(node, visit),
            _ => self.index.walk_below(node, visit),
        }
    }
}
