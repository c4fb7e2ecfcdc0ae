//! The packed codes of a class.

use std::fmt::Debug;

/// Keys that are worked on at a time.
pub(super) const BLOCK: usize = 512;

/// The codes of a class side by side in words: an array where these are few, as they nearly always are, else a box
/// with as many as the table needs.
pub(crate) trait Key: Clone + Debug + Ord + Send + Sync + 'static {
    /// A key of so many words that are 0.
    fn zero(words: usize) -> Self;

    /// What stands in the place of a key that is still to come.
    fn none() -> Self;

    /// All words, and perhaps more, which are 0.
    fn words(&self) -> &[u64];

    fn words_mut(&mut self) -> &mut [u64];

    fn word(&self, at: usize) -> u64;

    fn word_mut(&mut self, at: usize) -> &mut u64;

    /// Bytes of a class with a key of so many words.
    fn class_bytes(words: usize) -> usize;

    /// A block of keys.
    type Block: AsMut<[Self]>;

    /// A block of keys of so many words, for any use.
    fn block(words: usize) -> Self::Block;

    /// Makes all words of some keys 0.
    fn clear(keys: &mut [Self]);

    /// Keeps the bits of a mask.
    #[inline]
    fn masked(&self, mask: &Self) -> Self {
        let mut masked = self.clone();
        masked.words_mut().iter_mut().zip(mask.words()).for_each(|(word, mask)| *word &= mask);
        masked
    }
}

impl<const W: usize> Key for [u64; W] {
    #[inline]
    fn zero(_: usize) -> Self {
        [0; W]
    }

    #[inline]
    fn none() -> Self {
        [0; W]
    }

    #[inline]
    fn words(&self) -> &[u64] {
        self
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    /// Without a bounds check.
    #[inline]
    fn word(&self, at: usize) -> u64 {
        self[at % W]
    }

    #[inline]
    fn word_mut(&mut self, at: usize) -> &mut u64 {
        &mut self[at % W]
    }

    fn class_bytes(_: usize) -> usize {
        size_of::<(Self, u64)>()
    }

    type Block = [Self; BLOCK];

    #[inline]
    fn block(_: usize) -> Self::Block {
        [[0; W]; BLOCK]
    }

    #[inline]
    fn clear(keys: &mut [Self]) {
        keys.fill([0; W]);
    }
}

impl Key for Box<[u64]> {
    fn zero(words: usize) -> Self {
        vec![0; words].into_boxed_slice()
    }

    fn none() -> Self {
        Box::default()
    }

    fn words(&self) -> &[u64] {
        self
    }

    fn words_mut(&mut self) -> &mut [u64] {
        self
    }

    fn word(&self, at: usize) -> u64 {
        self[at]
    }

    fn word_mut(&mut self, at: usize) -> &mut u64 {
        &mut self[at]
    }

    fn class_bytes(words: usize) -> usize {
        size_of::<(Self, u64)>() + size_of::<u64>() * words
    }

    type Block = Vec<Self>;

    fn block(words: usize) -> Self::Block {
        vec![Self::zero(words); BLOCK]
    }

    fn clear(keys: &mut [Self]) {
        keys.iter_mut().for_each(|key| key.fill(0));
    }
}
