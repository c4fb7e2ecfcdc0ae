//! One column during the scan.

use std::hash::Hasher;

use datafusion::arrow::array::{Array, ArrayAccessor, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type};
use rustc_hash::FxHasher;

use super::kind::{Inferred, Spellings};
use super::role::Facts;
use super::sample::{Count, DistinctSample, mix};
use super::spelling::Spelling;
use crate::dictionary::as_text;

/// What is counted of a column. No value is kept.
pub(super) struct Column {
    /// Makes equal values of different columns different keys.
    seed: u64,
    spellings: Spellings,
    sample: DistinctSample,
    /// The keys of the latest rows, if they are wanted for combinations.
    keys: Vec<u64>,
    /// The numbers of their values, while values have numbers.
    numbers: Vec<u32>,
    keeps_keys: bool,
}

/// Rows of each spelling are counted by turns in so many lists: a processor cannot add to the same
/// number twice at once.
const LANES: usize = 4;

/// A cell that cannot be text: how many rows come before it, if that is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotText(pub(super) Option<u64>);

impl Column {
    /// A column by its number, whose counts are exact up to `limit` distinct values.
    pub(super) fn new(number: usize, limit: usize) -> Column {
        let seed = mix(number as u64 + 1);
        let sample = DistinctSample::new(limit);
        let (keys, numbers) = (Vec::new(), Vec::new());
        Column { seed, spellings: Spellings::default(), sample, keys, numbers, keeps_keys: true }
    }

    /// Takes up the next rows; keys of theirs follow those that were not yet cleared.
    pub(super) fn add(&mut self, array: &ArrayRef) -> Result<(), NotText> {
        match array.data_type() {
            DataType::Date32 => {
                self.add_numbers::<Date32Type>(array.as_primitive(), |day| day as u64, |_| Spelling::ISO_DAY)
            }
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
                let numbers = cast(array, &DataType::Int64).map_err(|_| NotText(None))?;
                self.add_numbers::<Int64Type>(numbers.as_primitive(), |number| number as u64, spell)
            }
            DataType::Float32 | DataType::Float64 => {
                let numbers = cast(array, &DataType::Float64).map_err(|_| NotText(None))?;
                self.add_numbers::<Float64Type>(numbers.as_primitive(), f64::to_bits, spell_float)
            }
            _ => {
                let array = as_text(array).ok_or(NotText(None))?;
                match array.data_type() {
                    DataType::Utf8View => self.add_text(array.as_string_view()),
                    DataType::LargeUtf8 => self.add_text(array.as_string::<i64>()),
                    _ => self.add_text(array.as_string::<i32>()),
                }
            }
        }
    }

    /// Counts the missing cells of a column whose values are not looked at.
    pub(super) fn add_nested(&mut self, array: &ArrayRef) {
        let missing = array.null_count() as u64;
        self.spellings.count(Spelling::MISSING, missing);
        self.spellings.count(Spelling::LONG, array.len() as u64 - missing);
        self.keeps_keys = false;
    }

    /// Gives up all that was counted of values, when some turn out to be no text.
    pub(super) fn forget(&mut self) {
        self.sample = DistinctSample::new(1);
        self.drop_keys();
    }

    fn add_numbers<T: ArrowPrimitiveType>(
        &mut self,
        cells: &PrimitiveArray<T>,
        bits: impl Fn(T::Native) -> u64,
        spell: impl Fn(T::Native) -> Spelling,
    ) -> Result<(), NotText> {
        let (seed, missing, before) = (self.seed, self.missing_key(), self.keys.len());
        let hash = |&number: &T::Native| mix(mix(bits(number)) ^ seed);
        match cells.nulls() {
            None => self.keys.extend(cells.values().iter().map(hash)),
            Some(nulls) => {
                let cells = cells.values().iter().zip(nulls);
                self.keys.extend(cells.map(|(number, known)| if known { hash(number) } else { missing }));
            }
        }
        self.meet_rows(before, |_, row| spell(cells.value(row)))
    }

    fn add_text<'a>(&mut self, cells: impl ArrayAccessor<Item = &'a str>) -> Result<(), NotText> {
        let (seed, missing, before) = (self.seed, self.missing_key(), self.keys.len());
        self.keys.extend((0..cells.len()).map(|row| match text(&cells, row) {
            b"" => missing,
            cell => hash(cell, seed),
        }));
        self.meet_rows(before, |spellings, row| spellings.see(text(&cells, row)))
    }

    /// Counts the rows whose keys follow the first `before`; `see` looks at a cell. All cells were
    /// hashed before: a processor does either at full speed, but not both by turns.
    fn meet_rows(
        &mut self,
        before: usize,
        see: impl Fn(&mut Spellings, usize) -> Spelling,
    ) -> Result<(), NotText> {
        let Column { seed, spellings, sample, keys, numbers, .. } = self;
        let missing = mix(!*seed);
        let numbered = sample.is_numbered();
        let mut rows = [[0_u64; Spelling::COUNT]; LANES];
        for (row, &key) in keys[before..].iter().enumerate() {
            let (tag, number) = if key == missing {
                (Spelling::MISSING.0, 0)
            } else {
                sample.meet_numbered(key, || see(spellings, row).0)
            };
            if tag == Spelling::NOT_TEXT.0 {
                return Err(NotText(Some(row as u64)));
            }
            rows[row % LANES][usize::from(tag)] += 1;
            if numbered {
                numbers.push(number);
            }
        }
        for (tag, rows) in rows.iter().flat_map(|lane| (0..).zip(lane)).filter(|&(_, &rows)| rows > 0) {
            spellings.count(Spelling(tag), *rows);
        }
        if !self.keeps_keys {
            self.keys.truncate(before);
        }
        Ok(())
    }

    /// What stands for a missing value among the keys.
    fn missing_key(&self) -> u64 {
        mix(!self.seed)
    }

    /// Gives values small numbers, 0 to the missing one, as long as there are not too many. No row
    /// may have been cleared before.
    pub(super) fn number_values(&mut self) {
        self.numbers = self.sample.number(self.missing_key(), &self.keys).unwrap_or_default();
    }

    /// Whether every value has a number.
    pub(super) fn is_numbered(&self) -> bool {
        self.sample.is_numbered()
    }

    /// The numbers of the rows since they were cleared, if every value has one.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The keys of values by their numbers, also after these were given up.
    pub(super) fn numbered_keys(&self) -> &[u64] {
        self.sample.numbered_keys()
    }

    /// The keys of the rows since they were cleared; equal keys are equal values.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Forgets the keys of the rows so far.
    pub(super) fn clear_keys(&mut self) {
        self.keys.clear();
        self.numbers.clear();
    }

    /// Keeps no keys from now on.
    pub(super) fn drop_keys(&mut self) {
        self.keys = Vec::new();
        self.keeps_keys = false;
    }

    /// How the cells are spelled.
    pub(super) fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    /// Distinct known values, and rows whose value is theirs alone. One row without a value is
    /// as easily found as one with a rare value.
    pub(super) fn counts(&self) -> (Count, Count) {
        let (distinct, mut unique) = self.sample.count(self.spellings.known());
        unique.value += u64::from(self.spellings.missing() == 1);
        (distinct, unique)
    }

    /// What the column is, as far as it was read.
    pub(super) fn facts<'a>(&self, name: &'a str, inferred: &Inferred) -> Facts<'a> {
        let (distinct, unique) = self.counts();
        let missing = self.spellings.missing();
        Facts {
            name,
            kind: inferred.kind,
            rows: missing + self.spellings.known(),
            missing,
            distinct: distinct.value,
            unique_rows: unique.value,
            dated: self.spellings.is_dated(),
        }
    }
}

/// The bytes of a cell; a null has none.
#[inline]
fn text<'a>(cells: &impl ArrayAccessor<Item = &'a str>, row: usize) -> &'a [u8] {
    if cells.is_null(row) { b"" } else { cells.value(row).as_bytes() }
}

#[inline]
fn hash(cell: &[u8], seed: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(cell);
    mix(hasher.finish() ^ seed)
}

fn spell(number: i64) -> Spelling {
    match number {
        0 => Spelling::ZERO,
        1 => Spelling::ONE,
        ..0 => Spelling::NEGATIVE_INTEGER,
        _ => Spelling::INTEGER,
    }
}

fn spell_float(number: f64) -> Spelling {
    if !number.is_finite() {
        Spelling::NON_FINITE
    } else if number < 0.0 {
        Spelling::NEGATIVE_DECIMAL
    } else {
        Spelling::DECIMAL
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{BooleanArray, Date32Array, Float64Array, Int32Array, StringArray};

    use super::*;
    use crate::profile::{ColumnKind, DateFormat};

    fn column(array: impl Array + 'static) -> Column {
        let mut column = Column::new(0, 1_000);
        let array: ArrayRef = Arc::new(array);
        column.add(&array).unwrap();
        column
    }

    fn summary(column: &Column) -> (ColumnKind, u64, u64, u64) {
        let (distinct, unique) = column.counts();
        let kind = column.spellings().infer("", distinct.value).kind;
        (kind, column.spellings().missing(), distinct.value, unique.value)
    }

    #[test]
    fn text_is_counted_and_spelled() {
        let cells = vec![Some("7"), None, Some("12"), Some("7"), Some(""), Some("3.5")];
        let column = column(StringArray::from(cells));
        assert_eq!(summary(&column), (ColumnKind::Decimal, 2, 3, 2));
        let keys = column.keys();
        assert_eq!((keys.len(), keys[0] == keys[3], keys[1] == keys[4]), (6, true, true));
        assert_ne!(keys[0], keys[1]);
    }

    #[test]
    fn columns_of_other_types_need_no_text() {
        let integers = column(Int32Array::from(vec![Some(-7), None, Some(5), Some(5)]));
        assert_eq!(summary(&integers), (ColumnKind::Integer, 1, 2, 2), "one missing row is unique, too");
        let floats = column(Float64Array::from(vec![0.5, f64::NAN, 2.0, f64::NAN]));
        assert_eq!(summary(&floats), (ColumnKind::Mixed, 0, 3, 2));
        let dates = column(Date32Array::from(vec![0, 1, 0]));
        assert_eq!(summary(&dates), (ColumnKind::Date(DateFormat::IsoDay), 0, 2, 1));
        let truth = column(BooleanArray::from(vec![true, false, true]));
        assert_eq!(summary(&truth), (ColumnKind::Boolean, 0, 2, 1));
    }

    #[test]
    fn equal_values_of_two_columns_have_different_keys() {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let mut columns = [Column::new(0, 10), Column::new(1, 10)];
        columns.iter_mut().for_each(|column| column.add(&array).unwrap());
        assert_ne!(columns[0].keys(), columns[1].keys());
    }

    /// Beyond the limit, kinds are still decided by every cell.
    #[test]
    fn one_odd_cell_among_many_is_found() {
        let mut cells: Vec<String> = (0..20_000).map(|n| (100_000 + n).to_string()).collect();
        cells[17_171] = "x".to_owned();
        let mut column = Column::new(0, 100);
        let array: ArrayRef = Arc::new(StringArray::from(cells));
        column.add(&array).unwrap();
        assert!(column.counts().0.estimated);
        assert_eq!(summary(&column).0, ColumnKind::Mixed);
    }
}
