//! Numbers for values that come up during a search.

use std::hash::Hash;
use std::sync::{OnceLock, RwLock};

use rustc_hash::FxHashMap;

use crate::taxonomy::ValueId;

/// Entries of the first chunk; each further one is twice as long.
const FIRST: usize = 64;

/// Chunks that hold as many entries as there can be ids.
const CHUNKS: usize = 27;

/// Ids for keys, given in the order in which they are first asked for, from any thread.
///
/// That order may differ from run to run, so no result may depend on the ids. Keys are looked up by
/// id without a lock: entries never move.
pub(super) struct Interner<K> {
    first: ValueId,
    ids: RwLock<FxHashMap<K, ValueId>>,
    chunks: [OnceLock<Shelf<K>>; CHUNKS],
}

type Shelf<K> = Box<[OnceLock<Interned<K>>]>;

/// A key and what it costs.
pub(super) struct Interned<K> {
    pub(super) key: K,
    pub(super) cost: f64,
}

impl<K: Hash + Eq + Clone> Interner<K> {
    /// No key yet; the first will have this id.
    pub(super) fn new(first: ValueId) -> Interner<K> {
        Interner { first, ids: RwLock::default(), chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// The entry of an id that this interner gave.
    #[inline]
    pub(super) fn get(&self, id: ValueId) -> &Interned<K> {
        let (chunk, at) = place(id - self.first);
        let entry = self.chunks[chunk].get().and_then(|chunk| chunk[at].get());
        entry.expect("an id that was given")
    }

    /// The id of a key, a new one if it has none.
    pub(super) fn intern(&self, key: &K, cost: impl FnOnce() -> f64) -> ValueId {
        let poisoned = "no thread fails while it holds the lock";
        if let Some(&id) = self.ids.read().expect(poisoned).get(key) {
            return id;
        }
        let cost = cost();
        let mut ids = self.ids.write().expect(poisoned);
        if let Some(&id) = ids.get(key) {
            return id;
        }
        let index = ids.len() as u32;
        let (chunk, at) = place(index);
        let chunk = self.chunks[chunk].get_or_init(|| {
            let size = FIRST << chunk;
            (0..size).map(|_| OnceLock::new()).collect()
        });
        let fresh = chunk[at].set(Interned { key: key.clone(), cost });
        assert!(fresh.is_ok(), "every index is given once");
        let id = self.first.checked_add(index).expect("fewer values than ids");
        ids.insert(key.clone(), id);
        id
    }
}

/// The chunk of an index and the place in it.
#[inline]
fn place(index: u32) -> (usize, usize) {
    let at = index as usize + FIRST;
    let chunk = (at.ilog2() - FIRST.ilog2()) as usize;
    (chunk, at - (FIRST << chunk))
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    #[test]
    fn places_follow_one_another() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        let (chunk, at) = place(u32::MAX);
        assert!(chunk < CHUNKS && at < FIRST << chunk);
    }

    #[test]
    fn a_key_has_one_id_whoever_asks() {
        let interner: Interner<u64> = Interner::new(7);
        let ids: Vec<(u64, ValueId)> = (0..20_000u64)
            .into_par_iter()
            .map(|i| (i * i % 977, interner.intern(&(i * i % 977), || (i * i % 977) as f64)))
            .collect();
        for (key, id) in ids {
            let entry = interner.get(id);
            assert_eq!((entry.key, entry.cost), (key, key as f64));
            assert_eq!(interner.intern(&key, || unreachable!("known")), id);
        }
    }
}
