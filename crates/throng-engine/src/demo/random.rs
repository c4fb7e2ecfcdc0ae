//! Randomness by counter: the draws of row i depend on the seed and on i, and on nothing else.
//!
//! So any part of a table can be made by itself, in any order and on any thread. Only exact
//! arithmetic is used (no logarithms or powers, which differ between machines), so the same seed
//! gives the same bytes everywhere.

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random draws of one row.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    state: u64,
}

impl Draws {
    /// The draws of row `row` under `seed`.
    pub(super) fn of_row(seed: u64, row: u64) -> Draws {
        // Both are mixed before they meet, so that (seed, row + 1) and (seed + 1, row) share nothing.
        let state = mix(mix(seed.wrapping_add(GOLDEN)) ^ mix(row.wrapping_mul(GOLDEN) ^ !seed));
        Draws { state }
    }

    /// The next 64 bits (the splitmix64 sequence).
    pub(super) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with the given probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of `items`, the earlier ones more often.
    pub(super) fn skewed<'a>(&mut self, items: &[&'a str]) -> &'a str {
        let bound = items.len() as u64;
        let (first, second) = (self.below(bound), self.below(bound));
        items[first.min(second) as usize]
    }
}

/// The finaliser of splitmix64: a bijection that spreads every bit.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A choice among weighted items.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    /// Running sums of the weights; the last is the total, which is positive.
    sums: Vec<f64>,
}

impl Weighted {
    /// A choice among the positions of `weights`, none negative and at least one positive.
    pub(super) fn new(weights: impl IntoIterator<Item = f64>) -> Weighted {
        let mut total = 0.0;
        let sums: Vec<f64> = weights
            .into_iter()
            .map(|weight| {
                debug_assert!(weight >= 0.0);
                total += weight;
                total
            })
            .collect();
        assert!(total > 0.0, "a choice needs a positive weight");
        Weighted { sums }
    }

    /// The position drawn; one of weight 0 never is.
    pub(super) fn draw(&self, draws: &mut Draws) -> usize {
        let last = self.sums.len() - 1;
        let point = draws.unit() * self.sums[last];
        self.sums.partition_point(|&sum| sum <= point).min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_rows_and_seeds_share_no_draws() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            for row in 0..40 {
                let mut draws = Draws::of_row(seed, row);
                assert!((0..8).all(|_| seen.insert(draws.bits())), "seed {seed}, row {row}");
            }
        }
    }

    #[test]
    fn weights_set_the_frequencies_and_zero_means_never() {
        let choice = Weighted::new([0.0, 1.0, 0.0, 3.0, 0.0]);
        let mut counts = [0u32; 5];
        for row in 0..40_000 {
            counts[choice.draw(&mut Draws::of_row(7, row))] += 1;
        }
        assert_eq!([counts[0], counts[2], counts[4]], [0, 0, 0]);
        assert!((9_500..10_500).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn bounded_draws_cover_their_range_evenly() {
        let mut counts = [0u32; 7];
        for row in 0..70_000 {
            counts[Draws::of_row(1, row).below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
