//! What the cells of a release mean: which original values each may stand for.

use rustc_hash::FxHashMap;

use throng::problem::{Attribute, Problem};
use throng::taxonomy::{ANY, Closure, Leaves, ValueId};

use super::rows_of_codes;
use crate::error::Result;
use crate::input::source::Source;
use crate::prepare::encode::Encoded;
use crate::prepare::{EncodedColumn, Prepared};

/// The labels of one quasi-identifier.
pub(super) struct Labels<'a> {
    pub(super) attribute: &'a Attribute,
    pub(super) texts: Vec<&'a str>,
    /// Released rows of each.
    pub(super) rows: Vec<u64>,
    pub(super) meanings: Vec<Closure>,
    /// Rows of the original below each value of the taxonomy.
    below: Vec<u64>,
    /// Rows of the original before each leaf, and of all.
    before: Vec<u64>,
}

impl<'a> Labels<'a> {
    /// Those of all quasi-identifiers.
    ///
    /// # Errors
    /// A label that the job's hierarchies do not have; its row is named, not the label.
    pub(super) fn read(
        prepared: &Prepared,
        problem: &'a Problem,
        after: &'a Encoded,
        released: &Source,
    ) -> Result<Vec<Labels<'a>>> {
        let columns = prepared.attributes.iter().zip(problem.attributes()).enumerate();
        let read = |(a, (column, attribute)): (usize, (&EncodedColumn, &'a Attribute))| {
            let dictionary = &after.dictionaries[a];
            let reader = Reader::of(column);
            let read: Vec<_> = dictionary.values().map(|label| reader.read(label)).collect();
            let strange = (0..).zip(&read).filter(|(_, meaning)| meaning.is_none());
            if let Some(row) = strange.map(|(code, _)| dictionary.first_row(code)).min() {
                let problem = "the value is none that the job's hierarchy can give: this is no release of it";
                return Err(released.bad_at(row, problem).in_column(&column.name));
            }
            let meanings = read.into_iter().flatten().collect();
            let texts = dictionary.values().collect();
            let (below, before) = add_up(attribute);
            Ok(Labels { attribute, texts, rows: rows_of_codes(after, a), meanings, below, before })
        };
        columns.map(read).collect()
    }

    /// How many leaves a label may stand for.
    pub(super) fn leaf_count(&self, label: usize) -> u64 {
        u64::from(match &self.meanings[label] {
            Closure::Value(value) => self.attribute.taxonomy.values()[*value as usize].leaf_count,
            Closure::Made(leaves) => leaves.count(),
        })
    }

    /// All leaves that a label may stand for.
    pub(super) fn leaves(&self, label: usize) -> Vec<ValueId> {
        match &self.meanings[label] {
            Closure::Value(value) => {
                let all = 0..self.attribute.taxonomy.leaf_total() as u32;
                all.filter(|&leaf| self.attribute.taxonomy.covers(*value, leaf)).collect()
            }
            Closure::Made(Leaves::Range { first, last }) => (*first..=*last).collect(),
            Closure::Made(Leaves::Set(members)) => members.to_vec(),
        }
    }

    /// Rows of the original that a label may stand for.
    pub(super) fn rows_before(&self, label: usize) -> u64 {
        match &self.meanings[label] {
            Closure::Value(value) => self.below[*value as usize],
            Closure::Made(Leaves::Range { first, last }) => {
                self.before[*last as usize + 1] - self.before[*first as usize]
            }
            Closure::Made(Leaves::Set(members)) => {
                members.iter().map(|&leaf| self.attribute.leaf_rows()[leaf as usize]).sum()
            }
        }
    }

    /// Where the label begins among numbers or dates; nothing where its leaves are neither.
    pub(super) fn position(&self, label: usize) -> Option<f64> {
        let values = self.attribute.taxonomy.values();
        let of = |value: ValueId| values[value as usize].extent.map(|extent| extent.min);
        match &self.meanings[label] {
            Closure::Value(value) => of(*value),
            Closure::Made(Leaves::Range { first, .. }) => of(*first),
            Closure::Made(Leaves::Set(members)) => {
                members.iter().filter_map(|&leaf| of(leaf)).reduce(f64::min)
            }
        }
    }

    /// The released rows of each leaf, if each row of a label is spread evenly over what it may stand for.
    pub(super) fn spread(&self) -> Vec<f64> {
        let taxonomy = &self.attribute.taxonomy;
        let mut of_value = vec![0.0; taxonomy.values().len()];
        let mut of_leaf = vec![0.0; taxonomy.leaf_total()];
        // What begins and ends at each leaf, for ranges.
        let mut change = vec![0.0; taxonomy.leaf_total() + 1];
        for (label, meaning) in self.meanings.iter().enumerate() {
            let share = self.rows[label] as f64 / self.leaf_count(label).max(1) as f64;
            match meaning {
                Closure::Value(value) => of_value[*value as usize] += share,
                Closure::Made(Leaves::Range { first, last }) => {
                    change[*first as usize] += share;
                    change[*last as usize + 1] -= share;
                }
                Closure::Made(Leaves::Set(members)) => {
                    members.iter().for_each(|&leaf| of_leaf[leaf as usize] += share);
                }
            }
        }
        let mut open = 0.0;
        for (leaf, rows) in of_leaf.iter_mut().enumerate() {
            open += change[leaf];
            let above = taxonomy.ancestors(leaf as u32).map(|value| of_value[value as usize]).sum::<f64>();
            *rows += above + f64::max(open, 0.0);
        }
        of_leaf
    }

    /// The share of what could be told of a value that the release does not tell, in the mean over all rows
    /// of the original: rows that are left out tell nothing. That is the measure `lm` of this column.
    pub(super) fn loss(&self, rows: u64) -> f64 {
        let others = self.attribute.taxonomy.leaf_total().saturating_sub(1).max(1) as f64;
        let of_label = |label: usize| (self.leaf_count(label) - 1) as f64 / others * self.rows[label] as f64;
        let released: u64 = self.rows.iter().sum();
        let left_out = if self.attribute.taxonomy.leaf_total() > 1 { rows - released } else { 0 };
        ((0..self.rows.len()).map(of_label).sum::<f64>() + left_out as f64) / rows as f64
    }

    /// The lowest level that has all labels.
    pub(super) fn level(&self) -> Option<usize> {
        let taxonomy = &self.attribute.taxonomy;
        let values = self.meanings.iter().map(|meaning| match meaning {
            Closure::Value(value) => Some(*value),
            Closure::Made(_) => None,
        });
        let values: Vec<ValueId> = values.collect::<Option<_>>()?;
        (0..=taxonomy.height()).find(|&level| {
            let mut of_level = taxonomy.level_values(level).to_vec();
            of_level.sort_unstable();
            values.iter().all(|value| of_level.binary_search(value).is_ok())
        })
    }
}

/// The rows below each value of a taxonomy, and those before each leaf.
fn add_up(attribute: &Attribute) -> (Vec<u64>, Vec<u64>) {
    let mut below = vec![0; attribute.taxonomy.values().len()];
    let mut before = vec![0];
    for (leaf, &rows) in attribute.leaf_rows().iter().enumerate() {
        attribute.taxonomy.ancestors(leaf as u32).for_each(|value| below[value as usize] += rows);
        before.push(before[leaf] + rows);
    }
    (below, before)
}

/// Finds what a label means.
struct Reader<'a> {
    column: &'a EncodedColumn,
    /// Of several values with a label the one with most leaves: who reads it knows no more.
    by_label: FxHashMap<&'a str, ValueId>,
}

impl<'a> Reader<'a> {
    fn of(column: &'a EncodedColumn) -> Reader<'a> {
        let values = column.taxonomy.values();
        let mut by_label: FxHashMap<&str, ValueId> = FxHashMap::default();
        for (id, value) in (0..).zip(values) {
            let known = by_label.entry(&value.label).or_insert(id);
            if values[*known as usize].leaf_count < value.leaf_count {
                *known = id;
            }
        }
        by_label.insert(ANY, column.taxonomy.root());
        Reader { column, by_label }
    }

    fn read(&self, label: &str) -> Option<Closure> {
        let leaf_with = |text: &str| self.column.leaf_with(text);
        let made = (label != ANY).then(|| self.column.taxonomy.read_made(label, leaf_with)).flatten();
        made.map(Closure::Made).or_else(|| self.by_label.get(label).copied().map(Closure::Value))
    }
}
