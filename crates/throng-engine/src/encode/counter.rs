//! Counts tuples: keys are collected, sorted, and merged into runs of (key, count).
//!
//! The buffer may grow as large as the runs are, so the merges cost each row the same on average,
//! and memory stays linear in the distinct tuples.

use std::any::Any;
use std::collections::TryReserveError;
use std::mem::{size_of, take};

use rayon::prelude::*;

use super::keys::{Key, Packing};
use super::wide::WideTuples;

/// Bytes of keys that are collected before the first merge.
pub(super) const BUFFER_BYTES: usize = 32 << 20;

/// Keys of so few bits are counted by their place: 256 KiB of counts, which stay in the cache.
const PLACE_BITS: u32 = 16;

/// Columns of codes, and how many rows have each tuple.
pub(super) type Tuples = (Vec<Vec<u32>>, Vec<u32>);

/// A counter with keys of some width.
pub(super) trait TupleCounter: Send {
    /// Where the codes are in the keys.
    fn packing(&self) -> &Packing;

    /// Gives the columns other widths, none of them less than its codes need.
    ///
    /// Returns the counter to use from then on if the keys need another number of words; fails if there is no
    /// memory for what was counted.
    fn pack_anew(&mut self, packing: Packing) -> Result<Option<Box<dyn TupleCounter>>, TryReserveError>;

    /// Counts `rows` tuples, given as columns of codes; fails if there is no memory for them.
    fn add(&mut self, codes: &[&[u32]], rows: usize) -> Result<(), TryReserveError>;

    /// Counts tuples that have been counted before, with the rows of each. A counter takes either these or single
    /// rows; fails if there is no memory for them.
    fn add_counted(&mut self, codes: &[&[u32]], rows: &[u64]) -> Result<(), TryReserveError>;

    /// The same with other codes, in the places of `packing`; `ranks` maps the codes of each column. Nothing may
    /// be added any more. Fails if there is no memory for it.
    fn ranked(
        self: Box<Self>,
        packing: &Packing,
        ranks: &[Vec<u32>],
    ) -> Result<Box<dyn TupleCounter>, TryReserveError>;

    /// Takes up what another has counted, which is ranked in the same packing.
    fn absorb(&mut self, other: Box<dyn TupleCounter>) -> Result<(), TryReserveError>;

    /// The distinct tuples, sorted. Fails if there is no memory for them.
    fn finish(self: Box<Self>) -> Result<Tuples, TryReserveError>;

    /// Bytes of the distinct tuples that it has counted so far, and of those that wait to be.
    fn held_bytes(&self) -> u64;

    /// To know which counter it is.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// For each column, the code that is the same for all counters, by that of one of them.
pub(super) type Ranks = Vec<Vec<u32>>;

/// What several counters have counted together, sorted by codes that are the same for all.
pub(super) fn finish_all(
    counters: Vec<(Box<dyn TupleCounter>, Ranks)>,
    packing: &Packing,
) -> Result<Tuples, TryReserveError> {
    let mut ranked = counters.into_iter().map(|(counter, ranks)| counter.ranked(packing, &ranks));
    let mut all = ranked.next().expect("there is at least one counter")?;
    ranked.try_for_each(|counter| all.absorb(counter?))?;
    all.finish()
}

/// A counter of nothing that collects `buffer_bytes` of keys before it merges.
pub(super) fn start(packing: Packing, buffer_bytes: usize) -> Box<dyn TupleCounter> {
    SortedRuns::<1> { buffer_bytes, ..SortedRuns::default() }.widen(packing).expect("nothing is counted yet")
}

#[derive(Default)]
struct SortedRuns<const W: usize> {
    packing: Packing,
    /// Rows of each key since the last merge, while keys are so short that they are counted by their place.
    places: Vec<u32>,
    /// Rows of all of these.
    placed_rows: u64,
    /// Other keys since the last merge, in no order.
    buffer: Vec<Key<W>>,
    /// Distinct keys with their counts, sorted.
    runs: Vec<(Key<W>, u64)>,
    /// Runs that were left when they were last united.
    united: usize,
    buffer_bytes: usize,
}

impl<const W: usize> TupleCounter for SortedRuns<W> {
    fn packing(&self) -> &Packing {
        &self.packing
    }

    fn pack_anew(&mut self, packing: Packing) -> Result<Option<Box<dyn TupleCounter>>, TryReserveError> {
        self.merge_places()?;
        if packing.words() != W {
            return take(self).widen(packing).map(Some);
        }
        let SortedRuns { packing: old, buffer, runs, .. } = self;
        let keys = buffer.iter_mut().chain(runs.iter_mut().map(|(key, _)| key));
        for key in keys {
            *key = old.repack(key, &packing, |_, code| code);
        }
        *old = packing;
        Ok(None)
    }

    fn add(&mut self, codes: &[&[u32]], rows: usize) -> Result<(), TryReserveError> {
        let start = self.buffer.len();
        self.buffer.try_reserve(rows)?;
        self.buffer.resize(start + rows, Key::default());
        for (column, codes) in codes.iter().enumerate() {
            self.packing.pack(column, codes, &mut self.buffer[start..]);
        }
        if let Some(shift) = self.packing.short_by(PLACE_BITS) {
            self.placed_rows += rows as u64;
            if self.placed_rows > u64::from(u32::MAX) {
                self.merge_places()?;
                self.placed_rows = rows as u64;
            }
            self.places.resize(1 << PLACE_BITS, 0);
            self.buffer.drain(start..).for_each(|key| self.places[(key.0[0] >> shift) as usize] += 1);
        }
        let limit = self.runs.len().max(self.buffer_bytes / size_of::<Key<W>>());
        if self.buffer.len() >= limit {
            self.merge()?;
        }
        Ok(())
    }

    /// These runs are in no order until they are [united](SortedRuns::unite), when they have become twice as many, or
    /// the counter is finished.
    fn add_counted(&mut self, codes: &[&[u32]], rows: &[u64]) -> Result<(), TryReserveError> {
        debug_assert!(self.buffer.is_empty() && self.places.is_empty(), "no single rows were counted");
        let mut keys = vec![Key::default(); rows.len()];
        for (column, codes) in codes.iter().enumerate() {
            self.packing.pack(column, codes, &mut keys);
        }
        self.runs.try_reserve(rows.len())?;
        self.runs.extend(keys.into_iter().zip(rows.iter().copied()));
        let limit = (2 * self.united).max(self.buffer_bytes / size_of::<(Key<W>, u64)>());
        if self.runs.len() > limit {
            self.unite();
        }
        Ok(())
    }

    fn ranked(
        mut self: Box<Self>,
        packing: &Packing,
        ranks: &[Vec<u32>],
    ) -> Result<Box<dyn TupleCounter>, TryReserveError> {
        self.merge_places()?;
        self.merge()?;
        self.buffer = Vec::new();
        let old = self.packing.clone();
        let rank = |column: usize, code: u32| ranks[column][code as usize];
        if packing.words() == W {
            let runs = self.runs.par_iter_mut();
            runs.for_each(|(key, _)| *key = old.repack(key, packing, rank));
            self.packing = packing.clone();
            return Ok(self);
        }
        let mut wider = self.widen(packing.clone())?;
        // In the places of its new packing, its codes are still the old ones.
        wider = wider.ranked(packing, ranks)?;
        Ok(wider)
    }

    fn absorb(&mut self, other: Box<dyn TupleCounter>) -> Result<(), TryReserveError> {
        let mut other = other.into_any().downcast::<Self>().expect("keys of the same packing are as wide");
        self.runs.try_reserve_exact(other.runs.len())?;
        self.runs.append(&mut other.runs);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Tuples, TryReserveError> {
        self.unite();
        let SortedRuns { packing, runs, .. } = *self;
        let runs = split_heavy(runs);
        let columns = (0..packing.columns()).into_par_iter();
        let columns: Result<Vec<Vec<u32>>, TryReserveError> =
            columns.map(|column| try_collect(&runs, |(key, _)| packing.unpack(column, key))).collect();
        Ok((columns?, try_collect(&runs, |&(_, count)| count as u32)?))
    }

    fn held_bytes(&self) -> u64 {
        (self.runs.len() * size_of::<(Key<W>, u64)>() + self.buffer.len() * size_of::<Key<W>>()) as u64
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl<const W: usize> SortedRuns<W> {
    /// The same counter with keys of as many words as `packing` needs.
    fn widen(self, packing: Packing) -> Result<Box<dyn TupleCounter>, TryReserveError> {
        Ok(match packing.words() {
            1 => Box::new(self.widen_to::<1>(packing)),
            2 => Box::new(self.widen_to::<2>(packing)),
            4 => Box::new(self.widen_to::<4>(packing)),
            8 => Box::new(self.widen_to::<8>(packing)),
            16 => Box::new(self.widen_to::<16>(packing)),
            _ => self.unpack(packing)?,
        })
    }

    /// The same counter of tuples that are not packed.
    fn unpack(self, packing: Packing) -> Result<Box<dyn TupleCounter>, TryReserveError> {
        let mut wide = WideTuples::new(packing);
        let tuple = |key: &Key<W>| -> Vec<u32> {
            (0..self.packing.columns()).map(|column| self.packing.unpack(column, key)).collect()
        };
        self.runs.iter().try_for_each(|(key, rows)| wide.count(&tuple(key), *rows))?;
        self.buffer.iter().try_for_each(|key| wide.count(&tuple(key), 1))?;
        Ok(Box::new(wide))
    }

    fn widen_to<const V: usize>(self, packing: Packing) -> SortedRuns<V> {
        let widen = |key: &Key<W>| self.packing.repack(key, &packing, |_, code| code);
        let buffer = self.buffer.iter().map(widen).collect();
        let runs = self.runs.iter().map(|(key, count)| (widen(key), *count)).collect();
        SortedRuns {
            places: Vec::new(),
            placed_rows: 0,
            buffer,
            runs,
            united: self.united,
            packing,
            buffer_bytes: self.buffer_bytes,
        }
    }

    /// Sorts the runs, and makes one of those with the same key.
    fn unite(&mut self) {
        self.runs.par_sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        self.runs.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        self.united = self.runs.len();
    }

    /// Moves what was counted by place into the runs.
    fn merge_places(&mut self) -> Result<(), TryReserveError> {
        let places = take(&mut self.places);
        self.placed_rows = 0;
        let Some(shift) = self.packing.short_by(PLACE_BITS).filter(|_| !places.is_empty()) else {
            return Ok(());
        };
        // Keys are in order here as in the runs, of which those before are no longer needed.
        let mut before = take(&mut self.runs).into_iter().peekable();
        for (place, rows) in places.into_iter().enumerate().filter(|(_, rows)| *rows > 0) {
            let mut key = Key::default();
            key.0[0] = (place as u64) << shift;
            while let Some(run) = before.next_if(|(other, _)| *other < key) {
                self.runs.push(run);
            }
            let known = before.next_if(|(other, _)| *other == key).map_or(0, |(_, rows)| rows);
            self.runs.push((key, known + u64::from(rows)));
        }
        self.runs.extend(before);
        Ok(())
    }

    /// Moves the buffered keys into the runs, in place: from the back, where there is room.
    fn merge(&mut self) -> Result<(), TryReserveError> {
        self.buffer.par_sort_unstable();
        let SortedRuns { buffer, runs, .. } = self;
        let (mut read, mut write) = (runs.len(), runs.len() + count_new(runs, buffer));
        runs.try_reserve_exact(write - read)?;
        runs.resize(write, (Key::default(), 0));
        for equal in buffer.chunk_by(Key::eq).rev() {
            let (key, mut count) = (equal[0], equal.len() as u64);
            while read > 0 && key < runs[read - 1].0 {
                (read, write) = (read - 1, write - 1);
                runs[write] = runs[read];
            }
            if read > 0 && runs[read - 1].0 == key {
                read -= 1;
                count += runs[read].1;
            }
            write -= 1;
            runs[write] = (key, count);
        }
        debug_assert_eq!(read, write, "the runs below are in their places");
        buffer.clear();
        Ok(())
    }
}

/// Tuples of no more rows than a weight can say: one of more is repeated.
pub(super) fn split_heavy<K: Copy>(runs: Vec<(K, u64)>) -> Vec<(K, u64)> {
    let most = u64::from(u32::MAX);
    if runs.iter().all(|&(_, rows)| rows <= most) {
        return runs;
    }
    let split = |(key, rows): (K, u64)| {
        let full = (0..rows / most).map(move |_| (key, most));
        full.chain((rows % most > 0).then_some((key, rows % most)))
    };
    runs.into_iter().flat_map(split).collect()
}

/// What `of` makes of each, if there is memory for all.
fn try_collect<T>(all: &[T], of: impl Fn(&T) -> u32) -> Result<Vec<u32>, TryReserveError> {
    let mut made = Vec::new();
    made.try_reserve_exact(all.len())?;
    made.extend(all.iter().map(of));
    Ok(made)
}

/// How many distinct keys of a sorted buffer are not among the runs.
fn count_new<const W: usize>(runs: &[(Key<W>, u64)], buffer: &[Key<W>]) -> usize {
    let mut known = runs.iter().map(|(key, _)| key).peekable();
    let is_new = |equal: &&[Key<W>]| {
        while known.next_if(|&run| run < &equal[0]).is_some() {}
        known.peek() != Some(&&equal[0])
    };
    buffer.chunk_by(Key::eq).filter(is_new).count()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use throng::random::Random;

    use super::super::keys::bits;
    use super::*;

    /// A small generator of numbers below `bound`, the same in every run.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut random = Random::new(seed);
        move |bound| random.below(bound.into()) as u32
    }

    /// Counts `rows` with widths that grow with the codes, as during a scan.
    fn count(columns: usize, rows: &[Vec<u32>], buffer_bytes: usize) -> (Tuples, usize) {
        let mut counter = start(Packing::new(&vec![1; columns]), buffer_bytes);
        let mut largest = vec![0; columns];
        for batch in rows.chunks(10) {
            let codes: Vec<Vec<u32>> =
                (0..columns).map(|c| batch.iter().map(|row| row[c]).collect()).collect();
            for (largest, codes) in largest.iter_mut().zip(&codes) {
                *largest = codes.iter().fold(*largest, |m, &code| m.max(code as usize));
            }
            let needed: Vec<u32> = largest.iter().map(|&code| bits(code + 1)).collect();
            if !counter.packing().holds(&needed) {
                counter = counter.pack_anew(Packing::new(&needed)).unwrap().unwrap_or(counter);
            }
            let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
            counter.add(&codes, batch.len()).unwrap();
        }
        let words = counter.packing().words();
        let same: Vec<Vec<u32>> = largest.iter().map(|&l| (0..=l as u32).collect()).collect();
        let packing = counter.packing().clone();
        (finish_all(vec![(counter, same)], &packing).unwrap(), words)
    }

    fn expected(columns: usize, rows: &[Vec<u32>]) -> Tuples {
        let mut counts = BTreeMap::new();
        for row in rows {
            *counts.entry(row.clone()).or_insert(0) += 1;
        }
        let column = |c: usize| counts.keys().map(|tuple| tuple[c]).collect();
        ((0..columns).map(column).collect(), counts.values().copied().collect())
    }

    #[test]
    fn agrees_with_a_map_for_every_width() {
        for (columns, values, words) in [(3, 5, 1), (2, 900, 1), (7, 2000, 2), (32, 2000, 8), (100, 2000, 32)]
        {
            let mut next = numbers(columns as u64);
            // Values grow with the rows, so that keys are repacked all along.
            let rows: Vec<Vec<u32>> = (1..3000)
                .map(|row| (0..columns).map(|_| next(1 + values.min(row))).collect())
                .chain((0..columns as u32).map(|_| vec![values - 1; columns]))
                .collect();
            for buffer_bytes in [0, 1000, BUFFER_BYTES] {
                let (counted, width) = count(columns, &rows, buffer_bytes);
                assert_eq!(counted, expected(columns, &rows), "{columns} columns");
                assert_eq!(width, words, "{columns} columns");
            }
        }
    }

    #[test]
    fn tuples_are_sorted_by_their_ranks() {
        let mut counter = start(Packing::new(&[2, 1]), 0);
        counter.add(&[&[0, 1, 2, 0], &[0, 1, 0, 0]], 4).unwrap();
        let ranks = vec![vec![2, 0, 1], vec![1, 0]];
        let (columns, weights) = finish_all(vec![(counter, ranks)], &Packing::new(&[2, 1])).unwrap();
        assert_eq!(columns, [[0, 1, 2], [0, 1, 1]]);
        assert_eq!(weights, [1, 1, 2]);
    }

    /// Tuples that several have counted under codes of their own, one of them by place and one in wider keys.
    #[test]
    fn several_count_together() {
        let mut few = start(Packing::new(&[2, 1]), 0);
        few.add(&[&[0, 1, 2, 0], &[0, 1, 0, 0]], 4).unwrap();
        let mut many = start(Packing::new(&[30, 30]), 0);
        many.add(&[&[1, 1, 0], &[0, 1, 1]], 3).unwrap();
        let few = (few, vec![vec![5, 0, 7], vec![1, 0]]);
        let many = (many, vec![vec![7, 5], vec![1, 9]]);
        let (columns, weights) = finish_all(vec![few, many], &Packing::new(&[32, 32])).unwrap();
        assert_eq!(columns, [[0, 5, 5, 7, 7], [0, 1, 9, 1, 9]]);
        assert_eq!(weights, [1, 3, 1, 1, 1]);
    }

    /// Rows that no test could read: runs and tuples of many columns as if they had been counted, of parts of a file.
    #[test]
    fn more_rows_than_a_weight_can_say() {
        let most = u64::from(u32::MAX);
        for columns in [2, 100] {
            let packing = Packing::new(&vec![11; columns]);
            let part = |rows: u64| {
                let mut narrow = SortedRuns::<1> { packing: Packing::new(&[1; 2]), ..SortedRuns::default() };
                if columns == 2 {
                    narrow.runs = vec![(Key([1 << 62]), 3), (Key([2 << 62]), rows)];
                    return (narrow.widen(packing.clone()).unwrap(), vec![vec![7, 5]; 2]);
                }
                let mut wide = WideTuples::new(packing.clone());
                wide.count(&[&[0, 1][..], &[0; 98]].concat(), 3).unwrap();
                wide.count(&[&[1, 0][..], &[0; 98]].concat(), rows).unwrap();
                (Box::new(wide) as Box<dyn TupleCounter>, vec![vec![7, 5]; columns])
            };
            let (codes, weights) = finish_all(vec![part(most), part(most - 1)], &packing).unwrap();
            assert_eq!(codes[..2], [[5, 5, 7], [7, 7, 5]]);
            assert_eq!(weights, [u32::MAX, u32::MAX - 1, 6], "{columns} columns");
        }
    }

    /// What is counted by place moves on before a place is full.
    #[test]
    fn places_make_way() {
        let mut counter = SortedRuns::<1> { packing: Packing::new(&[1]), ..SortedRuns::default() };
        counter.add(&[&[1, 1, 0]], 3).unwrap();
        counter.placed_rows = u64::from(u32::MAX) - 1;
        counter.places[1] = u32::MAX - 1;
        counter.add(&[&[1, 1, 0]], 3).unwrap();
        let (codes, weights) =
            finish_all(vec![(Box::new(counter), vec![vec![0, 1]])], &Packing::new(&[1])).unwrap();
        assert_eq!((codes, weights), (vec![vec![0, 1, 1]], vec![2, u32::MAX, 1]));
    }

    #[test]
    fn no_columns_are_one_tuple() {
        let mut counter = start(Packing::new(&[]), 0);
        counter.add(&[], 5).unwrap();
        assert_eq!(finish_all(vec![(counter, vec![])], &Packing::new(&[])).unwrap(), (vec![], vec![5]));
    }
}
