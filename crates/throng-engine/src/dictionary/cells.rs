//! Codes of cells, found without looking at the text of each.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray, StringArray, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::{
    DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use rustc_hash::FxHashMap;

use super::text::{as_text, try_each};

/// No code yet.
const UNKNOWN: u32 = u32::MAX;

/// What was found of one column so far: a value that a file lists, or a number, is spelled and looked up once,
/// not in every cell.
#[derive(Default)]
pub(crate) struct CellCodes {
    /// The list of values at hand, and the code of each that was met. It is held, so that no other list can be at
    /// its address.
    list: Option<(ArrayRef, Vec<u32>)>,
    numbers: NumberCodes,
    missing: Option<u32>,
}

/// A cell has no code; its place in the array, if known.
pub(crate) struct NoCode(pub(crate) Option<usize>);

impl CellCodes {
    /// The codes of all cells in the place of `codes`; `find` gives that of a text, and of the place where it is
    /// first met in the array. A null is the empty text.
    pub(crate) fn find_all(
        &mut self,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
        mut find: impl FnMut(&[u8], usize) -> Option<u32>,
    ) -> Result<(), NoCode> {
        codes.clear();
        match array.data_type() {
            DataType::Dictionary(place, value)
                if (&**place, &**value) == (&DataType::Int32, &DataType::Utf8) =>
            {
                self.find_listed(array, codes, find)
            }
            DataType::Date32 => self.find_numbers::<Date32Type>(array, codes, find),
            DataType::Int8 => self.find_numbers::<Int8Type>(array, codes, find),
            DataType::Int16 => self.find_numbers::<Int16Type>(array, codes, find),
            DataType::Int32 => self.find_numbers::<Int32Type>(array, codes, find),
            DataType::Int64 => self.find_numbers::<Int64Type>(array, codes, find),
            DataType::UInt8 => self.find_numbers::<UInt8Type>(array, codes, find),
            DataType::UInt16 => self.find_numbers::<UInt16Type>(array, codes, find),
            DataType::UInt32 => self.find_numbers::<UInt32Type>(array, codes, find),
            _ => {
                codes.reserve(array.len());
                try_each(&as_text(array).ok_or(NoCode(None))?, |value| {
                    let place = codes.len();
                    codes.push(find(value, place).ok_or(NoCode(Some(place)))?);
                    Ok(())
                })
            }
        }
    }

    /// Cells that are places in a list of values.
    fn find_listed(
        &mut self,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
        mut find: impl FnMut(&[u8], usize) -> Option<u32>,
    ) -> Result<(), NoCode> {
        let cells = array.as_dictionary::<Int32Type>();
        let CellCodes { list, missing, .. } = self;
        if !list.as_ref().is_some_and(|(known, _)| is_same(known.as_string(), cells.values().as_string())) {
            *list = Some((Arc::clone(cells.values()), vec![UNKNOWN; cells.values().len()]));
        }
        let (values, known) = list.as_mut().expect("it was just made");
        let values: &StringArray = values.as_string();
        for (place, cell) in cells.keys().iter().enumerate() {
            let cell = cell.map(|cell| cell as usize).filter(|&cell| values.is_valid(cell));
            let (slot, text) = match cell {
                Some(cell) => (&mut known[cell], values.value(cell).as_bytes()),
                None => (missing.get_or_insert(UNKNOWN), &b""[..]),
            };
            if *slot == UNKNOWN {
                *slot = find(text, place).ok_or(NoCode(Some(place)))?;
            }
            codes.push(*slot);
        }
        Ok(())
    }

    fn find_numbers<T>(
        &mut self,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
        mut find: impl FnMut(&[u8], usize) -> Option<u32>,
    ) -> Result<(), NoCode>
    where
        T: ArrowPrimitiveType<Native: Into<i64>>,
    {
        let cells: &PrimitiveArray<T> = array.as_primitive();
        let mut new: Vec<u32> = Vec::new();
        for (place, cell) in cells.iter().enumerate() {
            let known = match cell {
                Some(number) => self.numbers.code(number.into()),
                None => self.missing.unwrap_or(UNKNOWN),
            };
            if known == UNKNOWN {
                new.push(place as u32);
            }
            codes.push(known);
        }
        if new.is_empty() {
            return Ok(());
        }
        // All that are new at once: spelling one number takes as long as starting to.
        let new = UInt32Array::from(new);
        let texts = take(array, &new, None).ok().and_then(|cells| as_text(&cells)).ok_or(NoCode(None))?;
        let mut places = new.values().iter().map(|&place| place as usize);
        try_each(&texts, |text| {
            let place = places.next().expect("a text for each place");
            let code = find(text, place).ok_or(NoCode(Some(place)))?;
            match cells.is_valid(place) {
                true => self.numbers.note(cells.value(place).into(), code),
                false => self.missing = Some(code),
            }
            codes[place] = code;
            Ok(())
        })
    }
}

/// Whether two lists are the same one.
fn is_same(one: &StringArray, other: &StringArray) -> bool {
    let at = |list: &StringArray| (list.values().as_ptr(), list.offsets().as_ptr(), list.len());
    at(one) == at(other)
}

/// Codes of numbers: of those near zero, such as days and ages, by place.
#[derive(Default)]
struct NumberCodes {
    near: Vec<u32>,
    far: FxHashMap<i64, u32>,
}

impl NumberCodes {
    /// The least number that is near, and how many are.
    const NEAR: (i64, i64) = (-(1 << 17), 1 << 20);

    #[inline]
    fn code(&self, number: i64) -> u32 {
        let place = number.wrapping_sub(Self::NEAR.0) as usize;
        match self.near.get(place) {
            Some(&code) => code,
            None => self.far.get(&number).copied().unwrap_or(UNKNOWN),
        }
    }

    fn note(&mut self, number: i64, code: u32) {
        match number.checked_sub(Self::NEAR.0).filter(|place| (0..Self::NEAR.1).contains(place)) {
            Some(place) => {
                let place = place as usize;
                if self.near.len() <= place {
                    self.near.resize(place + 1, UNKNOWN);
                }
                self.near[place] = code;
            }
            None => _ = self.far.insert(number, code),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{DictionaryArray, Int64Array};
    use throng::random::Random;

    use super::super::Dictionary;
    use super::*;

    /// Whatever the cells are and however they are cut, codes and first rows are those of their texts.
    fn assert_like_texts(arrays: &[ArrayRef]) {
        let (mut by_cells, mut by_text) = (Dictionary::default(), Dictionary::default());
        let (mut cells, mut codes) = (CellCodes::default(), Vec::new());
        let mut before = 0;
        for array in arrays {
            let found = cells.find_all(array, &mut codes, |text, place| {
                by_cells.intern(text, (before + place) as u32 + 1)
            });
            assert!(found.is_ok());
            let mut expected = Vec::new();
            let each = |text: &[u8]| {
                expected.push(by_text.intern(text, (before + expected.len()) as u32 + 1).ok_or(())?);
                Ok::<(), ()>(())
            };
            try_each(&as_text(array).unwrap(), each).unwrap();
            assert_eq!(codes, expected);
            before += array.len();
        }
        assert_eq!(by_cells.values().collect::<Vec<_>>(), by_text.values().collect::<Vec<_>>());
        assert!((0..by_text.len() as u32).all(|code| by_cells.first_row(code) == by_text.first_row(code)));
        assert!(by_text.len() > 1);
    }

    #[test]
    fn numbers_near_and_far() {
        let mut random = Random::new(5);
        let number = |random: &mut Random| match random.below(4) {
            0 => None,
            1 => Some(i64::MIN + random.below(3) as i64),
            2 => Some(i64::MAX - random.below(3) as i64),
            _ => Some(random.below(400_000) as i64 - 200_000),
        };
        let mut array =
            || Arc::new((0..500).map(|_| number(&mut random)).collect::<Int64Array>()) as ArrayRef;
        assert_like_texts(&[array(), array(), array()]);
    }

    #[test]
    fn lists_of_values() {
        let list = |values: &[Option<&str>]| {
            Arc::new(values.iter().copied().collect::<DictionaryArray<Int32Type>>()) as ArrayRef
        };
        let one = list(&[Some("b"), None, Some("a"), Some("b"), Some("")]);
        assert_like_texts(&[one.slice(0, 2), one.slice(2, 3), list(&[Some("c"), Some("a"), None]), one]);
    }
}
