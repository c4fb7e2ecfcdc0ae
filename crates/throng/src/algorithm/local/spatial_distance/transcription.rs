//! SpatialDistance as the paper has it, for tests: every step looks at every tuple, and every
//! contingency table is counted anew.

use std::collections::{BTreeMap, BTreeSet};

use crate::problem::Problem;
use crate::taxonomy::{Scheme, ValueId};

/// The table and k.
pub(super) struct Plain<'p> {
    problem: &'p Problem,
    k: u64,
    /// Numerical attributes, and their ranges.
    numbers: Vec<(usize, f64)>,
    /// Categorical attributes by cardinality, and their cardinalities.
    pub(super) categories: Vec<(usize, usize)>,
}

/// The centre of some tuples.
pub(super) struct TranscribedCentre {
    means: Vec<Option<f64>>,
    values: Vec<BTreeSet<ValueId>>,
}

impl<'p> Plain<'p> {
    pub(super) fn new(problem: &'p Problem) -> Plain<'p> {
        let k = problem.requirements.k();
        let mut plain = Plain { problem, k, numbers: Vec::new(), categories: Vec::new() };
        for a in 0..problem.attributes().len() {
            let numbers: Vec<f64> =
                plain.tuples().iter().filter_map(|&tuple| plain.number(tuple, a)).collect();
            match numbers.iter().copied().reduce(f64::max).zip(numbers.iter().copied().reduce(f64::min)) {
                Some((most, least)) => plain.numbers.push((a, most - least)),
                None => plain.categories.push((a, plain.cardinality(a))),
            }
        }
        plain.categories.sort_by_key(|&(_, cardinality)| cardinality);
        plain
    }

    pub(super) fn tuples(&self) -> Vec<usize> {
        (0..self.problem.table().tuples()).collect()
    }

    fn value(&self, tuple: usize, a: usize) -> ValueId {
        self.problem.table().column(a)[tuple]
    }

    fn number(&self, tuple: usize, a: usize) -> Option<f64> {
        let (leaf, taxonomy) = (self.value(tuple, a), &self.problem.attributes()[a].taxonomy);
        let are_names = matches!(taxonomy.scheme(), Scheme::Sets { .. });
        taxonomy.values()[leaf as usize].extent.filter(|_| !are_names).map(|extent| extent.min)
    }

    fn rows(&self, tuples: &[usize]) -> u64 {
        tuples.iter().map(|&tuple| u64::from(self.problem.table().weights()[tuple])).sum()
    }

    fn cardinality(&self, a: usize) -> usize {
        self.problem.table().column(a).iter().collect::<BTreeSet<_>>().len()
    }

    /// Step 1.
    fn sorted(&self) -> Vec<usize> {
        let attributes = 0..self.problem.attributes().len();
        let widest = attributes.rev().max_by_key(|&a| self.cardinality(a)).expect("attributes");
        let mut tuples = self.tuples();
        if self.numbers.iter().any(|&(a, _)| a == widest) {
            let number = |tuple| self.number(tuple, widest).unwrap_or(f64::INFINITY);
            tuples.sort_by(|&s, &t| number(s).total_cmp(&number(t)));
        } else {
            let taxonomy = &self.problem.attributes()[widest].taxonomy;
            tuples.sort_by_key(|&tuple| taxonomy.label(self.value(tuple, widest)));
        }
        tuples
    }

    /// Steps 3 and 4.
    pub(super) fn partition(&self) -> Vec<Vec<usize>> {
        let mut table = self.sorted();
        let mut classes = Vec::new();
        while self.rows(&table) >= self.k {
            let contingency = table.clone();
            let mut merge = vec![table.remove(0)];
            while self.rows(&merge) < self.k {
                let centre = self.centre(&merge);
                let categories = self.define(&centre, &contingency);
                let distance = |tuple| self.distance(&centre, tuple, &categories);
                let nearest = first_least((0..table.len()).map(|at| distance(table[at])));
                merge.push(table.remove(nearest));
            }
            classes.push(merge);
        }
        for tuple in table {
            let categories = self.define(&self.centre(&[tuple]), &self.tuples());
            let distances = classes.iter().map(|class| {
                let centre = self.centre(class);
                self.distance(&centre, tuple, &self.towards(&centre, tuple, &categories))
            });
            let nearest = first_least(distances);
            classes[nearest].push(tuple);
        }
        classes
    }

    pub(super) fn centre(&self, tuples: &[usize]) -> TranscribedCentre {
        let mean = |&(a, _): &(usize, f64)| {
            let known = tuples.iter().filter_map(|&t| Some((self.number(t, a)?, self.rows(&[t]))));
            let (sum, rows) =
                known.fold((0.0, 0), |(sum, all), (x, rows)| (sum + x * rows as f64, all + rows));
            (rows > 0).then(|| sum / rows as f64)
        };
        let values = |&(a, _): &(usize, usize)| tuples.iter().map(|&t| self.value(t, a)).collect();
        TranscribedCentre {
            means: self.numbers.iter().map(mean).collect(),
            values: self.categories.iter().map(values).collect(),
        }
    }

    /// Eq. 7.
    fn distance(
        &self,
        centre: &TranscribedCentre,
        tuple: usize,
        categories: &[BTreeMap<ValueId, f64>],
    ) -> f64 {
        let mut sum = 0.0;
        for (&(a, range), mean) in self.numbers.iter().zip(&centre.means) {
            sum += match (self.number(tuple, a), mean) {
                (None, None) => 0.0,
                (Some(x), Some(mean)) => {
                    if range == 0.0 {
                        0.0
                    } else {
                        (x - mean).abs() / range
                    }
                }
                _ => 1.0,
            };
        }
        for (&(a, _), distances) in self.categories.iter().zip(categories) {
            sum += distances[&self.value(tuple, a)];
        }
        sum
    }

    /// The tuples of T that a centre's similarities for the j-th category are measured by.
    pub(super) fn context(&self, centre: &TranscribedCentre, j: usize, table: &[usize]) -> Vec<usize> {
        let of_row = |tuple: usize, attributes: usize| {
            (0..attributes).all(|i| centre.values[i].contains(&self.value(tuple, self.categories[i].0)))
        };
        let row = |attributes| table.iter().copied().filter(|&t| of_row(t, attributes)).collect::<Vec<_>>();
        (0..=j).rev().map(row).find(|row| self.rows(row) >= self.k || row.len() == table.len()).expect("T")
    }

    /// The distances of all values in a table from a centre, for each category.
    pub(super) fn define(&self, centre: &TranscribedCentre, table: &[usize]) -> Vec<BTreeMap<ValueId, f64>> {
        let mut least = 1.0;
        let mut all = Vec::new();
        for (j, &(a, cardinality)) in self.categories.iter().enumerate() {
            let context = self.context(centre, j, table);
            let count = |value: ValueId| {
                let tuples = context.iter().copied().filter(|&t| self.value(t, a) == value);
                self.rows(&tuples.collect::<Vec<_>>()) as i64
            };
            let of_table: BTreeSet<ValueId> = table.iter().map(|&t| self.value(t, a)).collect();
            let mut distances = BTreeMap::new();
            let mut by_difference: BTreeMap<i64, Vec<ValueId>> = BTreeMap::new();
            for value in of_table {
                if centre.values[j].contains(&value) {
                    distances.insert(value, 0.0);
                    continue;
                }
                let differences = centre.values[j].iter().map(|&of| (count(of) - count(value)).abs());
                by_difference.entry(differences.min().expect("values")).or_default().push(value);
            }
            let mut distance = least;
            for values in by_difference.values().rev() {
                distance = if cardinality == 2 { 1.0 } else { distance / (cardinality - 1) as f64 };
                values.iter().for_each(|&value| _ = distances.insert(value, distance));
            }
            least = distance;
            all.push(distances);
        }
        all
    }

    /// The distances from a tuple to the nearest values of a centre, as those of the tuple's own values.
    fn towards(
        &self,
        centre: &TranscribedCentre,
        tuple: usize,
        categories: &[BTreeMap<ValueId, f64>],
    ) -> Vec<BTreeMap<ValueId, f64>> {
        let nearest =
            |j: usize| centre.values[j].iter().map(|v| categories[j][v]).fold(f64::INFINITY, f64::min);
        (0..categories.len())
            .map(|j| BTreeMap::from([(self.value(tuple, self.categories[j].0), nearest(j))]))
            .collect()
    }
}

fn first_least(distances: impl Iterator<Item = f64>) -> usize {
    let least = distances.enumerate().reduce(|best, next| if next.1 < best.1 { next } else { best });
    least.expect("something to choose from").0
}
