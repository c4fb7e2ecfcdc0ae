//! The last step of algorithms that form classes: rows that a class can spare go where they cost nothing.
//!
//! A class of a single tuple is released as it is, at no loss, and so is every row that joins it. In a
//! class that generalises, rows of a tuple are needed only as far as the class may not be released
//! without them. The others go to the *home* of their tuple, a class of nothing else, if there is one or
//! if they are enough to begin one; and where all rows of a class have a home, the class ends.
//!
//! **Guarantee.** Every class may be released, and none of the classes costs more than before: a release
//! is never made worse.
//!
//! **Complexity.** Linear in the pieces of classes that have something to spare.

use std::cmp::Reverse;

use super::CLASSES;
use super::admissible::{Admissibility, Contents};
use super::closure::Closures;
use super::index::OrderedCost;
use super::pieces::{Piece, closure, unite};
use crate::problem::Problem;
use crate::run::Stop;
use crate::stop::GoOn;
use crate::table::Table;
use crate::taxonomy::ValueId;

/// The classes that are left when every row that is not needed where it is has gone to a class of its own
/// tuple. Rows of a tuple that [may not be divided](Admissibility::may_divide) go together or not at all. The
/// classes must be ripe; they keep their order, and new homes follow. `go_on` may stop it.
pub(in crate::algorithm) fn peel(
    problem: &Problem,
    closures: &Closures,
    admissibility: &Admissibility,
    classes: Vec<Vec<Piece>>,
    go_on: &GoOn<'_>,
) -> Result<Vec<Vec<Piece>>, Stop> {
    let mut peeling = Peeling::new(problem.table(), closures, admissibility, classes);
    for class in 0..peeling.classes.len() {
        if class % CLASSES == 0 {
            go_on()?;
        }
        peeling.relieve(class);
    }
    peeling.classes.retain(|class| !class.is_empty());
    Ok(peeling.classes)
}

const NONE: u32 = u32::MAX;

struct Peeling<'p> {
    table: &'p Table,
    closures: &'p Closures,
    admissibility: &'p Admissibility,
    classes: Vec<Vec<Piece>>,
    /// By tuple, the class that has nothing else.
    homes: Vec<u32>,
}

impl<'p> Peeling<'p> {
    fn new(
        table: &'p Table,
        closures: &'p Closures,
        admissibility: &'p Admissibility,
        mut classes: Vec<Vec<Piece>>,
    ) -> Peeling<'p> {
        classes.iter_mut().for_each(unite);
        let mut homes = vec![NONE; table.tuples()];
        for (number, class) in (0..).zip(&classes) {
            if let &[piece] = &class[..] {
                homes[piece.tuple as usize] = number;
            }
        }
        Peeling { table, closures, admissibility, classes, homes }
    }

    /// Takes from a class what it can spare, if it loses less then.
    fn relieve(&mut self, class: usize) {
        let pieces = &self.classes[class];
        if pieces.len() == 1 || !pieces.iter().any(|&piece| self.may_settle(piece)) {
            return;
        }
        let leaving = match pieces.iter().all(|&piece| self.may_settle(piece)) {
            true => pieces.clone(),
            false => self.spare(pieces),
        };
        let rest = without(pieces, &leaving);
        let cost = |pieces: &[Piece]| self.cost(pieces);
        let gone: f64 = leaving.iter().map(|&piece| cost(&[piece])).sum();
        if !leaving.is_empty() && cost(&rest) + gone < cost(pieces) {
            self.classes[class] = rest;
            leaving.into_iter().for_each(|piece| self.settle(piece));
        }
    }

    /// What a class can spare, the rows first that it gains most by.
    fn spare(&self, pieces: &[Piece]) -> Vec<Piece> {
        let records: Vec<Vec<ValueId>> =
            pieces.iter().map(|piece| self.table.record(piece.tuple as usize)).collect();
        let records: Vec<&[ValueId]> = records.iter().map(Vec::as_slice).collect();
        let (without_each, all) = self.closures.costs_without_each(&records);
        let rows: f64 = pieces.iter().map(|piece| f64::from(piece.rows)).sum();
        let gain = |at: usize| {
            let (of_piece, own) = (f64::from(pieces[at].rows), self.closures.cost(records[at]));
            of_piece * (all - own) + (rows - of_piece) * (all - without_each[at])
        };
        let mut order: Vec<usize> = (0..pieces.len()).filter(|&at| self.may_settle(pieces[at])).collect();
        order.sort_by_key(|&at| Reverse(OrderedCost(gain(at))));
        let (mut left, mut leaving) = (pieces.to_vec(), Vec::new());
        for at in order {
            let piece = Piece { rows: self.spare_rows(&left, at), ..pieces[at] };
            if piece.rows > 0 && self.may_settle(piece) {
                left[at].rows -= piece.rows;
                leaving.push(piece);
            }
        }
        leaving
    }

    /// The most rows of a piece without which the class is ripe; some of them only where its tuple may be
    /// divided and what is ripe stays so.
    fn spare_rows(&self, pieces: &[Piece], at: usize) -> u32 {
        let Piece { tuple, rows } = pieces[at];
        if let Some(least) = self.admissibility.by_size() {
            let all: u64 = pieces.iter().map(|piece| u64::from(piece.rows)).sum();
            return u64::from(rows).min(all.saturating_sub(least)) as u32;
        }
        let others = pieces.iter().enumerate().filter(|&(other, piece)| other != at && piece.rows > 0);
        let mut rest = Contents::default();
        others.for_each(|(_, &piece)| rest.add(&self.contents(piece)));
        let is_ripe = |kept: u32| {
            let mut kept_too = rest.clone();
            kept_too.add(&self.contents(Piece { tuple, rows: kept }));
            self.admissibility.is_ripe(&kept_too)
        };
        if self.admissibility.is_ripe(&rest) {
            return rows;
        }
        if !self.admissibility.stays() || !self.admissibility.may_divide(self.table, tuple) {
            return 0;
        }
        let (mut too_few, mut enough) = (0, rows);
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            if is_ripe(middle) { enough = middle } else { too_few = middle }
        }
        rows - enough
    }

    /// Whether rows may be released among nothing but their like.
    fn may_settle(&self, piece: Piece) -> bool {
        let home = self.homes[piece.tuple as usize];
        if let Some(least) = self.admissibility.by_size() {
            return home != NONE || u64::from(piece.rows) >= least;
        }
        let divided = piece.rows < self.table.weights()[piece.tuple as usize];
        if divided && !self.admissibility.may_divide(self.table, piece.tuple) {
            return false;
        }
        let mut contents = self.contents(piece);
        if home != NONE {
            self.classes[home as usize].iter().for_each(|&piece| contents.add(&self.contents(piece)));
        }
        self.admissibility.is_ripe(&contents)
    }

    fn settle(&mut self, piece: Piece) {
        match self.homes[piece.tuple as usize] {
            NONE => {
                self.homes[piece.tuple as usize] = self.classes.len() as u32;
                self.classes.push(vec![piece]);
            }
            home => self.classes[home as usize][0].rows += piece.rows,
        }
    }

    fn contents(&self, piece: Piece) -> Contents {
        self.admissibility.contents(self.table, piece.tuple, piece.rows)
    }

    /// What the rows of a class cost together.
    fn cost(&self, pieces: &[Piece]) -> f64 {
        if pieces.is_empty() {
            return 0.0;
        }
        let rows: f64 = pieces.iter().map(|piece| f64::from(piece.rows)).sum();
        rows * self.closures.cost(&closure(self.table, self.closures, pieces))
    }
}

/// A class without some of its rows.
fn without(class: &[Piece], gone: &[Piece]) -> Vec<Piece> {
    let left = |piece: &Piece| {
        let gone = gone.iter().find(|gone| gone.tuple == piece.tuple).map_or(0, |gone| gone.rows);
        (piece.rows > gone).then(|| Piece { rows: piece.rows - gone, ..*piece })
    };
    class.iter().filter_map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::local::closures;
    use crate::algorithm::local::pieces::whole;
    use crate::loss;
    use crate::privacy::{DistinctL, KAnonymity};
    use crate::requirement::{Requirement, Requirements};
    use crate::table::Carried;
    use crate::taxonomy::Taxonomy;

    fn problem(weights: &[u32], codes: &[Vec<u32>], asked: impl Into<Requirements>) -> Problem {
        let names: Vec<String> = (0..weights.len()).map(|i| i.to_string()).collect();
        let table = Table::new(vec![(0..weights.len() as u32).collect()], weights.to_vec());
        let table = table.with_carried(vec![Carried::from_codes("illness", codes)]);
        let flat = Taxonomy::flat(&names).unwrap();
        Problem::new(table, vec![("x".into(), flat, 1.0)], asked, 0, loss::find("lm").unwrap()).unwrap()
    }

    fn peeled(problem: &Problem, classes: &[Vec<u32>]) -> Vec<Vec<(u32, u32)>> {
        let classes = whole(problem.table(), classes);
        let admissibility = Admissibility::new(problem);
        let found = peel(problem, &closures(problem), &admissibility, classes, &|| Ok(())).unwrap();
        found.iter().map(|class| class.iter().map(|piece| (piece.tuple, piece.rows)).collect()).collect()
    }

    fn of_size(weights: &[u32], k: u64) -> Problem {
        let codes: Vec<Vec<u32>> = weights.iter().map(|&rows| vec![0; rows as usize]).collect();
        problem(weights, &codes, Requirement::new(KAnonymity { k }))
    }

    #[test]
    fn a_class_keeps_what_it_needs() {
        assert_eq!(peeled(&of_size(&[1000, 1], 2), &[vec![0, 1]]), [vec![(0, 1), (1, 1)], vec![(0, 999)]]);
        // Two rows can be spared, which are too few for a class.
        assert_eq!(peeled(&of_size(&[4, 1], 3), &[vec![0, 1]]), [vec![(0, 4), (1, 1)]]);
        // Each may be released as it is.
        assert_eq!(peeled(&of_size(&[4, 5], 3), &[vec![0, 1]]), [vec![(0, 4)], vec![(1, 5)]]);
    }

    #[test]
    fn rows_join_their_like() {
        let problem = of_size(&[5, 2, 2], 4);
        let piece = |tuple, rows| Piece { tuple, rows };
        let classes = vec![vec![piece(1, 2), piece(0, 1), piece(2, 2)], vec![piece(0, 4)]];
        let admissibility = Admissibility::new(&problem);
        let found = peel(&problem, &closures(&problem), &admissibility, classes, &|| Ok(())).unwrap();
        assert_eq!(found, [vec![piece(1, 2), piece(2, 2)], vec![piece(0, 5)]]);
    }

    #[test]
    fn rows_that_differ_in_what_is_looked_at_stay_together() {
        let asked =
            vec![Requirement::new(KAnonymity { k: 2 }), Requirement::new(DistinctL { l: 2, column: 0 })];
        let codes = [vec![0, 1, 0, 1], vec![1, 1]];
        let both = problem(&[4, 2], &codes, asked.clone());
        // The first is diverse by itself, the second needs some of it, and nobody knows which.
        assert_eq!(peeled(&both, &[vec![0, 1]]), [vec![(0, 4), (1, 2)]]);
        let diverse = problem(&[4, 2], &[vec![0, 1, 0, 1], vec![0, 1]], asked);
        assert_eq!(peeled(&diverse, &[vec![0, 1]]), [vec![(0, 4)], vec![(1, 2)]]);
    }
}
