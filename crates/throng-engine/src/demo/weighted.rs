//! Choices among items of different weight.

use throng::random::Random;

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
    pub(super) fn draw(&self, random: &mut Random) -> usize {
        let last = self.sums.len() - 1;
        let point = random.unit() * self.sums[last];
        self.sums.partition_point(|&sum| sum <= point).min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_set_the_frequencies_and_zero_means_never() {
        let choice = Weighted::new([0.0, 1.0, 0.0, 3.0, 0.0]);
        let mut counts = [0u32; 5];
        for row in 0..40_000 {
            counts[choice.draw(&mut Random::of_row(7, row))] += 1;
        }
        assert_eq!([counts[0], counts[2], counts[4]], [0, 0, 0]);
        assert!((9_500..10_500).contains(&counts[1]), "{counts:?}");
    }
}
