//! Rows of a local recoding: each tuple, or part of one, has generalised values of its own.

use rustc_hash::FxHashMap;

use throng::release::Release;

use super::parts::Draw;
use crate::error::{EngineError, Result};
use crate::prepare::Prepared;

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
    pub(super) fn new(prepared: &Prepared, release: &Release, seed: u64) -> LocalRows {
        let table = release.problem().table();
        let attributes = 0..table.attributes();
        let leaves_of = |tuple: usize| attributes.clone().map(|a| table.column(a)[tuple]).collect();
        let values_of = |a: usize| (0..release.parts()).map(|part| release.value(part, a)).collect();
        let suppressed = match release.suppressed_rows() {
            0 => Vec::new(),
            _ => (0..release.parts()).map(|part| release.is_suppressed(part)).collect(),
        };
        LocalRows {
            tuples: (0..table.tuples()).map(|tuple| (leaves_of(tuple), tuple as u32)).collect(),
            leaves: prepared.attributes.iter().map(|attribute| attribute.leaves.clone()).collect(),
            values: attributes.clone().map(values_of).collect(),
            suppressed,
            draw: (release.parts() > table.tuples()).then(|| Draw::new(release, seed)),
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
