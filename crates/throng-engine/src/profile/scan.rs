//! The scan of a profile: everything that grows with the rows.

use std::cmp::Reverse;

use futures::StreamExt;
use rayon::prelude::*;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::DataType;
use throng::wording::quoted;

use super::column::{ColumnCounts, NotTextAfter};
use super::combinations::Combinations;
use super::kind::{ColumnKind, Inferred};
use super::role::{Facts, Suggestion, rank_quasi, special_note, suggest_roles};
use super::sample::share_keys;
use super::{ColumnProfile, CombinationProfile, MAX_COMBINED, Profile, ProfileOptions};
use crate::columns::given_twice;
use crate::dictionary::is_textual;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::progress::report_read;
use crate::progress::{Progress, refuse_cancelled};
use crate::wording::guess;

/// Values that the columns may keep together: at most 128 MiB.
const ALL_VALUES: usize = 1 << 23;
/// Values that one column may keep, and of which counts are exact.
const MAX_VALUES: usize = 1 << 16;

/// Rows after which the columns to combine are chosen.
const FIRST_ROWS: u64 = 1 << 16;
/// Cells that are held until then, at most: 32 MiB of keys.
const FIRST_CELLS: u64 = 1 << 22;

/// Rows that are combined at once: the tables of combinations take turns in the cache.
const WAVE_ROWS: u64 = 1 << 15;

/// A profile in the making.
pub(super) struct Scan<'a> {
    source: &'a Source,
    max_columns: usize,
    /// Columns that must be combined, whatever they are.
    wanted: Option<Vec<usize>>,
    /// Positions in the file of the columns that are read; elsewhere, positions are those among these.
    places: Vec<usize>,
    columns: Vec<ColumnCounts>,
    /// What each column is, if its values cannot be looked at.
    opaque: Vec<Option<ColumnKind>>,
    /// Nothing until the columns were chosen.
    combinations: Option<Combinations>,
    rows: u64,
    first_rows: u64,
    /// Rows whose keys the columns hold.
    waiting_rows: u64,
}

impl<'a> Scan<'a> {
    /// A scan of all columns.
    pub(super) fn new(source: &'a Source, options: &ProfileOptions) -> Result<Scan<'a>> {
        let wanted = wanted(source, options)?;
        let all = (0..source.columns().len()).collect();
        Ok(Scan::over(source, all, wanted, options.max_columns.min(MAX_COMBINED)))
    }

    /// A scan of some columns, for nothing but their combinations; the best columns come first.
    pub(super) fn combining(source: &'a Source, best: &[usize]) -> Scan<'a> {
        let mut places = best.to_vec();
        places.sort_unstable();
        let wanted = best.iter().map(|place| places.partition_point(|other| other < place)).collect();
        Scan::over(source, places, Some(wanted), MAX_COMBINED)
    }

    fn over(
        source: &'a Source,
        places: Vec<usize>,
        wanted: Option<Vec<usize>>,
        max_columns: usize,
    ) -> Scan<'a> {
        let count = places.len();
        let limit = share_keys(ALL_VALUES, count, MAX_VALUES);
        let schema = source.schema();
        let opaque = |&place: &usize| match schema.field(place).data_type() {
            textual if is_textual(textual) => None,
            DataType::FixedSizeBinary(_) => Some(ColumnKind::Binary),
            _ => Some(ColumnKind::Nested),
        };
        Scan {
            source,
            max_columns,
            wanted,
            columns: places.iter().map(|&place| ColumnCounts::new(place, limit)).collect(),
            opaque: places.iter().map(opaque).collect(),
            places,
            combinations: None,
            rows: 0,
            waiting_rows: 0,
            first_rows: FIRST_ROWS.min(FIRST_CELLS / count.max(1) as u64),
        }
    }

    /// Reads every row.
    pub(super) async fn read(&mut self, progress: &dyn Progress) -> Result<()> {
        let mut batches = self.source.scan_coded(&self.places, &self.places).await?;
        while let Some(batch) = batches.next().await {
            refuse_cancelled(progress)?;
            self.add(&batch?)?;
            report_read(self.source, self.rows, progress);
        }
        if self.rows == 0 {
            return Err(self.source.bad("there are no data rows"));
        }
        if self.combinations.is_none() {
            self.choose();
        }
        self.combine();
        progress.bytes_read(self.source.file_bytes(), self.source.file_bytes());
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let Scan { source, places, columns, opaque, rows, .. } = self;
        let columns = columns.par_iter_mut().zip(opaque.par_iter_mut()).enumerate();
        let add = |(at, (column, opaque)): (usize, (&mut ColumnCounts, &mut Option<ColumnKind>))| {
            let name = &source.columns()[places[at]];
            let failed = add_cells(column, opaque, batch.column(at));
            let failed = failed.map_err(|before| not_text(source, name, *rows + before + 1))?;
            Ok(failed.then_some(at))
        };
        let failed: Vec<usize> = columns.map(add).filter_map(Result::transpose).collect::<Result<_>>()?;
        failed.into_iter().try_for_each(|at| self.leave_out(at))?;
        self.rows += batch.num_rows() as u64;
        self.waiting_rows += batch.num_rows() as u64;
        match self.combinations {
            Some(_) if self.waiting_rows >= WAVE_ROWS => self.combine(),
            None if self.rows >= self.first_rows => self.choose(),
            _ => {}
        }
        Ok(())
    }

    /// Gives up the combinations of a column that turned out to be no text.
    fn leave_out(&mut self, at: usize) -> Result<()> {
        self.columns[at].forget();
        if self.wanted.as_ref().is_some_and(|wanted| wanted.contains(&at)) {
            let name = self.name(at);
            return Err(self.source.bad("a value cannot be written as text").in_column(name));
        }
        if self.combinations.as_ref().is_some_and(|combinations| combinations.columns().contains(&at)) {
            // What is left is not all that could be combined: the final choice will differ.
            self.combinations = Some(Combinations::new(Vec::new(), &self.columns));
        }
        Ok(())
    }

    /// The name of a column.
    fn name(&self, at: usize) -> &'a str {
        &self.source.columns()[self.places[at]]
    }

    /// Combines the rows whose keys wait for it.
    fn combine(&mut self) {
        if let Some(combinations) = &mut self.combinations {
            combinations.add(&self.columns);
        }
        self.columns.iter_mut().for_each(ColumnCounts::clear_rows);
        self.waiting_rows = 0;
    }

    /// Chooses the columns to combine by the rows so far, and combines these rows.
    fn choose(&mut self) {
        let chosen = self.wanted.clone().unwrap_or_else(|| self.best());
        for (at, column) in self.columns.iter_mut().enumerate() {
            if chosen.contains(&at) {
                column.number_values();
            } else {
                column.drop_rows();
            }
        }
        self.combinations = Some(Combinations::new(chosen, &self.columns));
        self.combine();
    }

    /// The columns that the rows so far suggest to combine.
    fn best(&self) -> Vec<usize> {
        let facts = self.facts(&self.infer());
        let mut ranked = rank_quasi(&facts, &suggest_roles(&facts));
        ranked.truncate(self.max_columns);
        // Of those that were chosen, the ones with the most values make the telling triples.
        ranked.sort_by_key(|&column| (Reverse(facts[column].distinct), column));
        ranked
    }

    /// Positions of the columns that should have been combined, if they are others than those that
    /// the first rows suggested: in a sorted table, these may say little about the rest.
    pub(super) fn missed(&self) -> Option<Vec<usize>> {
        let combinations = self.combinations.as_ref().filter(|_| self.wanted.is_none())?;
        let best = self.best();
        let mut sets = [best.clone(), combinations.columns().to_vec()];
        sets.iter_mut().for_each(|set| set.sort_unstable());
        (sets[0] != sets[1]).then_some(best)
    }

    fn infer(&self) -> Vec<Inferred> {
        let columns = self.columns.iter().zip(&self.opaque).enumerate();
        columns
            .map(|(at, (column, opaque))| match opaque {
                None => column.spellings().infer(self.name(at), column.counts().0.value),
                Some(kind) => Inferred::opaque(*kind),
            })
            .collect()
    }

    fn facts(&self, inferred: &[Inferred]) -> Vec<Facts<'a>> {
        let columns = self.columns.iter().zip(inferred).enumerate();
        columns.map(|(at, (column, inferred))| column.facts(self.name(at), inferred)).collect()
    }

    /// The profile of the rows that were read.
    pub(super) fn finish(&self) -> Profile {
        let inferred = self.infer();
        let suggestions = suggest_roles(&self.facts(&inferred));
        let columns = inferred.into_iter().zip(suggestions).enumerate();
        let columns =
            columns.map(|(at, (inferred, suggestion))| self.column(at, inferred, suggestion)).collect();
        let (combined, combinations) = self.combined();
        Profile { rows: self.rows, columns, combined, combinations, persons: Vec::new() }
    }

    fn column(&self, at: usize, inferred: Inferred, suggestion: Suggestion) -> ColumnProfile {
        let column = &self.columns[at];
        let (distinct, unique_rows) = column.counts();
        let missing = column.spellings().missing();
        let lengths = column.spellings().lengths().filter(|_| self.opaque[at].is_none());
        ColumnProfile {
            name: self.name(at).to_owned(),
            kind: inferred.kind,
            distinct,
            missing,
            missing_share: self.share(missing),
            unique_rows,
            unique_share: self.share(unique_rows.value),
            min_length: lengths.map(|(shortest, _)| shortest),
            max_length: lengths.map(|(_, longest)| longest),
            suggestion,
            notes: inferred.notes.into_iter().chain(special_note(self.name(at))).collect(),
        }
    }

    /// The names of the columns that were combined, and what was found.
    pub(super) fn combined(&self) -> (Vec<String>, Vec<CombinationProfile>) {
        let names = |columns: &[usize]| columns.iter().map(|&at| self.name(at).to_owned()).collect();
        let Some(combinations) = &self.combinations else {
            return (Vec::new(), Vec::new());
        };
        let found = combinations.count(self.rows, &self.columns).map(|(columns, classes, unique_rows)| {
            CombinationProfile {
                columns: names(columns),
                classes,
                unique_rows,
                unique_share: self.share(unique_rows.value),
            }
        });
        let mut found: Vec<CombinationProfile> = found.collect();
        // Stable: ties stay in the order of the ranks.
        found.sort_by_key(|set| {
            (Reverse(set.unique_rows.value), set.columns.len(), Reverse(set.classes.value))
        });
        (names(combinations.columns()), found)
    }

    fn share(&self, rows: u64) -> f64 {
        rows as f64 / self.rows.max(1) as f64
    }
}

/// Takes up the next cells of a column, and says whether it turns out to be no text; fails with the
/// number of rows before text that is broken.
fn add_cells(
    column: &mut ColumnCounts,
    opaque: &mut Option<ColumnKind>,
    cells: &ArrayRef,
) -> std::result::Result<bool, u64> {
    let known = opaque.is_some();
    if !known {
        match column.add(cells) {
            Ok(()) => return Ok(false),
            Err(NotTextAfter(Some(before))) => return Err(before),
            Err(NotTextAfter(None)) => *opaque = Some(ColumnKind::Binary),
        }
    }
    column.add_nested(cells);
    Ok(!known)
}

/// Positions of the columns that the caller names.
fn wanted(source: &Source, options: &ProfileOptions) -> Result<Option<Vec<usize>>> {
    if options.combine.is_empty() {
        return Ok(None);
    }
    let mut wanted = Vec::with_capacity(options.combine.len());
    for name in &options.combine {
        let names = source.columns();
        let at = names.iter().position(|known| known == name).ok_or_else(|| {
            let guess = guess(name, names.iter().map(String::as_str));
            source.bad(format!("there is no column {}{guess}", quoted(name))).about_column(name)
        })?;
        if !is_textual(source.schema().field(at).data_type()) {
            let problem = "holds lists, structures or bytes, which cannot be combined";
            return Err(source.bad(format!("column {} {problem}", quoted(name))).about_column(name));
        }
        if wanted.contains(&at) {
            return Err(given_twice(name));
        }
        wanted.push(at);
    }
    if wanted.len() > MAX_COMBINED {
        let count = wanted.len();
        return Err(EngineError::bad((
            format!("{count} columns are to be combined"),
            format!("at most {MAX_COMBINED} can be"),
        )));
    }
    Ok(Some(wanted))
}

fn not_text(source: &Source, column: &str, row: u64) -> EngineError {
    source.bad_at(row, "this is not UTF-8 text").in_column(column)
}
