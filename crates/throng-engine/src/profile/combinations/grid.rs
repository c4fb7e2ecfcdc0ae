//! The classes of columns with few values, counted by place.

use crate::profile::sample::DistinctSample;

/// Places of a grid, as a power of two: 256 KiB, which stay in the cache of a core.
const MAX_BITS: u32 = 20;

/// Places that are computed at once.
const CHUNK: usize = 1 << 10;

const ONCE: u8 = 1;
const AGAIN: u8 = 2;

/// One place for each combination of values, which says whether no row has it, one, or more.
///
/// A place is the numbers of the values, side by side in fields of bits.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The width of each column's field.
    bits: Vec<u32>,
    /// Two bits for each place.
    cells: Vec<u8>,
}

impl Grid {
    /// A grid for columns of which each has so many values; nothing if these are too many.
    pub(super) fn new(values: &[usize]) -> Option<Grid> {
        let bits: Vec<u32> = values.iter().map(|&values| bits(values)).collect();
        let all: u32 = bits.iter().sum();
        (all <= MAX_BITS).then(|| Grid { bits, cells: vec![0; (1 << all) / 4 + 1] })
    }

    /// Whether there are places for so many values of each column.
    pub(super) fn holds(&self, values: &[usize]) -> bool {
        self.bits.iter().zip(values).all(|(&width, &values)| bits(values) <= width)
    }

    /// The same classes in a grid for more values; nothing if these are too many.
    pub(super) fn widen(&self, values: &[usize]) -> Option<Grid> {
        let mut wider = Grid::new(values)?;
        self.each(|numbers, cell| {
            let fields = numbers.iter().zip(&wider.bits);
            let place = fields.fold(0, |place, (number, bits)| place << bits | number);
            wider.cells[place as usize / 4] |= cell << (place % 4 * 2);
        });
        Some(wider)
    }

    /// Takes up rows by the numbers of their values, one list for each column.
    pub(super) fn add(&mut self, numbers: &[&[u32]]) {
        let mut places = [0_u32; CHUNK];
        for start in (0..numbers[0].len()).step_by(CHUNK) {
            let end = numbers[0].len().min(start + CHUNK);
            let places = &mut places[..end - start];
            places.copy_from_slice(&numbers[0][start..end]);
            for (column, bits) in numbers.iter().zip(&self.bits).skip(1) {
                let fields = places.iter_mut().zip(&column[start..end]);
                fields.for_each(|(place, number)| *place = *place << bits | number);
            }
            for &place in &*places {
                let (cell, shift) = (&mut self.cells[place as usize / 4], place % 4 * 2);
                // Sooner or later nearly every row comes here for nothing.
                if *cell >> shift & AGAIN == 0 {
                    *cell += ONCE << shift;
                }
            }
        }
    }

    /// A sample of the classes, as if it had met every row; `keys` has each column's keys by number.
    pub(super) fn sample(&self, limit: usize, keys: &[&[u64]]) -> DistinctSample {
        let mut sample = DistinctSample::new(limit);
        self.each(|numbers, cell| {
            let parts = numbers.iter().zip(keys).map(|(&number, keys)| keys[number as usize]);
            let key = parts.fold(0, u64::wrapping_add);
            (0..cell).for_each(|_| {
                sample.meet(key, || 0);
            });
        });
        sample
    }

    /// Calls `see` with the numbers of each class that occurs, and whether it has one row or more.
    fn each(&self, mut see: impl FnMut(&[u32], u8)) {
        let mut numbers = vec![0; self.bits.len()];
        for (at, &four) in self.cells.iter().enumerate().filter(|&(_, &four)| four > 0) {
            for place in 0..4 {
                let cell = four >> (place * 2) & (ONCE | AGAIN);
                if cell > 0 {
                    let mut rest = 4 * at as u32 + place;
                    for (number, bits) in numbers.iter_mut().zip(&self.bits).rev() {
                        *number = rest & ((1 << bits) - 1);
                        rest >>= bits;
                    }
                    see(&numbers, cell);
                }
            }
        }
    }
}

/// The bits that the numbers of so many values need.
fn bits(values: usize) -> u32 {
    values.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::sample::mix;

    #[test]
    fn fields_are_as_wide_as_their_numbers() {
        assert_eq!([0, 1, 2, 3, 4, 5, 65_536, 65_537].map(bits), [0, 0, 1, 2, 2, 3, 16, 17]);
        let grid = Grid::new(&[5, 1, 3]).unwrap();
        assert!(grid.holds(&[8, 1, 4]) && !grid.holds(&[9, 1, 4]) && !grid.holds(&[8, 2, 4]));
        assert!(Grid::new(&[1 << 10, 1 << 10]).is_some() && Grid::new(&[1 << 10, (1 << 10) + 1]).is_none());
    }

    /// Three columns, the second of which gets values after the first rows.
    #[test]
    fn a_grid_counts_what_a_sample_of_the_keys_counts() {
        let rows = 5_000;
        let columns: Vec<Vec<u32>> = [(7, 0), (60, 1), (2, 2)]
            .map(|(values, seed)| (0..rows).map(|row| (mix(3 * row + seed) % values) as u32).collect())
            .to_vec();
        let keys: Vec<Vec<u64>> = (0..3).map(|at| (0..60).map(|n| mix(100 * at + n)).collect()).collect();
        let keys: Vec<&[u64]> = keys.iter().map(Vec::as_slice).collect();
        let few: Vec<usize> = (0..rows as usize).filter(|&row| columns[1][row] < 9).collect();
        let many: Vec<usize> = (0..rows as usize).filter(|&row| columns[1][row] >= 9).collect();
        let numbers = |rows: &[usize]| -> Vec<Vec<u32>> {
            columns.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect()
        };
        let mut grid = Grid::new(&[7, 9, 2]).unwrap();
        grid.add(&numbers(&few).iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut grid = grid.widen(&[7, 60, 2]).unwrap();
        grid.add(&numbers(&many).iter().map(Vec::as_slice).collect::<Vec<_>>());

        for limit in [2_000, 100] {
            let mut expected = DistinctSample::new(limit);
            for row in 0..rows as usize {
                let key = (0..3).fold(0_u64, |sum, at| sum.wrapping_add(keys[at][columns[at][row] as usize]));
                expected.meet(key, || 0);
            }
            assert_eq!(grid.sample(limit, &keys).count(rows), expected.count(rows));
            assert_eq!(expected.count(rows).0.estimated, limit == 100);
        }
    }
}
