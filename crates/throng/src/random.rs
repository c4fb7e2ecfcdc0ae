//! Random numbers that a seed decides, for synthetic tables, for tests, and for searches that improve a result.
//!
//! Only exact arithmetic is used (no logarithms or powers, which differ between machines), so the same
//! seed gives the same numbers everywhere. Searches draw nothing until they are through, and then always the same.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sequence of random numbers (splitmix64).
///
/// ```
/// use throng::random::Random;
///
/// let mut random = Random::new(7);
/// let drawn: Vec<u64> = (0..3).map(|_| random.below(6)).collect();
/// assert!(drawn.iter().all(|&number| number < 6));
/// let mut again = Random::new(7);
/// assert!(drawn.iter().all(|&number| number == again.below(6)));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The numbers of one of many rows under a seed: they depend on these two and on nothing else, so
    /// that any part of a table can be made by itself, in any order and on any thread.
    pub fn of_row(seed: u64, row: u64) -> Random {
        // Both are mixed before they meet, so that (seed, row + 1) and (seed + 1, row) share nothing.
        let state = mix(mix(seed.wrapping_add(GOLDEN)) ^ mix(row.wrapping_mul(GOLDEN) ^ !seed));
        Random { state }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A position among `length`, which is not 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// A position among `length`, the earlier ones more often.
    pub fn skewed_index(&mut self, length: usize) -> usize {
        let (first, second) = (self.index(length), self.index(length));
        first.min(second)
    }

    /// A position among shares, as often as its share says; their sum is not 0.
    pub fn index_by_share(&mut self, shares: &[u64]) -> usize {
        let mut left = self.below(shares.iter().sum());
        let chosen = shares.iter().position(|&share| {
            left < share || {
                left -= share;
                false
            }
        });
        chosen.expect("less than all shares")
    }

    /// One of `items`.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// One of `items`, the earlier ones more often.
    pub fn skewed<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.skewed_index(items.len())]
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.index(times) == 0
    }

    /// Brings items into another order, any as likely as any other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }
}

/// The finaliser of splitmix64: a bijection that spreads every bit.
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_rows_and_seeds_share_no_draws() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            for row in 0..40 {
                let mut random = Random::of_row(seed, row);
                assert!((0..8).all(|_| seen.insert(random.bits())), "seed {seed}, row {row}");
            }
        }
    }

    #[test]
    fn bounded_draws_cover_their_range_evenly() {
        let mut counts = [0u32; 7];
        for row in 0..70_000 {
            counts[Random::of_row(1, row).index(7)] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn shares_set_the_frequencies_and_zero_means_never() {
        let (mut random, mut counts) = (Random::new(7), [0u32; 5]);
        for _ in 0..40_000 {
            counts[random.index_by_share(&[0, 1, 0, 3, 0])] += 1;
        }
        assert_eq!([counts[0], counts[2], counts[4]], [0, 0, 0]);
        assert!((9_500..10_500).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut items: Vec<u32> = (0..50).collect();
        Random::new(1).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
