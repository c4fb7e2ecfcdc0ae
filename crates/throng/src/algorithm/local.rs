//! Local recoding: each tuple has generalised values of its own.
//!
//! Identical records are one tuple with a weight all the way. The papers' texts go record by
//! record; a tuple of weight w stands for w records that always stay together.

pub(in crate::algorithm) mod agglomerative;
mod by_record;
pub(crate) mod closure;
mod components;
pub(in crate::algorithm) mod expansion;
mod global;
pub(in crate::algorithm) mod nearest;
mod one_k;
mod originals;
mod price;
mod trie;

use closure::Closures;

use crate::problem::Problem;
use crate::taxonomy::ValueId;

/// The tuples of a table as records, row by row.
pub(crate) fn records(problem: &Problem) -> Vec<Vec<ValueId>> {
    let table = problem.table();
    let record = |tuple: usize| (0..table.attributes()).map(|a| table.column(a)[tuple]).collect();
    (0..table.tuples()).map(record).collect()
}

/// The closures of a problem whose objective local algorithms can use.
///
/// # Panics
/// If the objective is not a sum over cells; [`solve`](crate::solve::solve) refuses such problems.
pub(crate) fn closures(problem: &Problem) -> Closures {
    Closures::new(problem).expect("local recoding needs an objective that is a sum over cells")
}
