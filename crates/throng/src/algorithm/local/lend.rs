//! Tuples of more rows than they need lend some to others.
//!
//! A class of one tuple loses nothing and needs k rows; those beyond may go wherever the loss falls. If each
//! piece of a class would be better off with such a tuple, its nearest *lender*, than all of them are
//! together, the class is dissolved, and every piece becomes a class of k rows with rows from its lender.
//!
//! **Citation.** Our own. The papers go record by record; because they place each record once and for all, it
//! is left to chance which records of a tuple are there for others to join.
//!
//! **Guarantee.** Every class has k rows, and a release is never made worse.
//!
//! **Complexity.** A search among the lenders for each class, most often for one of its pieces only.

use rayon::prelude::*;

use super::admissible::Admissibility;
use super::closure::Closures;
use super::neighbours::Neighbours;
use super::pieces::Piece;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Classes that are looked at between two questions whether to go on.
const BATCH: usize = 256;

/// The classes that are left when lenders have helped all whom they can. Nothing is lent where more than size
/// decides what is ripe.
pub(in crate::algorithm) fn lend(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    run: &Run<'_>,
) -> Result<Vec<Vec<Piece>>, Stop> {
    let Some(k) = admissibility.by_size().and_then(|k| u32::try_from(k).ok()) else { return Ok(classes) };
    let is_lender = |class: &Vec<Piece>| class.len() == 1 && class[0].rows > k;
    let lenders: Vec<u32> =
        classes.iter().filter(|class| is_lender(class)).map(|class| class[0].tuple).collect();
    if lenders.is_empty() {
        return Ok(classes);
    }
    let index = Neighbours::find(problem, closures, lenders, run)?;
    let lending = Lending { problem, closures, k, index };
    let mut loans: Vec<Option<Vec<u32>>> = Vec::with_capacity(classes.len());
    for batch in classes.chunks(BATCH) {
        run.unless_cancelled()?;
        loans.par_extend(batch.par_iter().map(|class| lending.loan(class)));
    }
    Ok(pay_out(classes, &loans, k))
}

struct Lending<'p> {
    problem: &'p Problem,
    closures: &'p Closures,
    k: u32,
    index: Neighbours<'p>,
}

impl Lending<'_> {
    /// The nearest lender of each piece of a class, if with them all lose less than together.
    fn loan(&self, class: &[Piece]) -> Option<Vec<u32>> {
        if class.len() == 1 || class.iter().any(|piece| piece.rows >= self.k) {
            return None;
        }
        let k = f64::from(self.k);
        let mut left = self.cost(class);
        let nearest = |piece: &Piece| {
            let (distance, lender) = self.index.nearest_below(piece.tuple, left / k)?;
            left -= k * distance;
            (left > 0.0).then_some(lender)
        };
        class.iter().map(nearest).collect()
    }

    /// What the rows of a class cost together.
    fn cost(&self, class: &[Piece]) -> f64 {
        let table = self.problem.table();
        let record = |tuple: u32| (0..table.attributes()).map(move |a| table.column(a)[tuple as usize]);
        let mut closure: Vec<ValueId> = record(class[0].tuple).collect();
        for piece in class {
            closure.iter_mut().zip(record(piece.tuple)).enumerate().for_each(|(a, (value, leaf))| {
                *value = self.closures.join(a, *value, leaf);
            });
        }
        let rows: u64 = class.iter().map(|piece| u64::from(piece.rows)).sum();
        rows as f64 * self.closures.cost(&closure)
    }
}

/// Ends the classes whose lenders have enough rows left when it is their turn.
fn pay_out(mut classes: Vec<Vec<Piece>>, loans: &[Option<Vec<u32>>], k: u32) -> Vec<Vec<Piece>> {
    let mut homes: Vec<(u32, usize)> = (0..classes.len())
        .filter(|&at| classes[at].len() == 1 && classes[at][0].rows > k)
        .map(|at| (classes[at][0].tuple, at))
        .collect();
    homes.sort_unstable();
    let home = |tuple: u32| homes[homes.partition_point(|&(other, _)| other < tuple)].1;
    for (at, loan) in loans.iter().enumerate() {
        let Some(lenders) = loan else { continue };
        let pieces = classes[at].clone();
        let wants = || pieces.iter().zip(lenders).map(|(piece, &lender)| (home(lender), k - piece.rows));
        let mut lent = 0;
        for (home, rows) in wants() {
            if classes[home][0].rows < k + rows {
                break;
            }
            classes[home][0].rows -= rows;
            lent += 1;
        }
        if lent < pieces.len() {
            wants().take(lent).for_each(|(home, rows)| classes[home][0].rows += rows);
            continue;
        }
        classes[at].clear();
        for ((home, rows), &piece) in wants().zip(&pieces) {
            let tuple = classes[home][0].tuple;
            classes.push(vec![piece, Piece { tuple, rows }]);
        }
    }
    classes.retain(|class| !class.is_empty());
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::closures;
    use crate::algorithm::local::pieces::whole;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::run::Unobserved;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn pieces_that_are_far_from_each_other_each_join_what_is_near() {
        // Three leaves under each of three; the second of each has many rows.
        let tree: Vec<[String; 3]> =
            (0..9).map(|leaf| [leaf.to_string(), format!("t{}", leaf / 3), "*".into()]).collect();
        let k3 = Requirement::new(KAnonymity { k: 3 });
        let lm = loss::find("lm").unwrap();
        let attributes = vec![("x".into(), Taxonomy::from_rows(&tree).unwrap(), 1.0)];
        let lent = |lenders: [u32; 2]| {
            let table = Table::new(vec![vec![0, 1, 3, 4]], vec![2, lenders[0], 1, lenders[1]]);
            let problem = Problem::new(table, attributes.clone(), k3.clone(), 0, lm).unwrap();
            let classes = whole(problem.table(), &[vec![0, 2], vec![1], vec![3]]);
            let run = Run::new(&problem, None, &Unobserved);
            let admissibility = Admissibility::new(&problem);
            let found = lend(&problem, &closures(&problem), &admissibility, classes, &run).unwrap();
            let pairs = |class: &Vec<Piece>| class.iter().map(|piece| (piece.tuple, piece.rows)).collect();
            found.iter().map(pairs).collect::<Vec<Vec<(u32, u32)>>>()
        };
        let expected = [vec![(1, 9)], vec![(3, 3)], vec![(0, 2), (1, 1)], vec![(2, 1), (3, 2)]];
        assert_eq!(lent([10, 5]), expected);
        // One row is not enough for both, and none is lent.
        assert_eq!(lent([10, 4]), [vec![(0, 2), (2, 1)], vec![(1, 10)], vec![(3, 4)]]);
    }
}
