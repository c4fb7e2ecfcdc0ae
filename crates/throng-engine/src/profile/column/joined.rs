//! What was counted of a column in the parts of its table, each by itself, as if one had counted all rows in their order.
//!
//! Keys are drawn by their hashes, so what is drawn of all rows follows from what was drawn of each part. What values look
//! like is asked of the first ones of the table; so each part tells the first ones of its own, in the order of sight, and of
//! all these the first are taken. Keys are hashes: no value leaves a part.

use super::ColumnCounts;
use crate::nodes::ToldNumbers;
use crate::profile::looks::{Looks, MAX_VALUES, ValueMarks};
use crate::profile::sample::KEY;
use crate::profile::spelling::Spelling;

impl ColumnCounts {
    /// Lists what [`tell`](Self::tell) tells beside the counts. No row may have been counted before.
    pub(in crate::profile) fn list_values(&mut self) {
        // Numbers are given in the order of sight.
        self.number_values();
        self.spellings.looks().list();
    }

    /// Tells what was counted of a part.
    pub(in crate::profile) fn tell(&self, numbers: &mut Vec<u64>) {
        let drawn: Vec<u64> = self.sample.drawn().collect();
        let first = self.numbered_keys().iter().skip(1).zip(self.spellings.listed_marks());
        let first: Vec<u64> = first.flat_map(|(key, marks)| [key & KEY, marks.0.into()]).collect();
        let (missing, known) = (self.spellings.missing(), self.spellings.known());
        numbers.extend([missing, known, self.sample.level().into(), drawn.len() as u64, first.len() as u64]);
        numbers.extend(drawn);
        numbers.extend(first);
    }
}

/// A column of a table whose parts were counted by others.
pub(in crate::profile) struct JoinedCounts {
    column: ColumnCounts,
    first: FirstValues,
}

impl JoinedCounts {
    /// As the parts were counted: see [`ColumnCounts::new`].
    pub(in crate::profile) fn new(number: usize, limit: usize) -> JoinedCounts {
        JoinedCounts { column: ColumnCounts::new(number, limit), first: FirstValues::default() }
    }

    /// Takes up what was told of a part; nothing if it cannot be read.
    pub(in crate::profile) fn join(&mut self, part: u32, told: &mut ToldNumbers<'_>) -> Option<()> {
        let (missing, known, level) = (told.next()?, told.next()?, told.next()?);
        let (drawn, first) = (told.next()?, told.next()?);
        let (drawn, first) = (told.take(drawn)?, told.take(first)?);
        let column = &mut self.column;
        column.spellings.count(Spelling::MISSING, missing);
        column.spellings.count(Spelling::LONG, known);
        column.sample.join(u32::try_from(level).ok()?, drawn);
        self.first.join(part, first.chunks_exact(2).map(|value| (value[0], ValueMarks(value[1] as u32))));
        Some(())
    }

    /// The counts of all parts; of how values are spelled no more is known than whether there are any.
    pub(in crate::profile) fn finish(mut self) -> ColumnCounts {
        *self.column.spellings.looks() = Looks::of_marks(self.first.values.iter().map(|value| value.marks));
        self.column
    }
}

/// The values of a table that are seen first.
#[derive(Default)]
struct FirstValues {
    values: Vec<FirstValue>,
}

#[derive(Clone, Copy)]
struct FirstValue {
    key: u64,
    /// The part where it is seen first, and its turn among those of that part.
    seen: (u32, u32),
    marks: ValueMarks,
}

impl FirstValues {
    fn join(&mut self, part: u32, first: impl Iterator<Item = (u64, ValueMarks)>) {
        let most = MAX_VALUES as usize;
        let is_full = self.values.len() >= most;
        if is_full && self.values.iter().all(|value| value.seen < (part, 0)) {
            return;
        }
        let told = (0..).zip(first).map(|(turn, (key, marks))| FirstValue { key, seen: (part, turn), marks });
        self.values.extend(told);
        self.values.sort_unstable_by_key(|value| (value.key, value.seen));
        self.values.dedup_by_key(|value| value.key);
        if self.values.len() > most {
            self.values.select_nth_unstable_by_key(most, |value| value.seen);
            self.values.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};
    use proptest::prelude::*;

    use super::*;

    /// What is asked of an identifier.
    fn facts(column: &ColumnCounts) -> impl PartialEq + std::fmt::Debug + use<> {
        let spellings = column.spellings();
        let looks = (spellings.look(), spellings.has_whole_names());
        (column.counts(), spellings.missing(), spellings.known(), looks)
    }

    /// Cells of so many values: mail addresses at first, and names, numbers and nothing among them.
    fn cells(seed: u64, rows: usize, values: u64) -> Vec<String> {
        let cell = |row: usize| {
            let value = crate::profile::sample::mix(seed ^ row as u64) % values;
            match value % 11 {
                0 => String::new(),
                1..=4 if row < rows / 2 => format!("p{value}@example.org"),
                5 => format!("Anna Koch {value}"),
                _ => value.to_string(),
            }
        };
        (0..rows).map(cell).collect()
    }

    fn arrays(cells: &[String], are_numbers: bool) -> ArrayRef {
        match are_numbers {
            true => Arc::new(Int64Array::from_iter(cells.iter().map(|cell| cell.parse().ok()))),
            false => Arc::new(StringArray::from_iter_values(cells)),
        }
    }

    fn count(limit: usize, cells: &ArrayRef) -> ColumnCounts {
        let mut column = ColumnCounts::new(3, limit);
        column.drop_rows();
        (0..cells.len()).step_by(1_000).for_each(|start| {
            column.add(&cells.slice(start, (cells.len() - start).min(1_000))).unwrap();
        });
        column
    }

    /// Counts parts, tells them, and joins them as they come.
    fn count_parts(limit: usize, cells: &ArrayRef, cuts: &[usize], turn: usize) -> ColumnCounts {
        let edges: Vec<usize> = [0].into_iter().chain(cuts.iter().copied()).chain([cells.len()]).collect();
        let mut told: Vec<(u32, Vec<u64>)> = Vec::new();
        for (part, edge) in (0..).zip(edges.windows(2)) {
            let mut column = ColumnCounts::new(3, limit);
            column.drop_rows();
            column.list_values();
            for start in (edge[0]..edge[1]).step_by(777) {
                column.add(&cells.slice(start, (edge[1] - start).min(777))).unwrap();
                column.clear_rows();
            }
            told.push((part, Vec::new()));
            column.tell(&mut told.last_mut().unwrap().1);
        }
        let parts = told.len();
        told.rotate_left(turn % parts);
        let mut joined = JoinedCounts::new(3, limit);
        for (part, numbers) in &told {
            let mut told = ToldNumbers::new(numbers);
            joined.join(*part, &mut told).unwrap();
            assert_eq!(told.next(), None);
        }
        joined.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn parts_together_are_as_the_whole(
            seed: u64,
            rows in 1_usize..3_000,
            values in 1_u64..4_000,
            cuts in prop::collection::vec(0_usize..3_000, 0..6),
            turn: usize,
            are_numbers: bool,
        ) {
            let cells = arrays(&cells(seed, rows, values), are_numbers);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(rows)).collect();
            cuts.sort_unstable();
            prop_assert_eq!(facts(&count_parts(1 << 18, &cells, &cuts, turn)), facts(&count(1 << 18, &cells)));
            // Beyond the limit, what is drawn and counted is still the same; looks are asked of fewer values than that.
            let (parts, whole) = (count_parts(100, &cells, &cuts, turn), count(100, &cells));
            prop_assert_eq!(parts.counts(), whole.counts());
        }
    }

    /// More values than looks are asked of, and than are counted exactly.
    #[test]
    fn of_many_values_the_first_are_looked_at() {
        for (values, limit) in [(90_000, 1 << 18), (1 << 40, 1 << 17)] {
            let cells = arrays(&cells(7, 200_000, values), false);
            let whole = count(limit, &cells);
            assert!(whole.counts().0.value > u64::from(MAX_VALUES));
            for (cuts, turn) in [(vec![50_000, 90_000, 90_000], 1), (vec![199_999], 1), (vec![1, 2, 3], 3)] {
                assert_eq!(facts(&count_parts(limit, &cells, &cuts, turn)), facts(&whole), "{cuts:?}");
            }
        }
    }

    #[test]
    fn what_is_cut_short_is_not_taken_up() {
        let mut numbers = Vec::new();
        let mut column = ColumnCounts::new(3, 100);
        column.list_values();
        column.add(&arrays(&cells(1, 50, 20), false)).unwrap();
        column.tell(&mut numbers);
        for most in 0..numbers.len() {
            let mut told = ToldNumbers::new(&numbers[..most]);
            assert_eq!(JoinedCounts::new(3, 100).join(0, &mut told), None, "{most}");
        }
    }
}
