//! The nearest tuple that is left, by branch and bound.

use std::ops::Range;

use super::centre::Centre;
use super::code_tree::CodeTree;
use super::similarity::Distances;
use super::space::Space;
use crate::run::{Run, Stop};

/// The tuples that are left, in a tree of their numbers, then their categories.
///
/// Distances are summed in this order (that of eq. 7). A sum of doubles never falls when more is
/// added that is not negative, so that the sum at a node is a bound for all below, to the last bit.
pub(super) struct Remaining<'s> {
    space: &'s Space,
    tree: CodeTree,
    left: Vec<bool>,
    /// No place before this is left.
    first: u32,
    /// By level of numbers: for a node without tuples, a later one with none between, and
    /// the end of a stretch before it.
    skips: Vec<(Vec<u32>, Vec<u32>)>,
}

/// A search for the nearest tuple to a centre.
struct CentreWalk<'w> {
    centre: &'w Centre,
    distances: &'w [Distances],
    /// The nearest so far; of several, the first.
    best: (f64, u32),
}

impl<'s> Remaining<'s> {
    /// All tuples.
    pub(super) fn new(space: &'s Space, run: &Run<'_>) -> Result<Remaining<'s>, Stop> {
        let numbers = space.numbers.iter().map(|attribute| &attribute.codes[..]);
        let categories = space.categories.iter().map(|attribute| &attribute.codes[..]);
        let columns: Vec<&[u32]> = numbers.chain(categories).collect();
        let tree = CodeTree::new(&columns, space.len(), |_| 1, run)?;
        let skips = |level: usize| {
            let nodes = tree.codes(level + 1).len() as u32;
            run.go_on().map(|()| ((1..nodes + 1).collect(), (0..nodes).collect()))
        };
        let skips = (0..space.numbers.len()).map(skips).collect::<Result<_, Stop>>()?;
        Ok(Remaining { space, tree, left: vec![true; space.len()], first: 0, skips })
    }

    /// The first tuple that is left.
    ///
    /// # Panics
    /// If none is.
    pub(super) fn first(&mut self) -> u32 {
        while !self.left[self.first as usize] {
            self.first += 1;
        }
        self.first
    }

    /// All tuples that are left, in order.
    pub(super) fn left(&self) -> Vec<u32> {
        (0..self.left.len() as u32).filter(|&place| self.left[place as usize]).collect()
    }

    /// Takes a tuple out.
    pub(super) fn remove(&mut self, place: u32) {
        self.left[place as usize] = false;
        self.tree.remove(place, 1);
    }

    /// The tuple nearest to a centre; of several, the first.
    ///
    /// # Panics
    /// If none is left.
    pub(super) fn find(&mut self, centre: &Centre, distances: &[Distances]) -> u32 {
        let mut walk = CentreWalk { centre, distances, best: (f64::INFINITY, u32::MAX) };
        self.enter(&mut walk, 0, 0, 0.0);
        assert!(walk.best.1 != u32::MAX, "a tuple is left");
        walk.best.1
    }

    /// Looks at all below a node, which is at a distance of at least `so_far`.
    fn enter(&mut self, walk: &mut CentreWalk<'_>, level: usize, node: usize, so_far: f64) {
        let below = self.tree.range(level, node);
        if level == self.tree.depth() {
            let first = self.tree.places(below).iter().find(|&&place| self.left[place as usize]);
            walk.offer((so_far, *first.expect("nodes without tuples are not entered")));
        } else if level >= self.space.numbers.len() {
            self.enter_categories(walk, level, below, so_far);
        } else if let Some(mean) = walk.centre.mean(level) {
            self.enter_numbers(walk, level, below, mean, so_far);
        } else {
            below.rev().for_each(|child| self.enter_number(walk, level, child, so_far));
        }
    }

    /// Looks at the children of a node, those at no distance first.
    fn enter_categories(
        &mut self,
        walk: &mut CentreWalk<'_>,
        level: usize,
        below: Range<usize>,
        so_far: f64,
    ) {
        let distances = &walk.distances[level - self.space.numbers.len()];
        for near in [true, false] {
            for child in below.clone() {
                let distance = distances.distance(self.tree.codes(level + 1)[child]);
                let wanted = (distance == 0.0) == near && so_far + distance <= walk.best.0;
                if wanted && self.tree.counts(level + 1)[child] > 0 {
                    self.enter(walk, level + 1, child, so_far + distance);
                }
            }
        }
    }

    /// Looks at the children of a node from a mean outwards, until both sides are too far.
    fn enter_numbers(
        &mut self,
        walk: &mut CentreWalk<'_>,
        level: usize,
        below: Range<usize>,
        mean: f64,
        so_far: f64,
    ) {
        let numbers = &self.space.numbers[level];
        let codes = &self.tree.codes(level + 1)[below.clone()];
        let smaller = |&code: &u32| numbers.position(code).is_some_and(|x| x < mean);
        let middle = below.start + codes.partition_point(smaller);
        let (mut upper, mut lower) = (middle, middle);
        loop {
            upper = self.left_from(level, upper, below.end);
            lower = self.left_until(level, lower, below.start);
            let codes = self.tree.codes(level + 1);
            let bound = |child: usize| so_far + numbers.distance(codes[child], Some(mean));
            let above = if upper < below.end { bound(upper) } else { f64::INFINITY };
            let under = if lower > below.start { bound(lower - 1) } else { f64::INFINITY };
            if under.min(above) > walk.best.0 || under.min(above) == f64::INFINITY {
                return;
            }
            // The nearer of the two sides is next.
            if under <= above {
                lower -= 1;
                self.enter(walk, level + 1, lower, under);
            } else {
                self.enter(walk, level + 1, upper, above);
                upper += 1;
            }
        }
    }

    fn enter_number(&mut self, walk: &mut CentreWalk<'_>, level: usize, child: usize, so_far: f64) {
        let distance = self.space.numbers[level].distance(self.tree.codes(level + 1)[child], None);
        if so_far + distance <= walk.best.0 && self.tree.counts(level + 1)[child] > 0 {
            self.enter(walk, level + 1, child, so_far + distance);
        }
    }

    /// The first child from a node on that has tuples, or the end.
    fn left_from(&mut self, level: usize, from: usize, end: usize) -> usize {
        let (counts, skips) = (self.tree.counts(level + 1), &mut self.skips[level].0);
        let mut at = from;
        while at < end && counts[at] == 0 {
            at = skips[at] as usize;
        }
        if from < at {
            skips[from] = at as u32;
        }
        at.min(end)
    }

    /// One after the last child before a node that has tuples, or the start.
    fn left_until(&mut self, level: usize, from: usize, start: usize) -> usize {
        let (counts, skips) = (self.tree.counts(level + 1), &mut self.skips[level].1);
        let mut at = from;
        while at > start && counts[at - 1] == 0 {
            at = skips[at - 1] as usize;
        }
        if at < from {
            skips[from - 1] = at as u32;
        }
        at.max(start)
    }
}

impl CentreWalk<'_> {
    fn offer(&mut self, candidate: (f64, u32)) {
        if candidate < self.best {
            self.best = candidate;
        }
    }
}
