//! What classes hold beside rows: the values of carried columns, and their part of a population.
//!
//! Where a column has few values, the counts of a class are a row of a matrix, and rolling up adds
//! rows of it; where it has many, they are lists. Either is chosen by what takes less room.

use std::sync::Arc;

use crate::privacy::{Class, Whole};
use crate::table::{Carried, Histogram, Table};

/// The carried columns of a set of classes.
pub(super) struct ClassValues {
    table: Arc<Table>,
    columns: Vec<Counts>,
    /// Where persons are counted in place of rows.
    persons: Option<Counts>,
    population: Option<Vec<u64>>,
}

/// How many rows of each class have each code of a column.
enum Counts {
    /// The classes are the tuples of a table.
    Carried(Arc<Table>, CountedColumn),
    /// `rows[class * codes + code]`.
    Placed { codes: usize, rows: Vec<u32> },
    /// `counts[starts[class]..starts[class + 1]]`, codes ascending.
    Listed { codes: usize, starts: Vec<u32>, counts: Vec<(u32, u32)> },
    /// Nobody looks at the column.
    Ignored,
}

/// A column of a table that counts stand beside.
#[derive(Clone, Copy)]
enum CountedColumn {
    Carried(usize),
    Persons,
}

impl CountedColumn {
    fn carried(self, table: &Table) -> &Carried {
        match self {
            CountedColumn::Carried(column) => &table.carried()[column],
            CountedColumn::Persons => table.persons().expect("persons are counted"),
        }
    }
}

/// Of a class that goes into no group.
const NO_GROUP: u32 = u32::MAX;

/// Counts that may be placed however few there are.
const PLACED_ROOM: usize = 1 << 14;

impl ClassValues {
    /// The values of the tuples of a table, in those of its carried columns that something looks at.
    pub(super) fn of_table(table: &Arc<Table>, looked_at: &[bool]) -> ClassValues {
        let counts = |place| Counts::Carried(Arc::clone(table), place);
        let population = table.population().map(|counts| counts.iter().map(|&n| u64::from(n)).collect());
        let columns = looked_at.iter().enumerate().map(|(column, &looked_at)| {
            if looked_at { counts(CountedColumn::Carried(column)) } else { Counts::Ignored }
        });
        ClassValues {
            table: Arc::clone(table),
            columns: columns.collect(),
            persons: table.persons().map(|_| counts(CountedColumn::Persons)),
            population,
        }
    }

    /// The values of groups of classes; `group_of` has the group of each class.
    pub(super) fn roll_up(&self, group_of: &[u32], groups: usize) -> ClassValues {
        self.roll_up_some(group_of, group_of, groups)
    }

    /// The values of groups without the rows of some classes. What is left out of the sample is still
    /// part of the population, which looks like it did.
    pub(super) fn roll_up_without(&self, refused: &[bool], group_of: &[u32], groups: usize) -> ClassValues {
        let left = group_of.iter().zip(refused);
        let left: Vec<u32> = left.map(|(&group, &refused)| if refused { NO_GROUP } else { group }).collect();
        self.roll_up_some(&left, group_of, groups)
    }

    fn roll_up_some(&self, left: &[u32], group_of: &[u32], groups: usize) -> ClassValues {
        ClassValues {
            table: Arc::clone(&self.table),
            columns: self.columns.iter().map(|counts| counts.roll_up(left, groups)).collect(),
            persons: self.persons.as_ref().map(|counts| counts.roll_up(left, groups)),
            population: self.population(group_of, groups),
        }
    }

    /// The whole of what is left of `all` without the rows of some classes; `rows` has those of each class.
    pub(super) fn whole_without(&self, all: &Whole, refused: &[bool], rows: impl Fn(usize) -> u64) -> Whole {
        let classes = || (0..refused.len()).filter(|&class| refused[class]);
        if self.persons.is_none() {
            let mut values = all.values.clone();
            for (counts, values) in self.columns.iter().zip(&mut values) {
                let left_out = classes().flat_map(|class| counts.histogram(class).iter());
                left_out.for_each(|(code, rows)| values[code as usize] -= u64::from(rows));
            }
            let rows = all.rows - classes().map(rows).sum::<u64>();
            return Whole::new(rows, values, all.population).with_missing(all.missing().to_vec());
        }
        // Who is in several classes has not left with one of them.
        let released: Vec<u32> = refused.iter().map(|&refused| if refused { NO_GROUP } else { 0 }).collect();
        let left = self.roll_up_some(&released, &vec![0; refused.len()], 1);
        let fold = |counts: &Counts, column: &Carried| {
            let mut rows = vec![0; counts.codes()];
            counts.histogram(0).iter().for_each(|(code, n)| rows[code as usize] = u64::from(n));
            column.fold_whole(rows)
        };
        let columns = left.columns.iter().zip(self.table.carried());
        let persons = left.persons.iter().zip(self.table.persons()).map(|(counts, of)| fold(counts, of));
        let persons: u64 = persons.flatten().sum();
        let values = columns.map(|(counts, column)| fold(counts, column)).collect();
        Whole::new(persons, values, all.population).with_missing(all.missing().to_vec())
    }

    fn population(&self, group_of: &[u32], groups: usize) -> Option<Vec<u64>> {
        let counts = self.population.as_ref()?;
        let mut of_group = vec![0; groups];
        group_of.iter().zip(counts).for_each(|(&group, &count)| of_group[group as usize] += count);
        Some(of_group)
    }

    /// How many counts there are: what they take of memory.
    pub(super) fn len(&self) -> usize {
        self.columns.iter().chain(&self.persons).map(Counts::len).sum()
    }

    /// Whether persons are counted in place of rows.
    pub(super) fn counts_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Rows of a class that do not have its most frequent value in a column.
    pub(super) fn off_label(&self, class: usize, rows: u64, column: usize) -> u64 {
        rows - self.table.carried()[column].most_frequent(self.columns[column].histogram(class))
    }

    /// How many of the population are in a class.
    pub(super) fn population_of(&self, class: usize) -> u64 {
        self.population.as_ref().map_or(0, |counts| counts[class])
    }

    /// Hands a class to `judge` as models see it.
    pub(super) fn with_class<R>(&self, class: usize, rows: u64, judge: impl FnOnce(&Class<'_>) -> R) -> R {
        let population = self.population.as_ref().map(|counts| counts[class]);
        if let Some(persons) = &self.persons {
            let rows = persons.histogram(class).distinct() as u64;
            let columns = self.columns.iter().zip(self.table.carried());
            let folded: Vec<_> =
                columns.map(|(counts, column)| column.fold(counts.histogram(class))).collect();
            let values: Vec<Histogram<'_>> = folded.iter().map(|counts| Histogram::Listed(counts)).collect();
            return judge(&Class { rows, values: &values, population });
        }
        // Nearly always one sensitive column, and perhaps a target: no list for them.
        match &self.columns[..] {
            [one] => return judge(&Class { rows, values: &[one.histogram(class)], population }),
            [one, two] => {
                return judge(&Class {
                    rows,
                    values: &[one.histogram(class), two.histogram(class)],
                    population,
                });
            }
            _ => {}
        }
        let values: Vec<Histogram<'_>> = self.columns.iter().map(|counts| counts.histogram(class)).collect();
        judge(&Class { rows, values: &values, population })
    }
}

impl Counts {
    fn codes(&self) -> usize {
        match self {
            Counts::Carried(table, place) => place.carried(table).codes(),
            Counts::Placed { codes, .. } | Counts::Listed { codes, .. } => *codes,
            Counts::Ignored => 0,
        }
    }

    fn len(&self) -> usize {
        match self {
            Counts::Carried(table, place) => place.carried(table).parts().1.len(),
            Counts::Placed { rows, .. } => rows.len(),
            Counts::Listed { counts, .. } => counts.len(),
            Counts::Ignored => 0,
        }
    }

    #[inline]
    fn histogram(&self, class: usize) -> Histogram<'_> {
        match self {
            Counts::Carried(table, place) => place.carried(table).histogram(class),
            Counts::Placed { codes, rows } => Histogram::Placed(&rows[class * codes..][..*codes]),
            Counts::Listed { starts, counts, .. } => {
                Histogram::Listed(&counts[starts[class] as usize..starts[class + 1] as usize])
            }
            Counts::Ignored => Histogram::Listed(&[]),
        }
    }

    fn roll_up(&self, group_of: &[u32], groups: usize) -> Counts {
        let codes = self.codes();
        if matches!(self, Counts::Ignored) {
            return Counts::Ignored;
        }
        if groups.saturating_mul(codes) <= PLACED_ROOM.max(2 * self.len()) {
            self.place(group_of, groups)
        } else {
            self.list(group_of, groups)
        }
    }

    fn place(&self, group_of: &[u32], groups: usize) -> Counts {
        let codes = self.codes();
        let mut rows = vec![0; groups * codes];
        for (class, &group) in group_of.iter().enumerate().filter(|&(_, &group)| group != NO_GROUP) {
            let of_group = &mut rows[group as usize * codes..][..codes];
            match self.histogram(class) {
                Histogram::Placed(counts) => of_group.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n),
                Histogram::Listed(counts) => {
                    counts.iter().for_each(|&(code, n)| of_group[code as usize] += n);
                }
            }
        }
        Counts::Placed { codes, rows }
    }

    /// Groups the counts by a counting sort, then adds up equal codes.
    fn list(&self, group_of: &[u32], groups: usize) -> Counts {
        let members = || group_of.iter().enumerate().filter(|&(_, &group)| group != NO_GROUP);
        let mut ends = vec![0usize; groups + 1];
        members()
            .for_each(|(class, &group)| ends[group as usize + 1] += self.histogram(class).iter().count());
        for group in 0..groups {
            ends[group + 1] += ends[group];
        }
        let mut grouped = vec![(0, 0); ends[groups]];
        let mut next = ends.clone();
        for (class, &group) in members() {
            for count in self.histogram(class).iter() {
                grouped[next[group as usize]] = count;
                next[group as usize] += 1;
            }
        }
        let (mut starts, mut counts) = (vec![0u32], Vec::new());
        for group in 0..groups {
            let of_group = &mut grouped[ends[group]..ends[group + 1]];
            of_group.sort_unstable_by_key(|&(code, _)| code);
            let same = of_group.chunk_by(|a, b| a.0 == b.0);
            counts.extend(same.map(|same| (same[0].0, same.iter().map(|&(_, n)| n).sum::<u32>())));
            starts.push(counts.len() as u32);
        }
        Counts::Listed { codes: self.codes(), starts, counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes with 1 to 3 of `codes` values each.
    fn table(classes: u32, codes: u32) -> Arc<Table> {
        let rows: Vec<[u32; 1]> =
            (0..classes).flat_map(|class| (0..=class % 3).map(move |_| [class])).collect();
        let values = |class: u32| (0..=class % 3).map(move |at| (class * 7 + at * at) % codes).collect();
        let column = Carried::from_codes("value", &(0..classes).map(values).collect::<Vec<Vec<u32>>>());
        Arc::new(Table::from_rows(1, &rows).with_carried(vec![column]))
    }

    #[test]
    fn lists_and_places_hold_the_same() {
        let table = table(500, 40);
        let base = ClassValues::of_table(&table, &[true]);
        let group_of: Vec<u32> =
            (0..500).map(|class| if class % 11 == 0 { NO_GROUP } else { class % 9 }).collect();
        let (placed, listed) = (base.columns[0].place(&group_of, 9), base.columns[0].list(&group_of, 9));
        let halves: Vec<u32> = (0..9).map(|group| group / 2).collect();
        for (a, b) in [(&placed, &listed), (&placed.list(&halves, 5), &listed.place(&halves, 5))] {
            let groups = if matches!(a, Counts::Placed { .. }) { 9 } else { 5 };
            for group in 0..groups {
                assert_eq!(
                    a.histogram(group).iter().collect::<Vec<_>>(),
                    b.histogram(group).iter().collect::<Vec<_>>()
                );
            }
        }
        let expected: u64 =
            (0..500).filter(|class| class % 11 != 0 && class % 9 == 4).map(|class| class % 3 + 1).sum();
        assert_eq!(placed.histogram(4).rows(), expected);
    }

    #[test]
    fn many_values_of_many_classes_are_listed() {
        let table = table(3_000, 2_000);
        let all: Vec<u32> = (0..3_000).collect();
        let rolled = ClassValues::of_table(&table, &[true]).roll_up(&all, 3_000);
        assert!(matches!(rolled.columns[0], Counts::Listed { .. }));
        let few: Vec<u32> = all.iter().map(|class| class % 5).collect();
        assert!(matches!(rolled.roll_up(&few, 5).columns[0], Counts::Placed { .. }));
    }
}
