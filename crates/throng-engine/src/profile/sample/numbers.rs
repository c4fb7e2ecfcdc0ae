//! Small numbers for the keys of a sample, as long as it keeps all of them.

use super::DistinctSample;

/// What a key gets when the sample has no numbers, or no longer.
const NO_NUMBER: u32 = u32::MAX;

/// Numbers of keys in the order of sight. Number 0 stands for a key that is in no slot.
#[derive(Clone, Debug, Default)]
pub(super) struct KeyNumbers {
    /// The number of the key in each slot; as long as the slots, or empty if keys have no numbers.
    pub(super) by_slot: Vec<u32>,
    /// The key of each number, in full. They stay when the numbers go.
    pub(super) keys: Vec<u64>,
}

impl KeyNumbers {
    /// Numbers the key that has just taken a slot.
    pub(super) fn give(&mut self, slot: usize, key: u64) {
        if let Some(number) = self.by_slot.get_mut(slot) {
            *number = self.keys.len() as u32;
            self.keys.push(key);
        }
    }

    /// The number of the key in a slot.
    #[inline]
    pub(super) fn number(&self, slot: usize) -> u32 {
        self.by_slot.get(slot).copied().unwrap_or(NO_NUMBER)
    }
}

impl DistinctSample {
    /// Numbers the keys from now on, and gives the numbers of the rows so far: `rows` are the keys
    /// of all of them, with `zero` for those that were never met. Nothing if keys went already.
    pub(in crate::profile) fn number(&mut self, zero: u64, rows: &[u64]) -> Option<Vec<u32>> {
        if self.level > 0 {
            return None;
        }
        self.numbers = KeyNumbers { by_slot: vec![0; self.slots.len()], keys: vec![zero] };
        let number = |&key: &u64| {
            if key == zero {
                return 0;
            }
            let slot = self.find(key).expect("the key of every row was met");
            if self.numbers.number(slot) == 0 {
                self.numbers.give(slot, key);
            }
            self.numbers.number(slot)
        };
        Some(rows.iter().map(number).collect())
    }

    /// Whether every key has a number.
    pub(in crate::profile) fn is_numbered(&self) -> bool {
        !self.numbers.by_slot.is_empty()
    }

    /// The key of each number that was given, in full, also after numbers were given up.
    pub(in crate::profile) fn numbered_keys(&self) -> &[u64] {
        &self.numbers.keys
    }

    /// Meets the key of a row; gives its tag and its number.
    #[inline]
    pub(in crate::profile) fn meet_numbered(&mut self, hash: u64, tag: impl FnOnce() -> u8) -> (u8, u32) {
        if hash > self.highest {
            return (tag(), NO_NUMBER);
        }
        match self.find(hash) {
            Ok(slot) => (self.meet_again(slot), self.numbers.number(slot)),
            Err(slot) => {
                let number = if self.is_numbered() { self.numbers.keys.len() as u32 } else { NO_NUMBER };
                (self.take(slot, hash, tag()), number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::mix;
    use super::*;

    const ZERO: u64 = 77;

    #[test]
    fn keys_keep_their_numbers_while_the_table_grows() {
        let mut sample = DistinctSample::new(1_000);
        let first: Vec<u64> = [5, 6, 5, 7].map(mix).to_vec();
        first.iter().for_each(|&key| {
            sample.meet(key, || 3);
        });
        let rows = [first[0], ZERO, first[1], first[2], first[3]];
        assert_eq!(sample.number(ZERO, &rows), Some(vec![1, 0, 2, 1, 3]));
        for key in 0..900 {
            let (tag, number) = sample.meet_numbered(mix(key + 100), || 9);
            assert_eq!((tag, number), (9, key as u32 + 4));
        }
        assert_eq!(sample.meet_numbered(mix(6), || 0), (3, 2));
        assert_eq!(sample.meet_numbered(mix(500), || 0), (9, 404));
        assert_eq!((sample.numbered_keys()[0], sample.numbered_keys()[404]), (ZERO, mix(500)));
    }

    #[test]
    fn numbers_go_with_the_first_key_that_goes() {
        let mut sample = DistinctSample::new(100);
        sample.number(ZERO, &[]).unwrap();
        let numbers: Vec<u32> = (1..=200).map(|key| sample.meet_numbered(mix(key), || 0).1).collect();
        assert_eq!(numbers[..100], (1..=100).collect::<Vec<u32>>());
        assert!(numbers[101..].iter().all(|&number| number == NO_NUMBER));
        assert!(!sample.is_numbered());
        assert_eq!(sample.numbered_keys()[100], mix(100), "the keys of numbers stay known");
        assert_eq!(sample.number(ZERO, &[]), None);
    }
}
