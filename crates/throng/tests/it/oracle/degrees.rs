//! How safe classes are, from the definitions.

use std::collections::BTreeMap;

use super::{Classes, Oracle, Released, project};
use crate::case::Ask;
use crate::models::Model;

impl<'c> Oracle<'c> {
    /// Rows of the classes that something asked refuses, of those that are left.
    pub(super) fn refused(&self, ask: &Ask, released: &Released<'c>) -> Vec<usize> {
        let classes = released.classes_over(ask.shield.as_deref());
        let degrees = self.class_degrees(ask, released, &classes);
        let refused = classes.into_values().zip(degrees).filter(|&(_, degree)| !ask.model.allows(degree));
        refused.flat_map(|(rows, _)| rows).collect()
    }

    /// For each thing asked, the worst degree of a class; none if nothing is released.
    pub(crate) fn degrees(&self, released: &Released<'c>) -> Vec<Option<f64>> {
        let worst = |ask: &Ask| {
            let classes = released.classes_over(ask.shield.as_deref());
            let degrees = self.class_degrees(ask, released, &classes);
            degrees.into_iter().reduce(|a, b| if ask.model.is_worse(a, b) { a } else { b })
        };
        self.case.asks.iter().map(worst).collect()
    }

    /// The degrees that a search notes: those of a release of nothing are the safest there are.
    pub(crate) fn noted_degrees(&self, released: &Released<'c>) -> Vec<f64> {
        let safest = |ask: &Ask| if ask.model.less_is_safer() { 0.0 } else { f64::INFINITY };
        let degrees = self.degrees(released).into_iter().zip(&self.case.asks);
        degrees.map(|(degree, ask)| degree.unwrap_or(safest(ask))).collect()
    }

    /// Whether every class is allowed and no more rows are suppressed than may be.
    pub(crate) fn is_safe(&self, released: &Released<'c>) -> bool {
        self.is_admissible(released)
            && self.case.asks.iter().all(|ask| self.refused(ask, released).is_empty())
    }

    /// For each thing asked by itself, the safest degree of which no more rows than may be suppressed
    /// fall short.
    pub(crate) fn reach(&self, node: &[usize]) -> Vec<f64> {
        let mut whole = self.recode(node);
        whole.suppressed.clear();
        let reach = |ask: &Ask| {
            let classes = whole.classes_over(ask.shield.as_deref());
            let degrees = self.class_degrees(ask, &whole, &classes);
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

    fn class_degrees(&self, ask: &Ask, released: &Released<'c>, classes: &Classes<'c>) -> Vec<f64> {
        let shield = ask.shield.as_deref();
        let alike = |labels: &Vec<&str>| {
            released.population.iter().filter(|one| project(one, shield) == *labels).count()
        };
        let degree = |(labels, rows): (&Vec<&'c str>, &Vec<usize>)| match ask.model {
            Model::Population(_) => alike(labels) as f64,
            model => self.degree(model, rows, released),
        };
        classes.iter().map(degree).collect()
    }

    fn degree(&self, model: Model, rows: &[usize], released: &Released<'_>) -> f64 {
        match model {
            Model::NoThrees(_) if rows.len().is_multiple_of(3) => 0.0,
            Model::DistinctL { column, .. } => self.count_values(rows, column).len() as f64,
            Model::AboutTwo { column, .. } => (self.count_values(rows, column).len() as f64 - 2.0).abs(),
            Model::Share { column, .. } => self.shares(rows, column).into_values().fold(0.0, f64::max),
            Model::Gain { column, .. } => {
                let left = |row: &usize| !released.suppressed.contains(row);
                let all: Vec<usize> = (0..self.case.rows.len()).filter(left).collect();
                let before = self.shares(&all, column);
                let gains = self.shares(rows, column).into_iter().map(|(value, share)| share - before[value]);
                gains.fold(0.0, f64::max)
            }
            _ => rows.len() as f64,
        }
    }

    fn shares(&self, rows: &[usize], column: usize) -> BTreeMap<&'c str, f64> {
        let counts = self.count_values(rows, column).into_iter();
        counts.map(|(value, count)| (value, count as f64 / rows.len() as f64)).collect()
    }

    fn count_values(&self, rows: &[usize], column: usize) -> BTreeMap<&'c str, usize> {
        let mut counts = BTreeMap::new();
        for &row in rows {
            *counts.entry(self.case.sensitive[row][column].as_str()).or_default() += 1;
        }
        counts
    }
}
