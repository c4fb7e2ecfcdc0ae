//! Boxes of cuts, divided in order of their lower bounds.

use std::cmp::Reverse;

use super::prices::Prices;
use crate::algorithm::open_boxes::OpenBoxes;
use crate::cut::{Raised, Trees};
use crate::evaluation::Evaluation;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Boxes that memory is spent on: some 1 GiB.
const MOST_BOXES: usize = 1 << 22;

/// All cuts between two.
struct CutBox {
    low: Raised,
    high: Raised,
    /// What suppression adds at least to every cut of the box.
    penalty: i128,
    /// What every cut of the box costs at least, where the objective is one of class sizes.
    floor: Option<i128>,
    /// Whether the lower cut was checked.
    is_low_checked: bool,
}

pub(super) struct Boxes<'s> {
    trees: &'s Trees,
    prices: &'s Prices,
    /// Every value that can be split, that of most savings first.
    order: Vec<(usize, ValueId)>,
    open: OpenBoxes<CutBox>,
    /// Whether a cut that may not be released says so of all finer ones.
    is_monotone: bool,
    /// Whether what suppression adds to a cut it adds to all finer ones.
    penalty_falls: bool,
}

impl<'s> Boxes<'s> {
    /// The box of all cuts.
    pub(super) fn new(trees: &'s Trees, prices: &'s Prices, run: &mut Run<'_>) -> Result<Boxes<'s>, Stop> {
        let inner = |a: usize| trees.inner(a).iter().map(move |&value| (a, value));
        let mut order: Vec<(usize, ValueId)> = (0..trees.attributes()).flat_map(inner).collect();
        order.sort_by_key(|&(a, value)| Reverse(prices.saving(trees, a, value)));
        let is_monotone = run.is_monotone();
        let penalty_falls = is_monotone && prices.are_sums() && run.costs().penalty_falls();
        let open = OpenBoxes::new();
        let mut boxes = Boxes { trees, prices, order, open, is_monotone, penalty_falls };
        let (low, high) = (trees.bottom(), trees.top());
        boxes.look_at_high(CutBox { low, high, penalty: 0, floor: None, is_low_checked: false }, run)?;
        Ok(boxes)
    }

    /// Divides so many boxes; whether none is left.
    pub(super) fn divide(&mut self, most: usize, run: &mut Run<'_>) -> Result<bool, Stop> {
        for _ in 0..most {
            let Some((bound, mut cut_box)) = self.open.pop() else { return Ok(true) };
            if is_closed(bound, run) {
                continue;
            }
            if !cut_box.is_low_checked {
                let check = self.check(&cut_box.low, run)?;
                cut_box.is_low_checked = true;
                cut_box.floor = cut_box.floor.max(check.floor);
                if is_closed(self.bound(&cut_box), run) {
                    continue;
                }
            }
            self.divide_box(cut_box, run)?;
        }
        Ok(self.open.is_empty())
    }

    /// Divides a box at the undecided value of most savings.
    fn divide_box(&mut self, cut_box: CutBox, run: &mut Run<'_>) -> Result<(), Stop> {
        let is_undecided = |&&(a, value): &&(usize, ValueId)| {
            self.trees.is_value(&cut_box.high, a, value) && !self.trees.is_raised(&cut_box.low, a, value)
        };
        let Some(&(a, value)) = self.order.iter().find(is_undecided) else { return Ok(()) };
        let mut low = cut_box.low.clone();
        self.trees.raise(&mut low, a, value);
        self.push(CutBox { low, high: cut_box.high.clone(), is_low_checked: false, ..cut_box })?;
        let mut high = cut_box.high;
        self.trees.split(&mut high, a, value);
        self.look_at_high(CutBox { high, ..cut_box }, run)
    }

    /// Checks the upper cut, and keeps the box unless no cut of it may be released.
    fn look_at_high(&mut self, cut_box: CutBox, run: &mut Run<'_>) -> Result<(), Stop> {
        let check = self.check(&cut_box.high, run)?;
        if check.refutes_below || (self.is_monotone && !check.admissible) {
            return Ok(());
        }
        let added = check.cost.filter(|_| self.penalty_falls).map_or(0, |cost| cost.penalty);
        self.push(CutBox { penalty: cut_box.penalty.max(added), ..cut_box })
    }

    fn check(&self, cut: &Raised, run: &mut Run<'_>) -> Result<Evaluation, Stop> {
        Ok(run.check_cuts(&[self.trees.cuts(cut)])?.remove(0))
    }

    fn push(&mut self, cut_box: CutBox) -> Result<(), Stop> {
        if self.open.len() >= MOST_BOXES {
            return Err(Stop::TooManyOpen);
        }
        self.open.push(self.bound(&cut_box), cut_box);
        Ok(())
    }

    fn bound(&self, cut_box: &CutBox) -> i128 {
        if self.prices.are_sums() {
            self.prices.bound(self.trees, &cut_box.low, &cut_box.high) + cut_box.penalty
        } else {
            cut_box.floor.unwrap_or(i128::MIN)
        }
    }
}

/// Whether no cut of a box with this bound is better than the best; a run that keeps more than the best wants
/// to see all.
fn is_closed(bound: i128, run: &Run<'_>) -> bool {
    run.least_cost().is_some_and(|least| bound >= least)
}
