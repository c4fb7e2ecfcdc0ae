//! What classes hold beside rows: the values of carried columns, and their part of a population.
//!
//! Where a column has few values, the counts of a class are a row of a matrix, and rolling up adds
//! rows of it; where it has many, they are lists. Either is chosen by what takes less room.

use std::sync::Arc;

use crate::privacy::Class;
use crate::table::{Histogram, Table};

/// The carried columns of a set of classes.
pub(super) struct ClassValues {
    columns: Vec<Counts>,
    population: Option<Vec<u64>>,
}

/// How many rows of each class have each code of a column.
enum Counts {
    /// The classes are the tuples of a table.
    Carried { table: Arc<Table>, column: usize },
    /// `rows[class * codes + code]`.
    Placed { codes: usize, rows: Vec<u32> },
    /// `counts[starts[class]..starts[class + 1]]`, codes ascending.
    Listed { codes: usize, starts: Vec<u32>, counts: Vec<(u32, u32)> },
}

/// Of a class that goes into no group.
const NO_GROUP: u32 = u32::MAX;

/// Counts that may be placed however few there are.
const PLACED_ROOM: usize = 1 << 14;

impl ClassValues {
    /// The values of the tuples of a table.
    pub(super) fn of_table(table: &Arc<Table>) -> ClassValues {
        let carried = |column| Counts::Carried { table: Arc::clone(table), column };
        let population = table.population().map(|counts| counts.iter().map(|&n| u64::from(n)).collect());
        ClassValues { columns: (0..table.carried().len()).map(carried).collect(), population }
    }

    /// The values of groups of classes; `group_of` has the group of each class.
    pub(super) fn roll_up(&self, group_of: &[u32], groups: usize) -> ClassValues {
        let columns = self.columns.iter().map(|counts| counts.roll_up(group_of, groups)).collect();
        ClassValues { columns, population: self.population(group_of, groups) }
    }

    /// The values of groups without the rows of some classes. What is left out of the sample is still
    /// part of the population, which looks like it did.
    pub(super) fn roll_up_without(&self, refused: &[bool], group_of: &[u32], groups: usize) -> ClassValues {
        let left = group_of.iter().zip(refused);
        let left: Vec<u32> = left.map(|(&group, &refused)| if refused { NO_GROUP } else { group }).collect();
        let columns = self.columns.iter().map(|counts| counts.roll_up(&left, groups)).collect();
        ClassValues { columns, population: self.population(group_of, groups) }
    }

    fn population(&self, group_of: &[u32], groups: usize) -> Option<Vec<u64>> {
        let counts = self.population.as_ref()?;
        let mut of_group = vec![0; groups];
        group_of.iter().zip(counts).for_each(|(&group, &count)| of_group[group as usize] += count);
        Some(of_group)
    }

    /// How many counts there are: what they take of memory.
    pub(super) fn len(&self) -> usize {
        self.columns.iter().map(Counts::len).sum()
    }

    /// Hands a class to `judge` as models see it.
    pub(super) fn with_class<R>(&self, class: usize, rows: u64, judge: impl FnOnce(&Class<'_>) -> R) -> R {
        let population = self.population.as_ref().map(|counts| counts[class]);
        // Nearly always one sensitive column: no list for it.
        if let [counts] = &self.columns[..] {
            return judge(&Class { rows, values: &[counts.of(class)], population });
        }
        let values: Vec<Histogram<'_>> = self.columns.iter().map(|counts| counts.of(class)).collect();
        judge(&Class { rows, values: &values, population })
    }
}

impl Counts {
    fn codes(&self) -> usize {
        match self {
            Counts::Carried { table, column } => table.carried()[*column].codes(),
            Counts::Placed { codes, .. } | Counts::Listed { codes, .. } => *codes,
        }
    }

    fn len(&self) -> usize {
        match self {
            Counts::Carried { table, column } => table.carried()[*column].parts().1.len(),
            Counts::Placed { rows, .. } => rows.len(),
            Counts::Listed { counts, .. } => counts.len(),
        }
    }

    #[inline]
    fn of(&self, class: usize) -> Histogram<'_> {
        match self {
            Counts::Carried { table, column } => table.carried()[*column].of(class),
            Counts::Placed { codes, rows } => Histogram::Placed(&rows[class * codes..][..*codes]),
            Counts::Listed { starts, counts, .. } => {
                Histogram::Listed(&counts[starts[class] as usize..starts[class + 1] as usize])
            }
        }
    }

    fn roll_up(&self, group_of: &[u32], groups: usize) -> Counts {
        let codes = self.codes();
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
            match self.of(class) {
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
        members().for_each(|(class, &group)| ends[group as usize + 1] += self.of(class).iter().count());
        for group in 0..groups {
            ends[group + 1] += ends[group];
        }
        let mut grouped = vec![(0, 0); ends[groups]];
        let mut next = ends.clone();
        for (class, &group) in members() {
            for count in self.of(class).iter() {
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
    use crate::table::Carried;

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
        let base = ClassValues::of_table(&table);
        let group_of: Vec<u32> =
            (0..500).map(|class| if class % 11 == 0 { NO_GROUP } else { class % 9 }).collect();
        let (placed, listed) = (base.columns[0].place(&group_of, 9), base.columns[0].list(&group_of, 9));
        let halves: Vec<u32> = (0..9).map(|group| group / 2).collect();
        for (a, b) in [(&placed, &listed), (&placed.list(&halves, 5), &listed.place(&halves, 5))] {
            let groups = if matches!(a, Counts::Placed { .. }) { 9 } else { 5 };
            for group in 0..groups {
                assert_eq!(a.of(group).iter().collect::<Vec<_>>(), b.of(group).iter().collect::<Vec<_>>());
            }
        }
        let expected: u64 =
            (0..500).filter(|class| class % 11 != 0 && class % 9 == 4).map(|class| class % 3 + 1).sum();
        assert_eq!(placed.of(4).rows(), expected);
    }

    #[test]
    fn many_values_of_many_classes_are_listed() {
        let table = table(3_000, 2_000);
        let all: Vec<u32> = (0..3_000).collect();
        let rolled = ClassValues::of_table(&table).roll_up(&all, 3_000);
        assert!(matches!(rolled.columns[0], Counts::Listed { .. }));
        let few: Vec<u32> = all.iter().map(|class| class % 5).collect();
        assert!(matches!(rolled.roll_up(&few, 5).columns[0], Counts::Placed { .. }));
    }
}
