//! A column that a requirement or a measure looks at, as counts per tuple.

use std::borrow::Cow;
use std::sync::Arc;

/// The values of a column that is not generalised, as counts of codes per tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The column's name.
    name: String,
    /// Number of codes; all are below.
    codes: usize,
    /// Where persons are counted, the value of each code: a code is a value of one person, and codes of
    /// one value are neighbours.
    value_of: Option<Arc<[u32]>>,
    /// The value that stands for a missing cell, if missing cells are no values.
    missing: Option<u32>,
    /// `counts[starts[tuple]..starts[tuple + 1]]` are those of a tuple, codes ascending.
    starts: Vec<u32>,
    counts: Vec<(u32, u32)>,
}

impl Carried {
    /// A column of `codes` values, with the counts of each tuple: pairs of a code and a number of
    /// rows, codes ascending.
    ///
    /// # Panics
    /// If a code is not below `codes`, or codes do not ascend.
    pub fn new<'c>(name: &str, codes: usize, tuples: impl IntoIterator<Item = &'c [(u32, u32)]>) -> Carried {
        let name = name.to_owned();
        let mut column =
            Carried { name, codes, value_of: None, missing: None, starts: vec![0], counts: Vec::new() };
        for counts in tuples {
            assert!(counts.windows(2).all(|pair| pair[0].0 < pair[1].0), "codes ascend");
            assert!(counts.iter().all(|&(code, _)| (code as usize) < codes), "codes are below {codes}");
            column.counts.extend_from_slice(counts);
            column.starts.push(column.counts.len() as u32);
        }
        column
    }

    /// The same from counts in any order, in which a code may occur more than once.
    pub fn adding_up<T: IntoIterator<Item = (u32, u32)>>(
        name: &str,
        codes: usize,
        tuples: impl IntoIterator<Item = T>,
    ) -> Carried {
        let mut column = Carried::new(name, codes, []);
        for counts in tuples {
            let counts = add_up(counts);
            assert!(
                counts.last().is_none_or(|&(last, _)| (last as usize) < codes),
                "codes are below {codes}"
            );
            column.counts.extend(counts);
            column.starts.push(column.counts.len() as u32);
        }
        column
    }

    /// A column from the code of each row of each tuple.
    pub fn from_codes(name: &str, tuples: &[Vec<u32>]) -> Carried {
        let codes = tuples.iter().flatten().max().map_or(0, |&code| code as usize + 1);
        Carried::adding_up(name, codes, tuples.iter().map(|rows| rows.iter().map(|&code| (code, 1))))
    }

    /// The same column where a code stands for a value of one person: `value_of` has the value of each code,
    /// ascending.
    ///
    /// # Panics
    /// If there is no value for each code, or values do not ascend.
    #[must_use]
    pub fn by_person(self, value_of: impl Into<Arc<[u32]>>) -> Carried {
        let value_of = value_of.into();
        assert_eq!(value_of.len(), self.codes, "a value for each code");
        assert!(value_of.is_sorted(), "values ascend");
        Carried { value_of: Some(value_of), ..self }
    }

    /// The same column where a value, if one is given, stands for a missing cell: a row, but no value that makes
    /// a class diverse.
    #[must_use]
    pub fn with_missing(self, missing: Option<u32>) -> Carried {
        Carried { missing, ..self }
    }

    /// The value that stands for a missing cell, if missing cells are no values.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// How many have each value, of counts that are listed by code, ascending: rows, or persons where these
    /// are counted.
    pub fn fold<'c>(&self, counts: Histogram<'c>) -> Cow<'c, [(u32, u32)]> {
        match (&self.value_of, counts) {
            (None, Histogram::Listed(counts)) => Cow::Borrowed(counts),
            (None, counts) => counts.iter().collect(),
            (Some(value_of), counts) => {
                let mut persons: Vec<(u32, u32)> = Vec::new();
                for value in counts.iter().map(|(code, _)| value_of[code as usize]) {
                    match persons.last_mut() {
                        Some((last, count)) if *last == value => *count += 1,
                        _ => persons.push((value, 1)),
                    }
                }
                persons.into()
            }
        }
    }

    /// Rows of the most frequent value, whether persons are counted or not; 0 if there are no rows.
    pub fn most_frequent(&self, counts: Histogram<'_>) -> u64 {
        let Some(value_of) = &self.value_of else {
            return counts.iter().map(|(_, rows)| u64::from(rows)).max().unwrap_or(0);
        };
        let (mut most, mut last, mut of_last) = (0, None, 0);
        for (code, rows) in counts.iter() {
            let value = Some(value_of[code as usize]);
            of_last = if last == value { of_last + u64::from(rows) } else { u64::from(rows) };
            (last, most) = (value, most.max(of_last));
        }
        most
    }

    /// How many have each value, given the rows of every code.
    pub(crate) fn fold_whole(&self, rows: Vec<u64>) -> Vec<u64> {
        let Some(value_of) = &self.value_of else { return rows };
        let mut persons = vec![0; self.values()];
        let occurring = value_of.iter().zip(&rows).filter(|(_, rows)| **rows > 0);
        occurring.for_each(|(&value, _)| persons[value as usize] += 1);
        persons
    }

    /// What the codes stand for, without the counts of any tuple.
    pub(crate) fn without_counts(&self) -> Carried {
        Carried {
            name: self.name.clone(),
            codes: self.codes,
            value_of: self.value_of.clone(),
            missing: self.missing,
            starts: vec![0],
            counts: Vec::new(),
        }
    }

    /// Whether persons are counted in place of rows.
    pub fn is_by_person(&self) -> bool {
        self.value_of.is_some()
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of codes.
    pub fn codes(&self) -> usize {
        self.codes
    }

    /// Number of values that codes stand for.
    pub fn values(&self) -> usize {
        let Some(value_of) = &self.value_of else { return self.codes };
        value_of.last().map_or(0, |&last| last as usize + 1)
    }

    /// The value that a code stands for.
    pub fn value(&self, code: u32) -> u32 {
        self.value_of.as_ref().map_or(code, |value_of| value_of[code as usize])
    }

    /// Number of tuples.
    pub fn tuples(&self) -> usize {
        self.starts.len() - 1
    }

    /// What the rows of a tuple have.
    pub fn histogram(&self, tuple: usize) -> Histogram<'_> {
        Histogram::Listed(self.listed(tuple))
    }

    /// Where the counts of each tuple begin, and all counts.
    pub(crate) fn parts(&self) -> (&[u32], &[(u32, u32)]) {
        (&self.starts, &self.counts)
    }

    /// The column of some of the tuples.
    pub(super) fn pick(&self, tuples: &[u32]) -> Carried {
        let counts = tuples.iter().map(|&tuple| self.listed(tuple as usize));
        self.with_counts_of(Carried::new(&self.name, self.codes, counts))
    }

    /// The same column with the counts of another.
    fn with_counts_of(&self, other: Carried) -> Carried {
        Carried { starts: other.starts, counts: other.counts, ..self.without_counts() }
    }

    /// The column of some rows of tuples; of each all, or some that have one value.
    pub(super) fn pick_rows(&self, kept: &[(u32, u32)]) -> Carried {
        let counts: Vec<Vec<(u32, u32)>> = kept
            .iter()
            .map(|&(tuple, rows)| match self.listed(tuple as usize) {
                &[(code, _)] => vec![(code, rows)],
                several => {
                    assert_eq!(self.histogram(tuple as usize).rows(), u64::from(rows), "rows have one value");
                    several.to_vec()
                }
            })
            .collect();
        self.with_counts_of(Carried::new(&self.name, self.codes, counts.iter().map(Vec::as_slice)))
    }

    /// The column of other tuples, each of which is one of these or has no rows.
    #[must_use]
    pub fn spread(&self, tuples: &[Option<u32>]) -> Carried {
        let counts = tuples.iter().map(|tuple| tuple.map_or(&[][..], |tuple| self.listed(tuple as usize)));
        self.with_counts_of(Carried::new(&self.name, self.codes, counts))
    }

    fn listed(&self, tuple: usize) -> &[(u32, u32)] {
        &self.counts[self.starts[tuple] as usize..self.starts[tuple + 1] as usize]
    }

    /// The column of tuples that each stand for several of this.
    pub(super) fn regroup(&self, groups: &[&[u32]]) -> Carried {
        let counts =
            groups.iter().map(|same| same.iter().flat_map(|&tuple| self.histogram(tuple as usize).iter()));
        self.with_counts_of(Carried::adding_up(&self.name, self.codes, counts))
    }
}

/// Sorted by code, one count each.
pub(crate) fn add_up(counts: impl IntoIterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(code, _)| code);
    counts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    counts
}

/// How many rows of a set have each value of a carried column.
#[derive(Clone, Copy, Debug)]
pub enum Histogram<'c> {
    /// Pairs of a code and its rows, codes ascending.
    Listed(&'c [(u32, u32)]),
    /// The rows of every code, in order; some may be 0.
    Placed(&'c [u32]),
}

impl<'c> Histogram<'c> {
    /// The codes that occur, ascending, and the rows of each.
    pub fn iter(self) -> impl Iterator<Item = (u32, u32)> + 'c {
        let (listed, placed) = match self {
            Histogram::Listed(counts) => (counts, &[][..]),
            Histogram::Placed(rows) => (&[][..], rows),
        };
        let placed = placed.iter().enumerate().map(|(code, &rows)| (code as u32, rows));
        listed.iter().copied().chain(placed).filter(|&(_, rows)| rows > 0)
    }

    /// Rows of a code.
    pub fn count(self, code: u32) -> u32 {
        match self {
            Histogram::Listed(counts) => {
                counts.binary_search_by_key(&code, |&(code, _)| code).map_or(0, |at| counts[at].1)
            }
            Histogram::Placed(rows) => rows.get(code as usize).copied().unwrap_or(0),
        }
    }

    /// Number of codes that occur.
    pub fn distinct(self) -> usize {
        self.iter().count()
    }

    /// Rows of all codes.
    pub fn rows(self) -> u64 {
        self.iter().map(|(_, rows)| u64::from(rows)).sum()
    }
}
