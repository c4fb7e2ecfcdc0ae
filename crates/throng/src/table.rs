//! The encoded table: distinct quasi-identifier tuples with counts.
//!
//! A billion rows become a few million tuples; the search never sees rows. Columns that a
//! requirement or a measure looks at (sensitive, target) are [carried](Carried) as counts per
//! tuple, and only those; all others stay with the engine, untouched.

mod carried;

pub(crate) use carried::add_up;
pub use carried::{Carried, Histogram};

use crate::taxonomy::ValueId;

/// Distinct tuples of leaves, one column per quasi-identifier, and how many rows have each.
///
/// A tuple of more rows than a weight can say is there several times; sums of weights are of 64 bits.
///
/// Invariants: all columns and the weights have one length; no weight is 0, unless the tuple is
/// there for the [population](Self::with_population) alone; a tuple's counts in a carried column add
/// up to its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    columns: Vec<Vec<ValueId>>,
    weights: Vec<u32>,
    rows: u64,
    carried: Vec<Carried>,
    persons: Option<Carried>,
    population: Option<Vec<u32>>,
}

impl Table {
    /// A table from columns of leaf ids and the number of rows of each tuple.
    ///
    /// # Panics
    /// If the columns and the weights differ in length, or a weight is 0.
    pub fn new(columns: Vec<Vec<ValueId>>, weights: Vec<u32>) -> Table {
        assert!(columns.iter().all(|c| c.len() == weights.len()), "columns of one length");
        assert!(weights.iter().all(|&w| w > 0), "every tuple occurs");
        Table::unchecked(columns, weights)
    }

    fn unchecked(columns: Vec<Vec<ValueId>>, weights: Vec<u32>) -> Table {
        let rows = weights.iter().map(|&w| u64::from(w)).sum();
        Table { columns, weights, rows, carried: Vec::new(), persons: None, population: None }
    }

    /// The table with columns that requirements or measures look at.
    ///
    /// # Panics
    /// If the counts of a tuple do not add up to its rows.
    #[must_use]
    pub fn with_carried(mut self, carried: Vec<Carried>) -> Table {
        assert!(carried.iter().all(|column| self.fits(column)), "a count for every row");
        self.carried = carried;
        self
    }

    /// The table in which all rows have one value of a carried column.
    pub(crate) fn with_one_value(&self, place: usize) -> Table {
        let mut table = self.clone();
        let rows = self.weights.iter().map(|&rows| [(0, rows)].into_iter().filter(|&(_, rows)| rows > 0));
        table.carried[place] = Carried::adding_up(self.carried[place].name(), 1, rows);
        table
    }

    fn fits(&self, column: &Carried) -> bool {
        let adds_up = |tuple| column.histogram(tuple).rows() == u64::from(self.weights[tuple]);
        column.tuples() == self.tuples() && (0..self.tuples()).all(adds_up)
    }

    /// The table with the person of each row, where persons are to be counted in place of rows; the carried
    /// columns must then be [by person](Carried::by_person).
    ///
    /// # Panics
    /// If the counts of a tuple do not add up to its rows, or a carried column is not by person.
    #[must_use]
    pub fn with_persons(mut self, persons: Carried) -> Table {
        assert!(self.carried.iter().all(Carried::is_by_person), "columns are by person");
        assert!(self.fits(&persons), "a person for every row");
        let one_value = vec![0; persons.codes()];
        self.persons = Some(persons.by_person(one_value));
        self
    }

    /// A table whose rows are a sample of a population: how many of it have each tuple. Tuples that
    /// only the population has are part of the table with a weight of 0.
    ///
    /// # Panics
    /// If the columns and the counts differ in length, or a tuple is in neither.
    pub fn with_population(columns: Vec<Vec<ValueId>>, weights: Vec<u32>, population: Vec<u32>) -> Table {
        assert!(columns.iter().all(|c| c.len() == weights.len()), "columns of one length");
        assert_eq!(weights.len(), population.len(), "a count for each tuple");
        assert!(weights.iter().zip(&population).all(|(&w, &p)| w > 0 || p > 0), "every tuple occurs");
        Table { population: Some(population), ..Table::unchecked(columns, weights) }
    }

    /// A table from rows of leaf ids, in which equal rows become one tuple.
    pub fn from_rows<R: AsRef<[ValueId]>>(attributes: usize, rows: &[R]) -> Table {
        let mut sorted: Vec<&[ValueId]> = rows.iter().map(AsRef::as_ref).collect();
        sorted.sort_unstable();
        let mut columns = vec![Vec::new(); attributes];
        let mut weights: Vec<u32> = Vec::new();
        let mut last: Option<&[ValueId]> = None;
        for row in sorted {
            if last == Some(row) {
                *weights.last_mut().expect("a tuple precedes its repetition") += 1;
                continue;
            }
            for (column, &leaf) in columns.iter_mut().zip(row) {
                column.push(leaf);
            }
            weights.push(1);
            last = Some(row);
        }
        Table::new(columns, weights)
    }

    /// The table over its first `attributes` columns.
    pub fn project(&self, attributes: usize) -> Table {
        self.over(&(0..attributes).collect::<Vec<_>>())
    }

    /// The table over some of its columns.
    pub fn over(&self, attributes: &[usize]) -> Table {
        let mut order: Vec<u32> = (0..self.tuples() as u32).collect();
        let key = |tuple: u32| attributes.iter().map(move |&a| self.columns[a][tuple as usize]);
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let mut columns = vec![Vec::new(); attributes.len()];
        let same = order.chunk_by(|&a, &b| key(a).eq(key(b)));
        let groups: Vec<&[u32]> = same.flat_map(|same| self.within_weights(same)).collect();
        for same in &groups {
            columns.iter_mut().zip(key(same[0])).for_each(|(column, leaf)| column.push(leaf));
        }
        self.regroup(columns, &groups)
    }

    /// Some of the tuples.
    pub(crate) fn pick(&self, tuples: &[u32]) -> Table {
        let pick =
            |values: &Vec<u32>| -> Vec<u32> { tuples.iter().map(|&tuple| values[tuple as usize]).collect() };
        Table {
            carried: self.carried.iter().map(|column| column.pick(tuples)).collect(),
            persons: self.persons.as_ref().map(|column| column.pick(tuples)),
            population: self.population.as_ref().map(pick),
            ..Table::unchecked(self.columns.iter().map(pick).collect(), pick(&self.weights))
        }
    }

    /// Some rows of some of the tuples, as pairs of a tuple and a number of rows.
    ///
    /// # Panics
    /// If some rows of a tuple are left out that differ in a carried column: which these are is not known.
    pub(crate) fn pick_rows(&self, kept: &[(u32, u32)]) -> Table {
        let tuples: Vec<u32> = kept.iter().map(|&(tuple, _)| tuple).collect();
        let mut picked = self.pick(&tuples);
        for (column, of) in picked.carried.iter_mut().zip(&self.carried) {
            *column = of.pick_rows(kept);
        }
        picked.weights = kept.iter().map(|&(_, rows)| rows).collect();
        picked.rows = picked.weights.iter().map(|&rows| u64::from(rows)).sum();
        picked
    }

    /// Tuples that become one, or several where they have more rows, or people of a population, than one can have.
    fn within_weights<'t>(&self, mut same: &'t [u32]) -> Vec<&'t [u32]> {
        let counts = |tuple: u32| {
            let of_population = self.population.as_ref().map_or(0, |counts| counts[tuple as usize]);
            u64::from(self.weights[tuple as usize]).max(of_population.into())
        };
        let mut groups = Vec::with_capacity(1);
        while !same.is_empty() {
            let mut sum = 0;
            let fits = |&&tuple: &&u32| {
                sum += counts(tuple);
                sum <= u64::from(u32::MAX)
            };
            let (group, rest) = same.split_at(same.iter().take_while(fits).count().max(1));
            groups.push(group);
            same = rest;
        }
        groups
    }

    /// The table of tuples that each stand for several of this.
    fn regroup(&self, columns: Vec<Vec<ValueId>>, groups: &[&[u32]]) -> Table {
        let sum = |counts: &Vec<u32>| -> Vec<u32> {
            groups.iter().map(|same| same.iter().map(|&tuple| counts[tuple as usize]).sum()).collect()
        };
        Table {
            carried: self.carried.iter().map(|column| column.regroup(groups)).collect(),
            persons: self.persons.as_ref().map(|column| column.regroup(groups)),
            population: self.population.as_ref().map(sum),
            ..Table::unchecked(columns, sum(&self.weights))
        }
    }

    /// Number of rows that the tuples stand for.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of distinct tuples.
    pub fn tuples(&self) -> usize {
        self.weights.len()
    }

    /// Number of quasi-identifiers.
    pub fn attributes(&self) -> usize {
        self.columns.len()
    }

    /// The leaves of one attribute, one per tuple.
    pub fn column(&self, attribute: usize) -> &[ValueId] {
        &self.columns[attribute]
    }

    /// The leaves of a tuple.
    pub fn record(&self, tuple: usize) -> Vec<ValueId> {
        self.columns.iter().map(|column| column[tuple]).collect()
    }

    /// Rows of each tuple.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The columns that requirements or measures look at.
    pub fn carried(&self) -> &[Carried] {
        &self.carried
    }

    /// The person of each row, where persons are counted in place of rows: a single value, so that its count
    /// is that of persons.
    pub fn persons(&self) -> Option<&Carried> {
        self.persons.as_ref()
    }

    /// How many of the population have each tuple, if the rows are a sample of one.
    pub fn population(&self) -> Option<&[u32]> {
        self.population.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_that_become_one_add_up_in_every_column() {
        let rows = [[0, 0], [0, 1], [0, 1], [1, 0]];
        let illness = Carried::from_codes("illness", &[vec![2], vec![0, 2], vec![1]]);
        let table = Table::from_rows(2, &rows).with_carried(vec![illness]);
        let projected = table.project(1);
        assert_eq!((projected.column(0), projected.weights()), (&[0, 1][..], &[3, 1][..]));
        let counts = |table: &Table, tuple| table.carried()[0].histogram(tuple).iter().collect::<Vec<_>>();
        assert_eq!(counts(&projected, 0), [(0, 1), (2, 2)]);
        assert_eq!(counts(&projected, 1), [(1, 1)]);
        let picked = table.pick(&[2, 1]);
        assert_eq!((counts(&picked, 0), counts(&picked, 1)), (vec![(1, 1)], vec![(0, 1), (2, 1)]));
    }

    #[test]
    fn a_tuple_may_be_of_the_population_alone() {
        let table = Table::with_population(vec![vec![0, 1]], vec![2, 0], vec![5, 3]);
        assert_eq!((table.rows(), table.population()), (2, Some(&[5, 3][..])));
    }

    #[test]
    #[should_panic(expected = "a count for every row")]
    fn counts_that_do_not_add_up_are_refused() {
        let illness = Carried::from_codes("illness", &[vec![2]]);
        _ = Table::from_rows(1, &[[0], [0]]).with_carried(vec![illness]);
    }
}
