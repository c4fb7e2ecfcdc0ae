//! All cuts through a hierarchy, as ways to divide its leaves between values.

use std::collections::BTreeSet;

use super::Oracle;
use crate::case::{Case, Hierarchy};

/// A cut: the level that each leaf goes to, the lowest at which it has its value. One above the
/// hierarchy is the value above all, where the hierarchy has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cut {
    pub(crate) levels: Vec<usize>,
}

/// A generalised value: the leaves that it stands for, and its level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Value {
    pub(crate) leaves: BTreeSet<usize>,
    pub(crate) level: usize,
}

impl Oracle<'_> {
    /// Every cut of an attribute.
    pub(crate) fn cuts(&self, attribute: usize) -> Vec<Cut> {
        let lines = &self.case.hierarchies[attribute];
        let mut found = Vec::new();
        divide(&values(lines), &mut vec![None; lines.len()], &mut found);
        found
    }

    /// Every value of an attribute.
    pub(crate) fn values(&self, attribute: usize) -> Vec<Value> {
        values(&self.case.hierarchies[attribute]).into_iter().collect()
    }

    /// The cut at a level.
    pub(crate) fn cut_at(&self, attribute: usize, level: usize) -> Cut {
        let lines = &self.case.hierarchies[attribute];
        Cut { levels: (0..lines.len()).map(|leaf| value(lines, leaf, level).level).collect() }
    }
}

impl Case {
    /// The same case in which no two generalised values look alike.
    pub(crate) fn with_names(&self) -> Case {
        let rename = |lines: &Hierarchy| {
            let label = |leaf: usize, level: usize| match value(lines, leaf, level) {
                Value { level: 0, .. } => lines[leaf][0].clone(),
                Value { level, leaves } => format!("value {level} of leaf {:?}", leaves.first()),
            };
            let line = |leaf: usize| (0..lines[0].len()).map(|level| label(leaf, level)).collect();
            (0..lines.len()).map(line).collect()
        };
        Case { hierarchies: self.hierarchies.iter().map(rename).collect(), ..self.clone() }
    }
}

/// Every value of a hierarchy, and the one above all.
fn values(lines: &Hierarchy) -> BTreeSet<Value> {
    let height = lines[0].len() - 1;
    let leaves = || 0..lines.len();
    let mut values: BTreeSet<Value> =
        leaves().flat_map(|leaf| (0..=height).map(move |level| value(lines, leaf, level))).collect();
    if leaves().any(|leaf| lines[leaf][height] != lines[0][height]) {
        values.insert(Value { leaves: leaves().collect(), level: height + 1 });
    }
    values
}

/// The value of a leaf at a level; one that is repeated from level to level is the same.
fn value(lines: &Hierarchy, leaf: usize, level: usize) -> Value {
    let label = |level: usize| &lines[leaf][level];
    let leaves = |level: usize| -> BTreeSet<usize> {
        (0..lines.len()).filter(|&other| lines[other][level] == *label(level)).collect()
    };
    let same = |&lower: &usize| label(lower) == label(level) && leaves(lower) == leaves(level);
    let level = (0..=level).rev().take_while(same).last().expect("its own level");
    Value { leaves: leaves(level), level }
}

/// Gives the first leaf without a value each value that fits, and goes on with the others.
fn divide(values: &BTreeSet<Value>, levels: &mut Vec<Option<usize>>, found: &mut Vec<Cut>) {
    let Some(first) = levels.iter().position(Option::is_none) else {
        found.push(Cut { levels: levels.iter().map(|level| level.expect("given")).collect() });
        return;
    };
    for value in values.iter().filter(|value| value.leaves.contains(&first)) {
        if value.leaves.iter().all(|&leaf| levels[leaf].is_none()) {
            value.leaves.iter().for_each(|&leaf| levels[leaf] = Some(value.level));
            divide(values, levels, found);
            value.leaves.iter().for_each(|&leaf| levels[leaf] = None);
        }
    }
}
