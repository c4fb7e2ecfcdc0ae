//! Classes that are relieved of rows, those first that pay best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{LeavingOut, rows};
use crate::algorithm::local::admissible::Contents;
use crate::algorithm::local::index::OrderedCost;
use crate::algorithm::local::pieces::Piece;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::taxonomy::ValueId;

/// What counts as less: more than sums can be rounded by.
pub(super) const LEAST_GAIN: f64 = 1e-9;

/// Classes that are looked at between two questions whether to go on.
const ASK: usize = 1 << 10;

/// By how much the loss falls for each row of a piece that leaves its class.
type LossRelief = (OrderedCost, Reverse<usize>, usize);

pub(super) struct Relief<'s, 'p> {
    step: &'s LeavingOut<'p>,
    classes: Vec<Vec<Piece>>,
    /// Whether what is left of a class must be fit to be released.
    ripe: bool,
    /// What a row of what is left costs at least: where it may have to look for others, no less than rows
    /// do on average.
    floor: f64,
    cost_of_leaving: f64,
}

impl<'s, 'p> Relief<'s, 'p> {
    /// For rows that leave without more ado.
    pub(super) fn spare(step: &'s LeavingOut<'p>, classes: Vec<Vec<Piece>>) -> Relief<'s, 'p> {
        Relief { step, classes, ripe: true, floor: 0.0, cost_of_leaving: step.cost_of_leaving() }
    }

    /// For rows without which a search will begin anew, given what it lost with them.
    pub(super) fn at_any_rate(
        step: &'s LeavingOut<'p>,
        classes: Vec<Vec<Piece>>,
        loss: f64,
    ) -> Relief<'s, 'p> {
        let floor = loss / step.problem.table().rows() as f64;
        Relief { step, classes, ripe: false, floor, cost_of_leaving: step.cost_of_leaving() }
    }

    /// What is left of the classes when as many rows have left as lower the loss, and those rows.
    pub(super) fn leave(
        mut self,
        mut limit: u64,
        go_on: &GoOn<'_>,
    ) -> Result<(Vec<Vec<Piece>>, Vec<Piece>), Stop> {
        let mut offers: BinaryHeap<LossRelief> = BinaryHeap::new();
        for class in 0..self.classes.len() {
            if class % ASK == 0 {
                go_on()?;
            }
            offers.extend(self.offer(class, limit));
        }
        let mut leaving = Vec::new();
        while let Some((_, Reverse(class), slot)) = offers.pop() {
            go_on()?;
            let of_piece = u64::from(self.classes[class][slot].rows);
            if of_piece <= limit {
                limit -= of_piece;
                leaving.push(self.classes[class].remove(slot));
            }
            // If the piece had too many rows, another may have fewer.
            offers.extend(self.offer(class, limit));
        }
        Ok((self.classes, leaving))
    }

    /// The piece of a class, of no more than so many rows, whose leaving pays best.
    fn offer(&self, class: usize, limit: u64) -> Option<LossRelief> {
        let pieces = &self.classes[class];
        if pieces.len() < 2 || limit == 0 {
            return None;
        }
        let table = self.step.problem.table();
        let records: Vec<Vec<ValueId>> =
            pieces.iter().map(|piece| table.record(piece.tuple as usize)).collect();
        let records: Vec<&[ValueId]> = records.iter().map(Vec::as_slice).collect();
        let (without, cost) = self.step.closures.costs_without_each(&records);
        let all = rows(pieces) as f64;
        let gain = |slot: usize| {
            let of_piece = f64::from(pieces[slot].rows);
            let rest = without[slot].max(self.floor);
            let gain = (all - of_piece) * (cost - rest) - of_piece * (self.cost_of_leaving - cost);
            gain / of_piece
        };
        let may_go = |&slot: &usize| {
            gain(slot) > LEAST_GAIN && u64::from(pieces[slot].rows) <= limit && self.may_spare(class, slot)
        };
        // Of several as good the rarest: the others are sooner at home elsewhere.
        let rarity = |slot: usize| Reverse(table.weights()[pieces[slot].tuple as usize]);
        let offers = (0..pieces.len()).filter(may_go);
        let offers = offers.map(|slot| (OrderedCost(gain(slot)), rarity(slot), Reverse(slot)));
        let (gain, _, Reverse(slot)) = offers.max()?;
        Some((gain, Reverse(class), slot))
    }

    fn may_spare(&self, class: usize, slot: usize) -> bool {
        let admissibility = self.step.admissibility;
        let is_left = |&(other, _): &(usize, &Piece)| other != slot;
        let mut contents = Contents::default();
        for (_, piece) in self.classes[class].iter().enumerate().filter(is_left) {
            contents.add(&admissibility.contents(self.step.problem.table(), piece.tuple, piece.rows));
        }
        !self.ripe || admissibility.is_ripe(&contents)
    }
}
