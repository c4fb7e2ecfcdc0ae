//! Gives the parts of a tuple to its rows.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use throng::random::Random;

/// Draws a part for each row of a tuple, so that every part gets as many rows as it has, and which rows
/// these are follows from nothing but the seed and the tuple. So whoever knows how many rows of a tuple come before
/// its own draws the same for them, on whatever machine.
pub(super) struct Draw {
    /// The parts of each tuple begin here.
    starts: Vec<u32>,
    /// Rows of each part that are still to come.
    left: Vec<u32>,
    /// Of each tuple of several parts the rows that are still to come, and what decides on the next.
    divided: FxHashMap<u32, Divided>,
}

struct Divided {
    left: u32,
    random: Random,
}

impl Draw {
    /// For tuples whose parts begin at `starts`, one more than there are tuples, with the rows of each part; `values`
    /// gives those of a tuple, by which it is known.
    pub(super) fn new(
        starts: Vec<u32>,
        rows: Vec<u32>,
        seed: u64,
        values: impl Fn(usize) -> Box<[u32]>,
    ) -> Draw {
        let divided = starts.windows(2).enumerate().filter(|(_, ends)| ends[1] - ends[0] > 1);
        let divided = divided.map(|(tuple, ends)| {
            let left = rows[ends[0] as usize..ends[1] as usize].iter().sum();
            let mut hasher = FxHasher::default();
            (seed, values(tuple)).hash(&mut hasher);
            (tuple as u32, Divided { left, random: Random::of_row(seed, hasher.finish()) })
        });
        Draw { divided: divided.collect(), starts, left: rows }
    }

    /// The part of the next row of a tuple; none if the tuple has had all its rows.
    pub(super) fn next(&mut self, tuple: u32) -> Option<u32> {
        let (first, end) = (self.starts[tuple as usize] as usize, self.starts[tuple as usize + 1] as usize);
        // One part needs no draw, so that tables without divided tuples cost none.
        let Some(Divided { left, random }) = self.divided.get_mut(&tuple) else {
            self.left[first] = self.left[first].checked_sub(1)?;
            return Some(first as u32);
        };
        let mut at = if *left == 0 { return None } else { random.below((*left).into()) as u32 };
        *left -= 1;
        for part in first..end {
            if at < self.left[part] {
                self.left[part] -= 1;
                return Some(part as u32);
            }
            at -= self.left[part];
        }
        unreachable!("the parts of a tuple have all its rows")
    }

    /// Draws for rows of a tuple that come before all others and are somebody else's.
    pub(super) fn skip(&mut self, tuple: u32, rows: u64) {
        for _ in 0..rows {
            self.next(tuple);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw() -> Draw {
        let values = |tuple: usize| vec![7, tuple as u32].into_boxed_slice();
        Draw::new(vec![0, 3, 4, 6], vec![2, 3, 1, 4, 5, 5], 11, values)
    }

    #[test]
    fn every_part_gets_its_rows() {
        let mut draw = draw();
        let mut rows = [0; 6];
        for (tuple, count) in [(0, 6), (1, 4), (2, 10)] {
            (0..count).for_each(|_| rows[draw.next(tuple).unwrap() as usize] += 1);
            assert_eq!(draw.next(tuple), None);
        }
        assert_eq!(rows, [2, 3, 1, 4, 5, 5]);
    }

    /// In any order of the tuples, and from any row on.
    #[test]
    fn who_skips_draws_the_same() {
        let (mut whole, mut other) = (draw(), draw());
        let all: Vec<Option<u32>> = (0..10).map(|_| whole.next(2)).collect();
        other.next(0);
        other.skip(2, 4);
        let rest: Vec<Option<u32>> = (4..10).map(|_| other.next(2)).collect();
        assert_eq!(rest, all[4..]);
        assert!(all.windows(2).any(|rows| rows[0] != rows[1]) && all[0].is_some());
    }
}
