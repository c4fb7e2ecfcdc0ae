//! Fronts in files, and whether a job is the one that a front was found for.

use std::collections::BTreeMap;
use std::path::Path;

use throng::taxonomy::Taxonomy;

use super::{FrontPoint, FrontierSummary};
use crate::error::{EngineError, Result};
use crate::input::whole;
use crate::prepare::EncodedTable;

/// Tells these hashes from all others of the same bytes.
const CONTEXT: &str = "throng 2026 fingerprint of what a front is found for";

impl FrontierSummary {
    /// Reads a front that `throng frontier` saved or printed as JSON.
    ///
    /// # Errors
    /// A file that cannot be read, or that is no front.
    pub fn read(path: &Path) -> Result<FrontierSummary> {
        let text = whole::read(path, whole::MOST_MADE, "cannot read the frontier", "no such frontier")?;
        FrontierSummary::parse(&text).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a front.
    ///
    /// # Errors
    /// What is no front. No message shows what the file says.
    pub fn parse(text: &[u8]) -> Result<FrontierSummary> {
        serde_json::from_slice(text).map_err(|_| {
            EngineError::bad(("this is not a saved frontier", "`throng frontier JOB --save FILE` makes one"))
        })
    }

    /// The node of a number, from 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn point(&self, number: usize) -> Result<&FrontPoint> {
        self.front.iter().find(|point| point.number == number).ok_or_else(|| {
            EngineError::bad((
                format!("the frontier has no point {number}"),
                format!("its points are numbered from 1 to {}", self.front.len()),
            ))
        })
    }
}

/// A hash of what a front depends on: the quasi-identifiers of all rows, their hierarchies, and how many rows may be
/// suppressed. Names of files do not count, nor the order of rows.
pub(crate) fn fingerprint(prepared: &EncodedTable, max_suppressed_rows: u64) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    let number = |hasher: &mut blake3::Hasher, number: u64| _ = hasher.update(&number.to_le_bytes());
    number(&mut hasher, max_suppressed_rows);
    let table = prepared.table();
    let tuples: Vec<usize> = (0..table.tuples()).filter(|&tuple| table.weights()[tuple] > 0).collect();
    let mut ranks: Vec<BTreeMap<u32, u32>> = Vec::new();
    for (a, attribute) in prepared.attributes.iter().enumerate() {
        let (taxonomy, texts) = (&attribute.taxonomy, attribute.leaf_texts());
        let mut leaves: Vec<u32> = tuples.iter().map(|&tuple| table.column(a)[tuple]).collect();
        leaves.sort_by_key(|&leaf| texts[leaf as usize]);
        leaves.dedup();
        text(&mut hasher, &attribute.name);
        number(&mut hasher, leaves.len() as u64);
        leaves.iter().for_each(|&leaf| path(&mut hasher, taxonomy, leaf, texts[leaf as usize]));
        ranks.push(leaves.into_iter().zip(0..).collect());
    }
    let rank = |tuple: usize| -> (Vec<u32>, u32) {
        let of_tuple = ranks.iter().enumerate().map(|(a, ranks)| ranks[&table.column(a)[tuple]]);
        (of_tuple.collect(), table.weights()[tuple])
    };
    let mut rows: Vec<(Vec<u32>, u32)> = tuples.into_iter().map(rank).collect();
    rows.sort_unstable();
    for (ranks, weight) in rows {
        ranks.into_iter().chain([weight]).for_each(|n| number(&mut hasher, u64::from(n)));
    }
    hasher.finalize().to_hex().to_string()
}

/// The text of a leaf, and its labels at all levels above.
fn path(hasher: &mut blake3::Hasher, taxonomy: &Taxonomy, leaf: u32, of_leaf: &str) {
    text(hasher, of_leaf);
    for level in 1..=taxonomy.height() {
        text(hasher, taxonomy.label(taxonomy.generalise(leaf, level)));
    }
}

fn text(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
