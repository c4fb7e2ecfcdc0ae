//! What columns show that are released as they are: one bounded look, before anything is searched for.
//!
//! Up to a million rows from all over the table are looked at; of a smaller table, all. Names of columns and counts leave
//! this module, never a value.

mod extremes;
mod open;
mod order;

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use arrow::datatypes::{FieldRef, Schema};
use rayon::prelude::*;

use super::column::ColumnCounts;
use super::free_text::{FreeText, find_free_text, mentions_somebody};
use super::looks::ColumnLook;
use super::role::is_personal;
use super::sample::DistinctSample;
use crate::dictionary::{as_text, is_textual, try_each};
use crate::encode::Observer;
use crate::error::Result;
use crate::input::source::{BATCH_ROWS, Source};
use crate::progress::Progress;
use extremes::NumberExtremes;
use open::Cells;
use order::RowSteps;

/// Rows that are looked at.
const MOST_ROWS: u64 = 1 << 20;
/// Values of a column of which counts are exact.
const MAX_VALUES: usize = 1 << 16;

/// What a look at kept columns found.
pub struct KeptLook {
    /// Rows that were looked at.
    pub rows: u64,
    /// The columns that could be read as text, and what others hold.
    pub columns: Vec<KeptColumn>,
    /// Rows that no other agrees with in all kept columns, those left aside that tell nearly every row by themselves;
    /// and how many columns these are.
    pub unique_together: (u64, usize),
    /// Positions of the columns by which the rows are sorted.
    pub sorted: Vec<usize>,
}

/// A column that is released as it is, or a field in one.
pub struct KeptColumn {
    /// The position of the column in the table.
    pub at: usize,
    /// What it is called: by the name of the column, and of the field in it (`contact.phone`).
    pub name: String,
    /// What its values look like, if that is people.
    pub look: Option<ColumnLook>,
    /// Whether its values are those of people, by their look or by its name.
    pub is_personal: bool,
    /// Whether people typed it.
    pub text: Option<FreeText>,
    /// Rows with a value.
    pub known_rows: u64,
    /// Its values.
    pub distinct: u64,
    /// Rows with a value that no other row has.
    pub unique_rows: u64,
    /// Rows with its least number, and with its greatest.
    pub extreme_rows: Option<(u64, u64)>,
}

impl KeptColumn {
    /// Whether nearly every row has a value of its own.
    pub fn is_nearly_unique(&self) -> bool {
        10 * self.unique_rows >= 9 * self.known_rows
    }
}

/// Looks at the columns `kept`; whether rows are sorted by it is watched of the columns `ordered`.
///
/// # Errors
/// If the table cannot be opened, or the run was cancelled. A row that cannot be read ends the look: whoever reads it
/// next says what is wrong with it.
pub async fn look_at_kept(
    source: &Source,
    kept: &[usize],
    ordered: &[usize],
    progress: &dyn Progress,
) -> Result<KeptLook> {
    let watch = KeptWatch::of(source, kept, ordered);
    watch.observer().read(source, progress).await?;
    Ok(watch.finish())
}

/// A look at kept columns, while others read them.
pub(crate) struct KeptWatch {
    columns: Vec<usize>,
    watch: Arc<Mutex<WatchedColumns>>,
}

impl KeptWatch {
    /// As [`look_at_kept`] has them.
    pub(crate) fn of(source: &Source, kept: &[usize], ordered: &[usize]) -> KeptWatch {
        let schema = source.schema();
        let is_text = |at: &&usize| is_textual(schema.field(**at).data_type());
        let ordered: Vec<usize> = ordered.iter().filter(is_text).copied().collect();
        let mut columns: Vec<usize> = kept.iter().chain(&ordered).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let watch = Arc::new(Mutex::new(WatchedColumns::new(&schema, &columns, kept, &ordered)));
        KeptWatch { columns, watch }
    }

    /// Who looks.
    pub(crate) fn observer(&self) -> Observer {
        let watch = Arc::clone(&self.watch);
        Observer::of_sample(self.columns.clone(), MOST_ROWS, move |columns| {
            watch.lock().unwrap_or_else(PoisonError::into_inner).take(columns);
        })
    }

    /// What was found.
    pub(crate) fn finish(&self) -> KeptLook {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).finish()
    }
}

/// Cells of columns that mention somebody; every row is looked at.
pub(crate) struct Mentions {
    columns: Vec<usize>,
    fields: Vec<FieldRef>,
    counts: Arc<Mutex<Vec<u64>>>,
}

impl Mentions {
    pub(crate) fn of(source: &Source, columns: Vec<usize>) -> Mentions {
        let fields = columns.iter().map(|&at| Arc::clone(&source.schema().fields()[at])).collect();
        let counts = Arc::new(Mutex::new(vec![0; columns.len()]));
        Mentions { columns, fields, counts }
    }

    /// Who counts them.
    pub(crate) fn observer(&self) -> Observer {
        let (fields, counts) = (self.fields.clone(), Arc::clone(&self.counts));
        let count = |(field, cells): (&FieldRef, &ArrayRef)| -> u64 {
            open::open(field, cells).iter().map(|cells| count_in(&cells.cells)).sum()
        };
        Observer::of_all_rows(self.columns.clone(), move |columns| {
            let found: Vec<u64> = fields.par_iter().zip(columns).map(count).collect();
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        })
    }

    /// The columns, and how many cells of each mention somebody.
    pub(crate) fn counted(&self) -> Vec<(usize, u64)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        self.columns.iter().copied().zip(counts.iter().copied()).collect()
    }
}

fn count_in(cells: &ArrayRef) -> u64 {
    let Some(text) = as_text(cells) else { return 0 };
    let mut count = 0;
    let each = try_each(&text, |cell| {
        count += u64::from(std::str::from_utf8(cell).is_ok_and(mentions_somebody));
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(()) = each;
    count
}

/// All that is watched during the look.
struct WatchedColumns {
    /// The fields of the columns that are read.
    fields: Vec<FieldRef>,
    /// All that these hold, in their order.
    watched: Vec<Watched>,
    /// The watched columns that are counted together; nothing before the first rows.
    together: Option<Vec<usize>>,
    sample: DistinctSample,
    rows: u64,
    /// The first rows, until they are as many as a batch may have.
    first: First,
}

/// What is watched of a column, or of a field in one.
struct Watched {
    at: usize,
    name: String,
    /// Whether each row has one.
    is_by_row: bool,
    /// Nothing of columns that are not kept, and of those that turned out to be no text.
    column: Option<(ColumnCounts, NumberExtremes)>,
    order: Option<RowSteps>,
}

impl WatchedColumns {
    fn new(schema: &Schema, all: &[usize], kept: &[usize], ordered: &[usize]) -> WatchedColumns {
        let mut watched: Vec<Watched> = Vec::new();
        for &at in all {
            for (name, is_by_row) in open::names(schema.field(at)) {
                let number = watched.len();
                let column = kept.contains(&at);
                watched.push(Watched {
                    at,
                    name,
                    is_by_row,
                    column: column
                        .then(|| (ColumnCounts::new(number, MAX_VALUES), NumberExtremes::default())),
                    order: ordered.contains(&at).then(RowSteps::default),
                });
            }
        }
        let fields = all.iter().map(|&at| Arc::clone(&schema.fields()[at])).collect();
        WatchedColumns {
            fields,
            watched,
            together: None,
            sample: DistinctSample::new(MAX_VALUES),
            rows: 0,
            first: First::default(),
        }
    }

    /// Takes up the next rows.
    fn take(&mut self, columns: &[ArrayRef]) {
        if self.first.is_over {
            self.add(columns);
        } else if self.first.join(columns) {
            self.add_first();
        }
    }

    fn add_first(&mut self) {
        for batch in self.first.end() {
            self.add(&batch);
        }
    }

    fn add(&mut self, columns: &[ArrayRef]) {
        let rows = columns[0].len();
        let columns = self.fields.par_iter().zip(columns);
        let opened: Vec<Vec<Cells>> = columns.map(|(field, cells)| open::open(field, cells)).collect();
        let opened: Vec<Cells> = opened.into_iter().flatten().collect();
        self.watched.par_iter_mut().zip(&opened).for_each(|(watched, cells)| watched.add(&cells.cells));
        let watched = &self.watched;
        // What tells nearly every row by itself would hide what the others do together.
        let is_open = |&at: &usize| {
            let column = watched[at].column.as_ref().filter(|_| watched[at].is_by_row);
            column.is_some_and(|(column, _)| !is_telling(column))
        };
        let together = self.together.get_or_insert_with(|| (0..watched.len()).filter(is_open).collect());
        together.retain(|&at| watched[at].column.is_some());
        if together.len() > 1 {
            for row in 0..rows {
                let keys = together.iter().filter_map(|&at| watched[at].column.as_ref());
                let key = keys.fold(0_u64, |sum, (column, _)| sum.wrapping_add(column.key(row)));
                self.sample.meet(key, || 0);
            }
        }
        self.rows += rows as u64;
        self.watched
            .iter_mut()
            .filter_map(|watched| watched.column.as_mut())
            .for_each(|(column, _)| column.clear_rows());
    }

    fn finish(&mut self) -> KeptLook {
        self.add_first();
        let columns = self.watched.iter().filter_map(Watched::describe).collect();
        let sorted =
            self.watched.iter().filter(|watched| watched.order.as_ref().is_some_and(RowSteps::is_sorted));
        let together = self.together.as_ref().map_or(0, Vec::len);
        let unique = if together > 1 { self.sample.count(self.rows).1.value } else { 0 };
        KeptLook {
            rows: self.rows,
            columns,
            unique_together: (unique, together),
            sorted: sorted.map(|watched| watched.at).collect(),
        }
    }
}

/// Bytes of the first rows after which no more are waited for.
const FIRST_BYTES: usize = 16 << 20;

/// The first rows of a table as one batch, however they come: they decide which columns are counted together.
#[derive(Default)]
struct First {
    batches: Vec<Vec<ArrayRef>>,
    rows: usize,
    bytes: usize,
    is_over: bool,
}

impl First {
    /// Takes up rows; says whether they are enough.
    fn join(&mut self, columns: &[ArrayRef]) -> bool {
        self.rows += columns[0].len();
        let bytes = |cells: &ArrayRef| cells.to_data().get_slice_memory_size().unwrap_or(0);
        self.bytes += columns.iter().map(bytes).sum::<usize>();
        self.batches.push(columns.to_vec());
        self.rows >= BATCH_ROWS || self.bytes >= FIRST_BYTES
    }

    /// The first rows, and those that came with them.
    fn end(&mut self) -> Vec<Vec<ArrayRef>> {
        self.is_over = true;
        let (batches, rows) = (std::mem::take(&mut self.batches), self.rows);
        // There may be none: they were handed over before, or there was no row.
        if batches.is_empty() || batches.len() == 1 && rows <= BATCH_ROWS {
            return batches;
        }
        let column = |at: usize| {
            let cells: Vec<&dyn Array> = batches.iter().map(|batch| batch[at].as_ref()).collect();
            concat(&cells).expect("cells of one column")
        };
        let joined: Vec<ArrayRef> = (0..batches[0].len()).map(column).collect();
        let first = rows.min(BATCH_ROWS);
        let part = |start: usize, rows: usize| joined.iter().map(|cells| cells.slice(start, rows)).collect();
        let parts = [part(0, first), part(first, rows - first)];
        parts.into_iter().take(if first < rows { 2 } else { 1 }).collect()
    }
}

/// Whether nearly every row so far has a value of its own.
fn is_telling(column: &ColumnCounts) -> bool {
    10 * column.counts().1.value >= 9 * column.spellings().known().max(1)
}

impl Watched {
    fn add(&mut self, cells: &ArrayRef) {
        if let Some((column, extremes)) = &mut self.column {
            extremes.add(cells);
            if column.add(cells).is_err() {
                self.column = None;
            }
        }
        if let Some(order) = &mut self.order {
            order.add(cells);
        }
    }

    fn describe(&self) -> Option<KeptColumn> {
        let (column, extremes) = self.column.as_ref()?;
        let name = &self.name;
        let (distinct, unique) = column.counts();
        let inferred = column.spellings().infer(name, distinct.value);
        let facts = column.facts(name, &inferred);
        Some(KeptColumn {
            at: self.at,
            name: name.clone(),
            look: facts.look.filter(|look| !look.is_place()),
            is_personal: is_personal(&facts),
            text: find_free_text(&facts),
            known_rows: column.spellings().known(),
            distinct: distinct.value,
            unique_rows: unique.value,
            extreme_rows: extremes.rows(facts.kind.is_number()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::progress::Quiet;

    async fn look(header: &str, rows: u64, row: impl Fn(u64) -> String) -> KeptLook {
        let mut text = format!("{header}\n");
        (0..rows).for_each(|at| writeln!(text, "{}", row(at)).unwrap());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        let source = Source::open(&path, &Default::default()).unwrap();
        let all: Vec<usize> = (0..source.columns().len()).collect();
        look_at_kept(&source, &all, &all, &Quiet).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn orders_and_extremes_are_seen() {
        let row = |at: u64| format!("{},{},{},{}", at, at * 7_919 % 500, 100 - at / 10, at % 3);
        let found = look("id,mixed,falling,few", 500, row).await;
        assert_eq!(found.sorted, [0, 2]);
        assert_eq!(found.columns[0].extreme_rows, Some((1, 1)));
        assert_eq!(found.columns[3].extreme_rows, Some((167, 166)));
        assert!(found.columns[0].is_nearly_unique() && !found.columns[3].is_nearly_unique());
        assert_eq!(found.unique_together, (0, 2), "of what is not unique by itself");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_answers_are_like_nobody_elses() {
        let row =
            |at: u64| (0..20).map(move |q| (at * (q + 3) % 7).to_string() + &(at / (q + 1) % 2).to_string());
        let header: Vec<String> = (0..20).map(|q| format!("q{q}")).collect();
        let found = look(&header.join(","), 300, |at| row(at).collect::<Vec<_>>().join(",")).await;
        assert!(found.unique_together.0 > 150, "{}", found.unique_together.0);
        assert_eq!(found.unique_together.1, 20);
        assert!(found.sorted.is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_column_of_few_values_is_sorted_only_if_each_has_a_stretch() {
        let found = look("ill", 200, |at| if at < 120 { "flu" } else { "hiv" }.to_owned()).await;
        assert_eq!(found.sorted, [0]);
        let found = look("ill", 200, |at| if at < 199 { "flu" } else { "hiv" }.to_owned()).await;
        assert!(found.sorted.is_empty(), "one row at the end says nothing");
    }
}
