//! Distances between clusters (eq. 8–11), and lower bounds of them.
//!
//! Each distance is written so that it is symmetric and grows with the cost of the union even
//! after rounding: a bound that is put together from smaller terms by the same expression is
//! then never above the distance, and a search that prunes by it loses no pair, not even a tie.

use crate::algorithm::{Distance, Parameters};

/// Logarithms up to this are kept; two unripe clusters have fewer than 2k records.
const MAX_LOGS: u64 = 1 << 16;

/// What a distance needs to know of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClusterShape {
    /// Number of records.
    pub(super) size: u32,
    /// `d` of the paper: the cost of the closure.
    pub(super) cost: f64,
}

/// What is known of the shapes of several clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShapeRange {
    /// Fewest records of any.
    pub(super) least_size: u32,
    /// Most records of any.
    pub(super) most_size: u32,
    /// Greatest cost of any.
    pub(super) most_cost: f64,
}

impl ShapeRange {
    /// The range of some shapes; there must be one.
    pub(super) fn of(shapes: impl Iterator<Item = ClusterShape>) -> ShapeRange {
        let none = ShapeRange { least_size: u32::MAX, most_size: 0, most_cost: f64::NEG_INFINITY };
        shapes.fold(none, |range, shape| ShapeRange {
            least_size: range.least_size.min(shape.size),
            most_size: range.most_size.max(shape.size),
            most_cost: range.most_cost.max(shape.cost),
        })
    }
}

/// One of the distances, with its parameters.
pub(super) struct Measure {
    distance: Distance,
    epsilon: f64,
    logs: Vec<f64>,
}

impl Measure {
    /// The distance of some parameters, for clusters that are ripe with k records.
    pub(super) fn new(parameters: &Parameters, k: u64) -> Measure {
        let logs = (0..k.saturating_mul(2).min(MAX_LOGS)).map(|size| (size as f64).ln()).collect();
        Measure { distance: parameters.distance, epsilon: parameters.epsilon, logs }
    }

    /// The distance between two clusters, given the cost of their union.
    ///
    /// For the asymmetric distance, the lesser of the two directions.
    #[inline]
    pub(super) fn between(&self, a: ClusterShape, b: ClusterShape, union: f64) -> f64 {
        match self.distance {
            Distance::D1 => f64::from(a.size) * (union - a.cost) + f64::from(b.size) * (union - b.cost),
            Distance::D2 => union - (a.cost + b.cost),
            Distance::D3 => (union - (a.cost + b.cost)) / self.log(a.size + b.size),
            Distance::D4 => quotient(union, a.cost + b.cost + self.epsilon),
            Distance::NergizClifton => union - a.cost.max(b.cost),
        }
    }

    /// A lower bound of [`between`](Self::between) for every `b` in the range whose union with
    /// `a` costs at least `union`.
    #[inline]
    pub(super) fn floor(&self, a: ClusterShape, b: &ShapeRange, union: f64) -> f64 {
        match self.distance {
            Distance::D1 => {
                let growth = union - b.most_cost;
                let size = if growth < 0.0 { b.most_size } else { b.least_size };
                f64::from(a.size) * (union - a.cost) + f64::from(size) * growth
            }
            Distance::D2 => union - (a.cost + b.most_cost),
            Distance::D3 => {
                let growth = union - (a.cost + b.most_cost);
                let size = if growth < 0.0 { b.least_size } else { b.most_size };
                growth / self.log(a.size + size)
            }
            Distance::D4 => quotient(union, a.cost + b.most_cost + self.epsilon),
            Distance::NergizClifton => union - a.cost.max(b.most_cost),
        }
    }

    /// The distance from a record to a cluster that it may join (line 10 of Algorithm 1).
    pub(super) fn toward(&self, record: ClusterShape, cluster: ClusterShape, union: f64) -> f64 {
        match self.distance {
            Distance::NergizClifton => union - cluster.cost,
            _ => self.between(record, cluster, union),
        }
    }

    /// The distance between a cluster and what is left of it when a record goes (line 2 of
    /// Algorithm 2); their union is the cluster.
    pub(super) fn leaving(&self, whole: ClusterShape, rest: ClusterShape) -> f64 {
        match self.distance {
            Distance::D1 => -f64::from(rest.size) * rest.cost,
            Distance::D2 => -rest.cost,
            Distance::D3 => -rest.cost / self.log(whole.size),
            Distance::D4 => quotient(whole.cost, whole.cost + rest.cost + self.epsilon),
            Distance::NergizClifton => whole.cost - rest.cost,
        }
    }

    #[inline]
    fn log(&self, size: u32) -> f64 {
        self.logs.get(size as usize).copied().unwrap_or_else(|| f64::from(size).ln())
    }
}

/// `a / b`, also for b = 0 (ε may be), where it is the limit: nothing gained, or far away.
#[inline]
fn quotient(a: f64, b: f64) -> f64 {
    if b > 0.0 {
        a / b
    } else if a > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

#[cfg(test)]
pub(super) const DISTANCES: [Distance; 5] =
    [Distance::D1, Distance::D2, Distance::D3, Distance::D4, Distance::NergizClifton];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measure(distance: Distance) -> Measure {
        Measure::new(&Parameters { distance, ..Parameters::default() }, 5)
    }

    #[test]
    fn distances_are_those_of_the_paper() {
        let (a, b) = (ClusterShape { size: 3, cost: 0.25 }, ClusterShape { size: 1, cost: 0.125 });
        let of = |distance| measure(distance).between(a, b, 0.5);
        assert_eq!(of(Distance::D1), 4.0 * 0.5 - 3.0 * 0.25 - 0.125);
        assert_eq!(of(Distance::D2), 0.125);
        assert_eq!(of(Distance::D3), 0.125 / 4.0f64.ln());
        assert_eq!(of(Distance::D4), 0.5 / (0.25 + 0.125 + 0.1));
        assert_eq!(of(Distance::NergizClifton), 0.25);
        assert_eq!(measure(Distance::NergizClifton).toward(a, b, 0.5), 0.375);
    }

    #[test]
    fn a_record_that_costs_much_is_far_from_the_rest() {
        let whole = ClusterShape { size: 6, cost: 0.5 };
        for distance in DISTANCES {
            let leaving = |cost| measure(distance).leaving(whole, ClusterShape { size: 5, cost });
            assert!(leaving(0.125) > leaving(0.25), "{distance:?}");
        }
    }

    #[test]
    fn without_epsilon_two_records_are_infinitely_far() {
        let measure =
            Measure::new(&Parameters { distance: Distance::D4, epsilon: 0.0, ..Parameters::default() }, 2);
        let record = ClusterShape { size: 1, cost: 0.0 };
        assert_eq!(measure.between(record, record, 0.5), f64::INFINITY);
        assert_eq!(measure.between(record, record, 0.0), 0.0);
    }

    proptest! {
        #[test]
        fn floors_are_below(
            sizes in prop::collection::vec(1u32..9, 4),
            costs in prop::collection::vec(0.0f64..1.0, 4),
            unions in (0.0f64..1.0, 0.0f64..1.0),
        ) {
            let shapes: Vec<ClusterShape> =
                sizes.iter().zip(&costs).map(|(&size, &cost)| ClusterShape { size, cost }).collect();
            let range = ShapeRange::of(shapes[1..].iter().copied());
            let (low, high) = (unions.0.min(unions.1), unions.0.max(unions.1));
            for distance in DISTANCES {
                let measure = measure(distance);
                let floor = measure.floor(shapes[0], &range, low);
                for &b in &shapes[1..] {
                    prop_assert!(floor <= measure.between(shapes[0], b, high), "{:?}", distance);
                    prop_assert_eq!(
                        measure.between(shapes[0], b, high),
                        measure.between(b, shapes[0], high)
                    );
                }
            }
        }
    }
}
