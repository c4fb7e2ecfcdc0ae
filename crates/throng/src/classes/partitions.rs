//! Groups very many keys: partitions by hash first, then each by itself, on all cores.
//!
//! One hash table of millions of classes is larger than every cache, so that each key waits for memory. A
//! partition has all keys of the same few bits, and its table stays in the cache while they are added.

use std::ops::Range;

use rayon::prelude::*;

use super::Key;
use super::grouping::{Grouping, hash};
use crate::stop::{GoOn, Stop};

/// Bits of the hash that say the partition.
const PARTITION_BITS: u32 = 8;
/// However many cores there are: the order of the classes must not depend on them.
pub(super) const PARTITIONS: usize = 1 << PARTITION_BITS;

/// Groups of keys, partition by partition, in each in the order of first occurrence.
pub(super) struct Partitions<K: Key>(Vec<Grouping<K>>);

/// Keys in the order of their partitions, and within one in the order that they came in.
pub(super) struct Scattered<K: Key> {
    keys: Vec<(K, u64)>,
    /// Where each partition starts, and the end.
    starts: Vec<u32>,
    /// For each key in the order that they came in its place here, if that is asked for.
    pub(super) places: Vec<u32>,
}

impl<K: Key> Partitions<K> {
    pub(super) fn new() -> Partitions<K> {
        Partitions((0..PARTITIONS).map(|_| Grouping::new(0)).collect())
    }

    /// Adds pieces of keys, in order.
    pub(super) fn add(&mut self, pieces: &[Scattered<K>], go_on: &GoOn<'_>) -> Result<(), Stop> {
        self.0.par_iter_mut().enumerate().try_for_each(|(at, grouping)| {
            go_on()?;
            let keys = pieces.iter().flat_map(|piece| &piece.keys[piece.range(at)]);
            keys.for_each(|(key, rows)| _ = grouping.add(key, *rows));
            Ok(())
        })
    }

    /// The same, and says for each partition of each piece which groups of the partition its keys went to.
    pub(super) fn add_members(
        &mut self,
        pieces: &[Scattered<K>],
        go_on: &GoOn<'_>,
    ) -> Result<Vec<Vec<Vec<u32>>>, Stop> {
        let partitions = self.0.par_iter_mut().enumerate();
        let members = partitions.map(|(at, grouping)| {
            go_on()?;
            let add = |piece: &Scattered<K>| {
                piece.keys[piece.range(at)].iter().map(|(key, rows)| grouping.add(key, *rows)).collect()
            };
            Ok(pieces.iter().map(add).collect())
        });
        members.collect()
    }

    /// The groups of each partition that come before it.
    pub(super) fn starts(&self) -> Vec<u32> {
        let sizes = self.0.iter().map(Grouping::len);
        let starts = sizes.scan(0, |before, size| Some(std::mem::replace(before, *before + size)));
        starts.map(|start| start as u32).collect()
    }

    /// All groups, those of one partition after those of the other.
    pub(super) fn finish(self) -> Vec<(K, u64)> {
        let mut all = Vec::with_capacity(self.0.iter().map(Grouping::len).sum());
        // Each is gone before the next is copied, so that they are never all there twice.
        self.0.into_iter().for_each(|grouping| all.append(&mut grouping.finish()));
        all
    }
}

impl<K: Key> Scattered<K> {
    /// Puts keys in the order of their partitions.
    pub(super) fn new(keys: Vec<(K, u64)>, wants_places: bool) -> Scattered<K> {
        let mut starts = vec![0; PARTITIONS + 1];
        keys.iter().for_each(|(key, _)| starts[partition(key) + 1] += 1);
        (0..PARTITIONS).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut scattered = vec![(K::none(), 0); keys.len()];
        let mut places = Vec::with_capacity(if wants_places { keys.len() } else { 0 });
        for class in keys {
            let place = &mut next[partition(&class.0)];
            scattered[*place as usize] = class;
            if wants_places {
                places.push(*place);
            }
            *place += 1;
        }
        Scattered { keys: scattered, starts, places }
    }

    /// Where the keys of a partition are.
    pub(super) fn range(&self, partition: usize) -> Range<usize> {
        self.starts[partition] as usize..self.starts[partition + 1] as usize
    }
}

/// The partition of a key. Nothing of its hash tells it: classes that come partition by partition are grouped again
/// by their hashes, and would all go to the same slots.
#[inline]
pub(super) fn partition<K: Key>(key: &K) -> usize {
    let hash = hash(key);
    ((hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (u64::BITS - PARTITION_BITS)) as usize
}
