//! Prices: the objective's cell costs as whole numbers.
//!
//! Sums of whole numbers do not depend on the order of the attributes. So a search may take the
//! attributes in the order that prunes best, compare a bound with a cost, and find ties exactly. That
//! is why there are prices beside the [costs of pairs](crate::algorithm::local::index::PairCosts). They
//! need no table of pairs: which value a join is has to be known anyway, because it says which records
//! are consistent.

mod pricing;

pub(super) use pricing::{Growing, Joining, Pricing, Reach};

use std::sync::Arc;

use crate::algorithm::local::closure::{Closures, Open};
use crate::algorithm::local::records;
use crate::loss::{Basis, Kind};
use crate::problem::{Attribute, Problem};
use crate::recoding::Local;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::{Leaves, Taxonomy, ValueId};

/// The most costly record has at most this price; prices are exact to about the precision of `f64`.
const MOST: f64 = (1u64 << 50) as f64;

/// The least common multiple of 1 to 28. Costs are often fractions of small denominators, such as the
/// number of an attribute's values, and then they are whole numbers of this part: 4/9 is as much as
/// 1/3 + 1/9. Rounding would decide such ties, all in the same way.
const PARTS: f64 = 80_313_433_200.0;

/// Leaves of an attribute without a tree of which all pairs are looked at for an average.
const SAMPLE: usize = 128;

/// Joins of records and what they cost.
///
/// Records have their attributes in the order in which the join of two that are drawn from the table
/// is likely to cost most: looked at in this order, most are soon too costly.
pub(super) struct Prices {
    closures: Closures,
    attributes: Vec<AttributePrices>,
    monotone: bool,
    /// Price of a cost of 1.
    scale: f64,
    /// Which attribute of the problem is at each place.
    order: Arc<[usize]>,
}

#[derive(Clone)]
struct AttributePrices {
    /// Of the values of the taxonomy.
    of: Arc<[i64]>,
    above: Above,
}

/// What generalising costs at least.
#[derive(Clone)]
enum Above {
    Tree {
        /// Least price of a value and its ancestors: no join with the value is cheaper.
        least: Arc<[i64]>,
        /// By leaf: joining it with any value adds at least this much to the value's price.
        growth: Arc<[i64]>,
    },
    /// Joining any leaf with any range or set adds at least this much.
    Open { growth: i64 },
}

impl Prices {
    /// The prices of a problem whose objective is a sum over cells.
    pub(super) fn new(problem: &Problem) -> Prices {
        let Prices { closures, attributes, monotone, scale, order } =
            &*problem.derived(|| Prices::of_attributes(problem));
        Prices {
            closures: closures.anew(),
            attributes: attributes.clone(),
            monotone: *monotone,
            scale: *scale,
            order: Arc::clone(order),
        }
    }

    /// What is the same for all parts of a problem.
    fn of_attributes(problem: &Problem) -> Prices {
        let closures = crate::algorithm::local::closures(problem);
        let Kind::Cells(loss) = problem.objective.kind() else { unreachable!("there are closures") };
        let count = problem.attributes().len() as f64;
        let most: Vec<f64> = problem.attributes().iter().map(|a| loss.most(a) / count).collect();
        let total: f64 = most.iter().sum();
        let scale = scale(total);
        let prices = |(a, attribute): (usize, &Attribute)| {
            let values = 0..attribute.taxonomy.values().len() as ValueId;
            let of = values.map(|value| round(closures.cell_cost(a, value), scale)).collect();
            let falls = loss.basis() == Basis::Rows;
            match closures.open(a) {
                None => AttributePrices::of_tree(&attribute.taxonomy, of),
                Some(_) => {
                    let growth = if falls { -round(most[a], scale) } else { 0 };
                    AttributePrices { of, above: Above::Open { growth } }
                }
            }
        };
        let attributes: Vec<AttributePrices> = problem.attributes().iter().enumerate().map(prices).collect();
        let monotone = attributes.iter().all(AttributePrices::is_monotone);
        let order = (0..attributes.len()).collect();
        Prices { closures, attributes, monotone, scale, order }.arranged(problem)
    }

    /// Whether no generalisation is cheaper than what it generalises; not so for entropy.
    pub(super) fn is_monotone(&self) -> bool {
        self.monotone
    }

    /// The price of a cell with this value.
    #[inline]
    pub(super) fn cell(&self, attribute: usize, value: ValueId) -> i64 {
        match self.attributes[attribute].of.get(value as usize) {
            Some(&price) => price,
            None => round(self.closures.cell_cost(attribute, value), self.scale),
        }
    }

    /// The price of a cell with the join of two values.
    #[inline]
    fn pair(&self, attribute: usize, a: ValueId, b: ValueId) -> i64 {
        match self.open(attribute) {
            None => self.attributes[attribute].of[self.closures.join(attribute, a, b) as usize],
            Some(open) => round(open.pair_cost(a, b), self.scale),
        }
    }

    #[inline]
    fn open(&self, attribute: usize) -> Option<&Open> {
        self.closures.open(attribute)
    }

    /// `c` of the paper.
    pub(super) fn price(&self, record: &[ValueId]) -> i64 {
        record.iter().enumerate().map(|(a, &value)| self.cell(a, value)).sum()
    }

    /// `c` of the closure of two records.
    pub(super) fn of_join(&self, a: &[ValueId], b: &[ValueId]) -> i64 {
        a.iter().zip(b).enumerate().map(|(at, (&a, &b))| self.pair(at, a, b)).sum()
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

    /// What joins are made with.
    pub(super) fn closures(&self) -> &Closures {
        &self.closures
    }

    /// The tuples of a table as records, one after the other.
    pub(super) fn records(&self, problem: &Problem) -> Vec<ValueId> {
        records(problem, self.order.iter().copied())
    }

    /// Which attribute of the problem is at each place of a record.
    #[cfg(test)]
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// What a recoding releases of a tuple, or a part of one.
    pub(super) fn record_of(&self, problem: &Problem, local: &Local, part: usize) -> Vec<ValueId> {
        let value = |(place, &a): (usize, &usize)| {
            let (value, known) = (local.column(a)[part], problem.attributes()[a].taxonomy.values().len());
            let Some(made) = (value as usize).checked_sub(known) else { return value };
            let join = |a, b| self.join(place, a, b);
            match &local.made(a)[made] {
                Leaves::Range { first, last } => join(*first, *last),
                Leaves::Set(members) => members.iter().copied().reduce(join).expect("a set has members"),
            }
        };
        self.order.iter().enumerate().map(value).collect()
    }

    /// The recoding that releases a record for each tuple. `go_on` may stop it.
    pub(super) fn local(&self, records: &[ValueId], go_on: &GoOn<'_>) -> Result<Local, Stop> {
        let column = |a: usize| records.iter().skip(a).step_by(self.order.len()).copied().collect();
        self.closures.local((0..self.order.len()).map(column), &self.order, go_on)
    }

    /// The same with the attributes by expected price.
    fn arranged(self, problem: &Problem) -> Prices {
        let order = self.expected_order(problem);
        let attributes = order.iter().map(|&a| self.attributes[a].clone()).collect();
        Prices { closures: self.closures.arranged(&order), attributes, order, ..self }
    }

    fn expected_order(&self, problem: &Problem) -> Arc<[usize]> {
        let expected = |(a, attribute): (usize, &Attribute)| match self.open(a) {
            None => self.attributes[a].expected(attribute),
            Some(_) => self.expected_of_sample(a, attribute),
        };
        let expected: Vec<i128> = problem.attributes().iter().enumerate().map(expected).collect();
        let mut order: Vec<usize> = (0..expected.len()).collect();
        order.sort_by_key(|&a| (std::cmp::Reverse(expected[a]), a));
        order.into()
    }

    /// About the sum of the prices of the joins of all pairs of rows, by those of some leaves.
    fn expected_of_sample(&self, a: usize, attribute: &Attribute) -> i128 {
        let rows = attribute.leaf_rows();
        let step = rows.len().div_ceil(SAMPLE);
        let sample = || (0..rows.len()).step_by(step);
        let (mut pairs, mut sum) = (0.0, 0.0);
        for (x, y) in sample().flat_map(|x| sample().map(move |y| (x, y))) {
            let weight = rows[x] as f64 * rows[y] as f64;
            pairs += weight;
            sum += weight * self.pair(a, x as ValueId, y as ValueId) as f64;
        }
        let all = rows.iter().map(|&rows| rows as f64).sum::<f64>().powi(2);
        if pairs > 0.0 { (sum / pairs * all) as i128 } else { 0 }
    }
}

/// The price of a cost of 1: a multiple of [`PARTS`] by a power of two, which keeps thirds thirds.
/// (For costs beyond some ten thousand the power is too small for that.)
fn scale(most: f64) -> f64 {
    let room = (MOST / most / PARTS).log2().floor();
    if most > 0.0 { PARTS * room.exp2() } else { 0.0 }
}

#[inline]
fn round(cost: f64, scale: f64) -> i64 {
    (cost * scale).round() as i64
}

impl AttributePrices {
    fn of_tree(taxonomy: &Taxonomy, of: Arc<[i64]>) -> AttributePrices {
        let above = |value: ValueId| ancestors(taxonomy, value);
        let values = 0..of.len() as ValueId;
        let mut most_below = of.to_vec();
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
        let growth = leaves.map(|leaf| least(&|up| of[up] - most_below[up], leaf)).collect();
        AttributePrices { of, above: Above::Tree { least: least_above, growth } }
    }

    fn is_monotone(&self) -> bool {
        match &self.above {
            Above::Tree { least, .. } => self.of == *least,
            Above::Open { growth } => *growth == 0,
        }
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
        joins.iter().zip(&*self.of).map(|(&pairs, &price)| pairs * i128::from(price)).sum()
    }
}

/// A value and all above it.
fn ancestors(taxonomy: &Taxonomy, value: ValueId) -> impl Iterator<Item = ValueId> {
    let parent = |at: ValueId| taxonomy.values()[at as usize].parent;
    std::iter::successors(Some(value), move |&at| (parent(at) != at).then(|| parent(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sums_of_costs_have_equal_prices() {
        for most in [1.0, 6.0, 9.0, 0.37, 1e4] {
            let price = |cost: f64| round(cost, scale(most));
            for (whole, parts) in [(4.0 / 9.0, [1.0 / 3.0, 1.0 / 9.0]), (0.5 / 6.0, [0.2 / 6.0, 0.3 / 6.0])] {
                assert_eq!(price(whole), parts.map(price).iter().sum(), "{most}");
            }
            assert!((MOST / 4.0..=MOST).contains(&(price(most) as f64)), "{most}");
        }
        assert_eq!(scale(0.0), 0.0);
    }
}
