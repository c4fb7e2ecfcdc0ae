//! What a search says of itself.

use std::time::Duration;

use super::{Run, Stop};

/// A search that was chosen for the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSearch {
    /// Its name.
    pub algorithm: &'static str,
    /// Why it was, for people: a part of a sentence about the lattice.
    pub why: String,
}

impl Run<'_> {
    /// Notes that the search has counted so many cuts itself, and stops it if it must end.
    pub(crate) fn note_cuts(&mut self, cuts: u64) -> Result<(), Stop> {
        self.checked_nodes += cuts;
        self.observer.checked(self.checked_nodes + self.projected_nodes);
        self.go_on()
    }

    /// Notes what everything that is still open, and so the optimum if it is not found yet, costs at least.
    pub(crate) fn note_bound(&mut self, bound: i128) {
        self.bound = Some(bound);
    }

    /// Notes which search was chosen for the problem.
    pub(crate) fn note_choice(&mut self, algorithm: &'static str, why: String) {
        self.choice = Some(ChosenSearch { algorithm, why });
    }

    /// Notes for how long a finished search was improved.
    pub(crate) fn note_improved(&mut self, time: Duration) {
        self.improved = Some(time);
    }

    /// For how long a finished search was improved, if it was.
    pub(crate) fn improved(&self) -> Option<Duration> {
        self.improved
    }

    /// The search that was chosen, if that was left open.
    pub(crate) fn choice(&self) -> Option<&ChosenSearch> {
        self.choice.as_ref()
    }

    /// What the optimum costs at least, if the search has said so.
    pub(crate) fn bound(&self) -> Option<i128> {
        self.bound
    }

    /// Notes of how many records one step of Algorithm 6 was enough, of how many two, and so on.
    pub(crate) fn note_steps(&mut self, steps: Vec<u64>) {
        let all = self.steps.get_or_insert_default();
        all.resize(all.len().max(steps.len()), 0);
        all.iter_mut().zip(steps).for_each(|(all, records)| *all += records);
    }

    /// How many records took how many steps of Algorithm 6, if it ran.
    pub(crate) fn steps(&self) -> Option<&[u64]> {
        self.steps.as_deref()
    }

    /// Notes that the table was cut into so many blocks.
    pub(crate) fn note_blocks(&mut self, blocks: usize) {
        self.blocks = Some(blocks);
    }

    /// Blocks that the table was cut into, if it was.
    pub fn blocks(&self) -> Option<usize> {
        self.blocks
    }
}
