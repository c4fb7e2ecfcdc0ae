//! Local recoding: each tuple has generalised values of its own.
//!
//! Identical records are one tuple with a weight all the way. The papers' texts go record by
//! record; a tuple of weight w stands for w records that always stay together.

pub(in crate::algorithm) mod agglomerative;
#[cfg(test)]
mod art;
mod by_record;
pub(crate) mod closure;
mod components;
pub(in crate::algorithm) mod expansion;
pub(in crate::algorithm) mod forest;
mod global;
pub(in crate::algorithm) mod nearest;
mod neighbours;
mod one_k;
mod originals;
mod price;
pub(in crate::algorithm) mod sequential;
mod trie;

use closure::Closures;

use crate::problem::Problem;
use crate::recoding::Local;
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

/// The recoding in which every tuple of a class has the class's closure.
pub(crate) fn recode(problem: &Problem, closures: &Closures, classes: &[Vec<u32>]) -> Local {
    let table = problem.table();
    let recode_column = |a: usize| {
        let leaves = table.column(a);
        let mut column = vec![0; leaves.len()];
        for class in classes {
            let values = class.iter().map(|&tuple| leaves[tuple as usize]);
            let closure = values.reduce(|x, y| closures.join(a, x, y)).expect("no class is empty");
            class.iter().for_each(|&tuple| column[tuple as usize] = closure);
        }
        column
    };
    Local::new((0..table.attributes()).map(recode_column).collect())
}
