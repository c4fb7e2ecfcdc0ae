//! Closures of leaves on a line: from the least to the greatest.

use std::sync::Arc;

use super::interner::Interner;
use crate::loss::{Basis, CellLoss, Domain, Scopes};
use crate::problem::Attribute;
use crate::taxonomy::{Closure, Leaves, Places, ValueId};

/// Most leaves of which the costs of all ranges are tabled: 4 MiB.
const MAX_TABLED: usize = 1 << 10;

/// Parts that an index divides a range into.
const PARTS: u64 = 8;

/// Leaves from one to another. The missing leaf lies beyond all others, and what covers it and
/// another covers everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LeafSpan {
    low: u32,
    high: u32,
}

impl LeafSpan {
    const MISSING: LeafSpan = LeafSpan { low: u32::MAX - 1, high: u32::MAX - 1 };
    const ANY: LeafSpan = LeafSpan { low: 0, high: u32::MAX };

    fn leaf(leaf: ValueId) -> LeafSpan {
        LeafSpan { low: leaf, high: leaf }
    }

    #[inline]
    fn join(self, other: LeafSpan) -> LeafSpan {
        LeafSpan { low: self.low.min(other.low), high: self.high.max(other.high) }.whole()
    }

    /// The least that covers this span and some leaf of another.
    #[inline]
    fn reach(self, other: LeafSpan) -> LeafSpan {
        LeafSpan { low: self.low.min(other.high), high: self.high.max(other.low) }.whole()
    }

    #[inline]
    fn whole(self) -> LeafSpan {
        if self.high >= LeafSpan::MISSING.low && self.low != self.high { LeafSpan::ANY } else { self }
    }

    #[inline]
    fn covers(self, other: LeafSpan) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// The ranges of an attribute, and what they cost.
pub(in crate::algorithm::local) struct Ranges {
    /// Of each value of the taxonomy: the leaves and the root.
    spans: Arc<[LeafSpan]>,
    /// Cost of each of them.
    base: Arc<[f64]>,
    missing: ValueId,
    root: ValueId,
    places: Places,
    costs: RangeCosts,
    made: Interner<LeafSpan>,
}

/// What a range of more than one leaf costs.
#[derive(Clone)]
enum RangeCosts {
    /// By the number of leaves.
    Count(Arc<[f64]>),
    /// By the ends, see [`triangular`]; and the least cost of any range around them.
    Table { costs: Arc<[f64]>, least: Arc<[f64]> },
    /// Worked out each time.
    Computed(Arc<Computed>),
}

struct Computed {
    loss: &'static dyn CellLoss,
    domain: Domain,
    scopes: Scopes,
    attributes: f64,
}

impl Computed {
    fn cost(&self, span: LeafSpan) -> f64 {
        self.loss.cost(&self.domain, &self.scopes.of_range(span.low, span.high)) / self.attributes
    }

    fn least_above(&self, span: LeafSpan) -> f64 {
        self.loss.least_above(&self.domain, &self.scopes.of_range(span.low, span.high)) / self.attributes
    }
}

impl Ranges {
    pub(super) fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64) -> Ranges {
        let taxonomy = &attribute.taxonomy;
        let span = |value: ValueId| match value {
            value if Some(value) == taxonomy.missing() => LeafSpan::MISSING,
            value if (value as usize) < taxonomy.leaf_total() => LeafSpan::leaf(value),
            _ => LeafSpan::ANY,
        };
        let values = taxonomy.values().len() as ValueId;
        Ranges {
            spans: (0..values).map(span).collect(),
            base: loss.costs(attribute).into_iter().map(|cost| cost / attributes).collect(),
            missing: taxonomy.missing().unwrap_or(ValueId::MAX),
            root: taxonomy.root(),
            places: taxonomy.places().clone(),
            costs: RangeCosts::new(attribute, loss, attributes),
            made: Interner::new(values),
        }
    }

    pub(super) fn anew(&self) -> Ranges {
        Ranges {
            spans: Arc::clone(&self.spans),
            base: Arc::clone(&self.base),
            places: self.places.clone(),
            costs: self.costs.clone(),
            made: Interner::new(self.first_made()),
            ..*self
        }
    }

    #[inline]
    fn span(&self, value: ValueId) -> LeafSpan {
        self.spans.get(value as usize).copied().unwrap_or_else(|| self.made.get(value).key)
    }

    #[inline]
    fn cost_of(&self, span: LeafSpan) -> f64 {
        match span {
            LeafSpan::ANY => self.base[self.root as usize],
            LeafSpan::MISSING => self.base[self.missing as usize],
            LeafSpan { low, high } if low == high => self.base[low as usize],
            _ => self.costs.cost(span),
        }
    }

    fn least_of(&self, span: LeafSpan) -> f64 {
        match (span, &self.costs) {
            (LeafSpan::ANY, _) => self.base[self.root as usize],
            (LeafSpan { low, high }, RangeCosts::Table { least, .. }) if span != LeafSpan::MISSING => {
                least[triangular(low, high)]
            }
            (_, RangeCosts::Computed(computed)) if span != LeafSpan::MISSING => computed.least_above(span),
            (LeafSpan::MISSING, RangeCosts::Table { .. } | RangeCosts::Computed(_)) => {
                self.cost_of(span).min(self.base[self.root as usize])
            }
            _ => self.cost_of(span),
        }
    }

    pub(super) fn cost(&self, value: ValueId) -> f64 {
        let base = self.base.get(value as usize).copied();
        base.unwrap_or_else(|| self.made.get(value).cost)
    }

    pub(super) fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        let (of_a, of_b) = (self.span(a), self.span(b));
        match of_a.join(of_b) {
            join if join == of_a => a,
            join if join == of_b => b,
            LeafSpan::ANY => self.root,
            join => self.made.intern(&join, || self.cost_of(join)),
        }
    }

    #[inline]
    pub(super) fn pair_cost(&self, a: ValueId, b: ValueId) -> f64 {
        self.cost_of(self.span(a).join(self.span(b)))
    }

    #[inline]
    pub(super) fn covers(&self, value: ValueId, other: ValueId) -> bool {
        self.span(value).covers(self.span(other))
    }

    #[inline]
    pub(super) fn meets(&self, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.span(a), self.span(b));
        a.low <= b.high && b.low <= a.high
    }

    #[inline]
    pub(super) fn floor(&self, value: ValueId, top: ValueId) -> f64 {
        self.least_of(self.span(value).reach(self.span(top)))
    }

    pub(super) fn least_above(&self, value: ValueId) -> f64 {
        self.least_of(self.span(value))
    }

    pub(super) fn branch(&self, top: ValueId, value: ValueId) -> u32 {
        let (top, span) = (self.span(top), self.span(value));
        if span == LeafSpan::ANY || span == LeafSpan::MISSING {
            return span.high;
        }
        let known = self.spans.len() as u32;
        let (low, high) = if top == LeafSpan::ANY { (0, known) } else { (top.low, top.high) };
        let middle = (u64::from(span.low) + u64::from(span.high)) / 2;
        ((middle - u64::from(low)) * PARTS / u64::from(high - low + 1)) as u32
    }

    /// Number of the taxonomy's values.
    pub(super) fn first_made(&self) -> ValueId {
        self.spans.len() as ValueId
    }

    pub(super) fn closure(&self, value: ValueId) -> Closure {
        if (value as usize) < self.spans.len() {
            return Closure::Value(value);
        }
        let LeafSpan { low: first, high: last } = self.span(value);
        let mut leaves = Leaves::Range { first, last };
        // A search goes by leaves; a range has all that are equal to its ends.
        self.places.widen(&mut leaves);
        Closure::Made(leaves)
    }
}

impl RangeCosts {
    fn new(attribute: &Attribute, loss: &'static dyn CellLoss, attributes: f64) -> RangeCosts {
        let (domain, scopes) = (Domain::from_attribute(attribute), Scopes::new(attribute));
        let computed = Computed { loss, domain, scopes, attributes };
        let known = attribute.taxonomy.leaf_total() - usize::from(attribute.taxonomy.missing().is_some());
        let spans = |high: usize| (0..=high).map(move |low| LeafSpan { low: low as u32, high: high as u32 });
        if loss.basis() == Basis::Count && known > 0 {
            let by_count = (0..known as u32).map(|last| computed.cost(LeafSpan { low: 0, high: last }));
            return RangeCosts::Count(std::iter::once(0.0).chain(by_count).collect());
        }
        if known > MAX_TABLED {
            return RangeCosts::Computed(Arc::new(computed));
        }
        let all = || (0..known).flat_map(spans);
        let costs: Vec<f64> = all().map(|span| computed.cost(span)).collect();
        let root = loss.costs(attribute)[attribute.taxonomy.root() as usize] / attributes;
        RangeCosts::Table { least: least_around(&costs, known, root).into(), costs: costs.into() }
    }

    #[inline]
    fn cost(&self, span: LeafSpan) -> f64 {
        match self {
            RangeCosts::Count(by_count) => by_count[(span.high - span.low + 1) as usize],
            RangeCosts::Table { costs, .. } => costs[triangular(span.low, span.high)],
            RangeCosts::Computed(computed) => computed.cost(span),
        }
    }
}

#[inline]
fn triangular(low: u32, high: u32) -> usize {
    let high = high as usize;
    high * (high + 1) / 2 + low as usize
}

/// The least cost of each range and all that cover it, the root among them.
fn least_around(costs: &[f64], leaves: usize, root: f64) -> Vec<f64> {
    let mut least: Vec<f64> = costs.iter().map(|cost| cost.min(root)).collect();
    for high in (0..leaves as u32).rev() {
        for low in 0..=high {
            let at = triangular(low, high);
            if low > 0 {
                least[at] = least[at].min(least[triangular(low - 1, high)]);
            }
            if (high as usize) < leaves - 1 {
                least[at] = least[at].min(least[triangular(low, high + 1)]);
            }
        }
    }
    least
}
