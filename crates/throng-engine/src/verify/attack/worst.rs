//! Where the rows are that have the fewest links.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::prepare::EncodedTable;
use crate::progress::{Progress, refuse_cancelled};
use crate::verify::linkage::codes::Codes;

/// The first row (from 1) of some tuples.
pub(super) struct FirstRows {
    rows: FxHashMap<usize, u64>,
}

impl FirstRows {
    /// Looks for rows of some tuples, from the start of the table to the last of them.
    pub(super) async fn find(
        original: &EncodedTable,
        tuples: Vec<usize>,
        progress: &dyn Progress,
    ) -> Result<FirstRows> {
        let (attributes, table) = (&original.attributes, original.table());
        let leaves = |tuple: usize| (0..attributes.len()).map(|a| table.column(a)[tuple]).collect();
        let mut wanted: FxHashMap<Vec<u32>, usize> =
            tuples.into_iter().map(|tuple| (leaves(tuple), tuple)).collect();
        let columns = attributes.iter().map(|a| a.column).collect();
        let dictionaries = attributes.iter().map(|a| a.dictionary.clone()).collect();
        let mut codes = Codes::open(&original.source, columns, dictionaries).await?;
        let (mut rows, mut row, mut key) = (FxHashMap::default(), 0, vec![0; attributes.len()]);
        while !wanted.is_empty() {
            refuse_cancelled(progress)?;
            let at_hand = codes.fill().await?;
            if at_hand == 0 {
                return Err(original.source.bad("the file changed while it was being read"));
            }
            for _ in 0..at_hand {
                row += 1;
                for (a, attribute) in attributes.iter().enumerate() {
                    key[a] = attribute.leaves.get(codes.code(a) as usize).copied().unwrap_or(u32::MAX);
                }
                if let Some(tuple) = wanted.remove(&key) {
                    rows.insert(tuple, row);
                }
                codes.advance();
            }
        }
        Ok(FirstRows { rows })
    }

    /// The first row of one of the tuples that were looked for.
    pub(super) fn first(&self, tuple: usize) -> u64 {
        self.rows[&tuple]
    }
}
