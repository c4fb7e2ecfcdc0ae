//! Distances between clusters (eq. 8–11), and lower bounds of them.
//!
//! Each distance is written so that it is symmetric and grows with the cost of the union even
//! after rounding: a bound that is put together from smaller terms by the same expression is
//! then never above the distance, and a search that prunes by it loses no pair, not even a tie.

use crate::algorithm::{Setting, SettingKind, SettingValue, Settings};

/// Which distance clusters are merged by, in the numbering of the paper.
pub(in crate::algorithm) const DISTANCE: Setting = Setting {
    name: "distance",
    help: "The distance between clusters",
    kind: SettingKind::Choice(&["1", "2", "3", "4", "nergiz-clifton"]),
    default: Some(SettingValue::Choice("3")),
    only_with: None,
};

/// The ε of distance 4.
pub(in crate::algorithm) const EPSILON: Setting = Setting {
    name: "epsilon",
    help: "The epsilon of distance 4",
    kind: SettingKind::Number { above: 0.0 },
    default: Some(SettingValue::Number(0.1)),
    only_with: Some((&DISTANCE, SettingValue::Choice("4"))),
};

/// Distances between clusters A and B, by d, the cost of a cluster's closure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::algorithm) enum Distance {
    /// |A∪B|·d(A∪B) − |A|·d(A) − |B|·d(B) (eq. 8).
    D1,
    /// d(A∪B) − d(A) − d(B) (eq. 9).
    D2,
    /// (d(A∪B) − d(A) − d(B)) / log |A∪B| (eq. 10).
    D3,
    /// d(A∪B) / (d(A) + d(B) + ε) (eq. 11).
    D4 { epsilon: f64 },
    /// d(A∪B) − d(B), by Nergiz and Clifton.
    NergizClifton,
}

impl Distance {
    /// The distance that the settings name.
    pub(in crate::algorithm) fn from_settings(settings: &Settings) -> Distance {
        match settings.choice(&DISTANCE) {
            "1" => Distance::D1,
            "2" => Distance::D2,
            "3" => Distance::D3,
            "4" => Distance::D4 { epsilon: settings.number(&EPSILON) },
            "nergiz-clifton" => Distance::NergizClifton,
            other => unreachable!("'{other}' is not declared"),
        }
    }
}

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
    pub(super) fn new(shapes: impl Iterator<Item = ClusterShape>) -> ShapeRange {
        let none = ShapeRange { least_size: u32::MAX, most_size: 0, most_cost: f64::NEG_INFINITY };
        shapes.fold(none, |range, shape| ShapeRange {
            least_size: range.least_size.min(shape.size),
            most_size: range.most_size.max(shape.size),
            most_cost: range.most_cost.max(shape.cost),
        })
    }
}

/// One of the distances, with the logarithms that it needs.
pub(super) struct Measure {
    distance: Distance,
    logs: Vec<f64>,
}

impl Measure {
    /// A distance, for clusters that are ripe with k records.
    pub(super) fn new(distance: Distance, k: u64) -> Measure {
        let logs = (0..k.saturating_mul(2).min(MAX_LOGS)).map(|size| (size as f64).ln()).collect();
        Measure { distance, logs }
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
            Distance::D4 { epsilon } => quotient(union, a.cost + b.cost + epsilon),
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
            Distance::D4 { epsilon } => quotient(union, a.cost + b.most_cost + epsilon),
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
            Distance::D4 { epsilon } => quotient(whole.cost, whole.cost + rest.cost + epsilon),
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
    [Distance::D1, Distance::D2, Distance::D3, Distance::D4 { epsilon: 0.1 }, Distance::NergizClifton];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measure(distance: Distance) -> Measure {
        Measure::new(distance, 5)
    }

    #[test]
    fn distances_are_those_of_the_paper() {
        let (a, b) = (ClusterShape { size: 3, cost: 0.25 }, ClusterShape { size: 1, cost: 0.125 });
        let of = |distance| measure(distance).between(a, b, 0.5);
        assert_eq!(of(Distance::D1), 4.0 * 0.5 - 3.0 * 0.25 - 0.125);
        assert_eq!(of(Distance::D2), 0.125);
        assert_eq!(of(Distance::D3), 0.125 / 4.0f64.ln());
        assert_eq!(of(Distance::D4 { epsilon: 0.1 }), 0.5 / (0.25 + 0.125 + 0.1));
        assert_eq!(of(Distance::NergizClifton), 0.25);
        assert_eq!(measure(Distance::NergizClifton).toward(a, b, 0.5), 0.375);
    }

    #[test]
    fn every_name_is_a_distance() {
        let SettingKind::Choice(names) = DISTANCE.kind else { panic!("a choice") };
        let named =
            |name: &&str| Distance::from_settings(&Settings::default().with("distance", name).unwrap());
        assert_eq!(names.iter().map(named).collect::<Vec<_>>(), DISTANCES);
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
        let measure = Measure::new(Distance::D4 { epsilon: 0.0 }, 2);
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
            let range = ShapeRange::new(shapes[1..].iter().copied());
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
