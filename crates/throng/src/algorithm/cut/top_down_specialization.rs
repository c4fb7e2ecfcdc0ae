//! Top-down specialisation (TDS).
//!
//! **Citation.** B. C. M. Fung, K. Wang, P. S. Yu, *Top-Down Specialization for Information and Privacy
//! Preservation*, ICDE 2005; as section 5.2 of *Data privacy with heuristic anonymisation* (Arca and Hewett,
//! 2023) describes it.
//!
//! **Idea.** Start with all values at the top. Consider the values of the cut whose children separate the
//! labels of the target, and which can be divided without breaking a requirement. Divide the one that gains
//! the most information for the anonymity that it loses. Stop when there is none.
//!
//! **Guarantee.** An admissible cut, if that of the top levels is one; for monotone models, no single
//! worthwhile step from it could be released. No bound on the loss.
//!
//! **Complexity.** A step visits the tuples of the classes with the divided value, once for each attribute of
//! a shield, so all steps together visit each tuple as often as its values are divided. If more than the
//! sizes of classes matters, each step also checks whole cuts; for monotone models no value is refused twice.
//!
//! **Deviations.** *Improved*, the anonymity lost over a shield is the most rows that a class is larger than its
//! smallest part: 2023's reading, which gives the order of its figure 14. A step goes down through values that do not
//! divide any rows to the first that do, and is taken if it tells labels apart. *Printed* steps go to the children of a
//! value. With `follows = "original"` they are those of 2005: the anonymity lost is that of the smallest class of the
//! whole table (by which the last two steps of figure 14 change places), a value is divided as long as its rows have
//! more than one label, even if nothing is gained, and attributes in no shield stay as they are. With
//! `follows = "arca-hewett"` the anonymity lost is 2023's, a step must gain information, and all attributes are
//! specialised. In all of them, among equal scores the first attribute and value is taken. If rows may be suppressed,
//! those of parts that are too small are, as far as the limit allows. Without a target what the objective saves takes the place of information, whatever its kind: `lm`
//! if it is no sum over cells. Numbers without a hierarchy are cut into two ranges where that is worth most;
//! the recoding is then handed over as a local one, in which all tuples have their values by one map.

mod partition;
mod slots;
#[cfg(test)]
mod tests;

use crate::algorithm::variant::{Description, FOLLOWS, VARIANT};
use crate::algorithm::{Algorithm, Entry, Family, Guarantee, Serves};
use crate::cut::Cut;
use crate::notion::Notion;
use crate::problem::Problem;
use crate::recoding::{Local, Parts, Recoding};
use crate::run::{Run, Stop};
use crate::taxonomy::{Closure, ValueId};
use partition::ShieldClasses;
use slots::CutValues;

pub(in crate::algorithm) const ENTRY: Entry = Entry {
    name: "top-down-specialization",
    summary: "works down from the top: divides the value that separates labels best for the anonymity lost",
    citation: "Fung, Wang and Yu 2005",
    deviations: &[
        "Measures the anonymity lost by the most rows that any one class loses, as Arca and Hewett do; \
            Fung, Wang and Yu compare the smallest classes of the whole table.",
        "Passes in one step through values that divide no rows, down to the first that do.",
        "Takes a step only if it separates labels.",
        "Also specialises quasi-identifiers that are in no shield.",
    ],
    family: Family::Cut,
    serves: Serves::All,
    guarantee: Guarantee::Admissible,
    // k-anonymity has all the other notions.
    notions: &Notion::ALL,
    settings: &[VARIANT, FOLLOWS],
    build: |settings| Box::new(TopDownSpecialization { description: Description::from_settings(settings) }),
};

struct TopDownSpecialization {
    description: Description,
}

impl Algorithm for TopDownSpecialization {
    fn search(&self, problem: &Problem, run: &mut Run<'_>) -> Result<(), Stop> {
        let slots = CutValues::top(problem, self.description);
        if !is_admissible(&slots, None, run)? {
            return Ok(());
        }
        let mut search = Search::new(slots, run)?;
        let ended = search.specialise(run);
        search.propose(run);
        ended
    }
}

struct Search<'p> {
    slots: CutValues<'p>,
    /// By shield.
    partitions: Vec<ShieldClasses>,
    /// Whether the sizes of the partitions' classes decide what may be released.
    by_size: bool,
}

impl<'p> Search<'p> {
    fn new(slots: CutValues<'p>, run: &Run<'_>) -> Result<Search<'p>, Stop> {
        let problem = slots.problem;
        let all: Vec<usize> = (0..problem.attributes().len()).collect();
        let shield = |one: &crate::requirement::Requirement| one.shield().unwrap_or(&all).to_vec();
        let mut shields: Vec<Vec<usize>> = problem.requirements.iter().map(shield).collect();
        shields.sort_unstable();
        shields.dedup();
        let mut partitions = Vec::new();
        for attributes in shields {
            let over = || problem.requirements.iter().filter(|one| shield(one) == attributes);
            let least = over().filter_map(|one| one.class_model().least_rows()).max().unwrap_or(0);
            let requirements = over().count() as u32;
            let mut partition = ShieldClasses::new(&slots, attributes.clone(), least, &|| run.go_on())?;
            partition.requirements = requirements;
            partitions.push(partition);
        }
        let of_size = problem.requirements.iter().all(|one| one.class_model().least_rows().is_some());
        let of_rows = problem.table().persons().is_none() && problem.table().population().is_none();
        // Rows of one shield that are left out make classes of another smaller.
        let alone = partitions.len() == 1 || problem.max_suppressed_rows == 0;
        Ok(Search { slots, partitions, by_size: of_size && of_rows && alone })
    }

    /// Divides values as long as there is one that is worth it.
    fn specialise(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let leaves = self.slots.problem.attributes().iter().map(|of| of.taxonomy.leaf_total() as u64);
        run.expect(leaves.sum());
        while let Some(slot) = self.next(run)? {
            let children = self.slots.all[slot as usize].children.len() as u64;
            self.divide(slot, run)?;
            run.advance(children - 1);
        }
        Ok(())
    }

    /// The slot to divide.
    fn next(&mut self, run: &mut Run<'_>) -> Result<Option<u32>, Stop> {
        run.go_on()?;
        if self.by_size { Ok(self.best()) } else { self.best_checked(run) }
    }

    fn divide(&mut self, slot: u32, run: &Run<'_>) -> Result<(), Stop> {
        let attribute = self.slots.all[slot as usize].attribute;
        let touched = |partition: &&mut ShieldClasses| partition.attributes.contains(&attribute);
        self.partitions.iter_mut().filter(touched).for_each(|of| of.divide(&self.slots, slot));
        self.slots.specialise(slot);
        for partition in self.partitions.iter_mut().filter(touched) {
            partition.look(&self.slots, Some(slot), &|| run.go_on())?;
        }
        Ok(())
    }

    /// Information gained for anonymity lost; to seven digits, so that rounding does not decide between equals.
    fn score(&self, slot: u32) -> f32 {
        let of = &self.slots.all[slot as usize];
        let over = self.partitions.iter().filter(|partition| partition.attributes.contains(&of.attribute));
        let (mut lost, mut requirements) = (0.0, 0);
        for partition in over {
            let rows = match self.slots.description {
                Description::Original => partition.least_drop(&self.slots, slot),
                _ => partition.drop(slot),
            };
            lost += rows as f64 * f64::from(partition.requirements);
            requirements += partition.requirements;
        }
        (if lost > 0.0 { of.worth / (lost / f64::from(requirements)) } else { of.worth }) as f32
    }

    /// The slots that may still be divided, the best first; of equal ones the first attribute and value.
    fn ranked(&self) -> Vec<u32> {
        let open = (0..self.slots.all.len() as u32).filter(|&slot| self.slots.all[slot as usize].open);
        let mut ranked: Vec<(f32, u32)> = open.map(|slot| (self.score(slot), slot)).collect();
        let place = |slot: u32| {
            let of = &self.slots.all[slot as usize];
            (of.attribute, &of.value)
        };
        ranked.sort_by(|(a, of_a), (b, of_b)| b.total_cmp(a).then_with(|| place(*of_a).cmp(&place(*of_b))));
        ranked.into_iter().map(|(_, slot)| slot).collect()
    }

    /// The best slot that leaves classes large enough. One that does not never will.
    fn best(&mut self) -> Option<u32> {
        let limit = self.slots.problem.max_suppressed_rows;
        for slot in self.ranked() {
            if self.partitions.iter().all(|partition| partition.too_small_with(slot) <= limit) {
                return Some(slot);
            }
            self.slots.all[slot as usize].open = false;
        }
        None
    }

    /// The best slot that may be divided, by the general judge.
    fn best_checked(&mut self, run: &mut Run<'_>) -> Result<Option<u32>, Stop> {
        for slot in self.ranked() {
            if is_admissible(&self.slots, Some(slot), run)? {
                return Ok(Some(slot));
            }
            self.slots.all[slot as usize].open = !run.is_monotone();
        }
        Ok(None)
    }

    /// Hands over the cut so far.
    fn propose(&self, run: &mut Run<'_>) {
        let problem = self.slots.problem;
        match recoding(&self.slots, None) {
            Recoding::Cut(cuts) => run.propose_cuts(cuts),
            Recoding::Local(local) if self.by_size && self.partitions[0].too_small > 0 => {
                let mut suppressed = vec![false; problem.table().tuples()];
                self.partitions[0].small_tuples().for_each(|tuple| suppressed[tuple as usize] = true);
                let mut parts = Parts::default();
                let tuples = (0..).zip(problem.table().weights()).zip(suppressed);
                tuples.for_each(|((tuple, &rows), suppressed)| parts.push(tuple, rows, suppressed));
                run.propose(local.in_parts(parts));
            }
            Recoding::Local(local) => run.propose(local),
            Recoding::FullDomain(_) => unreachable!("no levels are searched"),
        }
    }
}

/// The recoding by the slots, one of which may have its children in its place.
fn recoding(slots: &CutValues<'_>, instead: Option<u32>) -> Recoding {
    let problem = slots.problem;
    let attributes = 0..problem.attributes().len();
    let maps: Vec<Vec<Closure>> = attributes.clone().map(|a| slots.leaf_values(a, instead)).collect();
    let value = |closure: &Closure| match closure {
        Closure::Value(value) => Some(*value),
        Closure::Made(_) => None,
    };
    let of_trees: Option<Vec<Vec<ValueId>>> =
        maps.iter().map(|map| map.iter().map(value).collect()).collect();
    if let Some(values) = of_trees {
        let cut =
            |a: usize| Cut::new(&problem.attributes()[a].taxonomy, &values[a]).expect("slots are a cut");
        return Recoding::Cut(attributes.map(cut).collect());
    }
    let of_tuples = |a: usize| Ok((maps[a].clone(), problem.table().column(a).to_vec()));
    Recoding::Local(Local::from_closures(problem, of_tuples).expect("nothing stops this"))
}

/// Whether the cut, with the children of a slot in its place, may be released.
fn is_admissible(slots: &CutValues<'_>, instead: Option<u32>, run: &mut Run<'_>) -> Result<bool, Stop> {
    match recoding(slots, instead) {
        Recoding::Cut(cuts) => Ok(run.probe_cuts(&[cuts])?[0].admissible),
        local => {
            run.go_on()?;
            let release = local.apply(slots.problem);
            Ok(release.evaluate(&release.tally()).admissible)
        }
    }
}
