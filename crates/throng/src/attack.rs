//! What two adversaries learn from a release (section IV-A of *k-Anonymization Revisited*).
//!
//! Both know the quasi-identifiers of everybody and that a certain person is in the table. The
//! *first* links this person to every released row that is consistent with him: his neighbours.
//! The *second* also knows exactly who else is in the table. Every released row belongs to somebody else, so
//! she can rule out neighbours that would leave released rows without a person: what remains are his matches.
//! Either is certain of a sensitive value if all rows that she is left with have the same one; a missing cell is no
//! other.
//!
//! The paper names a *third*, who also knows the sensitive values of some people: [`attack_knowing`].
//!
//! Neither needs to know which released row was made of which original one, so neither does this: all
//! follows from the two tables, whatever became of the order. The paper's tables have the same rows, and its
//! matches are the edges of some perfect matching. Where rows were left out there is none, and the edges of
//! some *maximum* matching take their place: if each released row was made of an original one, those are the
//! ways to give every released row a person. Who is consistent with no record was left out; of all others
//! the adversary takes it that they were not.
//!
//! Linear in the size of the [consistency graph](crate::consistency) but for the matching, which needs a few
//! rounds of that.

mod known;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::consistency::{Crossed, Degrees, Reading, Released};
use crate::table::{Carried, Table, add_up};
pub use known::{Known, attack_knowing};

/// What both adversaries learn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attack {
    /// By the first adversary: neighbours.
    pub neighbours: Links,
    /// By the second adversary: matches.
    pub matches: Links,
    /// The largest k of each notion, as far as the two tables tell.
    pub degrees: Degrees,
    /// The persons in the class that has fewest, if the original says whose its rows are.
    pub persons: Option<FewestPersons>,
    /// As many released rows as can belong to different original ones at once: all, unless the release was
    /// made of another table.
    pub matched_rows: u64,
}

/// How many persons there are in the class of a release that has fewest, as far as the two tables tell.
///
/// Each row of a class is of somebody with a row that matches it. At most as many persons as have such rows are in the
/// class, and at least as many as are needed for its rows if those with the most such rows come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FewestPersons {
    /// No class has fewer.
    pub at_least: u64,
    /// Some class has no more.
    pub at_most: u64,
}

impl FewestPersons {
    /// Whether each class has so many; none if that cannot be told.
    pub fn are(self, least: u64) -> Option<bool> {
        match self {
            _ if self.at_least >= least => Some(true),
            _ if self.at_most < least => Some(false),
            _ => None,
        }
    }

    fn find(graph: &Crossed, persons: &Carried) -> FewestPersons {
        let mut of_record: Vec<Vec<(u32, u32)>> = vec![Vec::new(); graph.records()];
        for tuple in 0..graph.weights().len() {
            for record in graph.matches(tuple) {
                of_record[record as usize].extend(persons.histogram(tuple).iter());
            }
        }
        let bounds: Vec<(u64, u64)> = of_record
            .into_par_iter()
            .enumerate()
            .map(|(record, rows)| persons_of(graph.rows_of(record), add_up(rows)))
            .collect();
        FewestPersons {
            at_least: bounds.iter().map(|bounds| bounds.0).min().unwrap_or(0),
            at_most: bounds.iter().map(|bounds| bounds.1).min().unwrap_or(0),
        }
    }
}

/// The fewest and the most persons that so many rows may be of, given the rows that each may have among them.
fn persons_of(rows: u64, mut persons: Vec<(u32, u32)>) -> (u64, u64) {
    persons.sort_unstable_by_key(|&(_, rows)| std::cmp::Reverse(rows));
    let (mut left, mut least) = (rows, 0);
    for (_, rows) in &persons {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(u64::from(*rows));
        least += 1;
    }
    // Rows that are of nobody may be anybody's.
    (if left == 0 { least } else { 0 }, persons.len() as u64)
}

/// What one adversary can link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// For each original tuple, the released rows that she can link its rows to; 0 if it was left out, or she
    /// [knows](attack_knowing) its value.
    pub rows: Vec<u64>,
    /// How many original rows are linked to each number of released ones, without those that were left out.
    pub distribution: BTreeMap<u64, u64>,
    /// For each sensitive column, the original rows whose value is certain.
    pub certain_rows: Vec<u64>,
}

impl Links {
    fn new<I: Iterator<Item = u32>>(
        graph: &Crossed,
        seen: &[Vec<SeenValues>],
        linked: impl Fn(usize) -> I + Sync + Send,
    ) -> Links {
        let rows = graph.rows_linked(&linked);
        let mut distribution = BTreeMap::new();
        for (&links, &weight) in rows.iter().zip(graph.weights()).filter(|&(&links, _)| links > 0) {
            *distribution.entry(links).or_default() += u64::from(weight);
        }
        let certain_rows = seen.iter().map(|seen| certain_rows(graph, seen, &linked)).collect();
        Links { rows, distribution, certain_rows }
    }

    /// The fewest released rows that an original one is linked to; 0 if nothing is released.
    pub fn fewest(&self) -> u64 {
        self.distribution.keys().next().copied().unwrap_or(0)
    }

    /// Original rows that are linked to fewer than k released ones.
    pub fn rows_below(&self, k: u64) -> u64 {
        self.distribution.range(..k).map(|(_, rows)| rows).sum()
    }

    /// The tuples with the fewest links, at most so many: fewest first, then by index.
    pub fn worst(&self, most: usize) -> Vec<usize> {
        let mut tuples: Vec<usize> = (0..self.rows.len()).filter(|&tuple| self.rows[tuple] > 0).collect();
        let key = |&tuple: &usize| (self.rows[tuple], tuple);
        if most < tuples.len() {
            tuples.select_nth_unstable_by_key(most, key);
            tuples.truncate(most);
        }
        tuples.sort_unstable_by_key(key);
        tuples
    }
}

/// Attacks a released table as both adversaries would.
///
/// # Panics
/// If the tables have not the attributes of the readings.
pub fn attack(originals: &Table, readings: Vec<Reading>, released: &Released) -> Attack {
    let graph = Crossed::new(originals, readings, released);
    let seen: Vec<Vec<SeenValues>> =
        released.sensitive.iter().map(|values| values_of_records(&graph, values)).collect();
    let neighbours = Links::new(&graph, &seen, |tuple| graph.neighbours(tuple));
    let matches = Links::new(&graph, &seen, |tuple| graph.matches(tuple));
    let degrees = graph.degrees(&neighbours.rows, &matches.rows);
    let persons = originals.persons().map(|persons| FewestPersons::find(&graph, persons));
    Attack { neighbours, matches, degrees, persons, matched_rows: graph.matched_rows() }
}

/// Counts the persons of each class of a release, and nothing else; none if the original does not say whose its rows
/// are.
///
/// # Panics
/// If the tables have not the attributes of the readings.
pub fn fewest_persons(
    originals: &Table,
    readings: Vec<Reading>,
    released: &Released,
) -> Option<FewestPersons> {
    let persons = originals.persons()?;
    Some(FewestPersons::find(&Crossed::new(originals, readings, released), persons))
}

/// The sensitive values of a set of rows, as far as certainty goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SeenValues {
    /// No row.
    #[default]
    Nothing,
    /// Rows, but none with a value.
    Missing,
    /// All have this one.
    Only(u32),
    /// Several values.
    Several,
}

impl SeenValues {
    fn join(self, other: SeenValues) -> SeenValues {
        match (self, other) {
            (SeenValues::Nothing, seen) | (seen, SeenValues::Nothing) => seen,
            (SeenValues::Missing, seen) | (seen, SeenValues::Missing) => seen,
            (SeenValues::Only(a), SeenValues::Only(b)) if a == b => self,
            _ => SeenValues::Several,
        }
    }
}

/// What the rows of each released record show.
fn values_of_records(graph: &Crossed, values: &[Option<u32>]) -> Vec<SeenValues> {
    let mut seen = vec![SeenValues::default(); graph.records()];
    for (tuple, &value) in values.iter().enumerate() {
        let record = &mut seen[graph.record(tuple)];
        *record = record.join(value.map_or(SeenValues::Missing, SeenValues::Only));
    }
    seen
}

/// Original rows whose linked records all show one value.
fn certain_rows<I: Iterator<Item = u32>>(
    graph: &Crossed,
    seen: &[SeenValues],
    linked: impl Fn(usize) -> I + Sync,
) -> u64 {
    let is_certain = |tuple: usize| {
        let all = linked(tuple).fold(SeenValues::Nothing, |all, record| all.join(seen[record as usize]));
        matches!(all, SeenValues::Only(_) | SeenValues::Missing)
    };
    let tuples = graph.weights().par_iter().enumerate().filter(|&(tuple, _)| is_certain(tuple));
    tuples.map(|(_, &rows)| u64::from(rows)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    const LABELS: [&str; 3] = ["0", "1", "*"];

    /// Two columns of `0` and `1`: original tuples with their rows, and released ones with their rows and the
    /// value of a secret, 0 if it is missing.
    fn attack_on(originals: &[(u32, &str)], released: &[(u32, &str, u32)]) -> Attack {
        let code =
            |text: &str, a: usize| LABELS.iter().position(|label| *label == &text[a..=a]).unwrap() as u32;
        let columns = |texts: Vec<&str>| -> Vec<Vec<u32>> {
            (0..2).map(|a| texts.iter().map(|text| code(text, a)).collect()).collect()
        };
        let table = Table::new(
            columns(originals.iter().map(|line| line.1).collect()),
            originals.iter().map(|line| line.0).collect(),
        );
        let flat = Taxonomy::flat(&LABELS[..2]).unwrap();
        let read = || Reading::new(&flat, LABELS.into_iter(), |_| None, |_| None).unwrap();
        let released = Released {
            columns: columns(released.iter().map(|line| line.1).collect()),
            weights: released.iter().map(|line| line.0).collect(),
            sensitive: vec![released.iter().map(|line| Some(line.2).filter(|&value| value > 0)).collect()],
        };
        attack(&table, vec![read(), read()], &released)
    }

    /// The rows of b and c need the only two records that cover b's second value. So the second
    /// adversary knows that d's row is not that of c, although it is consistent with d, too: the
    /// table is (2,2)-anonymous, and she links d to a single row and learns d's secret. In which order the
    /// rows are released is all the same.
    #[test]
    fn the_second_adversary_succeeds_on_a_kk_table() {
        let originals = [(2, "11"), (1, "10"), (1, "00"), (1, "01")];
        let released = [(1, "*1", 7), (1, "11", 8), (1, "**", 8), (1, "*0", 7), (1, "11", 7)];
        let found = attack_on(&originals, &released);
        assert_eq!(found.neighbours.rows, [4, 2, 2, 2]);
        assert_eq!(found.matches.rows, [2, 2, 2, 1]);
        assert_eq!(found.neighbours.distribution, BTreeMap::from([(2, 3), (4, 2)]));
        assert_eq!(found.matches.distribution, BTreeMap::from([(1, 1), (2, 4)]));
        assert_eq!([found.neighbours.certain_rows[0], found.matches.certain_rows[0]], [0, 1]);
        assert_eq!((found.matches.worst(2), found.matches.fewest()), (vec![3, 0], 1));
        assert_eq!((found.matches.rows_below(2), found.neighbours.worst(9)), (1, vec![1, 2, 3, 0]));
        assert_eq!(found.degrees, Degrees { k: 1, one_k: 2, k_one: 2, kk: 2, global_one_k: 1 });
        assert_eq!(found.matched_rows, 5);
    }

    #[test]
    fn equal_secrets_are_certain_however_large_the_crowd() {
        let found = attack_on(&[(2, "11"), (3, "10")], &[(5, "**", 3)]);
        assert_eq!((found.neighbours.certain_rows, found.matches.certain_rows), (vec![5], vec![5]));
    }

    #[test]
    fn a_missing_secret_leaves_no_doubt_of_another() {
        let certain =
            |released: &[(u32, &str, u32)]| attack_on(&[(3, "11")], released).neighbours.certain_rows[0];
        assert_eq!(certain(&[(1, "1*", 7), (2, "1*", 0)]), 3);
        assert_eq!(certain(&[(3, "1*", 0)]), 3, "that nothing is known of anybody is certain, too");
        assert_eq!(certain(&[(1, "1*", 7), (1, "1*", 0), (1, "1*", 8)]), 0);
    }

    /// Of the two rows of `00` one has three persons' rows to choose from, the other class is one person's.
    #[test]
    fn persons_are_counted_in_the_original() {
        let bounds = |rows: u64, persons: &[(u32, u32)]| persons_of(rows, persons.to_vec());
        assert_eq!(bounds(3, &[(7, 3)]), (1, 1), "three rows of one person");
        assert_eq!(bounds(3, &[(7, 1), (8, 1), (9, 1)]), (3, 3));
        assert_eq!(bounds(3, &[(7, 2), (8, 1), (9, 2)]), (2, 3), "one of them may be left out");
        assert_eq!(bounds(3, &[(7, 2)]), (0, 1), "a row of nobody");
        let table = Table::new(vec![vec![0, 0, 1], vec![0, 1, 1]], vec![2, 1, 3]);
        let of = Carried::from_codes("person", &[vec![4, 5], vec![6], vec![7, 7, 7]]);
        let flat = Taxonomy::flat(&LABELS[..2]).unwrap();
        let read = || Reading::new(&flat, LABELS.into_iter(), |_| None, |_| None).unwrap();
        let released =
            Released { columns: vec![vec![0, 1], vec![2, 1]], weights: vec![3, 3], sensitive: vec![] };
        let found = fewest_persons(&table.with_persons(of), vec![read(), read()], &released).unwrap();
        assert_eq!(found, FewestPersons { at_least: 1, at_most: 1 });
        assert_eq!((found.are(1), found.are(2)), (Some(true), Some(false)));
        assert_eq!(FewestPersons { at_least: 1, at_most: 3 }.are(2), None);
    }

    /// Nobody says who was left out: `11` fits no record, so it is clear; of the rows of `00` and `01` one
    /// must have been, and either may have the record.
    #[test]
    fn who_fits_no_record_was_left_out() {
        let found = attack_on(&[(1, "00"), (1, "01"), (1, "11")], &[(1, "0*", 4)]);
        assert_eq!((&found.neighbours.rows, &found.matches.rows), (&vec![1, 1, 0], &vec![1, 1, 0]));
        assert_eq!((found.neighbours.worst(5), found.neighbours.certain_rows[0]), (vec![0, 1], 2));
        assert_eq!(found.matches.distribution, BTreeMap::from([(1, 2)]));
        assert_eq!((found.degrees.k_one, found.matched_rows), (2, 1));
    }

    #[test]
    fn a_row_of_somebody_else_is_seen() {
        let found = attack_on(&[(2, "00")], &[(2, "0*", 1), (1, "11", 1), (1, "0*", 1)]);
        assert_eq!((found.matched_rows, found.degrees.k_one), (2, 0));
    }
}
