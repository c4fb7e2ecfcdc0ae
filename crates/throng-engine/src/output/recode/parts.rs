//! Gives the parts of a tuple to its rows.

use throng::random::Random;
use throng::release::Release;

/// Draws a part for each row of a tuple, so that every part gets as many rows as it has, and which rows
/// these are follows from nothing but the seed.
pub(super) struct Draw {
    /// The parts of each tuple begin here.
    starts: Vec<u32>,
    /// Rows of each part that are still to come.
    left: Vec<u32>,
    /// Rows of each tuple that are still to come.
    left_of_tuple: Vec<u32>,
    random: Random,
}

impl Draw {
    pub(super) fn new(release: &Release, seed: u64) -> Draw {
        let tuples = release.problem().table().tuples();
        let mut starts = vec![0; tuples + 1];
        (0..release.parts()).for_each(|part| starts[release.tuple(part) + 1] += 1);
        (0..tuples).for_each(|tuple| starts[tuple + 1] += starts[tuple]);
        Draw {
            starts,
            left: (0..release.parts()).map(|part| release.rows(part)).collect(),
            left_of_tuple: release.problem().table().weights().to_vec(),
            random: Random::new(seed),
        }
    }

    /// The part of the next row of a tuple; none if the tuple has had all its rows.
    pub(super) fn next(&mut self, tuple: u32) -> Option<u32> {
        let tuple = tuple as usize;
        let left = self.left_of_tuple[tuple];
        self.left_of_tuple[tuple] = left.checked_sub(1)?;
        let (first, end) = (self.starts[tuple] as usize, self.starts[tuple + 1] as usize);
        // One part needs no draw, so that tables without divided tuples cost none.
        let mut at = if end - first == 1 { 0 } else { self.random.below(left.into()) as u32 };
        for part in first..end {
            if at < self.left[part] {
                self.left[part] -= 1;
                return Some(part as u32);
            }
            at -= self.left[part];
        }
        unreachable!("the parts of a tuple have all its rows")
    }
}
