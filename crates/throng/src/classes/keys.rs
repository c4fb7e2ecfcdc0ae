//! How the codes of a class are packed into words.

use super::{Key, LevelCodes};

/// Largest group of neighbouring fields that share one look-up table: 2^12 entries of 8 bytes
/// stay in the first-level cache.
pub(super) const CHUNK_BITS: u32 = 12;

/// The bit field of one attribute; it never crosses a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) attribute: usize,
    pub(super) shift: u32,
    pub(super) bits: u32,
}

/// Neighbouring fields of one word that are mapped together, or one wide field.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    pub(super) word: usize,
    pub(super) shift: u32,
    pub(super) bits: u32,
    pub(super) fields: Vec<Field>,
}

/// Fields for the codes of every attribute, wide enough for its leaves, hence for every level.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    chunks: Vec<Chunk>,
    /// Word and field of each attribute.
    places: Vec<(usize, Field)>,
    words: usize,
}

impl Layout {
    pub(super) fn new(codes: &LevelCodes) -> Layout {
        let mut layout = Layout { chunks: Vec::new(), places: Vec::new(), words: 1 };
        let mut used = 0;
        for attribute in 0..codes.attributes() {
            let leaves = codes.values(attribute, 0).len() as u64;
            let bits = u64::BITS - leaves.saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                layout.words += 1;
                used = 0;
            }
            let field = Field { attribute, shift: used, bits };
            used += bits;
            layout.places.push((layout.words - 1, field));
            layout.add_to_chunk(field);
        }
        layout
    }

    fn add_to_chunk(&mut self, field: Field) {
        let word = self.words - 1;
        match self.chunks.last_mut() {
            Some(chunk) if chunk.word == word && chunk.bits + field.bits <= CHUNK_BITS => {
                chunk.bits += field.bits;
                chunk.fields.push(field);
            }
            _ => self.chunks.push(Chunk { word, shift: field.shift, bits: field.bits, fields: vec![field] }),
        }
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The key of a tuple of codes, one per attribute.
    pub(super) fn pack<const W: usize>(&self, codes: impl Iterator<Item = u32>) -> Key<W> {
        let mut key = [0; W];
        for (&(word, field), code) in self.places.iter().zip(codes) {
            key[word] |= u64::from(code) << field.shift;
        }
        key
    }

    /// The codes of a key, one per attribute.
    pub(super) fn codes<'a, const W: usize>(&'a self, key: &'a Key<W>) -> impl Iterator<Item = u32> + 'a {
        self.places.iter().map(|&(word, field)| ((key[word] >> field.shift) & mask(field.bits)) as u32)
    }
}

/// The lowest `bits` bits; fields have fewer than 64, because codes have 32.
pub(super) fn mask(bits: u32) -> u64 {
    (1u64 << bits) - 1
}
