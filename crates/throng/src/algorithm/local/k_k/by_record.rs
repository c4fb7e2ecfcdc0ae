//! What `nearest` and `expansion` share: a (k,1)-anonymiser, then what the notion needs.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcription;

use super::global;
use super::one_k;
use super::originals::{Originals, ReleasedPieces};
use crate::algorithm::Algorithm;
use crate::algorithm::local::as_records::Records;
use crate::algorithm::variant::Variant;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::Local;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Notions that Algorithms 3 and 4 give with Algorithms 5 and 6; (1,k) is given by Algorithm 5 alone.
pub(super) const NOTIONS: &[Notion] = &[Notion::OneK, Notion::KOne, Notion::KK, Notion::GlobalOneK];

/// Beyond the algorithm itself, those of Algorithms 5 and 6.
pub(super) const DEVIATIONS: &[&str] = &[
    "Treats identical records as one weighted tuple; they join together.",
    "Runs Algorithm 5 both record by record and tuple by tuple, and keeps the cheaper result.",
    "In Algorithm 6, generalises the row of a tuple that costs least; the paper generalises that of the \
        record itself.",
];

/// An algorithm that generalises each record by itself.
pub(super) struct ByRecord {
    /// The generalisation of one tuple, which covers at least k rows.
    pub(super) generalise: fn(&Originals<'_>, usize) -> Vec<ValueId>,
    pub(super) variant: Variant,
}

impl Algorithm for ByRecord {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let begin = |originals: &Originals<'_>, run: &Run<'_>| {
            // Algorithm 5 takes any generalisation; here the table itself.
            let as_it_is = problem.requirements.notion() == Notion::OneK;
            let generalise = |tuple: usize| match as_it_is {
                true => originals.record(tuple).to_vec(),
                false => (self.generalise)(originals, tuple),
            };
            ReleasedPieces::new(originals, run, generalise)
        };
        let found = match self.variant {
            Variant::Printed if problem.requirements.is_one_crowd() => {
                let records = Records::from_problem(problem);
                complete(&records.problem, begin, run)?.map(|local| records.local(&local))
            }
            // No paper prints what crowds of different values take.
            Variant::Improved | Variant::Printed => complete(problem, begin, run)?,
        };
        found.into_iter().for_each(|local| run.propose(local));
        Ok(())
    }
}

/// Algorithms 5 and 6 on a release of the whole table, as far as the notion asks for them.
pub(super) fn search_from(
    problem: &Problem,
    variant: Variant,
    start: &Local,
    run: &mut Run<'_>,
) -> Result<(), Stop> {
    let found = match variant {
        Variant::Printed if problem.requirements.is_one_crowd() => {
            let records = Records::from_problem(problem);
            let (problem, start) = (&records.problem, records.of_records(start));
            let found = complete(problem, |of, _| Ok(ReleasedPieces::from_local(of, problem, &start)), run)?;
            found.map(|local| records.local(&local))
        }
        Variant::Improved | Variant::Printed => {
            complete(problem, |of, _| Ok(ReleasedPieces::from_local(of, problem, start)), run)?
        }
    };
    found.into_iter().for_each(|local| run.propose(local));
    Ok(())
}

/// What the notion needs beyond a release to begin with; none if the table has fewer than k rows.
fn complete(
    problem: &Problem,
    begin: impl FnOnce(&Originals<'_>, &Run<'_>) -> Result<ReleasedPieces, Stop>,
    run: &mut Run<'_>,
) -> Result<Option<Local>, Stop> {
    let notion = problem.requirements.notion();
    run.expect(passes(notion) * problem.table().tuples() as u64);
    let Some(originals) = Originals::new(problem, run)? else { return Ok(None) };
    let mut released = begin(&originals, run)?;
    if notion != Notion::KOne {
        one_k::reach_all(&originals, &mut released, run)?;
    }
    if notion == Notion::GlobalOneK {
        let steps = global::match_all(&originals, &mut released, run)?;
        run.note_steps(steps);
    }
    released.into_local(&originals.prices, run).map(Some)
}

/// How often the algorithms for a notion go through all tuples.
fn passes(notion: Notion) -> u64 {
    match notion {
        Notion::KOne => 1,
        Notion::GlobalOneK => 5,
        _ => 3,
    }
}
