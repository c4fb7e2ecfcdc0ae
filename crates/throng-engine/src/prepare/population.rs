//! The population that the table is a sample of: read beside it, and joined with it tuple by tuple.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use futures::StreamExt;
use rustc_hash::FxHashMap;
use throng::taxonomy::Coding;
use throng::wording::{quoted, quoted_list};

use super::CarriedColumns;
use crate::address::Address;
use crate::dictionary::Dictionary;
use crate::encode::{Encoded, encode};
use crate::error::{EngineError, Result};
use crate::input::dialect::DialectOverrides;
use crate::input::source::Source;
use crate::job::Require;
use crate::progress::Progress;
use throng_tables::tables::Tables;

/// The table of a population that was looked into but not read.
pub(super) struct PopulationFile {
    source: Source,
    /// Where the quasi-identifiers of the table are in it.
    columns: Vec<usize>,
}

/// What is known of a population beside a table: its part of each tuple.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    path: PathBuf,
    /// How many of it have each tuple.
    pub(crate) counts: Vec<u32>,
    /// For each quasi-identifier the codes of the values that only it has, ascending.
    foreign: Vec<Vec<u32>>,
}

impl Population {
    /// Its file, and which values of a quasi-identifier only it has.
    pub(super) fn foreign(&self, attribute: usize) -> (&Path, &[u32]) {
        (&self.path, &self.foreign[attribute])
    }
}

impl PopulationFile {
    /// The population that requirements look at, if one does.
    ///
    /// # Errors
    /// If requirements name different files, or the file lacks a quasi-identifier.
    pub(super) fn open(
        required: &[Require],
        quasi: &[&str],
        tables: &Tables,
    ) -> Result<Option<PopulationFile>> {
        let mut named = required.iter().filter_map(|one| one.population().map(|path| (one, path)));
        let Some((first, path)) = named.next() else { return Ok(None) };
        if let Some((other, another)) = named.find(|(_, another)| !is_same(&path, another)) {
            return Err(EngineError::bad((
                format!(
                    "the requirements {} and {} name two populations, {} and {}",
                    quoted(&first.model),
                    quoted(&other.model),
                    path.display(),
                    another.display()
                ),
                "a table is a sample of only one",
            )));
        }
        let source = tables.open(&path, &DialectOverrides::default())?;
        let place = |name: &&str| source.columns().iter().position(|column| column == name);
        let lacking: Vec<&str> = quasi.iter().copied().filter(|name| place(name).is_none()).collect();
        if !lacking.is_empty() {
            // Only names that were asked for: a first row that was taken for a header may be data.
            let problem = (
                format!("the population has no column {}", quoted_list(&lacking)),
                format!("it must have all quasi-identifiers: {}", quoted_list(quasi)),
            );
            return Err(source.bad(problem).about_columns(lacking));
        }
        let columns = quasi.iter().filter_map(place).collect();
        Ok(Some(PopulationFile { source, columns }))
    }

    /// Reads the population, and gives the tuples of both: those of the population alone have no rows.
    /// `quasi` are the columns of the table, which is `source`.
    ///
    /// # Errors
    /// Bad input, or rows of the table that are not in the population.
    pub(super) async fn join(
        self,
        source: &Source,
        quasi: &[usize],
        codings: &[Option<Coding>],
        table: Encoded,
        beside: CarriedColumns,
        progress: &dyn Progress,
    ) -> Result<(Encoded, CarriedColumns)> {
        progress.phase("population");
        let everybody = encode(&self.source, &self.columns, progress).await?.with_codings(codings);
        let united = tokio::task::block_in_place(|| United::new(&table, &everybody));
        let short = united.find_short(&table, &beside);
        if !short.is_empty() {
            let row = find_row(source, quasi, &table, &short).await?;
            return Err(self.lacks(source, row, &short, beside.persons.is_some()));
        }
        let path = self.source.path().to_owned();
        Ok(united.finish(&table, beside, path))
    }

    fn lacks(&self, source: &Source, row: u64, short: &[Short], persons: bool) -> EngineError {
        let lacking: u64 = short.iter().map(|short| u64::from(short.lacking)).sum();
        let what = match (persons, lacking) {
            (false, 1) => "row",
            (false, _) => "rows",
            (true, 1) => "person",
            (true, _) => "persons",
        };
        let problem = (
            format!(
                "this is not in the population {}, which lacks {lacking} {what} of the table",
                self.source.path().display()
            ),
            "it must contain everybody who is in the table, with the same quasi-identifiers",
        );
        source.bad_at(row, problem)
    }
}

/// Whether two paths lead to one file.
fn is_same(one: &Address, other: &Address) -> bool {
    let canonical = |path: &Path| std::fs::canonicalize(path).ok();
    let are_files = [one, other].iter().all(|address| matches!(address, Address::Files(_)));
    one == other || are_files && (canonical(one).is_some() && canonical(one) == canonical(other))
}

/// The tuples of a table and of its population.
struct United {
    dictionaries: Vec<Dictionary>,
    foreign: Vec<Vec<u32>>,
    columns: Vec<Vec<u32>>,
    /// The place of each tuple in the table, if it is there.
    places: Vec<Option<u32>>,
    /// How many of the population have it.
    counts: Vec<u32>,
}

/// A tuple of which the table has more than the population.
struct Short {
    tuple: usize,
    count: u32,
    lacking: u32,
}

impl United {
    fn new(table: &Encoded, everybody: &Encoded) -> United {
        let (mut dictionaries, mut foreign) = (Vec::new(), Vec::new());
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for (a, (own, other)) in table.dictionaries.iter().zip(&everybody.dictionaries).enumerate() {
            let (all, [of_own, of_other]) = own.united(other);
            ours.push(recode(&table.columns[a], &of_own));
            theirs.push(recode(&everybody.columns[a], &of_other));
            // New codes ascend as the old ones do.
            let is_known = |code: &u32| of_own.binary_search(code).is_ok();
            foreign.push((0..all.len() as u32).filter(|code| !is_known(code)).collect());
            dictionaries.push(all);
        }
        // Both are sorted, and so are they by the new codes.
        let (mut columns, mut places, mut counts) = (vec![Vec::new(); ours.len()], Vec::new(), Vec::new());
        let (mut own, mut other) = (0, 0);
        while own < table.weights.len() || other < everybody.weights.len() {
            let order = match (own < table.weights.len(), other < everybody.weights.len()) {
                (true, true) => compare(&ours, own, &theirs, other),
                (true, false) => Ordering::Less,
                (false, _) => Ordering::Greater,
            };
            let (from, at) = if order == Ordering::Greater { (&theirs, other) } else { (&ours, own) };
            columns.iter_mut().zip(from).for_each(|(column, codes)| column.push(codes[at]));
            places.push((order != Ordering::Greater).then_some(own as u32));
            counts.push(if order == Ordering::Less { 0 } else { everybody.weights[other] });
            own += usize::from(order != Ordering::Greater);
            other += usize::from(order != Ordering::Less);
        }
        United { dictionaries, foreign, columns, places, counts }
    }

    /// The tuples of which the table has more rows, or persons where these are counted, than the population
    /// has people.
    fn find_short(&self, table: &Encoded, beside: &CarriedColumns) -> Vec<Short> {
        let members = |tuple: usize| match &beside.persons {
            Some(persons) => persons.histogram(tuple).iter().count() as u32,
            None => table.weights[tuple],
        };
        let known =
            self.places.iter().zip(&self.counts).filter_map(|(place, &count)| Some(((*place)?, count)));
        let short = known.filter_map(|(place, count)| {
            let tuple = place as usize;
            let lacking = members(tuple).saturating_sub(count);
            (lacking > 0).then_some(Short { tuple, count, lacking })
        });
        short.collect()
    }

    fn finish(self, table: &Encoded, beside: CarriedColumns, path: PathBuf) -> (Encoded, CarriedColumns) {
        let rows = |place: &Option<u32>| place.map_or(0, |tuple| table.weights[tuple as usize]);
        let encoded = Encoded {
            dictionaries: self.dictionaries,
            columns: self.columns,
            weights: self.places.iter().map(rows).collect(),
            rows: table.rows,
        };
        let population = Population { path, counts: self.counts, foreign: self.foreign };
        (encoded, beside.spread(&self.places, population))
    }
}

fn recode(codes: &[u32], new: &[u32]) -> Vec<u32> {
    codes.iter().map(|&code| new[code as usize]).collect()
}

/// The order of two tuples.
fn compare(ours: &[Vec<u32>], own: usize, theirs: &[Vec<u32>], other: usize) -> Ordering {
    let code = ours.iter().map(|column| column[own]);
    code.cmp(theirs.iter().map(|column| column[other]))
}

/// The first row of the table that goes beyond what the population has of its tuple.
async fn find_row(source: &Source, quasi: &[usize], table: &Encoded, short: &[Short]) -> Result<u64> {
    let key = |tuple: usize| table.columns.iter().map(|column| column[tuple]).collect::<Vec<u32>>();
    let mut left: FxHashMap<Vec<u32>, u32> =
        short.iter().map(|short| (key(short.tuple), short.count)).collect();
    let mut batches = source.scan(quasi).await?;
    let mut before = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        let columns = table.dictionaries.iter().zip(batch.columns());
        let columns =
            columns.map(|(dictionary, array)| dictionary.encode_array(array)).collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            let tuple: Vec<u32> = columns.iter().map(|codes| codes[row]).collect();
            match left.get_mut(&tuple) {
                Some(0) => return Ok(before + row as u64 + 1),
                Some(left) => *left -= 1,
                None => {}
            }
        }
        before += batch.num_rows() as u64;
    }
    Err(source.bad("the file changed while it was being read"))
}
