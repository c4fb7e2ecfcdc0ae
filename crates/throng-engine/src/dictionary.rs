//! The distinct values of one column, numbered.
//!
//! Values are kept end to end in one string and found through a table of codes, so a value costs
//! its text and a few words, and looking one up allocates nothing.

mod cells;
mod text;

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use arrow::array::ArrayRef;
use rayon::slice::ParallelSliceMut;
use rustc_hash::{FxHashMap, FxHasher};
use throng::privacy::folded;
use throng::taxonomy::Coding;

use crate::error::{EngineError, Result};
pub(crate) use cells::{CellCodes, NoCode};
pub use text::{as_text, is_textual, try_each};

/// The distinct values of one column, with codes 0, 1, …
///
/// A missing value is a value of its own: the empty text. (Text cannot tell an empty cell from a
/// missing one, so columns that could are treated alike.)
#[derive(Clone, Default)]
pub struct Dictionary {
    text: String,
    /// Where each value ends in `text`.
    ends: Vec<usize>,
    /// Row (1-based) in which each value was first seen.
    first_rows: Vec<u64>,
    /// Open addressing with linear probing; a power of two, at most half full.
    slots: Vec<Slot>,
    /// Values that are another one here, and its code.
    aliases: FxHashMap<Vec<u8>, u32>,
    /// Numbers beyond its bounds are found under its labels.
    coding: Option<Arc<Coding>>,
    /// Texts of the table that are found under such a label, and its code.
    beyond: Vec<(Box<str>, u32)>,
}

/// A code with some bits of its value's hash, which spare most comparisons of text.
#[derive(Clone, Copy)]
struct Slot {
    tag: u32,
    code: u32,
}

pub(crate) use crate::error::NO_ROW;

const VACANT: Slot = Slot { tag: 0, code: u32::MAX };

impl Dictionary {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes that its values take.
    pub(crate) fn held_bytes(&self) -> u64 {
        let of_value = size_of::<usize>() + size_of::<u32>();
        (self.text.len() + self.ends.len() * of_value + self.slots.len() * size_of::<Slot>()) as u64
    }

    /// The value with a code.
    ///
    /// # Panics
    /// If no value has this code.
    pub fn value(&self, code: u32) -> &str {
        let at = code as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// All values, by code.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|code| self.value(code as u32))
    }

    /// The code of a value.
    pub fn code(&self, value: &str) -> Option<u32> {
        self.find_any(value.as_bytes())
    }

    /// The code that stands for missing values, if any is missing.
    pub fn missing(&self) -> Option<u32> {
        self.code("")
    }

    /// The row (1-based) in which a value was first seen.
    ///
    /// # Panics
    /// If no value has this code.
    pub fn first_row(&self, code: u32) -> u64 {
        self.first_rows[code as usize]
    }

    /// Gives the first rows of all values other numbers.
    pub(crate) fn number_rows(&mut self, number: impl Fn(u64) -> u64) {
        self.first_rows.iter_mut().for_each(|row| *row = number(*row));
    }

    /// The codes of a column of another scan of the same file.
    ///
    /// # Errors
    /// If a value is not in the dictionary: the file is not what it was in the first scan.
    pub fn encode_array(&self, array: &ArrayRef) -> Result<Vec<u32>> {
        let mut codes = Vec::new();
        self.encode_with(&mut CellCodes::default(), array, &mut codes)?;
        Ok(codes)
    }

    /// The same in the place of `codes`, remembering what was found of the column for its next cells.
    ///
    /// # Errors
    /// As of [`encode_array`](Self::encode_array).
    pub(crate) fn encode_with(
        &self,
        cells: &mut CellCodes,
        array: &ArrayRef,
        codes: &mut Vec<u32>,
    ) -> Result<()> {
        cells.find_all(array, codes, |value, _| self.find_any(value)).map_err(|_| changed())
    }

    /// The code of a value seen in `row`, which is new if the value is; nothing if it is no text.
    pub fn intern(&mut self, value: &[u8], row: u32) -> Option<u32> {
        self.intern_at(value, row.into())
    }

    /// The same of a table that was read before: a value that was merged or coded has the code of what it became.
    pub(crate) fn intern_again(&mut self, value: &[u8], row: u32) -> Option<u32> {
        self.find_any(value).or_else(|| self.intern(value, row))
    }

    /// The same as [`intern`](Self::intern) in a row of any number.
    #[inline]
    pub(crate) fn intern_at(&mut self, value: &[u8], row: u64) -> Option<u32> {
        if self.slots.len() < 2 * (self.ends.len() + 1) {
            self.grow();
        }
        let hash = hash(value);
        match self.find(value, hash) {
            Ok(code) => Some(code),
            Err(slot) => {
                // The reader checks a batch as a whole, so a character that two cells share
                // between them comes through; it must not become text.
                self.text.push_str(std::str::from_utf8(value).ok()?);
                let code = self.ends.len() as u32;
                self.ends.push(self.text.len());
                self.first_rows.push(row);
                self.slots[slot] = Slot { tag: tag(hash), code };
                Some(code)
            }
        }
    }

    /// The same values with codes in the order of their text, and the new code of each old one.
    pub(crate) fn sorted(self) -> (Dictionary, Vec<u32>) {
        let values = self.values().zip(0..).map(|(value, code)| (prefix(value), code));
        let mut order: Vec<(u64, u32)> = values.collect();
        order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.value(a.1).cmp(self.value(b.1))));
        let mut ranks = vec![0; order.len()];
        let mut sorted = Dictionary {
            text: String::with_capacity(self.text.len()),
            ends: Vec::with_capacity(order.len()),
            first_rows: Vec::with_capacity(order.len()),
            slots: Vec::new(),
            aliases: FxHashMap::default(),
            coding: self.coding.clone(),
            beyond: Vec::new(),
        };
        for (rank, &(_, code)) in order.iter().enumerate() {
            ranks[code as usize] = rank as u32;
            sorted.text.push_str(self.value(code));
            sorted.ends.push(sorted.text.len());
            sorted.first_rows.push(self.first_rows[code as usize]);
        }
        drop(self);
        sorted.grow();
        (sorted, ranks)
    }

    /// The values of several dictionaries, in the order of their text, each with its first row in any; and for the
    /// codes of each dictionary the new ones.
    pub(crate) fn all_sorted(parts: Vec<Dictionary>) -> (Dictionary, Vec<Vec<u32>>) {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        let mut codes: Vec<Vec<u32>> = vec![(0..all.len() as u32).collect()];
        for part in parts {
            let add = |(value, &row): (&str, &u64)| {
                let code = all.intern_at(value.as_bytes(), row).expect("a value is text");
                let first = &mut all.first_rows[code as usize];
                *first = row.min(*first);
                code
            };
            codes.push(part.values().zip(&part.first_rows).map(add).collect());
        }
        let (sorted, ranks) = all.sorted();
        codes.iter_mut().flatten().for_each(|code| *code = ranks[*code as usize]);
        (sorted, codes)
    }

    /// The values of two dictionaries, in the order of their text; and for the codes of each the new ones.
    /// A value that both have keeps the row of the first.
    pub(crate) fn united(&self, other: &Dictionary) -> (Dictionary, [Vec<u32>; 2]) {
        let mut all = Dictionary { coding: self.coding.clone(), ..Dictionary::default() };
        let mut add = |one: &Dictionary| -> Vec<u32> {
            let values = one.values().zip(&one.first_rows);
            values
                .map(|(value, &row)| all.intern_at(value.as_bytes(), row).expect("a value is text"))
                .collect()
        };
        let codes = [add(self), add(other)];
        let (mut sorted, ranks) = all.sorted();
        let codes =
            codes.map(|codes| codes.into_iter().map(|code| ranks[code as usize]).collect::<Vec<u32>>());
        let beyond = self.beyond.iter().map(|(text, code)| (text.clone(), codes[0][*code as usize]));
        sorted.beyond = beyond.collect();
        (sorted, codes)
    }

    /// The same values but for some, which all become `label`; and the new code of each old one.
    pub(crate) fn merged(&self, codes: &[u32], label: &str) -> (Dictionary, Vec<u32>) {
        let mut all = Dictionary::default();
        let mut is_merged = vec![false; self.len()];
        codes.iter().for_each(|&code| is_merged[code as usize] = true);
        // In the order of the rows, so that a value is first seen where it was.
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&code| self.first_row(code));
        let mut new = vec![0; self.len()];
        for code in order {
            let text = if is_merged[code as usize] { label } else { self.value(code) };
            let row = self.first_rows[code as usize];
            new[code as usize] = all.intern_at(text.as_bytes(), row).expect("a value is text");
        }
        let (mut sorted, ranks) = all.sorted();
        new.iter_mut().for_each(|code| *code = ranks[*code as usize]);
        let alias = |&code: &u32| (self.value(code).as_bytes().to_vec(), new[code as usize]);
        sorted.aliases = codes.iter().map(alias).collect();
        (sorted, new)
    }

    /// The code of the value that others were [merged](Self::merged) into, if any were.
    pub(crate) fn merged_code(&self) -> Option<u32> {
        self.aliases.values().copied().next()
    }

    /// The same values where [spellings of one](throng::privacy::folded) are one, and the new code of each old one; none
    /// if none is spelled in several ways. The first in the order of texts stands for the others, the empty text for what
    /// is nothing but white space.
    pub(crate) fn folded(&self) -> Option<(Dictionary, Vec<u32>)> {
        let mut first_of: FxHashMap<Cow<'_, str>, &str> = FxHashMap::default();
        first_of.insert(Cow::Borrowed(""), "");
        let mut first = |value| *first_of.entry(folded(value)).or_insert(value);
        let firsts: Vec<&str> = self.values().map(&mut first).collect();
        if self.values().zip(&firsts).all(|(value, first)| value == *first) {
            return None;
        }
        let mut all = Dictionary::default();
        let mut new: Vec<u32> = Vec::with_capacity(firsts.len());
        for (first, &row) in firsts.iter().zip(&self.first_rows) {
            let code = all.intern_at(first.as_bytes(), row).expect("a value is text");
            let first_row = &mut all.first_rows[code as usize];
            *first_row = row.min(*first_row);
            new.push(code);
        }
        let (mut sorted, ranks) = all.sorted();
        new.iter_mut().for_each(|code| *code = ranks[*code as usize]);
        let alias = |(value, &code): (&str, &u32)| (value.as_bytes().to_vec(), code);
        let others = self.values().zip(&new).filter(|(value, code)| sorted.value(**code) != *value);
        sorted.aliases = others.map(alias).collect();
        Some((sorted, new))
    }

    /// Whether spellings of one value are [one here](Self::folded).
    pub(crate) fn is_folded(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// The same values where those beyond the bounds of a coding are its labels, sorted; and the new code of each
    /// old one.
    pub(crate) fn with_coding(&self, coding: Coding) -> (Dictionary, Vec<u32>) {
        let mut coded = Dictionary { coding: Some(Arc::new(coding)), ..Dictionary::default() };
        let values = self.values().zip(&self.first_rows);
        let codes: Vec<u32> = values
            .map(|(value, &row)| {
                let value = coded.coded(value.as_bytes()).to_vec();
                coded.intern_at(&value, row).expect("a value is text")
            })
            .collect();
        let (mut sorted, ranks) = coded.sorted();
        let codes: Vec<u32> = codes.into_iter().map(|code| ranks[code as usize]).collect();
        let replaced = self.values().zip(&codes).filter(|(value, code)| sorted.value(**code) != *value);
        let beyond = replaced.map(|(value, &code)| (value.into(), code)).collect();
        sorted.beyond = beyond;
        (sorted, codes)
    }

    /// The same values where others take the place of some, sorted; and the new code of each old one.
    pub(crate) fn replaced(&self, replace: impl Fn(&str) -> Option<String>) -> (Dictionary, Vec<u32>) {
        let mut all = Dictionary::default();
        let values = self.values().zip(&self.first_rows);
        let codes: Vec<u32> = values
            .map(|(value, &row)| {
                let value = replace(value).map_or(Cow::Borrowed(value), Cow::Owned);
                let code = all.intern_at(value.as_bytes(), row).expect("a value is text");
                let first_row = &mut all.first_rows[code as usize];
                *first_row = row.min(*first_row);
                code
            })
            .collect();
        let (sorted, ranks) = all.sorted();
        (sorted, codes.into_iter().map(|code| ranks[code as usize]).collect())
    }

    /// Every text of the table that is found here, with its code: also those that were merged or coded. The labels of
    /// these are among them, whether the table has them or not.
    pub(crate) fn originals(&self) -> impl Iterator<Item = (&str, u32)> {
        let merged = self.aliases.iter().map(|(text, &code)| (text.as_slice(), code));
        // They come from values, which are text.
        let merged = merged.filter_map(|(text, code)| Some((std::str::from_utf8(text).ok()?, code)));
        let beyond = self.beyond.iter().map(|(text, code)| (text.as_ref(), *code));
        self.values().zip(0..).chain(merged).chain(beyond)
    }

    /// Whether values may be others than the cells of the table.
    pub(crate) fn is_coded(&self) -> bool {
        self.coding.is_some()
    }

    /// What a value is found under.
    fn coded<'v>(&'v self, value: &'v [u8]) -> &'v [u8] {
        let label = self.coding.as_ref().and_then(|coding| coding.label(std::str::from_utf8(value).ok()?));
        label.map_or(value, str::as_bytes)
    }

    /// The code of a value, or of the one that it was merged into.
    fn find_any(&self, value: &[u8]) -> Option<u32> {
        let value = self.coded(value);
        let found = self.find(value, hash(value)).ok();
        found.or_else(|| self.aliases.get(value).copied())
    }

    /// The code of a value, or the slot where it belongs.
    ///
    /// An empty table gives slot 0, which only [`Dictionary::intern`] may use, as it grows first.
    fn find(&self, value: &[u8], hash: u64) -> std::result::Result<u32, usize> {
        let Some(mask) = self.slots.len().checked_sub(1) else {
            return Err(0);
        };
        let tag = tag(hash);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.code == VACANT.code {
                return Err(at);
            }
            if slot.tag == tag && self.value(slot.code).as_bytes() == value {
                return Ok(slot.code);
            }
            at = (at + 1) & mask;
        }
    }

    /// Rebuilds the table with room for as many values again.
    fn grow(&mut self) {
        let mask = (4 * self.ends.len()).next_power_of_two().max(16) - 1;
        let mut slots = vec![VACANT; mask + 1];
        for code in 0..self.ends.len() as u32 {
            let hash = hash(self.value(code).as_bytes());
            let mut at = hash as usize & mask;
            while slots[at].code != VACANT.code {
                at = (at + 1) & mask;
            }
            slots[at] = Slot { tag: tag(hash), code };
        }
        self.slots = slots;
    }
}

impl fmt::Debug for Dictionary {
    /// Shows no value: they are people's data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("len", &self.len()).finish_non_exhaustive()
    }
}

fn hash(value: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(value);
    hasher.finish()
}

/// The start of a value as a number: numbers that differ are in the order of their values.
fn prefix(value: &str) -> u64 {
    let mut start = [0; 8];
    let length = value.len().min(8);
    start[..length].copy_from_slice(&value.as_bytes()[..length]);
    u64::from_be_bytes(start)
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn changed() -> EngineError {
    EngineError::bad("the input changed while it was being read")
}

/// The dictionary of a column of these values, one in each row.
#[cfg(test)]
pub(crate) fn of_values(values: &[&str]) -> Dictionary {
    let mut dictionary = Dictionary::default();
    for (row, value) in values.iter().enumerate() {
        dictionary.intern(value.as_bytes(), row as u32 + 1).unwrap();
    }
    dictionary
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, StringArray};

    use super::of_values as dictionary;
    use super::*;

    #[test]
    fn codes_are_given_in_the_order_of_sight() {
        let dictionary = dictionary(&["b", "a", "b", "", "a"]);
        assert_eq!(dictionary.values().collect::<Vec<_>>(), ["b", "a", ""]);
        assert_eq!([0, 1, 2].map(|code| dictionary.first_row(code)), [1, 2, 4]);
        assert_eq!((dictionary.code("a"), dictionary.code("c")), (Some(1), None));
        assert_eq!(dictionary.missing(), Some(2));
        assert_eq!(Dictionary::default().code("a"), None);
    }

    #[test]
    fn sorting_keeps_rows_and_maps_codes() {
        let (sorted, ranks) = dictionary(&["b", "a", "", "c"]).sorted();
        assert_eq!(sorted.values().collect::<Vec<_>>(), ["", "a", "b", "c"]);
        assert_eq!(ranks, [2, 1, 0, 3]);
        assert_eq!(sorted.first_row(2), 1);
        assert_eq!((sorted.code("c"), sorted.missing()), (Some(3), Some(0)));
    }

    #[test]
    fn merged_values_are_one() {
        let (sorted, _) = dictionary(&["c", "a", "", "d", "b"]).sorted();
        let (merged, codes) = sorted.merged(&[2, 4], "*");
        assert_eq!(merged.values().collect::<Vec<_>>(), ["", "*", "a", "c"]);
        assert_eq!(codes, [0, 2, 1, 3, 1]);
        assert_eq!((merged.code("b"), merged.code("d"), merged.code("*")), (Some(1), Some(1), Some(1)));
        assert_eq!((merged.code("e"), merged.merged_code(), merged.first_row(1)), (None, Some(1), 4));
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("d"), None, Some("a")]));
        assert_eq!(merged.encode_array(&text).unwrap(), [1, 0, 2]);
    }

    #[test]
    fn spellings_of_one_value_are_one() {
        let (sorted, _) = dictionary(&["hiv", "flu", "  ", "HIV ", "HIV", "Flu"]).sorted();
        assert_eq!(sorted.values().collect::<Vec<_>>(), ["  ", "Flu", "HIV", "HIV ", "flu", "hiv"]);
        let (folded, codes) = sorted.folded().unwrap();
        assert_eq!(folded.values().collect::<Vec<_>>(), ["", "Flu", "HIV"]);
        assert_eq!(codes, [0, 1, 2, 2, 1, 2]);
        assert_eq!([0, 1, 2].map(|code| folded.first_row(code)), [3, 2, 1]);
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("HIV "), None, Some("flu"), Some("  ")]));
        assert_eq!(folded.encode_array(&text).unwrap(), [2, 0, 1, 0]);
        assert!(folded.is_folded() && folded.missing() == Some(0));
        assert!(dictionary(&["hiv", "flu", ""]).folded().is_none(), "nothing to do");
    }

    #[test]
    fn what_only_one_has_goes_between_the_values_of_the_other() {
        let (ours, _) = dictionary(&["d", "b"]).sorted();
        let (theirs, _) = dictionary(&["c", "", "b", "e"]).sorted();
        let (all, [of_ours, of_theirs]) = ours.united(&theirs);
        assert_eq!(all.values().collect::<Vec<_>>(), ["", "b", "c", "d", "e"]);
        assert_eq!((of_ours, of_theirs), (vec![1, 3], vec![0, 1, 2, 4]));
        assert_eq!([0, 1, 2, 3, 4].map(|code| all.first_row(code)), [2, 2, 1, 1, 4]);
    }

    #[test]
    fn several_become_one_with_the_first_rows_of_all() {
        let mut later = Dictionary::default();
        for (value, row) in [("b", 7), ("a", 8), ("d", 9)] {
            later.intern(value.as_bytes(), row).unwrap();
        }
        let (all, codes) = Dictionary::all_sorted(vec![later, dictionary(&["c", "", "b"])]);
        assert_eq!(all.values().collect::<Vec<_>>(), ["", "a", "b", "c", "d"]);
        assert_eq!(codes, [vec![2, 1, 4], vec![3, 0, 2]]);
        assert_eq!([0, 1, 2, 3, 4].map(|code| all.first_row(code)), [2, 8, 3, 1, 9]);
    }

    #[test]
    fn sorting_is_by_bytes_beyond_the_prefix() {
        let values = ["12345678b", "a\0", "é", "12345678a", "a", "12345678", "Z"];
        let (sorted, _) = dictionary(&values).sorted();
        let mut expected = values;
        expected.sort_unstable();
        assert_eq!(sorted.values().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn many_values_stay_apart() {
        let mut dictionary = Dictionary::default();
        for value in 0..50_000u32 {
            assert_eq!(dictionary.intern(value.to_string().as_bytes(), 1), Some(value));
        }
        for value in (0..50_000u32).step_by(7) {
            assert_eq!(dictionary.code(&value.to_string()), Some(value));
            assert_eq!(dictionary.intern(value.to_string().as_bytes(), 2), Some(value));
        }
        assert_eq!((dictionary.len(), dictionary.code("50000")), (50_000, None));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let mut dictionary = dictionary(&["a"]);
        assert_eq!(dictionary.intern(b"\xc3", 2), None);
        assert_eq!((dictionary.len(), dictionary.intern(b"b", 3)), (1, Some(1)));
    }

    #[test]
    fn a_second_scan_finds_its_codes() {
        let dictionary = dictionary(&["7", "", "12"]);
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("12"), None, Some("7")]));
        assert_eq!(dictionary.encode_array(&text).unwrap(), [2, 1, 0]);
        let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(7), Some(12), None]));
        assert_eq!(dictionary.encode_array(&numbers).unwrap(), [0, 2, 1]);
        let unseen: ArrayRef = Arc::new(StringArray::from(vec!["secret"]));
        let message = dictionary.encode_array(&unseen).unwrap_err().to_string();
        assert_eq!(message, "the input changed while it was being read");
    }

    #[test]
    fn numbers_beyond_bounds_are_one_value() {
        let plain = dictionary(&["95", "17", "90", "42", ""]);
        let (coded, codes) = plain.with_coding(Coding::new(Some(18.0), Some(90.0)).unwrap());
        assert_eq!(coded.values().collect::<Vec<_>>(), ["", "42", "90+", "≤18"]);
        assert_eq!(codes, [2, 3, 2, 1, 0]);
        assert_eq!([2, 3, 1].map(|code| coded.first_row(code)), [1, 2, 4]);
        assert_eq!((coded.code("104"), coded.code("90+"), coded.code("18")), (Some(2), Some(2), Some(3)));
        let text: ArrayRef = Arc::new(StringArray::from(vec![Some("91"), None, Some("42")]));
        assert_eq!(coded.encode_array(&text).unwrap(), [2, 0, 1]);
        let mut again = coded.clone();
        let codes = ["104", "17", "42", "43"].map(|value| again.intern_again(value.as_bytes(), 1));
        assert_eq!(codes, [Some(2), Some(3), Some(1), Some(4)]);
    }

    #[test]
    fn debug_shows_no_value() {
        assert!(!format!("{:?}", dictionary(&["secret"])).contains("secret"));
    }
}
