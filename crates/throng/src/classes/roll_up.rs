//! Maps classes of one node to their classes at a coarser node.

use std::borrow::Cow;

use super::keys::{CHUNK_BITS, Chunk, Layout, mask};
use super::{Key, LevelCodes};
use crate::lattice::Node;

/// Classes are mapped in blocks, one chunk of fields after the other, to keep one table hot.
const BLOCK: usize = 512;

/// Look-up tables from one node to another.
pub(super) struct RollUp {
    steps: Vec<Step>,
}

struct Step {
    word: usize,
    shift: u32,
    bits: u32,
    map: Map,
}

enum Map {
    /// Fixed size, so that a masked index needs no bounds check.
    Small(Box<[u64; 1 << CHUNK_BITS]>),
    Large(Vec<u64>),
}

impl RollUp {
    pub(super) fn new(layout: &Layout, codes: &LevelCodes, from: &Node, to: &Node) -> RollUp {
        let steps = layout.chunks().iter().filter_map(|chunk| step(chunk, codes, from, to));
        RollUp { steps: steps.collect() }
    }

    /// Calls `visit` with the coarser key and the rows of each class, in order.
    pub(super) fn for_each<const W: usize>(
        &self,
        classes: &[(Key<W>, u32)],
        mut visit: impl FnMut(Key<W>, u32),
    ) {
        let mut mapped: Vec<Key<W>> = vec![[0; W]; BLOCK];
        for block in classes.chunks(BLOCK) {
            mapped[..block.len()].fill([0; W]);
            for step in &self.steps {
                step.apply(block, &mut mapped);
            }
            for (&key, &(_, rows)) in mapped.iter().zip(block) {
                visit(key, rows);
            }
        }
    }
}

impl Step {
    #[inline]
    fn apply<const W: usize>(&self, block: &[(Key<W>, u32)], mapped: &mut [Key<W>]) {
        let (word, shift, bits) = (self.word % W, self.shift, mask(self.bits));
        match &self.map {
            Map::Small(map) => {
                for (to, (from, _)) in mapped.iter_mut().zip(block) {
                    let code = (from[word] >> shift) & bits;
                    to[word] |= map[code as usize & ((1 << CHUNK_BITS) - 1)];
                }
            }
            Map::Large(map) => {
                for (to, (from, _)) in mapped.iter_mut().zip(block) {
                    let code = (from[word] >> shift) & bits;
                    to[word] |= map[code as usize];
                }
            }
        }
    }
}

/// The table of a chunk; none if every field of it becomes 0, the only code of its level.
fn step(chunk: &Chunk, codes: &LevelCodes, from: &Node, to: &Node) -> Option<Step> {
    let single = |a: usize| codes.values(a, to.level(a)).len() == 1;
    if chunk.fields.iter().all(|field| single(field.attribute)) {
        return None;
    }
    let maps = chunk.fields.iter().map(|field| {
        let map = codes.map(field.attribute, from.level(field.attribute), to.level(field.attribute));
        (field.shift - chunk.shift, field.shift, Cow::Borrowed(map))
    });
    let map = if chunk.bits <= CHUNK_BITS {
        let mut table = Box::new([0u64; 1 << CHUNK_BITS]);
        fill(&mut table[..], maps);
        Map::Small(table)
    } else {
        let mut table = vec![0u64; 1 << chunk.bits];
        fill(&mut table, maps);
        Map::Large(table)
    };
    Some(Step { word: chunk.word, shift: chunk.shift, bits: chunk.bits, map })
}

/// Fills a table for the fields of a chunk: field by field, each code repeats the block of all
/// combinations of the fields before it.
fn fill<'a>(table: &mut [u64], maps: impl Iterator<Item = (u32, u32, Cow<'a, [u32]>)>) {
    for (offset, shift, map) in maps {
        let below = 1usize << offset;
        for (code, &to) in map.iter().enumerate().rev() {
            let value = u64::from(to) << shift;
            let (low, high) = table.split_at_mut((code * below).max(below));
            if code == 0 {
                low.iter_mut().for_each(|entry| *entry |= value);
            } else {
                high[..below].iter_mut().zip(&low[..below]).for_each(|(entry, &base)| *entry = base | value);
            }
        }
    }
}
