//! How safe classes are, from the [definitions](crate::definitions).

use std::collections::{BTreeMap, BTreeSet};

use super::{Classes, Oracle, Released, project};
use crate::case::Ask;
use crate::definitions::{self as defined, Group};
use crate::models::{Distance, Model};

/// Classes over a shield as the models see them that look at no sensitive value: by number, each as often
/// as it has members.
struct Members {
    /// The number of a class by its labels.
    number: BTreeMap<Vec<String>, usize>,
    released: Vec<usize>,
    population: Vec<usize>,
}

impl<'c> Oracle<'c> {
    /// Rows that something asked over one shield refuses, of those that are left.
    ///
    /// What is judged class by class comes first. Then, if a mean is asked for, the least safe class goes, one
    /// at a time, until the mean of the others is low enough.
    pub(super) fn refused(&self, asks: &[&Ask], released: &Released<'c>) -> BTreeSet<usize> {
        let mut left = released.clone();
        let mut refused = BTreeSet::new();
        for ask in asks.iter().filter(|ask| !ask.model.is_mean()) {
            let classes = released.classes_over(ask.shield.as_deref());
            let degrees = self.class_degrees(ask, released, &classes);
            let worse = classes.into_values().zip(degrees).filter(|&(_, degree)| !ask.model.allows(degree));
            refused.extend(worse.flat_map(|(rows, _)| rows));
        }
        left.suppressed.extend(&refused);
        for ask in asks.iter().filter(|ask| ask.model.is_mean()) {
            while self.degree_of(ask, &left).is_some_and(|mean| !ask.model.allows(mean)) {
                let worst = self.worst_class(ask, &left);
                refused.extend(&worst);
                left.suppressed.extend(worst);
            }
        }
        refused
    }

    /// The rows of the class of the highest risk; of several, of that whose values come first in the
    /// hierarchies, by the last column, then by the one before.
    fn worst_class(&self, ask: &Ask, released: &Released<'c>) -> Vec<usize> {
        let shield = ask.shield.as_deref();
        let classes = released.classes_over(shield);
        let degrees = self.class_degrees(ask, released, &classes);
        let everyone = || released.labels.iter().chain(&released.population);
        let first = |labels: &Vec<&str>| {
            let alike = everyone().filter(|one| project(one, shield) == *labels);
            alike.map(|one| released.places(one)).min().expect("a class has a row")
        };
        let worst = degrees.iter().copied().reduce(f64::max).expect("something is left");
        let worst = classes.iter().zip(&degrees).filter(|(_, degree)| **degree == worst);
        worst.min_by_key(|((labels, _), _)| first(labels)).map(|((_, rows), _)| rows.clone()).expect("one")
    }

    /// For each thing asked, the worst degree of a class, or the mean; none if nothing is released.
    pub(crate) fn degrees(&self, released: &Released<'c>) -> Vec<Option<f64>> {
        self.case.asks.iter().map(|ask| self.degree_of(ask, released)).collect()
    }

    fn degree_of(&self, ask: &Ask, released: &Released<'c>) -> Option<f64> {
        let classes = released.classes_over(ask.shield.as_deref());
        if let Model::Risk { journalist, mean: true, .. } = ask.model {
            let members = self.members(ask, released);
            let among = if journalist { &members.population } else { &members.released };
            return (!classes.is_empty()).then(|| rounded(defined::average_risk(&members.released, among)));
        }
        if let Model::PopulationUniqueness { fraction, .. } = ask.model {
            let sizes: Vec<usize> = classes.values().map(|rows| self.count(rows)).collect();
            return (!classes.is_empty()).then(|| rounded(defined::population_uniqueness(&sizes, fraction)));
        }
        let degrees = self.class_degrees(ask, released, &classes);
        degrees.into_iter().reduce(|a, b| if ask.model.is_worse(a, b) { a } else { b })
    }

    /// The degrees that a search notes: those of a release of nothing are the safest there are.
    pub(crate) fn noted_degrees(&self, released: &Released<'c>) -> Vec<f64> {
        let safest = |ask: &Ask| if ask.model.less_is_safer() { 0.0 } else { f64::INFINITY };
        let degrees = self.degrees(released).into_iter().zip(&self.case.asks);
        degrees.map(|(degree, ask)| degree.unwrap_or(safest(ask))).collect()
    }

    /// Whether nothing is against a release that suppressing rows could not mend.
    pub(super) fn is_mendable(&self, released: &Released<'c>) -> bool {
        self.case.asks.iter().all(|ask| match ask.model {
            Model::DeltaPresence { min, .. } if min > 0.0 => {
                let members = self.members(ask, released);
                // Too much presence of a class is what suppression mends.
                defined::delta_presence_holds(&members.released, &members.population, f64::MIN_POSITIVE, 1e9)
            }
            _ => true,
        })
    }

    /// Whether every class is allowed and no more rows are suppressed than may be.
    pub(crate) fn is_safe(&self, released: &Released<'c>) -> bool {
        let asks = || self.case.asks.iter();
        asks().all(|ask| match ask.model {
            Model::DeltaPresence { min, max } => {
                let members = self.members(ask, released);
                defined::delta_presence_holds(&members.released, &members.population, min, max)
            }
            _ => true,
        }) && self.is_admissible(released)
            && asks().all(|ask| self.refused(&[ask], released).is_empty())
    }

    /// For each thing asked by itself, the safest degree of which no more rows than may be suppressed
    /// fall short. Of a mean, that of all but the least safe classes of no more rows.
    pub(crate) fn reach(&self, node: &[usize]) -> Vec<f64> {
        let mut whole = self.recode(node);
        whole.suppressed.clear();
        let reach = |ask: &Ask| {
            let classes = whole.classes_over(ask.shield.as_deref());
            let degrees = self.class_degrees(ask, &whole, &classes);
            if ask.model.is_mean() {
                return self.reached_mean(ask, &whole, &classes, &degrees);
            }
            let short = |degree: f64| -> usize {
                let worse =
                    classes.values().zip(&degrees).filter(|(_, other)| ask.model.is_worse(**other, degree));
                worse.map(|(rows, _)| rows.len()).sum()
            };
            let within = |degree: &f64| short(*degree) as u64 <= self.case.max_suppressed_rows;
            let reached = degrees.iter().copied().filter(within);
            reached.reduce(|a, b| if ask.model.is_worse(a, b) { b } else { a }).expect("the worst degree")
        };
        self.case.asks.iter().map(reach).collect()
    }

    fn reached_mean(&self, ask: &Ask, whole: &Released<'c>, classes: &Classes<'c>, degrees: &[f64]) -> f64 {
        let mut worst_first: Vec<(f64, &Vec<usize>)> =
            degrees.iter().copied().zip(classes.values()).collect();
        // Of equal ones the smallest.
        let size = |rows: &[usize]| (rows.len(), self.count(rows));
        worst_first.sort_by(|a, b| b.0.total_cmp(&a.0).then(size(a.1).cmp(&size(b.1))));
        let mut left = whole.clone();
        for (_, rows) in &worst_first[..worst_first.len() - 1] {
            if (left.suppressed.len() + rows.len()) as u64 > self.case.max_suppressed_rows {
                break;
            }
            left.suppressed.extend(*rows);
        }
        self.degree_of(ask, &left).expect("one class is left")
    }

    fn members(&self, ask: &Ask, released: &Released<'c>) -> Members {
        let shield = ask.shield.as_deref();
        let owned = |labels: &[&str]| -> Vec<String> {
            project(labels, shield).iter().map(|&label| label.to_owned()).collect()
        };
        let everyone = released.labels.iter().chain(&released.population);
        let looks: BTreeSet<Vec<String>> = everyone.map(|labels| owned(labels)).collect();
        let number: BTreeMap<Vec<String>, usize> = looks.into_iter().zip(0..).collect();
        let left = (0..released.labels.len()).filter(|row| !released.suppressed.contains(row));
        let left: Vec<(usize, usize)> =
            left.map(|row| (number[&owned(&released.labels[row])], self.person(row))).collect();
        Members {
            released: defined::classes_of_persons(&left),
            population: released.population.iter().map(|labels| number[&owned(labels)]).collect(),
            number,
        }
    }

    /// Who is counted with a row: its person, or the row itself.
    fn person(&self, row: usize) -> usize {
        self.case.persons.as_ref().map_or(row, |persons| persons[row])
    }

    /// The smallest class, by rows or persons; 0 if there is none.
    pub(crate) fn smallest_crowd(&self, released: &Released<'_>) -> u64 {
        let crowd = |rows: &Vec<usize>| {
            let rows: Vec<(usize, ())> = rows.iter().map(|&row| (self.person(row), ())).collect();
            defined::k(&Group::of_persons(&rows)) as u64
        };
        released.classes.values().map(crowd).min().unwrap_or(0)
    }

    fn class_degrees(&self, ask: &Ask, released: &Released<'c>, classes: &Classes<'c>) -> Vec<f64> {
        let left = |row: &usize| !released.suppressed.contains(row);
        let all: Vec<usize> = (0..self.case.rows.len()).filter(left).collect();
        let by_members = matches!(
            ask.model,
            Model::KMap(_) | Model::Population(_) | Model::DeltaPresence { .. } | Model::Risk { .. }
        );
        let members = by_members.then(|| self.members(ask, released));
        let degree = |(labels, rows): (&Vec<&'c str>, &Vec<usize>)| match &members {
            None => self.degree(ask.model, rows, &all),
            Some(members) => {
                let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
                members.degree(ask.model, members.number[&labels])
            }
        };
        classes.iter().map(degree).collect()
    }

    /// The same where cells may be missing: `tests/it/missing.rs` has the definitions that this is by.
    fn degree(&self, model: Model, rows: &[usize], all: &[usize]) -> f64 {
        let Some(column) = model.column().filter(|&column| !self.case.shows_all(column)) else {
            return self.degree_of_values(model, rows, all);
        };
        let shows = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| !self.value(row, column).is_empty()).collect()
        };
        let shown = shows(rows);
        match model {
            Model::DistinctL { .. } | Model::PSensitive { .. } => self.occurring(&shown, column).len() as f64,
            Model::EntropyL { .. } => rounded(defined::entropy_l(&self.fill_in(rows, column, None))),
            Model::RecursiveCL { l, .. } => defined::recursive_cl(&self.fill_in(rows, column, None), l),
            Model::AlphaK { value, .. } => {
                let value = value.map(|place| self.case.domains[column].order[place].as_str());
                defined::alpha_k(&self.fill_in(rows, column, value), value)
            }
            Model::Share { .. } | Model::Gain { .. } | Model::AboutTwo { .. } => {
                self.degree_of_values(model, rows, all)
            }
            _ if shown.is_empty() => self.degree_of_values(model, rows, all),
            _ => {
                let among_shown = self.degree_of_values(model, &shown, &shows(all));
                self.degree_of_values(model, rows, all).max(among_shown)
            }
        }
    }

    /// The values of rows, with one in the place of what is missing: the most frequent, if none is given.
    fn fill_in(&self, rows: &[usize], column: usize, with: Option<&'c str>) -> Group<&'c str> {
        let values: Vec<&str> = rows.iter().map(|&row| self.value(row, column)).collect();
        let count = |value: &str| values.iter().filter(|&&other| other == value).count();
        let most = values.iter().filter(|value| !value.is_empty()).max_by_key(|value| count(value)).copied();
        let fill = with.or(most).unwrap_or("");
        Group::of_rows(
            &values.iter().map(|&value| if value.is_empty() { fill } else { value }).collect::<Vec<_>>(),
        )
    }

    fn degree_of_values(&self, model: Model, rows: &[usize], all: &[usize]) -> f64 {
        let of = |column| (self.group(rows, column), self.group(all, column));
        match model {
            Model::DistinctL { column, .. } | Model::PSensitive { p: _, column } => {
                defined::distinct_l(&of(column).0) as f64
            }
            Model::EntropyL { column, .. } => rounded(defined::entropy_l(&of(column).0)),
            Model::RecursiveCL { l, column, .. } => defined::recursive_cl(&of(column).0, l),
            Model::Share { column, .. } => defined::alpha_k(&of(column).0, None),
            Model::AlphaK { value, column, .. } => {
                let value = value.map(|place| self.case.domains[column].order[place].as_str());
                defined::alpha_k(&of(column).0, value)
            }
            Model::TCloseness { distance, column, .. } => self.distance(distance, rows, all, column),
            Model::BetaLikeness { enhanced, column, .. } => {
                let (class, whole) = of(column);
                if enhanced {
                    defined::enhanced_beta_likeness(&class, &whole)
                } else {
                    defined::beta_likeness(&class, &whole)
                }
            }
            Model::DeltaDisclosure { column, .. } => {
                let (class, whole) = of(column);
                defined::delta_disclosure(&class, &whole)
            }
            Model::AboutTwo { column, .. } => (defined::distinct_l(&of(column).0) as f64 - 2.0).abs(),
            Model::Gain { column, .. } => {
                let (class, whole) = of(column);
                let gain =
                    |value| defined::alpha_k(&class, Some(value)) - defined::alpha_k(&whole, Some(value));
                self.occurring(rows, column).into_iter().map(gain).fold(0.0, f64::max)
            }
            Model::NoThrees(_) if self.count(rows).is_multiple_of(3) => 0.0,
            Model::EstimatedKMap { fraction, .. } => {
                defined::estimated_k_map(self.count(rows), fraction, 0.05) as f64
            }
            Model::PopulationUniqueness { .. } => f64::from(self.count(rows) == 1),
            _ => self.count(rows) as f64,
        }
    }

    fn distance(&self, distance: Distance, rows: &[usize], all: &[usize], column: usize) -> f64 {
        match distance {
            Distance::Equal => {
                defined::t_closeness_equal(&self.group(rows, column), &self.group(all, column))
            }
            Distance::Ordered => {
                let order = &self.case.domains[column].order;
                let place = |value: &str| order.iter().position(|other| other == value).expect("listed");
                let places = |rows: &[usize]| self.group_by(rows, |row| place(self.value(row, column)));
                defined::t_closeness_ordered(&places(rows), &places(all))
            }
            Distance::Hierarchical => {
                let lines = self.case.domains[column].tree.iter();
                let tree: Vec<Vec<&str>> =
                    lines.map(|line| line.iter().map(String::as_str).collect()).collect();
                let groups = [rows, all].map(|rows| self.group(rows, column));
                defined::t_closeness_hierarchical(&groups[0], &groups[1], &tree)
            }
        }
    }

    fn value(&self, row: usize, column: usize) -> &'c str {
        &self.case.sensitive[row][column]
    }

    fn occurring(&self, rows: &[usize], column: usize) -> BTreeSet<&'c str> {
        rows.iter().map(|&row| self.value(row, column)).collect()
    }

    fn group(&self, rows: &[usize], column: usize) -> Group<&'c str> {
        self.group_by(rows, |row| self.value(row, column))
    }

    fn group_by<V: Copy + Ord>(&self, rows: &[usize], value: impl Fn(usize) -> V) -> Group<V> {
        match &self.case.persons {
            None => Group::of_rows(&rows.iter().map(|&row| value(row)).collect::<Vec<V>>()),
            Some(persons) => {
                let rows: Vec<(usize, V)> = rows.iter().map(|&row| (persons[row], value(row))).collect();
                Group::of_persons(&rows)
            }
        }
    }

    fn count(&self, rows: &[usize]) -> usize {
        defined::k(&self.group_by(rows, |_| ()))
    }
}

impl Members {
    fn degree(&self, model: Model, class: usize) -> f64 {
        match model {
            Model::KMap(_) | Model::Population(_) => defined::k_map(&class, &self.population) as f64,
            Model::DeltaPresence { min, .. } => {
                defined::delta_presence(&class, &self.released, &self.population, min)
            }
            Model::Risk { journalist, .. } => {
                defined::risk(&class, if journalist { &self.population } else { &self.released })
            }
            _ => panic!("{model:?} looks at values"),
        }
    }
}

/// To nine decimals, as degrees are that sums of fractions make.
pub(super) fn rounded(degree: f64) -> f64 {
    (degree * 1e9).round() / 1e9
}

/// Whether degrees are the same but for rounding.
pub(crate) fn are_close(some: &[f64], others: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-9;
    some.len() == others.len() && some.iter().zip(others).all(close)
}
