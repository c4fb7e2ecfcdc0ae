//! Columns that requirements look at: counted with the quasi-identifiers, then taken from their side.

use std::borrow::Cow;

use arrow::datatypes::DataType;
use throng::table::{Carried, Table};

use super::population::Population;
use crate::dictionary::Dictionary;
use crate::encode::Encoded;
use crate::job::{CodedNumbers, Roles, Sensitive};

/// A column that is carried, and the text of its values.
#[derive(Clone, Debug)]
pub(crate) struct CarriedColumn {
    /// Of several spellings of one value it has the first in the order of texts, and finds all.
    pub(crate) dictionary: Dictionary,
    pub(crate) counts: Carried,
}

/// A column that is looked at beside the quasi-identifiers.
#[derive(Clone, Debug)]
pub(crate) struct LookedAt {
    name: String,
    is_sensitive: bool,
    /// Whether values are the same only if they are spelled alike.
    exact: bool,
    /// What is released in the place of its numbers, if not these.
    coded: Option<(CodedNumbers, DataType)>,
}

impl LookedAt {
    /// A sensitive column, by what is told of it.
    pub(crate) fn sensitive(name: &str, told: &Sensitive) -> LookedAt {
        LookedAt { name: name.to_owned(), is_sensitive: true, exact: told.exact, coded: None }
    }

    /// A column of which values are the same only if they are spelled alike.
    pub(crate) fn exactly(name: &str) -> LookedAt {
        LookedAt { name: name.to_owned(), is_sensitive: false, exact: true, coded: None }
    }

    /// A column of a job, which may be the target.
    pub(super) fn new(name: String, kind: &DataType, roles: &Roles) -> LookedAt {
        let coded = roles.coded(&name).map(|coded| (*coded, kind.clone()));
        let looked_at = match roles.sensitive(&name) {
            Some(told) => LookedAt::sensitive(&name, told),
            None => LookedAt::exactly(&name),
        };
        LookedAt { coded, ..looked_at }
    }

    /// The value of each cell, by a number that is the same for all its spellings; none of a missing one.
    pub(crate) fn values(&self, spelled: &Dictionary, codes: &[u32]) -> Vec<Option<u32>> {
        let (dictionary, codes) = self.compare(spelled, codes);
        codes.iter().map(|&code| Some(code).filter(|code| Some(*code) != dictionary.missing())).collect()
    }

    /// The values that are compared, and the codes that cells have of them.
    fn compare<'c>(&self, spelled: &Dictionary, codes: &'c [u32]) -> (Dictionary, Cow<'c, [u32]>) {
        if let Some((coded, kind)) = &self.coded {
            // Whoever meets a class meets these: they decide how different its values are.
            let (released, new) = spelled.replaced(|text| coded.cell_of(text, kind));
            let codes = codes.iter().map(|&code| new[code as usize]).collect();
            return (released, Cow::Owned(codes));
        }
        match spelled.folded().filter(|_| !self.exact) {
            None => (spelled.clone(), Cow::Borrowed(codes)),
            Some((folded, new)) => {
                let codes = codes.iter().map(|&code| new[code as usize]).collect();
                (folded, Cow::Owned(codes))
            }
        }
    }
}

impl CarriedColumn {
    pub(crate) fn name(&self) -> &str {
        self.counts.name()
    }
}

/// What stands beside the tuples of quasi-identifiers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarriedColumns {
    /// The columns that requirements look at.
    pub(crate) columns: Vec<CarriedColumn>,
    /// The person of each row, if persons are counted.
    pub(crate) persons: Option<Carried>,
    /// The population that the table is a sample of, if a requirement looks at one.
    pub(crate) population: Option<Population>,
}

impl CarriedColumns {
    /// A table of the tuples, with what stands beside them.
    pub(crate) fn join(&self, table: Table) -> Table {
        let table = table.with_carried(self.columns.iter().map(|column| column.counts.clone()).collect());
        match &self.persons {
            Some(persons) => table.with_persons(persons.clone()),
            None => table,
        }
    }

    /// The same beside other tuples, each of which is one of these or of the population alone.
    pub(super) fn spread(self, tuples: &[Option<u32>], population: Population) -> CarriedColumns {
        let spread = |column: CarriedColumn| CarriedColumn { counts: column.counts.spread(tuples), ..column };
        CarriedColumns {
            columns: self.columns.into_iter().map(spread).collect(),
            persons: self.persons.map(|persons| persons.spread(tuples)),
            population: Some(population),
        }
    }
}

/// Takes the columns after the first `quasi` out of the tuples: counts of their codes take their place.
/// First come those that are looked at, then the one of persons, if there is a `person`.
///
/// Tuples are sorted, so those that are equal in the first columns are neighbours.
pub(crate) fn carry(
    encoded: Encoded,
    quasi: usize,
    looked_at: &[LookedAt],
    person: Option<&str>,
) -> (Encoded, CarriedColumns) {
    if looked_at.is_empty() && person.is_none() {
        return (encoded, CarriedColumns::default());
    }
    let Encoded { mut dictionaries, mut columns, weights, rows } = encoded;
    let (texts, codes) = (dictionaries.split_off(quasi), columns.split_off(quasi));
    let is_same = |a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
    let starts: Vec<usize> =
        (0..weights.len()).filter(|&at| at == 0 || !is_same(at - 1, at)).chain([weights.len()]).collect();
    let runs = Runs { starts: &starts, weights: &weights };
    let of_person = person.map(|name| (name, codes.last().expect("persons are the last column")));
    let carried = looked_at.iter().zip(&texts).zip(&codes).map(|((column, spelled), codes)| {
        let (dictionary, codes) = column.compare(spelled, codes);
        let counts = match of_person {
            None => runs.count(&column.name, dictionary.len(), &codes),
            Some((_, persons)) => runs.count_persons(&column.name, &codes, persons),
        };
        let missing = dictionary.missing().filter(|_| column.is_sensitive);
        CarriedColumn { dictionary, counts: counts.with_missing(missing) }
    });
    let columns_beside = carried.collect();
    let persons =
        of_person.map(|(name, persons)| runs.count(name, texts.last().map_or(0, Dictionary::len), persons));
    let firsts = &starts[..starts.len() - 1];
    let columns = columns.iter().map(|column| firsts.iter().map(|&at| column[at]).collect()).collect();
    let sums = starts.windows(2).map(|ends| weights[ends[0]..ends[1]].iter().sum()).collect();
    let beside = CarriedColumns { columns: columns_beside, persons, population: None };
    (Encoded { dictionaries, columns, weights: sums, rows }, beside)
}

/// Neighbours that are one tuple, and the rows of each.
struct Runs<'r> {
    /// Where each tuple begins, and where the last one ends.
    starts: &'r [usize],
    weights: &'r [u32],
}

impl Runs<'_> {
    fn count(&self, name: &str, values: usize, codes: &[u32]) -> Carried {
        let counts = |ends: &[usize]| (ends[0]..ends[1]).map(|at| (codes[at], self.weights[at]));
        Carried::adding_up(name, values, self.starts.windows(2).map(counts))
    }

    /// The same where a code stands for a value of one person.
    fn count_persons(&self, name: &str, values: &[u32], persons: &[u32]) -> Carried {
        let pair = |at: usize| u64::from(values[at]) << 32 | u64::from(persons[at]);
        let mut pairs: Vec<u64> = (0..values.len()).map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let find = |at: usize| pairs.binary_search(&pair(at)).expect("all pairs are listed") as u32;
        let codes: Vec<u32> = (0..values.len()).map(find).collect();
        let value_of: Vec<u32> = pairs.iter().map(|pair| (pair >> 32) as u32).collect();
        self.count(name, pairs.len(), &codes).by_person(value_of)
    }
}
