//! The scan of a profile: everything that grows with the rows.

use std::cmp::Reverse;

use rayon::prelude::*;

use datafusion::arrow::array::RecordBatch;

use super::column::{Column, NotText};
use super::combinations::Combinations;
use super::kind::{ColumnKind, Inferred};
use super::role::{Facts, Suggestion, rank_quasi, suggest_roles};
use super::sample::share_keys;
use super::{ColumnProfile, CombinationProfile, MAX_COMBINED, Profile, ProfileOptions};
use crate::dictionary::is_textual;
use crate::encode::{read_ahead, report};
use crate::error::{EngineError, Result, nearest};
use crate::progress::Progress;
use crate::source::Source;

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
    /// Columns that the caller wants combined.
    wanted: Option<Vec<usize>>,
    columns: Vec<Column>,
    /// Whether the values of each column can be looked at.
    textual: Vec<bool>,
    /// Nothing until the columns were chosen.
    combinations: Option<Combinations>,
    rows: u64,
    first_rows: u64,
    /// Rows whose keys the columns hold.
    waiting_rows: u64,
}

impl<'a> Scan<'a> {
    pub(super) fn new(source: &'a Source, options: &ProfileOptions) -> Result<Scan<'a>> {
        let count = source.columns().len();
        let limit = share_keys(ALL_VALUES, count, MAX_VALUES);
        let schema = source.schema();
        Ok(Scan {
            source,
            max_columns: options.max_columns.min(MAX_COMBINED),
            wanted: wanted(source, options)?,
            columns: (0..count).map(|number| Column::new(number, limit)).collect(),
            textual: schema.fields().iter().map(|field| is_textual(field.data_type())).collect(),
            combinations: None,
            rows: 0,
            waiting_rows: 0,
            first_rows: FIRST_ROWS.min(FIRST_CELLS / count.max(1) as u64),
        })
    }

    /// Reads every row.
    pub(super) async fn read(&mut self, progress: &dyn Progress) -> Result<()> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let (reader, mut batches) = read_ahead(self.source.scan(&all).await?);
        while let Some(batch) = batches.recv().await {
            if progress.cancelled() {
                return Err(EngineError::Interrupted);
            }
            self.add(&batch?)?;
            report(self.source, self.rows, progress);
        }
        // Without this, a reader that died would look like the end of the file.
        reader.await.map_err(|_| EngineError::Data("reading stopped unexpectedly".into()))?;
        if self.rows == 0 {
            return Err(self.source.bad("there are no data rows"));
        }
        progress.bytes_read(self.source.file_bytes(), self.source.file_bytes());
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let (source, before) = (self.source, self.rows);
        let columns = self.columns.par_iter_mut().zip(&self.textual).enumerate();
        columns.try_for_each(|(at, (column, &textual))| {
            if !textual {
                column.add_nested(batch.column(at));
                return Ok(());
            }
            column.add(batch.column(at)).map_err(|cell| not_text(source, at, before, &cell))
        })?;
        self.rows += batch.num_rows() as u64;
        self.waiting_rows += batch.num_rows() as u64;
        match self.combinations {
            Some(_) if self.waiting_rows >= WAVE_ROWS => self.combine(),
            None if self.rows >= self.first_rows => self.choose(),
            _ => {}
        }
        Ok(())
    }

    /// Combines the rows whose keys wait for it.
    fn combine(&mut self) {
        if let Some(combinations) = &mut self.combinations {
            combinations.add(&self.columns);
        }
        self.columns.iter_mut().for_each(Column::clear_keys);
        self.waiting_rows = 0;
    }

    /// Chooses the columns to combine by the rows so far, and combines these rows.
    fn choose(&mut self) {
        let chosen = self.wanted.take().unwrap_or_else(|| {
            let inferred = self.infer();
            let facts = self.facts(&inferred);
            let mut ranked = rank_quasi(&facts, &suggest_roles(&facts));
            ranked.truncate(self.max_columns);
            // Of those that were chosen, the ones with the most values make the telling triples.
            ranked.sort_by_key(|&column| (Reverse(facts[column].distinct), column));
            ranked
        });
        for (at, column) in self.columns.iter_mut().enumerate() {
            if !chosen.contains(&at) {
                column.drop_keys();
            }
        }
        self.combinations = Some(Combinations::of(chosen));
        self.combine();
    }

    fn infer(&self) -> Vec<Inferred> {
        let columns = self.columns.iter().zip(self.source.columns()).zip(&self.textual);
        columns
            .map(|((column, name), &textual)| match textual {
                true => column.spellings().infer(name, column.counts().0.value),
                false => Inferred { kind: ColumnKind::Nested, notes: Vec::new() },
            })
            .collect()
    }

    fn facts(&self, inferred: &[Inferred]) -> Vec<Facts<'a>> {
        let columns = self.columns.iter().zip(self.source.columns()).zip(inferred);
        columns.map(|((column, name), inferred)| column.facts(name, inferred)).collect()
    }

    /// The profile of the rows that were read.
    pub(super) fn finish(mut self) -> Profile {
        if self.combinations.is_none() {
            self.choose();
        }
        self.combine();
        let inferred = self.infer();
        let suggestions = suggest_roles(&self.facts(&inferred));
        let columns = inferred.into_iter().zip(suggestions).enumerate();
        let columns =
            columns.map(|(at, (inferred, suggestion))| self.column(at, inferred, suggestion)).collect();
        let (combined, combinations) = self.combined();
        Profile { rows: self.rows, columns, combined, combinations }
    }

    fn column(&self, at: usize, inferred: Inferred, suggestion: Suggestion) -> ColumnProfile {
        let column = &self.columns[at];
        let (distinct, unique_rows) = column.counts();
        let missing = column.spellings().missing();
        let lengths = column.spellings().lengths();
        ColumnProfile {
            name: self.source.columns()[at].clone(),
            kind: inferred.kind,
            date_format: inferred.kind.date_format(),
            distinct,
            missing,
            missing_share: self.share(missing),
            unique_rows,
            unique_share: self.share(unique_rows.value),
            min_length: lengths.map(|(shortest, _)| shortest),
            max_length: lengths.map(|(_, longest)| longest),
            suggestion,
            notes: inferred.notes,
        }
    }

    fn combined(&self) -> (Vec<String>, Vec<CombinationProfile>) {
        let names = |columns: &[usize]| columns.iter().map(|&at| self.source.columns()[at].clone()).collect();
        let Some(combinations) = &self.combinations else {
            return (Vec::new(), Vec::new());
        };
        let found = combinations.count(self.rows).map(|(columns, classes, unique_rows)| CombinationProfile {
            columns: names(columns),
            classes,
            unique_rows,
            unique_share: self.share(unique_rows.value),
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

/// Positions of the columns that the caller names.
fn wanted(source: &Source, options: &ProfileOptions) -> Result<Option<Vec<usize>>> {
    if options.combine.is_empty() {
        return Ok(None);
    }
    let mut wanted = Vec::with_capacity(options.combine.len());
    for name in &options.combine {
        let names = source.columns();
        let at = names.iter().position(|known| known == name).ok_or_else(|| {
            let guess = nearest(name, names.iter().map(String::as_str));
            let guess = guess.map(|guess| format!(" (did you mean '{guess}'?)")).unwrap_or_default();
            source.bad(&format!("there is no column '{name}'{guess}"))
        })?;
        if !is_textual(source.schema().field(at).data_type()) {
            return Err(
                source.bad(&format!("column '{name}' holds lists or structures, which cannot be combined"))
            );
        }
        if wanted.contains(&at) {
            return Err(EngineError::bad(format!("column '{name}' is given twice")));
        }
        wanted.push(at);
    }
    if wanted.len() > MAX_COMBINED {
        let count = wanted.len();
        return Err(EngineError::bad(format!("{count} columns are to be combined; {MAX_COMBINED} can be")));
    }
    Ok(Some(wanted))
}

fn not_text(source: &Source, column: usize, before: u64, cell: &NotText) -> EngineError {
    let name = &source.columns()[column];
    match cell.0 {
        Some(rows) => {
            source.bad(&format!("row {}, column '{name}': this is not UTF-8 text", before + rows + 1))
        }
        None => source.bad(&format!("column '{name}': a value cannot be written as text")),
    }
}
