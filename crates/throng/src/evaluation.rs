//! What is known of a candidate: one form for full-domain, cut and local recodings.

use std::collections::BTreeMap;

use crate::classes::{Cost, cost_of_release};
use crate::privacy::{PrivacyModel, achieved, degree_of};
use crate::release::Release;
use crate::requirement::{Requirement, Rule};
use crate::table::{Carried, Histogram};
use crate::tally::Tally;

/// What a candidate is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Whether it may be released: the rows that must be suppressed are within the limit.
    pub admissible: bool,
    /// Whether it may not be released, nor any finer one; not every such candidate is found out.
    pub refutes_below: bool,
    /// Rows that must be suppressed; at least so many, if that is more than the limit already.
    pub suppressed_rows: u64,
    /// What the rows that are left achieve, by requirement, if it may be released.
    pub degrees: Vec<f64>,
    /// Lower bound of the objective at every node above, if the objective has one.
    pub(crate) floor: Option<i128>,
    pub(crate) cost: Option<Cost>,
}

impl Evaluation {
    /// The objective as an exact integer, less being better; none for a candidate that may not be
    /// released. Comparable between candidates of one problem.
    pub fn cost(&self) -> Option<i128> {
        self.cost.map(|cost| cost.total)
    }
}

impl Release {
    /// What the recoding is worth, by what was counted of it.
    ///
    /// Classes are told apart by the ids of values, as during a search; the judge goes by labels. A
    /// crowd of another notion than k-anonymity is taken to be as large as asked for: only the judge
    /// builds the graph that tells.
    pub fn evaluate(&self, tally: &Tally) -> Evaluation {
        let problem = self.problem();
        let (suppressed_rows, mut admissible) = (tally.suppressed_rows, true);
        admissible &= suppressed_rows <= problem.max_suppressed_rows;
        let mut degrees = Vec::new();
        for requirement in &problem.requirements {
            let degree = match requirement.rule() {
                Rule::Crowd(_, k) => *k as f64,
                Rule::Diverse(_, diversity) => diversity.l as f64,
                Rule::Classes(model) => self.class_degree(requirement, &**model, tally),
            };
            let model = requirement.class_model();
            admissible &= model.holds(degree) && !(model.refuses_absence() && self.is_absent(requirement));
            degrees.push(degree);
        }
        let cost = if admissible { cost_of_release(problem, tally) } else { None };
        Evaluation { admissible, refutes_below: false, suppressed_rows, degrees, floor: None, cost }
    }

    /// Whether people of the population have a class over the requirement's shield of which nothing is
    /// released.
    fn is_absent(&self, requirement: &Requirement) -> bool {
        let all: Vec<usize> = (0..self.problem().attributes().len()).collect();
        let (class_of, classes) = self.group(requirement.shield().unwrap_or(&all));
        let population = self.class_population(&class_of, classes).unwrap_or_default();
        let rows = self.class_values(&class_of, classes, None);
        population.iter().zip(rows).any(|(&population, (rows, _))| population > 0 && rows == 0)
    }

    /// What the classes over the requirement's shield achieve.
    fn class_degree(&self, requirement: &Requirement, model: &dyn PrivacyModel, tally: &Tally) -> f64 {
        let table = self.problem().table();
        let safest = model.direction().safest();
        if model.least_rows().is_some() && requirement.shield().is_none() && table.persons().is_none() {
            // Counted already.
            return if tally.sizes.classes > 0 { tally.sizes.smallest as f64 } else { safest };
        }
        let all: Vec<usize> = (0..self.problem().attributes().len()).collect();
        let (class_of, classes) = self.group(requirement.shield().unwrap_or(&all));
        let whole = self.whole();
        let population = self.class_population(&class_of, classes);
        let persons = table.persons().map(|persons| self.class_values(&class_of, classes, Some(persons)));
        let column = model.column().map(|column| &table.carried()[column]);
        let values = self.class_values(&class_of, classes, column);
        let released = values.iter().enumerate().filter(|(_, (rows, _))| *rows > 0);
        let degrees = released.map(|(class, (rows, values))| {
            let rows = persons.as_ref().map_or(*rows, |persons| persons[class].1.len() as u64);
            let values = column.map_or_else(Default::default, |of| of.fold(Histogram::Listed(values)));
            let population = population.as_ref().map(|counts| counts[class]);
            (degree_of(model, rows, &values, population, &whole), rows)
        });
        achieved(model, degrees).unwrap_or(safest)
    }

    /// How many of the population are in each class, if the table is a sample: those that have a tuple
    /// of the class, whether its rows are suppressed or there are none.
    fn class_population(&self, class_of: &[u32], classes: usize) -> Option<Vec<u64>> {
        let counts = self.problem().table().population()?;
        let mut population = vec![0; classes];
        let mut members: Vec<(usize, u32)> =
            class_of.iter().enumerate().map(|(part, &class)| (self.tuple(part), class)).collect();
        // Several parts of a tuple may be in one class.
        members.sort_unstable();
        members.dedup();
        members.iter().for_each(|&(tuple, class)| population[class as usize] += u64::from(counts[tuple]));
        Some(population)
    }

    /// Released rows of each class, and the counts of their values in a carried column.
    fn class_values(
        &self,
        class_of: &[u32],
        classes: usize,
        column: Option<&Carried>,
    ) -> Vec<(u64, Vec<(u32, u32)>)> {
        let mut rows = vec![0; classes];
        let mut values: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); classes];
        for part in (0..self.parts()).filter(|&part| !self.is_suppressed(part)) {
            let class = class_of[part] as usize;
            rows[class] += u64::from(self.rows(part));
            if let Some(column) = column {
                self.for_each_value(part, column, |code, rows| {
                    *values[class].entry(code).or_default() += rows
                });
            }
        }
        rows.into_iter().zip(values).map(|(rows, values)| (rows, values.into_iter().collect())).collect()
    }
}
