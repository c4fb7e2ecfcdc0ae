//! Local recoding: each tuple has generalised values of its own.
//!
//! Identical records are one tuple with a weight. The papers' texts go record by record; a tuple of weight
//! w stands for w records, which are divided into [pieces] only where something takes from them.

mod admissible;
pub(in crate::algorithm) mod agglomerative;
#[cfg(test)]
mod art;
mod as_records;
pub(crate) mod blocks;
pub(crate) mod closure;
mod finish;
pub(in crate::algorithm) mod forest;
mod index;
pub(crate) mod k_k;
pub(crate) mod leave_out;
mod lend;
pub(crate) mod levels;
mod mend;
pub(in crate::algorithm) mod min_gen;
pub(in crate::algorithm) mod mondrian;
mod neighbours;
mod peel;
mod pieces;
pub mod regions;
mod reread;
pub(in crate::algorithm) mod sequential;
pub(in crate::algorithm) mod spatial_distance;

use closure::Closures;

use crate::problem::Problem;
use crate::recoding::Local;
use crate::run::Stop;
use crate::stop::GoOn;
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
    let mut own = vec![0; problem.table().tuples()];
    for (number, class) in (0..).zip(classes) {
        class.iter().for_each(|&tuple| own[tuple as usize] = number);
    }
    let members = |class: usize| classes[class].iter().copied();
    Local::from_closures(problem, |a| Ok((close(problem, a, classes.len(), members, go_on)?, own.clone())))
}

/// The closures of classes in one attribute, given the tuples of each.
fn close<T: Iterator<Item = u32> + Clone>(
    problem: &Problem,
    attribute: usize,
    classes: usize,
    tuples: impl Fn(usize) -> T,
    go_on: &GoOn<'_>,
) -> Result<Vec<Closure>, Stop> {
    let (leaves, attribute) = (problem.table().column(attribute), &problem.attributes()[attribute]);
    let joins = (attribute.taxonomy.scheme() == Scheme::Tree).then(|| attribute.joins());
    let mut closures = Vec::with_capacity(classes);
    for class in 0..classes {
        if class % CLASSES == 0 {
            go_on()?;
        }
        let mut members = tuples(class).map(|tuple| leaves[tuple as usize]);
        closures.push(match &joins {
            Some(joins) => {
                let first = members.next().expect("no class is empty");
                Closure::Value(members.fold(first, |closure, leaf| joins.join(closure, leaf)))
            }
            None => attribute.taxonomy.close(members),
        });
    }
    Ok(closures)
}
