//! Rows whose keys a sample may keep, found without adding up their keys.
//!
//! A sample of some level keeps the keys below a bound, few of all. The upper sixteen bits of a sum
//! are the sum of the upper sixteen bits, and at most one more for each further part. Sums of
//! these short words are made and compared eight at a time; the rows that may be below the bound,
//! and hardly any others, come through.

/// Rows that are looked at once.
pub(super) const CHUNK: usize = 1 << 10;

/// Rows of which, as a rule, none comes through.
const BLOCK: usize = 32;

/// The upper bits of a key.
pub(super) fn upper(key: u64) -> u16 {
    (key >> 48) as u16
}

/// A place to work in.
pub(super) struct Sieve {
    sums: [u16; CHUNK],
    found: [u16; CHUNK],
}

impl Sieve {
    pub(super) fn new() -> Sieve {
        Sieve { sums: [0; CHUNK], found: [0; CHUNK] }
    }

    /// Positions of the rows that a sample of this level, which is at least 1, may keep. `parts` are
    /// the upper bits of their keys in each column, of [`CHUNK`] rows at most.
    pub(super) fn sift(&mut self, parts: &[&[u16]], level: u32) -> &[u16] {
        let rows = parts[0].len();
        let carried = parts.len() as u16 - 1;
        let highest = u16::MAX.checked_shr(level).unwrap_or(0) + carried;
        self.sums[rows..].fill(u16::MAX);
        self.sums[..rows].iter_mut().zip(parts[0]).for_each(|(sum, part)| *sum = part.wrapping_add(carried));
        for part in &parts[1..] {
            self.sums[..rows].iter_mut().zip(*part).for_each(|(sum, part)| *sum = sum.wrapping_add(*part));
        }
        let mut count = 0;
        for (block, sums) in self.sums.as_chunks::<BLOCK>().0.iter().enumerate() {
            if sums.iter().fold(false, |any, &sum| any | (sum <= highest)) {
                for (at, &sum) in sums.iter().enumerate() {
                    self.found[count] = (block * BLOCK + at) as u16;
                    count += usize::from(sum <= highest);
                }
            }
        }
        &self.found[..count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::sample::mix;

    /// All that are kept come through, and few others; odd numbers of rows, too.
    #[test]
    fn no_kept_row_is_held_back() {
        for (columns, rows, level) in [(2, CHUNK, 1), (3, 700, 4), (10, 33, 7), (2, 1, 1), (20, CHUNK, 20)] {
            let key = |column: usize, row: usize| mix((column * CHUNK + row) as u64 + 1);
            let mut keys: Vec<Vec<u64>> =
                (0..columns).map(|column| (0..rows).map(|row| key(column, row)).collect()).collect();
            // A sum that is kept only because of what its parts carry over.
            let rest = (1..columns).fold(0_u64, |sum, column| sum.wrapping_add(keys[column][0]));
            keys[0][0] = 0_u64.wrapping_sub(rest);
            let uppers: Vec<Vec<u16>> =
                keys.iter().map(|keys| keys.iter().map(|&key| upper(key)).collect()).collect();
            let mut sieve = Sieve::new();
            let found = sieve.sift(&uppers.iter().map(Vec::as_slice).collect::<Vec<_>>(), level).to_vec();
            let sum = |row: usize| keys.iter().fold(0_u64, |sum, keys| sum.wrapping_add(keys[row]));
            let kept: Vec<u16> =
                (0..rows as u16).filter(|&row| sum(row.into()) <= u64::MAX >> level).collect();
            assert!(
                kept.contains(&0) && kept.iter().all(|row| found.contains(row)),
                "{columns} {rows} {level}"
            );
            assert!(found.iter().all(|&row| usize::from(row) < rows) && found.is_sorted());
            assert!(found.len() <= kept.len() + 3, "{} {}", found.len(), kept.len());
        }
    }
}
