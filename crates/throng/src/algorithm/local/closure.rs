//! Closures: the least generalised record that covers a set of records, and what it costs.
//!
//! A record is one value id per attribute; the closure of two is their lowest common ancestor in
//! every attribute. `d(S)` of the paper is [`Closures::cost`] of the closure of `S`: the mean over
//! attributes of the objective's cell cost.

use crate::loss::{CellLoss, Kind};
use crate::problem::{Attribute, Problem};
use crate::taxonomy::{Taxonomy, ValueId};

/// Largest table of common ancestors that is worth making: 4 Mi entries an attribute.
const MAX_TABLE: usize = 1 << 22;

/// Joins and costs for every attribute of a problem.
pub(crate) struct Closures {
    attributes: Vec<AttributeClosures>,
}

struct AttributeClosures {
    /// Cost of a cell with each value, divided by the number of attributes.
    costs: Vec<f64>,
    joins: Joins,
}

enum Joins {
    /// The lowest common ancestor of every pair, by row.
    Table { values: usize, of: Vec<u32> },
    /// Parents and depths to climb by, where a table would be too large.
    Climb { parents: Vec<ValueId>, depths: Vec<u32> },
}

impl Closures {
    /// The closures of a problem; none if its objective is not a sum over cells, because only
    /// such a measure gives a set of records a cost.
    pub(crate) fn new(problem: &Problem) -> Option<Closures> {
        let Kind::Cells(loss) = problem.objective.kind() else { return None };
        let count = problem.attributes().len() as f64;
        let attributes = problem.attributes().iter().map(|a| AttributeClosures::new(a, loss, count));
        Some(Closures { attributes: attributes.collect() })
    }

    /// Number of attributes.
    pub(crate) fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// The lowest value of an attribute that covers both.
    #[inline]
    pub(crate) fn join(&self, attribute: usize, a: ValueId, b: ValueId) -> ValueId {
        self.attributes[attribute].join(a, b)
    }

    /// What a cell with this value adds to the cost of its record.
    #[inline]
    pub(crate) fn cell_cost(&self, attribute: usize, value: ValueId) -> f64 {
        self.attributes[attribute].costs[value as usize]
    }

    /// `c` of the paper: the cost of a generalised record.
    pub(crate) fn cost(&self, record: &[ValueId]) -> f64 {
        record.iter().enumerate().map(|(a, &value)| self.cell_cost(a, value)).sum()
    }

    /// `d` of the union of two sets, given their closures.
    #[inline]
    pub(crate) fn join_cost(&self, a: &[ValueId], b: &[ValueId]) -> f64 {
        let pairs = self.attributes.iter().zip(a.iter().zip(b));
        pairs.map(|(attribute, (&a, &b))| attribute.costs[attribute.join(a, b) as usize]).sum()
    }

    /// Generalises `record` until it covers `other`, too.
    pub(crate) fn extend(&self, record: &mut [ValueId], other: &[ValueId]) {
        for (attribute, (value, &other)) in self.attributes.iter().zip(record.iter_mut().zip(other)) {
            *value = attribute.join(*value, other);
        }
    }

    /// Whether a generalised record covers another: the paper's consistency.
    pub(crate) fn covers(&self, record: &[ValueId], other: &[ValueId]) -> bool {
        let pairs = self.attributes.iter().zip(record.iter().zip(other));
        pairs.into_iter().all(|(attribute, (&value, &other))| attribute.join(value, other) == value)
    }
}

impl AttributeClosures {
    fn new(attribute: &Attribute, loss: &dyn CellLoss, attributes: f64) -> AttributeClosures {
        let costs = loss.costs(attribute).into_iter().map(|cost| cost / attributes).collect();
        AttributeClosures { costs, joins: Joins::new(&attribute.taxonomy) }
    }

    #[inline]
    fn join(&self, a: ValueId, b: ValueId) -> ValueId {
        match &self.joins {
            Joins::Table { values, of } => of[a as usize * values + b as usize],
            Joins::Climb { parents, depths } => climb(parents, depths, a, b),
        }
    }
}

impl Joins {
    fn new(taxonomy: &Taxonomy) -> Joins {
        let values = taxonomy.values().len();
        let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
        let depths: Vec<u32> = (0..values as ValueId).map(|value| depth(&parents, value)).collect();
        if values * values > MAX_TABLE {
            return Joins::Climb { parents, depths };
        }
        let pairs = (0..values as ValueId).flat_map(|a| (0..values as ValueId).map(move |b| (a, b)));
        let of = pairs.map(|(a, b)| climb(&parents, &depths, a, b)).collect();
        Joins::Table { values, of }
    }
}

fn depth(parents: &[ValueId], mut value: ValueId) -> u32 {
    let mut depth = 0;
    while parents[value as usize] != value {
        value = parents[value as usize];
        depth += 1;
    }
    depth
}

fn climb(parents: &[ValueId], depths: &[u32], mut a: ValueId, mut b: ValueId) -> ValueId {
    while a != b {
        if depths[a as usize] >= depths[b as usize] {
            a = parents[a as usize];
        } else {
            b = parents[b as usize];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_climbing_agree_with_the_taxonomy() {
        let rows: Vec<Vec<String>> = (0..30)
            .map(|i| vec![i.to_string(), format!("a{}", i / 4), format!("b{}", i / 8), "*".into()])
            .collect();
        let taxonomy = Taxonomy::from_rows(&rows).unwrap();
        let values = taxonomy.values().len() as ValueId;
        let Joins::Table { values: width, of } = Joins::new(&taxonomy) else { panic!("small enough") };
        let parents: Vec<ValueId> = taxonomy.values().iter().map(|value| value.parent).collect();
        let depths: Vec<u32> = (0..values).map(|value| depth(&parents, value)).collect();
        for a in 0..values {
            for b in 0..values {
                let expected = taxonomy.lowest_common_ancestor(a, b);
                assert_eq!(of[a as usize * width + b as usize], expected);
                assert_eq!(climb(&parents, &depths, a, b), expected);
            }
        }
    }
}
