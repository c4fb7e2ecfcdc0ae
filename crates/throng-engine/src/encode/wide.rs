//! Counts tuples of very many columns, whose codes stand side by side as they are: a hash table of them.

use std::any::Any;
use std::collections::TryReserveError;

use rayon::prelude::*;

use super::counter::{TupleCounter, Tuples, split_heavy};
use super::keys::Packing;

/// Distinct tuples in the order of their first row.
///
/// `slots` holds the number of a tuple plus 1, or 0 for none; linear probing at a load of at most one half.
pub(super) struct WideTuples {
    packing: Packing,
    codes: Vec<u32>,
    counts: Vec<u64>,
    slots: Vec<u32>,
    /// The codes of the row at hand.
    row: Vec<u32>,
}

impl WideTuples {
    pub(super) fn new(packing: Packing) -> WideTuples {
        let row = vec![0; packing.columns()];
        WideTuples { packing, codes: Vec::new(), counts: Vec::new(), slots: vec![0; 16], row }
    }

    fn tuple(&self, number: usize) -> &[u32] {
        &self.codes[number * self.row.len()..][..self.row.len()]
    }

    /// Where in the slots a tuple is, or is to be.
    fn slot(&self, tuple: &[u32]) -> usize {
        let last = self.slots.len() - 1;
        let mut at = (hash(tuple) >> (u64::BITS - self.slots.len().trailing_zeros())) as usize;
        while self.slots[at] != 0 && self.tuple(self.slots[at] as usize - 1) != tuple {
            at = (at + 1) & last;
        }
        at
    }

    /// Counts rows of a tuple.
    pub(super) fn count(&mut self, tuple: &[u32], rows: u64) -> Result<(), TryReserveError> {
        let slot = self.slot(tuple);
        if self.slots[slot] != 0 {
            self.counts[self.slots[slot] as usize - 1] += rows;
            return Ok(());
        }
        self.codes.try_reserve(tuple.len())?;
        self.codes.extend_from_slice(tuple);
        self.counts.push(rows);
        self.slots[slot] = self.counts.len() as u32;
        if self.counts.len() * 2 > self.slots.len() {
            let slots = self.slots.len() * 4;
            self.slots = Vec::new();
            self.slots.try_reserve_exact(slots)?;
            self.slots.resize(slots, 0);
            for number in 0..self.counts.len() {
                let slot = self.slot(self.tuple(number));
                self.slots[slot] = number as u32 + 1;
            }
        }
        Ok(())
    }
}

impl TupleCounter for WideTuples {
    fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Codes need no room of their own here.
    fn pack_anew(&mut self, packing: Packing) -> Result<Option<Box<dyn TupleCounter>>, TryReserveError> {
        self.packing = packing;
        Ok(None)
    }

    fn add(&mut self, codes: &[&[u32]], rows: usize) -> Result<(), TryReserveError> {
        let mut tuple = std::mem::take(&mut self.row);
        self.row.clone_from(&tuple);
        for row in 0..rows {
            tuple.iter_mut().zip(codes).for_each(|(code, column)| *code = column[row]);
            self.count(&tuple, 1)?;
        }
        Ok(())
    }

    fn add_counted(&mut self, codes: &[&[u32]], rows: &[u64]) -> Result<(), TryReserveError> {
        let mut tuple = self.row.clone();
        for (at, &rows) in rows.iter().enumerate() {
            tuple.iter_mut().zip(codes).for_each(|(code, column)| *code = column[at]);
            self.count(&tuple, rows)?;
        }
        Ok(())
    }

    fn ranked(
        mut self: Box<Self>,
        packing: &Packing,
        ranks: &[Vec<u32>],
    ) -> Result<Box<dyn TupleCounter>, TryReserveError> {
        self.codes.par_chunks_mut(self.row.len()).for_each(|tuple| {
            tuple.iter_mut().zip(ranks).for_each(|(code, ranks)| *code = ranks[*code as usize]);
        });
        self.packing = packing.clone();
        Ok(self)
    }

    fn absorb(&mut self, other: Box<dyn TupleCounter>) -> Result<(), TryReserveError> {
        let mut other = other.into_any().downcast::<Self>().expect("tuples of the same packing are as wide");
        self.codes.try_reserve_exact(other.codes.len())?;
        self.codes.append(&mut other.codes);
        self.counts.append(&mut other.counts);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Tuples, TryReserveError> {
        let mut order: Vec<u32> = (0..self.counts.len() as u32).collect();
        order.par_sort_unstable_by_key(|&number| self.tuple(number as usize));
        let equal = order.chunk_by(|&a, &b| self.tuple(a as usize) == self.tuple(b as usize));
        let rows = |equal: &[u32]| equal.iter().map(|&number| self.counts[number as usize]).sum();
        let runs: Vec<(u32, u64)> = equal.map(|equal| (equal[0], rows(equal))).collect();
        let runs = split_heavy(runs);
        let column = |column: usize| {
            let mut codes = Vec::new();
            codes.try_reserve_exact(runs.len())?;
            codes.extend(runs.iter().map(|&(number, _)| self.tuple(number as usize)[column]));
            Ok(codes)
        };
        let columns = (0..self.row.len()).into_par_iter().map(column).collect::<Result<_, TryReserveError>>();
        Ok((columns?, runs.iter().map(|&(_, rows)| rows as u32).collect()))
    }

    fn held_bytes(&self) -> u64 {
        (4 * (self.codes.len() + self.slots.len()) + 8 * self.counts.len()) as u64
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Multiplicative hashing; the high bits are the good ones.
fn hash(tuple: &[u32]) -> u64 {
    let mixed =
        |h: u64, &code: &u32| (h.rotate_left(26) ^ u64::from(code)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    tuple.iter().fold(0, mixed)
}
