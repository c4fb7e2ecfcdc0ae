//! Dominance, by values and by boxes of them, and the archive of Algorithm 1.

use std::cmp::Ordering;

use super::{Objective, Point};

/// The discretisation vector ε: the space of values is divided into boxes of these sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Boxes {
    /// None where values are compared as they are.
    sides: Vec<Option<f64>>,
}

impl Boxes {
    /// So small boxes that each holds one vector of values: the front is whole.
    pub fn fine(objectives: usize) -> Boxes {
        Boxes { sides: vec![None; objectives] }
    }

    /// Boxes of these sides.
    ///
    /// # Errors
    /// The first side that is not a positive number.
    pub fn build(sides: &[f64]) -> Result<Boxes, f64> {
        match sides.iter().find(|side| !(side.is_finite() && **side > 0.0)) {
            Some(&side) => Err(side),
            None => Ok(Boxes { sides: sides.iter().map(|&side| Some(side)).collect() }),
        }
    }

    /// How many sides there are.
    pub fn objectives(&self) -> usize {
        self.sides.len()
    }

    /// The box of some values.
    pub fn place(&self, values: &[f64]) -> Vec<f64> {
        let place = |(side, &value): (&Option<f64>, &f64)| side.map_or(value, |side| (value / side).floor());
        self.sides.iter().zip(values).map(place).collect()
    }
}

/// How two vectors compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The first is nowhere worse, and somewhere better.
    Dominates,
    /// The second is.
    IsDominated,
    /// They are the same.
    Equal,
    /// Each is better somewhere.
    Incomparable,
}

/// Points that no other dominates, at most one in each box.
///
/// Invariant: no point's box dominates another's.
pub(super) struct BoxArchive {
    boxes: Boxes,
    /// By objective, whether more is better.
    more_is_better: Vec<bool>,
    points: Vec<Boxed>,
}

struct Boxed {
    place: Vec<f64>,
    point: Point,
}

impl BoxArchive {
    pub(super) fn new(objectives: &[Objective], boxes: Boxes) -> BoxArchive {
        let more_is_better = objectives.iter().map(Objective::more_is_better).collect();
        BoxArchive { boxes, more_is_better, points: Vec::new() }
    }

    /// Algorithm 1. Of two points in a box of which neither dominates the other the first stays; the choice is
    /// free in the paper.
    pub(super) fn update(&mut self, point: &Point) {
        let place = self.boxes.place(&point.values);
        let mut is_new = true;
        let (boxes, better) = (&self.boxes, &self.more_is_better);
        self.points.retain(|known| {
            if !is_new {
                return true;
            }
            match relate(better, &place, &known.place) {
                Relation::Dominates => false,
                Relation::IsDominated => {
                    is_new = false;
                    true
                }
                Relation::Incomparable => true,
                Relation::Equal => match relate(better, &point.values, &known.point.values) {
                    Relation::Dominates => false,
                    _ => {
                        is_new = false;
                        true
                    }
                },
            }
        });
        if is_new {
            debug_assert_eq!(boxes.objectives(), point.values.len());
            self.points.push(Boxed { place, point: point.clone() });
        }
    }

    /// The points that are in the archive.
    pub(super) fn points(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().map(|boxed| &boxed.point)
    }

    /// How the values of two points compare.
    pub(super) fn relate(&self, a: &Point, b: &Point) -> Relation {
        relate(&self.more_is_better, &a.values, &b.values)
    }

    /// The points, the first objective's best first.
    pub(super) fn into_sorted(self) -> Vec<Point> {
        let better = self.more_is_better;
        let mut points: Vec<Point> = self.points.into_iter().map(|boxed| boxed.point).collect();
        points.sort_by(|a, b| {
            let by_value = better.iter().zip(a.values.iter().zip(&b.values));
            let by_value = by_value.map(|(&more, (a, b))| compare(more, *b, *a));
            by_value.fold(Ordering::Equal, Ordering::then).then_with(|| a.node.cmp(&b.node))
        });
        points
    }
}

/// Whether some values are nowhere worse than others, and somewhere better.
pub fn dominates(objectives: &[Objective], a: &[f64], b: &[f64]) -> bool {
    let more_is_better: Vec<bool> = objectives.iter().map(Objective::more_is_better).collect();
    relate(&more_is_better, a, b) == Relation::Dominates
}

/// Greater is better.
fn compare(more_is_better: bool, a: f64, b: f64) -> Ordering {
    if more_is_better { a.total_cmp(&b) } else { b.total_cmp(&a) }
}

pub(super) fn relate(more_is_better: &[bool], a: &[f64], b: &[f64]) -> Relation {
    let (mut better, mut worse) = (false, false);
    for (&more, (&a, &b)) in more_is_better.iter().zip(a.iter().zip(b)) {
        match compare(more, a, b) {
            Ordering::Greater => better = true,
            Ordering::Less => worse = true,
            Ordering::Equal => {}
        }
    }
    match (better, worse) {
        (true, false) => Relation::Dominates,
        (false, true) => Relation::IsDominated,
        (false, false) => Relation::Equal,
        (true, true) => Relation::Incomparable,
    }
}
