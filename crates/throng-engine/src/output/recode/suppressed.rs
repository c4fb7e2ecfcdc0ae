//! Which rows of a batch are in a class that is left out.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Rows that are looked up at once by one core.
const CHUNK: usize = 2048;

/// Classes that are left out, as rows of generalised values.
pub(super) struct SuppressedClasses {
    /// Bits of the values of each column; none where a class does not fit in a word.
    bits: Option<Vec<u32>>,
    packed: FxHashSet<u128>,
    wide: FxHashSet<Vec<u32>>,
}

impl SuppressedClasses {
    pub(super) fn new(classes: Vec<Vec<u32>>) -> SuppressedClasses {
        let columns = classes.first().map_or(0, Vec::len);
        let largest = |column: usize| classes.iter().map(|class| class[column]).max().unwrap_or(0);
        let bits: Vec<u32> = (0..columns).map(|column| u32::BITS - largest(column).leading_zeros()).collect();
        if bits.iter().sum::<u32>() > u128::BITS {
            return SuppressedClasses {
                bits: None,
                packed: FxHashSet::default(),
                wide: classes.into_iter().collect(),
            };
        }
        let pack =
            |class: Vec<u32>| class.iter().zip(&bits).fold(0, |key, (&value, &bits)| put(key, value, bits));
        let packed = classes.into_iter().map(pack).collect();
        SuppressedClasses { bits: Some(bits), packed, wide: FxHashSet::default() }
    }

    /// Which of so many rows are in one of the classes; nothing if there is none. A column is the codes of its rows,
    /// and the generalised value of each code.
    pub(super) fn rows(&self, columns: &[(&[u32], &[u32])], rows: usize) -> Option<Vec<bool>> {
        if self.packed.is_empty() && self.wide.is_empty() {
            return None;
        }
        let mut suppressed = vec![false; rows];
        suppressed.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, suppressed)| match &self.bits {
            Some(bits) => self.find_packed(bits, columns, chunk * CHUNK, suppressed),
            None => self.find_wide(columns, chunk * CHUNK, suppressed),
        });
        Some(suppressed)
    }

    fn find_packed(&self, bits: &[u32], columns: &[(&[u32], &[u32])], start: usize, suppressed: &mut [bool]) {
        let mut keys: Vec<Option<u128>> = vec![Some(0); suppressed.len()];
        for (&bits, (codes, values)) in bits.iter().zip(columns) {
            for (key, &code) in keys.iter_mut().zip(&codes[start..]) {
                let value = values[code as usize];
                // A value that no class has needs more bits than those of all classes.
                let fits = u32::BITS - value.leading_zeros() <= bits;
                *key = key.filter(|_| fits).map(|key| put(key, value, bits));
            }
        }
        let is_suppressed = |key: Option<u128>| key.is_some_and(|key| self.packed.contains(&key));
        suppressed.iter_mut().zip(keys).for_each(|(suppressed, key)| *suppressed = is_suppressed(key));
    }

    fn find_wide(&self, columns: &[(&[u32], &[u32])], start: usize, suppressed: &mut [bool]) {
        let mut class = vec![0; columns.len()];
        for (row, suppressed) in (start..).zip(suppressed) {
            for (value, (codes, values)) in class.iter_mut().zip(columns) {
                *value = values[codes[row] as usize];
            }
            *suppressed = self.wide.contains(class.as_slice());
        }
    }
}

fn put(key: u128, value: u32, bits: u32) -> u128 {
    key << bits | u128::from(value)
}

#[cfg(test)]
mod tests {
    use throng::random::Random;

    use super::*;

    /// Few columns and so many that a class is wider than a word; values that are in no class, too.
    #[test]
    fn rows_are_found_in_their_classes() {
        for (columns, rows) in [(1, 10), (3, 5_000), (40, 3_000)] {
            let mut random = Random::new(columns as u64);
            let values: Vec<u32> = vec![3, 900, 7, 3, 0, 5_000];
            let codes: Vec<Vec<u32>> = (0..columns)
                .map(|_| (0..rows).map(|row| if row % 2 == 0 { 1 } else { random.below(6) as u32 }).collect())
                .collect();
            let class =
                |row: usize| -> Vec<u32> { codes.iter().map(|codes| values[codes[row] as usize]).collect() };
            // None has the largest value.
            let classes: Vec<Vec<u32>> =
                (0..rows).step_by(3).map(class).filter(|c| !c.contains(&5_000)).collect();
            let expected: Vec<bool> = (0..rows).map(|row| classes.contains(&class(row))).collect();
            assert!(expected.contains(&true) && expected.contains(&false));
            let of_columns: Vec<(&[u32], &[u32])> =
                codes.iter().map(|codes| (codes.as_slice(), values.as_slice())).collect();
            assert_eq!(SuppressedClasses::new(classes).rows(&of_columns, rows), Some(expected));
        }
        assert_eq!(SuppressedClasses::new(Vec::new()).rows(&[], 5), None);
    }
}
