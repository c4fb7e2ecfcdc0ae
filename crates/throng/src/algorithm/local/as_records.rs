//! Record by record, as the papers' texts go: every row is a tuple of its own.

use super::admissible::Admissibility;
use super::pieces::Piece;
use crate::problem::Problem;
use crate::recoding::{Local, Parts};

/// The records of a problem.
pub(in crate::algorithm) struct Records {
    /// The same problem, in which each record is a tuple.
    pub(in crate::algorithm) problem: Problem,
    /// The tuple that each record was a row of, ascending; none if each tuple is taken as a whole.
    tuples: Option<Vec<u32>>,
}

impl Records {
    /// The rows in the order of their tuples.
    pub(in crate::algorithm) fn from_problem(problem: &Problem) -> Records {
        let (problem, tuples) = problem.record_by_record();
        Records { problem, tuples: Some(tuples) }
    }

    /// The rows if size alone makes a cluster ripe. For other models the tuples: which of a tuple's rows have
    /// which sensitive value is not known.
    pub(in crate::algorithm) fn of_admissibility(
        problem: &Problem,
        admissibility: &Admissibility,
    ) -> Records {
        match admissibility.by_size() {
            Some(_) => Records::from_problem(problem),
            None => Records { problem: problem.clone(), tuples: None },
        }
    }

    /// Classes of records as classes of rows of tuples.
    pub(in crate::algorithm) fn in_tuples(&self, mut classes: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
        if let Some(tuples) = &self.tuples {
            let pieces = classes.iter_mut().flatten();
            pieces.for_each(|piece| piece.tuple = tuples[piece.tuple as usize]);
        }
        classes
    }

    /// A recoding of the tuples as one of the records.
    pub(in crate::algorithm) fn of_records(&self, of_tuples: &Local) -> Local {
        let Some(tuples) = &self.tuples else { return of_tuples.clone() };
        let parts: Vec<usize> = match of_tuples.parts() {
            None => tuples.iter().map(|&tuple| tuple as usize).collect(),
            Some(parts) => {
                let rows = parts.rows().iter().enumerate();
                rows.flat_map(|(part, &rows)| std::iter::repeat_n(part, rows as usize)).collect()
            }
        };
        self.pick(of_tuples, &parts)
    }

    /// Some tuples, parts or records of a recoding.
    fn pick(&self, local: &Local, picked: &[usize]) -> Local {
        let attributes = 0..self.problem.attributes().len();
        let column = |a: usize| picked.iter().map(|&at| local.column(a)[at]).collect();
        let made = attributes.clone().map(|a| local.made(a).to_vec()).collect();
        Local::with_made(attributes.map(column).collect(), made)
    }

    /// A recoding of the records as one of the tuples: rows of a tuple that are released alike are a part.
    pub(in crate::algorithm) fn local(&self, of_records: &Local) -> Local {
        let attributes = self.problem.attributes().len();
        let Some(tuples) = self.tuples.as_ref().filter(|tuples| !tuples.is_sorted_by(|a, b| a < b)) else {
            return of_records.clone();
        };
        let values = |record: usize| (0..attributes).map(move |a| of_records.column(a)[record]);
        let mut order: Vec<usize> = (0..tuples.len()).collect();
        order.sort_by(|&a, &b| tuples[a].cmp(&tuples[b]).then_with(|| values(a).cmp(values(b))));
        let alike = |&a: &usize, &b: &usize| tuples[a] == tuples[b] && values(a).eq(values(b));
        let mut parts = Parts::default();
        let mut first = Vec::new();
        for same in order.chunk_by(alike) {
            parts.push(tuples[same[0]], same.len() as u32, false);
            first.push(same[0]);
        }
        let local = self.pick(of_records, &first);
        let is_divided = !parts.tuples().is_sorted_by(|a, b| a < b);
        if is_divided { local.in_parts(parts) } else { local }
    }
}
