//! What `nearest` and `expansion` share: a (k,1)-anonymiser, then what the notion needs.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod transcription;

use super::global;
use super::one_k;
use super::originals::{Originals, Released};
use crate::algorithm::Algorithm;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::run::{Run, Stop};
use crate::taxonomy::ValueId;

/// Notions that Algorithms 3 and 4 give with Algorithms 5 and 6; for (1,k) they give (k,k).
pub(super) const NOTIONS: &[Notion] = &[Notion::OneK, Notion::KOne, Notion::KK, Notion::GlobalOneK];

/// An algorithm that generalises each record by itself.
pub(super) struct ByRecord {
    /// The generalisation of one tuple, which covers at least k rows.
    pub(super) generalise: fn(&Originals<'_>, usize) -> Vec<ValueId>,
}

impl Algorithm for ByRecord {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        run.expect(passes(problem.requirements.notion()) * problem.table().tuples() as u64);
        let Some(originals) = Originals::new(problem, run)? else { return Ok(()) };
        let generalise = |tuple: usize| (self.generalise)(&originals, tuple);
        let mut released = Released::new(&originals, run, generalise)?;
        let notion = problem.requirements.notion();
        if notion != Notion::KOne {
            one_k::reach_all(&originals, &mut released, run)?;
        }
        if notion == Notion::GlobalOneK {
            global::match_all(&originals, &mut released, run)?;
        }
        run.propose(released.into_local(&originals.prices, run)?);
        Ok(())
    }
}

/// How often the algorithms for a notion go through all tuples.
fn passes(notion: Notion) -> u64 {
    match notion {
        Notion::KOne => 1,
        Notion::GlobalOneK => 5,
        _ => 3,
    }
}
