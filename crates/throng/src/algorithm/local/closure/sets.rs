//! Closures of leaves without order: the set of them.

use std::sync::Arc;

use super::interner::Interner;
use crate::loss::{Basis, CellLoss, Domain, Scopes};
use crate::problem::Attribute;
use crate::taxonomy::{Closure, Leaves, Scheme, ValueId};

/// Most leaves of which a set is a word of bits; one bit pattern, all ones, is for the root.
const MAX_BITS: usize = 63;

/// The sets of an attribute, and what they cost.
pub(in crate::algorithm::local) struct Sets {
    /// Values of the taxonomy: the leaves and the root.
    values: usize,
    root: ValueId,
    /// Most members of a set.
    most: usize,
    costs: SetCosts,
    members: SetMembers,
}

/// The members of each set.
enum SetMembers {
    Bits(Interner<u64>),
    Lists { leaves: Arc<[ValueId]>, made: Interner<Box<[ValueId]>> },
}

const ANY: u64 = u64::MAX;

#[derive(Clone)]
struct SetCosts {
    /// Cost of each value of the taxonomy.
    base: Arc<[f64]>,
    root: f64,
    /// By the number of members, where no more is needed; 0 for none.
    by_count: Arc<[f64]>,
    loss: &'static dyn CellLoss,
    domain: Domain,
    scopes: Arc<Scopes>,
    attributes: f64,
}

impl Sets {
    pub(super) fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64) -> Sets {
        let taxonomy = &attribute.taxonomy;
        let Scheme::Sets { most } = taxonomy.scheme() else { unreachable!("an attribute of sets") };
        let (leaves, values) = (taxonomy.leaf_total(), taxonomy.values().len());
        let few = leaves <= MAX_BITS;
        let most = (most as usize).min(leaves);
        let members = if few {
            SetMembers::Bits(Interner::new(values as ValueId))
        } else {
            SetMembers::Lists {
                leaves: (0..leaves as ValueId).collect(),
                made: Interner::new(values as ValueId),
            }
        };
        let costs = SetCosts::new(attribute, loss, attributes, most);
        Sets { values, root: taxonomy.root(), most, costs, members }
    }

    pub(super) fn anew(&self) -> Sets {
        let first = self.first_made();
        let members = match &self.members {
            SetMembers::Bits(_) => SetMembers::Bits(Interner::new(first)),
            SetMembers::Lists { leaves, .. } => {
                SetMembers::Lists { leaves: Arc::clone(leaves), made: Interner::new(first) }
            }
        };
        Sets { costs: self.costs.clone(), members, ..*self }
    }

    #[inline]
    fn bits(&self, made: &Interner<u64>, value: ValueId) -> u64 {
        match value as usize {
            at if at >= self.values => made.get(value).key,
            _ if value == self.root => ANY,
            at => 1 << at,
        }
    }

    /// The members of a value; none for the root.
    #[inline]
    fn list<'s>(
        &self,
        leaves: &'s [ValueId],
        made: &'s Interner<Box<[ValueId]>>,
        value: ValueId,
    ) -> Option<&'s [ValueId]> {
        match value as usize {
            at if at >= self.values => Some(&made.get(value).key),
            _ if value == self.root => None,
            at => Some(&leaves[at..=at]),
        }
    }

    #[inline]
    fn cost_of_bits(&self, bits: u64) -> f64 {
        let count = bits.count_ones() as usize;
        match count {
            1 => self.costs.base[bits.trailing_zeros() as usize],
            _ if count > self.most => self.costs.root,
            _ => self.costs.cost(count, || members_of(bits)),
        }
    }

    /// As [`cost_of_bits`](Self::cost_of_bits), of the union of two lists.
    fn cost_of_union(&self, a: &[ValueId], b: &[ValueId]) -> f64 {
        let count = union(a, b).take(self.most + 1).count();
        match count {
            1 => self.costs.base[a[0] as usize],
            _ if count > self.most => self.costs.root,
            _ => self.costs.cost(count, || union(a, b)),
        }
    }

    pub(super) fn cost(&self, value: ValueId) -> f64 {
        let base = self.costs.base.get(value as usize).copied();
        base.unwrap_or_else(|| match &self.members {
            SetMembers::Bits(made) => made.get(value).cost,
            SetMembers::Lists { made, .. } => made.get(value).cost,
        })
    }

    pub(super) fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        match &self.members {
            SetMembers::Bits(made) => {
                let (of_a, of_b) = (self.bits(made, a), self.bits(made, b));
                match of_a | of_b {
                    join if join == of_a => a,
                    join if join == of_b => b,
                    join if join.count_ones() as usize > self.most => self.root,
                    join => made.intern(&join, || self.cost_of_bits(join)),
                }
            }
            SetMembers::Lists { leaves, made } => {
                let (of_a, of_b) = (self.list(leaves, made, a), self.list(leaves, made, b));
                let (Some(of_a), Some(of_b)) = (of_a, of_b) else { return self.root };
                let join: Box<[ValueId]> = union(of_a, of_b).take(self.most + 1).collect();
                match join.len() {
                    count if count == of_a.len() => a,
                    count if count == of_b.len() => b,
                    count if count > self.most => self.root,
                    _ => made.intern(&join, || self.cost_of_union(&join, &join)),
                }
            }
        }
    }

    #[inline]
    pub(super) fn pair_cost(&self, a: ValueId, b: ValueId) -> f64 {
        match &self.members {
            SetMembers::Bits(made) => self.cost_of_bits(self.bits(made, a) | self.bits(made, b)),
            SetMembers::Lists { leaves, made } => {
                match (self.list(leaves, made, a), self.list(leaves, made, b)) {
                    (Some(a), Some(b)) => self.cost_of_union(a, b),
                    _ => self.costs.root,
                }
            }
        }
    }

    #[inline]
    pub(super) fn covers(&self, value: ValueId, other: ValueId) -> bool {
        match &self.members {
            SetMembers::Bits(made) => {
                let bits = self.bits(made, value);
                bits | self.bits(made, other) == bits
            }
            SetMembers::Lists { leaves, made } => {
                match (self.list(leaves, made, value), self.list(leaves, made, other)) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(members), Some(other)) => {
                        other.iter().all(|leaf| members.binary_search(leaf).is_ok())
                    }
                }
            }
        }
    }

    /// If the two have a member in common, that may be all that is below the top; if not, a join
    /// has at least one member more.
    #[inline]
    pub(super) fn floor(&self, value: ValueId, top: ValueId) -> f64 {
        if self.costs.by_count.is_empty() {
            return self.least_above(value);
        }
        let (count, meets) = match &self.members {
            SetMembers::Bits(made) => {
                let (bits, top) = (self.bits(made, value), self.bits(made, top));
                (bits.count_ones() as usize, bits & top != 0)
            }
            SetMembers::Lists { leaves, made } => {
                let count = self.list(leaves, made, value).map_or(self.most + 1, <[_]>::len);
                (count, self.meets(value, top))
            }
        };
        // A single leaf costs what the taxonomy says, which for a measure by count is the same.
        self.costs.by_count.get(count + usize::from(!meets)).copied().unwrap_or(self.costs.root)
    }

    #[inline]
    pub(super) fn meets(&self, a: ValueId, b: ValueId) -> bool {
        match &self.members {
            SetMembers::Bits(made) => self.bits(made, a) & self.bits(made, b) != 0,
            SetMembers::Lists { leaves, made } => {
                match (self.list(leaves, made, a), self.list(leaves, made, b)) {
                    (Some(a), Some(b)) => union(a, b).count() < a.len() + b.len(),
                    _ => true,
                }
            }
        }
    }

    pub(super) fn least_above(&self, value: ValueId) -> f64 {
        if self.costs.loss.basis() != Basis::Rows {
            return self.cost(value);
        }
        let least = match &self.members {
            SetMembers::Bits(made) => match self.bits(made, value) {
                ANY => self.costs.root,
                bits => self.costs.least_above(members_of(bits)),
            },
            SetMembers::Lists { leaves, made } => match self.list(leaves, made, value) {
                None => self.costs.root,
                Some(members) => self.costs.least_above(members.iter().copied()),
            },
        };
        least.min(self.costs.root)
    }

    /// About what a set of two costs.
    pub(super) fn cost_of_two(&self) -> f64 {
        let by_count = self.costs.by_count.get(2).copied();
        by_count.unwrap_or(self.costs.root * 2.0 / f64::from(self.costs.domain.leaves))
    }

    pub(super) fn branch(&self, value: ValueId) -> u32 {
        match &self.members {
            SetMembers::Bits(made) => match self.bits(made, value) {
                ANY => u32::MAX,
                bits => bits.trailing_zeros(),
            },
            SetMembers::Lists { leaves, made } => {
                self.list(leaves, made, value).map_or(u32::MAX, |members| members[0])
            }
        }
    }

    /// Number of the taxonomy's values.
    pub(super) fn first_made(&self) -> ValueId {
        self.values as ValueId
    }

    pub(super) fn closure(&self, value: ValueId) -> Closure {
        if (value as usize) < self.values {
            return Closure::Value(value);
        }
        Closure::Made(Leaves::Set(match &self.members {
            SetMembers::Bits(made) => members_of(made.get(value).key).collect(),
            SetMembers::Lists { made, .. } => made.get(value).key.clone(),
        }))
    }
}

impl SetCosts {
    fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64, most: usize) -> SetCosts {
        let (domain, scopes) = (Domain::from_attribute(attribute), Arc::new(Scopes::new(attribute)));
        let base: Arc<[f64]> = loss.costs(attribute).into_iter().map(|cost| cost / attributes).collect();
        let root = base[attribute.taxonomy.root() as usize];
        let mut costs = SetCosts { base, root, by_count: Arc::default(), loss, domain, scopes, attributes };
        if loss.basis() != Basis::Rows {
            let of_first = |count: usize| match count {
                0 => 0.0,
                count => costs.computed(0..count as ValueId),
            };
            costs.by_count = (0..=most).map(of_first).collect();
        }
        costs
    }

    fn computed(&self, members: impl Iterator<Item = ValueId>) -> f64 {
        self.loss.cost(&self.domain, &self.scopes.of_set(members)) / self.attributes
    }

    /// The cost of a set of so many members.
    #[inline]
    fn cost<I: Iterator<Item = ValueId>>(&self, count: usize, members: impl FnOnce() -> I) -> f64 {
        self.by_count.get(count).copied().unwrap_or_else(|| self.computed(members()))
    }

    fn least_above(&self, members: impl Iterator<Item = ValueId>) -> f64 {
        self.loss.least_above(&self.domain, &self.scopes.of_set(members)) / self.attributes
    }
}

fn members_of(mut bits: u64) -> impl Iterator<Item = ValueId> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let member = bits.trailing_zeros();
            bits &= bits - 1;
            member
        })
    })
}

/// The members of either of two ascending lists, in order.
fn union(a: &[ValueId], b: &[ValueId]) -> impl Iterator<Item = ValueId> {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    std::iter::from_fn(move || match (a.peek().copied(), b.peek().copied()) {
        (Some(x), Some(y)) => {
            if x <= y {
                a.next();
            }
            if y <= x {
                b.next();
            }
            Some(x.min(y))
        }
        (Some(_), None) => a.next(),
        (None, _) => b.next(),
    })
}
