//! What the cells of a release mean: which original values each may stand for.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use throng::problem::{Attribute, Problem};
use throng::taxonomy::{ANY, Closure, Leaves, ValueId};

use super::rows_of_codes;
use throng_engine::encode::Encoded;
use throng_engine::error::Result;
use throng_engine::input::source::Source;
use throng_engine::prepare::{EncodedColumn, EncodedTable, Numbered};

/// The labels of one quasi-identifier.
pub(super) struct QuasiLabels<'a> {
    pub(super) attribute: &'a Attribute,
    pub(super) texts: Vec<&'a str>,
    /// Released rows of each.
    pub(super) rows: Vec<u64>,
    pub(super) meanings: Vec<Closure>,
    /// Whether each shows numbers of people, so that its meaning is a guess.
    pub(super) are_guessed: Vec<bool>,
    /// Rows of the original below each value of the taxonomy.
    below: Vec<u64>,
    /// Rows of the original before each leaf, and of all.
    before: Vec<u64>,
}

impl<'a> QuasiLabels<'a> {
    /// Those of all quasi-identifiers.
    ///
    /// # Errors
    /// A label that the job's hierarchies do not have; its row is named, not the label.
    pub(super) fn read(
        prepared: &EncodedTable,
        problem: &'a Problem,
        after: &'a Encoded,
        released: &Source,
    ) -> Result<Vec<QuasiLabels<'a>>> {
        let columns = prepared.attributes.iter().zip(problem.attributes()).enumerate();
        let read = |(a, (column, attribute)): (usize, (&EncodedColumn, &'a Attribute))| {
            let dictionary = &after.dictionaries[a];
            let mut reader = Reader::new(column);
            let (below, before) = add_up(attribute);
            reader.rank_numbers(&below, dictionary.values().zip(rows_of_codes(after, a)));
            let read: Vec<_> = dictionary.values().map(|label| reader.read(label)).collect();
            let strange = (0..).zip(&read).filter(|(_, meaning)| meaning.is_none());
            if let Some(row) = strange.map(|(code, _)| dictionary.first_row(code)).min() {
                let problem =
                    "the job's hierarchy cannot produce this value: this is not a release of the job";
                return Err(released.bad_at(row, problem).in_column(&column.name));
            }
            let meanings = read.into_iter().flatten().collect();
            let texts = dictionary.values().collect();
            let are_guessed = dictionary.values().map(|label| column.numbered(label).is_some()).collect();
            let rows = rows_of_codes(after, a);
            Ok(QuasiLabels { attribute, texts, rows, meanings, are_guessed, below, before })
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

    /// Whether nothing is left of a value that has the label.
    pub(super) fn is_top(&self, label: usize) -> bool {
        let all = self.attribute.taxonomy.leaf_total() as u64;
        all > 1 && self.leaf_count(label) == all
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

/// Puts together what has most rows with what has most rows, and so on.
fn by_rank(mut numbers: Vec<(u32, u64)>, mut values: Vec<(u32, u64)>) -> impl Iterator<Item = (u32, u32)> {
    numbers.sort_by_key(|&(_, rows)| Reverse(rows));
    values.sort_by_key(|&(_, rows)| Reverse(rows));
    numbers.into_iter().zip(values).map(|((number, _), (value, _))| (number, value))
}

/// Finds what a label means.
struct Reader<'a> {
    column: &'a EncodedColumn,
    /// Of several values with a label the one with most leaves: who reads it knows no more.
    by_label: FxHashMap<&'a str, ValueId>,
    /// For each number of people a leaf, and for each group of them, by its number and how many there are, a value.
    numbers: FxHashMap<u32, ValueId>,
    groups: FxHashMap<(u32, u32), ValueId>,
}

impl<'a> Reader<'a> {
    fn new(column: &'a EncodedColumn) -> Reader<'a> {
        let values = column.taxonomy.values();
        let mut by_label: FxHashMap<&str, ValueId> = FxHashMap::default();
        for (id, value) in (0..).zip(values) {
            let known = by_label.entry(&value.label).or_insert(id);
            if values[*known as usize].leaf_count < value.leaf_count {
                *known = id;
            }
        }
        by_label.insert(ANY, column.taxonomy.root());
        Reader { column, by_label, numbers: FxHashMap::default(), groups: FxHashMap::default() }
    }

    /// Takes the number that most rows have for the value that most rows had, and so on, and groups likewise: nobody
    /// knows whose numbers they are, but how often each occurs is about the same. `below` has the rows below each value.
    fn rank_numbers<'l>(&mut self, below: &[u64], labels: impl Iterator<Item = (&'l str, u64)>) {
        let mut values: BTreeMap<u32, u64> = BTreeMap::new();
        let mut groups: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
        for (label, rows) in labels {
            match self.column.numbered(label) {
                Some(Numbered::Value(number)) => *values.entry(number).or_default() += rows,
                Some(Numbered::Set(numbers, _)) => {
                    let share = rows / numbers.len() as u64;
                    numbers.iter().for_each(|&number| *values.entry(number).or_default() += share);
                }
                Some(Numbered::Group(number, of)) => groups.entry(of).or_default().push((number, rows)),
                None => {}
            }
        }
        let with_rows = |value: u32| (value, below[value as usize]);
        let leaves = self.column.numbered_leaves().map(with_rows).collect();
        self.numbers = by_rank(values.into_iter().collect(), leaves).collect();
        for (of, numbers) in groups {
            let own = (0..).zip(self.column.taxonomy.values());
            let is_of =
                |label: &str| matches!(Numbered::read(label), Some(Numbered::Group(_, own)) if own == of);
            let own = own.filter(|(_, value)| is_of(&value.label)).map(|(id, _)| with_rows(id)).collect();
            self.groups.extend(by_rank(numbers, own).map(|(number, value)| ((number, of), value)));
        }
    }

    /// What a label may mean that shows numbers of people.
    fn read_numbered(&self, label: &str, numbered: &Numbered) -> Option<Closure> {
        let leaf_of = |number: &u32| self.numbers.get(number).copied();
        match numbered {
            Numbered::Value(number) => leaf_of(number).map(Closure::Value),
            Numbered::Set(..) => {
                let leaf_with = |text: &str| match self.column.numbered(text) {
                    Some(Numbered::Value(number)) => leaf_of(&number),
                    _ => self.column.leaf_with(text),
                };
                self.column.taxonomy.read_set(label, leaf_with).map(Closure::Made)
            }
            Numbered::Group(number, of) => match self.groups.get(&(*number, *of)) {
                Some(&value) => Some(Closure::Value(value)),
                None => self.part(*number, *of),
            },
        }
    }

    /// One of as many parts of the values: groups are drawn, too, and there may be others here.
    fn part(&self, number: u32, of: u32) -> Option<Closure> {
        let leaves: Vec<u32> = self.column.numbered_leaves().collect();
        let end = |number: u32| leaves.len() * number as usize / of as usize;
        let part = leaves.get(end(number - 1)..end(number)).filter(|part| !part.is_empty())?;
        Some(Closure::Made(Leaves::Set(part.into())))
    }

    fn read(&self, label: &str) -> Option<Closure> {
        if let Some(numbered) = self.column.numbered(label) {
            return self.read_numbered(label, &numbered);
        }
        let leaf_with = |text: &str| self.column.leaf_with(text);
        let made = (label != ANY).then(|| self.column.taxonomy.read_made(label, leaf_with)).flatten();
        made.map(Closure::Made).or_else(|| self.by_label.get(label).copied().map(Closure::Value))
    }
}
