//! Goes on improving a partition for some time.
//!
//! A round has two halves. First chains are made as before, but between clusters that are near now. Then classes are put
//! into an order in which near ones follow one another, another each round, and are cut into small regions along it. In
//! each, rows change places between near classes, at first also where that costs a little: annealing, which finds
//! exchanges whose first step alone does not pay, and leaves more for the chains of the next round. A region that is not
//! better for it stays as it was.
//!
//! **Guarantee.** Every class may be released after every round, no more rows are left out than may be, and the loss never
//! rises. Regions of a round share nothing and have random numbers of their own, so that the sequence of rounds is the
//! same whatever the number of threads; only where it ends is decided by the clock.
//!
//! **Complexity.** A round looks at some hundreds of exchanges for each piece, of which each takes as long as two joins of
//! records. Memory is linear.

mod clusters;
mod exchange;
mod order;
mod region;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::ExchangeSearch;
use crate::algorithm::local::admissible::Admissibility;
use crate::algorithm::local::closure::Closures;
use crate::algorithm::local::finish::is_admissible;
use crate::algorithm::local::leave_out::cost_of_leaving;
use crate::algorithm::local::pieces::{Piece, closure, recode_without, unite};
use crate::algorithm::local::reread::{classes, left_out};
use crate::algorithm::local::{CLASSES, closures};
use crate::notion::Notion;
use crate::problem::Problem;
use crate::random::Random;
use crate::run::{Run, Stop};
use crate::stop::GoOn;
use crate::taxonomy::ValueId;
use order::order;
use region::{NearbyClasses, ReleaseRules, anneal};

/// Classes of a region, and its pieces if classes are large: those of more than half as many are left to chains, because
/// what is near is found by comparing all with all.
const CLASSES_OF_REGION: usize = 32;
const PIECES_OF_REGION: usize = 1 << 11;

/// Exchanges that are looked at for each piece: so many more every few rounds.
const EFFORT: u64 = 256;
const ROUNDS_OF_EFFORT: u64 = 8;

/// Rounds in a row that bring nothing, after which more are not worth their time.
const IDLE_ROUNDS: u64 = 20;

/// Most passes of a round, and the share of the loss below which one has not brought enough for another.
const PASSES: u64 = 20;
const ENOUGH: f64 = 0.0001;

/// What counts as less: more than sums can be rounded by.
const LEAST_GAIN: f64 = 1e-9;

/// Improves what a run proposes for so long, or until its time limit is over, which is then no reason to call it stopped,
/// or nothing more is found.
pub(super) fn improve(problem: &Problem, time: Duration, run: &mut Run<'_>) -> Result<(), Stop> {
    let started = Instant::now();
    run.end_by(started.checked_add(time));
    let ended = Improvement::new(problem, run)
        .and_then(|found| found.map_or(Ok(()), |mut improvement| improvement.go_through(run)));
    run.note_improved(started.elapsed());
    match ended {
        Err(Stop::TimeLimit) => Ok(()),
        ended => ended,
    }
}

/// What is improved.
struct Improvement {
    problem: Problem,
    closures: Closures,
    admissibility: Admissibility,
    state: NearbyClasses,
}

/// A state that may be better, and by how much.
struct Draft {
    state: NearbyClasses,
    gain: f64,
}

impl Improvement {
    /// From what a run proposes, if it does.
    fn new(problem: &Problem, run: &Run<'_>) -> Result<Option<Improvement>, Stop> {
        let Some(local) = run.proposed() else { return Ok(None) };
        let (closures, admissibility) = (closures(problem), Admissibility::new(problem));
        let classes = classes(problem.table(), local, &|| run.go_on())?;
        let state = NearbyClasses { classes, left_out: left_out(local) };
        Ok(Some(Improvement { problem: problem.divisible(), closures, admissibility, state }))
    }

    /// Makes rounds until some in a row have brought nothing.
    fn go_through(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let mut idle = 0;
        for round in 0.. {
            idle = if self.round(round, run)? { 0 } else { idle + 1 };
            if idle == IDLE_ROUNDS {
                break;
            }
        }
        Ok(())
    }

    /// Both halves of a round; whether it is better then. What was done when the time is over counts, too.
    fn round(&mut self, round: u64, run: &mut Run<'_>) -> Result<bool, Stop> {
        let mut draft = Draft { state: self.state.clone(), gain: 0.0 };
        let ended = self.make_chains(&mut draft, run).and_then(|()| self.anneal(&mut draft, round, run));
        let is_better = draft.gain > LEAST_GAIN && self.propose(draft.state, run)?;
        ended.map(|()| is_better)
    }

    /// Makes chains, as the search did, between clusters that are near now.
    fn make_chains(&self, draft: &mut Draft, run: &Run<'_>) -> Result<(), Stop> {
        let Draft { state, gain } = draft;
        let kept = kept(&self.problem, &state.left_out);
        let (rest, closures) = (self.problem.rows(&kept), self.closures.anew());
        let place = |tuple: u32| kept.partition_point(|kept| kept.0 < tuple) as u32;
        let mut search = ExchangeSearch::new(&rest, &closures, renumbered(&state.classes, place), run)?;
        let before = search.clusters.loss();
        let ended = search.improve(PASSES, ENOUGH, run);
        *gain += before - search.clusters.loss();
        state.classes = renumbered(&search.clusters.classes(), |tuple| kept[tuple as usize].0);
        ended
    }

    /// Anneals the regions of an order.
    fn anneal(&self, draft: &mut Draft, round: u64, run: &Run<'_>) -> Result<(), Stop> {
        let Draft { state, gain } = draft;
        let regions = self.regions(state, round, &|| run.go_on())?;
        let rules = self.rules(state, regions.len() as u64);
        let effort = EFFORT * (1 + round / ROUNDS_OF_EFFORT);
        let anneal = |(at, region): (usize, &NearbyClasses)| {
            let random = &mut Random::of_row(round, at as u64);
            anneal(&rules, region, effort, random, &|| run.go_on())
        };
        let found: Vec<Result<_, Stop>> = regions.par_iter().enumerate().map(anneal).collect();
        let ended = found.iter().find_map(|found| found.as_ref().err().copied());
        let fixed = if self.may_leave() { Vec::new() } else { std::mem::take(&mut state.left_out) };
        *state = NearbyClasses { classes: Vec::with_capacity(state.classes.len()), left_out: fixed };
        for (region, found) in regions.into_iter().zip(found) {
            let (gained, region) = found.ok().flatten().unwrap_or((0.0, region));
            *gain += gained;
            state.classes.extend(region.classes);
            state.left_out.extend(region.left_out);
        }
        ended.map_or(Ok(()), Err)
    }

    /// Whether others may be left out in the place of those that are.
    fn may_leave(&self) -> bool {
        let by_classes = self.problem.requirements.notion() == Notion::K;
        by_classes && self.problem.max_suppressed_rows > 0 && !self.admissibility.compares_with_whole()
    }

    fn rules(&self, state: &NearbyClasses, regions: u64) -> ReleaseRules<'_> {
        let left_out: u64 = state.left_out.iter().map(|piece| u64::from(piece.rows)).sum();
        ReleaseRules {
            problem: &self.problem,
            closures: &self.closures,
            admissibility: &self.admissibility,
            cost_of_leaving: self.may_leave().then(|| cost_of_leaving(&self.problem, &self.closures)),
            spare_rows: (self.problem.max_suppressed_rows - left_out) / regions.max(1),
        }
    }

    /// The classes and what may be left out, in regions.
    fn regions(
        &self,
        state: &NearbyClasses,
        round: u64,
        go_on: &GoOn<'_>,
    ) -> Result<Vec<NearbyClasses>, Stop> {
        let NearbyClasses { classes, left_out } = state;
        let left_out: &[Piece] = if self.may_leave() { left_out } else { &[] };
        let all: Vec<&[Piece]> = classes.iter().map(Vec::as_slice).chain(left_out.chunks(1)).collect();
        let closures = self.closures.anew();
        let mut covers: Vec<Vec<ValueId>> = Vec::with_capacity(all.len());
        for classes in all.chunks(CLASSES) {
            go_on()?;
            covers.extend(classes.iter().map(|class| closure(self.problem.table(), &closures, class)));
        }
        let order = order(&closures, &covers, &mut Random::of_row(round, u64::MAX), go_on)?;
        let mut regions: Vec<NearbyClasses> = Vec::new();
        let (mut of_region, mut pieces) = (CLASSES_OF_REGION, 0);
        for id in order {
            let class = all[id as usize];
            if of_region == CLASSES_OF_REGION || pieces + class.len() > PIECES_OF_REGION {
                regions.push(NearbyClasses::default());
                (of_region, pieces) = (0, 0);
            }
            let region = regions.last_mut().expect("just pushed");
            match (id as usize) < classes.len() {
                true => region.classes.push(class.to_vec()),
                false => region.left_out.extend(class),
            }
            (of_region, pieces) = (of_region + 1, pieces + class.len());
        }
        Ok(regions)
    }

    /// Proposes a better state, if it may be released; whether it may.
    fn propose(&mut self, mut state: NearbyClasses, run: &mut Run<'_>) -> Result<bool, Stop> {
        unite(&mut state.left_out);
        let go_on = || run.unless_cancelled();
        let local = recode_without(&self.problem, &state.classes, &state.left_out, &go_on)?;
        let is_whole = state.left_out.is_empty() || !self.admissibility.compares_with_whole();
        let is_certain = is_whole && self.admissibility.holds_for_unions();
        let may_be_released = is_certain || is_admissible(&self.problem, &local);
        if may_be_released {
            run.propose(local);
            self.state = state;
        }
        Ok(may_be_released)
    }
}

/// What is not left out, as pairs of a tuple and a number of rows.
fn kept(problem: &Problem, left_out: &[Piece]) -> Vec<(u32, u32)> {
    let mut rows = problem.table().weights().to_vec();
    left_out.iter().for_each(|piece| rows[piece.tuple as usize] -= piece.rows);
    (0..).zip(rows).filter(|&(_, rows)| rows > 0).collect()
}

/// Classes in which tuples have other numbers.
fn renumbered(classes: &[Vec<Piece>], number: impl Fn(u32) -> u32) -> Vec<Vec<Piece>> {
    let piece = |of: &Piece| Piece { tuple: number(of.tuple), ..*of };
    classes.iter().map(|class| class.iter().map(piece).collect()).collect()
}
