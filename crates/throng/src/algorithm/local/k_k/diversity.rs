//! Different sensitive values in every crowd: (k,k) and global (1,k) with distinct l-diversity.
//!
//! **Citation.** Our own. A. Gionis, A. Mazza, T. Tassa, *k-Anonymization Revisited*, ICDE 2008, leave l-diversity within
//! their framework to future work (section II); A. Machanavajjhala et al., *l-Diversity: Privacy Beyond k-Anonymity*, 2006.
//!
//! **Idea.** Algorithm 5 goes on until the released records that are consistent with each original one have l values, and
//! Algorithm 6 until its matches do: where values are lacking, only records with a new one are candidates, and of these
//! the cheapest is generalised, as in the paper. Any rows still missing after that are found as usual.
//!
//! **Guarantee.** That of the notion, and l different values in each record's crowd, wherever the table has l values:
//!
//! 1. *A step always exists.* While the neighbours of R have fewer than l values, some released record has another value,
//!    and is no neighbour; R + it is one. While the matches of R have fewer than l values, its neighbours have l by then, so
//!    one that is no match has another value: once R̄ covers that neighbour's original record, the two can change places,
//!    and it is a match.
//! 2. *No step undoes another.* Generalising a released record takes away no edge of the graph of consistent records, so
//!    neighbours stay neighbours, perfect matchings stay perfect, and matches stay matches; and a record that covers k
//!    original ones goes on to cover them. Values are released as they are.
//! 3. So after one pass over the records all have l values, and k rows, and (k,1)-anonymity is kept.
//!
//! **Complexity.** One more search for each missing value. The values of each crowd are remembered up to l of
//! them.
//!
//! **Deviations.** Rows of a tuple stay together, because which of them has which value is not known: a step generalises
//! all of them.

use super::originals::ReleasedPieces;
use super::search::{Candidate, Finder, WORST};
use crate::privacy::DistinctL;
use crate::problem::Problem;
use crate::table::Carried;

/// The different values that crowds must have.
pub(super) struct Diversity {
    asked: Vec<Asked>,
}

/// What is asked of one sensitive column.
struct Asked {
    l: usize,
    /// The values of each tuple's rows.
    values: Vec<Vec<u32>>,
}

/// The values that a crowd is known to have, of each column as many as are asked for.
#[derive(Clone, Default)]
pub(super) struct Seen(Vec<Vec<u32>>);

impl Diversity {
    /// What a problem asks for; nothing in most.
    pub(super) fn from_problem(problem: &Problem) -> Diversity {
        let asked = |DistinctL { l, column }: DistinctL| {
            let column = &problem.table().carried()[column];
            let values = (0..column.tuples()).map(|tuple| values_of(column, tuple)).collect();
            Asked { l: usize::try_from(l).unwrap_or(usize::MAX), values }
        };
        Diversity { asked: problem.requirements.diversities().map(asked).collect() }
    }

    /// Whether anything is asked for; then the rows of a tuple stay together.
    pub(super) fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Whether a crowd of the whole table has all that is asked for.
    pub(super) fn can_be_had(&self) -> bool {
        self.asked.iter().all(|asked| {
            let mut all: Vec<u32> = asked.values.iter().flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all.len() >= asked.l
        })
    }

    /// What is known of a crowd of nobody.
    pub(super) fn none_seen(&self) -> Seen {
        Seen(vec![Vec::new(); self.asked.len()])
    }

    /// Adds the rows of a tuple to a crowd.
    pub(super) fn see(&self, seen: &mut Seen, tuple: usize) {
        for (asked, seen) in self.asked.iter().zip(&mut seen.0) {
            for value in &asked.values[tuple] {
                if seen.len() < asked.l && !seen.contains(value) {
                    seen.push(*value);
                }
            }
        }
    }

    /// The first column of which a crowd has too few values.
    pub(super) fn lacking(&self, seen: &Seen) -> Option<usize> {
        self.asked.iter().zip(&seen.0).position(|(asked, seen)| seen.len() < asked.l)
    }

    /// Whether the rows of a tuple have a value of a column that a crowd lacks.
    pub(super) fn adds(&self, seen: &Seen, column: usize, tuple: usize) -> bool {
        self.asked[column].values[tuple].iter().any(|value| !seen.0[column].contains(value))
    }
}

/// The values of a tuple's rows, without missing cells.
fn values_of(column: &Carried, tuple: usize) -> Vec<u32> {
    let values = column.histogram(tuple).iter().map(|(code, _)| column.value(code));
    let mut values: Vec<u32> = values.filter(|value| Some(*value) != column.missing()).collect();
    values.dedup();
    values
}

/// The cheapest released record with a value that a crowd lacks.
pub(super) struct Newest<'a> {
    diversity: &'a Diversity,
    seen: &'a Seen,
    column: usize,
    released: &'a ReleasedPieces,
    best: Candidate,
}

impl<'a> Newest<'a> {
    /// None yet.
    pub(super) fn new(
        diversity: &'a Diversity,
        seen: &'a Seen,
        column: usize,
        released: &'a ReleasedPieces,
    ) -> Newest<'a> {
        Newest { diversity, seen, column, released, best: WORST }
    }

    /// The piece that was found.
    pub(super) fn piece(&self) -> usize {
        assert!(self.best != WORST, "the table has as many values as are asked for");
        self.best.1 as usize
    }
}

impl Finder for Newest<'_> {
    fn limit(&self) -> Candidate {
        self.best
    }

    fn consistent(&mut self, _: u32) {}

    fn candidate(&mut self, candidate: Candidate) {
        let tuple = self.released.tuple(candidate.1 as usize);
        if candidate < self.best && self.diversity.adds(self.seen, self.column, tuple) {
            self.best = candidate;
        }
    }
}
