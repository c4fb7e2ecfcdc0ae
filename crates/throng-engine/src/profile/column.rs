//! One column during the scan.

mod joined;
mod lanes;
mod places;

use std::hash::Hasher;

use arrow::array::{
    Array, ArrayAccessor, ArrayIter, ArrayRef, ArrowNumericType, AsArray, Int32Array, PrimitiveArray,
    StringArray,
};
use arrow::compute::{cast, max, min};
use arrow::datatypes::{DataType, Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use rustc_hash::FxHasher;

use super::kind::{Inferred, Spellings};
use super::role::Facts;
use super::sample::{DistinctSample, EXPECTED, Estimate, mix};
use super::spelling::Spelling;
use crate::dictionary::as_text;
pub(super) use joined::JoinedCounts;
use lanes::Lanes;
use places::Places;

/// What is counted of a column. No value is kept.
pub(super) struct ColumnCounts {
    /// Makes equal values of different columns different keys.
    seed: u64,
    spellings: Spellings,
    sample: DistinctSample,
    places: Places,
    /// The latest rows, if they are wanted for combinations: their keys, or the numbers of their
    /// values while values have numbers.
    keys: Vec<u64>,
    numbers: Vec<u32>,
    keeps_rows: bool,
    /// The keys of the batch at hand, or of its list of values.
    hashes: Vec<u64>,
    list: Option<StringArray>,
}

/// A cell that cannot be text: how many rows come before it, if that is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotTextAfter(pub(super) Option<u64>);

impl ColumnCounts {
    /// A column by its number, whose counts are exact up to `limit` distinct values.
    pub(super) fn new(number: usize, limit: usize) -> ColumnCounts {
        ColumnCounts {
            seed: mix(number as u64 + 1),
            spellings: Spellings::default(),
            sample: DistinctSample::new(limit),
            places: Places::new(limit),
            keys: Vec::new(),
            numbers: Vec::new(),
            keeps_rows: true,
            hashes: Vec::new(),
            list: None,
        }
    }

    /// Takes up the next rows, which follow those that were not yet cleared.
    pub(super) fn add(&mut self, array: &ArrayRef) -> Result<(), NotTextAfter> {
        match array.data_type() {
            DataType::Date32 => {
                self.add_integers::<Date32Type>(array.as_primitive(), |_, _| Spelling::ISO_DAY);
            }
            DataType::Int8 => self.add_integers::<Int8Type>(array.as_primitive(), spell),
            DataType::Int16 => self.add_integers::<Int16Type>(array.as_primitive(), spell),
            DataType::Int32 => self.add_integers::<Int32Type>(array.as_primitive(), spell),
            DataType::Int64 => self.add_integers::<Int64Type>(array.as_primitive(), spell),
            DataType::Float32 | DataType::Float64 => {
                let numbers = cast(array, &DataType::Float64).map_err(|_| NotTextAfter(None))?;
                return self.add_floats(numbers.as_primitive());
            }
            DataType::Dictionary(place, value)
                if (&**place, &**value) == (&DataType::Int32, &DataType::Utf8) =>
            {
                let coded = array.as_dictionary::<Int32Type>();
                return self.add_coded(coded.keys(), coded.values().as_string());
            }
            _ => {
                let array = as_text(array).ok_or(NotTextAfter(None))?;
                return match array.data_type() {
                    DataType::Utf8View => self.add_text(array.as_string_view()),
                    DataType::LargeUtf8 => self.add_text(array.as_string::<i64>()),
                    _ => self.add_text(array.as_string::<i32>()),
                };
            }
        }
        Ok(())
    }

    /// Counts the missing cells of a column whose values are not looked at.
    pub(super) fn add_nested(&mut self, array: &ArrayRef) {
        let missing = array.null_count() as u64;
        self.spellings.count(Spelling::MISSING, missing);
        self.spellings.count(Spelling::LONG, array.len() as u64 - missing);
        self.keeps_rows = false;
    }

    /// Gives up all that was counted of values, when some turn out to be no text.
    pub(super) fn forget(&mut self) {
        self.sample = DistinctSample::new(1);
        self.drop_rows();
    }

    fn add_integers<T>(&mut self, cells: &PrimitiveArray<T>, spell: impl Fn(&mut Spellings, i64) -> Spelling)
    where
        T: ArrowNumericType<Native: Into<i64>>,
    {
        if let (Some(least), Some(greatest)) = (min(cells), max(cells)) {
            self.places.cover(least.into(), greatest.into());
        }
        let (seed, missing) = (self.seed, self.missing_key());
        let hash = |number: i64| mix(mix(number as u64) ^ seed);
        let start = self.start_rows(cells.len());
        let mut lanes = Lanes::default();
        for cell in cells {
            let number: Option<i64> = cell.map(Into::into);
            let (tag, called) = number.map_or((Spelling::MISSING.0, 0), |number| {
                self.places.find(number).unwrap_or_else(|| {
                    let see = || spell(&mut self.spellings, number).0;
                    let met = self.sample.meet_numbered(hash(number), see);
                    self.places.meet(number, met);
                    met
                })
            });
            lanes.count(tag);
            if start.numbered {
                self.numbers.push(called);
            }
        }
        lanes.add_to(&mut self.spellings);
        self.end_rows(&start, cells.iter().map(|cell| cell.map_or(missing, |cell| hash(cell.into()))));
    }

    fn add_floats(&mut self, cells: &PrimitiveArray<Float64Type>) -> Result<(), NotTextAfter> {
        let (seed, missing) = (self.seed, self.missing_key());
        let hash = |number: f64| mix(mix(number.to_bits()) ^ seed);
        self.hashes.clear();
        self.hashes.extend(cells.iter().map(|cell| cell.map_or(missing, hash)));
        self.meet_rows(|_, row| spell_float(cells.value(row)))
    }

    fn add_text<'a>(&mut self, cells: impl ArrayAccessor<Item = &'a str> + Copy) -> Result<(), NotTextAfter> {
        let (seed, missing) = (self.seed, self.missing_key());
        self.hashes.clear();
        self.hashes.extend(ArrayIter::new(cells).map(|cell| match cell {
            None | Some("") => missing,
            Some(cell) => hash(cell.as_bytes(), seed),
        }));
        self.meet_rows(|spellings, row| spellings.see(text(&cells, row)))
    }

    /// Text as places in a list of values. A list has values of other batches, too.
    fn add_coded(&mut self, cells: &Int32Array, values: &StringArray) -> Result<(), NotTextAfter> {
        self.take_list(values);
        let missing = self.missing_key();
        let start = self.start_rows(cells.len());
        let mut lanes = Lanes::default();
        for (row, cell) in cells.iter().enumerate() {
            let (tag, called) = cell.map_or((Spelling::MISSING.0, 0), |place| {
                self.places.find(place.into()).unwrap_or_else(|| {
                    let key = self.hashes[place as usize];
                    let see = || self.spellings.see(values.value(place as usize).as_bytes()).0;
                    let met = match key == missing {
                        true => (Spelling::MISSING.0, 0),
                        false => self.sample.meet_numbered(key, see),
                    };
                    self.places.meet(place.into(), met);
                    met
                })
            });
            if tag == Spelling::NOT_TEXT.0 {
                return Err(NotTextAfter(Some(row as u64)));
            }
            lanes.count(tag);
            if start.numbered {
                self.numbers.push(called);
            }
        }
        lanes.add_to(&mut self.spellings);
        let hashes = std::mem::take(&mut self.hashes);
        self.end_rows(&start, cells.iter().map(|cell| cell.map_or(missing, |place| hashes[place as usize])));
        self.hashes = hashes;
        Ok(())
    }

    /// Hashes a list of values, unless it is that of the batch before.
    fn take_list(&mut self, values: &StringArray) {
        let place = |list: &StringArray| {
            (list.len(), list.value_offsets().as_ptr(), list.value_data().as_ptr(), list.nulls().is_some())
        };
        // A list that is held cannot be replaced by another in the same place.
        if self.list.as_ref().is_some_and(|list| place(list) == place(values)) {
            return;
        }
        let (seed, missing) = (self.seed, self.missing_key());
        self.hashes.clear();
        self.hashes.extend(values.iter().map(|value| match value {
            None | Some("") => missing,
            Some(value) => hash(value.as_bytes(), seed),
        }));
        self.places.forget();
        self.places.cover(0, values.len() as i64 - 1);
        self.list = Some(values.clone());
    }

    /// Counts the rows of the batch; `see` looks at a cell. All cells were hashed before: a
    /// processor does either at full speed, but not both by turns.
    fn meet_rows(&mut self, see: impl Fn(&mut Spellings, usize) -> Spelling) -> Result<(), NotTextAfter> {
        let hashes = std::mem::take(&mut self.hashes);
        let (missing, start) = (self.missing_key(), self.start_rows(hashes.len()));
        let mut lanes = Lanes::default();
        for (row, &key) in hashes.iter().enumerate() {
            if row % EXPECTED == 0 {
                self.sample.expect(&hashes[row..hashes.len().min(row + EXPECTED)]);
            }
            let (tag, number) = if key == missing {
                (Spelling::MISSING.0, 0)
            } else {
                self.sample.meet_numbered(key, || see(&mut self.spellings, row).0)
            };
            if tag == Spelling::NOT_TEXT.0 {
                return Err(NotTextAfter(Some(row as u64)));
            }
            lanes.count(tag);
            if start.numbered {
                self.numbers.push(number);
            }
        }
        lanes.add_to(&mut self.spellings);
        self.end_rows(&start, hashes.iter().copied());
        self.hashes = hashes;
        Ok(())
    }

    fn start_rows(&mut self, rows: usize) -> Start {
        let start = Start { numbered: self.is_numbered(), rows: self.numbers.len() };
        self.numbers.reserve(if start.numbered { rows } else { 0 });
        start
    }

    /// Keeps the keys of the batch where its values have no numbers.
    fn end_rows(&mut self, start: &Start, keys: impl Iterator<Item = u64>) {
        if self.is_numbered() || !self.keeps_rows {
            return;
        }
        if start.numbered {
            // Values came to be too many for numbers during this batch.
            let known = self.sample.numbered_keys();
            self.keys = self.numbers[..start.rows].iter().map(|&number| known[number as usize]).collect();
            self.numbers = Vec::new();
        }
        self.keys.extend(keys);
    }

    /// What stands for a missing value among the keys.
    fn missing_key(&self) -> u64 {
        mix(!self.seed)
    }

    /// Gives values small numbers, 0 to the missing one, as long as there are not too many. No row
    /// may have been cleared before.
    pub(super) fn number_values(&mut self) {
        if let Some(numbers) = self.sample.number(self.missing_key(), &self.keys) {
            (self.numbers, self.keys) = (numbers, Vec::new());
            self.places.forget();
        }
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

    /// The key of a row since they were cleared; equal keys are equal values.
    #[inline]
    pub(super) fn key(&self, row: usize) -> u64 {
        match self.numbers.get(row) {
            Some(&number) => self.numbered_keys()[number as usize],
            None => self.keys[row],
        }
    }

    /// Something of the key of every row since they were cleared.
    pub(super) fn map_keys<T: Copy>(&self, map: impl Fn(u64) -> T) -> Vec<T> {
        if self.numbers.is_empty() {
            return self.keys.iter().map(|&key| map(key)).collect();
        }
        let known: Vec<T> = self.numbered_keys().iter().map(|&key| map(key)).collect();
        self.numbers.iter().map(|&number| known[number as usize]).collect()
    }

    /// Forgets the rows so far.
    pub(super) fn clear_rows(&mut self) {
        self.keys.clear();
        self.numbers.clear();
    }

    /// Keeps no rows from now on.
    pub(super) fn drop_rows(&mut self) {
        (self.keys, self.numbers) = (Vec::new(), Vec::new());
        self.keeps_rows = false;
    }

    /// How the cells are spelled.
    pub(super) fn spellings(&self) -> &Spellings {
        &self.spellings
    }

    /// Distinct known values, and rows whose value is theirs alone. One row without a value is
    /// as easily found as one with a rare value.
    pub(super) fn counts(&self) -> (Estimate, Estimate) {
        let (distinct, mut unique) = self.sample.count(self.spellings.known());
        unique.value += u64::from(self.spellings.missing() == 1);
        (distinct, unique)
    }

    /// What the column is, as far as it was read.
    pub(super) fn facts<'a>(&self, name: &'a str, inferred: &Inferred) -> Facts<'a> {
        let (distinct, unique) = self.counts();
        self.spellings.facts(name, inferred.kind, distinct.value, unique.value)
    }
}

/// How things stood before a batch.
struct Start {
    numbered: bool,
    rows: usize,
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

fn spell(spellings: &mut Spellings, number: i64) -> Spelling {
    spellings.see_number(number);
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
mod tests;
