//! Local search: a few values of a cut are raised, then others are split while that is allowed.

use std::collections::BinaryHeap;

use super::prices::Prices;
use crate::classes::{CountCuts, Refine};
use crate::cut::{Raised, Trees};
use crate::random::Random;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Values that are raised at once, at most.
const MOST_RAISED: usize = 4;

/// Rounds without a better cut after which the search goes back to the best one.
const PATIENCE: usize = 64;

/// How much worse than the last a cut may be to go on from it, as a share.
const TOLERANCE: f64 = 0.002;

pub(super) struct Descent<'s> {
    trees: &'s Trees,
    prices: &'s Prices,
    /// Splits cuts, where classes are judged one by one and nothing is suppressed.
    refine: Option<Box<dyn Refine + 's>>,
    random: Random,
    best: Option<DescentResult>,
    current: Option<DescentResult>,
    /// Rounds since the best was found or returned to.
    waited: usize,
}

#[derive(Clone)]
struct DescentResult {
    cut: Raised,
    cost: i128,
}

/// A value to be split, and what it is worth to try; the greatest is the next.
type Split = (u64, usize, ValueId);

impl<'s> Descent<'s> {
    pub(super) fn new(
        trees: &'s Trees,
        prices: &'s Prices,
        counter: &'s dyn CountCuts,
        run: &Run<'_>,
    ) -> Descent<'s> {
        // Else what is raised would have to be checked again, and suppression be paid for.
        let is_plain = run.problem().max_suppressed_rows == 0 && run.is_monotone();
        let refine = counter.refine().filter(|_| is_plain && prices.are_sums());
        Descent { trees, prices, refine, random: Random::new(0), best: None, current: None, waited: 0 }
    }

    /// Starts from the top, and from another cut.
    pub(super) fn start(&mut self, other: Option<Raised>, run: &mut Run<'_>) -> Result<(), Stop> {
        for cut in other.into_iter().chain([self.trees.top()]) {
            let Some(cost) = check(self.trees, &cut, run)? else { continue };
            let found = self.descend(DescentResult { cut, cost }, &[], run)?;
            self.take(found, run)?;
        }
        self.current = self.best.clone();
        Ok(())
    }

    /// Makes so many rounds.
    pub(super) fn improve(&mut self, rounds: usize, run: &mut Run<'_>) -> Result<(), Stop> {
        for _ in 0..rounds {
            let Some(current) = self.current.clone() else { return Ok(()) };
            run.go_on()?;
            let (cut, raised) = self.raise_some(&current.cut);
            let cost = match self.prices.sum(self.trees, &cut).filter(|_| self.refine.is_some()) {
                Some(cost) => Some(cost),
                None => check(self.trees, &cut, run)?,
            };
            let Some(cost) = cost else { continue };
            let found = self.descend(DescentResult { cut, cost }, &raised, run)?;
            if (found.cost as f64) <= current.cost as f64 * (1.0 + TOLERANCE) {
                self.current = Some(found.clone());
            }
            self.take(found, run)?;
        }
        Ok(())
    }

    /// Takes note of a cut that may be released.
    fn take(&mut self, found: DescentResult, run: &mut Run<'_>) -> Result<(), Stop> {
        self.waited += 1;
        if self.best.as_ref().is_none_or(|best| found.cost < best.cost) {
            run.propose_cuts(self.trees.cuts(&found.cut));
            self.waited = 0;
            self.best = Some(found.clone());
            check(self.trees, &found.cut, run)?;
        } else if self.waited >= PATIENCE {
            self.waited = 0;
            self.current = self.best.clone();
        }
        Ok(())
    }

    /// Moves a few values to their parents; what they moved to.
    fn raise_some(&mut self, cut: &Raised) -> (Raised, Vec<(usize, ValueId)>) {
        let (mut cut, mut raised) = (cut.clone(), Vec::new());
        for _ in 0..1 + self.random.index(MOST_RAISED) {
            let a = self.random.index(self.trees.attributes());
            let parent = |value| self.trees.parent_of_several(a, value);
            let mut above: Vec<ValueId> = self.trees.values(&cut, a).filter_map(parent).collect();
            above.sort_unstable();
            above.dedup();
            if !above.is_empty() {
                let to = above[self.random.index(above.len())];
                self.trees.raise(&mut cut, a, to);
                raised.push((a, to));
            }
        }
        (cut, raised)
    }

    /// Splits values of a cut that may be released, those that save most first, give or take some chance;
    /// those of `last` after all others.
    fn descend(
        &mut self,
        from: DescentResult,
        last: &[(usize, ValueId)],
        run: &mut Run<'_>,
    ) -> Result<DescentResult, Stop> {
        let mut found = from;
        if let Some(refine) = &mut self.refine {
            refine.start(&found.cut, &|| run.go_on())?;
        }
        let mut splits = BinaryHeap::new();
        for a in 0..self.trees.attributes() {
            for value in self.trees.values(&found.cut, a) {
                let is_last = last.contains(&(a, value));
                splits.extend(split(self.trees, self.prices, &mut self.random, a, value, is_last));
            }
        }
        while let Some((_, a, value)) = splits.pop() {
            let mut cut = found.cut.clone();
            self.trees.split(&mut cut, a, value);
            let Some(cost) = self.split_cost(&found, &cut, (a, value), run)? else { continue };
            found = DescentResult { cut, cost };
            for &child in self.trees.children(a, value) {
                splits.extend(split(self.trees, self.prices, &mut self.random, a, child, false));
            }
        }
        Ok(found)
    }

    /// What a cut costs in which a value is split, if it may be released and costs no more than before.
    fn split_cost(
        &mut self,
        before: &DescentResult,
        cut: &Raised,
        (a, value): (usize, ValueId),
        run: &mut Run<'_>,
    ) -> Result<Option<i128>, Stop> {
        let Some(refine) = &mut self.refine else {
            return Ok(check(self.trees, cut, run)?.filter(|&cost| cost <= before.cost));
        };
        let saving = self.prices.saving(self.trees, a, value);
        if saving < 0 {
            return Ok(None);
        }
        run.note_cuts(1)?;
        Ok(refine.split(a, value, cut, &|| run.go_on())?.then(|| before.cost - saving))
    }
}

/// A value as one to be split, if it has children.
fn split(
    trees: &Trees,
    prices: &Prices,
    random: &mut Random,
    a: usize,
    value: ValueId,
    is_last: bool,
) -> Option<Split> {
    if trees.children(a, value).is_empty() || !trees.may_split(a, value) {
        return None;
    }
    let chance = 0.5 + random.index(1 << 10) as f64 / f64::from(1 << 10);
    let worth = prices.saving(trees, a, value).max(0) as f64 * chance;
    // Non-negative floats sort like their bits.
    Some((if is_last { 0 } else { worth.to_bits() }, a, value))
}

/// The cost of a cut, if it may be released.
fn check(trees: &Trees, cut: &Raised, run: &mut Run<'_>) -> Result<Option<i128>, Stop> {
    Ok(run.check_cuts(&[trees.cuts(cut)])?.remove(0).cost())
}
