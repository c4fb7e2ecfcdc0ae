//! A table with hierarchies, generalised value by value: all in text.

use std::collections::{BTreeMap, BTreeSet};

use throng::random::Random;

use crate::case::{Ask, Case, Hierarchy};
use crate::models::Model;
use crate::printed::{Rows, count};

/// For each attribute, what each line of its hierarchy is shown as.
pub(super) type State = Vec<Vec<String>>;

/// A table whose values all look different.
pub(super) struct Tables<'c> {
    pub(super) case: &'c Case,
}

/// A few rows, several of them alike, under one or two k-anonymity requirements.
pub(super) fn random_case(seed: u64) -> Case {
    let random = &mut Random::new(seed);
    let (attributes, distinct) = (1 + random.index(3), 2 + random.index(10));
    let case = Case::random_of(random, attributes, distinct).with_names();
    let again = (0..random.index(30)).map(|_| case.rows[random.index(distinct)].clone());
    let rows: Vec<Vec<String>> = case.rows.iter().cloned().chain(again).collect();
    let case = Case::from_rows(case.hierarchies, rows, 1, 0);
    let ask = |random: &mut Random| {
        let shield: Vec<usize> = (0..attributes).filter(|_| random.index(3) > 0).collect();
        let shield = if shield.is_empty() { vec![random.index(attributes)] } else { shield };
        Ask { shield: Some(shield), model: Model::KAnonymity(2 + random.index(5) as u64) }
    };
    let asks = (0..=random.index(2)).map(|_| ask(random)).collect();
    Case { asks, ..case }
}

impl<'c> Tables<'c> {
    fn lines(&self, a: usize) -> &'c Hierarchy {
        &self.case.hierarchies[a]
    }

    pub(super) fn attributes(&self) -> std::ops::Range<usize> {
        0..self.case.hierarchies.len()
    }

    /// Every value at a level; the last for none.
    pub(super) fn at(&self, level: impl Fn(usize) -> Option<usize>) -> State {
        let label = |a: usize, line: &Vec<String>| line[level(a).unwrap_or(line.len() - 1)].clone();
        self.attributes().map(|a| self.lines(a).iter().map(|line| label(a, line)).collect()).collect()
    }

    /// What a row is shown as.
    pub(super) fn shown<'s>(&self, state: &'s State, row: usize) -> Vec<&'s str> {
        let line = |a: usize| self.lines(a).iter().position(|line| line[0] == self.case.rows[row][a]);
        self.attributes().map(|a| state[a][line(a).expect("a leaf")].as_str()).collect()
    }

    /// Rows by what they show of some attributes.
    pub(super) fn classes<'s>(
        &self,
        state: &'s State,
        shield: &[usize],
    ) -> BTreeMap<Vec<&'s str>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.case.rows.len() {
            let shown = self.shown(state, row);
            classes.entry(shield.iter().map(|&a| shown[a]).collect()).or_default().push(row);
        }
        classes
    }

    /// Shields, and the k of each.
    pub(super) fn requirements(&self) -> Vec<(Vec<usize>, usize)> {
        self.case.asks.iter().map(|ask| (self.case.shielded(ask), ask.model.least_rows())).collect()
    }

    /// The rows of the table that violate a requirement.
    pub(super) fn violating(&self, state: &State, shield: &[usize], k: usize) -> Vec<usize> {
        self.classes(state, shield).into_values().filter(|rows| rows.len() < k).flatten().collect()
    }

    pub(super) fn satisfies(&self, state: &State) -> bool {
        self.requirements().iter().all(|(shield, k)| self.violating(state, shield, *k).is_empty())
    }

    /// The value next above one.
    pub(super) fn parent(&self, a: usize, value: &str) -> Option<String> {
        let line = self.lines(a).iter().find(|line| line.iter().any(|label| label == value))?;
        let last = line.iter().rposition(|label| label == value)?;
        line.get(last + 1).cloned()
    }

    /// The values next below one.
    pub(super) fn children(&self, a: usize, value: &str) -> BTreeSet<String> {
        let below = |line: &Vec<String>| {
            let first = line.iter().position(|label| label == value)?;
            first.checked_sub(1).map(|below| line[below].clone())
        };
        self.lines(a).iter().filter_map(below).collect()
    }

    /// The values that rows have somewhere in a hierarchy, by level and first line.
    pub(super) fn values(&self, a: usize) -> Vec<String> {
        let mut values: Vec<(usize, usize, String)> = Vec::new();
        for (number, line) in self.lines(a).iter().enumerate() {
            for (level, label) in line.iter().enumerate() {
                if values.iter().all(|(.., known)| known != label) && !self.rows_below(a, label).is_empty() {
                    let first = self.lines(a).iter().position(|line| line.contains(label)).unwrap_or(number);
                    values.push((level, first, label.clone()));
                }
            }
        }
        values.sort();
        values.into_iter().map(|(.., label)| label).collect()
    }

    /// The rows whose value is at or below one.
    pub(super) fn rows_below(&self, a: usize, value: &str) -> Vec<usize> {
        let has = |&row: &usize| {
            let line = self.lines(a).iter().find(|line| line[0] == self.case.rows[row][a]);
            line.expect("a leaf").iter().any(|label| label == value)
        };
        (0..self.case.rows.len()).filter(has).collect()
    }

    /// Shows all below a value as it.
    pub(super) fn raise(&self, state: &mut State, a: usize, value: &str) {
        for (shown, line) in state[a].iter_mut().zip(self.lines(a)) {
            if line.iter().any(|label| label == value) {
                value.clone_into(shown);
            }
        }
    }

    /// Shows all below a value as the value's children.
    pub(super) fn lower(&self, state: &mut State, a: usize, value: &str) {
        self.children(a, value).iter().for_each(|child| self.raise(state, a, child));
    }

    /// Each row with what it is shown as.
    pub(super) fn release(&self, state: &State) -> Rows {
        let shown = |row: usize| self.shown(state, row).into_iter().map(str::to_owned).collect();
        count((0..self.case.rows.len()).map(|row| (self.case.rows[row].clone(), shown(row))))
    }
}
