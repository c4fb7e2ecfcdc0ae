//! Prices: the objective's cell costs as whole numbers.
//!
//! Sums of whole numbers do not depend on the order of the attributes. So a search may take the
//! attributes in the order that prunes best, compare a bound with a cost, and find ties exactly.

use super::closure::Closures;
use crate::problem::{Attribute, Problem};
use crate::taxonomy::{Taxonomy, ValueId};

/// The price of the most costly record; prices are exact to about the precision of `f64`.
const SCALE: f64 = (1u64 << 50) as f64;

/// Joins of records and what they cost.
pub(super) struct Prices {
    closures: Closures,
    attributes: Vec<AttributePrices>,
    monotone: bool,
}

struct AttributePrices {
    of: Vec<i64>,
    /// Least price of a value and its ancestors: no join with the value is cheaper.
    least_above: Vec<i64>,
    /// By leaf: joining it with any value adds at least this much to the value's price.
    least_growth: Vec<i64>,
}

impl Prices {
    /// The prices of a problem whose objective is a sum over cells.
    pub(super) fn new(problem: &Problem) -> Prices {
        let closures = super::closures(problem);
        let costs: Vec<Vec<f64>> = problem
            .attributes()
            .iter()
            .enumerate()
            .map(|(a, attribute)| {
                let values = 0..attribute.taxonomy.values().len() as ValueId;
                values.map(|value| closures.cell_cost(a, value)).collect()
            })
            .collect();
        let most: f64 = costs.iter().map(|of| of.iter().copied().fold(0.0, f64::max)).sum();
        let scale = if most > 0.0 { SCALE / most } else { 0.0 };
        let attributes: Vec<AttributePrices> = problem
            .attributes()
            .iter()
            .zip(&costs)
            .map(|(attribute, costs)| AttributePrices::new(&attribute.taxonomy, costs, scale))
            .collect();
        let monotone = attributes.iter().all(|a| a.of == a.least_above);
        Prices { closures, attributes, monotone }
    }

    /// Whether no generalisation is cheaper than what it generalises; not so for entropy.
    pub(super) fn is_monotone(&self) -> bool {
        self.monotone
    }

    /// The price of a cell with this value.
    #[inline]
    pub(super) fn cell(&self, attribute: usize, value: ValueId) -> i64 {
        self.attributes[attribute].of[value as usize]
    }

    /// `c` of the paper.
    pub(super) fn of(&self, record: &[ValueId]) -> i64 {
        record.iter().enumerate().map(|(a, &value)| self.cell(a, value)).sum()
    }

    /// `c` of the closure of two records.
    pub(super) fn of_join(&self, a: &[ValueId], b: &[ValueId]) -> i64 {
        let pairs = a.iter().zip(b).enumerate();
        pairs.map(|(at, (&a, &b))| self.cell(at, self.closures.join(at, a, b))).sum()
    }

    /// The lowest value of an attribute that covers both.
    #[inline]
    pub(super) fn join(&self, attribute: usize, a: ValueId, b: ValueId) -> ValueId {
        self.closures.join(attribute, a, b)
    }

    /// Generalises `record` until it covers `other`, too.
    pub(super) fn extend(&self, record: &mut [ValueId], other: &[ValueId]) {
        self.closures.extend(record, other);
    }

    /// Whether a generalised record is consistent with an original one.
    pub(super) fn covers(&self, record: &[ValueId], other: &[ValueId]) -> bool {
        self.closures.covers(record, other)
    }

    /// The attributes in the order in which the join of two records drawn from the table is
    /// likely to cost most: looked at in this order, most records are soon too costly.
    pub(super) fn by_expected_price(&self, problem: &Problem) -> Vec<usize> {
        let attributes = problem.attributes().iter().zip(&self.attributes);
        let expected: Vec<i128> = attributes.map(|(attribute, prices)| prices.expected(attribute)).collect();
        let mut order: Vec<usize> = (0..expected.len()).collect();
        order.sort_by_key(|&a| (std::cmp::Reverse(expected[a]), a));
        order
    }
}

impl AttributePrices {
    fn new(taxonomy: &Taxonomy, costs: &[f64], scale: f64) -> AttributePrices {
        let of: Vec<i64> = costs.iter().map(|cost| (cost * scale).round() as i64).collect();
        let above = |value: ValueId| ancestors(taxonomy, value);
        let values = 0..of.len() as ValueId;
        let mut most_below = of.clone();
        for value in values.clone() {
            for up in above(value) {
                most_below[up as usize] = most_below[up as usize].max(of[value as usize]);
            }
        }
        let least = |prices: &dyn Fn(usize) -> i64, value: ValueId| {
            above(value).map(|up| prices(up as usize)).min().expect("a value is above itself")
        };
        let least_above = values.map(|value| least(&|up| of[up], value)).collect();
        // The join is an ancestor of the leaf, the value lies below the join.
        let leaves = 0..taxonomy.leaf_total() as ValueId;
        let least_growth = leaves.map(|leaf| least(&|up| of[up] - most_below[up], leaf)).collect();
        AttributePrices { of, least_above, least_growth }
    }

    /// The sum of the prices of the joins of all pairs of rows.
    fn expected(&self, attribute: &Attribute) -> i128 {
        let taxonomy = &attribute.taxonomy;
        let mut below = vec![0i128; self.of.len()];
        for (leaf, &rows) in attribute.leaf_rows().iter().enumerate() {
            ancestors(taxonomy, leaf as ValueId).for_each(|up| below[up as usize] += i128::from(rows));
        }
        let pairs = |value: usize| below[value] * below[value];
        let mut joins: Vec<i128> = (0..below.len()).map(pairs).collect();
        for (value, at) in taxonomy.values().iter().enumerate() {
            if at.parent as usize != value {
                joins[at.parent as usize] -= pairs(value);
            }
        }
        joins.iter().zip(&self.of).map(|(&pairs, &price)| pairs * i128::from(price)).sum()
    }
}

/// A value and all above it.
fn ancestors(taxonomy: &Taxonomy, value: ValueId) -> impl Iterator<Item = ValueId> {
    let parent = |at: ValueId| taxonomy.values()[at as usize].parent;
    std::iter::successors(Some(value), move |&at| (parent(at) != at).then(|| parent(at)))
}

/// What a search in a [`Trie`](super::trie::Trie) asks of each record, attribute by attribute.
pub(super) trait Probe {
    /// Least price of an attribute.
    fn floor(&self, attribute: usize) -> i64;

    /// The price of a record's value, and whether it is consistent with the probe.
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool);
}

/// `c(record + other)` of original records `other`; those are consistent that the record covers.
pub(super) struct Joining<'a> {
    pub(super) prices: &'a Prices,
    pub(super) record: &'a [ValueId],
}

impl Probe for Joining<'_> {
    fn floor(&self, attribute: usize) -> i64 {
        self.prices.attributes[attribute].least_above[self.record[attribute] as usize]
    }

    #[inline]
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool) {
        let own = self.record[attribute];
        let join = self.prices.join(attribute, own, value);
        (self.prices.cell(attribute, join), join == own)
    }
}

/// `c(record + other) − c(other)` of released records `other`; those are consistent that cover
/// the original record.
pub(super) struct Growing<'a> {
    pub(super) prices: &'a Prices,
    pub(super) record: &'a [ValueId],
}

impl Probe for Growing<'_> {
    fn floor(&self, attribute: usize) -> i64 {
        self.prices.attributes[attribute].least_growth[self.record[attribute] as usize]
    }

    #[inline]
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool) {
        let join = self.prices.join(attribute, self.record[attribute], value);
        (self.prices.cell(attribute, join) - self.prices.cell(attribute, value), join == value)
    }
}
