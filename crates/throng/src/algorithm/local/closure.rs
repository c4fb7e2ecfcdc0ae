//! Closures: the least generalised record that covers a set of records, and what it costs.
//!
//! A record is one value id per attribute; the closure of two is, in every attribute, their lowest
//! common ancestor, the range around both, or the set of both. `d(S)` of the paper is
//! [`Closures::cost`] of the closure of `S`: the mean over attributes of the objective's cell cost.
//!
//! Ids below the number of a taxonomy's values are values of it; ranges and sets get others as they
//! come up. Those are only good for the closures that gave them, and their order means nothing:
//! [`Closures::local`] turns them into the values of a release.
//!
//! What depends on the taxonomies is made once for all parts of a problem. Each has closures of its own
//! nonetheless: the ranges and sets that come up in one are forgotten with it.

mod interner;
mod open;
mod ranges;
mod sets;
#[cfg(test)]
mod tests;

pub(super) use open::Open;

use std::sync::Arc;

use super::index::branch;
use crate::loss::{CellLoss, Kind};
use crate::problem::{Attribute, Problem};
use crate::recoding::Local;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::{Joins, ValueId};

/// Joins and costs for every attribute of a problem.
pub(crate) struct Closures {
    attributes: Vec<AttributeClosures>,
}

struct AttributeClosures {
    /// Cost of a cell with each value of the taxonomy, divided by the number of attributes.
    costs: Arc<[f64]>,
    domain: AttributeDomain,
}

/// Where the values of an attribute come from.
enum AttributeDomain {
    Tree(TreeDomain),
    Open(Box<Open>),
}

/// The values of a taxonomy, the leaves first.
#[derive(Clone)]
struct TreeDomain {
    joins: Arc<Joins>,
    parents: Arc<[ValueId]>,
    leaves: ValueId,
}

impl Closures {
    /// The closures of a problem; none if its objective is not a sum over cells, because only
    /// such a measure gives a set of records a cost.
    pub(crate) fn new(problem: &Problem) -> Option<Closures> {
        let Kind::Cells(loss) = problem.objective.kind() else { return None };
        let blank = problem.derived(|| {
            let count = problem.attributes().len() as f64;
            let attributes = problem.attributes().iter().map(|a| AttributeClosures::new(a, loss, count));
            Closures { attributes: attributes.collect() }
        });
        Some(blank.anew())
    }

    /// The same closures before any join.
    pub(super) fn anew(&self) -> Closures {
        Closures { attributes: self.attributes.iter().map(AttributeClosures::anew).collect() }
    }

    /// The same closures before any join, with the attributes in another order.
    pub(super) fn arranged(&self, order: &[usize]) -> Closures {
        Closures { attributes: order.iter().map(|&a| self.attributes[a].anew()).collect() }
    }

    /// Number of attributes.
    pub(crate) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// The ranges or sets of an attribute, if it has no tree.
    #[inline]
    pub(super) fn open(&self, attribute: usize) -> Option<&Open> {
        match &self.attributes[attribute].domain {
            AttributeDomain::Tree(_) => None,
            AttributeDomain::Open(open) => Some(open),
        }
    }

    /// The value that a value is next below; the root itself. None without a tree.
    #[inline]
    pub(super) fn parent(&self, attribute: usize, value: ValueId) -> Option<ValueId> {
        self.attributes[attribute].tree().map(|tree| tree.parents[value as usize])
    }

    /// Number of an attribute's values; none without a tree.
    pub(super) fn values(&self, attribute: usize) -> Option<usize> {
        self.attributes[attribute].tree().map(|tree| tree.parents.len())
    }

    /// Whether a value of a tree is a leaf.
    #[inline]
    pub(super) fn is_leaf(&self, attribute: usize, value: ValueId) -> bool {
        self.attributes[attribute].tree().is_some_and(|tree| value < tree.leaves)
    }

    /// The value next below `top` on the way to `value`; `top` if that is the value itself. Without
    /// a tree, some number by which values below `top` can be told apart, or not.
    pub(super) fn branch(&self, attribute: usize, top: ValueId, value: ValueId) -> u32 {
        match &self.attributes[attribute].domain {
            AttributeDomain::Tree(tree) => branch(top, value, |value| tree.parents[value as usize]),
            AttributeDomain::Open(open) => open.branch(top, value),
        }
    }

    /// The lowest value of an attribute that covers both.
    #[inline]
    pub(crate) fn join(&self, attribute: usize, a: ValueId, b: ValueId) -> ValueId {
        self.attributes[attribute].join(a, b)
    }

    /// What a cell with this value adds to the cost of its record.
    #[inline]
    pub(crate) fn cell_cost(&self, attribute: usize, value: ValueId) -> f64 {
        self.attributes[attribute].cost(value)
    }

    /// About what it costs to join values that are below different values next below `top`.
    pub(super) fn crossing(&self, attribute: usize, top: ValueId) -> f64 {
        self.open(attribute).map_or_else(|| self.cell_cost(attribute, top), |open| open.crossing(top))
    }

    /// What a cell with the join of two values adds: the cost of [`join`](Self::join), which this
    /// does not have to give an id.
    #[inline]
    pub(crate) fn pair_cost(&self, attribute: usize, a: ValueId, b: ValueId) -> f64 {
        self.attributes[attribute].pair_cost(a, b)
    }

    /// `c` of the paper: the cost of a generalised record.
    pub(crate) fn cost(&self, record: &[ValueId]) -> f64 {
        record.iter().enumerate().map(|(a, &value)| self.cell_cost(a, value)).sum()
    }

    /// `d` of the union of two sets, given their closures.
    #[inline]
    pub(crate) fn join_cost(&self, a: &[ValueId], b: &[ValueId]) -> f64 {
        let pairs = self.attributes.iter().zip(a.iter().zip(b));
        pairs.map(|(attribute, (&a, &b))| attribute.pair_cost(a, b)).sum()
    }

    /// Generalises `record` until it covers `other`, too.
    pub(crate) fn extend(&self, record: &mut [ValueId], other: &[ValueId]) {
        for (attribute, (value, &other)) in self.attributes.iter().zip(record.iter_mut().zip(other)) {
            *value = attribute.join(*value, other);
        }
    }

    /// What the closure of some records costs without each of them, and what that of all costs. There are
    /// at least two.
    pub(super) fn costs_without_each(&self, records: &[&[ValueId]]) -> (Vec<f64>, f64) {
        let last = records.len() - 1;
        let fore = self.closures_along(records.iter().copied());
        let aft = self.closures_along(records.iter().copied().rev());
        let without = |at: usize| match at {
            0 => self.cost(&aft[last - 1]),
            at if at == last => self.cost(&fore[last - 1]),
            at => self.join_cost(&fore[at - 1], &aft[last - at - 1]),
        };
        ((0..records.len()).map(without).collect(), self.cost(&fore[last]))
    }

    /// The closures of the first record, the first two and so on.
    fn closures_along<'r>(&self, records: impl Iterator<Item = &'r [ValueId]>) -> Vec<Vec<ValueId>> {
        let mut closure: Vec<ValueId> = Vec::new();
        let next = |record: &[ValueId]| {
            if closure.is_empty() {
                closure.extend_from_slice(record);
            }
            self.extend(&mut closure, record);
            closure.clone()
        };
        records.map(next).collect()
    }

    /// Whether a generalised record covers another: the paper's consistency.
    pub(crate) fn covers(&self, record: &[ValueId], other: &[ValueId]) -> bool {
        let pairs = self.attributes.iter().zip(record.iter().zip(other));
        pairs.into_iter().all(|(attribute, (&value, &other))| attribute.covers(value, other))
    }

    /// The recoding with these values of each attribute, by tuple; `order` has the place of each
    /// attribute in the recoding. `go_on` may stop it.
    pub(super) fn local(
        &self,
        columns: impl Iterator<Item = Vec<ValueId>>,
        order: &[usize],
        go_on: &GoOn<'_>,
    ) -> Result<Local, Stop> {
        let mut placed = vec![(Vec::new(), Vec::new()); order.len()];
        for (a, mut column) in columns.enumerate() {
            go_on()?;
            let made = self.open(a).map_or_else(Vec::new, |open| open.number(&mut column));
            placed[order[a]] = (column, made);
        }
        let (columns, made) = placed.into_iter().unzip();
        Ok(Local::with_made(columns, made))
    }
}

impl TreeDomain {
    fn new(attribute: &Attribute) -> TreeDomain {
        let taxonomy = &attribute.taxonomy;
        let parents = taxonomy.values().iter().map(|value| value.parent).collect();
        let leaves = taxonomy.leaf_total() as ValueId;
        TreeDomain { joins: Arc::clone(attribute.joins()), parents, leaves }
    }
}

impl AttributeClosures {
    fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64) -> AttributeClosures {
        let costs = loss.costs(attribute).into_iter().map(|cost| cost / attributes).collect();
        let domain = match Open::new(attribute, loss, attributes) {
            Some(open) => AttributeDomain::Open(Box::new(open)),
            None => AttributeDomain::Tree(TreeDomain::new(attribute)),
        };
        AttributeClosures { costs, domain }
    }

    fn anew(&self) -> AttributeClosures {
        let domain = match &self.domain {
            AttributeDomain::Tree(tree) => AttributeDomain::Tree(tree.clone()),
            AttributeDomain::Open(open) => AttributeDomain::Open(Box::new(open.anew())),
        };
        AttributeClosures { costs: Arc::clone(&self.costs), domain }
    }

    fn tree(&self) -> Option<&TreeDomain> {
        match &self.domain {
            AttributeDomain::Tree(tree) => Some(tree),
            AttributeDomain::Open(_) => None,
        }
    }

    #[inline]
    fn cost(&self, value: ValueId) -> f64 {
        match (self.costs.get(value as usize), &self.domain) {
            (Some(&cost), _) => cost,
            (None, AttributeDomain::Open(open)) => open.cost(value),
            (None, AttributeDomain::Tree(_)) => unreachable!("a value of the tree"),
        }
    }

    #[inline]
    fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        match &self.domain {
            AttributeDomain::Tree(tree) => tree.joins.join(a, b),
            AttributeDomain::Open(open) => open.join(a, b),
        }
    }

    #[inline]
    fn pair_cost(&self, a: ValueId, b: ValueId) -> f64 {
        match &self.domain {
            AttributeDomain::Tree(tree) => self.costs[tree.joins.join(a, b) as usize],
            AttributeDomain::Open(open) => open.pair_cost(a, b),
        }
    }

    #[inline]
    fn covers(&self, value: ValueId, other: ValueId) -> bool {
        match &self.domain {
            AttributeDomain::Tree(tree) => tree.joins.join(value, other) == value,
            AttributeDomain::Open(open) => open.covers(value, other),
        }
    }
}
