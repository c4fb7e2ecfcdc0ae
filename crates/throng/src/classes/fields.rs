//! How the codes of a class are packed into words.

use super::{Grid, Key, LevelCodes};

/// Largest group of neighbouring fields that share one look-up table: 2^12 entries of 8 bytes
/// stay in the first-level cache.
pub(super) const CHUNK_BITS: u32 = 12;

/// The bit field of one attribute; it never crosses a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) attribute: usize,
    pub(super) word: usize,
    pub(super) shift: u32,
    pub(super) bits: u32,
}

/// Neighbouring fields of one word that are mapped together, or one wide field.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) word: usize,
    pub(super) shift: u32,
    pub(super) bits: u32,
    pub(super) fields: std::ops::Range<usize>,
}

/// A field for each attribute, as wide as the values of its level need.
///
/// An attribute is in the same word at every node, so a field is mapped within its word.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    fields: Vec<Field>,
}

impl Fields {
    /// The fields of the table itself, of which all others are a narrowing; `leaves` has the
    /// number of leaves of each attribute.
    pub(super) fn of_table(leaves: impl Iterator<Item = usize>) -> Fields {
        let (mut word, mut used) = (0, 0);
        let mut fields = Vec::new();
        for (attribute, leaves) in leaves.enumerate() {
            let bits = bits(leaves);
            // A field of no bits must not start behind the word, either.
            if used + bits.max(1) > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field { attribute, word, shift: used, bits });
            used += bits;
        }
        Fields { fields }
    }

    /// The fields of a grid.
    pub(super) fn of_grid(&self, codes: &LevelCodes, grid: &Grid) -> Fields {
        let (mut word, mut used) = (0, 0);
        let narrow = |field: &Field| {
            if field.word != word {
                (word, used) = (field.word, 0);
            }
            let bits = bits(grid.values(codes, field.attribute).len());
            let shift = used;
            used += bits;
            Field { shift, bits, ..*field }
        };
        Fields { fields: self.fields.iter().map(narrow).collect() }
    }

    pub(super) fn words(&self) -> usize {
        self.fields.last().map_or(1, |field| field.word + 1)
    }

    /// Bits of a key, if so few can occur that so many classes are counted by their place.
    pub(super) fn bits_by_place(&self, classes: usize) -> Option<u32> {
        let last = self.fields.last().filter(|field| field.word == 0)?;
        Some(last.shift + last.bits).filter(|bits| classes >> bits.saturating_sub(1) > 0)
    }

    pub(super) fn all(&self) -> &[Field] {
        &self.fields
    }

    pub(super) fn chunks(&self) -> Vec<Chunk> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for (at, field) in self.fields.iter().enumerate() {
            match chunks.last_mut() {
                Some(chunk) if chunk.word == field.word && chunk.bits + field.bits <= CHUNK_BITS => {
                    chunk.bits += field.bits;
                    chunk.fields.end = at + 1;
                }
                _ => {
                    let Field { word, shift, bits, .. } = *field;
                    chunks.push(Chunk { word, shift, bits, fields: at..at + 1 });
                }
            }
        }
        chunks
    }

    /// The key of a tuple of codes, one per attribute.
    pub(super) fn pack<K: Key>(&self, codes: impl Iterator<Item = u32>) -> K {
        let mut key = K::zero(self.words());
        for (field, code) in self.fields.iter().zip(codes) {
            *key.word_mut(field.word) |= u64::from(code) << field.shift;
        }
        key
    }

    /// A key that is 0 but for the fields of some attributes, which have all bits.
    pub(super) fn mask_of<K: Key>(&self, attributes: &[usize]) -> K {
        let mut key = K::zero(self.words());
        for field in attributes.iter().map(|&a| &self.fields[a]) {
            *key.word_mut(field.word) |= mask(field.bits) << field.shift;
        }
        key
    }

    /// The codes of a key, one per attribute.
    pub(super) fn codes<'a, K: Key>(&'a self, key: &'a K) -> impl Iterator<Item = u32> + 'a {
        self.fields.iter().map(|field| ((key.word(field.word) >> field.shift) & mask(field.bits)) as u32)
    }
}

/// Bits for codes below `values`.
fn bits(values: usize) -> u32 {
    u64::BITS - (values as u64).saturating_sub(1).leading_zeros()
}

/// The lowest `bits` bits; fields have fewer than 64, because codes have 32.
pub(super) fn mask(bits: u32) -> u64 {
    (1u64 << bits) - 1
}
