//! Columns that requirements look at: counted with the quasi-identifiers, then taken from their side.

use throng::table::Carried;

use super::dictionary::Dictionary;
use super::encode::Encoded;

/// A column that is carried, and the text of its codes.
#[derive(Clone, Debug)]
pub(crate) struct CarriedColumn {
    pub(crate) dictionary: Dictionary,
    pub(crate) counts: Carried,
}

/// Takes the columns after the first `quasi` out of the tuples: counts of their codes take their place.
///
/// Tuples are sorted, so those that are equal in the first columns are neighbours.
pub(super) fn carry(encoded: Encoded, quasi: usize, names: &[String]) -> (Encoded, Vec<CarriedColumn>) {
    if names.is_empty() {
        return (encoded, Vec::new());
    }
    let Encoded { mut dictionaries, mut columns, weights, rows } = encoded;
    let (texts, codes) = (dictionaries.split_off(quasi), columns.split_off(quasi));
    let is_same = |a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
    let starts: Vec<usize> =
        (0..weights.len()).filter(|&at| at == 0 || !is_same(at - 1, at)).chain([weights.len()]).collect();
    let counts = |codes: &[u32], range: std::ops::Range<usize>| {
        let mut counts: Vec<(u32, u32)> = range.map(|at| (codes[at], weights[at])).collect();
        counts.sort_unstable();
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        counts
    };
    let carried = names.iter().zip(texts).zip(&codes).map(|((name, dictionary), codes)| {
        let lists: Vec<Vec<(u32, u32)>> =
            starts.windows(2).map(|ends| counts(codes, ends[0]..ends[1])).collect();
        let counts = Carried::new(name, dictionary.len(), lists.iter().map(Vec::as_slice));
        CarriedColumn { dictionary, counts }
    });
    let carried = carried.collect();
    let firsts = &starts[..starts.len() - 1];
    let columns = columns.iter().map(|column| firsts.iter().map(|&at| column[at]).collect()).collect();
    let sums = starts.windows(2).map(|ends| weights[ends[0]..ends[1]].iter().sum()).collect();
    (Encoded { dictionaries, columns, weights: sums, rows }, carried)
}
