//! Groups of rows by the numbers of their cells, and what is known of each.

/// The least number of slots.
const LEAST_SLOTS: usize = 16;

/// Groups under keys of `width` numbers. Keys lie end to end, and slots tell groups apart by bits of their hashes, so
/// that a group costs its key and a few words, and is found at two places in memory.
pub(super) struct GroupTable<V> {
    width: usize,
    /// Open addressing with linear probing; a power of two, at most three quarters full.
    slots: Vec<Slot>,
    keys: Vec<u32>,
    hashes: Vec<u32>,
    groups: Vec<V>,
}

/// A group with its hash.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    group: u32,
}

const VACANT: Slot = Slot { hash: 0, group: u32::MAX };

impl<V: Default> GroupTable<V> {
    pub(super) fn new(width: usize) -> GroupTable<V> {
        GroupTable { width, slots: Vec::new(), keys: Vec::new(), hashes: Vec::new(), groups: Vec::new() }
    }

    /// The group with a key; an empty one if it is new.
    pub(super) fn group(&mut self, key: &[u32], hash: u32) -> &mut V {
        if self.slots.len() * 3 < (self.groups.len() + 1) * 4 {
            self.grow();
        }
        let at = match self.find(key, hash) {
            Ok(group) => group,
            Err(slot) => {
                let group = self.groups.len();
                self.slots[slot] = Slot { hash, group: group as u32 };
                self.keys.extend_from_slice(key);
                self.hashes.push(hash);
                self.groups.push(V::default());
                group
            }
        };
        &mut self.groups[at]
    }

    /// What is known of the group with a key, which is empty then.
    pub(super) fn take(&mut self, key: &[u32], hash: u32) -> Option<V> {
        let found = if self.slots.is_empty() { None } else { self.find(key, hash).ok() };
        found.map(|group| std::mem::take(&mut self.groups[group]))
    }

    /// Adds the groups of another table: `unite` makes one of two with the same key.
    pub(super) fn merge(mut self, other: GroupTable<V>, unite: impl Fn(&mut V, V)) -> GroupTable<V> {
        for (at, (hash, group)) in other.hashes.into_iter().zip(other.groups).enumerate() {
            let key = &other.keys[at * other.width..(at + 1) * other.width];
            unite(self.group(key, hash), group);
        }
        self
    }

    /// The groups, in the order of their first rows.
    pub(super) fn groups(&self) -> &[V] {
        &self.groups
    }

    /// The key of a group by its place.
    pub(super) fn key(&self, at: usize) -> &[u32] {
        &self.keys[at * self.width..(at + 1) * self.width]
    }

    /// The place of a group, or the slot that it would have.
    fn find(&self, key: &[u32], hash: u32) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let Slot { hash: known, group } = self.slots[at];
            if group == VACANT.group {
                return Err(at);
            }
            if known == hash && self.key(group as usize) == key {
                return Ok(group as usize);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(LEAST_SLOTS);
        self.slots.clear();
        self.slots.resize(len, VACANT);
        for (group, &hash) in (0..).zip(&self.hashes) {
            let mut at = hash as usize & (len - 1);
            while self.slots[at].group != VACANT.group {
                at = (at + 1) & (len - 1);
            }
            self.slots[at] = Slot { hash, group };
        }
    }
}

/// A hash of all numbers of a key, in all bits.
pub(super) fn hash(key: &[u32]) -> u64 {
    let mix = |hash: u64, &number: &u32| {
        (hash.rotate_left(23) ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let hash = key.iter().fold(0x51_7C_C1_B7, mix);
    (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use throng::random::Random;

    use super::*;

    /// Random keys of every width, counted by two tables and together, are those of a map; also where all hashes
    /// are the same.
    #[test]
    fn groups_are_those_of_a_map() {
        for (width, values, collide) in [(0, 1, false), (1, 9, true), (1, 5_000, false), (7, 3, false)] {
            let mut random = Random::new(width as u64 + values);
            let mut tables = [GroupTable::<u64>::new(width), GroupTable::new(width)];
            let mut expected: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            let hash = |key: &[u32]| if collide { 7 } else { hash(key) as u32 };
            for row in 0..20_000 {
                let key: Vec<u32> = (0..width).map(|_| random.below(values) as u32).collect();
                *tables[row % 3 % 2].group(&key, hash(&key)) += 1;
                *expected.entry(key).or_default() += 1;
            }
            let [one, other] = tables;
            let mut all = one.merge(other, |sum, rows| *sum += rows);
            let found: BTreeMap<Vec<u32>, u64> =
                (0..all.groups().len()).map(|at| (all.key(at).to_vec(), all.groups()[at])).collect();
            assert_eq!(found, expected);
            let first = expected.first_key_value().unwrap();
            assert_eq!(all.take(first.0, hash(first.0)), Some(*first.1));
            assert_eq!(all.take(first.0, hash(first.0)), Some(0));
        }
        let mut one = GroupTable::<u64>::new(2);
        assert_eq!(one.take(&[1, 2], 3), None);
        *one.group(&[1, 2], 3) += 5;
        assert_eq!((one.take(&[1, 3], 3), one.take(&[1, 2], 3)), (None, Some(5)));
    }
}
