//! Counts tuples wherever they are read: on the machine that searches, or on the nodes of a cluster.

use std::collections::TryReserveError;

use arrow::array::ArrayRef;
use rayon::prelude::*;

use super::counter::{self, TupleCounter};
use super::keys::{self, Packing};
use super::{Encoded, NotText, ScannedColumn};
use crate::dictionary::Dictionary;
use crate::memory::HeldBytes;

/// Distinct tuples of some columns as far as they were read, without a word of where they are from.
pub struct Counting {
    columns: Vec<ScannedColumn>,
    tuples: Box<dyn TupleCounter>,
    rows: u64,
}

/// Why a batch cannot be counted.
pub enum Uncountable {
    /// A cell of the column at this place is no text.
    NotText(usize, NotText),
    /// There is no memory for it.
    Memory,
}

impl From<TryReserveError> for Uncountable {
    fn from(_: TryReserveError) -> Uncountable {
        Uncountable::Memory
    }
}

impl Counting {
    /// Nothing of so many columns; `buffer_bytes` of keys are collected before the first merge.
    pub fn start(columns: usize, buffer_bytes: usize) -> Counting {
        Counting {
            columns: (0..columns).map(|_| ScannedColumn::default()).collect(),
            tuples: counter::start(Packing::new(&vec![1; columns]), buffer_bytes),
            rows: 0,
        }
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// What is held of them.
    pub(crate) fn held(&self) -> HeldBytes {
        let values = self.columns.iter().map(|column| column.dictionary.held_bytes()).sum();
        HeldBytes { values, tuples: self.tuples.held_bytes() }
    }

    /// Takes up the columns of `rows` rows that follow `before` others.
    pub fn add(&mut self, arrays: &[ArrayRef], rows: usize, before: u64) -> Result<(), Uncountable> {
        self.rows += rows as u64;
        let columns = self.columns.par_iter_mut().enumerate();
        let failed = columns.filter_map(|(at, column)| {
            column.encode(&arrays[at], before).err().map(|cell| (cell.row, at, cell))
        });
        // Of several columns with such a cell, the one in the first row.
        if let Some((_, at, cell)) = failed.min_by_key(|(row, at, _)| (*row, *at)) {
            return Err(Uncountable::NotText(at, cell));
        }
        self.make_room()?;
        let codes: Vec<&[u32]> = self.columns.iter().map(|c| c.codes.as_slice()).collect();
        Ok(self.tuples.add(&codes, rows)?)
    }

    /// Takes up tuples with the rows of each.
    pub fn add_counted(&mut self, arrays: &[ArrayRef], rows: &[u64]) -> Result<(), Uncountable> {
        self.rows += rows.iter().sum::<u64>();
        for (at, (column, array)) in self.columns.iter_mut().zip(arrays).enumerate() {
            // Nobody knows in which row a value was first seen.
            column.encode_unplaced(array).map_err(|cell| Uncountable::NotText(at, cell))?;
        }
        self.make_room()?;
        let codes: Vec<&[u32]> = self.columns.iter().map(|column| column.codes.as_slice()).collect();
        Ok(self.tuples.add_counted(&codes, rows)?)
    }

    /// Gives the keys as many bits as the dictionaries now need.
    fn make_room(&mut self) -> Result<(), TryReserveError> {
        let bits: Vec<u32> = self.columns.iter().map(|c| keys::bits(c.dictionary.len())).collect();
        if self.tuples.packing().holds(&bits) {
            return Ok(());
        }
        if let Some(wider) = self.tuples.pack_anew(Packing::new(&bits))? {
            self.tuples = wider;
        }
        Ok(())
    }

    /// What several counted together.
    pub fn unite(parts: Vec<Counting>) -> Result<Encoded, TryReserveError> {
        let rows = parts.iter().map(|part| part.rows).sum();
        let mut dictionaries: Vec<Vec<Dictionary>> = parts[0].columns.iter().map(|_| Vec::new()).collect();
        let mut counters = Vec::with_capacity(parts.len());
        for part in parts {
            let columns = part.columns.into_iter().zip(&mut dictionaries);
            columns.for_each(|(column, parts)| parts.push(column.dictionary));
            counters.push((part.tuples, Vec::with_capacity(dictionaries.len())));
        }
        let united: Vec<(Dictionary, Vec<Vec<u32>>)> =
            dictionaries.into_par_iter().map(Dictionary::all_sorted).collect();
        let mut dictionaries = Vec::with_capacity(united.len());
        for (dictionary, ranks) in united {
            counters.iter_mut().zip(ranks).for_each(|((_, of_columns), ranks)| of_columns.push(ranks));
            dictionaries.push(dictionary);
        }
        let bits: Vec<u32> = dictionaries.iter().map(|dictionary| keys::bits(dictionary.len())).collect();
        let (columns, weights) = counter::finish_all(counters, &Packing::new(&bits))?;
        Ok(Encoded { dictionaries, columns, weights, rows })
    }
}
