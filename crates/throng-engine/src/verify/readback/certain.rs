//! How sure one can be of a sensitive value, once somebody's class is found.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::DataType;
use rustc_hash::FxHashMap;

use super::groups::Groups;
use super::look::{Look, look_at};
use super::stored::Opened;
use crate::error::Result;

/// A value that so many of a class have is as good as known.
const LIKELY_SHARE: f64 = 0.9;

/// Rows whose sensitive value is known, or nearly so, to who finds their class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certainty {
    /// Rows in classes all of whose rows have the same value.
    pub certain_rows: u64,
    /// Rows in other classes of which more than nine tenths have the same value.
    pub likely_rows: u64,
}

impl Certainty {
    /// Adds a class of so many rows, of which `most` have its most frequent value.
    fn add(&mut self, rows: u64, most: u64) {
        if most == rows {
            self.certain_rows += rows;
        } else if most as f64 > LIKELY_SHARE * rows as f64 {
            self.likely_rows += rows;
        }
    }
}

/// Groups the rows of a file by the columns at `quasi`, and says what can be learned from these classes of the column
/// at `sensitive`: in one look at the file.
pub(super) async fn group(
    table: Arc<Opened>,
    quasi: &[usize],
    sensitive: usize,
) -> Result<(Groups, Certainty)> {
    let mut classes = Groups::of_columns(&table, quasi)?;
    let (quasi_kinds, value_kinds) = (table.kinds(quasi)?, table.kinds(&[sensitive])?);
    let places = quasi.iter().copied().chain([sensitive]).collect();
    let looked = look_at(table, places, move || Values::new(&quasi_kinds, &value_kinds)).await?;
    let values = looked.into_iter().reduce(Values::merged).expect("there is at least one thread");
    let found = values.count(&mut classes);
    Ok((classes, found))
}

/// The values of each class, by the bytes that Arrow makes of their cells.
struct Values {
    quasi: Groups,
    value: Groups,
    /// Numbers of the values.
    codes: FxHashMap<Box<[u8]>, u32>,
    classes: FxHashMap<Box<[u8]>, Counts>,
}

impl Values {
    fn new(quasi: &Arc<[DataType]>, value: &Arc<[DataType]>) -> Result<Values> {
        let (quasi, value) = (Groups::new(quasi)?, Groups::new(value)?);
        Ok(Values { quasi, value, codes: FxHashMap::default(), classes: FxHashMap::default() })
    }

    fn code(&mut self, value: &[u8]) -> u32 {
        if let Some(&code) = self.codes.get(value) {
            return code;
        }
        let code = self.codes.len() as u32;
        self.codes.insert(value.into(), code);
        code
    }

    /// Both together.
    fn merged(mut self, other: Values) -> Values {
        let mut codes = vec![0; other.codes.len()];
        // Which number a value has changes no sum, so the order does not matter.
        other.codes.into_iter().for_each(|(value, code)| codes[code as usize] = self.code(&value));
        other.classes.into_iter().for_each(|(class, counts)| {
            let known = self.classes.entry(class).or_default();
            counts.each(|code, rows| known.add(codes[code as usize], rows));
        });
        self
    }

    /// Adds up the rows of each class, and says how sure one can be in it.
    fn count(self, classes: &mut Groups) -> Certainty {
        let mut certainty = Certainty::default();
        // Sums do not depend on the order of the classes.
        classes.fill(self.classes.into_iter().map(|(class, counts)| {
            let (mut all, mut most) = (0, 0);
            counts.each(|_, rows| (all, most) = (all + rows, rows.max(most)));
            certainty.add(all, most);
            (class, all)
        }));
        certainty
    }
}

impl Look for Values {
    fn see(&mut self, batch: &RecordBatch) -> Result<()> {
        let (value, quasi) = batch.columns().split_last().expect("there is a sensitive column");
        let (quasi, value) = (self.quasi.rows(quasi)?, self.value.rows(std::slice::from_ref(value))?);
        for row in 0..batch.num_rows() {
            let code = self.code(value.as_ref().expect("one column has bytes").row(row).data());
            let class = quasi.as_ref().map(|rows| rows.row(row));
            let class = class.as_ref().map_or(&[][..], |class| class.data());
            match self.classes.get_mut(class) {
                Some(counts) => counts.add(code, 1),
                None => _ = self.classes.insert(class.into(), Counts::Few(vec![(code, 1)])),
            }
        }
        Ok(())
    }
}

/// Rows of each value of a class.
enum Counts {
    /// So few that they are looked through.
    Few(Vec<(u32, u64)>),
    Many(FxHashMap<u32, u64>),
}

/// Values of a class that are looked through.
const FEW: usize = 64;

impl Default for Counts {
    fn default() -> Counts {
        Counts::Few(Vec::new())
    }
}

impl Counts {
    fn add(&mut self, code: u32, rows: u64) {
        match self {
            Counts::Many(counts) => *counts.entry(code).or_default() += rows,
            Counts::Few(counts) => match counts.iter().position(|(known, _)| *known == code) {
                Some(at) => counts[at].1 += rows,
                None if counts.len() < FEW => counts.push((code, rows)),
                None => *self = Counts::Many(counts.drain(..).chain([(code, rows)]).collect()),
            },
        }
    }

    fn each(self, mut each: impl FnMut(u32, u64)) {
        match self {
            Counts::Few(counts) => counts.into_iter().for_each(|(code, rows)| each(code, rows)),
            // Who asks adds up, or looks for the most: the order does not matter.
            Counts::Many(counts) => counts.into_iter().for_each(|(code, rows)| each(code, rows)),
        }
    }
}
