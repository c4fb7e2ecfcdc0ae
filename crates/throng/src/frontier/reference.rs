//! How much of a front a search found: convergence error, representation ratio, and hypervolume.
//!
//! **Citation.** R. Dewri, I. Ray, I. Ray, D. Whitley, *On the Identification of Property Based Generalizations in
//! Microdata Anonymization*, DBSec 2010, section 7, for the first two; E. Zitzler, L. Thiele, *Multiobjective
//! Optimization Using Evolutionary Algorithms*, PPSN 1998, for the volume.

use std::cmp::Ordering;

use super::Objective;
use super::boxes::{Boxes, Relation, relate};

/// The front that others are compared with.
#[derive(Clone, Debug)]
pub struct Reference {
    points: Vec<Vec<f64>>,
    more_is_better: Vec<bool>,
    /// By objective, the largest value of the front: what others are a share of.
    largest: Vec<f64>,
    boxes: Boxes,
    /// Boxes that no other of the front's dominates, each once.
    marked: Vec<Vec<f64>>,
}

impl Reference {
    /// The front of these points, by their values; those that others dominate are no part of it.
    ///
    /// # Panics
    /// If there is not a value and a side for each objective.
    pub fn new(points: &[Vec<f64>], objectives: &[Objective], boxes: Boxes) -> Reference {
        let more_is_better: Vec<bool> = objectives.iter().map(Objective::more_is_better).collect();
        assert!(points.iter().all(|values| values.len() == objectives.len()), "a value for each objective");
        assert_eq!(boxes.objectives(), objectives.len(), "a side of the boxes for each objective");
        let points = undominated(points, &more_is_better);
        let largest = |at: usize| points.iter().map(|values| values[at].abs()).fold(0.0, f64::max);
        let places: Vec<Vec<f64>> = points.iter().map(|values| boxes.place(values)).collect();
        Reference {
            largest: (0..objectives.len()).map(largest).collect(),
            marked: undominated(&places, &more_is_better),
            points,
            more_is_better,
            boxes,
        }
    }

    /// How many boxes of it no other dominates.
    pub fn boxes(&self) -> usize {
        self.marked.len()
    }

    /// CE: the sum over all that was found of the distance to the nearest point of the front, each value as a share of the
    /// largest there. 0 if all are on it.
    pub fn convergence_error(&self, found: &[Vec<f64>]) -> f64 {
        found.iter().map(|values| self.distance(values)).sum()
    }

    /// The distance of some values to the nearest point of the front.
    pub fn distance(&self, values: &[f64]) -> f64 {
        let share = |at: usize, value: f64| {
            if self.largest[at] > 0.0 { value / self.largest[at] } else { value }
        };
        let to = |other: &Vec<f64>| {
            let parts = values.iter().zip(other).enumerate();
            parts.map(|(at, (&a, &b))| (share(at, a) - share(at, b)).powi(2)).sum::<f64>().sqrt()
        };
        self.points.iter().map(to).min_by(f64::total_cmp).unwrap_or(f64::NAN)
    }

    /// RR: the share of the front's boxes that hold something that was found.
    pub fn representation_ratio(&self, found: &[Vec<f64>]) -> f64 {
        let places: Vec<Vec<f64>> = found.iter().map(|values| self.boxes.place(values)).collect();
        let occupied = self.marked.iter().filter(|place| places.contains(place)).count();
        occupied as f64 / self.marked.len() as f64
    }

    /// The share of what the front dominates that the found points dominate, too: of the space between the worst value of
    /// each objective on the front and the best. More than 1 only if the front is not all of it.
    pub fn hypervolume(&self, found: &[Vec<f64>]) -> f64 {
        volume(&self.in_unit(found)) / volume(&self.in_unit(&self.points))
    }

    /// Points by how far each value is from the worst of the front to the best.
    fn in_unit(&self, points: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let range = |at: usize| {
            let values = self.points.iter().map(|values| values[at]);
            let (least, most) =
                (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
            if self.more_is_better[at] { (least, most) } else { (most, least) }
        };
        let ranges: Vec<(f64, f64)> = (0..self.more_is_better.len()).map(range).collect();
        // An objective that is the same for all of the front says nothing of it.
        let unit = |(&value, &(worst, best)): (&f64, &(f64, f64))| match best == worst {
            true => 1.0,
            false => ((value - worst) / (best - worst)).max(0.0),
        };
        points.iter().map(|values| values.iter().zip(&ranges).map(unit).collect()).collect()
    }
}

/// Those that no other dominates, each once, in their order.
fn undominated(points: &[Vec<f64>], more_is_better: &[bool]) -> Vec<Vec<f64>> {
    let mut left: Vec<Vec<f64>> = Vec::new();
    for point in points {
        let is_worse = |by: &Vec<f64>| relate(more_is_better, by, point) == Relation::Dominates;
        if !left.contains(point) && !points.iter().any(is_worse) {
            left.push(point.clone());
        }
    }
    left
}

/// The volume of all that has no coordinate above that of one of the points, by slices along the last coordinate.
fn volume(points: &[Vec<f64>]) -> f64 {
    let Some(last) = points.first().and_then(|point| point.len().checked_sub(1)) else {
        return if points.is_empty() { 0.0 } else { 1.0 };
    };
    let mut sorted: Vec<&Vec<f64>> = points.iter().collect();
    sorted.sort_by(|a, b| b[last].partial_cmp(&a[last]).unwrap_or(Ordering::Equal));
    let mut sum = 0.0;
    // What reaches up to a slice, but for the last coordinate; none of it below another.
    let mut slice: Vec<Vec<f64>> = Vec::new();
    for (at, point) in sorted.iter().enumerate() {
        let shadow = &point[..last];
        if !slice.iter().any(|other| other.iter().zip(shadow).all(|(a, b)| a >= b)) {
            slice.retain(|other| !other.iter().zip(shadow).all(|(a, b)| a <= b));
            slice.push(shadow.to_vec());
        }
        let height = point[last] - sorted.get(at + 1).map_or(0.0, |next| next[last]);
        if height > 0.0 {
            sum += height * volume(&slice);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;

    fn reference(points: &[[f64; 2]], boxes: Boxes) -> Reference {
        let objectives = [Objective::K, Objective::Loss(loss::find("glm").unwrap())];
        Reference::new(&vectors(points), &objectives, boxes)
    }

    fn vectors(points: &[[f64; 2]]) -> Vec<Vec<f64>> {
        points.iter().map(|values| values.to_vec()).collect()
    }

    /// By the definitions of section 7, by hand: k is a share of 10, the loss of 40.
    #[test]
    fn convergence_and_representation_are_those_of_the_paper() {
        let front = reference(&[[10.0, 40.0], [5.0, 20.0], [1.0, 0.0]], Boxes::fine(2));
        let found = vectors(&[[10.0, 40.0], [5.0, 28.0], [2.0, 4.0]]);
        // (0, 8/40) from the second, (1/10, 4/40) from the third.
        let error = 0.2 + (0.01f64 + 0.01).sqrt();
        assert!((front.convergence_error(&found) - error).abs() < 1e-12);
        assert!((front.representation_ratio(&found) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(
            (front.convergence_error(&front.points), front.representation_ratio(&front.points)),
            (0.0, 1.0)
        );
    }

    /// The box of (5, 20) is dominated by that of (7, 20); the found (9, 25) is in the latter.
    #[test]
    fn boxes_are_marked_where_no_other_box_is_better() {
        let boxes = Boxes::build(&[5.0, 30.0]).unwrap();
        let front = reference(&[[10.0, 40.0], [7.0, 20.0], [4.0, 10.0], [1.0, 0.0]], boxes);
        assert_eq!(front.boxes(), 2);
        assert_eq!(front.representation_ratio(&vectors(&[[9.0, 25.0]])), 0.5);
    }

    #[test]
    fn the_hypervolume_is_a_share_of_that_of_the_front() {
        // As shares of the way from worst to best: (1, 0), (1/2, 3/4), (0, 1). They dominate 3/8 of the square.
        let front = reference(&[[9.0, 40.0], [5.0, 10.0], [1.0, 0.0]], Boxes::fine(2));
        assert_eq!(front.hypervolume(&front.points), 1.0);
        assert_eq!(front.hypervolume(&vectors(&[[9.0, 40.0], [1.0, 0.0]])), 0.0);
        // Half of each way: a quarter of the square.
        let quarter = front.hypervolume(&vectors(&[[5.0, 20.0]]));
        assert!((quarter - (0.25 / 0.375)).abs() < 1e-12, "{quarter}");
        assert_eq!(front.hypervolume(&[]), 0.0);
    }

    /// Against counting the cells of a grid, for points on it.
    #[test]
    fn volumes_are_those_of_a_grid() {
        for seed in 0..60 {
            let mut random = crate::random::Random::new(seed);
            let dimensions = 1 + random.index(4);
            let mut point = || (0..dimensions).map(|_| random.index(6) as f64).collect::<Vec<f64>>();
            let points: Vec<Vec<f64>> = (0..1 + seed as usize % 9).map(|_| point()).collect();
            let cells = (0..6usize.pow(dimensions as u32)).filter(|&cell| {
                let corner = |at: usize| (cell / 6usize.pow(at as u32) % 6) as f64;
                points.iter().any(|point| point.iter().enumerate().all(|(at, &value)| corner(at) < value))
            });
            assert_eq!(volume(&points), cells.count() as f64, "{points:?}");
        }
    }
}
