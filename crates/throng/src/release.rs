//! A release: for each tuple, or part of one, and attribute a generalised value; or it is suppressed.

mod class_labels;
pub(crate) mod grouped;
mod tallied;

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::cut::Cut;
use crate::lattice::Node;
use crate::privacy::Whole;
use crate::problem::{Attribute, Problem};
use crate::recoding::{Parts, Recoding};
use crate::table::Carried;
use crate::taxonomy::{Leaves, Value, ValueId};

pub use class_labels::ClassLeaves;

/// The table of generalised values that a recoding gives, by *parts*: a tuple is one, unless a local
/// recoding divides it. It owns all that it needs.
#[derive(Clone, Debug)]
pub struct Release {
    problem: Problem,
    recoding: Recoding,
    /// By part.
    suppressed: Vec<bool>,
    /// For each attribute, the values that the recoding made.
    made: Vec<Vec<Value>>,
}

impl Release {
    pub(crate) fn new(problem: &Problem, recoding: Recoding, suppressed: Vec<bool>) -> Release {
        let made = match &recoding {
            Recoding::FullDomain(_) | Recoding::Cut(_) => vec![Vec::new(); problem.attributes().len()],
            Recoding::Local(local) => {
                let attributes = problem.attributes().iter().enumerate();
                let describe = |(a, attribute): (usize, &Attribute)| {
                    let describe = |leaves| attribute.taxonomy.describe(leaves);
                    local.made(a).iter().map(describe).collect()
                };
                attributes.map(describe).collect()
            }
        };
        Release { problem: problem.clone(), recoding, suppressed, made }
    }

    /// The table that was released, and what was asked for.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The recoding that was applied.
    pub fn recoding(&self) -> &Recoding {
        &self.recoding
    }

    /// The levels, for full-domain recoding.
    pub fn node(&self) -> Option<&Node> {
        match &self.recoding {
            Recoding::FullDomain(node) => Some(node),
            _ => None,
        }
    }

    /// The cuts, for cut recoding.
    pub fn cuts(&self) -> Option<&[Cut]> {
        match &self.recoding {
            Recoding::Cut(cuts) => Some(cuts),
            _ => None,
        }
    }

    /// Whether tuples have generalised values of their own.
    pub fn is_local(&self) -> bool {
        matches!(self.recoding, Recoding::Local(_))
    }

    /// The value of every leaf of an attribute, if it is the same in the whole table: for all but local
    /// recoding.
    pub fn leaf_values(&self, attribute: usize) -> Option<&[ValueId]> {
        match &self.recoding {
            Recoding::FullDomain(node) => {
                let taxonomy = &self.problem.attributes()[attribute].taxonomy;
                Some(taxonomy.level_values(node.level(attribute)))
            }
            Recoding::Cut(cuts) => Some(cuts[attribute].leaf_values()),
            Recoding::Local(_) => None,
        }
    }

    fn divided(&self) -> Option<&Parts> {
        match &self.recoding {
            Recoding::Local(local) => local.parts(),
            _ => None,
        }
    }

    /// Number of parts; as many as tuples if none is divided.
    pub fn parts(&self) -> usize {
        self.suppressed.len()
    }

    /// The tuple that a part is of.
    pub fn tuple(&self, part: usize) -> usize {
        self.divided().map_or(part, |parts| parts.tuples()[part] as usize)
    }

    /// Rows of a part.
    pub fn rows(&self, part: usize) -> u32 {
        self.divided().map_or_else(|| self.problem.table().weights()[part], |parts| parts.rows()[part])
    }

    /// The original value of a part.
    pub fn leaf(&self, part: usize, attribute: usize) -> ValueId {
        self.problem.table().column(attribute)[self.tuple(part)]
    }

    /// Whether a part is left out.
    pub fn is_suppressed(&self, part: usize) -> bool {
        self.suppressed[part]
    }

    /// The generalised value of a part's attribute; a suppressed part has one, too.
    pub fn value(&self, part: usize, attribute: usize) -> ValueId {
        match &self.recoding {
            Recoding::FullDomain(node) => {
                let leaf = self.problem.table().column(attribute)[part];
                self.problem.attributes()[attribute].taxonomy.generalise(leaf, node.level(attribute))
            }
            Recoding::Cut(cuts) => cuts[attribute].value(self.problem.table().column(attribute)[part]),
            Recoding::Local(local) => local.column(attribute)[part],
        }
    }

    /// The same of several parts, one after the other.
    pub(crate) fn values_of(&self, parts: Range<usize>, attribute: usize) -> Cow<'_, [ValueId]> {
        match &self.recoding {
            Recoding::Local(local) => Cow::Borrowed(&local.column(attribute)[parts]),
            Recoding::FullDomain(_) | Recoding::Cut(_) => {
                let of_leaf = self.leaf_values(attribute).expect("the same value for all rows of a leaf");
                let leaves = &self.problem.table().column(attribute)[parts];
                Cow::Owned(leaves.iter().map(|&leaf| of_leaf[leaf as usize]).collect())
            }
        }
    }

    /// Calls `visit` with each code of a carried column, or of persons, that rows of a part have, and their
    /// number.
    ///
    /// # Panics
    /// If the part is of a divided tuple whose rows have different values: which of them the part has is
    /// not known. Who divides tuples tells such rows apart.
    pub fn for_each_value(&self, part: usize, column: &Carried, mut visit: impl FnMut(u32, u32)) {
        let (tuple, rows) = (self.tuple(part), self.rows(part));
        let values = column.histogram(tuple);
        if rows == self.problem.table().weights()[tuple] {
            return values.iter().for_each(|(code, rows)| visit(code, rows));
        }
        let mut values = values.iter();
        let (only, others) = (values.next(), values.next());
        let (code, _) = only.filter(|_| others.is_none()).expect("rows of a divided tuple have one value");
        visit(code, rows);
    }

    /// Whether it is known which values of a column the rows of each part have.
    fn has_values_of(&self, column: &Carried) -> bool {
        let is_whole = |part: usize| self.rows(part) == self.problem.table().weights()[self.tuple(part)];
        (0..self.parts()).all(|part| is_whole(part) || column.histogram(self.tuple(part)).distinct() == 1)
    }

    /// The whole that is released: what models compare classes with. A column of which it is not known which
    /// values the parts of a divided tuple have, and which no model looks at, counts as nothing.
    pub fn whole(&self) -> Whole {
        let released = || (0..self.parts()).filter(|&part| !self.suppressed[part]);
        let rows = released().map(|part| u64::from(self.rows(part))).sum();
        Whole::counting(self.problem.table(), rows, |column, rows| {
            let is_known = self.divided().is_none() || self.has_values_of(column);
            for part in released().filter(|_| is_known) {
                self.for_each_value(part, column, |code, of_part| rows[code as usize] += u64::from(of_part));
            }
        })
    }

    /// The generalised values of an attribute, in the order of their ids: those of its taxonomy,
    /// then those that the recoding made.
    pub fn values(&self, attribute: usize) -> impl Iterator<Item = &Value> {
        self.problem.attributes()[attribute].taxonomy.values().iter().chain(&self.made[attribute])
    }

    /// What the release shows for a value.
    pub fn label(&self, attribute: usize, value: ValueId) -> &str {
        let values = self.problem.attributes()[attribute].taxonomy.values();
        let at = value as usize;
        values.get(at).map_or_else(|| &self.made[attribute][at - values.len()].label, |value| &value.label)
    }

    /// The leaves that the recoding made values of, in the order of their ids.
    pub fn made(&self, attribute: usize) -> &[Leaves] {
        match &self.recoding {
            Recoding::FullDomain(_) | Recoding::Cut(_) => &[],
            Recoding::Local(local) => local.made(attribute),
        }
    }

    /// Whether a value covers a leaf.
    pub fn covers(&self, attribute: usize, value: ValueId, leaf: ValueId) -> bool {
        let taxonomy = &self.problem.attributes()[attribute].taxonomy;
        match (value as usize).checked_sub(taxonomy.values().len()) {
            None => taxonomy.covers(value, leaf),
            Some(made) => self.made(attribute)[made].contains(leaf),
        }
    }

    /// Rows left out.
    pub fn suppressed_rows(&self) -> u64 {
        let suppressed = (0..self.parts()).filter(|&part| self.suppressed[part]);
        suppressed.map(|part| u64::from(self.rows(part))).sum()
    }

    /// The same release without some tuples.
    #[must_use]
    pub fn without_tuples(mut self, tuples: &[usize]) -> Release {
        let mut is_left_out = vec![false; self.problem.table().tuples()];
        tuples.iter().for_each(|&tuple| is_left_out[tuple] = true);
        let parts: Vec<usize> = (0..self.parts()).filter(|&part| is_left_out[self.tuple(part)]).collect();
        parts.into_iter().for_each(|part| self.suppressed[part] = true);
        self
    }

    /// The generalised tuples of parts that are suppressed, sorted.
    pub fn suppressed_classes(&self) -> Vec<Vec<ValueId>> {
        let attributes = self.problem.attributes().len();
        let dropped = (0..self.parts()).filter(|&part| self.suppressed[part]);
        let mut classes: Vec<Vec<ValueId>> =
            dropped.map(|part| (0..attributes).map(|a| self.value(part, a)).collect()).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    /// The number of each part's class over some attributes, and how many classes there are.
    pub(crate) fn group(&self, attributes: &[usize]) -> (Vec<u32>, usize) {
        let mut numbers: FxHashMap<Vec<ValueId>, u32> = FxHashMap::default();
        let mut class = vec![0; attributes.len()];
        let number = |part: usize| {
            class.iter_mut().zip(attributes).for_each(|(value, &a)| *value = self.value(part, a));
            numbers.get(&class).copied().unwrap_or_else(|| {
                let next = numbers.len() as u32;
                numbers.insert(class.clone(), next);
                next
            })
        };
        let class_of = (0..self.parts()).map(number).collect();
        (class_of, numbers.len())
    }
}
