//! What a table achieves of every privacy model, for every sensitive column.

use std::collections::BTreeMap;

use futures::StreamExt;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use throng::privacy::{self, Class, PrivacyModel, SensitiveColumn, Whole, achieved};
use throng::table::{Histogram, Table};

use super::Subject;
use crate::error::{EngineError, Result};
use crate::prepare::dictionary::Dictionary;
use crate::prepare::{Beside, sensitive};
use crate::progress::Progress;
use crate::report::{number, parameter};

/// Rows that are named of the worst class.
const ROWS_NAMED: usize = 10;

/// What a table achieves of one privacy model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelDegree {
    /// Name of the model.
    pub model: String,
    /// What makes it the variant that it is; nothing is asked for.
    pub variant: Map<String, Value>,
    /// The sensitive column that it looks at.
    pub column: Option<String>,
    /// What the table achieves: the degree of its worst class, or the mean. None if that is infinite.
    pub degree: Option<f64>,
    /// Rows of the worst class, by their numbers: the first few.
    pub worst_rows: Vec<u64>,
}

/// The classes of a table as models see them.
pub(super) struct Classes<'c> {
    table: Table,
    beside: &'c Beside,
    whole: Whole,
    columns: Vec<SensitiveColumn>,
}

/// A model's degree, and the class that is worst.
struct Found {
    model: Box<dyn PrivacyModel>,
    degree: f64,
    worst: usize,
}

impl<'c> Classes<'c> {
    /// Tuples of codes with their rows, and what stands beside them.
    ///
    /// # Errors
    /// An order or a hierarchy that lacks values of its column.
    pub(super) fn new(
        subject: &Subject,
        columns: Vec<Vec<u32>>,
        weights: Vec<u32>,
        beside: &'c Beside,
    ) -> Result<Classes<'c>> {
        let counts = beside.columns.iter().map(|column| column.counts.clone()).collect();
        let mut table = Table::new(columns, weights).with_carried(counts);
        if let Some(persons) = &beside.persons {
            table = table.with_persons(persons.clone());
        }
        let describe = |(place, column)| sensitive::describe(place, column, subject.told(place));
        let columns: Result<Vec<SensitiveColumn>> = beside.columns.iter().enumerate().map(describe).collect();
        Ok(Classes { whole: Whole::of(&table), table, beside, columns: columns? })
    }

    /// How many persons, or rows, the smallest class has.
    pub(super) fn smallest(&self) -> u64 {
        (0..self.table.tuples()).map(|class| self.crowd(class)).min().unwrap_or(0)
    }

    fn crowd(&self, class: usize) -> u64 {
        let rows = u64::from(self.table.weights()[class]);
        self.table.persons().map_or(rows, |persons| persons.of(class).distinct() as u64)
    }

    /// The degree of every model, for every column that it can look at.
    pub(super) async fn degrees(
        &self,
        subject: &Subject,
        texts: &[Dictionary],
        progress: &dyn Progress,
    ) -> Result<Vec<ModelDegree>> {
        let found: Vec<Found> =
            tokio::task::block_in_place(|| self.models().into_iter().map(|model| self.find(model)).collect());
        let rows = self.find_rows(subject, texts, &found, progress).await?;
        let name =
            |found: &Found| found.model.column().map(|place| self.beside.columns[place].name().to_owned());
        let degree = |found: &Found| ModelDegree {
            model: found.model.name().to_owned(),
            variant: variant(&*found.model),
            column: name(found),
            degree: Some(found.degree).filter(|degree| degree.is_finite()),
            worst_rows: rows[&found.worst].clone(),
        };
        Ok(found.iter().map(degree).collect())
    }

    fn models(&self) -> Vec<Box<dyn PrivacyModel>> {
        let of_entry = |entry: &privacy::Entry| -> Vec<Box<dyn PrivacyModel>> {
            if entry.takes_column {
                self.columns.iter().flat_map(|column| (entry.measured)(column)).collect()
            } else {
                (entry.measured)(&SensitiveColumn::default())
            }
        };
        privacy::registry().iter().flat_map(of_entry).collect()
    }

    fn find(&self, model: Box<dyn PrivacyModel>) -> Found {
        let degrees: Vec<(f64, u64)> =
            (0..self.table.tuples()).map(|class| (self.degree(&*model, class), self.crowd(class))).collect();
        let worse =
            |a: usize, b: usize| if model.direction().is_worse(degrees[b].0, degrees[a].0) { b } else { a };
        let worst = (0..degrees.len()).reduce(worse).unwrap_or(0);
        Found { degree: achieved(&*model, degrees.iter().copied()).unwrap_or(0.0), model, worst }
    }

    fn degree(&self, model: &dyn PrivacyModel, class: usize) -> f64 {
        let columns = self.table.carried().iter();
        let folded: Vec<_> = columns.map(|column| column.fold(column.of(class))).collect();
        let values: Vec<Histogram<'_>> = folded.iter().map(|counts| Histogram::Listed(counts)).collect();
        model.degree(&Class { rows: self.crowd(class), values: &values, population: None }, &self.whole)
    }

    /// The first rows of the worst classes, by a second look at the file that ends when all are found.
    async fn find_rows(
        &self,
        subject: &Subject,
        texts: &[Dictionary],
        found: &[Found],
        progress: &dyn Progress,
    ) -> Result<BTreeMap<usize, Vec<u64>>> {
        let mut rows: BTreeMap<usize, Vec<u64>> =
            found.iter().map(|found| (found.worst, Vec::new())).collect();
        let wanted = |class: usize| (self.table.weights()[class] as usize).min(ROWS_NAMED);
        let mut missing: usize = rows.keys().map(|&class| wanted(class)).sum();
        let class_of: FxHashMap<Vec<u32>, usize> =
            rows.keys().map(|&class| (self.table.record(class), class)).collect();
        let mut batches = subject.source().scan(subject.quasi()).await?;
        let (mut before, mut tuple) = (0, Vec::new());
        while missing > 0
            && let Some(batch) = batches.next().await
        {
            if progress.cancelled() {
                return Err(EngineError::Interrupted);
            }
            let batch = batch?;
            let codes = texts.iter().zip(batch.columns()).map(|(texts, column)| texts.encode_array(column));
            let codes: Vec<Vec<u32>> = codes.collect::<Result<_>>()?;
            for row in 0..batch.num_rows() {
                tuple.clear();
                tuple.extend(codes.iter().map(|codes| codes[row]));
                let Some(&class) = class_of.get(&tuple) else { continue };
                let rows = rows.entry(class).or_default();
                if rows.len() < ROWS_NAMED {
                    rows.push(before + row as u64 + 1);
                    missing -= 1;
                }
            }
            before += batch.num_rows() as u64;
        }
        Ok(rows)
    }
}

/// The parameters that are not what is asked for.
fn variant(model: &dyn PrivacyModel) -> Map<String, Value> {
    let is_asked = |value: &Value| *value == number(model.asked());
    let parameters = model.parameters().into_iter().map(|(name, value)| (name.to_owned(), parameter(value)));
    parameters.filter(|(name, value)| !is_asked(value) && name != "attacker").collect()
}
