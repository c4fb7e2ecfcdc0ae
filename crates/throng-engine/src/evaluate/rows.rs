//! A table row by row, as codes of text.

use futures::StreamExt;

use throng::wording::quoted;

use crate::columns::find_column;
use crate::dictionary::{Dictionary, as_text, try_each};
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::progress::report_read;
use crate::progress::{Progress, refuse_cancelled};

/// Some columns of a table.
pub(super) struct Rows {
    pub(super) columns: Vec<CodedColumn>,
}

/// A column: the values, and the code of each row.
pub(super) struct CodedColumn {
    pub(super) texts: Dictionary,
    pub(super) codes: Vec<u32>,
}

impl Rows {
    /// Reads the columns of these names.
    pub(super) async fn read(source: &Source, names: &[String], progress: &dyn Progress) -> Result<Rows> {
        let find = |name: &String| find_column(source, source.columns(), name);
        let places = names.iter().map(find).collect::<Result<Vec<usize>>>()?;
        let mut columns: Vec<CodedColumn> =
            names.iter().map(|_| CodedColumn { texts: Dictionary::default(), codes: Vec::new() }).collect();
        let mut batches = source.scan(&places).await?;
        let mut rows = 0;
        while let Some(batch) = batches.next().await {
            refuse_cancelled(progress)?;
            let batch = batch?;
            for ((column, array), name) in columns.iter_mut().zip(batch.columns()).zip(names) {
                let Some(array) = as_text(array) else {
                    return Err(source.bad("its values cannot be written as text").in_column(name));
                };
                try_each(&array, |value| column.add(value).ok_or(()))
                    .map_err(|()| source.bad("this is not UTF-8 text").in_column(name))?;
            }
            rows += batch.num_rows() as u64;
            report_read(source, rows, progress);
        }
        Ok(Rows { columns })
    }

    pub(super) fn len(&self) -> usize {
        self.columns[0].codes.len()
    }

    /// Whether a column has the same text in every row of both.
    pub(super) fn is_same_by_row(&self, other: &Rows, column: usize) -> bool {
        let (a, b) = (&self.columns[column], &other.columns[column]);
        let same: Vec<Option<u32>> = a.texts.values().map(|text| b.texts.code(text)).collect();
        a.codes.len() == b.codes.len()
            && a.codes.iter().zip(&b.codes).all(|(&x, &y)| same[x as usize] == Some(y))
    }

    /// Whether the release kept a column: row by row, or at least no value is new where rows went or moved.
    pub(super) fn is_same(&self, released: &Rows, column: usize) -> bool {
        if self.len() == released.len() && self.is_same_by_row(released, column) {
            return true;
        }
        let (a, b) = (&self.columns[column], &released.columns[column]);
        // Where rows are the same but for their order, so are the counts of values.
        let mut rows = vec![0_i64; a.texts.len()];
        a.codes.iter().for_each(|&code| rows[code as usize] += 1);
        let known: Vec<Option<u32>> = b.texts.values().map(|text| a.texts.code(text)).collect();
        for &code in &b.codes {
            let Some(code) = known[code as usize] else { return false };
            rows[code as usize] -= 1;
        }
        rows.iter().all(|&rows| rows >= 0)
    }

    /// The classes of the first column, without the missing one.
    pub(super) fn classes(&self, name: &str, most: usize) -> Result<Vec<String>> {
        let texts = self.columns[0].texts.values();
        let mut classes: Vec<String> = texts.filter(|text| !text.is_empty()).map(str::to_owned).collect();
        classes.sort_unstable();
        let name = quoted(name);
        match classes.len() {
            0 => Err(EngineError::bad(format!("the target {name} has no value"))),
            1 => Err(EngineError::bad((
                format!("the target {name} has only one class"),
                "there is nothing to predict",
            ))),
            many if many > most => Err(EngineError::bad((
                format!("the target {name} has {many} classes"),
                format!("at most {most} can be predicted"),
            ))),
            _ => Ok(classes),
        }
    }
}

impl CodedColumn {
    fn add(&mut self, value: &[u8]) -> Option<()> {
        let row = u32::try_from(self.codes.len() + 1).ok()?;
        let code = self.texts.intern(value, row)?;
        self.codes.push(code);
        Some(())
    }
}
