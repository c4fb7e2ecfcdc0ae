//! The values of an attribute without a tree: as many as joins make.

use rustc_hash::FxHashMap;

use super::ranges::Ranges;
use super::sets::Sets;
use crate::loss::CellLoss;
use crate::problem::Attribute;
use crate::taxonomy::{Closure, Leaves, Scheme, ValueId};

/// Ranges or sets of an attribute's leaves.
pub(in crate::algorithm::local) enum Open {
    Ranges(Ranges),
    Sets(Sets),
}

/// Calls a method of whichever it is.
macro_rules! either {
    ($open:expr, $method:ident($($argument:expr),*)) => {
        match $open {
            Open::Ranges(ranges) => ranges.$method($($argument),*),
            Open::Sets(sets) => sets.$method($($argument),*),
        }
    };
}

impl Open {
    /// The ranges or sets of an attribute; none if it has a tree.
    pub(super) fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64) -> Option<Open> {
        match attribute.taxonomy.scheme() {
            Scheme::Tree => None,
            Scheme::Ranges => Some(Open::Ranges(Ranges::new(attribute, loss, attributes))),
            Scheme::Sets { .. } => Some(Open::Sets(Sets::new(attribute, loss, attributes))),
        }
    }

    /// The same ranges or sets before any join.
    pub(super) fn anew(&self) -> Open {
        match self {
            Open::Ranges(ranges) => Open::Ranges(ranges.anew()),
            Open::Sets(sets) => Open::Sets(sets.anew()),
        }
    }

    /// What a cell with this value adds to the cost of its record.
    #[inline]
    pub(super) fn cost(&self, value: ValueId) -> f64 {
        either!(self, cost(value))
    }

    /// The least value that covers both.
    #[inline]
    pub(super) fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        either!(self, join(a, b))
    }

    /// The cost of the join of two values.
    #[inline]
    pub(in crate::algorithm::local) fn pair_cost(&self, a: ValueId, b: ValueId) -> f64 {
        either!(self, pair_cost(a, b))
    }

    /// Whether a value covers another.
    #[inline]
    pub(in crate::algorithm::local) fn covers(&self, value: ValueId, other: ValueId) -> bool {
        either!(self, covers(value, other))
    }

    /// Whether some leaf is below both values.
    #[inline]
    pub(in crate::algorithm::local) fn meets(&self, a: ValueId, b: ValueId) -> bool {
        either!(self, meets(a, b))
    }

    /// A lower bound of the cost of the join of a value with any that `top` covers.
    #[inline]
    pub(in crate::algorithm::local) fn floor(&self, value: ValueId, top: ValueId) -> f64 {
        either!(self, floor(value, top))
    }

    /// A lower bound of the cost of every value that covers this one, itself among them.
    pub(in crate::algorithm::local) fn least_above(&self, value: ValueId) -> f64 {
        either!(self, least_above(value))
    }

    /// About what it costs to join values of different branches below `top`.
    pub(in crate::algorithm::local) fn crossing(&self, top: ValueId) -> f64 {
        match self {
            Open::Ranges(ranges) => ranges.cost(top),
            Open::Sets(sets) => sets.cost_of_two(),
        }
    }

    /// A number by which an index may part values below `top`. Leaves whose closure is `top` do not
    /// all have the same.
    pub(in crate::algorithm::local) fn branch(&self, top: ValueId, value: ValueId) -> u32 {
        match self {
            Open::Ranges(ranges) => ranges.branch(top, value),
            Open::Sets(sets) => sets.branch(value),
        }
    }

    /// What a value stands for.
    pub(super) fn closure(&self, value: ValueId) -> Closure {
        either!(self, closure(value))
    }

    /// Renames the values of a column as a release does: those of the taxonomy keep their ids, the
    /// others follow in their order. Returns these.
    pub(super) fn number(&self, column: &mut [ValueId]) -> Vec<Leaves> {
        let mut ids: Vec<ValueId> = column.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let leaves = |id: ValueId| match self.closure(id) {
            Closure::Value(_) => None,
            Closure::Made(leaves) => Some((leaves, id)),
        };
        let mut made: Vec<(Leaves, ValueId)> = ids.into_iter().filter_map(leaves).collect();
        made.sort_unstable();
        let mut new: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let (mut next, mut last) = (self.first_made(), None);
        for (leaves, id) in &made {
            // Several may be one, if leaves are equal.
            next += ValueId::from(last.is_some_and(|last| last != leaves));
            last = Some(leaves);
            new.insert(*id, next);
        }
        column.iter_mut().for_each(|id| *id = new.get(id).copied().unwrap_or(*id));
        made.dedup_by(|(a, _), (b, _)| a == b);
        made.into_iter().map(|(leaves, _)| leaves).collect()
    }

    /// Number of the taxonomy's values.
    fn first_made(&self) -> ValueId {
        either!(self, first_made())
    }
}
