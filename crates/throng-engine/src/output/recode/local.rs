//! Rows of a local recoding: each tuple has generalised values of its own.

use rustc_hash::FxHashMap;

use throng::release::Release;

use crate::error::{EngineError, Result};
use crate::prepare::Prepared;

/// The generalised values of every tuple, found by its leaves.
pub(super) struct LocalRows {
    tuples: FxHashMap<Box<[u32]>, u32>,
    /// For each attribute, the leaf of each code of the dictionary.
    leaves: Vec<Vec<u32>>,
    /// For each attribute, the generalised value of each tuple.
    values: Vec<Vec<u32>>,
}

impl LocalRows {
    pub(super) fn new(prepared: &Prepared, release: &Release<'_>) -> LocalRows {
        let table = release.problem().table();
        let attributes = 0..table.attributes();
        let leaves_of = |tuple: usize| attributes.clone().map(|a| table.column(a)[tuple]).collect();
        let values_of = |a: usize| (0..table.tuples()).map(|tuple| release.value(tuple, a)).collect();
        LocalRows {
            tuples: (0..table.tuples()).map(|tuple| (leaves_of(tuple), tuple as u32)).collect(),
            leaves: prepared.attributes.iter().map(|attribute| attribute.leaves.clone()).collect(),
            values: attributes.clone().map(values_of).collect(),
        }
    }

    /// Replaces the dictionary codes of a batch's rows by their generalised values.
    pub(super) fn recode(&self, codes: &mut [Vec<u32>]) -> Result<()> {
        let rows = codes.first().map_or(0, Vec::len);
        let mut key = vec![0; codes.len()];
        for row in 0..rows {
            for (a, leaf) in key.iter_mut().enumerate() {
                *leaf = self.leaves[a][codes[a][row] as usize];
            }
            let tuple = *self
                .tuples
                .get(key.as_slice())
                .ok_or_else(|| EngineError::bad("the input changed while it was being read"))?;
            for (a, codes) in codes.iter_mut().enumerate() {
                codes[row] = self.values[a][tuple as usize];
            }
        }
        Ok(())
    }
}
