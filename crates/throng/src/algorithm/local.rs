//! Local recoding: each tuple has generalised values of its own.
//!
//! Identical records are one tuple with a weight all the way. The papers' texts go record by
//! record; a tuple of weight w stands for w records that always stay together.

pub(in crate::algorithm) mod agglomerative;
#[cfg(test)]
mod art;
pub(crate) mod blocks;
pub(crate) mod closure;
pub(in crate::algorithm) mod forest;
mod index;
pub(in crate::algorithm) mod k_k;
pub(in crate::algorithm) mod mondrian;
#[allow(dead_code)] // until every local algorithm goes by it
mod ripe;
pub(in crate::algorithm) mod sequential;
pub(in crate::algorithm) mod spatial_distance;

use closure::Closures;

use crate::problem::Problem;
use crate::recoding::{GoOn, Local};
use crate::run::Stop;
use crate::taxonomy::{Closure, Scheme, ValueId};

/// The tuples of a table as records of some attributes, one after the other.
pub(crate) fn records(problem: &Problem, attributes: impl Iterator<Item = usize> + Clone) -> Vec<ValueId> {
    let table = problem.table();
    let record = |tuple: usize| attributes.clone().map(move |a| table.column(a)[tuple]);
    (0..table.tuples()).flat_map(record).collect()
}

/// The closures of a problem whose objective local algorithms can use.
///
/// # Panics
/// If the objective is not a sum over cells; [`solve`](crate::solve::solve) refuses such problems.
pub(crate) fn closures(problem: &Problem) -> Closures {
    Closures::new(problem).expect("local recoding needs an objective that is a sum over cells")
}

/// Classes that are recoded between two questions whether to go on.
const CLASSES: usize = 1 << 12;

/// The recoding in which every tuple of a class has the class's closure: a value of the tree, or
/// the range or set of its leaves. Every tuple is in one class, and no class is empty.
///
/// Works for any objective, in time about linear in the cells. `go_on` may stop it.
pub(crate) fn recode(problem: &Problem, classes: &[Vec<u32>], go_on: &GoOn<'_>) -> Result<Local, Stop> {
    let table = problem.table();
    Local::from_closures(problem, |a| {
        let (leaves, attribute) = (table.column(a), &problem.attributes()[a]);
        let joins = (attribute.taxonomy.scheme() == Scheme::Tree).then(|| attribute.joins());
        let mut own = vec![0; leaves.len()];
        let mut closures = Vec::with_capacity(classes.len());
        for (number, class) in classes.iter().enumerate() {
            if number % CLASSES == 0 {
                go_on()?;
            }
            class.iter().for_each(|&tuple| own[tuple as usize] = number as u32);
            let mut members = class.iter().map(|&tuple| leaves[tuple as usize]);
            closures.push(match &joins {
                Some(joins) => {
                    let first = members.next().expect("no class is empty");
                    Closure::Value(members.fold(first, |closure, leaf| joins.join(closure, leaf)))
                }
                None => attribute.taxonomy.close(members),
            });
        }
        Ok((closures, own))
    })
}
