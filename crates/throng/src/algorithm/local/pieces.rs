//! Pieces of tuples: what classes are made of where the rows of a tuple need not stay together.
//!
//! A piece is some rows of a tuple, as many as move together, so that a thousand identical rows are one
//! piece until something takes a few of them. Those of a tuple become the [parts](Parts) of a recoding.

use super::admissible::Admissibility;
use super::closure::Closures;
use super::{close, recode as recode_whole};
use crate::problem::Problem;
use crate::recoding::{Local, Parts};
use crate::run::Stop;
use crate::stop::GoOn;
use crate::table::Table;
use crate::taxonomy::ValueId;

/// Some rows of a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::algorithm) struct Piece {
    /// The tuple, by its place in the table.
    pub(in crate::algorithm) tuple: u32,
    /// How many of its rows; at least one.
    pub(in crate::algorithm) rows: u32,
}

/// Classes of whole tuples as classes of pieces.
pub(in crate::algorithm) fn whole(table: &Table, classes: &[Vec<u32>]) -> Vec<Vec<Piece>> {
    let piece = |&tuple: &u32| Piece { tuple, rows: table.weights()[tuple as usize] };
    classes.iter().map(|class| class.iter().map(piece).collect()).collect()
}

/// Every record by itself; those of a tuple that may not be divided together.
pub(in crate::algorithm) fn records(table: &Table, admissibility: &Admissibility) -> Vec<Piece> {
    let of_tuple = |tuple: u32| {
        let rows = table.weights()[tuple as usize];
        let divides = rows > 0 && admissibility.may_divide(table, tuple);
        let (times, rows) = if divides { (rows, 1) } else { (1, rows) };
        (0..times).map(move |_| Piece { tuple, rows })
    };
    (0..table.tuples() as u32).flat_map(of_tuple).collect()
}

/// Makes one piece of those of each tuple in a class, tuples ascending.
pub(in crate::algorithm) fn unite(class: &mut Vec<Piece>) {
    class.sort_unstable();
    class.dedup_by(|next, kept| {
        let same = next.tuple == kept.tuple;
        kept.rows += if same { next.rows } else { 0 };
        same
    });
}

/// The closure of a class.
pub(in crate::algorithm) fn closure(table: &Table, closures: &Closures, class: &[Piece]) -> Vec<ValueId> {
    let mut closure = table.record(class[0].tuple as usize);
    class[1..].iter().for_each(|piece| closures.extend(&mut closure, &table.record(piece.tuple as usize)));
    closure
}

/// The recoding in which every piece of a class has the class's closure. Every row is in one class, and
/// no class is empty. If no tuple is divided, neither is the recoding. `go_on` may stop it.
pub(in crate::algorithm) fn recode(
    problem: &Problem,
    classes: &[Vec<Piece>],
    go_on: &GoOn<'_>,
) -> Result<Local, Stop> {
    recode_without(problem, classes, &[], go_on)
}

/// The same where some pieces are left out. They stand as a class of their own, which is not released.
pub(in crate::algorithm) fn recode_without(
    problem: &Problem,
    classes: &[Vec<Piece>],
    left_out: &[Piece],
    go_on: &GoOn<'_>,
) -> Result<Local, Stop> {
    let weights = problem.table().weights();
    let is_whole = |piece: &Piece| piece.rows == weights[piece.tuple as usize];
    if left_out.is_empty() && classes.iter().flatten().all(is_whole) {
        let tuples = |class: &Vec<Piece>| class.iter().map(|piece| piece.tuple).collect();
        return recode_whole(problem, &classes.iter().map(tuples).collect::<Vec<_>>(), go_on);
    }
    let mut all: Vec<&[Piece]> = classes.iter().map(Vec::as_slice).collect();
    all.extend(Some(left_out).filter(|left_out| !left_out.is_empty()));
    let (parts, own) = number(&all, classes.len() as u32);
    go_on()?;
    let members = |class: usize| all[class].iter().map(|piece| piece.tuple);
    let local =
        Local::from_closures(problem, |a| Ok((close(problem, a, all.len(), members, go_on)?, own.clone())))?;
    Ok(local.in_parts(parts))
}

/// One part for the rows of a tuple in a class, by tuple and then by class; and the class of each part. The
/// first so many classes are released.
fn number(classes: &[&[Piece]], released: u32) -> (Parts, Vec<u32>) {
    let in_class = |(number, class): (u32, &&[Piece])| {
        class.iter().map(move |piece| (piece.tuple, number, piece.rows)).collect::<Vec<_>>()
    };
    let mut pieces: Vec<(u32, u32, u32)> = (0..).zip(classes).flat_map(in_class).collect();
    pieces.sort_unstable();
    let (mut parts, mut own) = (Parts::default(), Vec::new());
    for same in pieces.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (tuple, class, _) = same[0];
        parts.push(tuple, same.iter().map(|&(_, _, rows)| rows).sum(), class >= released);
        own.push(class);
    }
    (parts, own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn pieces_of_a_tuple_have_the_values_of_their_classes() {
        let table = Table::new(vec![vec![0, 1, 2]], vec![5, 1, 2]);
        let flat = Taxonomy::flat(&["a", "b", "c"]).unwrap();
        let k2 = Requirement::new(KAnonymity { k: 2 });
        let lm = loss::find("lm").unwrap();
        let problem = Problem::new(table, vec![("x".into(), flat, 1.0)], k2, 0, lm).unwrap();
        let piece = |tuple, rows| Piece { tuple, rows };
        let classes = [vec![piece(2, 2)], vec![piece(1, 1), piece(0, 1)], vec![piece(0, 1), piece(0, 3)]];
        let local = recode(&problem, &classes, &|| Ok(())).unwrap();
        assert_eq!(local.column(0), [3, 0, 3, 2]);
        let parts = local.parts().unwrap();
        assert_eq!((parts.tuples(), parts.rows()), (&[0, 0, 1, 2][..], &[1, 4, 1, 2][..]));
        let undivided =
            recode(&problem, &whole(problem.table(), &[vec![1, 0], vec![2]]), &|| Ok(())).unwrap();
        assert_eq!((undivided.column(0), undivided.parts()), (&[3, 3, 2][..], None));
    }
}
