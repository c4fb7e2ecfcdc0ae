//! One recoding from those of pieces of a table.

use super::{Local, Parts};
use crate::problem::Problem;
use crate::stop::{GoOn, Stop};
use crate::taxonomy::{Closure, ValueId};

impl Local {
    /// One recoding from those of pieces of the table, each with the tuples that it is about;
    /// every tuple is in one piece. `go_on` may stop it.
    pub(crate) fn assemble(
        problem: &Problem,
        pieces: &[(&[u32], &Local)],
        go_on: &GoOn<'_>,
    ) -> Result<Local, Stop> {
        let places = Places::new(problem, pieces);
        let local = Local::from_closures(problem, |a| {
            go_on()?;
            let values = problem.attributes()[a].taxonomy.values().len() as ValueId;
            let mut closures: Vec<Closure> = (0..values).map(Closure::Value).collect();
            let mut own = vec![0; places.count];
            for (at, (tuples, local)) in pieces.iter().enumerate() {
                let others = closures.len() as u32 - values;
                closures.extend(local.made(a).iter().cloned().map(Closure::Made));
                let places = places.of_piece.get(at).map_or(*tuples, Vec::as_slice);
                for (&place, &value) in places.iter().zip(local.column(a)) {
                    own[place as usize] = if value < values { value } else { others + value };
                }
            }
            Ok((closures, own))
        })?;
        Ok(Local { parts: places.parts, ..local })
    }
}

/// Where the parts of the pieces go in the whole.
struct Places {
    count: usize,
    /// None if no tuple is divided: then a tuple's place is its number, and no piece has a list.
    parts: Option<Parts>,
    of_piece: Vec<Vec<u32>>,
}

impl Places {
    fn new(problem: &Problem, pieces: &[(&[u32], &Local)]) -> Places {
        let table = problem.table();
        if pieces.iter().all(|(_, local)| local.parts.is_none()) {
            return Places { count: table.tuples(), parts: None, of_piece: Vec::new() };
        }
        // By tuple, then as in the piece, which has all parts of the tuple.
        let mut order: Vec<(u32, usize, usize)> = Vec::new();
        for (piece, (tuples, local)) in pieces.iter().enumerate() {
            match &local.parts {
                Some(parts) => {
                    let tuples = parts.tuples().iter().map(|&tuple| tuples[tuple as usize]);
                    order.extend(tuples.enumerate().map(|(part, tuple)| (tuple, piece, part)));
                }
                None => order.extend(tuples.iter().enumerate().map(|(part, &tuple)| (tuple, piece, part))),
            }
        }
        order.sort_unstable();
        let mut parts = Parts::default();
        let mut of_piece: Vec<Vec<u32>> = pieces
            .iter()
            .map(|(tuples, local)| vec![0; local.columns.first().map_or(tuples.len(), Vec::len)])
            .collect();
        for (place, &(tuple, piece, part)) in (0..).zip(&order) {
            let of_local = pieces[piece].1.parts.as_ref();
            let (rows, suppressed) = of_local.map_or((table.weights()[tuple as usize], false), |of| {
                (of.rows()[part], of.suppressed()[part])
            });
            parts.push(tuple, rows, suppressed);
            of_piece[piece][part] = place;
        }
        Places { count: order.len(), parts: Some(parts), of_piece }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss;
    use crate::privacy::KAnonymity;
    use crate::requirement::Requirement;
    use crate::table::Table;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn divided_tuples_of_pieces_are_divided_in_the_whole() {
        let table = Table::new(vec![vec![0, 1, 2]], vec![5, 1, 2]);
        let flat = Taxonomy::flat(&["a", "b", "c"]).unwrap();
        let k2 = Requirement::new(KAnonymity { k: 2 });
        let lm = loss::find("lm").unwrap();
        let problem = Problem::new(table, vec![("x".into(), flat, 1.0)], k2, 1, lm).unwrap();
        // The first piece has tuples 1 and 0: one row of 0 joins 1, one is left out.
        let mut parts = Parts::default();
        [(0, 1, false), (1, 3, false), (1, 1, false), (1, 1, true)]
            .into_iter()
            .for_each(|(tuple, rows, suppressed)| parts.push(tuple, rows, suppressed));
        let first = Local::new(vec![vec![3, 0, 3, 0]]).in_parts(parts);
        let second = Local::new(vec![vec![2]]);
        let whole = Local::assemble(&problem, &[(&[1, 0], &first), (&[2], &second)], &|| Ok(())).unwrap();
        assert_eq!(whole.column(0), [0, 3, 0, 3, 2]);
        let parts = whole.parts().unwrap();
        assert_eq!((parts.tuples(), parts.rows()), (&[0, 0, 0, 1, 2][..], &[3, 1, 1, 1, 2][..]));
        assert_eq!(parts.suppressed(), [false, false, true, false, false]);
        let release = crate::recoding::Recoding::Local(whole).apply(&problem);
        assert_eq!((release.suppressed_rows(), release.tally().sizes.smallest), (1, 2));
    }
}
