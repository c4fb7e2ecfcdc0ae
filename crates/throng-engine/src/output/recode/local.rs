//! Rows of a local recoding: each tuple, or part of one, has generalised values of its own.

use rustc_hash::FxHashMap;

use throng::release::Release;

use super::parts::Draw;
use crate::error::{EngineError, Result};
use crate::mapping::TupleParts;
use crate::prepare::EncodedTable;

/// The generalised values of every part of a tuple, found by the tuple's leaves.
pub(super) struct LocalRows {
    tuples: FxHashMap<Box<[u32]>, u32>,
    /// For each attribute, the leaf of each code of the dictionary.
    leaves: Vec<Vec<u32>>,
    /// For each attribute, the generalised value of each part.
    values: Vec<Vec<u32>>,
    /// Whether each part is suppressed; empty if none is.
    suppressed: Vec<bool>,
    /// Which part the next row of a tuple is in; none if each tuple is one.
    draw: Option<Draw>,
}

impl LocalRows {
    pub(super) fn new(prepared: &EncodedTable, release: &Release, seed: u64) -> LocalRows {
        let table = release.problem().table();
        let attributes = 0..table.attributes();
        let leaves_of = |tuple: usize| attributes.clone().map(|a| table.column(a)[tuple]).collect();
        let values_of = |a: usize| (0..release.parts()).map(|part| release.value(part, a)).collect();
        let suppressed = match release.suppressed_rows() {
            0 => Vec::new(),
            _ => (0..release.parts()).map(|part| release.is_suppressed(part)).collect(),
        };
        let draw = (release.parts() > table.tuples()).then(|| {
            let mut starts = vec![0; table.tuples() + 1];
            (0..release.parts()).for_each(|part| starts[release.tuple(part) + 1] += 1);
            (0..table.tuples()).for_each(|tuple| starts[tuple + 1] += starts[tuple]);
            let rows = (0..release.parts()).map(|part| release.rows(part)).collect();
            Draw::new(starts, rows, seed, leaves_of)
        });
        LocalRows {
            tuples: (0..table.tuples()).map(|tuple| (leaves_of(tuple), tuple as u32)).collect(),
            leaves: prepared.attributes.iter().map(|attribute| attribute.leaves.clone()).collect(),
            values: attributes.clone().map(values_of).collect(),
            suppressed,
            draw,
        }
    }

    /// The same from what a mapping says of tuples. `leaves` has for each attribute those of the codes of the
    /// dictionary.
    pub(super) fn of_parts(parts: &TupleParts, leaves: Vec<Vec<u32>>, seed: u64) -> LocalRows {
        let codes_of = |part: usize| parts.codes.iter().map(|codes| codes[part]).collect::<Box<[u32]>>();
        let firsts: Vec<usize> = (0..parts.len()).filter(|&part| parts.first_rows[part] == 1).collect();
        let starts = firsts.iter().copied().chain([parts.len()]).map(|part| part as u32).collect();
        let draw = || Draw::new(starts, parts.rows.clone(), seed, |tuple| codes_of(firsts[tuple]));
        LocalRows {
            draw: parts.is_divided.then(draw),
            tuples: (0..).zip(&firsts).map(|(tuple, &part)| (codes_of(part), tuple)).collect(),
            leaves,
            values: parts.labels.clone(),
            suppressed: if parts.suppressed.contains(&true) { parts.suppressed.clone() } else { Vec::new() },
        }
    }

    /// Passes over rows that others recode, and that come before all that are recoded here: tuples by their leaves,
    /// with their rows.
    pub(super) fn skip<'t>(&mut self, rows: impl Iterator<Item = (&'t [u32], u64)>) {
        let Some(draw) = &mut self.draw else { return };
        for (leaves, rows) in rows {
            if let Some(&tuple) = self.tuples.get(leaves) {
                draw.skip(tuple, rows);
            }
        }
    }

    /// The tuple of each row, whose dictionary codes are given.
    pub(super) fn tuples(&self, codes: &[Vec<u32>]) -> Result<Vec<u32>> {
        let mut key = vec![0; codes.len()];
        let tuple = |row: usize| {
            for (a, leaf) in key.iter_mut().enumerate() {
                *leaf = self.leaves[a][codes[a][row] as usize];
            }
            self.tuples.get(key.as_slice()).copied().ok_or_else(changed)
        };
        (0..codes.first().map_or(0, Vec::len)).map(tuple).collect()
    }

    /// Replaces the tuple of each row by its part. All rows of the table must come in their order.
    pub(super) fn draw(&mut self, tuples: &mut [u32]) -> Result<()> {
        let Some(draw) = &mut self.draw else { return Ok(()) };
        for tuple in tuples {
            *tuple = draw.next(*tuple).ok_or_else(changed)?;
        }
        Ok(())
    }

    /// Puts the generalised values of the rows' parts in the place of their codes, and says which rows are suppressed;
    /// none if no row of the table is.
    pub(super) fn recode(&self, parts: &[u32], codes: &mut [Vec<u32>]) -> Option<Vec<bool>> {
        for (values, codes) in self.values.iter().zip(codes) {
            codes.iter_mut().zip(parts).for_each(|(code, &part)| *code = values[part as usize]);
        }
        let is_suppressed = |&part: &u32| self.suppressed[part as usize];
        (!self.suppressed.is_empty()).then(|| parts.iter().map(is_suppressed).collect())
    }
}

fn changed() -> EngineError {
    EngineError::bad("the input changed while it was being read")
}
