//! What a search asks of records: what they cost with another, and which are consistent with it.

use super::{Above, Prices, round};
use crate::taxonomy::ValueId;

/// Which of several records are consistent with a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::algorithm::local::k_k) enum Reach {
    /// None is.
    None,
    /// Some may be.
    Some,
    /// All are.
    All,
}

impl Reach {
    /// Which are if those of two attributes have to be.
    #[inline]
    pub(in crate::algorithm::local::k_k) fn and(self, other: Reach) -> Reach {
        self.min(other)
    }
}

/// What a [search](super::super::search) asks of each record, attribute by attribute.
pub(in crate::algorithm::local::k_k) trait Pricing {
    /// Least price of an attribute.
    fn floor(&self, attribute: usize) -> i64;

    /// Least price of several records' values, by the lowest value that covers them and the price of the
    /// dearest, and which of them are consistent with the probe.
    fn bound(&self, attribute: usize, cover: ValueId, most: i64) -> (i64, Reach);

    /// The price of a record's value, and whether it is consistent with the probe.
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool);
}

/// `c(record + other)` of original records `other`; those are consistent that the record covers.
pub(in crate::algorithm::local::k_k) struct Joining<'a> {
    pub(in crate::algorithm::local::k_k) prices: &'a Prices,
    pub(in crate::algorithm::local::k_k) record: &'a [ValueId],
}

impl Pricing for Joining<'_> {
    fn floor(&self, attribute: usize) -> i64 {
        let (prices, own) = (self.prices, self.record[attribute]);
        match (&prices.attributes[attribute].above, prices.open(attribute)) {
            (Above::Tree { least, .. }, _) => least[own as usize],
            (_, Some(open)) => round(open.least_above(own), prices.scale),
            _ => unreachable!("there is a tree or none"),
        }
    }

    #[inline]
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool) {
        let (prices, own) = (self.prices, self.record[attribute]);
        match prices.open(attribute) {
            None => {
                let join = prices.closures.join(attribute, own, value);
                (prices.attributes[attribute].of[join as usize], join == own)
            }
            Some(open) => (round(open.pair_cost(own, value), prices.scale), open.covers(own, value)),
        }
    }

    /// If the record's value covers the others, or has nothing in common with them, then all joins
    /// are the same; but not those of ranges or sets.
    #[inline]
    fn bound(&self, attribute: usize, cover: ValueId, _: i64) -> (i64, Reach) {
        let (prices, own) = (self.prices, self.record[attribute]);
        if let Some(open) = prices.open(attribute) {
            let floor = round(open.floor(own, cover), prices.scale);
            return match (open.covers(own, cover), open.meets(own, cover)) {
                (true, _) => (prices.cell(attribute, own), Reach::All),
                (false, true) => (floor, Reach::Some),
                (false, false) => (floor, Reach::None),
            };
        }
        let join = prices.join(attribute, own, cover);
        if join == own {
            (prices.cell(attribute, join), Reach::All)
        } else if join == cover {
            (self.floor(attribute), Reach::Some)
        } else {
            (prices.cell(attribute, join), Reach::None)
        }
    }
}

/// `c(record + other) − c(other)` of released records `other`; those are consistent that cover
/// the original record.
pub(in crate::algorithm::local::k_k) struct Growing<'a> {
    pub(in crate::algorithm::local::k_k) prices: &'a Prices,
    pub(in crate::algorithm::local::k_k) record: &'a [ValueId],
}

impl Pricing for Growing<'_> {
    fn floor(&self, attribute: usize) -> i64 {
        match &self.prices.attributes[attribute].above {
            Above::Tree { growth, .. } => growth[self.record[attribute] as usize],
            Above::Open { growth } => *growth,
        }
    }

    #[inline]
    fn step(&self, attribute: usize, value: ValueId) -> (i64, bool) {
        let (prices, own) = (self.prices, self.record[attribute]);
        match prices.open(attribute) {
            None => {
                let join = prices.closures.join(attribute, own, value);
                let of = &prices.attributes[attribute].of;
                (of[join as usize] - of[value as usize], join == value)
            }
            Some(open) => {
                let growth = prices.pair(attribute, own, value) - prices.cell(attribute, value);
                (growth, open.covers(value, own))
            }
        }
    }

    /// If the record's value has nothing in common with the others, then all joins are the same;
    /// but not those of ranges or sets.
    #[inline]
    fn bound(&self, attribute: usize, cover: ValueId, most: i64) -> (i64, Reach) {
        let (prices, own) = (self.prices, self.record[attribute]);
        if let Some(open) = prices.open(attribute) {
            if open.covers(cover, own) {
                return (self.floor(attribute), Reach::Some);
            }
            let least = round(open.floor(own, cover), prices.scale) - most;
            return (least.max(self.floor(attribute)), Reach::None);
        }
        let join = prices.join(attribute, own, cover);
        if join == cover {
            (self.floor(attribute), Reach::Some)
        } else {
            (prices.cell(attribute, join) - most, Reach::None)
        }
    }
}
