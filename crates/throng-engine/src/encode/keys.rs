//! Packed keys: the codes of a tuple side by side in as few 64-bit words as they need.

use std::cmp::Ordering;

/// The codes of one tuple.
///
/// Keys are compared word by word, and a [`Packing`] puts the first column highest, so keys are in
/// the order of their tuples under every packing. Growing a packing keeps sorted keys sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<const W: usize>(pub(super) [u64; W]);

impl<const W: usize> Default for Key<W> {
    fn default() -> Key<W> {
        Key([0; W])
    }
}

impl<const W: usize> Ord for Key<W> {
    #[inline]
    fn cmp(&self, other: &Key<W>) -> Ordering {
        for word in 0..W - 1 {
            if self.0[word] != other.0[word] {
                return self.0[word].cmp(&other.0[word]);
            }
        }
        self.0[W - 1].cmp(&other.0[W - 1])
    }
}

impl<const W: usize> PartialOrd for Key<W> {
    #[inline]
    fn partial_cmp(&self, other: &Key<W>) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    /// What sorting asks; one comparison where the key is one word.
    #[inline]
    fn lt(&self, other: &Key<W>) -> bool {
        if W == 1 { self.0[0] < other.0[0] } else { self.cmp(other).is_lt() }
    }
}

/// How many bits the codes of a dictionary with so many values need.
pub(super) fn bits(values: usize) -> u32 {
    let largest = values.saturating_sub(1) as u64;
    (u64::BITS - largest.leading_zeros()).max(1)
}

/// Where in a key each column's code is. No code crosses words.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    places: Vec<KeyPart>,
    words: usize,
}

#[derive(Clone, Copy, Debug)]
struct KeyPart {
    word: usize,
    shift: u32,
    bits: u32,
}

impl Packing {
    /// A packing with so many bits (1 to 32) for each column.
    pub(super) fn new(bits: &[u32]) -> Packing {
        let (mut word, mut free) = (0, u64::BITS);
        let mut places = Vec::with_capacity(bits.len());
        for &bits in bits {
            if bits > free {
                word += 1;
                free = u64::BITS;
            }
            free -= bits;
            places.push(KeyPart { word, shift: free, bits });
        }
        Packing { places, words: (word + 1).next_power_of_two() }
    }

    /// Words of a key: a power of two.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.places.len()
    }

    /// Whether each column has at least so many bits.
    pub(super) fn holds(&self, bits: &[u32]) -> bool {
        self.places.iter().zip(bits).all(|(place, &needed)| place.bits >= needed)
    }

    /// How many bits of a key of one word are unused, all of them at its end, if no more than so many are used.
    pub(super) fn short_by(&self, bits: u32) -> Option<u32> {
        let shift = self.places.last().map_or(u64::BITS - 1, |place| place.shift);
        (self.words == 1 && u64::BITS - shift <= bits).then_some(shift)
    }

    /// Adds a column's codes to keys in which that column is still 0.
    pub(super) fn pack<const W: usize>(&self, column: usize, codes: &[u32], keys: &mut [Key<W>]) {
        let KeyPart { word, shift, .. } = self.places[column];
        for (key, &code) in keys.iter_mut().zip(codes) {
            key.0[word] |= u64::from(code) << shift;
        }
    }

    /// The code of a column.
    #[inline]
    pub(super) fn unpack<const W: usize>(&self, column: usize, key: &Key<W>) -> u32 {
        let KeyPart { word, shift, bits } = self.places[column];
        (key.0[word] >> shift & ((1 << bits) - 1)) as u32
    }

    /// The key of this packing as a key of `into`, with each column's code mapped by `code`.
    #[inline]
    pub(super) fn repack<const W: usize, const V: usize>(
        &self,
        key: &Key<W>,
        into: &Packing,
        code: impl Fn(usize, u32) -> u32,
    ) -> Key<V> {
        let mut packed = Key::default();
        for (column, place) in into.places.iter().enumerate() {
            let code = code(column, self.unpack(column, key));
            packed.0[place.word] |= u64::from(code) << place.shift;
        }
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<const W: usize>(packing: &Packing, codes: &[u32]) -> Key<W> {
        let mut key = [Key::default()];
        for (column, &code) in codes.iter().enumerate() {
            packing.pack(column, &[code], &mut key);
        }
        key[0]
    }

    #[test]
    fn bits_of_dictionaries() {
        let sizes = [0, 1, 2, 3, 4, 5, 256, 257, 1 << 32];
        assert_eq!(sizes.map(bits), [1, 1, 1, 2, 2, 3, 8, 9, 32]);
    }

    #[test]
    fn words_are_filled_and_rounded_up() {
        assert_eq!(Packing::new(&[32, 32]).words(), 1);
        assert_eq!(Packing::new(&[32, 31, 2]).words(), 2);
        assert_eq!(Packing::new(&[14; 10]).words(), 4);
        assert_eq!(Packing::new(&[32; 32]).words(), 16);
        assert_eq!(Packing::new(&[]).words(), 1);
    }

    #[test]
    fn codes_come_back() {
        let packing = Packing::new(&[32, 1, 31, 20, 32]);
        let codes = [u32::MAX, 1, (1 << 31) - 1, 12_345, 7];
        let packed = key::<2>(&packing, &codes);
        let unpacked: Vec<u32> = (0..codes.len()).map(|c| packing.unpack(c, &packed)).collect();
        assert_eq!(unpacked, codes);
    }

    #[test]
    fn every_layout_has_the_order_of_the_tuples() {
        let tuples = [[0, 9, 3], [1, 0, 0], [1, 0, 2], [1, 1, 0], [3, 0, 0]];
        let narrow = Packing::new(&[2, 4, 2]);
        let wide = Packing::new(&[31, 31, 31]);
        let keys = tuples.map(|tuple| key::<1>(&narrow, &tuple));
        assert!(keys.is_sorted() && keys[0] < keys[1]);
        let repacked = keys.map(|key| narrow.repack::<1, 2>(&key, &wide, |_, code| code));
        assert_eq!(repacked, tuples.map(|tuple| key::<2>(&wide, &tuple)));
        assert!(repacked.is_sorted() && repacked[2] < repacked[3]);
    }
}
