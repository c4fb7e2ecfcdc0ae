//! Counts distinct keys, and rows whose key is theirs alone, in bounded memory.
//!
//! **Citation.** P. B. Gibbons: Distinct sampling for highly-accurate answers to distinct values
//! queries and event reports. VLDB 2001.
//!
//! **Idea.** Keys, not rows, are drawn: a key is kept if its hash begins with a certain number of
//! zero bits, the *level*. Once more keys are kept than the limit allows, the level rises, and
//! about half of them go. A kept key was seen in all its rows, so whether it was met once or more
//! often is known exactly, which no sample of rows could say.
//!
//! **Guarantee.** Up to the limit, counts are exact (but for keys whose 64-bit hashes agree in 56
//! bits, of which a table of ten million rows has a chance of about one in a million per column).
//! Beyond it, a count of kept keys times 2^level is an estimate without bias at a fixed level, with
//! a standard error of √(kept · 2^level). What is kept depends on the keys, never on their order.
//!
//! **Complexity.** Constant time for each row, 16 bytes for each key up to the limit.
//!
//! **Deviations.** If no kept key was met twice, the rows are taken to have a key each: that is the
//! likeliest reading, and exact for columns of numbers that count up.

mod numbers;

use serde::{Deserialize, Serialize};

use numbers::KeyNumbers;

/// A count, or a good guess of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// How many.
    pub value: u64,
    /// Whether this is an estimate.
    pub estimated: bool,
    /// Two standard errors: an estimate is as near to the truth in 19 of 20 tables; else 0.
    pub margin: u64,
}

impl Estimate {
    /// A count that is no estimate.
    pub fn exact(value: u64) -> Estimate {
        Estimate { value, estimated: false, margin: 0 }
    }

    fn sampled(kept: u64, level: u32, most: u64) -> Estimate {
        let margin = 2.0 * (kept as f64 + 1.0).sqrt() * (1_u64 << level) as f64;
        Estimate { value: (kept << level).min(most), estimated: true, margin: margin as u64 }
    }
}

/// The keys of a column, or of several together, that were drawn.
#[derive(Clone, Debug)]
pub(super) struct DistinctSample {
    /// Open addressing with linear probing; a power of two, at most half full.
    slots: Vec<u64>,
    len: usize,
    limit: usize,
    level: u32,
    /// The highest hash that is kept.
    highest: u64,
    numbers: KeyNumbers,
}

/// A slot is a hash whose lowest eight bits say more about its key: whether there is one, whether
/// it was met again, and a tag of six bits.
const TAKEN: u64 = 1;
const AGAIN: u64 = 2;
const TAG_SHIFT: u32 = 2;
pub(super) const KEY: u64 = !0xff;
const INDEX_SHIFT: u32 = 8;

/// Beyond this level no bit would tell keys apart.
const MOST_LEVEL: u32 = 55;

/// Slots of a table that is near the processor anyway.
const NEAR_SLOTS: usize = 1 << 12;

/// Keys that are best expected together.
pub(super) const EXPECTED: usize = 64;

impl DistinctSample {
    /// A sample that is exact up to `limit` keys.
    pub(super) fn new(limit: usize) -> DistinctSample {
        DistinctSample {
            slots: vec![0; 64],
            len: 0,
            limit: limit.max(1),
            level: 0,
            highest: u64::MAX,
            numbers: KeyNumbers::default(),
        }
    }

    /// How often the share of the keys that are kept was halved.
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Meets the key of a row; gives its tag, which `tag` finds for keys that are not kept.
    ///
    /// Hashes must be as good as random in their highest bits.
    #[inline]
    pub(super) fn meet(&mut self, hash: u64, tag: impl FnOnce() -> u8) -> u8 {
        if hash > self.highest {
            return tag();
        }
        match self.find(hash) {
            Ok(slot) => self.meet_again(slot),
            Err(slot) => self.take(slot, hash, tag()),
        }
    }

    /// Loads the slots of keys that will be met next. They are spread over a large table; asked for
    /// one after the other, each would be waited for, and together they come at once.
    #[inline]
    pub(super) fn expect(&self, hashes: &[u64]) {
        if self.slots.len() > NEAR_SLOTS {
            let mask = self.slots.len() - 1;
            let slots = hashes.iter().map(|hash| self.slots[(hash >> INDEX_SHIFT) as usize & mask]);
            std::hint::black_box(slots.fold(0, |all, slot| all | slot));
        }
    }

    /// The slot of a key, or the one that it would take.
    #[inline]
    fn find(&self, hash: u64) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> INDEX_SHIFT) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ hash) & KEY == 0 {
                return Ok(at);
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn meet_again(&mut self, at: usize) -> u8 {
        self.slots[at] |= AGAIN;
        (self.slots[at] as u8) >> TAG_SHIFT
    }

    fn take(&mut self, at: usize, hash: u64, tag: u8) -> u8 {
        self.slots[at] = hash & KEY | u64::from(tag) << TAG_SHIFT | TAKEN;
        self.numbers.give(at, hash);
        self.note_taken();
        tag
    }

    fn note_taken(&mut self) {
        self.len += 1;
        if self.len * 2 > self.slots.len() || self.len > self.limit {
            self.make_room();
        }
    }

    fn raise_to(&mut self, level: u32) {
        self.level = level;
        self.highest = u64::MAX >> level;
        self.len = self.kept().count();
        self.numbers.by_slot = Vec::new();
    }

    #[cold]
    fn make_room(&mut self) {
        while self.len > self.limit {
            self.raise_to(self.level + 1);
        }
        let slots =
            (4 * self.len).next_power_of_two().clamp(64, (2 * self.limit).next_power_of_two().max(64));
        let mut roomier = vec![0; slots];
        let mut by_slot = vec![0; if self.is_numbered() { slots } else { 0 }];
        for (before, &slot) in self.slots.iter().enumerate().filter(|&(_, &slot)| self.keeps(slot)) {
            let mut at = (slot >> INDEX_SHIFT) as usize & (slots - 1);
            while roomier[at] != 0 {
                at = (at + 1) & (slots - 1);
            }
            roomier[at] = slot;
            if let Some(number) = by_slot.get_mut(at) {
                *number = self.numbers.number(before);
            }
        }
        self.slots = roomier;
        self.numbers.by_slot = by_slot;
    }

    fn keeps(&self, slot: u64) -> bool {
        slot != 0 && slot & KEY <= self.highest
    }

    fn kept(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().copied().filter(|&slot| self.keeps(slot))
    }

    /// The keys that were drawn, each with what is known of it, to be [joined](Self::join) with those of other rows.
    pub(super) fn drawn(&self) -> impl Iterator<Item = u64> {
        self.kept()
    }

    /// Takes up what was drawn of other rows at some level: the sample is then that of all rows.
    pub(super) fn join(&mut self, level: u32, drawn: &[u64]) {
        if level > self.level {
            self.raise_to(level.min(MOST_LEVEL));
            self.make_room();
        }
        for &slot in drawn.iter().filter(|&&slot| slot & TAKEN != 0) {
            if slot & KEY > self.highest {
                continue;
            }
            match self.find(slot) {
                Ok(at) => drop(self.meet_again(at)),
                Err(at) => {
                    self.slots[at] = slot;
                    self.note_taken();
                }
            }
        }
    }

    /// How many keys were met in so many rows, and how many of these rows have a key of their own.
    pub(super) fn count(&self, rows: u64) -> (Estimate, Estimate) {
        let kept = self.len as u64;
        let again = self.kept().filter(|slot| slot & AGAIN != 0).count() as u64;
        match (self.level, again) {
            (0, _) => (Estimate::exact(kept), Estimate::exact(kept - again)),
            (level, 0) => {
                let all = Estimate { value: rows, estimated: true, margin: (3_u64 << level).min(rows) };
                (all, all)
            }
            (level, again) => {
                let repeated = again << level;
                let distinct = Estimate::sampled(kept, level, rows.saturating_sub(repeated));
                let unique = Estimate::sampled(kept - again, level, rows.saturating_sub(2 * repeated));
                (distinct, unique)
            }
        }
    }
}

/// How many keys each of several samples may keep, so that all stay below `all`: a power of two
/// of at least 1,024 and at most `most`.
pub(super) fn share_keys(all: usize, samples: usize, most: usize) -> usize {
    (1 << (all / samples.max(1)).max(1).ilog2()).clamp(1 << 10, most)
}

/// A hash that is as good as random in every bit; the same on every machine.
#[inline]
pub(super) fn mix(mut hash: u64) -> u64 {
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `unique` keys that are met once and `repeated` that are met three times.
    fn rows(unique: u64, repeated: u64) -> Vec<u64> {
        let keys = (0..unique).chain((0..3 * repeated).map(|row| unique + row / 3));
        keys.map(|key| mix(key + 1)).collect()
    }

    fn count(limit: usize, hashes: &[u64]) -> (Estimate, Estimate) {
        let mut sample = DistinctSample::new(limit);
        for &hash in hashes {
            sample.meet(hash, || 0);
        }
        sample.count(hashes.len() as u64)
    }

    #[test]
    fn exact_up_to_the_limit() {
        for (unique, repeated) in [(0, 0), (1, 0), (0, 1), (700, 300), (999, 1)] {
            let (distinct, own) = count(1_000, &rows(unique, repeated));
            assert_eq!((distinct, own), (Estimate::exact(unique + repeated), Estimate::exact(unique)));
        }
        assert!(count(1_000, &rows(700, 301)).0.estimated);
    }

    #[test]
    fn estimates_are_within_their_margins() {
        for (unique, repeated) in [(50_000, 50_000), (200_000, 1_000), (1_000, 90_000), (0, 100_000)] {
            let (distinct, own) = count(4_096, &rows(unique, repeated));
            assert!(distinct.estimated && own.estimated);
            assert!(distinct.value.abs_diff(unique + repeated) <= distinct.margin, "{distinct:?}");
            assert!(own.value.abs_diff(unique) <= own.margin, "{own:?}");
            assert!(distinct.margin < (unique + repeated) / 20);
        }
    }

    /// Over many sets of keys, the mean of the estimates is the truth.
    #[test]
    fn estimates_have_no_bias() {
        let (trials, unique, repeated) = (400_u64, 600, 200);
        let mut sums = [0, 0];
        for trial in 0..trials {
            let keys = rows(unique, repeated).into_iter().map(|hash| mix(hash ^ mix(trial)));
            let (distinct, own) = count(128, &keys.collect::<Vec<_>>());
            sums[0] += distinct.value;
            sums[1] += own.value;
        }
        let [distinct, own] = sums.map(|sum| sum as f64 / trials as f64);
        assert!((distinct / 800.0 - 1.0).abs() < 0.02, "{distinct}");
        assert!((own / 600.0 - 1.0).abs() < 0.02, "{own}");
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let mut hashes = rows(20_000, 3_000);
        let forward = count(500, &hashes);
        hashes.reverse();
        assert_eq!(count(500, &hashes), forward);
        hashes.sort_unstable();
        assert_eq!(count(500, &hashes), forward);
    }

    #[test]
    fn keys_that_are_all_different_are_counted_by_their_rows() {
        let (distinct, own) = count(256, &rows(10_000, 0));
        assert_eq!((distinct.value, own.value), (10_000, 10_000));
        assert!(own.estimated && own.margin > 0);
    }

    #[test]
    fn tags_are_found_once_for_kept_keys_and_each_time_for_others() {
        let mut sample = DistinctSample::new(1_000);
        let found = (0..300).map(|row| sample.meet(mix(row % 100), || (row % 100 % 64) as u8));
        assert!(found.enumerate().all(|(row, tag)| usize::from(tag) == row % 100 % 64));
        let mut asked = 0;
        for _ in 0..2 {
            for key in 0..10_000 {
                sample.meet(mix(key), || {
                    asked += 1;
                    7
                });
            }
        }
        assert!((19_000..20_000).contains(&asked), "{asked}");
    }

    #[test]
    fn samples_share_their_keys() {
        let shares = [1, 100, 500, 5_000, 1 << 24].map(|samples| share_keys(1 << 23, samples, 1 << 16));
        assert_eq!(shares, [1 << 16, 1 << 16, 1 << 14, 1 << 10, 1 << 10]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut sample = DistinctSample::new(1 << 10);
        (0..200_000).for_each(|key| {
            sample.meet(mix(key), || 0);
        });
        assert_eq!(sample.slots.len(), 1 << 11);
        assert!((1 << 8..=1 << 10).contains(&sample.len), "{}", sample.len);
    }
}
