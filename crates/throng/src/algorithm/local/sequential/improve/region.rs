//! Annealing of a region.

use super::LEAST_GAIN;
use super::clusters::{Clusters, LeftOut};
use super::exchange::Exchange;
use crate::algorithm::local::admissible::{Admissibility, Contents};
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::pieces::Piece;
use crate::problem::Problem;
use crate::random::Random;
use crate::run::Stop;
use crate::stop::GoOn;

/// Tuples near each that tell where it may go.
const NEAR: usize = 12;

/// What an exchange may cost at first, on average, as a share of what a row loses.
const HEAT: f64 = 0.5;

/// One exchange in so many is a step in one direction only.
const SHIFTS: usize = 4;

/// Exchanges that are looked at between two questions whether to go on.
const ASK: u64 = 1 << 10;

/// What may be released.
pub(super) struct ReleaseRules<'p> {
    pub(super) problem: &'p Problem,
    pub(super) closures: &'p Closures,
    pub(super) admissibility: &'p Admissibility,
    /// What a row costs that is left out, if others may be in the place of those that are.
    pub(super) cost_of_leaving: Option<f64>,
    /// Rows that may be left out of each region beside those that are.
    pub(super) spare_rows: u64,
}

impl ReleaseRules<'_> {
    pub(super) fn go_by_size(&self) -> bool {
        self.admissibility.by_size().is_some()
    }

    pub(super) fn may_divide(&self, tuple: u32) -> bool {
        self.admissibility.may_divide(self.problem.table(), tuple)
    }

    pub(super) fn contents(&self, tuple: u32, rows: u32) -> Contents {
        self.admissibility.contents(self.problem.table(), tuple, rows)
    }

    pub(super) fn is_ripe(&self, contents: &Contents) -> bool {
        self.admissibility.is_ripe(contents)
    }
}

/// Classes that are near each other, and rows that are left out there.
#[derive(Clone, Default)]
pub(super) struct NearbyClasses {
    pub(super) classes: Vec<Vec<Piece>>,
    pub(super) left_out: Vec<Piece>,
}

/// Lets rows of a region change places, so often a piece; none if it is not better for it.
pub(super) fn anneal(
    rules: &ReleaseRules<'_>,
    start: &NearbyClasses,
    effort: u64,
    random: &mut Random,
    go_on: &GoOn<'_>,
) -> Result<Option<(f64, NearbyClasses)>, Stop> {
    if start.classes.len() < 2 && start.left_out.is_empty() {
        return Ok(None);
    }
    let mut region = Region::new(rules, start, go_on)?;
    let before = region.clusters.loss();
    if before <= LEAST_GAIN {
        return Ok(None);
    }
    region.cool(effort, random, go_on)?;
    let gain = before - region.clusters.loss();
    let (classes, left_out) = region.clusters.classes();
    Ok((gain > LEAST_GAIN).then_some((gain, NearbyClasses { classes, left_out })))
}

struct Region<'p> {
    rules: &'p ReleaseRules<'p>,
    clusters: Clusters,
    /// The tuples near each, and itself.
    near: Vec<Vec<u32>>,
}

impl<'p> Region<'p> {
    fn new(rules: &'p ReleaseRules<'p>, start: &NearbyClasses, go_on: &GoOn<'_>) -> Result<Region<'p>, Stop> {
        let mut classes = start.classes.clone();
        let of_start: u64 = start.left_out.iter().map(|piece| u64::from(piece.rows)).sum();
        let cluster = classes.len() as u32;
        let most_rows = of_start + rules.spare_rows;
        let left_out = rules.cost_of_leaving.map(|cost| LeftOut { cluster, cost, most_rows });
        classes.extend(left_out.map(|_| start.left_out.clone()));
        let (table, least_rows) = (rules.problem.table(), rules.admissibility.least_rows());
        let clusters = Clusters::new(table, rules.closures.anew(), &classes, least_rows, left_out);
        let near = near(&clusters, go_on)?;
        Ok(Region { rules, clusters, near })
    }

    /// Looks at exchanges, of which some are made that do not pay, fewer and fewer.
    fn cool(&mut self, effort: u64, random: &mut Random, go_on: &GoOn<'_>) -> Result<(), Stop> {
        let looks = effort * self.clusters.pieces() as u64;
        let heat = HEAT * self.clusters.loss() / self.clusters.rows() as f64;
        for look in 0..looks {
            if look % ASK == 0 {
                go_on()?;
            }
            let heat = heat * (looks - look) as f64 / looks as f64;
            self.look(heat * exponential(random), random);
        }
        Ok(())
    }

    /// Looks at an exchange, and makes it if the loss grows by no more than a limit; by how much it has changed then.
    fn look(&mut self, limit: f64, random: &mut Random) -> Option<f64> {
        let piece = random.index(self.clusters.pieces()) as u32;
        let member = self.clusters.member(piece);
        if member.rows == 0 {
            return None;
        }
        let near = random.pick(&self.near[member.tuple as usize]);
        let other = random.pick(self.clusters.holders(near));
        let to = self.clusters.member(other).cluster;
        if to == member.cluster {
            return None;
        }
        let exchange = if random.once_in(SHIFTS) {
            Exchange::shift(&self.clusters, self.rules, piece, to)?
        } else {
            let other = random.pick(&self.clusters.get(to).members);
            Exchange::swap(&self.clusters, self.rules, piece, other)?
        };
        let change = exchange.change(&self.clusters);
        if change > limit || !exchange.is_allowed(&self.clusters, self.rules) {
            return None;
        }
        exchange.make(&mut self.clusters);
        Some(change)
    }
}

/// The tuples nearest to each, and itself.
fn near(clusters: &Clusters, go_on: &GoOn<'_>) -> Result<Vec<Vec<u32>>, Stop> {
    let tuples = clusters.tuples() as u32;
    let mut near: Vec<Vec<(f64, u32)>> = vec![Vec::with_capacity(NEAR + 1); tuples as usize];
    let mut keep = |tuple: u32, cost: f64, other: u32| {
        let near = &mut near[tuple as usize];
        if near.len() == NEAR && near[NEAR - 1].0 <= cost {
            return;
        }
        let at = near.partition_point(|near| near.0 <= cost);
        near.truncate(NEAR - 1);
        near.insert(at, (cost, other));
    };
    for tuple in 0..tuples {
        go_on()?;
        for other in tuple + 1..tuples {
            let cost = clusters.closures().join_cost(clusters.record(tuple), clusters.record(other));
            keep(tuple, cost, other);
            keep(other, cost, tuple);
        }
    }
    let with_itself = |(tuple, near): (u32, Vec<(f64, u32)>)| {
        near.into_iter().map(|(_, other)| other).chain([tuple]).collect()
    };
    Ok((0..).zip(near).map(with_itself).collect())
}

/// A number above 0, the larger the rarer, on average about 1: all but exponential, from exact arithmetic.
fn exponential(random: &mut Random) -> f64 {
    let bits = random.bits() | 1;
    let zeros = bits.leading_zeros();
    let fraction = (bits << zeros << 1 >> 11) as f64 / (1u64 << 53) as f64;
    std::f64::consts::LN_2 * (f64::from(zeros) + 1.0 - fraction)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::algorithm::local::closures;
    use crate::algorithm::local::leave_out::cost_of_leaving;

    /// Makes what comes up in a region of all rows, however dear, and compares each with what it promised; how many.
    pub(in super::super) fn check(problem: &Problem, seed: u64) -> u64 {
        let (closures, admissibility) = (closures(problem), Admissibility::new(problem));
        let cost_of_leaving = (problem.max_suppressed_rows > 0).then(|| cost_of_leaving(problem, &closures));
        let spare_rows = problem.max_suppressed_rows;
        let rules = ReleaseRules {
            problem,
            closures: &closures,
            admissibility: &admissibility,
            cost_of_leaving,
            spare_rows,
        };
        let pieces = (0..).zip(problem.table().weights()).map(|(tuple, &rows)| Piece { tuple, rows });
        let mut classes: Vec<Vec<Piece>> = pieces.collect::<Vec<_>>().chunks(7).map(<[_]>::to_vec).collect();
        let last = classes.pop().expect("some rows");
        classes.last_mut().expect("more rows").extend(last);
        let start = NearbyClasses { classes, left_out: Vec::new() };
        let mut region = Region::new(&rules, &start, &|| Ok(())).unwrap();
        let (mut random, mut made) = (Random::new(seed), 0);
        for _ in 0..2000 {
            let before = region.clusters.loss();
            let Some(promised) = region.look(f64::INFINITY, &mut random) else { continue };
            made += 1;
            assert!((region.clusters.loss() - before - promised).abs() < 1e-9);
            let (classes, left_out) = region.clusters.classes();
            let again = Region::new(&rules, &NearbyClasses { classes, left_out }, &|| Ok(())).unwrap();
            assert!((again.clusters.loss() - region.clusters.loss()).abs() < 1e-9);
            assert_eq!(again.clusters.rows(), problem.table().rows());
        }
        made
    }
}
