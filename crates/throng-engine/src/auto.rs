//! Hierarchies from nothing but the data: what a column's values are, how often they occur, and
//! what they occur together with.

use throng::table::Carried;
use throng::taxonomy::{Auto, CoOccurrence, Notation, Shape, Taxonomy, TaxonomyError};

use crate::dictionary::Dictionary;
use crate::encode::{Encoded, rows_by_code};
use crate::profile::{ColumnKind, DateFormat, Spellings, find_free_text, is_personal};

/// Bins into which the values of a column go when others are compared by it.
const BINS: usize = 16;

/// Tuples that are looked at for co-occurrence; of more, every second, third, … is.
const MAX_TUPLES: usize = 1 << 17;

/// Values beyond which categories are grouped by frequency and text alone: each has few rows, and
/// their profiles would take much memory and say little.
const MAX_PROFILES: usize = 1 << 14;

/// What a column of this kind is to the builder.
pub(crate) fn shape_of(kind: ColumnKind) -> Shape {
    let text = |format: DateFormat| format.strptime().map(str::to_owned);
    match kind {
        ColumnKind::Integer | ColumnKind::Decimal | ColumnKind::DecimalComma => Shape::Numbers,
        ColumnKind::Date(format) => Shape::Dates { formats: vec![text(format)] },
        ColumnKind::Mixed => {
            let mut formats: Vec<Option<String>> = DateFormat::ALL.map(text).to_vec();
            // Days and times are read alike.
            formats.dedup();
            Shape::Mixed { formats }
        }
        // Times begin with the hour, as codes begin with what matters most.
        ColumnKind::Characters | ColumnKind::Time => Shape::Characters,
        _ => Shape::Categories,
    }
}

/// What the values of a column are.
pub(crate) fn infer_kind<'a>(name: &str, values: impl Iterator<Item = (&'a str, u64)>) -> ColumnKind {
    infer(name, values).0
}

/// What the values of a column are, and whether they are those of people, by their look or their name, or text that
/// people typed.
fn infer<'a>(name: &str, values: impl Iterator<Item = (&'a str, u64)>) -> (ColumnKind, bool) {
    let mut spellings = Spellings::default();
    let (mut distinct, mut unique_rows) = (0, 0);
    for (value, rows) in values {
        spellings.add(value, rows);
        distinct += u64::from(!value.is_empty());
        unique_rows += u64::from(!value.is_empty() && rows == 1);
    }
    let kind = spellings.infer(name, distinct).kind;
    let facts = spellings.facts(name, kind, distinct, unique_rows);
    (kind, is_personal(&facts) || find_free_text(&facts).is_some())
}

/// What the values of a column are to who builds a hierarchy over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Nature {
    kind: ColumnKind,
    /// Whether they are those of people, or typed by people: no label may show one.
    pub(crate) is_personal: bool,
    /// How numbers among them are spelled.
    pub(crate) notation: Notation,
    /// Whether they may be spelled in two ways, and nothing tells.
    is_ambiguous: bool,
}

impl Nature {
    /// That of values, given the rows of each; without a notation, they tell.
    pub(crate) fn infer<S: AsRef<str>>(
        name: &str,
        values: &[S],
        rows: &[u64],
        said: Option<Notation>,
    ) -> Nature {
        let (kind, is_personal) = infer(name, values.iter().map(AsRef::as_ref).zip(rows.iter().copied()));
        let found = said.map_or_else(
            || match kind {
                // `22,3` and `unknown`: the word does not hide how the numbers are spelled.
                ColumnKind::Mixed => Notation::among(values).or(Ok(Notation::Plain)),
                _ => Notation::infer(values),
            },
            Ok,
        );
        let notation = found.unwrap_or_default();
        let is_spelled_so = notation != Notation::Plain && notation.all_are_numbers(values);
        let kind = if is_spelled_so { ColumnKind::Decimal } else { kind };
        Nature { kind, is_personal, notation, is_ambiguous: found.is_err() }
    }

    /// How numbers were found to be spelled, if that could be told.
    pub(crate) fn found(&self) -> Option<Notation> {
        (!self.is_ambiguous).then_some(self.notation)
    }

    /// A builder for values of this nature, of which each occurs in so many rows.
    pub(crate) fn auto<'a>(&self, rows: &'a [u64], max_levels: usize) -> Auto<'a> {
        // Beginnings of numbers of people say much, too: some hold a birth date.
        let auto = match self.is_personal {
            true => Auto::new(Shape::Categories, rows).with_numbered_groups(),
            false => Auto::new(shape_of(self.kind), rows).with_notation(self.notation),
        };
        auto.with_max_levels(max_levels)
    }
}

/// How many must have a value before a label may show it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Crowd<'a> {
    /// The least number.
    pub(crate) least: u64,
    /// The person of each row, if persons are counted.
    pub(crate) persons: Option<&'a Carried>,
}

impl Crowd<'_> {
    /// Whether too few have each value, given the value of each tuple and the rows of each value.
    fn rare(&self, codes: &[u32], rows: &[u64]) -> Vec<bool> {
        let Some(persons) = self.persons else {
            return rows.iter().map(|&rows| rows < self.least).collect();
        };
        let of_tuple = |(tuple, &code): (usize, &u32)| {
            persons.histogram(tuple).iter().map(move |(person, _)| (code, person))
        };
        let mut pairs: Vec<(u32, u32)> = codes.iter().enumerate().flat_map(of_tuple).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts = vec![0_u64; rows.len()];
        pairs.iter().for_each(|&(code, _)| counts[code as usize] += 1);
        counts.iter().map(|&persons| persons < self.least).collect()
    }
}

/// Builds hierarchies for the columns of an encoded table.
pub(crate) struct Builder<'a> {
    encoded: &'a Encoded,
    /// How many have each tuple.
    weights: &'a [u32],
    natures: Vec<Nature>,
    /// Rows of each value of each column.
    rows: Vec<Vec<u64>>,
    /// Whether each value of each column is in no label, because too few have it.
    rare: Vec<Vec<bool>>,
    /// The bin of each value of each column.
    bins: Vec<Vec<u32>>,
}

impl<'a> Builder<'a> {
    /// A builder for a table whose columns have these names, where so many have each tuple. No label shows a value that
    /// fewer than `crowd` have.
    pub(crate) fn new(
        encoded: &'a Encoded,
        weights: &'a [u32],
        names: &[&str],
        crowd: &Crowd<'_>,
    ) -> Builder<'a> {
        let rows = rows_of_values(encoded, weights);
        let columns = encoded.dictionaries.iter().zip(&rows).zip(names);
        let natures = columns.map(|((values, rows), name)| {
            Nature::infer(name, &values.values().collect::<Vec<_>>(), rows, None)
        });
        let natures = natures.collect();
        Builder::of_natures(encoded, weights, natures, rows, crowd)
    }

    /// The same, where it is known already what the values are and how many rows have each.
    pub(super) fn of_natures(
        encoded: &'a Encoded,
        weights: &'a [u32],
        natures: Vec<Nature>,
        rows: Vec<Vec<u64>>,
        crowd: &Crowd<'_>,
    ) -> Builder<'a> {
        let rare = encoded.columns.iter().zip(&rows).map(|(codes, rows)| crowd.rare(codes, rows)).collect();
        let mut builder = Builder { encoded, weights, natures, rows, rare, bins: Vec::new() };
        builder.bins = (0..builder.rows.len()).map(|at| builder.bin(at)).collect();
        builder
    }

    /// The hierarchy of a column, with at most so many levels between its values and `*`.
    ///
    /// # Errors
    /// None that a table can cause: every column has a hierarchy.
    pub(crate) fn build(&self, at: usize, max_levels: usize) -> Result<Taxonomy, TaxonomyError> {
        let values: Vec<&str> = self.encoded.dictionaries[at].values().collect();
        self.build_over(at, &values, max_levels)
    }

    /// The same over labels of the values, by their codes.
    pub(super) fn build_over<S: AsRef<str>>(
        &self,
        at: usize,
        labels: &[S],
        max_levels: usize,
    ) -> Result<Taxonomy, TaxonomyError> {
        let auto = self.natures[at].auto(&self.rows[at], max_levels).with_rare(&self.rare[at]);
        if labels.len() > MAX_PROFILES {
            return auto.build(labels);
        }
        let pairs = self.co_occurrence(at);
        auto.with_co_occurrence(&pairs).build(labels)
    }

    fn co_occurrence(&self, at: usize) -> CoOccurrence {
        let mut pairs = CoOccurrence::new(self.encoded.dictionaries[at].len());
        let (columns, weights) = (&self.encoded.columns, self.weights);
        let step = weights.len().div_ceil(MAX_TUPLES).max(1);
        for other in (0..columns.len()).filter(|&other| other != at) {
            let bins = &self.bins[other];
            let tuples = (0..weights.len()).step_by(step);
            let pair = |tuple: usize| {
                let bin = bins[columns[other][tuple] as usize];
                (columns[at][tuple] as usize, bin as usize, u64::from(weights[tuple]))
            };
            pairs.add_column(BINS, tuples.map(pair));
        }
        pairs
    }

    /// A few bins for the values of a column: ranges of numbers and dates, beginnings of codes;
    /// else the most frequent values by themselves, and all others together.
    fn bin(&self, at: usize) -> Vec<u32> {
        let dictionary = &self.encoded.dictionaries[at];
        if dictionary.len() <= BINS {
            return (0..dictionary.len() as u32).collect();
        }
        let shape = shape_of(self.natures[at].kind);
        let ordered =
            if shape == Shape::Categories { None } else { self.bin_by_order(dictionary, at, shape) };
        ordered.unwrap_or_else(|| bin_by_frequency(&self.rows[at]))
    }

    fn bin_by_order(&self, dictionary: &Dictionary, at: usize, shape: Shape) -> Option<Vec<u32>> {
        let values: Vec<&str> = dictionary.values().collect();
        let auto = Auto::new(shape, &self.rows[at]).with_notation(self.natures[at].notation);
        let taxonomy = auto.build(&values).ok()?;
        let level = (1..taxonomy.height()).find(|&level| taxonomy.level_size(level) <= BINS)?;
        let mut ids = taxonomy.level_values(level).to_vec();
        ids.sort_unstable();
        ids.dedup();
        let mut bins = vec![0; values.len()];
        for (leaf, id) in taxonomy.level_values(level).iter().enumerate() {
            let code = dictionary.code(taxonomy.label(leaf as u32))?;
            bins[code as usize] = ids.binary_search(id).ok()? as u32;
        }
        Some(bins)
    }
}

/// The rows of each value of each column.
pub(super) fn rows_of_values(encoded: &Encoded, weights: &[u32]) -> Vec<Vec<u64>> {
    let columns = encoded.dictionaries.iter().zip(&encoded.columns);
    columns.map(|(values, codes)| rows_by_code(values.len(), codes, weights)).collect()
}

fn bin_by_frequency(rows: &[u64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&code| (std::cmp::Reverse(rows[code]), code));
    let mut bins = vec![BINS as u32 - 1; rows.len()];
    order.iter().take(BINS - 1).zip(0..).for_each(|(&code, bin)| bins[code] = bin);
    bins
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::source::Source;
    use crate::progress::Quiet;

    fn encode(text: &str, columns: &[usize]) -> Encoded {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.csv");
        std::fs::write(&path, text).unwrap();
        let source = Source::open(&path, &Default::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(crate::encode::encode(&source, columns, &Quiet)).unwrap()
    }

    const ANY_CROWD: Crowd<'_> = Crowd { least: 1, persons: None };

    fn leaves_and_labels(taxonomy: &Taxonomy, level: usize) -> Vec<(&str, &str)> {
        let rows = taxonomy.to_rows().into_iter();
        rows.map(|row| (row[0], row[level])).collect()
    }

    #[test]
    fn categories_are_merged_by_what_they_occur_with() {
        let mut text = String::from("job,place\n");
        for (job, place, rows) in [
            ("nurse", "ward", 30),
            ("clerk", "office", 28),
            ("doctor", "ward", 25),
            ("typist", "office", 20),
            ("surgeon", "ward", 9),
        ] {
            text.extend((0..rows).map(|_| format!("{job},{place}\n")));
        }
        let encoded = encode(&text, &[0, 1]);
        let taxonomy =
            Builder::new(&encoded, &encoded.weights, &["job", "place"], &ANY_CROWD).build(0, 5).unwrap();
        let pairs = leaves_and_labels(&taxonomy, 1);
        assert!(pairs.contains(&("typist", "{clerk, typist}")), "{pairs:?}");
        assert!(pairs.contains(&("surgeon", "{nurse, doctor, surgeon}")), "{pairs:?}");
    }

    /// Ten rows of one patient are one person: who is counted decides what a label shows.
    #[test]
    fn labels_show_what_enough_rows_or_persons_have() {
        let mut text = String::from("job,patient\n");
        let jobs =
            [("nurse", 40, 40), ("clerk", 30, 30), ("hangman", 10, 1), ("astronaut", 9, 1), ("poet", 2, 2)];
        for (job, rows, persons) in jobs {
            text.extend((0..rows).map(|row| format!("{job},{job}{}\n", row % persons)));
        }
        let labels = |crowd: &Crowd<'_>, encoded: &Encoded| {
            let taxonomy = Builder::new(encoded, &encoded.weights, &["job"], crowd).build(0, 5).unwrap();
            let above = &taxonomy.values()[taxonomy.leaf_total()..];
            above.iter().map(|value| value.label.clone()).collect::<Vec<_>>().join("; ")
        };
        let rows = encode(&text, &[0]);
        let all = labels(&ANY_CROWD, &rows);
        assert!(all.contains("hangman") || all.contains("astronaut"), "{all}");
        let enough = labels(&Crowd { least: 5, persons: None }, &rows);
        assert!(!enough.contains("poet"), "{enough}");
        let (tuples, beside) =
            crate::prepare::carried::carry(encode(&text, &[0, 1]), 1, &[], Some("patient"));
        let by_persons = labels(&Crowd { least: 5, persons: beside.persons.as_ref() }, &tuples);
        for rare in ["hangman", "astronaut", "poet"] {
            assert!(!by_persons.contains(rare), "{by_persons}");
        }
    }

    #[test]
    fn kinds_decide_the_levels() {
        let mut text = String::from("born,zip,age\n");
        for row in 0..200 {
            let (year, month, zip, age) = (1950 + row % 50, 1 + row % 12, row % 90, 20 + row % 60);
            text.push_str(&format!("{:02}.{month:02}.{year},0{zip:04},{age}\n", 1 + row % 28));
        }
        let encoded = encode(&text, &[0, 1, 2]);
        let builder = Builder::new(&encoded, &encoded.weights, &["born", "zip", "age"], &ANY_CROWD);
        let top = |at: usize| {
            let taxonomy = builder.build(at, 5).unwrap();
            taxonomy.label(taxonomy.generalise(0, taxonomy.height() - 1)).to_owned()
        };
        assert_eq!(top(0), "1950s");
        assert_eq!(top(1), "0000*", "leading zeros stay");
        assert!(top(2).starts_with('<'), "{}", top(2));
    }

    #[test]
    fn groups_of_people_have_numbers() {
        let names =
            ["Koch, Greta", "Nowak, Jan", "Rossi, Maria", "Weber, Anna", "Dupont, Paul", "Costa, Ana"];
        let mut text = String::from("who;ref;place\n");
        for row in 0..120 {
            text.push_str(&format!("{};PX{:03};{}\n", names[row * row % 6], row % 40, row % 3));
        }
        let encoded = encode(&text, &[0, 1, 2]);
        for named in ["who", "doctor_name"] {
            let builder =
                Builder::new(&encoded, &encoded.weights, &[named, "patient_no", "place"], &ANY_CROWD);
            for at in 0..2 {
                let taxonomy = builder.build(at, 5).unwrap();
                let labels = &taxonomy.values()[taxonomy.leaf_total()..];
                assert!(labels.len() > 1, "there are groups");
                assert!(
                    labels.iter().all(|value| value.label == "*" || value.label.starts_with("group ")),
                    "{labels:?}"
                );
            }
        }
    }

    #[test]
    fn the_frequent_have_bins_of_their_own() {
        let mut rows = vec![1; 100];
        rows[40] = 9;
        let bins = bin_by_frequency(&rows);
        assert_eq!((bins[40], bins[0], bins[99]), (0, 1, 15));
    }
}
