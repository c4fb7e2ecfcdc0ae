//! Groups class keys and adds up their rows.

use super::Key;

/// A hash table from key to class, in order of first occurrence.
///
/// `slots` holds class number + 1, or 0 for none; linear probing at a load of at most one half.
pub(super) struct Grouping<K: Key> {
    slots: Vec<u32>,
    shift: u32,
    classes: Vec<(K, u64)>,
}

impl<K: Key> Grouping<K> {
    /// An empty grouping that starts small and grows with the classes; `most` bounds their number.
    pub(super) fn new(most: usize) -> Grouping<K> {
        let slots = (most.min(1 << 12) * 2).next_power_of_two().max(16);
        Grouping {
            slots: vec![0; slots],
            shift: u64::BITS - slots.trailing_zeros(),
            classes: Vec::with_capacity(slots / 2),
        }
    }

    /// Adds rows to the class of a key and returns the number of the class.
    #[inline]
    pub(super) fn add(&mut self, key: &K, rows: u64) -> u32 {
        let last = self.slots.len() - 1;
        let mut at = (hash(key) >> self.shift) as usize;
        loop {
            let slot = self.slots[at & last];
            if slot == 0 {
                break;
            }
            let class = &mut self.classes[slot as usize - 1];
            if class.0 == *key {
                class.1 += rows;
                return slot - 1;
            }
            at += 1;
        }
        self.classes.push((key.clone(), rows));
        self.slots[at & last] = self.classes.len() as u32;
        if self.classes.len() * 2 > self.slots.len() {
            self.grow();
        }
        self.classes.len() as u32 - 1
    }

    #[cold]
    fn grow(&mut self) {
        let slots = self.slots.len() * 4;
        // The old ones go first: both together would be the most that a search takes.
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        self.shift = u64::BITS - slots.trailing_zeros();
        for (class, (key, _)) in self.classes.iter().enumerate() {
            let mut at = (hash(key) >> self.shift) as usize;
            while self.slots[at & (slots - 1)] != 0 {
                at += 1;
            }
            self.slots[at & (slots - 1)] = class as u32 + 1;
        }
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn finish(self) -> Vec<(K, u64)> {
        self.classes
    }
}

/// Rows of a key: 32 bits take less of the caches, and are enough for nearly all tables.
pub(super) trait Count: Clone + Copy + Default {
    fn add(&mut self, rows: u64);
    fn rows(self) -> u64;
}

impl Count for u32 {
    #[inline]
    fn add(&mut self, rows: u64) {
        *self += rows as u32;
    }

    #[inline]
    fn rows(self) -> u64 {
        self.into()
    }
}

impl Count for u64 {
    #[inline]
    fn add(&mut self, rows: u64) {
        *self += rows;
    }

    #[inline]
    fn rows(self) -> u64 {
        self
    }
}

/// A counter for every key that could occur, for short keys of one word; no key may have more rows than it can count.
pub(super) struct DenseCounts<C> {
    rows: Vec<C>,
}

impl<C: Count> DenseCounts<C> {
    pub(super) fn new(bits: u32) -> DenseCounts<C> {
        DenseCounts { rows: vec![C::default(); 1 << bits] }
    }

    #[inline]
    pub(super) fn add<K: Key>(&mut self, key: &K, rows: u64) {
        self.rows[key.word(0) as usize].add(rows);
    }

    /// The classes in order of their keys.
    pub(super) fn finish<K: Key>(self) -> Vec<(K, u64)> {
        let occurring = self.rows.iter().enumerate().filter(|(_, rows)| rows.rows() > 0);
        let class = |(key, rows): (usize, &C)| {
            let mut words = K::zero(1);
            *words.word_mut(0) = key as u64;
            (words, rows.rows())
        };
        occurring.map(class).collect()
    }
}

/// Multiplicative hashing; the high bits are the good ones.
#[inline]
pub(super) fn hash<K: Key>(key: &K) -> u64 {
    key.words().iter().fold(0u64, |h, &word| (h.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_rows_in_order_of_first_occurrence() {
        let mut grouping = Grouping::<[u64; 1]>::new(2);
        for i in 0..100_000u64 {
            grouping.add(&[i * i % 1_009], 1);
        }
        let classes = grouping.finish();
        assert_eq!(classes.len(), 505);
        assert_eq!(classes[..3].iter().map(|c| c.0[0]).collect::<Vec<_>>(), [0, 1, 4]);
        assert_eq!(classes.iter().map(|c| c.1).sum::<u64>(), 100_000);
    }
}
