//! Looks at nodes: less than checks, and quicker.

use rayon::prelude::*;

use super::observer::go_on;
use super::{Run, Stop};
use crate::classes::{AtLeast, Met, UpwardBounds};
use crate::evaluation::Evaluation;
use crate::lattice::Node;
use crate::stop::GoOn;

impl Run<'_> {
    /// Has each of several pieces of work look upwards from its node, on all cores. Works only where nothing but the
    /// sizes of classes decides what is suppressed; else the work comes back as it is, with `false`.
    pub(crate) fn look_up<T: Send>(
        &mut self,
        work: Vec<(&Node, T)>,
        look: impl Fn(&mut T, &mut dyn UpwardBounds, &GoOn<'_>) -> Result<(), Stop> + Sync,
    ) -> Result<(Vec<T>, bool), Stop> {
        let (observer, deadline) = (self.observer, self.deadline);
        let ask = || go_on(observer, deadline);
        let counter = self.counter()?;
        let one = |(from, mut work): (&Node, T)| {
            let Some(mut upward_bounds) = counter.upward_bounds(from) else {
                return Ok((work, Met::default(), false));
            };
            look(&mut work, &mut *upward_bounds, &ask)?;
            Ok((work, upward_bounds.finish(), true))
        };
        let done: Vec<_> = work.into_par_iter().map(one).collect::<Result<_, Stop>>()?;
        let (mut work, mut looked) = (Vec::with_capacity(done.len()), true);
        for (one, met, has_looked) in done {
            work.push(one);
            looked &= has_looked;
            counter.learn(met, &ask)?;
        }
        Ok((work, looked))
    }

    /// What nodes cost, by a look at each: no more than they do, and nearly always exactly that; none where they may
    /// not be released. Checks them where a look is not enough.
    pub(crate) fn estimate_all(&mut self, nodes: &[Node]) -> Result<Vec<Option<i128>>, Stop> {
        // Where sizes of classes are the loss, they must be counted.
        if self.costs().without_suppression(&self.problem.lattice().bottom()).is_none() {
            return Ok(self.check_all(nodes)?.iter().map(Evaluation::cost).collect());
        }
        let most = self.problem.max_suppressed_rows;
        let look = |(node, found): &mut (&Node, Option<AtLeast>),
                    upward_bounds: &mut dyn UpwardBounds,
                    ask: &GoOn<'_>| {
            *found = Some(upward_bounds.at_least(node, ask)?);
            Ok(())
        };
        let work = nodes.iter().map(|node| (node, (node, None))).collect();
        let (looks, has_looked) = self.look_up(work, look)?;
        if !has_looked {
            return Ok(self.check_all(nodes)?.iter().map(Evaluation::cost).collect());
        }
        self.note_looks(nodes.len() as u64);
        let cost = |(node, found): (&Node, Option<AtLeast>)| {
            let found = found.filter(|found| found.suppressed_rows <= most)?;
            Some(self.costs().without_suppression(node)? + found.penalty)
        };
        Ok(looks.into_iter().map(cost).collect())
    }

    /// Notes that the search has looked at so many nodes without checking them.
    pub(crate) fn note_looks(&mut self, nodes: u64) {
        self.checked_nodes += nodes;
        self.observer.checked(self.checked_nodes + self.projected_nodes);
    }
}
