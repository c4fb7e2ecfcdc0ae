//! Maps classes of one node to their classes over a coarser grid.

use std::borrow::Cow;
use std::cell::RefCell;

use super::fields::{CHUNK_BITS, Chunk, Fields, mask};
use super::key::BLOCK;
use super::{Grid, Key, LevelCodes};
use crate::lattice::Node;

type Small = [u64; 1 << CHUNK_BITS];

thread_local! {
    /// Tables for reuse: a roll-up of a few hundred classes takes no longer than clearing one.
    static TABLES: RefCell<Vec<Box<Small>>> = const { RefCell::new(Vec::new()) };
}

/// Look-up tables from one node to a coarser grid.
pub(super) struct RollUp {
    steps: Vec<Step>,
    /// Of a key.
    pub(super) words: usize,
    /// Whether 32 bits can say the rows of any class.
    pub(super) rows_are_few: bool,
}

struct Step {
    word: usize,
    shift: u32,
    bits: u32,
    map: Map,
}

enum Map {
    /// Fixed size, so that a masked index needs no bounds check. Entries of codes that do not
    /// occur hold anything.
    Small(Box<Small>),
    Large(Vec<u64>),
}

impl RollUp {
    pub(super) fn new(
        codes: &LevelCodes,
        (from, below): (&Node, &Fields),
        (to, above): (&Grid, &Fields),
    ) -> RollUp {
        let steps = below.chunks().into_iter().filter_map(|chunk| {
            let maps: Vec<FieldMap<'_>> = chunk
                .fields
                .clone()
                .map(|at| {
                    let (low, high) = (below.all()[at], above.all()[at]);
                    let a = low.attribute;
                    let map = to.map(codes, a, from.level(a));
                    FieldMap { offset: low.shift - chunk.shift, shift: high.shift, bits: high.bits, map }
                })
                .collect();
            step(&chunk, &maps)
        });
        RollUp { steps: steps.collect(), words: above.words(), rows_are_few: codes.rows_are_few() }
    }

    /// Calls `visit` with the coarser key and the rows of each class, in order. Classes are mapped in blocks, one
    /// chunk of fields after the other, to keep one table hot.
    pub(super) fn for_each<K: Key>(&self, classes: &[(K, u64)], mut visit: impl FnMut(&K, u64)) {
        let mut mapped = K::block(self.words);
        let mapped = mapped.as_mut();
        for block in classes.chunks(BLOCK) {
            K::clear(&mut mapped[..block.len()]);
            for step in &self.steps {
                step.apply(block, mapped);
            }
            for (key, (_, rows)) in mapped.iter().zip(block) {
                visit(key, *rows);
            }
        }
    }
}

impl Drop for RollUp {
    fn drop(&mut self) {
        TABLES.with_borrow_mut(|tables| {
            for step in self.steps.drain(..) {
                if let Map::Small(table) = step.map {
                    tables.push(table);
                }
            }
        });
    }
}

impl Step {
    #[inline]
    fn apply<K: Key>(&self, block: &[(K, u64)], mapped: &mut [K]) {
        let (word, shift, bits) = (self.word, self.shift, mask(self.bits));
        match &self.map {
            Map::Small(map) => {
                for (to, (from, _)) in mapped.iter_mut().zip(block) {
                    let code = (from.word(word) >> shift) & bits;
                    *to.word_mut(word) |= map[code as usize & ((1 << CHUNK_BITS) - 1)];
                }
            }
            Map::Large(map) => {
                for (to, (from, _)) in mapped.iter_mut().zip(block) {
                    let code = (from.word(word) >> shift) & bits;
                    *to.word_mut(word) |= map[code as usize];
                }
            }
        }
    }
}

/// How one field of a chunk is mapped.
struct FieldMap<'a> {
    /// Where the field starts in the chunk.
    offset: u32,
    /// Where its code goes in the coarser key, and how wide it is there.
    shift: u32,
    bits: u32,
    map: Cow<'a, [u32]>,
}

/// The table of a chunk; none if every field of it becomes 0, the only code of its level.
fn step(chunk: &Chunk, maps: &[FieldMap<'_>]) -> Option<Step> {
    if maps.iter().all(|field| field.bits == 0) {
        return None;
    }
    let map = if chunk.bits <= CHUNK_BITS {
        let spare = TABLES.with_borrow_mut(Vec::pop);
        let mut table = spare.unwrap_or_else(|| Box::new([0; 1 << CHUNK_BITS]));
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
fn fill(table: &mut [u64], maps: &[FieldMap<'_>]) {
    table[0] = 0;
    for field in maps {
        let below = 1usize << field.offset;
        let value = |to: u32| if field.bits == 0 { 0 } else { u64::from(to) << field.shift };
        let (base, rest) = table.split_at_mut(below);
        for (block, &to) in rest.chunks_mut(below).zip(&field.map[1..]) {
            let value = value(to);
            block.iter_mut().zip(&*base).for_each(|(entry, &low)| *entry = low | value);
        }
        let value = value(field.map[0]);
        base.iter_mut().for_each(|entry| *entry |= value);
    }
}
