//! Which rows some classes have, by their numbers.

use std::collections::BTreeMap;

use futures::StreamExt;
use rustc_hash::FxHashMap;

use super::CheckedTable;
use super::classes::{ClassKey, QuasiClasses};
use crate::dictionary::Dictionary;
use crate::encode::Encoded;
use crate::error::Result;
use crate::progress::{Progress, refuse_cancelled};

/// Rows that are named of a class.
const ROWS_NAMED: usize = 10;

/// Classes whose first rows are wanted.
#[derive(Default)]
pub(super) struct Wanted {
    /// With the number of rows still to be found.
    classes: BTreeMap<ClassKey, usize>,
}

impl Wanted {
    /// Asks for the rows of a class, if there is any.
    pub(super) fn add(&mut self, classes: &QuasiClasses, class: usize) {
        if classes.is_empty() {
            return;
        }
        let rows = (classes.rows(class) as usize).min(ROWS_NAMED);
        self.classes.insert(classes.key(class), rows);
    }

    /// Asks for the row of a record that is alone, by its tuple.
    pub(super) fn add_record(&mut self, classes: &QuasiClasses, encoded: &Encoded, tuple: usize) {
        let record = encoded.columns.iter().map(|column| column[tuple]).collect();
        self.classes.insert((classes.shield().to_vec(), record), 1);
    }

    /// The first rows of each class, by a second look at the file that ends when all are found.
    pub(super) async fn find(
        &self,
        subject: &CheckedTable,
        texts: &[Dictionary],
        progress: &dyn Progress,
    ) -> Result<BTreeMap<ClassKey, Vec<u64>>> {
        let mut rows: BTreeMap<ClassKey, Vec<u64>> =
            self.classes.keys().map(|key| (key.clone(), Vec::new())).collect();
        let mut missing: usize = self.classes.values().sum();
        let mut shields = Shields::over(&mut rows);
        let mut batches = subject.source().scan(subject.quasi()).await?;
        let mut before = 0;
        while missing > 0
            && let Some(batch) = batches.next().await
        {
            refuse_cancelled(progress)?;
            let batch = batch?;
            let codes = texts.iter().zip(batch.columns()).map(|(texts, column)| texts.encode_array(column));
            let codes: Vec<Vec<u32>> = codes.collect::<Result<_>>()?;
            missing -= (0..batch.num_rows())
                .map(|row| shields.note(&codes, row, before + row as u64 + 1))
                .sum::<usize>();
            before += batch.num_rows() as u64;
        }
        Ok(rows)
    }
}

/// The wanted classes, by shield: one look-up for each shield and row.
struct Shields<'r>(Vec<Shield<'r>>);

/// The wanted classes over some columns, and the numbers of their rows.
struct Shield<'r> {
    columns: &'r [usize],
    classes: FxHashMap<&'r [u32], &'r mut Vec<u64>>,
}

impl<'r> Shields<'r> {
    fn over(rows: &'r mut BTreeMap<ClassKey, Vec<u64>>) -> Shields<'r> {
        let mut shields: Vec<Shield<'r>> = Vec::new();
        // Keys are in order, so those of one shield are neighbours.
        for ((columns, record), rows) in rows {
            if shields.last().is_none_or(|last| last.columns != columns) {
                shields.push(Shield { columns, classes: FxHashMap::default() });
            }
            shields.last_mut().expect("just made").classes.insert(record, rows);
        }
        Shields(shields)
    }

    /// Notes the number of a row at each class that it is of and that lacks rows; how many these are.
    fn note(&mut self, codes: &[Vec<u32>], row: usize, number: u64) -> usize {
        let mut noted = 0;
        let mut record = Vec::with_capacity(codes.len());
        for Shield { columns, classes } in &mut self.0 {
            record.clear();
            record.extend(columns.iter().map(|&at| codes[at][row]));
            let Some(rows) = classes.get_mut(record.as_slice()) else { continue };
            if rows.len() < ROWS_NAMED {
                rows.push(number);
                noted += 1;
            }
        }
        noted
    }
}
